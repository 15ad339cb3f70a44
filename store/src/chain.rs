//! The hash chain over history.
//!
//! One batch is one transaction. Its hash is the SHA-256 of the hash before it (32 raw bytes; zeros
//! before the first batch) followed by the batch's *canonical rows*: one JSON array per row, in
//! UTF-8 without spaces, the lines sorted by their bytes and joined by a line feed, none at the
//! end. The first element is the table, the others are its columns in this order:
//!
//! | table | columns |
//! |---|---|
//! | `batches` | at, number of the other rows |
//! | `fetches` | id, source, at, url, check, status, outcome, same as, sha256, bytes, elapsed ms, items, new items, defects, error, moved to |
//! | `gate_checks` | id, source, at, url, user agent, robots url, robots status, robots sha256, matched rule, TDM signal, verdict, reason, valid until |
//! | `item_keys` | newsroom, key, item |
//! | `item_revisions` | id, item, source, at, title, lede |
//! | `items` | id, newsroom, source, at, link, title, lede, language, claimed at, mention at, backfill |
//! | `observations` | source, at, fetch, item, position, length, views |
//!
//! Instants are Unix seconds, hashes lower-case hexadecimal, what is missing is `null`; in strings
//! only `"`, `\` and control characters are escaped (`\b \f \n \r \t`, others as `\u00xx`).
//! Every batch has exactly one `batches` row: it is the batch itself.
//!
//! What the chain cannot show alone is that its newest batches were cut off. Whoever noted a head
//! earlier can: it must still be the hash at its position.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use model::{GateCheck, ItemId, NewsroomId, SourceId, UnixSeconds};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::{Error, FetchRow, NewItem, ObservationRow, Store, hex, word};

/// The newest batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainHead {
    /// From 1, without gaps.
    pub position: i64,
    /// Lower-case hexadecimal.
    pub hash: String,
}

/// What came of recomputing the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verification {
    /// Every batch is as it was written; `head` is `None` while there is none.
    Intact { batches: i64, head: Option<ChainHead> },
    /// The first position that does not hold, and why.
    Broken { position: i64, fault: Fault },
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    #[error("the batch is missing")]
    MissingBatch,
    #[error("the batch does not follow the one before it")]
    WrongPredecessor,
    #[error("the batch was written with {written} rows and has {found}")]
    RowCount { written: i64, found: i64 },
    #[error("a row is not as it was written")]
    AlteredRow,
    #[error("the batch's running totals are wrong")]
    WrongTotals,
    #[error("history holds {surplus} rows more than the chain up to here")]
    RowsOutsideTheChain { surplus: i64 },
}

/// Rows of history by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    pub gate_checks: i64,
    pub fetches: i64,
    pub items: i64,
    pub observations: i64,
}

pub(crate) fn check_line(id: i64, check: &GateCheck) -> String {
    json!([
        "gate_checks",
        id,
        check.source,
        check.at,
        check.url,
        check.user_agent,
        check.robots_url,
        check.robots_status,
        check.robots_sha256,
        check.matched_rule,
        check.tdm_signal,
        check.verdict.as_str(),
        check.reason,
        check.valid_until
    ])
    .to_string()
}

pub(crate) fn fetch_line(id: i64, source: SourceId, at: UnixSeconds, row: &FetchRow) -> String {
    json!([
        "fetches",
        id,
        source,
        at,
        row.url,
        row.check,
        row.status,
        row.outcome.as_str(),
        row.same_as,
        row.sha256,
        row.bytes,
        row.elapsed_ms,
        row.items,
        row.new_items,
        row.defects,
        row.error,
        row.moved_to
    ])
    .to_string()
}

pub(crate) fn item_line(
    id: ItemId,
    newsroom: NewsroomId,
    source: SourceId,
    at: UnixSeconds,
    item: &NewItem,
) -> String {
    json!([
        "items",
        id,
        newsroom,
        source,
        at,
        item.link,
        item.title,
        item.lede,
        item.language,
        item.claimed_at,
        item.mention_at,
        item.backfill
    ])
    .to_string()
}

