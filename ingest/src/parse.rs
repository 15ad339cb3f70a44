//! From the bytes of an answer to items, whatever state they are in.
//!
//! Invariants, held by `tests/it/hostile.rs` and `tests/memory.rs`: no input panics; time is linear;
//! memory is at most ten times the input, beside 4 MiB for as many items as there can be; one bad item
//! never loses the others.
//!
//! The feed is read by a reader of our own, since a strict XML parser gives up on the first bad byte
//! and the feeds in the wild are not XML often enough: see [`xml`] and [`feed`].

mod date;
mod decode;
mod feed;
mod identity;
mod json;
mod text;
pub(crate) mod xml;
pub(crate) mod youtube;

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::rc::Rc;

use chrono_tz::Tz;
use model::{LEDE_CHARS, UnixSeconds};
use url::Url;

/// Entries that are read of one feed.
pub const MAX_ENTRIES: usize = 5_000;
/// Longest title that is kept, in characters.
pub const TITLE_CHARS: usize = 300;
/// More is kept of no text.
const KEPT_CHARS: usize = if TITLE_CHARS > LEDE_CHARS { TITLE_CHARS } else { LEDE_CHARS };
/// A longer link is nobody's address.
const MAX_LINK_BYTES: usize = 2_048;
/// A longer language tag is none.
const MAX_TAG_BYTES: usize = 35;
/// Defects that are told one by one.
const MAX_DEFECTS: usize = 20;
/// 1990-01-01: an earlier date is a placeholder, since there was no web.
const EARLIEST_CLAIM: UnixSeconds = 631_152_000;
/// A claim so far ahead of the clock is told as a defect.
const FUTURE_SECONDS: i64 = 3_600;

/// What is known of an answer beside its bytes.
#[derive(Clone, Debug)]
pub struct Context {
    /// Where it was finally fetched from: the base of relative links.
    pub url: Url,
    pub content_type: Option<String>,
    /// Of the answer, for a feed that names none itself.
    pub content_language: Option<String>,
    /// ISO 639-1, of the source; empty when unknown.
    pub language: String,
    /// Of times without a zone.
    pub timezone: Tz,
    pub now: UnixSeconds,
}

/// What a feed lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parsed {
    pub about: About,
    /// In feed order.
    pub entries: Vec<Entry>,
    /// What could not be read or had to be repaired, one English sentence each.
    pub defects: Vec<String>,
    /// How long the feed wants to be left alone.
    pub ttl_seconds: Option<i64>,
    /// The document breaks off: what is missing is still to come, so its validators must not be stored.
    pub partial: bool,
}

/// What a feed says of itself; what it does not say is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// At most [`TITLE_CHARS`] characters.
    pub title: String,
    /// The pages that it is the feed of.
    pub link: String,
    /// A language tag as it is written, such as `cs-CZ`.
    pub language: String,
}

/// An item as its feed shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What it can be known by, strongest first: `guid:…` within its source, `link:…` (scheme, `www.` and
    /// tracking folded away), `text:…` where there is nothing else. Never empty.
    pub keys: Vec<String>,
    /// Empty when the feed gives none.
    pub link: String,
    /// The first sentence of the text when the feed gives none; empty only without any text.
    pub title: String,
    /// `title` is the feed's own.
    pub is_titled: bool,
    /// At most [`LEDE_CHARS`] characters.
    pub lede: String,
    /// ISO 639-1; empty when unknown.
    pub language: String,
    pub claimed_at: Option<UnixSeconds>,
    pub views: Option<i64>,
}

/// Why an answer lists nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAFeed {
    #[error("it is empty")]
    Nothing,
    #[error("it is text without markup, not a feed")]
    Plain,
    #[error("it is an HTML page{}, not a feed", .0.as_ref().map(|title| format!(" (\"{title}\")")).unwrap_or_default())]
    Html(Option<String>),
    #[error("it is XML with the root \"{0}\", not a feed")]
    Root(String),
    #[error("it is JSON, but not a feed: {0}")]
    Json(String),
    #[error("it breaks off before its first item")]
    Cut,
}

/// A feed as written, in whichever format.
#[derive(Default)]
struct RawFeed {
    entries: Vec<Raw>,
    title: String,
    link: Option<(String, Rc<Url>)>,
    language: Option<String>,
    ttl_seconds: Option<i64>,
    partial: bool,
    /// There are more than [`MAX_ENTRIES`].
    more: bool,
    defects: Vec<String>,
    untold: usize,
}

impl RawFeed {
    fn defect(&mut self, defect: String) {
        if self.defects.len() < MAX_DEFECTS {
            self.defects.push(defect);
        } else {
            self.untold += 1;
        }
    }
}

