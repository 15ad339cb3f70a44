//! One source, the whole line: gate → fetch → parse → observe.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use bytes::Bytes;
use chrono_tz::Tz;
use model::{GateCheck, Newsroom, Outcome, UnixSeconds};
use sha2::{Digest, Sha256};
use store::{FetchRow, NextState, SourceState, Store};
use tracing::debug;
use url::Url;

use crate::clock::Clock;
use crate::cpu;
use crate::fetch::{FetchError, FetchOutcome, Fetched, Validators, fetch};
use crate::gate::{Answer, Gate};
use crate::observe::{Seen, observe};
use crate::parse::{self, Parsed};
use crate::schedule::{Hints, delay_after_answer, delay_after_failure};
use crate::source::Catalogue;
use crate::web::{Headers, Web};

/// A poll that could not be recorded; the source is asked again later.
#[derive(Debug, thiserror::Error)]
pub enum PollError {
    #[error(transparent)]
    Store(#[from] store::Error),
    #[error("{0} is not an address: {1}")]
    Address(String, url::ParseError),
}

/// What a source's newsroom tells the parser.
#[derive(Clone, Debug)]
struct Locale {
    language: String,
    timezone: Tz,
}

/// Everything that a poll needs.
pub struct Line {
    store: Store,
    web: Arc<dyn Web>,
    gate: Gate,
    clock: Clock,
    interval_seconds: i64,
    locales: HashMap<String, Locale>,
    hosts: Hosts,
}

impl Line {
    /// Takes the catalogue into the store. `interval_seconds` is how often a source is asked that
    /// says nothing about it.
    ///
    /// # Errors
    ///
    /// When the store cannot be written.
    pub async fn new(
        store: Store,
        web: Arc<dyn Web>,
        user_agent: &str,
        clock: Clock,
        catalogue: &Catalogue,
        interval_seconds: i64,
    ) -> Result<Self, store::Error> {
        let active = store.sync_sources(&catalogue.entries(), clock.now()).await?;
        let timezones: HashMap<&str, Tz> = catalogue
            .newsrooms
            .iter()
            .map(|newsroom| (newsroom.slug.as_str(), newsroom.timezone))
            .collect();
        let locale = |newsroom: &Newsroom| Locale {
            language: newsroom.language.clone(),
            timezone: timezones.get(newsroom.slug.as_str()).copied().unwrap_or(Tz::UTC),
        };
        let locales = active
            .iter()
            .flat_map(|(newsroom, sources)| {
                sources.iter().map(move |source| (source.slug.clone(), locale(newsroom)))
            })
            .collect();
        let gate = Gate::new(Arc::clone(&web), user_agent);
        Ok(Self { store, web, gate, clock, interval_seconds, locales, hosts: Hosts::default() })
    }

    #[must_use]
    pub fn store(&self) -> &Store {
        &self.store
    }

