use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

use sqlx::{ConnectOptions, PgPool};
use store::Store;
use tokio::time::timeout;

const WITHIN: Duration = Duration::from_secs(30);
const WHILE: Duration = Duration::from_millis(500);

#[sqlx::test(migrations = "../migrations")]
async fn one_leads_and_another_takes_over_when_it_is_gone(pool: PgPool) {
    let store = Store::from_pool(pool).await;
    let first = store.lead().await.unwrap();
    assert!(timeout(WHILE, store.lead()).await.is_err(), "two lead at once");
    drop(first);
    timeout(WITHIN, store.lead()).await.expect("nobody takes over").unwrap();
}

#[sqlx::test(migrations = "../migrations")]
async fn a_leader_learns_that_its_connection_is_gone(pool: PgPool) {
    let store = Store::from_pool(pool.clone()).await;
    let mut leadership = store.lead().await.unwrap();
    sqlx::query(
        "SELECT pg_terminate_backend(pid) FROM pg_locks
        WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database
            WHERE datname = current_database())",
    )
    .execute(&pool)
    .await
    .unwrap();
    timeout(WITHIN, leadership.lost()).await.expect("the loss goes unnoticed");
}

#[tokio::test]
#[ignore = "the process that the test below kills"]
async fn lead_until_killed() {
    let store = Store::connect(&std::env::var("LEAD_IN").unwrap()).await.unwrap();
    let _leadership = store.lead().await.unwrap();
    println!("it leads");
    std::future::pending::<()>().await;
}

#[sqlx::test(migrations = "../migrations")]
async fn a_killed_leader_is_followed_by_one_other_within_half_a_minute(pool: PgPool) {
    let mut leader = Command::new(std::env::current_exe().unwrap())
        .args(["leader::lead_until_killed", "--exact", "--ignored", "--nocapture"])
        .env("LEAD_IN", pool.connect_options().to_url_lossy().as_str())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(leader.stdout.take().unwrap()).lines();
    assert!(lines.map_while(Result::ok).any(|line| line.contains("it leads")));

    let store = Store::from_pool(pool).await;
    let followers = async || {
        tokio::select! {
            first = store.lead() => first.unwrap(),
            second = store.lead() => second.unwrap(),
        }
    };
    assert!(timeout(WHILE, followers()).await.is_err(), "two lead at once");
    // SIGKILL: it cannot give anything back.
    leader.kill().unwrap();
    leader.wait().unwrap();
    let next = timeout(WITHIN, followers()).await.expect("nobody takes over");
    assert!(timeout(WHILE, store.lead()).await.is_err(), "two lead at once");
    drop(next);
}
