//! `/v1/log`: the chain of batches, newest first, so that others can note its head.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use model::{Batch, ChainHead};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::Params;
use crate::error::{ApiError, ErrorBody, within};
use crate::state::AppState;

const DEFAULT_LIMIT: u32 = 100;
const MAX_LIMIT: u32 = 1_000;

pub fn router() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(log))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Page {
    /// Only batches in front of this position.
    #[param(example = 20)]
    before: Option<i64>,
    #[param(default = 100, minimum = 1, maximum = 1000, example = 2)]
    limit: Option<u32>,
}

#[derive(Serialize, ToSchema)]
struct Log {
    /// The newest batch; left out of pages in front of a position, which never change.
    #[serde(skip_serializing_if = "Option::is_none")]
    head: Option<ChainHead>,
    /// Newest first.
    batches: Vec<Batch>,
    /// The page that follows; `null` after the first batch.
    next: Option<String>,
}

/// The chain of batches that history is appended in
///
/// What is hashed and how to verify it: `docs/history.md` of the project.
#[utoipa::path(
    get,
    path = "/v1/log",
    tag = "about",
    params(Page),
    responses(
        (status = 200, description = "Batches, newest first", body = Log),
        (status = 304, description = "Nothing was appended since"),
        (status = 400, description = "A parameter cannot be read", body = ErrorBody),
        (status = 429, description = "Too many requests from one address", body = ErrorBody),
        (status = 503, description = "The database does not answer", body = ErrorBody),
    ),
)]
async fn log(
    State(state): State<AppState>,
    Params(page): Params<Page>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let limit = within("limit", page.limit.unwrap_or(DEFAULT_LIMIT), 1..=MAX_LIMIT)?;
    let head = state.store.head().await?;
    let end = head.as_ref().map_or(1, |head| head.position + 1);
    let before = page.before.unwrap_or(end).min(end);
    let settled = before < end;
    let hash = head.as_ref().map_or("", |head| &head.hash);
    let tag = format!("\"{before}-{limit}-{hash}\"");
    let caching = [
        (header::CACHE_CONTROL, if settled { "public, max-age=86400" } else { "no-cache" }),
        (header::ETAG, tag.as_str()),
    ];
    if headers.get(header::IF_NONE_MATCH).is_some_and(|known| *known == *tag) {
        return Ok((StatusCode::NOT_MODIFIED, caching).into_response());
    }
    let batches = state.store.batches_before(before, limit).await?;
    let last = batches.last().map_or(1, |batch| batch.position);
    let next = (last > 1).then(|| format!("/v1/log?before={last}&limit={limit}"));
    let head = head.filter(|_| !settled);
    Ok((caching, Json(Log { head, batches, next })).into_response())
}
