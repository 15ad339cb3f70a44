//! Second opinions: where another library reads a document, we read the same.

use std::path::Path;

use ingest::gate::Robots;
use ingest::parse::{Context, parse};
use proptest::prelude::*;

use crate::web::folder;

fn context() -> Context {
    Context {
        url: "https://news.example/feed".parse().unwrap(),
        content_type: None,
        content_language: None,
        language: String::new(),
        timezone: chrono_tz::Tz::UTC,
        now: 4_000_000_000,
    }
}

/// Well-formed feeds among the galleries, as feed-rs sees them: links in order, and dates.
#[test]
fn feed_rs_lists_the_same_items() {
    let mut compared = 0;
    for entry in std::fs::read_dir(folder("feedcases")).unwrap() {
        let path = entry.unwrap().path();
        let body = std::fs::read(path.join("input")).unwrap_or_default();
        let parser =
            feed_rs::parser::Builder::new().base_uri(Some("https://news.example/feed")).build();
        // It panics on these two, gives up on others, and loses what is empty to it.
        if path.file_name().unwrap().to_string_lossy().starts_with("panic-") {
            continue;
        }
        let Ok(theirs) = parser.parse(&body[..]) else { continue };
        if theirs.entries.is_empty() || is_known_to_differ(&path) {
            continue;
        }
        let ours = parse(&body, &context()).unwrap();
        let links: Vec<String> = ours.entries.iter().map(|entry| entry.link.clone()).collect();
        let expected: Vec<String> = theirs
            .entries
            .iter()
            .map(|entry| entry.links.first().map(|link| link.href.clone()).unwrap_or_default())
            .collect();
        assert_eq!(links, expected, "{}", path.display());
        for (ours, theirs) in ours.entries.iter().zip(&theirs.entries) {
            let dated = theirs.published.or(theirs.updated).map(|date| date.timestamp());
            if dated.is_some_and(|at| at > 631_152_000) {
                assert_eq!(ours.claimed_at, dated, "{}", path.display());
            }
        }
        compared += 1;
    }
    println!("compared with feed-rs: {compared} feeds");
    assert!(compared >= 30, "{compared}");
}

/// Cases in which the gallery asks for more than feed-rs does.
fn is_known_to_differ(path: &Path) -> bool {
    let name = path.file_name().unwrap().to_string_lossy();
    [
        "id-missing-guid-utm-links",
        "link-absent",
        "link-from-guid",
        "link-nested-xml-base",
        "link-relative",
        "format-jsonfeed",
        "title-and-link-bare",
        "id-same-article",
    ]
    .iter()
    .any(|known| name.starts_with(known))
}

proptest! {
    /// On files that hold none of its known faults, texting_robots decides as we do.
    #[test]
    fn texting_robots_gives_the_same_verdict(
        rules in prop::collection::vec(("(Allow|Disallow)", "/[ab/]{0,4}[*]?[ab]{0,3}[$]?"), 1..6),
        path in "/[ab/]{0,8}",
    ) {
        let lines: Vec<String> = rules.iter().map(|(kind, pattern)| format!("{kind}: {pattern}\n")).collect();
        let file = format!("User-agent: ohlas\n{}", lines.concat());
        let theirs = texting_robots::Robot::new("ohlas", file.as_bytes()).unwrap();
        let ours = Robots::parse(file.as_bytes(), "ohlas").rule(&path).is_none_or(|rule| rule.allow);
        let url = format!("https://news.example{path}");
        prop_assert_eq!(ours, theirs.allowed(&url), "{} {}", file, path);
    }
}
