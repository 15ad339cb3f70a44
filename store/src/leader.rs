//! Which worker leads: the one whose connection holds an advisory lock.

use std::time::Duration;

use sqlx::pool::PoolConnection;
use sqlx::{PgConnection, Postgres};

use crate::{Error, Store};

/// How often a waiting worker asks, and a leading one makes sure of its connection; no answer within
/// that time is a lost connection. So a leader that is cut off gives up within 10 s.
const ASK_EVERY: Duration = Duration::from_secs(5);

/// When a leader's process dies, its connection, and the lock with it, is gone at once. When its machine
/// or the network dies, the server finds out by these 12 + 2 · 4 s of silence. They mean nothing to a
/// Unix socket, whose other end cannot vanish.
const KEEP_ALIVE: &str = "SET tcp_keepalives_idle = 12; SET tcp_keepalives_interval = 4; \
    SET tcp_keepalives_count = 2; SET tcp_user_timeout = 20000";

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
                let mut connection = connection.detach();
                sqlx::raw_sql(KEEP_ALIVE).execute(&mut connection).await?;
                return Ok(Leadership { connection });
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
            let asked = sqlx::query!("SELECT 1 AS one").fetch_one(&mut self.connection);
            match tokio::time::timeout(ASK_EVERY, asked).await {
                Ok(Ok(_)) => {}
                Ok(Err(error)) => return error.into(),
                Err(_) => return sqlx::Error::Io(std::io::ErrorKind::TimedOut.into()).into(),
            }
        }
    }
}
