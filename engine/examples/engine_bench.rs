//! Speed, memory and growth of the clustering on synthetic items.
//!
//! `cargo run --release -p engine --example engine_bench -- [--million] [--dense] [--json]`, or
//! `-- --write-items FILE`
//!
//! Items have 30 words in four languages, with Zipf word frequencies; half of them tell events of
//! several newsrooms. They come at 10,000 a day, or, for the dense case, all within 24 hours.
//! `--write-items` writes those of the 10,000-item run, one JSON object a line, and measures nothing.

#![expect(clippy::disallowed_methods, reason = "a measuring tool around the core has a clock")]

use std::{
    fs,
    hint::black_box,
    io::{self, Write},
    time::Instant,
};

use engine::{
    Article,
    boilerplate::{self, Passage},
    group,
    lexicon::Lexicon,
    origin, place,
    similar::Texts,
};
use model::{Grouping, Model};
use rayon::prelude::*;

const LANGUAGES: [&str; 4] = ["cs", "en", "de", "sk"];
const WORDS: usize = 30;
const TITLE_WORDS: usize = 10;
const VOCABULARY: usize = 60_000;
const PER_DAY: f64 = 10_000.0;
const NEWSROOMS: usize = 200;
const SEED: u64 = 0x9E37_79B9_7F4A_7C15;
/// Peers are compared at this size.
const COMPARED: usize = 10_000;

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let flag = |name: &str| arguments.iter().any(|argument| argument == name);
    if let Some(at) = arguments.iter().position(|argument| argument == "--write-items") {
        let path = arguments.get(at + 1).ok_or(io::ErrorKind::InvalidInput)?;
        return Corpus::new(COMPARED, 86_400.0 / PER_DAY).write(path);
    }
    let mut sizes = vec![1_000, COMPARED, 100_000];
    if flag("--million") {
        sizes.push(1_000_000);
    }
    let params = Model::v1().grouping;
    let mut runs: Vec<Run> =
        sizes.iter().map(|&size| run(size, 86_400.0 / PER_DAY, &params)).collect();
    let growth = growth(&runs);
    if flag("--dense") {
        runs.push(run(100_000, 86_400.0 / 100_000.0, &params));
    }
    if flag("--json") {
        let runs: Vec<serde_json::Value> = runs.iter().map(Run::json).collect();
        println!("{}", serde_json::json!({"runs": runs, "growth_exponent": growth}));
    } else {
        for run in &runs {
            run.print();
        }
        println!("growth exponent from {} items on: {growth:.3}", sizes[1]);
    }
    Ok(())
}

/// One measured size.
struct Run {
    items: usize,
    seconds_between: f64,
    groups: usize,
    stages: Vec<(&'static str, f64)>,
    total_seconds: f64,
    bytes_per_item: f64,
    peak_mib: f64,
}

impl Run {
    fn items_per_second(&self) -> f64 {
        self.items as f64 / self.total_seconds
    }

    fn json(&self) -> serde_json::Value {
        serde_json::json!({
            "items": self.items,
            "seconds_between": self.seconds_between,
            "items_per_second": self.items_per_second().round(),
            "seconds": self.total_seconds,
            "stages": self.stages.iter().copied().collect::<std::collections::BTreeMap<_, _>>(),
            "groups": self.groups,
            "bytes_per_item": self.bytes_per_item.round(),
            "peak_mib": self.peak_mib,
        })
    }

