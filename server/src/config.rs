//! One struct, read once from the command line and the environment.

use std::fmt;
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use axum::http::HeaderName;
use clap::Args;
use ingest::pages::Ages;
use ingest::refresh::Refreshing;
use ingest::shared::{AddressError, Shared};
use ingest::web::{Http, HttpConfig, WebError};
use ingest::youtube::{self, Youtube};
use url::Url;

/// Where history is kept.
#[derive(Args, Clone, Debug)]
pub struct Storage {
    /// PostgreSQL server to use; without it a private one is started in the data directory
    #[arg(long, env = "DATABASE_URL", hide_env_values = true)]
    pub database_url: Option<String>,
    /// Directory of the private server and of what the demo and replays keep
    #[arg(long, env = "OHLAS_DATA_DIR", default_value = ".data")]
    pub data_dir: PathBuf,
}

/// How pages are served.
#[derive(Args, Clone, Debug)]
pub struct Serving {
    /// Address to listen on
    #[arg(long, env = "OHLAS_LISTEN", default_value = "127.0.0.1:3000")]
    pub listen: SocketAddr,
    /// Directory of the built site: bundle, stylesheet, pictures
    #[arg(long, env = "LEPTOS_SITE_ROOT", default_value = "dist")]
    pub site: PathBuf,
    /// Public address of this site, for links that leave it; by default the listening address
    #[arg(long, env = "OHLAS_BASE_URL")]
    pub base_url: Option<String>,
    /// Requests per minute that one address may make of the API, or of pages that are not kept yet
    #[arg(long, env = "OHLAS_REQUESTS_PER_MINUTE", default_value = "1200")]
    pub requests_per_minute: NonZeroU32,
    /// Requests that one address may make at once after a pause
    #[arg(long, env = "OHLAS_REQUESTS_BURST", default_value = "300")]
    pub requests_burst: NonZeroU32,
    /// Header in which a trusted proxy writes the reader's address, such as X-Forwarded-For; its
    /// last entry counts. Without a proxy leave it out: readers could write anything into it
    #[arg(long, env = "OHLAS_CLIENT_ADDRESS_HEADER")]
    pub client_address_header: Option<HeaderName>,
    /// Memory for answers that are kept until the next snapshot, in MiB
    #[arg(long, env = "OHLAS_KEPT_MEGABYTES", default_value_t = 64)]
    pub kept_megabytes: u64,
    /// Where weaknesses are reported, as mailto: or https:; it stands in security.txt
    #[arg(long, env = "OHLAS_SECURITY_CONTACT")]
    pub security_contact: Option<Url>,
    #[command(flatten)]
    pub feeding: Feeding,
}

/// How pages for readers' feeds are kept fresh.
#[derive(Args, Clone, Debug)]
pub struct Feeding {
    #[command(flatten)]
    pub sharing: Sharing,
    /// Seconds for which a channel's page is used as it is
    #[arg(long, env = "FEED_FRESH_TTL", default_value_t = 60)]
    pub feed_fresh_ttl: u32,
    /// Seconds for which it is used while it is refreshed behind
    #[arg(long, env = "FEED_STALE_TTL", default_value_t = 900)]
    pub feed_stale_ttl: u32,
    /// Channels that are kept fresh, the most popular first
    #[arg(long, env = "FEED_REFRESH_TOP", default_value_t = 200)]
    pub feed_refresh_top: usize,
    /// Seconds between two refreshes of the most popular channel
    #[arg(long, env = "FEED_REFRESH_MIN_INTERVAL", default_value_t = 30)]
    pub feed_refresh_min_interval: u32,
    /// Seconds between two refreshes of one that nobody asks for
    #[arg(long, env = "FEED_REFRESH_MAX_INTERVAL", default_value_t = 600)]
    pub feed_refresh_max_interval: u32,
}

impl Feeding {
    #[must_use]
    pub fn ages(&self) -> Ages {
        Ages {
            fresh_seconds: self.feed_fresh_ttl.into(),
            stale_seconds: self.feed_stale_ttl.into(),
        }
    }

    #[must_use]
    pub fn refreshing(&self) -> Refreshing {
        Refreshing {
            top: self.feed_refresh_top,
            min_seconds: self.feed_refresh_min_interval.into(),
            max_seconds: self.feed_refresh_max_interval.into(),
        }
    }
}

