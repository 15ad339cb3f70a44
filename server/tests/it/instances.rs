//! Two web instances over one database and one Redis, as real processes.

use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sqlx::PgPool;
use sqlx::postgres::PgConnectOptions;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::redis_server::Server;
use crate::site::Site;

/// A leader that was killed is followed within.
const FOLLOWED: Duration = Duration::from_secs(30);
/// Another takes the lead when Redis has just begun, or is back.
const TAKEN: Duration = Duration::from_secs(10);

/// Killed at the latest when its test ends.
struct Instance {
    process: Child,
    host: String,
}

impl Instance {
    async fn start(database: &str, redis: &str) -> Self {
        let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let host = free.to_string();
        let process = Command::new(env!("CARGO_BIN_EXE_ohlas"))
            .args(["web", "--listen", &host])
            .envs([("DATABASE_URL", database), ("REDIS_URL", redis), ("RUST_LOG", "warn")])
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let instance = Self { process, host };
        for _ in 0..500 {
            if TcpStream::connect(&instance.host).await.is_ok() {
                return instance;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("nobody listens on {}", instance.host);
    }

    /// Names of the channels that are read for a channel's feed: its own.
    async fn feed(&self, channel: &str) -> Vec<String> {
        let body = json!({ "channels": [channel] }).to_string();
        let request = format!(
            "POST /v1/feed HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.host,
            body.len(),
        );
        let mut stream = TcpStream::connect(&self.host).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        let feed: Value = serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap();
        assert_eq!(feed["failures"], json!([]), "{feed}");
        let read = feed["channels"].as_array().unwrap().iter();
        read.map(|channel| channel["username"].as_str().unwrap().to_owned()).collect()
    }
}

/// The next leader's token, and how long it took.
async fn next_leader(server: &Server, before: Option<&str>, limit: Duration) -> (String, Duration) {
    let next = |leader: Option<&str>| leader.is_some() && leader != before;
    let (leader, after) = server.leader_that(next, limit).await;
    (leader.unwrap(), after)
}

impl Drop for Instance {
    fn drop(&mut self) {
        // It may have ended by itself.
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

#[sqlx::test(migrations = "../migrations")]
async fn a_killed_leader_is_followed_and_a_stopped_one_at_once(
    options: sqlx::postgres::PgPoolOptions,
    connect: PgConnectOptions,
) {
    let pool: PgPool = options.connect_with(connect.clone()).await.unwrap();
    let site = Site::after(pool.clone(), 2).await;
    let channels = site.json("/v1/channels").await;
    let channel = channels["channels"]
        .as_array()
        .unwrap()
        .iter()
        .find(|channel| channel["kind"] == "feed" && channel["verdict"] == "allowed");
    let channel = channel.unwrap()["username"].as_str().unwrap();
    let database = sqlx::ConnectOptions::to_url_lossy(&connect).to_string();
    let mut server = Server::start("instances").await;

    let mut one = Instance::start(&database, &server.url()).await;
    let (first, _) = next_leader(&server, None, TAKEN).await;
    let other = Instance::start(&database, &server.url()).await;
    assert_eq!(one.feed(channel).await, [channel]);
    assert_eq!(other.feed(channel).await, [channel]);
    assert_eq!(server.leader().await.as_deref(), Some(&*first), "one leads");

    // Not in the moment of a renewal: the lock's 30 s would leave none for taking it.
    while server.lead_ends_in().await > Duration::from_millis(29_500) {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    one.process.kill().unwrap();
    one.process.wait().unwrap();
    let (_, after) = next_leader(&server, Some(&first), FOLLOWED).await;
    println!("a killed leader was followed after {after:?}");

    // Without Redis the other answers by itself.
    server.stop();
    assert_eq!(other.feed(channel).await, [channel]);
    server.start_again().await;
    next_leader(&server, None, TAKEN).await;

    let began = Instant::now();
    let asked = Command::new("kill").arg(other.process.id().to_string()).status().unwrap();
    assert!(asked.success());
    server.leader_that(|leader| leader.is_none(), Duration::from_secs(5)).await;
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    drop((other, site));
    pool.close().await;
}
