//! Every case of `feedcases`: a loopback server plays its exchanges, the product's own client, gate,
//! fetch and parser take them, and what comes out is held against `expect.json`.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use async_trait::async_trait;
use chrono::DateTime;
use ingest::fetch::{FetchError, FetchOutcome, Fetched, Validators, fetch};
use ingest::gate::{
    Gate, Robots, TdmFile, header_reservation, html_reservation, robots_directives,
};
use ingest::parse::{Context, Entry, Parsed, parse};
use ingest::web::{Http, Request, Response, Web, WebError};
use model::{SourceId, Verdict};
use serde_json::Value;
use sha2::{Digest, Sha256};
use url::{Position, Url};

use crate::web::{client, folder, serve};

/// The header in which the loopback server is told which address is meant.
const MEANT: &str = "x-meant-url";

struct Case {
    case: Value,
    expect: Value,
    bodies: HashMap<String, Vec<u8>>,
}

impl Case {
    fn read(path: &Path) -> Self {
        let json = |name: &str| {
            serde_json::from_str(&std::fs::read_to_string(path.join(name)).unwrap()).unwrap()
        };
        let files = std::fs::read_dir(path).unwrap().map(|file| file.unwrap());
        let bodies = files
            .filter(|file| file.file_name().to_string_lossy().starts_with("input"))
            .map(|file| {
                (
                    file.file_name().to_string_lossy().into_owned(),
                    std::fs::read(file.path()).unwrap(),
                )
            })
            .collect();
        Self { case: json("case.json"), expect: json("expect.json"), bodies }
    }

    fn steps(&self) -> &[Value] {
        self.case["steps"].as_array().unwrap()
    }

    fn now(&self) -> i64 {
        instant(&self.case["now"]).unwrap()
    }

    fn body(&self, step: &Value) -> &[u8] {
        step["response"]["body"].as_str().map_or(&[], |name| &self.bodies[name])
    }

    /// The body and the headers of the answer that the case gives for `url`.
    fn answer(&self, ends: &str) -> Option<(&Value, &[u8])> {
        let url = |step: &&Value| step["request"]["url"].as_str().unwrap().ends_with(ends);
        let answered = |step: &&Value| step["response"]["status"] == 200;
        let step = self.steps().iter().filter(url).find(answered)?;
        Some((&step["response"]["headers"], self.body(step)))
    }
}

fn instant(value: &Value) -> Option<i64> {
    Some(DateTime::parse_from_rfc3339(value.as_str()?).unwrap().timestamp())
}

/// The product's client, with every address turned to the loopback server.
struct Loopback {
    http: Http,
    port: u16,
}

#[async_trait]
impl Web for Loopback {
    async fn get(&self, request: &Request) -> Result<Response, WebError> {
        let path = &request.url[Position::BeforePath..];
        let mut headers = request.headers.clone();
        headers.push((MEANT.to_owned(), request.url.to_string()));
        let url = format!("http://127.0.0.1:{}{path}", self.port).parse().unwrap();
        self.http.get(&Request { url, headers, limit: request.limit }).await
    }
}

/// What was asked for: address and headers.
type Log = Arc<Mutex<Vec<(String, BTreeMap<String, String>)>>>;

