//! Puts load on the real binary and prints what it saw, one JSON line per measurement:
//! `cargo xtask bench web` for the demo with readers' feeds and while it collects and recomputes,
//! `… bench web --items 100000` for a board of that many items.
//!
//! Without a rate every connection asks again as soon as it was answered: how much can be served. With
//! a rate requests leave on a fixed schedule and their time counts from when they were due, so that a
//! server that stalls cannot hide it. The load comes from one thread that reads no more of an answer
//! than it must, since it shares the machine with what it measures.

#[path = "../../engine/examples/engine_bench/items.rs"]
#[expect(dead_code, reason = "the engine's benchmark uses the rest")]
mod items;

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use clap::Parser;
use items::{Corpus, START};
use model::NewsroomId;
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tokio::task::JoinSet;

const CONNECTIONS: u32 = 32;
const RATE: f64 = 2_000.0;
/// Readers' feeds of so many channels, while the board is asked for at a rate of its own.
const FEED_CHANNELS: usize = 50;
const FEED_RATE: f64 = 200.0;
const BOARD_RATE: f64 = 500.0;
/// As many different feeds are asked for where every answer is to be made anew.
const FEEDS: usize = 10_000;
const SECONDS: f64 = 10.0;
/// Two recomputes of the demo, and a round of its newsrooms.
const WORKING_SECONDS: f64 = 130.0;
const READY: Duration = Duration::from_secs(1_800);

#[derive(Parser)]
struct Arguments {
    #[arg(long)]
    ohlas: PathBuf,
    #[arg(long)]
    site: PathBuf,
    #[arg(long, default_value = "127.0.0.1:3900")]
    listen: String,
    /// A board of this many items instead of the demo
    #[arg(long)]
    items: Option<usize>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let scratch = std::env::temp_dir().join(format!("ohlas-web-bench-{}", std::process::id()));
    std::fs::create_dir_all(&scratch)?;
    let measured = measure(&arguments, &scratch).await;
    std::fs::remove_dir_all(&scratch)?;
    measured
}

async fn measure(arguments: &Arguments, scratch: &Path) -> anyhow::Result<()> {
    let mut command = Command::new(&arguments.ohlas);
    match arguments.items {
        None => command.args(["demo", "--newsrooms", "127.0.0.1:0"]),
        Some(items) => {
            archive(scratch, items)?;
            let file = |name: &str| scratch.join(name).into_os_string();
            command.args(["replay", "--serve"]);
            command.args(["--exchanges".into(), file("exchanges.jsonl")]);
            command.args(["--sources".into(), file("sources.toml")])
        }
    };
    command.args(["--listen", &arguments.listen]).arg("--site").arg(&arguments.site);
    // All the load comes from one address.
    command.args(["--requests-per-minute", "100000000", "--requests-burst", "1000000"]);
    command.arg("--data-dir").arg(scratch.join("data"));
    let mut ohlas = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let began = Instant::now();
    let measured = async {
        ready(&arguments.listen, &mut ohlas).await?;
        let stats = get(&arguments.listen, "/v1/stats").await?;
        say(
            "ready",
            json!({
                "seconds": began.elapsed().as_secs_f64(),
                "items": stats["stats"]["items"],
                "events": stats["stats"]["events"],
                "shared_events": stats["stats"]["shared_events"],
                "memory": memory(&ohlas)?,
            }),
        );
        let host = &arguments.listen;
        let board = [request(host, "GET /", "Accept-Encoding: gzip\r\n", "")];
        say("as much as it can", load(host, &board, None, SECONDS).await?);
        say("at a rate", load(host, &board, Some(RATE), SECONDS).await?);
        if arguments.items.is_none() {
            feeds(host, &board).await?;
            let mut seen = load(host, &board, Some(RATE), WORKING_SECONDS).await?;
            let now = get(&arguments.listen, "/v1/stats").await?;
            seen["recomputes"] = json!(now["snapshot"].as_i64() > stats["snapshot"].as_i64());
            seen["new_fetches"] = json!(
                now["stats"]["fetches"].as_i64().unwrap_or(0)
                    - stats["stats"]["fetches"].as_i64().unwrap_or(0)
            );
            say("at a rate, while it collects and recomputes", seen);
        }
        say("at the end", json!({ "memory": memory(&ohlas)? }));
        anyhow::Ok(())
    };
    let measured = measured.await;
    stop(ohlas).await?;
    measured
}

