//! Heat: the product of five factors, each of which can be explained.

use model::{Factors, HeatParams, Mention, UnixSeconds};

use crate::hours;

/// What the factors are computed from.
pub(crate) struct Spread<'a> {
    /// One per newsroom, in order of time.
    pub mentions: &'a [Mention],
    /// Hours that each item has stood in the feeds.
    pub standing_hours: &'a [f64],
}

impl Spread<'_> {
    /// Hours from the first to the last newsroom's mention, without the floor.
    pub fn hours(&self) -> f64 {
        match (self.mentions.first(), self.mentions.last()) {
            (Some(first), Some(last)) => hours(first.at, last.at).max(0.0),
            _ => 0.0,
        }
    }

    pub fn factors(&self, at: UnixSeconds, params: &HeatParams) -> Factors {
        let Some(last) = self.mentions.last() else { return Factors::default() };
        let breadth: f64 = self.mentions.iter().map(|mention| mention.weight).sum();
        let paid: f64 = self
            .mentions
            .iter()
            .map(|mention| mention.weight * if mention.copy { params.copy_weight } else { 1.0 })
            .sum();
        // A newsroom of great weight does not spread an event by itself.
        let grown = if self.mentions.len() > 1 { (paid - 1.0).max(0.0) } else { 0.0 };
        let standing = mean(self.standing_hours.iter().copied());
        Factors {
            breadth,
            velocity: grown / positive(self.hours().max(params.spread_floor_hours)),
            priority: self.priority(breadth),
            persistence: 1.0 + (1.0 + standing / positive(params.persistence_unit_hours)).log2(),
            decay: 0.5_f64.powf(hours(last.at, at).max(0.0) / positive(params.half_life_hours)),
        }
    }

    /// The weighted mean; the plain one where no newsroom has weight.
    fn priority(&self, breadth: f64) -> f64 {
        if breadth > 0.0 {
            let weighted = self.mentions.iter().map(|mention| mention.weight * mention.priority());
            weighted.sum::<f64>() / breadth
        } else {
            mean(self.mentions.iter().map(Mention::priority))
        }
    }
}

pub(crate) fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (count, sum) = values.fold((0.0, 0.0), |(count, sum), value| (count + 1.0, sum + value));
    if count > 0.0 { sum / count } else { 0.0 }
}

/// A divisor, whatever a model says.
pub(crate) fn positive(value: f64) -> f64 {
    if value > 0.0 { value } else { f64::MIN_POSITIVE }
}
