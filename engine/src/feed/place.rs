//! Diversity: posts are placed one after the other, those like the last ones held back.

use std::cmp::Ordering;

use super::vectors::Vectors;

/// The similarity to so many posts placed last counts.
pub const WINDOW: usize = 10;
/// The channels of so many posts placed last count.
pub const CHANNEL_WINDOW: usize = 5;

/// A post that may be placed.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// Its row in the vectors.
    pub row: u32,
    pub channel: u32,
    pub score: f64,
}

/// The numbers of the candidates as they are placed, at most `limit`. Candidates come in descending
/// order of score, which decides between equals.
///
/// Each time, the candidate is placed whose adjusted score is the highest: score · (1 − d · the highest
/// cosine to the last ten placed) · (1 − d/2) ^ (posts of its channel among the last five placed).
///
/// Penalties never raise a score. So each channel's candidates are gone through only until no score
/// left can reach the best adjusted one, and a similarity that is known to a post still among the last
/// ten often tells without another look that a candidate cannot be the best. The result is the same as
/// comparing every candidate with the last ten at every step.
#[must_use]
pub fn place(
    candidates: &[Candidate],
    vectors: &Vectors<'_>,
    diversity: f64,
    limit: usize,
) -> Vec<u32> {
    let limit = limit.min(candidates.len());
    let plain = diversity.is_nan() || diversity <= 0.0;
    if limit == 0 || plain {
        return (0..limit as u32).collect();
    }
    let mut waiting = Waiting::new(candidates, diversity.min(1.0));
    let mut last = Last::new(vectors);
    let mut placed = Vec::with_capacity(limit);
    while let Some((link, candidate)) = waiting.best(&placed, &last) {
        waiting.remove(link);
        last.push(placed.len(), &candidates[candidate as usize]);
        placed.push(candidate);
        if placed.len() == limit {
            break;
        }
    }
    placed
}

/// (1 − d · cosine).
#[must_use]
pub fn likeness_factor(diversity: f64, cosine: f32) -> f64 {
    1.0 - diversity * f64::from(cosine.clamp(0.0, 1.0))
}

/// (1 − d/2) ^ posts of the channel.
#[must_use]
pub fn channel_factor(diversity: f64, placed: usize) -> f64 {
    (1.0 - diversity / 2.0).powi(placed as i32)
}

/// The posts placed last, transposed: per stem its weight in each, so that one pass over a candidate's
/// stems gives its cosine to all of them.
struct Last<'v> {
    vectors: &'v Vectors<'v>,
    weights: Vec<[f32; WINDOW]>,
    /// Rows and channels of the posts placed, in the order of their places modulo [`WINDOW`].
    rows: [Option<u32>; WINDOW],
    channels: Vec<u32>,
}

impl<'v> Last<'v> {
    fn new(vectors: &'v Vectors<'v>) -> Self {
        Self {
            vectors,
            weights: vec![[0.0; WINDOW]; vectors.vocabulary.len()],
            rows: [None; WINDOW],
            channels: Vec::new(),
        }
    }

    fn push(&mut self, place: usize, candidate: &Candidate) {
        let slot = place % WINDOW;
        if let Some(gone) = self.rows[slot].replace(candidate.row) {
            for (stem, _) in self.vectors.row(gone) {
                self.weights[stem as usize][slot] = 0.0;
            }
        }
        for (stem, weight) in self.vectors.row(candidate.row) {
            self.weights[stem as usize][slot] = weight;
        }
        self.channels.push(candidate.channel);
    }

    fn cosines(&self, row: u32) -> [f32; WINDOW] {
        let mut cosines = [0.0; WINDOW];
        for (stem, weight) in self.vectors.row(row) {
            for (cosine, placed) in cosines.iter_mut().zip(&self.weights[stem as usize]) {
                *cosine += weight * placed;
            }
        }
        cosines
    }

    /// How often the channel is among the last five.
    fn of_channel(&self, channel: u32) -> usize {
        self.channels.iter().rev().take(CHANNEL_WINDOW).filter(|&&placed| placed == channel).count()
    }
}

