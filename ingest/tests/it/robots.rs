//! Every fact of `robots_cases.jsonl`, by the reading of RFC 9309.

use std::sync::Arc;

use ingest::gate::{Gate, Robots, UNREACHABLE_SECONDS, VALID_SECONDS};
use ingest::web::WebError;
use model::{SourceId, Verdict};
use serde::Deserialize;
use serde_json::Value;

use crate::web::{Play, answer, data};

#[derive(Deserialize)]
struct Fact {
    id: String,
    kind: String,
    topic: String,
    #[serde(default)]
    robots: String,
    robots_b64: Option<String>,
    #[serde(default)]
    user_agent: String,
    #[serde(default)]
    url: String,
    allowed: Option<bool>,
    rfc_allowed: Option<bool>,
    #[serde(default)]
    input: Value,
    verdict: Option<String>,
    note: Option<String>,
}

fn facts(kind: &str) -> Vec<Fact> {
    let rows = data("robots_cases.jsonl");
    let facts = rows.lines().map(|line| serde_json::from_str::<Fact>(line).unwrap());
    facts.filter(|fact| fact.kind == kind).collect()
}

/// Path and query as they are written: the facts hold addresses that no URL parser would leave alone.
fn path(url: &str) -> &str {
    let behind_scheme = url.split_once("://").map(|(_, rest)| rest);
    let path = match behind_scheme {
        Some(rest) => &rest[rest.find('/').unwrap_or(rest.len())..],
        None => url,
    };
    let path = path.split('#').next().unwrap();
    if path.is_empty() { "/" } else { path }
}

/// Facts of other crawlers that contradict the RFC, and the section that does.
const NOT_BY_THE_RFC: &[(&str, &str)] = &[
    ("r0341", "2.2.1: a group names a product token, not a part of the whole user agent"),
    ("r0442", "2.2.4: other records do not end a group"),
    ("r0443", "2.2.4"),
    ("r0444", "2.2.4"),
    ("r0507", "2.2.4"),
    ("r0451", "2.2: a record has one name"),
    ("r0454", "2.2.1: there are no wildcards in names"),
    ("r0455", "2.2.2: index.html is not the directory"),
    ("r0483", "2.2.3: a final $ is not the character"),
    ("r0484", "2.2.3"),
    ("r0486", "2.2.2: a rule is matched against the path"),
    ("r0499", "2.2.1: rules belong to a group"),
    ("r0512", "2.3.1.5: what can be parsed is used, a forgotten colon notwithstanding"),
];

#[test]
fn every_match_fact_holds() {
    let facts = facts("match");
    let mut failed = Vec::new();
    for fact in &facts {
        let file = match &fact.robots_b64 {
            Some(encoded) => base64(encoded),
            None => fact.robots.clone().into_bytes(),
        };
        // Where the RFC is silent, what the fact's own crawler does.
        let expected = fact.rfc_allowed.or(fact.allowed).unwrap();
        let contradicts = NOT_BY_THE_RFC.iter().any(|(id, _)| *id == fact.id);
        let expected = expected != contradicts;
        let robots = Robots::parse(&file, &fact.user_agent);
        let allowed = robots.rule(path(&fact.url)).is_none_or(|rule| rule.allow);
        if allowed != expected {
            failed.push(format!("{} {} {} {:?}", fact.id, fact.user_agent, fact.url, fact.note));
        }
    }
    println!("robots.txt match facts: {} of {}", facts.len() - failed.len(), facts.len());
    assert!(failed.is_empty() && facts.len() == 575, "{}", failed.join("\n"));
}

fn base64(text: &str) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits = text.bytes().filter_map(|byte| DIGITS.iter().position(|digit| *digit == byte));
    let bits: Vec<bool> =
        digits.flat_map(|value| (0..6).rev().map(move |bit| value >> bit & 1 == 1)).collect();
    bits.chunks_exact(8)
        .map(|byte| byte.iter().fold(0, |all, bit| all << 1 | u8::from(*bit)))
        .collect()
}

/// Where the RFC leaves a choice ("MAY"), the gate takes the stricter one.
const STRICTER: &[(&str, &str)] = &[
    ("429 by the letter", "disallow_all"),
    ("unreachable over 30 days, no cache", "disallow_all"),
    ("unreachable, cached copy present", "disallow_all"),
    ("6 redirects", "disallow_all"),
];

