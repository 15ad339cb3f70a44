use model::{ItemText, Sighting};
use sqlx::PgPool;

use crate::setup::{AUGUST, DAY, HOUR, confirm, item, list, next, places, store};

#[sqlx::test(migrations = "../migrations")]
async fn what_was_appended_comes_back(pool: PgPool) {
    let (store, sources) = store(pool).await;
    let (_, items) = list(&store, &sources[0], AUGUST + HOUR, &["a", "b"]).await;
    let mut append = store.append(&sources[0], AUGUST + 2 * HOUR).await.unwrap();
    append.revisions(&[(items[0], "Nový".to_owned(), "Jiný".to_owned())]).await.unwrap();
    append.commit(&next(AUGUST)).await.unwrap();

    let window = store.window(AUGUST, AUGUST + 3 * HOUR).await.unwrap();
    assert_eq!(window.newsrooms, store.newsrooms().await.unwrap());
    assert_eq!(window.newsrooms.len(), 2);
    assert_eq!(window.items.len(), 2);
    let a = &window.items[0];
    let new = item("a");
    assert_eq!((a.id, a.newsroom), (items[0], sources[0].newsroom));
    assert_eq!((&a.link, &a.language), (&new.link, &new.language));
    assert_eq!((a.mention_at, a.backfill), (new.mention_at, new.backfill));
    let text = |at, title: &str, lede: &str| ItemText {
        at,
        title: title.to_owned(),
        lede: lede.to_owned(),
    };
    assert_eq!(
        a.texts,
        [text(AUGUST + HOUR, "Titulek a", "Perex a"), text(AUGUST + 2 * HOUR, "Nový", "Jiný"),]
    );
    let seen = Sighting {
        source: sources[0].id,
        from: AUGUST + HOUR,
        until: AUGUST + HOUR,
        position: 2,
        length: 2,
        views: None,
    };
    assert_eq!(window.items[1].sightings, [seen]);

    let earlier = store.window(AUGUST, AUGUST + 2 * HOUR - 1).await.unwrap();
    assert_eq!(earlier.items[0].texts.len(), 1, "a revision of the future");
}

#[sqlx::test(migrations = "../migrations")]
async fn a_listing_stands_until_it_was_last_confirmed(pool: PgPool) {
    let (store, sources) = store(pool).await;
    let (first, items) = list(&store, &sources[0], AUGUST + HOUR, &["a", "b"]).await;
    for hours in [2, 3] {
        confirm(&store, &sources[0], AUGUST + hours * HOUR, first).await;
    }
    // Then the other order, and views.
    let mut append = store.append(&sources[0], AUGUST + 4 * HOUR).await.unwrap();
    let row = crate::setup::fetch(&sources[0], model::Outcome::Listed);
    let second = append.fetch(&row).await.unwrap();
    let mut turned = places(&[items[1], items[0]]);
    turned[0].views = Some(1_500);
    append.observations(second, &turned).await.unwrap();
    append.commit(&next(AUGUST)).await.unwrap();
    confirm(&store, &sources[0], AUGUST + 5 * HOUR, second).await;
    let mut append = store.append(&sources[0], AUGUST + 6 * HOUR).await.unwrap();
    append.fetch(&crate::setup::fetch(&sources[0], model::Outcome::Failed)).await.unwrap();
    append.commit(&next(AUGUST)).await.unwrap();

    let stretches = async |from: i64, to: i64| -> Vec<(i64, i64, u32, Option<i64>)> {
        let window = store.window(AUGUST + from * HOUR, AUGUST + to * HOUR).await.unwrap();
        let hour = |at: i64| (at - AUGUST) / HOUR;
        window.items.get(1).map_or(Vec::new(), |item| {
            item.sightings
                .iter()
                .map(|seen| (hour(seen.from), hour(seen.until), seen.position, seen.views))
                .collect()
        })
    };
    assert_eq!(stretches(0, 9).await, [(1, 3, 2, None), (4, 5, 1, Some(1_500))]);
    assert_eq!(stretches(0, 4).await, [(1, 3, 2, None), (4, 4, 1, Some(1_500))]);
    assert_eq!(stretches(0, 2).await, [(1, 2, 2, None)], "the future is unknown");
    assert_eq!(stretches(2, 9).await, [(1, 3, 2, None), (4, 5, 1, Some(1_500))]);
    assert_eq!(stretches(3, 9).await, [(4, 5, 1, Some(1_500))]);
    assert_eq!(stretches(5, 9).await, [], "a failed fetch confirms nothing");

    let window = store.window(AUGUST + HOUR, AUGUST + 9 * HOUR).await.unwrap();
    assert_eq!(window.sources.len(), 1);
    assert_eq!(window.sources[0].newsroom, sources[0].newsroom);
    assert_eq!(window.sources[0].polls, [2, 3, 4, 5].map(|hours| AUGUST + hours * HOUR));
}

/// A listing read in one month may stand through the next.
#[sqlx::test(migrations = "../migrations")]
async fn a_listing_outlives_its_partition(pool: PgPool) {
    let (store, sources) = store(pool).await;
    let (fetch, _) = list(&store, &sources[0], AUGUST, &["a"]).await;
    store.ensure_partitions(AUGUST, AUGUST + 40 * DAY).await.unwrap();
    confirm(&store, &sources[0], AUGUST + 40 * DAY, fetch).await;
    let window = store.window(AUGUST + 39 * DAY, AUGUST + 40 * DAY).await.unwrap();
    let seen = window.items[0].sightings[0];
    assert_eq!((seen.from, seen.until), (AUGUST, AUGUST + 40 * DAY));
}

#[sqlx::test(migrations = "../migrations")]
async fn partitions_are_made_ahead_and_once(pool: PgPool) {
    let (store, sources) = store(pool).await;
    let december = AUGUST + 130 * DAY;
    let partitions = async || -> Vec<String> {
        sqlx::query_scalar(
            "SELECT inhrelid::regclass::text FROM pg_inherits JOIN pg_class ON oid = inhrelid
            WHERE inhparent = 'fetches'::regclass ORDER BY 1",
        )
        .fetch_all(store.pool())
        .await
        .unwrap()
    };
    assert_eq!(partitions().await, ["fetches_2026_08"]);
    let mut append = store.append(&sources[0], december).await.unwrap();
    let row = crate::setup::fetch(&sources[0], model::Outcome::Listed);
    let error = append.fetch(&row).await.unwrap_err().to_string();
    assert!(error.contains("no partition"), "{error}");
    drop(append);

    let both = tokio::join!(
        store.ensure_partitions(AUGUST + 100 * DAY, december),
        store.ensure_partitions(AUGUST + 60 * DAY, december),
    );
    both.0.unwrap();
    both.1.unwrap();
    let months = ["08", "09", "10", "11", "12"].map(|month| format!("fetches_2026_{month}"));
    assert_eq!(partitions().await, months);
    list(&store, &sources[0], december, &["a"]).await;
}
