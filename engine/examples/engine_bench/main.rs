//! Speed, memory and growth of the clustering on synthetic items.
//!
//! `cargo run --release -p engine --example engine_bench -- [--million] [--dense] [--equal]
//! [--replay] [--json]`, or `-- --write-items FILE`
//!
//! Items ([`items`]) come at 10,000 a day, or, for the dense case, all within 24 hours; `--equal` adds
//! a million equal titles. Beside the time that passed stands that of the processors, which others on
//! the machine do not lengthen. The replay computes the board of every hour of 30 days of 5,000 items.
//! `--write-items` writes the items of the 10,000-item run, one JSON object a line, and measures
//! nothing.

#![expect(clippy::disallowed_methods, reason = "a measuring tool around the core has a clock")]

mod items;

use std::{fs, hint::black_box, io, time::Instant};

use engine::{
    Article, Assignments, Timeline, assignments,
    boilerplate::{self, Passage},
    group,
    lexicon::Lexicon,
    origin, place,
    similar::Texts,
};
use items::{Corpus, LANGUAGES, START};
use model::{Grouping, Model};
use rayon::prelude::*;

const PER_DAY: f64 = 10_000.0;
const DAY: f64 = 86_400.0;

/// Peers are compared at this size.
const COMPARED: usize = 10_000;

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let flag = |name: &str| arguments.iter().any(|argument| argument == name);
    if let Some(at) = arguments.iter().position(|argument| argument == "--write-items") {
        let path = arguments.get(at + 1).ok_or(io::ErrorKind::InvalidInput)?;
        return Corpus::new(COMPARED, DAY / PER_DAY).write(path);
    }
    let mut sizes = vec![1_000, COMPARED, 100_000];
    if flag("--million") {
        sizes.push(1_000_000);
    }
    let params = Model::v1().grouping;
    let mut runs: Vec<Run> = sizes
        .iter()
        .map(|&size| Run::of("steady", &Corpus::new(size, DAY / PER_DAY).articles(), &params))
        .collect();
    let growth = growth(&runs);
    if flag("--dense") {
        let corpus = Corpus::new(100_000, DAY / 100_000.0);
        runs.push(Run::of("dense", &corpus.articles(), &params));
    }
    if flag("--equal") {
        let equal = Article {
            id: 0,
            outlet: "Newsroom 0",
            language: "cs",
            title: "Prezident jmenoval novou vládu",
            lede: "",
            at: START,
        };
        let equal: Vec<Article<'_>> =
            (0..1_000_000).map(|id| Article { id, at: START + id / 10, ..equal }).collect();
        runs.push(Run::of("equal", &equal, &params));
    }
    let replay = flag("--replay").then(Replay::run);
    if flag("--json") {
        let runs: Vec<serde_json::Value> = runs.iter().map(Run::json).collect();
        let replay = replay.map(|replay| replay.json());
        let all = serde_json::json!({"runs": runs, "growth_exponent": growth, "replay": replay});
        println!("{all}");
    } else {
        for run in &runs {
            run.print();
        }
        println!("growth exponent from {} items on: {growth:.3}", sizes[1]);
        if let Some(replay) = replay {
            replay.print();
        }
    }
    Ok(())
}

/// One measured clustering.
struct Run {
    name: &'static str,
    items: usize,
    groups: usize,
    stages: Vec<(&'static str, f64)>,
    time: Time,
    bytes_per_item: f64,
    peak_mib: f64,
}

impl Run {
    fn of(name: &'static str, articles: &[Article<'_>], params: &Grouping) -> Self {
        reset_peak();
        let before = status_kib("VmRSS:");
        let (placed, time) = timed(|| place(articles, params));
        let peak = status_kib("VmHWM:");
        let groups =
            placed.iter().map(|one| one.group).collect::<std::collections::BTreeSet<_>>().len();
        drop(placed);
        Self {
            name,
            items: articles.len(),
            groups,
            stages: stages(articles, params),
            time,
            bytes_per_item: (peak - before).max(0.0) * 1024.0 / articles.len() as f64,
            peak_mib: peak / 1024.0,
        }
    }

    fn items_per_second(&self) -> f64 {
        self.items as f64 / self.time.passed
    }

    fn json(&self) -> serde_json::Value {
        serde_json::json!({
            "items": self.items,
            "name": self.name,
            "items_per_second": self.items_per_second().round(),
            "seconds": self.time.passed,
            "processor_seconds": self.time.of_processors,
            "stages": self.stages.iter().copied().collect::<std::collections::BTreeMap<_, _>>(),
            "groups": self.groups,
            "bytes_per_item": self.bytes_per_item.round(),
            "peak_mib": self.peak_mib,
        })
    }

