//! The gate between a source and the web.

use std::sync::Arc;

use ingest::fetch::{FetchError, FetchOutcome, Fetched, Validators, fetch};
use ingest::gate::{Answer, Gate, SIGNALS, VALID_SECONDS};
use ingest::web::WebError;
use model::{GateCheck, SourceId, Verdict};
use url::Url;

use crate::play::{Play, answer};

const FEED: &str = "https://news.example/feed";
const ROBOTS: &str = "https://news.example/robots.txt";
const TDMREP: &str = "https://news.example/.well-known/tdmrep.json";
const SOURCE: SourceId = SourceId(7);

fn gate(play: Play) -> (Gate, Arc<Play>) {
    let play = Arc::new(play);
    (Gate::new(play.clone(), "Ohlas/1.0 (+https://ohlas.example/)"), play)
}

async fn ask(gate: &Gate, url: &str, at: i64) -> Answer {
    gate.check(SOURCE, &url.parse().unwrap(), at).await
}

async fn get(gate: &Gate, play: &Play, at: i64) -> Result<Fetched, FetchError> {
    let permit = ask(gate, FEED, at).await.permit.unwrap();
    fetch(play, gate, permit, &Validators::default(), at).await
}

#[tokio::test]
async fn the_record_says_what_decided_and_why() {
    for (robots, tdmrep, verdict, rule, signal, reason) in [
        (
            answer(404, &[], ""),
            "",
            Verdict::Allowed,
            None,
            None,
            "There is no robots.txt (404), so there is no restriction.",
        ),
        (
            answer(403, &[], ""),
            "",
            Verdict::Allowed,
            None,
            None,
            "robots.txt is closed to us (403), which RFC 9309 takes for no restriction.",
        ),
        (
            answer(503, &[], ""),
            "",
            Verdict::Unreachable,
            None,
            None,
            "robots.txt cannot be read (it answers 503), so nothing is fetched.",
        ),
        (
            answer(200, &[], "User-agent: *\nDisallow: /x"),
            "",
            Verdict::Allowed,
            None,
            None,
            "robots.txt has no rule about it.",
        ),
        (
            answer(200, &[], "User-agent: ohlas\nAllow: /feed"),
            "",
            Verdict::Allowed,
            Some("Allow: /feed"),
            None,
            "robots.txt allows it.",
        ),
        (
            answer(200, &[], "User-agent: *\nDisallow: /fe # no"),
            "",
            Verdict::Disallowed,
            Some("Disallow: /fe"),
            None,
            "robots.txt disallows it.",
        ),
        (
            answer(404, &[], ""),
            r#"[{"location": "/feed", "tdm-reservation": 1}]"#,
            Verdict::Reserved,
            None,
            Some("tdmrep.json: tdm-reservation 1"),
            "W3C TDMRep reserves text and data mining, which grouping headlines is.",
        ),
        (
            answer(200, &[], "User-agent: *\nContent-Signal: search=no, ai-train=no\nAllow: /"),
            "",
            Verdict::Reserved,
            Some("Allow: /"),
            Some("Content-Signal: search=no; Content-Signal: ai-train=no"),
            "Content Signals reserve an index with links and short excerpts, which the board is.",
        ),
    ] {
        let mut play = Play::default();
        play.answer(ROBOTS, robots);
        play.answer(TDMREP, answer(if tdmrep.is_empty() { 404 } else { 200 }, &[], tdmrep));
        let (gate, _) = gate(play);
        let Answer { check, permit } = ask(&gate, FEED, 100).await;
        let told = (
            check.verdict,
            check.matched_rule.as_deref(),
            check.tdm_signal.as_deref(),
            check.reason.as_str(),
        );
        assert_eq!(told, (verdict, rule, signal, reason));
        assert_eq!(permit.is_some(), verdict == Verdict::Allowed);
        assert!(check.robots_url == ROBOTS && check.url == FEED && check.source == SOURCE);
        assert_eq!(check.robots_sha256.is_some(), check.robots_status == Some(200));
        assert_eq!(gate.unrecorded(SOURCE), [check]);
    }
}

#[tokio::test]
async fn documents_are_read_once_for_all_who_ask_at_the_same_time() {
    let (gate, play) = gate(Play::default());
    let urls: Vec<String> =
        (0..20).map(|number| format!("https://news.example/feed/{number}")).collect();
    let answers = futures::future::join_all(urls.iter().map(|url| ask(&gate, url, 0))).await;
    assert!(answers.iter().all(|answer| answer.permit.is_some()));
    assert_eq!(gate.unrecorded(SOURCE).len(), urls.len());
    assert_eq!(play.requests(), [ROBOTS, TDMREP]);
}

