use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{ConnectOptions, PgPool};
use store::{Error, Store};

use crate::setup::{AUGUST, newsroom};

fn url(options: &PgConnectOptions) -> String {
    options.to_url_lossy().to_string()
}

#[sqlx::test(migrations = false)]
async fn several_instances_may_start_at_once(_: PgPoolOptions, options: PgConnectOptions) {
    let url = url(&options);
    let starts: Vec<_> = (0..4)
        .map(|_| {
            let url = url.clone();
            tokio::spawn(async move { Store::connect(&url).await })
        })
        .collect();
    for start in starts {
        let store = start.await.unwrap().unwrap();
        let role: String =
            sqlx::query_scalar("SELECT current_user").fetch_one(store.pool()).await.unwrap();
        assert_eq!(role, "ohlas_service");
        store.sync_sources(&[newsroom("obzor", &["home"])], AUGUST).await.unwrap();
        store.ensure_partitions(AUGUST, AUGUST).await.unwrap();
        assert_eq!(store.due(AUGUST).await.unwrap().len(), 1);
        store.pool().close().await;
    }
}

#[sqlx::test(migrations = "../migrations")]
async fn a_database_of_another_version_is_refused(pool: PgPool) {
    let url = url(&pool.connect_options());
    sqlx::query("UPDATE _sqlx_migrations SET checksum = '' WHERE version = 2")
        .execute(&pool)
        .await
        .unwrap();
    let error = Store::connect(&url).await.unwrap_err();
    assert!(matches!(error, Error::Changed(2)), "{error}");

    sqlx::query(
        "INSERT INTO _sqlx_migrations VALUES (9999, 'from the future', now(), true, '', 0)",
    )
    .execute(&pool)
    .await
    .unwrap();
    let error = Store::connect(&url).await.unwrap_err();
    assert!(matches!(error, Error::Newer(9999)), "{error}");
    assert!(error.to_string().contains("newer version (migration 9999)"), "{error}");
}

#[tokio::test]
async fn what_is_wrong_with_the_address_is_said() {
    for url in ["", "mysql://localhost/ohlas", "postgres://[/ohlas"] {
        let error = Store::connect(url).await.unwrap_err();
        assert!(matches!(error, Error::Address(_)), "{error}");
        assert!(error.to_string().starts_with("DATABASE_URL is no Postgres address"), "{error}");
    }

    // Nothing listens on port 1.
    let error = Store::connect("postgres://me:secret@127.0.0.1:1/ohlas").await.unwrap_err();
    let message = error.to_string();
    assert!(matches!(error, Error::Unreachable { .. }), "{message}");
    assert!(message.starts_with("no database at 127.0.0.1:1/ohlas: "), "{message}");
    assert!(!message.contains("secret"), "{message}");
}
