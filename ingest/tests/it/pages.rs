//! Pages of channels over played answers: when one is asked for, and what is left of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use async_trait::async_trait;
use engine::feed::{rank, view};
use ingest::clock::Clock;
use ingest::pages::{Ages, Page, Pages};
use ingest::poll::Line;
use ingest::shared::Shared;
use ingest::source::Catalogue;
use ingest::web::{Request, Response, Web, WebError};
use model::{ChannelFailure, FeedParams, Model, Snapshot, Trouble};
use serde_json::Value;
use sqlx::PgPool;
use store::Store;
use tokio::sync::watch;

use crate::play::{Play, answer};

const NOW: i64 = 1_786_687_200;
const FEED: &str = "https://news.example/feed.xml";
pub const CHANNEL: &str = "https://pages.example/their_name.json";
const CATALOGUE: &str = r#"
    [[newsroom]]
    slug = "news"
    name = "News"
    homepage = "https://news.example/"
    country = "CZ"
    language = "cs"
    [[newsroom.source]]
    slug = "news"
    url = "https://news.example/feed.xml"
    [[newsroom.source]]
    slug = "news-channel"
    section = "Channel"
    url = "https://pages.example/their_name.json"
    kind = "channel"
"#;
const AGES: Ages = Ages { fresh_seconds: 60, stale_seconds: 900 };