    #[must_use]
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Asks one source, if the gate permits it, and appends what it answered.
    ///
    /// # Errors
    ///
    /// When the answer cannot be recorded; whatever the source does is an answer, not an error.
    pub async fn poll(&self, state: &SourceState) -> Result<(), PollError> {
        let source = &state.source;
        let now = self.clock.now();
        let url = Url::parse(&source.url)
            .map_err(|error| PollError::Address(source.url.clone(), error))?;
        // Written before any request, so that a crash cannot hammer a host.
        self.store.claim(source.id, now + delay_after_failure(Hints::default(), 1, 0.5)).await?;

        let mut turn = self.hosts.turn(&url).await;
        if turn.free_at > now {
            self.store.claim(source.id, turn.free_at).await?;
            return Ok(());
        }

        let Answer { check, fresh, permit } = self.gate.check(source.id, &url, now).await;
        let mut checks = Vec::from_iter(fresh.then(|| check.clone()));
        let Some(permit) = permit else {
            debug!(source = source.slug, verdict = check.verdict.as_str(), "not permitted");
            let next = refused(state, &check, now);
            if checks.is_empty() {
                self.store.claim(source.id, next.next_check_at).await?;
            } else {
                let seen = Seen {
                    checks,
                    later_checks: Vec::new(),
                    fetch: None,
                    entries: Vec::new(),
                    next,
                };
                observe(&self.store, state, now, seen).await?;
            }
            return Ok(());
        };

        let crawl_delay_seconds = permit.crawl_delay();
        turn.free_at = now + crawl_delay_seconds.unwrap_or(0);
        let validators =
            Validators { etag: state.etag.clone(), last_modified: state.last_modified.clone() };
        let started = Instant::now();
        let fetched = fetch(&*self.web, &self.gate, permit, &validators, now).await;
        let elapsed_ms = started.elapsed().as_millis() as i64;
        if let Some(seconds) = fetched.as_ref().err().and_then(FetchError::retry_after_seconds) {
            // "Retry later" is said of the whole host, not of one address.
            turn.free_at = turn.free_at.max(now + seconds);
        }
        drop(turn);

        let mut seen = match fetched {
            Ok(fetched) => {
                checks.extend(fetched.checks.iter().map(|answer| answer.check.clone()));
                match self.gate.reserve(source.id, &url, &fetched, now) {
                    Some(check) => reserved(state, &fetched, check, elapsed_ms, now),
                    None => {
                        let hints = Hints { crawl_delay_seconds, ..hints(&fetched) };
                        self.answered(state, fetched, hints, elapsed_ms, now).await
                    }
                }
            }
            Err(error) => failed(state, error, elapsed_ms, now),
        };
        seen.checks = checks;
        let new_items = observe(&self.store, state, now, seen).await?;
        debug!(source = source.slug, new_items, elapsed_ms, "polled");
        Ok(())
    }

    async fn answered(
        &self,
        state: &SourceState,
        fetched: Fetched,
        hints: Hints,
        elapsed_ms: i64,
        now: UnixSeconds,
    ) -> Seen {
        let mut row = answer_row(&fetched, elapsed_ms);
        row.same_as = state.listing.as_ref().map(|listing| listing.fetch);
        let mut next = NextState {
            next_check_at: now + delay_after_answer(hints, self.interval_seconds),
            failures: 0,
            etag: fetched.etag.clone().or_else(|| state.etag.clone()),
            last_modified: fetched.last_modified.clone().or_else(|| state.last_modified.clone()),
            stopped: None,
            moved_to: fetched.moved_to.clone(),
        };

        let body = match fetched.outcome {
            FetchOutcome::Body(body) => body,
            FetchOutcome::NotModified if state.listing.is_some() => return Seen::of(row, next),
            FetchOutcome::NotModified => {
                // Nothing to be the same as: ask without validators next time.
                (next.etag, next.last_modified) = (None, None);
                return unreadable(state, "304 to a request without validators", row, next, now);
            }
        };
        next.etag.clone_from(&fetched.etag);
        next.last_modified.clone_from(&fetched.last_modified);
        let sha256 = hex(&Sha256::digest(&body));
        if state.listing.as_ref().is_some_and(|listing| listing.sha256 == sha256) {
            return Seen::of(row, next);
        }

        row.same_as = None;
        match self.parse(state, body, &fetched.final_url, &fetched.headers).await {
            Ok(parsed) => {
                row.outcome = Outcome::Listed;
                row.items = parsed.entries.len() as u32;
                row.defects = parsed.defects;
                if parsed.partial {
                    // What was cut off is still to come: validators and hash would hide it.
                    (next.etag, next.last_modified) = (None, None);
                } else {
                    row.sha256 = Some(sha256);
                }
                let hints = Hints { ttl_seconds: parsed.ttl_seconds, ..hints };
                next.next_check_at = now + delay_after_answer(hints, self.interval_seconds);
                Seen { entries: parsed.entries, ..Seen::of(row, next) }
            }
            Err(reason) => unreadable(state, &reason, row, next, now),
        }
    }

