//! Texts to words.

use std::{borrow::Cow, str::SplitWhitespace};

use unicode_normalization::{UnicodeNormalization, is_nfc};
use unicode_segmentation::{UnicodeSegmentation, UnicodeWords};

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
    Words { pieces: text.split_whitespace(), of_piece: None, inside: false, next_inside: false }
}

struct Words<'a> {
    pieces: SplitWhitespace<'a>,
    of_piece: Option<UnicodeWords<'a>>,
    /// Whether the next word of that piece, and the first of the next piece, stand inside a sentence.
    inside: bool,
    next_inside: bool,
}

impl<'a> Iterator for Words<'a> {
    type Item = Word<'a>;

    fn next(&mut self) -> Option<Word<'a>> {
        loop {
            if let Some(word) = self.of_piece.as_mut().and_then(Iterator::next) {
                return Some(
                    self.word(
                        word.split(['\'', '’']).max_by_key(|part| part.len()).unwrap_or(word),
                    ),
                );
            }
            let piece = self.pieces.next()?;
            self.inside = self.next_inside && piece.starts_with(char::is_alphanumeric);
            self.next_inside = self.inside;
            if piece.starts_with('@') || piece.contains("://") || piece.starts_with("www.") {
                continue;
            }
            const ENDS: [char; 11] = ['.', '!', '?', ':', '…', '|', '–', '—', '-', '"', '“'];
            self.next_inside = !piece.ends_with(ENDS);
            // Most pieces are one word, with or without marks around it.
            let bare = piece.trim_matches(is_mark);
            if !bare.chars().all(is_letter) {
                self.of_piece = Some(piece.unicode_words());
            } else if !bare.is_empty() {
                return Some(self.word(bare));
            }
        }
    }
}

impl<'a> Words<'a> {
    fn word(&mut self, written: &'a str) -> Word<'a> {
        let inside = std::mem::replace(&mut self.inside, true);
        Word { written, inside, capital: written.starts_with(char::is_uppercase) }
    }
}

/// Letters and digits between which no word ends, whatever stands around them.
fn is_letter(c: char) -> bool {
    c.is_ascii_alphanumeric()
        || matches!(c, 'À'..='Ö' | 'Ø'..='ö' | 'ø'..='ɏ' | 'Ѐ'..='ҁ' | 'Ҋ'..='ԯ')
}

/// Marks that belong to no word when they stand at its edge.
fn is_mark(c: char) -> bool {
    (c.is_ascii_punctuation() && c != '_')
        || matches!(c, '„' | '“' | '”' | '«' | '»' | '…' | '–' | '—' | '‚' | '‘' | '’')
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn words_end_where_unicode_says(piece in "[a-zÁ-žЖ-я0-9._'’,@:\\-“„\u{300}\u{200D}ªא漢カ👩]{0,12}") {
            prop_assume!(!piece.starts_with('@') && !piece.starts_with("www."));
            let cut = |word: &str| word.split(['\'', '’']).max_by_key(|part| part.len()).map(str::to_owned);
            let expected: Vec<String> = piece.unicode_words().filter_map(cut).collect();
            let found: Vec<&str> = words(&piece).map(|word| word.written).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
