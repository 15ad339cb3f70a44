//! A site over a few simulated hours of the invented newsrooms.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::http::{HeaderMap, Request, StatusCode};
use clap::Parser;
use demo::{LoggedRequest, Newsrooms, Plan};
use ingest::clock::Clock;
use ingest::poll::Line;
use ingest::shared::Shared;
use ingest::source::Catalogue;
use ingest::web::{Http, HttpConfig};
use server::command::Walk;
use server::config::Serving;
use server::router;
use server::state::AppState;
use sqlx::PgPool;
use store::Store;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tower::ServiceExt;

/// 14 August 2026, 06:00 UTC.
pub const START: i64 = 1_786_687_200;
pub const HOUR: i64 = 3_600;
pub const ORIGIN: &str = "https://ohlas.example";

pub struct Site {
    pub router: Router,
    pub store: Store,
    /// The popularity of channels.
    pub shared: Arc<Shared>,
    /// What the newsrooms were asked while hours were walked.
    pub requests: Vec<LoggedRequest>,
    /// They go on answering.
    _newsrooms: Option<Newsrooms>,
    /// Addresses of feeds that must never be asked.
    pub forbidden: Vec<String>,
    pub port: u16,
    _stop: watch::Sender<bool>,
}

pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    /// As text; what is none of it, such as a picture, is in `bytes`.
    pub body: String,
    pub bytes: Bytes,
}

impl Answer {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

/// As a service of which only the public address is set.
fn serving(arguments: &[&str]) -> Serving {
    #[derive(Parser)]
    struct Arguments {
        #[command(flatten)]
        serving: Serving,
    }
    let given = ["ohlas", "--base-url", ORIGIN].iter().chain(arguments);
    Arguments::parse_from(given).serving
}

impl Site {
    /// Walks `hours` of the newsrooms' day through the line and puts the site over it.
    pub async fn after(pool: PgPool, hours: i64) -> Self {
        Self::after_with(pool, hours, &[]).await
    }

    /// As [`Site::after`], started with more arguments.
    pub async fn after_with(pool: PgPool, hours: i64, arguments: &[&str]) -> Self {
        let store = Store::from_pool(pool).await;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let plan = Plan::generate(7, START, 2);
        let catalogue = Catalogue::parse("demo", &demo::sources_toml(&plan, port)).unwrap();
        let forbidden = demo::forbidden_feeds(&plan, port);
        let clock = Clock::virtual_at(START);
        let now = clock.clone();
        let newsrooms = Newsrooms::start(plan, listener, Arc::new(move || now.now())).await;

        let user_agent = "Ohlas/0.1 (+the tests)";
        let http = Http::new(&HttpConfig {
            user_agent: user_agent.to_owned(),
            allow_private: true,
            ..HttpConfig::default()
        })
        .unwrap();
        let line = Line::new(store.clone(), Arc::new(http), user_agent, clock, &catalogue, 15 * 60)
            .await
            .unwrap();
        Walk { from: START, to: START + hours * HOUR, demo: true }.run(&line).await.unwrap();
        let requests = newsrooms.requests();
        Self {
            requests,
            forbidden,
            port,
            _newsrooms: Some(newsrooms),
            ..Self::of(line, arguments).await
        }
    }

    /// Puts the site over what a store holds, started with more arguments.
    pub async fn over(store: Store, arguments: &[&str]) -> Self {
        let web = Arc::new(Http::new(&HttpConfig::default()).unwrap());
        let line = Line::without_catalogue(store, web, "Ohlas/0.1", Clock::system());
        Self::of(line, arguments).await
    }

    /// Puts the site over a line and its store.
    async fn of(line: Line, arguments: &[&str]) -> Self {
        let (stop, stopped) = watch::channel(false);
        let address = "127.0.0.1:3000".parse().unwrap();
        let serving = serving(arguments);
        let (line, shared) = (Arc::new(line), Arc::new(Shared::in_memory(3_600.0)));
        let store = line.store().clone();
        let state =
            AppState::over(line, Arc::clone(&shared), &serving, address, stopped).await.unwrap();
        Self {
            router: router::app(state),
            store,
            shared,
            _newsrooms: None,
            requests: Vec::new(),
            forbidden: Vec::new(),
            port: 0,
            _stop: stop,
        }
    }

    /// The address that a newsroom was asked for.
    pub fn url(&self, request: &LoggedRequest) -> String {
        let host = request.host.split(':').next().unwrap();
        format!("http://{host}:{}{}", self.port, request.path)
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.get_with(path, &[]).await
    }

    /// Asks whether what is known under this tag still holds.
    pub async fn revalidate(&self, path: &str, tag: &str) -> Answer {
        self.get_with(path, &[("if-none-match", tag)]).await
    }

    pub async fn get_with(&self, path: &str, headers: &[(&str, &str)]) -> Answer {
        let request = Request::builder().uri(path);
        let request =
            headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        self.send(request.body(Body::empty()).unwrap()).await
    }

    pub async fn send(&self, request: Request<Body>) -> Answer {
        let answer = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = answer.into_parts();
        let bytes = to_bytes(body, usize::MAX).await.unwrap();
        let body = String::from_utf8_lossy(&bytes).into_owned();
        Answer { status: parts.status, headers: parts.headers, body, bytes }
    }

    pub async fn json(&self, path: &str) -> serde_json::Value {
        let answer = self.get(path).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.body);
        serde_json::from_str(&answer.body).unwrap()
    }
}
