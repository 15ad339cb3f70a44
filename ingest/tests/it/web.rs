//! The product's client against a loopback server.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use ingest::web::{Http, HttpConfig, Limit, Request, Web, WebError};

use crate::play::Handler;

pub fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// Serves on a free port of loopback until the test ends.
async fn serve(handler: Handler) -> u16 {
    crate::play::serve(handler).await.unwrap()
}

fn client() -> Http {
    crate::play::client().unwrap()
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
