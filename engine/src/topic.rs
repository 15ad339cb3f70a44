//! Topics: the words that several events turn on.
//!
//! Nobody names them and no list of them is kept. An event turns on the words that tie its items
//! together and weigh most, of those that two newsrooms put into their titles: a title says what a
//! report is about, a lede also says when, how much and who spoke. Words for times, units, numbers and
//! kinds of reports are left out, since they say when, how much and how, not what. A word on which
//! enough events turn is a topic of the board.

use std::cmp::Reverse;

use model::{Board, Event, EventId, NewsroomId, Topic};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{stem::Stemmer, stop, text};

/// Words that an event is taken to turn on.
pub const WORDS: usize = 6;
/// A topic has at least so many events.
pub const EVENTS: usize = 3;
/// A word of more than this share of a language's shared events tells nothing.
pub const SHARE: f64 = 0.25;
/// Topics of a language that are kept.
const TOPICS: usize = 24;

/// The board's topics, those of most events first.
#[must_use]
pub fn topics(board: &Board) -> Vec<Topic> {
    let mut languages = FxHashMap::<&str, Language>::default();
    let mut found = FxHashMap::<(&str, String), Found>::default();
    let mut shared = FxHashMap::<&str, usize>::default();
    for event in board.events.iter().filter(|event| event.newsrooms() > 1) {
        let language = event.language.as_str();
        *shared.entry(language).or_default() += 1;
        let known = languages.entry(language).or_insert_with(|| Language::of(language));
        for (stem, written) in known.turning_words(event) {
            let topic = found.entry((language, stem)).or_default();
            topic.events.push(event.id);
            for word in written {
                *topic.written.entry(word).or_default() += 1;
            }
        }
    }
    let mut topics: Vec<Topic> = found
        .into_iter()
        .filter(|(_, found)| found.events.len() >= EVENTS)
        .filter(|((language, _), found)| {
            let all = shared.get(language).copied().unwrap_or_default().max(4 * EVENTS);
            found.events.len() as f64 <= all as f64 * SHARE
        })
        .map(|((language, stem), found)| Topic {
            key: format!("{stem}-{language}"),
            word: found.word(),
            language: language.to_owned(),
            events: found.events,
        })
        // German writes nouns with capitals; its other words name nothing.
        .filter(|topic| topic.language != "de" || topic.word.starts_with(char::is_uppercase))
        .collect();
    topics
        .sort_by(|a, b| (Reverse(a.events.len()), &a.key).cmp(&(Reverse(b.events.len()), &b.key)));
    let mut kept = FxHashMap::<String, usize>::default();
    topics.retain(|topic| {
        let count = kept.entry(topic.language.clone()).or_default();
        *count += 1;
        *count <= TOPICS
    });
    topics
}

#[derive(Default)]
struct Found {
    events: Vec<EventId>,
    written: FxHashMap<String, u32>,
}

impl Found {
    /// The most frequent written form; the first in the alphabet among equals.
    fn word(&self) -> String {
        let most = self.written.iter().max_by_key(|(word, count)| (**count, Reverse(*word)));
        most.map_or_else(String::new, |(word, _)| word.clone())
    }
}

/// What a language's words are read with.
struct Language {
    stemmer: Stemmer,
    /// Stems of the words that say nothing of what happened.
    aside: FxHashSet<String>,
}

impl Language {
    fn of(language: &str) -> Self {
        let stemmer = Stemmer::of(language);
        let aside = stop::aside(language).into_iter().flatten();
        let aside = aside.map(|word| stemmer.stem(word)).collect();
        Self { stemmer, aside }
    }

    /// The stem of a word that may name a topic.
    fn stem(&self, word: &str) -> Option<String> {
        let lower = word.to_lowercase();
        if text::is_number(&lower) || lower.chars().count() < 3 {
            return None;
        }
        Some(self.stemmer.stem(&lower)).filter(|stem| !self.aside.contains(stem))
    }

    /// The event's heaviest shared words by stem, each with its written forms, of those that stand in
    /// titles of two newsrooms. A word weighs as often as it ties two items.
    fn turning_words(&self, event: &Event) -> Vec<(String, Vec<String>)> {
        let titled = self.titled(event);
        let mut words = FxHashMap::<String, (f64, Vec<String>)>::default();
        let ties = event.items.iter().filter_map(|item| item.tie.as_ref());
        for shared in ties.flat_map(|tie| &tie.shared) {
            let Some(stem) = self.stem(&shared.word).filter(|stem| titled.contains(stem)) else {
                continue;
            };
            let (weight, written) = words.entry(stem).or_default();
            *weight += shared.weight;
            written.push(shared.word.clone());
        }
        let mut words: Vec<(String, (f64, Vec<String>))> = words.into_iter().collect();
        words.sort_by(|(a, (x, _)), (b, (y, _))| y.total_cmp(x).then_with(|| a.cmp(b)));
        words.truncate(WORDS);
        words.into_iter().map(|(stem, (_, written))| (stem, written)).collect()
    }

    /// Stems in the titles of two newsrooms or more.
    fn titled(&self, event: &Event) -> FxHashSet<String> {
        let mut firsts = FxHashMap::<String, NewsroomId>::default();
        let mut titled = FxHashSet::default();
        for item in &event.items {
            for stem in text::words(&item.title).filter_map(|word| self.stem(word.written)) {
                match firsts.get(&stem) {
                    Some(first) if *first != item.newsroom => _ = titled.insert(stem),
                    Some(_) => {}
                    None => _ = firsts.insert(stem, item.newsroom),
                }
            }
        }
        titled
    }
}
