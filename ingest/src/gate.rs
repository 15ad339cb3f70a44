//! The check of robots.txt and of TDM reservations that every request to a source passes first.
//!
//! Invariant: only the gate makes a [`Permit`], and only with one can [`crate::fetch::fetch`] ask
//! (nothing else builds one; the demo newsrooms' request log is held against the recorded verdicts).
//! Any error means no.

mod robots;
mod rsl;
mod tdm;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use model::{GateCheck, SourceId, UnixSeconds, Verdict};
use sha2::{Digest, Sha256};
use url::{Position, Url};

pub use robots::{MAX_ROBOTS_BYTES, Robots, Rule};
pub use rsl::Terms;
pub use tdm::{
    Found, Preference, Reservation, SIGNALS, Signal, TdmFile, found_in_answer, header_reservation,
    html_reservation, robots_directives,
};

use crate::fetch::{FetchOutcome, Fetched, location, retry_after};
use crate::web::{Limit, Request, Response, Web};

/// Longest time for which documents that were read are believed (RFC 9309, section 2.4).
pub const VALID_SECONDS: i64 = 24 * 3_600;
/// When a robots.txt that could not be read is asked for again.
pub const UNREACHABLE_SECONDS: i64 = 3_600;
/// Redirects that are followed to a robots.txt or tdmrep.json (RFC 9309, section 2.3.1.2).
const MAX_REDIRECTS: usize = 5;
/// Licences that are read of one site.
const MAX_LICENSES: usize = 4;
/// Sites and addresses that are remembered; beyond it memory starts anew.
const MAX_REMEMBERED: usize = 50_000;

/// Leave to fetch one address once. Only the gate makes it, and fetching uses it up.
#[derive(Debug)]
pub struct Permit {
    source: SourceId,
    url: Url,
    crawl_delay_seconds: Option<i64>,
    check: Option<i64>,
}

impl Permit {
    #[must_use]
    pub fn source(&self) -> SourceId {
        self.source
    }

    #[must_use]
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// Seconds that the host wants between two requests.
    #[must_use]
    pub fn crawl_delay(&self) -> Option<i64> {
        self.crawl_delay_seconds
    }

    /// The check that it rests on, once that is on record.
    #[must_use]
    pub fn check(&self) -> Option<i64> {
        self.check
    }
}

/// The gate's answer about one address.
#[derive(Debug)]
pub struct Answer {
    pub check: GateCheck,
    /// `None` unless the verdict is "allowed".
    pub permit: Option<Permit>,
}

/// Reads, remembers and applies what sites say to crawlers.
pub struct Gate {
    web: Arc<dyn Web>,
    user_agent: String,
    token: String,
    /// Per scheme, host and port; the inner lock lets one caller read while the others wait.
    origins: Mutex<HashMap<String, Slot>>,
    /// The last answer about each address, and where it is on record.
    answers: Mutex<HashMap<(SourceId, Url), Remembered>>,
    /// Answers that are not on record yet, in the order in which they were given.
    unrecorded: Mutex<HashMap<SourceId, Vec<GateCheck>>>,
    /// Signals that came with an answer, and until when they hold.
    said: Mutex<HashMap<Url, (Vec<Found>, UnixSeconds)>>,
    /// Until when a host wants to be left alone.
    holds: Mutex<HashMap<String, UnixSeconds>>,
}

struct Remembered {
    check: GateCheck,
    recorded: Option<i64>,
}

type Slot = Arc<tokio::sync::Mutex<Option<Arc<Documents>>>>;

/// What a site says to crawlers.
struct Documents {
    robots_url: Url,
    status: Option<u16>,
    sha256: Option<String>,
    access: Access,
    tdm: TdmFile,
    /// RSL licences that robots.txt names: their addresses and, where they could be had, texts.
    licenses: Vec<(String, Option<String>)>,
    valid_until: UnixSeconds,
}

/// What follows from how robots.txt and tdmrep.json were answered.
enum Access {
    Rules(Robots),
    /// A client error: no restriction.
    Unrestricted,
    /// Which document could not be had, and why.
    Unreachable {
        document: &'static str,
        reason: String,
    },
}

/// Why a document cannot be had just now, and until when that is believed.
struct Lacking {
    reason: String,
    until: UnixSeconds,
}

impl Gate {
    /// `user_agent` is what `web` sends; the product token, by which robots.txt calls a crawler, is
    /// its beginning.
    #[must_use]
    pub fn new(web: Arc<dyn Web>, user_agent: &str) -> Self {
        let in_token = |c: &char| c.is_ascii_alphabetic() || matches!(c, '_' | '-');
        Self {
            web,
            user_agent: user_agent.to_owned(),
            token: user_agent.chars().take_while(in_token).collect(),
            origins: Mutex::default(),
            answers: Mutex::default(),
            unrecorded: Mutex::default(),
            said: Mutex::default(),
            holds: Mutex::default(),
        }
    }

