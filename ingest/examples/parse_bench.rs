//! `parse_bench [--data DIR] [--peer PYTHON]`: how fast feeds are read, beside Python's feedparser on the
//! same bytes in the same run. Without a folder it reads the project's own gallery.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, bail, ensure};
use ingest::parse::{Context, parse};
use serde::Deserialize;

const USAGE: &str = "usage: parse_bench [--data DIR] [--peer PYTHON]";
/// Times that every feed is read; the fastest pass counts, since others were disturbed.
const PASSES: usize = 10;
/// The peer's passes take seconds.
const PEER_PASSES: usize = 3;

/// What `feedparser_peer.py` prints.
#[derive(Deserialize)]
struct Peer {
    version: String,
    items: usize,
    /// With its defaults; without cleaning HTML and resolving links within it.
    seconds: f64,
    seconds_bare: f64,
}

fn main() -> Result<()> {
    let gallery = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/feedcases");
    let (mut folder, mut python) = (gallery, None);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match (argument.as_str(), arguments.next()) {
            ("--data", Some(value)) => folder = PathBuf::from(value),
            ("--peer", Some(value)) => python = Some(value),
            _ => bail!("{USAGE}"),
        }
    }
    let mut paths = Vec::new();
    feeds(&folder, &mut paths)?;
    let context = context()?;
    let mut documents = Vec::new();
    for path in paths {
        let body = std::fs::read(&path).with_context(|| path.display().to_string())?;
        if parse(&body, &context).is_ok_and(|parsed| !parsed.entries.is_empty()) {
            documents.push((path, body));
        }
    }
    ensure!(!documents.is_empty(), "{}: there are no feeds", folder.display());

    let bytes: usize = documents.iter().map(|(_, body)| body.len()).sum();
    let mut items = 0;
    let mut seconds = f64::INFINITY;
    for _ in 0..PASSES {
        let started = Instant::now();
        items = documents
            .iter()
            .map(|(_, body)| parse(black_box(body), &context).map_or(0, |feed| feed.entries.len()))
            .sum();
        seconds = seconds.min(started.elapsed().as_secs_f64());
    }
    let megabytes = bytes as f64 / 1e6;
    println!("{} feeds, {megabytes:.1} MB, the fastest of {PASSES} passes", documents.len());
    let row = |name: &str, items: usize, seconds: f64, note: &str| {
        let (ms, speed) = (seconds * 1e3, megabytes / seconds);
        println!("{name:<32} {items:>6} items {ms:>10.2} ms {speed:>8.1} MB/s{note}");
    };
    row("Ohlas", items, seconds, "");
    let Some(python) = python else { return Ok(()) };
    let peer = peer(&python, documents.iter().map(|(path, _)| path))?;
    let times = |theirs: f64| format!("   Ohlas: {:.0} ×", theirs / seconds);
    let name = format!("feedparser {}", peer.version);
    row(&name, peer.items, peer.seconds, &times(peer.seconds));
    row(&format!("{name}, bare"), peer.items, peer.seconds_bare, &times(peer.seconds_bare));
    Ok(())
}

/// Our side does what it does for a source: the language is known, dates are read, keys are made.
fn context() -> Result<Context> {
    Ok(Context {
        url: "https://news.example/feed".parse()?,
        content_type: None,
        content_language: None,
        language: "en".to_owned(),
        timezone: chrono_tz::Europe::Prague,
        now: 1_773_144_000,
    })
}

/// Files that are called as feeds are, or as the gallery calls them.
fn feeds(folder: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    let entries = folder.read_dir().with_context(|| folder.display().to_string())?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    paths.sort();
    for path in paths {
        let extension = path.extension().unwrap_or_default();
        if path.is_dir() {
            feeds(&path, found)?;
        } else if ["xml", "rss", "atom", "rdf"].iter().any(|known| extension == *known)
            || path.file_name().is_some_and(|name| name == "input")
        {
            found.push(path);
        }
    }
    Ok(())
}

fn peer<'a>(python: &str, paths: impl Iterator<Item = &'a PathBuf>) -> Result<Peer> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../benches/peers/feedparser_peer.py");
    let output = Command::new(python)
        .arg(script)
        .arg(PEER_PASSES.to_string())
        .args(paths)
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| python.to_owned())?;
    ensure!(output.status.success(), "feedparser failed ({})", output.status);
    serde_json::from_slice(&output.stdout).context("what feedparser's side printed")
}