/// What was not placed yet: per channel a list in descending order of score.
struct Waiting<'c> {
    candidates: &'c [Candidate],
    diversity: f64,
    /// Links: first those to the candidate after each one, then those to the first of each channel.
    next: Vec<u32>,
    known: Vec<Known>,
    channels: Vec<u32>,
}

const NONE: u32 = u32::MAX;

/// The factor of a similarity that holds while fewer than `until` posts are placed.
#[derive(Clone, Copy)]
struct Known {
    factor: f64,
    until: usize,
}

#[derive(Clone, Copy)]
struct Best {
    adjusted: f64,
    candidate: u32,
    link: usize,
}

impl<'c> Waiting<'c> {
    fn new(candidates: &'c [Candidate], diversity: f64) -> Self {
        let count = candidates.len();
        let mut channels: Vec<u32> = candidates.iter().map(|candidate| candidate.channel).collect();
        channels.sort_unstable();
        channels.dedup();
        let mut next = vec![NONE; count + channels.len()];
        let mut ends: Vec<usize> = (count..next.len()).collect();
        for (number, candidate) in (0..).zip(candidates) {
            let Ok(channel) = channels.binary_search(&candidate.channel) else { continue };
            next[ends[channel]] = number;
            ends[channel] = number as usize;
        }
        let known = vec![Known { factor: 1.0, until: 0 }; count];
        Self { candidates, diversity, next, known, channels }
    }

    fn remove(&mut self, link: usize) {
        self.next[link] = self.next[self.next[link] as usize];
    }

    /// The link to the best candidate, and the candidate.
    fn best(&mut self, placed: &[u32], last: &Last<'_>) -> Option<(usize, u32)> {
        let count = self.candidates.len();
        let bound = |this: &Self, link: usize, factor: f64| {
            let candidate = this.next[link];
            let score = this.candidates.get(candidate as usize)?.score;
            Some(Best { adjusted: score * factor, candidate, link })
        };
        let factors: Vec<f64> = self
            .channels
            .iter()
            .map(|&channel| channel_factor(self.diversity, last.of_channel(channel)))
            .collect();
        // What looks best at first sight is looked at first, so that little else has to be.
        let firsts = || (count..).zip(&factors);
        let (start, &factor) = firsts().max_by(|(a, x), (b, y)| {
            let (a, b) = (bound(self, *a, **x), bound(self, *b, **y));
            match (a, b) {
                (Some(a), Some(b)) => a.order(&b),
                (a, b) => a.is_some().cmp(&b.is_some()),
            }
        })?;
        let mut best = bound(self, start, factor)?;
        best.adjusted = self.candidates[best.candidate as usize].score
            * self.look(best.candidate, placed.len(), last)
            * factor;
        for (first, &factor) in firsts() {
            let mut link = first;
            while let Some(mut other) = bound(self, link, factor).filter(|other| other.beats(&best))
            {
                let number = other.candidate as usize;
                let score = self.candidates[number].score;
                let known = self.known[number];
                if placed.len() < known.until {
                    other.adjusted = score * known.factor * factor;
                }
                if other.beats(&best) {
                    other.adjusted =
                        score * self.look(other.candidate, placed.len(), last) * factor;
                    if other.beats(&best) {
                        best = other;
                    }
                }
                link = number;
            }
        }
        Some((best.link, best.candidate))
    }

    /// The factor of the highest cosine to the posts placed last.
    fn look(&mut self, candidate: u32, placed: usize, last: &Last<'_>) -> f64 {
        let cosines = last.cosines(self.candidates[candidate as usize].row);
        let mut highest = 0.0_f32;
        let mut until = placed;
        // From the one placed last to the one that leaves first.
        for back in 1..=WINDOW.min(placed) {
            let cosine = cosines[(placed - back) % WINDOW];
            if cosine > highest {
                highest = cosine;
                until = placed - back + WINDOW + 1;
            }
        }
        let factor = likeness_factor(self.diversity, highest);
        self.known[candidate as usize] = Known { factor, until };
        factor
    }
}

impl Best {
    /// Of equal scores the earlier candidate is greater.
    fn order(&self, other: &Self) -> Ordering {
        self.adjusted.total_cmp(&other.adjusted).then(other.candidate.cmp(&self.candidate))
    }

    fn beats(&self, other: &Self) -> bool {
        self.order(other).is_gt()
    }
}
