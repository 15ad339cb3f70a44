//! Snapshots, and what derived boards say of items and events, each under the model's name.

use model::{Change, EventId, Factors, ItemId, Model, SECONDS_PER_HOUR, Snapshot, UnixSeconds};
use sqlx::postgres::PgListener;
use sqlx::types::Json;

use crate::derived::write_board;
use crate::{Error, Store, instant, seconds};

const CHANNEL: &str = "ohlas_snapshot";

/// Snapshots of each model that are kept whole.
const BODIES: i64 = 3;

/// How far back assignments are looked for under a model that this version does not know.
const UNKNOWN_WINDOW_HOURS: f64 = 31.0 * 24.0;

impl Store {
    /// Where each item stood by the last recompute at or before `at`, in order of item; items
    /// that left the model's window before `at` are left out.
    ///
    /// # Errors
    /// [`Error::Instant`] or [`Error::Database`].
    pub async fn assignments(
        &self,
        model: &str,
        at: UnixSeconds,
    ) -> Result<Vec<(ItemId, EventId)>, Error> {
        let hours = Model::named(model).map_or(UNKNOWN_WINDOW_HOURS, |model| model.window_hours);
        // An item is first assigned after its mention, so within the window.
        let from = at - (hours * SECONDS_PER_HOUR as f64).ceil() as i64;
        let rows = sqlx::query!(
            "SELECT DISTINCT ON (item_id) item_id, event_id
            FROM event_items WHERE model = $1 AND at >= $2 AND at <= $3
            ORDER BY item_id, at DESC",
            model,
            instant(from)?,
            instant(at)?,
        )
        .fetch_all(&self.pool)
        .await?;
        Ok(rows.into_iter().map(|row| (ItemId(row.item_id), EventId(row.event_id))).collect())
    }

    /// Saves a recompute in one transaction and tells every listener its id, which it returns.
    /// What was derived under the model for this moment and later ones is replaced: it followed
    /// from what changes here.
    ///
    /// # Errors
    /// [`Error::Json`], [`Error::Instant`] or [`Error::Database`]; then nothing was saved.
    pub async fn save_snapshot(
        &self,
        snapshot: &Snapshot,
        changes: &[Change],
    ) -> Result<i64, Error> {
        let model = &snapshot.model.name;
        let at = instant(snapshot.board.at)?;
        let body = serde_json::to_vec(snapshot)?;
        let mut tx = self.pool.begin().await?;
        write_board(&mut tx, &snapshot.board, changes, None).await?;
        let id = sqlx::query_scalar!(
            "INSERT INTO snapshots (model, at, body, stats) VALUES ($1, $2, $3, $4) RETURNING id",
            model,
            at,
            body,
            Json(&snapshot.stats) as _,
        )
        .fetch_one(&mut *tx)
        .await?;
        sqlx::query!(
            "UPDATE snapshots SET body = NULL
            WHERE model = $1 AND body IS NOT NULL AND id NOT IN (
                SELECT id FROM snapshots WHERE model = $1 ORDER BY at DESC, id DESC LIMIT $2
            )",
            model,
            BODIES,
        )
        .execute(&mut *tx)
        .await?;
        sqlx::query!("SELECT pg_notify($1, $2)", CHANNEL, id.to_string()).execute(&mut *tx).await?;
        tx.commit().await?;
        Ok(id)
    }

    /// The snapshot of the latest moment under the model; `None` before the first recompute.
    ///
    /// # Errors
    /// [`Error::Database`], or [`Error::Json`] when another version wrote it in another shape.
    pub async fn latest_snapshot(&self, model: &str) -> Result<Option<Snapshot>, Error> {
        let row = sqlx::query!(
            r#"SELECT id, body AS "body!" FROM snapshots WHERE model = $1 AND body IS NOT NULL
            ORDER BY at DESC, id DESC LIMIT 1"#,
            model,
        )
        .fetch_optional(&self.pool)
        .await?;
        row.map(|row| {
            let snapshot: Snapshot = serde_json::from_slice(&row.body)?;
            Ok(Snapshot { id: row.id, ..snapshot })
        })
        .transpose()
    }