pub(crate) fn key_line(newsroom: NewsroomId, key: &str, item: ItemId) -> String {
    json!(["item_keys", newsroom, key, item]).to_string()
}

pub(crate) fn revision_line(
    id: i64,
    item: ItemId,
    source: SourceId,
    at: UnixSeconds,
    title: &str,
    lede: &str,
) -> String {
    json!(["item_revisions", id, item, source, at, title, lede]).to_string()
}

pub(crate) fn observation_line(
    source: SourceId,
    at: UnixSeconds,
    fetch: i64,
    row: &ObservationRow,
) -> String {
    let &ObservationRow { item, position, length, views } = row;
    json!(["observations", source, at, fetch, item, position, length, views]).to_string()
}

/// The canonical rows of a batch, its own among them.
pub(crate) fn canonical(at: UnixSeconds, mut lines: Vec<String>) -> String {
    lines.push(json!(["batches", at, lines.len()]).to_string());
    lines.sort_unstable();
    lines.join("\n")
}

/// An instant as it was written. Only tampering makes a fraction of a second; microseconds are then
/// another number than any that was hashed.
fn written(at: DateTime<Utc>) -> UnixSeconds {
    if at.timestamp_subsec_nanos() == 0 { at.timestamp() } else { at.timestamp_micros() }
}

/// Batches whose rows are read at once.
const BATCHES_AT_ONCE: i64 = 500;

struct Batch {
    id: i64,
    position: i64,
    at: DateTime<Utc>,
    prev_hash: Vec<u8>,
    hash: Vec<u8>,
    row_count: i32,
    totals: Totals,
}

/// A batch's rows as they stand.
#[derive(Default)]
struct Found {
    lines: Vec<String>,
    totals: Totals,
}

