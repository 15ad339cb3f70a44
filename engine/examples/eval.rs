//! Measures the clustering on labelled items.
//!
//! `cargo run --release -p engine --example eval -- --data DIR [--threshold X] [--json]
//! [--predict OUT]`
//!
//! DIR holds `NAME_SPLIT.jsonl` files with `id, source, lang, title, summary, published, cluster` a
//! line; `pairs_*` files are left out. Each (file, language) is one set, clustered on its own with the same parameters. A set's figure
//! is (BCubed F1 + pair F1) / 2; the mean is over the seven sets that figures are quoted for.
//! `--predict` writes `{"id", "cluster"}` lines for an outside scorer.
#![expect(clippy::unwrap_used, reason = "a measuring tool stops at the first broken line")]
#![expect(clippy::disallowed_methods, reason = "a tool around the core reads files")]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::Write,
    path::PathBuf,
};

use engine::{Article, cluster};
use model::Model;
use serde::Deserialize;

const QUOTED: [(&str, &str); 7] = [
    ("og2021", "en"),
    ("og2021", "ru"),
    ("og2021", "sl"),
    ("uci", "en"),
    ("rss_csen", "cs"),
    ("rss_csen", "en"),
    ("csday", "cs"),
];

#[derive(Deserialize)]
struct Labelled {
    id: String,
    source: String,
    lang: String,
    title: String,
    summary: String,
    published: String,
    cluster: String,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let value = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.get(at + 1).cloned()
    };
    let Some(data) = value("--data") else {
        eprintln!("--data DIR is missing: the folder of the labelled *.jsonl files");
        std::process::exit(2);
    };
    let mut params = Model::v1().grouping;
    if let Some(threshold) = value("--threshold") {
        params.threshold = threshold.parse().unwrap();
    }
    let mut predicted = value("--predict").map(|path| fs::File::create(path).unwrap());

    let mut sets = Vec::new();
    for path in files(&data) {
        let name = path.file_stem().unwrap().to_string_lossy();
        let name = name.rsplit_once('_').map_or(&*name, |(name, _)| name).to_owned();
        let text = fs::read_to_string(path).unwrap();
        let items: Vec<Labelled> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let languages: BTreeSet<&str> = items.iter().map(|item| item.lang.as_str()).collect();
        for language in languages {
            let own: Vec<&Labelled> = items.iter().filter(|item| item.lang == language).collect();
            let groups = cluster(&articles(&own), &params);
            if let Some(out) = &mut predicted {
                for (item, group) in own.iter().zip(&groups) {
                    let cluster = format!("{name}-{language}-{group}");
                    let line = serde_json::json!({"id": item.id, "cluster": cluster});
                    writeln!(out, "{line}").unwrap();
                }
            }
            let gold: Vec<&str> = own.iter().map(|item| item.cluster.as_str()).collect();
            let (name, language) = (name.clone(), language.to_owned());
            sets.push(Set { name, language, score: Score::of(&gold, &groups) });
        }
    }

    let quoted: Vec<f64> = sets
        .iter()
        .filter(|set| QUOTED.contains(&(set.name.as_str(), set.language.as_str())))
        .map(|set| set.score.figure())
        .collect();
    let mean = quoted.iter().sum::<f64>() / quoted.len() as f64;
    if arguments.iter().any(|argument| argument == "--json") {
        let sets: Vec<serde_json::Value> = sets.iter().map(Set::json).collect();
        let threshold = params.threshold;
        println!("{}", serde_json::json!({"mean": mean, "threshold": threshold, "sets": sets}));
    } else {
        for set in &sets {
            set.print();
        }
        println!("mean of {} sets at threshold {}: {mean:.4}", quoted.len(), params.threshold);
    }
}

fn files(data: &str) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(data)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
        .filter(|path| !path.file_name().unwrap().to_string_lossy().starts_with("pairs_"))
        .collect();
    files.sort();
    files
}

fn articles<'a>(items: &[&'a Labelled]) -> Vec<Article<'a>> {
    items
        .iter()
        .enumerate()
        .map(|(index, item)| Article {
            id: index as i64,
            outlet: &item.source,
            language: &item.lang,
            title: &item.title,
            lede: &item.summary,
            at: unix_seconds(&item.published),
        })
        .collect()
}

struct Set {
    name: String,
    language: String,
    score: Score,
}

impl Set {
    fn print(&self) {
        let Score { items, bcubed: b, pairs: p } = &self.score;
        println!(
            "{:>9} {:3} {items:>5} items  BCubed {:.3} {:.3} {:.3}  pairs {:.3} {:.3} {:.3}  {:.4}",
            self.name,
            self.language,
            b.precision,
            b.recall,
            b.f1(),
            p.precision,
            p.recall,
            p.f1(),
            self.score.figure(),
        );
    }

    fn json(&self) -> serde_json::Value {
        let Score { items, bcubed, pairs } = &self.score;
        serde_json::json!({
            "set": self.name,
            "lang": self.language,
            "items": items,
            "bcubed": {"p": bcubed.precision, "r": bcubed.recall, "f1": bcubed.f1()},
            "pairs": {"p": pairs.precision, "r": pairs.recall, "f1": pairs.f1()},
            "figure": self.score.figure(),
        })
    }
}

struct Measure {
    precision: f64,
    recall: f64,
}

impl Measure {
    fn f1(&self) -> f64 {
        let sum = self.precision + self.recall;
        if sum > 0.0 { 2.0 * self.precision * self.recall / sum } else { 0.0 }
    }
}

struct Score {
    items: usize,
    bcubed: Measure,
    pairs: Measure,
}

impl Score {
    fn of(gold: &[&str], groups: &[u32]) -> Self {
        let mut by_gold = BTreeMap::<&str, f64>::new();
        let mut by_group = BTreeMap::<u32, f64>::new();
        let mut by_both = BTreeMap::<(&str, u32), f64>::new();
        for (&gold, &group) in gold.iter().zip(groups) {
            *by_gold.entry(gold).or_default() += 1.0;
            *by_group.entry(group).or_default() += 1.0;
            *by_both.entry((gold, group)).or_default() += 1.0;
        }
        let share = |per: &dyn Fn(&str, u32) -> f64| {
            let sum: f64 = by_both.iter().map(|(&(gold, group), n)| n * n / per(gold, group)).sum();
            sum / gold.len() as f64
        };
        let pairs = |counts: &mut dyn Iterator<Item = &f64>| -> f64 {
            counts.map(|n| n * (n - 1.0) / 2.0).sum()
        };
        let hit = pairs(&mut by_both.values());
        let of = |all: f64| if all > 0.0 { hit / all } else { 1.0 };
        Self {
            items: gold.len(),
            bcubed: Measure {
                precision: share(&|_, group| by_group[&group]),
                recall: share(&|gold, _| by_gold[gold]),
            },
            pairs: Measure {
                precision: of(pairs(&mut by_group.values())),
                recall: of(pairs(&mut by_gold.values())),
            },
        }
    }

    fn figure(&self) -> f64 {
        f64::midpoint(self.bcubed.f1(), self.pairs.f1())
    }
}

/// The instant that `2021-07-01T08:01:00Z` names.
fn unix_seconds(text: &str) -> i64 {
    let number = |range: std::ops::Range<usize>| text[range].parse::<i64>().unwrap();
    let (year, month, day) = (number(0..4), number(5..7), number(8..10));
    // Days since 1970-01-01 by H. Hinnant's days_from_civil.
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468;
    days * 86_400 + number(11..13) * 3_600 + number(14..16) * 60 + number(17..19)
}
