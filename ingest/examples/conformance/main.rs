//! `conformance --data DIR [--json]`: runs the cases that are found under a folder and says which hold.

mod suite;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};

const USAGE: &str = "usage: conformance --data DIR [--json]

Every feedcase, robots.txt fact, date, feedparser case and raw feed under DIR goes through gate, fetch
and parse; the formats are those of ingest/tests/data. Fails when a case does or when there is none.";

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<bool> {
    let mut folder = None;
    let mut json = false;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match (argument.as_str(), argument.strip_prefix("--data=")) {
            ("--json", _) => json = true,
            ("--data", _) => folder = arguments.next().map(PathBuf::from),
            (_, Some(given)) => folder = Some(PathBuf::from(given)),
            _ => bail!("unknown argument `{argument}`\n\n{USAGE}"),
        }
    }
    let Some(folder) = folder else { bail!("{USAGE}") };
    let report = suite::run(&folder).await?;
    if report.is_empty() {
        bail!("{}: no case was found", folder.display());
    }
    let passed = report.values().all(|tally| tally.failed.is_empty());
    if json {
        println!("{}", serde_json::to_string(&report)?);
        return Ok(passed);
    }
    for (kind, tally) in &report {
        let explained = match tally.explained.len() {
            0 => String::new(),
            count => format!(" ({count} differ for a reason)"),
        };
        println!("{kind}: {} of {}{explained}", tally.passed, tally.total);
        let (failed, explained) = tally.reasons.split_at(tally.failed.len());
        failed.iter().for_each(|reason| println!("  FAILED {reason}"));
        explained.iter().for_each(|reason| println!("  differs {reason}"));
    }
    Ok(passed)
}