/// A service on which `posts` stand.
pub fn page(posts: &[&str]) -> String {
    let posts: Vec<String> = posts
        .iter()
        .map(|text| format!(r#"{{"id": 1, "content": {{"text": {{"string": "{text}"}}}}}}"#))
        .collect();
    format!(
        r#"{{"channel": {{"username": "their_name"}}, "content": {{"posts": [{}]}}}}"#,
        posts.join(",")
    )
}

/// An instance as after a start.
pub async fn instance(
    pool: &PgPool,
    web: &Arc<impl Web + 'static>,
    clock: &Clock,
    shared: Shared,
) -> Arc<Pages> {
    let store = Store::from_pool(pool.clone()).await;
    store.ensure_partitions(NOW, NOW + 24 * 3_600).await.unwrap();
    let catalogue = Catalogue::parse("test", CATALOGUE).unwrap();
    let line =
        Line::new(store, Arc::clone(web) as _, "Ohlas/1.0 (+test)", clock.clone(), &catalogue, 600);
    let line = line.await.unwrap();
    let snapshot = Snapshot {
        newsrooms: line.store().newsrooms().await.unwrap(),
        sources: line.store().source_reports(clock.now()).await.unwrap(),
        ..Snapshot::empty(Model::v1())
    };
    let (_, newest) = watch::channel(Arc::new(snapshot));
    Pages::new(Arc::new(line), Arc::new(shared), newest, AGES)
}

async fn alone(pool: &PgPool, web: &Arc<impl Web + 'static>, clock: &Clock) -> Arc<Pages> {
    instance(pool, web, clock, Shared::in_memory(3_600.0)).await
}

fn one(name: &str) -> [String; 1] {
    [name.to_owned()]
}

pub async fn ask(pages: &Arc<Pages>, name: &str) -> Result<Page, ChannelFailure> {
    pages.count(&one(name)).await;
    let (mut found, mut failures) = pages.of(&one(name)).await;
    match (found.pop(), failures.pop()) {
        (Some(page), None) => Ok(page),
        (None, Some(failure)) => Err(failure),
        other => panic!("{other:?}"),
    }
}

fn asked(play: &Play, url: &str) -> usize {
    play.requests().iter().filter(|asked| *asked == url).count()
}

/// Until what was begun behind a reader's back has ended.
async fn settle(play: &Play, url: &str, requests: usize) {
    for _ in 0..200 {
        if asked(play, url) >= requests {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("{url} was asked for {} times, not {requests}", asked(play, url));
}

#[sqlx::test(migrations = "../migrations")]
async fn a_source_of_ours_is_read_from_what_was_collected(pool: PgPool) {
    let clock = Clock::virtual_at(NOW);
    let mut play = Play::default();
    let feed = |title: &str| {
        let item = format!(
            "<item><title>{title}</title><link>https://news.example/a</link><guid>a</guid>
            <description>A bridge fell at night.</description></item>"
        );
        answer(200, &[], &format!("<rss version=\"2.0\"><channel>{item}</channel></rss>"))
    };
    play.answer(FEED, feed("Bridge falls"));
    play.answer(FEED, feed("Bridge falls, two hurt"));
    let play = Arc::new(play);
    let pages = alone(&pool, &play, &clock).await;
    for later in [0, 3_600] {
        clock.set(NOW + later);
        poll_ours(&pages).await;
    }

    let found = ask(&pages, "news").await.unwrap();
    let json: Value = serde_json::from_slice(found.json()).unwrap();
    assert_eq!(json["channel"]["username"], "news");
    let post = &json["content"]["posts"][0];
    assert_eq!(
        post["content"]["text"]["string"],
        "Bridge falls, two hurt\nA bridge fell at night."
    );
    assert_eq!(
        (&post["url"], &post["footer"]["edited"]),
        (&"https://news.example/a".into(), &true.into())
    );
    let feed = view(&[found.parts()], &FeedParams::default(), clock.now(), Vec::new());
    assert_eq!(feed.entries.len(), 1);
    assert_eq!(feed.entries[0].post.url.as_deref(), Some("https://news.example/a"));
    assert_eq!(asked(&play, FEED), 2, "a page of ours asks nobody");
}

/// Asks the source that is no channel.
async fn poll_ours(pages: &Pages) {
    let due = pages.line().store().due(pages.line().clock().now()).await.unwrap();
    assert_eq!(due.len(), 1, "a channel is not asked by the schedule");
    pages.line().poll(&due[0]).await.unwrap();
}

#[sqlx::test(migrations = "../migrations")]
async fn a_source_of_ours_without_posts_says_why(pool: PgPool) {
    let clock = Clock::virtual_at(NOW);
    let mut play = Play::default();
    play.answer(FEED, answer(200, &[], "no feed"));
    let robots = "https://news.example/robots.txt";
    play.answer(robots, answer(200, &[], "User-agent: *\nAllow: /\n"));
    play.answer(robots, answer(200, &[], "User-agent: *\nDisallow: /\n"));
    let play = Arc::new(play);
    let pages = alone(&pool, &play, &clock).await;
    let mut troubles = vec![ask(&pages, "news").await.unwrap_err()];
    for later in [0, 3 * 24 * 3_600] {
        clock.set(NOW + later);
        poll_ours(&pages).await;
        // What is known of sources is the snapshot's.
        troubles.push(ask(&alone(&pool, &play, &clock).await, "news").await.unwrap_err());
    }
    let troubles: Vec<Trouble> = troubles.iter().map(|failure| failure.trouble).collect();
    assert_eq!(troubles, [Trouble::Unreachable, Trouble::Unreadable, Trouble::Refused]);
}

#[sqlx::test(migrations = "../migrations")]
async fn a_page_is_used_then_refreshed_behind_then_fetched_first(pool: PgPool) {
    let clock = Clock::virtual_at(NOW);
    let mut play = Play::default();
    play.answer(CHANNEL, answer(200, &[("etag", "\"1\"")], &page(&["first"])));
    play.answer(CHANNEL, answer(200, &[("etag", "\"2\"")], &page(&["second"])));
    play.answer(CHANNEL, answer(304, &[], ""));
    let play = Arc::new(play);
    let pages = alone(&pool, &play, &clock).await;
    let says = |page: &Page, text: &str| {
        let json = String::from_utf8_lossy(page.json()).into_owned();
        assert!(json.contains(text) && json.contains("\"username\":\"news-channel\""), "{json}");
    };

    says(&ask(&pages, "news-channel").await.unwrap(), "first");
    clock.set(NOW + 59);
    says(&ask(&pages, "news-channel").await.unwrap(), "first");
    assert_eq!(asked(&play, CHANNEL), 1, "a fresh page is used as it is");

    clock.set(NOW + 60);
    says(&ask(&pages, "news-channel").await.unwrap(), "first");
    settle(&play, CHANNEL, 2).await;
    tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    says(&ask(&pages, "news-channel").await.unwrap(), "second");
    assert_eq!(asked(&play, CHANNEL), 2, "a stale page is refreshed once");

    clock.set(NOW + 60 + 900);
    says(&ask(&pages, "news-channel").await.unwrap(), "second");
    assert_eq!(asked(&play, CHANNEL), 3, "an old page is asked for first; 304 says that it stands");

    let outcomes: Vec<(String, bool)> =
        sqlx::query_as("SELECT outcome, check_id IS NOT NULL FROM fetches ORDER BY id")
            .fetch_all(&pool)
            .await
            .unwrap();
    let expected = ["listed", "listed", "unchanged"].map(|outcome| (outcome.to_owned(), true));
    assert_eq!(outcomes, expected, "every request is on record with the check that permitted it");
    let items: i64 =
        sqlx::query_scalar("SELECT count(*) FROM items").fetch_one(&pool).await.unwrap();
    assert_eq!(items, 0, "what stands on a page is never stored");
}

#[sqlx::test(migrations = "../migrations")]
async fn however_many_want_a_page_it_is_fetched_once(pool: PgPool) {
    let clock = Clock::virtual_at(NOW);
    let mut play = Play::default();
    play.answer(CHANNEL, answer(200, &[], &page(&["one"])));
    let play = Arc::new(play);
    let pages = alone(&pool, &play, &clock).await;
    let readers = (0..40).map(|_| ask(&pages, "news-channel"));
    for found in futures::future::join_all(readers).await {
        found.unwrap();
    }
    assert_eq!(asked(&play, CHANNEL), 1);
    assert_eq!(pages.shared().top(9).await, [("news-channel".to_owned(), 40.0)]);
}

#[sqlx::test(migrations = "../migrations")]
async fn the_gate_is_asked_before_a_channel(pool: PgPool) {
    let clock = Clock::virtual_at(NOW);
    let mut play = Play::default();
    let robots = "User-agent: *\nDisallow: /\n";
    play.answer("https://pages.example/robots.txt", answer(200, &[], robots));
    let play = Arc::new(play);
    let pages = alone(&pool, &play, &clock).await;
    let failure = ask(&pages, "news-channel").await.unwrap_err();
    assert_eq!(failure.trouble, Trouble::Refused);
    assert_eq!(asked(&play, CHANNEL), 0);
    let verdicts: Vec<String> =
        sqlx::query_scalar("SELECT verdict FROM gate_checks").fetch_all(&pool).await.unwrap();
    assert_eq!(verdicts, ["disallowed"]);
}

#[sqlx::test(migrations = "../migrations")]
async fn a_channel_in_trouble_spoils_no_other_and_is_left_alone(pool: PgPool) {
    let clock = Clock::virtual_at(NOW);
    let mut play = Play::default();
    play.answer(CHANNEL, answer(200, &[], "{\"channel\": "));
    play.answer(CHANNEL, answer(200, &[], &page(&["better"])));
    play.answer(FEED, answer(200, &[], "<rss version=\"2.0\"><channel></channel></rss>"));
    let play = Arc::new(play);
    poll_ours(alone(&pool, &play, &clock).await.as_ref()).await;
    let pages = alone(&pool, &play, &clock).await;
    let names = ["nobody", "news-channel", "news"].map(str::to_owned);
    let (found, failures) = pages.of(&names).await;
    let troubles: Vec<(&str, Trouble)> =
        failures.iter().map(|failure| (&*failure.channel, failure.trouble)).collect();
    assert_eq!(troubles, [("nobody", Trouble::Unknown), ("news-channel", Trouble::Unreadable)]);
    let parts: Vec<_> = found.iter().map(Page::parts).collect();
    let feed = rank(&parts, &FeedParams::default(), NOW);
    assert_eq!(feed.channels[0].username, "news");
    pages.count(&names).await;
    assert_eq!(pages.shared().top(9).await.len(), 2, "who is unknown counts for nothing");

    clock.set(NOW + 60);
    let failure = ask(&pages, "news-channel").await.unwrap_err();
    assert_eq!(failure.trouble, Trouble::Unreadable);
    let reason =
        "it is no page: EOF while parsing a value at line 1 column 12; it is left alone for";
    assert!(failure.reason.starts_with(reason), "{}", failure.reason);
    assert_eq!(asked(&play, CHANNEL), 1, "a failure is not hammered");
    clock.set(NOW + 600);
    ask(&pages, "news-channel").await.unwrap();
}

#[sqlx::test(migrations = "../migrations")]
async fn what_may_not_be_asked_for_any_more_is_not_shown_any_more(pool: PgPool) {
    let clock = Clock::virtual_at(NOW);
    let mut play = Play::default();
    play.answer(CHANNEL, answer(200, &[], &page(&["first"])));
    play.answer(CHANNEL, answer(200, &[("tdm-reservation", "1")], &page(&["second"])));
    let play = Arc::new(play);
    let pages = alone(&pool, &play, &clock).await;
    ask(&pages, "news-channel").await.unwrap();
    clock.set(NOW + 60);
    ask(&pages, "news-channel").await.expect("it is asked for behind the reader's back");
    settle(&play, CHANNEL, 2).await;
    tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    for later in [60, 119, 120, 300] {
        clock.set(NOW + later);
        let failure = ask(&pages, "news-channel").await.unwrap_err();
        assert_eq!(failure.trouble, Trouble::Refused, "{later}");
    }
    assert_eq!(asked(&play, CHANNEL), 2, "who reserves is not asked again");
}

#[sqlx::test(migrations = "../migrations")]
async fn what_one_instance_is_refused_no_other_shows(pool: PgPool) {
    let clock = Clock::virtual_at(NOW);
    let mut play = Play::default();
    for text in ["first", "first"] {
        play.answer(CHANNEL, answer(200, &[], &page(&[text])));
    }
    play.answer(CHANNEL, answer(200, &[("tdm-reservation", "1")], &page(&["second"])));
    let play = Arc::new(play);
    let one = alone(&pool, &play, &clock).await;
    let other = alone(&pool, &play, &clock).await;
    ask(&one, "news-channel").await.unwrap();
    ask(&other, "news-channel").await.unwrap();
    clock.set(NOW + 60);
    ask(&one, "news-channel").await.unwrap();
    settle(&play, CHANNEL, 3).await;
    tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    ask(&other, "news-channel").await.expect("it is asked for behind the reader's back");
    tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    for pages in [&one, &other] {
        assert_eq!(ask(pages, "news-channel").await.unwrap_err().trouble, Trouble::Refused);
    }
    assert_eq!(asked(&play, CHANNEL), 3, "who reserves is not asked again");
}

/// Answers 304 to whoever has its newest page.
struct Versions(AtomicU32);

#[async_trait]
impl Web for Versions {
    async fn get(&self, request: &Request) -> Result<Response, WebError> {
        let version = self.0.load(Ordering::Relaxed);
        let etag = format!("\"{version}\"");
        let known =
            request.headers.iter().any(|(name, value)| name == "if-none-match" && *value == etag);
        Ok(match (request.url.as_str() == CHANNEL, known) {
            (false, _) => answer(404, &[], ""),
            (true, true) => answer(304, &[], ""),
            (true, false) => {
                answer(200, &[("etag", &etag)], &page(&[&format!("version {version}")]))
            }
        })
    }
}

#[sqlx::test(migrations = "../migrations")]
async fn a_page_that_is_not_the_newest_is_not_said_to_stand(pool: PgPool) {
    let clock = Clock::virtual_at(NOW);
    let site = Arc::new(Versions(AtomicU32::new(1)));
    let one = alone(&pool, &site, &clock).await;
    let other = alone(&pool, &site, &clock).await;
    let says =
        |found: Result<Page, ChannelFailure>| found.unwrap().parts().posts[0].text.to_string();
    assert_eq!(says(ask(&one, "news-channel").await), "version 1");
    assert_eq!(says(ask(&other, "news-channel").await), "version 1");
    site.0.store(2, Ordering::Relaxed);
    for later in [1_000, 2_000, 3_000] {
        clock.set(NOW + later);
        assert_eq!(says(ask(&one, "news-channel").await), "version 2");
        assert_eq!(says(ask(&other, "news-channel").await), "version 2", "{later}");
    }
}

#[sqlx::test(migrations = "../migrations")]
async fn the_largest_page_is_kept(pool: PgPool) {
    let clock = Clock::virtual_at(NOW);
    let mut play = Play::default();
    let post = "x".repeat(3_000);
    let page = (0..3_000)
        .map(|id| format!(r#"{{"id": {id}, "content": {{"text": {{"string": "{post}"}}}}}}"#));
    let posts = page.collect::<Vec<_>>().join(",");
    let page = format!(r#"{{"channel": {{"username": "a"}}, "content": {{"posts": [{posts}]}}}}"#);
    play.answer(CHANNEL, answer(200, &[], &page));
    let play = Arc::new(play);
    let pages = alone(&pool, &play, &clock).await;
    for _ in 0..3 {
        let found = ask(&pages, "news-channel").await.unwrap();
        assert_eq!(found.parts().posts.len(), 2_000, "more posts are not read");
    }
    assert_eq!(asked(&play, CHANNEL), 1);
}
