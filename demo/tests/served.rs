//! The newsrooms over HTTP: formats, validators, robots, the request log.
#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use demo::{Format, Newsrooms, Order, Plan, Quirk, Robots, forbidden_feeds, sources_toml};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// 2026-03-02T00:00:00Z.
const START: i64 = 1_772_409_600;
const HOUR: i64 = 3_600;

struct World {
    plan: Plan,
    rooms: Newsrooms,
    now: Arc<AtomicI64>,
    client: BufReader<TcpStream>,
}

struct Answer {
    status: u16,
    headers: HashMap<String, String>,
    body: Vec<u8>,
}

impl World {
    async fn new() -> Self {
        let plan = Plan::generate(1, START, 3);
        let now = Arc::new(AtomicI64::new(START + 30 * HOUR));
        let clock = Arc::clone(&now);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let clock = Arc::new(move || clock.load(Ordering::Relaxed));
        let rooms = Newsrooms::start(plan.clone(), listener, clock).await;
        let client = BufReader::new(TcpStream::connect(rooms.addr).await.unwrap());
        Self { plan, rooms, now, client }
    }

    async fn get(&mut self, slug: &str, path: &str, conditions: &[(&str, &str)]) -> Answer {
        let port = self.rooms.addr.port();
        let mut head = format!(
            "GET {path} HTTP/1.1\r\nhost: {slug}.localhost:{port}\r\nuser-agent: demo-test\r\n"
        );
        for (name, value) in conditions {
            head += &format!("{name}: {value}\r\n");
        }
        self.client.write_all((head + "\r\n").as_bytes()).await.unwrap();
        let mut line = String::new();
        self.client.read_line(&mut line).await.unwrap();
        let status = line.split(' ').nth(1).unwrap().parse().unwrap();
        let mut headers = HashMap::new();
        loop {
            line.clear();
            self.client.read_line(&mut line).await.unwrap();
            let Some((name, value)) = line.trim_end().split_once(": ") else { break };
            headers.insert(name.to_owned(), value.to_owned());
        }
        let length = if status == 304 { 0 } else { headers["content-length"].parse().unwrap() };
        let mut body = vec![0; length];
        self.client.read_exact(&mut body).await.unwrap();
        Answer { status, headers, body }
    }

    /// Newsroom and feed by index.
    fn feeds(&self) -> Vec<(&'static str, demo::Feed)> {
        let rooms = self.plan.newsrooms().iter();
        rooms.flat_map(|room| room.feeds.iter().map(|feed| (room.slug, feed.clone()))).collect()
    }

    /// Newsrooms and their channels.
    fn channels(&self) -> Vec<(demo::Newsroom, demo::Feed)> {
        let rooms = self.plan.newsrooms().iter();
        rooms.filter_map(|room| Some((room.clone(), room.channel.clone()?))).collect()
    }

    async fn channel(&mut self, newsroom: &demo::Newsroom, channel: &demo::Feed) -> Answer {
        let (host, path) = newsroom.place_of(channel);
        self.get(host, &path, &[]).await
    }
}

#[tokio::test]
async fn every_sound_feed_is_read_by_feed_rs() {
    let mut world = World::new().await;
    for (slug, feed) in world.feeds() {
        let answer = world.get(slug, feed.path, &[]).await;
        assert_eq!(answer.status, 200, "{slug}{}", feed.path);
        let body = String::from_utf8_lossy(&answer.body).into_owned();
        match feed.quirk {
            Quirk::BareAmpersand => {
                assert!(body.contains("rss&utm"), "{slug}");
                continue;
            }
            Quirk::Truncated => continue,
            Quirk::Windows1250 => {
                let text = encoding_rs::WINDOWS_1250.decode(&answer.body).0;
                assert!(text.contains("redakce pro ukázku"), "{slug}");
            }
            _ => {}
        }
        let read = feed_rs::parser::parse(answer.body.as_slice()).unwrap();
        assert!((3..=feed.length).contains(&read.entries.len()), "{slug}: {}", read.entries.len());
        for entry in &read.entries {
            assert!(!entry.title.as_ref().unwrap().content.is_empty(), "{slug}");
            assert!(entry.links[0].href.contains(slug), "{slug}");
            let dated = !matches!(feed.quirk, Quirk::NoDates | Quirk::ZonelessDates);
            assert!(!dated || entry.published.is_some(), "{slug}");
        }
    }
}

