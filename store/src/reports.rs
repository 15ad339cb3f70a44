//! What the pages say of collecting: sources, days and totals, each as of one moment.

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, Utc};
use model::{
    Day, FetchReport, GateCheck, NewsroomId, Source, SourceId, SourceReport, Stats, UnixSeconds,
    Verdict, VerdictChange,
};

use crate::sources::source_kind;
use crate::{Error, Store, hex, instant, seconds, word};

const DAYS: i64 = 90;
const SECONDS_PER_DAY: i64 = 86_400;
/// Fetches and verdict changes that a report lists.
const LISTED: i64 = 30;

impl Store {
    /// Every active source with what was recorded of it up to `at`, in order of newsroom and id.
    /// Next check, stop and redirect are as they stand now.
    ///
    /// # Errors
    /// [`Error::Instant`], [`Error::Database`] or [`Error::Unreadable`].
    pub async fn source_reports(&self, at: UnixSeconds) -> Result<Vec<SourceReport>, Error> {
        let sources = sqlx::query!(
            "SELECT s.id, s.newsroom_id, s.slug, s.section, s.url, s.kind,
                t.next_check_at, t.stopped, t.moved_to
            FROM sources s JOIN source_state t ON t.source_id = s.id
            WHERE s.retired_at IS NULL
            ORDER BY s.newsroom_id, s.id"
        )
        .fetch_all(&self.pool)
        .await?;
        let mut newest = self.newest_checks(at).await?;
        let mut changes: HashMap<SourceId, Vec<VerdictChange>> = HashMap::new();
        for change in self.verdict_changes(at).await? {
            changes.entry(change.check.source).or_default().push(change);
        }
        let mut fetches = self.newest_fetches(at).await?;
        let mut figures = self.figures(at).await?;

        sources
            .into_iter()
            .map(|row| {
                let id = SourceId(row.id);
                let figures = figures.remove(&id).unwrap_or_default();
                Ok(SourceReport {
                    source: Source {
                        id,
                        newsroom: NewsroomId(row.newsroom_id),
                        slug: row.slug,
                        section: row.section,
                        url: row.url,
                        kind: source_kind(&row.kind)?,
                    },
                    check: newest.remove(&id),
                    verdict_changes: changes.remove(&id).unwrap_or_default(),
                    fetches: fetches.remove(&id).unwrap_or_default(),
                    next_check_at: row.stopped.is_none().then(|| seconds(row.next_check_at)),
                    stopped: row.stopped,
                    moved_to: row.moved_to,
                    items: figures.items,
                    days: figures.days,
                    bytes_saved: figures.bytes_saved,
                })
            })
            .collect()
    }

    /// The state of collecting as of `at`; lag and overdue sources as they stand now, seen from
    /// `at`. The number of events is the caller's to fill in.
    ///
    /// # Errors
    /// [`Error::Instant`] or [`Error::Database`].
    pub async fn stats(&self, at: UnixSeconds) -> Result<Stats, Error> {
        let moment = instant(at)?;
        let now = sqlx::query!(
            r#"SELECT
                (SELECT count(*) FROM newsrooms WHERE retired_at IS NULL) AS "newsrooms!",
                count(*) AS "sources!",
                count(*) FILTER (WHERE t.next_check_at < $1 AND t.stopped IS NULL
                    AND s.kind <> 'channel') AS "overdue!",
                min(t.next_check_at) FILTER (WHERE t.stopped IS NULL
                    AND s.kind <> 'channel') AS first_due_at,
                (SELECT max(at) FROM fetches WHERE at <= $1 AND outcome <> 'failed')
                    AS last_fetch_at
            FROM sources s JOIN source_state t ON t.source_id = s.id
            WHERE s.retired_at IS NULL"#,
            moment,
        )
        .fetch_one(&self.pool)
        .await?;
        let head = sqlx::query!(
            "SELECT position, hash, gate_checks, fetches, items, observations
            FROM batches WHERE at <= $1 ORDER BY at DESC, position DESC LIMIT 1",
            moment,
        )
        .fetch_optional(&self.pool)
        .await?;

        let mut days: BTreeMap<UnixSeconds, Day> = BTreeMap::new();
        for day in self.figures(at).await?.into_values().flat_map(|figures| figures.days) {
            let sum = days.entry(day.at).or_insert(Day { at: day.at, ..Day::default() });
            sum.answered += day.answered;
            sum.unchanged += day.unchanged;
            sum.failed += day.failed;
            sum.refused += day.refused;
            sum.new_items += day.new_items;
        }
        let mut stats = Stats {
            at,
            newsrooms: now.newsrooms as u32,
            sources: now.sources as u32,
            last_fetch_at: now.last_fetch_at.map(seconds),
            overdue_sources: now.overdue as u32,
            lag_seconds: now.first_due_at.map_or(0, |due| (at - seconds(due)).max(0)),
            days: days.into_values().collect(),
            ..Stats::default()
        };
        if let Some(head) = head {
            stats.items = head.items;
            stats.observations = head.observations;
            stats.fetches = head.fetches;
            stats.gate_checks = head.gate_checks;
            stats.chain_head = Some(hex(&head.hash));
            stats.chain_length = head.position;
        }
        Ok(stats)
    }

