//! Monthly partitions of `fetches` and `observations`.

use model::UnixSeconds;

use crate::{Error, Store, instant};

impl Store {
    /// Makes the partitions that cover `from`, `to` and all between, where they are missing.
    /// Without one for its moment an append fails.
    ///
    /// # Errors
    /// [`Error::Instant`] or [`Error::Database`].
    pub async fn ensure_partitions(&self, from: UnixSeconds, to: UnixSeconds) -> Result<(), Error> {
        sqlx::query!("SELECT ensure_partitions($1, $2)", instant(from)?, instant(to)?)
            .execute(&self.pool)
            .await?;
        Ok(())
    }
}
