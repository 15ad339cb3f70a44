//! A small snapshot of invented newsrooms, complete enough for every page.

use std::sync::Arc;

use model::*;

use crate::reference::{Answer, Field, Operation, Parameter, Reference, Shape};
use crate::{PageContext, SignalRow};

pub const AT: UnixSeconds = 1_786_716_300; // 2026-08-14T14:05:00Z
const HOUR: i64 = SECONDS_PER_HOUR;

pub fn page() -> PageContext {
    PageContext {
        origin: "https://ohlas.example".into(),
        newest_id: 7,
        at: None,
        now: AT + 120,
        signals: Arc::new([
            SignalRow { name: "tdmrep.json".into(), blocks: true, reason: "A reservation.".into() },
            SignalRow { name: "noai".into(), blocks: false, reason: "Not a reservation.".into() },
        ]),
        accuracy: Some(Arc::new(accuracy())),
        comparison: Some(Arc::new(comparison())),
        reference: Arc::new(Reference {
            operations: vec![Operation {
                method: "GET".into(),
                path: "/v1/things/{id}".into(),
                summary: "One thing".into(),
                description: "As it stands now.".into(),
                parameters: vec![Parameter {
                    name: "id".into(),
                    in_path: true,
                    kind: "integer".into(),
                    description: "Id of the thing".into(),
                }],
                answers: vec![Answer {
                    status: "200".into(),
                    media: "application/json".into(),
                    kind: "[Thing]".into(),
                    description: "The thing".into(),
                }],
            }],
            shapes: vec![Shape {
                name: "Thing".into(),
                description: "Something.".into(),
                kind: "object".into(),
                fields: vec![Field {
                    name: "size".into(),
                    kind: "integer".into(),
                    description: "In metres.".into(),
                }],
            }],
        }),
        refusal: None,
    }
}

fn accuracy() -> Accuracy {
    let between = |low, high| Interval { low, high };
    let agreement = |f1, interval| Agreement { p: 0.9, r: 0.8, f1, interval };
    Accuracy {
        engine: "0.1.0".into(),
        model: Model::v1().hash(),
        threshold: 0.155,
        mean: 0.847,
        mean_interval: between(0.801, 0.893),
        sets: vec![SetAccuracy {
            set: "og2021".into(),
            lang: "en".into(),
            items: 1_931,
            events: 318,
            quoted: true,
            bcubed: agreement(0.956, between(0.931, 0.978)),
            pairs: agreement(0.739, between(0.512, 0.914)),
            figure: 0.847,
            figure_interval: between(0.801, 0.893),
        }],
    }
}

/// The bridge is half copied: under `v2` the strike stands above it.
fn comparison() -> ModelComparison {
    let standing = |rank, event: &Event, velocity| {
        let factors = Factors { velocity, ..event.factors };
        Standing { rank, heat: factors.heat(), factors }
    };
    let mover = |event: Event, ranks: [u32; 2], velocity, factor| Mover {
        event: event.id,
        title: event.title.clone(),
        language: event.language.clone(),
        a: standing(ranks[0], &event, event.factors.velocity),
        b: standing(ranks[1], &event, velocity),
        factor,
    };
    ModelComparison {
        a: "v1".into(),
        b: "v2".into(),
        at: AT,
        events: 2,
        tau: -1.0,
        movers: vec![
            mover(bridge(), [1, 2], 0.25, Some(Factor::Velocity)),
            mover(strike(), [2, 1], 2.0, None),
        ],
    }
}

pub fn snapshot() -> Snapshot {
    let sources = vec![
        report(1, 1, Verdict::Allowed, None),
        report(2, 2, Verdict::Disallowed, Some("Disallow: /feeds/")),
        report(3, 4, Verdict::Reserved, None),
    ];
    Snapshot {
        id: 7,
        model: Model::v1(),
        board: Board { at: AT, model: "v1".into(), events: vec![bridge(), strike(), lone()] },
        newsrooms: newsrooms(),
        sources,
        changes: vec![Change {
            at: AT - HOUR,
            event: EventId(1),
            kind: ChangeKind::Merged {
                from: EventId(3),
                tie: Some(ItemTie { item: ItemId(3), tie: tie(1) }),
            },
        }],
        topics: vec![Topic {
            key: "voda-cs".into(),
            word: "voda".into(),
            language: "cs".into(),
            events: vec![EventId(1)],
        }],
        videos: videos(),
        stats: Stats {
            at: AT,
            newsrooms: 5,
            sources: 3,
            items: 15_400,
            observations: 1_234_567,
            fetches: 9_876,
            gate_checks: 321,
            events: 3,
            shared_events: 2,
            last_fetch_at: Some(AT - 30),
            overdue_sources: 2,
            lag_seconds: 400,
            chain_head: Some("0123456789abcdef".repeat(4)),
            chain_length: 4_321,
            days: days(),
        },
        demo: true,
    }
}

