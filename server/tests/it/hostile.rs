//! Titles that want to be more than text, through the whole line into everything that is served.

use std::sync::Arc;

use axum::http::StatusCode;
use ingest::clock::Clock;
use ingest::poll::Line;
use ingest::source::Catalogue;
use ingest::web::Recorded;
use serde_json::{Value, json};
use server::command::Walk;
use sqlx::PgPool;
use store::Store;

use crate::embeds::size;
use crate::site::{HOUR, START, Site};

/// What is tried, and the title as it stands in a feed's XML.
fn titles() -> Vec<(&'static str, String)> {
    let cases = [
        ("script", "&lt;script&gt;alert('zvon')&lt;/script&gt; Zvonice hoří"),
        ("picture", "Jezero &lt;img src=x onerror=alert(2)&gt; vyschlo"),
        ("attribute", "Kolo \" onmouseover=\"alert(3)\" x=\" ukradeno"),
        (
            "end of style and svg",
            "Vlak &lt;/style&gt;&lt;/svg&gt;&lt;script&gt;x()&lt;/script&gt; stojí",
        ),
        ("CDATA and comment", "Potok ]]&gt; --&gt; &lt;!-- zamrzl"),
        ("doubly escaped", "Sova &amp;lt;b&amp;gt; houká"),
        ("right-to-left override", "Hrad \u{202e}nevřeto\u{202c} opět otevřen"),
        ("unclosed isolate", "Most \u{2067}\u{202b}zbořen přes noc"),
        ("controls", "Pekárna\u{7}\u{8}\u{1b}[31m zdražila\u{85} chléb\u{fffe}"),
        ("zero bytes", "Mlýn\u{0} melek"),
        ("formula", "=HYPERLINK(\"http://x.example\";\"klikni\") obilí"),
        ("formula behind a sign", "+1+cmd|' /C calc'!A0 kasino"),
        ("formula behind an at", "@SUM(1+1)*cmd starosta"),
        ("tabulator", "\t=1+1 počítá tabule"),
        ("quotes and lines", "Cirkus, \"slon\"; a\nlev\r\nutekl"),
        ("markup of markdown", "[Rybník](javascript:alert(4)) `vypuštěn`"),
    ];
    let mut titles: Vec<_> = cases.map(|(what, title)| (what, title.to_owned())).into();
    titles.push(("one endless word", "Ř".repeat(10_000)));
    titles.push(("combining marks", format!("Zeď{} spadla", "\u{301}".repeat(2_000))));
    titles
}

const NEWSROOMS: [(&str, &str); 2] =
    [("prvni", "První <b>& \\\"deník\\\"</b>"), ("druhy", "</svg><script>y()</script>")];

async fn line_of(pool: &PgPool) -> Store {
    let store = Store::from_pool(pool.clone()).await;
    let mut archive = String::new();
    let mut sources = String::new();
    let at = "2026-08-14T06:00:00Z";
    for (slug, name) in NEWSROOMS {
        let host = format!("https://{slug}.example");
        let items: String = titles()
            .iter()
            .enumerate()
            .map(|(n, (_, title))| {
                format!("<item><title>{title}</title><link>{host}/{n}</link><guid>{slug}{n}</guid></item>")
            })
            .collect();
        let feed = format!("<rss version=\"2.0\"><channel><title>x</title>{items}</channel></rss>");
        for (path, status, kind, body) in [
            ("/robots.txt", 404, "text/plain", String::new()),
            ("/.well-known/tdmrep.json", 404, "text/plain", String::new()),
            ("/feed", 200, "application/rss+xml", feed),
        ] {
            let exchange = json!({
                "at": at, "url": format!("{host}{path}"), "status": status,
                "headers": { "content-type": kind }, "body": body,
            });
            archive += &format!("{exchange}\n");
        }
        sources += &format!(
            "[[newsroom]]\nslug = \"{slug}\"\nname = \"{name}\"\nhomepage = \"{host}/\"\n\
             country = \"CZ\"\nlanguage = \"cs\"\n[[newsroom.source]]\nurl = \"{host}/feed\"\n"
        );
    }
    let path = std::env::temp_dir().join(format!("ohlas-hostile-{}.jsonl", std::process::id()));
    std::fs::write(&path, archive).unwrap();
    let clock = Clock::virtual_at(START);
    let web = Recorded::read(&path, clock.clone()).unwrap();
    std::fs::remove_file(&path).unwrap();
    let catalogue = Catalogue::parse("hostile", &sources).unwrap();
    let line =
        Line::new(store.clone(), Arc::new(web), "Ohlas/0.1", clock, &catalogue, 900).await.unwrap();
    Walk { from: START, to: START + HOUR, demo: false }.run(&line).await.unwrap();
    store
}

