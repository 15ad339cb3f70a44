//! A folder with `input.xml` and `expect.json`: what feedparser reads in it.
//!
//! Its titles and summaries are markup, ours are text: markup is read as the title of an item before the
//! two are compared. Many values were recorded of one run of feedparser; where the file itself asserts
//! something else in its first comment, the assertion counts.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use ingest::parse::{Context, Entry, Parsed, parse};
use serde::Deserialize;
use url::Url;

use super::dates::claim;
use super::script::Script;
use super::stage::Stage;
use super::walk::walk;
use super::{find, instant};

/// Cases in which we differ from feedparser on purpose.
pub const DIFFERENCES: &[(&str, &str)] = &[
    (
        "encoding__bozo_invalid-bytes-with-bom",
        "one byte is no UTF-8: it costs one character, not a switch to another encoding",
    ),
    (
        "wellformed__atom10__entry_link_rel_license",
        "an entry that has nothing but a licence is empty, and told as a defect",
    ),
    (
        "wellformed__base__http_channel_link_base_content_location",
        "Content-Location is no base of links (RFC 9110, section 8.7)",
    ),
    ("wellformed__base__http_entry_link_base_content_location", "Content-Location is no base"),
    ("wellformed__base__http_item_link_base_content_location", "Content-Location is no base"),
    ("wellformed__http__headers_content_location-relative", "Content-Location is no base"),
    (
        "wellformed__base__http_entry_id_base_content_location",
        "an id names an entry and leads nowhere: it stays as it is written (RFC 4287, 4.2.6.1)",
    ),
    ("wellformed__base__http_entry_id_base_docuri", "an id stays as it is written"),
    (
        "wellformed__lang__http_content_language_entry_title_inherit_2",
        "the id of an Atom entry is not its link",
    ),
    (
        "wellformed__rss__entity_in_doctype",
        "entities that a document declares are not expanded, since they can be bombs",
    ),
    (
        "wellformed__rss__item_category_image",
        "the title of a picture within a category is not the item's",
    ),
];

#[derive(Deserialize)]
pub struct Expected {
    /// Where the file lies in its own project; its addresses are relative to that.
    #[serde(default)]
    source: String,
    #[serde(default)]
    http_headers: BTreeMap<String, String>,
    #[serde(default)]
    feed: BTreeMap<String, String>,
    /// By position.
    #[serde(default)]
    items: BTreeMap<usize, BTreeMap<String, String>>,
    #[serde(skip)]
    input: Vec<u8>,
}

impl Expected {
    pub fn read(folder: &Path) -> Result<Self> {
        let input = find::bytes(&folder.join("input.xml"))?;
        Ok(Self { input, ..find::json(&folder.join("expect.json"))? })
    }

    /// What the file asserts about itself, where what was recorded says something else: an encoding,
    /// which was recorded without a detector, or one value of both its items.
    fn correct(&mut self) -> Result<()> {
        let head = String::from_utf8_lossy(&self.input);
        let Some((_, assertion)) = head.split_once("Expect:") else { return Ok(()) };
        let assertion = assertion.lines().next().unwrap_or_default().trim();
        let encoding = assertion.split_once("encoding == '").and_then(|(_, name)| {
            encoding_rs::Encoding::for_label(name.trim_end_matches('\'').as_bytes())
        });
        if let Some(encoding) = encoding {
            let text = encoding.decode(&self.input).0;
            let right = parse(text.as_bytes(), &context()?)?;
            for (key, value) in &mut self.feed {
                if key == "feed_title" {
                    *value = right.about.title.clone();
                }
            }
            for (fields, entry) in self.items.values_mut().zip(right.entries) {
                fields.insert("title".to_owned(), entry.title);
            }
        }
        let equation = assertion.trim_start_matches("not bozo and ");
        if let [first, second, value] = equation.split(" == ").collect::<Vec<_>>()[..]
            && let Some(field) = first.strip_prefix("entries[0]['")
            && second.strip_prefix("entries[1]['") == Some(field)
        {
            let value = value.trim_matches('\'').to_owned();
            let fields = BTreeMap::from([(field.trim_end_matches("']").to_owned(), value)]);
            self.items = BTreeMap::from([(0, fields.clone()), (1, fields)]);
        }
        Ok(())
    }