/// An entry as written: plain texts, unread dates with their rank.
#[derive(Default)]
struct Raw {
    title: String,
    text: String,
    /// As written, and what it is relative to, which its neighbours share.
    link: Option<(String, Rc<Url>)>,
    guid: Option<String>,
    dates: Vec<(u8, String)>,
    language: Option<String>,
    views: Option<i64>,
}

/// Reads a feed of any format.
///
/// # Errors
///
/// When it is not a feed; an item or a detail that cannot be read is a defect.
pub fn parse(body: &[u8], context: &Context) -> Result<Parsed, NotAFeed> {
    let decode::Decoded { text, defect } =
        decode::decode(body, context.content_type.as_deref(), &context.url);
    let document =
        text.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '\u{feff}' | '\0'));
    let mut feed = match document.chars().next() {
        None => return Err(NotAFeed::Nothing),
        Some('{') => json::read(document, &context.url)?,
        Some(_) => feed::read(document, &context.url)?,
    };
    if let Some(defect) = defect {
        feed.defect(defect);
    }
    finish(feed, context)
}

/// Reads a playlist from the answers of YouTube's API: its items, and its videos' counters.
///
/// # Errors
///
/// When an answer is no list.
pub(crate) fn playlist(items: &[u8], videos: &[u8], context: &Context) -> Result<Parsed, NotAFeed> {
    finish(youtube::read(items, videos, &context.url)?, context)
}

/// From a feed as written to entries.
fn finish(mut feed: RawFeed, context: &Context) -> Result<Parsed, NotAFeed> {
    if feed.partial && feed.entries.is_empty() {
        return Err(NotAFeed::Cut);
    }
    feed.language = feed.language.or_else(|| context.content_language.clone());
    if feed.partial {
        feed.defect("the document breaks off; its whole items were kept".to_owned());
    }
    if feed.more {
        feed.defect(format!("only the first {MAX_ENTRIES} items were read"));
    }

    let mut entries = Vec::with_capacity(feed.entries.len());
    for (number, raw) in (1..).zip(std::mem::take(&mut feed.entries)) {
        match entry(raw, &feed.language, context) {
            Ok((entry, defects)) => {
                for defect in defects {
                    feed.defect(format!("item {number}: {defect}"));
                }
                entries.push(entry);
            }
            Err(reason) => feed.defect(format!("item {number}: {reason}")),
        }
    }
    drop_repeated(&mut entries, &mut feed);
    let ambiguous = identity::drop_ambiguous(
        entries.iter_mut().map(|entry| (&mut entry.keys, entry.title.as_str())),
    );
    if ambiguous > 0 {
        feed.defect(format!(
            "{ambiguous} items share a guid or a link with another; it identifies none of them"
        ));
    }
    if feed.untold > 0 {
        feed.defects.push(format!("and {} more", feed.untold));
    }
    Ok(Parsed {
        about: about(&feed),
        entries,
        defects: feed.defects,
        ttl_seconds: feed.ttl_seconds,
        partial: feed.partial,
    })
}

fn about(feed: &RawFeed) -> About {
    let link = feed.link.as_ref().and_then(|(link, base)| address(link, base));
    let language = feed.language.as_deref().map(str::trim).filter(|tag| tag.len() <= MAX_TAG_BYTES);
    About {
        title: text::cut(&feed.title, TITLE_CHARS).into_owned(),
        link: link.map(String::from).unwrap_or_default(),
        language: language.unwrap_or_default().replace('_', "-"),
    }
}

/// Where a link of the web leads to.
fn address(link: &str, base: &Url) -> Option<Url> {
    let on_the_web = |url: &Url| {
        matches!(url.scheme(), "http" | "https") && url.as_str().len() <= MAX_LINK_BYTES
    };
    base.join(link.trim()).ok().filter(on_the_web)
}

fn entry(
    raw: Raw,
    feed_language: &Option<String>,
    context: &Context,
) -> Result<(Entry, Vec<String>), &'static str> {
    let Raw { title, text, link, guid, dates, language, views } = raw;
    if title.is_empty() && text.is_empty() && link.is_none() && guid.is_none() && dates.is_empty() {
        return Err("is empty");
    }
    let mut defects = Vec::new();
    let link = link.and_then(|(link, base)| {
        let address = address(&link, &base);
        if address.is_none() {
            defects.push(format!("the link \"{}\" is not an address", text::cut(&link, 80)));
        }
        address.map(|address| identity::without_tracking(&address))
    });
    let claimed_at = claim(dates, context, &mut defects);
    let lede = text::cut(&text, LEDE_CHARS).into_owned();
    let is_titled = !title.is_empty();
    let title = match is_titled {
        true => text::cut(&title, TITLE_CHARS).into_owned(),
        false => text::first_sentence(&lede),
    };
    let language =
        self::language(language.as_deref(), feed_language.as_deref(), context, &title, &lede);
    let keys = identity::keys(guid.as_deref(), link.as_ref(), &format!("{title}\n{lede}"));
    let mut link = link.map(String::from).unwrap_or_default();
    link.shrink_to_fit();
    Ok((Entry { keys, link, title, is_titled, lede, language, claimed_at, views }, defects))
}

