//! `/oembed?url=…`: how a page of this site is embedded in another (<https://oembed.com>).

use app::Locale;
use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use model::EventId;
use serde::{Deserialize, Serialize};

use crate::api::Params;
use crate::error::ApiError;
use crate::state::AppState;

const WIDTH: u32 = 640;
const BOARD_HEIGHT: u32 = 560;
const EVENT_HEIGHT: u32 = 260;

pub fn router() -> Router<AppState> {
    Router::new().route("/oembed", get(oembed))
}

#[derive(Deserialize)]
struct Question {
    url: String,
    maxwidth: Option<u32>,
    maxheight: Option<u32>,
    format: Option<String>,
}

/// The answer of type `rich`; field names are the convention's.
#[derive(Serialize)]
struct Embed {
    version: &'static str,
    r#type: &'static str,
    provider_name: &'static str,
    provider_url: String,
    title: String,
    html: String,
    width: u32,
    height: u32,
    thumbnail_url: String,
    thumbnail_width: u32,
    thumbnail_height: u32,
    cache_age: u32,
}

async fn oembed(
    State(state): State<AppState>,
    Params(question): Params<Question>,
) -> Result<Json<Embed>, ApiError> {
    if question.format.as_deref().is_some_and(|format| format != "json") {
        return Err(ApiError::NotOffered("another format than json"));
    }
    let unknown = || ApiError::NotFound("url is no page of this site that can be embedded".into());
    let address = question.url.strip_prefix(&*state.base_url).ok_or_else(unknown)?;
    let (path, query) = address.split_once('?').unwrap_or((address, ""));
    let locale = Locale::of_path(path);
    let page = Locale::strip(path).trim_end_matches('/');
    let snapshot = state.newest.borrow().clone();
    let (embedded, height, title) = match page.strip_prefix("/event/") {
        Some(id) => {
            let id: EventId = id.parse().map_err(|_| unknown())?;
            let event = snapshot.board.events.iter().find(|event| event.id == id);
            let event = event.ok_or_else(unknown)?;
            (format!("/embed/event/{id}"), EVENT_HEIGHT, app::plain(&event.title))
        }
        None if page.is_empty() => ("/embed/board".to_owned(), BOARD_HEIGHT, "Ohlas".to_owned()),
        None => return Err(unknown()),
    };
    let picture = if page.is_empty() { "/og.png".into() } else { format!("{page}/og.png") };
    let base = &state.base_url;
    let source = match query {
        "" => format!("{base}{}", locale.path(&embedded)),
        query => format!("{base}{}?{query}", locale.path(&embedded)),
    };
    let width = WIDTH.min(question.maxwidth.unwrap_or(WIDTH));
    let height = height.min(question.maxheight.unwrap_or(height));
    let (thumbnail_width, thumbnail_height) = app::picture::SIZE;
    Ok(Json(Embed {
        version: "1.0",
        r#type: "rich",
        provider_name: "Ohlas",
        provider_url: format!("{base}/"),
        html: format!(
            "<iframe src=\"{}\" title=\"{}\" width=\"{width}\" height=\"{height}\" \
             style=\"border:0\" loading=\"lazy\"></iframe>",
            attribute(&source),
            attribute(&title),
        ),
        title,
        width,
        height,
        thumbnail_url: format!("{base}{}", locale.path(&picture)),
        thumbnail_width,
        thumbnail_height,
        cache_age: 600,
    }))
}

fn attribute(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;").replace('>', "&gt;")
}
