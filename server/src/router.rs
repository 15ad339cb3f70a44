//! Every address of the site.

use std::sync::Arc;
use std::time::Duration;

use app::{App, Locale, Lookup, PageContext, Refusal, SignalRow, shell};
use axum::Router;
use axum::extract::{Query, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use leptos::nonce::use_nonce;
use leptos::prelude::*;
use leptos_axum::{
    LeptosRoutes, ResponseOptions, file_and_error_handler_with_context, generate_route_list,
    render_app_to_stream_with_context,
};
use model::{EventId, ModelComparison, Snapshot};
use tower_http::compression::CompressionLayer;
use tower_http::limit::RequestBodyLimitLayer;
use tower_http::timeout::TimeoutLayer;
use tower_http::trace::TraceLayer;

use crate::compare::Pair;
use crate::error::ApiError;
use crate::moment::{Asked, Moment, Place};
use crate::state::AppState;
use crate::{
    api, charts, crawl, graphql, kept, limit, live, machines, metrics, oembed, opml, policy, tables,
};

/// Longest path and query: a hundred chosen channels fit, all else takes a fraction of it.
const ADDRESS_BYTES: usize = 8_192;
const BODY_BYTES: usize = 64 << 10;
/// A past board of a long window takes seconds; nothing takes longer.
const ANSWER_TIME: Duration = Duration::from_secs(30);

/// The whole site over `state`.
pub fn app(state: AppState) -> Router {
    let limited = middleware::from_fn_with_state(state.clone(), limit::limited);
    let kept = middleware::from_fn_with_state(state.clone(), kept::keep);
    let shell_options = state.leptos.clone();
    let refused_list = render_app_to_stream_with_context(page_context(&state), {
        let options = shell_options.clone();
        move || shell(options.clone())
    });
    let uploads = opml::router(&state, refused_list).layer(limited.clone());
    let routes = generate_route_list(App);
    let machines = Router::new()
        .merge(api::router())
        .merge(graphql::router())
        .merge(charts::router())
        .merge(tables::router())
        .merge(machines::router())
        .merge(oembed::router())
        .merge(crawl::router(&routes))
        .layer(kept.clone())
        .layer(limited.clone())
        .layer(middleware::from_fn(policy::shared));
    // Pages are there to be read: only those that have to be rendered count.
    let pages = Router::new()
        .leptos_routes_with_context(&state, routes, page_context(&state), move || {
            shell(shell_options.clone())
        })
        .fallback(file_and_error_handler_with_context::<AppState, _>(page_context(&state), shell))
        .layer(middleware::from_fn_with_state(state.clone(), moment))
        .layer(middleware::map_response(policy::bare))
        .layer(limited)
        .layer(kept);

    Router::new()
        .merge(machines)
        .merge(live::router())
        .merge(metrics::router())
        .route("/healthz", get(healthz))
        .route("/readyz", get(readyz))
        .merge(pages)
        .layer(RequestBodyLimitLayer::new(BODY_BYTES))
        .merge(uploads)
        .layer(TimeoutLayer::with_status_code(StatusCode::GATEWAY_TIMEOUT, ANSWER_TIME))
        .layer(middleware::from_fn(short_address))
        .layer(middleware::from_fn_with_state(state.clone(), policy::safe))
        .layer(CompressionLayer::new())
        .layer(middleware::from_fn_with_state(state.clone(), metrics::counted))
        .layer(TraceLayer::new_for_http())
        .with_state(state)
}

async fn short_address(request: Request, next: Next) -> Response {
    let length = request.uri().path_and_query().map_or(0, |address| address.as_str().len());
    if length > ADDRESS_BYTES {
        return StatusCode::URI_TOO_LONG.into_response();
    }
    next.run(request).await
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
        let parts = use_context::<Parts>();
        let path = parts.as_ref().map(|parts| parts.uri.path().to_owned()).unwrap_or_default();
        set_policy(&path);
        let extensions = parts.map(|parts| parts.extensions).unwrap_or_default();
        let newest = Arc::clone(&state.newest.borrow());
        let newest_id = newest.id;
        let moment = extensions.get::<Moment>().cloned();
        let Moment { snapshot, at } = moment.unwrap_or(Moment { snapshot: newest, at: None });
        provide_context::<Arc<Snapshot>>(snapshot);
        provide_context(extensions.get::<Lookup>().cloned().unwrap_or_default());
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

/// Says what the browser may do with the page that is being rendered.
fn set_policy(path: &str) {
    let (Some(response), Some(nonce)) = (use_context::<ResponseOptions>(), use_nonce()) else {
        return;
    };
    let policy = match Locale::strip(path).starts_with("/embed/") {
        true => Ok(HeaderValue::from_static(policy::EMBED)),
        false => HeaderValue::try_from(policy::page(&nonce)),
    };
    if let Ok(policy) = policy {
        response.insert_header(header::CONTENT_SECURITY_POLICY, policy);
    }
}

/// Resolves which snapshot a page means, and where a merged or past event is to be read.
async fn moment(
    State(state): State<AppState>,
    asked: Asked,
    mut request: Request,
    next: Next,
) -> Response {
    // Channels have no past that could be ranked.
    let asked = match Locale::strip(request.uri().path()) {
        "/feed" => Asked::default(),
        _ => asked,
    };
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
    let lookup = match state.lookup(request.uri(), &moment).await {
        Ok(lookup) => lookup,
        Err(error) => return error.into_response(),
    };
    request.extensions_mut().insert(lookup.clone());
    request.extensions_mut().insert(moment);
    let mut response = next.run(request).await;
    if let Lookup::Feed(feed) = &lookup {
        machines::keep_only_whole(feed, &mut response);
    }
    response
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
