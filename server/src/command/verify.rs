//! `verify`: every batch's hash recomputed from the rows as they stand.

use anyhow::bail;
use chrono::{DateTime, Utc};
use clap::Args;
use indicatif::ProgressBar;
use store::Verification;

use crate::config::Storage;
use crate::database::Database;

#[derive(Args)]
pub struct Verify {
    #[command(flatten)]
    storage: Storage,
    /// First moment, such as 2026-08-14T00:00:00Z; the hash before it is taken as given and printed
    #[arg(long)]
    from: Option<DateTime<Utc>>,
    /// Last moment, by default now
    #[arg(long)]
    to: Option<DateTime<Utc>>,
}

impl Verify {
    /// # Errors
    ///
    /// When history was rewritten, or cannot be read.
    pub async fn run(self) -> anyhow::Result<()> {
        let database = Database::open(&self.storage).await?;
        let bar = ProgressBar::new(0);
        let (from, to) = (self.from.map(|at| at.timestamp()), self.to.map(|at| at.timestamp()));
        let verification = database
            .store
            .verify_stretch(from, to, |done, total| {
                bar.set_length(total.unsigned_abs());
                bar.set_position(done.unsigned_abs());
            })
            .await;
        bar.finish_and_clear();
        database.close().await?;
        match verification? {
            Verification::Intact { batches, link, head } => {
                if let Some(link) = link {
                    println!("taken as given: batch {}, {}", link.position, link.hash);
                }
                let head = head.map_or_else(|| "none".to_owned(), |head| head.hash);
                println!("intact: {batches} batches, head {head}");
                Ok(())
            }
            Verification::Broken { position, fault } => {
                bail!("history was rewritten: at batch {position} {fault}")
            }
        }
    }
}
