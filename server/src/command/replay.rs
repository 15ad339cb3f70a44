//! `replay`: recorded exchanges of real feeds through the real line, on a virtual clock.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use ingest::clock::Clock;
use ingest::poll::Line;
use ingest::source::Catalogue;
use ingest::web::Recorded;

use super::demo::Walk;
use super::serve;
use crate::config::{Serving, Storage, user_agent};
use crate::database::Database;
use crate::stop;

#[derive(Args)]
pub struct Replay {
    #[command(flatten)]
    storage: Storage,
    #[command(flatten)]
    serving: Serving,
    /// One JSON line per exchange: at, url, status, headers, body or body_file; may end in .gz
    #[arg(long)]
    exchanges: PathBuf,
    /// The newsrooms whose exchanges were recorded
    #[arg(long)]
    sources: PathBuf,
    /// Simulated seconds between two questions to a source
    #[arg(long, default_value_t = 1_800)]
    poll_seconds: i64,
    /// Serve the pages afterwards
    #[arg(long)]
    serve: bool,
}

impl Replay {
    /// # Errors
    ///
    /// When an input cannot be read, or the database is not empty.
    pub async fn run(self) -> anyhow::Result<()> {
        let catalogue = Catalogue::read(&self.sources)?;
        let clock = Clock::virtual_at(0);
        let recorded = Recorded::read(&self.exchanges, clock.clone())?;
        let (from, to) = recorded.span();
        clock.set(from);
        let listener = match self.serve {
            true => Some(serve::listen(&self.serving).await?),
            false => None,
        };
        let database = Database::fresh(&self.storage, "replay").await?;
        let stop = stop::signal();
        let line = Line::new(
            database.store.clone(),
            Arc::new(recorded),
            &user_agent(None),
            clock,
            &catalogue,
            self.poll_seconds,
        )
        .await?;
        let walked = Walk { from, to, demo: false }.run(&line).await?;
        println!("{}", serde_json::to_string(&walked)?);
        if let Some(listener) = listener {
            let shared = self.serving.feeding.sharing.open()?;
            serve::pages(Arc::new(line), shared, listener, &self.serving, stop).await?;
        }
        database.close().await
    }
}
