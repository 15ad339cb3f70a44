//! The feed of chosen channels: as other programs read it, and selections on their way in and out.

use axum::body::Body;
use axum::http::{Request, StatusCode};
use feed_rs::model::FeedType;
use serde_json::Value;
use sqlx::PgPool;

use crate::site::{Answer, Site};

/// Slugs of sources that the gate permits.
async fn permitted(site: &Site) -> Vec<String> {
    let sources = site.json("/v1/sources").await;
    let sources = sources["sources"].as_array().unwrap().iter();
    let sources = sources.filter(|it| it["check"]["verdict"] == "allowed");
    sources.map(|it| it["source"]["slug"].as_str().unwrap().to_owned()).collect()
}

fn selection(slugs: &[String]) -> String {
    slugs.iter().map(|slug| format!("channel={slug}")).collect::<Vec<_>>().join("&")
}

#[sqlx::test(migrations = "../migrations")]
async fn the_posts_are_read_back_from_both_kinds_of_feed(pool: PgPool) {
    let site = Site::after(pool, 5).await;
    let chosen = selection(&permitted(&site).await[..5]);
    for (prefix, language) in [("", "cs"), ("/en", "en")] {
        let mut ids = Vec::new();
        for (format, kind) in [("atom", FeedType::Atom), ("json", FeedType::JSON)] {
            let path = format!("{prefix}/feed.{format}?{chosen}&limit=20");
            let answer = site.get(&path).await;
            assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.body);
            let feed = feed_rs::parser::parse(answer.body.as_bytes()).expect(&path);
            assert_eq!((feed.feed_type, feed.language.as_deref()), (kind, Some(language)));
            assert_eq!(feed.entries.len(), 20, "{path}");
            for entry in &feed.entries {
                assert!(!entry.title.as_ref().unwrap().content.is_empty());
                assert!(entry.links[0].href.starts_with("http://"), "{entry:?}");
                assert!(entry.published.is_some());
            }
            ids.push(feed.entries.into_iter().map(|entry| entry.id).collect::<Vec<_>>());
        }
        assert_eq!(ids[0], ids[1], "{prefix}");
    }
    for format in ["atom", "json", "opml"] {
        let nothing = site.get(&format!("/feed.{format}")).await;
        assert_eq!(nothing.status, StatusCode::BAD_REQUEST, "{format}");
    }
}

#[sqlx::test(migrations = "../migrations")]
async fn the_page_shows_what_was_chosen_and_what_is_missing(pool: PgPool) {
    let site = Site::after(pool, 3).await;
    let chosen = selection(&permitted(&site).await[..3]);
    let page = site.get(&format!("/feed?{chosen}")).await;
    assert_eq!(page.status, StatusCode::OK);
    assert_eq!(page.header("cache-control"), "public, no-cache");
    assert!(page.body.contains("noindex") && page.body.contains("<ol class=\"posts\">"));
    for format in ["atom", "json", "opml"] {
        let href = format!("href=\"/feed.{format}?{}\"", chosen.replace('&', "&amp;"));
        assert!(page.body.contains(&href), "{href}");
    }
    for path in ["/feed", "/feed.atom", "/feed.json"] {
        let lacking = site.get(&format!("{path}?{chosen}&channel=none")).await;
        assert_eq!(lacking.status, StatusCode::OK, "{path}");
        assert_eq!(lacking.header("cache-control"), "no-store", "{path}");
    }
}

/// Sends a file as a form does.
async fn upload(site: &Site, path: &str, field: &str, file: &[u8]) -> Answer {
    let boundary = "ohlas-boundary";
    let head = format!(
        "--{boundary}\r\nContent-Disposition: form-data; name=\"{field}\"; filename=\"feeds.opml\"\r\n\
         Content-Type: text/x-opml\r\n\r\n"
    );
    let body = [head.as_bytes(), file, format!("\r\n--{boundary}--\r\n").as_bytes()].concat();
    let request = Request::post(path)
        .header("content-type", format!("multipart/form-data; boundary={boundary}"))
        .header("content-length", body.len());
    site.send(request.body(Body::from(body)).unwrap()).await
}

