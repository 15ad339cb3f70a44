//! Serves all newsrooms on one port, told apart by the Host header.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::response::{IntoResponse, Response};
use chrono::DateTime;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::cast::{CHANNEL_SERVICE, CHANNEL_SERVICE_PATH, Feed, Newsroom, Robots, Validators};
use crate::faults::{Fault, Faults};
use crate::happening::mix;
use crate::plan::{Plan, lock};
use crate::render;

/// Real time that a slow robots.txt takes.
const SLOW: Duration = Duration::from_millis(300);

/// One request that a newsroom got, and what it answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedRequest {
    /// Unix seconds by the newsrooms' clock.
    pub at: i64,
    pub method: String,
    /// As sent, with the port.
    pub host: String,
    /// With the query.
    pub path: String,
    pub user_agent: String,
    pub if_none_match: Option<String>,
    pub if_modified_since: Option<String>,
    pub status: u16,
    /// Bytes of the body of the answer.
    pub bytes: usize,
    /// What befell the answer on its way.
    pub fault: Option<Fault>,
}

/// The running newsrooms.
pub struct Newsrooms {
    pub addr: SocketAddr,
    shared: Arc<Shared>,
    stop: watch::Sender<bool>,
    serving: JoinHandle<std::io::Result<()>>,
}

struct Shared {
    plan: Plan,
    port: u16,
    now: Arc<dyn Fn() -> i64 + Send + Sync>,
    faults: Option<Faults>,
    hosts: HashMap<&'static str, usize>,
    /// The last answer of each source, by newsroom and source.
    answers: Mutex<HashMap<(usize, usize), Arc<Answer>>>,
    requests: Mutex<Vec<LoggedRequest>>,
}

/// What was asked for.
struct Source<'a> {
    /// Numbers of newsroom and source in the plan.
    key: (usize, usize),
    newsroom: &'a Newsroom,
    feed: &'a Feed,
}

/// A rendered listing.
struct Answer {
    at: i64,
    body: Bytes,
    etag: Option<String>,
    last_modified: Option<String>,
}

impl Newsrooms {
    /// Serves the plan's newsrooms on the listener; `now` is their clock, in Unix seconds.
    ///
    /// # Panics
    /// When the listener has no address, which a bound one has.
    pub async fn start(
        plan: Plan,
        listener: TcpListener,
        now: Arc<dyn Fn() -> i64 + Send + Sync>,
    ) -> Self {
        Self::start_with(plan, listener, now, None).await
    }

    /// As [`Newsrooms::start`], with what goes wrong on the way.
    ///
    /// # Panics
    /// When the listener has no address, which a bound one has.
    #[expect(clippy::expect_used, reason = "a bound listener has an address")]
    pub async fn start_with(
        plan: Plan,
        listener: TcpListener,
        now: Arc<dyn Fn() -> i64 + Send + Sync>,
        faults: Option<Faults>,
    ) -> Self {
        let addr = listener.local_addr().expect("a bound listener has an address");
        let hosts = plan.newsrooms().iter().enumerate().map(|(n, room)| (room.slug, n)).collect();
        let shared = Arc::new(Shared {
            plan,
            port: addr.port(),
            now,
            faults,
            hosts,
            answers: Mutex::default(),
            requests: Mutex::default(),
        });
        let app = Router::new().fallback(answer).with_state(Arc::clone(&shared));
        let (stop, mut stopped) = watch::channel(false);
        let until = async move {
            // An error means that the sender is gone, which is a stop too.
            let _ = stopped.wait_for(|stop| *stop).await;
        };
        let server = axum::serve(listener, app).with_graceful_shutdown(until);
        let serving = tokio::spawn(server.into_future());
        Self { addr, shared, stop, serving }
    }

    /// Every request so far, in the order in which answers began.
    #[must_use]
    pub fn requests(&self) -> Vec<LoggedRequest> {
        lock(&self.shared.requests).clone()
    }

    /// Stops serving. Idle connections are closed.
    pub async fn stop(self) {
        self.stop.send_replace(true);
        // Clients keep idle connections open; they are not waited for longer than this.
        let abort = self.serving.abort_handle();
        if tokio::time::timeout(Duration::from_millis(200), self.serving).await.is_err() {
            abort.abort();
        }
    }
}

async fn answer(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let at = (shared.now)();
    let (head, _) = request.into_parts();
    let text = |name: HeaderName| {
        head.headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
    };
    let host = text(header::HOST).unwrap_or_default();
    let path = head.uri.path();
    let response = shared.route(&host, path, &head.headers, at).await;
    let fault = shared.faults.and_then(|faults| faults.at(name(&host), path, at));
    let logged = LoggedRequest {
        at,
        method: head.method.to_string(),
        path: head.uri.path_and_query().map_or("/", |path| path.as_str()).to_owned(),
        user_agent: text(header::USER_AGENT).unwrap_or_default(),
        if_none_match: text(header::IF_NONE_MATCH),
        if_modified_since: text(header::IF_MODIFIED_SINCE),
        status: response.status().as_u16(),
        bytes: HttpBody::size_hint(response.body()).lower() as usize,
        fault,
        host,
    };
    lock(&shared.requests).push(logged);
    match fault {
        Some(fault) => fault.befall(path, response).await,
        None => response,
    }
}

/// `denik-obzor.localhost` of `denik-obzor.localhost:8471`.
fn name(host: &str) -> &str {
    host.split(':').next().unwrap_or_default()
}

