//! No input swells memory beyond ten times its size. Alone in its binary, since the bytes in use are
//! those of the process.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

#[path = "it/corpus.rs"]
mod corpus;

use ingest::gate::{Robots, TdmFile, html_reservation};
use ingest::parse::{Context, parse};
use peak_alloc::PeakAlloc;

use corpus::{FEEDS, ROBOTS, fixtures, mutate, repeated};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const MAX_TIMES: usize = 10;
/// What as many items as are read at most take, though there be nothing in them.
const ROOM: usize = 4 * 1024 * 1024;
/// What one robots.txt takes, though there be nothing in it.
const ROBOTS_ROOM: usize = 64 * 1024;
const SIZE: usize = 1024 * 1024;

fn check(name: &str, input: &[u8], read: fn(&[u8]), room: usize) {
    let held = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    read(input);
    let used = MEMORY.peak_usage() - held;
    assert!(used <= MAX_TIMES * input.len() + room, "{name}: {used} bytes for {}", input.len());
}

fn read_feed(bytes: &[u8]) {
    let context = Context {
        url: "https://news.example/feed".parse().unwrap(),
        content_type: None,
        content_language: None,
        language: String::new(),
        timezone: chrono_tz::Europe::Prague,
        now: 1_773_144_000,
    };
    drop(parse(bytes, &context));
}

fn judge(bytes: &[u8]) {
    let robots = Robots::parse(bytes, "Ohlas");
    drop((robots.rule("/a/b?c").cloned(), robots.preferences("/a/b?c")));
    drop(TdmFile::parse(bytes).found("/a/b?c"));
    drop(html_reservation(&String::from_utf8_lossy(bytes)));
}

#[test]
fn nothing_swells_beyond_ten_times_its_size() {
    // What is set up once is nobody's input.
    read_feed(b"<rss><item><title>Some words in a language</title><pubDate>2026-03-02</pubDate></item></rss>");

    for piece in FEEDS {
        for size in [SIZE, SIZE / 8] {
            let text = repeated(piece, size);
            check(piece, text.as_bytes(), read_feed, ROOM);
            check(piece, format!("<rss><channel>{text}").as_bytes(), read_feed, ROOM);
        }
    }
    for piece in
        ["<!ENTITY a '&a;&a;'>", "&a;", "{\"items\":[", "[", "{\"id\":1},", "\\u0000", "{\"a\":"]
    {
        let text = repeated(piece, SIZE);
        check(piece, text.as_bytes(), read_feed, ROOM);
        check(piece, format!("{{\"items\":[{text}").as_bytes(), read_feed, ROOM);
        check(piece, format!("<!DOCTYPE a [{text}").as_bytes(), read_feed, ROOM);
        check(piece, text.as_bytes(), judge, ROBOTS_ROOM);
    }
    for line in ROBOTS {
        check(
            line,
            format!("User-agent: *\n{}", repeated(line, SIZE / 2)).as_bytes(),
            judge,
            ROBOTS_ROOM,
        );
    }
    let long = "x".repeat(SIZE);
    for (name, feed) in [
        (
            "a huge attribute",
            format!("<rss><channel><item><link href='/{long}'/><title>a</title></item>"),
        ),
        ("a huge name", format!("<rss><{long}><item><title>a</title></item>")),
        ("a huge title", format!("<rss><item><title>{long}</title></item></rss>")),
        ("a huge guid", format!("<rss><item><guid>{long}</guid></item></rss>")),
        ("a huge date", format!("<rss><item><pubDate>{long}</pubDate></item></rss>")),
        (
            "a huge base",
            format!("<rss xml:base='http://a/{long}'><item><link>b</link></item></rss>"),
        ),
        (
            "a long base of many links",
            format!(
                "<rss xml:base='http://a/{}/'><channel>{}",
                &long[..2_000],
                "<item><link>b</link></item>".repeat(5_000)
            ),
        ),
        (
            "bases within bases",
            format!(
                "<rss><channel>{}{}",
                "<x xml:base='aaaaaaaaaaaaaaaaaaaa/'>".repeat(60),
                "<item><link>b</link></item>".repeat(5_000)
            ),
        ),
    ] {
        check(name, feed.as_bytes(), read_feed, ROOM);
    }
    let utf16: Vec<u8> = [0xff, 0xfe]
        .into_iter()
        .chain(
            repeated("<item><title>ž</title></item>", SIZE)
                .encode_utf16()
                .flat_map(u16::to_le_bytes),
        )
        .collect();
    check("UTF-16", &utf16, read_feed, ROOM);
    check("bytes of no encoding", &[b"<rss>".as_slice(), &[0xfe; SIZE]].concat(), read_feed, ROOM);

    let all = fixtures();
    let mut seed = 0x0062_2027;
    for original in &all {
        for _ in 0..2 {
            let mut bytes = original.clone();
            mutate(&mut bytes, &all, &mut seed);
            check("a mutation", &bytes, read_feed, ROOM);
            check("a mutation", &bytes, judge, ROBOTS_ROOM);
        }
    }
}
