//! When each source is asked next, and what its next request needs to know: mutable, no history.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use model::{GateCheck, NewsroomId, Source, SourceId, UnixSeconds};

use crate::sources::source_kind;
use crate::{Error, Store, hex, instant, seconds};

/// A source that is due, with what its last answers left behind.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceState {
    pub source: Source,
    /// Validators of the newest listing, exactly as the server gave them.
    pub etag: Option<String>,
    pub last_modified: Option<String>,
    /// The newest listing that was read.
    pub listing: Option<Listing>,
    /// The newest answer with a listing, changed or not.
    pub last_answer_at: Option<UnixSeconds>,
    /// In a row.
    pub failures: u32,
    pub rhythm: Rhythm,
    /// The newest check of its address, when that is a reservation which still holds.
    pub reservation: Option<GateCheck>,
}

/// A channel, and whether it may be asked.
#[derive(Clone, Debug, PartialEq)]
pub struct ChannelState {
    pub state: SourceState,
    pub next_check_at: UnixSeconds,
    /// Why it is not asked any more, until its address is changed.
    pub stopped: Option<String>,
    /// The newest check of its address, when that refuses and still holds.
    pub refusal: Option<GateCheck>,
}

/// Why a source's newest request failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// HTTP status; `None` when no answer came.
    pub status: Option<u16>,
    /// One English sentence.
    pub reason: String,
}

/// How often a source was found changed. The figures fade, so that the newest days count most.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rhythm {
    /// Answers that were compared with the one before.
    pub compared: f64,
    /// How many of them had changed.
    pub changed: f64,
    /// Between the compared answers.
    pub seconds: f64,
}

/// A listing that was read, and by which fetch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    pub fetch: i64,
    pub at: UnixSeconds,
    /// Lower-case hexadecimal.
    pub sha256: String,
}

struct StateRow {
    id: i32,
    newsroom_id: i32,
    slug: String,
    section: String,
    url: String,
    kind: String,
    etag: Option<String>,
    last_modified: Option<String>,
    last_answer_at: Option<DateTime<Utc>>,
    failures: i32,
    listing_fetch: Option<i64>,
    listing_at: Option<DateTime<Utc>>,
    listing_sha256: Option<Vec<u8>>,
    compared: f64,
    changed: f64,
    compared_seconds: f64,
    next_check_at: DateTime<Utc>,
    stopped: Option<String>,
}

impl StateRow {
    /// The state but for its reservation.
    fn state(self) -> Result<SourceState, Error> {
        let listing = match (self.listing_fetch, self.listing_at, self.listing_sha256) {
            (Some(fetch), Some(at), Some(sha256)) => {
                Some(Listing { fetch, at: seconds(at), sha256: hex(&sha256) })
            }
            _ => None,
        };
        Ok(SourceState {
            source: Source {
                id: SourceId(self.id),
                newsroom: NewsroomId(self.newsroom_id),
                slug: self.slug,
                section: self.section,
                url: self.url,
                kind: source_kind(&self.kind)?,
            },
            etag: self.etag,
            last_modified: self.last_modified,
            listing,
            last_answer_at: self.last_answer_at.map(seconds),
            failures: self.failures.cast_unsigned(),
            rhythm: Rhythm {
                compared: self.compared,
                changed: self.changed,
                seconds: self.compared_seconds,
            },
            reservation: None,
        })
    }
}

impl Store {
    /// Active sources, not stopped, whose next check is at or before `now`; longest due first. Channels
    /// are not among them: readers ask for those.
    ///
    /// # Errors
    /// [`Error::Instant`] or [`Error::Database`].
    pub async fn due(&self, now: UnixSeconds) -> Result<Vec<SourceState>, Error> {
        let rows = sqlx::query_as!(
            StateRow,
            "SELECT s.id, s.newsroom_id, s.slug, s.section, s.url, s.kind,
                t.etag, t.last_modified, t.last_answer_at, t.failures,
                t.listing_fetch, t.listing_at, t.listing_sha256,
                t.compared, t.changed, t.compared_seconds, t.next_check_at, t.stopped
            FROM source_state t JOIN sources s ON s.id = t.source_id
            WHERE t.next_check_at <= $1 AND t.stopped IS NULL AND s.retired_at IS NULL
                AND s.kind <> 'channel'
            ORDER BY t.next_check_at, s.id",
            instant(now)?,
        )
        .fetch_all(&self.pool)
        .await?;
        let mut reservations = match rows.is_empty() {
            true => HashMap::new(),
            false => self.reservations(now).await?,
        };
        rows.into_iter()
            .map(|row| {
                let reservation = reservations.remove(&SourceId(row.id));
                Ok(SourceState { reservation, ..row.state()? })
            })
            .collect()
    }

