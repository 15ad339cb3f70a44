//! Accuracy on a small labelled set of our own: invented headlines in Czech and English, five for
//! each happening, with hard neighbours (same place or person, another happening).
//!
//! `data/events_*.txt`: one headline a line, ` | ` before its lede, an empty line between events.

use std::collections::BTreeMap;

use engine::{Article, cluster};
use model::{Grouping, Model};

struct Labelled {
    outlet: String,
    title: &'static str,
    lede: &'static str,
    at: i64,
    event: usize,
}

/// Events start every 35 minutes, so that neighbours overlap; their items follow within hours.
fn labelled(text: &'static str) -> Vec<Labelled> {
    text.split("\n\n")
        .enumerate()
        .flat_map(|(event, lines)| {
            lines.lines().enumerate().map(move |(index, line)| {
                let (title, lede) = line.split_once(" | ").unwrap_or((line, ""));
                let at = event as i64 * 2_100 + index as i64 * (600 + 400 * (event as i64 % 5));
                let outlet = format!("Outlet {}", (event * 3 + index * 5) % 17);
                Labelled { outlet, title, lede, at, event }
            })
        })
        .collect()
}

/// F1 of pairs and of BCubed.
fn accuracy(items: &[Labelled], language: &str, params: &Grouping) -> (f64, f64) {
    let articles: Vec<Article<'_>> = items
        .iter()
        .enumerate()
        .map(|(id, item)| Article {
            id: id as i64,
            outlet: &item.outlet,
            language,
            title: item.title,
            lede: item.lede,
            at: item.at,
        })
        .collect();
    let groups = cluster(&articles, params);
    let (mut events, mut found, mut both) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    for (item, &group) in items.iter().zip(&groups) {
        *events.entry(item.event).or_insert(0.0) += 1.0;
        *found.entry(group).or_insert(0.0) += 1.0;
        *both.entry((item.event, group)).or_insert(0.0) += 1.0;
    }
    let f1 = |precision: f64, recall: f64| 2.0 * precision * recall / (precision + recall);
    let pairs = |count: &f64| count * (count - 1.0) / 2.0;
    let hit: f64 = both.values().map(pairs).sum();
    let pair_f1 = f1(
        hit / found.values().map(pairs).sum::<f64>(),
        hit / events.values().map(pairs).sum::<f64>(),
    );
    let all = items.len() as f64;
    let precision: f64 = both.iter().map(|((_, group), n)| n * n / found[group]).sum();
    let recall: f64 = both.iter().map(|((event, _), n)| n * n / events[event]).sum();
    (pair_f1, f1(precision / all, recall / all))
}

fn check(text: &'static str, language: &str, pair_floor: f64, bcubed_floor: f64) -> usize {
    let items = labelled(text);
    let (pairs, bcubed) = accuracy(&items, language, &Model::v1().grouping);
    assert!(pairs >= pair_floor, "{language}: pair F1 fell to {pairs:.4}");
    assert!(bcubed >= bcubed_floor, "{language}: BCubed F1 fell to {bcubed:.4}");
    items.len()
}

#[test]
fn accuracy_does_not_fall() {
    let czech = check(include_str!("data/events_cs.txt"), "cs", 0.92, 0.96);
    let english = check(include_str!("data/events_en.txt"), "en", 0.95, 0.98);
    assert!(czech + english >= 300);
}
