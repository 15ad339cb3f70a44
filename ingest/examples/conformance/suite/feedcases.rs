//! A folder with `case.json` (exchanges) and `expect.json` (what has to come out, and why).

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};
use ingest::fetch::{FetchError, FetchOutcome, Fetched};
use ingest::parse::{Entry, Parsed};
use ingest::web::WebError;
use serde_json::Value;

use super::script::Script;
use super::stage::Stage;
use super::walk::{Poll, walk};
use super::{MEMORY, find, instant, site_cases};

pub struct Feedcase {
    script: Script,
    expect: Value,
}

impl Feedcase {
    pub fn read(folder: &Path) -> Result<Self> {
        Ok(Self { script: Script::read(folder)?, expect: find::json(&folder.join("expect.json"))? })
    }

    pub async fn differences(self) -> Result<Vec<String>> {
        let Self { mut script, expect } = self;
        if script.kind == "robots" {
            script.lend_robots(&site_cases::judged(&expect)?);
        }
        let limits = expect["limits"].clone();
        let (started, held) = (Instant::now(), MEMORY.current_usage());
        MEMORY.reset_peak_usage();
        let stage = Stage::open(script).await?;
        let mut found = match stage.script.kind.as_str() {
            "robots" => site_cases::robots(&stage, &expect).await?,
            "tdm" => site_cases::tdm(&stage, &expect).await?,
            _ => feed(&stage, &expect).await?,
        };
        let seconds = started.elapsed().as_secs_f64();
        if limits["seconds_max"].as_f64().is_some_and(|most| seconds > most) {
            found.push(format!("took {seconds:.1} s"));
        }
        let bytes = MEMORY.peak_usage().saturating_sub(held) as u64;
        if limits["peak_memory_bytes_max"].as_u64().is_some_and(|most| bytes > most) {
            found.push(format!("held {bytes} bytes"));
        }
        Ok(found)
    }
}

/// Every way in which the polls of a feed differ from what is expected.
async fn feed(stage: &Stage, expect: &Value) -> Result<Vec<String>> {
    let polls = walk(stage).await?;
    let (Some(first), Some(last)) = (polls.first(), polls.last()) else {
        return Ok(vec!["no address is polled".to_owned()]);
    };
    let mut found: Vec<String> = polls.iter().filter_map(|poll| poll.unsent.clone()).collect();
    let mut check = |holds: bool, what: String| {
        if !holds {
            found.push(what);
        }
    };

    let outcome = outcome(last, expect);
    let expected = expect["outcome"].as_str().context("expect.json has no outcome")?;
    let either = expected == "items_or_rejected" && matches!(outcome, "items" | "rejected");
    let error = last.fetched.as_ref().err();
    check(
        outcome == expected || either || accepts_also(expect, outcome),
        format!("outcome {outcome}, expected {expected}: {error:?}"),
    );

    let listed: Vec<&Parsed> =
        polls.iter().filter_map(|poll| poll.parsed.as_ref()?.as_ref().ok()).collect();
    if let (Some(items), false) = (expect["items"].as_array(), either && outcome == "rejected") {
        let now = stage.script.now()?;
        let Some(parsed) = listed.first() else {
            return Ok(vec![format!("nothing was listed; {}", found.join("; "))]);
        };
        for difference in item_list(parsed, items, expect, now)? {
            check(false, difference);
        }
    }

    let distinct = expect["distinct_items"].as_u64();
    check(distinct.is_none_or(|distinct| first.new_items == distinct), "distinct items".to_owned());
    for pair in expect["identity"].as_array().into_iter().flatten() {
        let item = |place: &Value| {
            let (step, index) = place.as_str()?.split_once('#')?;
            let poll = polls.get(step.parse::<usize>().ok()?.checked_sub(1)?)?;
            poll.items.get(index.parse::<usize>().ok()?)
        };
        let holds = item(&pair[0]).is_some() && item(&pair[0]) == item(&pair[1]);
        check(holds, format!("identity {pair}"));
    }
    for (key, count) in [
        ("new_items_per_step", (|poll| poll.new_items) as fn(&Poll) -> u64),
        ("changed_items_per_step", |poll| poll.changed_items),
    ] {
        let counts: Vec<u64> = polls.iter().map(count).collect();
        check(
            expect[key].is_null() || expect[key] == Value::from(counts.clone()),
            format!("{key} {counts:?}"),
        );
    }
    let after = &expect["after_step_2"];
    if let (true, Some(second)) = (after.is_object(), polls.get(1)) {
        let says = |key: &str, value: Value| after[key].is_null() || after[key] == value;
        check(says("new_items", second.new_items.into()), "new items after step 2".to_owned());
        check(
            says("changed_items", second.changed_items.into()),
            "changed items after step 2".to_owned(),
        );
        check(
            says("revisions", second.revisions.first().copied().into()),
            "revisions after step 2".to_owned(),
        );
        let title = listed.last().and_then(|parsed| Some(parsed.entries.first()?.title.as_str()));
        check(says("title", title.into()), "title after step 2".to_owned());
    }

    let state = &expect["state"];
    let moved = first.fetched.as_ref().ok().and_then(|fetched| fetched.moved_to.as_ref());
    let stored = moved.unwrap_or(&first.url);
    check(
        state["stored_url"].as_str().is_none_or(|url| url == stored),
        format!("stored URL {stored}"),
    );
    let enabled = state["source_enabled"].as_bool();
    check(
        enabled.is_none_or(|enabled| enabled == (outcome != "gone")),
        "source enabled".to_owned(),
    );
    let etag = polls.iter().rev().find_map(|poll| poll.fetched.as_ref().ok()?.etag.as_deref());
    check(state["etag"].is_null() || state["etag"].as_str() == etag, format!("etag {etag:?}"));
    if let Some(not_before) = state["next_fetch_not_before"].as_str() {
        let wait = instant(not_before)? - stage.script.now()?;
        let told = error.and_then(FetchError::retry_after_seconds);
        check(told == Some(wait), format!("retry after {told:?}"));
    }
    let asked = stage.asked();
    for robots in state["robots_to_check"].as_array().into_iter().flatten() {
        check(asked.iter().any(|url| robots == url), format!("{robots} was not asked for"));
    }
    Ok(found)
}