/// Two of three chosen channels in one ranking.
pub fn feed() -> RankedFeed {
    let entry = |post, topic| FeedEntry { post, duplicates: Vec::new(), topic };
    let bridge = post(0, "1", "Povodeň strhla most u Lhoty\nVoda stoupá.", 12.0);
    let copy = post(1, "2", "Povodeň u Lhoty strhla most\nVoda stoupá.", 24.0);
    RankedFeed {
        at: AT,
        channels: vec!["zdroj-1".into(), "zdroj-3".into()],
        entries: vec![
            FeedEntry { duplicates: vec![copy], ..entry(bridge, Some(0)) },
            entry(post(1, "3", "Voda pod mostem opadla", 48.0), Some(0)),
            entry(RankedPost { url: None, at: None, ..post(1, "4", "Bez adresy", 1e4) }, None),
        ],
        topics: vec![vec!["voda".into(), "Lhoty".into()]],
        failures: vec![ChannelFailure {
            channel: "zdroj-2".into(),
            trouble: Trouble::Refused,
            reason: "robots.txt has a rule against it.".into(),
        }],
    }
}

fn post(channel: u32, id: &str, text: &str, hours_ago: f64) -> RankedPost {
    let (quality, freshness) = (Quality::UNKNOWN, 0.5_f64.powf(hours_ago / 24.0));
    RankedPost {
        channel,
        id: id.into(),
        url: Some(format!("https://n1.example/post/{id}")),
        text: text.into(),
        at: Some(AT - (hours_ago * HOUR as f64) as i64),
        quality,
        freshness,
        score: 10.0 * quality.total() * (0.1 + 0.9 * freshness),
    }
}

fn videos() -> Vec<Video> {
    let video = |id, title: &str, views, tempo: Option<Tempo>| Video {
        item: ItemId(id),
        newsroom: NewsroomId(1),
        source: SourceId(1),
        title: title.into(),
        link: format!("https://n1.example/video/{id}"),
        language: "cs".into(),
        mention_at: AT - 5 * HOUR,
        views,
        measured_at: AT - 600,
        measurements: if tempo.is_some() { 9 } else { 1 },
        tempo,
    };
    let tempo = |per_hour, hours, reliable| Some(Tempo { per_hour, hours, reliable });
    vec![
        video(21, "Voda pod mostem", 15_400, tempo(1_234.0, 1.25, true)),
        video(22, "Krátké měření", 300, tempo(80.0, 0.5, false)),
        video(23, "Stojící počítadlo", 900, tempo(0.0, 3.0, true)),
        video(24, "Jediné měření", 12, None),
    ]
}

fn newsrooms() -> Vec<Newsroom> {
    let newsroom = |id, name: &str, slug: &str, owner: Option<&str>, country: &str| Newsroom {
        id: NewsroomId(id),
        slug: slug.into(),
        name: name.into(),
        homepage: format!("https://{slug}.example/"),
        owner: owner.map(str::to_owned),
        country: country.into(),
        language: "cs".into(),
        weight: 1.0,
        weight_reason: None,
    };
    vec![
        newsroom(1, "Agentura A", "agentura-a", Some("Agentura"), "CZ"),
        newsroom(2, "Deník B", "denik-b", Some("Vydavatel X"), "CZ"),
        newsroom(3, "Deník C", "denik-c", Some("Vydavatel X"), "CZ"),
        newsroom(4, "Noviny D", "noviny-d", None, "SK"),
        newsroom(5, "The Evening E", "evening-e", Some("E Ltd"), "GB"),
    ]
}

fn mention(newsroom: i32, item: i64, hours_ago: f64, best_position: u32, copy: bool) -> Mention {
    Mention {
        newsroom: NewsroomId(newsroom),
        item: ItemId(item),
        at: AT - (hours_ago * HOUR as f64) as i64,
        weight: 1.0,
        backfill: newsroom == 4,
        best_position,
        feed_length: 30,
        standing_hours: 2.0,
        copy,
    }
}

fn tie(to: i64) -> Tie {
    let word = |word: &str, weight| SharedWord { word: word.into(), weight };
    Tie {
        to: ItemId(to),
        similarity: 0.412,
        shared: vec![word("Lhoty", 6.4), word("povodeň", 5.1), word("most", 3.2)],
    }
}

fn item(
    id: i64,
    newsroom: i32,
    title: &str,
    language: &str,
    hours_ago: f64,
    origin: u32,
) -> EventItem {
    let at = AT - (hours_ago * HOUR as f64) as i64;
    let place = |from: i64, until: i64, position| Place {
        source: SourceId(newsroom),
        from: at + from,
        until: at + until,
        position,
        length: 30,
    };
    EventItem {
        id: ItemId(id),
        newsroom: NewsroomId(newsroom),
        title: title.into(),
        lede: "Krátký popisek události.".into(),
        link: format!("https://n{newsroom}.example/{id}"),
        language: language.into(),
        mention_at: at,
        origin,
        copy: false,
        places: vec![
            place(60, HOUR, 2 + newsroom as u32),
            place(HOUR + 300, 2 * HOUR, newsroom as u32),
            place(6 * HOUR, 7 * HOUR, 9 + newsroom as u32),
        ],
        tie: None,
    }
}

