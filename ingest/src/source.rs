//! `sources.toml`: the newsrooms and their feeds. Configuration, not code.
//!
//! ```toml
//! [[newsroom]]
//! slug = "denik-obzor"
//! name = "Deník Obzor"
//! homepage = "https://obzor.example/"
//! owner = "Obzor Media"            # optional: unknown is never guessed
//! country = "CZ"
//! language = "cs"
//! timezone = "Europe/Prague"       # optional, UTC: of times that a feed gives without a zone
//! weight = 0.5                     # optional, 1: any other weight needs its reason
//! weight_reason = "Reprints only"
//!
//! [[newsroom.source]]
//! section = "Sport"                # optional, needed when there are several
//! slug = "denik-obzor-sport"       # optional: newsroom's slug, then the section
//! url = "https://obzor.example/sport.xml"
//! kind = "feed"                    # optional: feed, video, or channel: a page of posts for readers' feeds
//!
//! [[newsroom.source]]
//! section = "Channel"
//! service = "pages"                # instead of url and kind: a channel of a service,
//! channel = "denik_obzor"          # by the name that it has there
//!
//! [[service]]                      # who has the pages of many channels, each at base + name
//! slug = "pages"
//! base = "https://pages.example/channels/"
//! ```

mod codes;
mod fields;

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::path::Path;

use chrono_tz::Tz;
use model::SourceKind;
use store::{NewsroomEntry, SourceEntry};
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use unicode_normalization::UnicodeNormalization;
use url::Url;

use crate::youtube;
use codes::{COUNTRIES, LANGUAGES};
use fields::{Faults, Fields, once};

/// The newsrooms that are collected, as configured.
#[derive(Clone, Debug, PartialEq)]
pub struct Catalogue {
    pub newsrooms: Vec<NewsroomConfig>,
}

/// One editorial unit.
#[derive(Clone, Debug, PartialEq)]
pub struct NewsroomConfig {
    pub slug: String,
    pub name: String,
    pub homepage: String,
    pub owner: Option<String>,
    /// ISO 3166-1 alpha-2.
    pub country: String,
    /// ISO 639-1.
    pub language: String,
    /// Of the times that its feeds give without a zone.
    pub timezone: Tz,
    pub weight: f64,
    pub weight_reason: Option<String>,
    /// Never empty.
    pub sources: Vec<SourceConfig>,
}

/// One feed of a newsroom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceConfig {
    pub slug: String,
    /// Empty for a newsroom's only feed.
    pub section: String,
    pub url: String,
    pub kind: SourceKind,
}

impl Catalogue {
    /// Reads `text`; `file` is what errors call it.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it, each with its line.
    pub fn parse(file: &str, text: &str) -> Result<Self, SourceError> {
        let mut faults = Faults { file, text, found: Vec::new() };
        let newsrooms = match DeTable::parse(text) {
            Ok(document) => newsrooms(&document, &mut faults),
            Err(error) => {
                faults.add(error.span().unwrap_or_default(), error.message());
                Vec::new()
            }
        };
        faults.into_result().map(|()| Self { newsrooms })
    }

    /// Reads the file at `path`.
    ///
    /// # Errors
    ///
    /// When it cannot be read, or everything that is wrong with it.
    pub fn read(path: &Path) -> Result<Self, SourceError> {
        let file = path.display().to_string();
        match std::fs::read_to_string(path) {
            Ok(text) => Self::parse(&file, &text),
            Err(error) => Err(SourceError(vec![format!("{file}: cannot be read: {error}")])),
        }
    }

    /// As the store mirrors it.
    #[must_use]
    pub fn entries(&self) -> Vec<NewsroomEntry> {
        self.newsrooms
            .iter()
            .map(|newsroom| NewsroomEntry {
                slug: newsroom.slug.clone(),
                name: newsroom.name.clone(),
                homepage: newsroom.homepage.clone(),
                owner: newsroom.owner.clone(),
                country: newsroom.country.clone(),
                language: newsroom.language.clone(),
                weight: newsroom.weight,
                weight_reason: newsroom.weight_reason.clone(),
                sources: newsroom
                    .sources
                    .iter()
                    .map(|source| SourceEntry {
                        slug: source.slug.clone(),
                        section: source.section.clone(),
                        url: source.url.clone(),
                        kind: source.kind,
                    })
                    .collect(),
            })
            .collect()
    }
}

