use std::time::Duration;

use model::{
    Board, Change, ChangeKind, Event, EventId, EventItem, Factors, ItemId, ItemTie, Mention, Model,
    NewsroomId, Snapshot, Tie, UnixSeconds,
};
use sqlx::PgPool;
use store::{Recompute, Store};

use crate::setup::{AUGUST, DAY, HOUR};

/// An event of these items, each of another newsroom.
pub fn event(id: i64, items: &[i64]) -> Event {
    let mentions = items.iter().map(|&item| Mention {
        newsroom: NewsroomId(item as i32),
        item: ItemId(item),
        at: AUGUST + item,
        weight: 1.0,
        backfill: false,
        best_position: 1,
        feed_length: 3,
        standing_hours: 0.1 + 0.2,
        copy: false,
    });
    let event_items = items.iter().map(|&item| EventItem {
        id: ItemId(item),
        newsroom: NewsroomId(item as i32),
        title: format!("Titulek {item}"),
        lede: String::new(),
        link: String::new(),
        language: "cs".to_owned(),
        mention_at: AUGUST + item,
        origin: 0,
        copy: false,
        places: Vec::new(),
        tie: None,
    });
    let factors = Factors {
        breadth: items.len() as f64,
        velocity: 1.0 / 3.0,
        priority: 0.7,
        persistence: 1.5,
        decay: 0.1,
    };
    Event {
        id: EventId(id),
        title: format!("Událost {id}"),
        language: "cs".to_owned(),
        mentions: mentions.collect(),
        items: event_items.collect(),
        owners: 1,
        texts: 1,
        spread_hours: 0.0,
        factors,
        heat: factors.heat(),
    }
}

pub fn snapshot(model: Model, at: UnixSeconds, events: Vec<Event>) -> Snapshot {
    let board = Board { at, model: model.name.clone(), events };
    Snapshot { board, ..Snapshot::empty(model) }
}

async fn save(store: &Store, at: UnixSeconds, events: Vec<Event>, changes: &[Change]) -> i64 {
    store.save_snapshot(&snapshot(Model::v1(), at, events), changes).await.unwrap()
}

fn merged(at: UnixSeconds, event: i64, from: i64) -> Change {
    let tie = Tie { to: ItemId(event), similarity: 0.25, shared: Vec::new() };
    let tie = Some(ItemTie { item: ItemId(from), tie });
    Change { at, event: EventId(event), kind: ChangeKind::Merged { from: EventId(from), tie } }
}

async fn assigned(store: &Store, at: UnixSeconds) -> Vec<(i64, i64)> {
    let assignments = store.assignments("v1", at).await.unwrap();
    assignments.into_iter().map(|(item, event)| (item.0, event.0)).collect()
}

#[sqlx::test(migrations = "../migrations")]
async fn a_snapshot_comes_back_as_it_was(pool: PgPool) {
    let store = Store::from_pool(pool).await;
    assert_eq!(store.latest_snapshot("v1").await.unwrap(), None);
    assert_eq!(store.latest_snapshot_id("v1").await.unwrap(), 0);

    let saved = snapshot(Model::v1(), AUGUST, vec![event(1, &[1, 2]), event(3, &[3])]);
    let id = store.save_snapshot(&saved, &[]).await.unwrap();
    let other = snapshot(Model::v2(), AUGUST, Vec::new());
    let other_id = store.save_snapshot(&other, &[]).await.unwrap();
    assert!(other_id > id);
    assert_eq!(store.latest_snapshot_id("v1").await.unwrap(), id);
    assert_eq!(store.latest_snapshot("v1").await.unwrap(), Some(Snapshot { id, ..saved }));
    let loaded = store.latest_snapshot("v2").await.unwrap();
    assert_eq!(loaded, Some(Snapshot { id: other_id, ..other }));
}

#[sqlx::test(migrations = "../migrations")]
async fn the_latest_moment_counts_and_few_bodies_are_kept(pool: PgPool) {
    let store = Store::from_pool(pool.clone()).await;
    let mut ids = Vec::new();
    for hour in 0..6 {
        ids.push(save(&store, AUGUST + hour * HOUR, vec![event(1, &[1])], &[]).await);
    }
    // A recompute of the past does not become the newest.
    save(&store, AUGUST - DAY, Vec::new(), &[]).await;
    assert_eq!(store.latest_snapshot_id("v1").await.unwrap(), ids[5]);
    let kept: Vec<i64> =
        sqlx::query_scalar("SELECT id FROM snapshots WHERE body IS NOT NULL ORDER BY id")
            .fetch_all(&pool)
            .await
            .unwrap();
    assert_eq!(kept, ids[3..]);
}

