use model::Outcome;
use sqlx::{AssertSqlSafe, PgPool};
use store::{Fault, Store, Verification};

use crate::script::{export, run, script};
use crate::setup::{AUGUST, HOUR, confirm, fetch, list, next, store};

/// Five batches: two listings, a confirmation, a revision, a failure.
async fn history(pool: PgPool) -> Store {
    let (store, sources) = store(pool).await;
    let (first, items) = list(&store, &sources[0], AUGUST, &["a", "b \"\\\n\u{1}ř🎈"]).await;
    list(&store, &sources[2], AUGUST + 1, &["a"]).await;
    confirm(&store, &sources[0], AUGUST + HOUR, first).await;
    let mut append = store.append(&sources[0], AUGUST + 2 * HOUR).await.unwrap();
    append.revisions(&[(items[0], "Nový".to_owned(), "Perex".to_owned())]).await.unwrap();
    append.keys(vec![(items[0], "guid:other".to_owned())]).await.unwrap();
    append.commit(&next(AUGUST)).await.unwrap();
    let mut append = store.append(&sources[0], AUGUST + 3 * HOUR).await.unwrap();
    let failed = store::FetchRow {
        status: Some(503),
        sha256: None,
        defects: vec!["A date could not be read.".to_owned()],
        error: Some("The server is busy.".to_owned()),
        ..fetch(&sources[0], Outcome::Failed)
    };
    append.fetch(&failed).await.unwrap();
    append.commit(&next(AUGUST)).await.unwrap();
    store
}

#[sqlx::test(migrations = "../migrations")]
async fn an_untouched_history_verifies(pool: PgPool) {
    let store = Store::from_pool(pool.clone()).await;
    assert_eq!(
        store.verify(|_, _| {}).await.unwrap(),
        Verification::Intact { batches: 0, link: None, head: None }
    );
    let store = history(pool).await;
    let mut told = Vec::new();
    let verified = store.verify(|done, total| told.push((done, total))).await.unwrap();
    let head = store.head().await.unwrap();
    assert_eq!(head.as_ref().map(|head| head.position), Some(5));
    assert_eq!(verified, Verification::Intact { batches: 5, link: None, head });
    assert_eq!(told, [(5, 5)]);
}

/// A batch without rows is none.
#[sqlx::test(migrations = "../migrations")]
async fn a_change_of_state_alone_makes_no_batch(pool: PgPool) {
    let (store, sources) = store(pool).await;
    store.append(&sources[0], AUGUST).await.unwrap().commit(&next(AUGUST)).await.unwrap();
    assert_eq!(store.head().await.unwrap(), None);
    assert_eq!(store.due(AUGUST).await.unwrap().len(), 2);
}

/// The encoding as documented, by hand.
#[sqlx::test(migrations = "../migrations")]
async fn the_first_hash_is_what_the_documentation_says(pool: PgPool) {
    let (store, sources) = store(pool).await;
    let mut append = store.append(&sources[0], AUGUST).await.unwrap();
    let row = store::FetchRow {
        defects: vec!["\"č\"\t".to_owned()],
        check: Some(7),
        ..fetch(&sources[0], Outcome::Listed)
    };
    append.fetch(&row).await.unwrap();
    append.commit(&next(AUGUST)).await.unwrap();
    let sha256 = "ab".repeat(32);
    let rows = format!(
        "[\"batches\",1785542400,1]\n\
         [\"fetches\",1,1,1785542400,\"https://obzor.example/home.xml\",7,200,\"listed\",null,\
         \"{sha256}\",20000,120,0,0,[\"\\\"č\\\"\\t\"],null,null]"
    );
    let hash: String = sqlx::query_scalar(
        "SELECT encode(sha256(decode(repeat('00', 32), 'hex') || convert_to($1, 'UTF8')), 'hex')",
    )
    .bind(rows)
    .fetch_one(store.pool())
    .await
    .unwrap();
    assert_eq!(store.head().await.unwrap().unwrap().hash, hash);
}

#[sqlx::test(migrations = "../migrations")]
async fn a_stretch_verifies_from_the_link_before_it(pool: PgPool) {
    let store = history(pool).await;
    let log = store.batches_before(i64::MAX, 10).await.unwrap();
    let link = |position: i64| {
        let batch = log.iter().find(|batch| batch.position == position)?;
        Some(model::ChainHead { position, hash: batch.hash.clone() })
    };
    for (from, to, first, last) in [
        (None, None, 1, 5),
        (Some(AUGUST), None, 1, 5),
        (Some(AUGUST + 1), None, 2, 5),
        (Some(AUGUST + 2), Some(AUGUST + 2 * HOUR), 3, 4),
        (None, Some(AUGUST + HOUR - 1), 1, 2),
        (Some(AUGUST + 9 * HOUR), None, 6, 5),
    ] {
        let verified = store.verify_stretch(from, to, |_, _| {}).await.unwrap();
        let batches = last - first + 1;
        let head = (batches > 0).then(|| link(last)).flatten();
        let expected = Verification::Intact { batches, link: link(first - 1), head };
        assert_eq!(verified, expected, "{from:?} {to:?}");

        let exported = export(&store, from, to).await;
        assert_eq!(exported.lines().count() as i64, batches);
        if let Some(head) = link(last).filter(|_| batches > 0) {
            let said = format!("intact up to batch {last}, head {}", head.hash);
            assert_eq!(run(&exported, None), (true, said));
        }
    }
}