    fn print(&self) {
        println!(
            "{:>9} items, {}: {:.0} items/s, {:.2} s, of the processors {:.2} s; {} groups; {:.0} \
             bytes per item above the input, peak {:.0} MiB",
            self.items,
            self.name,
            self.items_per_second(),
            self.time.passed,
            self.time.of_processors,
            self.groups,
            self.bytes_per_item,
            self.peak_mib,
        );
        for (stage, seconds) in &self.stages {
            println!("    {stage:<12} {:>10.1} ms", seconds * 1e3);
        }
    }
}

/// The stages one after the other, each over all languages.
fn stages(articles: &[Article<'_>], params: &Grouping) -> Vec<(&'static str, f64)> {
    let mut stages = vec![
        ("boilerplate", 0.0),
        ("words", 0.0),
        ("weights", 0.0),
        ("group", 0.0),
        ("origins", 0.0),
    ];
    for language in LANGUAGES {
        let own: Vec<&Article<'_>> =
            articles.iter().filter(|article| article.language == language).collect();
        let times: Vec<i64> = own.iter().map(|article| article.at).collect();
        let mut start = Instant::now();
        let mut stage = 0;
        let mut done = || {
            stages[stage].1 += start.elapsed().as_secs_f64();
            stage += 1;
            start = Instant::now();
        };
        let passages: Vec<Passage<'_>> = own
            .par_iter()
            .map(|article| Passage::new(article.outlet, article.title, article.lede))
            .collect();
        let clean = boilerplate::clean(&passages.iter().collect::<Vec<_>>(), language);
        done();
        let mut lexicon = Lexicon::new(language);
        let readings: Vec<u32> = lexicon.read(&clean, params.lede_chars).collect();
        done();
        let texts = Texts::new(&lexicon, &readings, &times, params);
        done();
        let groups = group::group(&texts, params);
        done();
        let of_article: Vec<u32> =
            texts.of_article.iter().map(|&text| groups[text as usize]).collect();
        black_box(origin::origins(&of_article, &readings, &lexicon, params.copy_containment));
        done();
    }
    stages
}

/// Exponent b of processors' time ~ items^b, by least squares over the sizes from the second on.
fn growth(runs: &[Run]) -> f64 {
    let points: Vec<(f64, f64)> = runs[1..]
        .iter()
        .map(|run| ((run.items as f64).ln(), run.time.of_processors.ln()))
        .collect();
    let count = points.len() as f64;
    let mean_x = points.iter().map(|(x, _)| x).sum::<f64>() / count;
    let mean_y = points.iter().map(|(_, y)| y).sum::<f64>() / count;
    let over: f64 = points.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    over / points.iter().map(|(x, _)| (x - mean_x).powi(2)).sum::<f64>()
}

/// The board of every hour over 30 days.
struct Replay {
    boards: usize,
    events: usize,
    time: Time,
}

impl Replay {
    fn run() -> Self {
        const DAYS: i64 = 30;
        const TOGETHER: usize = 6;
        let history = Corpus::new(DAYS as usize * 5_000, DAY / 5_000.0).history();
        let moments: Vec<i64> = (1..=DAYS * 24).map(|hour| START + hour * 3_600).collect();
        let model = Model::v1();
        let (events, time) = timed(|| {
            let mut timeline = Timeline::new(&history, &model);
            let mut previous = Assignments::default();
            let mut events = 0;
            for moments in moments.chunks(TOGETHER) {
                let boards = timeline.boards(moments, &previous);
                events += boards.iter().map(|board| board.events.len()).sum::<usize>();
                previous = boards.last().map(assignments).unwrap_or_default();
            }
            events
        });
        Self { boards: moments.len(), events, time }
    }

    fn json(&self) -> serde_json::Value {
        serde_json::json!({
            "boards": self.boards,
            "events": self.events,
            "seconds": self.time.passed,
            "processor_seconds": self.time.of_processors,
        })
    }

    fn print(&self) {
        println!(
            "replay of {} boards with {} events: {:.1} s, of the processors {:.1} s",
            self.boards, self.events, self.time.passed, self.time.of_processors,
        );
    }
}

/// Seconds.
struct Time {
    passed: f64,
    of_processors: f64,
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Time) {
    let (start, before) = (Instant::now(), processor_seconds());
    let result = black_box(work());
    let passed = start.elapsed().as_secs_f64();
    (result, Time { passed, of_processors: processor_seconds() - before })
}

/// Of this process, its own and the system's for it.
fn processor_seconds() -> f64 {
    const TICKS_PER_SECOND: f64 = 100.0;
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The fields after the name, which may hold anything: the 12th and 13th of them.
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields).split_whitespace();
    fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>()
        / TICKS_PER_SECOND
}

fn status_kib(field: &str) -> f64 {
    fs::read_to_string("/proc/self/status")
        .unwrap_or_default()
        .lines()
        .find_map(|line| line.strip_prefix(field)?.split_whitespace().next()?.parse().ok())
        .unwrap_or(0.0)
}

/// Linux forgets the peak of the runs before.
fn reset_peak() {
    // Where this is not allowed, the peak is that of the whole process: too high, never too low.
    let _ = fs::write("/proc/self/clear_refs", "5");
}
