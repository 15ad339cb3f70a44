//! All SQL. History is appended and chained, everything else can be derived from it again.
//!
//! Invariant: rows of history are only inserted (`tests/it/append_only.rs`). Nothing outside this
//! crate writes SQL. Instants are [`UnixSeconds`] outside and `timestamptz` inside.

mod sources;

mod leader;
mod schedule;

mod append;
mod chain;
mod partitions;

mod log;
mod verify;

mod window;

mod posts;
mod reports;
mod search;

mod derived;
mod snapshots;

use std::time::Duration;

use chrono::{DateTime, Utc};
use model::UnixSeconds;
use sqlx::migrate::{MigrateError, Migrator};
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{Connection, PgConnection, PgPool};

pub use append::{Append, FetchRow, KnownItem, NewItem, NextState, ObservationRow};
pub use derived::Recompute;
pub use leader::Leadership;
pub use posts::Post;
pub use schedule::{ChannelState, Failure, Listing, Rhythm, SourceState};
pub use search::Search;
pub use snapshots::SnapshotListener;
pub use sources::{NewsroomEntry, SourceEntry};
pub use verify::{Fault, Verification};

static MIGRATIONS: Migrator = sqlx::migrate!("../migrations");

/// More would only queue up at the chain's lock and at the database's cores.
const CONNECTIONS: u32 = 10;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("DATABASE_URL is no Postgres address ({0}); write postgres://user:password@host/name")]
    Address(String),
    #[error("no database at {place}: {reason}. Check DATABASE_URL and that the server runs")]
    Unreachable { place: String, reason: String },
    #[error(
        "the database was set up by a newer version (migration {0}); start that version or a newer"
    )]
    Newer(i64),
    #[error("migration {0} was changed after it was applied here; restore its file as it was")]
    Changed(i64),
    #[error("a migration failed, nothing of it was kept: {0}")]
    Migrate(#[source] MigrateError),
    #[error("the database refused or lost a query: {0}")]
    Database(#[from] sqlx::Error),
    #[error("a snapshot cannot be written or read as JSON ({0}); a recompute makes a new one")]
    Json(#[from] serde_json::Error),
    #[error("{0} is no instant that can be stored; years 1 to 9999 can")]
    Instant(UnixSeconds),
    #[error("{0:?} is no SHA-256 in lower-case hexadecimal")]
    Sha256(String),
    #[error("{0}; run `ohlas verify` to see whether history was tampered with")]
    Unreadable(String),
}

impl From<MigrateError> for Error {
    fn from(error: MigrateError) -> Self {
        match error {
            MigrateError::VersionMissing(version) => Self::Newer(version),
            MigrateError::VersionMismatch(version) => Self::Changed(version),
            MigrateError::Execute(error) => Self::Database(error),
            other => Self::Migrate(other),
        }
    }
}

/// The way to the database; clones share one pool.
#[derive(Clone, Debug)]
pub struct Store {
    pool: PgPool,
}

impl Store {
    /// Connects, brings the schema up to date (several instances may start at once) and from then
    /// on works as the role `ohlas_service`, which cannot change history, where the server has it.
    ///
    /// # Errors
    /// [`Error::Address`], [`Error::Unreachable`], [`Error::Newer`], [`Error::Changed`] or
    /// [`Error::Migrate`], each of which says what to do.
    pub async fn connect(url: &str) -> Result<Self, Error> {
        let options = address(url)?;
        let unreachable = |reason| Error::Unreachable { place: place(&options), reason };
        // Not through a pool, which would wait out its time and hide the cause.
        let connecting = PgConnection::connect_with(&options);
        match tokio::time::timeout(CONNECT_TIMEOUT, connecting).await {
            Ok(Ok(connection)) => connection.close().await?,
            Ok(Err(error)) => return Err(unreachable(error.to_string())),
            Err(_) => {
                let seconds = CONNECT_TIMEOUT.as_secs();
                return Err(unreachable(format!("no answer within {seconds} s")));
            }
        }
        let owner = PgPoolOptions::new().max_connections(1).connect_lazy_with(options.clone());
        MIGRATIONS.run(&owner).await?;
        let confined = sqlx::query("SET ROLE ohlas_service").execute(&owner).await.is_ok();
        if !confined {
            tracing::warn!("no role ohlas_service: history is guarded by its triggers alone");
        }
        owner.close().await;

        let pool = PgPoolOptions::new()
            .max_connections(CONNECTIONS)
            .acquire_timeout(CONNECT_TIMEOUT)
            .after_connect(move |connection, _| {
                Box::pin(async move {
                    if confined {
                        sqlx::query("SET ROLE ohlas_service").execute(connection).await?;
                    }
                    Ok(())
                })
            })
            .connect_lazy_with(options);
        Ok(Self { pool })
    }

    /// A store on a database that is migrated already, such as a test's own.
    pub async fn from_pool(pool: PgPool) -> Self {
        Self { pool }
    }

    #[must_use]
    pub fn pool(&self) -> &PgPool {
        &self.pool
    }
}

fn address(url: &str) -> Result<PgConnectOptions, Error> {
    // sqlx itself would take any scheme for Postgres.
    if !(url.starts_with("postgres://") || url.starts_with("postgresql://")) {
        return Err(Error::Address("wrong scheme".to_owned()));
    }
    url.parse().map_err(|error: sqlx::Error| Error::Address(error.to_string()))
}

/// The address without user and password.
fn place(options: &PgConnectOptions) -> String {
    let host = match options.get_socket() {
        Some(socket) => socket.display().to_string(),
        None => options.get_host().to_owned(),
    };
    let database = options.get_database().unwrap_or_default();
    format!("{host}:{}/{database}", options.get_port())
}

const YEARS_1_TO_9999: std::ops::RangeInclusive<UnixSeconds> = -62_135_596_800..=253_402_300_799;

fn instant(at: UnixSeconds) -> Result<DateTime<Utc>, Error> {
    let storable = YEARS_1_TO_9999.contains(&at).then(|| DateTime::from_timestamp(at, 0)).flatten();
    storable.ok_or(Error::Instant(at))
}

fn seconds(at: DateTime<Utc>) -> UnixSeconds {
    at.timestamp()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Result<Vec<u8>, Error> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let bytes: Option<Vec<u8>> =
        pairs.iter().map(|&[high, low]| Some(digit(high)? << 4 | digit(low)?)).collect();
    match bytes {
        Some(bytes) if rest.is_empty() && bytes.len() == 32 => Ok(bytes),
        _ => Err(Error::Sha256(text.to_owned())),
    }
}

/// A word of the database that the model knows, such as a verdict.
fn word<T: std::str::FromStr>(text: &str) -> Result<T, Error> {
    text.parse().map_err(|_| Error::Unreadable(format!("the database holds a word {text:?}")))
}
