//! Invented histories: items that newsrooms tell, list, move, revise and tell late.

use model::{
    ItemHistory, ItemId, ItemText, Newsroom, NewsroomId, Sighting, SourceId, SourcePolls,
    UnixSeconds, Window,
};
use proptest::prelude::*;

pub const HOUR: i64 = 3_600;
pub const NOON: UnixSeconds = 1_786_700_000;

pub fn newsroom(id: i32, owner: Option<&str>, weight: f64) -> Newsroom {
    Newsroom {
        id: NewsroomId(id),
        slug: format!("list-{id}"),
        name: format!("List {id}"),
        homepage: String::new(),
        owner: owner.map(str::to_owned),
        country: "CZ".to_owned(),
        language: "cs".to_owned(),
        weight,
        weight_reason: None,
    }
}

/// An item seen at the top of a feed of ten from its mention on, for two hours.
pub fn item(id: i64, newsroom: i32, title: &str, at: UnixSeconds) -> ItemHistory {
    ItemHistory {
        id: ItemId(id),
        newsroom: NewsroomId(newsroom),
        link: format!("https://list-{newsroom}.example/{id}"),
        language: "cs".to_owned(),
        mention_at: at,
        backfill: false,
        texts: vec![ItemText { at, title: title.to_owned(), lede: String::new() }],
        sightings: vec![Sighting {
            source: SourceId(newsroom),
            from: at,
            until: at + 2 * HOUR,
            position: 1,
            length: 10,
            views: None,
        }],
    }
}

/// A history as collected until the end of the world.
#[derive(Clone, Debug)]
pub struct Told {
    newsroom: i32,
    words: Vec<&'static str>,
    /// At the end of the title.
    tail: &'static str,
    lede: &'static str,
    mention: i64,
    /// Listing after listing: polls it held for, and position.
    listings: Vec<(usize, u32)>,
    first_poll: usize,
    revised_at: Option<i64>,
}

const POLLS: usize = 60;

pub fn tales() -> impl Strategy<Value = Vec<Told>> {
    let word = prop::sample::select(vec![
        "požár", "továrna", "Kolín", "vlak", "nehoda", "hasiči", "2026", "vláda", "soud", "Praha",
        "banka", "úroky", "volby", "zápas", "povodeň", "most", "dálnice", "škola", "pošta",
        "stroj",
    ]);
    let lede = prop::sample::select(vec![
        "",
        "Tento web ukládá soubory cookies.",
        "Tento web ukládá soubory cookies. Hasiči uzavřeli most.",
        "Podrobnosti přineseme. Tento web ukládá soubory cookies.",
    ]);
    let told = (
        1..6_i32,
        prop::collection::vec(word, 1..6),
        prop::sample::select(vec!["", " | Obzor"]),
        lede,
        0..2 * HOUR,
        prop::collection::vec((1..6_usize, 1..9_u32), 1..4),
        0..POLLS,
        prop::option::of(0..60 * HOUR),
    )
        .prop_map(|(newsroom, words, tail, lede, before, listings, first_poll, revised_at)| Told {
            newsroom,
            words,
            tail,
            lede,
            mention: poll(newsroom, first_poll) - before,
            listings,
            first_poll,
            revised_at,
        });
    prop::collection::vec(told, 0..25)
}

/// The time of a newsroom's n-th poll: every 50 to 70 minutes.
fn poll(newsroom: i32, number: usize) -> UnixSeconds {
    NOON + number as i64 * (45 + i64::from(newsroom) * 5) * 60
}

/// What was known at `at`.
pub fn loaded(tales: &[Told], at: UnixSeconds) -> Window {
    let sources = (1..6)
        .map(|newsroom| SourcePolls {
            source: SourceId(newsroom),
            newsroom: NewsroomId(newsroom),
            polls: (0..POLLS + 20)
                .map(|number| poll(newsroom, number))
                .filter(|&poll| poll <= at)
                .collect(),
        })
        .collect();
    let items = tales
        .iter()
        .enumerate()
        .filter_map(|(index, told)| {
            let mut number = told.first_poll;
            let mut sightings = Vec::new();
            for &(held, position) in &told.listings {
                let from = poll(told.newsroom, number);
                let until = (number..number + held)
                    .map(|number| poll(told.newsroom, number))
                    .take_while(|&poll| poll <= at)
                    .last();
                number += held;
                let Some(until) = until else { break };
                sightings.push(Sighting {
                    source: SourceId(told.newsroom),
                    from,
                    until,
                    position,
                    length: 9,
                    views: None,
                });
            }
            let first = sightings.first()?.from;
            let title = told.words.join(" ") + told.tail;
            let mut texts = vec![ItemText { at: first, title, lede: told.lede.to_owned() }];
            if let Some(after) = told.revised_at
                && first + after <= at
            {
                let title = format!("{} volby úroky", told.words[0]);
                texts.push(ItemText { at: first + after, title, lede: "most".to_owned() });
            }
            Some(ItemHistory {
                texts,
                sightings,
                ..item(index as i64 + 1, told.newsroom, "", told.mention)
            })
        })
        .collect();
    Window { newsrooms: vec![newsroom(1, None, 1.0)], sources, items }
}
