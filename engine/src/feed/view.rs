//! A feed as readers see it: owned, in the shape that pages share with the browser.

use model::{ChannelFailure, FeedEntry, FeedParams, RankedFeed, RankedPost, UnixSeconds};

use super::{Entry, Feed, Ranked, page::Page, rank};

/// Ranks the posts of some channels' pages, for readers' eyes. `failures` are the caller's to tell.
#[must_use]
pub fn view(
    pages: &[&Page<'_>],
    params: &FeedParams,
    now: UnixSeconds,
    failures: Vec<ChannelFailure>,
) -> RankedFeed {
    let Feed { channels, entries, topics, .. } = rank(pages, params, now);
    RankedFeed {
        at: now,
        channels: channels.into_iter().map(|channel| channel.username.to_string()).collect(),
        entries: entries.into_iter().map(entry).collect(),
        topics,
        failures,
    }
}

fn entry(entry: Entry<'_>) -> FeedEntry {
    FeedEntry {
        post: post(entry.ranked),
        duplicates: entry.duplicates.into_iter().map(post).collect(),
        topic: entry.topic,
    }
}

fn post(ranked: Ranked<'_>) -> RankedPost {
    RankedPost {
        channel: ranked.channel,
        id: ranked.post.id.map(plain).unwrap_or_default(),
        url: ranked.post.url.and_then(|url| serde_json::from_str(url).ok()),
        text: ranked.post.text.to_string(),
        at: ranked.post.at,
        quality: ranked.quality,
        freshness: ranked.freshness,
        score: ranked.score,
    }
}

/// A text without its quotes, and whatever else as it is written.
fn plain(json: &str) -> String {
    serde_json::from_str(json).unwrap_or_else(|_| json.to_owned())
}
