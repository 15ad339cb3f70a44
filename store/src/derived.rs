//! What a board is taken apart into: events, their items, scores and changes, each under the model's
//! name; and recomputes over history, which write many boards.

use std::collections::HashMap;

use model::{Board, Change, ChangeKind, Event, EventId, Factors, ItemId, UnixSeconds};
use sqlx::PgConnection;

use crate::{Error, Store, instant, seconds};

/// A recompute over history: of whole hours, from one to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recompute {
    pub model: String,
    /// What computes: two runs with the same maker derive the same boards.
    pub maker: String,
    pub from: UnixSeconds,
    pub to: UnixSeconds,
}

impl Store {
    /// The moment up to which the very same recompute, which did not end, has come.
    ///
    /// # Errors
    /// [`Error::Instant`] or [`Error::Database`].
    pub async fn recomputed_until(
        &self,
        recompute: &Recompute,
    ) -> Result<Option<UnixSeconds>, Error> {
        let at = sqlx::query_scalar!(
            "SELECT done_at FROM recomputes
            WHERE model = $1 AND maker = $2 AND from_at = $3 AND to_at = $4",
            recompute.model,
            recompute.maker,
            instant(recompute.from)?,
            instant(recompute.to)?,
        )
        .fetch_optional(&self.pool)
        .await?;
        Ok(at.map(seconds))
    }

    /// Saves boards of a recompute, in order of time, and how far it came, in one transaction. What
    /// was derived under the model for these moments and later ones is replaced. `before` is the board
    /// before the first, if it was saved by the same recompute: what it says as well is not written
    /// again.
    ///
    /// # Errors
    /// [`Error::Json`], [`Error::Instant`] or [`Error::Database`]; then nothing was saved.
    pub async fn save_boards(
        &self,
        recompute: &Recompute,
        boards: &[(Board, Vec<Change>)],
        mut before: Option<&Board>,
    ) -> Result<(), Error> {
        let mut tx = self.pool.begin().await?;
        for (board, changes) in boards {
            write_board(&mut tx, board, changes, before).await?;
            before = Some(board);
        }
        if let Some(board) = before {
            sqlx::query!(
                "INSERT INTO recomputes (model, maker, from_at, to_at, done_at)
                VALUES ($1, $2, $3, $4, $5)
                ON CONFLICT (model) DO UPDATE SET maker = excluded.maker,
                    from_at = excluded.from_at, to_at = excluded.to_at, done_at = excluded.done_at",
                recompute.model,
                recompute.maker,
                instant(recompute.from)?,
                instant(recompute.to)?,
                instant(board.at)?,
            )
            .execute(&mut *tx)
            .await?;
        }
        Ok(tx.commit().await?)
    }

    /// The recompute under the model has come to its end.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn end_recompute(&self, model: &str) -> Result<(), Error> {
        sqlx::query!("DELETE FROM recomputes WHERE model = $1", model).execute(&self.pool).await?;
        Ok(())
    }
}

/// What is written already.
#[derive(Default)]
struct Known<'b> {
    board: HashMap<EventId, &'b Event>,
    events: HashMap<ItemId, EventId>,
}

impl<'b> Known<'b> {
    fn of(board: Option<&'b Board>) -> Self {
        let events = || board.into_iter().flat_map(|board| &board.events);
        Self {
            board: events().map(|event| (event.id, event)).collect(),
            events: events()
                .flat_map(|event| event.items.iter().map(|item| (item.id, event.id)))
                .collect(),
        }
    }

    fn differs(&self, event: &Event) -> bool {
        let row = |event: &Event| (event.first_mention(), event.last_mention(), event.newsrooms());
        self.board
            .get(&event.id)
            .is_none_or(|known| row(known) != row(event) || known.title != event.title)
    }
}

