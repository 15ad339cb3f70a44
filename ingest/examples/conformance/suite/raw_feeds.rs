//! Feeds as they were found in the wild: one that has items gives items.

use std::path::PathBuf;

use anyhow::Result;

use super::find;
use super::script::Script;
use super::stage::Stage;
use super::walk::walk;

pub struct RawFeed {
    pub path: PathBuf,
    /// How many items a manifest says it has.
    pub items: Option<usize>,
}

impl RawFeed {
    pub fn is_named(name: &str) -> bool {
        [".xml", ".rss", ".atom", ".rdf"].iter().any(|end| name.to_ascii_lowercase().ends_with(end))
    }

    pub async fn differences(self) -> Result<Vec<String>> {
        let body = find::bytes(&self.path)?;
        let expected = self.items.unwrap_or_else(|| starts(&body));
        let script = Script::of_one_feed("https://news.example/feed", &[], body)?;
        let stage = Stage::open(script).await?;
        let listed = match walk(&stage).await?.into_iter().next().and_then(|poll| poll.parsed) {
            Some(Ok(parsed)) => parsed.entries.len(),
            Some(Err(error)) if expected > 0 => return Ok(vec![error.to_string()]),
            _ => 0,
        };
        let told = self.items.is_some() && listed != expected;
        let lost = expected > 0 && listed == 0;
        Ok((told || lost).then(|| format!("{listed} items of {expected}")).into_iter().collect())
    }
}

/// Start tags of items, in whatever encoding keeps ASCII recognisable.
fn starts(body: &[u8]) -> usize {
    let bytes: Vec<u8> = body.iter().copied().filter(|byte| *byte != 0).collect();
    let starts = |name: &[u8]| {
        let after = bytes.windows(name.len() + 1).filter_map(|window| window.strip_prefix(name));
        after.filter(|next| matches!(next, [b' ' | b'>' | b'\n' | b'\t' | b'\r'])).count()
    };
    starts(b"<item") + starts(b"<entry")
}