    /// When the first request that history holds was made.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn history_from(&self) -> Result<Option<UnixSeconds>, Error> {
        let at = sqlx::query_scalar!("SELECT min(at) FROM fetches").fetch_one(&self.pool).await?;
        Ok(at.map(seconds))
    }

    async fn newest_checks(&self, at: UnixSeconds) -> Result<HashMap<SourceId, GateCheck>, Error> {
        let rows = sqlx::query_as!(
            CheckRow,
            "SELECT c.source_id, c.at, c.url, c.user_agent, c.robots_url, c.robots_status,
                c.robots_sha256, c.matched_rule, c.tdm_signal, c.verdict, c.reason, c.valid_until
            FROM sources s CROSS JOIN LATERAL (
                SELECT * FROM gate_checks
                WHERE source_id = s.id AND at <= $1 ORDER BY at DESC, id DESC LIMIT 1
            ) c
            WHERE s.retired_at IS NULL",
            instant(at)?,
        )
        .fetch_all(&self.pool)
        .await?;
        rows.into_iter().map(|row| Ok((SourceId(row.source_id), row.check()?))).collect()
    }

    /// Of each source whose newest check of its own address is a reservation that holds beyond `now`.
    pub(crate) async fn reservations(
        &self,
        now: UnixSeconds,
    ) -> Result<HashMap<SourceId, GateCheck>, Error> {
        let rows = sqlx::query_as!(
            CheckRow,
            "SELECT c.source_id, c.at, c.url, c.user_agent, c.robots_url, c.robots_status,
                c.robots_sha256, c.matched_rule, c.tdm_signal, c.verdict, c.reason, c.valid_until
            FROM sources s JOIN source_state t ON t.source_id = s.id CROSS JOIN LATERAL (
                SELECT * FROM gate_checks
                WHERE source_id = s.id AND url = s.url ORDER BY at DESC, id DESC LIMIT 1
            ) c
            WHERE t.next_check_at <= $1 AND s.retired_at IS NULL
                AND c.verdict = 'reserved' AND c.valid_until > $1",
            instant(now)?,
        )
        .fetch_all(&self.pool)
        .await?;
        rows.into_iter().map(|row| Ok((SourceId(row.source_id), row.check()?))).collect()
    }

    /// The newest check of a source's address, when that does not allow it and still holds at `now`.
    pub(crate) async fn refusal(
        &self,
        source: SourceId,
        url: &str,
        now: UnixSeconds,
    ) -> Result<Option<GateCheck>, Error> {
        let newest = sqlx::query_as!(
            CheckRow,
            "SELECT source_id, at, url, user_agent, robots_url, robots_status, robots_sha256,
                matched_rule, tdm_signal, verdict, reason, valid_until
            FROM gate_checks WHERE source_id = $1 AND url = $2 ORDER BY at DESC, id DESC LIMIT 1",
            source.0,
            url,
        )
        .fetch_optional(&self.pool)
        .await?;
        let check = newest.map(CheckRow::check).transpose()?;
        Ok(check.filter(|check| check.verdict != Verdict::Allowed && check.valid_until > now))
    }

    /// How the gate's verdicts changed in the 90 days up to `at`, newest first, at most 30 per
    /// source; a source's first verdict is among them. A redirected source has checks of several
    /// addresses: each is held against the one before it of the same address.
    ///
    /// # Errors
    /// [`Error::Instant`], [`Error::Database`] or [`Error::Unreadable`].
    pub async fn verdict_changes(&self, at: UnixSeconds) -> Result<Vec<VerdictChange>, Error> {
        let rows = sqlx::query!(
            r#"WITH asked AS (
                SELECT *, lag(verdict) OVER (PARTITION BY source_id, url ORDER BY at, id) AS last
                FROM gate_checks WHERE at > $1 AND at <= $2
            ), checked AS (
                SELECT *, coalesce(last, (
                    SELECT verdict FROM gate_checks g
                    WHERE g.source_id = a.source_id AND g.url = a.url AND g.at <= $1
                    ORDER BY g.at DESC, g.id DESC LIMIT 1
                )) AS before
                FROM asked a
            ), changed AS (
                SELECT *, row_number() OVER (PARTITION BY source_id ORDER BY at DESC, id DESC) AS n
                FROM checked WHERE verdict IS DISTINCT FROM before
            )
            SELECT before, source_id, at, url, user_agent, robots_url, robots_status,
                robots_sha256, matched_rule, tdm_signal, verdict, reason, valid_until
            FROM changed WHERE n <= $3 ORDER BY at DESC, id DESC"#,
            first_day(at)?,
            instant(at)?,
            LISTED,
        )
        .fetch_all(&self.pool)
        .await?;
        rows.into_iter()
            .map(|row| {
                let before = row.before.as_deref().map(word).transpose()?;
                let check = CheckRow {
                    source_id: row.source_id,
                    at: row.at,
                    url: row.url,
                    user_agent: row.user_agent,
                    robots_url: row.robots_url,
                    robots_status: row.robots_status,
                    robots_sha256: row.robots_sha256,
                    matched_rule: row.matched_rule,
                    tdm_signal: row.tdm_signal,
                    verdict: row.verdict,
                    reason: row.reason,
                    valid_until: row.valid_until,
                };
                Ok(VerdictChange { before, check: check.check()? })
            })
            .collect()
    }

    /// Newest first.
    async fn newest_fetches(
        &self,
        at: UnixSeconds,
    ) -> Result<HashMap<SourceId, Vec<FetchReport>>, Error> {
        let rows = sqlx::query!(
            "SELECT f.source_id, f.at, f.status, f.outcome, f.bytes, f.elapsed_ms, f.items,
                f.new_items, f.defects, f.error
            FROM sources s CROSS JOIN LATERAL (
                SELECT * FROM fetches
                WHERE source_id = s.id AND at > $1 AND at <= $2
                ORDER BY at DESC, id DESC LIMIT $3
            ) f
            WHERE s.retired_at IS NULL
            ORDER BY f.source_id, f.at DESC, f.id DESC",
            first_day(at)?,
            instant(at)?,
            LISTED,
        )
        .fetch_all(&self.pool)
        .await?;
        let mut fetches: HashMap<SourceId, Vec<FetchReport>> = HashMap::new();
        for row in rows {
            fetches.entry(SourceId(row.source_id)).or_default().push(FetchReport {
                at: seconds(row.at),
                status: row.status.map(|status| status as u16),
                outcome: word(&row.outcome)?,
                bytes: row.bytes,
                elapsed_ms: row.elapsed_ms,
                items: row.items.cast_unsigned(),
                new_items: row.new_items.cast_unsigned(),
                defects: row.defects,
                error: row.error,
            });
        }
        Ok(fetches)
    }

    /// Whole days come from `source_days`; the day of `at`, which may have gone on after it, is
    /// counted from history. What is older than 90 days comes as one sum without a day.
    async fn figures(&self, at: UnixSeconds) -> Result<HashMap<SourceId, Figures>, Error> {
        let rows = sqlx::query!(
            r#"WITH answers AS (
                SELECT source_id, CASE WHEN status = 304 THEN same_as END AS confirmed,
                    count(*) FILTER (WHERE outcome <> 'failed') AS answered,
                    count(*) FILTER (WHERE outcome = 'unchanged') AS unchanged,
                    count(*) FILTER (WHERE outcome = 'failed') AS failed,
                    sum(new_items) AS new_items, sum(bytes) AS bytes
                FROM fetches WHERE at >= $1 AND at <= $2
                GROUP BY 1, 2
            ), asked AS (
                SELECT source_id, sum(answered) AS answered, sum(unchanged) AS unchanged,
                    sum(failed) AS failed, sum(new_items) AS new_items,
                    sum(unchanged * (
                        SELECT f.bytes FROM fetches f
                        WHERE f.source_id = a.source_id AND f.id = a.confirmed AND f.at <= $2
                        ORDER BY f.at DESC LIMIT 1
                    ) - bytes) AS bytes_saved
                FROM answers a GROUP BY source_id
            ), refused AS (
                SELECT source_id, count(*) AS refused FROM gate_checks
                WHERE at >= $1 AND at <= $2 AND verdict <> 'allowed' GROUP BY source_id
            ), counted AS (
                SELECT source_id, CASE WHEN day >= $3 THEN day END AS day,
                    sum(answered) AS answered, sum(unchanged) AS unchanged, sum(failed) AS failed,
                    sum(refused) AS refused, sum(new_items) AS new_items,
                    sum(bytes_saved) AS bytes_saved
                FROM source_days WHERE day < $1 GROUP BY 1, 2
                UNION ALL
                SELECT source_id, $1, answered, unchanged, failed, refused, new_items, bytes_saved
                FROM asked FULL JOIN refused USING (source_id)
            )
            SELECT source_id AS "source_id!", day,
                coalesce(answered, 0)::int AS "answered!",
                coalesce(unchanged, 0)::int AS "unchanged!", coalesce(failed, 0)::int AS "failed!",
                coalesce(refused, 0)::int AS "refused!",
                coalesce(new_items, 0)::bigint AS "new_items!",
                coalesce(bytes_saved, 0)::bigint AS "bytes_saved!"
            FROM counted ORDER BY source_id, day"#,
            day_of(at)?,
            instant(at)?,
            first_day(at)?,
        )
        .fetch_all(&self.pool)
        .await?;
        let mut figures: HashMap<SourceId, Figures> = HashMap::new();
        for row in rows {
            let source = figures.entry(SourceId(row.source_id)).or_default();
            source.items += row.new_items;
            source.bytes_saved += row.bytes_saved;
            if let Some(day) = row.day {
                source.days.push(Day {
                    at: seconds(day),
                    answered: row.answered.cast_unsigned(),
                    unchanged: row.unchanged.cast_unsigned(),
                    failed: row.failed.cast_unsigned(),
                    refused: row.refused.cast_unsigned(),
                    new_items: row.new_items as u32,
                });
            }
        }
        Ok(figures)
    }
}

