//! `POST /v1/feed` over the invented newsrooms: ranked, complete, and clear about what it cannot answer.

use axum::body::Body;
use axum::http::{Request, StatusCode};
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::site::{Answer, Site};

async fn post(site: &Site, kind: &str, question: impl Into<String>) -> Answer {
    let request = Request::post("/v1/feed").header("content-type", kind);
    site.send(request.body(Body::from(question.into())).unwrap()).await
}

async fn feed(site: &Site, question: Value) -> Value {
    let answer = post(site, "application/json", question.to_string()).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
    serde_json::from_str(&answer.body).unwrap()
}

/// Those that may be asked and answer with a feed.
async fn channels(site: &Site) -> Vec<String> {
    let channels = site.json("/v1/channels").await;
    let channels = channels["channels"].as_array().unwrap().iter();
    channels
        .filter(|channel| channel["kind"] == "feed" && channel["verdict"] == "allowed")
        .map(|channel| channel["username"].as_str().unwrap().to_owned())
        .collect()
}

#[sqlx::test(migrations = "../migrations")]
async fn chosen_channels_come_ranked_with_their_reasons(pool: PgPool) {
    let site = Site::after(pool, 6).await;
    let chosen = channels(&site).await;
    let chosen = &chosen[..12];
    let found = feed(&site, json!({"channels": chosen, "diversity": 0.0})).await;
    assert_eq!(found["failures"], json!([]));
    assert_eq!(found["channels"].as_array().unwrap().len(), 12);
    let posts = found["posts"].as_array().unwrap();
    assert!(posts.len() > 20, "{} posts", posts.len());
    let scores: Vec<f64> = posts.iter().map(|post| post["_score"].as_f64().unwrap()).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
    assert!(scores.iter().all(|score| (0.0..=10.0).contains(score)));
    assert!(posts.iter().all(|post| chosen.iter().any(|name| post["channel"] == name.as_str())));
    assert!(posts.iter().any(|post| post["_duplicates"].is_array()), "agency copy is folded");
    assert!(posts.iter().any(|post| post["_topic"]["keywords"].is_array()));

    // A channel that is named twice counts once, and the order of channels changes no ranking.
    let mut other: Vec<&String> = chosen.iter().rev().collect();
    other.push(&chosen[0]);
    let again = feed(&site, json!({"channels": other, "diversity": 0.0})).await;
    assert_eq!(again["posts"], found["posts"]);

    let all = feed(&site, json!({"channels": chosen, "diversity": 0.0, "collapse": false})).await;
    assert!(all["posts"].as_array().unwrap().iter().all(|post| post["_duplicates"].is_null()));
    let few = feed(&site, json!({"channels": chosen, "limit": 3})).await;
    assert_eq!(few["posts"].as_array().unwrap().len(), 3);
}

#[sqlx::test(migrations = "../migrations")]
async fn what_fails_is_told_beside_what_does_not(pool: PgPool) {
    let site = Site::after(pool, 3).await;
    let known = channels(&site).await.remove(0);
    let found = feed(&site, json!({"channels": ["nobody", known]})).await;
    assert_eq!(found["failures"][0]["channel"], "nobody");
    assert_eq!(found["failures"][0]["trouble"], "unknown");
    assert_eq!(found["channels"].as_array().unwrap().len(), 1);
    assert!(!found["posts"].as_array().unwrap().is_empty());
    let nothing = feed(&site, json!({"channels": ["nobody"]})).await;
    assert_eq!((&nothing["posts"], &nothing["channels"]), (&json!([]), &json!([])));
}