/// What instances know of channels together.
#[derive(Args, Clone)]
pub struct Sharing {
    /// Redis in which instances share popularity, pages and the refresher's lead, as redis://host/ or
    /// redis+unix:///path; without it each has its own
    #[arg(long, env = "REDIS_URL", hide_env_values = true)]
    redis_url: Option<String>,
    /// Seconds in which a channel loses half of its popularity
    #[arg(long, env = "FEED_POPULARITY_HALF_LIFE", default_value_t = 3_600.0)]
    feed_popularity_half_life: f64,
}

impl Sharing {
    /// # Errors
    ///
    /// When Redis's address is none.
    pub fn open(&self) -> Result<Arc<Shared>, AddressError> {
        let half_life = self.feed_popularity_half_life;
        Ok(Arc::new(match &self.redis_url {
            Some(url) => Shared::over_redis(url, half_life)?,
            None => Shared::in_memory(half_life),
        }))
    }
}

impl fmt::Debug for Sharing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sharing").field("redis", &self.redis_url.is_some()).finish_non_exhaustive()
    }
}

/// How newsrooms are asked.
#[derive(Args, Clone, Debug)]
pub struct Collecting {
    /// The newsrooms and their feeds
    #[arg(long, env = "OHLAS_SOURCES", default_value = "sources.toml")]
    pub sources: PathBuf,
    #[command(flatten)]
    pub asking: Asking,
    /// No source is asked more often than once in so many seconds
    #[arg(long, env = "OHLAS_POLL_SECONDS", default_value_t = 600)]
    pub poll_seconds: i64,
    #[command(flatten)]
    pub youtube: YoutubeApi,
    /// Seconds between two recomputes of the board
    #[arg(long, env = "OHLAS_RECOMPUTE_SECONDS", default_value_t = 300)]
    pub recompute_seconds: u64,
}

/// Access to YouTube's Data API, for sources that are playlists.
#[derive(Args, Clone)]
pub struct YoutubeApi {
    /// Key of the API; without it playlists are not asked
    #[arg(long, env = "OHLAS_YOUTUBE_KEY", hide_env_values = true)]
    youtube_key: Option<String>,
    /// Units of the API that may be used in a day
    #[arg(long, env = "OHLAS_YOUTUBE_UNITS", default_value_t = youtube::DAILY_UNITS)]
    youtube_units: u32,
    /// Where the API is
    #[arg(long, env = "OHLAS_YOUTUBE_API", default_value = youtube::BASE)]
    youtube_api: String,
}

impl YoutubeApi {
    /// `None` without a key.
    ///
    /// # Errors
    ///
    /// When the API's address is none.
    pub fn client(&self) -> anyhow::Result<Option<Youtube>> {
        let Some(key) = &self.youtube_key else { return Ok(None) };
        let client = Youtube::new(&self.youtube_api, key.clone(), self.youtube_units);
        Ok(Some(client.with_context(|| format!("\"{}\" is no address", self.youtube_api))?))
    }
}

impl fmt::Debug for YoutubeApi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("YoutubeApi").field("youtube_api", &self.youtube_api).finish_non_exhaustive()
    }
}

/// As whom newsrooms are asked, and where.
#[derive(Args, Clone, Debug)]
pub struct Asking {
    /// Address at which publishers reach the operator; it stands in the user agent
    #[arg(long, env = "OHLAS_CONTACT")]
    pub contact: Option<String>,
    /// Ask private and loopback addresses too: for newsrooms of one's own network
    #[arg(long, env = "OHLAS_ALLOW_PRIVATE")]
    pub allow_private: bool,
}

impl Asking {
    /// The name under which newsrooms see the requests.
    #[must_use]
    pub fn user_agent(&self) -> String {
        user_agent(self.contact.as_deref())
    }

    /// # Errors
    ///
    /// When TLS cannot be set up or the contact is no header value.
    pub fn http(&self) -> Result<Http, WebError> {
        Http::new(&HttpConfig {
            user_agent: self.user_agent(),
            allow_private: self.allow_private,
            ..HttpConfig::default()
        })
    }
}

/// The name under which newsrooms see the requests; robots.txt groups for `Ohlas` apply to it.
#[must_use]
pub fn user_agent(contact: Option<&str>) -> String {
    let name = concat!("Ohlas/", env!("CARGO_PKG_VERSION"));
    match contact {
        Some(contact) => format!("{name} (+{contact})"),
        None => name.to_owned(),
    }
}
