//! The board and the verdicts as other programs read them.

use std::collections::BTreeMap;

use axum::http::StatusCode;
use feed_rs::model::{Feed, FeedType};
use sqlx::PgPool;

use crate::site::{HOUR, ORIGIN, START, Site};

async fn read(site: &Site, path: &str) -> Feed {
    let answer = site.get(path).await;
    assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.body);
    feed_rs::parser::parse(answer.body.as_bytes()).expect(path)
}

/// Ids and titles.
fn entries(feed: &Feed) -> Vec<(&str, &str)> {
    let entries = feed.entries.iter();
    entries.map(|it| (it.id.as_str(), it.title.as_ref().unwrap().content.as_str())).collect()
}

#[sqlx::test(migrations = "../migrations")]
async fn the_board_is_read_back_from_both_kinds_of_feed(pool: PgPool) {
    let site = Site::after(pool, 5).await;
    let board = site.json("/v1/events?newsrooms=2&limit=50").await;
    let expected: Vec<(String, &str)> = board["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| (format!("{ORIGIN}/event/{}", event["id"]), event["title"].as_str().unwrap()))
        .collect();
    let expected: Vec<(&str, &str)> = expected.iter().map(|(id, title)| (&**id, *title)).collect();
    assert!(expected.len() > 5);
    for (prefix, language) in [("", "cs"), ("/en", "en")] {
        let atom = read(&site, &format!("{prefix}/board.atom")).await;
        let json = read(&site, &format!("{prefix}/board.json")).await;
        assert_eq!(atom.feed_type, FeedType::Atom);
        assert_eq!(json.feed_type, FeedType::JSON);
        assert_eq!(atom.language.as_deref(), Some(language));
        for feed in [&atom, &json] {
            assert_eq!(entries(feed), expected, "{prefix}");
            for (entry, event) in feed.entries.iter().zip(board["events"].as_array().unwrap()) {
                let first = event["mentions"][0]["at"].as_i64().unwrap();
                assert_eq!(entry.published.unwrap().timestamp(), first);
                let page = format!("{ORIGIN}{prefix}/event/{}", event["id"]);
                assert_eq!(entry.links[0].href, page);
                assert!(entry.summary.is_some() || entry.content.is_some());
            }
        }
    }
}

/// Its id stays, and it counts as updated only when a newsroom more mentions it.
#[sqlx::test(migrations = "../migrations")]
async fn an_event_stays_one_entry(pool: PgPool) {
    let site = Site::after(pool, 5).await;
    let at = |hours: i64| format!("/board.atom?at={}", START + hours * HOUR);
    let (before, after) = (read(&site, &at(4)).await, read(&site, &at(5)).await);
    let known: BTreeMap<_, _> = before.entries.iter().map(|it| (&it.id, it)).collect();
    let again: Vec<_> =
        after.entries.iter().filter_map(|it| Some((*known.get(&it.id)?, it))).collect();
    assert!(again.len() > 3, "{} of {}", again.len(), known.len());
    assert!(again.iter().any(|(then, now)| then.updated == now.updated), "all seem new");
    for (then, now) in again {
        let count = |it: &feed_rs::model::Entry| it.summary.as_ref().unwrap().content.clone();
        let grew = then.updated != now.updated;
        assert!(!grew || count(then) != count(now), "{}", now.id);
    }
}

#[sqlx::test(migrations = "../migrations")]
async fn the_boards_filters_hold_in_every_format(pool: PgPool) {
    let site = Site::after(pool, 5).await;
    let all = read(&site, "/board.atom").await.entries.len();
    let slovak = read(&site, "/board.atom?lang=sk").await.entries.len();
    assert!(slovak > 0 && slovak < all, "{slovak} of {all}");
    assert_eq!(read(&site, "/board.json?lang=sk").await.entries.len(), slovak);
    let csv = site.get("/board.csv?lang=sk").await;
    assert_eq!(csv.header("content-type"), "text/csv; charset=utf-8");
    assert_eq!(csv.body.lines().count(), slovak + 1);
    let page = site.get("/?lang=sk").await.body;
    for format in ["atom", "json", "csv"] {
        assert!(page.contains(&format!("href=\"/board.{format}?lang=sk\"")), "{format}");
    }
}

#[sqlx::test(migrations = "../migrations")]
async fn every_change_of_a_verdict_is_an_entry(pool: PgPool) {
    let site = Site::after(pool, 3).await;
    let sources = site.json("/v1/sources").await;
    let sources = sources["sources"].as_array().unwrap();
    let changes: usize =
        sources.iter().map(|it| it["verdict_changes"].as_array().unwrap().len()).sum();
    // Channels are asked when readers ask for them.
    let polled = sources.iter().filter(|it| it["source"]["kind"] != "channel").count();
    assert!(changes >= polled);
    let feed = read(&site, "/en/compliance.atom").await;
    assert_eq!(feed.entries.len(), changes.min(100));
    assert!(entries(&feed).iter().any(|(_, title)| title.contains("disallowed")), "{feed:?}");
    let csv = site.get("/compliance.csv").await.body;
    assert_eq!(csv.lines().count(), changes + 1);
    assert!(csv.contains(",,reserved,"), "{csv}");
    let page = site.get("/en/sources").await.body;
    for format in ["/en/compliance.atom", "/en/compliance.csv", "/v1/verdicts"] {
        assert!(page.contains(&format!("href=\"{format}\"")), "{format}");
    }
}
