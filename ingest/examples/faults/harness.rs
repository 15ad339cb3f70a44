//! Some days of the invented newsrooms in which everything goes wrong, and what is left at their end.
//!
//! What befalls the newsrooms' answers is a function of the seed ([`demo::Faults`]). Beside that the
//! worker is killed, sessions are cut and PostgreSQL is restarted, each after a number of requests that
//! the seed draws. A killed worker is one whose task is aborted wherever it happens to be; the next one
//! knows only what is in the database.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};
use demo::{Faults, LoggedRequest, Newsrooms, Plan, Robots, is_gate_document};
use embedded_postgres::{Config, Postgres};
use ingest::clock::Clock;
use ingest::poll::Line;
use ingest::source::Catalogue;
use ingest::web::{Http, HttpConfig};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde::Serialize;
use sqlx::{Connection, PgConnection, PgPool};
use store::{Store, Verification};
use tokio::net::TcpListener;

/// 14 August 2026, 06:00 UTC.
const START: i64 = 1_786_687_200;
const HOUR: i64 = 3_600;
const DAY: i64 = 24 * HOUR;
const POLL_SECONDS: i64 = 10 * 60;
/// Stalls and drips last as long as this, in real time.
const TIMEOUT: Duration = Duration::from_secs(1);
/// Requests between two mishaps.
const PEACE: std::ops::Range<u64> = 20..600;
/// A story that stood so long in a feed that answers is owed: a bad hour and the longest back-off
/// after it have passed in this time, and the feed was asked in the rest.
const OWED_SECONDS: i64 = 6 * HOUR;
/// A prohibition that was read is believed for a day; then the feed is asked again.
const FORGIVEN_SECONDS: i64 = DAY + 2 * HOUR;

#[derive(Clone, Copy, Debug)]
enum Mishap {
    KillWorker,
    CutSessions,
    RestartPostgres,
}

/// What happened, and what is wrong at the end: three lists that should be empty.
#[derive(Debug, Serialize)]
pub struct Outcome {
    pub seed: u64,
    pub days: u32,
    pub requests: usize,
    /// By kind: of answers, and of the service itself.
    pub faults: BTreeMap<&'static str, u64>,
    /// Stories that stood in a feed at some time.
    pub served: usize,
    /// Those that stood long enough, in a feed that might be read.
    pub owed: usize,
    pub recorded: usize,
    pub batches: i64,
    /// Owed, but not in history.
    pub lost: Vec<String>,
    /// In history more than once.
    pub twice: Vec<String>,
    /// Requests that robots.txt as it was last read, or history, do not permit.
    pub unpermitted: Vec<String>,
}

impl Outcome {
    pub fn is_clean(&self) -> bool {
        self.lost.is_empty() && self.twice.is_empty() && self.unpermitted.is_empty()
    }
}

/// Lives through `days` with everything that `seed` says goes wrong; PostgreSQL lives in `dir`.
///
/// # Errors
///
/// When the harness itself cannot go on, or the chain does not verify.
pub async fn run(seed: u64, days: u32, dir: &Path) -> Result<Outcome> {
    let mut world = World::start(seed, days, dir).await?;
    world.live().await?;
    let outcome = world.judge().await;
    world.newsrooms.stop().await;
    world.postgres.take();
    outcome
}

struct World {
    seed: u64,
    days: u32,
    faults: Faults,
    plan: Plan,
    port: u16,
    clock: Clock,
    newsrooms: Newsrooms,
    /// Requests so far.
    asked: Arc<AtomicU64>,
    catalogue: Catalogue,
    config: Config,
    postgres: Option<Postgres>,
    happened: BTreeMap<&'static str, u64>,
}

impl World {
    async fn start(seed: u64, days: u32, dir: &Path) -> Result<Self> {
        let faults = Faults { seed };
        let plan = Plan::generate(seed, START, days);
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let port = listener.local_addr()?.port();
        let catalogue = Catalogue::parse("the demo's sources", &demo::sources_toml(&plan, port))?;
        let clock = Clock::virtual_at(START);
        let asked = Arc::new(AtomicU64::new(0));
        let (time, count) = (clock.clone(), Arc::clone(&asked));
        let now = Arc::new(move || {
            count.fetch_add(1, Ordering::SeqCst);
            time.now()
        });
        let newsrooms = Newsrooms::start_with(plan.clone(), listener, now, Some(faults)).await;
        let config = Config { dir: dir.to_owned(), durable: true };
        let postgres = start_postgres(&config).await?;
        Ok(Self {
            seed,
            days,
            faults,
            plan,
            port,
            clock,
            newsrooms,
            asked,
            catalogue,
            config,
            postgres: Some(postgres),
            happened: BTreeMap::new(),
        })
    }

