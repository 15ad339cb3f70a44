//! The newest items of a source, for readers' feeds.

use model::{ItemId, SourceId, UnixSeconds};

use crate::{Error, Store, instant, seconds};

/// An item as its newsroom last wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Post {
    pub item: ItemId,
    pub link: String,
    pub title: String,
    pub lede: String,
    pub language: String,
    pub mention_at: UnixSeconds,
    /// Its title or lede changed since it was first seen.
    pub edited: bool,
    /// As the newest listing has it.
    pub views: Option<i64>,
}

impl Store {
    /// Items that were first seen in the source or stand in its newest listing, and are mentioned
    /// after `since`; newest first, at most `limit`.
    ///
    /// # Errors
    /// [`Error::Instant`] or [`Error::Database`].
    pub async fn posts(
        &self,
        source: SourceId,
        since: UnixSeconds,
        limit: u32,
    ) -> Result<Vec<Post>, Error> {
        let rows = sqlx::query!(
            r#"WITH listed AS (
                SELECT o.item_id, o.views
                FROM source_state t JOIN observations o
                    ON o.source_id = t.source_id AND o.at = t.listing_at AND o.fetch_id = t.listing_fetch
                WHERE t.source_id = $1
            ), wanted AS (
                SELECT id FROM items WHERE source_id = $1 AND mention_at > $2
                UNION
                SELECT item_id FROM listed
            )
            SELECT i.id, i.link, coalesce(r.title, i.title) AS "title!",
                coalesce(r.lede, i.lede) AS "lede!", i.language, i.mention_at,
                r.id IS NOT NULL AS "edited!", l.views AS "views?"
            FROM wanted w JOIN items i ON i.id = w.id
            LEFT JOIN listed l ON l.item_id = i.id
            LEFT JOIN LATERAL (
                SELECT id, title, lede FROM item_revisions
                WHERE item_id = i.id ORDER BY id DESC LIMIT 1
            ) r ON true
            WHERE i.mention_at > $2
            ORDER BY i.mention_at DESC, i.id DESC
            LIMIT $3"#,
            source.0,
            instant(since)?,
            i64::from(limit),
        )
        .fetch_all(&self.pool)
        .await?;
        let posts = rows.into_iter().map(|row| Post {
            item: ItemId(row.id),
            link: row.link,
            title: row.title,
            lede: row.lede,
            language: row.language,
            mention_at: seconds(row.mention_at),
            edited: row.edited,
            views: row.views,
        });
        Ok(posts.collect())
    }
}
