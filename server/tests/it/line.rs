//! From the newsrooms' feeds to history, seen from both ends.

use std::collections::HashSet;

use sqlx::PgPool;
use store::Verification;

use crate::site::{HOUR, START, Site};

fn is_gate_document(path: &str) -> bool {
    path == "/robots.txt" || path == "/.well-known/tdmrep.json"
}

#[sqlx::test(migrations = "../migrations")]
async fn the_newsrooms_see_only_what_the_gate_permitted(pool: PgPool) {
    let site = Site::after(pool, 5).await;
    let reports = site.store.source_reports(START + 5 * HOUR).await.unwrap();
    let permitted: HashSet<String> = reports
        .iter()
        .filter(|report| {
            report.check.as_ref().is_some_and(|check| check.verdict == model::Verdict::Allowed)
        })
        .map(|report| report.source.url.clone())
        .collect();

    let mut asked = HashSet::new();
    for request in site.requests.iter().filter(|request| !is_gate_document(&request.path)) {
        asked.insert(site.url(request));
    }
    // A reservation in the feed's own answer can only be known after one request.
    let reserved_by_answer: HashSet<String> = reports
        .iter()
        .filter(|report| {
            report.check.as_ref().is_some_and(|check| {
                check.verdict == model::Verdict::Reserved
                    && check.tdm_signal.as_ref().is_some_and(|signal| signal.contains("header"))
            })
        })
        .map(|report| report.source.url.clone())
        .collect();
    for url in &asked {
        assert!(permitted.contains(url) || reserved_by_answer.contains(url), "{url} was asked");
    }
    assert!(!site.forbidden.is_empty());
    for url in &site.forbidden {
        assert!(!asked.contains(url), "{url} must never be asked");
    }
    assert!(permitted.len() > 30, "{} sources permitted", permitted.len());
}

#[sqlx::test(migrations = "../migrations")]
async fn every_fetch_names_the_check_that_permitted_it(pool: PgPool) {
    Site::after(pool.clone(), 2).await;
    let (all, permitted): (i64, i64) = sqlx::query_as(
        "SELECT count(*), count(c.id) FROM fetches f LEFT JOIN gate_checks c
            ON c.id = f.check_id AND c.source_id = f.source_id AND c.at <= f.at
                AND c.valid_until > f.at AND c.verdict = 'allowed'",
    )
    .fetch_one(&pool)
    .await
    .unwrap();
    assert!(all > 200, "only {all} fetches");
    assert_eq!(permitted, all);
}

#[sqlx::test(migrations = "../migrations")]
async fn every_repeat_sends_the_validators_back(pool: PgPool) {
    let site = Site::after(pool, 3).await;
    let reports = site.store.source_reports(START + 3 * HOUR).await.unwrap();
    // A document that was cut off is asked for again without validators, which would hide the rest.
    let cut: HashSet<&str> = reports
        .iter()
        .filter(|report| report.fetches.iter().any(|fetch| !fetch.defects.is_empty()))
        .map(|report| report.source.url.as_str())
        .collect();
    let mut answered = HashSet::new();
    let mut repeats = 0;
    for request in site.requests.iter().filter(|request| !is_gate_document(&request.path)) {
        let url = site.url(request);
        if !answered.insert(url.clone()) && !cut.contains(url.as_str()) {
            repeats += 1;
            let conditional =
                request.if_none_match.is_some() || request.if_modified_since.is_some();
            assert!(conditional, "{url} was asked again without validators");
        }
    }
    assert!(repeats > 100, "only {repeats} repeats");
}

#[sqlx::test(migrations = "../migrations")]
async fn the_history_of_a_day_verifies_and_holds_nothing_twice(pool: PgPool) {
    let site = Site::after(pool.clone(), 4).await;
    let verification = site.store.verify(|_, _| {}).await.unwrap();
    assert!(matches!(verification, Verification::Intact { batches, .. } if batches > 100));

    let twice: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM (SELECT newsroom_id, link FROM items GROUP BY 1, 2 HAVING count(*) > 1) t",
    )
    .fetch_one(&pool)
    .await
    .unwrap();
    assert_eq!(twice, 0);
}
