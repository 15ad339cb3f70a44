//! The refresher: keeps the most popular channels' pages fresh, in one instance at a time.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use model::UnixSeconds;
use tokio::sync::watch;
use tokio::time::Instant;
use tracing::info;

use crate::pages::Pages;
use crate::poll::Line;
use crate::popularity::favour;
use crate::schedule::stopped;
use crate::shared::{Lead, Shared};

/// How often it looks whether a page is due.
const TICK: Duration = Duration::from_secs(5);
/// How often scores fade.
const FADE_SECONDS: i64 = 60;
/// So that readers' own requests find the way to the channels free.
const CONCURRENT_REFRESHES: usize = 16;

/// How the most popular channels are refreshed.
#[derive(Clone, Copy, Debug)]
pub struct Refreshing {
    /// So many channels.
    pub top: usize,
    pub min_seconds: i64,
    pub max_seconds: i64,
}

impl Refreshing {
    /// clamp(max / (1 + score), min, max): asked for twenty times in a half-life and with limits of half
    /// a minute and ten minutes, a page is refreshed twice a minute.
    #[must_use]
    pub fn interval_seconds(&self, score: f64) -> i64 {
        let interval = self.max_seconds as f64 / (1.0 + score.max(0.0));
        (interval as i64).max(self.min_seconds).min(self.max_seconds)
    }

    /// Refreshes whenever this instance leads, until `stop` turns true; then the lead is given away
    /// at once.
    pub async fn until(self, pages: Arc<Pages>, mut stop: watch::Receiver<bool>) {
        let token = format!("{:032x}", rand::random::<u128>());
        let mut under_way = FuturesUnordered::new();
        let mut taken = HashSet::new();
        let mut leads = false;
        let mut looks_at = Instant::now();
        let mut faded_at = None;
        loop {
            tokio::select! {
                biased;
                () = stopped(&mut stop) => break,
                Some(channel) = under_way.next(), if !under_way.is_empty() => {
                    taken.remove(&channel);
                    continue;
                }
                () = tokio::time::sleep_until(looks_at) => {}
            }
            let lead = pages.shared().lead(&token).await;
            looks_at = Instant::now()
                + match lead {
                    Lead::Ours => TICK,
                    // The lead of one that died is taken up at the moment at which it ends.
                    Lead::Another(ends_in) => ends_in.min(TICK),
                };
            let led = std::mem::replace(&mut leads, lead == Lead::Ours);
            if led != leads {
                info!(leads, "the refresher's lead changed hands");
            }
            if !leads {
                continue;
            }
            let now = pages.line().clock().now();
            if faded_at.is_none_or(|at| now - at >= FADE_SECONDS) {
                pages.shared().decay(now).await;
                faded_at = Some(now);
            }
            for channel in self.due(&pages, now).await {
                if under_way.len() < CONCURRENT_REFRESHES && taken.insert(channel.clone()) {
                    let pages = Arc::clone(&pages);
                    under_way.push(async move {
                        pages.refresh(&channel).await;
                        channel
                    });
                }
            }
        }
        pages.shared().release(&token).await;
        while under_way.next().await.is_some() {}
    }

    /// Channels whose pages are due, the most popular first.
    async fn due(self, pages: &Pages, now: UnixSeconds) -> Vec<String> {
        let mut due = Vec::new();
        for (channel, score) in pages.shared().top(self.top).await {
            let at = pages.refreshed_at(&channel).await;
            if at.is_none_or(|at| now - at >= self.interval_seconds(score)) {
                due.push(channel);
            }
        }
        due
    }
}

/// Has the line ask popular sources more often, until `stop` turns true.
pub async fn favour_until(line: &Line, shared: &Shared, mut stop: watch::Receiver<bool>) {
    const EVERY: Duration = Duration::from_secs(60);
    const SOURCES: usize = 1_000;
    while !*stop.borrow() {
        let top = shared.top(SOURCES).await;
        line.favour(top.into_iter().map(|(source, score)| (source, favour(score))).collect());
        // Running out of time is the normal case.
        let _: Result<_, _> = tokio::time::timeout(EVERY, stopped(&mut stop)).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_more_popular_the_sooner() {
        let refreshing = Refreshing { top: 9, min_seconds: 30, max_seconds: 600 };
        for (score, expected) in [(0.0, 600), (1.0, 300), (19.0, 30), (20.0, 30), (1e9, 30)] {
            assert_eq!(refreshing.interval_seconds(score), expected, "{score}");
        }
    }
}
