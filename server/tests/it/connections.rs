//! Over real sockets: heads that do not come, and answers that are under way at a stop.

use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use axum::routing::get;
use server::connections;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

const HEAD_TIME: Duration = Duration::from_millis(400);
const LONG: Duration = Duration::from_secs(20);
const SLOW: Duration = Duration::from_millis(600);

async fn serve() -> (SocketAddr, watch::Sender<bool>, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let app = Router::new()
        .route("/", get(async |ConnectInfo(peer): ConnectInfo<SocketAddr>| peer.to_string()))
        .route("/slow", get(async || sleep(SLOW).await));
    let (stop, stopped) = watch::channel(false);
    (address, stop, tokio::spawn(connections::serve(listener, app, HEAD_TIME, stopped)))
}

/// What is answered until the connection is closed.
async fn rest(stream: &mut TcpStream) -> String {
    let mut answer = Vec::new();
    // A connection that is reset is closed as well.
    timeout(LONG, stream.read_to_end(&mut answer)).await.expect("it is held open").ok();
    String::from_utf8(answer).unwrap()
}

#[tokio::test]
async fn a_head_that_does_not_come_whole_closes_its_connection() {
    let (address, _stop, _server) = serve().await;
    for sent in ["", "GET / HT", "GET / HTTP/1.1\r\nhost: x\r\nsl"] {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(sent.as_bytes()).await.unwrap();
        assert_eq!(rest(&mut stream).await, "", "{sent}");
    }
    // Byte by byte does not help: the whole head has its time, not each of its bytes.
    let (mut reading, mut writing) = TcpStream::connect(address).await.unwrap().into_split();
    let dripping = tokio::spawn(async move {
        let mut bytes = b"GET / HTTP/1.1\r\nslow: ".iter().chain(std::iter::repeat(&b'x'));
        while let Some(byte) = bytes.next()
            && writing.write_all(&[*byte]).await.is_ok()
        {
            sleep(HEAD_TIME / 20).await;
        }
    });
    let mut answer = Vec::new();
    timeout(LONG, reading.read_to_end(&mut answer)).await.expect("it is held open").ok();
    timeout(LONG, dripping).await.expect("it can still be written to").unwrap();
}

#[tokio::test]
async fn an_answer_may_take_longer_than_a_head_and_outlives_a_stop() {
    let (address, stop, server) = serve().await;
    let mut stream = TcpStream::connect(address).await.unwrap();
    let own = stream.local_addr().unwrap().to_string();
    stream.write_all(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
    let mut answer = vec![0; 4_096];
    let read = stream.read(&mut answer).await.unwrap();
    assert!(str::from_utf8(&answer[..read]).unwrap().ends_with(&own), "its address is {own}");

    stream.write_all(b"GET /slow HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
    sleep(SLOW / 4).await;
    let mut idle = TcpStream::connect(address).await.unwrap();
    sleep(SLOW / 4).await;
    stop.send(true).unwrap();
    assert!(rest(&mut stream).await.starts_with("HTTP/1.1 200 OK"));
    assert_eq!(rest(&mut idle).await, "");
    timeout(LONG, server).await.expect("it does not stop").unwrap();
}
