use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use crate::{
    Board, Change, GateCheck, Model, Newsroom, NewsroomId, Source, SourceId, Topic, UnixSeconds,
    VerdictChange, Video,
};

/// The immutable, derived result of one recompute: all that the pages show.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Grows with every recompute; 0 before the first.
    pub id: i64,
    pub model: Model,
    pub board: Board,
    pub newsrooms: Vec<Newsroom>,
    pub sources: Vec<SourceReport>,
    /// Newest first.
    pub changes: Vec<Change>,
    /// Of most events first.
    #[serde(default)]
    pub topics: Vec<Topic>,
    /// Of the window, fastest first; those without a tempo follow.
    #[serde(default)]
    pub videos: Vec<Video>,
    pub stats: Stats,
    /// The newsrooms are invented (the demo): every page says so.
    pub demo: bool,
}

impl Snapshot {
    /// What a server shows before anything was collected.
    #[must_use]
    pub fn empty(model: Model) -> Self {
        let board = Board { model: model.name.clone(), ..Board::default() };
        Self {
            id: 0,
            model,
            board,
            newsrooms: Vec::new(),
            sources: Vec::new(),
            changes: Vec::new(),
            topics: Vec::new(),
            videos: Vec::new(),
            stats: Stats::default(),
            demo: false,
        }
    }

    #[must_use]
    pub fn newsroom(&self, id: NewsroomId) -> Option<&Newsroom> {
        self.newsrooms.iter().find(|newsroom| newsroom.id == id)
    }

    #[must_use]
    pub fn source(&self, id: SourceId) -> Option<&SourceReport> {
        self.sources.iter().find(|report| report.source.id == id)
    }

    /// How the gate's verdicts changed, newest first, each with its source; first verdicts are among
    /// them.
    #[must_use]
    pub fn verdict_changes(&self) -> Vec<(&SourceReport, &VerdictChange)> {
        let mut changes: Vec<_> = self
            .sources
            .iter()
            .flat_map(|report| report.verdict_changes.iter().map(move |change| (report, change)))
            .collect();
        changes.sort_by_key(|(_, change)| Reverse(change.check.at));
        changes
    }
}

/// The engine's public state at `at`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Stats {
    pub at: UnixSeconds,
    pub newsrooms: u32,
    pub sources: u32,
    pub items: i64,
    pub observations: i64,
    pub fetches: i64,
    pub gate_checks: i64,
    /// Events in the window, and those of two or more newsrooms.
    pub events: u32,
    pub shared_events: u32,
    /// The last answer of any source; `None` before the first.
    pub last_fetch_at: Option<UnixSeconds>,
    /// Sources whose next check is overdue, and by how much the latest is.
    pub overdue_sources: u32,
    pub lag_seconds: i64,
    /// Hash of the newest batch in the chain, lower-case hexadecimal.
    pub chain_head: Option<String>,
    pub chain_length: i64,
    /// At most 90 days, oldest first.
    pub days: Vec<Day>,
}

/// One day (UTC) of collecting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Day {
    /// Start of the day.
    pub at: UnixSeconds,
    /// Answers with a listing, changed or not.
    pub answered: u32,
    /// Of these, answers that said "not changed".
    pub unchanged: u32,
    pub failed: u32,
    /// Requests that the gate did not permit.
    pub refused: u32,
    pub new_items: u32,
}

/// A source as publishers and readers see it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SourceReport {
    pub source: Source,
    /// The gate's newest answer; `None` before the first.
    pub check: Option<GateCheck>,
    /// Newest first.
    pub verdict_changes: Vec<VerdictChange>,
    /// Newest first.
    pub fetches: Vec<FetchReport>,
    pub next_check_at: Option<UnixSeconds>,
    /// Why it is not asked any more, until a person acts (410 Gone).
    pub stopped: Option<String>,
    /// Where a permanent redirect (301, 308) has led.
    pub moved_to: Option<String>,
    pub items: i64,
    pub days: Vec<Day>,
    /// Bytes that "not changed" answers did not transfer.
    pub bytes_saved: i64,
}

/// One request to a source and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FetchReport {
    pub at: UnixSeconds,
    /// HTTP status; `None` when no answer came.
    pub status: Option<u16>,
    pub outcome: Outcome,
    pub bytes: i64,
    pub elapsed_ms: i64,
    pub items: u32,
    pub new_items: u32,
    /// Items or details that could not be read, one English sentence each.
    pub defects: Vec<String>,
    /// What went wrong, in one English sentence.
    pub error: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// A listing was read.
    Listed,
    /// 304, or bytes identical to the listing before.
    Unchanged,
    /// An answer that is no feed, an error status or no answer.
    Failed,
}

impl Outcome {
    pub const ALL: [Self; 3] = [Self::Listed, Self::Unchanged, Self::Failed];

    /// The word used in the database and in the API.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Listed => "listed",
            Self::Unchanged => "unchanged",
            Self::Failed => "failed",
        }
    }
}

impl std::str::FromStr for Outcome {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|outcome| outcome.as_str() == text).ok_or(())
    }
}
