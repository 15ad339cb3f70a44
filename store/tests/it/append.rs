use std::collections::HashSet;

use model::{Outcome, Verdict};
use sqlx::PgPool;
use store::{Error, NewItem, Verification};

use crate::setup::{AUGUST, DAY, HOUR, check, fetch, item, list, next, places, store};

#[sqlx::test(migrations = "../migrations")]
async fn the_first_known_key_leads_to_the_item_and_its_newest_text(pool: PgPool) {
    let (store, sources) = store(pool).await;
    let (_, items) = list(&store, &sources[0], AUGUST, &["a", "b"]).await;

    let mut append = store.append(&sources[1], AUGUST + HOUR).await.unwrap();
    let further = ["guid:sport-b", "guid:a"].map(|key| (items[1], key.to_owned()));
    append.keys(further.to_vec()).await.unwrap();
    let revision = |title: &str| (items[1], title.to_owned(), "Perex".to_owned());
    append.revisions(&[revision("Druhý"), revision("Třetí")]).await.unwrap();
    append.commit(&next(AUGUST + HOUR)).await.unwrap();

    let mut append = store.append(&sources[0], AUGUST + 2 * HOUR).await.unwrap();
    let keys = |keys: &[&str]| keys.iter().map(|&key| key.to_owned()).collect::<Vec<_>>();
    let known = append
        .known(&[
            keys(&["guid:new", "link:a"]),
            keys(&["guid:nothing"]),
            keys(&[]),
            keys(&["guid:sport-b", "guid:a"]),
            keys(&["guid:a", "guid:sport-b"]),
        ])
        .await
        .unwrap();
    let found: Vec<_> = known
        .iter()
        .map(|known| known.as_ref().map(|item| (item.id, item.title.as_str(), item.lede.as_str())))
        .collect();
    assert_eq!(
        found,
        [
            Some((items[0], "Titulek a", "Perex a")),
            None,
            None,
            Some((items[1], "Třetí", "Perex")),
            // "guid:a" led to the first item already and was left alone.
            Some((items[0], "Titulek a", "Perex a")),
        ]
    );
    drop(append);
    let mut other = store.append(&sources[2], AUGUST).await.unwrap();
    assert_eq!(other.known(&[keys(&["guid:a"])]).await.unwrap(), [None], "another newsroom's");
}

#[sqlx::test(migrations = "../migrations")]
async fn ids_come_in_the_order_of_the_items(pool: PgPool) {
    let (store, sources) = store(pool).await;
    let names: Vec<String> = (0..300).map(|n| format!("n{}", (n * 7_919) % 300)).collect();
    let new: Vec<NewItem> = names.iter().map(|name| item(name)).collect();
    let mut append = store.append(&sources[0], AUGUST).await.unwrap();
    let ids = append.items(&new).await.unwrap();
    assert!(ids.is_sorted());
    let keys: Vec<_> = new.iter().map(|item| item.keys.clone()).collect();
    let known = append.known(&keys).await.unwrap();
    for ((id, known), item) in ids.iter().zip(known).zip(&new) {
        let known = known.unwrap();
        assert_eq!((known.id, &known.title), (*id, &item.title));
    }
}

#[sqlx::test(migrations = "../migrations")]
async fn a_batch_cut_off_leaves_nothing(pool: PgPool) {
    let (store, sources) = store(pool).await;
    let before = store.due(AUGUST + DAY).await.unwrap();
    let mut append = store.append(&sources[0], AUGUST).await.unwrap();
    append.check(&check(&sources[0], AUGUST, Verdict::Allowed)).await.unwrap();
    let id = append.fetch(&fetch(&sources[0], Outcome::Listed)).await.unwrap();
    let items = append.items(&[item("a")]).await.unwrap();
    append.observations(id, &places(&items)).await.unwrap();
    // As when the process is killed: the server loses the connection in mid-transaction.
    let killed: i64 = sqlx::query_scalar(
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()
            AND state = 'idle in transaction'",
    )
    .fetch_one(store.pool())
    .await
    .unwrap();
    assert_eq!(killed, 1);
    append.commit(&next(AUGUST)).await.unwrap_err();

    let mut dropped = store.append(&sources[0], AUGUST).await.unwrap();
    dropped.fetch(&fetch(&sources[0], Outcome::Listed)).await.unwrap();
    drop(dropped);

    let rows: i64 = sqlx::query_scalar(
        "SELECT (SELECT count(*) FROM gate_checks) + (SELECT count(*) FROM fetches)
            + (SELECT count(*) FROM items) + (SELECT count(*) FROM item_keys)
            + (SELECT count(*) FROM observations) + (SELECT count(*) FROM batches)
            + (SELECT count(*) FROM source_days)",
    )
    .fetch_one(store.pool())
    .await
    .unwrap();
    assert_eq!(rows, 0);
    assert_eq!(store.due(AUGUST + DAY).await.unwrap(), before);

    // And collecting goes on.
    list(&store, &sources[0], AUGUST, &["a"]).await;
    assert_eq!(store.head().await.unwrap().unwrap().position, 1);
}

#[sqlx::test(migrations = "../migrations")]
async fn appends_to_one_newsroom_wait_for_one_another(pool: PgPool) {
    let (store, sources) = store(pool).await;
    // The same article in two sections at once.
    let append = |source: usize| {
        let (store, source) = (store.clone(), sources[source].clone());
        async move {
            let mut append = store.append(&source, AUGUST).await.unwrap();
            let id = match append.known(&[item("a").keys]).await.unwrap().remove(0) {
                Some(known) => known.id,
                None => append.items(&[item("a")]).await.unwrap()[0],
            };
            append.commit(&next(AUGUST)).await.unwrap();
            id
        }
    };
    let (home, sport) = tokio::join!(tokio::spawn(append(0)), tokio::spawn(append(1)));
    assert_eq!(home.unwrap(), sport.unwrap());
}

#[sqlx::test(migrations = "../migrations")]
async fn concurrent_appends_keep_one_chain(pool: PgPool) {
    let (store, sources) = store(pool).await;
    let appends = (0..40).map(|n| {
        let (store, source) = (store.clone(), sources[n % 3].clone());
        tokio::spawn(async move {
            list(&store, &source, AUGUST + n as i64, &[&format!("item-{n}")]).await.0
        })
    });
    let mut fetches = HashSet::new();
    for append in appends.collect::<Vec<_>>() {
        fetches.insert(append.await.unwrap());
    }
    assert_eq!(fetches.len(), 40);
    let head = store.head().await.unwrap();
    let verified = store.verify(|_, _| {}).await.unwrap();
    assert_eq!(verified, Verification::Intact { batches: 40, link: None, head });
}

#[sqlx::test(migrations = "../migrations")]
async fn what_cannot_be_stored_is_said(pool: PgPool) {
    let (store, sources) = store(pool).await;
    let error = store.append(&sources[0], i64::MAX).await.unwrap_err();
    assert!(matches!(error, Error::Instant(i64::MAX)), "{error}");

    let mut append = store.append(&sources[0], AUGUST).await.unwrap();
    for sha256 in ["AB".repeat(32), "ab".repeat(31), "ab".repeat(33), "xy".repeat(32)] {
        let row = store::FetchRow { sha256: Some(sha256), ..fetch(&sources[0], Outcome::Listed) };
        let error = append.fetch(&row).await.unwrap_err();
        assert!(matches!(error, Error::Sha256(_)), "{error}");
    }
}
