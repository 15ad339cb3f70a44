use serde::{Deserialize, Serialize};

use crate::UnixSeconds;

/// What a reader may turn on the personalised feed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FeedParams {
    /// Time in which a post loses half of its freshness.
    pub half_life_hours: f64,
    /// From 0 (plain order of score) to 1: how much posts like the last ones are held back.
    pub diversity: f64,
    /// Show one post of those that repeat each other's text.
    pub collapse: bool,
    /// At most so many posts.
    pub limit: u32,
    /// Only posts in this language (`cs`), and those that do not say theirs.
    pub language: Option<String>,
}

impl FeedParams {
    pub const HALF_LIFE_HOURS: std::ops::RangeInclusive<f64> = 1.0..=720.0;
    pub const DIVERSITY: std::ops::RangeInclusive<f64> = 0.0..=1.0;
    pub const LIMIT: std::ops::RangeInclusive<u32> = 1..=500;
    /// Channels that one feed may have.
    pub const CHANNELS: std::ops::RangeInclusive<usize> = 1..=100;

    /// Whether a language is written as a code of ISO 639.
    #[must_use]
    pub fn is_language(code: &str) -> bool {
        matches!(code.len(), 2 | 3) && code.bytes().all(|byte| byte.is_ascii_lowercase())
    }
}

impl Default for FeedParams {
    fn default() -> Self {
        Self { half_life_hours: 24.0, diversity: 0.5, collapse: true, limit: 100, language: None }
    }
}

/// The parts of a post's quality, each in [0, 1]; one half is neutral.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quality {
    /// Views for the channel's size.
    pub reach: f64,
    /// How readers reacted.
    pub reactions: f64,
    /// How much it says.
    pub text: f64,
    pub media: f64,
    /// Whether it was edited after it was published.
    pub care: f64,
}

impl Quality {
    pub const NEUTRAL: f64 = 0.5;
    /// What a post is made of that says nothing about itself.
    pub const UNKNOWN: Self = Self {
        reach: Self::NEUTRAL,
        reactions: Self::NEUTRAL,
        text: Self::NEUTRAL,
        media: Self::NEUTRAL,
        care: Self::NEUTRAL,
    };
    /// The weights of the parts; their sum is 1.
    pub const WEIGHTS: Self =
        Self { reach: 0.35, reactions: 0.3, text: 0.2, media: 0.1, care: 0.05 };

    /// The weighted mean of the parts, in [0, 1]. No counter moves it by more than its part's weight,
    /// however high it was driven.
    #[must_use]
    pub fn total(&self) -> f64 {
        let weights = Self::WEIGHTS;
        let sum = self.reach * weights.reach
            + self.reactions * weights.reactions
            + self.text * weights.text
            + self.media * weights.media
            + self.care * weights.care;
        sum.clamp(0.0, 1.0)
    }
}

/// The posts of chosen channels in one ranking, as a reader sees them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RankedFeed {
    /// The moment for which freshness was computed.
    pub at: UnixSeconds,
    /// Usernames of those that were read, in the order asked for.
    pub channels: Vec<String>,
    pub entries: Vec<FeedEntry>,
    /// Keywords of each topic of two posts or more, in their written form.
    pub topics: Vec<Vec<String>>,
    pub failures: Vec<ChannelFailure>,
}

/// A post in its place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FeedEntry {
    pub post: RankedPost,
    /// Those that repeat its text, the best first.
    pub duplicates: Vec<RankedPost>,
    /// Number in [`RankedFeed::topics`].
    pub topic: Option<u32>,
}

/// A post and why it has its score.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RankedPost {
    /// Number in [`RankedFeed::channels`].
    pub channel: u32,
    /// Its identity on its channel's page; empty where it has none.
    pub id: String,
    pub url: Option<String>,
    /// Of our own sources the title, and in the next lines the short description.
    pub text: String,
    pub at: Option<UnixSeconds>,
    pub quality: Quality,
    /// In [0, 1].
    pub freshness: f64,
    /// In [0, 10].
    pub score: f64,
}

/// A channel that was asked for and is not in the feed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ChannelFailure {
    /// As it was asked for.
    pub channel: String,
    pub trouble: Trouble,
    /// One English sentence.
    pub reason: String,
}

/// Why a channel is not in a feed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Trouble {
    /// No source has this name.
    Unknown,
    /// The gate does not permit it.
    Refused,
    /// It did not answer, or wants to be left alone for a while.
    Unreachable,
    /// What it answered is no page.
    Unreadable,
}