/// The best date that can be read: published, else dated, else changed; of several, the last.
fn claim(
    mut dates: Vec<(u8, String)>,
    context: &Context,
    defects: &mut Vec<String>,
) -> Option<UnixSeconds> {
    dates.reverse();
    dates.sort_by_key(|(rank, _)| *rank);
    for (_, text) in &dates {
        match date::parse(text, context.timezone) {
            None => defects.push(format!("the date \"{}\" cannot be read", text::cut(text, 60))),
            Some(at) if at < EARLIEST_CLAIM => {
                defects.push(format!("the date \"{}\" is a placeholder", text::cut(text, 60)))
            }
            Some(at) => {
                if at > context.now + FUTURE_SECONDS {
                    defects
                        .push(format!("the date \"{}\" lies in the future", text::cut(text, 60)));
                }
                return Some(at);
            }
        }
    }
    None
}

/// The entry's own language; else the feed's, which is often what a template was shipped with: where
/// the source is known to write another, the text itself decides between the two.
fn language(
    entry: Option<&str>,
    feed: Option<&str>,
    context: &Context,
    title: &str,
    lede: &str,
) -> String {
    if let Some(own) = entry.and_then(language_code) {
        return own;
    }
    let text = || format!("{title}. {lede}");
    match (feed.and_then(language_code), context.language.as_str()) {
        (Some(feed), "") => feed,
        (Some(feed), source) if feed == source => feed,
        (Some(feed), source) => match detect(&text(), &[&feed, source]) {
            Some(detected) if detected == feed => feed,
            _ => source.to_owned(),
        },
        (None, "") => detect(&text(), &[]).unwrap_or_default().to_owned(),
        (None, source) => source.to_owned(),
    }
}

/// `cs-CZ`, `CS`, `ces` → `cs`.
fn language_code(tag: &str) -> Option<String> {
    let primary = tag.trim().split(['-', '_']).next()?.to_ascii_lowercase();
    let code = match primary.as_str() {
        // The country instead of the language, and the older codes of ISO 639-2.
        "cz" | "cze" => "cs",
        "slo" => "sk",
        "ger" => "de",
        "fre" => "fr",
        "dut" => "nl",
        code if code.len() == 3 => two_letters(code)?,
        code => code,
    };
    let is_code = code.len() == 2 && code.bytes().all(|byte| byte.is_ascii_lowercase());
    is_code.then(|| code.to_owned())
}

/// One of `among`, or any language; `None` when the text is too short to tell.
fn detect(text: &str, among: &[&str]) -> Option<&'static str> {
    let known = |code: &&str| three_letters(code).and_then(whatlang::Lang::from_code);
    let detector = match among {
        [] => whatlang::Detector::new(),
        _ => whatlang::Detector::with_allowlist(among.iter().filter_map(known).collect()),
    };
    let found = detector.detect(text).filter(whatlang::Info::is_reliable)?;
    two_letters(found.lang().code())
}

/// ISO 639-3 and 639-1 of the languages that can be detected.
const LANGUAGES: &str = "afr=af ara=ar aze=az bel=be bul=bg cat=ca ces=cs cmn=zh cym=cy dan=da deu=de \
    ell=el eng=en epo=eo est=et fin=fi fra=fr heb=he hin=hi hrv=hr hun=hu hye=hy ind=id ita=it jpn=ja \
    kat=ka kor=ko lat=la lav=lv lit=lt mkd=mk nld=nl nob=nb pes=fa pol=pl por=pt ron=ro rus=ru slk=sk \
    slv=sl spa=es srp=sr swe=sv tur=tr ukr=uk vie=vi yid=yi";

fn two_letters(code: &str) -> Option<&'static str> {
    let mut languages = LANGUAGES.split(' ').filter_map(|pair| pair.split_once('='));
    languages.find(|(three, _)| *three == code).map(|(_, two)| two)
}

fn three_letters(code: &str) -> Option<&'static str> {
    let mut languages = LANGUAGES.split(' ').filter_map(|pair| pair.split_once('='));
    languages.find(|(_, two)| *two == code).map(|(three, _)| three)
}

/// An entry that stands twice in a listing stands at its higher place.
fn drop_repeated(entries: &mut Vec<Entry>, feed: &mut RawFeed) {
    let before = entries.len();
    let hasher = RandomState::new();
    let mut seen = HashSet::new();
    entries.retain(|entry| seen.insert(hasher.hash_one((&entry.keys, &entry.title))));
    if entries.len() < before {
        feed.defect(format!("{} items are listed twice", before - entries.len()));
    }
}
