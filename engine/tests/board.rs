//! The board: heat, identity, and nothing of what lies ahead of its moment.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

mod tales;

use engine::{Assignments, assignments, board, changes};
use model::{
    Board, ChangeKind, Event, EventId, ItemHistory, ItemId, Model, NewsroomId, Sighting, SourceId,
    SourcePolls, Window,
};
use proptest::prelude::*;
use tales::{HOUR, NOON, item, loaded, newsroom, tales};

const OTHERS: [&str; 8] = [
    "Vláda odložila hlasování o státním rozpočtu",
    "Hokejisté zvítězili po samostatných nájezdech",
    "Zoo otevřela nový pavilon pro tučňáky",
    "Ceny másla klesly nejníž za dva roky",
    "Studenti vyvinuli robota na třídění odpadu",
    "Meteorologové čekají první mrazíky",
    "Muzeum vystaví klášterní rukopisy",
    "Nemocnice hledá dárce vzácné krve",
];

fn window(mut items: Vec<ItemHistory>) -> Window {
    items.extend(
        OTHERS
            .iter()
            .enumerate()
            .map(|(index, title)| item(900 + index as i64, 9, title, NOON - 10 * HOUR)),
    );
    Window {
        newsrooms: vec![
            newsroom(1, Some("Skupina"), 1.0),
            newsroom(2, Some("Skupina"), 1.0),
            newsroom(3, None, 2.0),
            newsroom(9, None, 1.0),
        ],
        sources: Vec::new(),
        items,
    }
}

fn ranked(window: &Window, previous: &Assignments) -> Board {
    board(window, NOON, &Model::v1(), previous)
}

fn told() -> Vec<ItemHistory> {
    vec![
        item(10, 1, "Požár zničil sklad pneumatik v Kolíně", NOON - 4 * HOUR),
        item(11, 2, "V Kolíně hoří sklad s pneumatikami", NOON - 3 * HOUR),
        item(12, 3, "Sklad pneumatik v Kolíně zachvátil požár", NOON - 2 * HOUR),
    ]
}

fn event(board: &Board, id: i64) -> &Event {
    board.events.iter().find(|event| event.id == EventId(id)).unwrap()
}

#[test]
fn heat_is_the_product_of_five_factors() {
    let mut items = told();
    items[1].sightings[0].position = 6;
    let board = ranked(&window(items), &Assignments::default());
    let event = &board.events[0];
    assert_eq!((event.id, event.newsrooms(), event.owners, event.texts), (EventId(10), 3, 2, 3));
    assert!((event.spread_hours - 2.0).abs() < 1e-12);
    let factors = event.factors;
    // Weights 1 + 1 + 2.
    assert!((factors.breadth - 4.0).abs() < 1e-12);
    assert!((factors.velocity - (4.0 - 1.0) / 2.0).abs() < 1e-12);
    // (1·1 + 1·0.5 + 2·1) / 4.
    assert!((factors.priority - 3.5 / 4.0).abs() < 1e-12);
    // Every item has stood for two hours: 1 + log2(1 + 2 / 2).
    assert!((factors.persistence - 2.0).abs() < 1e-12);
    assert!((factors.decay - 0.5_f64.powf(2.0 / 8.0)).abs() < 1e-12);
    let heat = 4.0 * 1.5 * 0.875 * 2.0 * 0.5_f64.powf(0.25);
    assert!((event.heat - heat).abs() < 1e-9);
}

