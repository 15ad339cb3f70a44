//! One source, the whole line: gate → fetch → parse → observe.

mod channel;
mod playlist;

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};
use std::time::Instant;

use bytes::Bytes;
use chrono_tz::Tz;
use model::{GateCheck, Outcome, UnixSeconds};
use sha2::{Digest, Sha256};
use store::{FetchRow, NextState, SourceState, Store};
use tracing::debug;
use url::Url;

use crate::clock::Clock;
use crate::cpu;
use crate::fetch::{FetchError, FetchOutcome, Fetched, Validators, fetch};
use crate::gate::{Answer, Gate, Permit};
use crate::observe::{Appended, Seen, observe};
use crate::parse::{self, Parsed};
use crate::schedule::{self, Hints, Pace};
use crate::source::Catalogue;
use crate::web::{Headers, OneAtATime, Turns, Web};
use crate::youtube::{self, Youtube};
use playlist::Channels;

pub(crate) use channel::Asked;
pub use channel::NoPage;

/// A poll that could not be recorded; the source is asked again later.
#[derive(Debug, thiserror::Error)]
pub enum PollError {
    #[error(transparent)]
    Store(#[from] store::Error),
    #[error("{0} is not an address: {1}")]
    Address(String, url::ParseError),
}

/// An answer that may hold a listing.
struct Answered {
    fetched: Fetched,
    hints: Hints,
    elapsed_ms: i64,
}

/// A request that brought nothing that may be used.
struct Unanswered {
    /// The gate says no, to the answer or to where a redirect led.
    refused: bool,
    seen: Seen,
}

/// What a source's newsroom tells the parser.
#[derive(Clone, Debug)]
struct Locale {
    language: String,
    timezone: Tz,
}

/// What a poll needs to know of the catalogue.
#[derive(Default)]
struct Configured {
    /// By the source's slug.
    locales: HashMap<String, Locale>,
    playlists: usize,
}

/// Everything that a poll needs.
pub struct Line {
    store: Store,
    web: Arc<dyn Web>,
    gate: Gate,
    clock: Clock,
    interval_seconds: i64,
    /// How popular sources are, in [0, 1], by slug; all others are alike.
    popularity: RwLock<HashMap<String, f64>>,
    configured: RwLock<Configured>,
    turns: Turns,
    channels: Option<Channels>,
}

impl Line {
    /// Takes the catalogue into the store. No source is asked more often than every
    /// `interval_seconds`.
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
        let line = Self::without_catalogue(store, web, user_agent, clock);
        line.adopt(catalogue).await?;
        Ok(Self { interval_seconds, ..line })
    }

    /// A line that polls nothing by itself, for the channels that readers ask for.
    #[must_use]
    pub fn without_catalogue(
        store: Store,
        web: Arc<dyn Web>,
        user_agent: &str,
        clock: Clock,
    ) -> Self {
        let web: Arc<dyn Web> = Arc::new(OneAtATime::new(web));
        let gate = Gate::new(Arc::clone(&web), user_agent);
        Self {
            store,
            web,
            gate,
            clock,
            interval_seconds: schedule::MIN_DELAY_SECONDS,
            popularity: RwLock::default(),
            configured: RwLock::default(),
            turns: Turns::default(),
            channels: None,
        }
    }

    /// Asks these sources, named by slug, more often the higher their popularity in [0, 1], and all
    /// others as is usual.
    pub fn favour(&self, popularity: HashMap<String, f64>) {
        *self.popularity.write().unwrap_or_else(PoisonError::into_inner) = popularity;
    }

    /// Asks playlists of YouTube too.
    #[must_use]
    pub fn with_youtube(mut self, youtube: Youtube) -> Self {
        self.channels = Some(Channels { youtube, free_at: tokio::sync::Mutex::default() });
        self
    }

