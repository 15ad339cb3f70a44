//! `serve`, `web` and `worker`: the parts of a running service.

use std::sync::Arc;

use anyhow::Context;
use clap::Args;
use ingest::clock::Clock;
use ingest::poll::Line;
use ingest::refresh::favour_until;
use ingest::shared::Shared;
use ingest::source::Catalogue;
use store::Store;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tracing::{info, warn};

use super::collect;
use crate::config::{Asking, Collecting, Serving, Sharing, Storage};
use crate::connections::{self, HEAD_TIME};
use crate::database::Database;
use crate::router;
use crate::state::AppState;
use crate::stop;

#[derive(Args)]
pub struct Serve {
    #[command(flatten)]
    storage: Storage,
    #[command(flatten)]
    serving: Serving,
    #[command(flatten)]
    collecting: Collecting,
}

impl Serve {
    /// # Errors
    ///
    /// When a part cannot start.
    pub async fn run(self) -> anyhow::Result<()> {
        let catalogue = Catalogue::read(&self.collecting.sources)?;
        let listener = listen(&self.serving).await?;
        let database = Database::open(&self.storage).await?;
        let stop = stop::signal();
        let line = line(&database.store, &self.collecting, &catalogue).await?;
        let (line, shared) = (Arc::new(line), self.serving.feeding.sharing.open()?);
        let worker = collect(Arc::clone(&line), Arc::clone(&shared), self.collecting, stop.clone());
        let worker = tokio::spawn(worker);
        pages(line, shared, listener, &self.serving, stop).await?;
        worker.await?;
        database.close().await
    }
}

#[derive(Args)]
pub struct Web {
    #[command(flatten)]
    storage: Storage,
    #[command(flatten)]
    serving: Serving,
    #[command(flatten)]
    asking: Asking,
}

impl Web {
    /// # Errors
    ///
    /// When the pages cannot be served.
    pub async fn run(self) -> anyhow::Result<()> {
        let listener = listen(&self.serving).await?;
        let database = Database::open(&self.storage).await?;
        let (store, web) = (database.store.clone(), Arc::new(self.asking.http()?));
        let user_agent = self.asking.user_agent();
        let line = Line::without_catalogue(store, web, &user_agent, Clock::system());
        let shared = self.serving.feeding.sharing.open()?;
        pages(Arc::new(line), shared, listener, &self.serving, stop::signal()).await?;
        database.close().await
    }
}

#[derive(Args)]
pub struct Worker {
    #[command(flatten)]
    storage: Storage,
    #[command(flatten)]
    collecting: Collecting,
    #[command(flatten)]
    sharing: Sharing,
}

impl Worker {
    /// # Errors
    ///
    /// When collecting cannot start.
    pub async fn run(self) -> anyhow::Result<()> {
        let catalogue = Catalogue::read(&self.collecting.sources)?;
        let database = Database::open(&self.storage).await?;
        let line = line(&database.store, &self.collecting, &catalogue).await?;
        let shared = self.sharing.open()?;
        collect(Arc::new(line), shared, self.collecting, stop::signal()).await;
        database.close().await
    }
}

async fn line(
    store: &Store,
    collecting: &Collecting,
    catalogue: &Catalogue,
) -> anyhow::Result<Line> {
    let asking = &collecting.asking;
    if asking.contact.is_none() {
        warn!("no contact in the user agent: set OHLAS_CONTACT so that publishers can reach you");
    }
    let (web, clock) = (Arc::new(asking.http()?), Clock::system());
    let interval = collecting.poll_seconds;
    let user_agent = asking.user_agent();
    let line = Line::new(store.clone(), web, &user_agent, clock, catalogue, interval).await?;
    Ok(match collecting.youtube.client()? {
        Some(youtube) => line.with_youtube(youtube),
        None => line,
    })
}

/// Collects until `stop` turns true, from the sources file as it was at the last SIGHUP.
async fn collect(
    line: Arc<Line>,
    shared: Arc<Shared>,
    collecting: Collecting,
    stop: watch::Receiver<bool>,
) {
    tokio::join!(
        collect::until(&line, collecting.recompute_seconds, false, stop.clone()),
        collect::reload_until(&line, &collecting.sources, stop.clone()),
        favour_until(&line, &shared, stop),
    );
}

/// # Errors
///
/// When the address is taken or not ours.
pub async fn listen(serving: &Serving) -> anyhow::Result<TcpListener> {
    TcpListener::bind(serving.listen).await.with_context(|| {
        format!("cannot listen on {}: choose another address with --listen", serving.listen)
    })
}

/// Serves the pages until `stop` turns true, and keeps popular channels fresh; requests under way are
/// finished.
///
/// # Errors
///
/// When the newest snapshot cannot be read.
pub async fn pages(
    line: Arc<Line>,
    shared: Arc<Shared>,
    listener: TcpListener,
    serving: &Serving,
    stop: watch::Receiver<bool>,
) -> anyhow::Result<()> {
    let address = listener.local_addr()?;
    let state = AppState::over(line, shared, serving, address, stop.clone()).await?;
    let refresher = serving.feeding.refreshing().until(Arc::clone(&state.pages), stop.clone());
    let refresher = tokio::spawn(refresher);
    info!("the board is at http://{address}/");
    connections::serve(listener, router::app(state), HEAD_TIME, stop).await;
    refresher.await?;
    Ok(())
}
