//! What sites put around their texts: the outlet's name at the end of titles, sentences that stand
//! under everything. It would tie items together that have nothing in common, so it is cut first.
//!
//! A sentence, or the tail of a title, is boilerplate when it is repeated under titles of which
//! most share no word, by one outlet or by many. A wire text is not: outlets print it once each, and
//! their headlines share words.

use std::{borrow::Cow, hash::Hasher};

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use crate::{stop, text};

/// Title and lede of one item, composed.
pub struct Passage<'a> {
    outlet: &'a str,
    title: Cow<'a, str>,
    lede: Cow<'a, str>,
    /// Length of the title without its last tail.
    head: usize,
    /// Of its sentences and of its title's tails.
    keys: Vec<u64>,
}

impl<'a> Passage<'a> {
    #[must_use]
    pub fn new(outlet: &'a str, title: &'a str, lede: &'a str) -> Self {
        let (title, lede) = (text::composed(title), text::composed(lede));
        let head = split_tail(&title).map_or(title.len(), |(head, _)| head.len());
        let keys = keys(&title, &lede);
        Self { outlet, title, lede, head, keys }
    }

    fn head(&self) -> &str {
        &self.title[..self.head]
    }
}

/// What is left of a passage.
#[derive(Debug, PartialEq, Eq)]
pub struct Clean<'p> {
    pub title: &'p str,
    pub lede: Cow<'p, str>,
}

/// Words that identify a sentence: its end may be cut off.
const KEY_WORDS: usize = 6;
/// A shorter sentence is no evidence.
const SENTENCE_WORDS: usize = 3;
/// A longer tail of a title is a part of the sentence.
const TAIL_WORDS: usize = 6;
/// Unrelated titles that prove boilerplate even when each is another outlet's.
const MANY: usize = 4;
/// As many titles are compared with one another.
const SAMPLE: usize = 8;

const TAIL_SEPARATORS: [&str; 5] = [" | ", " - ", " – ", " — ", " · "];

/// Cleans passages of one language; the result does not depend on other languages.
#[must_use]
pub fn clean<'p>(passages: &[&'p Passage<'_>], language: &str) -> Vec<Clean<'p>> {
    let repeated = repeated(passages, language);
    passages.par_iter().map(|passage| strip(passage, &repeated)).collect()
}

fn keys(title: &str, lede: &str) -> Vec<u64> {
    let mut keys: Vec<u64> = sentences(lede).filter_map(sentence_key).collect();
    let mut title = title;
    while let Some((head, tail)) = split_tail(title) {
        keys.extend(tail_key(tail));
        title = head;
    }
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// Keys that stand under unrelated titles.
fn repeated(passages: &[&Passage<'_>], language: &str) -> FxHashSet<u64> {
    let mut counts = FxHashMap::<u64, u32>::default();
    for &key in passages.iter().flat_map(|passage| &passage.keys) {
        *counts.entry(key).or_default() += 1;
    }
    let mut under = FxHashMap::<u64, Vec<(&str, &str)>>::default();
    for passage in passages {
        let again = |key: &&u64| counts.get(key).is_some_and(|&count| count > 1);
        for key in passage.keys.iter().filter(again) {
            let head = passage.head();
            let titles = under.entry(*key).or_default();
            if titles.len() < SAMPLE && titles.iter().all(|&(title, _)| title != head) {
                titles.push((head, passage.outlet));
            }
        }
    }
    under
        .into_par_iter()
        .filter(|(_, titles)| {
            let outlets: FxHashSet<&str> = titles.iter().map(|(_, outlet)| *outlet).collect();
            (titles.len() > outlets.len() || titles.len() >= MANY)
                && mostly_unrelated(titles, language)
        })
        .map(|(key, _)| key)
        .collect()
}

fn mostly_unrelated(titles: &[(&str, &str)], language: &str) -> bool {
    let stop = stop::list(language);
    let words: Vec<FxHashSet<String>> = titles
        .iter()
        .map(|(title, _)| {
            text::words(title)
                .map(|word| word.written.to_lowercase())
                .filter(|word| stop.is_none_or(|stop| !stop.contains(word.as_str())))
                .map(|word| text::first_chars(&word, 5).to_owned())
                .collect()
        })
        .collect();
    let pairs = words.len() * (words.len() - 1) / 2;
    let unrelated = (0..words.len())
        .flat_map(|a| (0..a).map(move |b| (a, b)))
        .filter(|&(a, b)| words[a].is_disjoint(&words[b]))
        .count();
    2 * unrelated > pairs
}

fn strip<'p>(passage: &'p Passage<'_>, repeated: &FxHashSet<u64>) -> Clean<'p> {
    let mut title = &*passage.title;
    let mut lede = Cow::Borrowed(&*passage.lede);
    if passage.head < title.len() {
        while let Some((head, tail)) = split_tail(title)
            && (is_outlet(tail, passage.outlet)
                || tail_key(tail).is_some_and(|key| repeated.contains(&key)))
        {
            title = head;
        }
    }
    if passage.keys.iter().any(|key| repeated.contains(key)) {
        let is_repeated =
            |sentence: &str| sentence_key(sentence).is_some_and(|key| repeated.contains(&key));
        if sentences(&lede).any(is_repeated) {
            let kept: Vec<&str> =
                sentences(&lede).filter(|sentence| !is_repeated(sentence)).collect();
            lede = Cow::Owned(kept.concat());
        }
    }
    Clean { title, lede }
}

/// Pieces that end in a full stop, question or exclamation mark and white space; together they are
/// the text.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(char::is_whitespace)
        .scan((0, 0), move |(start, end), piece| {
            *end += piece.len();
            let word = piece.trim_end();
            let before_mark = word.strip_suffix(['.', '!', '?', '…']);
            let ends = before_mark.is_some_and(|word| !word.ends_with(|c: char| c.is_numeric()))
                || *end == text.len();
            Some(ends.then(|| {
                let sentence = &text[*start..*end];
                *start = *end;
                sentence
            }))
        })
        .flatten()
}

fn sentence_key(sentence: &str) -> Option<u64> {
    key(sentence, SENTENCE_WORDS, KEY_WORDS).map(|(key, _)| key)
}

fn tail_key(tail: &str) -> Option<u64> {
    let (key, words) = key(tail, 1, TAIL_WORDS + 1)?;
    // Apart from a sentence of the same words.
    (words <= TAIL_WORDS).then_some(key ^ 1)
}

/// Hash of the first `most` words in lower case, and their number, if there are `least`.
fn key(text: &str, least: usize, most: usize) -> Option<(u64, usize)> {
    let mut hasher = FxHasher::default();
    let mut count = 0;
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    for word in words.take(most) {
        for letter in word.chars().flat_map(char::to_lowercase) {
            hasher.write_u32(u32::from(letter));
        }
        hasher.write_u32(0);
        count += 1;
    }
    (count >= least).then(|| (hasher.finish(), count))
}

fn split_tail(title: &str) -> Option<(&str, &str)> {
    TAIL_SEPARATORS
        .iter()
        .filter_map(|separator| title.rsplit_once(separator))
        .max_by_key(|(head, _)| head.len())
        .filter(|(head, tail)| !head.trim().is_empty() && !tail.trim().is_empty())
}

/// "EuroZprávy.cz" of `eurozpravy.cz`, "The Daily" of "Daily".
fn is_outlet(tail: &str, outlet: &str) -> bool {
    let (tail, outlet) = (text::letters(tail), text::letters(outlet));
    tail.chars().count() >= 3
        && !outlet.is_empty()
        && (outlet.contains(&tail) || tail.contains(&outlet))
}
