//! A site over a few simulated hours of the invented newsrooms.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Method, Request, StatusCode, header};
use demo::{LoggedRequest, Newsrooms, Plan};
use ingest::clock::Clock;
use ingest::poll::Line;
use ingest::source::Catalogue;
use ingest::web::{Http, HttpConfig};
use leptos::config::LeptosOptions;
use server::command::Walk;
use server::moment::PastBoards;
use server::state::AppState;
use server::{follow, router};
use sqlx::PgPool;
use store::Store;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tower::ServiceExt;

/// 14 August 2026, 06:00 UTC.
pub const START: i64 = 1_786_687_200;
pub const HOUR: i64 = 3_600;

pub struct Site {
    pub router: Router,
    pub store: Store,
    pub requests: Vec<LoggedRequest>,
    /// Addresses of feeds that must never be asked.
    pub forbidden: Vec<String>,
    pub port: u16,
    _stop: watch::Sender<bool>,
}

pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: String,
}

impl Site {
    /// Walks `hours` of the newsrooms' day through the line and puts the site over it.
    pub async fn after(pool: PgPool, hours: i64) -> Self {
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
        newsrooms.stop().await;

        let (stop, stopped) = watch::channel(false);
        let state = AppState {
            leptos: LeptosOptions::builder().output_name("ohlas").build(),
            store: store.clone(),
            newest: follow::newest(store.clone(), stopped.clone()).await.unwrap(),
            past: Arc::new(PastBoards::default()),
            base_url: "https://ohlas.example".into(),
            stop: stopped,
        };
        Self { router: router::app(state), store, requests, forbidden, port, _stop: stop }
    }

    /// The address that a newsroom was asked for.
    pub fn url(&self, request: &LoggedRequest) -> String {
        let host = request.host.split(':').next().unwrap();
        format!("http://{host}:{}{}", self.port, request.path)
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, None).await
    }

    /// Sends a request, with a body of JSON if one is given.
    pub async fn send(&self, method: Method, path: &str, json: Option<String>) -> Answer {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::CONTENT_TYPE, "application/json")
            .body(json.map_or_else(Body::empty, Body::from))
            .unwrap();
        self.exchange(request).await
    }

    /// Asks whether what is known under this tag still holds.
    pub async fn revalidate(&self, path: &str, tag: &str) -> Answer {
        let request = Request::builder().uri(path).header(header::IF_NONE_MATCH, tag);
        self.exchange(request.body(Body::empty()).unwrap()).await
    }

    async fn exchange(&self, request: Request<Body>) -> Answer {
        let answer = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = answer.into_parts();
        let body = to_bytes(body, usize::MAX).await.unwrap();
        Answer {
            status: parts.status,
            headers: parts.headers,
            body: String::from_utf8(body.to_vec()).unwrap(),
        }
    }

    pub async fn json(&self, path: &str) -> serde_json::Value {
        let answer = self.get(path).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.body);
        serde_json::from_str(&answer.body).unwrap()
    }
}
