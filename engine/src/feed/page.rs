//! Pages: the JSON of one channel each, read once. What a post is stays the text that it came as.

use std::borrow::Cow;

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
    quality::{self, Signals},
    words::{self, Stem},
};
use crate::text;

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
    /// Number of its channel in [`Pages::channels`].
    pub channel: u32,
    pub at: Option<UnixSeconds>,
    pub text: Cow<'a, str>,
    pub words: Vec<Stem>,
    pub signals: Signals,
}

/// What was not read, for the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// Number of the page among those given.
    pub page: u32,
    /// Number of the post on it; `None` for the whole page.
    pub post: Option<u32>,
    pub reason: String,
}

#[derive(Debug, Default)]
pub struct Pages<'a> {
    pub channels: Vec<Channel<'a>>,
    pub posts: Vec<Post<'a>>,
    pub skipped: Vec<Skipped>,
}

/// Reads pages in parallel. Of pages with the same username the first is read; of posts with the same
/// identity on a page, too.
pub fn read<'a, P: AsRef<[u8]> + Sync>(pages: &'a [P], language: Option<&str>) -> Pages<'a> {
    let parsed: Vec<serde_json::Result<Page<'a>>> =
        pages.par_iter().map(|page| serde_json::from_slice(page.as_ref())).collect();
    let mut read = Pages::default();
    let mut usernames = FxHashSet::default();
    let mut found: Vec<Found<'a>> = Vec::new();
    for (page, parsed) in (0..).zip(parsed) {
        let reason = match parsed.and_then(|page| Ok((Channel::parse(page.channel)?, page.content)))
        {
            Ok((channel, content)) if usernames.insert(channel.username.to_lowercase()) => {
                let number = read.channels.len() as u32;
                let posts = (0..).zip(content.posts);
                found.extend(posts.map(|(post, raw)| Found { page, post, channel: number, raw }));
                read.channels.push(channel);
                continue;
            }
            Ok((channel, _)) => format!("the channel {} was there already", channel.username),
            Err(error) => error.to_string(),
        };
        read.skipped.push(Skipped { page, post: None, reason });
    }
    let parsed: Vec<serde_json::Result<Option<Post<'a>>>> = found
        .par_iter()
        .map(|found| found.parse(&read.channels[found.channel as usize], language))
        .collect();
    let mut ids = FxHashSet::default();
    read.posts.reserve(parsed.len());
    for (found, parsed) in found.iter().zip(parsed) {
        match parsed {
            Ok(Some(post)) if post.id.is_none_or(|id| ids.insert((post.channel, id))) => {
                read.posts.push(post);
            }
            Ok(_) => {}
            Err(error) => read.skipped.push(Skipped {
                page: found.page,
                post: Some(found.post),
                reason: error.to_string(),
            }),
        }
    }
    read
}

#[derive(Deserialize)]
struct Page<'a> {
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

/// A text that is only copied where it has escapes.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'a> Channel<'a> {
    fn parse(raw: &'a RawValue) -> serde_json::Result<Self> {
        #[derive(Deserialize)]
        struct Parts<'a> {
            #[serde(borrow)]
            username: Text<'a>,
            #[serde(borrow)]
            language: Option<Text<'a>>,
            counters: Option<Counters>,
        }
        #[derive(Deserialize)]
        struct Counters {
            #[serde(default)]
            subscribers: Count,
        }
        let parts: Parts<'a> = serde_json::from_str(raw.get())?;
        Ok(Self {
            raw: raw.get(),
            username: parts.username.0,
            subscribers: parts.counters.and_then(|counters| counters.subscribers.0),
            language: parts.language.map(|language| language.0),
        })
    }
}

/// A post that was not looked into yet.
struct Found<'a> {
    page: u32,
    post: u32,
    channel: u32,
    raw: &'a RawValue,
}

#[derive(Deserialize)]
struct Parts<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    url: Option<&'a RawValue>,
    #[serde(borrow)]
    language: Option<Text<'a>>,
    #[serde(borrow)]
    content: Option<Content<'a>>,
    footer: Option<Footer>,
    /// What the answer adds to a post no page may claim.
    #[serde(rename = "channel", alias = "_score", alias = "_duplicates", alias = "_topic")]
    #[serde(default, deserialize_with = "refused")]
    _ours: (),
}

#[derive(Default, Deserialize)]
struct Content<'a> {
    #[serde(borrow)]
    text: Option<Written<'a>>,
    media: Option<Vec<IgnoredAny>>,
    #[serde(borrow)]
    reacts: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Written<'a> {
    #[serde(borrow)]
    string: Option<Text<'a>>,
}

#[derive(Default, Deserialize)]
struct Footer {
    #[serde(default)]
    views: Count,
    edited: Option<bool>,
    date: Option<Date>,
}

#[derive(Deserialize)]
struct Date {
    unix: Option<f64>,
}

#[derive(Deserialize)]
struct React<'a> {
    #[serde(borrow)]
    emoji: Text<'a>,
    #[serde(default)]
    count: Count,
}

fn refused<'de, D: Deserializer<'de>>(_: D) -> Result<(), D::Error> {
    Err(D::Error::custom(
        "a post must not have a channel, _score, _duplicates or _topic of its own",
    ))
}

impl<'a> Found<'a> {
    /// `None` where the post is in another language.
    fn parse(
        &self,
        channel: &Channel<'a>,
        language: Option<&str>,
    ) -> serde_json::Result<Option<Post<'a>>> {
        let raw = self.raw.get();
        if !raw.starts_with('{') {
            return Err(serde_json::Error::custom("a post must be an object"));
        }
        let parts: Parts<'a> = serde_json::from_str(raw)?;
        let own = parts.language.as_ref().map(|own| &own.0).or(channel.language.as_ref());
        let primary = text::primary_language;
        if language.zip(own).is_some_and(|(wanted, own)| primary(wanted) != primary(own)) {
            return Ok(None);
        }
        let content = parts.content.unwrap_or_default();
        let footer = parts.footer.unwrap_or_default();
        let written = content.text.and_then(|text| text.string);
        let known = written.is_some();
        let text = written.map_or(Cow::Borrowed(""), |text| match text.0 {
            Cow::Borrowed(text) => text::composed(text),
            Cow::Owned(text) => Cow::Owned(text::composed(&text).into_owned()),
        });
        let words: Vec<Stem> = words::words(&text).map(|word| word.stem).collect();
        let mut signals = Signals {
            views: footer.views.0,
            subscribers: channel.subscribers,
            media: content.media.map(|media| media.len() as u32),
            words: known.then_some(words.len() as u32),
            edited: footer.edited,
            ..Signals::default()
        };
        // Reactions of another shape are not known.
        let reacts: Option<Vec<React<'a>>> =
            content.reacts.and_then(|raw| serde_json::from_str(raw.get()).ok());
        for React { emoji, count } in reacts.unwrap_or_default() {
            match quality::opinion(&emoji.0) {
                1 => signals.positive += count.0.unwrap_or(0.0),
                -1 => signals.negative += count.0.unwrap_or(0.0),
                _ => {}
            }
        }
        Ok(Some(Post {
            raw,
            id: parts.id.map(RawValue::get),
            url: parts.url.map(RawValue::get),
            channel: self.channel,
            at: footer.date.and_then(|date| date.unix).map(|unix| unix as UnixSeconds),
            text,
            words,
            signals,
        }))
    }
}
