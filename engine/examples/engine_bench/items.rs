//! Synthetic items: 30 words in four languages with Zipf word frequencies; half of them tell events.

use std::{
    fs,
    io::{self, Write},
};

use engine::Article;
use model::{
    ItemHistory, ItemId, ItemText, Newsroom, NewsroomId, Sighting, SourceId, SourcePolls, Window,
};

pub const LANGUAGES: [&str; 4] = ["cs", "en", "de", "sk"];
/// The first item's time.
pub const START: i64 = 1_780_000_000;
const WORDS: usize = 30;
const TITLE_WORDS: usize = 10;
const VOCABULARY: usize = 60_000;
const NEWSROOMS: usize = 200;
const SEED: u64 = 0x9E37_79B9_7F4A_7C15;
const HOUR: i64 = 3_600;

pub struct Corpus {
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
    pub fn new(items: usize, seconds_between: f64) -> Self {
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
                    at: START + (index as f64 * seconds_between) as i64,
                }
            })
            .collect();
        let newsrooms = (0..NEWSROOMS).map(|number| format!("Newsroom {number}")).collect();
        Self { newsrooms, items }
    }

    pub fn write(&self, path: &str) -> io::Result<()> {
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

    /// The items as a history: each stood in its newsroom's hourly feed for two to six hours, and one
    /// in twenty got another title an hour after it came.
    pub fn history(&self) -> Window {
        let mut random = Random(SEED);
        let newsrooms = (1..).zip(&self.newsrooms).map(|(id, name)| Newsroom {
            id: NewsroomId(id),
            slug: format!("newsroom-{id}"),
            name: name.clone(),
            homepage: String::new(),
            owner: None,
            country: String::new(),
            language: String::new(),
            weight: 1.0,
            weight_reason: None,
        });
        let last = self.items.last().map_or(START, |item| item.at) + 6 * HOUR;
        let polls: Vec<i64> = (START..=last).step_by(HOUR as usize).collect();
        let sources = (1..=NEWSROOMS as i32).map(|id| SourcePolls {
            source: SourceId(id),
            newsroom: NewsroomId(id),
            polls: polls.clone(),
        });
        let items = self.items.iter().enumerate().map(|(index, item)| {
            let newsroom = item.newsroom as i32 + 1;
            let text = |at: i64, title: String| ItemText { at, title, lede: item.lede.clone() };
            let mut texts = vec![text(item.at, item.title.clone())];
            if random.below(20) == 0 {
                let (first, rest) = item.title.split_once(' ').unwrap_or_default();
                texts.push(text(item.at + HOUR, format!("{rest} {first}")));
            }
            ItemHistory {
                id: ItemId(index as i64 + 1),
                newsroom: NewsroomId(newsroom),
                link: format!("https://newsroom-{newsroom}.example/{index}"),
                language: item.language.to_owned(),
                mention_at: item.at,
                backfill: false,
                texts,
                sightings: vec![Sighting {
                    source: SourceId(newsroom),
                    from: item.at,
                    until: item.at + (2 + random.below(5) as i64) * HOUR,
                    position: 1 + random.below(30) as u32,
                    length: 30,
                    views: None,
                }],
            }
        });
        Window {
            newsrooms: newsrooms.collect(),
            sources: sources.collect(),
            items: items.collect(),
        }
    }

    pub fn articles(&self) -> Vec<Article<'_>> {
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
