//! `poll_bench [--sources N] [--json]`: how long it takes to poll sources that did not change, and what
//! history grows by.
//!
//! A loopback server plays one newsroom per source. All are polled once, so that their listings are
//! known, then again and again: each answer is a 304. PostgreSQL is a private one, or that of
//! `DATABASE_URL`.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use axum::extract::Request;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use embedded_postgres::{Config, Postgres};
use ingest::clock::Clock;
use ingest::poll::Line;
use ingest::source::Catalogue;
use ingest::web::{Http, HttpConfig};
use serde::Serialize;
use store::Store;

const USAGE: &str = "usage: poll_bench [--sources N] [--json]";

/// 14 August 2026, 06:00 UTC.
const START: i64 = 1_786_687_200;
const ROUNDS: u32 = 5;
/// Few enough that the gate still believes what it read: then a poll is one request.
const ROUND_SECONDS: i64 = 4 * 3_600;
const ITEMS: usize = 30;

#[derive(Serialize)]
struct Report {
    sources: usize,
    /// All sources, none of them changed; the mean of all rounds.
    poll_seconds: f64,
    /// The most that the process held, the server that plays the newsrooms included.
    resident_bytes: u64,
    /// Of history with its indexes.
    bytes_per_observation: f64,
    bytes_per_unchanged_poll: f64,
}

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<()> {
    let (mut sources, mut json) = (1_000, false);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--sources" => sources = arguments.next().context(USAGE)?.parse().context(USAGE)?,
            "--json" => json = true,
            _ => bail!("unknown argument `{argument}`\n\n{USAGE}"),
        }
    }
    let report = match std::env::var("DATABASE_URL") {
        Ok(url) => measure(&url, sources).await?,
        Err(_) => {
            let dir = std::env::temp_dir().join(format!("ohlas-poll-{}", std::process::id()));
            let config = Config { dir: dir.clone(), durable: true };
            let postgres = tokio::task::spawn_blocking(move || Postgres::start(&config)).await??;
            let report = measure(&postgres.url(), sources).await;
            drop(postgres);
            std::fs::remove_dir_all(dir).ok();
            report?
        }
    };
    if json {
        println!("{}", serde_json::to_string(&report)?);
        return Ok(());
    }
    println!("{sources} unchanged sources polled in {:.2} s", report.poll_seconds);
    println!("{:.0} MB resident", report.resident_bytes as f64 / 1e6);
    println!("{:.0} bytes stored per observation", report.bytes_per_observation);
    println!("{:.0} bytes stored per unchanged poll", report.bytes_per_unchanged_poll);
    Ok(())
}

async fn measure(url: &str, sources: usize) -> Result<Report> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let port = listener.local_addr()?.port();
    tokio::spawn(async move { axum::serve(listener, axum::Router::new().fallback(answer)).await });

    let clock = Clock::virtual_at(START);
    let store = Store::connect(url).await?;
    store.ensure_partitions(START, START + i64::from(ROUNDS + 1) * ROUND_SECONDS).await?;
    let catalogue = Catalogue::parse("the bench's sources", &sources_toml(sources, port))?;
    let http = Http::new(&HttpConfig { allow_private: true, ..HttpConfig::default() })?;
    let line = Line::new(store, Arc::new(http), "Ohlas/bench", clock, &catalogue, 600).await?;

    poll_all(&line, START).await?;
    let observations = sqlx::query_scalar::<_, i64>("SELECT count(*) FROM observations");
    let observations = observations.fetch_one(line.store().pool()).await?;
    if observations != (sources * ITEMS) as i64 {
        bail!("{observations} observations of {sources} sources");
    }

    let observed = size(line.store(), &["observations"]).await?;
    let history = ["fetches", "batches", "gate_checks", "observations", "items"];
    let before = size(line.store(), &history).await?;
    let started = Instant::now();
    for round in 1..=ROUNDS {
        poll_all(&line, START + i64::from(round) * ROUND_SECONDS).await?;
    }
    let poll_seconds = started.elapsed().as_secs_f64() / f64::from(ROUNDS);
    let grown = size(line.store(), &history).await? - before;
    let unchanged = sqlx::query_scalar::<_, i64>("SELECT count(*) FROM fetches WHERE status = 304");
    let unchanged = unchanged.fetch_one(line.store().pool()).await?;
    if unchanged != (sources * ROUNDS as usize) as i64 {
        bail!("{unchanged} unchanged answers of {sources} sources in {ROUNDS} rounds");
    }
    Ok(Report {
        sources,
        poll_seconds,
        resident_bytes: resident_bytes()?,
        bytes_per_observation: observed as f64 / observations as f64,
        bytes_per_unchanged_poll: grown as f64 / unchanged as f64,
    })
}

/// Has every source polled at `at`, wherever in its cycle it is.
async fn poll_all(line: &Line, at: i64) -> Result<()> {
    sqlx::query("UPDATE source_state SET next_check_at = to_timestamp($1)")
        .bind(at as f64)
        .execute(line.store().pool())
        .await?;
    line.replay(at, at, async |_| Ok::<(), store::Error>(())).await?;
    Ok(())
}

/// Bytes of the tables with their indexes and partitions.
async fn size(store: &Store, tables: &[&str]) -> Result<i64> {
    let bytes = sqlx::query_scalar(
        "SELECT coalesce(sum(pg_total_relation_size(part.relid)), 0)::bigint
        FROM unnest($1::text[]) AS named(name), pg_partition_tree(named.name::regclass) part",
    );
    Ok(bytes.bind(tables).fetch_one(store.pool()).await?)
}

fn sources_toml(sources: usize, port: u16) -> String {
    let newsroom = |n| {
        format!(
            "[[newsroom]]\nslug = \"n{n}\"\nname = \"N {n}\"\n\
             homepage = \"http://n{n}.localhost:{port}/\"\ncountry = \"CZ\"\nlanguage = \"cs\"\n\
             [[newsroom.source]]\nurl = \"http://n{n}.localhost:{port}/feed\"\n"
        )
    };
    (1..=sources).map(newsroom).collect()
}

async fn answer(request: Request) -> Response {
    if request.uri().path() != "/feed" {
        return StatusCode::NOT_FOUND.into_response();
    }
    if request.headers().contains_key(header::IF_NONE_MATCH) {
        return StatusCode::NOT_MODIFIED.into_response();
    }
    let items: String = (0..ITEMS)
        .map(|n| {
            format!(
                "<item><title>Zpráva číslo {n}</title><link>/clanek/{n}</link>\
                 <description>Co se stalo po {n}. hodině.</description></item>"
            )
        })
        .collect();
    let feed = format!("<rss version=\"2.0\"><channel><title>N</title>{items}</channel></rss>");
    ([(header::ETAG, "\"1\""), (header::CONTENT_TYPE, "application/rss+xml")], feed).into_response()
}

fn resident_bytes() -> Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes: u64 = line.context("no VmHWM")?.trim().trim_end_matches(" kB").parse()?;
    Ok(kilobytes * 1_024)
}
