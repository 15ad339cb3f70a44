//! A gallery of feeds: what went wrong with them elsewhere, and how they are read here.

use ingest::parse::{Context, Parsed, parse};

fn read(feed: &str, language: &str) -> Parsed {
    let context = Context {
        url: "https://news.example/rss/feed.xml".parse().unwrap(),
        content_type: None,
        content_language: None,
        language: language.to_owned(),
        timezone: chrono_tz::Tz::UTC,
        now: 1_773_144_000,
    };
    parse(feed.as_bytes(), &context).unwrap()
}

/// One line per entry: title, link, and what else is there.
fn check(feed: &str, expected: &[&str]) {
    let parsed = read(feed, "cs");
    let lines: Vec<String> = parsed
        .entries
        .iter()
        .map(|entry| {
            let views = entry.views.map(|views| format!(" views={views}")).unwrap_or_default();
            let lede =
                if entry.lede.is_empty() { String::new() } else { format!(" [{}]", entry.lede) };
            format!("{} {}{views}{lede}", entry.title, entry.link)
        })
        .collect();
    assert_eq!(lines, expected, "{feed}\n{:?}", parsed.defects);
}

#[test]
fn peertube_counts_views_outside_of_a_group() {
    check(
        "<rss xmlns:media='http://search.yahoo.com/mrss/'><channel><item><title>A</title><link>/w/1</link>\
         <media:community><media:statistics views='67'></media:statistics></media:community></item></channel></rss>",
        &["A https://news.example/w/1 views=67"],
    );
}

#[test]
fn a_copied_source_does_not_speak_for_the_entry() {
    check(
        "<feed><entry><title>A</title><source><title>Jinde</title><id>x</id><link href='/jinde'/></source>\
         <author><name>N</name><title>Dr.</title></author><link href='/a'/></entry></feed>",
        &["A https://news.example/a"],
    );
}

#[test]
fn a_forgotten_end_costs_no_neighbour() {
    check(
        "<rss><channel><item><title>A<link>/a</link></item><item><title>B</title><link>/b</link>\
         <item><title>C</title><description><p>Text <b>dál</item><item><title>D</title></item></channel></rss>",
        &["A https://news.example/a", "B https://news.example/b", "C  [Text dál]", "D "],
    );
}

#[test]
fn what_a_forgotten_item_declared_ends_with_it() {
    check(
        "<rss><channel><item xmlns:x='http://search.yahoo.com/mrss/'><title>A</title>\
         <item xmlns:y='http://search.yahoo.com/mrss/' xml:base='/b/'><y:title>B</y:title><link>c</link><x:title>X</x:title></item></channel></rss>",
        &["A ", "B https://news.example/b/c"],
    );
}

#[test]
fn depth_costs_nothing_but_the_elements_that_are_too_deep() {
    let deep = format!("{}x{}", "<p>".repeat(500), "</p>".repeat(500));
    check(
        &format!(
            "<rss><channel>{}<item><title>A</title><description>{deep}</description></item><item><title>B</title></item></channel></rss>",
            "<x>".repeat(20)
        ),
        &["A  [x]", "B "],
    );
}

#[test]
fn the_address_behind_a_counting_service_is_the_link() {
    check(
        "<rss xmlns:feedburner='http://rssnamespace.org/feedburner/ext/1.0'><channel><item><title>A</title>\
         <link>http://feeds.example/~r/1</link><feedburner:origLink>https://news.example/a</feedburner:origLink></item></channel></rss>",
        &["A https://news.example/a"],
    );
}

#[test]
fn the_description_is_preferred_to_the_content() {
    check(
        "<rss xmlns:content='http://purl.org/rss/1.0/modules/content/'><channel>\
         <item><title>A</title><content:encoded><![CDATA[<p>Celý text</p>]]></content:encoded><description>Perex</description></item>\
         <item><title>B</title><description/><content:encoded><![CDATA[<p>Celý text</p>]]></content:encoded></item></channel></rss>",
        &["A  [Perex]", "B  [Celý text]"],
    );
}