    /// Takes another catalogue into the store: its sources are the ones that are asked from now on. A
    /// poll that is under way is finished.
    ///
    /// # Errors
    ///
    /// When the store cannot be written; then nothing has changed.
    pub async fn adopt(&self, catalogue: &Catalogue) -> Result<(), store::Error> {
        let configured = adopt(&self.store, catalogue, self.clock.now()).await?;
        *self.configured.write().unwrap_or_else(PoisonError::into_inner) = configured;
        Ok(())
    }

    fn configured(&self) -> RwLockReadGuard<'_, Configured> {
        self.configured.read().unwrap_or_else(PoisonError::into_inner)
    }

    #[must_use]
    pub fn store(&self) -> &Store {
        &self.store
    }

    #[must_use]
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Has the hosts left alone that wanted it from whichever worker led before.
    pub(crate) async fn recall_holds(&self) -> Result<(), store::Error> {
        let now = self.clock.now();
        for (url, free_at) in self.store.held_hosts(now).await? {
            if let Ok(url) = Url::parse(&url) {
                self.gate.hold(&url, free_at - now, now);
            }
        }
        Ok(())
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
        self.store.claim(source.id, now + schedule::FAILURE_DELAY_SECONDS).await?;
        if let Some(playlist) = youtube::playlist(&url) {
            return self.poll_playlist(state, &playlist, now).await;
        }

        let turn = self.turns.at(&url).await;
        if let Some(free_at) = self.gate.held_until(&url, now) {
            self.store.claim(source.id, free_at).await?;
            return Ok(());
        }
        if let Some(check) = &state.reservation {
            self.store.claim(source.id, check.valid_until).await?;
            return Ok(());
        }

        let Answer { check, permit } = self.permit(state, &url, now).await?;
        let mut seen = match permit {
            None => {
                debug!(source = source.slug, verdict = check.verdict.as_str(), "not permitted");
                Seen::nothing(refused(state, &check, now))
            }
            Some(permit) => {
                let validators = Validators {
                    etag: state.etag.clone(),
                    last_modified: state.last_modified.clone(),
                };
                match self.ask(state, &url, permit, &validators, now).await? {
                    ControlFlow::Continue(answered) => self.answered(state, answered, now).await,
                    ControlFlow::Break(Unanswered { seen, .. }) => seen,
                }
            }
        };
        drop(turn);
        seen.next.host_free_at = self.gate.held_until(&url, now);
        let new_items = self.append(state, seen, now).await?;
        debug!(source = source.slug, new_items, "polled");
        Ok(())
    }

    /// Appends what was seen, and the gate's answers that are not on record yet.
    async fn append(
        &self,
        state: &SourceState,
        seen: Seen,
        now: UnixSeconds,
    ) -> Result<u32, store::Error> {
        let source = state.source.id;
        let seen = Seen { checks: self.gate.unrecorded(source), ..seen };
        let Appended { new_items, checks } = observe(&self.store, state, now, seen).await?;
        self.gate.recorded(source, &checks);
        Ok(new_items)
    }

    /// The gate's answer, on record before it is used: whatever happens, no request goes without its
    /// check.
    async fn permit(
        &self,
        state: &SourceState,
        url: &Url,
        now: UnixSeconds,
    ) -> Result<Answer, store::Error> {
        let source = state.source.id;
        let answer = self.gate.check(source, url, now).await;
        if answer.permit.as_ref().is_none_or(|permit| permit.check().is_some()) {
            return Ok(answer);
        }
        self.append(state, Seen::nothing(after(state, now)), now).await?;
        Ok(self.gate.check(source, url, now).await)
    }

    /// Uses the permit.
    async fn ask(
        &self,
        state: &SourceState,
        url: &Url,
        permit: Permit,
        validators: &Validators,
        now: UnixSeconds,
    ) -> Result<ControlFlow<Unanswered, Answered>, store::Error> {
        let source = &state.source;
        let crawl_delay_seconds = permit.crawl_delay();
        if let Some(seconds) = crawl_delay_seconds {
            self.gate.hold(url, seconds, now);
            if let Some(free_at) = self.gate.held_until(url, now) {
                self.store.hold_host(source.id, free_at).await?;
            }
        }
        let permitted_by = permit.check();
        let started = Instant::now();
        let fetched = fetch(&*self.web, &self.gate, permit, validators, now).await;
        let elapsed_ms = started.elapsed().as_millis() as i64;
        Ok(match fetched {
            Ok(fetched) => match self.gate.reserve(source.id, url, &fetched, now) {
                Some(check) => ControlFlow::Break(Unanswered {
                    refused: true,
                    seen: reserved(state, &fetched, &check, elapsed_ms, now),
                }),
                None => {
                    let hints = Hints { crawl_delay_seconds, ..hints(&fetched) };
                    ControlFlow::Continue(Answered { fetched, hints, elapsed_ms })
                }
            },
            Err(error) => ControlFlow::Break(Unanswered {
                refused: matches!(error, FetchError::Refused(_)),
                seen: failed(state, &error, permitted_by, elapsed_ms, now),
            }),
        })
    }

    async fn answered(&self, state: &SourceState, answered: Answered, now: UnixSeconds) -> Seen {
        let Answered { fetched, hints, elapsed_ms } = answered;
        let (mut row, mut next) = begun(state, &fetched, elapsed_ms, now);

        let body = match fetched.outcome {
            FetchOutcome::Body(body) => body,
            FetchOutcome::NotModified if state.listing.is_some() => {
                return Seen::of(row, self.paced(state, next, hints, false, now));
            }
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
            return Seen::of(row, self.paced(state, next, hints, false, now));
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
                let next = self.paced(state, next, hints, true, now);
                Seen { entries: parsed.entries, ..Seen::of(row, next) }
            }
            Err(reason) => unreadable(state, &reason, row, next, now),
        }
    }

    /// The state after an answer with a listing, with what it taught about the source's rhythm.
    fn paced(
        &self,
        state: &SourceState,
        next: NextState,
        hints: Hints,
        changed: bool,
        now: UnixSeconds,
    ) -> NextState {
        let rhythm = match state.last_answer_at {
            Some(before) => schedule::learn(state.rhythm, now - before, changed),
            None => state.rhythm,
        };
        let popularity = self.popularity.read().unwrap_or_else(PoisonError::into_inner);
        let pace = Pace {
            hints,
            rhythm,
            popularity: popularity
                .get(&state.source.slug)
                .copied()
                .unwrap_or(schedule::NEUTRAL_POPULARITY),
            floor_seconds: self.interval_seconds,
        };
        let next_check_at = schedule::next_slot(state.source.id, now, pace.interval_seconds());
        NextState { rhythm, next_check_at, ..next }
    }

    /// What is known of an answer of the source before its headers are looked at.
    fn context(&self, state: &SourceState, url: Url) -> parse::Context {
        let locale = self.configured().locales.get(&state.source.slug).cloned();
        parse::Context {
            url,
            content_type: None,
            content_language: None,
            timezone: locale.as_ref().map_or(Tz::UTC, |locale| locale.timezone),
            language: locale.map(|locale| locale.language).unwrap_or_default(),
            now: self.clock.now(),
        }
    }

    async fn parse(
        &self,
        state: &SourceState,
        body: Bytes,
        url: &Url,
        headers: &Headers,
    ) -> Result<Parsed, String> {
        let context = parse::Context {
            content_type: headers.get("content-type").map(str::to_owned),
            content_language: headers.get("content-language").map(str::to_owned),
            ..self.context(state, url.clone())
        };
        match cpu::run(move || parse::parse(&body, &context)).await {
            Some(parsed) => parsed.map_err(|error| error.to_string()),
            None => Err("the parser gave up on it".to_owned()),
        }
    }
}

