//! One struct, read once from the command line and the environment.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;

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
}

/// How newsrooms are asked.
#[derive(Args, Clone, Debug)]
pub struct Collecting {
    /// The newsrooms and their feeds
    #[arg(long, env = "OHLAS_SOURCES", default_value = "sources.toml")]
    pub sources: PathBuf,
    /// Address at which publishers reach the operator; it stands in the user agent
    #[arg(long, env = "OHLAS_CONTACT")]
    pub contact: Option<String>,
    /// No source is asked more often than once in so many seconds
    #[arg(long, env = "OHLAS_POLL_SECONDS", default_value_t = 600)]
    pub poll_seconds: i64,
    /// Seconds between two recomputes of the board
    #[arg(long, env = "OHLAS_RECOMPUTE_SECONDS", default_value_t = 300)]
    pub recompute_seconds: u64,
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
