//! Speed, memory and growth of the personalised feed on invented pages.
//!
//! `cargo run --release -p engine --example feed_bench -- [--json]`, or `-- --write-pages DIR`
//!
//! Posts have 30 words with Zipf frequencies and come from 100 channels in three days; half of them
//! tell stories that others tell as well, a tenth repeats another's text. The parameters are those of a
//! request that gives none (100 posts placed); the last runs place all. "Again" is a feed of pages that
//! are kept read.
//! `--write-pages` writes the pages of the 10,000-post run, one file each, and measures nothing.

#![expect(clippy::disallowed_methods, reason = "a measuring tool around the core has a clock")]

use std::{fs, hint::black_box, io, time::Instant};

use engine::feed::{
    Feed,
    duplicates::{self, Print},
    page::{Page, Post},
    place::{self, Candidate},
    rank, topics,
    vectors::{Bags, Vectors},
};
use model::FeedParams;
use rand::{RngExt, SeedableRng, rngs::StdRng};

const CHANNELS: usize = 100;
const WORDS: usize = 30;
const VOCABULARY: usize = 60_000;
const NOW: i64 = 1_780_000_000;
/// Peers are compared at this size.
const COMPARED: usize = 10_000;
/// Of so many runs the median is taken.
const RUNS: usize = 5;

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some(at) = arguments.iter().position(|argument| argument == "--write-pages") {
        let dir = arguments.get(at + 1).ok_or(io::ErrorKind::InvalidInput)?;
        fs::create_dir_all(dir)?;
        for (number, page) in pages(COMPARED).iter().enumerate() {
            fs::write(format!("{dir}/{number:03}.json"), page)?;
        }
        return Ok(());
    }
    let default = FeedParams::default();
    let whole = FeedParams { limit: u32::MAX, ..FeedParams::default() };
    let runs = [1_000, COMPARED, 100_000].map(|posts| run(posts, &default));
    let growth = growth(&runs);
    let mut runs = Vec::from(runs);
    runs.extend([1_000, COMPARED].map(|posts| run(posts, &whole)));
    if arguments.iter().any(|argument| argument == "--json") {
        let runs: Vec<serde_json::Value> = runs.iter().map(Run::json).collect();
        println!("{}", serde_json::json!({"runs": runs, "growth_exponent": growth}));
    } else {
        for run in &runs {
            run.print();
        }
        println!("growth exponent with the default limit: {growth:.3}");
    }
    Ok(())
}

/// One measured size.
struct Run {
    posts: usize,
    page_bytes: usize,
    /// What the pages take when they are kept read, beside their JSON.
    read_bytes: usize,
    placed: usize,
    topics: usize,
    stages: Vec<(&'static str, f64)>,
    total_seconds: f64,
    again_seconds: f64,
    peak_mib: f64,
}

impl Run {
    fn json(&self) -> serde_json::Value {
        serde_json::json!({
            "posts": self.posts,
            "page_bytes": self.page_bytes,
            "read_bytes": self.read_bytes,
            "placed": self.placed,
            "topics": self.topics,
            "seconds": self.total_seconds,
            "seconds_again": self.again_seconds,
            "stages": self.stages.iter().copied().collect::<std::collections::BTreeMap<_, _>>(),
            "peak_mib": self.peak_mib,
        })
    }