    /// May `url` be fetched for `source`? Reads the site's documents first, if none are valid.
    pub async fn check(&self, source: SourceId, url: &Url, now: UnixSeconds) -> Answer {
        let documents = self.documents(url, now).await;
        let check = self.judge(&documents, source, url, now);
        let recorded = self.remember(url, &check);
        let permit = (check.verdict == Verdict::Allowed).then(|| Permit {
            source,
            url: url.clone(),
            crawl_delay_seconds: documents.crawl_delay_seconds(),
            check: recorded,
        });
        Answer { check, permit }
    }

    /// Answers about a source that are not on record, oldest first. An answer that rests on the same
    /// documents and says the same as the last one about its address is not recorded again.
    #[must_use]
    pub fn unrecorded(&self, source: SourceId) -> Vec<GateCheck> {
        lock(&self.unrecorded).get(&source).cloned().unwrap_or_default()
    }

    /// The source's unrecorded answers are on record now, under these ids.
    pub fn recorded(&self, source: SourceId, ids: &[i64]) {
        let checks = lock(&self.unrecorded).remove(&source).unwrap_or_default();
        let mut answers = lock(&self.answers);
        for (check, id) in checks.into_iter().zip(ids) {
            let about = Url::parse(&check.url).ok().map(|url| (source, url));
            let known = about.and_then(|about| answers.get_mut(&about));
            if let Some(known) = known.filter(|known| known.check == check) {
                known.recorded = Some(*id);
            }
        }
    }

    /// Has the address's host left alone for so long, at most a day.
    pub fn hold(&self, url: &Url, seconds: i64, now: UnixSeconds) {
        let until = now + seconds.clamp(0, VALID_SECONDS);
        let mut holds = lock(&self.holds);
        let held = holds.entry(host(url)).or_insert(until);
        *held = until.max(*held);
    }

    /// Until when the address's host wants to be left alone, if that is after `now`.
    #[must_use]
    pub fn held_until(&self, url: &Url, now: UnixSeconds) -> Option<UnixSeconds> {
        let mut holds = lock(&self.holds);
        holds.retain(|_, until| *until > now);
        holds.get(&host(url)).copied()
    }

    /// Leave to ask a publisher's own API, whose terms the operator has accepted with a key: robots.txt
    /// speaks to crawlers. It holds until the day ends, and so is recorded once a day.
    #[must_use]
    pub fn agreed(&self, source: SourceId, url: &Url, now: UnixSeconds) -> Answer {
        let check = GateCheck {
            source,
            at: now,
            url: url.to_string(),
            user_agent: self.user_agent.clone(),
            robots_url: robots_url(url).to_string(),
            robots_status: None,
            robots_sha256: None,
            matched_rule: None,
            tdm_signal: None,
            verdict: Verdict::Allowed,
            reason: "It is the publisher's API, asked with the operator's key under its terms; \
                robots.txt speaks to crawlers and was not read."
                .to_owned(),
            valid_until: (now.div_euclid(VALID_SECONDS) + 1) * VALID_SECONDS,
        };
        let recorded = self.remember(url, &check);
        let permit =
            Permit { source, url: url.clone(), crawl_delay_seconds: None, check: recorded };
        Answer { check, permit: Some(permit) }
    }

    /// Remembers the signals that the answer from `url` carries itself: they hold for a day. `Some`: they
    /// reserve, so the content must not be used, and the gate says no until they are looked at once more.
    #[must_use]
    pub fn reserve(
        &self,
        source: SourceId,
        url: &Url,
        fetched: &Fetched,
        now: UnixSeconds,
    ) -> Option<GateCheck> {
        let page = match &fetched.outcome {
            FetchOutcome::Body(body) if fetched.is_html() => Some(String::from_utf8_lossy(body)),
            _ => None,
        };
        let found = found_in_answer(&fetched.headers, page.as_deref());
        if found.is_empty() {
            return None;
        }
        let until = now + VALID_SECONDS;
        let mut said = lock(&self.said);
        said.retain(|_, (_, until)| *until > now);
        said.insert(url.clone(), (found.clone(), until));
        drop(said);

        let blocking = found.iter().find(|found| found.signal.blocks)?;
        let about = (source, url.clone());
        let known = lock(&self.answers).get(&about).map(|known| known.check.clone());
        let check = GateCheck {
            source,
            at: now,
            url: url.to_string(),
            user_agent: self.user_agent.clone(),
            robots_url: robots_url(url).to_string(),
            robots_status: known.as_ref().and_then(|check| check.robots_status),
            robots_sha256: known.as_ref().and_then(|check| check.robots_sha256.clone()),
            matched_rule: known.and_then(|check| check.matched_rule),
            tdm_signal: tdm_signal(&found),
            verdict: Verdict::Reserved,
            reason: blocking.signal.reason.to_owned(),
            valid_until: until,
        };
        self.remember(url, &check);
        Some(check)
    }

