//! Nothing that the web sends can panic, hang or fill the memory.

use std::time::{Duration, Instant};

use ingest::gate::{Robots, TdmFile, html_reservation};
use ingest::parse::{Context, MAX_ENTRIES, NotAFeed, TITLE_CHARS, parse};
use model::LEDE_CHARS;
use proptest::prelude::*;

use crate::web::folder;

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

fn fixtures() -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    for case in std::fs::read_dir(folder("feedcases")).unwrap() {
        for file in std::fs::read_dir(case.unwrap().path()).unwrap() {
            let file = file.unwrap();
            if file.file_name().to_string_lossy().starts_with("input") {
                found.push(std::fs::read(file.path()).unwrap());
            }
        }
    }
    found
}

/// Cuts, doubles, swaps, flips and splices, as broken proxies and templates do.
fn mutate(bytes: &mut Vec<u8>, all: &[Vec<u8>], seed: &mut u64) {
    let mut below = |limit: usize| {
        // xorshift64: the same mutations in every run.
        *seed ^= *seed << 13;
        *seed ^= *seed >> 7;
        *seed ^= *seed << 17;
        (*seed % limit.max(1) as u64) as usize
    };
    for _ in 0..1 + below(6) {
        let at = below(bytes.len());
        let length = below(64).min(bytes.len() - at);
        match below(7) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..at + length)),
            2 => {
                let copy = bytes[at..at + length].to_vec();
                bytes.splice(at..at, copy);
            }
            3 if !bytes.is_empty() => bytes[at] = below(256) as u8,
            4 if !bytes.is_empty() => bytes[at] = b"<>&\"'/![]=:; \0\xff"[below(15)],
            5 => {
                let other = &all[below(all.len())];
                let from = below(other.len());
                let piece = other[from..(from + below(200)).min(other.len())].to_vec();
                bytes.splice(at..at, piece);
            }
            _ => {
                let half = bytes.len() / 2;
                bytes.rotate_left(half);
            }
        }
    }
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

/// Work grows with the document, not with its square: the doubled document may take at most thrice as
/// long, when it takes long at all.
#[test]
fn time_is_linear_whatever_is_repeated() {
    let unit = |piece: &str, size: usize| piece.repeat(size / piece.len());
    let feeds = [
        "<a b=\"> <a b=\"=\"",
        "<a ='> <a =\"",
        "<",
        "&",
        "&amp;",
        "<![CDATA[",
        "<!--",
        "<item>",
        "<item><title>a</title></item>",
        "</x>",
        "<a>",
        "<b><i>",
        "<x xmlns:a='b'>",
        "<x xml:base='a/'>",
        "<title>a",
        "<item><title>. a. B. ",
        "<item><pubDate>x</pubDate>",
        "<item><link>a</link><guid>b</guid></item>",
        "<media:group>",
        "<item><description><p>x",
    ];
    let file = |size: usize, pattern: &str| format!("User-agent: *\n{}", unit(pattern, size));
    let measure = |work: &dyn Fn(usize), size: usize| {
        let started = Instant::now();
        work(size);
        started.elapsed()
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
    for piece in feeds {
        check(piece, &|size| read(format!("<rss><channel>{}", unit(piece, size)).as_bytes(), None));
        check(piece, &|size| read(unit(piece, size).as_bytes(), None));
    }
    for pattern in [
        "Disallow: /a$\n",
        "Disallow: /*a*a*a*b\n",
        "Disallow: *\n",
        "Allow: /%7e$\n",
        "User-agent: a\n",
    ] {
        let path = format!("/{}", "a".repeat(2_000));
        check(pattern, &|size| {
            drop(Robots::parse(file(size / 2, pattern).as_bytes(), "Ohlas").rule(&path).cloned())
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
    assert!(matches!(parse(b"<rss/>", &context(None)), Ok(parsed) if parsed.entries.is_empty()));
    assert_ne!(NotAFeed::Nothing, NotAFeed::Cut);
}