/// All that is wrong with a `sources.toml`, one line each: file, line, reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceError(Vec<String>);

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

impl std::error::Error for SourceError {}

fn newsrooms(document: &Spanned<DeTable<'_>>, faults: &mut Faults<'_>) -> Vec<NewsroomConfig> {
    let top = Fields { what: "the file".to_owned(), table: document.get_ref(), span: 0..0 };
    top.only(&["newsroom", "service"], faults);
    let tables = top.tables("newsroom", faults);
    if tables.is_empty() {
        faults.add(0..0, "no [[newsroom]] is listed");
    }
    let mut seen = Seen { services: services(&top, faults), ..Seen::default() };
    tables.into_iter().filter_map(|table| newsroom(table, &mut seen, faults)).collect()
}

/// The services' bases by their slugs.
fn services(top: &Fields<'_, '_>, faults: &mut Faults<'_>) -> HashMap<String, Option<Url>> {
    let (mut services, mut lines) = (HashMap::new(), HashMap::new());
    for table in top.tables("service", faults) {
        let Some(fields) = Fields::of(table, "service".to_owned(), faults) else { continue };
        fields.only(&["slug", "base"], faults);
        let base = fields.required("base", faults).and_then(|(base, span)| {
            let address = web_address(&fields, &base, &span, faults)?;
            let plain = address.query().is_none() && address.fragment().is_none();
            let reason = || format!("\"{base}\" must end with a slash, behind which names are set");
            fields.check(plain && address.path().ends_with('/'), &span, reason, faults);
            Some(address)
        });
        let Some((slug, span)) = fields.required("slug", faults) else { continue };
        fields.check(slug_is_valid(&slug), &span, || slug_fault(&slug), faults);
        once(&mut lines, &slug, &span, &format!("service \"{slug}\""), faults);
        services.insert(slug, base);
    }
    services
}

/// What is known of the file so far: the bases of its services (`None` is at fault), and what must not
/// occur twice, with the line where it stands.
#[derive(Default)]
struct Seen {
    services: HashMap<String, Option<Url>>,
    newsrooms: HashMap<String, usize>,
    sources: HashMap<String, usize>,
    urls: HashMap<String, usize>,
}

fn newsroom(
    table: &Spanned<DeValue<'_>>,
    seen: &mut Seen,
    faults: &mut Faults<'_>,
) -> Option<NewsroomConfig> {
    let mut fields = Fields::of(table, "newsroom".to_owned(), faults)?;
    if let Some(slug) = fields.get("slug").and_then(|value| value.get_ref().as_str()) {
        fields.what = format!("newsroom \"{slug}\"");
    }
    fields.only(
        &[
            "slug",
            "name",
            "homepage",
            "owner",
            "country",
            "language",
            "timezone",
            "weight",
            "weight_reason",
            "source",
        ],
        faults,
    );

    let slug = fields.required("slug", faults);
    if let Some((slug, span)) = &slug {
        fields.check(slug_is_valid(slug), span, || slug_fault(slug), faults);
        once(&mut seen.newsrooms, slug, span, &fields.what, faults);
    }
    let name = fields.required("name", faults);
    let homepage = fields.required("homepage", faults);
    if let Some((homepage, span)) = &homepage {
        web_address(&fields, homepage, span, faults);
    }
    let country = fields.required("country", faults);
    if let Some((country, span)) = &country {
        let known = COUNTRIES.split(' ').any(|code| code == country);
        fields.check(
            known,
            span,
            || format!("country \"{country}\" is not an ISO 3166-1 code such as \"CZ\""),
            faults,
        );
    }
    let language = fields.required("language", faults);
    if let Some((language, span)) = &language {
        let known = LANGUAGES.split(' ').any(|code| code == language);
        fields.check(
            known,
            span,
            || format!("language \"{language}\" is not an ISO 639-1 code such as \"cs\""),
            faults,
        );
    }
    let timezone = match fields.text("timezone", faults) {
        None => Tz::UTC,
        Some((name, span)) => name.parse().unwrap_or_else(|_| {
            let reason = format!("timezone \"{name}\" is not a name such as \"Europe/Prague\"");
            fields.fault(&span, reason, faults);
            Tz::UTC
        }),
    };
    let weight_reason = fields.text("weight_reason", faults).map(|(reason, _)| reason);
    let (weight, weight_span) = fields.number("weight", faults).unwrap_or((1.0, 0..0));
    fields.check(
        weight.is_finite() && weight > 0.0,
        &weight_span,
        || format!("weight {weight} is not a positive number"),
        faults,
    );
    fields.check(
        weight == 1.0 || weight_reason.is_some(),
        &weight_span,
        || format!("weight {weight} needs a weight_reason"),
        faults,
    );
    let owner = fields.text("owner", faults).map(|(owner, _)| owner);

    let tables = fields.tables("source", faults);
    if tables.is_empty() {
        fields.fault(&fields.span, "has no [[newsroom.source]]".to_owned(), faults);
    }
    let several = tables.len() > 1;
    let newsroom_slug = slug.as_ref().map(|(slug, _)| slug.clone()).unwrap_or_default();
    let sources = tables
        .into_iter()
        .filter_map(|table| source(table, &newsroom_slug, several, seen, faults))
        .collect();

    Some(NewsroomConfig {
        slug: slug?.0,
        name: name?.0,
        homepage: homepage?.0,
        owner,
        country: country?.0,
        language: language?.0,
        timezone,
        weight,
        weight_reason,
        sources,
    })
}

