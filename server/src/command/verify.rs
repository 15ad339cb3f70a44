//! `verify`: every batch's hash recomputed from the rows as they stand.

use anyhow::bail;
use clap::Args;
use indicatif::ProgressBar;
use store::Verification;

use crate::config::Storage;
use crate::database::Database;

#[derive(Args)]
pub struct Verify {
    #[command(flatten)]
    storage: Storage,
}

impl Verify {
    /// # Errors
    ///
    /// When history was rewritten, or cannot be read.
    pub async fn run(self) -> anyhow::Result<()> {
        let database = Database::open(&self.storage).await?;
        let bar = ProgressBar::new(0);
        let verification = database
            .store
            .verify(|done, total| {
                bar.set_length(total as u64);
                bar.set_position(done as u64);
            })
            .await;
        bar.finish_and_clear();
        database.close().await?;
        match verification? {
            Verification::Intact { batches, head } => {
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
