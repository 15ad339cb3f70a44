//! Lists of feeds, as readers' programs exchange them (<http://opml.org/spec2.opml>).

use std::collections::{HashMap, HashSet};

use encoding_rs::UTF_8;
use model::{Newsroom, Snapshot, SourceKind, SourceReport};
use quick_xml::escape::escape;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use super::{Asked, source_name};
use crate::context::address;
use crate::parts::plain;
use crate::{FeedQuery, Locale};

/// Outlines that a list may have.
const OUTLINES: usize = 5_000;

/// What a list of feeds has in common with the sources.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matched {
    /// Usernames in the order of the list, each once.
    pub channels: Vec<String>,
    /// Feeds of the list that are not collected here.
    pub unknown: usize,
}

/// Why a file is no list of feeds that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpmlError {
    #[error("no file was sent in the field opml")]
    Missing,
    #[error("the file is larger than 1 MiB")]
    Large,
    #[error("the list has more than 5,000 outlines")]
    Long,
    #[error("no outline of the list has an address")]
    Empty,
    #[error("the file holds no outline of OPML")]
    Unreadable,
}

/// The chosen channels as OPML 2.0; those that are not known are left out. Programs know nothing of
/// pages of posts, so that such a channel goes by our feed of it.
#[must_use]
pub fn opml(asked: &Asked, query: &FeedQuery, snapshot: &Snapshot) -> String {
    let t = asked.locale.texts();
    let written = |text: &str| escape(plain(text)).into_owned();
    let reports: HashMap<&str, &SourceReport> =
        snapshot.sources.iter().map(|report| (report.source.slug.as_str(), report)).collect();
    let chosen = query.channels.iter().filter_map(|slug| reports.get(slug.as_str()));
    let outlines: String = chosen
        .map(|report| {
            let newsroom = snapshot.newsroom(report.source.newsroom);
            let homepage = newsroom.map_or("", |newsroom| &newsroom.homepage);
            let source = &report.source;
            let feed = match source.kind {
                SourceKind::Channel => own_feed(asked.origin, asked.locale, &source.slug),
                SourceKind::Feed | SourceKind::Video => source.url.clone(),
            };
            format!(
                "<outline text=\"{}\" type=\"rss\" xmlUrl=\"{}\" htmlUrl=\"{}\"/>\n",
                written(&source_name(report, newsroom)),
                written(&feed),
                written(homepage),
            )
        })
        .collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<opml version=\"2.0\">\n\
         <head><title>{} – {}</title></head>\n<body>\n{outlines}</body>\n</opml>\n",
        t.site, t.feed_page.title
    )
}

/// Our feed of one channel.
fn own_feed(origin: &str, locale: Locale, slug: &str) -> String {
    let channel = [("channel", slug.to_owned())];
    format!("{origin}{}", address(&locale.path("/feed.atom"), &channel))
}

/// Finds the feeds of a list among the sources: by a feed's own address or ours of it, else by its
/// homepage.
///
/// # Errors
///
/// When the text holds no outline, none with an address, or too many.
pub fn opml_channels(text: &[u8], origin: &str, snapshot: &Snapshot) -> Result<Matched, OpmlError> {
    let known = Known::of(origin, snapshot);
    let (mut matched, mut seen) = (Matched::default(), HashSet::new());
    for outline in outlines(text)? {
        match known.find(&outline) {
            Some(slug) if seen.insert(slug) => matched.channels.push(slug.to_owned()),
            Some(_) => {}
            None => matched.unknown += 1,
        }
    }
    Ok(matched)
}

/// Addresses of a feed in a list.
#[derive(Default)]
struct Outline {
    feed: Option<String>,
    homepage: Option<String>,
}

/// The outlines with an address, at any depth; a document that breaks off counts as far as it goes.
fn outlines(text: &[u8]) -> Result<Vec<Outline>, OpmlError> {
    // Addresses are ASCII in any encoding but UTF-16, which begins with a mark.
    let (text, ..) = UTF_8.decode(text);
    let mut reader = Reader::from_str(&text);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.allow_dangling_amp = true;
    let (mut count, mut outlines) = (0, Vec::new());
    while let Ok(event) = reader.read_event() {
        let element = match event {
            Event::Start(element) | Event::Empty(element) => element,
            Event::Eof => break,
            _ => continue,
        };
        if !element.local_name().as_ref().eq_ignore_ascii_case("outline") {
            continue;
        }
        count += 1;
        if count > OUTLINES {
            return Err(OpmlError::Long);
        }
        let outline = outline(&element);
        if outline.feed.is_some() || outline.homepage.is_some() {
            outlines.push(outline);
        }
    }
    match (count, outlines.is_empty()) {
        (0, _) => Err(OpmlError::Unreadable),
        (_, true) => Err(OpmlError::Empty),
        _ => Ok(outlines),
    }
}

