//! What is counted over a board: newsrooms, owners, a desk, topics; and the videos of a window.

use engine::{desk, newsroom_figures, owner_figures, topics, videos};
use model::{
    Board, Event, EventId, EventItem, Factors, Figures, ItemHistory, ItemId, ItemText, Mention,
    Newsroom, NewsroomId, Pace, SharedWord, Sighting, SourceId, SourcePolls, Tie, UnixSeconds,
    Window,
};

const HOUR: i64 = 3_600;
const NOON: UnixSeconds = 1_786_700_000;

fn newsroom(id: i32, owner: Option<&str>, language: &str) -> Newsroom {
    Newsroom {
        id: NewsroomId(id),
        slug: format!("list-{id}"),
        name: format!("List {id}"),
        homepage: String::new(),
        owner: owner.map(str::to_owned),
        country: "CZ".to_owned(),
        language: language.to_owned(),
        weight: 1.0,
        weight_reason: None,
    }
}

/// `minutes` after noon; negative for a mention of which only the bound is known.
fn mention(newsroom: i32, minutes: i64, copy: bool) -> Mention {
    Mention {
        newsroom: NewsroomId(newsroom),
        item: ItemId(i64::from(newsroom)),
        at: NOON + minutes.abs() * 60,
        weight: 1.0,
        backfill: minutes < 0,
        best_position: 1,
        feed_length: 10,
        standing_hours: 1.0,
        copy,
    }
}

fn event(id: i64, language: &str, mentions: Vec<Mention>) -> Event {
    Event {
        id: EventId(id),
        title: format!("Event {id}"),
        language: language.to_owned(),
        mentions,
        items: Vec::new(),
        owners: 0,
        texts: 0,
        spread_hours: 0.0,
        factors: Factors::default(),
        heat: 0.0,
    }
}

/// Two newsrooms of one owner, one of another, one abroad.
fn newsrooms() -> Vec<Newsroom> {
    vec![
        newsroom(1, Some("X"), "cs"),
        newsroom(2, Some("X"), "cs"),
        newsroom(3, None, "cs"),
        newsroom(4, Some("Y"), "de"),
    ]
}

fn board() -> Board {
    let events = vec![
        event(10, "cs", vec![mention(1, 0, false), mention(3, 30, true)]),
        event(11, "cs", vec![mention(1, 0, false), mention(2, 10, true)]),
        event(12, "cs", vec![mention(3, 5, false), mention(1, 65, false), mention(4, 95, false)]),
        event(13, "cs", vec![mention(2, -5, false), mention(3, 15, false)]),
        event(14, "de", vec![mention(4, 0, false)]),
    ];
    Board { at: NOON + 3 * HOUR, model: "v1".to_owned(), events }
}

#[test]
fn newsrooms_are_counted_over_the_events_they_share() {
    let all = newsroom_figures(&board(), &newsrooms(), NOON - HOUR);
    let of = |id| all.iter().find(|(newsroom, _)| *newsroom == NewsroomId(id)).unwrap().1.clone();
    let lag = |minutes: i64| Some(minutes * 60);
    assert_eq!(
        of(1),
        Figures {
            events: 3,
            possible: 4,
            timed: 3,
            first: 2,
            median_lag_seconds: lag(60),
            copies: 0
        }
    );
    // In event 13 the first time is only bounded: neither it nor its follower is timed.
    assert_eq!(
        of(2),
        Figures {
            events: 2,
            possible: 4,
            timed: 1,
            first: 0,
            median_lag_seconds: lag(10),
            copies: 1
        }
    );
    assert_eq!(
        of(3),
        Figures {
            events: 3,
            possible: 4,
            timed: 2,
            first: 1,
            median_lag_seconds: lag(30),
            copies: 1
        }
    );
    // Its own language has no shared event; the foreign one that it had counts.
    assert_eq!(
        of(4),
        Figures {
            events: 1,
            possible: 1,
            timed: 1,
            first: 0,
            median_lag_seconds: lag(90),
            copies: 0
        }
    );
    assert_eq!(of(1).coverage(), Some(0.75));
}

