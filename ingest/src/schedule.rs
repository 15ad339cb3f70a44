//! When a source is asked again: pure arithmetic; and the loops that ask.
//!
//! The interval of a source is the longest of four wishes, held between two minutes and a day:
//!
//! ```text
//! hints       the longest of ttl, syn:updatePeriod, max-age, Retry-After and Crawl-delay
//! floor       the configured one
//! rhythm      min(mean time between two changes / 8, 6 h) · 2^(1 − 2 · popularity)
//! ```
//!
//! The mean time between changes is estimated from how often an answer differed from the one before
//! it, `seconds / (compared · ln((compared + ½) / (compared − changed + ½)))`: J. Cho, H.
//! Garcia-Molina, *Estimating frequency of change*, ACM Transactions on Internet Technology 3 (2003),
//! whose estimator holds also where a source changes more often than it is asked. Of a source that was
//! never found changed, half a change is taken to have been missed. What was compared counts half after
//! three days.
//!
//! Every source has its own slot in the cycle of its interval ([`next_slot`]), so that sources which
//! were due together, at a first start or after an outage, are spread over the cycle from then on.

use std::collections::{HashSet, VecDeque};
use std::time::Duration;

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use model::{SourceId, UnixSeconds};
use store::{Rhythm, SourceState};
use tokio::sync::watch;
use tokio::time::MissedTickBehavior;
use tracing::warn;

use crate::poll::Line;

pub const MIN_DELAY_SECONDS: i64 = 2 * 60;
pub const MAX_DELAY_SECONDS: i64 = 24 * 3_600;
/// First delay after a failure; it doubles with each further one.
pub const FAILURE_DELAY_SECONDS: i64 = 5 * 60;
/// A source of which nobody knows how popular it is, in [0, 1].
pub const NEUTRAL_POPULARITY: f64 = 0.5;

/// A source of neutral popularity is asked so often between two of its changes.
const CHECKS_PER_CHANGE: f64 = 8.0;
/// However quiet a source is, a burst must not run through its listing unseen.
const QUIET_SECONDS: f64 = 6.0 * 3_600.0;
/// What was compared counts half after this time.
const HALF_LIFE_SECONDS: f64 = 3.0 * 24.0 * 3_600.0;
/// A cycle is longer than the interval by at least this share: a source that is asked late by less
/// keeps its slot.
const SLACK: f64 = 0.1;
/// Cycles are rungs of a ladder with this ratio, so that they, and with them the slots, seldom change.
const RUNG: f64 = 1.1;

/// Polls that are under way at once; each host is still asked once at a time.
const CONCURRENT_POLLS: usize = 32;

/// What an answer says about how often to ask.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hints {
    /// The feed's own `ttl`, or its `syn:updatePeriod`.
    pub ttl_seconds: Option<i64>,
    /// `Cache-Control: max-age`.
    pub max_age_seconds: Option<i64>,
    pub retry_after_seconds: Option<i64>,
    pub crawl_delay_seconds: Option<i64>,
}

impl Hints {
    pub(crate) fn longest(self) -> i64 {
        [self.ttl_seconds, self.max_age_seconds, self.retry_after_seconds, self.crawl_delay_seconds]
            .into_iter()
            .flatten()
            .max()
            .unwrap_or(0)
    }
}

/// All that decides how often a source is asked.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    pub hints: Hints,
    pub rhythm: Rhythm,
    /// In [0, 1].
    pub popularity: f64,
    /// No source is asked more often.
    pub floor_seconds: i64,
}

impl Pace {
    /// Seconds between two checks, at least.
    #[must_use]
    pub fn interval_seconds(&self) -> i64 {
        let favour = 2_f64.powf(1.0 - 2.0 * self.popularity.clamp(0.0, 1.0));
        let rhythm = (seconds_per_change(self.rhythm) / CHECKS_PER_CHANGE).min(QUIET_SECONDS);
        let wanted = (rhythm * favour) as i64;
        let longest = self.hints.longest().max(self.floor_seconds).max(wanted);
        longest.clamp(MIN_DELAY_SECONDS, MAX_DELAY_SECONDS)
    }
}

