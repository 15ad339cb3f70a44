//! `demo`: the invented newsrooms, three simulated days of them, then live.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context;
use clap::Args;
use demo::{Newsrooms, Plan};
use indicatif::{ProgressBar, ProgressStyle};
use ingest::clock::Clock;
use ingest::poll::Line;
use ingest::recompute::recompute;
use ingest::refresh::favour_until;
use ingest::source::Catalogue;
use ingest::web::{Http, HttpConfig};
use model::{SECONDS_PER_HOUR, UnixSeconds};
use serde::Serialize;
use tokio::net::TcpListener;
use tracing::info;

use super::collect::AHEAD_SECONDS;
use super::{collect, serve};
use crate::config::{Serving, Storage, user_agent};
use crate::database::Database;
use crate::stop;

const SECONDS_PER_DAY: i64 = 24 * SECONDS_PER_HOUR;
const REPLAY_POLL_SECONDS: i64 = 15 * 60;
const LIVE_POLL_SECONDS: i64 = 2 * 60;
const LIVE_RECOMPUTE_SECONDS: u64 = 60;

#[derive(Args)]
pub struct Demo {
    #[command(flatten)]
    storage: Storage,
    #[command(flatten)]
    serving: Serving,
    /// Address of the invented newsrooms; each is <name>.localhost there
    #[arg(long, default_value = "127.0.0.1:8471")]
    newsrooms: SocketAddr,
    /// Simulated days before now
    #[arg(long, default_value_t = 3)]
    days: u32,
    /// Another seed invents other news
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Replay into a fresh database, print counts and timings as one JSON line, and end
    #[arg(long)]
    once: bool,
}

impl Demo {
    /// # Errors
    ///
    /// When an address is taken or the database cannot be used.
    pub async fn run(mut self) -> anyhow::Result<()> {
        if self.storage.database_url.is_none() {
            self.storage.data_dir.push("demo");
        }
        let newsrooms = TcpListener::bind(self.newsrooms).await.with_context(|| {
            format!("the newsrooms cannot listen on {}: choose with --newsrooms", self.newsrooms)
        })?;
        match self.once {
            true => self.replay_once(newsrooms).await,
            false => self.stay(newsrooms).await,
        }
    }

    async fn replay_once(self, listener: TcpListener) -> anyhow::Result<()> {
        let database = Database::fresh(&self.storage, "once").await?;
        let to = chrono::Utc::now().timestamp();
        let from = to - i64::from(self.days) * SECONDS_PER_DAY;
        let world = World::start(listener, self.seed, from, self.days).await?;
        let line = world.line(&database, REPLAY_POLL_SECONDS).await?;
        let walked = Walk { from, to, demo: true }.run(&line).await?;
        println!("{}", serde_json::to_string(&walked)?);
        world.newsrooms.stop().await;
        database.close().await
    }

    async fn stay(self, newsrooms: TcpListener) -> anyhow::Result<()> {
        let listener = serve::listen(&self.serving).await?;
        let database = Database::open(&self.storage).await?;
        let stop = stop::signal();
        let now = chrono::Utc::now().timestamp();
        let began = database.store.history_from().await?;
        let first = began.unwrap_or(now - i64::from(self.days) * SECONDS_PER_DAY);
        // What a demo that was ended or killed has missed since is walked as well.
        let from = database.store.stats(now).await?.last_fetch_at.unwrap_or(first);
        let world = World::start(newsrooms, self.seed, first, self.days).await?;
        let line = world.line(&database, REPLAY_POLL_SECONDS).await?;
        let walk = Walk { from, to: now, demo: true };
        let mut stopping = stop.clone();
        tokio::select! {
            walked = walk.run(&line) => {
                let Walked { simulated_hours, items, shared_events, .. } = walked?;
                info!(simulated_hours, items, shared_events, "caught up with the present");
            }
            () = stop::stopped(&mut stopping) => return database.close().await,
        }
        world.clock.release();
        let line = Arc::new(world.line(&database, LIVE_POLL_SECONDS).await?);
        let shared = self.serving.feeding.sharing.open()?;
        let (collecting, popular, stopping) =
            (Arc::clone(&line), Arc::clone(&shared), stop.clone());
        let worker = tokio::spawn(async move {
            tokio::join!(
                collect::until(&collecting, LIVE_RECOMPUTE_SECONDS, true, stopping.clone()),
                favour_until(&collecting, &popular, stopping),
            );
        });
        serve::pages(line, shared, listener, &self.serving, stop).await?;
        worker.await?;
        world.newsrooms.stop().await;
        database.close().await
    }
}