#[test]
fn the_period_begins_after_its_start() {
    let later = newsroom_figures(&board(), &newsrooms(), NOON);
    let events: Vec<u32> = later.iter().map(|(_, figures)| figures.events).collect();
    // Events 12 and 13 alone were first mentioned after noon.
    assert_eq!(events, [1, 1, 2, 1]);
    assert_eq!(later[0].1.possible, 2);
}

#[test]
fn an_owners_newsrooms_are_one_party() {
    let all = owner_figures(&board(), &newsrooms(), NOON - HOUR);
    let names: Vec<(Option<&str>, usize)> =
        all.iter().map(|(party, _)| (party.owner.as_deref(), party.newsrooms.len())).collect();
    assert_eq!(names, [(Some("X"), 2), (None, 1), (Some("Y"), 1)]);
    // Event 11 stays within X, so that no two owners share it.
    let x = &all[0].1;
    assert_eq!((x.events, x.possible, x.timed, x.first), (3, 3, 2, 1));
}

#[test]
fn a_desk_sees_what_it_lacks_and_when_it_had_the_rest() {
    let desk = |newsroom, others| desk(&board(), NewsroomId(newsroom), others);
    let pace = |event, minutes: i64| Pace { event: EventId(event), seconds: minutes * 60 };
    assert_eq!(desk(2, 2).missing, [EventId(10), EventId(12)]);
    assert_eq!(desk(2, 3).missing, [EventId(12)]);
    let one = desk(1, 2);
    assert_eq!(one.missing, [EventId(13)]);
    assert_eq!(one.first, [pace(10, 30), pace(11, 10)]);
    assert_eq!(one.late, [pace(12, 60)]);
    assert_eq!((desk(2, 2).untimed, one.untimed), (1, 0));
    assert_eq!(desk(99, 4).missing, []);
}

/// An event of two newsrooms with these titles, whose items share the words.
fn tied(id: i64, titles: [&str; 2], words: &[(&str, f64)]) -> Event {
    let item = |newsroom: i32, title: &str| EventItem {
        id: ItemId(id),
        newsroom: NewsroomId(newsroom),
        title: title.to_owned(),
        lede: String::new(),
        link: String::new(),
        language: "cs".to_owned(),
        mention_at: NOON,
        origin: 0,
        copy: false,
        places: Vec::new(),
        tie: None,
    };
    let shared = words.iter().map(|&(word, weight)| SharedWord { word: word.to_owned(), weight });
    let tie = Some(Tie { to: ItemId(0), similarity: 0.5, shared: shared.collect() });
    let items = vec![item(1, titles[0]), EventItem { tie, ..item(2, titles[1]) }];
    let mentions = vec![mention(1, 0, false), mention(2, 5, false)];
    Event { items, ..event(id, "cs", mentions) }
}

/// The topics of these events among others that turn on numbers.
fn topics_of(mut events: Vec<Event>) -> Vec<(String, Vec<i64>)> {
    events.extend((100..120).map(|id| tied(id, ["2026", "2026"], &[("2026", 9.0)])));
    let topics = topics(&Board { at: NOON, model: "v1".to_owned(), events });
    assert!(topics.iter().all(|topic| topic.key.ends_with("-cs")), "{topics:?}");
    let ids = |events: &[EventId]| events.iter().map(|id| id.0).collect();
    topics.into_iter().map(|topic| (topic.word, ids(&topic.events))).collect()
}

#[test]
fn a_topic_is_a_word_on_which_several_events_turn() {
    let found = topics_of(vec![
        tied(
            1,
            ["Vláda u Lhoty", "Lhota a vláda"],
            &[("vláda", 6.0), ("Lhota", 5.0), ("2026", 9.0)],
        ),
        tied(2, ["Vláda v Praze", "V Praze o vládě"], &[("vlády", 5.0), ("Praze", 4.0)]),
        tied(3, ["Praha: vláda", "Vláda v Praze"], &[("vláda", 5.0), ("Praha", 4.0)]),
    ]);
    // Numbers are no topics, and two events are too few.
    assert_eq!(found, [("vláda".to_owned(), vec![1, 2, 3])]);
}

