//! A channel: the newsroom's stories as short posts, with what its followers leave there.

use serde_json::{Value, json};

use super::{Page, words};
use crate::Language;
use crate::happening::mix;
use crate::listing::Entry;
use crate::sources::source_slug;

/// Reactions for and against a post, each with its percentage of them.
const LIKED: [(&str, u64); 3] = [("👍", 50), ("❤", 30), ("🔥", 20)];
const DISLIKED: [(&str, u64); 2] = [("👎", 60), ("😡", 40)];

impl Page<'_> {
    pub(super) fn channel(&self) -> String {
        let posts: Vec<_> = self.listing.entries.iter().map(|entry| self.post(entry)).collect();
        json!({
            "channel": {
                "username": source_slug(self.newsroom, self.feed),
                "title": self.newsroom.name,
                "language": self.newsroom.language.code(),
                "counters": { "subscribers": self.written(self.feed.subscribers.into()) },
            },
            "content": { "posts": posts },
        })
        .to_string()
    }

    fn post(&self, entry: &Entry) -> Value {
        let story = &entry.story;
        let (title, lede) = words(entry);
        let views = entry.views.unwrap_or_default();
        let pictures = mix((story.id, "pictures")) % 4;
        json!({
            "id": story.id.to_string(),
            "url": self.link(entry),
            "content": {
                "text": { "string": format!("{title}\n{lede}") },
                "media": (0..pictures).map(|_| json!({ "type": "photo" })).collect::<Vec<_>>(),
                "reacts": reacts(story.id, views),
            },
            "footer": {
                "views": self.written(views),
                "edited": entry.wording > 0,
                "date": { "unix": story.published },
            },
        })
    }

    /// Thousands as people of the language shorten them, or set them apart.
    fn written(&self, count: u64) -> String {
        let (thousands, rest) = (count / 1_000, count % 1_000);
        let tenth = rest / 100;
        match self.newsroom.language {
            _ if thousands == 0 => count.to_string(),
            Language::Czech => format!("{thousands},{tenth} tis."),
            Language::Slovak => format!("{thousands}\u{a0}{rest:03}"),
            Language::English => format!("{thousands}.{tenth}K"),
            Language::German => format!("{thousands},{tenth}\u{a0}Tsd."),
        }
    }
}

/// One viewer in 25 to 64 reacts, and how is each story's own matter.
fn reacts(story: u64, views: u64) -> Vec<Value> {
    let given = views / (25 + mix((story, "reacts")) % 40);
    let liking = given * (35 + mix((story, "liked")) % 61) / 100;
    let of = |side: &[(&'static str, u64)], all: u64| -> Vec<(u64, &'static str)> {
        side.iter().map(|(emoji, percent)| (all * percent / 100, *emoji)).collect()
    };
    let mut counts = [of(&LIKED, liking), of(&DISLIKED, given - liking)].concat();
    counts.retain(|(count, _)| *count > 0);
    counts.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    counts.iter().map(|(count, emoji)| json!({ "emoji": emoji, "count": count })).collect()
}