#[tokio::test]
async fn a_known_version_is_answered_with_304_until_the_listing_changes() {
    let mut world = World::new().await;
    let newsrooms = world.plan.newsrooms().to_vec();
    let places = newsrooms.iter().flat_map(|room| room.sources().map(|feed| room.place_of(feed)));
    for (host, path) in places {
        world.now.store(START + 30 * HOUR, Ordering::Relaxed);
        let first = world.get(host, &path, &[]).await;
        let mut conditions = Vec::new();
        if let Some(etag) = first.headers.get("etag") {
            conditions.push(("if-none-match", etag.as_str()));
        }
        if let Some(date) = first.headers.get("last-modified") {
            conditions.push(("if-modified-since", date.as_str()));
        }
        assert!(!conditions.is_empty(), "{host}{path}");
        let again = world.get(host, &path, &conditions).await;
        assert_eq!((again.status, again.body.len()), (304, 0), "{host}{path}");
        world.now.store(START + 54 * HOUR, Ordering::Relaxed);
        let later = world.get(host, &path, &conditions).await;
        assert_eq!(later.status, 200, "{host}{path}");
        assert_ne!(later.body, first.body);
    }
}

#[tokio::test]
async fn three_days_of_polling_are_mostly_304_and_all_logged() {
    let mut world = World::new().await;
    let feeds = world.feeds();
    let mut etags: HashMap<usize, (String, String)> = HashMap::new();
    let (mut asked, mut known) = (0, 0);
    let begun = std::time::Instant::now();
    for at in (START..START + 72 * HOUR).step_by(12 * 60) {
        world.now.store(at, Ordering::Relaxed);
        for (index, (slug, feed)) in feeds.iter().enumerate() {
            let condition = etags.get(&index).cloned();
            let conditions: Vec<_> =
                condition.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
            let answer = world.get(slug, feed.path, &conditions).await;
            asked += 1;
            known += u32::from(answer.status == 304);
            let validator = match answer.headers.get("etag") {
                Some(etag) => ("if-none-match", etag),
                None => ("if-modified-since", &answer.headers["last-modified"]),
            };
            etags.insert(index, (validator.0.to_owned(), validator.1.clone()));
        }
    }
    let share = f64::from(known) / f64::from(asked);
    println!("{asked} requests in {:?}, {:.1} % 304", begun.elapsed(), share * 100.0);
    assert!((0.60..0.9).contains(&share), "{share}");
    let log = world.rooms.requests();
    assert_eq!(log.len(), asked as usize);
    assert_eq!(log.iter().filter(|request| request.status == 304).count(), known as usize);
    assert!(log.iter().all(|request| request.user_agent == "demo-test" && request.at >= START));
    assert!(log.iter().any(|request| request.if_none_match.is_some()));
    world.rooms.stop().await;
}

#[tokio::test]
async fn some_feeds_are_odd_on_purpose() {
    let mut world = World::new().await;
    let mut of = HashMap::new();
    for (slug, feed) in world.feeds() {
        of.insert(feed.quirk as u8, (slug, feed.path));
    }
    let (slug, path) = of[&(Quirk::Truncated as u8)];
    let mut whole = Vec::new();
    for hours in 0..60 {
        world.now.store(START + hours * HOUR, Ordering::Relaxed);
        whole.push(world.get(slug, path, &[]).await.body.ends_with(b"</rss>\n"));
    }
    assert!(whole.contains(&false));
    assert!(whole.iter().filter(|whole| **whole).count() > 30);

    let (slug, path) = of[&(Quirk::FutureDates as u8)];
    let body = world.get(slug, path, &[]).await.body;
    let read = feed_rs::parser::parse(body.as_slice()).unwrap();
    let newest = read.entries.iter().filter_map(|entry| entry.published).max().unwrap();
    assert!(newest.timestamp() > world.now.load(Ordering::Relaxed));

    let (slug, path) = of[&(Quirk::NoDates as u8)];
    let body = world.get(slug, path, &[]).await.body;
    let read = feed_rs::parser::parse(body.as_slice()).unwrap();
    assert!(read.entries.iter().all(|entry| entry.published.is_none()));
}

#[tokio::test]
async fn one_article_stands_in_two_sections_under_one_link() {
    let mut world = World::new().await;
    let mut links: HashMap<String, usize> = HashMap::new();
    for path in ["/rss/hlavni.xml", "/rss/domaci.xml", "/rss/sport.xml"] {
        let body = world.get("denik-obzor", path, &[]).await.body;
        for entry in feed_rs::parser::parse(body.as_slice()).unwrap().entries {
            *links.entry(entry.links[0].href.clone()).or_default() += 1;
        }
    }
    assert!(links.values().filter(|count| **count == 2).count() >= 5);
}