async fn play(case: &Case) -> (Arc<Loopback>, Log) {
    let log: Log = Arc::default();
    let (kept, steps) = (Arc::clone(&log), case.steps().to_vec());
    let bodies: Vec<Vec<u8>> = steps.iter().map(|step| case.body(step).to_vec()).collect();
    let judged = case.expect["url"]
        .as_str()
        .map(|url| Url::parse(url).unwrap().join("/robots.txt").unwrap());
    let played = Mutex::new(vec![false; steps.len()]);
    let handler = move |_: &str, headers: &axum::http::HeaderMap| {
        let fields: BTreeMap<String, String> = headers
            .iter()
            .map(|(name, value)| {
                (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
            })
            .collect();
        let mut url = fields[MEANT].clone();
        kept.lock().unwrap().push((url.clone(), fields));
        // A robots.txt that the case serves under another name than that of the address in question.
        let own = steps.iter().any(|step| step["request"]["url"] == url.as_str());
        if !own && judged.as_ref().is_some_and(|robots| robots.as_str() == url) {
            url = steps[0]["request"]["url"]
                .as_str()
                .filter(|url| url.ends_with("/robots.txt"))
                .unwrap_or(&url)
                .to_owned();
        }
        let mut played = played.lock().unwrap();
        let mut matching =
            (0..steps.len()).filter(|step| steps[*step]["request"]["url"] == url.as_str());
        let first = matching.clone().find(|step| !played[*step]).or_else(|| matching.next_back());
        let builder = axum::response::Response::builder();
        let Some(step) = first else {
            return builder.status(404).body(axum::body::Body::empty()).unwrap();
        };
        played[step] = true;
        let response = &steps[step]["response"];
        let builder = builder.status(response["status"].as_u64().unwrap() as u16);
        let fields = response["headers"].as_object().unwrap();
        let builder = fields
            .iter()
            .fold(builder, |builder, (name, value)| builder.header(name, value.as_str().unwrap()));
        builder.body(bodies[step].clone().into()).unwrap()
    };
    let port = serve(Arc::new(handler)).await;
    (Arc::new(Loopback { http: client(), port }), log)
}

/// One poll of a case: how it ended and what it listed.
struct Poll {
    url: String,
    fetched: Result<Fetched, FetchError>,
    parsed: Option<Result<Parsed, ingest::parse::NotAFeed>>,
    unchanged: bool,
    new_items: usize,
    changed_items: usize,
    /// The item that each entry is.
    items: Vec<usize>,
}

/// A small memory of what was seen, as the store keeps it.
#[derive(Default)]
struct Memory {
    validators: HashMap<String, Validators>,
    hashes: HashMap<String, Vec<u8>>,
    keys: HashMap<String, usize>,
    texts: Vec<Vec<String>>,
}

async fn walk(case: &Case) -> Vec<Result<Poll, String>> {
    let (web, log) = play(case).await;
    let user_agent = case.case["user_agent"].as_str().unwrap();
    let gate = Gate::new(web.clone(), user_agent);
    let mut memory = Memory::default();
    let mut polls = Vec::new();
    let mut steps = case.steps().iter().peekable();
    while let Some(step) = steps.next() {
        let url: Url = step["request"]["url"].as_str().unwrap().parse().unwrap();
        let now = instant(&step["at"]).unwrap_or_else(|| case.now());
        let asked = log.lock().unwrap().len();
        let permit = gate.check(SourceId(1), &url, now).await.permit.unwrap();
        let validators = memory.validators.get(url.as_str()).cloned().unwrap_or_default();
        let fetched = fetch(&*web, &gate, permit, &validators, now).await;
        // Redirects have played further steps.
        let hops = log.lock().unwrap()[asked..]
            .iter()
            .filter(|(url, _)| !url.contains("robots.txt") && !url.contains("tdmrep"))
            .count();
        for _ in 1..hops {
            steps.next();
        }
        let sent = log.lock().unwrap();
        let headers = &sent.iter().rev().find(|(asked, _)| asked == url.as_str()).unwrap().1;
        let missing =
            step["request"]["must_send"].as_object().unwrap().iter().find(|(name, value)| {
                headers.get(&name.to_ascii_lowercase()).map(String::as_str) != value.as_str()
            });
        match missing {
            Some((name, value)) => polls.push(Err(format!("{name} {value} was not sent"))),
            None => polls.push(Ok(remember(case, &url, fetched, now, &mut memory))),
        }
    }
    polls
}

fn remember(
    case: &Case,
    url: &Url,
    fetched: Result<Fetched, FetchError>,
    now: i64,
    memory: &mut Memory,
) -> Poll {
    let mut poll = Poll {
        url: url.to_string(),
        parsed: None,
        unchanged: false,
        new_items: 0,
        changed_items: 0,
        items: Vec::new(),
        fetched,
    };
    let Ok(Fetched {
        outcome: FetchOutcome::Body(body),
        etag,
        last_modified,
        content_type,
        final_url,
        ..
    }) = &poll.fetched
    else {
        return poll;
    };
    let config = &case.case["source_config"];
    let context = Context {
        url: final_url.clone(),
        content_type: content_type.clone(),
        language: config["language"].as_str().unwrap_or("cs").to_owned(),
        timezone: config["timezone"].as_str().unwrap_or("UTC").parse().unwrap(),
        now,
    };
    let hash = Sha256::digest(body).to_vec();
    poll.unchanged = memory.hashes.insert(url.to_string(), hash.clone()) == Some(hash);
    let parsed = parse(body, &context);
    if let Ok(Parsed { entries, partial, .. }) = &parsed {
        if !partial {
            let validators =
                Validators { etag: etag.clone(), last_modified: last_modified.clone() };
            memory.validators.insert(url.to_string(), validators);
        }
        for entry in entries {
            // A guid means something within its source only.
            let keys: Vec<String> =
                entry
                    .keys
                    .iter()
                    .map(|key| {
                        if key.starts_with("guid:") { format!("{url} {key}") } else { key.clone() }
                    })
                    .collect();
            let known = keys.iter().find_map(|key| memory.keys.get(key)).copied();
            let text = format!("{}\n{}", entry.title, entry.lede);
            let item = known.unwrap_or_else(|| {
                memory.texts.push(vec![text.clone()]);
                memory.texts.len() - 1
            });
            poll.new_items += usize::from(known.is_none());
            if memory.texts[item].last() != Some(&text) {
                poll.changed_items += 1;
                memory.texts[item].push(text);
            }
            for key in keys {
                memory.keys.entry(key).or_insert(item);
            }
            poll.items.push(item);
        }
    }
    poll.parsed = Some(parsed);
    poll
}

/// Every way in which a feed case's outcome differs from what is expected.
fn differences(case: &Case, polls: &[Poll]) -> Vec<String> {
    let expect = &case.expect;
    let mut found = Vec::new();
    let mut check = |holds: bool, what: &str| {
        if !holds {
            found.push(what.to_owned());
        }
    };
    let last = polls.last().unwrap();
    let listed: Vec<&Parsed> =
        polls.iter().filter_map(|poll| poll.parsed.as_ref()?.as_ref().ok()).collect();
    let retry_after = last.fetched.as_ref().err().and_then(FetchError::retry_after_seconds);
    let outcome = match (&last.fetched, &last.parsed) {
        (Err(error), _) if error.is_gone() => "gone",
        (Err(FetchError::Status { status: 202, .. }), _) => "not_a_feed",
        (Err(FetchError::Status { .. }), _) if retry_after.is_some() => "retry_later",
        (Err(FetchError::Web(WebError::TooLarge(_))), _) => "rejected",
        (Err(_), _) => "error",
        (Ok(Fetched { outcome: FetchOutcome::NotModified, .. }), _) => "not_modified",
        (Ok(_), Some(Ok(_))) if last.unchanged && expect["outcome"] == "unchanged" => "unchanged",
        (Ok(_), Some(Ok(parsed))) if parsed.partial => "partial",
        (Ok(_), Some(Ok(_))) => "items",
        (Ok(_), _) => "not_a_feed",
    };
    let expected = expect["outcome"].as_str().unwrap();
    let holds = outcome == expected || expected == "items_or_rejected" && outcome == "items";
    check(
        holds,
        &format!(
            "outcome {outcome}, expected {expected}: {:?} {:?}",
            last.fetched.as_ref().err(),
            last.parsed
        ),
    );

    if let Some(items) = expect["items"].as_array() {
        let Some(parsed) = listed.first() else {
            return vec![format!("nothing was listed; {found:?}")];
        };
        // With the alternative of a refusal, only the items that are named count.
        let entries: Vec<&Entry> = match expected {
            "items_or_rejected" => parsed
                .entries
                .iter()
                .filter(|entry| items.iter().any(|item| item["link"] == entry.link.as_str()))
                .collect(),
            _ => parsed.entries.iter().collect(),
        };
        check(
            entries.len() == items.len(),
            &format!("{} items, expected {}", entries.len(), items.len()),
        );
        for (number, (entry, item)) in (1..).zip(entries.into_iter().zip(items)) {
            let defect = |text: &str| {
                parsed.defects.iter().any(|defect| {
                    defect.starts_with(&format!("item {number}: ")) && defect.ends_with(text)
                })
            };
            for difference in item_differences(entry, item, expect, case, defect) {
                check(false, &format!("item {number}: {difference} in {entry:?}"));
            }
        }
    }
    if let Some(distinct) = expect["distinct_items"].as_u64() {
        check(polls[0].new_items as u64 == distinct, "distinct items");
    }
    for pair in expect["identity"].as_array().into_iter().flatten() {
        let item = |place: &Value| {
            let (step, index) = place.as_str().unwrap().split_once('#').unwrap();
            polls[step.parse::<usize>().unwrap() - 1]
                .items
                .get(index.parse::<usize>().unwrap())
                .copied()
        };
        check(
            item(&pair[0]).is_some() && item(&pair[0]) == item(&pair[1]),
            &format!("identity {pair}"),
        );
    }
    let per_step = |key: &str, count: fn(&Poll) -> usize| {
        let counts = expect[key].as_array()?;
        Some(counts.iter().zip(polls).all(|(expected, poll)| expected == count(poll)))
    };
    check(
        per_step("new_items_per_step", |poll| poll.new_items).unwrap_or(true),
        "new items per step",
    );
    check(
        per_step("changed_items_per_step", |poll| poll.changed_items).unwrap_or(true),
        "changed items per step",
    );
    let after = &expect["after_step_2"];
    if after.is_object() {
        check(
            after["new_items"].as_u64().is_none_or(|count| count == polls[1].new_items as u64),
            "new items after step 2",
        );
        check(
            after["changed_items"]
                .as_u64()
                .is_none_or(|count| count == polls[1].changed_items as u64),
            "changed items after step 2",
        );
        let title = listed.last().map(|parsed| parsed.entries[0].title.as_str());
        check(
            after["title"].as_str().is_none_or(|expected| title == Some(expected)),
            "title after step 2",
        );
    }

    let state = &expect["state"];
    let first = &polls[0];
    let stored_url = first
        .fetched
        .as_ref()
        .ok()
        .and_then(|fetched| fetched.moved_to.clone())
        .unwrap_or_else(|| first.url.clone());
    check(
        state["stored_url"].as_str().is_none_or(|url| url == stored_url),
        &format!("stored URL {stored_url}"),
    );
    check(
        state["source_enabled"].as_bool().is_none_or(|enabled| enabled != (outcome == "gone")),
        "source enabled",
    );
    let etag = polls.iter().rev().find_map(|poll| poll.fetched.as_ref().ok()?.etag.clone());
    check(state["etag"].as_str().is_none_or(|expected| etag.as_deref() == Some(expected)), "etag");
    if let Some(not_before) = instant(&state["next_fetch_not_before"]) {
        check(
            retry_after == Some(not_before - case.now()),
            &format!("retry after {retry_after:?}"),
        );
    }
    found
}

fn item_differences(
    entry: &Entry,
    item: &Value,
    expect: &Value,
    case: &Case,
    defect: impl Fn(&str) -> bool,
) -> Vec<String> {
    let mut found = Vec::new();
    let mut check = |key: &str, holds: bool| {
        if !holds {
            found.push(format!("{key}, expected {}", item[key]));
        }
    };
    match item["id"].as_str() {
        _ if expect["distinct_items"].is_u64() => {}
        Some(id) => check("id", entry.keys[0] == format!("guid:{id}")),
        None => check("id", entry.keys[0].starts_with("link:")),
    }
    match item["title"].as_str() {
        Some(title) => check("title", entry.is_titled && entry.title == title),
        None => check("title", !entry.is_titled),
    }
    check("display_title", item["display_title"].as_str().is_none_or(|title| entry.title == title));
    check("link", entry.link == item["link"].as_str().unwrap_or_default());
    let claimed = instant(&item["published"]).or_else(|| instant(&item["updated"]));
    check("published", entry.claimed_at == claimed);
    check("language", item["language"].as_str().is_none_or(|language| entry.language == language));
    check("views", item["views"].as_i64() == entry.views);
    check(
        "summary_contains",
        item["summary_contains"].as_str().is_none_or(|part| entry.lede.contains(part)),
    );
    check("summary_max_chars", entry.lede.chars().count() <= 300);
    let sort_time = entry.claimed_at.unwrap_or(case.now()).min(case.now());
    check("sort_time", instant(&item["sort_time"]).is_none_or(|time| time == sort_time));
    let flags = |flag: &str| {
        item["flags"].as_array().is_some_and(|flags| flags.iter().any(|known| known == flag))
    };
    check("flags", flags("future_date") == defect("lies in the future"));
    check("flags", flags("placeholder_date") == defect("is a placeholder"));
    found
}

async fn robots_differences(case: &Case) -> Vec<String> {
    let (web, log) = play(case).await;
    let gate = Gate::new(web.clone(), case.case["user_agent"].as_str().unwrap());
    let url: Url = case.expect["url"].as_str().unwrap().parse().unwrap();
    let answer = gate.check(SourceId(1), &url, case.now()).await;
    let mut allowed = answer.permit.is_some();
    let mut found = Vec::new();
    if let Some(delay) = case.expect["crawl_delay"].as_i64()
        && answer.permit.as_ref().and_then(|permit| permit.crawl_delay()) != Some(delay)
    {
        found.push("crawl delay".to_owned());
    }
    if case.expect["temporary"] == true {
        let again = answer.check.valid_until - case.now();
        if answer.check.verdict != Verdict::Unreachable || !(60..=3_600).contains(&again) {
            found.push("temporary".to_owned());
        }
    }
    if let Some(never) = case.expect["never_request"].as_array() {
        let permit = answer.permit.unwrap();
        let fetched = fetch(&*web, &gate, permit, &Validators::default(), case.now()).await;
        allowed = !matches!(fetched, Err(FetchError::Refused(_)));
        let asked = log.lock().unwrap();
        if asked.iter().any(|(url, _)| never.iter().any(|never| never == url)) {
            found.push("requested what may not be".to_owned());
        }
    }
    if allowed != case.expect["allowed"].as_bool().unwrap() {
        found.push(format!("allowed {allowed}: {:?}", answer.check));
    }
    if answer.check.reason.is_empty() || answer.check.user_agent != case.case["user_agent"] {
        found.push(format!("incomplete record {:?}", answer.check));
    }
    found
}

async fn tdm_differences(case: &Case) -> Vec<String> {
    let expect = &case.expect;
    let url: Url = expect["url"].as_str().unwrap().parse().unwrap();
    let path = &url[Position::BeforePath..Position::AfterQuery];
    let mut found = Vec::new();
    let mut check = |holds: bool, what: String| {
        if !holds {
            found.push(what);
        }
    };
    let headers = case.answer(path).map(|(headers, _)| {
        let fields = headers.as_object().unwrap().iter();
        fields.map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned())).collect()
    });
    let page = case.answer(path).map(|(_, body)| String::from_utf8_lossy(body).into_owned());

    // What was said last holds: file, header, page.
    if expect.get("tdm_reservation").is_some() {
        let file = case.answer("tdmrep.json").map(|(_, body)| TdmFile::parse(body));
        let by_file = file.as_ref().and_then(|file| file.reservation(path).cloned());
        let by_header = headers.as_ref().and_then(header_reservation);
        let by_page = page.as_deref().and_then(html_reservation);
        let said = [(by_page, "html"), (by_header, "header"), (by_file, "file")];
        let decided = said.into_iter().find_map(|(reservation, by)| Some((reservation?, by)));
        let value = decided.as_ref().map(|(reservation, _)| i64::from(reservation.reserved));
        check(value == expect["tdm_reservation"].as_i64(), format!("tdm_reservation {value:?}"));
        let by = decided.as_ref().map(|(_, by)| *by);
        check(by == expect["decided_by"].as_str(), format!("decided by {by:?}"));
        let policy = decided.and_then(|(reservation, _)| reservation.policy);
        check(policy.as_deref() == expect["tdm_policy"].as_str(), format!("policy {policy:?}"));
    }

    let (web, _) = play(case).await;
    let gate = Gate::new(web.clone(), case.case["user_agent"].as_str().unwrap());
    let answer = gate.check(SourceId(1), &url, case.now()).await;
    let signal = answer.check.tdm_signal.clone().unwrap_or_default();
    check(
        expect["crawl"].as_bool().is_none_or(|crawl| crawl == answer.permit.is_some()),
        format!("{:?}", answer.check),
    );
    check(
        expect["warning"].as_str().is_none_or(|warning| signal.contains(warning)),
        format!("warning {signal}"),
    );
    if expect["decided_by"] == "file" {
        check(answer.check.verdict == Verdict::Reserved, format!("{:?}", answer.check));
        check(
            signal.contains(expect["tdm_policy"].as_str().unwrap_or_default()),
            format!("policy in {signal}"),
        );
    }
    if let (Some(permit), Some(_)) = (answer.permit, &headers) {
        let fetched =
            fetch(&*web, &gate, permit, &Validators::default(), case.now()).await.unwrap();
        let reserved = gate.reserve(SourceId(1), &url, &fetched, case.now());
        let expected = expect["tdm_reservation"] == 1 || expect["signals"]["noai"] == true;
        check(reserved.is_some() == expected, format!("reserved by the answer: {reserved:?}"));
        let again = gate.check(SourceId(1), &url, case.now() + 60).await;
        check(
            again.permit.is_none() == expected,
            "the answer's reservation does not stand".to_owned(),
        );
    }

    let robots = case.answer("robots.txt").map(|(_, body)| Robots::parse(body, "ExampleNewsBot"));
    let stated = |path: &str, usage: &str| {
        let preferences = robots.as_ref()?.preferences(path);
        preferences
            .iter()
            .find(|preference| preference.usage == usage)
            .map(|preference| preference.allowed)
    };
    for (key, at) in [("preferences", path), ("site_default", "/")] {
        for (usage, expected) in expect[key].as_object().into_iter().flatten() {
            let word = stated(at, usage)
                .map_or("unknown", |allowed| if allowed { "allow" } else { "disallow" });
            check(expected == word, format!("{key} {usage}: {word}"));
        }
    }
    let directives = headers.as_ref().map(robots_directives).unwrap_or_default();
    for (usage, expected) in expect["signals"].as_object().into_iter().flatten() {
        let holds = match expected {
            Value::Bool(set) => directives.contains(usage) == *set,
            expected => {
                let word = stated(path, usage)
                    .map_or("not stated", |allowed| if allowed { "yes" } else { "no" });
                expected == word
            }
        };
        check(holds, format!("signal {usage}"));
    }
    for reserved in expect["reservation_of_rights"].as_array().into_iter().flatten() {
        check(signal.contains(reserved.as_str().unwrap()), format!("{reserved} in {signal}"));
    }
    if let Some(license) = expect["rsl_license"].as_str() {
        check(signal.contains(license), format!("licence in {signal}"));
        for prohibited in expect["prohibits"].as_array().unwrap() {
            check(
                signal.contains(prohibited.as_str().unwrap()),
                format!("{prohibited} in {signal}"),
            );
        }
    }
    found
}

