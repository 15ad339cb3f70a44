//! Pages: the JSON of one channel each, read once. What a post is stays the text that it came as.

use std::{borrow::Cow, collections::BTreeMap};

use model::UnixSeconds;
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use serde::{
    Deserialize, Deserializer,
    de::{Error, IgnoredAny},
};
use serde_json::value::RawValue;

use super::{
    count::Count,
    duplicates::Print,
    quality::{self, Signals},
    vectors::Bags,
    words::{self, Stem},
};
use crate::text;

/// A page that was read. Reading is most of the work of a feed and depends on nothing that a request
/// chooses, so a page that is kept is kept read.
#[derive(Debug)]
pub struct Page<'a> {
    pub channel: Channel<'a>,
    /// Each identity once: the first post that has it.
    pub posts: Vec<Post<'a>>,
    /// The words of the posts, in their order.
    pub bags: Bags,
    /// Posts that were not read, by their numbers on the page.
    pub skipped: Vec<(u32, String)>,
}

/// A channel as its page has it.
#[derive(Debug)]
pub struct Channel<'a> {
    pub raw: &'a str,
    pub username: Cow<'a, str>,
    subscribers: Option<f64>,
    language: Option<Cow<'a, str>>,
}

/// A post with what ranking needs of it.
#[derive(Debug)]
pub struct Post<'a> {
    /// The JSON object, as it came.
    pub raw: &'a str,
    /// Its identity and its address as JSON, where it has them.
    pub id: Option<&'a str>,
    pub url: Option<&'a str>,
    pub at: Option<UnixSeconds>,
    /// Its own or its channel's.
    pub language: Option<Cow<'a, str>>,
    pub text: Cow<'a, str>,
    pub print: Option<Print>,
    pub signals: Signals,
}

/// More posts of a page are not read: what a page costs is bounded.
pub const MOST_POSTS: usize = 2_000;

/// What is wrong with a page, without what it quotes at length.
#[must_use]
pub fn told(error: &serde_json::Error) -> String {
    format!("it is no page: {}", reason(error))
}

fn reason(error: &serde_json::Error) -> String {
    const CHARS: usize = 200;
    text::first_chars(&error.to_string(), CHARS).to_owned()
}

impl<'a> Page<'a> {
    /// Reads a page, its posts in parallel.
    ///
    /// # Errors
    ///
    /// When it is not the JSON of a page.
    pub fn read(json: &'a [u8]) -> serde_json::Result<Self> {
        /// Posts that are read at a stretch: fewer would cost more to hand over than to read.
        const STRETCH: usize = 16;
        let mut parts: PageParts<'a> = serde_json::from_slice(json)?;
        let channel = Channel::parse(parts.channel)?;
        let unread = parts.content.posts.len().saturating_sub(MOST_POSTS);
        parts.content.posts.truncate(MOST_POSTS);
        let parsed: Vec<serde_json::Result<(Post<'a>, Vec<Stem>)>> = parts
            .content
            .posts
            .into_par_iter()
            .with_min_len(STRETCH)
            .map(|raw| Post::parse(raw.get(), &channel))
            .collect();
        let mut ids = FxHashSet::default();
        let (mut posts, mut texts) = (Vec::with_capacity(parsed.len()), Vec::new());
        let mut skipped = Vec::new();
        for (number, parsed) in (0..).zip(parsed) {
            match parsed {
                Ok((post, words)) if post.id.is_none_or(|id| ids.insert(id)) => {
                    posts.push(post);
                    texts.push(words);
                }
                Ok(_) => {}
                Err(error) => skipped.push((number, reason(&error))),
            }
        }
        if unread > 0 {
            let reason = format!("the last {unread} posts of so many are not read");
            skipped.push((MOST_POSTS as u32, reason));
        }
        Ok(Self { channel, posts, bags: Bags::of(&texts), skipped })
    }

    /// What it takes of memory beside its JSON, in bytes.
    #[must_use]
    pub fn memory(&self) -> usize {
        let copied = |text: &Cow<'_, str>| match text {
            Cow::Borrowed(_) => 0,
            Cow::Owned(text) => text.capacity(),
        };
        let of_post = |post: &Post<'_>| {
            size_of_val(post) + post.print.as_ref().map_or(0, Print::memory) + copied(&post.text)
        };
        let of_skipped = |skipped: &(u32, String)| size_of_val(skipped) + skipped.1.capacity();
        size_of_val(self)
            + self.bags.memory()
            + self.posts.iter().map(of_post).sum::<usize>()
            + self.skipped.iter().map(of_skipped).sum::<usize>()
    }
}

#[derive(Deserialize)]
struct PageParts<'a> {
    #[serde(borrow)]
    channel: &'a RawValue,
    #[serde(borrow)]
    content: Posts<'a>,
}

#[derive(Deserialize)]
struct Posts<'a> {
    #[serde(borrow)]
    posts: Vec<&'a RawValue>,
}

/// What is of another shape than it should be is not known, and no reason to lose a post.
struct Lenient<T>(Option<T>);

