//! Instances that share a real Redis, started on a socket of its own: ranking, pages and the lead; and
//! what each does by itself while Redis is away.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ingest::clock::Clock;
use ingest::refresh::Refreshing;
use ingest::shared::{LEAD_MILLISECONDS, Shared};
use sqlx::PgPool;
use tokio::sync::watch;

use crate::pages::{CHANNEL, ask, instance, page};
use crate::play::{Play, answer};

const NOW: i64 = 1_786_687_200;
const HALF_LIFE: f64 = 3_600.0;
/// The refresher looks for the lead this often.
const TICK: Duration = Duration::from_secs(5);

/// Killed at the latest when its test ends.
struct Server {
    directory: std::path::PathBuf,
    process: Child,
}

impl Server {
    async fn start(name: &str) -> Self {
        let directory =
            std::env::temp_dir().join(format!("ohlas-redis-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let process = spawn(&directory);
        let server = Self { directory, process };
        server.answers().await;
        server
    }

    fn url(&self) -> String {
        format!("redis+unix://{}", self.directory.join("redis.sock").display())
    }

    fn shared(&self) -> Shared {
        Shared::over_redis(&self.url(), HALF_LIFE).unwrap()
    }

    fn stop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    async fn start_again(&mut self) {
        self.process = spawn(&self.directory);
        self.answers().await;
    }

    async fn answers(&self) {
        let client = redis::Client::open(self.url()).unwrap();
        for _ in 0..500 {
            if client.get_multiplexed_async_connection().await.is_ok() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("redis-server does not answer on {}", self.url());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have been stopped.
        self.process.kill().ok();
        self.process.wait().ok();
        std::fs::remove_dir_all(&self.directory).ok();
    }
}

fn spawn(directory: &Path) -> Child {
    Command::new("redis-server")
        .args(["--port", "0", "--save", "", "--appendonly", "no", "--unixsocket", "redis.sock"])
        .current_dir(directory)
        .stdout(Stdio::null())
        .spawn()
        .expect("redis-server is installed by `cargo xtask setup`")
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

#[tokio::test]
async fn the_ranking_is_one_and_fades_once() {
    let server = Server::start("ranking").await;
    let (one, other) = (server.shared(), server.shared());
    one.decay(NOW).await;
    one.hit(&names(&["a", "b"])).await;
    other.hit(&names(&["b"])).await;
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
    let one = instance(&pool, Arc::clone(&play), &clock, server.shared()).await;
    let other = instance(&pool, Arc::clone(&play), &clock, server.shared()).await;
    let first = ask(&one, "news-channel").await.unwrap();
    let second = ask(&other, "news-channel").await.unwrap();
    assert_eq!(first, second);
    assert_eq!(play.requests().iter().filter(|url| *url == CHANNEL).count(), 1);
}

#[tokio::test]
async fn the_lead_is_one_instances_until_it_gives_it_away() {
    let server = Server::start("lead").await;
    let (one, other) = (server.shared(), server.shared());
    assert!(one.lead("one").await);
    assert!(!other.lead("other").await);
    assert!(one.lead("one").await, "who leads renews");
    other.release("other").await;
    assert!(!other.lead("other").await, "nobody gives away what is another's");
    one.release("one").await;
    assert!(other.lead("other").await, "it is free at once");
}

/// Two refreshers; the one that leads is killed, then the other stops cleanly.
#[sqlx::test(migrations = "../migrations")]
async fn a_killed_leader_is_followed_and_a_stopped_one_at_once(pool: PgPool) {
    let server = Server::start("refresher").await;
    let mut play = Play::default();
    play.answer(CHANNEL, answer(200, &[], &page(&["popular"])));
    let play = Arc::new(play);
    let clock = Clock::system();
    let one = instance(&pool, Arc::clone(&play), &clock, server.shared()).await;
    let other = instance(&pool, Arc::clone(&play), &clock, server.shared()).await;
    let refreshing = Refreshing { top: 9, min_seconds: 30, max_seconds: 600 };
    let (_running, never) = watch::channel(false);
    let (stop, stopping) = watch::channel(false);
    let leads = async || {
        let client = redis::Client::open(server.url()).unwrap();
        let mut redis = client.get_multiplexed_async_connection().await.unwrap();
        let holder: Option<String> =
            redis::AsyncCommands::get(&mut redis, "ohlas:feed:leader").await.unwrap();
        holder
    };
    let until = async |wanted: &dyn Fn(&Option<String>) -> bool, limit: Duration| {
        let began = Instant::now();
        loop {
            let holder = leads().await;
            if wanted(&holder) {
                return (holder, began.elapsed());
            }
            assert!(began.elapsed() < limit, "{holder:?} after {limit:?}");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };

    let killed = tokio::spawn(refreshing.until(Arc::clone(&one), never));
    let (first, _) = until(&|holder| holder.is_some(), TICK).await;
    let follower = tokio::spawn(refreshing.until(Arc::clone(&other), stopping));
    one.shared().hit(&names(&["news-channel"])).await;
    tokio::time::sleep(TICK + Duration::from_secs(1)).await;
    assert_eq!(leads().await, first, "the other waits");
    assert!(play.requests().iter().any(|url| url == CHANNEL), "what is popular is refreshed");

    killed.abort();
    let expired = Duration::from_millis(LEAD_MILLISECONDS) + TICK;
    let (second, after) = until(&|holder| holder.is_some() && *holder != first, expired).await;
    assert!(after < expired, "{after:?}");
    stop.send_replace(true);
    follower.await.unwrap();
    assert_eq!(leads().await, None, "{second:?} gave the lead away");
}

#[sqlx::test(migrations = "../migrations")]
async fn without_redis_each_goes_on_by_itself_until_it_is_back(pool: PgPool) {
    let mut server = Server::start("away").await;
    let clock = Clock::virtual_at(NOW);
    let mut play = Play::default();
    play.answer(CHANNEL, answer(200, &[], &page(&["alone"])));
    let play = Arc::new(play);
    let pages = instance(&pool, Arc::clone(&play), &clock, server.shared()).await;
    assert!(pages.shared().lead("one").await);
    let other = server.shared();
    assert!(!other.lead("other").await);

    server.stop();
    let began = Instant::now();
    ask(&pages, "news-channel").await.unwrap();
    assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
    assert_eq!(pages.shared().top(9).await, [("news-channel".to_owned(), 1.0)], "counted here");
    assert!(pages.shared().lead("one").await && other.lead("other").await, "each leads itself");

    server.start_again().await;
    tokio::time::sleep(Duration::from_millis(2_500)).await;
    assert!(pages.shared().lead("one").await);
    assert!(!other.lead("other").await, "one leads again");
    pages.shared().hit(&names(&["b"])).await;
    assert_eq!(other.top(9).await, [("b".to_owned(), 1.0)], "and the ranking is shared");
}
