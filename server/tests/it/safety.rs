//! What every answer says to the browser, and what nobody may ask.

use axum::body::Body;
use axum::http::{Request, StatusCode};
use serde_json::Value;
use sqlx::PgPool;
use store::Store;

use crate::site::Site;

#[sqlx::test(migrations = "../migrations")]
async fn every_answer_is_strict(pool: PgPool) {
    let site = Site::after(pool, 1).await;
    for path in [
        "/",
        "/en/docs",
        "/nowhere",
        "/?at=x",
        "/v1/events",
        "/v1/nothing",
        "/graphql",
        "/board.csv",
        "/feed?channel=none",
        "/feed.atom?channel=none",
        "/og.png",
        "/healthz",
        "/robots.txt",
        "/embed/board",
        "/live-not",
    ] {
        let answer = site.get(path).await;
        let policy = answer.header("content-security-policy");
        assert!(policy.starts_with("default-src 'none';"), "{path}: {policy}");
        assert!(!policy.contains("unsafe-inline") && !policy.contains("'unsafe-eval'"), "{path}");
        let framed = !policy.contains("frame-ancestors 'none'");
        assert_eq!(framed, path.starts_with("/embed/"), "{path}: {policy}");
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(answer.header("referrer-policy"), "strict-origin-when-cross-origin", "{path}");
        assert_eq!(answer.header("cross-origin-opener-policy"), "same-origin", "{path}");
        assert_eq!(answer.header("strict-transport-security"), "max-age=31536000", "{path}");
        assert!(!answer.header("cache-control").is_empty(), "{path}");
        assert_eq!(answer.header("set-cookie"), "", "{path}");
        let shared = answer.header("access-control-allow-origin") == "*";
        let machine = ["/v1", "/graphql", "/board", "/feed.", "/og", "/robots"]
            .iter()
            .any(|it| path.starts_with(it));
        assert_eq!(shared, machine, "{path}");
    }
}

#[sqlx::test(migrations = "../migrations")]
async fn a_page_elsewhere_may_send_questions_to_machines_alone(pool: PgPool) {
    let site = Site::after(pool, 1).await;
    for (path, allowed) in [("/v1/feed", true), ("/graphql", true), ("/", false)] {
        let question = Request::options(path)
            .header("origin", "https://elsewhere.example")
            .header("access-control-request-method", "POST")
            .header("access-control-request-headers", "content-type");
        let answer = site.send(question.body(Body::empty()).unwrap()).await;
        assert_eq!(answer.header("access-control-allow-origin") == "*", allowed, "{path}");
        assert_eq!(answer.header("access-control-allow-methods") == "GET, POST", allowed, "{path}");
        assert_eq!(
            answer.header("access-control-allow-headers") == "content-type",
            allowed,
            "{path}"
        );
    }
}

#[sqlx::test(migrations = "../migrations")]
async fn an_address_that_asks_too_much_is_told_when_to_come_back(pool: PgPool) {
    let store = Store::from_pool(pool).await;
    let limits = [
        "--requests-burst",
        "5",
        "--requests-per-minute",
        "6",
        "--client-address-header",
        "x-forwarded-for",
    ];
    let site = Site::over(store, &limits).await;
    let from = |client| [("x-forwarded-for", client)];
    for _ in 0..5 {
        assert_eq!(site.get_with("/v1/stats", &from("192.0.2.1")).await.status, StatusCode::OK);
    }
    let refused = site.get_with("/v1/stats", &from("192.0.2.1")).await;
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
    let wait: u64 = refused.header("retry-after").parse().unwrap();
    assert!((1..=10).contains(&wait), "{wait}");
    let body: Value = serde_json::from_str(&refused.body).unwrap();
    assert_eq!(body["error"]["status"], 429);
    assert_eq!(refused.header("cache-control"), "no-store");
    assert_eq!(site.get_with("/v1/stats", &from("192.0.2.2")).await.status, StatusCode::OK);
    // A page that is kept already costs nothing, one that is not does.
    let other = from("192.0.2.3");
    for _ in 0..20 {
        assert_eq!(site.get_with("/", &other).await.status, StatusCode::OK);
    }
    let mut statuses = Vec::new();
    for page in 0..6 {
        statuses.push(site.get_with(&format!("/?q={page}"), &other).await.status);
    }
    assert_eq!(statuses.last(), Some(&StatusCode::TOO_MANY_REQUESTS), "{statuses:?}");
}

#[sqlx::test(migrations = "../migrations")]
async fn an_operator_can_watch(pool: PgPool) {
    let site = Site::after(pool, 1).await;
    for path in ["/", "/", "/nowhere"] {
        site.get(path).await;
    }
    let metrics = site.get("/metrics").await.body;
    let value = |name: &str| -> f64 {
        let line = metrics.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.expect(name).parse().expect(name)
    };
    assert_eq!(value("ohlas_answers_total{status=\"2xx\"}"), 2.0);
    assert_eq!(value("ohlas_answers_total{status=\"4xx\"}"), 1.0);
    assert_eq!(value("ohlas_answer_seconds_bucket{le=\"+Inf\"}"), 3.0);
    assert_eq!(value("ohlas_answer_seconds_count"), 3.0);
    let stats = site.json("/v1/stats").await;
    assert_eq!(value("ohlas_items"), stats["stats"]["items"].as_f64().unwrap());
    assert!(value("ohlas_kept_bytes") > 10_000.0);
}

#[sqlx::test(migrations = "../migrations")]
async fn what_is_too_large_is_refused(pool: PgPool) {
    let site = Site::over(Store::from_pool(pool).await, &[]).await;
    let long = format!("/?q={}", "x".repeat(9_000));
    assert_eq!(site.get(&long).await.status, StatusCode::URI_TOO_LONG);
    let body = Request::post("/v1/events").header("content-length", "100000");
    let answer = site.send(body.body(Body::from("x".repeat(100_000))).unwrap()).await;
    assert_eq!(answer.status, StatusCode::PAYLOAD_TOO_LARGE);
}