/// The invented newsrooms and the clock that they share with the line.
struct World {
    newsrooms: Newsrooms,
    clock: Clock,
    catalogue: Catalogue,
}

impl World {
    async fn start(
        listener: TcpListener,
        seed: u64,
        from: UnixSeconds,
        days: u32,
    ) -> anyhow::Result<Self> {
        let plan = Plan::generate(seed, from, days);
        let port = listener.local_addr()?.port();
        let catalogue = Catalogue::parse("the demo's sources", &demo::sources_toml(&plan, port))?;
        let clock = Clock::virtual_at(from);
        let now = clock.clone();
        let newsrooms = Newsrooms::start(plan, listener, Arc::new(move || now.now())).await;
        Ok(Self { newsrooms, clock, catalogue })
    }

    async fn line(&self, database: &Database, poll_seconds: i64) -> anyhow::Result<Line> {
        let user_agent = user_agent(Some("the demo"));
        let http = Http::new(&HttpConfig {
            user_agent: user_agent.clone(),
            allow_private: true,
            ..HttpConfig::default()
        })?;
        let (web, clock) = (Arc::new(http), self.clock.clone());
        let store = database.store.clone();
        Ok(Line::new(store, web, &user_agent, clock, &self.catalogue, poll_seconds).await?)
    }
}

/// A stretch of time to walk on the virtual clock.
pub struct Walk {
    pub from: UnixSeconds,
    pub to: UnixSeconds,
    pub demo: bool,
}

/// What a walk came to.
#[derive(Serialize)]
pub struct Walked {
    pub newsrooms: u32,
    pub sources: u32,
    pub items: i64,
    pub observations: i64,
    pub fetches: i64,
    pub gate_checks: i64,
    pub events: u32,
    /// Events of two or more newsrooms in the last board's window.
    pub shared_events: u32,
    pub simulated_hours: i64,
    pub elapsed_seconds: f64,
    /// Of these, spent in deriving boards.
    pub recompute_seconds: f64,
}

impl Walk {
    /// # Errors
    ///
    /// When the store fails.
    pub async fn run(&self, line: &Line) -> anyhow::Result<Walked> {
        let started = Instant::now();
        line.store().ensure_partitions(self.from, self.to + AHEAD_SECONDS).await?;
        let style =
            ProgressStyle::with_template("{bar:40} {pos}/{len} simulated hours, {eta} left")?;
        let hours = (self.to - self.from) / SECONDS_PER_HOUR;
        let bar = ProgressBar::new(hours.unsigned_abs()).with_style(style);
        let mut recompute_seconds = 0.0;
        let mut newest = None;
        line.replay(self.from, self.to, async |at| -> anyhow::Result<()> {
            let began = Instant::now();
            newest = recompute(line.store(), at, self.demo).await?.into_iter().next();
            recompute_seconds += began.elapsed().as_secs_f64();
            bar.set_position(((at - self.from) / SECONDS_PER_HOUR).unsigned_abs());
            Ok(())
        })
        .await?;
        bar.finish_and_clear();
        let stats = newest.map(|snapshot| snapshot.stats).unwrap_or_default();
        Ok(Walked {
            newsrooms: stats.newsrooms,
            sources: stats.sources,
            items: stats.items,
            observations: stats.observations,
            fetches: stats.fetches,
            gate_checks: stats.gate_checks,
            events: stats.events,
            shared_events: stats.shared_events,
            simulated_hours: hours,
            elapsed_seconds: started.elapsed().as_secs_f64(),
            recompute_seconds,
        })
    }
}
