//! The configured newsrooms and sources, mirrored for joins.

use std::collections::HashMap;

use model::{Newsroom, NewsroomId, Source, SourceId, SourceKind, UnixSeconds};

use crate::{Error, Store, instant};

/// A newsroom as configured; fields as in [`Newsroom`].
#[derive(Clone, Debug, PartialEq)]
pub struct NewsroomEntry {
    pub slug: String,
    pub name: String,
    pub homepage: String,
    pub owner: Option<String>,
    pub country: String,
    pub language: String,
    pub weight: f64,
    pub weight_reason: Option<String>,
    pub sources: Vec<SourceEntry>,
}

/// A source as configured; fields as in [`Source`].
#[derive(Clone, Debug, PartialEq)]
pub struct SourceEntry {
    pub slug: String,
    pub section: String,
    pub url: String,
    pub kind: SourceKind,
}

/// The word used in the database.
fn kind_word(kind: SourceKind) -> &'static str {
    match kind {
        SourceKind::Feed => "feed",
        SourceKind::Video => "video",
        SourceKind::Channel => "channel",
    }
}

pub(crate) fn source_kind(word: &str) -> Result<SourceKind, Error> {
    [SourceKind::Feed, SourceKind::Video, SourceKind::Channel]
        .into_iter()
        .find(|&kind| kind_word(kind) == word)
        .ok_or_else(|| Error::Unreadable(format!("the database holds a source kind {word:?}")))
}

impl Store {
    /// Mirrors the configuration, matched by slug, in one transaction. What is not listed any more
    /// is retired: kept for history, not polled. A new source, and one whose address changed, is
    /// due at `now` and starts afresh. Answers in the order of the configuration.
    ///
    /// # Errors
    /// [`Error::Database`], also when a slug is listed twice.
    pub async fn sync_sources(
        &self,
        newsrooms: &[NewsroomEntry],
        now: UnixSeconds,
    ) -> Result<Vec<(Newsroom, Vec<Source>)>, Error> {
        let now = instant(now)?;
        let listed: Vec<(&NewsroomEntry, &SourceEntry)> = newsrooms
            .iter()
            .flat_map(|newsroom| newsroom.sources.iter().map(move |source| (newsroom, source)))
            .collect();
        let newsroom_slugs = texts(newsrooms, |entry| &entry.slug);
        let source_slugs = texts(&listed, |(_, source)| &source.slug);
        let urls = texts(&listed, |(_, source)| &source.url);

        let mut tx = self.pool.begin().await?;
        // Several instances may start at once.
        sqlx::query!("SELECT pg_advisory_xact_lock(hashtext('ohlas.sources'), 0)")
            .execute(&mut *tx)
            .await?;

        let weights: Vec<f64> = newsrooms.iter().map(|entry| entry.weight).collect();
        let owners: Vec<_> = newsrooms.iter().map(|entry| entry.owner.clone()).collect();
        let reasons: Vec<_> = newsrooms.iter().map(|entry| entry.weight_reason.clone()).collect();
        let rows = sqlx::query!(
            "INSERT INTO newsrooms
                (slug, name, homepage, owner, country, language, weight, weight_reason)
            SELECT * FROM UNNEST($1::text[], $2::text[], $3::text[], $4::text[], $5::text[],
                $6::text[], $7::float8[], $8::text[])
            ON CONFLICT (slug) DO UPDATE SET
                name = excluded.name, homepage = excluded.homepage, owner = excluded.owner,
                country = excluded.country, language = excluded.language,
                weight = excluded.weight, weight_reason = excluded.weight_reason,
                retired_at = NULL
            RETURNING slug, id",
            &newsroom_slugs,
            &texts(newsrooms, |entry| &entry.name),
            &texts(newsrooms, |entry| &entry.homepage),
            &owners as &[Option<String>],
            &texts(newsrooms, |entry| &entry.country),
            &texts(newsrooms, |entry| &entry.language),
            &weights,
            &reasons as &[Option<String>],
        )
        .fetch_all(&mut *tx)
        .await?;
        let newsroom_ids: HashMap<String, i32> =
            rows.into_iter().map(|row| (row.slug, row.id)).collect();

        sqlx::query!(
            "UPDATE source_state SET next_check_at = $3, failures = 0, etag = NULL,
                last_modified = NULL, stopped = NULL, moved_to = NULL, last_answer_at = NULL,
                listing_fetch = NULL, listing_at = NULL, listing_sha256 = NULL,
                listing_bytes = NULL
            FROM sources s JOIN UNNEST($1::text[], $2::text[]) AS listed(slug, url) USING (slug)
            WHERE source_id = s.id AND s.url <> listed.url",
            &source_slugs,
            &urls,
            now,
        )
        .execute(&mut *tx)
        .await?;
        let rows = sqlx::query!(
            "INSERT INTO sources (newsroom_id, slug, section, url, kind)
            SELECT n.id, listed.slug, listed.section, listed.url, listed.kind
            FROM UNNEST($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])
                WITH ORDINALITY AS listed(newsroom, slug, section, url, kind, rank)
            JOIN newsrooms n ON n.slug = listed.newsroom
            ORDER BY listed.rank
            ON CONFLICT (slug) DO UPDATE SET
                newsroom_id = excluded.newsroom_id, section = excluded.section,
                url = excluded.url, kind = excluded.kind, retired_at = NULL
            RETURNING slug, id",
            &texts(&listed, |(newsroom, _)| &newsroom.slug),
            &source_slugs,
            &texts(&listed, |(_, source)| &source.section),
            &urls,
            &texts(&listed, |(_, source)| kind_word(source.kind)),
        )
        .fetch_all(&mut *tx)
        .await?;
        let source_ids: HashMap<String, i32> =
            rows.into_iter().map(|row| (row.slug, row.id)).collect();

