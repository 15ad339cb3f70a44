//! `/v1/models` and `/v1/models/compare`.

use axum::Json;
use axum::extract::State;
use model::{Accuracy, Model, ModelComparison};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{MomentErrors, Params};
use crate::compare::Pair;
use crate::error::ApiError;
use crate::state::AppState;

pub fn router() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(list)).routes(routes!(compare))
}

/// Every model, the board's first, and how well events are found.
#[derive(Serialize, ToSchema)]
struct Models {
    models: Vec<HashedModel>,
    accuracy: Option<Accuracy>,
}

#[derive(Serialize, ToSchema)]
struct HashedModel {
    /// SHA-256 of the model written as JSON, lower-case hexadecimal.
    hash: String,
    model: Model,
}

/// Models and measured accuracy
#[utoipa::path(
    get,
    path = "/v1/models",
    tag = "about",
    responses((status = 200, description = "Those that can be asked for", body = Models)),
)]
async fn list() -> Json<Models> {
    let hashed = |model: Model| HashedModel { hash: model.hash(), model };
    Json(Models { models: Model::all().into_iter().map(hashed).collect(), accuracy: accuracy() })
}

/// As it was measured; that it can be read is a test of the engine's.
pub fn accuracy() -> Option<Accuracy> {
    serde_json::from_str(engine::ACCURACY).ok()
}

/// Two models' orders of the same board
#[utoipa::path(
    get,
    path = "/v1/models/compare",
    tag = "about",
    params(Pair),
    responses((status = 200, description = "At the moment", body = ModelComparison), MomentErrors),
)]
async fn compare(
    State(state): State<AppState>,
    Params(pair): Params<Pair>,
) -> Result<Json<ModelComparison>, ApiError> {
    Ok(Json(state.comparison(pair).await?))
}
