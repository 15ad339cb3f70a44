//! Newsrooms, their sources and the gate's verdicts.

use async_graphql::{Context, Enum, Object, Result, SimpleObject};
use model::{Snapshot, SourceReport};

use super::UnixSeconds;
use crate::error::within;
use crate::state::AppState;

/// Sources of one answer, where it is not said how many.
const LIMIT: u32 = 100;
/// Sources of one answer.
const MOST: u32 = 500;
/// As many as there are in the middle of many.
const NEWSROOMS: usize = 100;

#[derive(Default)]
pub struct SourceFields;

#[Object]
impl SourceFields {
    /// Sources with the gate's verdict and their last fetch, page by page.
    #[graphql(complexity = "limit.unwrap_or(LIMIT) as usize * child_complexity")]
    async fn sources(
        &self,
        context: &Context<'_>,
        #[graphql(default_with = "Some(0)", desc = "Sources to leave out at the start.")]
        offset: Option<u32>,
        #[graphql(default_with = "Some(LIMIT)", desc = "Sources in this answer, 1 to 500.")] limit: Option<u32>,
        #[graphql(desc = "ISO 3166-1 alpha-2, of the newsroom.")] country: Option<String>,
        #[graphql(desc = "ISO 639-1, of the newsroom.")] language: Option<String>,
    ) -> Result<Vec<Source>> {
        let limit = within("limit", limit.unwrap_or(LIMIT), 1..=MOST)? as usize;
        let snapshot = context.data::<AppState>()?.newest.borrow().clone();
        let sources = snapshot.sources.iter().filter_map(|report| Source::new(report, &snapshot));
        let wanted = sources.filter(|Source { newsroom, .. }| {
            country.as_ref().is_none_or(|wanted| *wanted == newsroom.country)
                && language.as_ref().is_none_or(|wanted| *wanted == newsroom.language)
        });
        Ok(wanted.skip(offset.unwrap_or_default() as usize).take(limit).collect())
    }

    /// All of them.
    #[graphql(complexity = "NEWSROOMS * child_complexity")]
    async fn newsrooms(&self, context: &Context<'_>) -> Result<Vec<Newsroom>> {
        let newest = context.data::<AppState>()?.newest.borrow().clone();
        Ok(newest.newsrooms.iter().map(Newsroom::from).collect())
    }
}

/// An editorial unit. It is always counted once, however many sources it has.
#[derive(SimpleObject)]
pub struct Newsroom {
    /// Stable name, such as `denik-obzor`.
    slug: String,
    name: String,
    homepage: String,
    /// The company or group that publishes it; unknown counts as its own owner.
    owner: Option<String>,
    /// ISO 3166-1 alpha-2.
    country: String,
    /// ISO 639-1.
    language: String,
    /// Weight in breadth; 1 unless `weightReason` says why not.
    weight: f64,
    weight_reason: Option<String>,
}

impl From<&model::Newsroom> for Newsroom {
    fn from(newsroom: &model::Newsroom) -> Self {
        let newsroom = newsroom.clone();
        Self {
            slug: newsroom.slug,
            name: newsroom.name,
            homepage: newsroom.homepage,
            owner: newsroom.owner,
            country: newsroom.country,
            language: newsroom.language,
            weight: newsroom.weight,
            weight_reason: newsroom.weight_reason,
        }
    }
}

/// One feed of one newsroom.
#[derive(SimpleObject)]
struct Source {
    /// Stable name, such as `denik-obzor-sport`.
    slug: String,
    /// What a reader calls it; empty for a newsroom's only feed.
    section: String,
    newsroom: Newsroom,
    url: String,
    kind: SourceKind,
    /// The gate's newest answer; `null` before the first.
    verdict: Option<GateCheck>,
    /// `null` before the first.
    last_fetch: Option<Fetch>,
}

impl Source {
    /// `None` where its newsroom is not known.
    fn new(report: &SourceReport, snapshot: &Snapshot) -> Option<Self> {
        let source = report.source.clone();
        Some(Self {
            slug: source.slug,
            section: source.section,
            newsroom: snapshot.newsroom(source.newsroom)?.into(),
            url: source.url,
            kind: source.kind.into(),
            verdict: report.check.clone().map(GateCheck::from),
            last_fetch: report.fetches.first().cloned().map(Fetch::from),
        })
    }
}

/// What a source publishes.
#[derive(Clone, Copy, PartialEq, Eq, Enum)]
#[graphql(remote = "model::SourceKind")]
enum SourceKind {
    Feed,
    Video,
    /// A page of posts, asked for by readers' feeds and not by the schedule.
    Channel,
}

/// The gate's recorded answer about one address.
#[derive(SimpleObject)]
struct GateCheck {
    verdict: Verdict,
    /// One English sentence.
    reason: String,
    /// The very line of robots.txt that decided.
    matched_rule: Option<String>,
    at: UnixSeconds,
    valid_until: UnixSeconds,
}

impl From<model::GateCheck> for GateCheck {
    fn from(check: model::GateCheck) -> Self {
        Self {
            verdict: check.verdict.into(),
            reason: check.reason,
            matched_rule: check.matched_rule,
            at: UnixSeconds(check.at),
            valid_until: UnixSeconds(check.valid_until),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Enum)]
#[graphql(remote = "model::Verdict")]
enum Verdict {
    Allowed,
    /// robots.txt has a rule against it.
    Disallowed,
    /// A text-and-data-mining reservation stands.
    Reserved,
    /// robots.txt could not be read: nothing may be fetched until it can.
    Unreachable,
}

/// One request to a source and what came of it.
#[derive(SimpleObject)]
struct Fetch {
    at: UnixSeconds,
    /// HTTP status; `null` when no answer came.
    status: Option<u16>,
    outcome: Outcome,
    items: u32,
    new_items: u32,
    /// What went wrong, in one English sentence.
    error: Option<String>,
}

impl From<model::FetchReport> for Fetch {
    fn from(fetch: model::FetchReport) -> Self {
        Self {
            at: UnixSeconds(fetch.at),
            status: fetch.status,
            outcome: fetch.outcome.into(),
            items: fetch.items,
            new_items: fetch.new_items,
            error: fetch.error,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Enum)]
#[graphql(remote = "model::Outcome")]
enum Outcome {
    /// A listing was read.
    Listed,
    /// 304, or bytes identical to the listing before.
    Unchanged,
    /// An answer that is no feed, an error status or no answer.
    Failed,
}