    fn print(&self) {
        println!(
            "{:>9} items, one every {:.2} s: {:>9.0} items/s, {} groups, {:.0} bytes per item \
             above the input, peak {:.0} MiB",
            self.items,
            self.seconds_between,
            self.items_per_second(),
            self.groups,
            self.bytes_per_item,
            self.peak_mib,
        );
        for (stage, seconds) in &self.stages {
            println!("    {stage:<12} {:>10.1} ms", seconds * 1e3);
        }
    }
}

fn run(items: usize, seconds_between: f64, params: &Grouping) -> Run {
    let corpus = Corpus::new(items, seconds_between);
    let articles = corpus.articles();
    reset_peak();
    let before = status_kib("VmRSS:");
    let start = Instant::now();
    let placed = black_box(place(&articles, params));
    let total_seconds = start.elapsed().as_secs_f64();
    let peak = status_kib("VmHWM:");
    let groups =
        placed.iter().map(|one| one.group).collect::<std::collections::BTreeSet<_>>().len();
    drop(placed);
    let stages = stages(&articles, params);
    Run {
        items,
        seconds_between,
        groups,
        stages,
        total_seconds,
        bytes_per_item: (peak - before).max(0.0) * 1024.0 / items as f64,
        peak_mib: peak / 1024.0,
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

/// Exponent b of time ~ items^b, by least squares over the sizes from the second on.
fn growth(runs: &[Run]) -> f64 {
    let points: Vec<(f64, f64)> =
        runs[1..].iter().map(|run| ((run.items as f64).ln(), run.total_seconds.ln())).collect();
    let count = points.len() as f64;
    let mean_x = points.iter().map(|(x, _)| x).sum::<f64>() / count;
    let mean_y = points.iter().map(|(_, y)| y).sum::<f64>() / count;
    let over: f64 = points.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    over / points.iter().map(|(x, _)| (x - mean_x).powi(2)).sum::<f64>()
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

struct Corpus {
    newsrooms: Vec<String>,
    items: Vec<Item>,
}

struct Item {
    newsroom: usize,
    language: &'static str,
    title: String,
    lede: String,
    at: i64,
}

impl Corpus {
    fn new(items: usize, seconds_between: f64) -> Self {
        let mut random = Random(SEED);
        let zipf = Zipf::new(VOCABULARY);
        let vocabularies: Vec<Vec<String>> =
            LANGUAGES.iter().map(|language| vocabulary(language, &mut random)).collect();
        // The words of the events that are being told, by language.
        let mut events: Vec<Vec<Vec<usize>>> = vec![Vec::new(); LANGUAGES.len()];
        let items = (0..items)
            .map(|index| {
                let language = random.below(LANGUAGES.len());
                let vocabulary = &vocabularies[language];
                let mut words: Vec<usize> = (0..WORDS).map(|_| zipf.draw(&mut random)).collect();
                if random.below(2) == 0 {
                    let told = &mut events[language];
                    if told.len() < 40 || random.below(4) == 0 {
                        if told.len() >= 40 {
                            told.swap_remove(random.below(40));
                        }
                        told.push((0..14).map(|_| zipf.draw(&mut random)).collect());
                    }
                    let event = &told[random.below(told.len())];
                    for word in event {
                        if random.below(3) > 0 {
                            words[random.below(WORDS)] = *word;
                        }
                    }
                }
                let text = |words: &[usize]| {
                    let words: Vec<&str> =
                        words.iter().map(|&word| vocabulary[word].as_str()).collect();
                    words.join(" ")
                };
                Item {
                    newsroom: random.below(NEWSROOMS),
                    language: LANGUAGES[language],
                    title: text(&words[..TITLE_WORDS]),
                    lede: text(&words[TITLE_WORDS..]),
                    at: 1_780_000_000 + (index as f64 * seconds_between) as i64,
                }
            })
            .collect();
        let newsrooms = (0..NEWSROOMS).map(|number| format!("Newsroom {number}")).collect();
        Self { newsrooms, items }
    }

    fn write(&self, path: &str) -> io::Result<()> {
        let mut out = io::BufWriter::new(fs::File::create(path)?);
        for (id, item) in self.items.iter().enumerate() {
            let line = serde_json::json!({
                "id": id,
                "newsroom": self.newsrooms[item.newsroom],
                "language": item.language,
                "title": item.title,
                "lede": item.lede,
                "at": item.at,
            });
            writeln!(out, "{line}")?;
        }
        out.flush()
    }

    fn articles(&self) -> Vec<Article<'_>> {
        self.items
            .iter()
            .enumerate()
            .map(|(index, item)| Article {
                id: index as i64,
                outlet: &self.newsrooms[item.newsroom],
                language: item.language,
                title: &item.title,
                lede: &item.lede,
                at: item.at,
            })
            .collect()
    }
}

/// Words by rank; the most frequent ones are the language's function words.
fn vocabulary(language: &str, random: &mut Random) -> Vec<String> {
    const ONSETS: [&str; 24] = [
        "b", "c", "d", "f", "g", "h", "j", "k", "l", "m", "n", "p", "r", "s", "t", "v", "z", "br",
        "ch", "dv", "kl", "pr", "st", "tr",
    ];
    const NUCLEI: [&str; 8] = ["a", "e", "i", "o", "u", "ou", "al", "er"];
    let function_words = match language {
        "cs" => "a v na se je že s z do o k i za ve pro ale po by jako od který",
        "en" => "the of to and a in is it you that he was for on are with as his they be at",
        "de" => "der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als",
        _ => "a v na sa je že s z do o k i za vo pre ale po by ako od ktorý",
    };
    let mut words: Vec<String> = function_words.split(' ').map(str::to_owned).collect();
    while words.len() < VOCABULARY {
        let syllables = 2 + random.below(3);
        let mut word: String =
            (0..syllables).flat_map(|_| [pick(&ONSETS, random), pick(&NUCLEI, random)]).collect();
        match random.below(12) {
            0 => word = word[..1].to_uppercase() + &word[1..],
            1 => word = (1 + random.below(2_000)).to_string(),
            _ => {}
        }
        words.push(word);
    }
    words
}

fn pick(choices: &[&'static str], random: &mut Random) -> &'static str {
    choices[random.below(choices.len())]
}

/// Ranks with frequency ~ 1 / (rank + 2.7), the offset of B. Mandelbrot.
struct Zipf {
    cumulated: Vec<f64>,
}

impl Zipf {
    fn new(count: usize) -> Self {
        let cumulated = (0..count)
            .scan(0.0, |sum, rank| {
                *sum += 1.0 / (rank as f64 + 3.7);
                Some(*sum)
            })
            .collect();
        Self { cumulated }
    }

    fn draw(&self, random: &mut Random) -> usize {
        let all = self.cumulated[self.cumulated.len() - 1];
        let at = random.share() * all;
        self.cumulated.partition_point(|&sum| sum < at).min(self.cumulated.len() - 1)
    }
}

/// SplitMix64, G. Steele et al., *Fast splittable pseudorandom number generators* (2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() % count as u64) as usize
    }

    fn share(&mut self) -> f64 {
        self.next() as f64 / u64::MAX as f64
    }
}
