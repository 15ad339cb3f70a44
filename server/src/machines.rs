//! The board, the verdicts and chosen channels as feeds, and the pictures of OpenGraph, in both languages.

use app::feeds::{self, Asked as Feed};
use app::picture;
use app::{FeedQuery, Locale};
use axum::Router;
use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderValue, Uri, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use model::{EventId, FeedParams, RankedFeed, Snapshot};

use crate::error::{ApiError, within};
use crate::moment::{Asked, Place};
use crate::state::AppState;

const ATOM: &str = "application/atom+xml; charset=utf-8";
const JSON: &str = "application/feed+json";
const CSV: &str = "text/csv; charset=utf-8";
const OPML: &str = "text/x-opml; charset=utf-8";

/// Messengers ask once and show the picture for long.
const PICTURE: HeaderValue = HeaderValue::from_static("public, max-age=600");

pub fn router() -> Router<AppState> {
    ["", "/en"].into_iter().fold(Router::new(), |router, prefix| {
        let at = |path: &str| format!("{prefix}{path}");
        router
            .route(&at("/board.atom"), feed(ATOM, feeds::board_atom))
            .route(&at("/board.json"), feed(JSON, feeds::board_json))
            .route(&at("/board.csv"), feed(CSV, feeds::board_csv))
            .route(&at("/compliance.atom"), feed(ATOM, feeds::verdicts_atom))
            .route(&at("/compliance.csv"), feed(CSV, |_, snapshot| feeds::verdicts_csv(snapshot)))
            .route(&at("/feed.atom"), chosen(ATOM, feeds::feed_atom))
            .route(&at("/feed.json"), chosen(JSON, feeds::feed_json))
            .route(&at("/feed.opml"), get(opml))
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

/// What is asked of the personalised feed, which must name channels, and no more than it may have.
fn selection(query: &str) -> Result<FeedQuery, ApiError> {
    let asked = FeedQuery::of_address(query);
    if asked.channels.is_empty() {
        return Err(ApiError::BadRequest(
            "no channel is chosen: name some, as in ?channel=one&channel=another".into(),
        ));
    }
    within("number of channels", asked.channels.len() + asked.above, FeedParams::CHANNELS)?;
    Ok(asked)
}

fn chosen(
    kind: &'static str,
    write: fn(&Feed, &FeedQuery, &RankedFeed, &Snapshot) -> String,
) -> axum::routing::MethodRouter<AppState> {
    get(move |State(state): State<AppState>, uri: Uri| async move {
        let query = uri.query().unwrap_or_default();
        let asked = selection(query)?;
        let ranked = state.feed(&asked.channels, &asked.params).await?;
        let snapshot = state.newest.borrow().clone();
        let locale = Locale::of_path(uri.path());
        let feed = Feed { origin: &state.base_url, locale, query };
        let body = write(&feed, &asked, &ranked, &snapshot);
        let mut response = ([(header::CONTENT_TYPE, kind)], body).into_response();
        keep_only_whole(&ranked, &mut response);
        Ok::<Response, ApiError>(response)
    })
}

async fn opml(State(state): State<AppState>, uri: Uri) -> Result<Response, ApiError> {
    let query = uri.query().unwrap_or_default();
    let asked = selection(query)?;
    let snapshot = state.newest.borrow().clone();
    let locale = Locale::of_path(uri.path());
    let feed = Feed { origin: &state.base_url, locale, query };
    let body = feeds::opml(&feed, &asked, &snapshot);
    Ok(([(header::CONTENT_TYPE, OPML)], body).into_response())
}

/// A feed that lacks a channel is made anew each time, since the channel may be back.
pub fn keep_only_whole(feed: &RankedFeed, response: &mut Response) {
    if !feed.failures.is_empty() {
        let fleeting = HeaderValue::from_static("no-store");
        response.headers_mut().insert(header::CACHE_CONTROL, fleeting);
    }
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