impl Shared {
    async fn route(&self, host: &str, path: &str, headers: &HeaderMap, at: i64) -> Response {
        let slug = name(host).strip_suffix(".localhost").unwrap_or_default();
        if slug == CHANNEL_SERVICE {
            return self.hosted(path, headers, at);
        }
        let Some(&index) = self.hosts.get(slug) else {
            return (StatusCode::NOT_FOUND, "No such newsroom.\n").into_response();
        };
        let newsroom = &self.plan.newsrooms()[index];
        match path {
            "/robots.txt" => {
                let robots =
                    self.faults.map_or(newsroom.robots, |faults| faults.robots(newsroom, at));
                if robots == Robots::Slow {
                    tokio::time::sleep(SLOW).await;
                }
                let (status, content_type, body) = render::robots_txt(newsroom, robots);
                let status = StatusCode::from_u16(status).unwrap_or_default();
                return (status, [(header::CONTENT_TYPE, content_type)], body).into_response();
            }
            "/.well-known/tdmrep.json" if newsroom.robots == Robots::TdmFile => {
                let body = r#"[{"location": "/", "tdm-reservation": 1}]"#;
                return ([(header::CONTENT_TYPE, "application/json")], body).into_response();
            }
            _ => {}
        }
        let mut sources = newsroom.sources().enumerate();
        if let Some((place, feed)) = sources.find(|(_, feed)| feed.path == path && !feed.hosted) {
            let source = Source { key: (index, place), newsroom, feed };
            return self.feed(&source, headers, at);
        }
        let first = path.trim_start_matches('/').split('/').next().unwrap_or_default();
        if !matches!(first, "" | "clanek" | "clanok" | "story" | "artikel") {
            return (StatusCode::NOT_FOUND, "Not found\n").into_response();
        }
        let html = [(header::CONTENT_TYPE, "text/html; charset=utf-8")];
        (html, render::article_page(newsroom)).into_response()
    }

    /// The service for channels.
    fn hosted(&self, path: &str, headers: &HeaderMap, at: i64) -> Response {
        if path == "/robots.txt" {
            return "User-agent: *\nAllow: /\n".into_response();
        }
        let name = path.strip_prefix(CHANNEL_SERVICE_PATH);
        let index = name.and_then(|name| self.hosts.get(name));
        let source = index.and_then(|&index| {
            let newsroom = &self.plan.newsrooms()[index];
            let (place, feed) = newsroom.sources().enumerate().find(|(_, feed)| feed.hosted)?;
            Some(Source { key: (index, place), newsroom, feed })
        });
        match source {
            Some(source) => self.feed(&source, headers, at),
            None => (StatusCode::NOT_FOUND, "No such channel.\n").into_response(),
        }
    }

    fn feed(&self, source: &Source<'_>, headers: &HeaderMap, at: i64) -> Response {
        let answer = self.answer(source, at);
        let mut response = if answer.is_known(headers) {
            StatusCode::NOT_MODIFIED.into_response()
        } else {
            let content_type = [(header::CONTENT_TYPE, render::content_type(source.feed))];
            (content_type, Body::from(answer.body.clone())).into_response()
        };
        let mut set = |name: HeaderName, value: Option<&str>| {
            if let Some(Ok(value)) = value.map(str::parse) {
                response.headers_mut().insert(name, value);
            }
        };
        set(header::ETAG, answer.etag.as_deref());
        set(header::LAST_MODIFIED, answer.last_modified.as_deref());
        let reserved = source.newsroom.robots == Robots::TdmHeader;
        set(HeaderName::from_static("tdm-reservation"), reserved.then_some("1"));
        response
    }

    fn answer(&self, source: &Source<'_>, at: i64) -> Arc<Answer> {
        let Source { key, newsroom, feed } = *source;
        let listing = self.plan.listing(key.0, key.1, at);
        let known = lock(&self.answers).get(&key).cloned();
        if let Some(answer) = known.filter(|answer| answer.at == listing.at) {
            return answer;
        }
        let body = Bytes::from(render::body(newsroom, feed, &listing, self.port));
        let etag = match feed.validators {
            Validators::LastModified => None,
            Validators::WeakEtag => Some(format!("W/\"{:016x}\"", mix(&body))),
            Validators::Both | Validators::Etag => Some(format!("\"{:016x}\"", mix(&body))),
        };
        let last_modified = match feed.validators {
            Validators::Both | Validators::LastModified => DateTime::from_timestamp(listing.at, 0)
                .map(|at| at.format("%a, %d %b %Y %H:%M:%S GMT").to_string()),
            Validators::Etag | Validators::WeakEtag => None,
        };
        let answer = Arc::new(Answer { at: listing.at, body, etag, last_modified });
        lock(&self.answers).insert(key, Arc::clone(&answer));
        answer
    }
}

impl Answer {
    /// The client has this very version: If-None-Match decides, else If-Modified-Since
    /// (RFC 9110, 13.2.2).
    fn is_known(&self, headers: &HeaderMap) -> bool {
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
        if let Some(known) = text(header::IF_NONE_MATCH) {
            let opaque = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
            let mut tags = known.split(',').map(opaque);
            return self.etag.as_deref().is_some_and(|etag| tags.any(|tag| tag == opaque(etag)));
        }
        let since =
            text(header::IF_MODIFIED_SINCE).and_then(|t| DateTime::parse_from_rfc2822(t).ok());
        self.last_modified.is_some() && since.is_some_and(|since| self.at <= since.timestamp())
    }
}
