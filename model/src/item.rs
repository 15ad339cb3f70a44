use serde::{Deserialize, Serialize};

use crate::{Newsroom, NewsroomId, SourceId, UnixSeconds, id};

id!(
    /// An entry of a newsroom. Ids grow in the order in which items were first recorded.
    ItemId,
    i64
);

/// Longest description that is kept of an item, in characters.
pub const LEDE_CHARS: usize = 300;

/// Title and lede as they stood from `at` on; a later one at the same identity is a revision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ItemText {
    pub at: UnixSeconds,
    pub title: String,
    /// At most [`LEDE_CHARS`] characters; empty when the source gave none.
    pub lede: String,
}

/// A stretch of time in which one listing of a source, unchanged, held the item.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sighting {
    pub source: SourceId,
    /// The fetch that first showed this listing.
    pub from: UnixSeconds,
    /// The last fetch that confirmed the same listing (304 or identical bytes); `>= from`.
    pub until: UnixSeconds,
    /// 1 is the top of the feed.
    pub position: u32,
    /// Number of items in the listing; `>= position`.
    pub length: u32,
    /// View counter at `from`, where the source gives one.
    pub views: Option<i64>,
}

/// Everything known of one item, ready to be looked at from any moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ItemHistory {
    pub id: ItemId,
    pub newsroom: NewsroomId,
    pub link: String,
    /// ISO 639-1, of the item, else of its source, else detected.
    pub language: String,
    /// The claimed time, held between what is known (see `ingest::observe`).
    pub mention_at: UnixSeconds,
    /// Found at a source's first fetch: only the upper bound of `mention_at` is known.
    pub backfill: bool,
    /// Never empty, ascending by `at`.
    pub texts: Vec<ItemText>,
    /// Never empty, ascending by `from`.
    pub sightings: Vec<Sighting>,
}

/// When a source was asked and answered, whether or not its listing had changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SourcePolls {
    pub source: SourceId,
    pub newsroom: NewsroomId,
    /// Ascending.
    pub polls: Vec<UnixSeconds>,
}

/// All that a board is computed from. It may hold more than a board at `at` may use.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Window {
    pub newsrooms: Vec<Newsroom>,
    pub sources: Vec<SourcePolls>,
    pub items: Vec<ItemHistory>,
}

/// How fast a video is being watched.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tempo {
    /// Views per hour; 0 for a counter that stands still, negative for one that fell.
    pub per_hour: f64,
    /// Hours between the two measurements.
    pub hours: f64,
    /// The measurements lie at least one hour apart.
    pub reliable: bool,
}
