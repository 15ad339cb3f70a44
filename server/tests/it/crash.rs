//! Kill −9 in the midst of collecting, then a start.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use sqlx::PgPool;
use sqlx::postgres::PgConnectOptions;
use store::{Store, Verification};

/// Killed at the latest when its test ends, however that ends.
struct Running(Child);

impl Running {
    fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

fn demo(url: &str) -> Running {
    let child = Command::new(env!("CARGO_BIN_EXE_ohlas"))
        .args(["demo", "--listen", "127.0.0.1:0", "--newsrooms", "127.0.0.1:0", "--days", "1"])
        .env("DATABASE_URL", url)
        .env("RUST_LOG", "warn")
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    Running(child)
}

async fn fetches(pool: &PgPool) -> i64 {
    // The table is not there before the first start has migrated.
    sqlx::query_scalar("SELECT count(*) FROM fetches").fetch_one(pool).await.unwrap_or(0)
}

async fn wait_for_fetches(pool: &PgPool, more_than: i64) {
    let started = Instant::now();
    while fetches(pool).await <= more_than {
        assert!(started.elapsed() < Duration::from_secs(90), "collecting does not go on");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// A killed client's sessions outlive it for a moment, in which its database cannot be dropped.
async fn end_sessions(pool: PgPool) {
    sqlx::query(
        "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()",
    )
    .execute(&pool)
    .await
    .unwrap();
    pool.close().await;
}

#[sqlx::test(migrations = false)]
async fn a_kill_loses_nothing_and_leaves_no_half_batch(
    options: sqlx::postgres::PgPoolOptions,
    connect: PgConnectOptions,
) {
    let pool = options.connect_with(connect.clone()).await.unwrap();
    let url = sqlx::ConnectOptions::to_url_lossy(&connect).to_string();

    let mut seen = 0;
    for more in [40, 150] {
        let mut child = demo(&url);
        wait_for_fetches(&pool, seen + more).await;
        child.kill();
        seen = fetches(&pool).await;
    }
    let mut child = demo(&url);
    wait_for_fetches(&pool, seen).await;
    child.kill();

    let store = Store::from_pool(pool.clone()).await;
    let verification = store.verify(|_, _| {}).await.unwrap();
    assert!(matches!(verification, Verification::Intact { .. }), "{verification:?}");
    let half: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM fetches f WHERE f.outcome = 'listed' AND f.items <>
             (SELECT count(*) FROM observations o WHERE o.source_id = f.source_id AND o.fetch_id = f.id)",
    )
    .fetch_one(&pool)
    .await
    .unwrap();
    assert_eq!(half, 0, "a fetch without all its observations");
    let twice: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM (SELECT newsroom_id, link FROM items GROUP BY 1, 2 HAVING count(*) > 1) t",
    )
    .fetch_one(&pool)
    .await
    .unwrap();
    assert_eq!(twice, 0, "an item twice");
    end_sessions(pool).await;
}

#[sqlx::test(migrations = false)]
async fn a_stop_finishes_what_is_under_way_and_begins_nothing_more(
    options: sqlx::postgres::PgPoolOptions,
    connect: PgConnectOptions,
) {
    let pool = options.connect_with(connect.clone()).await.unwrap();
    let url = sqlx::ConnectOptions::to_url_lossy(&connect).to_string();
    let mut child = demo(&url);
    wait_for_fetches(&pool, 100).await;
    let asked = Command::new("kill").args(["-TERM", &child.0.id().to_string()]).status().unwrap();
    assert!(asked.success());
    let started = Instant::now();
    let ended = loop {
        if let Some(status) = child.0.try_wait().unwrap() {
            break status;
        }
        assert!(started.elapsed() < Duration::from_secs(15), "it does not stop");
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    assert!(ended.success(), "{ended}");
    let store = Store::from_pool(pool.clone()).await;
    let verification = store.verify(|_, _| {}).await.unwrap();
    assert!(matches!(verification, Verification::Intact { .. }), "{verification:?}");
    end_sessions(pool).await;
}
