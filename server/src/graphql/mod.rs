//! `/graphql`: what `/v1` answers, in the shape that the question asks for.
//!
//! A question comes as JSON by POST; GET answers the schema. What it may cost is known before anything is
//! looked up: its text bounds what reading it takes, its fields what answering it takes.

mod board;
mod feed;
mod size;
mod sources;

use std::sync::Arc;

use async_graphql::{
    EmptyMutation, EmptySubscription, ErrorExtensionValues, MergedObject, Request, Schema,
    ServerError, Value, scalar,
};
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde::{Deserialize, Serialize};

use crate::error::ApiError;
use crate::question::{Object, Question};
use crate::state::AppState;

/// What the specification of GraphQL over HTTP calls an answer.
const ANSWER: HeaderValue =
    HeaderValue::from_static("application/graphql-response+json; charset=utf-8");
/// Levels of fields. The questions by which tools learn a schema have as many, about data half of them
/// are enough.
const DEPTH: usize = 15;
/// Fields in an answer, where lists are as long as they may be.
const COST: usize = 50_000;
/// What a board costs that may have to be computed.
const BOARD_COST: usize = 1_000;
/// Errors that are told of one question.
const ERRORS: usize = 10;

pub fn router() -> Router<AppState> {
    let schema = Schema::build(Query::default(), EmptyMutation, EmptySubscription)
        .limit_depth(DEPTH)
        .limit_complexity(COST)
        .finish();
    let sdl = schema.sdl();
    let ask = async move |State(state): State<AppState>, question: Question<Request>| {
        let question = question.map_err(ApiError::from);
        let answer = match question.and_then(|Json(Object(question))| size::modest(question)) {
            Ok(question) => schema.execute(question.data(state)).await,
            Err(error) => async_graphql::Response::from_errors(vec![refusal(error)]),
        };
        told(answer)
    };
    Router::new()
        .route("/graphql", get(sdl).post(ask))
        .method_not_allowed_fallback(async || ApiError::Method)
}

/// What can be asked for.
#[derive(Default, MergedObject)]
struct Query(board::BoardFields, feed::FeedFields, sources::SourceFields);

fn refusal(error: ApiError) -> ServerError {
    let message = error.to_string();
    ServerError { source: Some(Arc::new(error)), ..ServerError::new(message, None) }
}

/// The answer over HTTP. Where there is no data, the status is the first error's.
fn told(mut answer: async_graphql::Response) -> Response {
    answer.errors.truncate(ERRORS);
    let mut first = None;
    for error in &mut answer.errors {
        let mut status = StatusCode::BAD_REQUEST;
        if let Some(cause) = error.source::<ApiError>() {
            cause.log();
            status = cause.status();
        }
        let extensions = error.extensions.get_or_insert_with(ErrorExtensionValues::default);
        extensions.set("status", status.as_u16());
        first.get_or_insert(status);
    }
    let status = first.filter(|_| answer.data == Value::Null).unwrap_or_default();
    (status, [(header::CONTENT_TYPE, ANSWER)], Json(answer)).into_response()
}

/// Not an `Int`, which ends in 2038.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(transparent)]
struct UnixSeconds(model::UnixSeconds);

scalar!(UnixSeconds, "UnixSeconds", "Whole seconds since 1970-01-01T00:00:00Z.");

/// The board that was asked for, as `/v1` reads `at` and `model`.
fn asked(at: Option<UnixSeconds>, model: Option<String>) -> crate::moment::Asked {
    crate::moment::Asked::new(at.map(|UnixSeconds(at)| at.to_string()), model)
}
