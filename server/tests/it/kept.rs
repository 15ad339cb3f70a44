//! Answers that are made once per snapshot: revalidated, compressed once, made anew with the next.

use std::io::Read;

use axum::http::StatusCode;
use base64::prelude::{BASE64_STANDARD, Engine};
use flate2::read::GzDecoder;
use ingest::recompute::recompute;
use sha2::{Digest, Sha256};
use sqlx::PgPool;

use crate::site::{HOUR, START, Site};

const KINDS: [&str; 9] = [
    "/",
    "/en/sources",
    "/v1/events",
    "/v1/openapi.json",
    "/board.atom",
    "/board.csv",
    "/og.png",
    "/robots.txt",
    "/embed/board",
];

#[sqlx::test(migrations = "../migrations")]
async fn what_a_client_has_is_not_sent_again(pool: PgPool) {
    let site = Site::after(pool, 2).await;
    for path in KINDS {
        let first = site.get(path).await;
        assert_eq!(first.status, StatusCode::OK, "{path}");
        assert!(first.header("cache-control").starts_with("public, "), "{path}");
        let etag = first.header("etag");
        assert!(etag.starts_with("W/\""), "{path}: {etag}");
        for known in [etag, &format!("\"other\", {etag}"), "*"] {
            let again = site.get_with(path, &[("if-none-match", known)]).await;
            assert_eq!(again.status, StatusCode::NOT_MODIFIED, "{path}");
            assert_eq!(again.header("etag"), etag);
            assert!(again.bytes.is_empty());
            let policy = "content-security-policy";
            assert_eq!(again.header(policy), first.header(policy), "{path}");
        }
        let other = site.get_with(path, &[("if-none-match", "\"other\"")]).await;
        assert_eq!((other.status, other.bytes), (StatusCode::OK, first.bytes), "{path}");
    }
}

#[sqlx::test(migrations = "../migrations")]
async fn every_encoding_says_the_same(pool: PgPool) {
    let site = Site::after(pool, 2).await;
    let plain = site.get("/").await;
    assert_eq!(plain.header("content-encoding"), "");
    let gzip = site.get_with("/", &[("accept-encoding", "gzip, br;q=0")]).await;
    let mut unzipped = Vec::new();
    assert_eq!(gzip.header("content-encoding"), "gzip");
    GzDecoder::new(&gzip.bytes[..]).read_to_end(&mut unzipped).unwrap();
    assert_eq!(unzipped, plain.bytes);
    let brotli = site.get_with("/", &[("accept-encoding", "gzip, deflate, br")]).await;
    assert_eq!(brotli.header("content-encoding"), "br");
    let mut unpacked = Vec::new();
    brotli::BrotliDecompress(&mut &brotli.bytes[..], &mut unpacked).unwrap();
    assert_eq!(unpacked, plain.bytes);
    assert!(brotli.bytes.len() * 3 < plain.bytes.len());
    for answer in [plain, gzip, brotli] {
        assert_eq!(answer.header("vary"), "accept-encoding");
    }
}

#[sqlx::test(migrations = "../migrations")]
async fn the_next_snapshot_is_shown_at_once(pool: PgPool) {
    let site = Site::after(pool, 2).await;
    let before = site.get("/").await;
    let newest = site.get("/?lang=cs&sort=newest").await;
    let same = site.get("/?sort=newest&lang=cs").await;
    assert_eq!(newest.header("etag"), same.header("etag"), "filters in another order");
    recompute(&site.store, START + 3 * HOUR, true).await.unwrap();
    for _ in 0..100 {
        if site.get("/").await.header("etag") != before.header("etag") {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("five seconds later the old board is still shown");
}

/// A nonce is good for one answer; what is kept names its scripts by their hashes.
#[sqlx::test(migrations = "../migrations")]
async fn the_policy_of_a_kept_page_names_exactly_its_scripts(pool: PgPool) {
    let site = Site::after(pool, 2).await;
    for path in ["/", "/en/methodology", "/docs"] {
        let page = site.get(path).await;
        let policy = page.header("content-security-policy");
        assert!(!policy.contains("nonce"), "{policy}");
        let inline: Vec<&str> = page
            .body
            .split("<script")
            .skip(1)
            .filter_map(|rest| rest.split_once('>'))
            .filter(|(attributes, _)| !attributes.contains("src="))
            .map(|(_, rest)| rest.split_once("</script>").unwrap().0)
            .collect();
        assert!(!inline.is_empty(), "{path}");
        for script in &inline {
            let hash = BASE64_STANDARD.encode(Sha256::digest(script));
            assert!(policy.contains(&format!("'sha256-{hash}'")), "{path}: {script}: {policy}");
        }
        assert_eq!(policy.matches("'sha256-").count(), inline.len(), "{policy}");
    }
    let missing = site.get("/nowhere").await;
    let policy = missing.header("content-security-policy");
    let (_, nonce) = policy.split_once("'nonce-").unwrap();
    let nonce = nonce.split('\'').next().unwrap();
    assert!(missing.body.contains(&format!("nonce=\"{nonce}\"")), "not kept, so the nonce holds");
}
