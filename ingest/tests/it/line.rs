//! The whole line over played answers, with what it leaves in the database.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use ingest::clock::Clock;
use ingest::poll::Line;
use ingest::source::Catalogue;
use ingest::web::{Limit, OneAtATime, Request, Response, Web, WebError};
use model::Verdict;
use sqlx::PgPool;
use store::{SourceState, Store};
use tokio::sync::watch;

use crate::play::{Play, answer};

const NOW: i64 = 1_786_687_200;
const HOUR: i64 = 3_600;
const HOME: &str = "https://news.example/home.xml";
const SPORT: &str = "https://news.example/sport.xml";
const CATALOGUE: &str = r#"
    [[newsroom]]
    slug = "news"
    name = "News"
    homepage = "https://news.example/"
    country = "CZ"
    language = "cs"
    [[newsroom.source]]
    slug = "news-home"
    section = "Home"
    url = "https://news.example/home.xml"
    [[newsroom.source]]
    slug = "news-sport"
    section = "Sport"
    url = "https://news.example/sport.xml"
"#;

fn feed(items: &[&str]) -> Response {
    let items: String = items
        .iter()
        .map(|name| {
            format!("<item><title>{name}</title><link>https://news.example/{name}</link></item>")
        })
        .collect();
    answer(200, &[], &format!("<rss version=\"2.0\"><channel>{items}</channel></rss>"))
}

/// A line as after a start: all that it knows comes from the database.
async fn line(pool: &PgPool, web: Arc<dyn Web>, at: i64) -> Line {
    let store = Store::from_pool(pool.clone()).await;
    let catalogue = Catalogue::parse("test", CATALOGUE).unwrap();
    let clock = Clock::virtual_at(at);
    Line::new(store, web, "Ohlas/1.0 (+test)", clock, &catalogue, 600).await.unwrap()
}

async fn due(line: &Line, slug: &str) -> SourceState {
    let due = line.store().due(line.clock().now()).await.unwrap();
    due.into_iter().find(|state| state.source.slug == slug).unwrap()
}

async fn poll(line: &Line, slug: &str) {
    line.poll(&due(line, slug).await).await.unwrap();
}

/// Makes the source due now, whenever it would have been.
async fn hasten(line: &Line, slug: &str) {
    let states = line.store().due(NOW + 99 * HOUR).await.unwrap();
    let state = states.iter().find(|state| state.source.slug == slug).unwrap();
    line.store().claim(state.source.id, line.clock().now()).await.unwrap();
}

async fn partitions(pool: &PgPool) {
    let store = Store::from_pool(pool.clone()).await;
    store.ensure_partitions(NOW, NOW + 9 * 24 * HOUR).await.unwrap();
}

#[sqlx::test(migrations = "../migrations")]
async fn a_reservation_in_an_answer_blocks_after_a_restart_too(pool: PgPool) {
    partitions(&pool).await;
    let mut play = Play::default();
    play.answer(HOME, answer(200, &[("tdm-reservation", "1")], "<rss/>"));
    let play = Arc::new(play);
    let asked = || play.requests().iter().filter(|url| *url == HOME).count();
    poll(&line(&pool, play.clone(), NOW).await, "news-home").await;
    assert_eq!(asked(), 1);

    for (at, requests) in [(NOW + 60, 1), (NOW + 24 * HOUR - 1, 1), (NOW + 24 * HOUR, 2)] {
        let restarted = line(&pool, play.clone(), at).await;
        hasten(&restarted, "news-home").await;
        poll(&restarted, "news-home").await;
        assert_eq!(asked(), requests, "{} s later", at - NOW);
    }
}

#[sqlx::test(migrations = "../migrations")]
async fn the_checks_of_hops_are_recorded_though_the_fetch_fails_later(pool: PgPool) {
    partitions(&pool).await;
    let mut play = Play::default();
    play.answer(HOME, answer(302, &[("location", "https://one.example/a")], ""));
    play.answer("https://one.example/a", answer(302, &[("location", "https://two.example/b")], ""));
    play.fail("https://two.example/b", WebError::Body("connection reset".to_owned()));
    poll(&line(&pool, Arc::new(play), NOW).await, "news-home").await;
    let checked: Vec<(String, String)> =
        sqlx::query_as("SELECT url, verdict FROM gate_checks ORDER BY id")
            .fetch_all(&pool)
            .await
            .unwrap();
    let allowed = Verdict::Allowed.as_str().to_owned();
    let expected = [HOME, "https://one.example/a", "https://two.example/b"];
    assert_eq!(checked, expected.map(|url| (url.to_owned(), allowed.clone())));
}

