//! The pages as a reader without JavaScript gets them.

use std::time::Duration;

use axum::http::StatusCode;
use ingest::recompute::recompute;
use sqlx::PgPool;
use store::{NewItem, NextState};

use crate::site::{HOUR, START, Site};

#[sqlx::test(migrations = "../migrations")]
async fn every_page_is_whole_in_both_languages(pool: PgPool) {
    let site = Site::after(pool, 5).await;
    let list = site.json("/v1/events?limit=1").await;
    let event = list["events"][0]["id"].as_i64().unwrap();
    let sources = site.json("/v1/sources").await;
    let source = sources["sources"][0]["source"]["slug"].as_str().unwrap();
    let newsroom = sources["newsrooms"][0]["slug"].as_str().unwrap();
    for page in [
        "/".to_owned(),
        format!("/event/{event}"),
        "/search".to_owned(),
        format!("/search?q={}", word(&list)),
        "/newsrooms".to_owned(),
        "/newsrooms?by=owner&sort=coverage".to_owned(),
        "/desk".to_owned(),
        format!("/desk?newsroom={newsroom}&n=2"),
        "/videos".to_owned(),
        "/feed".to_owned(),
        format!("/feed?channel={source}&diversity=0"),
        "/sources".to_owned(),
        format!("/source/{source}"),
        "/status".to_owned(),
        "/methodology".to_owned(),
        "/methodology/models".to_owned(),
        "/methodology/models?a=v2&b=v1".to_owned(),
    ] {
        for (prefix, lang) in [("", "cs"), ("/en", "en")] {
            let path = format!("{prefix}{page}");
            let path = path.strip_suffix('/').filter(|path| !path.is_empty()).unwrap_or(&path);
            let answer = site.get(path).await;
            assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.body);
            assert!(answer.body.contains(&format!("lang=\"{lang}\"")), "{path}");
            assert!(answer.body.contains("<h1"), "{path}");
            assert!(answer.body.contains("</html>"), "{path}");
        }
    }
}

/// A word of the first event's title, without what an address would have to escape.
fn word(list: &serde_json::Value) -> String {
    let title = list["events"][0]["title"].as_str().unwrap();
    let word = title.split_whitespace().max_by_key(|word| word.len()).unwrap();
    word.chars().filter(char::is_ascii_alphabetic).collect()
}

#[sqlx::test(migrations = "../migrations")]
async fn what_the_board_holds_is_found_and_the_tables_are_csv(pool: PgPool) {
    let site = Site::after(pool, 5).await;
    let list = site.json("/v1/events?newsrooms=2&limit=1").await;
    let event = &list["events"][0];
    let (id, title) = (event["id"].as_i64().unwrap(), event["title"].as_str().unwrap());
    let asked: String = title
        .split_whitespace()
        .map(|word| word.replace(|c: char| !c.is_alphanumeric(), ""))
        .fold(String::new(), |asked, word| asked + "+" + &percent(&word));
    let found = site.get(&format!("/search?q={asked}")).await;
    assert!(found.body.contains(&format!("href=\"/event/{id}\"")), "{title}: {}", found.body);
    assert!(found.body.contains("<mark>"), "{title}");
    let newsroom = event["mentions"][0]["newsroom"].as_i64().unwrap();
    let sources = site.json("/v1/sources").await;
    let newsrooms = sources["newsrooms"].as_array().unwrap();
    let slug =
        newsrooms.iter().find(|one| one["id"] == newsroom).unwrap()["slug"].as_str().unwrap();
    for (path, lines) in [
        ("/newsrooms.csv".to_owned(), 1 + newsrooms.len()),
        (format!("/desk.csv?newsroom={slug}&n=2"), 2),
        ("/videos.csv".to_owned(), 2),
        (format!("/event/{id}/scores.csv"), 2),
    ] {
        let csv = site.get(&path).await;
        assert_eq!(csv.status, StatusCode::OK, "{path}");
        assert_eq!(csv.headers["content-type"], "text/csv; charset=utf-8", "{path}");
        assert!(csv.body.lines().count() >= lines, "{path}: {}", csv.body);
    }
    assert_eq!(site.get("/desk.csv?newsroom=nobody").await.status, StatusCode::NOT_FOUND);
}

/// It stands in no event yet, and what was answered before would say otherwise until then.
#[sqlx::test(migrations = "../migrations")]
async fn what_was_recorded_since_the_recompute_is_found_after_the_next(pool: PgPool) {
    let site = Site::after(pool, 1).await;
    let at = START + 2 * HOUR;
    let source = site.store.source_reports(at).await.unwrap().remove(0).source;
    let item = NewItem {
        keys: vec!["guid:late".to_owned()],
        link: "https://late.example/".to_owned(),
        title: "Xylofon zazněl pozdě".to_owned(),
        lede: String::new(),
        language: "cs".to_owned(),
        claimed_at: None,
        mention_at: at,
        backfill: false,
    };
    let mut append = site.store.append(&source, at).await.unwrap();
    append.items(&[item]).await.unwrap();
    append.commit(&NextState { next_check_at: at, ..NextState::default() }).await.unwrap();
    let found = async || site.get("/search?q=xylofon").await.body.contains("<mark>Xylofon");
    assert!(!found().await);
    recompute(&site.store, at, true).await.unwrap();
    for _ in 0..100 {
        if found().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("five seconds after the recompute it is not found");
}

fn percent(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

#[sqlx::test(migrations = "../migrations")]
async fn unknown_addresses_are_404_pages(pool: PgPool) {
    let site = Site::after(pool, 1).await;
    for path in
        ["/event/987654321", "/en/event/nonsense", "/source/nobody", "/nowhere", "/en/nowhere"]
    {
        let answer = site.get(path).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
        assert!(answer.body.contains("<h1"), "{path}: {}", answer.body);
    }
}

#[sqlx::test(migrations = "../migrations")]
async fn a_past_board_is_a_page_as_well(pool: PgPool) {
    let site = Site::after(pool, 3).await;
    let answer = site.get(&format!("/?at={}", START + HOUR)).await;
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(answer.headers["x-content-type-options"], "nosniff");
}