    fn print(&self) {
        println!(
            "{:>7} posts, {:.1} MB of pages ({:.1} MB more when read): {:.1} ms, again {:.1} ms, \
             {} placed, {} topics, peak {:.0} MiB",
            self.posts,
            self.page_bytes as f64 / 1e6,
            self.read_bytes as f64 / 1e6,
            self.total_seconds * 1e3,
            self.again_seconds * 1e3,
            self.placed,
            self.topics,
            self.peak_mib,
        );
        for (stage, seconds) in &self.stages {
            println!("    {stage:<12} {:>8.1} ms", seconds * 1e3);
        }
    }
}

fn run(posts: usize, params: &FeedParams) -> Run {
    let pages = pages(posts);
    reset_peak();
    let total_seconds = median_seconds(|| {
        black_box(engine::feed::build_feed(&pages, params, NOW));
    });
    let peak_mib = status_kib("VmHWM:") / 1024.0;
    let read = read(&pages);
    let read: Vec<&Page<'_>> = read.iter().collect();
    let again_seconds = median_seconds(|| {
        black_box(rank(&read, params, NOW).to_json());
    });
    let feed = rank(&read, params, NOW);
    Run {
        posts,
        page_bytes: pages.iter().map(Vec::len).sum(),
        read_bytes: read.iter().map(|page| page.memory()).sum(),
        placed: feed.entries.len(),
        topics: feed.topics.len(),
        stages: stages(&pages, params, &feed),
        total_seconds,
        again_seconds,
        peak_mib,
    }
}

fn median_seconds(work: impl Fn()) -> f64 {
    let mut times: Vec<f64> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[RUNS / 2]
}

fn read(pages: &[Vec<u8>]) -> Vec<Page<'_>> {
    pages.iter().filter_map(|page| Page::read(page).ok()).collect()
}

/// The stages one after the other, each on its own.
fn stages(pages: &[Vec<u8>], params: &FeedParams, feed: &Feed<'_>) -> Vec<(&'static str, f64)> {
    let mut stages = Vec::new();
    let mut start = Instant::now();
    let mut done = |stage| {
        stages.push((stage, start.elapsed().as_secs_f64()));
        start = Instant::now();
    };
    let pages = read(pages);
    done("read");
    let score = |post: &Post<'_>| {
        let freshness = engine::feed::freshness(post.at, params.half_life_hours, NOW);
        post.signals.quality().total() * (0.1 + 0.9 * freshness)
    };
    let mut posts: Vec<((u32, u32), &Post<'_>)> = (0..)
        .zip(&pages)
        .flat_map(|(channel, page)| {
            (0..).zip(&page.posts).map(move |(number, post)| ((channel, number), post))
        })
        .collect();
    posts.sort_by_cached_key(|(_, post)| std::cmp::Reverse((score(post) * 1e15) as u64));
    done("score");
    let prints: Vec<Option<&Print>> = posts.iter().map(|(_, post)| post.print.as_ref()).collect();
    let firsts = duplicates::groups(&prints);
    done("duplicates");
    let bags: Vec<&Bags> = pages.iter().map(|page| &page.bags).collect();
    let vectors = Vectors::of(&bags, posts.iter().map(|(text, _)| *text).collect());
    done("vectors");
    let candidates: Vec<Candidate> = (0..)
        .zip(&posts)
        .filter(|(row, _)| firsts[*row as usize] == *row)
        .map(|(row, &((channel, _), post))| Candidate { row, channel, score: score(post) })
        .collect();
    let placed = place::place(&candidates, &vectors, params.diversity, params.limit as usize);
    done("placement");
    let rows: Vec<u32> = placed.iter().map(|&number| candidates[number as usize].row).collect();
    black_box(topics::topics(&rows, &vectors));
    done("topics");
    black_box(feed.to_json());
    done("answer");
    stages
}

