//! The engine's benches, clustering and the personalised feed, and beside each what one would build
//! from scikit-learn (`benches/peers/`) on the same input in the same run.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::example;
use crate::shell::{Workspace, ask, cannot_run, on_path, run, step};

/// Peers are compared at this size.
const COMPARED: u64 = 10_000;

pub fn run_all(workspace: &Workspace, arguments: &[&str]) -> Result<()> {
    if arguments.contains(&"--write-items") {
        return run(&mut example(workspace, "engine", "engine_bench", arguments));
    }
    let data = arguments.iter().position(|argument| *argument == "--data");
    let data = data.and_then(|at| arguments.get(at + 1)).copied();
    let mut ours = None;
    watch(&mut example(workspace, "engine", "engine_bench", arguments), |line| {
        println!("{line}");
        ours = ours.or_else(|| speed(line));
    })?;
    let ours = ours.context("the bench did not name its speed at 10,000 items")?;
    let as_json = arguments.contains(&"--json");
    let mut feed = None;
    let flags: &[&str] = if as_json { &["--json"] } else { &[] };
    watch(&mut example(workspace, "engine", "feed_bench", flags), |line| {
        println!("{line}");
        feed = feed.or_else(|| feed_seconds(line));
    })?;
    let feed = feed.context("the bench did not name its time for 10,000 posts")?;
    match python(workspace) {
        Ok(python) => {
            peers(workspace, &python, ours, data, as_json)?;
            feed_peer(workspace, &python, feed, as_json)
        }
        Err(reason) => {
            eprintln!("peers are skipped: {reason:#}");
            Ok(())
        }
    }
}

/// The parser's bench, beside Python's feedparser.
pub fn parse(workspace: &Workspace, arguments: &[&str]) -> Result<()> {
    let mut bench = example(workspace, "ingest", "parse_bench", arguments);
    match python(workspace) {
        Ok(python) => {
            bench.arg("--peer").arg(python);
        }
        Err(reason) => eprintln!("feedparser is skipped: {reason:#}"),
    }
    run(&mut bench)
}

