//! History derived again: as it was derived live, and the same after a kill.

use std::cell::Cell;

use ingest::recompute::{replay, snapshot_at, whole_hours};
use model::{Model, Snapshot, Stats};
use sqlx::PgPool;
use store::Store;

use crate::site::{HOUR, START, Site};

const HOURS: i64 = 14;

/// All rows that boards were taken apart into under the model, as text.
async fn derived(store: &Store, model: &str) -> Vec<String> {
    let mut rows = Vec::new();
    for (table, columns, order) in [
        ("events", "*", "id"),
        ("event_items", "*", "item_id, at"),
        ("event_scores", "*", "event_id, at"),
        ("event_changes", "at, event_id, change", "at, id"),
    ] {
        let query = format!(
            "SELECT row_to_json(row)::text FROM (
                SELECT {columns} FROM {table} WHERE model = '{model}' ORDER BY {order}) row"
        );
        let found: Vec<String> =
            sqlx::query_scalar(sqlx::AssertSqlSafe(query)).fetch_all(store.pool()).await.unwrap();
        assert!(!found.is_empty(), "{table} is empty");
        rows.extend(found);
    }
    rows
}

/// Of the schedule only the present is known, not the past.
fn without_schedule(snapshot: Snapshot) -> Snapshot {
    let Snapshot { board, changes, model, newsrooms, .. } = snapshot;
    Snapshot { board, changes, newsrooms, stats: Stats::default(), ..Snapshot::empty(model) }
}

async fn recompute(store: &Store, model: &Model) {
    let hours = whole_hours(START, START + HOURS * HOUR);
    let done = Cell::new(0);
    replay(store, model, hours, true, |more| done.set(done.get() + more)).await.unwrap();
    assert_eq!(done.get(), HOURS as u64 + 1);
}

/// Ends like a killed process: what was not committed is gone.
async fn recompute_and_kill(store: &Store, model: &Model, after: u64) {
    let (sender, killed) = tokio::sync::oneshot::channel();
    let (mut done, mut sender) = (0, Some(sender));
    let running = replay(store, model, whole_hours(START, START + HOURS * HOUR), true, |more| {
        done += more;
        if done >= after
            && let Some(sender) = sender.take()
        {
            sender.send(()).unwrap();
        }
    });
    tokio::select! {
        biased;
        _ = killed => {}
        ended = running => panic!("it was not killed: {ended:?}"),
    }
}

#[sqlx::test(migrations = "../migrations")]
async fn history_recomputed_is_what_was_derived_live_also_after_kills(pool: PgPool) {
    let site = Site::after(pool, HOURS).await;
    let (store, model) = (&site.store, Model::v1());
    let live = derived(store, "v1").await;
    let other = derived(store, "v2").await;
    let newest = store.latest_snapshot("v1").await.unwrap().unwrap();
    let at = START + 5 * HOUR;
    let then = snapshot_at(store, at, model.clone(), true).await.unwrap();

    recompute(store, &model).await;
    assert_eq!(derived(store, "v1").await, live, "another history");
    let again = store.latest_snapshot("v1").await.unwrap().unwrap();
    assert!(again.id > newest.id);
    assert_eq!(without_schedule(again), without_schedule(newest));

    recompute_and_kill(store, &model, 4).await;
    assert_ne!(derived(store, "v1").await, live, "nothing was done, or all of it");
    recompute_and_kill(store, &model, 8).await;
    recompute(store, &model).await;
    assert_eq!(derived(store, "v1").await, live, "a resumed run differs");
    let now = snapshot_at(store, at, model.clone(), true).await.unwrap();
    assert_eq!(now.board, then.board, "the board computed now and then differ");

    // Nothing of a killed run is taken over by another one.
    recompute_and_kill(store, &model, 8).await;
    let mut stronger = model.clone();
    stronger.grouping.threshold = 0.9;
    recompute(store, &stronger).await;
    let stored = derived(store, "v1").await;
    assert_ne!(stored, live, "the parameters make no difference");
    recompute_and_kill(store, &model, 8).await;
    recompute(store, &stronger).await;
    assert_eq!(derived(store, "v1").await, stored, "boards of two makers are mixed");
    assert_eq!(derived(store, "v2").await, other, "another model was touched");
}
