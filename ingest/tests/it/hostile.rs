//! Nothing that the web sends can panic, hang or fill the memory.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use ingest::gate::{Robots, TdmFile, html_reservation};
use ingest::parse::{Context, MAX_ENTRIES, NotAFeed, TITLE_CHARS, parse};
use model::LEDE_CHARS;
use proptest::prelude::*;

use crate::corpus::{FEEDS, ROBOTS, fixtures, mutate, repeated};

fn context(content_type: Option<String>) -> Context {
    Context {
        url: "https://news.example/feed".parse().unwrap(),
        content_type,
        content_language: None,
        language: String::new(),
        timezone: chrono_tz::Europe::Prague,
        now: 1_773_144_000,
    }
}

/// Reads it and holds what is read against what the store takes.
fn read(bytes: &[u8], content_type: Option<String>) {
    let Ok(parsed) = parse(bytes, &context(content_type)) else { return };
    assert!(parsed.entries.len() <= MAX_ENTRIES);
    for entry in &parsed.entries {
        assert!(!entry.keys.is_empty() && entry.keys.iter().all(|key| key.len() <= 600));
        assert!(
            entry.title.chars().count() <= TITLE_CHARS && entry.lede.chars().count() <= LEDE_CHARS
        );
        assert!(entry.language.is_empty() || entry.language.len() == 2);
        assert!(entry.link.is_empty() || entry.link.starts_with("http"));
        let texts = [&entry.title, &entry.lede];
        assert!(texts.iter().all(|text| !text.chars().any(char::is_control)), "{entry:?}");
    }
}

/// Reads it as whatever the gate reads.
fn judge(bytes: &[u8], path: &str) {
    let robots = Robots::parse(bytes, "Ohlas");
    drop((robots.rule(path).cloned(), robots.preferences(path)));
    drop(TdmFile::parse(bytes).found(path));
    drop(html_reservation(&String::from_utf8_lossy(bytes)));
}

#[test]
fn mutated_fixtures_are_read_or_refused() {
    const ROUNDS: usize = 60;
    let all = fixtures();
    let mut seed = 0x0062_2026;
    for original in all.iter().filter(|bytes| bytes.len() < 20_000) {
        for _ in 0..ROUNDS {
            let mut bytes = original.clone();
            mutate(&mut bytes, &all, &mut seed);
            read(&bytes, None);
            judge(&bytes, "/feed");
        }
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(
        bytes in prop::collection::vec(any::<u8>(), 0..2_000),
        content_type in prop::option::of("[ -~]{0,40}"),
    ) {
        read(&bytes, content_type);
    }

    #[test]
    fn any_soup_of_feed_parts_is_read_or_refused(parts in prop::collection::vec(prop::sample::select(PARTS), 0..60)) {
        read(parts.concat().as_bytes(), None);
    }

    #[test]
    fn any_date_is_read_or_none(date in "\\PC{0,60}") {
        let date = date.replace(['<', '&'], " ");
        read(format!("<rss><item><title>a</title><pubDate>{date}</pubDate></item></rss>").as_bytes(), None);
    }

    #[test]
    fn any_date_like_text_is_read_or_none(words in prop::collection::vec(prop::sample::select(WORDS), 0..9)) {
        read(format!("<rss><item><pubDate>{}</pubDate></item></rss>", words.concat()).as_bytes(), None);
    }

    #[test]
    fn any_json_is_read_or_refused(items in "\\PC{0,200}", head in "(\\{\"items\":)?\\[?(\\{\"id\":)?") {
        read(format!("{{{head}{items}").as_bytes(), None);
        read(format!("{head}{items}").as_bytes(), None);
    }

    #[test]
    fn any_robots_file_gives_a_verdict(file in prop::collection::vec(any::<u8>(), 0..2_000), path in "\\PC{0,80}") {
        judge(&[b"User-agent: *\nDisallow: /", &file[..]].concat(), &path);
    }
}

const PARTS: &[&str] = &[
    "<rss>",
    "<rdf:RDF>",
    "<feed xml:lang='cs'>",
    "<channel>",
    "<item>",
    "<entry>",
    "</item>",
    "</entry>",
    "</channel>",
    "</rss>",
    "</feed>",
    "<title>",
    "</title>",
    "<title type='html'/>",
    "<link>",
    "</link>",
    "<link href='/a'/>",
    "<guid>",
    "</guid>",
    "<description>",
    "</description>",
    "<![CDATA[",
    "]]>",
    "<!--",
    "-->",
    "<?xml",
    "?>",
    "<!DOCTYPE a [",
    "]>",
    "&amp;",
    "&#0;",
    "&",
    "<",
    ">",
    "\"",
    "='",
    "x",
    "ž",
    "\u{202e}",
    "<div xmlns='http://www.w3.org/1999/xhtml'>",
    "</div>",
    "<b>",
    "<br/>",
    "<media:group>",
    "<media:statistics views='9'/>",
    "<pubDate>",
    "</pubDate>",
    "2026-03-02",
    "<dc:date>",
    "</dc:date>",
    "<a:b xmlns:a='http://search.yahoo.com/mrss/'>",
    "<x xml:base='../'>",
    "{\"items\":[",
    "{\"id\":1}",
    "]}",
];

const WORDS: &[&str] = &[
    "2026",
    "-",
    "03",
    "3",
    ":",
    "/",
    ".",
    "T",
    "Z",
    "z",
    " ",
    "+",
    "0200",
    "24",
    "60",
    "99999999999",
    "mar",
    "Pm",
    "am",
    "at",
    "GMT",
    "Europe/Prague",
    "\u{ad6d}",
    "\u{c624}\u{d6c4}",
    "\u{b144}",
    "(",
    ")",
    "\u{2212}",
    ",",
    "0001",
    "jul",
    "\u{17e}",
    "1e9",
    "+99:99",
];

/// For how long this thread has run, where the system tells; a busy machine is no fault of ours.
fn ran() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = told.as_deref().and_then(|told| told.split(' ').next()?.parse().ok());
    nanos.map_or_else(|| START.elapsed(), Duration::from_nanos)
}

