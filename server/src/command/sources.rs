//! `sources check`: each source tried through the gate, with nothing recorded.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use chrono::DateTime;
use clap::{Args, Subcommand};
use indicatif::ProgressBar;
use ingest::clock::Clock;
use ingest::source::Catalogue;
use ingest::trial::{Outcome, Trial, trials};
use model::Verdict;
use serde_json::{Value, json};

use crate::config::{Asking, YoutubeApi};

#[derive(Args)]
pub struct Sources {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Try every source: robots.txt, reservations, request, feed. Nothing is recorded; ends with 1
    /// when a source that nobody refuses gives no listing
    Check(Check),
}

#[derive(Args)]
struct Check {
    /// The newsrooms and their feeds
    #[arg(long, env = "OHLAS_SOURCES", default_value = "sources.toml")]
    sources: PathBuf,
    #[command(flatten)]
    asking: Asking,
    #[command(flatten)]
    youtube: YoutubeApi,
    /// One JSON line per source instead of the table
    #[arg(long)]
    json: bool,
}

impl Sources {
    /// # Errors
    ///
    /// When the sources file is not valid.
    pub async fn run(self) -> anyhow::Result<ExitCode> {
        let Command::Check(check) = self.command;
        let catalogue = Catalogue::read(&check.sources)?;
        let (http, user_agent) = (check.asking.http()?, check.asking.user_agent());
        let sources = catalogue.newsrooms.iter().map(|newsroom| newsroom.sources.len() as u64);
        let bar = ProgressBar::new(sources.sum());
        let (clock, youtube) = (Clock::system(), check.youtube.client()?);
        let trials =
            trials(Arc::new(http), &user_agent, youtube.as_ref(), &clock, &catalogue, || {
                bar.inc(1)
            })
            .await;
        bar.finish_and_clear();
        if check.json {
            for trial in &trials {
                println!("{}", line(trial));
            }
        } else {
            println!("{}", table(&trials));
        }
        Ok(match counts(&trials).failed {
            0 => ExitCode::SUCCESS,
            _ => ExitCode::FAILURE,
        })
    }
}

#[derive(Default)]
struct Counts {
    listed: usize,
    refused: usize,
    failed: usize,
    items: usize,
    defects: usize,
}

fn counts(trials: &[Trial]) -> Counts {
    let mut counts = Counts::default();
    for trial in trials {
        match &trial.outcome {
            Outcome::Listed { items, defects, .. } => {
                counts.listed += 1;
                counts.items += items;
                counts.defects += defects.len();
            }
            Outcome::Refused(_) => counts.refused += 1,
            Outcome::Failed(_) => counts.failed += 1,
        }
    }
    counts
}

fn line(trial: &Trial) -> Value {
    let mut line = json!({
        "newsroom": trial.newsroom,
        "source": trial.source,
        "check": trial.check,
        "status": trial.status,
    });
    match &trial.outcome {
        Outcome::Listed { items, defects, newest } => {
            line["items"] = json!(items);
            line["defects"] = json!(defects);
            line["newest"] = json!(newest);
        }
        Outcome::Refused(reason) => line["refused"] = json!(reason),
        Outcome::Failed(reason) => line["failed"] = json!(reason),
    }
    line
}

/// Columns as wide as their widest cell, the last one as it is; a summary at the end.
fn table(trials: &[Trial]) -> String {
    let heading =
        ["SOURCE", "VERDICT", "HTTP", "ITEMS", "DEFECTS", "NEWEST", ""].map(str::to_owned);
    let rows: Vec<[String; 7]> = std::iter::once(heading).chain(trials.iter().map(row)).collect();
    let mut widths = [0; 7];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    let lines = rows.iter().map(|row| {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    });
    let Counts { listed, refused, failed, items, defects } = counts(trials);
    let summary = format!(
        "{} sources: {listed} listed ({items} items, {defects} defects), {refused} refused by \
         their publishers, {failed} failed",
        trials.len()
    );
    lines.chain([summary]).collect::<Vec<_>>().join("\n")
}

fn row(trial: &Trial) -> [String; 7] {
    let figure = |figure: usize| figure.to_string();
    let none = String::new;
    let (items, defects, newest, trouble) = match &trial.outcome {
        Outcome::Listed { items, defects, newest } => {
            let newest = newest.and_then(|at| DateTime::from_timestamp(at, 0));
            let newest = newest.map(|at| at.format("%Y-%m-%d %H:%M").to_string());
            let first = defects.first().cloned().unwrap_or_default();
            (figure(*items), figure(defects.len()), newest.unwrap_or_default(), first)
        }
        Outcome::Refused(reason) | Outcome::Failed(reason) => {
            (none(), none(), none(), reason.clone())
        }
    };
    let status = trial.status.map(|status| status.to_string()).unwrap_or_default();
    [trial.source.clone(), verdict(trial), status, items, defects, newest, trouble]
}

/// The verdict with what decided it: `disallowed by "Disallow: /feeds/"`.
fn verdict(trial: &Trial) -> String {
    let check = &trial.check;
    let word = check.verdict.as_str();
    let by = match check.verdict {
        Verdict::Reserved => check.tdm_signal.as_ref(),
        _ => check.matched_rule.as_ref(),
    };
    match by {
        Some(by) => format!("{word} by \"{by}\""),
        None => word.to_owned(),
    }
}
