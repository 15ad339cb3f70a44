//! `/v1/sources`: every source with the gate's verdict about it.

use axum::Json;
use axum::extract::State;
use model::{Newsroom, SourceReport, UnixSeconds};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::MomentErrors;
use crate::error::ApiError;
use crate::moment::Asked;
use crate::state::AppState;

pub fn router() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(list))
}

#[derive(Serialize, ToSchema)]
struct Sources {
    at: UnixSeconds,
    demo: bool,
    newsrooms: Vec<Newsroom>,
    sources: Vec<SourceReport>,
}

/// Newsrooms, their sources and the gate's verdicts
#[utoipa::path(
    get,
    path = "/v1/sources",
    tag = "compliance",
    params(Asked),
    responses((status = 200, description = "All of them", body = Sources), MomentErrors),
)]
async fn list(State(state): State<AppState>, asked: Asked) -> Result<Json<Sources>, ApiError> {
    let snapshot = state.moment(&asked).await?.snapshot;
    Ok(Json(Sources {
        at: snapshot.board.at,
        demo: snapshot.demo,
        newsrooms: snapshot.newsrooms.clone(),
        sources: snapshot.sources.clone(),
    }))
}