#[test]
fn old_and_odd_formats_are_read() {
    check(
        "<CHANNEL><ITEM HREF='/a'><TITLE>A</TITLE><ABSTRACT>T</ABSTRACT></ITEM></CHANNEL>",
        &["A https://news.example/a [T]"],
    );
    check(
        "<feed><entry><title mode='base64' type='text/html'>UMWZw61saSA8Yj7FvmzDvTwvYj4=</title></entry></feed>",
        &["Příli žlý "],
    );
    check("<html><body><feed><entry><title>A</title></entry></feed></body></html>", &["A "]);
    check(
        "Warning: x <br /><b>y</b><rss><channel><item><title>A</title></item></channel></rss>",
        &["A "],
    );
    check(
        "<a10:feed xmlns:a10='http://www.w3.org/2005/Atom'><a10:entry><a10:title>A</a10:title></a10:entry></a10:feed>",
        &["A "],
    );
    check(
        "{\"items\": [{\"id\": 1, \"title\": \"A\"}, 5, {\"id\": 2, \"title\": \"B\", \"url\": \"/b\"}, {\"id\"",
        &["A ", "B https://news.example/b"],
    );
}

#[test]
fn an_items_language_is_its_own_then_the_feeds_then_the_sources() {
    let item = |own: &str, title: &str| format!("<item>{own}<title>{title}</title></item>");
    let czech = "Vláda dnes schválila návrh státního rozpočtu na příští rok a pošle ho do sněmovny";
    let english =
        "The government approved the draft budget for next year and will send it to parliament";
    for (channel, source, own, title, expected) in [
        ("", "cs", "", czech, "cs"),
        ("<language>sk-SK</language>", "", "", czech, "sk"),
        ("<language>en-US</language>", "cs", "", czech, "cs"),
        ("<language>en-US</language>", "cs", "", english, "en"),
        ("<language>cz</language>", "", "", "x", "cs"),
        ("<language>cs</language>", "cs", "<dc:language>de</dc:language>", czech, "de"),
        ("", "", "", english, "en"),
        ("", "", "", "x", ""),
    ] {
        let feed = format!("<rss><channel>{channel}{}</channel></rss>", item(own, title));
        assert_eq!(read(&feed, source).entries[0].language, expected, "{feed}");
    }
}

#[test]
fn a_feed_says_how_long_it_wants_to_be_left_alone() {
    for (channel, expected) in [
        ("<ttl>15</ttl>", Some(900)),
        ("<ttl>soon</ttl>", None),
        (
            "<sy:updatePeriod>hourly</sy:updatePeriod><sy:updateFrequency>2</sy:updateFrequency>",
            Some(1_800),
        ),
        ("", None),
    ] {
        let feed = format!("<rss><channel>{channel}<item><title>A</title></item></channel></rss>");
        assert_eq!(read(&feed, "cs").ttl_seconds, expected, "{channel}");
    }
}

#[test]
fn an_identity_that_two_articles_share_is_neithers() {
    let item = |title: &str, guid: &str, link: &str| {
        format!(
            "<item><title>{title}</title><guid isPermaLink='false'>{guid}</guid><link>{link}</link></item>"
        )
    };
    let items = [
        item("A", "1", "/a"),
        item("B", "1", "/b"),
        item("C", "2", "/c"),
        item("C", "2", "/c"),
        item("D", "3", "/c"),
    ];
    let parsed = read(&format!("<rss><channel>{}</channel></rss>", items.concat()), "cs");
    let keys: Vec<Vec<String>> = parsed.entries.into_iter().map(|entry| entry.keys).collect();
    assert_eq!(
        keys,
        [vec!["link:news.example/a"], vec!["link:news.example/b"], vec!["guid:2"], vec!["guid:3"]]
    );
    assert_eq!(
        parsed.defects,
        [
            "1 items are listed twice",
            "4 items share a guid or a link with another; it identifies none of them"
        ],
    );
}

#[test]
fn defects_are_told_and_the_rest_is_counted() {
    let bad = "<item><title>A</title><pubDate>včera</pubDate></item>";
    let feed = format!(
        "<rss><channel>{}</channel></rss>",
        (0..30).map(|n| bad.replace('A', &n.to_string())).collect::<String>()
    );
    let parsed = read(&feed, "cs");
    assert_eq!(parsed.entries.len(), 30);
    assert_eq!(parsed.defects[0], "item 1: the date \"včera\" cannot be read");
    assert_eq!((parsed.defects.len(), parsed.defects[20].as_str()), (21, "and 10 more"));
}
