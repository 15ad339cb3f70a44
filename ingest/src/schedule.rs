//! When a source is asked again: pure arithmetic; and the loops that ask.

use std::time::Duration;

use futures::StreamExt;
use model::UnixSeconds;
use tokio::sync::watch;
use tracing::warn;

use crate::poll::Line;

pub const MIN_DELAY_SECONDS: i64 = 2 * 60;
pub const MAX_DELAY_SECONDS: i64 = 24 * 3_600;
/// First delay after a failure; it doubles with each further one.
pub const FAILURE_DELAY_SECONDS: i64 = 5 * 60;

/// Polls that are under way at once; the gate still asks each host once at a time.
const CONCURRENT_POLLS: usize = 32;

/// What an answer says about how often to ask.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hints {
    /// The feed's own `ttl`.
    pub ttl_seconds: Option<i64>,
    /// `Cache-Control: max-age`.
    pub max_age_seconds: Option<i64>,
    pub retry_after_seconds: Option<i64>,
    pub crawl_delay_seconds: Option<i64>,
}

impl Hints {
    fn longest(self) -> i64 {
        [self.ttl_seconds, self.max_age_seconds, self.retry_after_seconds, self.crawl_delay_seconds]
            .into_iter()
            .flatten()
            .max()
            .unwrap_or(0)
    }
}

/// Seconds until the next check after an answer; `interval` is asked for when nobody wants longer.
#[must_use]
pub fn delay_after_answer(hints: Hints, interval_seconds: i64) -> i64 {
    hints.longest().max(interval_seconds).clamp(MIN_DELAY_SECONDS, MAX_DELAY_SECONDS)
}

/// Seconds until the next check after `failures` failures in a row: doubling, ± 20 % by `jitter` in
/// [0, 1) so that what failed together does not come back together, never before `Retry-After`.
#[must_use]
pub fn delay_after_failure(hints: Hints, failures: u32, jitter: f64) -> i64 {
    let doubled = FAILURE_DELAY_SECONDS << failures.saturating_sub(1).min(16);
    let spread = doubled as f64 * (0.8 + 0.4 * jitter);
    hints.longest().max(spread as i64).clamp(MIN_DELAY_SECONDS, MAX_DELAY_SECONDS)
}

impl Line {
    /// Polls every source that is due. One source's failure stops no other; after `stop` none is begun.
    ///
    /// # Errors
    ///
    /// When the store cannot say what is due.
    async fn poll_due(&self, stop: impl Future<Output = ()>) -> Result<(), store::Error> {
        let due = self.store().due(self.clock().now()).await?;
        futures::stream::iter(due)
            .take_until(stop)
            .for_each_concurrent(CONCURRENT_POLLS, |state| async move {
                if let Err(error) = self.poll(&state).await {
                    warn!(source = state.source.slug, %error, "poll was not recorded");
                }
            })
            .await;
        Ok(())
    }

    /// Polls until `stop` turns true; a poll that is under way is finished first.
    pub async fn poll_until(&self, mut stop: watch::Receiver<bool>) {
        const LONGEST_SLEEP: Duration = Duration::from_secs(5);
        while !*stop.borrow() {
            let mut stopping = stop.clone();
            if let Err(error) = self.poll_due(stopped(&mut stopping)).await {
                warn!(%error, "cannot poll; trying again");
            }
            // Running out of time is the normal case.
            let _: Result<_, _> = tokio::time::timeout(LONGEST_SLEEP, stopped(&mut stop)).await;
        }
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
        const TICK_SECONDS: i64 = 5 * 60;
        let mut at = from;
        loop {
            self.clock().set(at);
            self.poll_due(std::future::pending()).await?;
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
    use super::*;

    #[test]
    fn an_answer_is_followed_by_the_longest_wish_within_limits() {
        let hints = |ttl, max_age, retry| Hints {
            ttl_seconds: ttl,
            max_age_seconds: max_age,
            retry_after_seconds: retry,
            crawl_delay_seconds: None,
        };
        for (hints, interval, expected) in [
            (Hints::default(), 600, 600),
            (hints(Some(3_600), Some(60), None), 600, 3_600),
            (hints(None, Some(900), Some(1_200)), 600, 1_200),
            (hints(Some(-5), None, None), 0, MIN_DELAY_SECONDS),
            (hints(Some(i64::MAX), None, None), 600, MAX_DELAY_SECONDS),
        ] {
            assert_eq!(delay_after_answer(hints, interval), expected, "{hints:?}");
        }
    }

    #[test]
    fn failures_back_off_and_stay_within_limits() {
        let none = Hints::default();
        assert_eq!(delay_after_failure(none, 1, 0.5), FAILURE_DELAY_SECONDS);
        assert_eq!(delay_after_failure(none, 3, 0.5), 4 * FAILURE_DELAY_SECONDS);
        assert_eq!(delay_after_failure(none, u32::MAX, 0.9), MAX_DELAY_SECONDS);
        assert!(delay_after_failure(none, 1, 0.0) < delay_after_failure(none, 1, 0.9));
        let told = Hints { retry_after_seconds: Some(7_200), ..none };
        assert_eq!(delay_after_failure(told, 1, 0.5), 7_200);
    }
}