impl<T> Default for Lenient<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Lenient<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&'de RawValue>::deserialize(deserializer)?;
        Ok(Self(known(Some(raw.get()))))
    }
}

fn known<'a, T: Deserialize<'a>>(json: Option<&'a str>) -> Option<T> {
    serde_json::from_str(json?).ok()
}

/// A text that is only copied where it has escapes.
#[derive(PartialEq, Eq, PartialOrd, Ord, Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'a> Channel<'a> {
    fn parse(raw: &'a RawValue) -> serde_json::Result<Self> {
        #[derive(Deserialize)]
        struct Parts<'a> {
            #[serde(borrow)]
            username: Text<'a>,
            #[serde(borrow, default)]
            language: Lenient<Text<'a>>,
            #[serde(default)]
            counters: Lenient<Counters>,
        }
        #[derive(Deserialize)]
        struct Counters {
            #[serde(default)]
            subscribers: Lenient<Count>,
        }
        let parts: Parts<'a> = serde_json::from_str(raw.get())?;
        Ok(Self {
            raw: raw.get(),
            username: parts.username.0,
            subscribers: parts.counters.0.and_then(|counters| counters.subscribers.0?.0),
            language: parts.language.0.map(|language| language.0),
        })
    }
}

/// What the answer adds to a post, and no page may claim.
const OURS: [&str; 4] = ["channel", "_score", "_duplicates", "_topic"];

/// A post's members; of those with the same name the last, as most readers of JSON take it.
type Members<'a> = BTreeMap<Text<'a>, &'a RawValue>;

#[derive(Default, Deserialize)]
#[serde(default)]
struct Content<'a> {
    #[serde(borrow)]
    text: Lenient<Written<'a>>,
    media: Lenient<Vec<IgnoredAny>>,
    #[serde(borrow)]
    reacts: Lenient<Vec<Lenient<React<'a>>>>,
}

#[derive(Deserialize)]
struct Written<'a> {
    #[serde(borrow, default)]
    string: Lenient<Text<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Footer {
    views: Lenient<Count>,
    edited: Lenient<bool>,
    date: Lenient<Date>,
}

#[derive(Deserialize)]
struct Date {
    unix: Count,
}

#[derive(Deserialize)]
struct React<'a> {
    #[serde(borrow)]
    emoji: Text<'a>,
    #[serde(default)]
    count: Lenient<Count>,
}

/// Whether a time can be written as a date: not after the year 9999.
fn of_a_date(unix: &f64) -> bool {
    const LAST: f64 = 253_402_300_799.0;
    *unix <= LAST
}

impl<'a> Post<'a> {
    /// The post and its words.
    fn parse(raw: &'a str, channel: &Channel<'a>) -> serde_json::Result<(Self, Vec<Stem>)> {
        if !raw.starts_with('{') {
            return Err(serde_json::Error::custom("a post must be an object"));
        }
        let members: Members<'a> = serde_json::from_str(raw)?;
        let member = |name| members.get(&Text(Cow::Borrowed(name))).map(|raw| raw.get());
        if let Some(ours) = OURS.into_iter().find(|ours| member(ours).is_some()) {
            return Err(serde_json::Error::custom(format!(
                "a post must have no {ours} of its own"
            )));
        }
        let content: Content<'a> = known(member("content")).unwrap_or_default();
        let footer: Footer = known(member("footer")).unwrap_or_default();
        let language: Option<Text<'a>> = known(member("language"));
        let written = content.text.0.and_then(|text| text.string.0);
        let has_text = written.is_some();
        let text = written.map_or(Cow::Borrowed(""), |text| match text.0 {
            Cow::Borrowed(text) => text::composed(text),
            Cow::Owned(text) => Cow::Owned(text::composed(&text).into_owned()),
        });
        let words: Vec<Stem> = words::words(&text).map(|word| word.stem).collect();
        let mut signals = Signals {
            views: footer.views.0.and_then(|views| views.0),
            subscribers: channel.subscribers,
            media: content.media.0.map(|media| media.len() as u32),
            words: has_text.then_some(words.len() as u32),
            edited: footer.edited.0,
            ..Signals::default()
        };
        let reacts = content.reacts.0.unwrap_or_default().into_iter();
        for React { emoji, count } in reacts.filter_map(|react| react.0) {
            let count = count.0.and_then(|count| count.0).unwrap_or(0.0);
            match quality::opinion(&emoji.0) {
                1 => signals.positive += count,
                -1 => signals.negative += count,
                _ => {}
            }
        }
        let post = Self {
            raw,
            id: member("id").filter(|id| *id != "null"),
            url: member("url").filter(|url| *url != "null"),
            at: footer.date.0.and_then(|date| date.unix.0).filter(of_a_date).map(|unix| unix as _),
            language: language.map(|own| own.0).or_else(|| channel.language.clone()),
            text,
            print: Print::of(&words),
            signals,
        };
        Ok((post, words))
    }

    /// Whether it is in `language`, or does not say.
    #[must_use]
    pub fn may_be_in(&self, language: &str) -> bool {
        let primary = text::primary_language;
        self.language.as_ref().is_none_or(|own| primary(own) == primary(language))
    }
}
