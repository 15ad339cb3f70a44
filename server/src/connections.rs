//! The connections of readers: each request learns from which address it comes, and a connection whose
//! next request does not come whole in time is closed.
//!
//! `axum::serve` sets no timer, so that whoever sends headers byte by byte could hold any number of
//! connections for ever. Only HTTP/1 is spoken, as there: to look for the preface of HTTP/2 first would
//! be to wait without a limit again.

use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, Request};
use axum::serve::{Listener, ListenerExt};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tower::ServiceExt;
use tracing::debug;

use crate::stop::stopped;

/// Longest wait for the head of a request, and so also between two requests.
pub const HEAD_TIME: Duration = Duration::from_secs(30);

/// Answers by `app` until `stop` turns true; requests under way are finished.
pub async fn serve(
    listener: TcpListener,
    app: Router,
    head_time: Duration,
    mut stop: watch::Receiver<bool>,
) {
    // Small answers must not wait for a full packet.
    let mut listener = listener.tap_io(|stream| {
        if let Err(error) = stream.set_nodelay(true) {
            debug!(%error, "a connection keeps its delay");
        }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(head_time);
    let connections = GracefulShutdown::new();
    loop {
        let (stream, peer) = tokio::select! {
            accepted = Listener::accept(&mut listener) => accepted,
            () = stopped(&mut stop) => break,
        };
        let service = service_fn({
            let app = app.clone();
            move |request: hyper::Request<Incoming>| app.clone().oneshot(from(peer, request))
        });
        let connection = http.serve_connection(TokioIo::new(stream), service);
        let connection = connections.watch(connection);
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                debug!(%error, "a connection ended early");
            }
        });
    }
    drop(listener);
    connections.shutdown().await;
}

fn from(peer: SocketAddr, request: hyper::Request<Incoming>) -> Request {
    let mut request = request.map(Body::new);
    request.extensions_mut().insert(ConnectInfo(peer));
    request
}
