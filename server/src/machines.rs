//! The board and the verdicts as feeds, and the pictures of OpenGraph, in both languages.

use app::Locale;
use app::feeds::{self, Asked as Feed};
use app::picture;
use axum::Router;
use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderValue, Uri, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use model::{EventId, Snapshot};

use crate::error::ApiError;
use crate::moment::{Asked, Place};
use crate::state::AppState;

const ATOM: &str = "application/atom+xml; charset=utf-8";
const CSV: &str = "text/csv; charset=utf-8";

/// Messengers ask once and show the picture for long.
const PICTURE: HeaderValue = HeaderValue::from_static("public, max-age=600");

pub fn router() -> Router<AppState> {
    ["", "/en"].into_iter().fold(Router::new(), |router, prefix| {
        let at = |path: &str| format!("{prefix}{path}");
        router
            .route(&at("/board.atom"), feed(ATOM, feeds::board_atom))
            .route(&at("/board.json"), feed("application/feed+json", feeds::board_json))
            .route(&at("/board.csv"), feed(CSV, feeds::board_csv))
            .route(&at("/compliance.atom"), feed(ATOM, feeds::verdicts_atom))
            .route(&at("/compliance.csv"), feed(CSV, |_, snapshot| feeds::verdicts_csv(snapshot)))
            .route(&at("/og.png"), get(board_picture))
            .route(&at("/event/{id}/og.png"), get(event_picture))
    })
}

fn feed(
    kind: &'static str,
    write: fn(&Feed, &Snapshot) -> String,
) -> axum::routing::MethodRouter<AppState> {
    get(
        move |State(state): State<AppState>, asked: Asked, uri: Uri, RawQuery(query): RawQuery| async move {
            let snapshot = state.moment(&asked).await?.snapshot;
            let feed = Feed {
                origin: &state.base_url,
                locale: Locale::of_path(uri.path()),
                query: query.as_deref().unwrap_or_default(),
            };
            let kind = [(header::CONTENT_TYPE, kind)];
            Ok::<Response, ApiError>((kind, write(&feed, &snapshot)).into_response())
        },
    )
}

async fn board_picture(
    State(state): State<AppState>,
    asked: Asked,
    uri: Uri,
) -> Result<Response, ApiError> {
    let snapshot = state.moment(&asked).await?.snapshot;
    let locale = Locale::of_path(uri.path());
    drawn(move || picture::board(&snapshot, locale)).await
}

async fn event_picture(
    State(state): State<AppState>,
    asked: Asked,
    uri: Uri,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let id: EventId = id.parse().map_err(|_| ApiError::NotFound(format!("no event {id:?}")))?;
    let moment = state.moment(&asked).await?;
    let locale = Locale::of_path(uri.path());
    match state.place(&moment, id).await? {
        Place::Here(event) => drawn(move || picture::event(&event, &moment.snapshot, locale)).await,
        Place::Elsewhere { id, at } => {
            let query = at.map_or_else(|| asked.query(), |at| format!("?at={at}"));
            let path = locale.path(&format!("/event/{id}/og.png{query}"));
            Ok(Redirect::permanent(&path).into_response())
        }
        Place::Nowhere => Err(ApiError::NotFound(format!("no event {id}"))),
    }
}

/// Draws off the runtime's threads.
async fn drawn(
    draw: impl FnOnce() -> Result<Vec<u8>, picture::Error> + Send + 'static,
) -> Result<Response, ApiError> {
    let drawn = tokio::task::spawn_blocking(draw).await;
    let png = drawn.map_err(|error| picture::Error::Draw(error.to_string()))??;
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("image/png")),
        (header::CACHE_CONTROL, PICTURE),
    ];
    Ok((headers, png).into_response())
}
