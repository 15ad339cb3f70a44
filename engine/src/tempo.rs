//! Tempo of a video: views per hour.

use model::{Tempo, UnixSeconds};

use crate::hours;

/// Platforms count in batches: over a shorter time the difference is chance.
const RELIABLE_HOURS: f64 = 1.0;

/// The tempo at `at` from view counts with their times, in any order.
///
/// The newest count is held against the latest one that is at least an hour older. Where none is,
/// against the oldest there is, and the tempo is unreliable; `None` where there is only one moment.
/// A counter that stands still gives 0, one that falls a negative tempo.
#[must_use]
pub fn tempo(counts: &[(UnixSeconds, i64)], at: UnixSeconds) -> Option<Tempo> {
    let known = || counts.iter().copied().filter(|(time, _)| *time <= at);
    let (now, views) = known().max()?;
    let against = |reliable: bool| {
        move |(time, count): (UnixSeconds, i64)| {
            let hours = hours(time, now);
            let per_hour = (views as f64 - count as f64) / hours;
            Tempo { per_hour, hours, reliable }
        }
    };
    known()
        .filter(|(time, _)| hours(*time, now) >= RELIABLE_HOURS)
        .max()
        .map(against(true))
        .or_else(|| known().filter(|(time, _)| *time < now).min().map(against(false)))
}
