//! What other sites and programs take from this one: embeds, previews, maps.

use axum::http::StatusCode;
use serde_json::Value;
use sqlx::PgPool;
use store::Store;

use crate::site::{ORIGIN, Site};

async fn hottest(site: &Site) -> String {
    site.json("/v1/events?limit=1").await["events"][0]["id"].to_string()
}

#[sqlx::test(migrations = "../migrations")]
async fn a_page_leads_to_its_embed_and_its_picture(pool: PgPool) {
    let site = Site::after(pool, 3).await;
    let id = hottest(&site).await;
    for (page, embed) in [
        ("/".to_owned(), "/embed/board".to_owned()),
        ("/en".to_owned(), "/en/embed/board".to_owned()),
        (format!("/event/{id}"), format!("/embed/event/{id}")),
        (format!("/en/event/{id}"), format!("/en/embed/event/{id}")),
    ] {
        let body = site.get(&page).await.body;
        let oembed = body.split('<').find(|tag| tag.contains("application/json+oembed"));
        let oembed = between(oembed.unwrap(), "link", "href=\"", "\"");
        let oembed = oembed.strip_prefix(ORIGIN).expect(&oembed);
        let answer: Value = site.json(oembed).await;
        assert_eq!(answer["type"], "rich", "{page}");
        let html = answer["html"].as_str().unwrap();
        assert!(html.starts_with(&format!("<iframe src=\"{ORIGIN}{embed}\"")), "{page}: {html}");
        let embedded = site.get(&embed).await;
        assert_eq!(embedded.status, StatusCode::OK, "{embed}");
        assert!(!embedded.body.contains("<script"), "{embed}");
        let link = format!("{ORIGIN}{page}");
        assert!(embedded.body.contains(&format!("href=\"{link}")), "{embed}: {}", embedded.body);

        let picture = between(&body, "og:image\"", "content=\"", "\"");
        let picture = site.get(picture.strip_prefix(ORIGIN).expect(&picture)).await;
        assert_eq!(picture.header("content-type"), "image/png");
        assert_eq!(size(&picture.bytes), (1200, 630));
    }
    let themed = site.get("/embed/board?theme=dark&limit=2").await.body;
    assert!(themed.contains("data-theme=\"dark\""), "{themed}");
    assert_eq!(themed.matches("<h2").count(), 2);
}

#[sqlx::test(migrations = "../migrations")]
async fn what_cannot_be_embedded_is_said_so(pool: PgPool) {
    let site = Site::over(Store::from_pool(pool).await, &[]).await;
    for (path, status) in [
        (format!("/oembed?url={ORIGIN}/event/77"), StatusCode::NOT_FOUND),
        (format!("/oembed?url={ORIGIN}/sources"), StatusCode::NOT_FOUND),
        ("/oembed?url=https://elsewhere.example/".to_owned(), StatusCode::NOT_FOUND),
        (format!("/oembed?url={ORIGIN}/&format=xml"), StatusCode::NOT_IMPLEMENTED),
        ("/oembed".to_owned(), StatusCode::BAD_REQUEST),
        ("/embed/event/77".to_owned(), StatusCode::NOT_FOUND),
        ("/event/77/og.png".to_owned(), StatusCode::NOT_FOUND),
        ("/sitemap/2.xml".to_owned(), StatusCode::NOT_FOUND),
        ("/.well-known/security.txt".to_owned(), StatusCode::NOT_FOUND),
    ] {
        let answer = site.get(&path).await;
        assert_eq!(answer.status, status, "{path}");
        assert!(!answer.body.contains("<script"), "{path}");
    }
}

#[sqlx::test(migrations = "../migrations")]
async fn every_address_of_the_sitemap_is_a_page(pool: PgPool) {
    let site = Site::after(pool, 2).await;
    let robots = site.get("/robots.txt").await.body;
    let sitemap = between(&robots, "Sitemap:", " ", "\n");
    assert_eq!(sitemap, format!("{ORIGIN}/sitemap.xml"));
    let sitemap = site.get("/sitemap.xml").await.body;
    let addresses: Vec<&str> = sitemap
        .split("<loc>")
        .skip(1)
        .map(|rest| rest.split_once("</loc>").unwrap().0.strip_prefix(ORIGIN).unwrap())
        .collect();
    assert!(addresses.len() > 40, "{}", addresses.len());
    for page in ["/", "/newsrooms", "/desk", "/videos", "/search", "/sources", "/status"] {
        assert!(addresses.contains(&page), "{page} is missing");
    }
    assert!(!addresses.iter().any(|it| it.contains("/embed/") || it.contains('{')));
    // Of each kind some: rendering all of them takes long in a build for tests.
    let pages = addresses.iter().take(26).chain(addresses.iter().rev().take(6));
    for address in pages {
        let status = site.get(address).await.status;
        assert_eq!(status, StatusCode::OK, "{address}");
    }
    let tdm: Value = site.json("/.well-known/tdmrep.json").await;
    assert_eq!(tdm[0]["tdm-reservation"], 1);
}

#[sqlx::test(migrations = "../migrations")]
async fn weaknesses_are_reported_where_the_operator_says(pool: PgPool) {
    let contact = ["--security-contact", "mailto:security@ohlas.example"];
    let site = Site::over(Store::from_pool(pool).await, &contact).await;
    let security = site.get("/.well-known/security.txt").await.body;
    assert!(
        security.starts_with("Contact: mailto:security@ohlas.example\nExpires: 2"),
        "{security}"
    );
}

/// What stands between `open` and `close`, at the first `open` after `mark`.
fn between(text: &str, mark: &str, open: &str, close: &str) -> String {
    let (_, rest) = text.split_once(mark).expect(mark);
    let (_, rest) = rest.split_once(open).expect(open);
    rest.split_once(close).expect(close).0.replace("&amp;", "&")
}

/// Width and height of a PNG.
pub fn size(png: &[u8]) -> (u32, u32) {
    assert!(png.starts_with(b"\x89PNG\r\n\x1a\n"));
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    (number(16), number(20))
}