fn outline(element: &BytesStart) -> Outline {
    let mut outline = Outline::default();
    for attribute in element.attributes().with_checks(false).flatten() {
        let key = attribute.key.as_ref();
        let field = if key.eq_ignore_ascii_case("xmlUrl") {
            &mut outline.feed
        } else if key.eq_ignore_ascii_case("htmlUrl") {
            &mut outline.homepage
        } else {
            continue;
        };
        // Only XML's own five entities are known; an address with a bare ampersand stands as it is.
        let value = attribute.normalized_value(XmlVersion::Implicit1_0);
        let value = value.unwrap_or_else(|_| attribute.value.clone());
        *field = Some(value.trim().to_owned()).filter(|value| !value.is_empty());
    }
    outline
}

/// Usernames of the sources by their addresses, and of newsrooms' main feeds by their homepages.
struct Known<'a> {
    feeds: HashMap<String, &'a str>,
    homepages: HashMap<String, &'a str>,
}

impl<'a> Known<'a> {
    fn of(origin: &str, snapshot: &'a Snapshot) -> Self {
        let newsrooms: HashMap<_, &Newsroom> =
            snapshot.newsrooms.iter().map(|newsroom| (newsroom.id, newsroom)).collect();
        let mut reports: Vec<&SourceReport> = snapshot.sources.iter().collect();
        reports.sort_by_key(|report| {
            (report.source.kind != SourceKind::Feed, !report.source.section.is_empty())
        });
        let (mut feeds, mut homepages) = (HashMap::new(), HashMap::new());
        for report in reports {
            let slug = report.source.slug.as_str();
            for address in [Some(&report.source.url), report.moved_to.as_ref()] {
                feeds.entry(bare(address.map_or("", String::as_str))).or_insert(slug);
            }
            for locale in [Locale::Cs, Locale::En] {
                feeds.entry(bare(&own_feed(origin, locale, slug))).or_insert(slug);
            }
            if let Some(newsroom) = newsrooms.get(&report.source.newsroom) {
                homepages.entry(bare(&newsroom.homepage)).or_insert(slug);
            }
        }
        feeds.remove("");
        homepages.remove("");
        Self { feeds, homepages }
    }

    fn find(&self, outline: &Outline) -> Option<&'a str> {
        let by = |known: &HashMap<String, &'a str>, address: &Option<String>| {
            known.get(&bare(address.as_deref()?)).copied()
        };
        by(&self.feeds, &outline.feed).or_else(|| by(&self.homepages, &outline.homepage))
    }
}