/// Readers' feeds beside the board: one that many readers ask for, then each of other channels, ranked
/// in another way.
async fn feeds(host: &str, board: &[Vec<u8>]) -> anyhow::Result<()> {
    let channels = get(host, "/v1/channels").await?;
    let channels = channels["channels"].as_array().map_or(&[][..], Vec::as_slice);
    let of_ours = channels.iter().filter(|channel| channel["kind"] != "channel");
    let warm: Vec<&Value> = of_ours.map(|channel| &channel["username"]).collect();
    ensure!(warm.len() > FEED_CHANNELS, "only {} channels", warm.len());
    let feed = |chosen: &[&Value], half_life: f64| {
        let question = json!({ "channels": chosen, "half_life_hours": half_life }).to_string();
        request(host, "POST /v1/feed", "Content-Type: application/json\r\n", &question)
    };
    load(host, &[feed(&warm, 24.0)], Some(10.0), 1.0).await?;
    let one = [feed(&warm[..FEED_CHANNELS], 24.0)];
    let mut random = StdRng::seed_from_u64(1);
    let all: Vec<_> = (0..FEEDS)
        .map(|number| {
            let chosen: Vec<&Value> = warm.sample(&mut random, FEED_CHANNELS).copied().collect();
            feed(&chosen, 1.0 + number as f64 / 100.0)
        })
        .collect();
    let posts = post_count(host, &warm[..FEED_CHANNELS]).await?;
    for (what, feeds, rate) in [
        ("one feed for all", &one[..], Some(FEED_RATE)),
        ("every feed another", &all, Some(FEED_RATE)),
        ("every feed another, as many as it can", &all, None),
    ] {
        let (feed, board) = tokio::try_join!(
            load(host, feeds, rate, SECONDS),
            load(host, board, Some(BOARD_RATE), SECONDS),
        )?;
        say(
            what,
            json!({ "channels": FEED_CHANNELS, "posts": posts, "feed": feed, "board": board }),
        );
    }
    Ok(())
}

/// Posts on the pages of some channels: what a feed of them is ranked from.
async fn post_count(host: &str, channels: &[&Value]) -> anyhow::Result<usize> {
    const MOST: u32 = 500;
    let mut count = 0;
    for channel in channels {
        let question = json!({ "channels": [channel], "limit": MOST, "collapse": false });
        let headers = "Content-Type: application/json\r\nConnection: close\r\n";
        let asked = request(host, "POST /v1/feed", headers, &question.to_string());
        let feed = ask(host, &asked).await?;
        count += feed["posts"].as_array().map_or(0, Vec::len);
    }
    Ok(count)
}

fn request(host: &str, asked: &str, headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("{asked} HTTP/1.1\r\nHost: {host}\r\nContent-Length: {length}\r\n{headers}\r\n{body}")
        .into_bytes()
}

fn say(what: &str, figures: Value) {
    println!("{}", json!({ what: figures }));
}

/// Stopped politely, so that a private database stops with it.
async fn stop(mut ohlas: Child) -> anyhow::Result<()> {
    if let Some(id) = ohlas.id() {
        Command::new("kill").arg(id.to_string()).status().await?;
    }
    ohlas.wait().await?;
    Ok(())
}

