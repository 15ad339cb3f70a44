use serde::{Deserialize, Serialize};

use crate::{HeatParams, ItemId, NewsroomId, SourceId, UnixSeconds, id};

id!(
    /// The id of the event's earliest recorded item. Never reused; younger ids redirect to older.
    EventId,
    i64
);

/// The ranked list of events at one moment under one model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Board {
    pub at: UnixSeconds,
    /// Name of the model.
    pub model: String,
    /// Hottest first; events of one newsroom have heat 0 and follow, newest mention first.
    pub events: Vec<Event>,
}

/// A group of items about the same happening.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Event {
    pub id: EventId,
    /// Title of the item that is most like all the others; of the earliest among equals.
    pub title: String,
    /// Language of most items.
    pub language: String,
    /// One per newsroom, in order of time.
    pub mentions: Vec<Mention>,
    /// In order of mention.
    pub items: Vec<EventItem>,
    /// Number of distinct owners; a newsroom of unknown owner is its own.
    pub owners: u32,
    /// Number of distinct texts (origins).
    pub texts: u32,
    /// Hours from the first to the last newsroom's mention, without the floor.
    pub spread_hours: f64,
    pub factors: Factors,
    pub heat: f64,
}

impl Event {
    /// The headline figure.
    #[must_use]
    pub fn newsrooms(&self) -> u32 {
        self.mentions.len() as u32
    }

    /// The first newsroom's mention; 0 for an event without any.
    #[must_use]
    pub fn first_mention(&self) -> UnixSeconds {
        self.mentions.first().map_or(0, |mention| mention.at)
    }

    /// The last newsroom's mention; 0 for an event without any.
    #[must_use]
    pub fn last_mention(&self) -> UnixSeconds {
        self.mentions.last().map_or(0, |mention| mention.at)
    }
}

/// The first time that a newsroom is known to have an item of the event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Mention {
    pub newsroom: NewsroomId,
    pub item: ItemId,
    pub at: UnixSeconds,
    /// The newsroom's weight in breadth.
    pub weight: f64,
    /// Only the upper bound of `at` is known.
    pub backfill: bool,
    /// Highest place that the newsroom gave an item of the event.
    pub best_position: u32,
    /// Length of the listing in which it had that place.
    pub feed_length: u32,
    /// Mean time that the newsroom's items of the event have stood in its feeds.
    pub standing_hours: f64,
    /// All its texts are copies of a text that another newsroom had before.
    pub copy: bool,
}

impl Mention {
    /// 1 at the top of the feed, towards 0 at its end: 1 − (best position − 1) / feed length.
    #[must_use]
    pub fn priority(&self) -> f64 {
        1.0 - f64::from(self.best_position.saturating_sub(1)) / f64::from(self.feed_length.max(1))
    }
}

/// An item in its event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct EventItem {
    pub id: ItemId,
    pub newsroom: NewsroomId,
    pub title: String,
    pub lede: String,
    pub link: String,
    pub language: String,
    pub mention_at: UnixSeconds,
    /// Number of the item's distinct text within the event, from 0 in order of time.
    pub origin: u32,
    /// The text repeats an earlier item's of this event.
    pub copy: bool,
    /// Place in the feed over time, one stretch per listing.
    pub places: Vec<Place>,
    /// Its strongest tie to another item of the event; `None` when it stands alone.
    pub tie: Option<Tie>,
}

/// A place held in a feed for a stretch of time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Place {
    pub source: SourceId,
    pub from: UnixSeconds,
    pub until: UnixSeconds,
    pub position: u32,
    pub length: u32,
}

/// Why two items belong together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Tie {
    pub to: ItemId,
    /// In [0, 1], decayed by the time between the two.
    pub similarity: f64,
    /// Heaviest first.
    pub shared: Vec<SharedWord>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SharedWord {
    /// As written in the item's text.
    pub word: String,
    pub weight: f64,
}

