//! Invariant: rows of history are only inserted, whoever asks.

use model::Outcome;
use sqlx::{AssertSqlSafe, PgPool};
use store::{NewItem, Store};

use crate::setup::{AUGUST, DAY, HOUR, fetch, item, list, next, store};

const HISTORY: [&str; 7] =
    ["batches", "gate_checks", "fetches", "items", "item_keys", "item_revisions", "observations"];

/// A database with a row in every table of history.
async fn history(pool: PgPool) -> Store {
    let (store, sources) = store(pool).await;
    let (_, items) = list(&store, &sources[0], AUGUST, &["a"]).await;
    let mut append = store.append(&sources[0], AUGUST + HOUR).await.unwrap();
    append.revisions(&[(items[0], "Nový titulek".to_owned(), String::new())]).await.unwrap();
    append.commit(&next(AUGUST + HOUR)).await.unwrap();
    store
}

async fn tables(pool: &PgPool) -> Vec<String> {
    let partitions: Vec<String> = sqlx::query_scalar(
        "SELECT inhrelid::regclass::text FROM pg_inherits JOIN pg_class ON oid = inhrelid
        WHERE relkind = 'r' ORDER BY 1",
    )
    .fetch_all(pool)
    .await
    .unwrap();
    HISTORY.iter().map(|&table| table.to_owned()).chain(partitions).collect()
}

async fn count(pool: &PgPool, table: &str) -> i64 {
    let query = format!("SELECT count(*) FROM {table}");
    sqlx::query_scalar(AssertSqlSafe(query)).fetch_one(pool).await.unwrap()
}

#[sqlx::test(migrations = "../migrations")]
async fn update_delete_and_truncate_are_refused(pool: PgPool) {
    let store = history(pool).await;
    let pool = store.pool();
    let tables = tables(pool).await;
    assert!(tables.iter().any(|table| table == "fetches_2026_08"), "{tables:?}");
    assert!(tables.iter().any(|table| table == "observations_2026_08"), "{tables:?}");
    for table in tables {
        let before = count(pool, &table).await;
        assert!(before > 0, "{table} has nothing to lose");
        let column = if table == "item_keys" { "item_id = item_id" } else { "at = at" };
        for change in [
            format!("UPDATE {table} SET {column}"),
            format!("UPDATE {table} SET {column} WHERE false"),
            format!("DELETE FROM {table}"),
            format!("TRUNCATE {table} CASCADE"),
        ] {
            let refused = sqlx::query(AssertSqlSafe(change.as_str())).execute(pool).await;
            let error = refused.map(|_| change.clone()).unwrap_err().to_string();
            assert!(error.contains("history is only appended"), "{change}: {error}");
        }
        assert_eq!(count(pool, &table).await, before, "{table}");
    }
}

#[sqlx::test(migrations = "../migrations")]
async fn a_partition_made_by_hand_is_guarded_too(pool: PgPool) {
    let (store, sources) = store(pool).await;
    sqlx::raw_sql(
        "CREATE TABLE by_hand PARTITION OF fetches
        FOR VALUES FROM ('2027-01-01') TO ('2027-02-01')",
    )
    .execute(store.pool())
    .await
    .unwrap();
    // 2027-01-15.
    let mut append = store.append(&sources[0], 1_799_971_200).await.unwrap();
    append.fetch(&fetch(&sources[0], Outcome::Listed)).await.unwrap();
    append.commit(&next(AUGUST)).await.unwrap();
    for change in ["UPDATE by_hand SET bytes = 0", "DELETE FROM by_hand"] {
        let error = sqlx::query(change).execute(store.pool()).await.unwrap_err().to_string();
        assert!(error.contains("history is only appended"), "{change}: {error}");
    }
}

#[sqlx::test(migrations = "../migrations")]
async fn a_conflicting_insert_cannot_update(pool: PgPool) {
    let store = history(pool).await;
    let error = sqlx::query(
        "INSERT INTO item_keys SELECT * FROM item_keys
        ON CONFLICT (newsroom_id, key) DO UPDATE SET item_id = 0",
    )
    .execute(store.pool())
    .await
    .unwrap_err();
    assert!(error.to_string().contains("history is only appended"), "{error}");
}

#[sqlx::test(migrations = "../migrations")]
async fn nothing_enters_history_outside_a_batch(pool: PgPool) {
    let (store, sources) = store(pool).await;
    let error = sqlx::query(
        "INSERT INTO fetches (source_id, at, url, outcome, bytes, elapsed_ms, items, new_items,
            defects) VALUES ($1, '2026-08-01', '', 'failed', 0, 0, 0, 0, '{}')",
    )
    .bind(sources[0].id.0)
    .execute(store.pool())
    .await
    .unwrap_err();
    assert!(error.to_string().contains("batch_ids"), "{error}");
}