#[sqlx::test(migrations = "../migrations")]
async fn listeners_learn_of_a_snapshot(pool: PgPool) {
    let store = Store::from_pool(pool).await;
    let mut listener = store.snapshot_listener().await.unwrap();
    let id = save(&store, AUGUST, Vec::new(), &[]).await;
    let heard = tokio::time::timeout(Duration::from_secs(10), listener.next()).await;
    assert_eq!(heard.unwrap().unwrap(), id);

    sqlx::query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND query LIKE 'LISTEN%'",
    )
    .execute(store.pool())
    .await
    .unwrap();
    let missed = save(&store, AUGUST + HOUR, Vec::new(), &[]).await;
    let heard = tokio::time::timeout(Duration::from_secs(10), async {
        loop {
            if let Ok(id) = listener.next().await {
                return id;
            }
        }
    });
    assert_eq!(heard.await.unwrap(), missed);
    let id = save(&store, AUGUST + 2 * HOUR, Vec::new(), &[]).await;
    let heard = tokio::time::timeout(Duration::from_secs(10), listener.next()).await;
    assert_eq!(heard.unwrap().unwrap(), id, "connected again");
}

#[sqlx::test(migrations = "../migrations")]
async fn assignments_are_those_of_the_moment(pool: PgPool) {
    let store = Store::from_pool(pool.clone()).await;
    save(&store, AUGUST, vec![event(1, &[1]), event(2, &[2])], &[]).await;
    save(&store, AUGUST + HOUR, vec![event(1, &[1]), event(2, &[2, 3])], &[]).await;
    save(&store, AUGUST + 2 * HOUR, vec![event(1, &[1, 2, 3])], &[]).await;

    assert_eq!(assigned(&store, AUGUST - 1).await, []);
    assert_eq!(assigned(&store, AUGUST).await, [(1, 1), (2, 2)]);
    assert_eq!(assigned(&store, AUGUST + 2 * HOUR - 1).await, [(1, 1), (2, 2), (3, 2)]);
    assert_eq!(assigned(&store, AUGUST + 9 * HOUR).await, [(1, 1), (2, 1), (3, 1)]);
    assert_eq!(store.assignments("v2", AUGUST + HOUR).await.unwrap(), []);
    let rows: i64 =
        sqlx::query_scalar("SELECT count(*) FROM event_items").fetch_one(&pool).await.unwrap();
    assert_eq!(rows, 5, "only what changed is written");

    // The window of v1 has 72 hours.
    assert_eq!(assigned(&store, AUGUST + 3 * DAY + HOUR).await, [(2, 1), (3, 1)]);
}

#[sqlx::test(migrations = "../migrations")]
async fn a_recompute_replaces_what_followed(pool: PgPool) {
    let store = Store::from_pool(pool).await;
    let at = |hour: i64| AUGUST + hour * HOUR;
    save(&store, at(0), vec![event(1, &[1, 2])], &[]).await;
    save(&store, at(1), vec![event(1, &[1]), event(2, &[2])], &[merged(at(1), 1, 7)]).await;
    save(&store, at(2), vec![event(1, &[1, 2, 3])], &[merged(at(2), 1, 2)]).await;

    save(&store, at(1), vec![event(1, &[1, 2])], &[merged(at(1), 1, 8)]).await;
    assert_eq!(assigned(&store, at(9)).await, [(1, 1), (2, 1)]);
    let scores = store.score_history("v1", EventId(1)).await.unwrap();
    assert_eq!(scores.iter().map(|score| score.0).collect::<Vec<_>>(), [at(0), at(1)]);
    let changes = store.recent_changes("v1", at(0), at(9)).await.unwrap();
    assert_eq!(changes, [merged(at(1), 1, 8)]);
}

#[sqlx::test(migrations = "../migrations")]
async fn boards_of_a_recompute_are_stored_as_snapshots_are(pool: PgPool) {
    let store = Store::from_pool(pool.clone()).await;
    let at = |hour: i64| AUGUST + hour * HOUR;
    let boards = [
        (at(0), vec![event(1, &[1]), event(2, &[2]), event(4, &[4])], vec![]),
        (at(1), vec![event(1, &[1]), event(2, &[2, 3]), event(4, &[4])], vec![]),
        (at(2), vec![event(1, &[1, 2, 3]), event(4, &[4])], vec![merged(at(2), 1, 2)]),
        (at(3), vec![event(1, &[1, 3]), event(2, &[2])], vec![]),
    ];
    let derived = async || {
        let events: Vec<(i64, String, i32, Option<i64>)> =
            sqlx::query_as("SELECT id, title, newsrooms, merged_into FROM events ORDER BY id")
                .fetch_all(&pool)
                .await
                .unwrap();
        let mut assigned_at = Vec::new();
        for hour in 0..4 {
            assigned_at.push(assigned(&store, at(hour)).await);
        }
        let scores = store.score_history("v1", EventId(1)).await.unwrap();
        (events, assigned_at, scores, store.recent_changes("v1", at(-1), at(9)).await.unwrap())
    };
    for (at, events, changes) in boards.clone() {
        save(&store, at, events, &changes).await;
    }
    let live = derived().await;

    let recompute =
        Recompute { model: "v1".to_owned(), maker: "1 a".to_owned(), from: at(0), to: at(3) };
    let boards: Vec<(Board, Vec<Change>)> = boards
        .into_iter()
        .map(|(at, events, changes)| (snapshot(Model::v1(), at, events).board, changes))
        .collect();
    let until = async |recompute: &Recompute| store.recomputed_until(recompute).await.unwrap();
    assert_eq!(until(&recompute).await, None);
    store.save_boards(&recompute, &boards[..3], None).await.unwrap();
    assert_eq!(until(&recompute).await, Some(at(2)));
    assert_eq!(until(&Recompute { maker: "2 a".to_owned(), ..recompute.clone() }).await, None);
    assert_eq!(until(&Recompute { from: at(1), ..recompute.clone() }).await, None);
    assert_eq!(until(&Recompute { model: "v2".to_owned(), ..recompute.clone() }).await, None);
    store.save_boards(&recompute, &boards[3..], Some(&boards[2].0)).await.unwrap();
    assert_eq!(derived().await, live);
    store.end_recompute("v1").await.unwrap();
    assert_eq!(until(&recompute).await, None);
}

