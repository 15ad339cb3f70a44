//! Readers' feeds: the pages of the chosen channels, ranked off the runtime's threads.

use std::collections::HashSet;

use app::{FeedQuery, Locale};
use axum::http::Uri;
use bytes::Bytes;
use engine::feed::page::Page as Parts;
use engine::feed::{rank, view};
use ingest::cpu;
use ingest::pages::Page;
use model::{ChannelFailure, FeedParams, RankedFeed, UnixSeconds};
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use tokio::sync::Semaphore;

use crate::error::{ApiError, within};
use crate::state::AppState;

/// Freshness is computed for full minutes, so that all who ask the same within one get the same.
pub const MINUTE_SECONDS: i64 = 60;
/// So many rankings may be under way or wait for a processor: what comes on top would wait longer than
/// its reader does.
const RANKINGS: usize = 128;
/// Memory for ranked feeds, in bytes.
const KEPT_BYTES: u64 = 32 << 20;

/// Ranked feeds, kept while neither the minute nor a page in them changes, and room to rank others.
pub struct Feeds {
    kept: Cache<Key, Bytes, Bytesize>,
    room: Semaphore,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    at: UnixSeconds,
    /// As JSON.
    params: String,
    /// Each channel's page by the time at which it stood.
    pages: Vec<(String, UnixSeconds)>,
}

#[derive(Clone)]
struct Bytesize;

impl Weighter<Key, Bytes> for Bytesize {
    fn weight(&self, key: &Key, feed: &Bytes) -> u64 {
        let names: usize = key.pages.iter().map(|(channel, _)| channel.len() + 32).sum();
        (key.params.len() + names + feed.len()) as u64
    }
}

impl Default for Feeds {
    fn default() -> Self {
        /// What the cache makes room for at first; it grows on.
        const FEEDS: usize = 100;
        let kept = Cache::with_weighter(FEEDS, KEPT_BYTES, Bytesize);
        Self { kept, room: Semaphore::new(RANKINGS) }
    }
}

/// A ranking as JSON, with what it lacks.
pub struct FeedJson {
    pub at: UnixSeconds,
    /// `{"channels": […], "posts": […]}`.
    pub json: Bytes,
    pub failures: Vec<ChannelFailure>,
}

impl AppState {
    /// The channels' feed as JSON. A channel that cannot be had is told of beside the others.
    ///
    /// # Errors
    ///
    /// [`ApiError::BadRequest`] when the channels are too few or too many, or a parameter is out of its
    /// range; [`ApiError::Busy`] when too many are being ranked.
    pub async fn feed_json(
        &self,
        channels: &[String],
        params: &FeedParams,
    ) -> Result<FeedJson, ApiError> {
        let Asked { channels, at } = self.asked(channels, params)?;
        self.pages.count(&channels).await;
        let (pages, failures) = self.pages.of(&channels).await;
        let failed: HashSet<&str> = failures.iter().map(|failure| &*failure.channel).collect();
        let found = channels.iter().filter(|channel| !failed.contains(channel.as_str()));
        let key = Key {
            at,
            params: serde_json::to_string(params).unwrap_or_default(),
            pages: found.cloned().zip(pages.iter().map(|page| page.at)).collect(),
        };
        let place = match self.feeds.kept.get_value_or_guard_async(&key).await {
            Ok(json) => return Ok(FeedJson { at, json, failures }),
            Err(place) => place,
        };
        let _room = self.feeds.room.try_acquire().map_err(|_| ApiError::Busy)?;
        let params = params.clone();
        let json = cpu::run(move || rank(&parts(&pages), &params, at).to_json()).await;
        let json = Bytes::from(json.ok_or(ApiError::Feed)?);
        // Losing the place would only mean that the next question ranks again.
        let _ = place.insert(json.clone());
        Ok(FeedJson { at, json, failures })
    }

    /// The channels' feed as a reader sees it. A channel that cannot be had is told of beside the others.
    ///
    /// # Errors
    ///
    /// [`ApiError::BadRequest`] when the channels are too few or too many, or a parameter is out of its
    /// range; [`ApiError::Busy`] when too many are being ranked.
    pub async fn feed(
        &self,
        channels: &[String],
        params: &FeedParams,
    ) -> Result<RankedFeed, ApiError> {
        let Asked { channels, at } = self.asked(channels, params)?;
        self.pages.count(&channels).await;
        let (pages, failures) = self.pages.of(&channels).await;
        let _room = self.feeds.room.try_acquire().map_err(|_| ApiError::Busy)?;
        let params = params.clone();
        let ranked = cpu::run(move || view(&parts(&pages), &params, at, failures)).await;
        ranked.ok_or(ApiError::Feed)
    }

    /// Counts the channels of a page or a feed that was answered from what is kept, if it was made of some.
    pub async fn count_again(&self, uri: &Uri) {
        if matches!(Locale::strip(uri.path()), "/feed" | "/feed.atom" | "/feed.json") {
            let asked = FeedQuery::of_address(uri.query().unwrap_or_default());
            self.pages.count(&asked.channels).await;
        }
    }

    fn asked(&self, channels: &[String], params: &FeedParams) -> Result<Asked, ApiError> {
        let FeedParams { half_life_hours, diversity, collapse: _, limit, language } = params;
        within("number of channels", channels.len(), FeedParams::CHANNELS)?;
        within("half_life_hours", *half_life_hours, FeedParams::HALF_LIFE_HOURS)?;
        within("diversity", *diversity, FeedParams::DIVERSITY)?;
        within("limit", *limit, FeedParams::LIMIT)?;
        if let Some(code) = language.as_ref().filter(|code| !FeedParams::is_language(code)) {
            let code: String = code.chars().take(20).collect();
            return Err(ApiError::BadRequest(format!(
                "language is {code:?}, and must be two or three lower-case letters, such as \"cs\""
            )));
        }
        let mut seen = HashSet::new();
        let channels = channels.iter().filter(|channel| seen.insert(channel.as_str()));
        let now = self.pages.line().clock().now();
        Ok(Asked {
            channels: channels.cloned().collect(),
            at: now - now.rem_euclid(MINUTE_SECONDS),
        })
    }
}

/// A question that can be answered.
struct Asked {
    /// Each once.
    channels: Vec<String>,
    at: UnixSeconds,
}

fn parts(pages: &[Page]) -> Vec<&Parts<'_>> {
    pages.iter().map(Page::parts).collect()
}