#[sqlx::test(migrations = "../migrations")]
async fn a_row_without_a_batch_is_found_in_its_stretch(pool: PgPool) {
    let store = history(pool).await;
    sqlx::query(
        "INSERT INTO observations SELECT source_id, at + '10 minutes', fetch_id, item_id, 99, views,
            position, length FROM observations WHERE item_id = 1",
    )
    .execute(store.pool())
    .await
    .unwrap();
    let verify = async |from, to| store.verify_stretch(from, to, |_, _| {}).await.unwrap();
    let fault = Fault::RowsOutsideTheChain { surplus: 1 };
    assert_eq!(
        verify(Some(AUGUST), Some(AUGUST + HOUR)).await,
        Verification::Broken { position: 3, fault }
    );
    let later = verify(Some(AUGUST + HOUR), None).await;
    assert!(matches!(later, Verification::Intact { batches: 3, .. }), "{later:?}");
}

#[sqlx::test(migrations = "../migrations")]
async fn the_log_counts_the_rows_of_each_batch(pool: PgPool) {
    let store = history(pool).await;
    let newest = store.batches_before(i64::MAX, 3).await.unwrap();
    let older = store.batches_before(3, 3).await.unwrap();
    let log: Vec<_> = newest.iter().chain(&older).collect();
    let rows: Vec<_> = log
        .iter()
        .map(|batch| {
            let model::BatchRows {
                gate_checks,
                fetches,
                items,
                item_keys,
                item_revisions,
                observations,
            } = batch.rows;
            [batch.position, gate_checks, fetches, items, item_keys, item_revisions, observations]
        })
        .collect();
    assert_eq!(
        rows,
        [
            [5, 0, 1, 0, 0, 0, 0],
            [4, 0, 0, 0, 1, 1, 0],
            [3, 0, 1, 0, 0, 0, 0],
            [2, 1, 1, 1, 2, 0, 1],
            [1, 1, 1, 2, 4, 0, 2],
        ]
    );
    assert!(log.windows(2).all(|pair| pair[0].previous == pair[1].hash));
    assert_eq!(log[4].previous, "0".repeat(64));
    assert_eq!((log[0].at, log[4].at), (AUGUST + 3 * HOUR, AUGUST));
}

#[sqlx::test(migrations = "../migrations")]
async fn the_documented_script_finds_what_was_done_to_an_export(pool: PgPool) {
    assert!(script().lines().count() <= 30, "the document promises a short script");
    let store = history(pool).await;
    let head = store.head().await.unwrap().unwrap().hash;
    let exported = export(&store, None, None).await;
    assert!(run(&exported, Some(&head)).0);

    let lines: Vec<&str> = exported.lines().collect();
    let altered = |from: &str, to: &str| {
        assert!(exported.contains(from), "{from}");
        exported.replacen(from, to, 1)
    };
    let without = |line: usize| {
        let kept = lines.iter().enumerate().filter(|(number, _)| *number != line);
        kept.map(|(_, line)| format!("{line}\n")).collect::<String>()
    };
    for (tampered, said) in [
        (altered("Titulek a", "Titulek á"), "line 1, batch 1: its rows are not"),
        (altered("\"failed\"", "\"listed\""), "line 5, batch 5: its rows are not"),
        (altered("[\"items\",1,", "[\"items\",7,"), "line 1, batch 1: its rows are not"),
        (altered("null", "0"), "line 1, batch 1: its rows are not"),
        (altered("\"position\":3", "\"position\":4"), "line 3, batch 4: it does not follow"),
        (altered(&"0".repeat(64), &"1".repeat(64)), "line 1, batch 1: its rows are not"),
        (without(2), "line 3, batch 4: it does not follow"),
        (without(4), "the noted head is not among these batches"),
        ([lines[1], lines[0]].join("\n"), "line 2, batch 1: it does not follow"),
    ] {
        let (content, last) = run(&tampered, Some(&head));
        assert!(!content && last.starts_with(said), "expected {said:?}, it said {last:?}");
    }
}

