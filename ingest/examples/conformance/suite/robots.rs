//! Facts about robots.txt: what a file says of an address, and what an answer says of its site.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use anyhow::{Context, Result};
use ingest::gate::{Gate, Robots};
use ingest::web::WebError;
use model::{SourceId, Verdict};
use serde::Deserialize;
use url::Url;

use super::play::{Play, answer};

/// What one robots.txt says to one crawler of one address.
#[derive(Deserialize)]
pub struct Match {
    #[serde(default)]
    robots: String,
    robots_b64: Option<String>,
    user_agent: String,
    url: String,
    /// What the crawler does from whose tests the fact is.
    allowed: Option<bool>,
    /// What RFC 9309 says, where it says something.
    rfc_allowed: Option<bool>,
    #[serde(default)]
    topic: String,
    note: Option<String>,
}

/// Our own rows give the RFC's reading of facts in which a crawler goes its own way.
static OWN_READINGS: LazyLock<HashMap<(String, String, String), bool>> = LazyLock::new(|| {
    let rows = include_str!("../../../tests/data/robots_cases.jsonl").lines();
    let facts = rows.filter_map(|row| serde_json::from_str::<Match>(row).ok());
    facts.filter_map(|fact| Some((fact.key(), fact.rfc_allowed?))).collect()
});

impl Match {
    fn key(&self) -> (String, String, String) {
        let file = self.robots_b64.as_ref().unwrap_or(&self.robots);
        (file.clone(), self.user_agent.clone(), self.url.clone())
    }

    /// By the RFC; where it is silent, as the crawler does.
    fn expected(&self) -> Option<bool> {
        self.rfc_allowed.or_else(|| OWN_READINGS.get(&self.key()).copied()).or(self.allowed)
    }

    pub fn differences(&self) -> Result<Vec<String>> {
        let expected = self.expected().context("neither allowed nor rfc_allowed is given")?;
        let file = match &self.robots_b64 {
            Some(encoded) => base64(encoded),
            None => self.robots.clone().into_bytes(),
        };
        let robots = Robots::parse(&file, &self.user_agent);
        let rule = robots.rule(path(&self.url));
        let allowed = rule.is_none_or(|rule| rule.allow);
        let Self { topic, note, user_agent, url, .. } = self;
        let note = note.as_deref().unwrap_or_default();
        let difference = format!(
            "{url} for {user_agent}: allowed {allowed} by {:?}, expected {expected} ({topic}) {note}",
            rule.map(|rule| &rule.line)
        );
        Ok((allowed != expected).then_some(difference).into_iter().collect())
    }
}

/// Path and query as they are written: the facts hold addresses that no URL parser would leave alone.
fn path(url: &str) -> &str {
    let path = match url.split_once("://") {
        Some((_, rest)) => rest.find('/').map_or("", |slash| &rest[slash..]),
        None => url,
    };
    match path.split('#').next() {
        None | Some("") => "/",
        Some(path) => path,
    }
}

fn base64(text: &str) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits = text.bytes().filter_map(|byte| DIGITS.iter().position(|digit| *digit == byte));
    let bits: Vec<bool> =
        digits.flat_map(|value| (0..6).rev().map(move |bit| value >> bit & 1 == 1)).collect();
    let byte = |bits: &[bool]| bits.iter().fold(0, |all, bit| all << 1 | u8::from(*bit));
    bits.chunks_exact(8).map(byte).collect()
}

/// What follows from how robots.txt is answered.
#[derive(Deserialize)]
pub struct Access {
    topic: String,
    input: Input,
    verdict: String,
}

#[derive(Deserialize)]
struct Input {
    status: Option<u16>,
    body: Option<String>,
    network_error: Option<String>,
    redirects: Option<usize>,
    size_bytes: Option<usize>,
    unreachable_days: Option<f64>,
    #[serde(default)]
    cached: bool,
    cache_age_h: Option<f64>,
    url: Option<Url>,
    robots_url: Option<String>,
}

impl Input {
    fn is_unreachable(&self) -> bool {
        self.network_error.is_some() || self.unreachable_days.is_some()
    }

    /// Where the RFC leaves a choice ("MAY"), the gate takes the stricter one.
    fn leaves_a_choice(&self) -> bool {
        self.status == Some(429)
            || self.is_unreachable()
            || self.redirects.is_some_and(|hops| hops > 5)
    }
}

impl Access {
    pub async fn differences(&self) -> Result<Vec<String>> {
        const RULES: &str = "User-agent: *\nDisallow: /p\n";
        const START: i64 = 1_000_000_000;
        let Self { input, topic, verdict } = self;
        let mut play = Play::default();
        let site = input.url.clone().map_or_else(|| "https://news.example/feed".parse(), Ok)?;
        let robots = site.join("/robots.txt")?;
        let mut at = START;
        if input.is_unreachable() {
            if input.cached {
                play.answer(robots.as_str(), answer(200, &[], RULES));
            }
            play.fail(robots.as_str(), WebError::Timeout(20));
            at += (input.cache_age_h.unwrap_or(0.0) * 3_600.0) as i64;
        } else if let Some(redirects) = input.redirects {
            for hop in 0..redirects {
                let from =
                    if hop == 0 { robots.to_string() } else { format!("https://h{hop}.example/r") };
                let to = format!("https://h{}.example/r", hop + 1);
                play.answer(&from, answer(301, &[("location", &to)], ""));
            }
            play.answer(&format!("https://h{redirects}.example/r"), answer(200, &[], RULES));
        } else if let Some(size) = input.size_bytes {
            let filler = "#".repeat(size.saturating_sub(RULES.len() + 1));
            play.answer(robots.as_str(), answer(200, &[], &format!("{filler}\n{RULES}")));
        } else if let Some(age) = input.cache_age_h {
            play.answer(robots.as_str(), answer(200, &[], RULES));
            play.answer(robots.as_str(), answer(200, &[], "User-agent: *\nDisallow: /\n"));
            at += (age * 3_600.0) as i64;
        } else {
            let body = input.body.as_deref().unwrap_or(RULES);
            play.answer(robots.as_str(), answer(input.status.unwrap_or(200), &[], body));
        }

        let play = Arc::new(play);
        let gate = Gate::new(play.clone(), "ExampleNewsBot/1.0");
        let judge = async |path: &str, at| -> Result<Verdict> {
            Ok(gate.check(SourceId(1), &site.join(path)?, at).await.check.verdict)
        };
        if at > START {
            judge("/q", START).await?;
        }
        let (plain, listed) = (judge("/q", at).await?, judge("/p", at).await?);
        let found = match (plain, listed) {
            (Verdict::Disallowed, _) => "refetch",
            (Verdict::Unreachable, Verdict::Unreachable) => "disallow_all",
            (Verdict::Allowed, Verdict::Allowed) => "allow_all",
            (Verdict::Allowed, Verdict::Disallowed) if at > START => "use_cached_rules",
            (Verdict::Allowed, Verdict::Disallowed) if input.size_bytes.is_some() => {
                "parse_at_least_500KiB"
            }
            (Verdict::Allowed, Verdict::Disallowed) if input.robots_url.is_some() => {
                match play.requests().first() == input.robots_url.as_ref() {
                    true => "separate_file_per_authority",
                    false => "another file",
                }
            }
            (Verdict::Allowed, Verdict::Disallowed) => "use_rules",
            _ => "no verdict of the facts",
        };
        let expected = if input.leaves_a_choice() { "disallow_all" } else { verdict };
        let difference = format!("{topic}: {found}, expected {expected}");
        Ok((found != expected).then_some(difference).into_iter().collect())
    }
}