    async fn parse(
        &self,
        state: &SourceState,
        body: Bytes,
        url: &Url,
        headers: &Headers,
    ) -> Result<Parsed, String> {
        let locale = self.locales.get(&state.source.slug);
        let context = parse::Context {
            url: url.clone(),
            content_type: headers.get("content-type").map(str::to_owned),
            content_language: headers.get("content-language").map(str::to_owned),
            language: locale.map(|locale| locale.language.clone()).unwrap_or_default(),
            timezone: locale.map_or(Tz::UTC, |locale| locale.timezone),
            now: self.clock.now(),
        };
        match cpu::run(move || parse::parse(&body, &context)).await {
            Some(parsed) => parsed.map_err(|error| error.to_string()),
            None => Err("the parser gave up on it".to_owned()),
        }
    }
}

/// The row of an answer that says "not changed", until it is found to say more.
fn answer_row(fetched: &Fetched, elapsed_ms: i64) -> FetchRow {
    FetchRow {
        status: Some(fetched.status),
        outcome: Outcome::Unchanged,
        bytes: fetched.bytes,
        moved_to: fetched.moved_to.clone(),
        error: None,
        ..failure_row(fetched.final_url.as_str(), String::new(), elapsed_ms)
    }
}

fn failure_row(url: &str, error: String, elapsed_ms: i64) -> FetchRow {
    FetchRow {
        url: url.to_owned(),
        check: None,
        status: None,
        outcome: Outcome::Failed,
        same_as: None,
        sha256: None,
        bytes: 0,
        elapsed_ms,
        items: 0,
        new_items: 0,
        defects: Vec::new(),
        error: Some(error),
        moved_to: None,
    }
}

/// An answer that is no listing: the items stay as they were.
fn unreadable(
    state: &SourceState,
    reason: &str,
    row: FetchRow,
    mut next: NextState,
    now: UnixSeconds,
) -> Seen {
    next.failures = state.failures + 1;
    next.next_check_at = now + delay_after_failure(Hints::default(), next.failures, rand::random());
    let row =
        FetchRow { outcome: Outcome::Failed, same_as: None, error: Some(reason.to_owned()), ..row };
    Seen::of(row, next)
}

/// The answer itself carries a reservation: its content is dropped unread.
fn reserved(
    state: &SourceState,
    fetched: &Fetched,
    check: GateCheck,
    elapsed_ms: i64,
    now: UnixSeconds,
) -> Seen {
    let row = FetchRow {
        outcome: Outcome::Failed,
        error: Some(check.reason.clone()),
        ..answer_row(fetched, elapsed_ms)
    };
    let next = refused(state, &check, now);
    Seen { later_checks: vec![check], ..Seen::of(row, next) }
}

fn failed(state: &SourceState, error: FetchError, elapsed_ms: i64, now: UnixSeconds) -> Seen {
    let failures = state.failures + 1;
    let hints = Hints { retry_after_seconds: error.retry_after_seconds(), ..Hints::default() };
    let next = NextState {
        next_check_at: now + delay_after_failure(hints, failures, rand::random()),
        failures,
        etag: state.etag.clone(),
        last_modified: state.last_modified.clone(),
        stopped: error.is_gone().then(|| error.to_string()),
        moved_to: None,
    };
    let row = FetchRow {
        status: error.status(),
        ..failure_row(&state.source.url, error.to_string(), elapsed_ms)
    };
    let refused = match error {
        FetchError::Refused(answer) => Some(answer.check),
        _ => None,
    };
    Seen { later_checks: Vec::from_iter(refused), ..Seen::of(row, next) }
}

/// A refused source is asked about again when the refusal runs out.
fn refused(state: &SourceState, check: &GateCheck, now: UnixSeconds) -> NextState {
    NextState {
        next_check_at: check.valid_until.clamp(
            now + crate::schedule::MIN_DELAY_SECONDS,
            now + crate::schedule::MAX_DELAY_SECONDS,
        ),
        failures: 0,
        etag: state.etag.clone(),
        last_modified: state.last_modified.clone(),
        stopped: None,
        moved_to: None,
    }
}

fn hints(fetched: &Fetched) -> Hints {
    Hints {
        max_age_seconds: fetched.max_age_seconds,
        retry_after_seconds: fetched.retry_after_seconds,
        ..Hints::default()
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// One request at a time per host, and none before its crawl delay has passed.
#[derive(Default)]
struct Hosts(Mutex<HashMap<String, Arc<tokio::sync::Mutex<Host>>>>);

#[derive(Default)]
struct Host {
    free_at: UnixSeconds,
}

impl Hosts {
    async fn turn(&self, url: &Url) -> tokio::sync::OwnedMutexGuard<Host> {
        let host = url.host_str().unwrap_or_default().to_owned();
        let turn = {
            let mut hosts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(hosts.entry(host).or_default())
        };
        turn.lock_owned().await
    }
}