    /// A channel that is configured, with what its last answers left behind.
    ///
    /// # Errors
    /// [`Error::Instant`] or [`Error::Database`].
    pub async fn channel(
        &self,
        slug: &str,
        now: UnixSeconds,
    ) -> Result<Option<ChannelState>, Error> {
        let Some(row) = sqlx::query_as!(
            StateRow,
            "SELECT s.id, s.newsroom_id, s.slug, s.section, s.url, s.kind,
                t.etag, t.last_modified, t.last_answer_at, t.failures,
                t.listing_fetch, t.listing_at, t.listing_sha256,
                t.compared, t.changed, t.compared_seconds, t.next_check_at, t.stopped
            FROM source_state t JOIN sources s ON s.id = t.source_id
            WHERE s.slug = $1 AND s.kind = 'channel' AND s.retired_at IS NULL",
            slug,
        )
        .fetch_optional(&self.pool)
        .await?
        else {
            return Ok(None);
        };
        let (next_check_at, stopped) = (seconds(row.next_check_at), row.stopped.clone());
        let refusal = self.refusal(SourceId(row.id), &row.url, now).await?;
        Ok(Some(ChannelState { state: row.state()?, next_check_at, stopped, refusal }))
    }

    /// Why the source's newest request failed; `None` when it did not.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn newest_failure(&self, source: SourceId) -> Result<Option<Failure>, Error> {
        let newest = sqlx::query!(
            "SELECT status, error FROM fetches WHERE source_id = $1 ORDER BY at DESC, id DESC LIMIT 1",
            source.0,
        )
        .fetch_optional(&self.pool)
        .await?;
        Ok(newest.and_then(|row| {
            Some(Failure { status: row.status.map(|status| status as u16), reason: row.error? })
        }))
    }

    /// When the next source is due; `None` when there is none to ask.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn next_due_at(&self) -> Result<Option<UnixSeconds>, Error> {
        let next = sqlx::query_scalar!(
            "SELECT min(t.next_check_at)
            FROM source_state t JOIN sources s ON s.id = t.source_id
            WHERE t.stopped IS NULL AND s.retired_at IS NULL AND s.kind <> 'channel'"
        )
        .fetch_one(&self.pool)
        .await?;
        Ok(next.map(seconds))
    }

    /// Until when hosts want to be left alone, as far as that is after `now`: the address of a
    /// source at the host, and the time. A host may be told of more than once.
    ///
    /// # Errors
    /// [`Error::Instant`] or [`Error::Database`].
    pub async fn held_hosts(&self, now: UnixSeconds) -> Result<Vec<(String, UnixSeconds)>, Error> {
        let rows = sqlx::query!(
            r#"SELECT s.url, t.host_free_at AS "free_at!"
            FROM source_state t JOIN sources s ON s.id = t.source_id
            WHERE t.host_free_at > $1"#,
            instant(now)?,
        )
        .fetch_all(&self.pool)
        .await?;
        Ok(rows.into_iter().map(|row| (row.url, seconds(row.free_at))).collect())
    }

    /// Has the source's host left alone until `free_at`, whoever of its sources is due. Written
    /// before any I/O, too.
    ///
    /// # Errors
    /// [`Error::Instant`] or [`Error::Database`].
    pub async fn hold_host(&self, source: SourceId, free_at: UnixSeconds) -> Result<(), Error> {
        sqlx::query!(
            "UPDATE source_state SET host_free_at = $2 WHERE source_id = $1",
            source.0,
            instant(free_at)?,
        )
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// Puts the next check off to `next_check_at`. Written before any I/O, so that a crash cannot
    /// make the source be asked again and again.
    ///
    /// # Errors
    /// [`Error::Instant`] or [`Error::Database`].
    pub async fn claim(&self, source: SourceId, next_check_at: UnixSeconds) -> Result<(), Error> {
        sqlx::query!(
            "UPDATE source_state SET next_check_at = $2 WHERE source_id = $1",
            source.0,
            instant(next_check_at)?,
        )
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// Requests of video sources since `at` whose address begins with `prefix`.
    ///
    /// # Errors
    /// [`Error::Instant`] or [`Error::Database`].
    pub async fn video_requests_since(&self, prefix: &str, at: UnixSeconds) -> Result<i64, Error> {
        let requests = sqlx::query_scalar!(
            r#"SELECT count(*) AS "requests!" FROM sources s JOIN fetches f ON f.source_id = s.id
            WHERE s.kind = 'video' AND f.at >= $2 AND starts_with(f.url, $1)"#,
            prefix,
            instant(at)?,
        )
        .fetch_one(&self.pool)
        .await?;
        Ok(requests)
    }
}