    /// Remembers the answer, to be recorded unless the last one about this address was the same;
    /// then where that one is on record.
    fn remember(&self, url: &Url, check: &GateCheck) -> Option<i64> {
        let mut answers = lock(&self.answers);
        if answers.len() >= MAX_REMEMBERED {
            answers.clear();
        }
        let about = (check.source, url.clone());
        if let Some(last) = answers.get(&about)
            && (GateCheck { at: check.at, ..last.check.clone() }) == *check
        {
            return last.recorded;
        }
        answers.insert(about, Remembered { check: check.clone(), recorded: None });
        lock(&self.unrecorded).entry(check.source).or_default().push(check.clone());
        None
    }

    async fn documents(&self, url: &Url, now: UnixSeconds) -> Arc<Documents> {
        let origin = url.origin().ascii_serialization();
        let slot = {
            let mut origins = lock(&self.origins);
            if origins.len() >= MAX_REMEMBERED {
                origins.clear();
            }
            Arc::clone(origins.entry(origin).or_default())
        };
        let mut slot = slot.lock().await;
        if let Some(documents) = slot.as_ref().filter(|documents| documents.valid_until > now) {
            return Arc::clone(documents);
        }
        let documents = Arc::new(self.read(url, now).await);
        *slot = Some(Arc::clone(&documents));
        documents
    }

    async fn read(&self, url: &Url, now: UnixSeconds) -> Documents {
        let robots_url = robots_url(url);
        let mut documents = Documents {
            robots_url: robots_url.clone(),
            status: None,
            sha256: None,
            access: Access::Unrestricted,
            tdm: TdmFile::default(),
            licenses: Vec::new(),
            valid_until: now + VALID_SECONDS,
        };
        let answer = self.follow(&robots_url).await;
        documents.status = answer.as_ref().ok().map(|answer| answer.status);
        match had(answer, now) {
            Ok(Response { status: 200..=299, body, .. }) => {
                documents.sha256 = Some(hex(&body));
                documents.access = Access::Rules(Robots::parse(&body, &self.token));
            }
            Ok(_) => {}
            Err(lacking) => return documents.lacking("robots.txt", lacking),
        }
        if let Ok(tdm_url) = url.join("/.well-known/tdmrep.json") {
            match had(self.follow(&tdm_url).await, now) {
                Ok(Response { status: 200, body, .. }) => documents.tdm = TdmFile::parse(&body),
                // By its protocol a file that is not there reserves nothing.
                Ok(_) => {}
                Err(lacking) => return documents.lacking("tdmrep.json", lacking),
            }
        }
        if let Access::Rules(robots) = &documents.access {
            for link in robots.licenses().iter().take(MAX_LICENSES) {
                documents.licenses.push((link.clone(), self.license(link).await));
            }
        }
        documents
    }

    async fn license(&self, link: &str) -> Option<String> {
        let url = Url::parse(link).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
        let answer = self.follow(&url).await.ok()?;
        (answer.status == 200).then(|| String::from_utf8_lossy(&answer.body).into_owned())
    }

    /// The answer at the end of at most five redirects, to other hosts too: a document about a site
    /// may be kept elsewhere.
    async fn follow(&self, url: &Url) -> Result<Response, String> {
        let mut url = url.clone();
        for _ in 0..=MAX_REDIRECTS {
            let limit = Limit::Cut(MAX_ROBOTS_BYTES);
            let request = Request { url: url.clone(), headers: Vec::new(), limit };
            let answer = self.web.get(&request).await.map_err(|error| error.to_string())?;
            match answer.status {
                301 | 302 | 303 | 307 | 308 => {
                    url = location(&url, &answer.headers)
                        .ok_or_else(|| "it redirects to no address".to_owned())?;
                }
                _ => return Ok(answer),
            }
        }
        Err(format!("it redirects more than {MAX_REDIRECTS} times"))
    }