fn source(
    table: &Spanned<DeValue<'_>>,
    newsroom: &str,
    several: bool,
    seen: &mut Seen,
    faults: &mut Faults<'_>,
) -> Option<SourceConfig> {
    let fields = Fields::of(table, format!("newsroom \"{newsroom}\": source"), faults)?;
    fields.only(&["slug", "section", "url", "kind", "service", "channel"], faults);

    let section = fields.text("section", faults).map(|(section, _)| section);
    let slug = match fields.text("slug", faults) {
        Some((slug, span)) => {
            fields.check(slug_is_valid(&slug), &span, || slug_fault(&slug), faults);
            (slug, span)
        }
        None => {
            let named = section.is_some() || !several;
            let reason = || "one of several needs a section or a slug".to_owned();
            fields.check(named, &fields.span, reason, faults);
            let parts = [newsroom, section.as_deref().unwrap_or_default()];
            (slug_of(&parts.join(" ")), fields.span.clone())
        }
    };
    once(&mut seen.sources, &slug.0, &slug.1, &format!("source \"{}\"", slug.0), faults);

    let hosted = fields.get("service").is_some() || fields.get("channel").is_some();
    let (url, kind) = if hosted {
        (of_service(&fields, &seen.services, faults), SourceKind::Channel)
    } else {
        of_its_own(&fields, faults)
    };
    if let Some((url, span)) = &url
        && let Ok(address) = Url::parse(url)
    {
        once(&mut seen.urls, address.as_str(), span, &format!("address {address}"), faults);
    }
    Some(SourceConfig { slug: slug.0, section: section.unwrap_or_default(), url: url?.0, kind })
}

/// An address and where it stands.
type Address = (String, Range<usize>);

/// Address of a service's channel: its name behind the base.
fn of_service(
    fields: &Fields<'_, '_>,
    services: &HashMap<String, Option<Url>>,
    faults: &mut Faults<'_>,
) -> Option<Address> {
    for key in ["url", "kind"] {
        if let Some(value) = fields.get(key) {
            let reason = format!("a channel of a service has no {key} of its own: leave it out");
            fields.fault(&value.span(), reason, faults);
        }
    }
    let service = fields.required("service", faults);
    let channel = fields.required("channel", faults);
    let ((service, service_span), (channel, span)) = (service?, channel?);
    let Some(base) = services.get(&service) else {
        let reason = format!("service \"{service}\" is not listed: write [[service]]");
        fields.fault(&service_span, reason, faults);
        return None;
    };
    let mut address = base.clone()?;
    let named = channel != "." && channel != ".." && !channel.contains(char::is_control);
    fields.check(named, &span, || format!("{channel:?} is no channel's name"), faults);
    address.path_segments_mut().ok()?.pop_if_empty().push(&channel);
    Some((address.into(), span))
}

