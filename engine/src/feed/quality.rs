//! What a post's counters and content say about its quality.
//!
//! | part | value | neutral (½) at |
//! |---|---|---|
//! | reach | r / (r + 0.2), r = views / subscribers | a fifth of the subscribers |
//! | reactions | (p + a/2) / (p + n + a), a = 5 + views / 100 | as many positive as negative |
//! | text | w / (w + 20), w = words that say something | 20 words |
//! | media | (m + 1) / (m + 2), m = pictures, videos, … | none |
//! | care | 1 for a post that was edited | one that was not |
//!
//! A part that is not known is neutral. Reactions are weighed against a neutral prior of five, and of
//! one for a hundred views; more reactions than views are not believed. Each part saturates, so that a
//! counter driven up without end moves the quality by less than half of its part's weight.

use model::Quality;

/// What a post says of itself; `None` is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Signals {
    pub views: Option<f64>,
    pub subscribers: Option<f64>,
    pub positive: f64,
    pub negative: f64,
    pub media: Option<u32>,
    pub words: Option<u32>,
    pub edited: Option<bool>,
}

const NEUTRAL_REACH: f64 = 0.2;
const NEUTRAL_WORDS: f64 = 20.0;
const PRIOR_REACTIONS: f64 = 5.0;
const PRIOR_PER_VIEW: f64 = 0.01;

impl Signals {
    #[must_use]
    pub fn quality(&self) -> Quality {
        let unknown = Quality::UNKNOWN;
        Quality {
            reach: self.reach().unwrap_or(unknown.reach),
            reactions: self.reactions().unwrap_or(unknown.reactions),
            text: self
                .words
                .map_or(unknown.text, |words| saturate(f64::from(words), NEUTRAL_WORDS)),
            media: self
                .media
                .map_or(unknown.media, |media| (f64::from(media) + 1.0) / (f64::from(media) + 2.0)),
            care: if self.edited == Some(true) { 1.0 } else { unknown.care },
        }
    }

    fn reach(&self) -> Option<f64> {
        let subscribers = self.subscribers.filter(|&count| count > 0.0)?;
        Some(saturate(self.views? / subscribers, NEUTRAL_REACH))
    }

    fn reactions(&self) -> Option<f64> {
        let count = self.positive + self.negative;
        if self.views.is_some_and(|views| count > views) {
            return None;
        }
        let prior = PRIOR_REACTIONS + PRIOR_PER_VIEW * self.views.unwrap_or(0.0);
        let share = (self.positive + prior * Quality::NEUTRAL) / (count + prior);
        share.is_finite().then_some(share)
    }
}

/// From 0 at nothing through ½ at `half` towards 1.
fn saturate(value: f64, half: f64) -> f64 {
    if value.is_finite() { value / (value + half) } else { 1.0 }
}

/// How a reaction speaks of a post: 1 for it, −1 against it, 0 neither or unknown. Tears and fright
/// are about what happened, not about the post.
#[must_use]
pub fn opinion(emoji: &str) -> i8 {
    const POSITIVE: [&str; 37] = [
        "👍",
        "❤",
        "🔥",
        "🎉",
        "🤩",
        "😁",
        "🥰",
        "👏",
        "💯",
        "🙏",
        "👌",
        "🕊",
        "🏆",
        "⚡",
        "😍",
        "🤗",
        "🫡",
        "❤‍🔥",
        "🍾",
        "💋",
        "🤝",
        "🆒",
        "😎",
        "🦄",
        "😘",
        "🤣",
        "💘",
        "🐳",
        "😇",
        "✍",
        "🎄",
        "☃",
        "🎅",
        "👨‍💻",
        "👀",
        "⭐",
        "💙",
    ];
    const NEGATIVE: [&str; 9] = ["👎", "💩", "🤮", "🤡", "😡", "🤬", "🖕", "🥱", "😠"];
    // The mark that asks for the colourful form is written or not.
    let plain = emoji.replace('\u{FE0F}', "");
    let plain = plain.trim_end_matches(|c| ('\u{1F3FB}'..='\u{1F3FF}').contains(&c));
    if POSITIVE.contains(&plain) {
        1
    } else if NEGATIVE.contains(&plain) {
        -1
    } else {
        0
    }
}