async fn ready(host: &str, ohlas: &mut Child) -> anyhow::Result<()> {
    let began = Instant::now();
    while began.elapsed() < READY {
        if let Some(status) = ohlas.try_wait()? {
            bail!("ohlas ended: {status}");
        }
        if let Ok(mut stream) = TcpStream::connect(host).await {
            let request = format!("GET /readyz HTTP/1.1\r\nHost: {host}\r\n\r\n");
            stream.write_all(request.as_bytes()).await?;
            let mut buffer = vec![0; 4 << 10];
            if answer(&mut stream, &mut buffer).await.is_ok() {
                return Ok(());
            }
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    bail!("ohlas did not get ready")
}

async fn get(host: &str, path: &str) -> anyhow::Result<Value> {
    ask(host, &request(host, &format!("GET {path}"), "Connection: close\r\n", "")).await
}

async fn ask(host: &str, request: &[u8]) -> anyhow::Result<Value> {
    let mut stream = TcpStream::connect(host).await?;
    stream.write_all(request).await?;
    let mut text = String::new();
    stream.read_to_string(&mut text).await?;
    let (_, body) = text.split_once("\r\n\r\n").context("no answer")?;
    Ok(serde_json::from_str(body)?)
}

/// Resident memory now and at most, in MB.
fn memory(ohlas: &Child) -> anyhow::Result<Value> {
    let id = ohlas.id().context("ohlas ended")?;
    let status = std::fs::read_to_string(format!("/proc/{id}/status"))?;
    let megabytes = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        Some(line.trim().trim_end_matches(" kB").parse::<u64>().ok()? / 1_000)
    };
    Ok(json!({ "now_mb": megabytes("VmRSS:"), "most_mb": megabytes("VmHWM:") }))
}

/// The engine benchmark's newsrooms, whose feeds hold all their items of three days, for `ohlas replay`.
fn archive(dir: &Path, items: usize) -> anyhow::Result<()> {
    const SECONDS: i64 = 3 * 86_400;
    let window = Corpus::new(items, SECONDS as f64 / items as f64).history();
    let time = |at: i64| chrono::DateTime::from_timestamp(at, 0).unwrap_or_default();
    let read_at = time(START + SECONDS).to_rfc3339();
    let mut feeds: HashMap<NewsroomId, Vec<String>> = HashMap::new();
    for item in &window.items {
        let Some(text) = item.texts.first() else { continue };
        let told = format!(
            "<item><title>{}</title><description>{}</description><link>{}</link>\
             <pubDate>{}</pubDate></item>",
            text.title,
            text.lede,
            item.link,
            time(item.mention_at).to_rfc2822(),
        );
        feeds.entry(item.newsroom).or_default().push(told);
    }
    let (mut exchanges, mut sources) = (String::new(), String::new());
    for newsroom in &window.newsrooms {
        let number = newsroom.id;
        let host = format!("https://n{number}.example");
        let items = feeds.remove(&newsroom.id).unwrap_or_default().concat();
        let body = format!("<rss version=\"2.0\"><channel><title>N</title>{items}</channel></rss>");
        for (path, status, body) in [
            ("/robots.txt", 404, ""),
            ("/.well-known/tdmrep.json", 404, ""),
            ("/feed", 200, &*body),
        ] {
            let exchange = json!({
                "at": read_at, "url": format!("{host}{path}"), "status": status,
                "headers": { "content-type": "application/rss+xml" }, "body": body,
            });
            writeln!(exchanges, "{exchange}")?;
        }
        writeln!(
            sources,
            "[[newsroom]]\nslug = \"n{number}\"\nname = \"N{number}\"\nhomepage = \"{host}/\"\n\
             country = \"CZ\"\nlanguage = \"cs\"\n[[newsroom.source]]\nurl = \"{host}/feed\""
        )?;
    }
    std::fs::write(dir.join("exchanges.jsonl"), exchanges)?;
    Ok(std::fs::write(dir.join("sources.toml"), sources)?)
}

async fn load(
    host: &str,
    requests: &[Vec<u8>],
    rate: Option<f64>,
    seconds: f64,
) -> anyhow::Result<Value> {
    let requests: Arc<[Vec<u8>]> = requests.into();
    let began = Instant::now();
    let end = began + Duration::from_secs_f64(seconds);
    let mut connections = JoinSet::new();
    for number in 0..CONNECTIONS {
        let (host, requests) = (host.to_owned(), Arc::clone(&requests));
        connections
            .spawn(async move { connection(&host, &requests, number, rate, began, end).await });
    }
    let mut times = Vec::new();
    while let Some(asked) = connections.join_next().await {
        times.extend(asked??);
    }
    let elapsed = began.elapsed().as_secs_f64();
    times.sort_unstable();
    let milliseconds = |share: f64| {
        let index = ((times.len() as f64 * share) as usize).min(times.len().saturating_sub(1));
        times.get(index).map_or(0.0, |time| time.as_secs_f64() * 1_000.0)
    };
    Ok(json!({
        "asked_per_second": rate,
        "requests": times.len(),
        "answered_per_second": (times.len() as f64 / elapsed).round(),
        "p50_ms": milliseconds(0.5),
        "p99_ms": milliseconds(0.99),
        "max_ms": milliseconds(1.0),
    }))
}

/// One connection's answers, each with its time.
async fn connection(
    host: &str,
    requests: &[Vec<u8>],
    number: u32,
    rate: Option<f64>,
    began: Instant,
    end: Instant,
) -> anyhow::Result<Vec<Duration>> {
    let mut stream = TcpStream::connect(host).await.context("nobody listens")?;
    stream.set_nodelay(true)?;
    let mut turns = requests.iter().cycle().skip(number as usize).step_by(CONNECTIONS as usize);
    let connections = f64::from(CONNECTIONS);
    let step = rate.map(|rate| Duration::from_secs_f64(connections / rate));
    // The connections' schedules interleave.
    let mut due = began + step.unwrap_or_default().mul_f64(f64::from(number) / connections);
    let mut times = Vec::new();
    let mut buffer = vec![0; 256 << 10];
    loop {
        match step {
            Some(_) => tokio::time::sleep_until(due.into()).await,
            None => due = Instant::now(),
        }
        if due >= end {
            return Ok(times);
        }
        let request = turns.next().context("nothing to ask for")?;
        stream.write_all(request).await?;
        answer(&mut stream, &mut buffer).await?;
        times.push(due.elapsed());
        due += step.unwrap_or_default();
    }
}

/// Reads one answer, which must be a 200 that says its length.
async fn answer(stream: &mut TcpStream, buffer: &mut [u8]) -> anyhow::Result<()> {
    let mut filled = 0;
    let whole = loop {
        let read = stream.read(&mut buffer[filled..]).await?;
        ensure!(read > 0, "the connection was closed");
        filled += read;
        let Some(end) = buffer[..filled].windows(4).position(|bytes| bytes == b"\r\n\r\n") else {
            continue;
        };
        let head = str::from_utf8(&buffer[..end])?;
        ensure!(head.starts_with("HTTP/1.1 200 "), "not 200: {head}");
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length")
                .then(|| value.trim().parse::<usize>().ok())?
        });
        let Some(length) = length else { bail!("no length: {head}") };
        break end + 4 + length;
    };
    let mut left = whole - filled;
    while left > 0 {
        let space = left.min(buffer.len());
        let read = stream.read(&mut buffer[..space]).await?;
        ensure!(read > 0, "the connection was closed");
        left -= read;
    }
    Ok(())
}
