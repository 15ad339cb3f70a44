//! Redis: a sorted set of scores, a key for each page, and a key that the leader holds.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use bytes::Bytes;
use model::UnixSeconds;
use redis::aio::MultiplexedConnection;
use redis::{AsyncCommands, AsyncConnectionConfig, Client, RedisError, Script};
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;
use tracing::{info, warn};

use super::Lead;
use crate::pages::Page;
use crate::popularity::FORGOTTEN;

const SCORES: &str = "ohlas:feed:popularity";
/// When the scores last faded.
const FADED_AT: &str = "ohlas:feed:faded_at";
const LEADER: &str = "ohlas:feed:leader";
/// A reader is not kept waiting for it.
const PATIENCE: Duration = Duration::from_millis(500);
/// Then it is tried again.
const PAUSE: Duration = Duration::from_secs(2);

/// In one step, so that no two instances let the same time pass twice.
static FADE: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "local at = tonumber(redis.call('GET', KEYS[2]) or ARGV[1])
        local kept = 0.5 ^ (math.max(ARGV[1] - at, 0) / ARGV[2])
        redis.call('ZUNIONSTORE', KEYS[1], 1, KEYS[1], 'WEIGHTS', kept)
        redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', '(' .. ARGV[3])
        redis.call('SET', KEYS[2], ARGV[1])",
    )
});

/// The lead is renewed by whoever has it; the others are told how long it is taken.
static LEAD: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return false end
        if redis.call('GET', KEYS[1]) ~= ARGV[1] then return redis.call('PTTL', KEYS[1]) end
        redis.call('PEXPIRE', KEYS[1], ARGV[2])
        return false",
    )
});

static RELEASE: LazyLock<Script> = LazyLock::new(|| {
    Script::new("if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end")
});

#[derive(Debug, thiserror::Error)]
#[error("REDIS_URL is no Redis address ({0}); write redis://host:port/ or redis+unix:///path")]
pub struct AddressError(RedisError);

/// Every answer is `None` when Redis is away: who asks goes on alone. It is said once when it goes and
/// once when it is back.
pub(super) struct Redis {
    client: Client,
    link: Mutex<Link>,
}

/// The line before a page's JSON.
#[derive(Serialize, Deserialize)]
struct Head {
    at: UnixSeconds,
    sha256: Option<String>,
}

enum Link {
    /// Nothing was asked yet.
    New,
    Up(MultiplexedConnection),
    Away {
        again: Instant,
    },
}

impl Redis {
    pub fn new(url: &str) -> Result<Self, AddressError> {
        let client = Client::open(url).map_err(AddressError)?;
        Ok(Self { client, link: Mutex::new(Link::New) })
    }

    pub async fn hit(&self, channels: &[String]) -> Option<()> {
        if channels.is_empty() {
            // Redis takes no empty pipeline.
            return Some(());
        }
        let mut pipeline = redis::pipe();
        for channel in channels {
            pipeline.zincr(SCORES, channel, 1).ignore();
        }
        self.ask(async |mut redis| pipeline.query_async(&mut redis).await).await
    }

    pub async fn top(&self, count: usize) -> Option<Vec<(String, f64)>> {
        let last = count as isize - 1;
        self.ask(async |mut redis| redis.zrevrange_withscores(SCORES, 0, last).await).await
    }

    pub async fn decay(&self, half_life_seconds: f64, now: UnixSeconds) -> Option<()> {
        let mut fade = FADE.key(SCORES);
        fade.key(FADED_AT).arg(now).arg(half_life_seconds.max(1.0)).arg(FORGOTTEN);
        self.ask(async |mut redis| fade.invoke_async(&mut redis).await).await
    }

    pub async fn page(&self, channel: &str, than: Option<UnixSeconds>) -> Option<Page> {
        let kept: Option<Vec<u8>> =
            self.ask(async |mut redis| redis.get(page_key(channel)).await).await?;
        let kept = Bytes::from(kept?);
        let end = kept.iter().position(|byte| *byte == b'\n')?;
        let head: Head = serde_json::from_slice(&kept[..end]).ok()?;
        if Some(head.at) <= than {
            return None;
        }
        let read = Page::read(kept.slice(end + 1..), head.at, head.sha256).await;
        read.inspect_err(|reason| warn!(channel, reason, "a page in Redis is left alone")).ok()
    }

    pub async fn keep(&self, channel: &str, page: &Page, seconds: i64) -> Option<()> {
        let head = Head { at: page.at, sha256: page.sha256.clone() };
        let mut kept = serde_json::to_vec(&head).ok()?;
        kept.push(b'\n');
        kept.extend_from_slice(page.json());
        let seconds = seconds.max(1).unsigned_abs();
        self.ask(async |mut redis| redis.set_ex(page_key(channel), &kept[..], seconds).await).await
    }

    pub async fn forget(&self, channel: &str) -> Option<()> {
        self.ask(async |mut redis| redis.del(page_key(channel)).await).await
    }

    pub async fn lead(&self, token: &str, lasts: Duration) -> Option<Lead> {
        let mut lead = LEAD.key(LEADER);
        lead.arg(token).arg(lasts.as_millis() as u64);
        let taken_for: Option<u64> =
            self.ask(async |mut redis| lead.invoke_async(&mut redis).await).await?;
        Some(
            taken_for.map_or(Lead::Ours, |milliseconds| {
                Lead::Another(Duration::from_millis(milliseconds))
            }),
        )
    }

    pub async fn release(&self, token: &str) -> Option<()> {
        let mut release = RELEASE.key(LEADER);
        release.arg(token);
        self.ask(async |mut redis| release.invoke_async(&mut redis).await).await
    }

    async fn ask<T>(
        &self,
        question: impl AsyncFnOnce(MultiplexedConnection) -> Result<T, RedisError>,
    ) -> Option<T> {
        let connection = self.connection().await?;
        match question(connection).await {
            Ok(answer) => Some(answer),
            Err(error) => {
                let mut link = self.link.lock().await;
                if matches!(*link, Link::Up(_)) {
                    warn!(%error, "Redis is away: this instance goes on by itself");
                }
                *link = Link::Away { again: Instant::now() + PAUSE };
                None
            }
        }
    }

    async fn connection(&self) -> Option<MultiplexedConnection> {
        let mut link = self.link.lock().await;
        match &*link {
            Link::Up(connection) => return Some(connection.clone()),
            Link::Away { again } if Instant::now() < *again => return None,
            Link::New | Link::Away { .. } => {}
        }
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(PATIENCE))
            .set_response_timeout(Some(PATIENCE));
        match self.client.get_multiplexed_async_connection_with_config(&config).await {
            Ok(connection) => {
                if matches!(*link, Link::Away { .. }) {
                    info!("Redis is back");
                }
                *link = Link::Up(connection.clone());
                Some(connection)
            }
            Err(error) => {
                if matches!(*link, Link::New) {
                    warn!(%error, "Redis is away: this instance goes on by itself");
                }
                *link = Link::Away { again: Instant::now() + PAUSE };
                None
            }
        }
    }
}

fn page_key(channel: &str) -> String {
    format!("ohlas:feed:page:{channel}")
}
