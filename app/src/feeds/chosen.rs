//! The personalised feed for other readers.
//!
//! Invariant: a post is one entry for ever. Its id is its own address, whichever channels were chosen
//! and however they were ranked. Test: `a_post_stays_one_entry_whatever_is_chosen`.

use std::collections::{HashMap, HashSet};

use atom_syndication::{Category, Entry, Feed, Person, Text};
use model::{FeedEntry, LEDE_CHARS, RankedFeed, RankedPost, Snapshot};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde_json::{Value, json};
use url::{Position, Url};

use super::{ATOM, Asked, feed, link, source_name, time};
use crate::FeedQuery;
use crate::context::{address, escaped};
use crate::i18n::iso;
use crate::parts::{plain, split, visible};

/// A post as an entry.
struct Told<'a> {
    entry: &'a FeedEntry,
    id: String,
    title: String,
    lede: String,
    url: Option<String>,
    channel: String,
    keywords: &'a [String],
}

/// The posts that the query admits, in their order. What several channels have is one entry, in the
/// place of the first.
fn told<'a>(
    asked: &Asked,
    query: &FeedQuery,
    ranked: &'a RankedFeed,
    snapshot: &Snapshot,
) -> Vec<Told<'a>> {
    let names: HashMap<&str, String> = snapshot
        .sources
        .iter()
        .map(|report| {
            let newsroom = snapshot.newsroom(report.source.newsroom);
            (report.source.slug.as_str(), plain(&source_name(report, newsroom)))
        })
        .collect();
    let mut known = HashSet::new();
    let entries = ranked.entries.iter().filter(|entry| query.admits(entry, ranked));
    entries
        .map(|entry| {
            let post = &entry.post;
            let slug = ranked.channels.get(post.channel as usize).map_or("", String::as_str);
            let (title, lede) = split(&post.text, LEDE_CHARS);
            let title = Some(plain(&title)).filter(|title| visible(title));
            let topic = entry.topic.and_then(|topic| ranked.topics.get(topic as usize));
            let url = web_address(post);
            Told {
                entry,
                id: url.clone().unwrap_or_else(|| tag(asked, slug, post)),
                title: title.unwrap_or_else(|| asked.locale.texts().untitled.to_owned()),
                lede: plain(&lede),
                url,
                channel: names.get(slug).cloned().unwrap_or_else(|| plain(slug)),
                keywords: topic.map_or(&[], Vec::as_slice),
            }
        })
        .filter(|told| known.insert(told.id.clone()))
        .collect()
}

/// What a browser takes behind a host, and a URI may not have there (RFC 3986).
const FOREIGN: AsciiSet = CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'<')
    .add(b'>')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// The post's address as a URI; only of the web's own schemes.
fn web_address(post: &RankedPost) -> Option<String> {
    let url = Url::parse(post.url.as_deref()?).ok()?;
    let (host, path) = (&url[..Position::BeforePath], &url[Position::BeforePath..]);
    matches!(url.scheme(), "https" | "http")
        .then(|| format!("{host}{}", utf8_percent_encode(path, &FOREIGN)))
}

/// The id of a post without an address (RFC 4151); one that has not even a name is told by its time, else
/// by its first line.
fn tag(asked: &Asked, channel: &str, post: &RankedPost) -> String {
    let host = asked.origin.split_once("://").map_or(asked.origin, |(_, host)| host);
    let host = host.split(':').next().unwrap_or_default();
    let name = match (post.id.as_str(), post.at) {
        ("", Some(at)) => at.to_string(),
        ("", None) => escaped(&split(&post.text, LEDE_CHARS).0),
        (id, _) => escaped(id),
    };
    format!("tag:{host},2026:feed/{}/{name}", escaped(channel))
}

/// The chosen channels' posts as Atom.
#[must_use]
pub fn feed_atom(
    asked: &Asked,
    query: &FeedQuery,
    ranked: &RankedFeed,
    snapshot: &Snapshot,
) -> String {
    let t = asked.locale.texts();
    let here = |path: &str| here(asked, query, path);
    let entries = told(asked, query, ranked, snapshot).into_iter().map(|told| {
        let at = told.entry.post.at;
        Entry {
            id: told.id,
            title: Text::plain(told.title),
            links: told.url.map(|url| link("alternate", "text/html", url)).into_iter().collect(),
            published: at.map(time),
            // A post that does not say its time must not seem new each time.
            updated: time(at.unwrap_or_default()),
            authors: vec![Person { name: told.channel, ..Person::default() }],
            summary: (!told.lede.is_empty()).then(|| Text::plain(told.lede)),
            categories: told
                .keywords
                .iter()
                .map(|word| Category { term: plain(word), ..Category::default() })
                .collect(),
            ..Entry::default()
        }
    });
    Feed {
        id: here("/feed.atom"),
        title: Text::plain(format!("{} – {}", t.site, t.feed_page.title)),
        subtitle: Some(Text::plain(t.feed_page.lede)),
        links: vec![
            link("self", ATOM, here("/feed.atom")),
            link("alternate", "text/html", here("/feed")),
        ],
        entries: entries.collect(),
        ..feed(asked, "/feed.atom", ranked.at)
    }
    .to_string()
}

/// The chosen channels' posts as JSON Feed 1.1.
#[must_use]
pub fn feed_json(
    asked: &Asked,
    query: &FeedQuery,
    ranked: &RankedFeed,
    snapshot: &Snapshot,
) -> String {
    let t = asked.locale.texts();
    let items = told(asked, query, ranked, snapshot).into_iter().map(|told| {
        let post = &told.entry.post;
        let copies = told.entry.duplicates.iter().filter_map(web_address);
        let mut item = json!({
            "id": told.id,
            "title": told.title,
            "content_text": told.lede,
            "authors": [{ "name": told.channel }],
            "tags": told.keywords,
            "_ohlas": {
                "about": asked.page("/docs"),
                "channel": ranked.channels.get(post.channel as usize),
                "score": post.score,
                "quality": post.quality,
                "freshness": post.freshness,
                "duplicates": copies.collect::<Vec<_>>(),
            },
        });
        // What is not known is left out, not null.
        let known = [("url", told.url), ("date_published", post.at.map(iso))];
        for (name, value) in known {
            if let Some(value) = value {
                item[name] = Value::String(value);
            }
        }
        item
    });
    json!({
        "version": "https://jsonfeed.org/version/1.1",
        "title": format!("{} – {}", t.site, t.feed_page.title),
        "description": t.feed_page.lede,
        "home_page_url": here(asked, query, "/feed"),
        "feed_url": here(asked, query, "/feed.json"),
        "language": asked.locale.code(),
        "authors": [{ "name": t.site, "url": asked.page("/") }],
        "items": items.collect::<Vec<_>>(),
    })
    .to_string()
}

/// Address of a path in the feed's language with the same selection.
fn here(asked: &Asked, query: &FeedQuery, path: &str) -> String {
    format!("{}{}", asked.origin, address(&asked.locale.path(path), &query.params()))
}
