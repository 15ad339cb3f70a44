//! Measures the clustering on labelled items.
//!
//! `cargo run --release -p engine --example eval -- --data DIR [--threshold X] [--json]
//! [--predict OUT]`
//!
//! DIR holds `NAME_SPLIT.jsonl` files with `id, source, lang, title, summary, published, cluster` a
//! line; `pairs_*` files are left out. Each (file, language) is one set, clustered on its own with the
//! same parameters. A set's figure is (BCubed F1 + pair F1) / 2; the mean is over the seven sets that
//! figures are quoted for. `--predict` writes `{"id", "cluster"}` lines for an outside scorer.
//!
//! Intervals are of 95 %, by bootstrap (B. Efron 1979): events are drawn with replacement, not items,
//! since items of one event are told alike and do not bear witness on their own. An event that is drawn
//! often crowds out what others would be mistaken for, which lifts the figures a little; their mean
//! deviation from the measured figure is taken off.
//!
//! Where all seven sets are there and the threshold is the model's, `engine/data/accuracy.json`, which
//! the pages show, is written anew, with the sets of our own beside them.
#![expect(clippy::unwrap_used, reason = "a measuring tool stops at the first broken line")]
#![expect(clippy::disallowed_methods, reason = "a tool around the core reads files")]

use std::{collections::BTreeMap, fs, io::Write, path::PathBuf};

use model::{Accuracy, Agreement, Interval, Model, SetAccuracy};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use serde::Deserialize;

#[path = "../tests/labelled/mod.rs"]
mod labelled;
use labelled::{Labelled, Measure, Overlap, grouped, own};

const QUOTED: [(&str, &str); 7] = [
    ("og2021", "en"),
    ("og2021", "ru"),
    ("og2021", "sl"),
    ("uci", "en"),
    ("rss_csen", "cs"),
    ("rss_csen", "en"),
    ("csday", "cs"),
];
const PUBLISHED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/accuracy.json");
const DRAWS: usize = 1_000;
const SEED: u64 = 2_021;

#[derive(Deserialize)]
struct Line {
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
    let flag = |name: &str| arguments.iter().position(|argument| argument == name);
    let value = |name: &str| flag(name).and_then(|at| arguments.get(at + 1)).cloned();
    let Some(data) = value("--data") else {
        eprintln!("--data DIR is missing: the folder of the labelled *.jsonl files");
        std::process::exit(2);
    };
    let mut model = Model::v1();
    if let Some(threshold) = value("--threshold") {
        model.grouping.threshold = threshold.parse().unwrap();
    }
    let mut predicted = value("--predict").map(|path| fs::File::create(path).unwrap());

    let mut measured = Vec::new();
    for path in files(&data) {
        let name = path.file_stem().unwrap().to_string_lossy();
        let name = name.rsplit_once('_').map_or(&*name, |(name, _)| name);
        for (language, Set { ids, items }) in read(&path) {
            let groups = grouped(&items, &language, &model.grouping);
            if let Some(out) = &mut predicted {
                for (id, group) in ids.iter().zip(&groups) {
                    let cluster = format!("{name}-{language}-{group}");
                    let line = serde_json::json!({"id": id, "cluster": cluster});
                    writeln!(out, "{line}").unwrap();
                }
            }
            measured.push(Measured::of(name, &language, &items, &groups));
        }
    }
    let accuracy = accuracy(&model, &measured);
    if flag("--json").is_some() {
        println!("{}", serde_json::to_string(&accuracy).unwrap());
    } else {
        print(&accuracy);
    }
    let complete = accuracy.sets.iter().filter(|set| set.quoted).count() == QUOTED.len();
    if complete && model == Model::v1() {
        for (language, items) in own() {
            let groups = grouped(&items, language, &model.grouping);
            measured.push(Measured::of("own", language, &items, &groups));
        }
        let sets = measured.into_iter().map(|measured| measured.set).collect();
        publish(&Accuracy { sets, ..accuracy });
    }
}

