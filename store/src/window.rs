//! All that a board is computed from, as it was known at one moment.

use std::collections::HashMap;

use model::{
    ItemHistory, ItemId, ItemText, NewsroomId, Sighting, SourceId, SourcePolls, UnixSeconds, Window,
};

use crate::sources::newsrooms;
use crate::{Error, Store, instant, seconds};

impl Store {
    /// The items that stood in a listing at some time in (`from`, `to`], with their sightings in
    /// it, their texts up to `to` and the polls of that time. A listing stands from the fetch that
    /// read it to the last that confirmed it; nothing after `to` is known. Sources and items
    /// ascend by id.
    ///
    /// # Errors
    /// [`Error::Instant`] or [`Error::Database`].
    pub async fn window(&self, from: UnixSeconds, to: UnixSeconds) -> Result<Window, Error> {
        let (from, to) = (instant(from)?, instant(to)?);
        let mut tx =
            self.pool.begin_with("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY").await?;

        let polls = sqlx::query!(
            r#"SELECT f.source_id, s.newsroom_id,
                array_agg(extract(epoch FROM f.at)::bigint ORDER BY f.at) AS "polls!"
            FROM fetches f JOIN sources s ON s.id = f.source_id
            WHERE f.at > $1 AND f.at <= $2 AND f.outcome <> 'failed' AND s.kind <> 'channel'
            GROUP BY f.source_id, s.newsroom_id
            ORDER BY f.source_id"#,
            from,
            to,
        )
        .fetch_all(&mut *tx)
        .await?;

        // One row per listing, its places in arrays. A listing that was only confirmed in the
        // period is older than it; its own fetch says where its observations are.
        let listings = sqlx::query!(
            r#"WITH standing AS (
                SELECT source_id, coalesce(same_as, id) AS id, max(at) AS until,
                    min(at) FILTER (WHERE same_as IS NULL) AS read_at
                FROM fetches
                WHERE at > $1 AND at <= $2 AND outcome <> 'failed'
                GROUP BY 1, 2
            ), listing AS (
                SELECT source_id, id, until, coalesce(read_at, (
                    SELECT at FROM fetches f
                    WHERE f.source_id = s.source_id AND f.id = s.id AND f.at <= $1
                    ORDER BY at DESC LIMIT 1
                )) AS at
                FROM standing s
            )
            SELECT l.source_id, l.at AS "at!", l.until AS "until!", o.items AS "items!",
                o.positions AS "positions!", o.lengths AS "lengths!",
                o.views AS "views!: Vec<Option<i64>>"
            FROM listing l CROSS JOIN LATERAL (
                SELECT array_agg(item_id) AS items, array_agg(position) AS positions,
                    array_agg(length) AS lengths, array_agg(views) AS views
                FROM observations
                WHERE source_id = l.source_id AND at = l.at AND fetch_id = l.id
            ) o
            WHERE o.items IS NOT NULL"#,
            from,
            to,
        )
        .fetch_all(&mut *tx)
        .await?;

        let mut seen: HashMap<i64, Vec<Sighting>> = HashMap::new();
        for row in listings {
            let places = row.items.into_iter().zip(row.positions).zip(row.lengths).zip(row.views);
            for (((item, position), length), views) in places {
                seen.entry(item).or_default().push(Sighting {
                    source: SourceId(row.source_id),
                    from: seconds(row.at),
                    until: seconds(row.until),
                    position: position.cast_unsigned(),
                    length: length.cast_unsigned(),
                    views,
                });
            }
        }
        for sightings in seen.values_mut() {
            sightings.sort_unstable_by_key(|sighting| (sighting.from, sighting.source));
        }
        let ids: Vec<i64> = seen.keys().copied().collect();

        let items = sqlx::query!(
            "SELECT id, newsroom_id, at, link, title, lede, language, mention_at, backfill
            FROM items WHERE id = ANY($1) ORDER BY id",
            &ids,
        )
        .fetch_all(&mut *tx)
        .await?;
        let revisions = sqlx::query!(
            "SELECT item_id, at, title, lede FROM item_revisions
            WHERE item_id = ANY($1) AND at <= $2 ORDER BY item_id, id",
            &ids,
            to,
        )
        .fetch_all(&mut *tx)
        .await?;
        let newsrooms = newsrooms(&mut *tx).await?;
        tx.commit().await?;

        let mut revised: HashMap<i64, Vec<ItemText>> = HashMap::new();
        for row in revisions {
            let text = ItemText { at: seconds(row.at), title: row.title, lede: row.lede };
            revised.entry(row.item_id).or_default().push(text);
        }
        let items = items.into_iter().map(|row| {
            let mut texts =
                vec![ItemText { at: seconds(row.at), title: row.title, lede: row.lede }];
            texts.extend(revised.remove(&row.id).unwrap_or_default());
            ItemHistory {
                id: ItemId(row.id),
                newsroom: NewsroomId(row.newsroom_id),
                link: row.link,
                language: row.language,
                mention_at: seconds(row.mention_at),
                backfill: row.backfill,
                texts,
                sightings: seen.remove(&row.id).unwrap_or_default(),
            }
        });
        let items = items.collect();
        let sources = polls.into_iter().map(|row| SourcePolls {
            source: SourceId(row.source_id),
            newsroom: NewsroomId(row.newsroom_id),
            polls: row.polls,
        });
        Ok(Window { newsrooms, sources: sources.collect(), items })
    }
}
