//! What lies under a folder. Kinds are told by what files say, not by where they lie.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use flate2::read::MultiGzDecoder;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Case;
use super::feedcases::Feedcase;
use super::feedparser;
use super::raw_feeds::RawFeed;

pub struct Found {
    pub kind: &'static str,
    pub name: String,
    pub case: Case,
}

/// The cases under `folder`, in the order of their paths; raw feeds come last.
pub fn cases(folder: &Path) -> Result<Vec<Found>> {
    let mut search = Search::default();
    search.visit(folder)?;
    Ok(search.finish())
}

#[derive(Default)]
struct Search {
    found: Vec<Found>,
    feeds: Vec<PathBuf>,
    /// What manifests say: a feed's path, from wherever, and how many items it has.
    listed: Vec<(PathBuf, usize)>,
}

impl Search {
    fn visit(&mut self, folder: &Path) -> Result<()> {
        let entries = folder.read_dir().with_context(|| folder.display().to_string())?;
        let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
        paths.sort();
        let has = |name: &str| paths.iter().any(|path| plain_name(path) == name);
        let name = || plain_name(&folder.canonicalize().unwrap_or_else(|_| folder.to_owned()));
        if has("case.json") {
            let case = Feedcase::read(folder).map_or_else(broken, Case::Feedcase);
            self.found.push(Found { kind: "feedcases", name: name(), case });
        } else if has("expect.json") {
            let case = feedparser::Expected::read(folder).map_or_else(broken, Case::Feedparser);
            self.found.push(Found { kind: "feedparser", name: name(), case });
        } else {
            for path in paths {
                if path.is_dir() {
                    self.visit(&path)?;
                } else if plain_name(&path).ends_with(".jsonl") {
                    self.rows(&path)?;
                } else if RawFeed::is_named(&plain_name(&path)) {
                    self.feeds.push(path);
                }
            }
        }
        Ok(())
    }

    /// Rows of a file that holds facts or a manifest; of any other file none.
    fn rows(&mut self, path: &Path) -> Result<()> {
        let mut known = false;
        for (number, line) in (1..).zip(BufReader::new(open(path)?).lines()) {
            let line = line.with_context(|| path.display().to_string())?;
            if line.trim().is_empty() {
                continue;
            }
            let row: Value = serde_json::from_str(&line).unwrap_or_default();
            let place = format!("{}:{number}", plain_name(path));
            let name = row["id"].as_str().map_or(place, str::to_owned);
            let (kind, case) = match row["kind"].as_str() {
                Some("match") if row["user_agent"].is_string() => {
                    ("robots", fact(row, Case::Match))
                }
                Some("access") if row["verdict"].is_string() => ("access", fact(row, Case::Access)),
                _ if row["input"].is_string() && row.get("expected").is_some() => {
                    ("dates", fact(row, Case::Date))
                }
                _ => match (row["file"].as_str(), row["items"].as_u64()) {
                    (Some(file), Some(items)) => {
                        self.listed.push((PathBuf::from(file), items as usize));
                        known = true;
                        continue;
                    }
                    // Another kind of file altogether, perhaps a very long one.
                    _ if !known => return Ok(()),
                    _ => ("rows", Case::Broken("the row is of no known kind".to_owned())),
                },
            };
            known = true;
            self.found.push(Found { kind, name, case });
        }
        Ok(())
    }

    fn finish(mut self) -> Vec<Found> {
        let mut items = vec![None; self.feeds.len()];
        for (file, count) in &self.listed {
            let likeness = |path: &Path| {
                let ends = path.components().rev().zip(file.components().rev());
                ends.take_while(|(one, other)| one == other).count()
            };
            let likest = (0..self.feeds.len()).max_by_key(|feed| likeness(&self.feeds[*feed]));
            match likest.filter(|feed| likeness(&self.feeds[*feed]) > 0) {
                Some(feed) => items[feed] = Some(*count),
                None => self.found.push(Found {
                    kind: "raw_feeds",
                    name: file.display().to_string(),
                    case: Case::Broken("a manifest names it, but it is not there".to_owned()),
                }),
            }
        }
        for (path, items) in self.feeds.into_iter().zip(items) {
            let name = path.display().to_string();
            let case = Case::RawFeed(RawFeed { path, items });
            self.found.push(Found { kind: "raw_feeds", name, case });
        }
        self.found
    }
}

fn broken(error: anyhow::Error) -> Case {
    Case::Broken(format!("cannot be read: {error:#}"))
}

fn fact<T: DeserializeOwned>(row: Value, case: fn(T) -> Case) -> Case {
    serde_json::from_value(row).map_or_else(|error| broken(error.into()), case)
}

/// The file's name without `.gz`.
fn plain_name(path: &Path) -> String {
    let name = path.file_name().map(OsStr::to_string_lossy).unwrap_or_default();
    name.strip_suffix(".gz").unwrap_or(&name).to_owned()
}

fn open(path: &Path) -> Result<Box<dyn Read>> {
    let file = File::open(path).with_context(|| path.display().to_string())?;
    Ok(match path.extension() {
        Some(extension) if extension == "gz" => Box::new(MultiGzDecoder::new(file)),
        _ => Box::new(file),
    })
}

/// The bytes of a file, or of the same file with `.gz` behind its name.
pub fn bytes(path: &Path) -> Result<Vec<u8>> {
    let mut compressed = path.as_os_str().to_owned();
    compressed.push(".gz");
    let there = if path.exists() { path } else { Path::new(&compressed) };
    let mut bytes = Vec::new();
    open(there)?.read_to_end(&mut bytes).with_context(|| there.display().to_string())?;
    Ok(bytes)
}

/// A JSON file.
pub fn json<T: DeserializeOwned>(path: &Path) -> Result<T> {
    serde_json::from_slice(&bytes(path)?).with_context(|| path.display().to_string())
}
