//! The chain recomputed from the rows as they stand.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use model::{ChainHead, GateCheck, ItemId, NewsroomId, SourceId, UnixSeconds};
use sha2::{Digest, Sha256};

use crate::chain::{
    Totals, canonical, check_line, fetch_line, item_line, key_line, observation_line, revision_line,
};
use crate::{Error, FetchRow, NewItem, ObservationRow, Store, hex, instant, word};

/// What came of recomputing the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verification {
    /// Every batch is as it was written. `link` is the batch before them, whose hash was taken as
    /// given, `head` the last of them; both are `None` where there is none.
    Intact { batches: i64, link: Option<ChainHead>, head: Option<ChainHead> },
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

/// Batches whose rows are read at once.
const BATCHES_AT_ONCE: i64 = 500;

/// A row of `batches`.
pub(crate) struct Batch {
    id: i64,
    pub position: i64,
    at: DateTime<Utc>,
    pub prev_hash: Vec<u8>,
    pub hash: Vec<u8>,
    row_count: i32,
    totals: Totals,
}

/// A batch's rows as they stand, in their canonical form but in no order.
#[derive(Default)]
struct Found {
    lines: Vec<String>,
    totals: Totals,
}

/// A batch with its rows as they stand.
pub(crate) struct Standing {
    pub batch: Batch,
    rows: Found,
}

impl Standing {
    /// The canonical rows, its own among them.
    pub fn canonical(self) -> String {
        canonical(written(self.batch.at), self.batch.row_count, self.rows.lines)
    }
}

impl Store {
    /// Recomputes every batch's hash from the rows as they stand now. `progress` is told how many
    /// batches of how many are done.
    ///
    /// # Errors
    /// [`Error::Database`], or [`Error::Unreadable`] when a row no longer makes sense.
    pub async fn verify(&self, progress: impl FnMut(i64, i64)) -> Result<Verification, Error> {
        self.verify_stretch(None, None, progress).await
    }

    /// As [`Self::verify`], from the first batch at or after `from` to the last at or before `to`. The
    /// hash before the stretch is taken as given. Rows without a batch are looked for by their time;
    /// an item key has none, so that only the whole run finds one.
    ///
    /// # Errors
    /// As [`Self::verify`], and [`Error::Instant`].
    pub async fn verify_stretch(
        &self,
        from: Option<UnixSeconds>,
        to: Option<UnixSeconds>,
        mut progress: impl FnMut(i64, i64),
    ) -> Result<Verification, Error> {
        let (first, last) = self.stretch(from, to).await?;
        let (mut position, mut hash, mut totals) = (first - 1, vec![0; 32], Totals::default());
        let mut link = None;
        if position > 0 {
            let Some(before) = self.batches_after(position - 1, position).await?.pop() else {
                return Ok(Verification::Broken { position, fault: Fault::MissingBatch });
            };
            (hash, totals) = (before.hash, before.totals);
            link = Some(ChainHead { position, hash: hex(&hash) });
        }
        loop {
            let standing = self.standing_after(position, last).await?;
            if standing.is_empty() {
                break;
            }
            for batch in standing {
                position += 1;
                let own_hash = batch.batch.hash.clone();
                if let Some(fault) = fault(batch, position, &hash, &mut totals) {
                    return Ok(Verification::Broken { position, fault });
                }
                hash = own_hash;
            }
            progress(position - first + 1, last.max(position) - first + 1);
        }
        let surplus = match (from, to) {
            (None, None) => self.rows_outside_the_chain().await?,
            _ => self.rows_without_a_batch(from, to).await?,
        };
        if surplus != 0 {
            let fault = Fault::RowsOutsideTheChain { surplus };
            return Ok(Verification::Broken { position, fault });
        }
        let batches = position - first + 1;
        let head = (batches > 0).then(|| ChainHead { position, hash: hex(&hash) });
        Ok(Verification::Intact { batches, link, head })
    }

