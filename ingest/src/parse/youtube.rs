//! A playlist of YouTube's Data API, version 3: the answers of `playlistItems.list` and `videos.list`.

use std::collections::HashMap;

use serde::Deserialize;
use url::Url;

use super::{NotAFeed, Raw, RawFeed, text};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PlaylistItem {
    snippet: Snippet,
    content_details: ContentDetails,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Snippet {
    title: String,
    #[serde(default)]
    description: String,
    published_at: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ContentDetails {
    video_id: String,
    /// When the video came out; the snippet's time is when it came into the playlist.
    video_published_at: Option<String>,
}

#[derive(Deserialize)]
struct Video {
    id: String,
    #[serde(default)]
    statistics: Statistics,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Statistics {
    /// A number in a text; left out where the owner hides it.
    view_count: Option<String>,
}

#[derive(Deserialize)]
struct List<T> {
    items: Vec<T>,
}

fn list<'a, T: Deserialize<'a>>(answer: &'a [u8]) -> Result<Vec<T>, NotAFeed> {
    let list: List<T> =
        serde_json::from_slice(answer).map_err(|error| NotAFeed::Json(error.to_string()))?;
    Ok(list.items)
}

/// Ids of the videos that a playlist's answer lists.
///
/// # Errors
///
/// When it is no answer of `playlistItems.list`.
pub fn ids(playlist: &[u8]) -> Result<Vec<String>, NotAFeed> {
    let items: Vec<PlaylistItem> = list(playlist)?;
    Ok(items.into_iter().map(|item| item.content_details.video_id).collect())
}

/// The playlist's videos with their counters. One that `videos` does not know is not public.
pub(super) fn read(playlist: &[u8], videos: &[u8], base: &Url) -> Result<RawFeed, NotAFeed> {
    let videos: HashMap<String, Statistics> =
        list(videos)?.into_iter().map(|video: Video| (video.id, video.statistics)).collect();
    let items: Vec<PlaylistItem> = list(playlist)?;
    let entries = items.into_iter().filter_map(|PlaylistItem { snippet, content_details }| {
        let id = content_details.video_id;
        let statistics = videos.get(&id)?;
        let dates = [content_details.video_published_at, snippet.published_at];
        Some(Raw {
            title: text::fold(&snippet.title),
            text: text::fold(&snippet.description),
            link: Some((format!("https://www.youtube.com/watch?v={id}"), base.clone().into())),
            views: statistics.view_count.as_ref().and_then(|count| count.parse().ok()),
            // As the channel's own feed calls it.
            guid: Some(format!("yt:video:{id}")),
            dates: (0..).zip(dates).filter_map(|(rank, date)| Some((rank, date?))).collect(),
            language: None,
        })
    });
    Ok(RawFeed { entries: entries.collect(), ..RawFeed::default() })
}
