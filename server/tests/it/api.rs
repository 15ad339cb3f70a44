//! `/v1/…`, `/healthz`, `/readyz` and the CSV of charts.

use axum::http::StatusCode;
use sqlx::PgPool;

use crate::site::{HOUR, START, Site};

#[sqlx::test(migrations = "../migrations")]
async fn events_are_listed_hottest_first_and_read_one_by_one(pool: PgPool) {
    let site = Site::after(pool, 5).await;
    let list = site.json("/v1/events?newsrooms=2&limit=20").await;
    let events = list["events"].as_array().unwrap();
    assert!(events.len() > 5, "{} shared events", events.len());
    assert_eq!(list["demo"], true);
    let heats: Vec<f64> = events.iter().map(|event| event["heat"].as_f64().unwrap()).collect();
    assert!(heats.is_sorted_by(|a, b| a >= b), "{heats:?}");
    for event in events {
        let factors = &event["factors"];
        let product: f64 = ["breadth", "velocity", "priority", "persistence", "decay"]
            .iter()
            .map(|factor| factors[factor].as_f64().unwrap())
            .product();
        assert!((product - event["heat"].as_f64().unwrap()).abs() < 1e-9, "{factors}");
    }

    let id = events[0]["id"].as_i64().unwrap();
    let one = site.json(&format!("/v1/events/{id}")).await;
    assert_eq!(one["event"]["id"], id);
    let newsrooms = one["newsrooms"].as_array().unwrap().len();
    assert_eq!(newsrooms, one["event"]["mentions"].as_array().unwrap().len());

    for chart in ["heat", "mentions", "positions"] {
        let csv = site.get(&format!("/event/{id}/{chart}.csv")).await;
        assert_eq!(csv.status, StatusCode::OK, "{chart}");
        assert!(csv.body.lines().count() >= 2, "{chart}: {}", csv.body);
    }
}

#[sqlx::test(migrations = "../migrations")]
async fn a_past_board_is_what_was_known_then(pool: PgPool) {
    let site = Site::after(pool, 4).await;
    let at = START + 2 * HOUR;
    let then = site.json(&format!("/v1/events?at={at}&limit=500")).await;
    assert_eq!(then["at"], at);
    for event in then["events"].as_array().unwrap() {
        for item in event["items"].as_array().unwrap() {
            assert!(item["mention_at"].as_i64().unwrap() <= at);
        }
    }
    let stored: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM event_scores s WHERE s.model = 'v1' AND s.at = to_timestamp($1)",
    )
    .bind(at as f64)
    .fetch_one(site.store.pool())
    .await
    .unwrap();
    let shared = then["events"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|event| event["mentions"].as_array().unwrap().len() > 1)
        .count();
    assert_eq!(shared as i64, stored, "the board computed now and then differ");

    let v2 = site.json("/v1/events?model=v2&limit=1").await;
    assert_eq!(v2["model"], "v2");
}

#[sqlx::test(migrations = "../migrations")]
async fn models_are_listed_and_compared(pool: PgPool) {
    let site = Site::after(pool, 5).await;
    let list = site.json("/v1/models").await;
    let models = list["models"].as_array().unwrap();
    assert_eq!(
        (&models[0]["model"]["name"], &models[1]["model"]["name"]),
        (&"v1".into(), &"v2".into())
    );
    assert_eq!(models[0]["hash"], list["accuracy"]["model"], "another model was measured");

    let same = site.json("/v1/models/compare?a=v2&b=v2").await;
    assert_eq!((&same["tau"], same["movers"].as_array().unwrap().len()), (&1.0.into(), 0));
    let other = site.json(&format!("/v1/models/compare?at={}", START + 4 * HOUR)).await;
    assert_eq!((&other["a"], &other["b"]), (&"v1".into(), &"v2".into()));
    assert_eq!(other["at"], START + 4 * HOUR);
    assert!(other["tau"].as_f64().unwrap() < 1.0, "{other}");
    // The two differ in nothing but the weight of copies in velocity.
    for mover in other["movers"].as_array().unwrap() {
        for factor in ["breadth", "priority", "persistence", "decay"] {
            assert_eq!(mover["a"]["factors"][factor], mover["b"]["factors"][factor], "{mover}");
        }
        let velocity = |side: &str| mover[side]["factors"]["velocity"].as_f64().unwrap();
        let reason = if velocity("a") == velocity("b") { None } else { Some("velocity") };
        assert_eq!(mover["factor"].as_str(), reason, "{mover}");
    }
    let page = site.get("/en/methodology/models").await;
    assert!(page.body.contains(models[0]["hash"].as_str().unwrap()), "{}", page.body);
}

