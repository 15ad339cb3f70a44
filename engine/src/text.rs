//! Texts to words.

use std::borrow::Cow;

use unicode_normalization::{UnicodeNormalization, is_nfc};
use unicode_segmentation::UnicodeSegmentation;

/// A word as it stands in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word<'a> {
    pub written: &'a str,
    /// Not the first word of a sentence, so that a capital says something.
    pub inside: bool,
    pub capital: bool,
}

impl Word<'_> {
    /// Numbers tell happenings of one kind apart: dates, scores, sums, victims.
    pub fn number(&self) -> bool {
        is_number(self.written)
    }
}

pub fn is_number(word: &str) -> bool {
    word.chars().next().is_some_and(char::is_numeric)
}

/// Unicode words of a text, addresses and mentions (`@name`) left out; an elided article or a
/// possessive (`l'`, `'s`) is cut off.
pub fn words(text: &str) -> impl Iterator<Item = Word<'_>> {
    let mut inside = false;
    text.split_whitespace().flat_map(move |piece| {
        let address = piece.starts_with('@') || piece.contains("://") || piece.starts_with("www.");
        if piece.starts_with(|first: char| !first.is_alphanumeric()) {
            inside = false;
        }
        let starts_inside = inside;
        let mut first = true;
        if !address {
            inside = !piece.ends_with(['.', '!', '?', ':', '…', '|', '–', '—', '-', '"', '“']);
        }
        let piece = if address { "" } else { piece };
        piece.unicode_words().map(move |word| {
            let word_inside = starts_inside || !first;
            first = false;
            let written = word.split(['\'', '’']).max_by_key(|part| part.len()).unwrap_or(word);
            Word { written, inside: word_inside, capital: written.starts_with(char::is_uppercase) }
        })
    })
}

/// Composed (NFC), so that equal letters are equal bytes.
pub fn composed(text: &str) -> Cow<'_, str> {
    if is_nfc(text) { Cow::Borrowed(text) } else { Cow::Owned(text.nfc().collect()) }
}

/// At most the first `count` characters.
pub fn first_chars(text: &str, count: usize) -> &str {
    text.char_indices().nth(count).map_or(text, |(end, _)| &text[..end])
}

/// The language without its region: `cs` of `cs-CZ`.
pub fn primary_language(tag: &str) -> String {
    tag.split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase()
}

/// Letters and digits in lower case without their marks: `eurozpravycz` of `EuroZprávy.cz`.
pub fn letters(text: &str) -> String {
    text.nfkd().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