#[sqlx::test(migrations = "../migrations")]
async fn a_title_is_never_more_than_text(pool: PgPool) {
    let site = Site::over(line_of(&pool).await, &["--requests-burst", "10000"]).await;
    let events = site.json("/v1/events?limit=500").await;
    let events = events["events"].as_array().unwrap();
    let stored: Vec<&str> = events.iter().map(|event| event["title"].as_str().unwrap()).collect();
    let shared = events.iter().filter(|it| it["mentions"].as_array().unwrap().len() == 2).count();
    assert!(shared > titles().len() / 2, "only {shared} of them met: {stored:#?}");
    for title in &stored {
        assert!(title.chars().count() <= 300, "{title}");
    }

    let mut pages = vec![
        "/?single=1".to_owned(),
        "/en?single=1".to_owned(),
        "/embed/board?single=1&limit=20".to_owned(),
    ];
    for event in events {
        let id = &event["id"];
        pages.extend([
            format!("/event/{id}"),
            format!("/en/event/{id}"),
            format!("/embed/event/{id}"),
        ]);
        for chart in ["heat", "mentions", "positions"] {
            no_formula(&site.get(&format!("/event/{id}/{chart}.csv")).await.body);
        }
        let picture = site.get(&format!("/event/{id}/og.png")).await;
        assert_eq!(picture.status, StatusCode::OK, "{event}");
        assert_eq!(size(&picture.bytes), (1200, 630));
    }
    for page in &pages {
        let answer = site.get(page).await;
        assert!(answer.status.is_success() || answer.status.is_redirection(), "{page}");
        only_text(page, &answer.body);
    }

    for feed in ["/board.atom?single=1", "/board.json?single=1"] {
        let answer = site.get(feed).await.body;
        let read = feed_rs::parser::parse(answer.as_bytes()).expect(feed);
        assert_eq!(read.entries.len(), events.len(), "{feed}");
        for entry in &read.entries {
            let title = &entry.title.as_ref().unwrap().content;
            assert!(!title.chars().any(directs), "{feed}: {title:?}");
        }
        // JSON may carry markup: it is text there. XML must not.
        if feed.contains("atom") {
            only_text(feed, &answer);
            assert!(!answer.contains("]]>"), "{feed}: the end of a CDATA section");
        }
    }
    let json: Value = serde_json::from_str(&site.get("/board.json?single=1").await.body).unwrap();
    assert_eq!(json["items"].as_array().unwrap().len(), events.len());
    let csv = site.get("/board.csv?single=1").await.body;
    no_formula(&csv);
    assert_eq!(rows(&csv).len(), events.len() + 1);
}

/// Direction marks and controls.
fn directs(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fffe}')
}

/// No element or attribute came out of a title, and what directs text ends with its own element.
fn only_text(page: &str, body: &str) {
    for (at, _) in body.match_indices("<script") {
        let tag = &body[at..at + body[at..].find('>').unwrap()];
        assert!(tag.contains("nonce=\"\"") || tag.contains("src=\"/"), "{page}: {tag}");
    }
    for mark in ["<img", "<b>&", "onerror=alert(2)>", "<!-- zam"] {
        assert!(!body.contains(mark), "{page}: {mark} in {body}");
    }
    let tags = body.split('<').skip(1).filter_map(|rest| Some(rest.split_once('>')?.0));
    for tag in tags {
        assert!(!tag.contains(" onmouseover=\""), "{page}: <{tag}>");
    }
    let controls = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t');
    assert!(!body.chars().any(controls), "{page}: a control character");
    for (at, _) in body.match_indices(['\u{202b}', '\u{202e}', '\u{2067}']) {
        let before = &body[..at];
        let open = before.matches("<bdi").count() - before.matches("</bdi>").count();
        assert_eq!(open, 1, "{page}: …{}", &before[before.len().saturating_sub(80)..]);
    }
}

fn no_formula(csv: &str) {
    for row in rows(csv) {
        for cell in row {
            let formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']);
            assert!(!formula || cell.parse::<f64>().is_ok(), "{cell:?}");
            assert!(!cell.chars().any(directs), "{cell:?}");
        }
    }
}

/// Reads RFC 4180; every row has as many cells as the first.
fn rows(csv: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut cell, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut chars = csv.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                cell.push('"');
                chars.next();
            }
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut cell)),
            '\r' if !quoted => {}
            '\n' if !quoted => {
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            c => cell.push(c),
        }
    }
    assert!(rows.iter().all(|row: &Vec<String>| row.len() == rows[0].len()), "{csv}");
    rows
}
