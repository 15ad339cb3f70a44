//! The pages as a reader without JavaScript gets them.

use axum::http::StatusCode;
use sqlx::PgPool;

use crate::site::{HOUR, START, Site};

#[sqlx::test(migrations = "../migrations")]
async fn every_page_is_whole_in_both_languages(pool: PgPool) {
    let site = Site::after(pool, 5).await;
    let list = site.json("/v1/events?limit=1").await;
    let event = list["events"][0]["id"].as_i64().unwrap();
    let sources = site.json("/v1/sources").await;
    let source = sources["sources"][0]["source"]["slug"].as_str().unwrap();
    for page in [
        "/".to_owned(),
        format!("/event/{event}"),
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
