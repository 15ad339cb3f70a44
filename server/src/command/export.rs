//! `export`: history as JSON lines that anyone can verify without us (see `docs/history.md`).

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use anyhow::Context;
use chrono::{DateTime, Utc};
use clap::Args;
use indicatif::ProgressBar;

use crate::config::Storage;
use crate::database::Database;

#[derive(Args)]
pub struct Export {
    #[command(flatten)]
    storage: Storage,
    /// First moment, such as 2026-08-14T00:00:00Z; by default the beginning
    #[arg(long)]
    from: Option<DateTime<Utc>>,
    /// Last moment, by default now
    #[arg(long)]
    to: Option<DateTime<Utc>>,
    /// File to write, by default standard output
    #[arg(long)]
    out: Option<PathBuf>,
}

impl Export {
    /// # Errors
    ///
    /// When history cannot be read or the file cannot be written.
    pub async fn run(self) -> anyhow::Result<()> {
        let mut out: BufWriter<Box<dyn Write>> = BufWriter::new(match &self.out {
            Some(path) => Box::new(
                File::create(path).with_context(|| format!("cannot write {}", path.display()))?,
            ),
            None => Box::new(io::stdout()),
        });
        let database = Database::open(&self.storage).await?;
        let bar = ProgressBar::new(0);
        let (from, to) = (self.from.map(|at| at.timestamp()), self.to.map(|at| at.timestamp()));
        let written = database
            .store
            .export(from, to, |line, done, total| -> anyhow::Result<()> {
                bar.set_length(total.unsigned_abs());
                bar.set_position(done.unsigned_abs());
                Ok(writeln!(out, "{line}")?)
            })
            .await;
        let written = written.and_then(|written| Ok(out.flush().map(|()| written)?));
        bar.finish_and_clear();
        database.close().await?;
        eprintln!("{} batches", written?);
        Ok(())
    }
}
