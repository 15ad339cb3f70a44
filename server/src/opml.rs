//! A list of feeds from another reader's program: read once, answered with the address of the feed of
//! its channels, and forgotten.

use std::sync::Arc;

use app::feeds::{Matched, OpmlError, opml_channels};
use app::{Locale, Refusal};
use axum::Router;
use axum::body::Bytes;
use axum::extract::multipart::MultipartError;
use axum::extract::{DefaultBodyLimit, FromRequest, Multipart, Request, State};
use axum::handler::Handler;
use axum::http::{StatusCode, Uri};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use model::FeedParams;
use url::form_urlencoded;

use crate::state::AppState;

/// Lists of thousands of feeds are smaller.
const LIST_BYTES: usize = 1 << 20;
/// Room for what the form has around the list.
const FORM_BYTES: usize = 16 << 10;
const PATHS: [&str; 2] = ["/feed/opml", "/en/feed/opml"];

/// `refused` renders the page that says what is wrong with a list.
pub fn router<H, T>(state: &AppState, refused: H) -> Router<AppState>
where
    H: Handler<T, AppState>,
    T: 'static,
{
    let upload = middleware::from_fn_with_state(state.clone(), upload);
    let uploads = PATHS
        .into_iter()
        .fold(Router::new(), |router, path| router.route(path, post(refused.clone())));
    let uploads = uploads.layer(upload).layer(DefaultBodyLimit::max(LIST_BYTES + FORM_BYTES));
    PATHS.into_iter().fold(uploads, |router, path| router.route(path, get(begin)))
}

/// Whoever reloads the answer, or asks for it in the other language, begins anew.
async fn begin(uri: Uri) -> Redirect {
    Redirect::to(&feed_page(&uri))
}

async fn upload(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let page = feed_page(&parts.uri);
    let snapshot = state.newest.borrow().clone();
    let sent = file(Request::from_parts(parts.clone(), body), &state).await;
    let matched = match sent {
        Ok(list) => {
            let origin = Arc::clone(&state.base_url);
            let read = move || opml_channels(&list, &origin, &snapshot);
            tokio::task::spawn_blocking(read).await
        }
        Err(error) => Ok(Err(error)),
    };
    match matched {
        Ok(Ok(matched)) => Redirect::to(&format!("{page}?{}", query(&matched))).into_response(),
        Ok(Err(error)) => {
            let mut request = Request::from_parts(parts, axum::body::Body::empty());
            request.extensions_mut().insert(Refusal::Opml(error));
            next.run(request).await
        }
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

fn feed_page(uri: &Uri) -> String {
    Locale::of_path(uri.path()).path("/feed")
}

/// The file in the field `opml`.
async fn file(request: Request, state: &AppState) -> Result<Bytes, OpmlError> {
    let wrong = |error: MultipartError| match error.status() {
        StatusCode::PAYLOAD_TOO_LARGE => OpmlError::Large,
        _ => OpmlError::Missing,
    };
    let form = Multipart::from_request(request, state).await;
    let mut form = form.map_err(|_| OpmlError::Missing)?;
    while let Some(field) = form.next_field().await.map_err(wrong)? {
        if field.name() == Some("opml") {
            let list = field.bytes().await.map_err(wrong)?;
            return match list.len() {
                0 => Err(OpmlError::Missing),
                1..=LIST_BYTES => Ok(list),
                _ => Err(OpmlError::Large),
            };
        }
    }
    Err(OpmlError::Missing)
}

fn query(matched: &Matched) -> String {
    let most = *FeedParams::CHANNELS.end();
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(matched.channels.iter().take(most).map(|channel| ("channel", channel)));
    for (name, count) in
        [("unknown", matched.unknown), ("above", matched.channels.len().saturating_sub(most))]
    {
        if count > 0 {
            query.append_pair(name, &count.to_string());
        }
    }
    query.finish()
}
