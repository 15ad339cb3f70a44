//! Webs to test against: one that plays answers, and a loopback server behind the product's own client.

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use ingest::web::{Http, HttpConfig, Limit, Request, Response, Web, WebError};

pub fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

pub fn data(name: &str) -> String {
    std::fs::read_to_string(folder(name)).unwrap()
}

pub fn answer(status: u16, headers: &[(&str, &str)], body: &str) -> Response {
    Response {
        status,
        headers: headers
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect(),
        body: body.to_owned().into(),
    }
}

/// Plays its answers in order; the last one of an address is repeated, any other address is 404.
#[derive(Default)]
pub struct Play {
    answers: Mutex<BTreeMap<String, VecDeque<Result<Response, WebError>>>>,
    requests: Mutex<Vec<String>>,
}

impl Play {
    pub fn answer(&mut self, url: &str, answer: Response) {
        self.answers.get_mut().unwrap().entry(url.to_owned()).or_default().push_back(Ok(answer));
    }

    pub fn fail(&mut self, url: &str, error: WebError) {
        self.answers.get_mut().unwrap().entry(url.to_owned()).or_default().push_back(Err(error));
    }

    /// Addresses in the order in which they were asked for.
    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

#[async_trait]
impl Web for Play {
    async fn get(&self, request: &Request) -> Result<Response, WebError> {
        self.requests.lock().unwrap().push(request.url.to_string());
        let mut answers = self.answers.lock().unwrap();
        let Some(queue) = answers.get_mut(request.url.as_str()) else {
            return Ok(answer(404, &[], ""));
        };
        let mut answer = if queue.len() > 1 {
            queue.pop_front().unwrap()
        } else {
            queue.front().unwrap().clone()
        }?;
        if let Limit::Cut(max) = request.limit {
            answer.body.truncate(max);
        }
        Ok(answer)
    }
}

/// What a loopback server answers to a request: path with query, headers.
pub type Handler =
    Arc<dyn Fn(&str, &axum::http::HeaderMap) -> axum::response::Response + Send + Sync>;

/// Serves on a free port of loopback until the test ends.
pub async fn serve(handler: Handler) -> u16 {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let app = axum::Router::new().fallback(move |request: axum::extract::Request| {
        let handler = Arc::clone(&handler);
        async move {
            let path = request.uri().path_and_query().map(ToString::to_string).unwrap_or_default();
            handler(&path, request.headers())
        }
    });
    tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    port
}

pub fn client() -> Http {
    let config = HttpConfig { allow_private: true, ..HttpConfig::default() };
    Http::new(&config).unwrap()
}

fn request(port: u16, path: &str, limit: Limit) -> Request {
    Request {
        url: format!("http://news.localhost:{port}{path}").parse().unwrap(),
        headers: vec![],
        limit,
    }
}

#[tokio::test]
async fn bodies_are_decoded_and_capped_on_both_sides_of_the_decoder() {
    use async_compression::tokio::write::{BrotliEncoder, GzipEncoder, ZlibEncoder, ZstdEncoder};
    use tokio::io::AsyncWriteExt;

    const TEXT: &str = "Příliš žluťoučký kůň. ";
    let long = TEXT.repeat(10_000);
    let mut coded = BTreeMap::new();
    macro_rules! encode {
        ($name:literal, $encoder:ident) => {
            let mut encoder = $encoder::new(Vec::new());
            encoder.write_all(long.as_bytes()).await.unwrap();
            encoder.shutdown().await.unwrap();
            coded.insert($name, encoder.into_inner());
        };
    }
    encode!("gzip", GzipEncoder);
    encode!("deflate", ZlibEncoder);
    encode!("br", BrotliEncoder);
    encode!("zstd", ZstdEncoder);
    coded.insert("identity", long.clone().into_bytes());
    let served = coded.clone();
    let port = serve(Arc::new(move |path, _| {
        let coding = path.trim_start_matches('/');
        let body = served.get(coding).cloned().unwrap_or_default();
        axum::response::Response::builder()
            .header("content-encoding", coding)
            .body(body.into())
            .unwrap()
    }))
    .await;

    let http = client();
    for coding in coded.keys() {
        let path = format!("/{coding}");
        let whole = http.get(&request(port, &path, Limit::Refuse(long.len()))).await.unwrap();
        assert_eq!(whole.body, long, "{coding}");
        let cut = http.get(&request(port, &path, Limit::Cut(1_000))).await.unwrap();
        assert_eq!(cut.body, long.as_bytes()[..1_000], "{coding}");
        let refused = http.get(&request(port, &path, Limit::Refuse(1_000))).await;
        assert_eq!(refused.unwrap_err(), WebError::TooLarge(1_000), "{coding}");
    }
    let unknown = http.get(&request(port, "/compress", Limit::Refuse(1_000))).await;
    assert!(matches!(unknown, Err(WebError::Body(_))), "{unknown:?}");
}

#[tokio::test]
async fn the_user_agent_and_the_headers_are_sent_as_given() {
    let port = serve(Arc::new(|_, headers| {
        let all: Vec<String> = headers
            .iter()
            .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()))
            .collect();
        axum::response::Response::new(all.join("\n").into())
    }))
    .await;
    let mut request = request(port, "/", Limit::Refuse(10_000));
    request.headers = vec![("if-none-match".to_owned(), "W/\"a b-gzip\"".to_owned())];
    let body = client().get(&request).await.unwrap().body;
    let sent = String::from_utf8_lossy(&body).into_owned();
    for line in [
        "user-agent: Ohlas/",
        "if-none-match: W/\"a b-gzip\"",
        "accept-encoding: gzip, deflate, br, zstd",
    ] {
        assert!(sent.lines().any(|own| own.starts_with(line)), "{line} in\n{sent}");
    }
}

#[tokio::test]
async fn silence_ends_at_the_timeout_and_a_closed_port_is_no_connection() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let config = HttpConfig {
        allow_private: true,
        timeout: std::time::Duration::from_millis(200),
        ..HttpConfig::default()
    };
    let http = Http::new(&config).unwrap();
    let silent = http.get(&request(port, "/", Limit::Refuse(1))).await;
    assert!(matches!(silent, Err(WebError::Timeout(_))), "{silent:?}");
    drop(listener);
    let closed = http.get(&request(port, "/", Limit::Refuse(1))).await;
    assert!(matches!(closed, Err(WebError::Connect(_))), "{closed:?}");
}