/// Each as a superuser would, with the triggers off. Found by `verify`, and in what is exported then by
/// the documented script: all but rows that belong to no batch and totals, which no export holds.
#[sqlx::test(migrations = "../migrations")]
async fn tampering_is_found(pool: PgPool) {
    let store = history(pool).await;
    let batch = |position: i64| format!("(SELECT id FROM batches WHERE position = {position})");
    let outside = |surplus| Fault::RowsOutsideTheChain { surplus };
    let rows = |written, found| Fault::RowCount { written, found };
    let altered = [
        ("UPDATE items SET title = 'x' WHERE id = 3".to_owned(), 2),
        ("UPDATE items SET mention_at = mention_at + '1 second' WHERE id = 1".to_owned(), 1),
        ("UPDATE fetches SET at = at + '1 microsecond' WHERE outcome = 'unchanged'".to_owned(), 3),
        ("UPDATE fetches SET error = NULL WHERE outcome = 'failed'".to_owned(), 5),
        ("UPDATE fetches SET defects = '{}' WHERE outcome = 'failed'".to_owned(), 5),
        ("UPDATE gate_checks SET verdict = 'reserved' WHERE id = 2".to_owned(), 2),
        ("UPDATE item_revisions SET lede = ''".to_owned(), 4),
        ("UPDATE item_keys SET item_id = 2 WHERE key = 'guid:other'".to_owned(), 4),
        ("UPDATE observations SET position = 1".to_owned(), 1),
        (format!("UPDATE batches SET at = at - '1 day'::interval WHERE id = {}", batch(4)), 4),
        (format!("UPDATE batches SET hash = sha256('x') WHERE id = {}", batch(5)), 5),
    ];
    let altered = altered.map(|(sql, position)| (sql, position, Fault::AlteredRow));
    let others = [
        ("DELETE FROM observations WHERE item_id = 2".to_owned(), 1, rows(10, 9)),
        (format!("UPDATE batches SET row_count = 9 WHERE id = {}", batch(1)), 1, rows(9, 10)),
        (
            format!(
                "UPDATE item_keys SET batch_id = {} WHERE key = 'guid:a' AND newsroom_id = 1",
                batch(2)
            ),
            1,
            rows(10, 9),
        ),
        (format!("DELETE FROM batches WHERE id = {}", batch(3)), 3, Fault::MissingBatch),
        (format!("DELETE FROM batches WHERE id = {}", batch(5)), 4, outside(1)),
        ("UPDATE observations SET batch_id = 99 WHERE item_id = 1".to_owned(), 1, rows(10, 9)),
        (
            "INSERT INTO item_keys (newsroom_id, key, item_id, batch_id) VALUES (1, 'x', 1, 99)"
                .to_owned(),
            5,
            outside(1),
        ),
        (
            format!(
                "INSERT INTO observations SELECT source_id, at + '10 days', fetch_id, item_id, {}, \
                 views, position, length FROM observations",
                batch(5)
            ),
            5,
            outside(3),
        ),
        (
            format!("UPDATE batches SET prev_hash = sha256('x') WHERE id = {}", batch(2)),
            2,
            Fault::WrongPredecessor,
        ),
        (
            format!("UPDATE batches SET items = items + 1 WHERE id = {}", batch(2)),
            2,
            Fault::WrongTotals,
        ),
    ];
    let head = store.head().await.unwrap().unwrap().hash;
    for (sql, position, fault) in altered.into_iter().chain(others) {
        let mut tx = store.pool().begin().await.unwrap();
        sqlx::query("SET LOCAL session_replication_role = replica")
            .execute(&mut *tx)
            .await
            .unwrap();
        // Undone by hand afterwards: verify reads through connections of its own.
        let tables = [
            "batches",
            "gate_checks",
            "fetches",
            "items",
            "item_keys",
            "item_revisions",
            "observations",
        ];
        for table in tables {
            let copy = format!("CREATE TABLE kept_{table} AS TABLE {table}");
            sqlx::query(AssertSqlSafe(copy)).execute(&mut *tx).await.unwrap();
        }
        let done = sqlx::query(AssertSqlSafe(sql.as_str())).execute(&mut *tx).await.unwrap();
        assert!(done.rows_affected() > 0, "{sql}");
        tx.commit().await.unwrap();

        let found = store.verify(|_, _| {}).await.unwrap();
        let invisible = matches!(fault, Fault::WrongTotals)
            || (fault == outside(1) && position == 5)
            || fault == outside(3);
        assert_eq!(found, Verification::Broken { position, fault }, "{sql}");
        let (content, said) = run(&export(&store, None, None).await, Some(&head));
        assert_eq!(content, invisible, "{sql}: {said}");

        let mut tx = store.pool().begin().await.unwrap();
        sqlx::query("SET LOCAL session_replication_role = replica")
            .execute(&mut *tx)
            .await
            .unwrap();
        for table in tables {
            // What is generated from other columns comes back by itself.
            let columns: String = sqlx::query_scalar(
                "SELECT string_agg(quote_ident(column_name), ', ') FROM information_schema.columns
                 WHERE table_schema = 'public' AND table_name = $1 AND is_generated = 'NEVER'",
            )
            .bind(table)
            .fetch_one(&mut *tx)
            .await
            .unwrap();
            let restore = format!(
                "DELETE FROM {table}; INSERT INTO {table} ({columns}) OVERRIDING SYSTEM VALUE \
                 SELECT {columns} FROM kept_{table}; DROP TABLE kept_{table}"
            );
            sqlx::raw_sql(AssertSqlSafe(restore)).execute(&mut *tx).await.unwrap();
        }
        tx.commit().await.unwrap();
        let restored = store.verify(|_, _| {}).await.unwrap();
        assert!(matches!(restored, Verification::Intact { batches: 5, .. }), "{sql}");
    }
}
