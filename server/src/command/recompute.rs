//! `recompute`: boards of the past, derived again from history.

use anyhow::ensure;
use chrono::{DateTime, Utc};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use ingest::recompute::{replay, whole_hours};
use model::Model;

use crate::config::Storage;
use crate::database::Database;

/// One that was killed goes on where it stopped when it is started with the same arguments.
#[derive(Args)]
pub struct Recompute {
    #[command(flatten)]
    storage: Storage,
    /// The model to recompute, by default all of them
    #[arg(long, value_parser = known)]
    model: Option<Model>,
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
        let hours = whole_hours(self.from.timestamp(), to.timestamp());
        let models = self.model.map_or_else(Model::all, |model| vec![model]);
        let database = Database::open(&self.storage).await?;
        let store = &database.store;
        let newest = store.latest_snapshot(&Model::v1().name).await?;
        let demo = newest.is_some_and(|newest| newest.demo);
        let style = ProgressStyle::with_template("{bar:40} {pos}/{len} hours, {eta} left {msg}")?;
        let boards = (models.len() * hours.clone().count()) as u64;
        let bar = ProgressBar::new(boards).with_style(style);
        for model in &models {
            bar.set_message(format!("({})", model.name));
            replay(store, model, hours.clone(), demo, |done| bar.inc(done)).await?;
        }
        bar.finish();
        database.close().await
    }
}

fn known(name: &str) -> Result<Model, String> {
    Model::named(name).ok_or_else(|| {
        let known: Vec<String> = Model::all().into_iter().map(|model| model.name).collect();
        format!("known: {}", known.join(", "))
    })
}
