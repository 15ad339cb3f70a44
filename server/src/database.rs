//! The database: the one that `DATABASE_URL` names, or a private server that lives as long as we do.

use anyhow::{Context, ensure};
use embedded_postgres::{Config, Postgres};
use store::Store;
use tracing::info;

use crate::config::Storage;

/// A store, and the private server under it where there is one.
pub struct Database {
    pub store: Store,
    private: Option<Postgres>,
}

impl Database {
    /// Opens what the configuration names.
    ///
    /// # Errors
    ///
    /// When the server cannot be reached or started, or its schema is newer than this program.
    pub async fn open(storage: &Storage) -> anyhow::Result<Self> {
        match &storage.database_url {
            Some(url) => {
                let store = Store::connect(url).await.context("cannot use DATABASE_URL")?;
                Ok(Self { store, private: None })
            }
            None => {
                let dir = storage.data_dir.join("postgres");
                Self::private(Config { dir, durable: true }).await
            }
        }
    }

    /// Opens an empty database that nobody needs afterwards: `DATABASE_URL` must hold no history, a
    /// private one under `name` in the data directory is made anew and removed at the end.
    ///
    /// # Errors
    ///
    /// When the given database holds history, or as [`Self::open`].
    pub async fn fresh(storage: &Storage, name: &str) -> anyhow::Result<Self> {
        if storage.database_url.is_some() {
            let database = Self::open(storage).await?;
            ensure!(
                database.store.history_from().await?.is_none(),
                "DATABASE_URL holds history already: this needs an empty database"
            );
            return Ok(database);
        }
        Self::private(Config { dir: storage.data_dir.join(name), durable: false }).await
    }

    async fn private(config: Config) -> anyhow::Result<Self> {
        let private = tokio::task::spawn_blocking(move || Postgres::start(&config)).await??;
        for notice in private.notices() {
            info!("{notice}");
        }
        let store = Store::connect(&private.url()).await?;
        Ok(Self { store, private: Some(private) })
    }

    /// Closes the connections and stops the private server.
    ///
    /// # Errors
    ///
    /// When the private server does not stop.
    pub async fn close(self) -> anyhow::Result<()> {
        self.store.pool().close().await;
        if let Some(mut private) = self.private {
            tokio::task::spawn_blocking(move || private.stop()).await?;
        }
        Ok(())
    }
}