/// Address and kind of a source that gives its address.
fn of_its_own(fields: &Fields<'_, '_>, faults: &mut Faults<'_>) -> (Option<Address>, SourceKind) {
    let url = fields.required("url", faults);
    let address = url.as_ref().and_then(|(url, span)| web_address(fields, url, span, faults));
    let kind = match fields.text("kind", faults) {
        None => SourceKind::Feed,
        Some((kind, span)) => match kind.as_str() {
            "feed" => SourceKind::Feed,
            "video" => SourceKind::Video,
            "channel" => SourceKind::Channel,
            _ => {
                fields.fault(
                    &span,
                    format!("kind \"{kind}\" is none of \"feed\", \"video\" and \"channel\""),
                    faults,
                );
                SourceKind::Feed
            }
        },
    };
    if let Some((url, span)) = &url
        && kind != SourceKind::Video
        && address.as_ref().is_some_and(|address| youtube::playlist(address).is_some())
    {
        fields.fault(span, format!("\"{url}\" is a playlist: write kind = \"video\""), faults);
    }
    (address.and(url), kind)
}

fn web_address(
    fields: &Fields<'_, '_>,
    text: &str,
    span: &Range<usize>,
    faults: &mut Faults<'_>,
) -> Option<Url> {
    let reason = match Url::parse(text) {
        Ok(url) if !matches!(url.scheme(), "http" | "https") => {
            format!("\"{text}\" is not an http or https address")
        }
        Ok(url) if !url.username().is_empty() || url.password().is_some() => {
            format!("\"{text}\" holds a user name or a password")
        }
        Ok(url) => return Some(url),
        Err(error) => format!("\"{text}\" is not an address: {error}"),
    };
    fields.fault(span, reason, faults);
    None
}

fn slug_is_valid(slug: &str) -> bool {
    let words = |character: char| matches!(character, 'a'..='z' | '0'..='9' | '-');
    !slug.is_empty() && slug.len() <= 80 && slug.chars().all(words) && slug == slug_of(slug)
}

fn slug_fault(slug: &str) -> String {
    format!("slug \"{slug}\" must be words of a–z and 0–9, joined by single hyphens")
}