    fn judge(
        &self,
        documents: &Documents,
        source: SourceId,
        url: &Url,
        now: UnixSeconds,
    ) -> GateCheck {
        let path = &url[Position::BeforePath..Position::AfterQuery];
        let mut found: Vec<Found> = documents.tdm.found(path).into_iter().collect();
        let mut matched_rule = None;
        let (mut verdict, mut reason) = match (&documents.access, documents.status) {
            (Access::Unreachable { document, reason }, _) => (
                Verdict::Unreachable,
                format!("{document} cannot be read ({reason}), so nothing is fetched."),
            ),
            (Access::Unrestricted, Some(status @ (401 | 403))) => (
                Verdict::Allowed,
                format!(
                    "robots.txt is closed to us ({status}), which RFC 9309 takes for no restriction."
                ),
            ),
            (Access::Unrestricted, status) => (
                Verdict::Allowed,
                format!(
                    "There is no robots.txt ({}), so there is no restriction.",
                    status.unwrap_or_default()
                ),
            ),
            (Access::Rules(robots), _) => {
                found.extend(robots.preferences(path).iter().filter_map(Preference::found));
                for (link, document) in &documents.licenses {
                    let terms = document.as_ref().map(|document| rsl::terms(document, url));
                    found.extend(tdm::license(link, &terms.unwrap_or_default()));
                }
                let rule = robots.rule(path);
                matched_rule = rule.map(|rule| rule.line.clone());
                match rule {
                    None => (Verdict::Allowed, "robots.txt has no rule about it.".to_owned()),
                    Some(rule) if rule.allow => {
                        (Verdict::Allowed, "robots.txt allows it.".to_owned())
                    }
                    Some(_) => (Verdict::Disallowed, "robots.txt disallows it.".to_owned()),
                }
            }
        };
        let mut valid_until = documents.valid_until;
        if let Some((said, until)) = lock(&self.said).get(url).filter(|(_, until)| *until > now) {
            valid_until = valid_until.min(*until);
            found.extend(said.iter().cloned());
        }
        if verdict == Verdict::Allowed
            && let Some(blocking) = found.iter().find(|found| found.signal.blocks)
        {
            verdict = Verdict::Reserved;
            reason = blocking.signal.reason.to_owned();
        }
        GateCheck {
            source,
            at: now,
            url: url.to_string(),
            user_agent: self.user_agent.clone(),
            robots_url: documents.robots_url.to_string(),
            robots_status: documents.status,
            robots_sha256: documents.sha256.clone(),
            matched_rule,
            tdm_signal: tdm_signal(&found),
            verdict,
            reason,
            valid_until,
        }
    }
}

impl Documents {
    fn crawl_delay_seconds(&self) -> Option<i64> {
        match &self.access {
            Access::Rules(robots) => robots.crawl_delay_seconds(),
            Access::Unrestricted | Access::Unreachable { .. } => None,
        }
    }

    fn lacking(self, document: &'static str, Lacking { reason, until }: Lacking) -> Self {
        Self { access: Access::Unreachable { document, reason }, valid_until: until, ..self }
    }
}

/// The document, or the answer that there is none; a rate limit and an error of the server's are no
/// answers to the question.
fn had(answer: Result<Response, String>, now: UnixSeconds) -> Result<Response, Lacking> {
    match answer {
        Ok(answer) if matches!(answer.status, 200..=299 | 400..=428 | 430..=499) => Ok(answer),
        Ok(Response { status, headers, .. }) => {
            let wish = headers.get("retry-after").and_then(|wish| retry_after(wish, now));
            let until = now + wish.unwrap_or(0).clamp(UNREACHABLE_SECONDS, VALID_SECONDS);
            Err(Lacking { reason: format!("it answers {status}"), until })
        }
        Err(reason) => Err(Lacking { reason, until: now + UNREACHABLE_SECONDS }),
    }
}

/// All signals in one text, those that block first.
fn tdm_signal(found: &[Found]) -> Option<String> {
    let (blocking, shown): (Vec<&Found>, Vec<&Found>) =
        found.iter().partition(|found| found.signal.blocks);
    let texts: Vec<String> = blocking.into_iter().chain(shown).map(Found::text).collect();
    (!texts.is_empty()).then(|| texts.join("; "))
}

fn host(url: &Url) -> String {
    url.host_str().unwrap_or_default().to_owned()
}

/// The robots.txt of the address's scheme, host and port.
fn robots_url(url: &Url) -> Url {
    let mut robots = url.clone();
    robots.set_path("/robots.txt");
    robots.set_query(None);
    robots.set_fragment(None);
    robots
}

fn hex(body: &Bytes) -> String {
    Sha256::digest(body).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic elsewhere cannot leave these maps half written.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
