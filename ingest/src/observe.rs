//! What a poll saw, appended in one transaction.
//!
//! Invariant: observations are only inserted (held by the store's triggers).

use std::collections::HashSet;

use model::{GateCheck, Source, UnixSeconds, Verdict};
use store::{FetchRow, NewItem, NextState, ObservationRow, SourceState, Store};

use crate::parse::Entry;

/// One answer of a source, ready to be appended.
pub struct Seen {
    /// Answers of the gate that are not on record yet.
    pub checks: Vec<GateCheck>,
    /// `None` when the gate did not permit the request.
    pub fetch: Option<FetchRow>,
    /// In feed order; empty unless a new listing was read.
    pub entries: Vec<Entry>,
    pub next: NextState,
}

impl Seen {
    /// A request that brought no new listing.
    #[must_use]
    pub fn of(fetch: FetchRow, next: NextState) -> Self {
        Self { fetch: Some(fetch), ..Self::nothing(next) }
    }

    /// No request was made.
    #[must_use]
    pub fn nothing(next: NextState) -> Self {
        Self { checks: Vec::new(), fetch: None, entries: Vec::new(), next }
    }
}

/// What was appended.
pub struct Appended {
    pub new_items: u32,
    /// Ids of the gate's answers, in their order.
    pub checks: Vec<i64>,
}

/// Appends what was seen at `at`.
///
/// # Errors
///
/// When the store cannot be written; then nothing of `seen` is there.
pub async fn observe(
    store: &Store,
    state: &SourceState,
    at: UnixSeconds,
    seen: Seen,
) -> Result<Appended, store::Error> {
    let source = &state.source;
    let mut append = store.append(source, at).await?;
    let mut checks = Vec::with_capacity(seen.checks.len());
    for answer in &seen.checks {
        checks.push(append.check(answer).await?);
    }

    let Some(mut fetch) = seen.fetch else {
        append.commit(&seen.next).await?;
        return Ok(Appended { new_items: 0, checks });
    };
    // A check that was on record before is named already.
    let permits = |check: &GateCheck| check.verdict == Verdict::Allowed && check.url == fetch.url;
    let permitted = seen.checks.iter().rposition(permits);
    fetch.check = fetch.check.or(permitted.and_then(|place| checks.get(place).copied()));
    if seen.entries.is_empty() {
        append.fetch(&fetch).await?;
        append.commit(&seen.next).await?;
        return Ok(Appended { new_items: 0, checks });
    }

    let keys: Vec<Vec<String>> = seen.entries.iter().map(|entry| keys(source, entry)).collect();
    let known = append.known(&keys).await?;
    let mut items = Vec::new();
    let mut further_keys = Vec::new();
    let mut revisions = Vec::new();
    for ((entry, keys), known) in seen.entries.iter().zip(&keys).zip(&known) {
        match known {
            Some(item) => {
                further_keys.extend(keys.iter().map(|key| (item.id, key.clone())));
                let changed = item.title != entry.title || item.lede != entry.lede;
                // Another section may cut the same lede elsewhere: only the item's own source revises it.
                if changed && item.source == source.id {
                    revisions.push((item.id, entry.title.clone(), entry.lede.clone()));
                }
            }
            None => items.push(NewItem {
                keys: keys.clone(),
                link: entry.link.clone(),
                title: entry.title.clone(),
                lede: entry.lede.clone(),
                language: entry.language.clone(),
                claimed_at: entry.claimed_at,
                mention_at: mention_time(entry.claimed_at, state.last_answer_at, at),
                backfill: state.last_answer_at.is_none(),
            }),
        }
    }

    fetch.new_items = items.len() as u32;
    let fetch_id = append.fetch(&fetch).await?;
    let mut new_ids = append.items(&items).await?.into_iter();
    append.keys(further_keys).await?;
    append.revisions(&revisions).await?;

    let length = seen.entries.len() as u32;
    let mut listed = HashSet::new();
    let mut observations = Vec::with_capacity(seen.entries.len());
    for (position, (entry, known)) in (1..).zip(seen.entries.iter().zip(&known)) {
        let item = known.as_ref().map(|item| item.id).or_else(|| new_ids.next());
        // An item that a feed lists twice stands at its higher place.
        if let Some(item) = item.filter(|item| listed.insert(*item)) {
            observations.push(ObservationRow { item, position, length, views: entry.views });
        }
    }
    append.observations(fetch_id, &observations).await?;
    append.commit(&seen.next).await?;
    Ok(Appended { new_items: fetch.new_items, checks })
}

/// A guid means something within its source only, a permalink within its newsroom.
fn keys(source: &Source, entry: &Entry) -> Vec<String> {
    entry
        .keys
        .iter()
        .map(|key| match key.strip_prefix("guid:") {
            Some(guid) => format!("guid:{}:{guid}", source.id),
            None => key.clone(),
        })
        .collect()
}

/// The claimed time, held between what is known: not before the last answer of the source in which
/// the item was absent, not after the answer that first showed it. Without a claim, first sight.
fn mention_time(
    claimed_at: Option<UnixSeconds>,
    absent_at: Option<UnixSeconds>,
    seen_at: UnixSeconds,
) -> UnixSeconds {
    let earliest = absent_at.unwrap_or(UnixSeconds::MIN).min(seen_at);
    claimed_at.unwrap_or(seen_at).clamp(earliest, seen_at)
}

#[cfg(test)]
mod tests {
    use super::mention_time;

    #[test]
    fn mention_time_is_held_between_absence_and_first_sight() {
        for (claimed, absent, seen, expected) in [
            (Some(150), Some(100), 200, 150),
            (Some(50), Some(100), 200, 100),
            (Some(900), Some(100), 200, 200),
            (None, Some(100), 200, 200),
            (Some(50), None, 200, 50),
            (Some(900), None, 200, 200),
            (Some(150), Some(300), 200, 200),
        ] {
            assert_eq!(mention_time(claimed, absent, seen), expected, "{claimed:?} {absent:?}");
        }
    }
}