/// The five factors whose product is heat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Factors {
    /// Σ of the newsrooms' weights.
    pub breadth: f64,
    /// (breadth − 1) / spread hours, the spread held at its floor; per hour.
    pub velocity: f64,
    /// Weighted mean of the mentions' [`Mention::priority`], in (0, 1].
    pub priority: f64,
    /// 1 + log2(1 + mean standing hours / unit).
    pub persistence: f64,
    /// 0.5 ^ (hours since the last mention / half-life), in (0, 1].
    pub decay: f64,
}

/// One of the five.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Factor {
    Breadth,
    Velocity,
    Priority,
    Persistence,
    Decay,
}

impl Factor {
    /// In the order of the formula.
    pub const ALL: [Self; 5] =
        [Self::Breadth, Self::Velocity, Self::Priority, Self::Persistence, Self::Decay];

    /// The word used in the API and in CSV files.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Breadth => "breadth",
            Self::Velocity => "velocity",
            Self::Priority => "priority",
            Self::Persistence => "persistence",
            Self::Decay => "decay",
        }
    }

    #[must_use]
    pub fn of(self, factors: &Factors) -> f64 {
        match self {
            Self::Breadth => factors.breadth,
            Self::Velocity => factors.velocity,
            Self::Priority => factors.priority,
            Self::Persistence => factors.persistence,
            Self::Decay => factors.decay,
        }
    }
}

impl Factors {
    #[must_use]
    pub fn heat(&self) -> f64 {
        self.breadth * self.velocity * self.priority * self.persistence * self.decay
    }
}

/// How a spread is said without claiming more than the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SpreadLabel {
    /// "within 30 min".
    WithinHalfHour,
    /// Half hours, rounded, below six hours.
    HalfHours(u32),
    /// Whole hours, rounded, below 48.
    Hours(u32),
    Days(u32),
}

impl SpreadLabel {
    #[must_use]
    pub fn of(spread_hours: f64, params: &HeatParams) -> Self {
        if spread_hours <= params.spread_floor_hours {
            return Self::WithinHalfHour;
        }
        let half_hours = (spread_hours * 2.0).round();
        if spread_hours < 6.0 && half_hours < 12.0 {
            Self::HalfHours((half_hours as u32).max(1))
        } else if spread_hours < 48.0 && spread_hours.round() < 48.0 {
            Self::Hours(spread_hours.round() as u32)
        } else {
            Self::Days((spread_hours / 24.0).round() as u32)
        }
    }
}

/// What changed in an event from one recompute to the next.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Change {
    pub at: UnixSeconds,
    pub event: EventId,
    pub kind: ChangeKind,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum ChangeKind {
    /// `from` was merged into the event and redirects to it for ever.
    Merged { from: EventId, tie: Option<ItemTie> },
    /// The items now form an event of their own, `to`.
    Split { to: EventId, items: Vec<ItemId> },
    /// An item that stood in `from` stands here now.
    Moved { item: ItemId, from: EventId, tie: Option<ItemTie> },
}

/// The tie that made a change, and the item that it starts from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ItemTie {
    pub item: ItemId,
    pub tie: Tie,
}

/// How far two models agree on the order of the events.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ModelComparison {
    /// Names of the models.
    pub a: String,
    pub b: String,
    /// Moment of the boards.
    pub at: UnixSeconds,
    /// Events compared: on both boards, and with heat on one of them.
    pub events: u32,
    /// Kendall's τ: 1 for the same order, −1 for the reverse.
    pub tau: f64,
    /// Events whose ranks differ most, the largest difference first.
    pub movers: Vec<Mover>,
}

/// An event that the two models rank differently.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Mover {
    pub event: EventId,
    pub title: String,
    /// Language of the title.
    pub language: String,
    pub a: Standing,
    pub b: Standing,
    /// The factor that differs by the largest ratio; `None` where all are equal, and the event moved
    /// because others did.
    pub factor: Option<Factor>,
}

/// Where one model puts an event, and why.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Standing {
    /// From 1, among the compared events.
    pub rank: u32,
    pub heat: f64,
    pub factors: Factors,
}
