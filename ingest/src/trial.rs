//! Sources tried one by one, as a poll would ask them: gate → fetch → parse. Nothing is recorded and no
//! store is needed.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use model::{GateCheck, SourceId, UnixSeconds};
use url::Url;

use crate::clock::Clock;
use crate::cpu;
use crate::fetch::{FetchError, FetchOutcome, Validators, fetch};
use crate::gate::Gate;
use crate::parse::{self, NotAFeed, Parsed};
use crate::source::{Catalogue, NewsroomConfig, SourceConfig};
use crate::web::Web;
use crate::youtube::{self, Youtube};

/// Hosts that are asked at once, each for one thing at a time.
const HOSTS_AT_ONCE: usize = 16;

/// What came of trying a source.
#[derive(Debug)]
pub struct Trial {
    pub newsroom: String,
    pub source: String,
    /// The gate's answer about the source's address.
    pub check: GateCheck,
    /// HTTP status of the feed's answer; `None` when it was not asked or gave none.
    pub status: Option<u16>,
    pub outcome: Outcome,
}

#[derive(Debug)]
pub enum Outcome {
    Listed {
        items: usize,
        /// What could not be read, one English sentence each.
        defects: Vec<String>,
        /// The newest time that an item claims.
        newest: Option<UnixSeconds>,
    },
    /// The publisher does not want it to be fetched or used, here or where it redirects to.
    Refused(String),
    /// Why there is no listing though nobody said no.
    Failed(String),
}

/// Tries every source of the catalogue and answers in its order; `each` is called as one is done. A
/// host is asked for one thing at a time, with its crawl delay between.
pub async fn trials(
    web: Arc<dyn Web>,
    user_agent: &str,
    youtube: Option<&Youtube>,
    clock: &Clock,
    catalogue: &Catalogue,
    each: impl Fn(),
) -> Vec<Trial> {
    let gate = Gate::new(Arc::clone(&web), user_agent);
    let mut hosts: HashMap<String, Vec<Asked<'_>>> = HashMap::new();
    let listed = catalogue
        .newsrooms
        .iter()
        .flat_map(|newsroom| newsroom.sources.iter().map(move |source| (newsroom, source)));
    for (number, (newsroom, source)) in (1..).zip(listed) {
        let Ok(url) = Url::parse(&source.url) else { continue };
        let host = url.host_str().unwrap_or_default().to_owned();
        let asked = Asked { id: SourceId(number), newsroom, source, url };
        hosts.entry(host).or_default().push(asked);
    }
    let (web, gate, each) = (&*web, &gate, &each);
    let mut trials: Vec<(SourceId, Trial)> = futures::stream::iter(hosts.into_values())
        .map(|sources| async move {
            let mut trials = Vec::new();
            let mut delay = None;
            for asked in sources {
                if let Some(delay) = delay {
                    tokio::time::sleep(delay).await;
                }
                let id = asked.id;
                let playlist = youtube::playlist(&asked.url);
                let (trial, crawl_delay) = match playlist {
                    Some(list) => {
                        (asked.playlist(&list, web, gate, youtube, clock.now()).await, None)
                    }
                    None => asked.trial(web, gate, clock.now()).await,
                };
                delay = crawl_delay;
                trials.push((id, trial));
                each();
            }
            futures::stream::iter(trials)
        })
        .buffer_unordered(HOSTS_AT_ONCE)
        .flatten()
        .collect()
        .await;
    trials.sort_unstable_by_key(|(id, _)| *id);
    trials.into_iter().map(|(_, trial)| trial).collect()
}

struct Asked<'a> {
    id: SourceId,
    newsroom: &'a NewsroomConfig,
    source: &'a SourceConfig,
    url: Url,
}

impl Asked<'_> {
    /// The trial, and what the host wants between two requests.
    async fn trial(
        self,
        web: &dyn Web,
        gate: &Gate,
        now: UnixSeconds,
    ) -> (Trial, Option<Duration>) {
        let answer = gate.check(self.id, &self.url, now).await;
        let mut trial = Trial {
            newsroom: self.newsroom.slug.clone(),
            source: self.source.slug.clone(),
            outcome: Outcome::Failed(answer.check.reason.clone()),
            status: None,
            check: answer.check,
        };
        let Some(permit) = answer.permit else {
            if trial.check.verdict != model::Verdict::Unreachable {
                trial.outcome = Outcome::Refused(trial.check.reason.clone());
            }
            return (trial, None);
        };
        let delay = permit.crawl_delay().and_then(|seconds| u64::try_from(seconds).ok());
        let fetched = fetch(web, gate, permit, &Validators::default(), now).await;
        match fetched {
            Err(error) => {
                trial.status = error.status();
                trial.outcome = match error {
                    FetchError::Refused(_) => Outcome::Refused(error.to_string()),
                    _ => Outcome::Failed(error.to_string()),
                };
            }
            Ok(fetched) => {
                trial.status = Some(fetched.status);
                if let Some(check) = gate.reserve(self.id, &self.url, &fetched, now) {
                    trial.outcome = Outcome::Refused(check.reason.clone());
                    trial.check = check;
                } else if let FetchOutcome::Body(body) = fetched.outcome {
                    let header = |name: &str| fetched.headers.get(name).map(str::to_owned);
                    let context = parse::Context {
                        content_type: header("content-type"),
                        content_language: header("content-language"),
                        ..self.context(fetched.final_url.clone(), now)
                    };
                    trial.outcome = outcome(move || parse::parse(&body, &context)).await;
                } else {
                    trial.outcome = Outcome::Failed("304 without being asked for it".to_owned());
                }
            }
        }
        (trial, delay.map(Duration::from_secs))
    }

    /// As [`Self::trial`], through the API; without a key it only says so.
    async fn playlist(
        self,
        list: &str,
        web: &dyn Web,
        gate: &Gate,
        youtube: Option<&Youtube>,
        now: UnixSeconds,
    ) -> Trial {
        let url = youtube.map_or_else(|| self.url.clone(), |youtube| youtube.address(list));
        let answer = gate.agreed(self.id, &url, now);
        let mut trial = Trial {
            newsroom: self.newsroom.slug.clone(),
            source: self.source.slug.clone(),
            outcome: Outcome::Failed(
                "it is asked through YouTube's API, which wants a key".to_owned(),
            ),
            status: None,
            check: answer.check,
        };
        if let (Some(youtube), Some(permit)) = (youtube, answer.permit) {
            match youtube.listing(web, permit).await {
                Ok(listing) => {
                    trial.status = Some(200);
                    let context = self.context(url, now);
                    trial.outcome = outcome(move || listing.parse(&context)).await;
                }
                Err(error) => {
                    trial.status = error.status();
                    trial.outcome = Outcome::Failed(error.to_string());
                }
            }
        }
        trial
    }

    fn context(&self, url: Url, now: UnixSeconds) -> parse::Context {
        parse::Context {
            url,
            content_type: None,
            content_language: None,
            language: self.newsroom.language.clone(),
            timezone: self.newsroom.timezone,
            now,
        }
    }
}

async fn outcome(parse: impl FnOnce() -> Result<Parsed, NotAFeed> + Send + 'static) -> Outcome {
    match cpu::run(parse).await {
        Some(Ok(parsed)) => Outcome::Listed {
            items: parsed.entries.len(),
            newest: parsed.entries.iter().filter_map(|entry| entry.claimed_at).max(),
            defects: parsed.defects,
        },
        Some(Err(error)) => Outcome::Failed(error.to_string()),
        None => Outcome::Failed("the parser gave up on it".to_owned()),
    }
}
