//! JSON Feed 1.0 and 1.1, with the types that are found rather than those that were agreed on.

use std::borrow::Cow;
use std::fmt;
use std::rc::Rc;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use url::Url;

use super::text;
use super::{KEPT_CHARS, MAX_ENTRIES, NotAFeed, Raw, RawFeed};

/// Reads a JSON feed fetched from `base`. Items before a break are kept.
pub fn read(document: &str, base: &Url) -> Result<RawFeed, NotAFeed> {
    let mut reading =
        Reading { base: Rc::new(base.clone()), feed: RawFeed::default(), items_seen: false };
    let mut json = serde_json::Deserializer::from_str(document);
    let result = Top(&mut reading).deserialize(&mut json);
    let Reading { mut feed, items_seen, .. } = reading;
    match result {
        Ok(()) if items_seen => Ok(feed),
        Err(error) if items_seen && !feed.entries.is_empty() => {
            feed.defects.push(format!("the JSON breaks: {}", told(&error)));
            feed.partial = true;
            Ok(feed)
        }
        Ok(()) => Err(NotAFeed::Json("it has no items".to_owned())),
        Err(error) => Err(NotAFeed::Json(told(&error))),
    }
}

/// What is wrong, without what it quotes at length.
fn told(error: &serde_json::Error) -> String {
    const CHARS: usize = 200;
    text::cut(&error.to_string(), CHARS).into_owned()
}

struct Reading {
    base: Rc<Url>,
    feed: RawFeed,
    items_seen: bool,
}

struct Top<'r>(&'r mut Reading);

impl<'de> DeserializeSeed<'de> for Top<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Top<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with a list of items")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            match &*key {
                "title" => {
                    let title = loose(map.next_value()?);
                    self.0.feed.title = title.map(|title| text::fold(&title)).unwrap_or_default();
                }
                "home_page_url" => {
                    let link = loose(map.next_value()?);
                    self.0.feed.link = link.map(|link| (link, Rc::clone(&self.0.base)));
                }
                "language" => self.0.feed.language = loose(map.next_value()?),
                "items" => map.next_value_seed(Items(self.0))?,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

struct Items<'r>(&'r mut Reading);

impl<'de> DeserializeSeed<'de> for Items<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Items<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of items")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let Reading { base, feed, items_seen } = self.0;
        *items_seen = true;
        let mut position = 0;
        while let Some(item) = items.next_element::<&'de RawValue>()? {
            position += 1;
            if feed.entries.len() == MAX_ENTRIES {
                feed.more = true;
                continue;
            }
            match entry(item, base) {
                Ok(entry) => feed.entries.push(entry),
                Err(reason) => feed.defect(format!("item {position}: {reason}")),
            }
        }
        Ok(())
    }
}

/// Fields of any type: what is no text is made one, or is as if it were missing.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Item<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    url: Option<&'a RawValue>,
    #[serde(borrow)]
    external_url: Option<&'a RawValue>,
    #[serde(borrow)]
    title: Option<&'a RawValue>,
    #[serde(borrow)]
    summary: Option<&'a RawValue>,
    #[serde(borrow)]
    content_text: Option<&'a RawValue>,
    #[serde(borrow)]
    content_html: Option<&'a RawValue>,
    #[serde(borrow)]
    date_published: Option<&'a RawValue>,
    #[serde(borrow)]
    date_modified: Option<&'a RawValue>,
    #[serde(borrow)]
    language: Option<&'a RawValue>,
}

fn entry(item: &RawValue, base: &Rc<Url>) -> Result<Raw, String> {
    let item: Item<'_> = serde_json::from_str(item.get()).map_err(|_| "is no object".to_owned())?;
    let id = item.id.and_then(loose).map(|id| id.trim().to_owned()).filter(|id| !id.is_empty());
    // The specification: an item without an id must be discarded.
    let guid = id.ok_or("has no id")?;
    let plain = |value: Option<&RawValue>| value.and_then(loose).map(|value| text::fold(&value));
    let summary = plain(item.summary).filter(|text| !text.is_empty());
    let content = || plain(item.content_text).filter(|text| !text.is_empty());
    let html = || item.content_html.and_then(loose).map(|html| text::from_html(&html, KEPT_CHARS));
    let dates = [item.date_published, item.date_modified];
    let link = item.url.and_then(loose).or_else(|| item.external_url.and_then(loose));
    Ok(Raw {
        title: plain(item.title).unwrap_or_default(),
        text: summary.or_else(content).or_else(html).unwrap_or_default(),
        link: link.filter(|link| !link.trim().is_empty()).map(|link| (link, Rc::clone(base))),
        guid: Some(guid),
        dates: (0..).zip(dates).filter_map(|(rank, date)| Some((rank, loose(date?)?))).collect(),
        language: item.language.and_then(loose),
        views: None,
    })
}

/// A text, or a number or truth value as text.
fn loose(value: &RawValue) -> Option<String> {
    let json = value.get();
    match json.as_bytes().first()? {
        b'"' => serde_json::from_str(json).ok(),
        b'{' | b'[' | b'n' => None,
        _ => Some(json.to_owned()),
    }
}
