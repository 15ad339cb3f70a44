//! The videos of a window and their tempo.

use model::{ItemHistory, SECONDS_PER_HOUR, SourceId, SourcePolls, UnixSeconds, Video, Window};
use rustc_hash::FxHashMap;

use crate::tempo;

/// Items with a view counter as it was known at `at`, fastest first; those whose tempo is not known
/// follow, newest first.
#[must_use]
pub fn videos(window: &Window, at: UnixSeconds, window_hours: f64) -> Vec<Video> {
    let polls: FxHashMap<SourceId, &SourcePolls> =
        window.sources.iter().map(|source| (source.source, source)).collect();
    let from = at.saturating_sub((window_hours * SECONDS_PER_HOUR as f64) as i64);
    let mut videos: Vec<Video> = window
        .items
        .iter()
        .filter(|item| from < item.mention_at && item.mention_at <= at)
        .filter_map(|item| video(item, at, &polls))
        .collect();
    videos.sort_by(|a, b| {
        let pace = |video: &Video| video.tempo.map_or(f64::NEG_INFINITY, |tempo| tempo.per_hour);
        pace(b)
            .total_cmp(&pace(a))
            .then_with(|| b.mention_at.cmp(&a.mention_at))
            .then_with(|| a.item.cmp(&b.item))
    });
    videos
}

/// `None` for an item without a counter. A listing that was confirmed is a measurement as well: its
/// counter stood still.
fn video(
    item: &ItemHistory,
    at: UnixSeconds,
    polls: &FxHashMap<SourceId, &SourcePolls>,
) -> Option<Video> {
    let text = item.texts.iter().rfind(|text| text.at <= at)?;
    let mut counts: Vec<(UnixSeconds, i64)> = Vec::new();
    let mut newest: Option<(UnixSeconds, SourceId)> = None;
    for sighting in item.sightings.iter().filter(|sighting| sighting.from <= at) {
        let Some(views) = sighting.views else { continue };
        let until = sighting.until.min(at);
        let known = polls.get(&sighting.source).map_or(&[][..], |source| &source.polls);
        let confirmed = known.iter().filter(|&&poll| sighting.from < poll && poll <= until);
        counts.push((sighting.from, views));
        counts.extend(confirmed.map(|&poll| (poll, views)));
        newest = newest.max(counts.last().map(|&(time, _)| (time, sighting.source)));
    }
    let &(measured_at, views) = counts.iter().max()?;
    Some(Video {
        item: item.id,
        newsroom: item.newsroom,
        source: newest?.1,
        title: text.title.clone(),
        link: item.link.clone(),
        language: item.language.clone(),
        mention_at: item.mention_at,
        views,
        measured_at,
        measurements: counts.len() as u32,
        tempo: tempo(&counts, at),
    })
}