/// Mirrors the catalogue in the store.
async fn adopt(
    store: &Store,
    catalogue: &Catalogue,
    now: UnixSeconds,
) -> Result<Configured, store::Error> {
    store.sync_sources(&catalogue.entries(), now).await?;
    let (mut locales, mut playlists) = (HashMap::new(), 0);
    for newsroom in &catalogue.newsrooms {
        for source in &newsroom.sources {
            let language = newsroom.language.clone();
            locales.insert(source.slug.clone(), Locale { language, timezone: newsroom.timezone });
            let playlist = Url::parse(&source.url).ok().and_then(|url| youtube::playlist(&url));
            playlists += usize::from(playlist.is_some());
        }
    }
    Ok(Configured { locales, playlists })
}

/// The row of an answer that says "not changed", until it is found to say more.
fn answer_row(fetched: &Fetched, elapsed_ms: i64) -> FetchRow {
    FetchRow {
        status: Some(fetched.status),
        outcome: Outcome::Unchanged,
        bytes: fetched.bytes,
        moved_to: fetched.moved_to.clone(),
        check: fetched.check,
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

/// What an answer leaves behind while it is taken for "not changed".
fn begun(
    state: &SourceState,
    fetched: &Fetched,
    elapsed_ms: i64,
    now: UnixSeconds,
) -> (FetchRow, NextState) {
    let mut row = answer_row(fetched, elapsed_ms);
    row.same_as = state.listing.as_ref().map(|listing| listing.fetch);
    let next = NextState {
        failures: 0,
        etag: fetched.etag.clone().or_else(|| state.etag.clone()),
        last_modified: fetched.last_modified.clone().or_else(|| state.last_modified.clone()),
        moved_to: fetched.moved_to.clone(),
        ..after(state, now)
    };
    (row, next)
}

/// A source's state as it is until something is learned.
fn after(state: &SourceState, now: UnixSeconds) -> NextState {
    NextState {
        next_check_at: now + schedule::FAILURE_DELAY_SECONDS,
        failures: state.failures,
        etag: state.etag.clone(),
        last_modified: state.last_modified.clone(),
        rhythm: state.rhythm,
        ..NextState::default()
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
    next.next_check_at =
        now + schedule::delay_after_failure(state.source.id, Hints::default(), next.failures);
    let row =
        FetchRow { outcome: Outcome::Failed, same_as: None, error: Some(reason.to_owned()), ..row };
    Seen::of(row, next)
}

/// The answer itself carries a reservation: its content is dropped unread.
fn reserved(
    state: &SourceState,
    fetched: &Fetched,
    check: &GateCheck,
    elapsed_ms: i64,
    now: UnixSeconds,
) -> Seen {
    let row = FetchRow {
        outcome: Outcome::Failed,
        error: Some(check.reason.clone()),
        ..answer_row(fetched, elapsed_ms)
    };
    Seen::of(row, refused(state, check, now))
}

fn failed(
    state: &SourceState,
    error: &FetchError,
    permitted_by: Option<i64>,
    elapsed_ms: i64,
    now: UnixSeconds,
) -> Seen {
    let mut next = after(state, now);
    if let FetchError::NotYet { until, .. } = error {
        next.next_check_at = *until;
    } else {
        next.failures += 1;
        let hints = Hints { retry_after_seconds: error.retry_after_seconds(), ..Hints::default() };
        next.next_check_at =
            now + schedule::delay_after_failure(state.source.id, hints, next.failures);
        next.stopped = error.is_gone().then(|| error.to_string());
    }
    let row = FetchRow {
        check: permitted_by,
        status: error.status(),
        ..failure_row(&state.source.url, error.to_string(), elapsed_ms)
    };
    Seen::of(row, next)
}

/// A refused source is asked about again when the refusal runs out.
fn refused(state: &SourceState, check: &GateCheck, now: UnixSeconds) -> NextState {
    let (soonest, latest) = (now + schedule::MIN_DELAY_SECONDS, now + schedule::MAX_DELAY_SECONDS);
    NextState {
        next_check_at: check.valid_until.clamp(soonest, latest),
        failures: 0,
        ..after(state, now)
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
