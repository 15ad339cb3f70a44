//! What every request can reach.

use std::sync::Arc;

use axum::extract::FromRef;
use leptos::config::LeptosOptions;
use model::Snapshot;
use store::Store;
use tokio::sync::watch;

use crate::moment::PastBoards;

/// Cheap to clone; nothing in it belongs to one instance alone.
#[derive(Clone)]
pub struct AppState {
    pub leptos: LeptosOptions,
    pub store: Store,
    /// The newest snapshot of the board's model.
    pub newest: watch::Receiver<Arc<Snapshot>>,
    pub past: Arc<PastBoards>,
    /// Public address of this site without the slash at its end.
    pub base_url: Arc<str>,
    /// Turns true when the process stops: open streams end then.
    pub stop: watch::Receiver<bool>,
}

impl FromRef<AppState> for LeptosOptions {
    fn from_ref(state: &AppState) -> Self {
        state.leptos.clone()
    }
}
