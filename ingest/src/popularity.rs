//! How often channels are asked for: +1 for each time, halved every half-life.

use rustc_hash::FxHashMap;

use model::UnixSeconds;

/// A channel that is asked for less than this often is forgotten.
pub const FORGOTTEN: f64 = 0.05;

/// The ranking of one process.
#[derive(Debug, Default)]
pub struct Popularity {
    scores: FxHashMap<String, f64>,
    /// When they last decayed.
    at: Option<UnixSeconds>,
}

impl Popularity {
    /// Counts each channel once.
    pub fn hit(&mut self, channels: &[String]) {
        for channel in channels {
            *self.scores.entry(channel.clone()).or_default() += 1.0;
        }
    }

    /// Scores fade by the time since they last did, and the least are forgotten.
    pub fn decay(&mut self, half_life_seconds: f64, now: UnixSeconds) {
        let kept = fade(now - self.at.unwrap_or(now), half_life_seconds);
        self.at = Some(now);
        self.scores.retain(|_, score| {
            *score *= kept;
            *score >= FORGOTTEN
        });
    }

    /// The most popular, the highest score first.
    #[must_use]
    pub fn top(&self, count: usize) -> Vec<(String, f64)> {
        let mut top: Vec<(String, f64)> =
            self.scores.iter().map(|(channel, score)| (channel.clone(), *score)).collect();
        top.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        top.truncate(count);
        top
    }
}

/// 0.5 ^ (elapsed / half-life).
#[must_use]
pub fn fade(elapsed_seconds: i64, half_life_seconds: f64) -> f64 {
    0.5_f64.powf(elapsed_seconds.max(0) as f64 / half_life_seconds.max(1.0))
}

/// A score on the scale of [`crate::schedule::Pace`]: neutral at nothing, towards 1. Ten requests in a
/// half-life are half of the way.
#[must_use]
pub fn favour(score: f64) -> f64 {
    const HALF_WAY: f64 = 10.0;
    let neutral = crate::schedule::NEUTRAL_POPULARITY;
    let score = score.max(0.0);
    neutral + (1.0 - neutral) * score / (score + HALF_WAY)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn channels(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn scores_count_fade_and_are_forgotten() {
        let mut popularity = Popularity::default();
        popularity.decay(3_600.0, 1_000);
        popularity.hit(&channels(&["a", "b"]));
        popularity.hit(&channels(&["b"]));
        assert_eq!(popularity.top(9), [("b".to_owned(), 2.0), ("a".to_owned(), 1.0)]);
        popularity.decay(3_600.0, 1_000 + 3_600);
        assert_eq!(popularity.top(1), [("b".to_owned(), 1.0)]);
        // 2 · 0.5^(5 h) = 0.0625 stays, 1 · 0.5^(5 h) = 0.03125 goes.
        popularity.decay(3_600.0, 1_000 + 5 * 3_600);
        assert_eq!(popularity.top(9), [("b".to_owned(), 0.0625)]);
    }

    #[test]
    fn a_clock_that_goes_back_raises_no_score() {
        let mut popularity = Popularity::default();
        popularity.decay(3_600.0, 10_000);
        popularity.hit(&channels(&["a"]));
        popularity.decay(3_600.0, 0);
        assert_eq!(popularity.top(9), [("a".to_owned(), 1.0)]);
    }

    #[test]
    fn favour_goes_from_neutral_towards_one() {
        for (score, expected) in [(0.0, 0.5), (10.0, 0.75), (90.0, 0.95), (-1.0, 0.5)] {
            assert!((favour(score) - expected).abs() < 1e-12, "{score}");
        }
    }
}