#[tokio::test]
async fn an_answer_is_recorded_once_and_again_when_documents_are_read_anew() {
    let mut play = Play::default();
    play.answer(ROBOTS, answer(200, &[], "User-agent: *\nAllow: /"));
    play.answer(ROBOTS, answer(200, &[], "User-agent: *\nDisallow: /"));
    let (gate, play) = gate(play);
    for (at, new, verdict, requests) in [
        (0, true, Verdict::Allowed, 2),
        (600, false, Verdict::Allowed, 2),
        (VALID_SECONDS - 1, false, Verdict::Allowed, 2),
        (VALID_SECONDS, true, Verdict::Disallowed, 4),
        (VALID_SECONDS + 1, false, Verdict::Disallowed, 4),
    ] {
        let answer = ask(&gate, FEED, at).await;
        let unrecorded = gate.unrecorded(SOURCE);
        assert_eq!(
            (unrecorded.len(), answer.check.verdict),
            (usize::from(new), verdict),
            "at {at}"
        );
        gate.recorded(SOURCE, &[at]);
        assert_eq!(play.requests().len(), requests, "at {at}");
    }
}

#[tokio::test]
async fn an_answer_stays_unrecorded_until_it_is_recorded_and_is_named_by_later_permits() {
    let (gate, _) = gate(Play::default());
    for at in [0, 60] {
        assert_eq!(ask(&gate, FEED, at).await.permit.unwrap().check(), None);
        assert_eq!(gate.unrecorded(SOURCE).len(), 1, "at {at}");
    }
    gate.recorded(SOURCE, &[17]);
    assert_eq!(ask(&gate, FEED, 120).await.permit.unwrap().check(), Some(17));
    assert_eq!(gate.unrecorded(SOURCE), []);
}

#[tokio::test]
async fn a_tdm_file_that_cannot_be_had_just_now_may_reserve() {
    for (response, verdict, reason) in [
        (Ok(answer(404, &[], "")), Verdict::Allowed, "There is no robots.txt"),
        (Ok(answer(403, &[], "")), Verdict::Allowed, "There is no robots.txt"),
        (
            Ok(answer(503, &[("retry-after", "7200")], "")),
            Verdict::Unreachable,
            "tdmrep.json cannot be read (it answers 503)",
        ),
        (
            Err(WebError::Timeout(20)),
            Verdict::Unreachable,
            "tdmrep.json cannot be read (no answer within 20 s)",
        ),
    ] {
        let mut play = Play::default();
        match response {
            Ok(response) => play.answer(TDMREP, response),
            Err(error) => play.fail(TDMREP, error),
        }
        let (gate, _) = gate(play);
        let check = ask(&gate, FEED, 0).await.check;
        assert_eq!(check.verdict, verdict);
        assert!(check.reason.starts_with(reason), "{}", check.reason);
        let again = if check.reason.contains("503") { 7_200 } else { 3_600 };
        assert!(verdict == Verdict::Allowed || check.valid_until == again, "{check:?}");
    }
}

#[tokio::test]
async fn scheme_and_port_have_files_of_their_own() {
    let mut play = Play::default();
    play.answer(
        "http://news.example:8081/robots.txt",
        answer(200, &[], "User-agent: *\nDisallow: /"),
    );
    let (gate, _) = gate(play);
    for (url, verdict) in [
        ("http://news.example:8081/feed", Verdict::Disallowed),
        ("http://news.example/feed", Verdict::Allowed),
        ("https://news.example:8081/feed", Verdict::Allowed),
    ] {
        assert_eq!(ask(&gate, url, 0).await.check.verdict, verdict, "{url}");
    }
}