fn event(
    id: i64,
    title: &str,
    language: &str,
    mentions: Vec<Mention>,
    items: Vec<EventItem>,
    factors: Factors,
) -> Event {
    let (first, last) = (mentions[0].at, mentions[mentions.len() - 1].at);
    Event {
        id: EventId(id),
        title: title.into(),
        language: language.into(),
        owners: mentions.len() as u32 - u32::from(mentions.len() == 4),
        texts: items.iter().map(|item| item.origin + 1).max().unwrap_or(0),
        spread_hours: hours_between(first, last),
        heat: factors.heat(),
        mentions,
        items,
        factors,
    }
}

fn bridge() -> Event {
    let mut items = vec![
        item(1, 1, "Povodeň strhla most u Lhoty", "cs", 10.0, 0),
        item(2, 2, "Povodeň u Lhoty strhla most", "cs", 9.5, 1),
        item(3, 3, "Povodeň strhla most u Lhoty", "cs", 9.0, 0),
        item(4, 4, "Most pri Lhote zobrala voda", "sk", 8.0, 2),
    ];
    items[2].copy = true;
    items[1].tie = Some(tie(1));
    items[3].tie = Some(tie(2));
    event(
        1,
        "Povodeň strhla most u Lhoty",
        "cs",
        vec![
            mention(1, 1, 10.0, 1, false),
            mention(2, 2, 9.5, 3, false),
            mention(3, 3, 9.0, 4, true),
            mention(4, 4, 8.0, 6, false),
        ],
        items,
        Factors { breadth: 4.0, velocity: 1.5, priority: 0.9, persistence: 2.0, decay: 0.5 },
    )
}

fn strike() -> Event {
    event(
        5,
        "Drivers' strike halts night trains",
        "en",
        vec![mention(5, 5, 3.0, 10, false), mention(2, 6, 2.75, 20, false)],
        vec![
            item(5, 5, "Drivers' strike halts night trains", "en", 3.0, 0),
            item(6, 2, "Night trains halted by strike", "en", 2.75, 1),
        ],
        Factors { breadth: 2.0, velocity: 2.0, priority: 0.5, persistence: 1.2, decay: 0.8 },
    )
}

fn lone() -> Event {
    let title = "Lone report nobody else carries";
    event(
        9,
        title,
        "en",
        vec![mention(5, 9, 1.0, 2, false)],
        vec![item(9, 5, title, "en", 1.0, 0)],
        Factors { breadth: 1.0, velocity: 0.0, priority: 0.97, persistence: 1.5, decay: 0.9 },
    )
}

fn days() -> Vec<Day> {
    (0..40)
        .map(|day| Day {
            at: AT.div_euclid(86_400) * 86_400 - (39 - day) * 86_400,
            answered: 200 + (day as u32 * 37) % 60,
            unchanged: 120 + (day as u32 * 23) % 50,
            failed: (day as u32 % 7) * 3,
            refused: 4,
            new_items: 300,
        })
        .collect()
}

fn report(id: i32, newsroom: i32, verdict: Verdict, rule: Option<&str>) -> SourceReport {
    let allowed = verdict == Verdict::Allowed;
    let check = GateCheck {
        source: SourceId(id),
        at: AT - 5 * HOUR,
        url: format!("https://n{newsroom}.example/rss"),
        user_agent: "Ohlas/0.1".into(),
        robots_url: format!("https://n{newsroom}.example/robots.txt"),
        robots_status: Some(200),
        robots_sha256: Some("ab".repeat(32)),
        matched_rule: rule.map(str::to_owned),
        tdm_signal: (verdict == Verdict::Reserved).then(|| "tdmrep.json: tdm-reservation 1".into()),
        verdict,
        reason: "The reason in a sentence.".into(),
        valid_until: AT + 19 * HOUR,
    };
    let fetch = FetchReport {
        at: AT - 300,
        status: Some(304),
        outcome: Outcome::Unchanged,
        bytes: 0,
        elapsed_ms: 31,
        items: 30,
        new_items: 0,
        defects: vec!["Item 3 has no link.".into()],
        error: None,
    };
    SourceReport {
        source: Source {
            id: SourceId(id),
            newsroom: NewsroomId(newsroom),
            slug: format!("zdroj-{id}"),
            section: if id == 2 { "Sport".into() } else { String::new() },
            url: check.url.clone(),
            kind: SourceKind::Feed,
        },
        verdict_changes: vec![VerdictChange { before: None, check: check.clone() }],
        check: Some(check),
        fetches: if allowed { vec![fetch] } else { Vec::new() },
        next_check_at: Some(AT + 600),
        stopped: None,
        moved_to: None,
        items: if allowed { 812 } else { 0 },
        days: if allowed { days() } else { Vec::new() },
        bytes_saved: if allowed { 4_560_000 } else { 0 },
    }
}
