//! Channels of YouTube, through its Data API: a playlist's newest videos and their counters (see
//! `docs/video.md`). robots.txt keeps crawlers from the channels' feeds; the API is what their
//! publisher offers instead, under terms that the operator accepts with a key.

use std::fmt;

use bytes::Bytes;
use chrono::{DateTime, Days, NaiveTime, TimeZone};
use chrono_tz::America::Los_Angeles;
use model::UnixSeconds;
use serde::Deserialize;
use url::Url;

use crate::gate::Permit;
use crate::parse::{self, NotAFeed, Parsed};
use crate::web::{Limit, MAX_BODY_BYTES, Request, Web, WebError};

/// Where the API is.
pub const BASE: &str = "https://www.googleapis.com/youtube/v3/";
/// What a project may use in a day unless it was granted more.
pub const DAILY_UNITS: u32 = 10_000;
/// What one listing costs: `playlistItems.list` and `videos.list`, one unit each.
pub const UNITS_PER_LISTING: u32 = 2;
/// Videos of one listing: the most that either call takes.
const MAX_VIDEOS: &str = "50";

/// The operator's access to the API.
#[derive(Clone, Debug)]
pub struct Youtube {
    /// `playlistItems.list` and `videos.list`.
    items: Url,
    videos: Url,
    key: Key,
    daily_units: u32,
}

/// Sent in a header and nowhere else, so that no address, log or record can hold it.
#[derive(Clone)]
struct Key(String);

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

/// A playlist's listing as the API gave it.
#[derive(Clone, Debug)]
pub struct Listing {
    playlist: Bytes,
    videos: Bytes,
}

/// Why the API gave no listing.
#[derive(Debug, thiserror::Error)]
pub enum ApiError {
    #[error(transparent)]
    Web(#[from] WebError),
    #[error("the API's units of this day are used up")]
    QuotaExceeded,
    #[error("the API answers {status}{}", .reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default())]
    Status { status: u16, reason: Option<String> },
    #[error(transparent)]
    Unreadable(#[from] NotAFeed),
}

impl ApiError {
    /// HTTP status of the answer, when one came that was an error.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::QuotaExceeded => Some(403),
            Self::Status { status, .. } => Some(*status),
            Self::Web(_) | Self::Unreadable(_) => None,
        }
    }
}

/// The playlist that an address of YouTube shows: `https://www.youtube.com/playlist?list=…`.
#[must_use]
pub fn playlist(url: &Url) -> Option<String> {
    let host = url.host_str()?;
    let is_playlist = host.strip_prefix("www.").unwrap_or(host) == "youtube.com"
        && url.path().trim_end_matches('/') == "/playlist";
    let list =
        url.query_pairs().find(|(name, _)| name == "list").map(|(_, list)| list.into_owned());
    list.filter(|list| is_playlist && !list.is_empty())
}

impl Youtube {
    /// `base` is the API's address, [`BASE`] but for tests.
    ///
    /// # Errors
    ///
    /// When it cannot be a base of addresses.
    pub fn new(base: &str, key: String, daily_units: u32) -> Result<Self, url::ParseError> {
        let base = Url::parse(&format!("{}/", base.trim_end_matches('/')))?;
        let (items, videos) = (base.join("playlistItems")?, base.join("videos")?);
        Ok(Self { items, videos, key: Key(key), daily_units })
    }

    /// What the address of every listing begins with.
    #[must_use]
    pub fn endpoint(&self) -> &str {
        self.items.as_str()
    }

    /// Where a playlist is asked for; it holds no key.
    #[must_use]
    pub fn address(&self, playlist: &str) -> Url {
        let mut url = self.items.clone();
        url.query_pairs_mut()
            .append_pair("part", "snippet,contentDetails")
            .append_pair("maxResults", MAX_VIDEOS)
            .append_pair("playlistId", playlist);
        url
    }

    /// Listings that the day's units still pay for when `listings` were asked for since its start.
    #[must_use]
    pub fn affords(&self, listings: i64) -> bool {
        (listings + 1).saturating_mul(UNITS_PER_LISTING.into()) <= self.daily_units.into()
    }

    /// Seconds between two listings of one playlist with which the units of a day are enough for all.
    #[must_use]
    pub fn interval_seconds(&self, playlists: usize) -> i64 {
        let listings = i64::from((self.daily_units / UNITS_PER_LISTING).max(1));
        (86_400 * playlists as i64 + listings - 1) / listings
    }

    /// Asks for what `permit` allows, a playlist's newest videos, and for their counters.
    ///
    /// # Errors
    ///
    /// Every answer but 200, none, and one that is no list.
    pub async fn listing(&self, web: &dyn Web, permit: Permit) -> Result<Listing, ApiError> {
        let playlist = self.get(web, permit.url().clone()).await?;
        let ids = parse::youtube::ids(&playlist)?.join(",");
        let mut url = self.videos.clone();
        url.query_pairs_mut().append_pair("part", "statistics").append_pair("id", &ids);
        let videos = match ids.is_empty() {
            true => Bytes::from_static(b"{\"items\":[]}"),
            false => self.get(web, url).await?,
        };
        Ok(Listing { playlist, videos })
    }

