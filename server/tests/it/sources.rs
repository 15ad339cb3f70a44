//! The list of sources in the running binary: `ohlas sources check`, and SIGHUP.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::Router;
use axum::http::{StatusCode, Uri};
use sqlx::{ConnectOptions, PgPool};
use tokio::net::TcpListener;

const FEED: &str = "<rss version=\"2.0\"><channel><title>A</title><item><title>Jedna</title>\
    <link>https://a.example/1</link><pubDate>Tue, 10 Mar 2026 11:00:00 GMT</pubDate></item>\
    </channel></rss>";

/// Newsrooms on loopback: `/private/` is disallowed, `/broken` no feed, everything else a feed.
/// Returns the port and what was asked.
async fn newsrooms() -> (u16, Arc<Mutex<Vec<String>>>) {
    let asked: Arc<Mutex<Vec<String>>> = Arc::default();
    let log = Arc::clone(&asked);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let site = Router::new().fallback(move |uri: Uri| {
        log.lock().unwrap().push(uri.path().to_owned());
        let answer = match uri.path() {
            "/robots.txt" => (StatusCode::OK, "User-agent: Ohlas\nDisallow: /private/\n"),
            "/.well-known/tdmrep.json" => (StatusCode::NOT_FOUND, ""),
            "/broken" => (StatusCode::OK, "nothing of the kind"),
            _ => (StatusCode::OK, FEED),
        };
        async move { answer }
    });
    tokio::spawn(async move { axum::serve(listener, site).await });
    (port, asked)
}

/// A sources file with one newsroom per path, removed when its test ends.
struct File(PathBuf);

impl File {
    fn new(name: &str) -> Self {
        Self(std::env::temp_dir().join(format!("ohlas-{}-{name}.toml", std::process::id())))
    }

    fn write(&self, port: u16, paths: &[&str]) {
        let newsrooms = paths.iter().map(|path| {
            let slug = path.trim_matches('/').replace('/', "-");
            format!(
                "[[newsroom]]\nslug = \"{slug}\"\nname = \"{slug}\"\ncountry = \"CZ\"\n\
                 language = \"cs\"\nhomepage = \"http://{slug}.localhost:{port}/\"\n\
                 [[newsroom.source]]\nurl = \"http://{slug}.localhost:{port}{path}\"\n"
            )
        });
        std::fs::write(&self.0, newsrooms.collect::<String>()).unwrap();
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for File {
    fn drop(&mut self) {
        // It may not have been written.
        std::fs::remove_file(&self.0).ok();
    }
}

async fn check(file: &File, more: &[&str]) -> (Option<i32>, String) {
    let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_ohlas"));
    command.args(["sources", "check", "--sources", file.path()]).args(more);
    let output = command.output().await.unwrap();
    let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    (output.status.code(), said)
}

#[tokio::test]
async fn a_check_tells_of_each_source_what_the_gate_and_the_feed_say() {
    let (port, asked) = newsrooms().await;
    let file = File::new("check");
    file.write(port, &["/first", "/private/second"]);
    let (code, said) = check(&file, &["--allow-private"]).await;
    assert_eq!(code, Some(0), "{said}");
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 4, "{said}");
    let (heading, first, second, summary) = (lines[0], lines[1], lines[2], lines[3]);
    let verdict = heading.find("VERDICT").unwrap();
    assert!(first.starts_with("first ") && first[verdict..].starts_with("allowed "), "{said}");
    assert!(first.contains(" 200 ") && first.contains("2026-03-10 11:00"), "{said}");
    assert!(second.starts_with("private-second "), "{said}");
    assert!(second[verdict..].starts_with("disallowed by \"Disallow: /private/\""), "{said}");
    assert_eq!(
        summary,
        "2 sources: 1 listed (1 items, 0 defects), 1 refused by their publishers, 0 failed"
    );
    assert!(!asked.lock().unwrap().iter().any(|path| path == "/private/second"));

    file.write(port, &["/first", "/broken"]);
    let (code, said) = check(&file, &["--allow-private", "--json"]).await;
    assert_eq!(code, Some(1), "{said}");
    let lines: Vec<serde_json::Value> =
        said.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&lines[0]["source"], &lines[0]["items"]), (&"first".into(), &1.into()));
    assert_eq!(lines[0]["check"]["verdict"], "allowed");
    assert_eq!(lines[1]["failed"], "it is text without markup, not a feed");

    let before = asked.lock().unwrap().len();
    let (code, said) = check(&file, &[]).await;
    assert_eq!((code, asked.lock().unwrap().len()), (Some(1), before), "{said}");
    assert!(said.contains("2 failed"), "{said}");

    std::fs::write(&file.0, "[[newsroom]]\nslug = \"a\"\nzip = 1\n").unwrap();
    let (code, said) = check(&file, &[]).await;
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains(&format!("{}:3: newsroom \"a\": unknown key", file.path())), "{said}");
}

