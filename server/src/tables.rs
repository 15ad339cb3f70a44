//! The pages' tables as CSV, with the same questions in their addresses.

use axum::Router;
use axum::extract::{RawQuery, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use model::Snapshot;

use crate::error::ApiError;
use crate::moment::Asked;
use crate::state::AppState;

pub fn router() -> Router<AppState> {
    Router::new()
        .route("/newsrooms.csv", csv(|snapshot, query| Some(app::csv::newsrooms(snapshot, query))))
        .route("/desk.csv", csv(app::csv::desk))
        .route("/videos.csv", csv(|snapshot, _| Some(app::csv::videos(snapshot))))
}

fn csv(rows: fn(&Snapshot, &str) -> Option<String>) -> axum::routing::MethodRouter<AppState> {
    get(move |State(state): State<AppState>, asked: Asked, RawQuery(query): RawQuery| async move {
        let snapshot = state.moment(&asked).await?.snapshot;
        let Some(rows) = rows(&snapshot, query.as_deref().unwrap_or_default()) else {
            return Err(ApiError::NotFound("no such newsroom".to_owned()));
        };
        let kind = [(header::CONTENT_TYPE, "text/csv; charset=utf-8")];
        Ok::<Response, ApiError>((kind, rows).into_response())
    })
}
