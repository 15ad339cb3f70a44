//! Dates as feeds write them, read the way they would be in a feed.

use anyhow::{Context as _, Result};
use chrono::DateTime;
use chrono_tz::Tz;
use ingest::parse::{Context, parse};
use serde::Deserialize;

/// There was no web before: such an instant is read, and known to mean nothing.
const NINETIES: i64 = 631_152_000;

#[derive(Deserialize)]
pub struct Row {
    input: String,
    /// An instant, `must_parse` for any, `needs source time zone`, or none.
    expected: Option<String>,
}

impl Row {
    pub fn differences(&self) -> Result<Vec<String>> {
        let (found, placeholder) = claim(&self.input, Tz::UTC)?;
        let holds = match self.expected.as_deref() {
            None => found.is_none(),
            Some("must_parse") => found.is_some(),
            Some("needs source time zone") => {
                let east = found.unwrap_or_default()
                    - claim(&self.input, Tz::Europe__Prague)?.0.unwrap_or_default();
                [3_600, 7_200].contains(&east)
            }
            Some(instant) => match DateTime::parse_from_rfc3339(instant)?.timestamp() {
                at if at < NINETIES => found.is_none() && placeholder,
                at => found == Some(at),
            },
        };
        let found = found.and_then(|at| DateTime::from_timestamp(at, 0));
        let difference =
            format!("{:?} is read as {found:?}, expected {:?}", self.input, self.expected);
        Ok((!holds).then_some(difference).into_iter().collect())
    }
}

/// When an item with this date was published, and whether the date was called a placeholder.
pub fn claim(date: &str, timezone: Tz) -> Result<(Option<i64>, bool)> {
    let context = Context {
        url: "https://news.example/feed".parse()?,
        content_type: None,
        content_language: None,
        language: "cs".to_owned(),
        timezone,
        now: 4_000_000_000,
    };
    let date = date.replace('&', "&amp;").replace('<', "&lt;");
    let feed = format!(
        "<rss><channel><item><title>A</title><pubDate>{date}</pubDate></item></channel></rss>"
    );
    let parsed = parse(feed.as_bytes(), &context)?;
    let placeholder = parsed.defects.iter().any(|defect| defect.ends_with("is a placeholder"));
    let entry = parsed.entries.first().context("no item")?;
    Ok((entry.claimed_at, placeholder))
}
