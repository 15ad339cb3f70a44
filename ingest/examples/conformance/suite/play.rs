//! Webs to test against: one that plays answers, and a loopback server behind the product's own client.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use axum::http::HeaderMap;
use ingest::web::{Http, HttpConfig, Limit, Request, Response, Web, WebError};

/// What a loopback server answers to a request: path with query, headers.
pub type Handler = Arc<dyn Fn(&str, &HeaderMap) -> axum::response::Response + Send + Sync>;

/// Serves on a free port of loopback until the process ends.
pub async fn serve(handler: Handler) -> io::Result<u16> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let port = listener.local_addr()?.port();
    let app = axum::Router::new().fallback(move |request: axum::extract::Request| {
        let handler = Arc::clone(&handler);
        async move {
            let path = request.uri().path_and_query().map(ToString::to_string).unwrap_or_default();
            handler(&path, request.headers())
        }
    });
    tokio::spawn(async move { axum::serve(listener, app).await });
    Ok(port)
}

/// The product's client, which may ask loopback.
pub fn client() -> Result<Http, WebError> {
    Http::new(&HttpConfig { allow_private: true, ..HttpConfig::default() })
}

#[must_use]
pub fn answer(status: u16, headers: &[(&str, &str)], body: &str) -> Response {
    let fields = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    Response { status, headers: fields.collect(), body: body.to_owned().into() }
}

/// Plays its answers in order; the last one of an address is repeated, any other address is 404.
#[derive(Default)]
pub struct Play {
    answers: Mutex<HashMap<String, VecDeque<Result<Response, WebError>>>>,
    requests: Mutex<Vec<String>>,
}

impl Play {
    pub fn answer(&mut self, url: &str, answer: Response) {
        lock(&self.answers).entry(url.to_owned()).or_default().push_back(Ok(answer));
    }

    pub fn fail(&mut self, url: &str, error: WebError) {
        lock(&self.answers).entry(url.to_owned()).or_default().push_back(Err(error));
    }

    /// Addresses in the order in which they were asked for.
    pub fn requests(&self) -> Vec<String> {
        lock(&self.requests).clone()
    }
}

#[async_trait]
impl Web for Play {
    async fn get(&self, request: &Request) -> Result<Response, WebError> {
        lock(&self.requests).push(request.url.to_string());
        let mut answers = lock(&self.answers);
        let queue = answers.get_mut(request.url.as_str());
        let next = queue.and_then(|queue| match queue.len() {
            0 | 1 => queue.front().cloned(),
            _ => queue.pop_front(),
        });
        let mut answer = next.unwrap_or_else(|| Ok(answer(404, &[], "")))?;
        if let Limit::Cut(max) = request.limit {
            answer.body.truncate(max);
        }
        Ok(answer)
    }
}

pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