/// One happening, told by four newsrooms in two ways that share no word, and by the last in both.
#[test]
fn a_late_item_like_two_groups_makes_them_one_hotter_event() {
    let train = "V Hradišti vykolejil nákladní vlak s cisternami";
    let tanks = "Nákladní vlak s cisternami v Hradišti vyjel z kolejí";
    let leak = "Do potoka uniká benzen, starosta varoval obyvatele";
    let late =
        "Nákladní vlak v Hradišti vykolejil, z cisteren uniká do potoka benzen, starosta varoval";
    let mut told = vec![
        item(10, 1, train, NOON - 6 * HOUR),
        item(11, 2, tanks, NOON - 5 * HOUR),
        item(12, 4, leak, NOON - 4 * HOUR),
    ];
    let before = ranked(&window(told.clone()), &Assignments::default());
    // Breadth 2, spread 1 h, top of the feed, two hours in it, last mention 5 h ago.
    let expected = 2.0 * ((2.0 - 1.0) / 1.0) * 1.0 * 2.0 * 0.5_f64.powf(5.0 / 8.0);
    assert!((event(&before, 10).heat - expected).abs() < 1e-9, "{}", event(&before, 10).heat);
    assert_eq!((event(&before, 12).newsrooms(), event(&before, 12).heat), (1, 0.0));

    told.push(item(14, 5, late, NOON - 2 * HOUR));
    let after = ranked(&window(told), &assignments(&before));
    // Breadth 4, spread 4 h, last mention 2 h ago.
    let expected = 4.0 * ((4.0 - 1.0) / 4.0) * 1.0 * 2.0 * 0.5_f64.powf(2.0 / 8.0);
    let joined = event(&after, 10);
    assert_eq!(joined.newsrooms(), 4);
    assert!((joined.heat - expected).abs() < 1e-9, "{}", joined.heat);
    assert!(joined.heat > 1.9 * event(&before, 10).heat);

    let log = changes(&assignments(&before), &after);
    let [change] = &log[..] else { panic!("{log:?}") };
    assert_eq!((change.event, change.at), (EventId(10), NOON));
    let ChangeKind::Merged { from, tie: Some(reason) } = &change.kind else { panic!("{log:?}") };
    assert_eq!(*from, EventId(12));
    assert!(reason.item == ItemId(14) || reason.tie.to == ItemId(14));
    assert!(reason.tie.shared.iter().any(|shared| shared.word == "benzen"));
}

#[test]
fn copies_share_an_origin_and_count_less_under_v2() {
    let lede = "Hasiči vyhlásili třetí stupeň poplachu a evakuovali dvacet lidí z okolních domů, \
                příčinu vyšetřuje policie.";
    let mut items = told();
    for item in &mut items {
        item.texts[0].lede = lede.to_owned();
    }
    items[2].texts[0].lede = "Škoda přesáhne čtyřicet milionů, odhadl majitel.".to_owned();
    let window = window(items);
    let v1 = ranked(&window, &Assignments::default());
    let event = &v1.events[0];
    assert_eq!((event.newsrooms(), event.texts), (3, 2));
    let copies: Vec<bool> = event.mentions.iter().map(|mention| mention.copy).collect();
    assert_eq!(copies, [false, true, false]);
    assert_eq!(event.items.iter().map(|item| item.origin).collect::<Vec<_>>(), [0, 0, 1]);

    let v2 = board(&window, NOON, &Model::v2(), &Assignments::default());
    let velocity = v2.events[0].factors.velocity;
    assert!((velocity - (1.0 + 0.25 + 2.0 - 1.0) / 2.0).abs() < 1e-12);
    assert!((v2.events[0].factors.breadth - 4.0).abs() < 1e-12);
}

#[test]
fn one_newsroom_alone_has_no_heat() {
    let mut items = told();
    for item in &mut items {
        item.newsroom = NewsroomId(3);
    }
    let board = ranked(&window(items), &Assignments::default());
    assert!(board.events.iter().all(|event| event.heat == 0.0));
    // Newest mention first, then the smaller id.
    assert_eq!(board.events[0].id, EventId(10));
    assert_eq!(board.events[1].id, EventId(900));
    assert!(board.events.is_sorted_by_key(|event| (-event.last_mention(), event.id)));
}