#[tokio::test]
async fn every_feedcase_holds() {
    let mut paths: Vec<_> = std::fs::read_dir(folder("feedcases"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    let mut failed = Vec::new();
    let mut counts: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for path in &paths {
        let case = Case::read(path);
        let started = Instant::now();
        let kind = case.case["kind"].as_str().unwrap().to_owned();
        let mut found = match kind.as_str() {
            "robots" => robots_differences(&case).await,
            "tdm" => tdm_differences(&case).await,
            _ => match walk(&case).await.into_iter().collect::<Result<Vec<_>, _>>() {
                Ok(polls) => differences(&case, &polls),
                Err(reason) => vec![reason],
            },
        };
        if let Some(most) = case.expect["limits"]["seconds_max"].as_f64()
            && started.elapsed().as_secs_f64() > most
        {
            found.push(format!("took {:?}", started.elapsed()));
        }
        let count = counts.entry(kind).or_default();
        count.0 += usize::from(found.is_empty());
        count.1 += 1;
        if !found.is_empty() {
            failed.push(format!(
                "{}: {}",
                path.file_name().unwrap().to_string_lossy(),
                found.join("; ")
            ));
        }
    }
    for (kind, (passed, total)) in &counts {
        println!("feedcases, {kind}: {passed} of {total}");
    }
    println!("feedcases: {} of {}", paths.len() - failed.len(), paths.len());
    assert!(failed.is_empty() && paths.len() == 91, "{}", failed.join("\n"));
}
