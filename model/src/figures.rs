//! What is counted over a board, beside its ranking.

use serde::{Deserialize, Serialize};

use crate::{EventId, ItemId, NewsroomId, SourceId, Tempo, UnixSeconds};

/// A word that several events of a board turn on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Topic {
    /// The word's stem and its language, such as `povod-cs`: the topic's name in addresses.
    pub key: String,
    /// As it is most often written.
    pub word: String,
    pub language: String,
    /// In the board's order.
    pub events: Vec<EventId>,
}

/// A video and how fast it is being watched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Video {
    pub item: ItemId,
    pub newsroom: NewsroomId,
    pub source: SourceId,
    pub title: String,
    pub link: String,
    pub language: String,
    pub mention_at: UnixSeconds,
    /// The newest count, and when it was read.
    pub views: i64,
    pub measured_at: UnixSeconds,
    /// How often the counter was read.
    pub measurements: u32,
    /// `None` where it was read only once.
    pub tempo: Option<Tempo>,
}

/// What a party, a newsroom or an owner, did among the events of a period that two or more parties
/// share.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Shared events that it had an item of.
    pub events: u32,
    /// Shared events that it could have had: those in its languages, and those that it had.
    pub possible: u32,
    /// Of `events`, those in which its own time and the first one are known, not merely bounded.
    pub timed: u32,
    /// Of `timed`, those in which none was before it.
    pub first: u32,
    /// Median time behind the first, over the `timed` in which it was not first.
    pub median_lag_seconds: Option<i64>,
    /// Of `events`, those in which all its texts are copies of texts that others had before.
    pub copies: u32,
}

impl Figures {
    /// Share of the possible events that it had, in [0, 1]; `None` when there was none.
    #[must_use]
    pub fn coverage(&self) -> Option<f64> {
        share(self.events, self.possible)
    }

    /// Share of its events in which it only copied, in [0, 1].
    #[must_use]
    pub fn copy_share(&self) -> Option<f64> {
        share(self.copies, self.events)
    }

    /// Share of the timed events in which it was first, in [0, 1].
    #[must_use]
    pub fn first_share(&self) -> Option<f64> {
        share(self.first, self.timed)
    }
}

fn share(part: u32, whole: u32) -> Option<f64> {
    (whole > 0).then(|| f64::from(part) / f64::from(whole))
}

/// The newsrooms of one owner; of an unknown owner, one newsroom.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Party {
    pub owner: Option<String>,
    pub newsrooms: Vec<NewsroomId>,
}

/// One newsroom among the others: what it lacks, and when it had what it had.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Desk {
    /// Events that enough others have and it does not, in the board's order.
    pub missing: Vec<EventId>,
    /// Where it was first, the longest lead first.
    pub first: Vec<Pace>,
    /// Where others were before it, the longest lag first.
    pub late: Vec<Pace>,
    /// Events that it shares, but in which its own time or the first one is only bounded.
    pub untimed: u32,
}

/// How a newsroom stood in time in an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pace {
    pub event: EventId,
    /// From its mention to the second newsroom's where it was first, else behind the first.
    pub seconds: i64,
}
