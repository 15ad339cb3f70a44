//! `/v1/stats`: the engine's public state.

use axum::Json;
use axum::extract::State;
use model::{Model, Stats};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::MomentErrors;
use crate::error::ApiError;
use crate::moment::Asked;
use crate::state::AppState;

pub fn router() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(stats))
}

#[derive(Serialize, ToSchema)]
struct EngineState {
    snapshot: i64,
    demo: bool,
    model: Model,
    stats: Stats,
}

/// State of collecting, and the model's parameters
#[utoipa::path(
    get,
    path = "/v1/stats",
    tag = "about",
    params(Asked),
    responses((status = 200, description = "At the moment", body = EngineState), MomentErrors),
)]
async fn stats(State(state): State<AppState>, asked: Asked) -> Result<Json<EngineState>, ApiError> {
    let snapshot = state.moment(&asked).await?.snapshot;
    Ok(Json(EngineState {
        snapshot: snapshot.id,
        demo: snapshot.demo,
        model: snapshot.model.clone(),
        stats: snapshot.stats.clone(),
    }))
}