#[test]
fn how_much_and_when_are_no_topics() {
    let words =
        [("Požár", 4.0), ("hektarů", 9.0), ("minut", 8.0), ("pondělí", 7.0), ("milionů", 6.0)];
    let title = "Požár: v pondělí za 90 minut 300 hektarů a škoda 5 milionů";
    let found = topics_of((1..5).map(|id| tied(id, [title, title], &words)).collect());
    assert_eq!(found, [("Požár".to_owned(), vec![1, 2, 3, 4])]);
}

#[test]
fn german_topics_are_nouns() {
    let title = "Zurück in Bern: Unfall";
    let words = [("zurück", 9.0), ("Unfall", 4.0)];
    let mut events: Vec<Event> = (1..5).map(|id| tied(id, [title, title], &words)).collect();
    for event in &mut events {
        event.language = "de".to_owned();
    }
    let board = Board { at: NOON, model: "v1".to_owned(), events };
    assert_eq!(topics(&board), []);
}

#[test]
fn a_word_of_ledes_or_of_one_newsrooms_title_is_no_topic() {
    let words = [("hasiči", 9.0), ("mluvčí", 9.0), ("požár", 4.0)];
    let titles = ["Hasiči zvládli požár", "Požár stodoly"];
    let found = topics_of((1..5).map(|id| tied(id, titles, &words)).collect());
    assert_eq!(found, [("požár".to_owned(), vec![1, 2, 3, 4])]);
}

#[test]
fn a_confirmed_listing_measures_a_counter_that_stands_still() {
    let sighting = |from: i64, until: i64, views| Sighting {
        source: SourceId(1),
        from: NOON + from * 60,
        until: NOON + until * 60,
        position: 1,
        length: 10,
        views,
    };
    let item = |id: i64, sightings: Vec<Sighting>| ItemHistory {
        id: ItemId(id),
        newsroom: NewsroomId(1),
        link: String::new(),
        language: "cs".to_owned(),
        mention_at: NOON,
        backfill: false,
        texts: vec![ItemText { at: NOON, title: format!("Video {id}"), lede: String::new() }],
        sightings,
    };
    let window = Window {
        newsrooms: Vec::new(),
        sources: vec![SourcePolls {
            source: SourceId(1),
            newsroom: NewsroomId(1),
            polls: (0..=8).map(|poll: i64| NOON + poll * 20 * 60).collect(),
        }],
        items: vec![
            item(1, vec![sighting(0, 0, None)]),
            item(2, vec![sighting(0, 0, Some(100))]),
            item(3, vec![sighting(0, 80, Some(100)), sighting(100, 100, Some(400))]),
            item(4, vec![sighting(0, 20, Some(100)), sighting(40, 40, Some(90))]),
        ],
    };
    let at = |minutes: i64| videos(&window, NOON + minutes * 60, 72.0);
    let found = at(180);
    let ids: Vec<i64> = found.iter().map(|video| video.item.0).collect();
    assert_eq!(ids, [3, 4, 2]);
    // Against minute 40, an hour before: the listing of minute 0 was confirmed then.
    let tempo = found[0].tempo.unwrap();
    assert_eq!((tempo.per_hour, tempo.hours, tempo.reliable), (300.0, 1.0, true));
    assert_eq!((found[0].views, found[0].measurements), (400, 6));
    let falling = found[1].tempo.unwrap();
    assert!(falling.per_hour < 0.0 && !falling.reliable);
    assert_eq!(found[2].tempo, None);
    // Nothing of what lies ahead is known.
    assert_eq!(at(90)[0].views, 100);
}
