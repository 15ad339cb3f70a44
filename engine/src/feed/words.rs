//! The words of posts in any of the feeds' languages, as stems that are numbers.

use crate::{stop, text};

/// A word that says something, and its stem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word<'t> {
    pub written: &'t str,
    pub stem: Stem,
}

/// The first characters of a word without its ending. They fit a number, so that comparing stems
/// is comparing numbers.
pub type Stem = u128;

const STEM_CHARS: usize = 5;
const CHAR_BITS: u32 = 21;
const SHORTEST_WORD: usize = 3;
/// What must be left of a word whose ending is cut.
const KEPT_CHARS: usize = 3;

/// Common Russian and Ukrainian endings of nouns and adjectives, the longest first.
#[rustfmt::skip]
const ENDINGS: [&str; 66] = [
    "иями",
    "ями", "ами", "ого", "его", "ому", "ему", "ими", "ыми", "іми", "ией", "ією", "иях", "иям", "ові",
    "ой", "ей", "ою", "ею", "ий", "ый", "ій", "ая", "яя", "ое", "ее", "ые", "ие", "их", "ых", "іх",
    "им", "ым", "ім", "ом", "ем", "єм", "ам", "ям", "ах", "ях", "ів", "їв", "ов", "ев", "ию", "ия",
    "ии", "ію", "ія", "ії", "ьи",
    "а", "я", "о", "е", "ы", "и", "і", "у", "ю", "ь", "й", "є", "ї", "э",
];

/// Alphanumeric words in order; addresses, mentions, numbers, short words and stop words dropped.
pub fn words(text: &str) -> impl Iterator<Item = Word<'_>> {
    let mut lower = String::new();
    text.split_whitespace()
        .filter(|piece| !is_address(piece))
        .flat_map(|piece| piece.split(|c: char| !c.is_alphanumeric()))
        .filter_map(move |written| {
            if written.len() < SHORTEST_WORD || text::is_number(written) {
                return None;
            }
            lower.clear();
            lower.extend(written.chars().flat_map(char::to_lowercase));
            if lower.chars().count() < SHORTEST_WORD || stop::in_feeds(&lower) {
                return None;
            }
            Some(Word { written, stem: stem(&lower) })
        })
}

fn is_address(piece: &str) -> bool {
    let piece = piece.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '@');
    piece.starts_with('@')
        || piece.contains("://")
        || piece.starts_with("www.")
        || piece.starts_with("t.me/")
}

/// The stem of a lower-case word.
#[must_use]
pub fn stem(lower: &str) -> Stem {
    without_ending(lower)
        .chars()
        .take(STEM_CHARS)
        .fold(0, |stem, c| stem << CHAR_BITS | Stem::from(u32::from(c)))
}

fn without_ending(word: &str) -> &str {
    let cyrillic = |c: char| ('\u{400}'..'\u{530}').contains(&c);
    if !word.ends_with(cyrillic) {
        return word;
    }
    ENDINGS
        .iter()
        .filter_map(|ending| word.strip_suffix(ending))
        .find(|rest| rest.chars().count() >= KEPT_CHARS)
        .unwrap_or(word)
}
