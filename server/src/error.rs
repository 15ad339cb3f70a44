//! The one error of the HTTP API. Its cause is logged here, once, and never sent.

use std::fmt::Display;
use std::ops::RangeInclusive;

use axum::Json;
use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use tracing::error;
use utoipa::ToSchema;

/// How a request fails.
#[derive(Debug, thiserror::Error)]
pub enum ApiError {
    #[error("{0}")]
    BadRequest(String),
    #[error("{0}")]
    BadMoment(String),
    #[error("{0}")]
    BadModel(String),
    #[error("{0}")]
    NotFound(String),
    #[error("{0}")]
    Body(#[from] JsonRejection),
    #[error("this address does not answer to that method")]
    Method,
    #[error("too many requests from your address; ask again in {retry_after_seconds} s")]
    TooMany { retry_after_seconds: u64 },
    #[error("{0} is not offered here")]
    NotOffered(&'static str),
    #[error("the database does not answer; try again in a moment")]
    Store(#[from] store::Error),
    #[error("the board could not be computed; try again in a moment")]
    Recompute(#[from] ingest::recompute::Error),
    #[error("the picture could not be drawn")]
    Picture(#[from] app::picture::Error),
    #[error("the feed could not be ranked")]
    Feed,
    #[error("too many feeds are being ranked; ask again in a second")]
    Busy,
}

/// What every failed request to the API answers.
#[derive(Serialize, ToSchema)]
pub struct ErrorBody {
    error: ErrorDetail,
}

#[derive(Serialize, ToSchema)]
struct ErrorDetail {
    /// The HTTP status.
    status: u16,
    /// What is wrong and what would be right, in one English sentence.
    message: String,
}

impl ApiError {
    #[must_use]
    pub fn status(&self) -> StatusCode {
        match self {
            Self::BadRequest(_) | Self::BadMoment(_) | Self::BadModel(_) => StatusCode::BAD_REQUEST,
            Self::Body(rejection) => rejection.status(),
            Self::NotFound(_) => StatusCode::NOT_FOUND,
            Self::Method => StatusCode::METHOD_NOT_ALLOWED,
            Self::TooMany { .. } => StatusCode::TOO_MANY_REQUESTS,
            Self::NotOffered(_) => StatusCode::NOT_IMPLEMENTED,
            Self::Store(_) | Self::Busy => StatusCode::SERVICE_UNAVAILABLE,
            Self::Recompute(_) | Self::Picture(_) | Self::Feed => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// Tells the operator what the one who asked is not told.
    pub fn log(&self) {
        match self {
            Self::Store(cause) => error!(%cause, "request failed"),
            Self::Recompute(cause) => error!(%cause, "request failed"),
            Self::Picture(cause) => error!(%cause, "request failed"),
            _ => {}
        }
    }
}

/// The value, which must not be outside of what is offered.
///
/// # Errors
///
/// [`ApiError::BadRequest`], which says what `name` may be.
pub fn within<T: PartialOrd + Display>(
    name: &str,
    value: T,
    range: RangeInclusive<T>,
) -> Result<T, ApiError> {
    if range.contains(&value) {
        return Ok(value);
    }
    let (least, most) = range.into_inner();
    Err(ApiError::BadRequest(format!("{name} is {value}, and must be {least} to {most}")))
}

impl From<QueryRejection> for ApiError {
    fn from(rejection: QueryRejection) -> Self {
        Self::BadRequest(rejection.body_text())
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        self.log();
        let detail = ErrorDetail { status: self.status().as_u16(), message: self.to_string() };
        let mut response = (self.status(), Json(ErrorBody { error: detail })).into_response();
        let after = match self {
            Self::TooMany { retry_after_seconds } => Some(retry_after_seconds),
            Self::Busy => Some(1),
            _ => None,
        };
        if let Some(after) = after {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(after));
        }
        response
    }
}
