//! Feedcases about what sites say to crawlers: robots.txt and reservations.

use anyhow::{Context, Result};
use ingest::fetch::{FetchError, Validators, fetch};
use ingest::gate::{Robots, TdmFile, header_reservation, html_reservation, robots_directives};
use ingest::web::Headers;
use model::{SourceId, Verdict};
use serde_json::Value;
use url::{Position, Url};

use super::feedcases::accepts_also;
use super::stage::Stage;

const SOURCE: SourceId = SourceId(1);

/// The address in question.
pub fn judged(expect: &Value) -> Result<Url> {
    let url = expect["url"].as_str().context("expect.json has no url")?;
    url.parse().with_context(|| url.to_owned())
}

pub async fn robots(stage: &Stage, expect: &Value) -> Result<Vec<String>> {
    let now = stage.script.now()?;
    let gate = stage.gate();
    let url = judged(expect)?;
    let mut answer = gate.check(SOURCE, &url, now).await;
    let mut allowed = answer.permit.is_some();
    let mut found = Vec::new();
    let mut check = |holds: bool, what: String| {
        if !holds {
            found.push(what);
        }
    };
    if let Some(delay) = expect["crawl_delay"].as_i64() {
        let told = answer.permit.as_ref().and_then(|permit| permit.crawl_delay());
        check(told == Some(delay), format!("crawl delay {told:?}"));
    }
    if expect["temporary"] == true {
        let again = answer.check.valid_until - now;
        let soon = answer.check.verdict == Verdict::Unreachable && (60..=3_600).contains(&again);
        check(soon, format!("temporary: again in {again} s"));
    }
    let key = url.origin().ascii_serialization();
    check(
        expect["cache_key"].as_str().is_none_or(|expected| expected == key),
        format!("cache key {key}"),
    );
    if let (Some(never), Some(permit)) = (expect["never_request"].as_array(), answer.permit.take())
    {
        let fetched = fetch(stage.web(), &gate, permit, &Validators::default(), now).await;
        allowed = !matches!(fetched, Err(FetchError::Refused(_)));
        let asked = stage.asked();
        let refrained = never.iter().all(|never| asked.iter().all(|url| never != url));
        check(refrained, "what may not be requested was".to_owned());
    }
    let word = if allowed { "allowed" } else { "disallowed" };
    check(
        expect["allowed"] == allowed
            || expect["accept_also"] == allowed
            || accepts_also(expect, word),
        format!("{word}: {:?}", answer.check),
    );
    let recorded =
        !answer.check.reason.is_empty() && answer.check.user_agent == stage.script.user_agent;
    check(recorded, format!("incomplete record {:?}", answer.check));
    Ok(found)
}

pub async fn tdm(stage: &Stage, expect: &Value) -> Result<Vec<String>> {
    let url = judged(expect)?;
    let path = &url[Position::BeforePath..Position::AfterQuery];
    let script = &stage.script;
    let page = script.answer(path);
    let headers: Option<Headers> = page.map(|page| page.fields().into_iter().collect());
    let mut found = Vec::new();
    let mut check = |holds: bool, what: String| {
        if !holds {
            found.push(what);
        }
    };

    // What was said last holds: file, header, page.
    if expect.get("tdm_reservation").is_some() {
        let file = script.answer("tdmrep.json").map(|answer| TdmFile::parse(&answer.body));
        let by_file = file.as_ref().and_then(|file| file.reservation(path).cloned());
        let by_header = headers.as_ref().and_then(header_reservation);
        let by_page = page.and_then(|page| html_reservation(&String::from_utf8_lossy(&page.body)));
        let said = [(by_page, "html"), (by_header, "header"), (by_file, "file")];
        let decided = said.into_iter().find_map(|(reservation, by)| Some((reservation?, by)));
        let value = decided.as_ref().map(|(reservation, _)| i64::from(reservation.reserved));
        check(value == expect["tdm_reservation"].as_i64(), format!("tdm_reservation {value:?}"));
        let by = decided.as_ref().map(|(_, by)| *by);
        check(by == expect["decided_by"].as_str(), format!("decided by {by:?}"));
        let policy = decided.and_then(|(reservation, _)| reservation.policy);
        check(policy.as_deref() == expect["tdm_policy"].as_str(), format!("policy {policy:?}"));
    }

    let now = script.now()?;
    let gate = stage.gate();
    let answer = gate.check(SOURCE, &url, now).await;
    let signal = answer.check.tdm_signal.clone().unwrap_or_default();
    let mut is_in_signal = |part: Option<&str>| {
        check(
            part.is_none_or(|part| signal.contains(part)),
            format!("{part:?} is not in \"{signal}\""),
        );
    };
    let texts = |key: &str| expect[key].as_array().into_iter().flatten().map(Value::as_str);
    is_in_signal(expect["warning"].as_str());
    is_in_signal(expect["rsl_license"].as_str());
    texts("reservation_of_rights").chain(texts("prohibits")).for_each(&mut is_in_signal);
    let permitted = answer.permit.is_some();
    let crawl = expect["crawl"].as_bool();
    check(crawl.is_none_or(|crawl| crawl == permitted), format!("crawl: {:?}", answer.check));
    if expect["decided_by"] == "file" && expect["tdm_reservation"] == 1 {
        check(answer.check.verdict == Verdict::Reserved, format!("{:?}", answer.check));
        let policy = expect["tdm_policy"].as_str().unwrap_or_default();
        check(signal.contains(policy), format!("the policy is not in \"{signal}\""));
    }
    if let (Some(permit), Some(_)) = (answer.permit, &headers) {
        let fetched = fetch(stage.web(), &gate, permit, &Validators::default(), now).await?;
        let reserved = gate.reserve(SOURCE, &url, &fetched, now).is_some();
        let expected = expect["tdm_reservation"] == 1 || expect["signals"]["noai"] == true;
        check(reserved == expected, format!("reserved by the answer: {reserved}"));
        let again = gate.check(SOURCE, &url, now + 60).await.permit.is_none();
        check(again == expected, "the answer's reservation does not stand".to_owned());
    }

    let robots = script
        .answer("robots.txt")
        .map(|answer| Robots::parse(&answer.body, &script.product_token));
    let stated = |path: &str, usage: &str| {
        let preferences =
            robots.as_ref().map(|robots| robots.preferences(path)).unwrap_or_default();
        preferences.iter().find(|known| known.usage == usage).map(|known| known.allowed)
    };
    let word = |stated, words: [&'static str; 3]| match stated {
        Some(true) => words[0],
        Some(false) => words[1],
        None => words[2],
    };
    for (key, at) in [("preferences", path), ("site_default", "/")] {
        for (usage, expected) in expect[key].as_object().into_iter().flatten() {
            let word = word(stated(at, usage), ["allow", "disallow", "unknown"]);
            check(expected == word, format!("{key} {usage}: {word}"));
        }
    }
    let directives = headers.as_ref().map(robots_directives).unwrap_or_default();
    for (usage, expected) in expect["signals"].as_object().into_iter().flatten() {
        let holds = match expected {
            Value::Bool(set) => directives.contains(usage) == *set,
            expected => expected == word(stated(path, usage), ["yes", "no", "not stated"]),
        };
        check(holds, format!("signal {usage}"));
    }
    Ok(found)
}