/// Work grows with the document, not with its square: the doubled document may take at most thrice as
/// long, when it takes long at all.
#[test]
fn time_is_linear_whatever_is_repeated() {
    let file = |size: usize, line: &str| format!("User-agent: *\n{}", repeated(line, size));
    let measure = |work: &dyn Fn(usize), size: usize| {
        let started = ran();
        work(size);
        ran() - started
    };
    let check = |name: &str, work: &dyn Fn(usize)| {
        const SIZE: usize = 512 * 1024;
        // On a busy machine a single measurement says little.
        let linear = (0..3).any(|_| {
            let (once, twice) = (measure(work, SIZE), measure(work, 2 * SIZE));
            twice < 3 * once + Duration::from_millis(300) && twice < Duration::from_secs(3)
        });
        assert!(linear, "{name}");
    };
    for piece in FEEDS {
        check(piece, &|size| {
            read(format!("<rss><channel>{}", repeated(piece, size)).as_bytes(), None)
        });
        check(piece, &|size| read(repeated(piece, size).as_bytes(), None));
    }
    for line in ROBOTS {
        let path = format!("/{}", "a".repeat(2_000));
        check(line, &|size| {
            drop(Robots::parse(file(size / 2, line).as_bytes(), "Ohlas").rule(&path).cloned())
        });
    }
    for line in [
        "Content-Signal: {}=no\n",
        "Content-Usage: /{} a=n\n",
        "Content-Signal: {}=no,",
        "License: {}\n",
    ] {
        check(line, &|size| {
            let many: String = (0..size / 40).map(|n| line.replace("{}", &n.to_string())).collect();
            drop(Robots::parse(file(many.len(), &many).as_bytes(), "Ohlas").preferences("/1"));
        });
    }
    let stars = format!("Disallow: /{}b\n", "*a".repeat(8_000));
    check("stars", &|size| {
        let robots = Robots::parse(file(size / 2, &stars).as_bytes(), "Ohlas");
        drop(robots.rule(&format!("/{}", "a".repeat(8_000))).cloned());
    });
}

#[test]
fn no_more_items_are_read_than_the_limit() {
    let feed = format!(
        "<rss><channel>{}</channel></rss>",
        "<item><guid>a</guid><title>x</title></item>".repeat(MAX_ENTRIES + 1)
    );
    let parsed = parse(feed.as_bytes(), &context(None)).unwrap();
    assert!(
        parsed.defects.iter().any(|defect| defect == "only the first 5000 items were read"),
        "{:?}",
        parsed.defects
    );
    assert!(!parsed.partial);
}

#[test]
fn what_is_no_feed_says_what_it_is() {
    for (body, expected) in [
        ("", "it is empty"),
        (" \n", "it is empty"),
        (
            "<html><head><title>Just a moment...</title></head></html>",
            "it is an HTML page (\"Just a moment...\"), not a feed",
        ),
        ("<!doctype html><p>", "it is an HTML page, not a feed"),
        ("<opml><body/></opml>", "it is XML with the root \"opml\", not a feed"),
        ("{\"error\": 1}", "it is JSON, but not a feed: it has no items"),
        ("Service unavailable", "it is text without markup, not a feed"),
        ("<rss><channel><item><title>a", "it breaks off before its first item"),
    ] {
        let error = parse(body.as_bytes(), &context(None)).unwrap_err();
        assert_eq!(error.to_string(), expected, "{body}");
    }
    let long = format!("{{\"items\": \"{}\"}}", "x".repeat(100_000));
    let error = parse(long.as_bytes(), &context(None)).unwrap_err().to_string();
    assert!(error.starts_with("it is JSON, but not a feed: ") && error.len() < 300, "{error}");
    assert!(matches!(parse(b"<rss/>", &context(None)), Ok(parsed) if parsed.entries.is_empty()));
    assert_ne!(NotAFeed::Nothing, NotAFeed::Cut);
}