    fn end(&self) -> i64 {
        START + i64::from(self.days) * DAY
    }

    async fn store(&self) -> Result<Store> {
        let postgres = self.postgres.as_ref().context("PostgreSQL is down")?;
        Ok(Store::connect(&postgres.url()).await?)
    }

    /// One worker after the other, until the days are over.
    async fn live(&mut self) -> Result<()> {
        let mut rng = StdRng::seed_from_u64(self.seed);
        self.store().await?.ensure_partitions(START - 40 * DAY, self.end() + 40 * DAY).await?;
        let mut worker = None;
        loop {
            let mut working = match worker.take() {
                Some(working) => working,
                None => self.worker().await?,
            };
            let at = self.asked.load(Ordering::SeqCst) + rng.random_range(PEACE);
            let moment = Duration::from_micros(rng.random_range(0..40_000));
            let mishap = match rng.random_range(0..10) {
                0 => Mishap::RestartPostgres,
                1..=3 => Mishap::CutSessions,
                _ => Mishap::KillWorker,
            };
            tokio::select! {
                ended = &mut working => match ended? {
                    Ok(()) => return Ok(()),
                    // It lost its database and would be started anew by whoever watches over it.
                    Err(_) => continue,
                },
                () = self.until_asked(at) => tokio::time::sleep(moment).await,
            }
            if let Mishap::KillWorker = mishap {
                working.abort();
                // Cancelled is what it is now.
                working.await.ok();
            } else {
                worker = Some(working);
            }
            self.befall(mishap).await?;
        }
    }