#[sqlx::test(migrations = "../migrations")]
async fn the_service_may_append_and_no_more(pool: PgPool) {
    let store = history(pool).await;
    let mut connection = store.pool().acquire().await.unwrap();
    sqlx::query("SET ROLE ohlas_service").execute(&mut *connection).await.unwrap();
    for table in HISTORY {
        for change in [
            format!("DELETE FROM {table}"),
            format!("TRUNCATE {table}"),
            format!("DROP TABLE {table}"),
        ] {
            let refused =
                sqlx::query(AssertSqlSafe(change.as_str())).execute(&mut *connection).await;
            let error = refused.map(|_| change.clone()).unwrap_err();
            let code = error.as_database_error().and_then(|error| error.code().map(String::from));
            assert_eq!(code.as_deref(), Some("42501"), "{change}: {error}");
        }
    }
    sqlx::query("ALTER TABLE items DISABLE TRIGGER ALL")
        .execute(&mut *connection)
        .await
        .unwrap_err();
    sqlx::query("RESET ROLE").execute(&mut *connection).await.unwrap();
}

/// All of a store's work, under the role that the service has.
#[sqlx::test(migrations = "../migrations")]
async fn the_service_role_suffices(
    _: sqlx::postgres::PgPoolOptions,
    options: sqlx::postgres::PgConnectOptions,
) {
    let pool = sqlx::postgres::PgPoolOptions::new()
        .max_connections(2)
        .connect_with(options.options([("role", "ohlas_service")]))
        .await
        .unwrap();
    let role: String = sqlx::query_scalar("SELECT current_user").fetch_one(&pool).await.unwrap();
    assert_eq!(role, "ohlas_service");
    let store = history(pool).await;
    assert_eq!(store.due(AUGUST + DAY).await.unwrap().len(), 3);
    assert_eq!(store.window(AUGUST - 1, AUGUST + DAY).await.unwrap().items.len(), 1);
    assert_eq!(store.stats(AUGUST + DAY).await.unwrap().items, 1);
    let snapshot = model::Snapshot::empty(model::Model::v1());
    assert!(store.save_snapshot(&snapshot, &[]).await.unwrap() > 0);
}

#[sqlx::test(migrations = "../migrations")]
async fn texts_beyond_the_limits_are_refused(pool: PgPool) {
    let (store, sources) = store(pool).await;
    let long = |length: usize| "ř".repeat(length);
    let fits = NewItem { title: long(1_000), lede: long(300), link: long(4_000), ..item("fits") };
    let mut append = store.append(&sources[0], AUGUST).await.unwrap();
    let known = append.items(&[fits]).await.unwrap();
    append.commit(&next(AUGUST)).await.unwrap();

    for (too_long, constraint) in [
        (NewItem { title: long(1_001), ..item("x") }, "items_title_check"),
        (NewItem { lede: long(301), ..item("x") }, "items_lede_check"),
        (NewItem { link: long(4_001), ..item("x") }, "items_link_check"),
        (NewItem { keys: vec![long(601)], ..item("x") }, "item_keys_key_check"),
    ] {
        let mut append = store.append(&sources[0], AUGUST).await.unwrap();
        let error = append.items(&[too_long]).await.unwrap_err().to_string();
        assert!(error.contains(constraint), "{error}");
    }
    let mut append = store.append(&sources[0], AUGUST).await.unwrap();
    let error = append.revisions(&[(known[0], String::new(), long(301))]).await.unwrap_err();
    assert!(error.to_string().contains("item_revisions_lede_check"), "{error}");
}

/// There is no column that could hold a full text, media or an author.
#[sqlx::test(migrations = "../migrations")]
async fn the_schema_has_no_place_for_more(pool: PgPool) {
    let columns: Vec<String> = sqlx::query_scalar(
        "SELECT column_name::text FROM information_schema.columns
        WHERE table_schema = 'public' AND table_name IN ('items', 'item_revisions', 'observations')
            AND data_type IN ('text', 'bytea', 'json', 'jsonb', 'ARRAY')
        ORDER BY table_name, ordinal_position",
    )
    .fetch_all(&pool)
    .await
    .unwrap();
    assert_eq!(
        columns,
        ["title", "lede", "link", "title", "lede", "language"]
            .map(str::to_owned)
            .into_iter()
            .collect::<Vec<_>>()
    );
}
