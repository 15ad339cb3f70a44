use std::time::Duration;

use sqlx::PgPool;
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
