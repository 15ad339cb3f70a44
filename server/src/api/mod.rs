//! The JSON API, version 1. Fields are only ever added within a version.
//!
//! A route is added with `routes!` and its handler described by `#[utoipa::path]`: so no route is
//! missing in the document, and `tests/it/openapi.rs` asks every one and holds its answers against it.

#![expect(unused_qualifications, reason = "utoipa's macros qualify every type that they are given")]

mod document;
mod events;
mod feed;
mod log;
mod models;
mod sources;
mod stats;
mod verdicts;

use axum::Router;
use axum::extract::rejection::QueryRejection;
use axum::extract::{FromRequestParts, Query};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;
use utoipa_axum::router::OpenApiRouter;

use crate::error::{ApiError, ErrorBody};
use crate::state::AppState;

pub use document::reference;
pub use events::matching;
pub use models::accuracy;

pub fn router() -> Router<AppState> {
    Router::from(described())
        .route("/v1/{*path}", axum::routing::any(nothing_here))
        .method_not_allowed_fallback(async || ApiError::Method)
}

/// Every route together with its description.
fn described() -> OpenApiRouter<AppState> {
    document::empty()
        .merge(events::router())
        .merge(models::router())
        .merge(sources::router())
        .merge(verdicts::router())
        .merge(stats::router())
        .merge(log::router())
        .merge(feed::router())
        .merge(document::router())
}

async fn nothing_here() -> ApiError {
    ApiError::NotFound("nothing is at this address; /v1/openapi.json lists what is".to_owned())
}

/// The query, or the API's own error.
pub struct Params<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Params<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let query: Result<Query<T>, QueryRejection> = Query::try_from_uri(&parts.uri);
        query.map(|Query(params)| Self(params)).map_err(ApiError::from)
    }
}

/// What may go wrong with any question about a moment.
#[derive(utoipa::IntoResponses)]
#[expect(dead_code, reason = "only its description is used")]
enum MomentErrors {
    /// A parameter cannot be read, or names a moment or model that there is none of.
    #[response(status = 400)]
    Bad(ErrorBody),
    /// Too many requests from one address; `Retry-After` says when to come back.
    #[response(status = 429)]
    TooMany(ErrorBody),
    /// The board could not be computed.
    #[response(status = 500)]
    Broken(ErrorBody),
    /// The database does not answer.
    #[response(status = 503)]
    Away(ErrorBody),
}
