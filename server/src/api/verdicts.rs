//! `/v1/verdicts`: how the gate's verdicts changed.

use axum::Json;
use axum::extract::State;
use model::{UnixSeconds, VerdictChange};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{MomentErrors, Params};
use crate::error::{ApiError, ErrorBody, within};
use crate::moment::Asked;
use crate::state::AppState;

const DEFAULT_LIMIT: usize = 100;
const MAX_LIMIT: usize = 1_000;

pub fn router() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(list))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Page {
    /// Changes to leave out at the start.
    #[serde(default)]
    #[param(default = 0, example = 1)]
    offset: usize,
    /// Changes in this answer.
    #[param(default = 100, minimum = 1, maximum = 1000, example = 2)]
    limit: Option<usize>,
    /// Slug of the only source that is asked about.
    #[param(example = "agentura-pramen")]
    source: Option<String>,
}

/// Changes of the gate's verdicts, and how many there are in all.
#[derive(Serialize, ToSchema)]
struct Verdicts {
    at: UnixSeconds,
    demo: bool,
    /// Changes that match, on all pages.
    total: usize,
    offset: usize,
    changes: Vec<SourceChange>,
}

#[derive(Serialize, ToSchema)]
struct SourceChange {
    /// Slug of the source.
    slug: String,
    change: VerdictChange,
}

/// Changes of the gate's verdicts
///
/// Of the 90 days before the moment, newest first, at most 30 of each source; first verdicts are among
/// them.
#[utoipa::path(
    get,
    path = "/v1/verdicts",
    tag = "compliance",
    params(Asked, Page),
    responses(
        (status = 200, description = "A page of the changes", body = Verdicts),
        (status = 404, description = "There is no such source", body = ErrorBody),
        MomentErrors,
    ),
)]
async fn list(
    State(state): State<AppState>,
    asked: Asked,
    Params(page): Params<Page>,
) -> Result<Json<Verdicts>, ApiError> {
    let limit = within("limit", page.limit.unwrap_or(DEFAULT_LIMIT), 1..=MAX_LIMIT)?;
    let snapshot = state.moment(&asked).await?.snapshot;
    if let Some(slug) = &page.source
        && !snapshot.sources.iter().any(|report| report.source.slug == *slug)
    {
        return Err(ApiError::NotFound(format!("no source {slug:?}")));
    }
    let mut changes = snapshot.verdict_changes();
    changes.retain(|(report, _)| {
        page.source.as_ref().is_none_or(|wanted| *wanted == report.source.slug)
    });
    let shown = changes.iter().skip(page.offset).take(limit).map(|(report, change)| SourceChange {
        slug: report.source.slug.clone(),
        change: (*change).clone(),
    });
    Ok(Json(Verdicts {
        at: snapshot.board.at,
        demo: snapshot.demo,
        total: changes.len(),
        offset: page.offset,
        changes: shown.collect(),
    }))
}
