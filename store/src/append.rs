//! One answer of a source becomes history: one transaction, one batch of the chain.

use chrono::{DateTime, Utc};
use model::{Day, GateCheck, ItemId, NewsroomId, Outcome, SourceId, UnixSeconds, Verdict};
use sqlx::{AssertSqlSafe, Postgres, Transaction};

use crate::{Error, Rhythm, Store, chain, instant, unhex};

/// An item as its newsroom last wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownItem {
    pub id: ItemId,
    /// Where it was first seen.
    pub source: SourceId,
    pub title: String,
    pub lede: String,
}

/// One request to a source and what came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct FetchRow {
    pub url: String,
    /// The gate check that permitted it.
    pub check: Option<i64>,
    /// HTTP status; `None` when no answer came.
    pub status: Option<u16>,
    pub outcome: Outcome,
    /// The fetch that read the listing which this one confirms; exactly when unchanged.
    pub same_as: Option<i64>,
    /// Of the body, lower-case hexadecimal.
    pub sha256: Option<String>,
    pub bytes: i64,
    pub elapsed_ms: i64,
    pub items: u32,
    pub new_items: u32,
    pub defects: Vec<String>,
    pub error: Option<String>,
    pub moved_to: Option<String>,
}

/// An item that no key leads to yet. Title at most 1,000 characters, lede 300, link 4,000, a key
/// 600, none with U+0000.
#[derive(Clone, Debug, PartialEq)]
pub struct NewItem {
    /// Strongest first.
    pub keys: Vec<String>,
    pub link: String,
    pub title: String,
    pub lede: String,
    pub language: String,
    pub claimed_at: Option<UnixSeconds>,
    pub mention_at: UnixSeconds,
    pub backfill: bool,
}

/// The place that an item held in a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObservationRow {
    pub item: ItemId,
    /// 1 is the top.
    pub position: u32,
    pub length: u32,
    pub views: Option<i64>,
}

/// What the source's next request needs to know.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NextState {
    pub next_check_at: UnixSeconds,
    /// In a row.
    pub failures: u32,
    pub etag: Option<String>,
    pub last_modified: Option<String>,
    /// Why it is not asked any more, until its address is changed.
    pub stopped: Option<String>,
    pub moved_to: Option<String>,
    pub rhythm: Rhythm,
    /// Until when its host wants to be left alone.
    pub host_free_at: Option<UnixSeconds>,
}

/// Rows on their way into history. Dropped before [`Append::commit`], none of them was ever there.
#[derive(Debug)]
pub struct Append {
    tx: Transaction<'static, Postgres>,
    source: SourceId,
    newsroom: NewsroomId,
    seconds: UnixSeconds,
    at: DateTime<Utc>,
    lines: Vec<String>,
    totals: chain::Totals,
    day: Day,
    /// The listing that was read, if one was.
    listing: Option<ReadListing>,
    /// Answers 304, and what even they transferred.
    not_modified: i64,
    not_modified_bytes: i64,
}

#[derive(Debug)]
struct ReadListing {
    fetch: i64,
    sha256: Option<Vec<u8>>,
    bytes: i64,
}

impl Store {
    /// Begins a batch at `at`. Appends to one newsroom wait for one another, so that the same
    /// article in two of its sources becomes one item.
    ///
    /// # Errors
    /// [`Error::Instant`] or [`Error::Database`].
    pub async fn append(&self, source: &model::Source, at: UnixSeconds) -> Result<Append, Error> {
        let instant = instant(at)?;
        // One message; the number is taken under the lock, so that numbers follow time.
        let begin = format!(
            "BEGIN; SELECT pg_advisory_xact_lock(hashtext('ohlas.newsroom'), {}), \
             nextval('batch_ids')",
            source.newsroom
        );
        Ok(Append {
            tx: self.pool.begin_with(AssertSqlSafe(begin)).await?,
            source: source.id,
            newsroom: source.newsroom,
            seconds: at,
            at: instant,
            lines: Vec::new(),
            totals: chain::Totals::default(),
            day: Day::default(),
            listing: None,
            not_modified: 0,
            not_modified_bytes: 0,
        })
    }
}

