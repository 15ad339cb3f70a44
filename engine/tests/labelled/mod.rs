//! Items with known events, and how well groups agree with them. Shared by `floor.rs` and by
//! `examples/eval.rs`.

use std::collections::BTreeMap;

use engine::{Article, cluster};
use model::Grouping;

/// An item of a labelled set.
pub struct Labelled {
    pub outlet: String,
    pub title: String,
    pub lede: String,
    pub at: i64,
    pub event: String,
}

/// The sets of our own, by language: invented headlines, five for each happening, with hard
/// neighbours (same place or person, another happening).
///
/// `data/events_*.txt`: one headline a line, ` | ` before its lede, an empty line between events.
/// Events start every 35 minutes, so that neighbours overlap; their items follow within hours.
pub fn own() -> [(&'static str, Vec<Labelled>); 2] {
    let read = |text: &'static str| {
        text.split("\n\n")
            .enumerate()
            .flat_map(|(event, lines)| {
                lines.lines().enumerate().map(move |(index, line)| {
                    let (title, lede) = line.split_once(" | ").unwrap_or((line, ""));
                    Labelled {
                        outlet: format!("Outlet {}", (event * 3 + index * 5) % 17),
                        title: title.to_owned(),
                        lede: lede.to_owned(),
                        at: event as i64 * 2_100 + index as i64 * (600 + 400 * (event as i64 % 5)),
                        event: event.to_string(),
                    }
                })
            })
            .collect()
    };
    [
        ("cs", read(include_str!("../data/events_cs.txt"))),
        ("en", read(include_str!("../data/events_en.txt"))),
    ]
}

/// The group of each item.
pub fn grouped(items: &[Labelled], language: &str, params: &Grouping) -> Vec<u32> {
    let articles: Vec<Article<'_>> = (0..)
        .zip(items)
        .map(|(id, item)| Article {
            id,
            outlet: &item.outlet,
            language,
            title: &item.title,
            lede: &item.lede,
            at: item.at,
        })
        .collect();
    cluster(&articles, params)
}

/// Precision and recall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measure {
    pub precision: f64,
    pub recall: f64,
}

impl Measure {
    pub fn f1(self) -> f64 {
        let sum = self.precision + self.recall;
        if sum > 0.0 { 2.0 * self.precision * self.recall / sum } else { 0.0 }
    }
}

/// How many items of which event stand in which group.
pub struct Overlap {
    /// Items of each event.
    pub events: Vec<f64>,
    /// By group: events, and their items in it.
    groups: Vec<Vec<(usize, f64)>>,
}

impl Overlap {
    pub fn of(items: &[Labelled], groups: &[u32]) -> Self {
        let mut numbers = BTreeMap::<&str, usize>::new();
        let mut events = Vec::new();
        let mut both = BTreeMap::<(u32, usize), f64>::new();
        for (item, &group) in items.iter().zip(groups) {
            let event = *numbers.entry(&item.event).or_insert_with(|| {
                events.push(0.0);
                events.len() - 1
            });
            events[event] += 1.0;
            *both.entry((group, event)).or_default() += 1.0;
        }
        let mut by_group = BTreeMap::<u32, Vec<(usize, f64)>>::new();
        for ((group, event), items) in both {
            by_group.entry(group).or_default().push((event, items));
        }
        Self { events, groups: by_group.into_values().collect() }
    }

    /// BCubed and pairs, as they are.
    pub fn measures(&self) -> (Measure, Measure) {
        self.weighted(&vec![1.0; self.events.len()])
    }

    /// BCubed (A. Bagga, B. Baldwin 1998) and pairs of items where each event occurs as often as its
    /// weight says: a pair of items of one event counts as often as the event does, a pair of two
    /// events as often as the two meet, and repetitions of one event never meet.
    pub fn weighted(&self, weights: &[f64]) -> (Measure, Measure) {
        let pairs = |items: f64| items * (items - 1.0) / 2.0;
        let all: f64 = self.events.iter().zip(weights).map(|(items, weight)| items * weight).sum();
        let alike: f64 =
            self.events.iter().zip(weights).map(|(&items, weight)| pairs(items) * weight).sum();
        let (mut precision, mut recall, mut right, mut wrong) = (0.0, 0.0, 0.0, 0.0);
        for group in &self.groups {
            let size: f64 = group.iter().map(|&(event, items)| weights[event] * items).sum();
            for &(event, items) in group {
                let weight = weights[event];
                if weight > 0.0 {
                    let others = size - weight * items;
                    precision += weight * items * items / (items + others);
                    recall += weight * items * items / self.events[event];
                    right += weight * pairs(items);
                    wrong += weight * items * others / 2.0;
                }
            }
        }
        let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 1.0 };
        (
            Measure { precision: share(precision, all), recall: share(recall, all) },
            Measure { precision: share(right, right + wrong), recall: share(right, alike) },
        )
    }
}
