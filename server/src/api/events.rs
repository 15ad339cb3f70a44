//! `/v1/events` and `/v1/events/{id}`.

use axum::Json;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Redirect, Response};
use model::{Change, Event, EventId, Model, Newsroom, Snapshot, UnixSeconds};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{MomentErrors, Params};
use crate::error::{ApiError, ErrorBody, within};
use crate::moment::{Asked, Place};
use crate::state::AppState;

const DEFAULT_LIMIT: usize = 50;
const MAX_LIMIT: usize = 500;

pub fn router() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(list)).routes(routes!(one))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Page {
    /// Events to leave out at the start.
    #[serde(default)]
    #[param(default = 0, example = 1)]
    offset: usize,
    /// Events in this answer.
    #[param(default = 50, minimum = 1, maximum = 500, example = 2)]
    limit: Option<usize>,
    /// Smallest number of newsrooms.
    #[param(example = 2)]
    newsrooms: Option<u32>,
    /// ISO 639-1.
    #[param(example = "cs")]
    language: Option<String>,
}

/// Events of a board, hottest first, and how many there are in all.
#[derive(Serialize, ToSchema)]
struct Events {
    snapshot: i64,
    at: UnixSeconds,
    /// Name of the model.
    model: String,
    /// The newsrooms are invented.
    demo: bool,
    /// Events that match, on all pages.
    total: usize,
    offset: usize,
    events: Vec<Event>,
}

/// Events of a board
///
/// Hottest first, page by page.
#[utoipa::path(
    get,
    path = "/v1/events",
    tag = "board",
    params(Asked, Page),
    responses((status = 200, description = "A page of the board", body = Events), MomentErrors),
)]
async fn list(
    State(state): State<AppState>,
    asked: Asked,
    Params(page): Params<Page>,
) -> Result<Json<Events>, ApiError> {
    let limit = within("limit", page.limit.unwrap_or(DEFAULT_LIMIT), 1..=MAX_LIMIT)?;
    let snapshot = state.moment(&asked).await?.snapshot;
    let wanted = matching(&snapshot, page.newsrooms, page.language.as_deref());
    Ok(Json(Events {
        snapshot: snapshot.id,
        at: snapshot.board.at,
        model: snapshot.model.name.clone(),
        demo: snapshot.demo,
        total: wanted.len(),
        offset: page.offset,
        events: wanted.into_iter().skip(page.offset).take(limit).cloned().collect(),
    }))
}

/// The board's events of at least so many newsrooms and in that language.
pub fn matching<'a>(
    snapshot: &'a Snapshot,
    newsrooms: Option<u32>,
    language: Option<&str>,
) -> Vec<&'a Event> {
    let events = snapshot.board.events.iter();
    events
        .filter(|event| event.newsrooms() >= newsrooms.unwrap_or(1))
        .filter(|event| language.is_none_or(|wanted| *wanted == event.language))
        .collect()
}

/// One event with what is needed to read it.
#[derive(Serialize, ToSchema)]
struct OneEvent {
    snapshot: i64,
    at: UnixSeconds,
    model: Model,
    demo: bool,
    event: Event,
    /// Those that mention it, in order of mention.
    newsrooms: Vec<Newsroom>,
    /// Merges, splits and moves, newest first.
    changes: Vec<Change>,
}

/// One event
///
/// With everything that is needed to read it. The id of an event that was merged redirects to the
/// older event; that of one which left the window to the last moment at which it stood there.
#[utoipa::path(
    get,
    path = "/v1/events/{id}",
    tag = "board",
    params(("id" = EventId, Path, description = "Id of the event"), Asked),
    responses(
        (status = 200, description = "The event at the moment", body = OneEvent),
        (status = 308, description = "It is to be read at the address in `Location`"),
        (status = 404, description = "There never was such an event", body = ErrorBody),
        MomentErrors,
    ),
)]
async fn one(
    State(state): State<AppState>,
    asked: Asked,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let id: EventId =
        id.parse().map_err(|_| ApiError::NotFound(format!("no event {id:?}: ids are numbers")))?;
    let moment = state.moment(&asked).await?;
    let event = match state.place(&moment, id).await? {
        Place::Here(event) => event,
        Place::Elsewhere { id, at } => {
            let query = at.map_or_else(|| asked.query(), |at| format!("?at={at}"));
            return Ok(Redirect::permanent(&format!("/v1/events/{id}{query}")).into_response());
        }
        Place::Nowhere => return Err(ApiError::NotFound(format!("no event {id}"))),
    };
    let snapshot = &moment.snapshot;
    let newsrooms =
        event.mentions.iter().filter_map(|mention| snapshot.newsroom(mention.newsroom)).cloned();
    Ok(Json(OneEvent {
        snapshot: snapshot.id,
        at: snapshot.board.at,
        model: snapshot.model.clone(),
        demo: snapshot.demo,
        newsrooms: newsrooms.collect(),
        changes: snapshot.changes.iter().filter(|change| change.event == id).cloned().collect(),
        event,
    })
    .into_response())
}