#[sqlx::test(migrations = "../migrations")]
async fn merges_are_followed_for_ever_and_never_round(pool: PgPool) {
    let store = Store::from_pool(pool.clone()).await;
    let resolve =
        async |id: i64| store.resolve_event("v1", EventId(id)).await.unwrap().map(|event| event.0);
    let at = |hour: i64| AUGUST + hour * HOUR;
    save(&store, at(0), (1..=4).map(|id| event(id, &[id])).collect(), &[]).await;
    assert_eq!(resolve(3).await, Some(3));
    assert_eq!(resolve(99).await, None);
    assert_eq!(store.resolve_event("v2", EventId(3)).await.unwrap(), None);

    let merge = [merged(at(1), 3, 4)];
    save(&store, at(1), vec![event(1, &[1]), event(2, &[2]), event(3, &[3, 4])], &merge).await;
    let merge = [merged(at(2), 2, 3)];
    save(&store, at(2), vec![event(1, &[1]), event(2, &[2, 3, 4])], &merge).await;
    let merge = [merged(at(3), 1, 2)];
    save(&store, at(3), vec![event(1, &[1, 2, 3, 4])], &merge).await;
    for id in 1..=4 {
        assert_eq!(resolve(id).await, Some(1), "event {id}");
    }
    // Long after the items left the window.
    save(&store, at(900), Vec::new(), &[]).await;
    assert_eq!(resolve(4).await, Some(1));

    // An event that forms again stands for itself.
    save(&store, at(901), vec![event(1, &[1]), event(3, &[3, 4])], &[]).await;
    assert_eq!((resolve(3).await, resolve(4).await, resolve(2).await), (Some(3), Some(3), Some(1)));

    sqlx::query("UPDATE events SET merged_into = CASE id WHEN 1 THEN 2 ELSE 1 END WHERE id <= 2")
        .execute(&pool)
        .await
        .unwrap();
    assert_eq!((resolve(1).await, resolve(2).await), (Some(1), Some(1)), "a circle ends");
}

#[sqlx::test(migrations = "../migrations")]
async fn changes_and_scores_come_back(pool: PgPool) {
    let store = Store::from_pool(pool).await;
    let at = |hour: i64| AUGUST + hour * HOUR;
    let split = Change {
        at: at(2),
        event: EventId(1),
        kind: ChangeKind::Split { to: EventId(5), items: vec![ItemId(5), ItemId(6)] },
    };
    let moved = Change {
        at: at(2),
        event: EventId(5),
        kind: ChangeKind::Moved { item: ItemId(7), from: EventId(1), tie: None },
    };
    save(&store, at(1), vec![event(1, &[1, 2]), event(3, &[3])], &[merged(at(1), 1, 2)]).await;
    save(&store, at(2), vec![event(1, &[1, 2, 4])], &[split.clone(), moved.clone()]).await;

    let changes = store.recent_changes("v1", at(0), at(2)).await.unwrap();
    assert_eq!(changes, [moved, split, merged(at(1), 1, 2)]);
    assert_eq!(store.recent_changes("v1", at(1), at(1)).await.unwrap(), []);
    assert_eq!(store.recent_changes("v2", at(0), at(2)).await.unwrap(), []);

    let scores = store.score_history("v1", EventId(1)).await.unwrap();
    let (first, second) = (event(1, &[1, 2]).factors, event(1, &[1, 2, 4]).factors);
    assert_eq!(scores, [(at(1), first, 2), (at(2), second, 3)]);
    let single = store.score_history("v1", EventId(3)).await.unwrap();
    assert_eq!(single, [], "an event of one newsroom has no heat");
}

#[sqlx::test(migrations = "../migrations")]
async fn an_event_was_last_seen_when_its_last_board_was_made(pool: PgPool) {
    let store = Store::from_pool(pool).await;
    save(&store, AUGUST + HOUR, vec![event(1, &[1, 2]), event(5, &[5])], &[]).await;
    save(&store, AUGUST + 2 * HOUR, vec![event(1, &[1, 2])], &[]).await;
    let last_at = async |id| store.event_last_at("v1", EventId(id)).await.unwrap();
    assert_eq!(last_at(1).await, Some(AUGUST + 2 * HOUR));
    assert_eq!(last_at(5).await, Some(AUGUST + HOUR));
    assert_eq!(last_at(9).await, None);
}