    /// The positions of the first batch at or after `from` and of the last at or before `to`; the first
    /// is the greater one when there is none between.
    pub(crate) async fn stretch(
        &self,
        from: Option<UnixSeconds>,
        to: Option<UnixSeconds>,
    ) -> Result<(i64, i64), Error> {
        let row = sqlx::query!(
            r#"SELECT
                CASE WHEN $1::timestamptz IS NULL THEN 1 ELSE coalesce(
                    (SELECT min(position) FROM batches WHERE at >= $1),
                    (SELECT max(position) + 1 FROM batches), 1) END AS "first!",
                coalesce((SELECT max(position) FROM batches
                    WHERE $2::timestamptz IS NULL OR at <= $2), 0) AS "last!""#,
            from.map(instant).transpose()?,
            to.map(instant).transpose()?,
        )
        .fetch_one(&self.pool)
        .await?;
        Ok((row.first, row.last))
    }

    /// The batches after `position` and up to `last` with their rows, in order: as many as are read at
    /// once, none when there are none.
    pub(crate) async fn standing_after(
        &self,
        position: i64,
        last: i64,
    ) -> Result<Vec<Standing>, Error> {
        let batches = self.batches_after(position, last).await?;
        let mut found = self.rows_of(&batches).await?;
        let standing = batches.into_iter().map(|batch| {
            let rows = found.remove(&batch.id).unwrap_or_default();
            Standing { batch, rows }
        });
        Ok(standing.collect())
    }

    /// The batches after `position`, at most so many as are read at once and none after `last`.
    async fn batches_after(&self, position: i64, last: i64) -> Result<Vec<Batch>, Error> {
        let rows = sqlx::query!(
            "SELECT id, position, at, prev_hash, hash, row_count, gate_checks, fetches, items,
                observations
            FROM batches WHERE position > $1 AND position <= $2 ORDER BY position LIMIT $3",
            position,
            last,
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

    /// Rows of this time whose batch does not exist or, where rows are read by time, has another.
    async fn rows_without_a_batch(
        &self,
        from: Option<UnixSeconds>,
        to: Option<UnixSeconds>,
    ) -> Result<i64, Error> {
        let surplus = sqlx::query_scalar!(
            r#"WITH rows AS (
                SELECT batch_id, at, at AS batch_at FROM fetches
                UNION ALL SELECT batch_id, at, at FROM observations
                UNION ALL SELECT batch_id, at, NULL FROM gate_checks
                UNION ALL SELECT batch_id, at, NULL FROM items
                UNION ALL SELECT batch_id, at, NULL FROM item_revisions
            )
            SELECT count(*) AS "surplus!" FROM rows r
            WHERE ($1::timestamptz IS NULL OR at >= $1) AND ($2::timestamptz IS NULL OR at <= $2)
                AND NOT EXISTS (
                    SELECT FROM batches b
                    WHERE b.id = r.batch_id AND b.at = coalesce(r.batch_at, b.at)
                )"#,
            from.map(instant).transpose()?,
            to.map(instant).transpose()?,
        )
        .fetch_one(&self.pool)
        .await?;
        Ok(surplus)
    }
}

/// An instant as it was written. Only tampering makes a fraction of a second; microseconds are then
/// another number than any that was hashed.
fn written(at: DateTime<Utc>) -> UnixSeconds {
    if at.timestamp_subsec_nanos() == 0 { at.timestamp() } else { at.timestamp_micros() }
}

/// Why a batch cannot stand at `position` after `prev_hash`; else adds its rows to `totals`.
fn fault(
    standing: Standing,
    position: i64,
    prev_hash: &[u8],
    totals: &mut Totals,
) -> Option<Fault> {
    let Standing { batch, rows } = &standing;
    if batch.position != position {
        return Some(Fault::MissingBatch);
    }
    if batch.prev_hash != prev_hash {
        return Some(Fault::WrongPredecessor);
    }
    let (written, found) = (i64::from(batch.row_count), rows.lines.len() as i64);
    if written != found {
        return Some(Fault::RowCount { written, found });
    }
    totals.gate_checks += rows.totals.gate_checks;
    totals.fetches += rows.totals.fetches;
    totals.items += rows.totals.items;
    totals.observations += rows.totals.observations;
    let wrong_totals = batch.totals != *totals;
    let own_hash = batch.hash.clone();
    let hash = Sha256::new().chain_update(prev_hash).chain_update(standing.canonical()).finalize();
    if own_hash != hash[..] {
        return Some(Fault::AlteredRow);
    }
    wrong_totals.then_some(Fault::WrongTotals)
}
