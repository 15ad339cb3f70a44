//! The five factors of heat, in the order of the formula.

use model::{Event, Factor, Model, UnixSeconds, hours_between};

use crate::i18n::{Locale, Texts};

/// A factor in words.
pub(crate) trait Explained {
    fn name(self, t: &Texts) -> &'static str;
    /// What the factor says, in one sentence.
    fn sentence(self, t: &Texts) -> &'static str;
    /// The factor's formula with the event's own numbers put in.
    fn formula(self, event: &Event, at: UnixSeconds, model: &Model, locale: Locale) -> String;
}

impl Explained for Factor {
    fn name(self, t: &Texts) -> &'static str {
        match self {
            Self::Breadth => t.breadth,
            Self::Velocity => t.velocity,
            Self::Priority => t.priority,
            Self::Persistence => t.persistence,
            Self::Decay => t.decay,
        }
    }

    fn sentence(self, t: &Texts) -> &'static str {
        match self {
            Self::Breadth => t.breadth_sentence,
            Self::Velocity => t.velocity_sentence,
            Self::Priority => t.priority_sentence,
            Self::Persistence => t.persistence_sentence,
            Self::Decay => t.decay_sentence,
        }
    }

    fn formula(self, event: &Event, at: UnixSeconds, model: &Model, locale: Locale) -> String {
        let n = |value| locale.figure(value);
        let heat = &model.heat;
        match self {
            Self::Breadth => sum(event.mentions.iter().map(|mention| mention.weight), locale),
            Self::Velocity => {
                let counted = event.mentions.iter().map(|mention| {
                    mention.weight * if mention.copy { heat.copy_weight } else { 1.0 }
                });
                (locale.texts().velocity_formula)(
                    &n(counted.sum()),
                    &n(event.spread_hours),
                    &locale.exact(heat.spread_floor_hours),
                )
            }
            Self::Priority => (locale.texts().priority_formula)(
                event.mentions.iter().map(|mention| mention.best_position).min().unwrap_or(0),
                event.newsrooms(),
            ),
            Self::Persistence => {
                // The mean is not stored beside the factor; the factor gives it back.
                let unit = heat.persistence_unit_hours;
                let mean = ((event.factors.persistence - 1.0).exp2() - 1.0) * unit;
                format!("1 + log₂(1 + {} / {})", n(mean.max(0.0)), locale.exact(unit))
            }
            Self::Decay => {
                let hours = hours_between(event.last_mention(), at).max(0.0);
                format!(
                    "{}^({} / {})",
                    locale.exact(0.5),
                    n(hours),
                    locale.exact(heat.half_life_hours)
                )
            }
        }
    }
}

/// "1 + 1 + 0,5", or "14 × 1 + 0,5" where many weights are equal.
fn sum(weights: impl Iterator<Item = f64>, locale: Locale) -> String {
    let mut counts: Vec<(f64, u32)> = Vec::new();
    for weight in weights {
        match counts.iter_mut().find(|(known, _)| *known == weight) {
            Some((_, count)) => *count += 1,
            None => counts.push((weight, 1)),
        }
    }
    let terms: Vec<String> = counts
        .into_iter()
        .map(|(weight, count)| format!("{count} × {}", locale.figure(weight)))
        .collect();
    terms.join(" + ")
}
