use model::{Outcome, SourceId};
use sqlx::PgPool;
use store::{Listing, NextState, Store};

use crate::setup::{AUGUST, DAY, HOUR, confirm, fetch, list, newsroom, next, store};

async fn due(store: &Store, at: i64) -> Vec<SourceId> {
    store.due(at).await.unwrap().into_iter().map(|state| state.source.id).collect()
}

#[sqlx::test(migrations = "../migrations")]
async fn what_is_no_longer_listed_is_retired(pool: PgPool) {
    let (store, sources) = store(pool).await;
    let (_, _) = list(&store, &sources[2], AUGUST, &["a"]).await;
    let ids: Vec<_> = sources.iter().map(|source| source.id).collect();

    let only_home = [newsroom("obzor", &["home"])];
    let mirrored = store.sync_sources(&only_home, AUGUST + HOUR).await.unwrap();
    assert_eq!(mirrored.len(), 1);
    assert_eq!(mirrored[0].1, [sources[0].clone()], "ids stay");
    assert_eq!(due(&store, AUGUST + DAY).await, [ids[0]]);
    let slugs = async || -> Vec<String> {
        store.newsrooms().await.unwrap().into_iter().map(|newsroom| newsroom.slug).collect()
    };
    assert_eq!(slugs().await, ["obzor", "zpravy"], "history names it");

    let nothing = store.sync_sources(&[], AUGUST + HOUR).await.unwrap();
    assert_eq!(nothing, []);
    assert_eq!(due(&store, AUGUST + DAY).await, []);
    assert_eq!(store.next_due_at().await.unwrap(), None);
    assert_eq!(slugs().await, ["zpravy"]);

    let back = [newsroom("zpravy", &["home"]), newsroom("obzor", &["sport", "home"])];
    let mirrored = store.sync_sources(&back, AUGUST + DAY).await.unwrap();
    let order: Vec<_> = mirrored.iter().flat_map(|(_, sources)| sources).map(|s| s.id).collect();
    assert_eq!(order, [ids[2], ids[1], ids[0]], "the configuration's order");
    assert_eq!(due(&store, AUGUST + DAY).await, ids);
}

#[sqlx::test(migrations = "../migrations")]
async fn syncs_at_the_same_time_agree(pool: PgPool) {
    let store = Store::from_pool(pool).await;
    let entries = [newsroom("obzor", &["home"]), newsroom("zpravy", &["home"])];
    let reversed = [entries[1].clone(), entries[0].clone()];
    let (one, other) =
        tokio::join!(store.sync_sources(&entries, AUGUST), store.sync_sources(&reversed, AUGUST));
    let mut other = other.unwrap();
    other.reverse();
    assert_eq!(one.unwrap(), other);
}

#[sqlx::test(migrations = "../migrations")]
async fn due_is_oldest_first_and_claims_put_off(pool: PgPool) {
    let (store, sources) = store(pool).await;
    let ids: Vec<_> = sources.iter().map(|source| source.id).collect();
    assert_eq!(due(&store, AUGUST - 1).await, []);
    assert_eq!(store.next_due_at().await.unwrap(), Some(AUGUST));
    assert_eq!(due(&store, AUGUST).await, ids);

    store.claim(ids[0], AUGUST + 2 * HOUR).await.unwrap();
    store.claim(ids[1], AUGUST + HOUR).await.unwrap();
    assert_eq!(due(&store, AUGUST).await, [ids[2]]);
    assert_eq!(due(&store, AUGUST + 2 * HOUR).await, [ids[2], ids[1], ids[0]]);

    let stopped = NextState {
        next_check_at: AUGUST + HOUR,
        stopped: Some("410 Gone".to_owned()),
        ..NextState::default()
    };
    store.append(&sources[2], AUGUST).await.unwrap().commit(&stopped).await.unwrap();
    assert_eq!(due(&store, AUGUST + DAY).await, [ids[1], ids[0]]);
    assert_eq!(store.next_due_at().await.unwrap(), Some(AUGUST + HOUR));
}

#[sqlx::test(migrations = "../migrations")]
async fn the_state_remembers_the_listing_and_the_answer(pool: PgPool) {
    let (store, sources) = store(pool).await;
    let source = &sources[0];
    let state = async || {
        let states = store.due(AUGUST + DAY).await.unwrap();
        states.into_iter().find(|state| state.source == *source).unwrap()
    };
    let fresh = state().await;
    assert_eq!((fresh.listing, fresh.last_answer_at, fresh.failures), (None, None, 0));

    let (first, _) = list(&store, source, AUGUST, &["a"]).await;
    confirm(&store, source, AUGUST + HOUR, first).await;
    let mut append = store.append(source, AUGUST + 2 * HOUR).await.unwrap();
    let failed = store::FetchRow { sha256: None, ..fetch(source, Outcome::Failed) };
    append.fetch(&failed).await.unwrap();
    let after = NextState {
        failures: 3,
        etag: Some("W/\"x\"".to_owned()),
        last_modified: Some("Sat, 01 Aug 2026 00:00:00 GMT".to_owned()),
        ..next(AUGUST + 2 * HOUR)
    };
    append.commit(&after).await.unwrap();

    let known = state().await;
    let listing = Listing { fetch: first, at: AUGUST, sha256: "ab".repeat(32) };
    assert_eq!(known.listing, Some(listing));
    assert_eq!(known.last_answer_at, Some(AUGUST + HOUR));
    assert_eq!(known.failures, 3);
    assert_eq!((known.etag, known.last_modified), (after.etag, after.last_modified));
}

#[sqlx::test(migrations = "../migrations")]
async fn a_changed_address_starts_afresh(pool: PgPool) {
    let (store, sources) = store(pool).await;
    for source in &sources {
        list(&store, source, AUGUST, &[&source.slug]).await;
    }
    let stopped = NextState {
        next_check_at: AUGUST + DAY,
        etag: Some("x".to_owned()),
        stopped: Some("410 Gone".to_owned()),
        ..NextState::default()
    };
    store.append(&sources[0], AUGUST).await.unwrap().commit(&stopped).await.unwrap();
    let mut entries = [newsroom("obzor", &["home", "sport"]), newsroom("zpravy", &["home"])];
    store.sync_sources(&entries, AUGUST + HOUR).await.unwrap();
    assert!(!due(&store, AUGUST + 9 * DAY).await.contains(&sources[0].id), "still stopped");

    entries[0].sources[0].url = "https://obzor.example/new.xml".to_owned();
    store.sync_sources(&entries, AUGUST + HOUR).await.unwrap();
    let states = store.due(AUGUST + HOUR).await.unwrap();
    let state = states.iter().find(|state| state.source.id == sources[0].id).unwrap();
    assert_eq!(state.source.url, entries[0].sources[0].url);
    assert_eq!((&state.etag, &state.listing, state.last_answer_at), (&None, &None, None));
    let other = states.iter().find(|state| state.source.id == sources[1].id).unwrap();
    assert!(other.listing.is_some(), "the others keep theirs");
}