/// Ended when its test ends, however that ends.
struct Worker {
    child: Child,
    said: Arc<Mutex<String>>,
}

impl Worker {
    fn start(pool: &PgPool, file: &File) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_ohlas"))
            .args(["worker", "--allow-private", "--sources", file.path()])
            .env("DATABASE_URL", pool.connect_options().to_url_lossy().to_string())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let said: Arc<Mutex<String>> = Arc::default();
        let (stderr, heard) = (child.stderr.take().unwrap(), Arc::clone(&said));
        std::thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                heard.lock().unwrap().push_str(&format!("{line}\n"));
            }
        });
        Self { child, said }
    }

    fn hang_up(&self) {
        let asked = Command::new("kill").args(["-HUP", &self.child.id().to_string()]).status();
        assert!(asked.unwrap().success());
    }

    fn said(&self) -> String {
        self.said.lock().unwrap().clone()
    }

    async fn until(&self, what: &str, holds: impl AsyncFn() -> bool) {
        let started = Instant::now();
        while !holds().await {
            let waited = started.elapsed();
            assert!(waited < Duration::from_secs(60), "{what} does not come:\n{}", self.said());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It may have ended by itself.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

#[sqlx::test(migrations = "../migrations")]
async fn a_changed_sources_file_takes_effect_at_sighup_and_an_invalid_one_does_not(pool: PgPool) {
    let (port, asked) = newsrooms().await;
    let was_asked = async |path: &str| asked.lock().unwrap().iter().any(|known| known == path);
    let active = async || -> Vec<String> {
        sqlx::query_scalar("SELECT slug FROM sources WHERE retired_at IS NULL ORDER BY slug")
            .fetch_all(&pool)
            .await
            .unwrap()
    };
    let file = File::new("reload");
    file.write(port, &["/first", "/second"]);
    let worker = Worker::start(&pool, &file);
    worker.until("the first poll", async || was_asked("/first").await).await;

    std::fs::write(&file.0, "[[newsroom]]\nslug = \"a\"\nzip = 1\n").unwrap();
    worker.hang_up();
    let told = format!("{}:3: newsroom \"a\": unknown key \"zip\"", file.path());
    worker.until("the fault", async || worker.said().contains(&told)).await;
    assert!(worker.said().contains("the sources stay as they were"), "{}", worker.said());
    assert_eq!(active().await, ["first", "second"]);

    file.write(port, &["/second", "/third"]);
    worker.hang_up();
    worker.until("the new source", async || was_asked("/third").await).await;
    assert_eq!(active().await, ["second", "third"]);
    assert!(worker.said().contains("took the sources file in anew"), "{}", worker.said());

    let asked = Command::new("kill").args(["-TERM", &worker.child.id().to_string()]).status();
    assert!(asked.unwrap().success());
    let mut worker = worker;
    assert!(worker.child.wait().unwrap().success());
}
