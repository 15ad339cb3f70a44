//! A playlist of YouTube, polled through the API: permit → listing → parse → observe.

use std::time::Instant;

use model::{Outcome, UnixSeconds};
use sha2::{Digest, Sha256};
use store::{FetchRow, NextState, SourceState};
use tracing::debug;
use url::Url;

use super::{Line, PollError, failure_row, hex};
use crate::cpu;
use crate::gate::Answer;
use crate::observe::{Appended, Seen, observe};
use crate::schedule::{Hints, MAX_DELAY_SECONDS, MIN_DELAY_SECONDS, delay_after_failure};
use crate::youtube::{ApiError, Listing, Youtube, quota_day};

/// The API, asked for one playlist at a time, and until when it is left alone.
pub(super) struct Channels {
    pub youtube: Youtube,
    pub free_at: tokio::sync::Mutex<UnixSeconds>,
}

impl Line {
    /// Without a key, and when the day's units are used up, it is put off.
    pub(super) async fn poll_playlist(
        &self,
        state: &SourceState,
        playlist: &str,
        now: UnixSeconds,
    ) -> Result<(), PollError> {
        let source = state.source.id;
        let Some(Channels { youtube, free_at }) = &self.channels else {
            self.store.claim(source, now + self.interval_seconds.max(MIN_DELAY_SECONDS)).await?;
            return Ok(());
        };
        let url = youtube.address(playlist);
        // Held until the listing is on record: the units are counted there.
        let mut free_at = free_at.lock().await;
        let (day, next_day) = quota_day(now);
        let listings = self.store.video_requests_since(youtube.endpoint(), day).await?;
        if !youtube.affords(listings) {
            *free_at = next_day;
        }
        if *free_at > now {
            self.store.claim(source, *free_at).await?;
            return Ok(());
        }

        let Answer { permit, .. } = self.gate.agreed(source, &url, now);
        let Some(permit) = permit else { return Ok(()) };
        let check = permit.check();
        let started = Instant::now();
        let listing = youtube.listing(&*self.web, permit).await;
        let elapsed_ms = started.elapsed().as_millis() as i64;
        let row = FetchRow { check, ..failure_row(url.as_str(), String::new(), elapsed_ms) };
        let mut seen = match listing {
            Ok(listing) => self.listed(state, youtube, &url, listing, row, now).await,
            Err(error) => {
                let exceeded = matches!(error, ApiError::QuotaExceeded);
                *free_at = if exceeded { next_day } else { now };
                let row = FetchRow { status: error.status(), ..row };
                failed(state, row, &error.to_string(), (*free_at).max(now))
            }
        };
        seen.checks = self.gate.unrecorded(source);
        let Appended { new_items, checks } = observe(&self.store, state, now, seen).await?;
        self.gate.recorded(source, &checks);
        debug!(source = state.source.slug, new_items, elapsed_ms, "polled");
        Ok(())
    }

    async fn listed(
        &self,
        state: &SourceState,
        youtube: &Youtube,
        url: &Url,
        listing: Listing,
        row: FetchRow,
        now: UnixSeconds,
    ) -> Seen {
        let digest =
            listing.parts().iter().fold(Sha256::new(), |digest, part| digest.chain_update(part));
        let sha256 = hex(&digest.finalize());
        let bytes = listing.parts().iter().map(|part| part.len() as i64).sum();
        let row = FetchRow { status: Some(200), bytes, ..row };
        let interval =
            youtube.interval_seconds(self.configured().playlists).max(self.interval_seconds);
        let interval = interval.clamp(MIN_DELAY_SECONDS, MAX_DELAY_SECONDS);
        let next = NextState { next_check_at: now + interval, ..NextState::default() };
        if let Some(known) = state.listing.as_ref().filter(|known| known.sha256 == sha256) {
            let (outcome, same_as) = (Outcome::Unchanged, Some(known.fetch));
            return Seen::of(FetchRow { outcome, same_as, error: None, ..row }, next);
        }
        let context = self.context(state, url.clone());
        match cpu::run(move || listing.parse(&context)).await {
            Some(Ok(parsed)) => {
                let row = FetchRow {
                    outcome: Outcome::Listed,
                    items: parsed.entries.len() as u32,
                    defects: parsed.defects,
                    sha256: Some(sha256),
                    error: None,
                    ..row
                };
                Seen { entries: parsed.entries, ..Seen::of(row, next) }
            }
            Some(Err(error)) => failed(state, row, &error.to_string(), now),
            None => failed(state, row, "the parser gave up on it", now),
        }
    }
}

/// Asked again after the usual delay, and not before `soonest`.
fn failed(state: &SourceState, row: FetchRow, error: &str, soonest: UnixSeconds) -> Seen {
    let failures = state.failures + 1;
    let delay = delay_after_failure(state.source.id, Hints::default(), failures);
    let next = NextState { next_check_at: soonest + delay, failures, ..NextState::default() };
    Seen::of(FetchRow { error: Some(error.to_owned()), ..row }, next)
}