#[test]
fn strange_weights_are_no_weights() {
    for weight in [0.0, -3.0, f64::NAN, f64::INFINITY] {
        let mut window = window(told());
        window.newsrooms[0].weight = weight;
        let board = ranked(&window, &Assignments::default());
        let event = &board.events[0];
        assert_eq!(event.newsrooms(), 3);
        assert!((event.factors.breadth - 3.0).abs() < 1e-12);
        assert!(event.heat.is_finite() && event.heat > 0.0);
    }
    let mut window = window(told());
    window.newsrooms.clear();
    let board = ranked(&window, &Assignments::default());
    assert!((board.events[0].factors.breadth - 3.0).abs() < 1e-12);
    assert_eq!(board.events[0].owners, 3);
}

#[test]
fn late_items_and_older_mentions_do_not_change_the_id() {
    let first = ranked(&window(told()), &Assignments::default());
    assert_eq!(first.events[0].id, EventId(10));
    let mut items = told();
    items.push(item(8, 4, "Hoří sklad pneumatik v Kolíně", NOON - 5 * HOUR));
    let later = ranked(&window(items), &Assignments::default());
    assert_eq!(later.events[0].id, EventId(8), "without memory it is the smallest");
    let mut items = told();
    items.push(item(30, 4, "Hoří sklad pneumatik v Kolíně", NOON - 5 * HOUR));
    items.remove(0);
    let kept = ranked(&window(items), &assignments(&first));
    assert_eq!(kept.events[0].id, EventId(10), "its first item has left the window");
    assert_eq!(changes(&assignments(&first), &kept), []);
}

#[test]
fn a_split_leaves_the_id_with_the_oldest_item() {
    let previous: Assignments =
        [10, 11, 12].map(|id| (ItemId(id), EventId(10))).into_iter().collect();
    let mut items = told();
    items[1].texts[0].title = "Krajský soud uložil podvodníkovi osm let vězení".to_owned();
    let board = ranked(&window(items), &previous);
    assert_eq!(event(&board, 10).items.len(), 2);
    assert_eq!(event(&board, 11).items.len(), 1);
    let log = changes(&previous, &board);
    assert_eq!(log.len(), 1);
    let split = ChangeKind::Split { to: EventId(11), items: vec![ItemId(11)] };
    assert_eq!((log[0].event, &log[0].kind), (EventId(10), &split));
}

#[test]
fn an_item_that_leaves_for_another_known_event_moved() {
    let mut previous = assignments(&ranked(&window(told()), &Assignments::default()));
    previous.insert(ItemId(11), EventId(900));
    let board = ranked(&window(told()), &previous);
    let log = changes(&previous, &board);
    assert_eq!(log.len(), 1);
    assert_eq!(log[0].event, EventId(10));
    assert!(matches!(
        &log[0].kind,
        ChangeKind::Moved { item: ItemId(11), from: EventId(900), tie: Some(_) }
    ));
}

#[test]
fn places_in_a_row_are_one_stretch() {
    let mut one = item(10, 1, "Požár zničil sklad", NOON - 5 * HOUR);
    let sighting = one.sightings[0];
    let at = |from: i64, until: i64, position: u32| Sighting {
        from: NOON + from * HOUR,
        until: NOON + until * HOUR,
        position,
        ..sighting
    };
    one.sightings = vec![at(-5, -4, 3), at(-3, -2, 3), at(-2, 3, 4), at(2, 3, 1)];
    let mut window = window(vec![one]);
    let hours = |hours: &[i64]| hours.iter().map(|hour| NOON + hour * HOUR).collect();
    window.sources.push(SourcePolls {
        source: SourceId(1),
        newsroom: NewsroomId(1),
        polls: hours(&[-5, -4, -3, -2, -1, 1, 2]),
    });
    let board = ranked(&window, &Assignments::default());
    let item = &event(&board, 10).items[0];
    let places: Vec<(i64, i64, u32)> = item
        .places
        .iter()
        .map(|place| ((place.from - NOON) / HOUR, (place.until - NOON) / HOUR, place.position))
        .collect();
    // The place at the top lies ahead; the last poll until now was an hour ago.
    assert_eq!(places, [(-5, -2, 3), (-2, -1, 4)]);
    let mention = &event(&board, 10).mentions[0];
    assert_eq!((mention.best_position, mention.feed_length), (3, 10));
    assert!((mention.standing_hours - 4.0).abs() < 1e-12);
}