/// Of one source.
#[derive(Default)]
struct Figures {
    items: i64,
    bytes_saved: i64,
    /// Oldest first; a day without any record is left out.
    days: Vec<Day>,
}

/// Start of the day of `at`.
fn day_of(at: UnixSeconds) -> Result<DateTime<Utc>, Error> {
    instant(at - at.rem_euclid(SECONDS_PER_DAY))
}

/// Start of the first of the 90 days that end with the day of `at`.
fn first_day(at: UnixSeconds) -> Result<DateTime<Utc>, Error> {
    instant(at - at.rem_euclid(SECONDS_PER_DAY) - (DAYS - 1) * SECONDS_PER_DAY)
}

struct CheckRow {
    source_id: i32,
    at: DateTime<Utc>,
    url: String,
    user_agent: String,
    robots_url: String,
    robots_status: Option<i32>,
    robots_sha256: Option<Vec<u8>>,
    matched_rule: Option<String>,
    tdm_signal: Option<String>,
    verdict: String,
    reason: String,
    valid_until: DateTime<Utc>,
}

impl CheckRow {
    fn check(self) -> Result<GateCheck, Error> {
        Ok(GateCheck {
            source: SourceId(self.source_id),
            at: seconds(self.at),
            url: self.url,
            user_agent: self.user_agent,
            robots_url: self.robots_url,
            robots_status: self.robots_status.map(|status| status as u16),
            robots_sha256: self.robots_sha256.as_deref().map(hex),
            matched_rule: self.matched_rule,
            tdm_signal: self.tdm_signal,
            verdict: word(&self.verdict)?,
            reason: self.reason,
            valid_until: seconds(self.valid_until),
        })
    }
}