#[tokio::test]
async fn a_reservation_on_the_answer_stands_for_a_day_and_is_looked_at_once_more() {
    let mut play = Play::default();
    play.answer(
        FEED,
        answer(
            200,
            &[("TDM-Reservation", "1"), ("tdm-policy", "https://news.example/p")],
            "<rss/>",
        ),
    );
    play.answer(FEED, answer(200, &[("tdm-reservation", "0")], "<rss/>"));
    let (gate, play) = gate(play);
    let feed = FEED.parse().unwrap();

    let fetched = get(&gate, &play, 0).await.unwrap();
    let check = gate.reserve(SOURCE, &feed, &fetched, 0).unwrap();
    assert_eq!(check.verdict, Verdict::Reserved);
    assert_eq!(
        check.tdm_signal.as_deref(),
        Some("tdm-reservation: 1 (header) (https://news.example/p)")
    );
    let GateCheck { at, valid_until, .. } = ask(&gate, FEED, VALID_SECONDS - 1).await.check;
    assert_eq!((at, valid_until), (VALID_SECONDS - 1, VALID_SECONDS));
    assert!(ask(&gate, FEED, VALID_SECONDS - 1).await.permit.is_none());

    let fetched = get(&gate, &play, VALID_SECONDS).await.unwrap();
    assert_eq!(gate.reserve(SOURCE, &feed, &fetched, VALID_SECONDS), None);
    assert!(ask(&gate, FEED, VALID_SECONDS + 60).await.permit.is_some());
}

#[tokio::test]
async fn every_hop_passes_its_own_gate_before_it_is_asked() {
    let mut play = Play::default();
    play.answer(FEED, answer(301, &[("location", "/new")], ""));
    play.answer(
        "https://news.example/new",
        answer(308, &[("location", "https://www.news.example/rss")], ""),
    );
    play.answer(
        "https://www.news.example/rss",
        answer(302, &[("location", "https://cdn.example/rss")], ""),
    );
    play.answer(
        "https://cdn.example/rss",
        answer(200, &[("ETag", "W/\"x\""), ("cache-control", "max-age=60")], "<rss/>"),
    );
    let (gate, play) = gate(play);
    let fetched = get(&gate, &play, 0).await.unwrap();
    assert!(matches!(&fetched.outcome, FetchOutcome::Body(body) if body == "<rss/>"));
    assert_eq!(fetched.final_url.as_str(), "https://cdn.example/rss");
    assert_eq!(fetched.moved_to.as_deref(), Some("https://www.news.example/rss"));
    assert_eq!(
        (fetched.etag.as_deref(), fetched.max_age_seconds, fetched.bytes),
        (Some("W/\"x\""), Some(60), 6)
    );
    let checks = gate.unrecorded(SOURCE);
    let checked: Vec<&str> = checks.iter().map(|check| check.url.as_str()).collect();
    assert_eq!(
        checked,
        [
            FEED,
            "https://news.example/new",
            "https://www.news.example/rss",
            "https://cdn.example/rss"
        ]
    );

    let asked = play.requests();
    for (document, page) in
        [(ROBOTS, FEED), ("https://cdn.example/robots.txt", "https://cdn.example/rss")]
    {
        let place = |url: &str| asked.iter().position(|asked| asked == url).unwrap();
        assert!(place(document) < place(page), "{asked:?}");
    }
}

#[tokio::test]
async fn a_hop_that_is_refused_is_never_asked() {
    let mut play = Play::default();
    play.answer(FEED, answer(302, &[("location", "https://closed.example/rss")], ""));
    play.answer(
        "https://closed.example/robots.txt",
        answer(200, &[], "User-agent: *\nDisallow: /"),
    );
    let (gate, play) = gate(play);
    let error = get(&gate, &play, 0).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "it redirects to https://closed.example/rss, which may not be fetched: robots.txt disallows it."
    );
    assert!(
        matches!(error, FetchError::Refused(check) if check.matched_rule.as_deref() == Some("Disallow: /"))
    );
    assert!(!play.requests().contains(&"https://closed.example/rss".to_owned()));
}

#[tokio::test]
async fn a_host_that_wants_to_be_left_alone_is_not_asked_by_way_of_a_redirect() {
    const BUSY: &str = "https://busy.example/rss";
    let mut play = Play::default();
    play.answer(FEED, answer(302, &[("location", BUSY)], ""));
    play.answer(BUSY, answer(429, &[("retry-after", "600")], ""));
    let (gate, play) = gate(play);
    let busy = get(&gate, &play, 0).await.unwrap_err();
    assert!(matches!(busy, FetchError::Status { status: 429, .. }), "{busy}");
    let held = get(&gate, &play, 599).await.unwrap_err();
    assert!(matches!(held, FetchError::NotYet { until: 600, .. }), "{held}");
    let busy = get(&gate, &play, 600).await.unwrap_err();
    assert!(matches!(busy, FetchError::Status { status: 429, .. }), "{busy}");
    assert_eq!(play.requests().iter().filter(|url| *url == BUSY).count(), 2);
}