/// Writes a board without what `before`, the board before it, says as well. What was derived under the
/// model for this moment and later ones is replaced: it followed from what changes here.
pub(crate) async fn write_board(
    connection: &mut PgConnection,
    board: &Board,
    changes: &[Change],
    before: Option<&Board>,
) -> Result<(), Error> {
    let (model, events) = (&board.model, &board.events);
    let at = instant(board.at)?;
    sqlx::query!(
        "WITH items AS (DELETE FROM event_items WHERE model = $1 AND at >= $2),
            scores AS (DELETE FROM event_scores WHERE model = $1 AND at >= $2)
        DELETE FROM event_changes WHERE model = $1 AND at >= $2",
        model,
        at,
    )
    .execute(&mut *connection)
    .await?;

    let known = Known::of(before);
    let mut changed: Vec<&Event> = events.iter().filter(|event| known.differs(event)).collect();
    // Two writers lock them in the same order.
    changed.sort_by_key(|event| event.id);
    let ids: Vec<i64> = changed.iter().map(|event| event.id.0).collect();
    let titles: Vec<String> = changed.iter().map(|event| event.title.clone()).collect();
    let newsrooms: Vec<i32> = changed.iter().map(|event| event.newsrooms().cast_signed()).collect();
    let firsts = changed
        .iter()
        .map(|event| instant(event.first_mention()))
        .collect::<Result<Vec<_>, _>>()?;
    let lasts =
        changed.iter().map(|event| instant(event.last_mention())).collect::<Result<Vec<_>, _>>()?;
    sqlx::query!(
        "INSERT INTO events (model, id, first_at, last_at, title, newsrooms)
        SELECT $1, * FROM UNNEST($2::bigint[], $3::timestamptz[], $4::timestamptz[],
            $5::text[], $6::int[])
        ON CONFLICT (model, id) DO UPDATE SET
            first_at = excluded.first_at, last_at = excluded.last_at,
            title = excluded.title, newsrooms = excluded.newsrooms, merged_into = NULL
        WHERE (events.first_at, events.last_at, events.title, events.newsrooms,
                events.merged_into)
            IS DISTINCT FROM (excluded.first_at, excluded.last_at, excluded.title,
                excluded.newsrooms, NULL)",
        model,
        &ids,
        &firsts,
        &lasts,
        &titles,
        &newsrooms,
    )
    .execute(&mut *connection)
    .await?;

    let (items, item_events): (Vec<i64>, Vec<i64>) = events
        .iter()
        .flat_map(|event| event.items.iter().map(|item| (item.id, event.id)))
        .filter(|&(item, event)| known.events.get(&item) != Some(&event))
        .map(|(item, event)| (item.0, event.0))
        .unzip();
    sqlx::query!(
        "INSERT INTO event_items (model, item_id, at, event_id)
        SELECT $1, now.item_id, $2, now.event_id
        FROM UNNEST($3::bigint[], $4::bigint[]) AS now(item_id, event_id)
        LEFT JOIN LATERAL (
            SELECT event_id FROM event_items
            WHERE model = $1 AND item_id = now.item_id ORDER BY at DESC LIMIT 1
        ) before ON true
        WHERE now.event_id IS DISTINCT FROM before.event_id",
        model,
        at,
        &items,
        &item_events,
    )
    .execute(&mut *connection)
    .await?;

    let shared: Vec<_> = events.iter().filter(|event| event.newsrooms() >= 2).collect();
    let factor = |of: fn(&Factors) -> f64| -> Vec<f64> {
        shared.iter().map(|event| of(&event.factors)).collect()
    };
    let shared_ids: Vec<i64> = shared.iter().map(|event| event.id.0).collect();
    let shared_newsrooms: Vec<i32> =
        shared.iter().map(|event| event.newsrooms().cast_signed()).collect();
    sqlx::query!(
        "INSERT INTO event_scores
            (model, at, event_id, breadth, velocity, priority, persistence, decay, newsrooms)
        SELECT $1, $2, * FROM UNNEST($3::bigint[], $4::float8[], $5::float8[], $6::float8[],
            $7::float8[], $8::float8[], $9::int[])",
        model,
        at,
        &shared_ids,
        &factor(|factors| factors.breadth),
        &factor(|factors| factors.velocity),
        &factor(|factors| factors.priority),
        &factor(|factors| factors.persistence),
        &factor(|factors| factors.decay),
        &shared_newsrooms,
    )
    .execute(&mut *connection)
    .await?;

    if !changes.is_empty() {
        let changed_at =
            changes.iter().map(|change| instant(change.at)).collect::<Result<Vec<_>, _>>()?;
        let changed: Vec<i64> = changes.iter().map(|change| change.event.0).collect();
        let kinds = changes
            .iter()
            .map(|change| serde_json::to_value(&change.kind))
            .collect::<Result<Vec<_>, _>>()?;
        sqlx::query!(
            "INSERT INTO event_changes (model, at, event_id, change)
            SELECT $1, at, event_id, change
            FROM UNNEST($2::timestamptz[], $3::bigint[], $4::jsonb[]) WITH ORDINALITY
                AS new(at, event_id, change, rank)
            ORDER BY rank",
            model,
            &changed_at,
            &changed,
            &kinds,
        )
        .execute(&mut *connection)
        .await?;
        let (merged, into): (Vec<i64>, Vec<i64>) = changes
            .iter()
            .filter_map(|change| match change.kind {
                ChangeKind::Merged { from, .. } => Some((from.0, change.event.0)),
                ChangeKind::Split { .. } | ChangeKind::Moved { .. } => None,
            })
            .unzip();
        sqlx::query!(
            "UPDATE events SET merged_into = merge.into_id
            FROM UNNEST($2::bigint[], $3::bigint[]) AS merge(from_id, into_id)
            WHERE model = $1 AND id = merge.from_id",
            model,
            &merged,
            &into,
        )
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}
