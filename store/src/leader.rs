//! Which worker leads: the one whose connection holds an advisory lock.

use std::time::Duration;

use sqlx::pool::PoolConnection;
use sqlx::{PgConnection, Postgres};

use crate::{Error, Store};

/// How often a waiting worker asks, and a leading one makes sure of its connection. When a leader's
/// machine dies, the server drops its connection after its TCP keep-alive at the latest.
const ASK_EVERY: Duration = Duration::from_secs(5);

/// Held as long as this worker leads; dropping it closes the connection and so gives the lead away.
#[derive(Debug)]
pub struct Leadership {
    connection: PgConnection,
}

impl Store {
    /// Waits until no other worker leads, then leads.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub async fn lead(&self) -> Result<Leadership, Error> {
        loop {
            let mut connection = self.pool.acquire().await?;
            if try_lock(&mut connection).await? {
                return Ok(Leadership { connection: connection.detach() });
            }
            drop(connection);
            tokio::time::sleep(ASK_EVERY).await;
        }
    }
}

async fn try_lock(connection: &mut PoolConnection<Postgres>) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(r#"SELECT pg_try_advisory_lock(hashtext('ohlas.leader'), 0) AS "locked!""#)
        .fetch_one(&mut **connection)
        .await
}

impl Leadership {
    /// Returns when the connection, and with it the lead, is gone.
    pub async fn lost(&mut self) -> Error {
        loop {
            tokio::time::sleep(ASK_EVERY).await;
            if let Err(error) =
                sqlx::query!("SELECT 1 AS one").fetch_one(&mut self.connection).await
            {
                return error.into();
            }
        }
    }
}
