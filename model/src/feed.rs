use serde::{Deserialize, Serialize};

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
