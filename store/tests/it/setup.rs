//! What every test starts from.

use model::{GateCheck, ItemId, Outcome, Source, SourceKind, UnixSeconds, Verdict};
use sqlx::PgPool;
use store::{FetchRow, NewItem, NewsroomEntry, NextState, ObservationRow, SourceEntry, Store};

/// 2026-08-01T00:00:00Z.
pub const AUGUST: UnixSeconds = 1_785_542_400;
pub const MINUTE: i64 = 60;
pub const HOUR: i64 = 3_600;
pub const DAY: i64 = 86_400;

pub fn newsroom(slug: &str, sources: &[&str]) -> NewsroomEntry {
    let sources = sources.iter().map(|section| SourceEntry {
        slug: format!("{slug}-{section}"),
        section: (*section).to_owned(),
        url: format!("https://{slug}.example/{section}.xml"),
        kind: SourceKind::Feed,
    });
    NewsroomEntry {
        slug: slug.to_owned(),
        name: slug.to_uppercase(),
        homepage: format!("https://{slug}.example/"),
        owner: Some(format!("{slug} a.s.")),
        country: "CZ".to_owned(),
        language: "cs".to_owned(),
        weight: 1.0,
        weight_reason: None,
        sources: sources.collect(),
    }
}

/// Newsrooms `obzor` (sections `home` and `sport`) and `zpravy`, partitions for August.
pub async fn store(pool: PgPool) -> (Store, Vec<Source>) {
    let store = Store::from_pool(pool).await;
    store.ensure_partitions(AUGUST, AUGUST + 30 * DAY).await.unwrap();
    let entries = [newsroom("obzor", &["home", "sport"]), newsroom("zpravy", &["home"])];
    let mirrored = store.sync_sources(&entries, AUGUST).await.unwrap();
    let sources = mirrored.into_iter().flat_map(|(_, sources)| sources).collect();
    (store, sources)
}

pub fn item(name: &str) -> NewItem {
    NewItem {
        keys: vec![format!("guid:{name}"), format!("link:{name}")],
        link: format!("https://obzor.example/{name}"),
        title: format!("Titulek {name}"),
        lede: format!("Perex {name}"),
        language: "cs".to_owned(),
        claimed_at: Some(AUGUST - HOUR),
        mention_at: AUGUST,
        backfill: false,
    }
}

pub fn fetch(source: &Source, outcome: Outcome) -> FetchRow {
    FetchRow {
        url: source.url.clone(),
        check: None,
        status: Some(200),
        outcome,
        same_as: None,
        sha256: Some("ab".repeat(32)),
        bytes: 20_000,
        elapsed_ms: 120,
        items: 0,
        new_items: 0,
        defects: Vec::new(),
        error: None,
        moved_to: None,
    }
}

pub fn unchanged(source: &Source, same_as: i64) -> FetchRow {
    FetchRow {
        status: Some(304),
        same_as: Some(same_as),
        sha256: None,
        bytes: 0,
        ..fetch(source, Outcome::Unchanged)
    }
}

pub fn check(source: &Source, at: UnixSeconds, verdict: Verdict) -> GateCheck {
    GateCheck {
        source: source.id,
        at,
        url: source.url.clone(),
        user_agent: "ohlas/0.1".to_owned(),
        robots_url: "https://obzor.example/robots.txt".to_owned(),
        robots_status: Some(200),
        robots_sha256: Some("cd".repeat(32)),
        matched_rule: None,
        tdm_signal: None,
        verdict,
        reason: "No rule is against it.".to_owned(),
        valid_until: at + DAY,
    }
}

pub fn next(at: UnixSeconds) -> NextState {
    NextState { next_check_at: at + 5 * MINUTE, ..NextState::default() }
}

/// Appends a listing of new items, first on top; returns the fetch and the items.
pub async fn list(
    store: &Store,
    source: &Source,
    at: UnixSeconds,
    names: &[&str],
) -> (i64, Vec<ItemId>) {
    let mut append = store.append(source, at).await.unwrap();
    let check = append.check(&check(source, at, Verdict::Allowed)).await.unwrap();
    let count = names.len() as u32;
    let row = FetchRow {
        check: Some(check),
        items: count,
        new_items: count,
        ..fetch(source, Outcome::Listed)
    };
    let fetch = append.fetch(&row).await.unwrap();
    let new: Vec<NewItem> = names.iter().map(|name| item(name)).collect();
    let items = append.items(&new).await.unwrap();
    append.observations(fetch, &places(&items)).await.unwrap();
    append.commit(&next(at)).await.unwrap();
    (fetch, items)
}

/// Appends "same as `fetch`".
pub async fn confirm(store: &Store, source: &Source, at: UnixSeconds, fetch: i64) {
    let mut append = store.append(source, at).await.unwrap();
    append.fetch(&unchanged(source, fetch)).await.unwrap();
    append.commit(&next(at)).await.unwrap();
}

pub fn places(items: &[ItemId]) -> Vec<ObservationRow> {
    let length = items.len() as u32;
    (1..)
        .zip(items)
        .map(|(position, &item)| ObservationRow { item, position, length, views: None })
        .collect()
}