/// Items a second of the run that peers are compared with, from a line of the bench, which is prose or
/// JSON.
fn speed(line: &str) -> Option<f64> {
    if let Ok(json) = serde_json::from_str::<Value>(line) {
        let runs = json["runs"].as_array()?;
        let run = runs.iter().find(|run| run["items"] == COMPARED)?;
        return run["items_per_second"].as_f64();
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    if words.first()?.parse() != Ok(COMPARED) {
        return None;
    }
    let unit = words.iter().position(|word| word.starts_with("items/s"))?;
    words[unit - 1].parse().ok()
}

/// Seconds of the feed that the peer is compared with, from a line of its bench.
fn feed_seconds(line: &str) -> Option<f64> {
    if let Ok(json) = serde_json::from_str::<Value>(line) {
        let runs = json["runs"].as_array()?;
        return runs.iter().find(|run| run["posts"] == COMPARED)?["seconds"].as_f64();
    }
    let (posts, rest) = line.trim().split_once(" posts, ")?;
    let (_, time) = rest.split_once(": ")?;
    let milliseconds: f64 = time.split_once(" ms")?.0.parse().ok()?;
    (posts.parse() == Ok(COMPARED)).then_some(milliseconds / 1e3)
}

/// Python with scikit-learn and feedparser, in an environment of its own under `target/`.
fn python(workspace: &Workspace) -> Result<PathBuf> {
    let environment = workspace.scratch("peers");
    let python = environment.join("bin/python");
    let ready = || ask(&python.to_string_lossy(), &["-c", "import sklearn, feedparser"]).is_some();
    if ready() {
        return Ok(python);
    }
    let Some(system) = on_path("python3") else { bail!("python3 is not installed") };
    step("Python's libraries for the peers", || {
        run(Command::new(system).args(["-m", "venv"]).arg(&environment))?;
        run(Command::new(&python)
            .args(["-m", "pip", "install", "--quiet", "--requirement"])
            .arg(workspace.root.join("benches/peers/requirements.txt")))
    })?;
    if !ready() {
        bail!("Python's libraries were installed but do not load");
    }
    Ok(python)
}

fn peers(
    workspace: &Workspace,
    python: &PathBuf,
    ours: f64,
    data: Option<&str>,
    as_json: bool,
) -> Result<()> {
    let items = workspace.scratch("items.jsonl");
    let path = items.to_string_lossy();
    run(&mut example(workspace, "engine", "engine_bench", &["--write-items", &path]))?;
    let mut command = Command::new(python);
    command.arg(workspace.root.join("benches/peers/peers.py")).arg(&items);
    command.args(data.iter().flat_map(|data| ["--data", data]));
    let mut peers = Vec::new();
    watch(&mut command, |line| peers.extend(serde_json::from_str::<Value>(line)))?;
    let speed_of = |peer: &Value| peer["items_per_second"].as_f64();
    let fastest = peers.iter().filter_map(speed_of).fold(0.0, f64::max);
    let times = ours / fastest;
    if as_json {
        println!("{}", json!({"peers": peers, "times_the_fastest_peer": times}));
        return Ok(());
    }
    for peer in &peers {
        let name = peer["peer"].as_str().unwrap_or_default();
        match (speed_of(peer), peer["mean"].as_f64()) {
            (Some(speed), _) => println!("peer {name}: {speed:.0} items/s at {COMPARED} items"),
            (_, Some(mean)) => println!("peer {name}: mean {mean:.4} at {}", peer["threshold"]),
            _ => {}
        }
    }
    println!("{times:.1} times as fast as the fastest peer at {COMPARED} items");
    Ok(())
}

fn feed_peer(workspace: &Workspace, python: &Path, ours: f64, as_json: bool) -> Result<()> {
    let pages = workspace.scratch("feed-pages");
    let path = pages.to_string_lossy();
    run(&mut example(workspace, "engine", "feed_bench", &["--write-pages", &path]))?;
    let mut command = Command::new(python);
    command.arg(workspace.root.join("benches/peers/feed_peer.py")).arg(&pages);
    let mut peer = None;
    watch(&mut command, |line| peer = serde_json::from_str::<Value>(line).ok())?;
    let peer = peer.context("the feed's peer said nothing")?;
    let theirs = peer["seconds"].as_f64().context("the feed's peer did not say its time")?;
    let times = theirs / ours;
    if as_json {
        println!("{}", json!({"feed_peer": peer, "times_the_feed_peer": times}));
    } else {
        println!("peer feed in Python: {:.0} ms for {COMPARED} posts", theirs * 1e3);
        println!("{times:.1} times as fast as the peer at {COMPARED} posts");
    }
    Ok(())
}

/// Runs a program, line by line.
fn watch(command: &mut Command, mut line: impl FnMut(&str)) -> Result<()> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| cannot_run(command))?;
    let output = child.stdout.take().context("a program without output")?;
    for text in BufReader::new(output).lines() {
        line(&text.context("cannot read the program's output")?);
    }
    if !child.wait()?.success() {
        bail!(cannot_run(command));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_speed_that_peers_are_compared_with_is_found() {
        let prose = "    10000 items, one every 8.64 s:    61234 items/s, 812 groups, 93 pairs";
        assert_eq!(speed(prose), Some(61_234.0));
        assert_eq!(speed(&prose.replace("10000 items", "100000 items")), None);
        assert_eq!(speed("    boilerplate      10000.0 ms"), None);
        let json = r#"{"runs":[{"items":1000,"items_per_second":1.0},
            {"items":10000,"items_per_second":61234.0}],"growth_exponent":1.1}"#;
        assert_eq!(speed(json), Some(61_234.0));
        let prose = "  10000 posts, 6.5 MB of pages: 61.5 ms, 100 placed, 0 topics, peak 90 MiB";
        assert_eq!(feed_seconds(prose), Some(0.0615));
        assert_eq!(feed_seconds(&prose.replace("10000 posts", "1000 posts")), None);
        assert_eq!(feed_seconds("    read             6.4 ms"), None);
        let json = r#"{"runs":[{"posts":1000,"seconds":1.0},{"posts":10000,"seconds":0.5}]}"#;
        assert_eq!(feed_seconds(json), Some(0.5));
        assert_eq!(speed("growth exponent from 10000 items on: 1.012"), None);
    }
}
