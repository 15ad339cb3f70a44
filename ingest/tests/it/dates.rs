//! Every row of `date_cases.jsonl`, read the way it would be in a feed.

use chrono::DateTime;
use chrono_tz::Tz;
use ingest::parse::{Context, parse};
use serde::Deserialize;

use crate::web::data;

#[derive(Deserialize)]
struct Row {
    id: String,
    fmt: String,
    input: String,
    expected: Option<String>,
}

/// What the feed's item is dated, and whether the date was called a placeholder.
fn claim(date: &str, timezone: Tz) -> (Option<i64>, bool) {
    let context = Context {
        url: "https://news.example/feed".parse().unwrap(),
        content_type: None,
        language: "cs".to_owned(),
        timezone,
        now: 4_000_000_000,
    };
    let date = date.replace('&', "&amp;").replace('<', "&lt;");
    let feed = format!(
        "<rss><channel><item><title>A</title><pubDate>{date}</pubDate></item></channel></rss>"
    );
    let parsed = parse(feed.as_bytes(), &context).unwrap();
    let placeholder = parsed.defects.iter().any(|defect| defect.ends_with("is a placeholder"));
    (parsed.entries[0].claimed_at, placeholder)
}

#[test]
fn every_date_is_read_or_known_to_be_none() {
    let rows: Vec<Row> =
        data("date_cases.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut failed = Vec::new();
    let mut counts = [(0, 0); 3];
    for row in &rows {
        let expected = row.expected.as_deref();
        let (kind, passed) = match row.fmt.as_str() {
            "no zone" => {
                let utc = claim(&row.input, Tz::UTC).0.unwrap_or_default();
                let prague = claim(&row.input, Tz::Europe__Prague).0.unwrap_or_default();
                (1, [3_600, 7_200].contains(&(utc - prague)))
            }
            "must parse" => (2, claim(&row.input, Tz::UTC).0.is_some()),
            _ => {
                let instant =
                    expected.map(|text| DateTime::parse_from_rfc3339(text).unwrap().timestamp());
                let (found, placeholder) = claim(&row.input, Tz::UTC);
                // An instant before there was a web is read, and known to mean nothing.
                let is_placeholder = instant.is_some_and(|at| at < 631_152_000);
                (0, if is_placeholder { found.is_none() && placeholder } else { found == instant })
            }
        };
        counts[kind].0 += usize::from(passed);
        counts[kind].1 += 1;
        if !passed {
            failed.push(format!(
                "{} {:?}: {:?}, expected {:?}",
                row.id,
                row.input,
                claim(&row.input, Tz::UTC),
                expected
            ));
        }
    }
    for (name, (passed, total)) in
        ["known instant or none", "source's zone", "must parse"].iter().zip(counts)
    {
        println!("dates, {name}: {passed} of {total}");
    }
    assert!(failed.is_empty() && rows.len() == 171, "{}", failed.join("\n"));
}
