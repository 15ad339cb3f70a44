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
}

/// The gate's answer about one address.
#[derive(Debug)]
pub struct Answer {
    pub check: GateCheck,
    /// It rests on documents or says things that no earlier answer about this address did, and so has
    /// to be recorded.
    pub fresh: bool,
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
    answers: Mutex<HashMap<(SourceId, Url), GateCheck>>,
    /// Signals that came with an answer, and until when they hold.
    said: Mutex<HashMap<Url, (Vec<Found>, UnixSeconds)>>,
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

/// What follows from how robots.txt was answered.
enum Access {
    Rules(Robots),
    /// A client error: no restriction.
    Unrestricted,
    /// Why it could not be read.
    Unreachable(String),
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
            said: Mutex::default(),
        }
    }

    /// May `url` be fetched for `source`? Reads the site's documents first, if none are valid.
    pub async fn check(&self, source: SourceId, url: &Url, now: UnixSeconds) -> Answer {
        let documents = self.documents(url, now).await;
        let check = self.judge(&documents, source, url, now);
        let permit = (check.verdict == Verdict::Allowed).then(|| Permit {
            source,
            url: url.clone(),
            crawl_delay_seconds: documents.crawl_delay_seconds(),
        });
        Answer { fresh: self.is_new(url, &check), check, permit }
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
        let known = lock(&self.answers).get(&(source, url.clone())).cloned();
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
        self.is_new(url, &check);
        Some(check)
    }

    /// Remembers the answer; false when the last one about this address was the same.
    fn is_new(&self, url: &Url, check: &GateCheck) -> bool {
        let mut answers = lock(&self.answers);
        if answers.len() >= MAX_REMEMBERED {
            answers.clear();
        }
        let last = answers.insert((check.source, url.clone()), check.clone());
        last.is_none_or(|last| GateCheck { at: check.at, ..last } != *check)
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
        let answer = self.follow(&robots_url, MAX_ROBOTS_BYTES).await;
        let status = answer.as_ref().ok().map(|answer| answer.status);
        let mut valid_until = now + VALID_SECONDS;
        let mut sha256 = None;
        let access = match answer {
            Ok(Response { status: 200..=299, body, .. }) => {
                sha256 = Some(hex(&body));
                Access::Rules(Robots::parse(&body, &self.token))
            }
            // A rate limit is no answer to the question.
            Ok(Response { status: 400..=499, .. }) if status != Some(429) => Access::Unrestricted,
            Ok(Response { status, headers, .. }) => {
                let wish = headers.get("retry-after").and_then(|wish| retry_after(wish, now));
                valid_until = now + wish.unwrap_or(0).clamp(UNREACHABLE_SECONDS, VALID_SECONDS);
                Access::Unreachable(format!("it answers {status}"))
            }
            Err(reason) => {
                valid_until = now + UNREACHABLE_SECONDS;
                Access::Unreachable(reason)
            }
        };
        // By its protocol a tdmrep.json that cannot be had reserves nothing.
        let tdm = match (&access, url.join("/.well-known/tdmrep.json")) {
            (Access::Unreachable(_), _) | (_, Err(_)) => TdmFile::default(),
            (_, Ok(tdm_url)) => match self.follow(&tdm_url, MAX_ROBOTS_BYTES).await {
                Ok(Response { status: 200, body, .. }) => TdmFile::parse(&body),
                _ => TdmFile::default(),
            },
        };
        let mut licenses = Vec::new();
        if let Access::Rules(robots) = &access {
            for link in robots.licenses().iter().take(MAX_LICENSES) {
                licenses.push((link.clone(), self.license(link).await));
            }
        }
        Documents { robots_url, status, sha256, access, tdm, licenses, valid_until }
    }

    async fn license(&self, link: &str) -> Option<String> {
        let url = Url::parse(link).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
        let answer = self.follow(&url, MAX_ROBOTS_BYTES).await.ok()?;
        (answer.status == 200).then(|| String::from_utf8_lossy(&answer.body).into_owned())
    }

    /// The answer at the end of at most five redirects, to other hosts too: a document about a site
    /// may be kept elsewhere.
    async fn follow(&self, url: &Url, max_bytes: usize) -> Result<Response, String> {
        let mut url = url.clone();
        for _ in 0..=MAX_REDIRECTS {
            let request =
                Request { url: url.clone(), headers: Vec::new(), limit: Limit::Cut(max_bytes) };
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
            (Access::Unreachable(reason), _) => (
                Verdict::Unreachable,
                format!("robots.txt cannot be read ({reason}), so nothing is fetched."),
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
            Access::Unrestricted | Access::Unreachable(_) => None,
        }
    }
}

/// All signals in one text, those that block first.
fn tdm_signal(found: &[Found]) -> Option<String> {
    let (blocking, shown): (Vec<&Found>, Vec<&Found>) =
        found.iter().partition(|found| found.signal.blocks);
    let texts: Vec<String> = blocking.into_iter().chain(shown).map(Found::text).collect();
    (!texts.is_empty()).then(|| texts.join("; "))
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