/// Lower-case ASCII words joined by hyphens.
fn slug_of(text: &str) -> String {
    let ascii: String = text.nfd().filter(char::is_ascii).collect::<String>().to_lowercase();
    let words = ascii.split(|character: char| !character.is_ascii_alphanumeric());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"
[[newsroom]]
slug = "denik-obzor"
name = "Deník Obzor"
homepage = "https://obzor.example/"
owner = "Obzor Media"
country = "CZ"
language = "cs"
timezone = "Europe/Prague"
weight = 0.5
weight_reason = "Reprints only"
[[newsroom.source]]
section = "Domácí zprávy"
url = "https://obzor.example/domaci.xml"
[[newsroom.source]]
slug = "obzor-video"
section = "Video"
url = "https://video.obzor.example/feed"
kind = "video"

[[newsroom]]
slug = "herald"
name = "Herald"
homepage = "https://herald.example/"
country = "GB"
language = "en"
[[newsroom.source]]
slug = "herald"
url = "https://herald.example/feed.json"
[[newsroom.source]]
section = "Channel"
service = "pages"
channel = "Herald/news 1"

[[service]]
slug = "pages"
base = "https://pages.example/channels/"
"#;

    #[test]
    fn a_catalogue_is_read_with_its_defaults() {
        let catalogue = Catalogue::parse("sources.toml", GOOD).unwrap();
        let [obzor, herald] = &catalogue.newsrooms[..] else { panic!("{catalogue:?}") };
        assert_eq!(obzor.timezone, chrono_tz::Europe::Prague);
        assert_eq!(obzor.weight, 0.5);
        assert_eq!(obzor.sources[0].slug, "denik-obzor-domaci-zpravy");
        assert_eq!(obzor.sources[1].slug, "obzor-video");
        assert_eq!(obzor.sources[1].kind, SourceKind::Video);
        assert_eq!((herald.timezone, herald.weight), (Tz::UTC, 1.0));
        assert_eq!((herald.owner.as_deref(), herald.sources[0].slug.as_str()), (None, "herald"));
        let channel = &herald.sources[1];
        assert_eq!((channel.slug.as_str(), channel.kind), ("herald-channel", SourceKind::Channel));
        assert_eq!(channel.url, "https://pages.example/channels/Herald%2Fnews%201");
        assert_eq!(catalogue.entries()[0].sources[1].slug, "obzor-video");
    }

    #[test]
    fn every_fault_is_told_with_its_line() {
        let source = "[[newsroom.source]]\nurl = \"https://a.example/\"\n";
        let newsroom = |more: &str| {
            format!(
                "[[newsroom]]\nslug = \"a\"\nname = \"A\"\nhomepage = \"https://a.example/\"\n\
                 country = \"CZ\"\nlanguage = \"cs\"\n{more}\n"
            )
        };
        for (text, expected) in [
            (String::new(), "f:1: no [[newsroom]] is listed"),
            ("[[newsroom]\n".to_owned(), "f:1: "),
            (
                "newsrom = 1\n".to_owned(),
                "f:1: the file: unknown key \"newsrom\"; known are newsroom, service",
            ),
            (newsroom(""), "f:1: newsroom \"a\": has no [[newsroom.source]]"),
            (newsroom("colour = 1"), "f:7: newsroom \"a\": unknown key \"colour\""),
            (newsroom("weight = 2"), "f:7: newsroom \"a\": weight 2 needs a weight_reason"),
            (newsroom("weight = -1"), "f:7: newsroom \"a\": weight -1 is not a positive number"),
            (newsroom("weight = \"2\""), "f:7: newsroom \"a\": weight is not a number"),
            (newsroom("timezone = \"Praha\""), "f:7: newsroom \"a\": timezone \"Praha\" is not"),
            (newsroom("owner = \"\""), "f:7: newsroom \"a\": owner is empty"),
            (newsroom("source = 1"), "f:7: newsroom \"a\": source is not a list"),
            (
                "[[newsroom]]\nslug = \"A b\"\n".to_owned(),
                "f:2: newsroom \"A b\": slug \"A b\" must be",
            ),
            ("[[newsroom]]\nslug = \"a\"\n".to_owned(), "f:1: newsroom \"a\": name is missing"),
            ("[[newsroom]]\ncountry = \"UK\"\n".to_owned(), "f:2: newsroom: country \"UK\" is not"),
            (
                "[[newsroom]]\nlanguage = \"cz\"\n".to_owned(),
                "f:2: newsroom: language \"cz\" is not",
            ),
            (
                newsroom(&format!("{source}{source}")),
                "f:9: newsroom \"a\": source: one of several needs a section or a slug",
            ),
            (
                newsroom(&format!("{source}{source}")),
                "f:10: address https://a.example/ is listed twice, first in line 8",
            ),
            (
                newsroom(source) + &newsroom(source),
                "f:11: newsroom \"a\" is listed twice, first in line 2",
            ),
            (
                newsroom("[[newsroom.source]]\nurl = \"ftp://a.example/\""),
                "f:8: newsroom \"a\": source: \"ftp://a.example/\" is not an http or https address",
            ),
            (
                newsroom("[[newsroom.source]]\nurl = \"feed.xml\""),
                "f:8: newsroom \"a\": source: \"feed.xml\" is not an address",
            ),
            (
                newsroom("[[newsroom.source]]\nurl = \"https://a.example/\"\nkind = \"page\""),
                "f:9: newsroom \"a\": source: kind \"page\" is none of",
            ),
            (
                newsroom(
                    "[[newsroom.source]]\nurl = \"https://www.youtube.com/playlist?list=UUa\"",
                ),
                "f:8: newsroom \"a\": source: \"https://www.youtube.com/playlist?list=UUa\" is a playlist",
            ),
            (
                newsroom("[[newsroom.source]]\nurl = \"https://me:key@a.example/\""),
                "f:8: newsroom \"a\": source: \"https://me:key@a.example/\" holds a user name",
            ),
            (
                newsroom("[[newsroom.source]]\nsection = \"A\""),
                "f:7: newsroom \"a\": source: url is missing",
            ),
            (
                newsroom("[[newsroom.source]]\nzip = 1"),
                "f:8: newsroom \"a\": source: unknown key \"zip\"; known are slug,",
            ),
            (
                newsroom("[[newsroom.source]]\nslug = \"A\""),
                "f:8: newsroom \"a\": source: slug \"A\" must be",
            ),
            (
                newsroom("[[newsroom.source]]\nslug = \"b\"\n[[newsroom.source]]\nslug = \"b\""),
                "f:10: source \"b\" is listed twice, first in line 8",
            ),
            (
                newsroom("[[newsroom.source]]\nservice = \"s\"\nchannel = \"c\""),
                "f:8: newsroom \"a\": source: service \"s\" is not listed",
            ),
            (
                newsroom("[[newsroom.source]]\nchannel = \"c\"\nkind = \"channel\""),
                "f:7: newsroom \"a\": source: service is missing",
            ),
            (
                newsroom("[[newsroom.source]]\nservice = \"s\"\nurl = \"https://a.example/\""),
                "f:9: newsroom \"a\": source: a channel of a service has no url of its own",
            ),
            (
                newsroom(
                    "[[newsroom.source]]\nservice = \"s\"\nchannel = \"..\"\n\
                     [[service]]\nslug = \"s\"\nbase = \"https://s.example/\"",
                ),
                "f:9: newsroom \"a\": source: \"..\" is no channel's name",
            ),
            (
                newsroom(
                    "[[newsroom.source]]\nservice = \"s\"\nchannel = \".\\t.\"\n\
                     [[service]]\nslug = \"s\"\nbase = \"https://s.example/\"",
                ),
                "f:9: newsroom \"a\": source: \".\\t.\" is no channel's name",
            ),
            (
                "[[service]]\nslug = \"s\"\nbase = \"https://s.example/page\"\n".to_owned(),
                "f:3: service: \"https://s.example/page\" must end with a slash",
            ),
            (
                "[[service]]\nslug = \"s\"\nbase = \"s.example\"\n".to_owned(),
                "f:3: service: \"s.example\" is not an address",
            ),
            (
                "[[service]]\nslug = \"s\"\n[[service]]\nslug = \"s\"\n".to_owned(),
                "f:4: service \"s\" is listed twice, first in line 2",
            ),
            ("[[service]]\nslug = \"s\"\n".to_owned(), "f:1: service: base is missing"),
            (newsroom("source = [1]"), "f:7: newsroom \"a\": source is not a table"),
            ("newsroom = 1\n".to_owned(), "f:1: the file: newsroom is not a list"),
            ("newsroom = [\n1]\n".to_owned(), "f:2: newsroom is not a table"),
            ("[[newsroom]]\n\nname = 1\n".to_owned(), "f:3: newsroom: name is not a text"),
            (
                "[[newsroom]]\nhomepage = \"a.example\"\n".to_owned(),
                "f:2: newsroom: \"a.example\" is not an address",
            ),
            (newsroom("weight = inf"), "f:7: newsroom \"a\": weight inf is not a positive number"),
            (newsroom("owner = [\n"), "f:"),
        ] {
            let error = Catalogue::parse("f", &text).unwrap_err().to_string();
            let told = error.lines().any(|line| line.starts_with(expected));
            assert!(told, "expected {expected:?} in:\n{error}\nof:\n{text}");
        }
    }

    #[test]
    fn all_faults_are_told_at_once_in_the_order_of_the_file() {
        let text =
            "[[newsroom]]\nslug = \"a\"\nweight = 3\n\n[[newsroom]]\nslug = \"a\"\nzip = 1\n";
        let error = Catalogue::parse("f", text).unwrap_err().to_string();
        let lines: Vec<&str> = error.lines().filter_map(|line| line.split(':').nth(1)).collect();
        assert!(lines.len() >= 5, "{error}");
        assert!(lines.is_sorted_by_key(|line| line.parse::<u32>().unwrap()), "{error}");
    }

    #[test]
    fn a_missing_file_is_named() {
        let error = Catalogue::read(Path::new("/nowhere/sources.toml")).unwrap_err().to_string();
        assert!(error.starts_with("/nowhere/sources.toml: cannot be read: "), "{error}");
    }
}
