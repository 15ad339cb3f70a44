//! Sources tried one by one, with nothing recorded.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use ingest::clock::Clock;
use ingest::source::Catalogue;
use ingest::trial::{Outcome, trials};
use ingest::web::{Request, Response, Web, WebError};
use model::Verdict;

use crate::play::{Play, answer, lock};

/// 2026-03-10T12:00:00Z.
const NOW: i64 = 1_773_144_000;

const FEED: &str = "<rss version=\"2.0\"><channel><title>A</title>\
    <item><title>Jedna</title><link>https://a.example/1</link>\
    <pubDate>Tue, 10 Mar 2026 11:00:00 GMT</pubDate></item>\
    <item><title>Dvě</title><link>https://a.example/2</link><pubDate>kdysi</pubDate></item>\
    </channel></rss>";

/// Answers slowly, and counts how many requests of a host and of all are under way at once.
#[derive(Default)]
struct Slow {
    play: Play,
    under_way: Mutex<HashMap<String, usize>>,
    most_of_a_host: Mutex<usize>,
    most: Mutex<usize>,
}

fn raise(most: &Mutex<usize>, now: usize) {
    let mut most = lock(most);
    *most = now.max(*most);
}

#[async_trait]
impl Web for Slow {
    async fn get(&self, request: &Request) -> Result<Response, WebError> {
        let host = request.url.host_str().unwrap_or_default().to_owned();
        {
            let mut under_way = lock(&self.under_way);
            *under_way.entry(host.clone()).or_default() += 1;
            let (of_host, all) = (under_way[&host], under_way.values().sum());
            raise(&self.most_of_a_host, of_host);
            raise(&self.most, all);
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
        let answer = self.play.get(request).await;
        *lock(&self.under_way).entry(host).or_default() -= 1;
        answer
    }
}

#[tokio::test]
async fn each_source_is_tried_through_the_gate_one_at_a_time_per_host() {
    let mut web = Slow::default();
    let play = &mut web.play;
    play.answer("https://a.example/feed", answer(200, &[], FEED));
    play.answer("https://a.example/page", answer(200, &[], "<!DOCTYPE html><title>No</title>"));
    play.answer("https://a.example/gone", answer(410, &[], ""));
    let to = [("location", "https://no.example/private/b")];
    play.answer("https://a.example/away", answer(302, &to, ""));
    let header = [("tdm-reservation", "1")];
    play.answer("https://a.example/said", answer(200, &header, FEED));
    let robots = "User-agent: *\nDisallow: /private/";
    play.answer("https://no.example/robots.txt", answer(200, &[], robots));
    play.answer("https://down.example/robots.txt", answer(503, &[], ""));
    let reservation = "[{\"location\": \"/\", \"tdm-reservation\": 1}]";
    play.answer("https://tdm.example/.well-known/tdmrep.json", answer(200, &[], reservation));
    let urls = [
        "a.example/feed",
        "no.example/private/a",
        "tdm.example/feed",
        "a.example/page",
        "a.example/gone",
        "down.example/feed",
        "a.example/away",
        "a.example/said",
        "www.youtube.com/playlist?list=UUa",
    ];
    let newsrooms = urls.iter().enumerate().map(|(number, url)| {
        format!(
            "[[newsroom]]\nslug = \"n{number}\"\nname = \"N\"\nhomepage = \"https://n.example/\"\n\
             country = \"CZ\"\nlanguage = \"cs\"\n[[newsroom.source]]\nkind = \"video\"\n\
             url = \"https://{url}\"\n"
        )
    });
    let catalogue = Catalogue::parse("f", &newsrooms.collect::<String>()).unwrap();

    let web = Arc::new(web);
    let done = Mutex::new(0);
    let tried = trials(
        Arc::clone(&web) as Arc<dyn Web>,
        "Ohlas/0.1 (+the tests)",
        None,
        &Clock::virtual_at(NOW),
        &catalogue,
        || *lock(&done) += 1,
    )
    .await;

    assert_eq!(*lock(&done), urls.len());
    let sources: Vec<&str> = tried.iter().map(|trial| trial.source.as_str()).collect();
    assert_eq!(sources, ["n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8"]);
    let came: Vec<_> = tried
        .iter()
        .map(|trial| {
            let outcome = match &trial.outcome {
                Outcome::Listed { items, defects, newest } => {
                    format!("{items} items, {} defects, newest {newest:?}", defects.len())
                }
                Outcome::Refused(reason) => format!("refused: {reason}"),
                Outcome::Failed(reason) => format!("failed: {reason}"),
            };
            (trial.check.verdict, trial.status, outcome)
        })
        .collect();
    use Verdict::{Allowed, Disallowed, Reserved, Unreachable};
    for (number, verdict, status, outcome) in [
        (0, Allowed, Some(200), "2 items, 1 defects, newest Some(1773140400)"),
        (1, Disallowed, None, "refused: robots.txt disallows it."),
        (2, Reserved, None, "refused: "),
        (3, Allowed, Some(200), "failed: it is an HTML page (\"No\"), not a feed"),
        (4, Allowed, Some(410), "failed: it answers 410 (gone for good)"),
        (5, Unreachable, None, "failed: robots.txt cannot be read (it answers 503)"),
        (6, Allowed, None, "refused: it redirects to https://no.example/private/b, which may not"),
        (7, Reserved, Some(200), "refused: "),
        (8, Allowed, None, "failed: it is asked through YouTube's API, which wants a key"),
    ] {
        let (found, with_status, said) = &came[number];
        assert_eq!((found, with_status), (&verdict, &status), "{}: {said}", urls[number]);
        assert!(said.starts_with(outcome), "{}: {said}", urls[number]);
    }
    assert_eq!(tried[1].check.matched_rule.as_deref(), Some("Disallow: /private/"));

    assert_eq!(*lock(&web.most_of_a_host), 1, "a host was asked for two things at once");
    assert!(*lock(&web.most) > 1, "hosts waited for one another");
    for refused in ["https://no.example/private/", "https://www.youtube.com/"] {
        assert!(!web.play.requests().iter().any(|url| url.starts_with(refused)), "{refused}");
    }
}

#[tokio::test]
async fn a_crawl_delay_is_waited_for_between_two_sources_of_a_host() {
    let mut web = Play::default();
    let robots = "User-agent: *\nCrawl-delay: 1";
    web.answer("https://a.example/robots.txt", answer(200, &[], robots));
    let text = "[[newsroom]]\nslug = \"a\"\nname = \"A\"\nhomepage = \"https://a.example/\"\n\
        country = \"CZ\"\nlanguage = \"cs\"\n\
        [[newsroom.source]]\nsection = \"1\"\nurl = \"https://a.example/1\"\n\
        [[newsroom.source]]\nsection = \"2\"\nurl = \"https://a.example/2\"\n";
    let catalogue = Catalogue::parse("f", text).unwrap();
    let started = Instant::now();
    let clock = Clock::virtual_at(NOW);
    let tried = trials(Arc::new(web), "Ohlas/0.1", None, &clock, &catalogue, || {}).await;
    assert_eq!(tried.len(), 2);
    assert!(started.elapsed() >= Duration::from_secs(1));
}