    async fn until_asked(&self, count: u64) {
        while self.asked.load(Ordering::SeqCst) < count {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    async fn worker(&self) -> Result<tokio::task::JoinHandle<Result<(), store::Error>>> {
        let user_agent = "Ohlas/0.1 (+the fault harness)";
        let http = Http::new(&HttpConfig {
            user_agent: user_agent.to_owned(),
            allow_private: true,
            timeout: TIMEOUT,
        })?;
        let (store, clock) = (self.store().await?, self.clock.clone());
        let line =
            Line::new(store, Arc::new(http), user_agent, clock, &self.catalogue, POLL_SECONDS)
                .await?;
        let (from, to) = (self.clock.now(), self.end());
        Ok(tokio::spawn(async move { line.replay(from, to, async |_| Ok(())).await }))
    }

    async fn befall(&mut self, mishap: Mishap) -> Result<()> {
        let name = match mishap {
            Mishap::KillWorker => "worker killed",
            Mishap::CutSessions => {
                let postgres = self.postgres.as_ref().context("PostgreSQL is down")?;
                let mut operator = PgConnection::connect(&postgres.url()).await?;
                sqlx::query(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                    WHERE datname = current_database() AND pid <> pg_backend_pid()",
                )
                .execute(&mut operator)
                .await?;
                operator.close().await?;
                "sessions cut"
            }
            Mishap::RestartPostgres => {
                let before = self.postgres.take();
                tokio::task::spawn_blocking(move || drop(before)).await?;
                self.postgres = Some(start_postgres(&self.config).await?);
                "PostgreSQL restarted"
            }
        };
        *self.happened.entry(name).or_default() += 1;
        Ok(())
    }

    async fn judge(&self) -> Result<Outcome> {
        let store = self.store().await?;
        let batches = match store.verify(|_, _| {}).await? {
            Verification::Intact { batches, .. } => batches,
            broken => anyhow::bail!("the chain does not verify: {broken:?}"),
        };
        let log = self.newsrooms.requests();
        let mut faults = self.happened.clone();
        for fault in log.iter().filter_map(|request| request.fault) {
            *faults.entry(fault.name()).or_default() += 1;
        }
        let Stories { served, owed } = self.stories();
        let recorded = recorded(store.pool()).await?;
        let name = |(slug, story): &(String, u64)| format!("{slug}: story {story}");
        let twice = recorded.iter().filter(|(_, count)| **count > 1);
        Ok(Outcome {
            seed: self.seed,
            days: self.days,
            requests: log.len(),
            faults,
            served: served.len(),
            owed: owed.len(),
            recorded: recorded.len(),
            batches,
            lost: owed.iter().filter(|story| !recorded.contains_key(*story)).map(name).collect(),
            twice: twice.map(|(story, _)| name(story)).collect(),
            unpermitted: self.unpermitted(&log, store.pool()).await?,
        })
    }

    /// By newsroom and story, from the plan alone.
    fn stories(&self) -> Stories {
        let mut stories = Stories::default();
        for (index, newsroom) in self.plan.newsrooms().iter().enumerate() {
            let closed = newsroom.robots.forbids() || newsroom.robots == Robots::TdmHeader;
            for feed in (0..newsroom.feeds.len()).filter(|_| !closed) {
                let mut since: HashMap<u64, i64> = HashMap::new();
                for at in (START..=self.end()).step_by(600) {
                    let listed = self.plan.listed(index, feed, at);
                    let open = (at - FORGIVEN_SECONDS..=at)
                        .step_by(HOUR as usize)
                        .filter(|at| *at >= START)
                        .chain([at])
                        .all(|at| !self.faults.robots(newsroom, at).forbids());
                    since.retain(|story, _| open && listed.contains(story));
                    for id in listed {
                        let story = (newsroom.slug.to_owned(), id);
                        if open && at - *since.entry(id).or_insert(at) >= OWED_SECONDS {
                            stories.owed.insert(story.clone());
                        }
                        stories.served.insert(story);
                    }
                }
            }
        }
        stories
    }

    /// Every request for a feed needs a robots.txt that was read within a day before it and permits,
    /// and a check on record that allowed it.
    async fn unpermitted(&self, log: &[LoggedRequest], pool: &PgPool) -> Result<Vec<String>> {
        let allowed: Vec<(String, i64, i64)> = sqlx::query_as(
            "SELECT url, extract(epoch FROM at)::bigint, extract(epoch FROM valid_until)::bigint
            FROM gate_checks WHERE verdict = 'allowed'",
        )
        .fetch_all(pool)
        .await?;
        let mut checks: HashMap<String, Vec<(i64, i64)>> = HashMap::new();
        for (url, from, until) in allowed {
            checks.entry(url).or_default().push((from, until));
        }
        let newsrooms: HashMap<String, _> = self
            .plan
            .newsrooms()
            .iter()
            .map(|newsroom| (format!("{}.localhost:{}", newsroom.slug, self.port), newsroom))
            .collect();
        let mut read: HashMap<&str, (i64, bool)> = HashMap::new();
        let mut found = Vec::new();
        for request in log {
            let newsroom = newsrooms.get(&request.host).context("a host that nobody serves")?;
            if is_gate_document(&request.path) {
                let permits = request.fault.is_none()
                    && !self.faults.robots(newsroom, request.at).forbids()
                    && !newsroom.robots.forbids();
                let before = read.get(request.host.as_str());
                // A tdmrep.json belongs to the robots.txt that was read before it.
                let permits = permits
                    && (request.path == "/robots.txt" || before.is_some_and(|(_, open)| *open));
                read.insert(&request.host, (request.at, permits));
                continue;
            }
            let known = read.get(request.host.as_str());
            let open = known.is_some_and(|(at, open)| *open && request.at - at < DAY);
            let url = format!("http://{}{}", request.host, request.path);
            let on_record = checks.get(&url).is_some_and(|checks| {
                checks.iter().any(|(from, until)| (*from..*until).contains(&request.at))
            });
            if !open || !on_record {
                let lacks = if open { "check on record" } else { "robots.txt that permits" };
                found.push(format!("{url} at {}: no {lacks}", request.at));
            }
        }
        Ok(found)
    }
}

#[derive(Default)]
struct Stories {
    served: BTreeSet<(String, u64)>,
    owed: BTreeSet<(String, u64)>,
}

/// How many items history holds of each newsroom's story.
async fn recorded(pool: &PgPool) -> Result<BTreeMap<(String, u64), usize>> {
    let items: Vec<(String, String)> =
        sqlx::query_as("SELECT n.slug, i.link FROM items i JOIN newsrooms n ON n.id = newsroom_id")
            .fetch_all(pool)
            .await?;
    let mut recorded = BTreeMap::new();
    for (slug, link) in items {
        let page = link.rsplit('/').next().unwrap_or_default();
        let id = page.split('-').next().and_then(|id| id.parse().ok());
        let id = id.with_context(|| format!("{link} names no story"))?;
        *recorded.entry((slug, id)).or_default() += 1;
    }
    Ok(recorded)
}

async fn start_postgres(config: &Config) -> Result<Postgres> {
    let config = config.clone();
    Ok(tokio::task::spawn_blocking(move || Postgres::start(&config)).await??)
}
