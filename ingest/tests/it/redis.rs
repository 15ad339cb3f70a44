//! Instances that share a real Redis, started on a socket of its own: ranking, pages and the lead; and
//! what each does by itself while Redis is away.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ingest::clock::Clock;
use ingest::refresh::Refreshing;
use ingest::shared::{Lead, Shared};
use sqlx::PgPool;
use tokio::sync::watch;

use crate::pages::{CHANNEL, ask, instance, page};
use crate::play::{Play, answer};
use crate::redis_server::Server;

const NOW: i64 = 1_786_687_200;
const HALF_LIFE: f64 = 3_600.0;
/// The refresher looks for the lead this often.
const TICK: Duration = Duration::from_secs(5);

fn shared(server: &Server) -> Shared {
    Shared::over_redis(&server.url(), HALF_LIFE).unwrap()
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

#[tokio::test]
async fn the_ranking_is_one_and_fades_once() {
    let server = Server::start("ranking").await;
    let (one, other) = (shared(&server), shared(&server));
    one.decay(NOW).await;
    one.hit(&names(&["a", "b"])).await;
    other.hit(&names(&["b"])).await;
    one.hit(&[]).await;
    let expected = [("b".to_owned(), 2.0), ("a".to_owned(), 1.0)];
    assert_eq!(one.top(9).await, expected);
    assert_eq!(other.top(9).await, expected);

    one.decay(NOW + 3_600).await;
    other.decay(NOW + 3_600).await;
    assert_eq!(other.top(9).await, [("b".to_owned(), 1.0), ("a".to_owned(), 0.5)]);
    one.decay(NOW + 3_600 * 5).await;
    assert_eq!(one.top(9).await, [("b".to_owned(), 0.0625)], "0.03125 is forgotten");
}

#[sqlx::test(migrations = "../migrations")]
async fn a_page_that_one_instance_fetched_is_there_for_the_other(pool: PgPool) {
    let server = Server::start("pages").await;
    let clock = Clock::virtual_at(NOW);
    let mut play = Play::default();
    play.answer(CHANNEL, answer(200, &[], &page(&["shared"])));
    let play = Arc::new(play);
    let one = instance(&pool, &play, &clock, shared(&server)).await;
    let other = instance(&pool, &play, &clock, shared(&server)).await;
    let first = ask(&one, "news-channel").await.unwrap();
    let second = ask(&other, "news-channel").await.unwrap();
    assert_eq!((first.at, first.json()), (second.at, second.json()));
    assert_eq!(play.requests().iter().filter(|url| *url == CHANNEL).count(), 1);
}

#[tokio::test]
async fn the_lead_is_one_instances_until_it_gives_it_away() {
    let server = Server::start("lead").await;
    let (one, other) = (shared(&server), shared(&server));
    assert_eq!(one.lead("one").await, Lead::Ours);
    let Lead::Another(first) = other.lead("other").await else { panic!("two lead") };
    assert!(first > Duration::from_secs(25) && first <= Duration::from_secs(30), "{first:?}");
    tokio::time::sleep(Duration::from_millis(100)).await;
    let Lead::Another(later) = other.lead("other").await else { panic!("two lead") };
    assert!(later < first, "another's question renews nothing");
    assert_eq!(one.lead("one").await, Lead::Ours);
    assert!(server.lead_ends_in().await > later, "who leads renews");
    other.release("other").await;
    let still = other.lead("other").await;
    assert!(matches!(still, Lead::Another(_)), "nobody gives away what is another's");
    one.release("one").await;
    assert_eq!(other.lead("other").await, Lead::Ours, "it is free at once");
}

#[sqlx::test(migrations = "../migrations")]
async fn the_leader_refreshes_what_is_popular_and_leaves_at_once(pool: PgPool) {
    let server = Server::start("refresher").await;
    let mut play = Play::default();
    play.answer(CHANNEL, answer(200, &[], &page(&["popular"])));
    let play = Arc::new(play);
    let pages = instance(&pool, &play, &Clock::system(), shared(&server)).await;
    let refreshing = Refreshing { top: 9, min_seconds: 30, max_seconds: 600 };
    let (stop, stopping) = watch::channel(false);
    pages.shared().hit(&names(&["news-channel"])).await;
    let refresher = tokio::spawn(refreshing.until(Arc::clone(&pages), stopping));
    server.leader_that(|leader| leader.is_some(), TICK).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(play.requests().iter().any(|url| url == CHANNEL), "what is popular is refreshed");
    assert_ne!(shared(&server).lead("other").await, Lead::Ours);
    stop.send_replace(true);
    refresher.await.unwrap();
    assert_eq!(server.leader().await, None);
}

#[sqlx::test(migrations = "../migrations")]
async fn without_redis_each_goes_on_by_itself_until_it_is_back(pool: PgPool) {
    let mut server = Server::start("away").await;
    let clock = Clock::virtual_at(NOW);
    let mut play = Play::default();
    play.answer(CHANNEL, answer(200, &[], &page(&["alone"])));
    let play = Arc::new(play);
    let pages = instance(&pool, &play, &clock, shared(&server)).await;
    assert_eq!(pages.shared().lead("one").await, Lead::Ours);
    let other = shared(&server);
    assert_ne!(other.lead("other").await, Lead::Ours);

    server.stop();
    let began = Instant::now();
    ask(&pages, "news-channel").await.unwrap();
    assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
    assert_eq!(pages.shared().top(9).await, [("news-channel".to_owned(), 1.0)], "counted here");
    assert_eq!(pages.shared().lead("one").await, Lead::Ours, "each leads itself");
    assert_eq!(other.lead("other").await, Lead::Ours, "each leads itself");

    server.start_again().await;
    tokio::time::sleep(Duration::from_millis(2_500)).await;
    assert_eq!(pages.shared().lead("one").await, Lead::Ours);
    assert_ne!(other.lead("other").await, Lead::Ours, "one leads again");
    pages.shared().hit(&names(&["b"])).await;
    assert_eq!(other.top(9).await, [("b".to_owned(), 1.0)], "and the ranking is shared");
}