/// An address without what does not tell one feed from another: scheme, `www.` and the slash at its
/// end.
fn bare(address: &str) -> String {
    let address = match address.split_once("://") {
        Some((scheme, rest)) if scheme.bytes().all(|b| b.is_ascii_alphanumeric()) => rest,
        _ => address,
    };
    let (host, path) = address.split_at(address.find(['/', '?']).unwrap_or(address.len()));
    let host = host.to_lowercase();
    let host = host.strip_prefix("www.").unwrap_or(&host);
    format!("{host}{}", path.trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Locale, fixture};

    const ORIGIN: &str = "https://ohlas.example";

    fn read(text: &str) -> Result<Matched, OpmlError> {
        opml_channels(text.as_bytes(), ORIGIN, &fixture::snapshot())
    }

    fn matched(channels: &[&str], unknown: usize) -> Result<Matched, OpmlError> {
        let channels = channels.iter().map(|&channel| channel.to_owned()).collect();
        Ok(Matched { channels, unknown })
    }

    #[test]
    fn a_list_is_written_and_read_back() {
        let mut snapshot = fixture::snapshot();
        snapshot.newsrooms[0].name = "A & B <\"noviny\">\u{7}".into();
        let query = FeedQuery::of_address("channel=zdroj-2&channel=none&channel=zdroj-1");
        let asked = Asked { origin: ORIGIN, locale: Locale::Cs, query: "" };
        let list = opml(&asked, &query, &snapshot);
        let read = opml_channels(list.as_bytes(), ORIGIN, &snapshot);
        assert_eq!(read, matched(&["zdroj-2", "zdroj-1"], 0));
        assert!(
            list.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<opml version=\"2.0\">")
        );
        assert!(list.contains("type=\"rss\" xmlUrl=\"https://n1.example/rss\" htmlUrl=\"https://agentura-a.example/\"/>"), "{list}");
        assert!(list.contains("text=\"A &amp; B &lt;&quot;noviny&quot;&gt;\""), "{list}");
    }

    #[test]
    fn a_page_of_posts_goes_by_our_feed_of_it() {
        let mut snapshot = fixture::snapshot();
        snapshot.sources[2].source.kind = SourceKind::Channel;
        let query = FeedQuery::of_address("channel=zdroj-3&channel=zdroj-1");
        for (locale, feed) in [(Locale::Cs, "/feed.atom"), (Locale::En, "/en/feed.atom")] {
            let list = opml(&Asked { origin: ORIGIN, locale, query: "" }, &query, &snapshot);
            let outline = format!("type=\"rss\" xmlUrl=\"{ORIGIN}{feed}?channel=zdroj-3\"");
            assert!(list.contains(&outline), "{list}");
            let read = opml_channels(list.as_bytes(), ORIGIN, &snapshot);
            assert_eq!(read, matched(&["zdroj-3", "zdroj-1"], 0));
            // Of another site it is a feed like any other.
            let elsewhere = list.replace(ORIGIN, "https://other.example").replace("htmlUrl", "x");
            let read = opml_channels(elsewhere.as_bytes(), ORIGIN, &snapshot);
            assert_eq!(read, matched(&["zdroj-1"], 1));
        }
    }

    #[test]
    fn lists_are_read_in_the_encodings_in_which_programs_write_them() {
        let list = "<?xml version=\"1.0\" encoding=\"utf-16\"?>\r\n<opml><body>\
                    <outline text=\"Deník Ř\" xmlUrl=\"n1.example/rss\"/></body></opml>";
        let utf16 = |bytes: fn(u16) -> [u8; 2]| {
            format!("\u{feff}{list}").encode_utf16().flat_map(bytes).collect::<Vec<_>>()
        };
        let latin2 = list.replace("Ř", "?").replace('í', "?").replace("utf-16", "iso-8859-2");
        let latin2: Vec<u8> =
            latin2.bytes().map(|byte| if byte == b'?' { 0xd8 } else { byte }).collect();
        for bytes in [
            utf16(u16::to_le_bytes),
            utf16(u16::to_be_bytes),
            format!("\u{feff}{list}").into_bytes(),
            latin2,
        ] {
            let read = opml_channels(&bytes, ORIGIN, &fixture::snapshot());
            assert_eq!(read, matched(&["zdroj-1"], 0), "{:?}", &bytes[..8]);
        }
    }

    #[test]
    fn feeds_are_found_however_they_are_written() {
        for (outline, found) in [
            (r#"<outline xmlUrl="https://n1.example/rss"/>"#, Some("zdroj-1")),
            (r#"<OUTLINE XMLURL='http://WWW.N1.example/rss/'></OUTLINE>"#, Some("zdroj-1")),
            (r#"<outline xmlurl="feed://n2.example/rss" text="&nic;"/>"#, Some("zdroj-2")),
            (r#"<outline htmlUrl="http://denik-b.example"/>"#, Some("zdroj-2")),
            (
                r#"<outline xmlUrl="https://x.example/?a=1&b=2" htmlUrl="denik-b.example/"/>"#,
                Some("zdroj-2"),
            ),
            (r#"<outline text="s"><outline><outline xmlUrl="n4.example/rss"/>"#, Some("zdroj-3")),
            (r#"<outline xmlUrl="https://n1.example/RSS"/>"#, None),
            (r#"<outline xmlUrl="https://n1.example/rss?x=1"/>"#, None),
        ] {
            let list = format!("<opml version=\"1.0\"><body>{outline}</body></opml>");
            let expected = match found {
                Some(slug) => matched(&[slug], 0),
                None => matched(&[], 1),
            };
            assert_eq!(read(&list), expected, "{outline}");
        }
        let twice = r#"<opml><outline xmlUrl="n1.example/rss"/><outline xmlUrl="https://n1.example/rss/"/>"#;
        assert_eq!(read(twice), matched(&["zdroj-1"], 0));
    }

    #[test]
    fn what_is_no_list_is_refused() {
        for nonsense in ["", "{}", "PK\u{3}\u{4}", "<rss><channel/></rss>", "<outlines/>", "\0\0"] {
            assert_eq!(read(nonsense), Err(OpmlError::Unreadable), "{nonsense:?}");
        }
        for nowhere in ["<outline/>", r#"<outline text="a"><outline xmlUrl=" "/></outline>"#] {
            assert_eq!(
                read(&format!("<opml>{nowhere}</opml>")),
                Err(OpmlError::Empty),
                "{nowhere}"
            );
        }
        let many = "<outline>".repeat(OUTLINES);
        assert_eq!(read(&many), Err(OpmlError::Empty));
        assert_eq!(read(&format!("{many}<outline/>")), Err(OpmlError::Long));
    }

    /// Nothing is expanded, so nothing can grow.
    #[test]
    fn entities_of_a_document_stay_closed() {
        let list = r#"<!DOCTYPE opml [<!ENTITY a "n1.example/rss"><!ENTITY b SYSTEM "file:///etc/passwd">]>
            <opml><outline xmlUrl="&a;"/><outline xmlUrl="&b;"/></opml>"#;
        assert_eq!(read(list), matched(&[], 2));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..2_000)) {
            let _ = opml_channels(&bytes, ORIGIN, &fixture::snapshot());
        }

        #[test]
        fn any_markup_is_read_or_refused(
            parts in prop::collection::vec(prop::sample::select(vec![
                "<outline ", "xmlUrl=", "\"", "'", "n1.example/rss", "/>", ">", "</outline>", "<!--", "-->",
                "<![CDATA[", "]]>", "<!DOCTYPE a [", "<?xml ", "?>", "&amp;", "&#0;", "&", "\u{feff}", "=",
            ]), 0..60)
        ) {
            let _ = read(&parts.concat());
        }
    }
}