#[sqlx::test(migrations = "../migrations")]
async fn retry_after_holds_for_the_whole_host_after_a_restart_too(pool: PgPool) {
    partitions(&pool).await;
    let mut play = Play::default();
    play.answer(HOME, answer(429, &[("retry-after", "7200")], ""));
    play.answer(HOME, feed(&["tomorrow"]));
    play.answer(SPORT, feed(&["goal"]));
    let play = Arc::new(play);
    let asked = |address: &str| play.requests().iter().filter(|url| *url == address).count();

    let restarted = line(&pool, play.clone(), NOW).await;
    poll(&restarted, "news-home").await;
    poll(&restarted, "news-sport").await;
    assert_eq!((asked(HOME), asked(SPORT)), (1, 0));
    for (later, requests) in [(7_199, 0), (7_200, 1)] {
        let restarted = line(&pool, play.clone(), NOW + later).await;
        hasten(&restarted, "news-sport").await;
        let to = restarted.clock().now();
        let result: Result<(), store::Error> = restarted.replay(to, to, async |_| Ok(())).await;
        result.unwrap();
        assert_eq!(asked(SPORT), requests, "{later} s later");
    }
}

#[sqlx::test(migrations = "../migrations")]
async fn a_check_that_could_not_be_recorded_is_recorded_with_the_next_answer(pool: PgPool) {
    let mut play = Play::default();
    play.answer(HOME, feed(&["first"]));
    let line = line(&pool, Arc::new(play), NOW).await;
    // Without a partition for its moment, an append fails.
    line.poll(&due(&line, "news-home").await).await.unwrap_err();
    partitions(&pool).await;
    for minutes in [5, 60] {
        line.clock().set(NOW + minutes * 60);
        poll(&line, "news-home").await;
    }
    let named: Vec<(i64, String)> = sqlx::query_as(
        "SELECT c.id, c.url FROM fetches f JOIN gate_checks c ON c.id = f.check_id AND c.at <= f.at",
    )
    .fetch_all(&pool)
    .await
    .unwrap();
    let checks: Vec<i64> =
        sqlx::query_scalar("SELECT id FROM gate_checks").fetch_all(&pool).await.unwrap();
    assert_eq!(checks.len(), 1);
    assert_eq!(named, vec![(checks[0], HOME.to_owned()); 2]);
}

#[sqlx::test(migrations = "../migrations")]
async fn what_is_gone_is_stopped_and_what_moved_is_told(pool: PgPool) {
    partitions(&pool).await;
    let mut play = Play::default();
    play.answer(HOME, answer(410, &[], ""));
    play.answer(SPORT, answer(308, &[("location", "/new.xml")], ""));
    play.answer("https://news.example/new.xml", feed(&["goal"]));
    let line = line(&pool, Arc::new(play), NOW).await;
    poll(&line, "news-home").await;
    poll(&line, "news-sport").await;
    let state: Vec<(Option<String>, Option<String>)> =
        sqlx::query_as("SELECT stopped, moved_to FROM source_state ORDER BY source_id")
            .fetch_all(&pool)
            .await
            .unwrap();
    assert_eq!(state[0], (Some("it answers 410 (gone for good)".to_owned()), None));
    assert_eq!(state[1], (None, Some("https://news.example/new.xml".to_owned())));
    let ever = line.store().due(NOW + 99 * HOUR).await.unwrap();
    assert_eq!(ever.len(), 1, "a source that is gone is never due");
}