/// A file of the repository: where it may not be written, measuring goes well all the same.
fn publish(accuracy: &Accuracy) {
    let json = serde_json::to_string_pretty(accuracy).unwrap();
    match fs::write(PUBLISHED, json + "\n") {
        Ok(()) => eprintln!("written: engine/data/accuracy.json"),
        Err(error) => eprintln!("engine/data/accuracy.json is not written: {error}"),
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

/// Items of one file and language.
#[derive(Default)]
struct Set {
    ids: Vec<String>,
    items: Vec<Labelled>,
}

/// A file's sets by language.
fn read(path: &PathBuf) -> BTreeMap<String, Set> {
    let mut sets = BTreeMap::<String, Set>::new();
    for line in fs::read_to_string(path).unwrap().lines() {
        let line: Line = serde_json::from_str(line).unwrap();
        let set = sets.entry(line.lang).or_default();
        set.ids.push(line.id);
        set.items.push(Labelled {
            outlet: line.source,
            title: line.title,
            lede: line.summary,
            at: unix_seconds(&line.published),
            event: line.cluster,
        });
    }
    sets
}

/// A set's figures, and what they were in each draw.
struct Measured {
    set: SetAccuracy,
    draws: Vec<f64>,
}

impl Measured {
    fn of(name: &str, language: &str, items: &[Labelled], groups: &[u32]) -> Self {
        let overlap = Overlap::of(items, groups);
        let (bcubed, pairs) = overlap.measures();
        let mut random = StdRng::seed_from_u64(SEED);
        let (mut of_bcubed, mut of_pairs) = (Vec::new(), Vec::new());
        for _ in 0..DRAWS {
            let mut weights = vec![0.0; overlap.events.len()];
            for _ in 0..weights.len() {
                let event = random.random_range(0..weights.len());
                weights[event] += 1.0;
            }
            let (bcubed, pairs) = overlap.weighted(&weights);
            of_bcubed.push(bcubed.f1());
            of_pairs.push(pairs.f1());
        }
        let draws: Vec<f64> =
            of_bcubed.iter().zip(&of_pairs).map(|(b, p)| f64::midpoint(*b, *p)).collect();
        let figure = f64::midpoint(bcubed.f1(), pairs.f1());
        let set = SetAccuracy {
            set: name.to_owned(),
            lang: language.to_owned(),
            items: items.len() as u32,
            events: overlap.events.len() as u32,
            quoted: QUOTED.contains(&(name, language)),
            bcubed: agreement(bcubed, of_bcubed),
            pairs: agreement(pairs, of_pairs),
            figure: rounded(figure),
            figure_interval: interval(figure, draws.clone()),
        };
        Self { set, draws }
    }
}

fn accuracy(model: &Model, measured: &[Measured]) -> Accuracy {
    let quoted: Vec<&Measured> = measured.iter().filter(|measured| measured.set.quoted).collect();
    let mean = |figure: &dyn Fn(&Measured) -> f64| {
        quoted.iter().map(|measured| figure(measured)).sum::<f64>() / quoted.len() as f64
    };
    let draws = (0..DRAWS).map(|draw| mean(&|measured| measured.draws[draw])).collect();
    let mean = mean(&|measured| measured.set.figure);
    Accuracy {
        engine: engine::VERSION.to_owned(),
        model: model.hash(),
        threshold: model.grouping.threshold,
        mean: rounded(mean),
        mean_interval: interval(mean, draws),
        sets: measured.iter().map(|measured| measured.set.clone()).collect(),
    }
}

fn agreement(measure: Measure, draws: Vec<f64>) -> Agreement {
    Agreement {
        p: rounded(measure.precision),
        r: rounded(measure.recall),
        f1: rounded(measure.f1()),
        interval: interval(measure.f1(), draws),
    }
}

/// The middle 95 % of the draws, moved so that their mean is the figure.
fn interval(figure: f64, mut draws: Vec<f64>) -> Interval {
    draws.sort_by(f64::total_cmp);
    let bias = draws.iter().sum::<f64>() / draws.len() as f64 - figure;
    let at = |share: f64| draws[(share * (draws.len() - 1) as f64).round() as usize] - bias;
    let [low, high] = [at(0.025), at(0.975)].map(|end| rounded(end.clamp(0.0, 1.0)));
    Interval { low, high }
}

/// Finer than any interval, coarser than what differs between machines.
fn rounded(figure: f64) -> f64 {
    (figure * 1e6).round() / 1e6
}

fn print(accuracy: &Accuracy) {
    let of = |name: &str, measure: &Agreement| {
        let Agreement { p, r, f1, interval: Interval { low, high } } = measure;
        format!("{name} {p:.3} {r:.3} {f1:.3} [{low:.3} {high:.3}]")
    };
    for set in &accuracy.sets {
        let Interval { low, high } = set.figure_interval;
        println!(
            "{:>9} {:3} {:>5} items {:>4} events  {}  {}  {:.4} [{low:.3} {high:.3}]{}",
            set.set,
            set.lang,
            set.items,
            set.events,
            of("BCubed", &set.bcubed),
            of("pairs", &set.pairs),
            set.figure,
            if set.quoted { " *" } else { "" },
        );
    }
    let Interval { low, high } = accuracy.mean_interval;
    println!(
        "mean of the {} sets marked *, at threshold {}: {:.4} [{low:.3} {high:.3}]",
        accuracy.sets.iter().filter(|set| set.quoted).count(),
        accuracy.threshold,
        accuracy.mean,
    );
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
