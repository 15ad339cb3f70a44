//! Conformance: cases in the formats of `tests/data`, run through the product's own gate, fetch and parse.
//! The example `conformance` takes any folder, the test of the same name the project's own.

mod dates;
mod feedcases;
mod feedparser;
mod find;
mod play;
mod raw_feeds;
mod robots;
mod script;
mod site_cases;
mod stage;
mod walk;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use peak_alloc::PeakAlloc;
use serde::Serialize;

use script::instant;

/// Counts the bytes in use, for cases that limit them.
#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// No case may take longer, whatever it asks for.
const LONGEST: Duration = Duration::from_secs(60);

/// One case of any kind.
pub enum Case {
    Feedcase(feedcases::Feedcase),
    Match(robots::Match),
    Access(robots::Access),
    Date(dates::Row),
    Feedparser(feedparser::Expected),
    RawFeed(raw_feeds::RawFeed),
    /// It looks like a case and cannot be read.
    Broken(String),
}

impl Case {
    async fn differences(self) -> Result<Vec<String>> {
        match self {
            Self::Feedcase(case) => case.differences().await,
            Self::Match(fact) => fact.differences(),
            Self::Access(fact) => fact.differences().await,
            Self::Date(row) => row.differences(),
            Self::Feedparser(case) => case.differences().await,
            Self::RawFeed(feed) => feed.differences().await,
            Self::Broken(reason) => Ok(vec![reason]),
        }
    }
}

/// The cases of one kind.
#[derive(Debug, Default, Serialize)]
pub struct Tally {
    pub passed: usize,
    pub total: usize,
    /// Names of cases that do not hold.
    pub failed: Vec<String>,
    /// Names of cases that do not hold and whose difference is meant.
    pub explained: Vec<String>,
    /// What differs, one line per name in `failed`, then per name in `explained`.
    #[serde(skip)]
    pub reasons: Vec<String>,
}

/// By kind: `feedcases`, `robots`, `access`, `dates`, `feedparser`, `raw_feeds`; only what was found.
pub type Report = BTreeMap<&'static str, Tally>;

/// Runs every case that is found under `folder`, one after the other.
///
/// # Errors
///
/// When the folder cannot be read. A case that cannot be read fails.
pub async fn run(folder: &Path) -> Result<Report> {
    let mut report = Report::new();
    let mut explained = Vec::new();
    for find::Found { kind, name, case } in find::cases(folder)? {
        let task = tokio::spawn(tokio::time::timeout(LONGEST, case.differences()));
        let differences = match task.await {
            Ok(Ok(Ok(differences))) => differences,
            Ok(Ok(Err(error))) => vec![format!("cannot be run: {error:#}")],
            Ok(Err(_)) => vec![format!("is not done within {} s", LONGEST.as_secs())],
            Err(error) => vec![format!("panics: {error}")],
        };
        let tally = report.entry(kind).or_default();
        tally.total += 1;
        let reason = feedparser::DIFFERENCES
            .iter()
            .find(|(known, _)| kind == "feedparser" && *known == name);
        match (differences.is_empty(), reason) {
            (true, None) => tally.passed += 1,
            (true, Some(_)) => {
                tally
                    .reasons
                    .push(format!("{name}: holds, though it is explained why it does not"));
                tally.failed.push(name);
            }
            (false, Some((_, reason))) => {
                explained.push((kind, format!("{name}: {reason}")));
                tally.explained.push(name);
            }
            (false, None) => {
                tally.reasons.push(format!("{name}: {}", differences.join("; ")));
                tally.failed.push(name);
            }
        }
    }
    for (kind, reason) in explained {
        report.entry(kind).or_default().reasons.push(reason);
    }
    Ok(report)
}