#[sqlx::test(migrations = "../migrations")]
async fn a_source_is_asked_as_often_as_it_changes_and_is_wanted(pool: PgPool) {
    partitions(&pool).await;
    let mut play = Play::default();
    for number in 0..40 {
        play.answer(SPORT, feed(&[&format!("goal-{number}")]));
    }
    play.answer(HOME, feed(&["only"]));
    let play = Arc::new(play);
    let asked = |address: &str| play.requests().iter().filter(|url| *url == address).count();
    let walk = async |line: &Line, from: i64, to: i64| {
        let result: Result<(), store::Error> = line.replay(from, to, async |_| Ok(())).await;
        result.unwrap();
    };
    let neutral = line(&pool, play.clone(), NOW).await;
    walk(&neutral, NOW, NOW + 16 * HOUR).await;
    let (quiet, lively) = (asked(HOME), asked(SPORT));
    assert!(lively > 2 * quiet && quiet >= 5, "{quiet} and {lively} requests of sixteen hours");

    let favoured = line(&pool, play.clone(), NOW + 16 * HOUR).await;
    favoured.favour([("news-home".to_owned(), 1.0)].into());
    walk(&favoured, NOW + 16 * HOUR, NOW + 40 * HOUR).await;
    let wanted = asked(HOME) - quiet;
    let neutral = line(&pool, play.clone(), NOW + 40 * HOUR).await;
    walk(&neutral, NOW + 40 * HOUR, NOW + 64 * HOUR).await;
    let unwanted = asked(HOME) - quiet - wanted;
    assert!(wanted > unwanted, "{wanted} and {unwanted} requests of a day");
}

/// Counts who is asked at the same time.
#[derive(Default)]
struct Crowd {
    now: AtomicUsize,
    most: AtomicUsize,
}

#[async_trait]
impl Web for Crowd {
    async fn get(&self, _: &Request) -> Result<Response, WebError> {
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_millis(5)).await;
        self.now.fetch_sub(1, Ordering::SeqCst);
        Ok(answer(200, &[], ""))
    }
}

#[tokio::test]
async fn a_host_is_asked_by_one_at_a_time() {
    for (hosts, most) in [(1, 1), (8, 8)] {
        let crowd = Arc::new(Crowd::default());
        let web = OneAtATime::new(crowd.clone());
        let requests = (0..16).map(|number| Request {
            url: format!("https://h{}.example/{number}", number % hosts).parse().unwrap(),
            headers: Vec::new(),
            limit: Limit::Refuse(1),
        });
        let requests: Vec<Request> = requests.collect();
        futures::future::join_all(requests.iter().map(|request| web.get(request))).await;
        assert_eq!(crowd.most.load(Ordering::SeqCst), most, "{hosts} hosts");
    }
}

/// One address never answers.
struct Stalling(Arc<Play>);

#[async_trait]
impl Web for Stalling {
    async fn get(&self, request: &Request) -> Result<Response, WebError> {
        if request.url.as_str() == "https://stalling.example/feed.xml" {
            std::future::pending().await
        }
        self.0.get(request).await
    }
}

#[sqlx::test(migrations = "../migrations")]
async fn a_source_that_stalls_holds_no_other_up(pool: PgPool) {
    partitions(&pool).await;
    let mut play = Play::default();
    play.answer(HOME, feed(&["a"]));
    let play = Arc::new(play);
    let asked = || play.requests().iter().filter(|url| *url == HOME).count();
    let catalogue = CATALOGUE.replace(SPORT, "https://stalling.example/feed.xml");
    let catalogue = Catalogue::parse("test", &catalogue).unwrap();
    let clock = Clock::virtual_at(NOW);
    let store = Store::from_pool(pool.clone()).await;
    let web = Arc::new(Stalling(play.clone()));
    let line = Line::new(store, web, "Ohlas/1.0", clock.clone(), &catalogue, 600).await.unwrap();
    let (stop, stopped) = watch::channel(false);
    let polling = tokio::spawn(async move { line.poll_until(stopped).await });
    let begun = std::time::Instant::now();
    for round in 1..=3 {
        clock.set(NOW + round * HOUR);
        while asked() < round as usize {
            assert!(begun.elapsed() < Duration::from_secs(30), "round {round} is held up");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
    stop.send_replace(true);
    polling.abort();
}
