//! The polls of a script, one after the other, with a small memory of what was seen.

use std::collections::HashMap;

use anyhow::{Context as _, Result};
use ingest::fetch::{FetchError, FetchOutcome, Fetched, Validators, fetch};
use ingest::parse::{Context, NotAFeed, Parsed, parse};
use model::SourceId;
use sha2::{Digest, Sha256};
use url::Url;

use super::instant;
use super::script::{Asked, Script, SourceConfig, Step};
use super::stage::Stage;

/// One poll: how it ended and what it listed.
pub struct Poll {
    pub url: String,
    pub fetched: Result<Fetched, FetchError>,
    pub parsed: Option<Result<Parsed, NotAFeed>>,
    /// A header that should have been sent and was not.
    pub unsent: Option<String>,
    pub unchanged: bool,
    pub new_items: u64,
    pub changed_items: u64,
    /// The item that each entry is.
    pub items: Vec<usize>,
    /// How many texts each of these items has had.
    pub revisions: Vec<usize>,
}

/// Polls every address of the script in order, as the product would; redirects play on by
/// themselves.
pub async fn walk(stage: &Stage) -> Result<Vec<Poll>> {
    let gate = stage.gate();
    let mut memory = Memory::default();
    let mut polls = Vec::new();
    let is_feed = |url: &Url| !matches!(url.path(), "/robots.txt" | "/.well-known/tdmrep.json");
    let mut steps = stage.script.steps.iter().filter(|step| is_feed(&step.request.url));
    while let Some(Step { at, request: Asked { url, must_send }, .. }) = steps.next() {
        let now = at.as_ref().map_or_else(|| stage.script.now(), |at| instant(at))?;
        let before = stage.log().len();
        let answer = gate.check(SourceId(1), url, now).await;
        let validators = memory.validators.get(url.as_str()).cloned().unwrap_or_default();
        let fetched = match answer.permit {
            Some(permit) => fetch(stage.web(), &gate, permit, &validators, now).await,
            None => Err(FetchError::Refused(Box::new(answer.check))),
        };
        let sent = stage.log().split_off(before);
        let hops =
            sent.iter().filter(|(asked, _)| asked.parse().is_ok_and(|asked| is_feed(&asked)));
        for _ in 1..hops.count() {
            steps.next();
        }
        let headers = sent.iter().rev().find(|(asked, _)| asked == url.as_str());
        let is_sent = |name: &str, value: &Option<String>| {
            headers.and_then(|(_, headers)| headers.get(&name.to_ascii_lowercase()))
                == value.as_ref()
        };
        let unsent = must_send.iter().find(|(name, value)| !is_sent(name, value));
        let unsent = unsent.map(|(name, value)| format!("{name} {value:?} was not sent"));
        polls.push(memory.remember(&stage.script, url, fetched, unsent, now)?);
    }
    Ok(polls)
}

/// A small memory of what was seen, as the store keeps it.
#[derive(Default)]
struct Memory {
    validators: HashMap<String, Validators>,
    hashes: HashMap<String, Vec<u8>>,
    keys: HashMap<String, usize>,
    texts: Vec<Vec<String>>,
}

impl Memory {
    fn remember(
        &mut self,
        script: &Script,
        url: &Url,
        fetched: Result<Fetched, FetchError>,
        unsent: Option<String>,
        now: i64,
    ) -> Result<Poll> {
        let mut poll = Poll {
            url: url.to_string(),
            parsed: None,
            unsent,
            unchanged: false,
            new_items: 0,
            changed_items: 0,
            items: Vec::new(),
            revisions: Vec::new(),
            fetched,
        };
        let Ok(fetched) = &poll.fetched else { return Ok(poll) };
        let FetchOutcome::Body(body) = &fetched.outcome else { return Ok(poll) };
        let SourceConfig { language, timezone } = &script.source_config;
        let timezone = timezone.as_deref().unwrap_or("UTC");
        let context = Context {
            url: fetched.final_url.clone(),
            content_type: fetched.content_type.clone(),
            content_language: fetched.headers.get("content-language").map(str::to_owned),
            language: language.clone().unwrap_or_else(|| "cs".to_owned()),
            timezone: timezone.parse().ok().with_context(|| timezone.to_owned())?,
            now,
        };
        let hash = Sha256::digest(body).to_vec();
        poll.unchanged = self.hashes.insert(url.to_string(), hash.clone()) == Some(hash);
        let parsed = parse(body, &context);
        let Ok(Parsed { entries, partial, .. }) = &parsed else {
            poll.parsed = Some(parsed);
            return Ok(poll);
        };
        if !partial {
            let Fetched { etag, last_modified, .. } = fetched;
            let validators =
                Validators { etag: etag.clone(), last_modified: last_modified.clone() };
            self.validators.insert(url.to_string(), validators);
        }
        for entry in entries {
            // A guid means something within its source only.
            let within = |key: &String| match key.starts_with("guid:") {
                true => format!("{url} {key}"),
                false => key.clone(),
            };
            let keys: Vec<String> = entry.keys.iter().map(within).collect();
            let known = keys.iter().find_map(|key| self.keys.get(key)).copied();
            let item = known.unwrap_or_else(|| {
                self.texts.push(Vec::new());
                self.texts.len() - 1
            });
            let text = format!("{}\n{}", entry.title, entry.lede);
            let texts = &mut self.texts[item];
            if texts.last() != Some(&text) {
                poll.changed_items += u64::from(known.is_some());
                texts.push(text);
            }
            poll.new_items += u64::from(known.is_none());
            poll.revisions.push(texts.len());
            for key in keys {
                self.keys.entry(key).or_insert(item);
            }
            poll.items.push(item);
        }
        poll.parsed = Some(parsed);
        Ok(poll)
    }
}
