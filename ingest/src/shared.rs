//! What the instances of a service share: the ranking of channels, their pages, and who refreshes
//! them. In Redis where one is configured; without it, and while it is away, each has its own.

mod redis;

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use model::UnixSeconds;

use self::redis::Redis;
use crate::pages::Page;
use crate::popularity::Popularity;

pub use self::redis::AddressError;

/// The lead is lost when it was not renewed for so long.
const LEAD: Duration = Duration::from_secs(30);

/// Who leads, to one who asked to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lead {
    Ours,
    /// Another instance, which has to renew it in this time.
    Another(Duration),
}

pub struct Shared {
    redis: Option<Redis>,
    popularity: Mutex<Popularity>,
    half_life_seconds: f64,
}

impl Shared {
    /// Of this process alone.
    #[must_use]
    pub fn in_memory(half_life_seconds: f64) -> Self {
        Self { redis: None, popularity: Mutex::default(), half_life_seconds }
    }

    /// With all who use the same Redis, such as `redis://host/` or `redis+unix:///run/redis.sock`. It
    /// need not be there yet.
    ///
    /// # Errors
    ///
    /// When the address is none.
    pub fn over_redis(url: &str, half_life_seconds: f64) -> Result<Self, AddressError> {
        let redis = Some(Redis::new(url)?);
        Ok(Self { redis, ..Self::in_memory(half_life_seconds) })
    }

    /// Counts each channel once.
    pub async fn hit(&self, channels: &[String]) {
        if let Some(redis) = &self.redis
            && redis.hit(channels).await.is_some()
        {
            return;
        }
        self.own().hit(channels);
    }

    /// The most popular channels and their scores, the highest first.
    pub async fn top(&self, count: usize) -> Vec<(String, f64)> {
        if let Some(redis) = &self.redis
            && let Some(top) = redis.top(count).await
        {
            return top;
        }
        self.own().top(count)
    }

    /// Scores fade by the time since they last did.
    pub async fn decay(&self, now: UnixSeconds) {
        if let Some(redis) = &self.redis {
            redis.decay(self.half_life_seconds, now).await;
        }
        self.own().decay(self.half_life_seconds, now);
    }

    /// A page that any instance has fetched, if it is newer than one of `than`.
    pub(crate) async fn page(&self, channel: &str, than: Option<UnixSeconds>) -> Option<Page> {
        self.redis.as_ref()?.page(channel, than).await
    }

    /// Gives a page to the other instances for so long.
    pub(crate) async fn keep(&self, channel: &str, page: &Page, seconds: i64) {
        if let Some(redis) = &self.redis {
            redis.keep(channel, page, seconds).await;
        }
    }

    /// Takes a page away from all instances.
    pub(crate) async fn forget(&self, channel: &str) {
        if let Some(redis) = &self.redis {
            redis.forget(channel).await;
        }
    }

    /// Takes or renews the lead for 30 seconds. `token` is the asker's own.
    pub async fn lead(&self, token: &str) -> Lead {
        match &self.redis {
            // Without others everybody leads itself.
            None => Lead::Ours,
            Some(redis) => redis.lead(token, LEAD).await.unwrap_or(Lead::Ours),
        }
    }

    /// Gives the lead away, if it is ours.
    pub async fn release(&self, token: &str) {
        if let Some(redis) = &self.redis {
            redis.release(token).await;
        }
    }

    fn own(&self) -> MutexGuard<'_, Popularity> {
        self.popularity.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
