//! A real Redis on a socket of its own.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use redis::AsyncCommands;

/// Killed at the latest when its test ends.
pub struct Server {
    directory: PathBuf,
    process: Child,
}

impl Server {
    pub async fn start(name: &str) -> Self {
        let directory =
            std::env::temp_dir().join(format!("ohlas-redis-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let process = spawn(&directory);
        let server = Self { directory, process };
        server.answers().await;
        server
    }

    /// As `REDIS_URL` takes it.
    pub fn url(&self) -> String {
        format!("redis+unix://{}", self.directory.join("redis.sock").display())
    }

    pub fn stop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    pub async fn start_again(&mut self) {
        self.process = spawn(&self.directory);
        self.answers().await;
    }

    async fn answers(&self) {
        for _ in 0..500 {
            if self.client().get_multiplexed_async_connection().await.is_ok() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("redis-server does not answer on {}", self.url());
    }

    fn client(&self) -> redis::Client {
        redis::Client::open(self.url()).unwrap()
    }

    /// Token of the instance whose refresher leads.
    pub async fn leader(&self) -> Option<String> {
        let mut redis = self.client().get_multiplexed_async_connection().await.unwrap();
        redis.get("ohlas:feed:leader").await.unwrap()
    }

    /// When the lead ends unless it is renewed.
    pub async fn lead_ends_in(&self) -> Duration {
        let mut redis = self.client().get_multiplexed_async_connection().await.unwrap();
        let milliseconds: i64 = redis.pttl("ohlas:feed:leader").await.unwrap();
        Duration::from_millis(milliseconds.try_into().unwrap())
    }

    /// Waits for a leader that is wanted, and says how long that took.
    pub async fn leader_that(
        &self,
        wanted: impl Fn(Option<&str>) -> bool,
        limit: Duration,
    ) -> (Option<String>, Duration) {
        let began = Instant::now();
        loop {
            let leader = self.leader().await;
            if wanted(leader.as_deref()) {
                return (leader, began.elapsed());
            }
            assert!(began.elapsed() < limit, "{leader:?} after {limit:?}");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have been stopped.
        self.process.kill().ok();
        self.process.wait().ok();
        std::fs::remove_dir_all(&self.directory).ok();
    }
}

fn spawn(directory: &Path) -> Child {
    Command::new("redis-server")
        .args(["--port", "0", "--save", "", "--appendonly", "no", "--unixsocket", "redis.sock"])
        .current_dir(directory)
        .stdout(Stdio::null())
        .spawn()
        .expect("redis-server is installed by `cargo xtask setup`")
}
