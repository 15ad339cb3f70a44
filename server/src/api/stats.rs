//! `/v1/stats`: the engine's public state.

use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use model::{Model, Stats};
use serde::Serialize;

use crate::error::ApiError;
use crate::moment::Asked;
use crate::state::AppState;

pub fn router() -> Router<AppState> {
    Router::new().route("/v1/stats", get(stats))
}

#[derive(Serialize)]
struct EngineState {
    snapshot: i64,
    demo: bool,
    model: Model,
    stats: Stats,
}

async fn stats(State(state): State<AppState>, asked: Asked) -> Result<Json<EngineState>, ApiError> {
    let snapshot = state.moment(&asked).await?.snapshot;
    Ok(Json(EngineState {
        snapshot: snapshot.id,
        demo: snapshot.demo,
        model: snapshot.model.clone(),
        stats: snapshot.stats.clone(),
    }))
}
