//! The hash chain over history: how a batch's rows are written before they are hashed.
//!
//! `docs/history.md` defines it; the tests here and in `tests/it/chain.rs` hold the two together.

use model::{GateCheck, ItemId, NewsroomId, SourceId, UnixSeconds};
use serde_json::json;

use crate::{FetchRow, NewItem, ObservationRow};

/// Rows of history by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    pub gate_checks: i64,
    pub fetches: i64,
    pub items: i64,
    pub observations: i64,
}

pub(crate) fn check_line(id: i64, check: &GateCheck) -> String {
    json!([
        "gate_checks",
        id,
        check.source,
        check.at,
        check.url,
        check.user_agent,
        check.robots_url,
        check.robots_status,
        check.robots_sha256,
        check.matched_rule,
        check.tdm_signal,
        check.verdict.as_str(),
        check.reason,
        check.valid_until
    ])
    .to_string()
}

pub(crate) fn fetch_line(id: i64, source: SourceId, at: UnixSeconds, row: &FetchRow) -> String {
    json!([
        "fetches",
        id,
        source,
        at,
        row.url,
        row.check,
        row.status,
        row.outcome.as_str(),
        row.same_as,
        row.sha256,
        row.bytes,
        row.elapsed_ms,
        row.items,
        row.new_items,
        row.defects,
        row.error,
        row.moved_to
    ])
    .to_string()
}

pub(crate) fn item_line(
    id: ItemId,
    newsroom: NewsroomId,
    source: SourceId,
    at: UnixSeconds,
    item: &NewItem,
) -> String {
    json!([
        "items",
        id,
        newsroom,
        source,
        at,
        item.link,
        item.title,
        item.lede,
        item.language,
        item.claimed_at,
        item.mention_at,
        item.backfill
    ])
    .to_string()
}

pub(crate) fn key_line(newsroom: NewsroomId, key: &str, item: ItemId) -> String {
    json!(["item_keys", newsroom, key, item]).to_string()
}

pub(crate) fn revision_line(
    id: i64,
    item: ItemId,
    source: SourceId,
    at: UnixSeconds,
    title: &str,
    lede: &str,
) -> String {
    json!(["item_revisions", id, item, source, at, title, lede]).to_string()
}

pub(crate) fn observation_line(
    source: SourceId,
    at: UnixSeconds,
    fetch: i64,
    row: &ObservationRow,
) -> String {
    let &ObservationRow { item, position, length, views } = row;
    json!(["observations", source, at, fetch, item, position, length, views]).to_string()
}

/// The canonical rows of a batch, its own among them, which counts the others.
pub(crate) fn canonical(at: UnixSeconds, row_count: i32, mut lines: Vec<String>) -> String {
    lines.push(json!(["batches", at, row_count]).to_string());
    lines.sort_unstable();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use model::{Outcome, Verdict};
    use sha2::{Digest, Sha256};

    use super::*;

    const AT: UnixSeconds = 1_785_542_400;

    /// The documentation's example, made by the code that makes history.
    #[test]
    fn the_documented_example_is_what_is_hashed() {
        let document = include_str!("../../docs/history.md");
        let mut blocks = document.split("```text\n").skip(1).map(|rest| rest.split_once("\n```"));
        let mut block = || blocks.next().unwrap().unwrap().0;
        let (rows, hash) = (block(), block());

        let (newsroom, source, item) = (NewsroomId(1), SourceId(2), ItemId(1));
        let feed = "https://obzor.example/feed.xml";
        let fetch = FetchRow {
            url: feed.to_owned(),
            check: Some(1),
            status: Some(200),
            outcome: Outcome::Listed,
            same_as: None,
            sha256: Some("ab".repeat(32)),
            bytes: 20_480,
            elapsed_ms: 120,
            items: 1,
            new_items: 1,
            defects: vec!["the date \"včera\" cannot be read".to_owned()],
            error: None,
            moved_to: None,
        };
        let check = GateCheck {
            source,
            at: AT,
            url: feed.to_owned(),
            user_agent: "Ohlas/0.1.0".to_owned(),
            robots_url: "https://obzor.example/robots.txt".to_owned(),
            robots_status: Some(200),
            robots_sha256: Some("cd".repeat(32)),
            matched_rule: Some("Allow: /".to_owned()),
            tdm_signal: None,
            verdict: Verdict::Allowed,
            reason: "robots.txt allows it.".to_owned(),
            valid_until: AT + 86_400,
        };
        let new = NewItem {
            keys: Vec::new(),
            link: "https://obzor.example/a".to_owned(),
            title: "Titulek 🎈".to_owned(),
            lede: "Perex".to_owned(),
            language: "cs".to_owned(),
            claimed_at: Some(AT - 3_600),
            mention_at: AT - 3_600,
            backfill: false,
        };
        let place = ObservationRow { item, position: 1, length: 1, views: Some(4_200) };
        let lines = vec![
            check_line(1, &check),
            fetch_line(1, source, AT, &fetch),
            item_line(item, newsroom, source, AT, &new),
            key_line(newsroom, "guid:2:a\\b", item),
            key_line(newsroom, "link:obzor.example/a", item),
            revision_line(1, item, source, AT, "Nový titulek", "Řádek\n\u{1}druhý"),
            observation_line(source, AT, 1, &place),
        ];
        let canonical = canonical(AT, 7, lines);
        assert_eq!(canonical, rows);
        let hashed = Sha256::new().chain_update([0; 32]).chain_update(canonical).finalize();
        assert_eq!(crate::hex(&hashed), hash);
    }
}
