//! `/v1/events` and `/v1/events/{id}`.

use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use axum::{Json, Router};
use model::{Change, Event, EventId, Model, Newsroom, UnixSeconds};
use serde::{Deserialize, Serialize};

use crate::error::ApiError;
use crate::moment::{Asked, Place};
use crate::state::AppState;

const DEFAULT_LIMIT: usize = 50;
const MAX_LIMIT: usize = 500;

pub fn router() -> Router<AppState> {
    Router::new().route("/v1/events", get(list)).route("/v1/events/{id}", get(one))
}

#[derive(Deserialize)]
struct Page {
    #[serde(default)]
    offset: usize,
    limit: Option<usize>,
    /// Smallest number of newsrooms.
    newsrooms: Option<u32>,
    language: Option<String>,
}

/// Events of a board, hottest first, and how many there are in all.
#[derive(Serialize)]
struct Events {
    snapshot: i64,
    at: UnixSeconds,
    model: String,
    demo: bool,
    total: usize,
    offset: usize,
    events: Vec<Event>,
}

async fn list(
    State(state): State<AppState>,
    asked: Asked,
    Query(page): Query<Page>,
) -> Result<Json<Events>, ApiError> {
    let limit = page.limit.unwrap_or(DEFAULT_LIMIT);
    if limit == 0 || limit > MAX_LIMIT {
        return Err(ApiError::BadRequest(format!("limit must be 1 to {MAX_LIMIT}")));
    }
    let snapshot = state.moment(&asked).await?.snapshot;
    let wanted: Vec<&Event> = snapshot
        .board
        .events
        .iter()
        .filter(|event| event.newsrooms() >= page.newsrooms.unwrap_or(1))
        .filter(|event| page.language.as_ref().is_none_or(|wanted| *wanted == event.language))
        .collect();
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

/// One event with what is needed to read it.
#[derive(Serialize)]
struct OneEvent {
    snapshot: i64,
    at: UnixSeconds,
    model: Model,
    demo: bool,
    event: Event,
    newsrooms: Vec<Newsroom>,
    changes: Vec<Change>,
}

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