fn outcome(last: &Poll, expect: &Value) -> &'static str {
    match (&last.fetched, &last.parsed) {
        (Err(error), _) if error.is_gone() => "gone",
        (Err(FetchError::Status { status: 202, .. }), _) => "not_a_feed",
        (Err(FetchError::Web(WebError::TooLarge(_) | WebError::PrivateAddress(_))), _)
        | (
            Err(FetchError::TooManyRedirects | FetchError::NoLocation(_) | FetchError::Refused(_)),
            _,
        ) => "rejected",
        // Whatever else went wrong, the source stays on and is asked again.
        (Err(_), _) => "retry_later",
        (Ok(Fetched { outcome: FetchOutcome::NotModified, .. }), _) => "not_modified",
        (Ok(_), Some(Ok(_))) if last.unchanged && expect["outcome"] == "unchanged" => "unchanged",
        (Ok(_), Some(Ok(parsed))) if parsed.partial => "partial",
        (Ok(_), Some(Ok(_))) => "items",
        (Ok(_), _) => "not_a_feed",
    }
}

/// `accept_also` names one other outcome, or several.
pub fn accepts_also(expect: &Value, outcome: &str) -> bool {
    let also = &expect["accept_also"];
    also == outcome || also.as_array().is_some_and(|all| all.iter().any(|one| one == outcome))
}

fn item_list(parsed: &Parsed, items: &[Value], expect: &Value, now: i64) -> Result<Vec<String>> {
    let is_named = |entry: &&Entry| items.iter().any(|item| item["link"] == entry.link.as_str());
    // With the alternative of a refusal, only the items that are named count.
    let all = expect["outcome"] != "items_or_rejected";
    let entries: Vec<&Entry> =
        parsed.entries.iter().filter(|entry| all || is_named(entry)).collect();
    let mut found = Vec::new();
    if entries.len() != items.len() {
        found.push(format!("{} items, expected {}", entries.len(), items.len()));
    }
    for (number, (entry, item)) in (1..).zip(entries.into_iter().zip(items)) {
        let head = format!("item {number}: ");
        let is_told = |end: &str| {
            parsed.defects.iter().any(|defect| defect.starts_with(&head) && defect.ends_with(end))
        };
        let shared = expect["distinct_items"].is_u64();
        let differences = item_differences(entry, item, shared, is_told, now)?;
        if !differences.is_empty() {
            found.push(format!("{head}{} in {entry:?}", differences.join(", ")));
        }
    }
    Ok(found)
}

/// The keys of `item` that `entry` does not fulfil. `shared`: its id is another item's too.
fn item_differences(
    entry: &Entry,
    item: &Value,
    shared: bool,
    is_told: impl Fn(&str) -> bool,
    now: i64,
) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let mut check = |key: &str, holds: bool| {
        if !holds {
            found.push(format!("{key} is not {}", item[key]));
        }
    };
    let time = |key: &str| item[key].as_str().map(instant).transpose();
    let key = entry.keys.first().map(String::as_str).unwrap_or_default();
    check(
        "id",
        match item["id"].as_str() {
            _ if shared => true,
            Some(id) => key == format!("guid:{id}"),
            None => !key.starts_with("guid:"),
        },
    );
    check(
        "title",
        match item["title"].as_str() {
            Some(title) => entry.is_titled && entry.title == title,
            None => !entry.is_titled,
        },
    );
    let says = |key: &str, value: &str| item[key].as_str().is_none_or(|expected| expected == value);
    check("display_title", says("display_title", &entry.title));
    check("language", says("language", &entry.language));
    check("link", entry.link == item["link"].as_str().unwrap_or_default());
    check("published", entry.claimed_at == time("published")?.or(time("updated")?));
    check("views", item["views"].as_i64() == entry.views);
    let part = item["summary_contains"].as_str();
    check("summary_contains", part.is_none_or(|part| entry.lede.contains(part)));
    let most = item["summary_max_chars"].as_u64().unwrap_or(300);
    check("summary_max_chars", entry.lede.chars().count() as u64 <= most);
    let sort_time = entry.claimed_at.unwrap_or(now).min(now);
    check("sort_time", time("sort_time")?.is_none_or(|time| time == sort_time));
    let is_flagged = |flag: &str| {
        item["flags"].as_array().is_some_and(|flags| flags.iter().any(|known| known == flag))
    };
    check("flags", is_flagged("future_date") == is_told("lies in the future"));
    check("flags", is_flagged("placeholder_date") == is_told("is a placeholder"));
    Ok(found)
}
