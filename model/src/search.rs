//! What a search finds.

use serde::{Deserialize, Serialize};

use crate::{EventId, ItemId, NewsroomId, UnixSeconds};

/// One page of the events that a search found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Found {
    /// Events found, on all pages.
    pub total: u32,
    /// Set where more items match than are ranked: so many of the newest were.
    pub capped: Option<u32>,
    /// Folded beginnings of words that were looked for.
    pub stems: Vec<String>,
    pub events: Vec<FoundEvent>,
}

/// An event, of now or of the past, with the items that match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FoundEvent {
    pub event: EventId,
    pub title: String,
    pub newsrooms: u32,
    pub first_at: UnixSeconds,
    pub last_at: UnixSeconds,
    /// Items that match, also those not listed.
    pub matches: u32,
    /// The best few.
    pub items: Vec<FoundItem>,
}

/// An item in the wording that matches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FoundItem {
    pub item: ItemId,
    pub newsroom: NewsroomId,
    pub title: String,
    pub lede: String,
    pub link: String,
    pub language: String,
    pub mention_at: UnixSeconds,
}
