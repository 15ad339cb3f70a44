//! What every request can reach.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::FromRef;
use ingest::pages::Pages;
use ingest::poll::Line;
use ingest::shared::Shared;
use leptos::config::LeptosOptions;
use model::Snapshot;
use store::Store;
use tokio::sync::watch;

use crate::config::Serving;
use crate::feed::Feeds;
use crate::follow;
use crate::kept::Kept;
use crate::limit::Limiter;
use crate::metrics::Counts;
use crate::moment::PastBoards;

/// Cheap to clone; nothing in it belongs to one instance alone.
#[derive(Clone)]
pub struct AppState {
    pub leptos: LeptosOptions,
    pub store: Store,
    /// The newest snapshot of the board's model.
    pub newest: watch::Receiver<Arc<Snapshot>>,
    pub past: Arc<PastBoards>,
    pub kept: Arc<Kept>,
    /// Of which readers' feeds are made.
    pub pages: Arc<Pages>,
    pub feeds: Arc<Feeds>,
    pub limiter: Arc<Limiter>,
    pub counts: Arc<Counts>,
    /// Public address of this site without the slash at its end.
    pub base_url: Arc<str>,
    /// Where weaknesses are reported.
    pub security_contact: Option<Arc<str>>,
    /// Turns true when the process stops: open streams end then.
    pub stop: watch::Receiver<bool>,
}

impl AppState {
    /// Follows the newest snapshot of the line's store until `stop` turns true. Links lead to `address`
    /// unless the configuration names a public address. Readers' feeds ask for channels through `line`.
    ///
    /// # Errors
    ///
    /// When the newest snapshot cannot be read.
    pub async fn over(
        line: Arc<Line>,
        shared: Arc<Shared>,
        serving: &Serving,
        address: SocketAddr,
        stop: watch::Receiver<bool>,
    ) -> Result<Self, store::Error> {
        let base_url = serving.base_url.clone().unwrap_or_else(|| format!("http://{address}"));
        let leptos = LeptosOptions::builder()
            .output_name("ohlas")
            .site_root(serving.site.to_string_lossy().into_owned())
            .site_pkg_dir("pkg")
            .site_addr(address)
            .build();
        let store = line.store().clone();
        let newest = follow::newest(store.clone(), stop.clone()).await?;
        let ages = serving.feeding.ages();
        Ok(Self {
            leptos,
            pages: Pages::new(line, shared, newest.clone(), ages),
            feeds: Arc::default(),
            newest,
            store,
            past: Arc::new(PastBoards::default()),
            kept: Arc::new(Kept::new(serving.kept_megabytes << 20)),
            limiter: Arc::new(Limiter::new(
                serving.requests_per_minute,
                serving.requests_burst,
                serving.client_address_header.clone(),
            )),
            counts: Arc::default(),
            base_url: base_url.trim_end_matches('/').into(),
            security_contact: serving.security_contact.as_ref().map(|url| url.as_str().into()),
            stop,
        })
    }
}

impl FromRef<AppState> for LeptosOptions {
    fn from_ref(state: &AppState) -> Self {
        state.leptos.clone()
    }
}