impl Append {
    /// The item that each entry's keys lead to, in the entries' order; the first known key wins.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn known(&mut self, keys: &[Vec<String>]) -> Result<Vec<Option<KnownItem>>, Error> {
        let asked: Vec<(i32, &str)> = (0..)
            .zip(keys)
            .flat_map(|(entry, keys)| keys.iter().map(move |key| (entry, key.as_str())))
            .collect();
        let entries: Vec<i32> = asked.iter().map(|(entry, _)| *entry).collect();
        let asked_keys: Vec<String> = asked.iter().map(|(_, key)| (*key).to_owned()).collect();
        let rows = sqlx::query!(
            r#"SELECT DISTINCT ON (asked.entry) asked.entry AS "entry!", i.id, i.source_id,
                coalesce(r.title, i.title) AS "title!", coalesce(r.lede, i.lede) AS "lede!"
            FROM UNNEST($2::int[], $3::text[]) WITH ORDINALITY AS asked(entry, key, rank)
            JOIN item_keys k ON k.newsroom_id = $1 AND k.key = asked.key
            JOIN items i ON i.id = k.item_id
            LEFT JOIN LATERAL (
                SELECT title, lede FROM item_revisions
                WHERE item_id = i.id ORDER BY id DESC LIMIT 1
            ) r ON true
            ORDER BY asked.entry, asked.rank"#,
            self.newsroom.0,
            &entries,
            &asked_keys,
        )
        .fetch_all(&mut *self.tx)
        .await?;
        let mut known = vec![None; keys.len()];
        for row in rows {
            if let Some(entry) = known.get_mut(row.entry.cast_unsigned() as usize) {
                *entry = Some(KnownItem {
                    id: ItemId(row.id),
                    source: SourceId(row.source_id),
                    title: row.title,
                    lede: row.lede,
                });
            }
        }
        Ok(known)
    }

    /// Records an answer of the gate; returns its id.
    ///
    /// # Errors
    /// [`Error::Sha256`], [`Error::Instant`] or [`Error::Database`].
    pub async fn check(&mut self, check: &GateCheck) -> Result<i64, Error> {
        let sha256 = check.robots_sha256.as_deref().map(unhex).transpose()?;
        let id = sqlx::query_scalar!(
            "INSERT INTO gate_checks (source_id, at, url, user_agent, robots_url, robots_status,
                robots_sha256, matched_rule, tdm_signal, verdict, reason, valid_until)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
            RETURNING id",
            check.source.0,
            instant(check.at)?,
            check.url,
            check.user_agent,
            check.robots_url,
            check.robots_status.map(i32::from),
            sha256,
            check.matched_rule,
            check.tdm_signal,
            check.verdict.as_str(),
            check.reason,
            instant(check.valid_until)?,
        )
        .fetch_one(&mut *self.tx)
        .await?;
        self.lines.push(chain::check_line(id, check));
        self.totals.gate_checks += 1;
        self.day.refused += u32::from(check.verdict != Verdict::Allowed);
        Ok(id)
    }

    /// Records a request and its outcome; returns its id.
    ///
    /// # Errors
    /// [`Error::Sha256`] or [`Error::Database`].
    pub async fn fetch(&mut self, row: &FetchRow) -> Result<i64, Error> {
        let sha256 = row.sha256.as_deref().map(unhex).transpose()?;
        let id = sqlx::query_scalar!(
            "INSERT INTO fetches (source_id, at, url, check_id, status, outcome, same_as, sha256,
                bytes, elapsed_ms, items, new_items, defects, error, moved_to)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
            RETURNING id",
            self.source.0,
            self.at,
            row.url,
            row.check,
            row.status.map(i32::from),
            row.outcome.as_str(),
            row.same_as,
            sha256.as_deref(),
            row.bytes,
            row.elapsed_ms,
            row.items.cast_signed(),
            row.new_items.cast_signed(),
            &row.defects,
            row.error,
            row.moved_to,
        )
        .fetch_one(&mut *self.tx)
        .await?;
        self.lines.push(chain::fetch_line(id, self.source, self.seconds, row));
        self.totals.fetches += 1;
        match row.outcome {
            Outcome::Listed => {
                self.day.answered += 1;
                self.listing = Some(ReadListing { fetch: id, sha256, bytes: row.bytes });
            }
            Outcome::Unchanged => {
                self.day.answered += 1;
                self.day.unchanged += 1;
            }
            Outcome::Failed => self.day.failed += 1,
        }
        self.day.new_items += row.new_items;
        if row.outcome == Outcome::Unchanged && row.status == Some(304) {
            self.not_modified += 1;
            self.not_modified_bytes += row.bytes;
        }
        Ok(id)
    }

    /// Records new items with their keys; returns their ids, in order. A key that leads to an
    /// item already keeps leading there.
    ///
    /// # Errors
    /// [`Error::Instant`] or [`Error::Database`], also when a text is too long.
    pub async fn items(&mut self, items: &[NewItem]) -> Result<Vec<ItemId>, Error> {
        let text = |of: fn(&NewItem) -> &String| -> Vec<String> {
            items.iter().map(|item| of(item).clone()).collect()
        };
        let claimed: Vec<Option<DateTime<Utc>>> = items
            .iter()
            .map(|item| item.claimed_at.map(instant).transpose())
            .collect::<Result<_, _>>()?;
        let mentions: Vec<DateTime<Utc>> =
            items.iter().map(|item| instant(item.mention_at)).collect::<Result<_, _>>()?;
        let backfills: Vec<bool> = items.iter().map(|item| item.backfill).collect();
        let mut ids = sqlx::query_scalar!(
            "INSERT INTO items (newsroom_id, source_id, at, link, title, lede, language,
                claimed_at, mention_at, backfill)
            SELECT $1, $2, $3, link, title, lede, language, claimed_at, mention_at, backfill
            FROM UNNEST($4::text[], $5::text[], $6::text[], $7::text[], $8::timestamptz[],
                $9::timestamptz[], $10::bool[]) WITH ORDINALITY
                AS new(link, title, lede, language, claimed_at, mention_at, backfill, rank)
            ORDER BY rank
            RETURNING id",
            self.newsroom.0,
            self.source.0,
            self.at,
            &text(|item| &item.link),
            &text(|item| &item.title),
            &text(|item| &item.lede),
            &text(|item| &item.language),
            &claimed as &[Option<DateTime<Utc>>],
            &mentions,
            &backfills,
        )
        .fetch_all(&mut *self.tx)
        .await?;
        // Ids are drawn in the order of insertion, whatever order they come back in.
        ids.sort_unstable();
        let ids: Vec<ItemId> = ids.into_iter().map(ItemId).collect();

        for (&id, item) in ids.iter().zip(items) {
            self.lines.push(chain::item_line(id, self.newsroom, self.source, self.seconds, item));
        }
        self.totals.items += ids.len() as i64;
        let keys = ids
            .iter()
            .zip(items)
            .flat_map(|(&id, item)| item.keys.iter().map(move |key| (id, key.clone())))
            .collect();
        self.keys(keys).await?;
        Ok(ids)
    }

    /// Records further keys of known items; a key that leads to an item already is left alone.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn keys(&mut self, keys: Vec<(ItemId, String)>) -> Result<(), Error> {
        let (ids, keys): (Vec<i64>, Vec<String>) =
            keys.into_iter().map(|(item, key)| (item.0, key)).unzip();
        let rows = sqlx::query!(
            "INSERT INTO item_keys (newsroom_id, key, item_id)
            SELECT $1, key, item_id
            FROM UNNEST($2::bigint[], $3::text[]) WITH ORDINALITY AS new(item_id, key, rank)
            ORDER BY rank
            ON CONFLICT DO NOTHING
            RETURNING key, item_id",
            self.newsroom.0,
            &ids,
            &keys,
        )
        .fetch_all(&mut *self.tx)
        .await?;
        for row in rows {
            self.lines.push(chain::key_line(self.newsroom, &row.key, ItemId(row.item_id)));
        }
        Ok(())
    }

    /// Records titles and ledes that changed.
    ///
    /// # Errors
    /// [`Error::Database`], also when a text is too long.
    pub async fn revisions(&mut self, revisions: &[(ItemId, String, String)]) -> Result<(), Error> {
        let items: Vec<i64> = revisions.iter().map(|(item, ..)| item.0).collect();
        let titles: Vec<String> = revisions.iter().map(|(_, title, _)| title.clone()).collect();
        let ledes: Vec<String> = revisions.iter().map(|(.., lede)| lede.clone()).collect();
        let rows = sqlx::query!(
            "INSERT INTO item_revisions (item_id, source_id, at, title, lede)
            SELECT item_id, $1, $2, title, lede
            FROM UNNEST($3::bigint[], $4::text[], $5::text[]) AS new(item_id, title, lede)
            RETURNING id, item_id, title, lede",
            self.source.0,
            self.at,
            &items,
            &titles,
            &ledes,
        )
        .fetch_all(&mut *self.tx)
        .await?;
        for row in rows {
            let item = ItemId(row.item_id);
            self.lines.push(chain::revision_line(
                row.id,
                item,
                self.source,
                self.seconds,
                &row.title,
                &row.lede,
            ));
        }
        Ok(())
    }

    /// Records the places of a listing, an item at most once.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn observations(&mut self, fetch: i64, rows: &[ObservationRow]) -> Result<(), Error> {
        let items: Vec<i64> = rows.iter().map(|row| row.item.0).collect();
        let positions: Vec<i32> = rows.iter().map(|row| row.position.cast_signed()).collect();
        let lengths: Vec<i32> = rows.iter().map(|row| row.length.cast_signed()).collect();
        let views: Vec<Option<i64>> = rows.iter().map(|row| row.views).collect();
        sqlx::query!(
            "INSERT INTO observations
                (source_id, at, fetch_id, item_id, position, length, views)
            SELECT $1, $2, $3, * FROM UNNEST($4::bigint[], $5::int[], $6::int[], $7::bigint[])",
            self.source.0,
            self.at,
            fetch,
            &items,
            &positions,
            &lengths,
            &views as &[Option<i64>],
        )
        .execute(&mut *self.tx)
        .await?;
        for row in rows {
            self.lines.push(chain::observation_line(self.source, self.seconds, fetch, row));
        }
        self.totals.observations += rows.len() as i64;
        Ok(())
    }

    /// Seals the batch into the chain and commits it together with the source's new state. A
    /// batch without rows only changes the state.
    ///
    /// # Errors
    /// [`Error::Instant`] or [`Error::Database`]; then nothing was kept.
    pub async fn commit(mut self, next: &NextState) -> Result<(), Error> {
        let row_count = self.lines.len() as i32;
        let rows = chain::canonical(self.seconds, row_count, self.lines);
        let listing = self.listing.as_ref();
        sqlx::query!(
            "WITH state AS (
                UPDATE source_state SET next_check_at = $2, failures = $3, etag = $4,
                    last_modified = $5, stopped = $6, moved_to = $7,
                    compared = $25, changed = $26, compared_seconds = $27, host_free_at = $28,
                    last_answer_at = CASE WHEN $8 > 0 THEN $9 ELSE last_answer_at END,
                    listing_fetch = coalesce($10, listing_fetch),
                    listing_at = CASE WHEN $10 IS NULL THEN listing_at ELSE $9 END,
                    listing_sha256 = CASE WHEN $10 IS NULL THEN listing_sha256 ELSE $11 END,
                    listing_bytes = CASE WHEN $10 IS NULL THEN listing_bytes ELSE $12 END
                WHERE source_id = $1
            ), day AS (
                INSERT INTO source_days AS counted (source_id, day, answered, unchanged, failed,
                    refused, new_items, bytes_saved)
                SELECT $1, date_trunc('day', $9::timestamptz, 'UTC'), $8, $13, $14, $15, $16,
                    $17 * coalesce(listing_bytes, 0) - $18
                FROM source_state WHERE source_id = $1 AND $20 > 0
                ON CONFLICT (source_id, day) DO UPDATE SET
                    answered = counted.answered + excluded.answered,
                    unchanged = counted.unchanged + excluded.unchanged,
                    failed = counted.failed + excluded.failed,
                    refused = counted.refused + excluded.refused,
                    new_items = counted.new_items + excluded.new_items,
                    bytes_saved = counted.bytes_saved + excluded.bytes_saved
            )
            SELECT seal_batch($9, $19, $20, $21, $22, $23, $24) WHERE $20 > 0",
            self.source.0,
            instant(next.next_check_at)?,
            next.failures.cast_signed(),
            next.etag,
            next.last_modified,
            next.stopped,
            next.moved_to,
            self.day.answered.cast_signed(),
            self.at,
            listing.map(|listing| listing.fetch),
            listing.and_then(|listing| listing.sha256.as_deref()),
            listing.map(|listing| listing.bytes),
            self.day.unchanged.cast_signed(),
            self.day.failed.cast_signed(),
            self.day.refused.cast_signed(),
            self.day.new_items.cast_signed(),
            self.not_modified,
            self.not_modified_bytes,
            rows.as_bytes(),
            row_count,
            self.totals.gate_checks,
            self.totals.fetches,
            self.totals.items,
            self.totals.observations,
            next.rhythm.compared,
            next.rhythm.changed,
            next.rhythm.seconds,
            next.host_free_at.map(instant).transpose()?,
        )
        .execute(&mut *self.tx)
        .await?;
        self.tx.commit().await?;
        Ok(())
    }
}
