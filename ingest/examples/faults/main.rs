//! `faults [--runs N] [--seed S] [--days D] [--json]`: lives through days in which everything goes wrong.

mod harness;

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use harness::Outcome;

const USAGE: &str = "usage: faults [--runs N] [--seed S] [--days D] [--json]

Polls the invented newsrooms over D simulated days (1), N times (1) with the seeds S (1), S + 1, …
Connections break, stall and drip, documents are cut and garbled, redirects go in circles, robots.txt
changes its mind, sessions are cut, PostgreSQL is restarted, the worker is killed. Fails when a story is
lost or recorded twice, a request was not permitted, or the chain does not verify.";

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
    let (mut runs, mut first_seed, mut days, mut json) = (1, 1, 1, false);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut number = || -> Result<u64> {
            let value = arguments.next().with_context(|| format!("{argument} wants a number"))?;
            value.parse().with_context(|| format!("{argument} {value}"))
        };
        match argument.as_str() {
            "--runs" => runs = number()?,
            "--seed" => first_seed = number()?,
            "--days" => days = number()? as u32,
            "--json" => json = true,
            _ => bail!("unknown argument `{argument}`\n\n{USAGE}"),
        }
    }
    let mut outcomes = Vec::new();
    for seed in first_seed..first_seed + runs {
        let dir = std::env::temp_dir().join(format!("ohlas-faults-{}-{seed}", std::process::id()));
        let started = Instant::now();
        let outcome = harness::run(seed, days, &dir).await;
        std::fs::remove_dir_all(&dir).ok();
        let outcome = outcome.with_context(|| format!("seed {seed}"))?;
        if !json {
            print_one(&outcome, started.elapsed().as_secs_f64());
        }
        outcomes.push(outcome);
    }
    if json {
        println!("{}", serde_json::to_string(&outcomes)?);
    } else {
        print_sum(&outcomes);
    }
    Ok(outcomes.iter().all(Outcome::is_clean))
}

fn print_one(outcome: &Outcome, seconds: f64) {
    let Outcome { seed, days, requests, served, owed, recorded, batches, .. } = outcome;
    println!(
        "seed {seed}, {days} days: {requests} requests, {served} stories served, {owed} owed, \
         {recorded} recorded, {batches} batches verified; {seconds:.0} s"
    );
    for (what, list) in
        [("lost", &outcome.lost), ("twice", &outcome.twice), ("unpermitted", &outcome.unpermitted)]
    {
        list.iter().for_each(|one| println!("  {what}: {one}"));
    }
}

fn print_sum(outcomes: &[Outcome]) {
    let mut faults: BTreeMap<&str, u64> = BTreeMap::new();
    for (kind, count) in outcomes.iter().flat_map(|outcome| &outcome.faults) {
        *faults.entry(kind).or_default() += count;
    }
    for (kind, count) in &faults {
        println!("{count:>8}  {kind}");
    }
    let sum = |of: fn(&Outcome) -> usize| outcomes.iter().map(of).sum::<usize>();
    println!(
        "{} runs, {} faults, {} stories owed: {} lost, {} twice, {} requests unpermitted",
        outcomes.len(),
        faults.values().sum::<u64>(),
        sum(|outcome| outcome.owed),
        sum(|outcome| outcome.lost.len()),
        sum(|outcome| outcome.twice.len()),
        sum(|outcome| outcome.unpermitted.len()),
    );
}