#[tokio::test]
async fn robots_are_answered_in_every_way() {
    let mut world = World::new().await;
    for room in world.plan.clone().newsrooms() {
        let begun = std::time::Instant::now();
        let answer = world.get(room.slug, "/robots.txt", &[]).await;
        let slow = begun.elapsed().as_millis() >= 300;
        let text = String::from_utf8(answer.body).unwrap();
        let (status, holds) = match room.robots {
            Robots::None => (404, true),
            Robots::Unavailable => (503, true),
            Robots::Slow => (200, slow),
            Robots::HtmlPage => (200, text.starts_with("<!doctype html>")),
            Robots::CrawlDelay(seconds) => (200, text.contains(&format!("Crawl-delay: {seconds}"))),
            Robots::OtherAgent => (200, text.starts_with("User-agent: ArchiveMole\nDisallow: /\n")),
            Robots::DisallowFeeds => (200, text.contains("Disallow: /export/")),
            Robots::DisallowAll => (200, text.ends_with("Disallow: /\n")),
            Robots::Allow | Robots::TdmFile | Robots::TdmHeader => (200, !text.contains("feed")),
        };
        assert_eq!((answer.status, holds), (status, true), "{}", room.slug);
        let reservation = world.get(room.slug, "/.well-known/tdmrep.json", &[]).await;
        let expected = if room.robots == Robots::TdmFile { 200 } else { 404 };
        assert_eq!(reservation.status, expected, "{}", room.slug);
        let feed = world.get(room.slug, room.feeds[0].path, &[]).await;
        let header = feed.headers.get("tdm-reservation").map(String::as_str);
        assert_eq!(header, (room.robots == Robots::TdmHeader).then_some("1"), "{}", room.slug);
    }
}

#[tokio::test]
async fn a_person_who_follows_a_link_learns_that_it_is_invented() {
    let mut world = World::new().await;
    let answer = world.get("marlshire-courier", "/story/1-anything", &[]).await;
    assert_eq!(answer.status, 200);
    assert!(String::from_utf8(answer.body).unwrap().contains("are invented"));
    assert_eq!(world.get("marlshire-courier", "/nothing", &[]).await.status, 404);
    assert_eq!(world.get("nobody", "/", &[]).await.status, 404);
}

#[tokio::test]
async fn views_grow_and_places_move() {
    let mut world = World::new().await;
    let (slug, feed) =
        world.feeds().into_iter().find(|(_, feed)| feed.format == Format::Video).unwrap();
    let mut views = Vec::new();
    for hours in [30, 31, 33] {
        world.now.store(START + hours * HOUR, Ordering::Relaxed);
        let body = String::from_utf8(world.get(slug, feed.path, &[]).await.body).unwrap();
        let items = body.split("<item>").skip(1);
        let count = |item: &str| item.split("views=\"").nth(1)?.split('"').next()?.parse().ok();
        let named = items.map(|item| {
            let id = item.split("</guid>").next().unwrap().rsplit('>').next().unwrap().to_owned();
            (id, count(item).unwrap())
        });
        views.push(named.collect::<HashMap<String, u64>>());
    }
    let seen_twice: Vec<_> = views[0].keys().filter(|id| views[2].contains_key(*id)).collect();
    assert!(seen_twice.len() >= 3);
    assert!(seen_twice.iter().all(|id| views[0][*id] < views[2][*id]));

    let (slug, feed) =
        world.feeds().into_iter().find(|(_, feed)| feed.order == Order::Importance).unwrap();
    let mut places: HashMap<String, Vec<usize>> = HashMap::new();
    for hours in 30..40 {
        world.now.store(START + hours * HOUR, Ordering::Relaxed);
        let body = world.get(slug, feed.path, &[]).await.body;
        let read = feed_rs::parser::parse(body.as_slice()).unwrap();
        for (place, entry) in read.entries.into_iter().enumerate() {
            places.entry(entry.id).or_default().push(place);
        }
    }
    assert!(places.values().any(|held| held.windows(2).any(|two| two[1] > two[0])));
    assert!(places.values().any(|held| held.windows(2).any(|two| two[1] < two[0])));
}

