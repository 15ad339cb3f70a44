//! The JSON API, version 1. Fields are only ever added within a version.

mod events;
mod sources;
mod stats;

use axum::Router;

use crate::state::AppState;

pub fn router() -> Router<AppState> {
    Router::new().merge(events::router()).merge(sources::router()).merge(stats::router())
}
