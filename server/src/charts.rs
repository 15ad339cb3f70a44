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

fn heat(event: &Event, snapshot: &Snapshot) -> String {
    app::csv::heat(event, snapshot.board.at, &snapshot.model)
}