    async fn get(&self, web: &dyn Web, url: Url) -> Result<Bytes, ApiError> {
        let headers = vec![
            ("accept".to_owned(), "application/json".to_owned()),
            ("x-goog-api-key".to_owned(), self.key.0.clone()),
        ];
        let request = Request { url, headers, limit: Limit::Refuse(MAX_BODY_BYTES) };
        let answer = web.get(&request).await?;
        match answer.status {
            200 => Ok(answer.body),
            status => Err(match reason(&answer.body) {
                Some(reason) if reason == "quotaExceeded" || reason == "dailyLimitExceeded" => {
                    ApiError::QuotaExceeded
                }
                reason => ApiError::Status { status, reason },
            }),
        }
    }
}

impl Listing {
    /// The answers, one after the other.
    pub fn parts(&self) -> [&Bytes; 2] {
        [&self.playlist, &self.videos]
    }

    /// # Errors
    ///
    /// When an answer is no list.
    pub fn parse(&self, context: &parse::Context) -> Result<Parsed, NotAFeed> {
        parse::playlist(&self.playlist, &self.videos, context)
    }
}

/// The word that the API gives for an error: `quotaExceeded`, `playlistNotFound`, `keyInvalid`.
fn reason(body: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Answer {
        error: Errors,
    }
    #[derive(Deserialize)]
    struct Errors {
        errors: Vec<Reason>,
    }
    #[derive(Deserialize)]
    struct Reason {
        reason: String,
    }
    let answer: Answer = serde_json::from_slice(body).ok()?;
    let reason = answer.error.errors.into_iter().next()?.reason;
    let is_word = reason.len() <= 60 && reason.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_word.then_some(reason)
}

/// Start and end of the day, in Pacific time, by which the API counts units.
#[must_use]
pub fn quota_day(now: UnixSeconds) -> (UnixSeconds, UnixSeconds) {
    let utc = DateTime::from_timestamp(now, 0).unwrap_or_default();
    let day = utc.with_timezone(&Los_Angeles).date_naive();
    // Summer time begins and ends at two o'clock: there is always one midnight.
    let midnight = |day: chrono::NaiveDate| {
        let local = Los_Angeles.from_local_datetime(&day.and_time(NaiveTime::MIN));
        local.earliest().map_or(now, |at| at.timestamp())
    };
    (midnight(day), midnight(day.checked_add_days(Days::new(1)).unwrap_or(day)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_playlist_is_known_by_its_address() {
        for (url, expected) in [
            ("https://www.youtube.com/playlist?list=UUabc", Some("UUabc")),
            ("https://youtube.com/playlist/?x=1&list=UU-_", Some("UU-_")),
            ("https://www.youtube.com/playlist?list=", None),
            ("https://www.youtube.com/feeds/videos.xml?channel_id=UCabc", None),
            ("https://www.youtube.com/watch?v=1&list=UUabc", None),
            ("https://notyoutube.com/playlist?list=UUabc", None),
        ] {
            assert_eq!(playlist(&url.parse().unwrap()).as_deref(), expected, "{url}");
        }
    }

    #[test]
    fn the_units_of_a_day_are_enough_for_all() {
        let youtube = |units| Youtube::new(BASE, "secret".to_owned(), units).unwrap();
        assert!(youtube(10).affords(4));
        assert!(!youtube(10).affords(5));
        assert!(!youtube(1).affords(0));
        for (units, playlists) in [(10_000, 1), (10_000, 40), (10_000, 5_000), (3, 2), (100, 7)] {
            let interval = youtube(units).interval_seconds(playlists);
            let listings = playlists as i64 * (86_400 / interval);
            assert!(listings * 2 <= i64::from(units), "{units} {playlists}: every {interval} s");
        }
        assert_eq!(youtube(10_000).interval_seconds(40), 692);
    }

    #[test]
    fn the_key_is_in_no_address_and_no_debug_output() {
        let youtube = Youtube::new("http://127.0.0.1:1/v3", "secret".to_owned(), 1).unwrap();
        let url = youtube.address("UU a&b");
        assert_eq!(
            url.as_str(),
            "http://127.0.0.1:1/v3/playlistItems?part=snippet%2CcontentDetails&maxResults=50\
             &playlistId=UU+a%26b"
        );
        assert!(!format!("{youtube:?}").contains("secret"));
    }

    #[test]
    fn a_quota_day_is_a_pacific_day() {
        let at = |text: &str| DateTime::parse_from_rfc3339(text).unwrap().timestamp();
        for (now, start, end) in [
            ("2026-03-10T12:00:00Z", "2026-03-10T07:00:00Z", "2026-03-11T07:00:00Z"),
            ("2026-03-10T06:59:59Z", "2026-03-09T07:00:00Z", "2026-03-10T07:00:00Z"),
            ("2026-12-01T08:00:00Z", "2026-12-01T08:00:00Z", "2026-12-02T08:00:00Z"),
            // 23 and 25 hours.
            ("2026-03-08T12:00:00Z", "2026-03-08T08:00:00Z", "2026-03-09T07:00:00Z"),
            ("2026-11-01T12:00:00Z", "2026-11-01T07:00:00Z", "2026-11-02T08:00:00Z"),
        ] {
            assert_eq!(quota_day(at(now)), (at(start), at(end)), "{now}");
        }
    }

    #[test]
    fn an_error_is_told_by_its_word_alone() {
        for (body, expected) in [
            (
                r#"{"error":{"code":403,"errors":[{"reason":"quotaExceeded"}]}}"#,
                Some("quotaExceeded"),
            ),
            (r#"{"error":{"errors":[{"reason":"the key secret is wrong"}]}}"#, None),
            (r#"{"error":{"errors":[]}}"#, None),
            ("<html>", None),
        ] {
            assert_eq!(reason(body.as_bytes()).as_deref(), expected, "{body}");
        }
    }
}
