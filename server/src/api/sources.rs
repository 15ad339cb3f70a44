//! `/v1/sources`: every source with the gate's verdict about it.

use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use model::{Newsroom, SourceReport, UnixSeconds};
use serde::Serialize;

use crate::error::ApiError;
use crate::moment::Asked;
use crate::state::AppState;

pub fn router() -> Router<AppState> {
    Router::new().route("/v1/sources", get(list))
}

#[derive(Serialize)]
struct Sources {
    at: UnixSeconds,
    demo: bool,
    newsrooms: Vec<Newsroom>,
    sources: Vec<SourceReport>,
}

async fn list(State(state): State<AppState>, asked: Asked) -> Result<Json<Sources>, ApiError> {
    let snapshot = state.moment(&asked).await?.snapshot;
    Ok(Json(Sources {
        at: snapshot.board.at,
        demo: snapshot.demo,
        newsrooms: snapshot.newsrooms.clone(),
        sources: snapshot.sources.clone(),
    }))
}