#[sqlx::test(migrations = "../migrations")]
async fn wrong_questions_get_clear_answers(pool: PgPool) {
    let site = Site::after(pool, 1).await;
    for (path, status, says) in [
        ("/v1/events/999999999", StatusCode::NOT_FOUND, "no event"),
        ("/v1/events/abc", StatusCode::NOT_FOUND, "ids are numbers"),
        ("/v1/events?at=yesterday", StatusCode::BAD_REQUEST, "2026-08-14T12:00:00Z"),
        ("/v1/events?at=99999999999", StatusCode::BAD_REQUEST, "after the newest board"),
        ("/v1/events?model=v9", StatusCode::BAD_REQUEST, "known: v1, v2"),
        ("/v1/events?limit=0", StatusCode::BAD_REQUEST, "limit is 0, and must be 1 to 500"),
        ("/v1/models/compare?b=v9", StatusCode::BAD_REQUEST, "known: v1, v2"),
        ("/?at=yesterday", StatusCode::BAD_REQUEST, "<h1"),
        ("/methodology/models?a=v9", StatusCode::BAD_REQUEST, "<h1"),
        ("/en?model=v9", StatusCode::BAD_REQUEST, "<h1"),
    ] {
        let answer = site.get(path).await;
        assert_eq!(answer.status, status, "{path}");
        assert!(answer.body.contains(says), "{path}: {}", answer.body);
    }
    assert_eq!(site.get("/healthz").await.status, StatusCode::OK);
    assert_eq!(site.get("/readyz").await.status, StatusCode::OK);
}

#[sqlx::test(migrations = "../migrations")]
async fn sources_show_every_verdict(pool: PgPool) {
    let site = Site::after(pool, 2).await;
    let sources = site.json("/v1/sources").await;
    let verdicts: std::collections::HashSet<&str> = sources["sources"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|report| report["check"]["verdict"].as_str())
        .collect();
    for verdict in ["allowed", "disallowed", "reserved", "unreachable"] {
        assert!(verdicts.contains(verdict), "{verdict} is missing from {verdicts:?}");
    }
    let changes = site.json("/v1/verdicts").await;
    let total: usize = sources["sources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|report| report["verdict_changes"].as_array().unwrap().len())
        .sum();
    assert_eq!(changes["total"], total);
    let times: Vec<i64> = changes["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| change["change"]["at"].as_i64().unwrap())
        .collect();
    assert!(times.len() > 3 && times.is_sorted_by(|a, b| a >= b), "{times:?}");
    let slug = changes["changes"][1]["slug"].as_str().unwrap();
    let own = site.json(&format!("/v1/verdicts?source={slug}&limit=1")).await;
    assert_eq!(own["changes"].as_array().unwrap().len(), 1);
    assert_eq!(own["changes"][0]["slug"], slug);
    let second = site.json("/v1/verdicts?offset=1&limit=1").await;
    assert_eq!(second["changes"][0], changes["changes"][1]);
    let nobody = site.get("/v1/verdicts?source=nobody").await;
    assert_eq!(nobody.status, StatusCode::NOT_FOUND, "{}", nobody.body);
    let stats = site.json("/v1/stats").await;
    assert!(stats["stats"]["items"].as_i64().unwrap() > 100);
    assert_eq!(stats["stats"]["chain_head"].as_str().unwrap().len(), 64);
}