/// Mean time between two changes; nothing is known before answers were compared.
fn seconds_per_change(rhythm: Rhythm) -> f64 {
    let Rhythm { compared, changed, seconds } = rhythm;
    if compared <= 0.0 || seconds <= 0.0 {
        return 0.0;
    }
    let unchanged = (compared - changed.max(0.5)).max(0.0);
    seconds / (compared * ((compared + 0.5) / (unchanged + 0.5)).ln())
}

/// What is known of a source's rhythm after one more answer, `elapsed_seconds` after the one before.
#[must_use]
pub fn learn(rhythm: Rhythm, elapsed_seconds: i64, changed: bool) -> Rhythm {
    let elapsed = elapsed_seconds.max(0) as f64;
    let kept = 0.5_f64.powf(elapsed / HALF_LIFE_SECONDS);
    Rhythm {
        compared: rhythm.compared * kept + 1.0,
        changed: rhythm.changed * kept + f64::from(u8::from(changed)),
        seconds: rhythm.seconds * kept + elapsed,
    }
}

/// The source's first slot that is at least `interval_seconds` away, at most a day.
#[must_use]
pub fn next_slot(source: SourceId, now: UnixSeconds, interval_seconds: i64) -> UnixSeconds {
    let cycle = cycle_seconds(interval_seconds);
    let slot = (cycle as f64 * spread(source, 0)) as i64;
    let earliest = now + interval_seconds;
    let next = earliest + (slot - earliest).rem_euclid(cycle);
    next.min(now + MAX_DELAY_SECONDS)
}

fn cycle_seconds(interval_seconds: i64) -> i64 {
    let least = interval_seconds as f64 * (1.0 + SLACK);
    let rungs = (least / MIN_DELAY_SECONDS as f64).log(RUNG).ceil().max(0.0);
    (MIN_DELAY_SECONDS as f64 * RUNG.powf(rungs)).ceil() as i64
}

/// A number in [0, 1) of the source's own: multiples of the golden ratio fall evenly.
fn spread(source: SourceId, turn: u32) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    ((f64::from(source.0) + f64::from(turn)) * GOLDEN).rem_euclid(1.0)
}

/// Seconds until the next check after `failures` failures in a row: doubling, ± 20 % by the source so
/// that what failed together does not come back together, never before `Retry-After`.
#[must_use]
pub fn delay_after_failure(source: SourceId, hints: Hints, failures: u32) -> i64 {
    let doubled = FAILURE_DELAY_SECONDS << failures.saturating_sub(1).min(16);
    let jittered = doubled as f64 * (0.8 + 0.4 * spread(source, failures));
    hints.longest().max(jittered as i64).clamp(MIN_DELAY_SECONDS, MAX_DELAY_SECONDS)
}

impl Line {
    async fn due(&self) -> Result<Vec<SourceState>, store::Error> {
        let due = self.store().due(self.clock().now()).await?;
        if !due.is_empty() {
            self.recall_holds().await?;
        }
        Ok(due)
    }

    /// One source's failure stops no other.
    async fn poll_or_warn(&self, state: SourceState) -> SourceId {
        if let Err(error) = self.poll(&state).await {
            warn!(source = state.source.slug, %error, "poll was not recorded");
        }
        state.source.id
    }

    /// Polls until `stop` turns true; polls that are under way are finished first. A source that
    /// takes long holds nobody up but its host.
    pub async fn poll_until(&self, mut stop: watch::Receiver<bool>) {
        const TICK: Duration = Duration::from_secs(5);
        let mut ticks = tokio::time::interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut waiting = VecDeque::new();
        let mut under_way = FuturesUnordered::new();
        let mut taken = HashSet::new();
        loop {
            tokio::select! {
                biased;
                () = stopped(&mut stop) => break,
                Some(source) = under_way.next(), if !under_way.is_empty() => {
                    taken.remove(&source);
                }
                _ = ticks.tick() => match self.due().await {
                    Ok(due) => {
                        waiting = due.into_iter().filter(|state| !taken.contains(&state.source.id)).collect();
                    }
                    Err(error) => warn!(%error, "cannot ask what is due; trying again"),
                },
            }
            while under_way.len() < CONCURRENT_POLLS
                && let Some(state) = waiting.pop_front()
            {
                taken.insert(state.source.id);
                under_way.push(self.poll_or_warn(state));
            }
        }
        while under_way.next().await.is_some() {}
    }