    pub async fn differences(mut self) -> Result<Vec<String>> {
        self.correct()?;
        let place = self.source.split_once(' ').map_or("feed.xml", |(_, path)| path);
        let url = format!("http://127.0.0.1:8097/{place}");
        let headers: Vec<(String, String)> = self.http_headers.into_iter().collect();
        let stage = Stage::open(Script::of_one_feed(&url, &headers, self.input)?).await?;
        let polls = walk(&stage).await?;
        let parsed = match polls.first().and_then(|poll| poll.parsed.as_ref()) {
            Some(Ok(parsed)) => parsed,
            Some(Err(error)) => return Ok(vec![error.to_string()]),
            None => return Ok(vec!["nothing was fetched".to_owned()]),
        };
        let mut found = Vec::new();
        for (key, expected) in &self.feed {
            found.extend(feed_difference(parsed, key, expected)?);
        }
        for (position, fields) in &self.items {
            // An item that repeats another is not listed again.
            let repeats = parsed.defects.iter().any(|defect| defect.ends_with("listed twice"));
            let last = parsed.entries.last().filter(|_| repeats);
            let Some(entry) = parsed.entries.get(*position).or(last) else {
                found.push(format!("there is no item {position}"));
                continue;
            };
            for (key, expected) in fields {
                found.extend(item_difference(entry, key, expected)?);
            }
        }
        Ok(found)
    }
}

fn feed_difference(parsed: &Parsed, key: &str, expected: &str) -> Result<Option<String>> {
    let about = &parsed.about;
    let (read, expected) = match key {
        "feed_title" => (&about.title, text_of(expected)?),
        "feed_link" => (&about.link, address(expected)),
        "feed_language" => (&about.language, expected.to_owned()),
        // Titles tell whether it was the right one.
        "encoding" => return Ok(None),
        _ => return Ok(Some(format!("{key} is not known"))),
    };
    Ok((*read != expected).then(|| format!("{key} {read:?}, expected {expected:?}")))
}

fn item_difference(entry: &Entry, key: &str, expected: &str) -> Result<Option<String>> {
    let (read, holds) = match key {
        "title" => {
            let title = if entry.is_titled { entry.title.clone() } else { String::new() };
            let holds = title == text_of(expected)?;
            (title, holds)
        }
        "summary" => (entry.lede.clone(), entry.lede == text_of(expected)?),
        "link" | "links.0" => (entry.link.clone(), entry.link == address(expected)),
        "id" => {
            let key = entry.keys.first().cloned().unwrap_or_default();
            let holds = key == format!("guid:{expected}");
            (key, holds)
        }
        "published" | "updated" => {
            (format!("{:?}", entry.claimed_at), entry.claimed_at == Some(instant(expected)?))
        }
        "published_raw" | "updated_raw" => {
            let at = claim(expected, chrono_tz::Tz::UTC)?.0;
            (format!("{:?}", entry.claimed_at), at.is_some() && entry.claimed_at == at)
        }
        _ => (String::new(), false),
    };
    Ok((!holds).then(|| format!("{key} {read:?}, expected {expected:?}")))
}

/// The address as every address is spelled here.
fn address(expected: &str) -> String {
    Url::parse(expected).map_or_else(|_| expected.to_owned(), String::from)
}

/// The text of markup.
fn text_of(markup: &str) -> Result<String> {
    let escaped = markup.replace('&', "&amp;").replace('<', "&lt;");
    let feed = format!(
        "<rss><channel><item><title>{escaped}</title><link>/a</link></item></channel></rss>"
    );
    let parsed = parse(feed.as_bytes(), &context()?)?;
    let entry = parsed.entries.into_iter().next().filter(|entry| entry.is_titled);
    Ok(entry.map(|entry| entry.title).unwrap_or_default())
}

fn context() -> Result<Context> {
    Ok(Context {
        url: "https://news.example/feed".parse()?,
        content_type: None,
        content_language: None,
        language: String::new(),
        timezone: chrono_tz::Tz::UTC,
        now: 0,
    })
}