#[tokio::test]
async fn a_crawl_delay_does_not_stop_a_redirect_within_its_host() {
    let mut play = Play::default();
    play.answer(ROBOTS, answer(200, &[], "User-agent: *\nCrawl-delay: 10"));
    play.answer(FEED, answer(301, &[("location", "/new")], ""));
    play.answer("https://news.example/new", answer(200, &[], "<rss/>"));
    let (gate, play) = gate(play);
    get(&gate, &play, 0).await.unwrap();
    let feed = FEED.parse().unwrap();
    assert_eq!((gate.held_until(&feed, 9), gate.held_until(&feed, 10)), (Some(10), None));
}

#[tokio::test]
async fn what_is_no_listing_is_an_error_that_says_so() {
    for (response, text, gone) in [
        (Ok(answer(410, &[], "")), "it answers 410 (gone for good)", true),
        (Ok(answer(404, &[], "")), "it answers 404 (not found)", false),
        (Ok(answer(202, &[], "<rss/>")), "it answers 202 (accepted, which is no listing)", false),
        (
            Ok(answer(503, &[("retry-after", "120")], "<rss/>")),
            "it answers 503 (unavailable)",
            false,
        ),
        (Ok(answer(302, &[], "")), "it redirects (302) to no address", false),
        (Ok(answer(302, &[("location", FEED)], "")), "it redirects more than 5 times", false),
        (Err(WebError::Timeout(20)), "no answer within 20 s", false),
    ] {
        let mut play = Play::default();
        match response {
            Ok(response) => play.answer(FEED, response),
            Err(error) => play.fail(FEED, error),
        }
        let (gate, play) = gate(play);
        let error = get(&gate, &play, 0).await.unwrap_err();
        assert_eq!((error.to_string().as_str(), error.is_gone()), (text, gone));
        assert_eq!(error.retry_after_seconds(), text.contains("503").then_some(120));
        assert!(play.requests().iter().filter(|url| *url == FEED).count() <= 6);
    }
}

#[tokio::test]
async fn every_signal_of_the_table_can_be_found() {
    let robots =
        |line: &str| (format!("User-agent: *\n{line}\n"), String::new(), vec![], String::new());
    let header = |name: &'static str, value: &'static str| {
        (String::new(), String::new(), vec![(name, value)], String::new())
    };
    let rsl = |usage: &str| {
        format!("<rsl><content url=\"/\"><prohibits>{usage}</prohibits></content></rsl>")
    };
    let license = |document: String| {
        ("License: https://news.example/l.xml\n".to_owned(), String::new(), vec![], document)
    };
    for signal in SIGNALS {
        let (file, tdmrep, headers, document) = match signal.name {
            "tdmrep.json: tdm-reservation 1" => (
                String::new(),
                r#"[{"location":"*","tdm-reservation":"1"}]"#.to_owned(),
                vec![],
                String::new(),
            ),
            "tdmrep.json is not an array" => {
                (String::new(), "{}".to_owned(), vec![], String::new())
            }
            "tdm-reservation: 1 (header)" => header("tdm-reservation", "1"),
            "tdm-reservation 1 (HTML)" => header("content-type", "text/html"),
            "RSL: prohibits search" => license(rsl("all")),
            "RSL: prohibits other uses" => license(rsl("ai-train")),
            "robots.txt: License" => license(String::new()),
            name => match name.split_once(": ").unwrap() {
                ("X-Robots-Tag", directive) => header("x-robots-tag", directive),
                _ => robots(name),
            },
        };
        let mut play = Play::default();
        play.answer(ROBOTS, answer(200, &[], &file));
        play.answer(TDMREP, answer(200, &[], &tdmrep));
        play.answer("https://news.example/l.xml", answer(200, &[], &document));
        play.answer(FEED, answer(200, &headers, "<meta name='TDM-Reservation' content='1'>"));
        let (gate, play) = gate(play);
        let before = ask(&gate, FEED, 0).await;
        let mut told = before.check.tdm_signal.unwrap_or_default();
        let mut blocks = before.permit.is_none();
        if !blocks {
            let fetched = get(&gate, &play, 0).await.unwrap();
            let reserved = gate.reserve(SOURCE, &FEED.parse::<Url>().unwrap(), &fetched, 0);
            blocks = reserved.is_some();
            told += &reserved.and_then(|check| check.tdm_signal).unwrap_or_default();
        }
        assert_eq!(blocks, signal.blocks, "{}: {told}", signal.name);
        // What comes with an answer and does not block is not recorded by the gate.
        assert!(
            told.starts_with(signal.name) || signal.name.starts_with("X-Robots-Tag") && !blocks,
            "{}: {told}",
            signal.name
        );
    }
}
