//! Every address of the site.

use std::sync::Arc;

use app::{App, PageContext, Refusal, SignalRow, shell};
use axum::Router;
use axum::extract::{Query, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use leptos::prelude::*;
use leptos_axum::{LeptosRoutes, file_and_error_handler_with_context, generate_route_list};
use model::{EventId, ModelComparison, Snapshot};
use tower_http::compression::CompressionLayer;
use tower_http::trace::TraceLayer;

use crate::compare::Pair;
use crate::error::ApiError;
use crate::moment::{Asked, Moment, Place};
use crate::state::AppState;
use crate::{api, charts, live};

/// The whole site over `state`.
pub fn app(state: AppState) -> Router {
    let shell_options = state.leptos.clone();
    let pages = Router::new()
        .leptos_routes_with_context(
            &state,
            generate_route_list(App),
            page_context(&state),
            move || shell(shell_options.clone()),
        )
        .fallback(file_and_error_handler_with_context::<AppState, _>(page_context(&state), shell))
        .layer(middleware::from_fn_with_state(state.clone(), moment));

    Router::new()
        .merge(api::router())
        .merge(charts::router())
        .merge(live::router())
        .route("/healthz", get(healthz))
        .route("/readyz", get(readyz))
        .merge(pages)
        .layer(middleware::map_response(safe_headers))
        .layer(CompressionLayer::new())
        .layer(TraceLayer::new_for_http())
        .with_state(state)
}

/// What a page is rendered from: chosen by [`moment`], handed over in the request's extensions.
fn page_context(state: &AppState) -> impl Fn() + Clone + Send + Sync + 'static {
    let state = state.clone();
    let signals: Arc<[SignalRow]> = ingest::gate::SIGNALS
        .iter()
        .map(|signal| SignalRow {
            name: signal.name.to_owned(),
            blocks: signal.blocks,
            reason: signal.reason.to_owned(),
        })
        .collect();
    let reference = Arc::new(api::reference());
    let accuracy = api::accuracy().map(Arc::new);
    move || {
        let extensions = use_context::<Parts>().map(|parts| parts.extensions).unwrap_or_default();
        let newest = Arc::clone(&state.newest.borrow());
        let newest_id = newest.id;
        let moment = extensions.get::<Moment>().cloned();
        let Moment { snapshot, at } = moment.unwrap_or(Moment { snapshot: newest, at: None });
        provide_context::<Arc<Snapshot>>(snapshot);
        provide_context(PageContext {
            origin: Arc::clone(&state.base_url),
            newest_id,
            at,
            now: chrono::Utc::now().timestamp(),
            signals: Arc::clone(&signals),
            reference: Arc::clone(&reference),
            accuracy: accuracy.clone(),
            comparison: extensions.get::<Arc<ModelComparison>>().cloned(),
            refusal: extensions.get::<Refusal>().copied(),
        });
    }
}

/// Resolves which snapshot a page means, and where a merged or past event is to be read.
async fn moment(
    State(state): State<AppState>,
    asked: Asked,
    mut request: Request,
    next: Next,
) -> Response {
    let moment = match state.moment(&asked).await {
        Ok(moment) => moment,
        Err(error) => return refused(error, request, next).await,
    };
    if matches!(request.uri().path(), "/methodology/models" | "/en/methodology/models") {
        let pair =
            Query::<Pair>::try_from_uri(request.uri()).map_or_else(|_| Pair::default(), |q| q.0);
        match state.comparison(pair).await {
            Ok(comparison) => {
                request.extensions_mut().insert(Arc::new(comparison));
            }
            Err(error) => return refused(error, request, next).await,
        }
    }
    let path = request.uri().path();
    let (prefix, rest) = match path.strip_prefix("/en/event/") {
        Some(rest) => ("/en/event/", rest),
        None => ("/event/", path.strip_prefix("/event/").unwrap_or_default()),
    };
    if let Ok(id) = rest.parse::<EventId>() {
        match state.place(&moment, id).await {
            Ok(Place::Elsewhere { id: older, at }) if older != id => {
                let query = at.map_or_else(|| asked.query(), |at| format!("?at={at}"));
                return moved(&format!("{prefix}{older}{query}"));
            }
            Ok(Place::Elsewhere { at: Some(at), .. }) => {
                return Redirect::temporary(&format!("{prefix}{id}?at={at}")).into_response();
            }
            Ok(_) => {}
            Err(error) => return error.into_response(),
        }
    }
    request.extensions_mut().insert(moment);
    next.run(request).await
}

/// A page that says what cannot be answered, or the bare error where the fault is ours.
async fn refused(error: ApiError, mut request: Request, next: Next) -> Response {
    let refusal = match error {
        ApiError::BadMoment(_) => Refusal::Moment,
        ApiError::BadModel(_) => Refusal::Model,
        error => return error.into_response(),
    };
    request.extensions_mut().insert(refusal);
    next.run(request).await
}

/// 301: what [`Redirect`] offers as permanent is 308, which old readers do not know.
fn moved(to: &str) -> Response {
    match HeaderValue::from_str(to) {
        Ok(to) => (StatusCode::MOVED_PERMANENTLY, [(header::LOCATION, to)]).into_response(),
        Err(_) => StatusCode::NOT_FOUND.into_response(),
    }
}

async fn safe_headers(mut response: Response) -> Response {
    let headers = response.headers_mut();
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "strict-origin-when-cross-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// The process is up.
async fn healthz() -> &'static str {
    "ok\n"
}

/// The process can answer: the database does, and there is a snapshot.
async fn readyz(State(state): State<AppState>) -> Response {
    if state.newest.borrow().id == 0 {
        return (StatusCode::SERVICE_UNAVAILABLE, "no snapshot yet\n").into_response();
    }
    match state.store.head().await {
        Ok(_) => "ready\n".into_response(),
        Err(_) => {
            (StatusCode::SERVICE_UNAVAILABLE, "the database does not answer\n").into_response()
        }
    }
}