#[tokio::test]
async fn every_access_fact_holds() {
    const RULES: &str = "User-agent: *\nDisallow: /p\n";
    let facts = facts("access");
    let mut failed = Vec::new();
    for fact in &facts {
        let number = |key: &str| fact.input[key].as_f64();
        let mut play = Play::default();
        let site = fact.input["url"].as_str().unwrap_or("https://news.example/feed");
        let site: url::Url = site.parse().unwrap();
        let robots = site.join("/robots.txt").unwrap();
        let start = 1_000_000_000;
        let mut at = start;

        if fact.input["network_error"].is_string() || number("unreachable_days").is_some() {
            if fact.input["cached"] == true {
                play.answer(robots.as_str(), answer(200, &[], RULES));
            }
            play.fail(robots.as_str(), WebError::Timeout(20));
            at += (number("cache_age_h").unwrap_or(0.0) * 3_600.0) as i64;
        } else if let Some(redirects) = number("redirects") {
            for hop in 0..redirects as usize {
                let from =
                    if hop == 0 { robots.to_string() } else { format!("https://h{hop}.example/r") };
                let to = format!("https://h{}.example/r", hop + 1);
                play.answer(&from, answer(301, &[("location", &to)], ""));
            }
            play.answer(&format!("https://h{redirects}.example/r"), answer(200, &[], RULES));
        } else if let Some(size) = number("size_bytes") {
            let filler = "#".repeat(size as usize - RULES.len() - 1);
            play.answer(robots.as_str(), answer(200, &[], &format!("{filler}\n{RULES}")));
        } else if let Some(age) = number("cache_age_h") {
            play.answer(robots.as_str(), answer(200, &[], RULES));
            play.answer(robots.as_str(), answer(200, &[], "User-agent: *\nDisallow: /\n"));
            at += (age * 3_600.0) as i64;
        } else {
            let body = fact.input["body"].as_str().unwrap_or(RULES);
            play.answer(
                robots.as_str(),
                answer(number("status").unwrap_or(200.0) as u16, &[], body),
            );
        }

        let play = Arc::new(play);
        let gate = Gate::new(play.clone(), "ExampleNewsBot/1.0");
        let judge = async |path: &str, at| {
            let url = site.join(path).unwrap();
            gate.check(SourceId(1), &url, at).await.check.verdict
        };
        if at > start {
            judge("/q", start).await;
        }
        let (plain, listed) = (judge("/q", at).await, judge("/p", at).await);
        let reads = play.requests().iter().filter(|url| **url == robots.as_str()).count();
        let found = match (plain, listed, reads) {
            (Verdict::Disallowed, ..) => "refetch",
            (Verdict::Unreachable, Verdict::Unreachable, _) => "disallow_all",
            (Verdict::Allowed, Verdict::Disallowed, _) if at > start => "use_cached_rules",
            (Verdict::Allowed, Verdict::Disallowed, _) if number("size_bytes").is_some() => {
                "parse_at_least_500KiB"
            }
            (Verdict::Allowed, Verdict::Disallowed, _) if fact.input["url"].is_string() => {
                let expected = fact.input["robots_url"].as_str().unwrap();
                if play.requests()[0] == expected {
                    "separate_file_per_authority"
                } else {
                    "another file"
                }
            }
            (Verdict::Allowed, Verdict::Disallowed, _) => "use_rules",
            (Verdict::Allowed, Verdict::Allowed, _) => "allow_all",
            _ => "no verdict of the facts",
        };
        let stricter =
            STRICTER.iter().find(|(topic, _)| *topic == fact.topic).map(|(_, verdict)| *verdict);
        let expected = stricter.or(fact.verdict.as_deref()).unwrap();
        if found != expected {
            failed.push(format!("{} {}: {found}, expected {expected}", fact.id, fact.topic));
        }
    }
    println!("robots.txt access facts: {} of {}", facts.len() - failed.len(), facts.len());
    assert!(failed.is_empty() && facts.len() == 29, "{}", failed.join("\n"));
}

#[tokio::test]
async fn an_unreachable_file_is_asked_for_again_after_an_hour() {
    let robots = "https://news.example/robots.txt";
    let mut play = Play::default();
    play.fail(robots, WebError::Timeout(20));
    play.answer(robots, answer(404, &[], ""));
    let gate = Gate::new(Arc::new(play), "ExampleNewsBot/1.0");
    let url = "https://news.example/feed".parse().unwrap();
    let judge = async |at| gate.check(SourceId(1), &url, at).await;
    assert_eq!(judge(0).await.check.verdict, Verdict::Unreachable);
    assert!(!judge(UNREACHABLE_SECONDS - 1).await.fresh);
    let open = judge(UNREACHABLE_SECONDS).await;
    assert_eq!(open.check.verdict, Verdict::Allowed);
    assert_eq!(open.check.valid_until, UNREACHABLE_SECONDS + VALID_SECONDS);
    assert!(open.fresh && open.permit.is_some());
}