        sqlx::query!(
            "INSERT INTO source_state (source_id, next_check_at)
            SELECT id, $2 FROM sources WHERE slug = ANY($1)
            ON CONFLICT DO NOTHING",
            &source_slugs,
            now,
        )
        .execute(&mut *tx)
        .await?;
        sqlx::query!(
            "UPDATE sources SET retired_at = $2 WHERE retired_at IS NULL AND slug <> ALL($1)",
            &source_slugs,
            now,
        )
        .execute(&mut *tx)
        .await?;
        sqlx::query!(
            "UPDATE newsrooms SET retired_at = $2 WHERE retired_at IS NULL AND slug <> ALL($1)",
            &newsroom_slugs,
            now,
        )
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;

        let mirrored = newsrooms.iter().filter_map(|entry| {
            let id = NewsroomId(*newsroom_ids.get(&entry.slug)?);
            let sources = entry.sources.iter().filter_map(|source| {
                let source_id = SourceId(*source_ids.get(&source.slug)?);
                Some(mirrored_source(source_id, id, source))
            });
            Some((mirrored_newsroom(id, entry), sources.collect()))
        });
        Ok(mirrored.collect())
    }

    /// The newsrooms that are configured, and those that only history knows, in order of id.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn newsrooms(&self) -> Result<Vec<Newsroom>, Error> {
        newsrooms(&self.pool).await
    }
}

pub(crate) async fn newsrooms(executor: impl sqlx::PgExecutor<'_>) -> Result<Vec<Newsroom>, Error> {
    let rows = sqlx::query!(
        "SELECT id, slug, name, homepage, owner, country, language, weight, weight_reason
        FROM newsrooms n
        WHERE retired_at IS NULL OR EXISTS (SELECT FROM items i WHERE i.newsroom_id = n.id)
        ORDER BY id"
    )
    .fetch_all(executor)
    .await?;
    let newsrooms = rows.into_iter().map(|row| Newsroom {
        id: NewsroomId(row.id),
        slug: row.slug,
        name: row.name,
        homepage: row.homepage,
        owner: row.owner,
        country: row.country,
        language: row.language,
        weight: row.weight,
        weight_reason: row.weight_reason,
    });
    Ok(newsrooms.collect())
}

fn texts<T>(rows: &[T], text: impl Fn(&T) -> &str) -> Vec<String> {
    rows.iter().map(|row| text(row).to_owned()).collect()
}

fn mirrored_newsroom(id: NewsroomId, entry: &NewsroomEntry) -> Newsroom {
    Newsroom {
        id,
        slug: entry.slug.clone(),
        name: entry.name.clone(),
        homepage: entry.homepage.clone(),
        owner: entry.owner.clone(),
        country: entry.country.clone(),
        language: entry.language.clone(),
        weight: entry.weight,
        weight_reason: entry.weight_reason.clone(),
    }
}

fn mirrored_source(id: SourceId, newsroom: NewsroomId, entry: &SourceEntry) -> Source {
    Source {
        id,
        newsroom,
        slug: entry.slug.clone(),
        section: entry.section.clone(),
        url: entry.url.clone(),
        kind: entry.kind,
    }
}
