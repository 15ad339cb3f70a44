//! History in the hands of others: `ohlas verify`, `ohlas export` and the documented script, `/v1/log`.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use axum::http::StatusCode;
use sqlx::{ConnectOptions, PgPool};

use crate::site::{HOUR, START, Site};

const DOCUMENT: &str = include_str!("../../../docs/history.md");

fn ohlas(pool: &PgPool, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ohlas"))
        .args(arguments)
        .env("DATABASE_URL", pool.connect_options().to_url_lossy().to_string())
        .output()
        .unwrap()
}

fn moment(at: i64) -> String {
    chrono::DateTime::from_timestamp(at, 0).unwrap().to_rfc3339()
}

/// What the documented script says of a file, and whether it is content.
fn script(path: &Path, noted_head: Option<&str>) -> (bool, String) {
    let script = DOCUMENT.split("```python\n").nth(1).unwrap().split_once("```").unwrap().0;
    let output = Command::new("python3")
        .args(["-I", "-c", script])
        .arg(path)
        .args(noted_head)
        .output()
        .unwrap();
    let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    (output.status.success(), said)
}

/// Removed when its test ends, however that ends.
struct Exported(PathBuf);

impl Drop for Exported {
    fn drop(&mut self) {
        // It may not have been written.
        std::fs::remove_file(&self.0).ok();
    }
}

fn export(pool: &PgPool, name: &str, stretch: &[&str]) -> Exported {
    let path = std::env::temp_dir().join(format!("ohlas-{}-{name}.jsonl", std::process::id()));
    let exported = Exported(path);
    let arguments = [&["export", "--out", exported.0.to_str().unwrap()], stretch].concat();
    let output = ohlas(pool, &arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    exported
}

#[sqlx::test(migrations = "../migrations")]
async fn an_export_verifies_without_us_and_a_tampered_line_does_not(pool: PgPool) {
    let site = Site::after(pool.clone(), 2).await;
    let head = site.store.head().await.unwrap().unwrap();
    let whole = export(&pool, "whole", &[]);
    let text = std::fs::read_to_string(&whole.0).unwrap();
    assert_eq!(text.lines().count() as i64, head.position);
    assert!(head.position > 100, "only {} batches", head.position);
    let (content, said) = script(&whole.0, Some(&head.hash));
    assert!(content, "{said}");
    assert_eq!(said, format!("intact up to batch {}, head {}\n", head.position, head.hash));

    let (from, to) = (moment(START + HOUR), moment(START + 2 * HOUR - 1));
    let part = export(&pool, "part", &["--from", &from, "--to", &to]);
    let (content, said) = script(&part.0, None);
    assert!(content, "{said}");
    let lines = std::fs::read_to_string(&part.0).unwrap().lines().count() as i64;
    assert!(lines > 20 && lines < head.position, "{lines} lines");

    // One digit of one item's number.
    let line = text.lines().position(|line| line.contains("[\"items\",")).unwrap();
    let tampered: Vec<String> = text
        .lines()
        .enumerate()
        .map(|(number, content)| match number == line {
            true => content.replacen("[\"items\",", "[\"items\",1", 1),
            false => content.to_owned(),
        })
        .collect();
    assert_ne!(tampered.join("\n"), text.trim_end());
    std::fs::write(&whole.0, tampered.join("\n")).unwrap();
    let (content, said) = script(&whole.0, Some(&head.hash));
    assert!(!content && said.starts_with(&format!("line {}, ", line + 1)), "{said}");
}

#[sqlx::test(migrations = "../migrations")]
async fn verify_names_the_link_and_the_batch_that_does_not_hold(pool: PgPool) {
    let site = Site::after(pool.clone(), 2).await;
    let head = site.store.head().await.unwrap().unwrap();
    let said = |output: Output| {
        let all = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8(all).unwrap())
    };
    let whole = said(ohlas(&pool, &["verify"]));
    let intact = format!("intact: {} batches, head {}", head.position, head.hash);
    assert!(whole.0 && whole.1.contains(&intact), "{}", whole.1);

    let later = moment(START + HOUR);
    let stretch = said(ohlas(&pool, &["verify", "--from", &later]));
    assert!(stretch.0 && stretch.1.contains("taken as given: batch "), "{}", stretch.1);
    assert!(stretch.1.contains(&head.hash), "{}", stretch.1);

    let mut connection = pool.acquire().await.unwrap();
    sqlx::raw_sql(
        "SET session_replication_role = replica;
        UPDATE items SET title = title || '.' WHERE id = 1;
        RESET session_replication_role",
    )
    .execute(&mut *connection)
    .await
    .unwrap();
    let whole = said(ohlas(&pool, &["verify"]));
    assert!(!whole.0 && whole.1.contains("history was rewritten: at batch "), "{}", whole.1);
    assert!(whole.1.contains("a row is not as it was written"), "{}", whole.1);
    let stretch = said(ohlas(&pool, &["verify", "--from", &later]));
    assert!(stretch.0, "what came later still holds: {}", stretch.1);
}

#[sqlx::test(migrations = "../migrations")]
async fn the_log_is_read_page_by_page_from_its_head(pool: PgPool) {
    let site = Site::after(pool, 1).await;
    let head = site.store.head().await.unwrap().unwrap();
    let first = site.get("/v1/log?limit=40").await;
    assert_eq!(first.headers["cache-control"], "no-cache");
    let tag = first.headers["etag"].to_str().unwrap();
    let again = site.revalidate("/v1/log?limit=40", tag).await;
    assert_eq!((again.status, again.body.as_str()), (StatusCode::NOT_MODIFIED, ""));

    let mut page: serde_json::Value = serde_json::from_str(&first.body).unwrap();
    assert_eq!(page["head"]["hash"], head.hash);
    let status = site.json("/v1/stats").await;
    assert_eq!(status["stats"]["chain_head"], head.hash);
    assert!(site.get("/status").await.body.contains(&head.hash));

    let (mut expected, mut position) = (head.hash, head.position);
    loop {
        for batch in page["batches"].as_array().unwrap() {
            assert_eq!(batch["hash"], expected);
            assert_eq!(batch["position"], position);
            expected = batch["previous"].as_str().unwrap().to_owned();
            position -= 1;
        }
        let Some(next) = page["next"].as_str() else { break };
        let older = site.get(next).await;
        assert_eq!(older.headers["cache-control"], "public, max-age=86400");
        page = serde_json::from_str(&older.body).unwrap();
        assert_eq!(page.get("head"), None);
    }
    assert_eq!((position, expected), (0, "0".repeat(64)));

    for wrong in ["limit=0", "limit=1001"] {
        let answer = site.get(&format!("/v1/log?{wrong}")).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{wrong}");
    }
}