    /// Walks the virtual clock from `from` to `to`, polling what falls due and calling `each_hour`
    /// at every full hour and at the end. Sources due within one tick are polled together.
    ///
    /// # Errors
    ///
    /// When the store fails, or what `each_hour` answers.
    pub async fn replay<E: From<store::Error>>(
        &self,
        from: UnixSeconds,
        to: UnixSeconds,
        mut each_hour: impl AsyncFnMut(UnixSeconds) -> Result<(), E>,
    ) -> Result<(), E> {
        const TICK_SECONDS: i64 = 60;
        let mut at = from;
        loop {
            self.clock().set(at);
            futures::stream::iter(self.due().await?)
                .for_each_concurrent(CONCURRENT_POLLS, async |state| {
                    self.poll_or_warn(state).await;
                })
                .await;
            if at % model::SECONDS_PER_HOUR == 0 || at == to {
                each_hour(at).await?;
            }
            if at == to {
                return Ok(());
            }
            at = ((at / TICK_SECONDS + 1) * TICK_SECONDS).min(to);
        }
    }
}

/// Returns when the flag turns true, or nobody is left who could turn it.
pub async fn stopped(stop: &mut watch::Receiver<bool>) {
    let _: Result<_, _> = stop.wait_for(|stop| *stop).await;
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const HOUR: i64 = 3_600;

    fn pace(hints: Hints, floor_seconds: i64) -> Pace {
        let rhythm = Rhythm::default();
        Pace { hints, rhythm, popularity: NEUTRAL_POPULARITY, floor_seconds }
    }

    /// The rhythm of a source that was asked every ten minutes for a week.
    fn changing_every(minutes: i64) -> Rhythm {
        (1..7 * 24 * 6).fold(Rhythm::default(), |rhythm, poll| {
            learn(rhythm, 600, poll * 10 / minutes != (poll - 1) * 10 / minutes)
        })
    }

    #[test]
    fn an_interval_is_the_longest_wish_within_limits() {
        let hints = |ttl, max_age, retry| Hints {
            ttl_seconds: ttl,
            max_age_seconds: max_age,
            retry_after_seconds: retry,
            crawl_delay_seconds: None,
        };
        for (hints, floor, expected) in [
            (Hints::default(), 600, 600),
            (hints(Some(3_600), Some(60), None), 600, 3_600),
            (hints(None, Some(900), Some(1_200)), 600, 1_200),
            (hints(Some(-5), None, None), 0, MIN_DELAY_SECONDS),
            (hints(Some(i64::MAX), None, None), 600, MAX_DELAY_SECONDS),
        ] {
            assert_eq!(pace(hints, floor).interval_seconds(), expected, "{hints:?}");
        }
    }

    #[test]
    fn the_mean_time_between_changes_is_found_though_it_is_shorter_than_the_polls() {
        for (minutes, low, high) in [(20, 12, 20), (60, 50, 60), (600, 500, 640)] {
            let found = seconds_per_change(changing_every(minutes)) / 60.0;
            assert!((f64::from(low)..=f64::from(high)).contains(&found), "{minutes}: {found}");
        }
        let always = seconds_per_change(changing_every(1));
        assert!(always < 150.0, "{always}");
    }

    #[test]
    fn quiet_sources_are_asked_less_and_popular_ones_more() {
        let of = |minutes, popularity| {
            Pace { rhythm: changing_every(minutes), popularity, ..pace(Hints::default(), 120) }
                .interval_seconds()
        };
        assert_eq!(of(5, 0.5), MIN_DELAY_SECONDS);
        assert!((60 * 60..90 * 60).contains(&of(600, 0.5)), "{}", of(600, 0.5));
        assert!(of(600, 1.0) * 2 <= of(600, 0.5) + 1);
        assert!(of(600, 0.0) >= of(600, 0.5) * 2 - 1);
        assert_eq!(of(1_000_000, 0.5), 6 * HOUR);
        let new =
            Pace { rhythm: learn(Rhythm::default(), 600, false), ..pace(Hints::default(), 0) };
        assert!(new.interval_seconds() < 300, "one look says little");
    }

    #[test]
    fn what_was_due_together_is_spread_over_the_cycle_and_stays_so() {
        let interval = 600;
        let cycle = cycle_seconds(interval);
        let sources = (1..=1_000).map(SourceId);
        let first: Vec<i64> = sources.clone().map(|id| next_slot(id, 0, interval)).collect();
        let crowds = |starts: &[i64]| {
            let mut tenths = [0; 10];
            for start in starts {
                tenths[(start.rem_euclid(cycle) * 10 / cycle) as usize] += 1;
            }
            tenths
        };
        assert!(first.iter().all(|at| (interval..interval + cycle).contains(at)));
        assert!(
            crowds(&first).iter().all(|count| (95..=105).contains(count)),
            "{:?}",
            crowds(&first)
        );
        // Asked as late as the slack allows, each comes back in its own slot.
        let late = cycle - interval;
        let second: Vec<i64> =
            sources.zip(&first).map(|(id, at)| next_slot(id, at + late, interval)).collect();
        assert!(first.iter().zip(&second).all(|(first, second)| second - first == cycle));
    }

    proptest! {
        #[test]
        fn no_source_is_asked_sooner_than_it_wants_or_later_than_a_day(
            id in 1..i32::MAX,
            now in 0..4_000_000_000_i64,
            hints in proptest::array::uniform4(proptest::option::of(any::<i64>())),
            (compared, share, seconds) in (0.0..1_000.0, 0.0..=1.0, 0.0..1e7),
            popularity in any::<f64>(),
            floor_seconds in any::<i64>(),
        ) {
            let [ttl_seconds, max_age_seconds, retry_after_seconds, crawl_delay_seconds] = hints;
            let hints = Hints { ttl_seconds, max_age_seconds, retry_after_seconds, crawl_delay_seconds };
            let rhythm = Rhythm { compared, changed: compared * share, seconds };
            let pace = Pace { hints, rhythm, popularity, floor_seconds };
            let interval = pace.interval_seconds();
            prop_assert!((MIN_DELAY_SECONDS..=MAX_DELAY_SECONDS).contains(&interval));
            prop_assert!(interval >= floor_seconds.min(MAX_DELAY_SECONDS));
            prop_assert!(interval >= hints.longest().min(MAX_DELAY_SECONDS));
            let delay = next_slot(SourceId(id), now, interval) - now;
            prop_assert!((interval..=MAX_DELAY_SECONDS).contains(&delay), "{delay} after {interval}");

            let popular = Pace { popularity: 1.0, ..pace };
            let longer = Pace { hints: Hints { ttl_seconds: Some(interval + 60), ..hints }, ..pace };
            let livelier = Pace { rhythm: Rhythm { changed: compared, ..rhythm }, ..pace };
            prop_assert!(popular.interval_seconds() <= interval);
            prop_assert!(longer.interval_seconds() >= interval);
            prop_assert!(livelier.interval_seconds() <= interval);
        }
    }

    #[test]
    fn failures_back_off_and_stay_within_limits() {
        let after =
            |source, failures| delay_after_failure(SourceId(source), Hints::default(), failures);
        assert!((1..100).all(|source| (240..=360).contains(&after(source, 1))));
        assert!((1..100).all(|source| (960..=1_440).contains(&after(source, 3))));
        assert_eq!(after(1, u32::MAX), MAX_DELAY_SECONDS);
        let apart: HashSet<i64> = (1..=100).map(|source| after(source, 3)).collect();
        assert!(apart.len() > 90, "{} delays of 100", apart.len());
        let told = Hints { retry_after_seconds: Some(7_200), ..Hints::default() };
        assert_eq!(delay_after_failure(SourceId(1), told, 1), 7_200);
    }
}