/// Exponent b of time ~ posts^b, by least squares over the sizes.
fn growth(runs: &[Run]) -> f64 {
    let points: Vec<(f64, f64)> =
        runs.iter().map(|run| ((run.posts as f64).ln(), run.total_seconds.ln())).collect();
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

/// Pages of [`CHANNELS`] channels with so many posts in all.
fn pages(posts: usize) -> Vec<Vec<u8>> {
    let mut random = StdRng::seed_from_u64(7);
    let words = Words::new(&mut random);
    let mut stories: Vec<Vec<&str>> = Vec::new();
    let mut texts: Vec<Vec<&str>> = Vec::with_capacity(posts);
    let mut pages: Vec<Vec<serde_json::Value>> = vec![Vec::new(); CHANNELS];
    for id in 0..posts {
        let text = if id > 0 && random.random_bool(0.1) {
            // Another channel's text with a signature.
            let mut text = texts[random.random_range(0..id)].clone();
            text.truncate(WORDS);
            text.extend((0..3).map(|_| words.draw(&mut random)));
            text
        } else {
            let mut text: Vec<&str> = (0..WORDS).map(|_| words.draw(&mut random)).collect();
            if random.random_bool(0.5) {
                if stories.len() < 40 || random.random_bool(0.25) {
                    if stories.len() >= 40 {
                        stories.swap_remove(random.random_range(0..40));
                    }
                    stories.push((0..14).map(|_| words.draw(&mut random)).collect());
                }
                for &word in &stories[random.random_range(0..stories.len())] {
                    if random.random_bool(0.67) {
                        text[random.random_range(0..WORDS)] = word;
                    }
                }
            }
            text
        };
        let channel = random.random_range(0..CHANNELS);
        pages[channel].push(post(id, channel, &text.join(" "), &mut random));
        texts.push(text);
    }
    (0..)
        .zip(pages)
        .map(|(number, posts): (u32, _)| {
            serde_json::json!({
                "channel": {
                    "username": format!("channel_{number}"),
                    "title": format!("Channel {number}"),
                    "counters": {"subscribers": format!("{}.{}K", 1 + number * 7, number % 10)},
                },
                "content": {"posts": posts},
            })
            .to_string()
            .into_bytes()
        })
        .collect()
}

/// A post of about 750 bytes.
fn post(id: usize, channel: usize, text: &str, random: &mut StdRng) -> serde_json::Value {
    let media: Vec<serde_json::Value> = (0..random.random_range(0..3))
        .map(|number| {
            serde_json::json!({
                "type": "photo",
                "url": format!("https://media.example/channel_{channel}/{id}/{number}.jpg"),
                "width": 1_280,
                "height": 720,
            })
        })
        .collect();
    serde_json::json!({
        "id": id,
        "url": format!("https://posts.example/channel_{channel}/{id}"),
        "content": {
            "text": {"string": text},
            "media": media,
            "reacts": [
                {"emoji": "👍", "count": random.random_range(0..90)},
                {"emoji": "🔥", "count": random.random_range(0..30)},
                {"emoji": "👎", "count": random.random_range(0..40)},
            ],
        },
        "footer": {
            "views": format!("{}.{}K", random.random_range(1..90), random.random_range(0..10)),
            "edited": random.random_bool(0.1),
            "author": "Redakce",
            "date": {
                "unix": NOW - random.random_range(0..72 * 3_600),
                "string": "2026-05-28T20:26:40+00:00",
            },
        },
    })
}

/// Invented words with frequency ~ 1 / (rank + 2.7), the offset of B. Mandelbrot.
struct Words {
    words: Vec<String>,
    cumulated: Vec<f64>,
}

impl Words {
    fn new(random: &mut StdRng) -> Self {
        const ONSETS: [&str; 24] = [
            "b", "c", "d", "f", "g", "h", "j", "k", "l", "m", "n", "p", "r", "s", "t", "v", "z",
            "br", "ch", "dv", "kl", "pr", "st", "tr",
        ];
        const NUCLEI: [&str; 8] = ["a", "e", "i", "o", "u", "ou", "al", "er"];
        let function_words = "a v na se je že s z do o k i za ve pro ale po by jako od který";
        let mut words: Vec<String> = function_words.split(' ').map(str::to_owned).collect();
        while words.len() < VOCABULARY {
            let syllables = random.random_range(2..5);
            let syllable = |_| {
                let onset = ONSETS[random.random_range(0..ONSETS.len())];
                [onset, NUCLEI[random.random_range(0..NUCLEI.len())]]
            };
            words.push((0..syllables).flat_map(syllable).collect());
        }
        let cumulated = (0..VOCABULARY)
            .scan(0.0, |sum, rank| {
                *sum += 1.0 / (rank as f64 + 3.7);
                Some(*sum)
            })
            .collect();
        Self { words, cumulated }
    }

    fn draw(&self, random: &mut StdRng) -> &str {
        let at = random.random_range(0.0..self.cumulated[VOCABULARY - 1]);
        &self.words[self.cumulated.partition_point(|&sum| sum < at).min(VOCABULARY - 1)]
    }
}
