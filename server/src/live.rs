//! `/live`: says that there is a newer snapshot, never what is in it.

use std::convert::Infallible;

use axum::Router;
use axum::extract::State;
use axum::response::Sse;
use axum::response::sse::{Event, KeepAlive};
use axum::routing::get;
use futures::{Stream, StreamExt};
use tokio_stream::wrappers::WatchStream;

use crate::state::AppState;
use crate::stop::stopped;

pub fn router() -> Router<AppState> {
    Router::new().route("/live", get(live))
}

async fn live(State(state): State<AppState>) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let mut stop = state.stop.clone();
    let snapshots = WatchStream::new(state.newest)
        .map(|snapshot| Ok(Event::default().event("snapshot").data(snapshot.id.to_string())))
        .take_until(async move { stopped(&mut stop).await });
    Sse::new(snapshots).keep_alive(KeepAlive::default())
}
