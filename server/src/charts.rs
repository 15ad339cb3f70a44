//! Every chart of an event as CSV, at its page's address.

use axum::Router;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use model::{Event, EventId, Snapshot};

use crate::error::ApiError;
use crate::moment::{Asked, Place};
use crate::state::AppState;

pub fn router() -> Router<AppState> {
    Router::new()
        .route("/event/{id}/heat.csv", csv("heat", heat))
        .route("/event/{id}/scores.csv", get(scores))
        .route("/event/{id}/mentions.csv", csv("mentions", app::csv::mentions))
        .route("/event/{id}/positions.csv", csv("positions", app::csv::positions))
}

fn csv(
    name: &'static str,
    rows: fn(&Event, &Snapshot) -> String,
) -> axum::routing::MethodRouter<AppState> {
    get(move |State(state): State<AppState>, asked: Asked, Path(id): Path<String>| async move {
        let id: EventId = id.parse().map_err(|_| ApiError::NotFound(format!("no event {id:?}")))?;
        let moment = state.moment(&asked).await?;
        let event = match state.place(&moment, id).await? {
            Place::Here(event) => event,
            Place::Elsewhere { id, at } => {
                let query = at.map_or_else(|| asked.query(), |at| format!("?at={at}"));
                return Ok(
                    Redirect::permanent(&format!("/event/{id}/{name}.csv{query}")).into_response()
                );
            }
            Place::Nowhere => return Err(ApiError::NotFound(format!("no event {id}"))),
        };
        let kind = [(header::CONTENT_TYPE, "text/csv; charset=utf-8")];
        Ok::<Response, ApiError>((kind, rows(&event, &moment.snapshot)).into_response())
    })
}

/// The event's course, also of one that has left the window.
async fn scores(
    State(state): State<AppState>,
    asked: Asked,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let id: EventId = id.parse().map_err(|_| ApiError::NotFound(format!("no event {id:?}")))?;
    let moment = state.moment(&asked).await?;
    let scores = state.scores(&moment, id).await?;
    if scores.is_empty() {
        return Err(ApiError::NotFound(format!("no recompute gave event {id} a heat")));
    }
    let kind = [(header::CONTENT_TYPE, "text/csv; charset=utf-8")];
    Ok((kind, app::csv::scores(&scores, &moment.snapshot.model)).into_response())
}

fn heat(event: &Event, snapshot: &Snapshot) -> String {
    app::csv::heat(event, snapshot.board.at, &snapshot.model)
}