impl Store {
    /// The newest batch; `None` before the first.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn head(&self) -> Result<Option<ChainHead>, Error> {
        let row = sqlx::query!("SELECT position, hash FROM batches ORDER BY position DESC LIMIT 1")
            .fetch_optional(&self.pool)
            .await?;
        Ok(row.map(|row| ChainHead { position: row.position, hash: hex(&row.hash) }))
    }

    /// Recomputes every batch's hash from the rows as they stand now. `progress` is told how many
    /// batches of how many are done.
    ///
    /// # Errors
    /// [`Error::Database`], or [`Error::Unreadable`] when a row no longer makes sense.
    pub async fn verify(&self, mut progress: impl FnMut(i64, i64)) -> Result<Verification, Error> {
        let total = self.head().await?.map_or(0, |head| head.position);
        let mut position = 0;
        let mut hash = vec![0; 32];
        let mut totals = Totals::default();
        loop {
            let batches = self.batches_after(position).await?;
            if batches.is_empty() {
                break;
            }
            let mut found = self.rows_of(&batches).await?;
            for batch in batches {
                let rows = found.remove(&batch.id).unwrap_or_default();
                position += 1;
                if let Some(fault) = fault(&batch, rows, position, &hash, &mut totals) {
                    return Ok(Verification::Broken { position, fault });
                }
                hash = batch.hash;
            }
            progress(position, total.max(position));
        }
        let surplus = self.rows_outside_the_chain().await?;
        if surplus != 0 {
            let fault = Fault::RowsOutsideTheChain { surplus };
            return Ok(Verification::Broken { position, fault });
        }
        let head = (position > 0).then(|| ChainHead { position, hash: hex(&hash) });
        Ok(Verification::Intact { batches: position, head })
    }

    async fn batches_after(&self, position: i64) -> Result<Vec<Batch>, Error> {
        let rows = sqlx::query!(
            "SELECT id, position, at, prev_hash, hash, row_count, gate_checks, fetches, items,
                observations
            FROM batches WHERE position > $1 ORDER BY position LIMIT $2",
            position,
            BATCHES_AT_ONCE,
        )
        .fetch_all(&self.pool)
        .await?;
        let batches = rows.into_iter().map(|row| Batch {
            id: row.id,
            position: row.position,
            at: row.at,
            prev_hash: row.prev_hash,
            hash: row.hash,
            row_count: row.row_count,
            totals: Totals {
                gate_checks: row.gate_checks,
                fetches: row.fetches,
                items: row.items,
                observations: row.observations,
            },
        });
        Ok(batches.collect())
    }

    /// The rows of these batches, by batch. The partitioned tables are read by time, which all
    /// rows of a batch share; a row moved elsewhere is missed here and so found.
    async fn rows_of(&self, batches: &[Batch]) -> Result<HashMap<i64, Found>, Error> {
        let ids: Vec<i64> = batches.iter().map(|batch| batch.id).collect();
        let from = batches.iter().map(|batch| batch.at).min().unwrap_or_default();
        let to = batches.iter().map(|batch| batch.at).max().unwrap_or_default();
        let mut found: HashMap<i64, Found> = HashMap::new();

        let rows = sqlx::query!(
            "SELECT batch_id, id, source_id, at, url, user_agent, robots_url, robots_status,
                robots_sha256, matched_rule, tdm_signal, verdict, reason, valid_until
            FROM gate_checks WHERE batch_id = ANY($1)",
            &ids,
        )
        .fetch_all(&self.pool)
        .await?;
        for row in rows {
            let check = GateCheck {
                source: SourceId(row.source_id),
                at: written(row.at),
                url: row.url,
                user_agent: row.user_agent,
                robots_url: row.robots_url,
                robots_status: row.robots_status.map(|status| status as u16),
                robots_sha256: row.robots_sha256.as_deref().map(hex),
                matched_rule: row.matched_rule,
                tdm_signal: row.tdm_signal,
                verdict: word(&row.verdict)?,
                reason: row.reason,
                valid_until: written(row.valid_until),
            };
            let batch = found.entry(row.batch_id).or_default();
            batch.totals.gate_checks += 1;
            batch.lines.push(check_line(row.id, &check));
        }

        let rows = sqlx::query!(
            "SELECT batch_id, id, source_id, at, url, check_id, status, outcome, same_as, sha256,
                bytes, elapsed_ms, items, new_items, defects, error, moved_to
            FROM fetches WHERE at BETWEEN $2 AND $3 AND batch_id = ANY($1)",
            &ids,
            from,
            to,
        )
        .fetch_all(&self.pool)
        .await?;
        for row in rows {
            let fetch = FetchRow {
                url: row.url,
                check: row.check_id,
                status: row.status.map(|status| status as u16),
                outcome: word(&row.outcome)?,
                same_as: row.same_as,
                sha256: row.sha256.as_deref().map(hex),
                bytes: row.bytes,
                elapsed_ms: row.elapsed_ms,
                items: row.items.cast_unsigned(),
                new_items: row.new_items.cast_unsigned(),
                defects: row.defects,
                error: row.error,
                moved_to: row.moved_to,
            };
            let batch = found.entry(row.batch_id).or_default();
            batch.totals.fetches += 1;
            let source = SourceId(row.source_id);
            batch.lines.push(fetch_line(row.id, source, written(row.at), &fetch));
        }

        let rows = sqlx::query!(
            "SELECT batch_id, id, newsroom_id, source_id, at, link, title, lede, language,
                claimed_at, mention_at, backfill
            FROM items WHERE batch_id = ANY($1)",
            &ids,
        )
        .fetch_all(&self.pool)
        .await?;
        for row in rows {
            let item = NewItem {
                keys: Vec::new(),
                link: row.link,
                title: row.title,
                lede: row.lede,
                language: row.language,
                claimed_at: row.claimed_at.map(written),
                mention_at: written(row.mention_at),
                backfill: row.backfill,
            };
            let (newsroom, source) = (NewsroomId(row.newsroom_id), SourceId(row.source_id));
            let batch = found.entry(row.batch_id).or_default();
            batch.totals.items += 1;
            batch.lines.push(item_line(ItemId(row.id), newsroom, source, written(row.at), &item));
        }

        let rows = sqlx::query!(
            "SELECT batch_id, newsroom_id, key, item_id FROM item_keys WHERE batch_id = ANY($1)",
            &ids,
        )
        .fetch_all(&self.pool)
        .await?;
        for row in rows {
            let line = key_line(NewsroomId(row.newsroom_id), &row.key, ItemId(row.item_id));
            found.entry(row.batch_id).or_default().lines.push(line);
        }

        let rows = sqlx::query!(
            "SELECT batch_id, id, item_id, source_id, at, title, lede
            FROM item_revisions WHERE batch_id = ANY($1)",
            &ids,
        )
        .fetch_all(&self.pool)
        .await?;
        for row in rows {
            let (item, source) = (ItemId(row.item_id), SourceId(row.source_id));
            let line = revision_line(row.id, item, source, written(row.at), &row.title, &row.lede);
            found.entry(row.batch_id).or_default().lines.push(line);
        }

        let rows = sqlx::query!(
            "SELECT batch_id, source_id, at, fetch_id, item_id, position, length, views
            FROM observations WHERE at BETWEEN $2 AND $3 AND batch_id = ANY($1)",
            &ids,
            from,
            to,
        )
        .fetch_all(&self.pool)
        .await?;
        for row in rows {
            let observation = ObservationRow {
                item: ItemId(row.item_id),
                position: row.position.cast_unsigned(),
                length: row.length.cast_unsigned(),
                views: row.views,
            };
            let batch = found.entry(row.batch_id).or_default();
            batch.totals.observations += 1;
            let source = SourceId(row.source_id);
            batch.lines.push(observation_line(source, written(row.at), row.fetch_id, &observation));
        }
        Ok(found)
    }

    /// Rows that stand in history without a batch, or far from their batch's time.
    async fn rows_outside_the_chain(&self) -> Result<i64, Error> {
        let surplus = sqlx::query_scalar!(
            r#"SELECT (SELECT count(*) FROM gate_checks) + (SELECT count(*) FROM fetches)
                + (SELECT count(*) FROM items) + (SELECT count(*) FROM item_keys)
                + (SELECT count(*) FROM item_revisions) + (SELECT count(*) FROM observations)
                - (SELECT coalesce(sum(row_count), 0)::bigint FROM batches) AS "surplus!""#
        )
        .fetch_one(&self.pool)
        .await?;
        Ok(surplus)
    }
}

/// Why `batch` cannot stand at `position` after `prev_hash`; else adds its rows to `totals`.
fn fault(
    batch: &Batch,
    rows: Found,
    position: i64,
    prev_hash: &[u8],
    totals: &mut Totals,
) -> Option<Fault> {
    if batch.position != position {
        return Some(Fault::MissingBatch);
    }
    if batch.prev_hash != prev_hash {
        return Some(Fault::WrongPredecessor);
    }
    let (written_rows, found) = (i64::from(batch.row_count), rows.lines.len() as i64);
    if written_rows != found {
        return Some(Fault::RowCount { written: written_rows, found });
    }
    let canonical = canonical(written(batch.at), rows.lines);
    let hash = Sha256::new().chain_update(prev_hash).chain_update(canonical).finalize();
    if batch.hash != hash[..] {
        return Some(Fault::AlteredRow);
    }
    totals.gate_checks += rows.totals.gate_checks;
    totals.fetches += rows.totals.fetches;
    totals.items += rows.totals.items;
    totals.observations += rows.totals.observations;
    (batch.totals != *totals).then_some(Fault::WrongTotals)
}