#[sqlx::test(migrations = "../migrations")]
async fn a_selection_leaves_as_opml_and_comes_back(pool: PgPool) {
    let site = Site::after(pool, 1).await;
    let mut slugs: Vec<String> = permitted(&site).await.into_iter().rev().take(9).collect();
    // A page of posts among them.
    slugs.push("denik-obzor-kanal".to_owned());
    let chosen = selection(&slugs);
    let list = site.get(&format!("/feed.opml?{chosen}")).await;
    assert_eq!(list.header("content-type"), "text/x-opml; charset=utf-8");
    assert_eq!(list.body.matches("<outline ").count(), slugs.len());
    let own = "xmlUrl=\"https://ohlas.example/feed.atom?channel=denik-obzor-kanal\"";
    assert!(list.body.contains(own), "{}", list.body);
    let with_another = list
        .body
        .replace("</body>", "<outline text=\"x\" xmlUrl=\"https://nowhere.example/rss\"/></body>");
    for (prefix, file, expected) in [
        ("", list.body.clone(), format!("/feed?{chosen}")),
        ("/en", with_another, format!("/en/feed?{chosen}&unknown=1")),
    ] {
        let answer = upload(&site, &format!("{prefix}/feed/opml"), "opml", file.as_bytes()).await;
        assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.body);
        assert_eq!(answer.header("location"), expected);
        assert_eq!(site.get(&expected).await.status, StatusCode::OK);
    }
}

#[sqlx::test(migrations = "../migrations")]
async fn a_file_that_is_no_list_is_refused_in_words(pool: PgPool) {
    let site = Site::after(pool, 1).await;
    // Larger than other bodies may be.
    let padding = "<!-- zvon -->".repeat(70_000);
    let large = format!("<opml>{padding}<outline xmlUrl=\"https://x.example/\"/></opml>");
    let answer = upload(&site, "/feed/opml", "opml", large.as_bytes()).await;
    assert_eq!(answer.header("location"), "/feed?unknown=1", "{}", answer.body);
    let exact = format!("{large}{}", " ".repeat((1 << 20) - large.len()));
    let answer = upload(&site, "/feed/opml", "opml", exact.as_bytes()).await;
    assert_eq!(answer.header("location"), "/feed?unknown=1", "{}", answer.body);
    let over = format!("{exact} ");
    let larger = format!("{large}{padding}");
    let many = "<outline>".repeat(5_001);
    for (field, file, says) in [
        ("opml", "Nothing of the kind", "holds no list of feeds"),
        ("opml", "", "No file arrived"),
        ("other", "<opml><outline/></opml>", "No file arrived"),
        ("opml", "<opml><outline text=\"x\"/></opml>", "no address of a feed"),
        ("opml", &many, "more than 5,000 entries"),
        ("opml", &over, "larger than 1\u{a0}MiB"),
        ("opml", &larger, "larger than 1\u{a0}MiB"),
    ] {
        let answer = upload(&site, "/en/feed/opml", field, file.as_bytes()).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{says}");
        assert!(answer.body.contains(says), "{says}: {}", answer.body);
        assert!(answer.body.contains("href=\"/en/feed\""), "{}", answer.body);
        assert_eq!(answer.header("cache-control"), "no-store");
        assert!(answer.header("content-security-policy").contains("'nonce-"));
    }
    let no_form = Request::post("/feed/opml").body(Body::from("x")).unwrap();
    assert_eq!(site.send(no_form).await.status, StatusCode::BAD_REQUEST);
    let again = site.get("/en/feed/opml").await;
    assert_eq!((again.status, again.header("location")), (StatusCode::SEE_OTHER, "/en/feed"));
}

#[sqlx::test(migrations = "../migrations")]
async fn a_hundred_channels_fit_into_an_address(pool: PgPool) {
    let site = Site::after(pool, 1).await;
    let long: Vec<String> = (0..100).map(|n| format!("{}{n:02}", "k".repeat(60))).collect();
    let page = site.get(&format!("/feed?{}", selection(&long))).await;
    assert_eq!(page.status, StatusCode::OK);
    assert_eq!(page.body.matches("checked").count(), 100);
    let json = site.get(&format!("/feed.json?{}", selection(&long))).await;
    let json: Value = serde_json::from_str(&json.body).unwrap();
    assert_eq!(json["items"], Value::Array(Vec::new()));

    let more = format!("{}&channel=k", selection(&long));
    let page = site.get(&format!("/en/feed?{more}")).await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(page.body.contains("1\u{a0}channel did not fit"), "{}", page.body);
    for format in ["atom", "json", "opml"] {
        let answer = site.get(&format!("/feed.{format}?{more}")).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{format}");
        let said = "number of channels is 101, and must be 1 to 100";
        assert!(answer.body.contains(said), "{format}: {}", answer.body);
    }
}