#[tokio::test]
async fn a_channel_is_a_page_of_posts_under_its_sources_slug() {
    let mut world = World::new().await;
    let toml = sources_toml(&world.plan, 8471);
    let (mut pages, mut written, mut edited) = (0, String::new(), 0);
    for (newsroom, channel) in world.channels() {
        let slug = newsroom.slug;
        let body = world.channel(&newsroom, &channel).await.body;
        let page = serde_json::from_slice::<Value>(&body);
        if channel.quirk == Quirk::TrailingComma {
            assert!(page.is_err(), "{slug}");
            continue;
        }
        let page = page.unwrap();
        let username = page["channel"]["username"].as_str().unwrap();
        assert!(username.starts_with(&format!("{slug}-")), "{username}");
        assert!(toml.contains(&format!("\nslug = \"{username}\"\n")), "{username}");
        written += page["channel"]["counters"]["subscribers"].as_str().unwrap();
        let posts = page["content"]["posts"].as_array().unwrap();
        assert!((10..=channel.length).contains(&posts.len()), "{slug}: {}", posts.len());
        let at = |post: &Value| post["footer"]["date"]["unix"].as_i64().unwrap();
        assert!(posts.windows(2).all(|two| at(&two[0]) >= at(&two[1])), "{slug}");
        for post in posts {
            let text = post["content"]["text"]["string"].as_str().unwrap();
            assert!(text.split_whitespace().count() >= 10, "{text}");
            assert!(post["url"].as_str().unwrap().contains(post["id"].as_str().unwrap()));
            assert!(post["content"]["media"].is_array());
            let reacts = post["content"]["reacts"].as_array().unwrap();
            assert!(reacts.iter().all(|it| it["count"].as_u64() > Some(0) && it["emoji"] != ""));
            written += post["footer"]["views"].as_str().unwrap();
            edited += u32::from(post["footer"]["edited"].as_bool().unwrap());
        }
        pages += 1;
    }
    assert!(pages >= 10, "{pages}");
    assert!(edited > 10, "{edited}");
    for unit in ["K", " tis.", "\u{a0}Tsd.", "\u{a0}"] {
        assert!(written.contains(unit), "{unit}");
    }
}

#[tokio::test]
async fn the_posts_of_a_channel_gain_views_and_reactions() {
    let mut world = World::new().await;
    let (newsroom, channel) = world.channels().remove(0);
    let mut counters: Vec<HashMap<String, (String, u64)>> = Vec::new();
    for hours in [30, 33] {
        world.now.store(START + hours * HOUR, Ordering::Relaxed);
        let body = world.channel(&newsroom, &channel).await.body;
        let page: Value = serde_json::from_slice(&body).unwrap();
        let posts = page["content"]["posts"].as_array().unwrap().iter();
        let counted = posts.map(|post| {
            let reacts = post["content"]["reacts"].as_array().unwrap();
            let reactions = reacts.iter().map(|it| it["count"].as_u64().unwrap()).sum();
            let views = post["footer"]["views"].as_str().unwrap().to_owned();
            (post["id"].as_str().unwrap().to_owned(), (views, reactions))
        });
        counters.push(counted.collect());
    }
    let both: Vec<_> = counters[0]
        .iter()
        .filter_map(|(id, then)| counters[1].get(id).map(|now| (then, now)))
        .collect();
    assert!(both.len() >= 5, "{}", both.len());
    assert!(both.iter().all(|(then, now)| then.1 <= now.1));
    assert!(both.iter().any(|(then, now)| then.0 != now.0 && then.1 < now.1));
}

#[tokio::test]
async fn the_configuration_names_every_feed() {
    let world = World::new().await;
    let toml = sources_toml(&world.plan, 8471);
    for (slug, feed) in world.feeds() {
        assert!(toml.contains(&format!("url = \"http://{slug}.localhost:8471{}\"", feed.path)));
    }
    assert_eq!(toml.matches("[[newsroom]]").count(), world.plan.newsrooms().len());
    let channels = world.channels();
    for (newsroom, channel) in &channels {
        let slug = newsroom.slug;
        let expected = if channel.hosted {
            format!("service = \"kanaly\"\nchannel = \"{slug}\"")
        } else {
            let url = format!("http://{slug}.localhost:8471{}", channel.path);
            format!("url = \"{url}\"\nkind = \"channel\"")
        };
        assert!(toml.contains(&expected), "{expected}");
    }
    assert_eq!(channels.iter().filter(|(_, channel)| channel.hosted).count(), 4);
    assert!(toml.contains(
        "[[service]]\nslug = \"kanaly\"\nbase = \"http://kanaly.localhost:8471/channels/\""
    ));
    let sources = world.feeds().len() + channels.len();
    assert_eq!(toml.matches("[[newsroom.source]]").count(), sources);
    let (_, listed) = toml.split_once("[[newsroom]]").unwrap();
    let slugs: HashSet<_> = listed.lines().filter(|line| line.starts_with("slug = ")).collect();
    let only = world.plan.newsrooms().iter().filter(|room| room.feeds.len() == 1).count();
    assert_eq!(slugs.len(), world.plan.newsrooms().len() + sources - only);
    let forbidden = forbidden_feeds(&world.plan, 8471);
    assert_eq!(forbidden.len(), 7);
    assert!(forbidden.iter().all(|url| toml.contains(url)));
    assert!(forbidden.iter().any(|url| url.ends_with("/kanal.json")));
}