#[sqlx::test(migrations = "../migrations")]
async fn a_question_that_makes_no_sense_is_told_why(pool: PgPool) {
    let site = Site::after(pool, 1).await;
    let many: Vec<String> = (0..101).map(|number| format!("c{number}")).collect();
    let json = "application/json";
    for (kind, question, status, said) in [
        (json, json!({"channels": []}).to_string(), 400, "channels is 0, and must be 1 to 100"),
        (json, json!({"channels": many}).to_string(), 400, "channels is 101, and must be 1 to 100"),
        (json, json!({"channels": ["a"], "diversity": 1.1}).to_string(), 400, "must be 0 to 1"),
        (
            json,
            json!({"channels": ["a"], "limit": 0}).to_string(),
            400,
            "limit is 0, and must be 1 to 500",
        ),
        (
            json,
            json!({"channels": ["a"], "half_life_hours": -3}).to_string(),
            400,
            "must be 1 to 720",
        ),
        (
            json,
            json!({"channels": ["a"], "language": ""}).to_string(),
            400,
            "language is \"\", and must be two or three lower-case letters",
        ),
        (json, json!({"channels": ["a"], "language": "CS"}).to_string(), 400, "lower-case letters"),
        (
            json,
            json!({"channels": ["a"], "language": "z".repeat(1_000)}).to_string(),
            400,
            "language is \"zzzzzzzzzzzzzzzzzzzz\"",
        ),
        (json, json!([["a"], 24, 0.5, true, 1, null]).to_string(), 422, "expected an object"),
        (json, json!([{"channels": ["a"]}]).to_string(), 422, "batches are not taken"),
        (json, json!("channels").to_string(), 422, "expected an object"),
        (json, json!({"channels": "a"}).to_string(), 422, "channels"),
        (json, json!({"channels": ["a"], "colour": 1}).to_string(), 422, "colour"),
        (json, json!({}).to_string(), 422, "channels"),
        (json, "{\"channels\": [".to_owned(), 400, "JSON"),
        ("text/plain", json!({"channels": ["a"]}).to_string(), 415, "application/json"),
    ] {
        let answer = post(&site, kind, question.clone()).await;
        assert_eq!(answer.status.as_u16(), status, "{question}: {}", answer.body);
        let error: Value = serde_json::from_str(&answer.body).unwrap();
        let message = error["error"]["message"].as_str().unwrap();
        assert!(message.contains(said), "{question}: {message}");
    }
    let long = json!({"channels": ["a".repeat(70_000)]}).to_string();
    assert_eq!(post(&site, json, long).await.status, StatusCode::PAYLOAD_TOO_LARGE);
    let get = site.get("/v1/feed").await;
    assert_eq!(get.status, StatusCode::METHOD_NOT_ALLOWED);
}

#[sqlx::test(migrations = "../migrations")]
async fn the_documented_questions_are_answered(pool: PgPool) {
    let site = Site::after(pool, 3).await;
    let (_, command) = include_str!("../../../docs/feed.md").split_once("-d '").unwrap();
    let (documented, _) = command.split_once('\'').unwrap();
    let document = site.json("/v1/openapi.json").await;
    let body = &document["paths"]["/v1/feed"]["post"]["requestBody"];
    let example = body["content"]["application/json"]["example"].clone();
    for question in [serde_json::from_str(documented).unwrap(), example] {
        let found = feed(&site, question).await;
        assert_eq!(found["failures"], json!([]));
        assert_eq!(found["posts"].as_array().unwrap().len(), 20);
    }
}

#[sqlx::test(migrations = "../migrations")]
async fn whoever_asks_counts_also_where_the_answer_is_kept(pool: PgPool) {
    let site = Site::after(pool, 3).await;
    let known = channels(&site).await.remove(0);
    feed(&site, json!({"channels": [known, known, "nobody"]})).await;
    for path in ["/feed", "/feed", "/en/feed", "/feed.atom", "/feed.atom", "/feed.opml"] {
        let answer = site.get(&format!("{path}?channel={known}&limit=5")).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.body);
    }
    // A list of channels is no question for their posts.
    assert_eq!(site.shared.top(9).await, [(known, 6.0)]);
}

#[sqlx::test(migrations = "../migrations")]
async fn a_feed_has_no_past(pool: PgPool) {
    let site = Site::after(pool, 3).await;
    let known = channels(&site).await.remove(0);
    let page =
        site.get(&format!("/en/feed?channel={known}&at=2001-01-01T00:00:00Z&model=none")).await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(page.body.contains("<ol class=\"posts\">"));
    let board = site.get("/en/?at=2026-08-14T08:00:00Z").await;
    let past = "As it stood at";
    assert!(board.body.contains(past) && !page.body.contains(past));
}

#[sqlx::test(migrations = "../migrations")]
async fn more_feeds_than_can_be_ranked_in_time_are_refused_at_once(pool: PgPool) {
    // All the questions come from one address.
    let site = Site::after_with(pool, 3, &["--requests-burst", "1000"]).await;
    let known = channels(&site).await;
    feed(&site, json!({"channels": known})).await;
    let questions = (0..400).map(|number| {
        let half_life_hours = 1.0 + f64::from(number) / 10.0;
        json!({"channels": known, "half_life_hours": half_life_hours}).to_string()
    });
    let asked = questions.map(|question| post(&site, "application/json", question));
    let answers = futures::future::join_all(asked).await;
    let (ranked, refused): (Vec<_>, Vec<_>) =
        answers.iter().partition(|answer| answer.status == StatusCode::OK);
    assert!(ranked.len() >= 128 && !refused.is_empty(), "{} ranked", ranked.len());
    for answer in refused {
        assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE, "{}", answer.body);
        assert_eq!(answer.header("retry-after"), "1");
    }
}
