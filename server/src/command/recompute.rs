//! `recompute`: boards of the past, derived again from history.

use anyhow::ensure;
use chrono::{DateTime, Utc};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use model::{Model, SECONDS_PER_HOUR};

use crate::config::Storage;
use crate::database::Database;

#[derive(Args)]
pub struct Recompute {
    #[command(flatten)]
    storage: Storage,
    /// First moment, such as 2026-08-14T00:00:00Z
    #[arg(long)]
    from: DateTime<Utc>,
    /// Last moment, by default now; what was derived for later ones is dropped, since it followed
    #[arg(long)]
    to: Option<DateTime<Utc>>,
}

impl Recompute {
    /// # Errors
    ///
    /// When `to` is before `from`, or history cannot be read.
    pub async fn run(self) -> anyhow::Result<()> {
        let to = self.to.unwrap_or_else(Utc::now);
        ensure!(self.from <= to, "--to {to} is before --from {}", self.from);
        let (from, to) = (self.from.timestamp(), to.timestamp());
        let database = Database::open(&self.storage).await?;
        let store = &database.store;
        let board = Model::v1().name;
        let demo = store.latest_snapshot(&board).await?.is_some_and(|newest| newest.demo);
        let first = (from + SECONDS_PER_HOUR - 1).div_euclid(SECONDS_PER_HOUR);
        let last = to.div_euclid(SECONDS_PER_HOUR);
        let style = ProgressStyle::with_template("{bar:40} {pos}/{len} hours, {eta} left")?;
        let bar = ProgressBar::new((last - first + 1).max(0) as u64).with_style(style);
        for hour in first..=last {
            ingest::recompute::recompute(store, hour * SECONDS_PER_HOUR, demo).await?;
            bar.inc(1);
        }
        bar.finish();
        database.close().await
    }
}
