//! A loopback server that plays a script, behind the product's own client.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use anyhow::Result;
use async_trait::async_trait;
use axum::http::{HeaderMap, StatusCode};
use ingest::gate::Gate;
use ingest::web::{Http, Request, Response, Web, WebError};
use url::Position;

use super::play::{client, lock, serve};
use super::script::{Answered, Script};

/// The header in which the loopback server is told which address is meant.
const MEANT: &str = "x-meant-url";

/// Address and headers of a request, in the order in which they came.
type Log = Arc<Mutex<Vec<(String, HashMap<String, String>)>>>;

/// A script that is being played.
pub struct Stage {
    pub script: Script,
    web: Arc<Loopback>,
    log: Log,
}

/// The product's client, with every address turned to the loopback server.
struct Loopback {
    http: Http,
    port: u16,
}

#[async_trait]
impl Web for Loopback {
    async fn get(&self, request: &Request) -> Result<Response, WebError> {
        let path = &request.url[Position::BeforePath..Position::AfterQuery];
        let mut headers = request.headers.clone();
        headers.push((MEANT.to_owned(), request.url.to_string()));
        let url = format!("http://127.0.0.1:{}{path}", self.port).parse();
        let url = url.map_err(|_| WebError::Connect(path.to_owned()))?;
        self.http.get(&Request { url, headers, limit: request.limit }).await
    }
}

impl Stage {
    pub async fn open(script: Script) -> Result<Self> {
        let log = Log::default();
        let (kept, steps) = (Arc::clone(&log), script.steps.clone());
        let played = Mutex::new(vec![false; steps.len()]);
        let handler = move |_: &str, headers: &HeaderMap| {
            let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
            let fields: HashMap<String, String> = headers
                .iter()
                .map(|(name, value)| (name.as_str().to_owned(), text(value.as_bytes())))
                .collect();
            let url = fields.get(MEANT).cloned().unwrap_or_default();
            lock(&kept).push((url.clone(), fields));
            let mut played = lock(&played);
            let mut matching =
                (0..steps.len()).filter(|step| steps[*step].request.url.as_str() == url);
            let first = matching.clone().find(|step| !played[*step]);
            let answer = first.or_else(|| matching.next_back()).map(|step| {
                played[step] = true;
                let Answered { status, body, .. } = &steps[step].response;
                let builder = axum::response::Response::builder().status(*status);
                let fields = steps[step].response.fields();
                let builder = fields
                    .iter()
                    .fold(builder, |builder, (name, value)| builder.header(name, value));
                builder.body(body.clone().into()).unwrap_or_default()
            });
            answer.unwrap_or_else(|| {
                let mut missing = axum::response::Response::default();
                *missing.status_mut() = StatusCode::NOT_FOUND;
                missing
            })
        };
        let port = serve(Arc::new(handler)).await?;
        Ok(Self { script, web: Arc::new(Loopback { http: client()?, port }), log })
    }

    /// A gate that asks here.
    pub fn gate(&self) -> Gate {
        Gate::new(self.web.clone(), &self.script.user_agent)
    }

    pub fn web(&self) -> &dyn Web {
        &*self.web
    }

    /// Address and headers of every request, in the order in which they came.
    pub fn log(&self) -> Vec<(String, HashMap<String, String>)> {
        lock(&self.log).clone()
    }

    /// The addresses that were asked for.
    pub fn asked(&self) -> Vec<String> {
        lock(&self.log).iter().map(|(url, _)| url.clone()).collect()
    }
}
