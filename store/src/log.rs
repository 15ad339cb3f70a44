//! History as others read it: the list of its batches, and whole batches to verify elsewhere.

use model::{Batch, BatchRows, ChainHead, UnixSeconds};

use crate::verify::Standing;
use crate::{Error, Store, hex, seconds};

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

    /// At most `limit` batches in front of position `before`, newest first.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn batches_before(&self, before: i64, limit: u32) -> Result<Vec<Batch>, Error> {
        let rows = sqlx::query!(
            r#"SELECT b.position, b.at, b.hash, b.prev_hash,
                b.gate_checks - coalesce(p.gate_checks, 0) AS "gate_checks!",
                b.fetches - coalesce(p.fetches, 0) AS "fetches!",
                b.items - coalesce(p.items, 0) AS "items!",
                b.observations - coalesce(p.observations, 0) AS "observations!",
                (SELECT count(*) FROM item_keys WHERE batch_id = b.id) AS "item_keys!",
                (SELECT count(*) FROM item_revisions WHERE batch_id = b.id) AS "item_revisions!"
            FROM batches b LEFT JOIN batches p ON p.position = b.position - 1
            WHERE b.position < $1 ORDER BY b.position DESC LIMIT $2"#,
            before,
            i64::from(limit),
        )
        .fetch_all(&self.pool)
        .await?;
        let batches = rows.into_iter().map(|row| Batch {
            position: row.position,
            at: seconds(row.at),
            rows: BatchRows {
                gate_checks: row.gate_checks,
                fetches: row.fetches,
                items: row.items,
                item_keys: row.item_keys,
                item_revisions: row.item_revisions,
                observations: row.observations,
            },
            hash: hex(&row.hash),
            previous: hex(&row.prev_hash),
        });
        Ok(batches.collect())
    }

    /// Hands out the batches from the first at or after `from` to the last at or before `to`, as they
    /// stand, each as one JSON line (see `docs/history.md`) with how many of how many that makes;
    /// returns how many there were.
    ///
    /// # Errors
    /// [`Error::Instant`], [`Error::Database`] or [`Error::Unreadable`], and what `each` answers.
    pub async fn export<E: From<Error>>(
        &self,
        from: Option<UnixSeconds>,
        to: Option<UnixSeconds>,
        mut each: impl FnMut(&str, i64, i64) -> Result<(), E>,
    ) -> Result<i64, E> {
        let (first, last) = self.stretch(from, to).await?;
        let (mut position, mut written) = (first - 1, 0);
        loop {
            let standing = self.standing_after(position, last).await?;
            let Some(newest) = standing.last() else { return Ok(written) };
            position = newest.batch.position;
            for batch in standing {
                written += 1;
                each(&line(batch), written, last - first + 1)?;
            }
        }
    }
}

/// The canonical rows are JSON, and stand in the line as they were hashed.
fn line(standing: Standing) -> String {
    let position = standing.batch.position;
    let (previous, hash) = (hex(&standing.batch.prev_hash), hex(&standing.batch.hash));
    let rows = standing.canonical().replace('\n', ",");
    format!(r#"{{"position":{position},"previous":"{previous}","hash":"{hash}","rows":[{rows}]}}"#)
}