    /// The id of [`Store::latest_snapshot`]; 0 when there is none.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn latest_snapshot_id(&self, model: &str) -> Result<i64, Error> {
        let id = sqlx::query_scalar!(
            "SELECT id FROM snapshots WHERE model = $1 AND body IS NOT NULL
            ORDER BY at DESC, id DESC LIMIT 1",
            model,
        )
        .fetch_optional(&self.pool)
        .await?;
        Ok(id.unwrap_or(0))
    }

    /// Listens for snapshots that any instance saves, under any model.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn snapshot_listener(&self) -> Result<SnapshotListener, Error> {
        let mut listener = PgListener::connect_with(&self.pool).await?;
        listener.listen(CHANNEL).await?;
        Ok(SnapshotListener { listener, store: self.clone() })
    }

    /// The id that the event has now under the model, through all merges; `None` when there never
    /// was such an event.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn resolve_event(
        &self,
        model: &str,
        event: EventId,
    ) -> Result<Option<EventId>, Error> {
        // UNION drops what was visited, so that a circle ends; its oldest event then stands for it.
        let id = sqlx::query_scalar!(
            r#"WITH RECURSIVE path AS (
                SELECT id, merged_into FROM events WHERE model = $1 AND id = $2
                UNION
                SELECT e.id, e.merged_into
                FROM path JOIN events e ON e.model = $1 AND e.id = path.merged_into
            )
            SELECT id AS "id!" FROM path ORDER BY merged_into IS NOT NULL, id LIMIT 1"#,
            model,
            event.0,
        )
        .fetch_optional(&self.pool)
        .await?;
        Ok(id.map(EventId))
    }

    /// The last moment of which it is recorded that the event stood on the model's board.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn event_last_at(
        &self,
        model: &str,
        event: EventId,
    ) -> Result<Option<UnixSeconds>, Error> {
        let at = sqlx::query_scalar!(
            "SELECT greatest(
                (SELECT max(at) FROM event_items WHERE model = $1 AND event_id = $2),
                (SELECT max(at) FROM event_scores WHERE model = $1 AND event_id = $2))",
            model,
            event.0,
        )
        .fetch_one(&self.pool)
        .await?;
        Ok(at.map(seconds))
    }

    /// Changes in (`from`, `to`], newest first.
    ///
    /// # Errors
    /// [`Error::Instant`], [`Error::Database`] or [`Error::Json`].
    pub async fn recent_changes(
        &self,
        model: &str,
        from: UnixSeconds,
        to: UnixSeconds,
    ) -> Result<Vec<Change>, Error> {
        let rows = sqlx::query!(
            "SELECT at, event_id, change FROM event_changes
            WHERE model = $1 AND at > $2 AND at <= $3 ORDER BY at DESC, id DESC",
            model,
            instant(from)?,
            instant(to)?,
        )
        .fetch_all(&self.pool)
        .await?;
        rows.into_iter()
            .map(|row| {
                let kind = serde_json::from_value(row.change)?;
                Ok(Change { at: seconds(row.at), event: EventId(row.event_id), kind })
            })
            .collect()
    }

    /// The event's factors and number of newsrooms at every recompute that it had a heat, oldest
    /// first.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn score_history(
        &self,
        model: &str,
        event: EventId,
    ) -> Result<Vec<(UnixSeconds, Factors, u32)>, Error> {
        let rows = sqlx::query!(
            "SELECT at, breadth, velocity, priority, persistence, decay, newsrooms
            FROM event_scores WHERE model = $1 AND event_id = $2 ORDER BY at",
            model,
            event.0,
        )
        .fetch_all(&self.pool)
        .await?;
        let history = rows.into_iter().map(|row| {
            let factors = Factors {
                breadth: row.breadth,
                velocity: row.velocity,
                priority: row.priority,
                persistence: row.persistence,
                decay: row.decay,
            };
            (seconds(row.at), factors, row.newsrooms.cast_unsigned())
        });
        Ok(history.collect())
    }
}

/// Learns of new snapshots, whichever instance saved them.
#[derive(Debug)]
pub struct SnapshotListener {
    listener: PgListener,
    store: Store,
}

impl SnapshotListener {
    /// Waits for the next snapshot and returns its id. After a lost connection, which may have
    /// swallowed a message, it returns the newest id there is.
    ///
    /// # Errors
    /// [`Error::Database`] while the database is away; calling again connects again.
    pub async fn next(&mut self) -> Result<i64, Error> {
        loop {
            if let Some(notification) = self.listener.try_recv().await? {
                if let Ok(id) = notification.payload().parse() {
                    return Ok(id);
                }
            } else {
                let newest = sqlx::query_scalar!("SELECT max(id) FROM snapshots")
                    .fetch_one(&self.store.pool)
                    .await?;
                return Ok(newest.unwrap_or(0));
            }
        }
    }
}