proptest! {
    #[test]
    fn the_board_is_the_same_computed_then_or_now(told in tales(), minutes in 0_i64..4_000) {
        let at = NOON + minutes * 60;
        let previous_then = assignments(&board(
            &loaded(&told, at - HOUR), at - HOUR, &Model::v1(), &Assignments::default(),
        ));
        let then = board(&loaded(&told, at), at, &Model::v1(), &previous_then);
        let mut late = loaded(&told, i64::MAX);
        late.items.reverse();
        let previous_now =
            assignments(&board(&late, at - HOUR, &Model::v1(), &Assignments::default()));
        prop_assert_eq!(&previous_then, &previous_now);
        prop_assert_eq!(&then, &board(&late, at, &Model::v1(), &previous_now));
    }

    #[test]
    fn every_item_stands_in_one_event_and_every_event_has_its_own_id(
        told in tales(),
        previous in prop::collection::hash_map(1..30_i64, 1..30_i64, 0..30),
        minutes in 0_i64..4_000,
    ) {
        let at = NOON + minutes * 60;
        let previous: Assignments = previous
            .into_iter()
            .map(|(item, event)| (ItemId(item), EventId(event.min(item))))
            .collect();
        let board = board(&loaded(&told, at), at, &Model::v1(), &previous);
        let mut items: Vec<ItemId> = board
            .events
            .iter()
            .flat_map(|event| event.items.iter().map(|item| item.id))
            .collect();
        let count = items.len();
        items.sort_unstable();
        items.dedup();
        prop_assert_eq!(items.len(), count);
        let mut ids: Vec<EventId> = board.events.iter().map(|event| event.id).collect();
        ids.sort_unstable();
        ids.dedup();
        prop_assert_eq!(ids.len(), board.events.len());
        for event in &board.events {
            prop_assert!(event.texts <= event.items.len() as u32);
            prop_assert!(event.owners <= event.newsrooms());
            prop_assert!(event.heat >= 0.0 && event.heat.is_finite());
            prop_assert!(event.factors.priority > 0.0 && event.factors.priority <= 1.0);
            prop_assert!(event.factors.decay > 0.0 && event.factors.decay <= 1.0);
            prop_assert_eq!(event.items.len() > 1, event.items.iter().all(|i| i.tie.is_some()));
            let sorted = event.items.is_sorted_by_key(|item| (item.mention_at, item.id));
            prop_assert!(sorted);
        }
        // Recomputing the same moment changes nothing.
        let next = assignments(&board);
        let again = engine::board(&loaded(&told, at), at, &Model::v1(), &next);
        prop_assert_eq!(&again, &board);
        prop_assert_eq!(changes(&next, &again), vec![]);
    }
}

#[test]
fn extreme_times_are_no_danger() {
    for at in [i64::MIN, -1, 0, i64::MAX] {
        for mention in [i64::MIN, 0, i64::MAX] {
            let mut one = item(i64::MIN, i32::MAX, "Požár", 0);
            one.mention_at = mention;
            one.texts[0].at = i64::MIN;
            one.sightings[0] = Sighting {
                source: SourceId(i32::MIN),
                from: i64::MIN,
                until: i64::MAX,
                position: u32::MAX,
                length: 0,
                views: None,
            };
            let window = Window { items: vec![one.clone(), one], ..Window::default() };
            let board = board(&window, at, &Model::v1(), &Assignments::default());
            assert!(board.events.len() <= 1);
        }
    }
}
