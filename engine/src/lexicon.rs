//! Words to numbers: the texts of one language as the words that they are written with, and as the
//! entries that they are compared by.

use std::ops::Range;

use indexmap::IndexMap;
use model::Grouping;
use rayon::prelude::*;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use crate::{agency, boilerplate::Clean, stem::Stemmer, stop, text};

/// Texts in compressed rows: the words of text `i` are `words[offsets[i]..offsets[i + 1]]`.
#[derive(Debug)]
pub struct Rows {
    pub offsets: Vec<u32>,
    pub words: Vec<u32>,
}

impl Default for Rows {
    fn default() -> Self {
        Self { offsets: vec![0], words: Vec::new() }
    }
}

impl Rows {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    pub fn push(&mut self, row: impl IntoIterator<Item = u32>) {
        self.words.extend(row);
        self.offsets.push(self.words.len() as u32);
    }

    fn append(&mut self, other: &Self) {
        let start = self.words.len() as u32;
        self.words.extend_from_slice(&other.words);
        self.offsets.extend(other.offsets[1..].iter().map(|offset| start + offset));
    }

    #[must_use]
    pub fn count(&self) -> usize {
        self.offsets.len() - 1
    }

    pub fn row(&self, index: usize) -> &[u32] {
        &self.words[self.offsets[index] as usize..self.offsets[index + 1] as usize]
    }
}

/// A word as it stands in a text: the number of its form, and what its capital says.
#[derive(Clone, Copy)]
struct Token(u32);

impl Token {
    const INSIDE: u32 = 1;
    const CAPITAL: u32 = 2;

    /// `inside`: it stands where a capital is the sign of a name.
    fn new(form: u32, inside: bool, capital: bool) -> Self {
        let sign = |says: bool, bit: u32| if says { bit } else { 0 };
        Self(form << 2 | sign(inside, Self::INSIDE) | sign(capital, Self::CAPITAL))
    }

    fn form(self) -> u32 {
        self.0 >> 2
    }

    fn with_form(self, form: u32) -> Self {
        Self(form << 2 | self.0 & (Self::INSIDE | Self::CAPITAL))
    }
}

/// What a form means where it stands as a word.
#[derive(Clone, Copy)]
pub struct Word {
    /// Its form in lower case.
    pub lower: u32,
    /// It credits an agency.
    pub agency: bool,
    /// The forms of its stem and of its beginning; none for a word that is dropped.
    stem: Option<u32>,
    kin: Option<u32>,
}

impl Word {
    /// An entry is twice the number of a stem's form, or one more for a beginning's.
    fn entries(&self) -> impl Iterator<Item = u32> {
        self.stem.map(|form| 2 * form).into_iter().chain(self.kin.map(|form| 2 * form + 1))
    }
}

/// How often an entry stood inside a sentence, and how often with a capital there.
#[derive(Clone, Copy, Default)]
pub struct Sign {
    inside: u32,
    capital: u32,
}

/// Texts are called readings here, since one text with different boilerplate cut is read anew.
pub struct Lexicon {
    stop: Option<&'static FxHashSet<&'static str>>,
    stemmer: Stemmer,
    /// Words as they are written and in lower case, stems and beginnings, by number.
    forms: IndexMap<Box<str>, Option<Word>, FxBuildHasher>,
    /// The words of each reading in order, and how many of them are the title's.
    tokens: Rows,
    titles: Vec<u32>,
    /// The distinct entries of each reading, ascending.
    pub rows: Rows,
}

/// Words longer than this are also known by their beginning: inflected, derived and compound words
/// that stemming leaves apart often share it.
pub const KIN_LETTERS: usize = 5;

/// Texts that are read by one thread in a row.
const CHUNK: usize = 2048;

impl Lexicon {
    #[must_use]
    pub fn new(language: &str) -> Self {
        Self {
            stop: stop::list(language),
            stemmer: Stemmer::of(language),
            forms: IndexMap::default(),
            tokens: Rows::new(),
            titles: Vec::new(),
            rows: Rows::new(),
        }
    }

    /// Reads texts, with their ledes cut to so many characters; the numbers of their readings.
    pub fn read(&mut self, texts: &[Clean<'_>], lede_chars: u32) -> Range<u32> {
        let start = self.rows.count() as u32;
        let chunks: Vec<Chunk<'_>> =
            texts.par_chunks(CHUNK).map(|texts| Chunk::read(texts, lede_chars as usize)).collect();
        let forms: Vec<Vec<u32>> = chunks
            .iter()
            .map(|chunk| chunk.forms.iter().map(|form| self.word_number(form)).collect())
            .collect();
        let read: Vec<(Rows, Rows)> = chunks
            .par_iter()
            .zip(&forms)
            .map(|(chunk, forms)| self.numbered(&chunk.tokens, forms))
            .collect();
        for (chunk, (tokens, rows)) in chunks.iter().zip(&read) {
            self.tokens.append(tokens);
            self.titles.extend_from_slice(&chunk.titles);
            self.rows.append(rows);
        }
        start..self.rows.count() as u32
    }

    fn form_number(&mut self, form: &str) -> u32 {
        let known = self.forms.get_index_of(form);
        known.unwrap_or_else(|| self.forms.insert_full(form.into(), None).0) as u32
    }

    /// The form of a word; what it means is known from then on.
    fn word_number(&mut self, written: &str) -> u32 {
        let form = self.form_number(written);
        if self.forms[form as usize].is_none() {
            let lower: String = written.chars().flat_map(char::to_lowercase).collect();
            let dropped =
                self.stop.is_some_and(|stop| stop.contains(&*lower)) || one_letter(&lower);
            let stem = (!dropped).then(|| self.stemmer.stem(&lower));
            let kin = kin(&lower).filter(|_| !dropped);
            let word = Word {
                lower: self.form_number(&lower),
                agency: agency::of_word(written).is_some(),
                stem: stem.map(|stem| self.form_number(&stem)),
                kin: kin.map(|kin| self.form_number(kin)),
            };
            self.forms[form as usize] = Some(word);
        }
        form
    }

    /// Tokens with this lexicon's forms, and their entries.
    fn numbered(&self, tokens: &Rows, forms: &[u32]) -> (Rows, Rows) {
        let (mut numbered, mut rows, mut row) = (Rows::new(), Rows::new(), Vec::new());
        for text in 0..tokens.count() {
            let token = |&token: &u32| {
                let token = Token(token);
                token.with_form(forms[token.form() as usize]).0
            };
            numbered.push(tokens.row(text).iter().map(token));
            row.clear();
            row.extend(
                words_of(&self.forms, numbered.row(text)).flat_map(|(_, word)| word.entries()),
            );
            row.sort_unstable();
            row.dedup();
            rows.push(row.iter().copied());
        }
        (numbered, rows)
    }

    /// Entries are numbered below this.
    #[must_use]
    pub fn entries(&self) -> usize {
        2 * self.forms.len()
    }

    /// The form of an entry, and whether it is a beginning; unique.
    #[must_use]
    pub fn key(&self, entry: u32) -> (&str, bool) {
        (self.form(entry / 2), entry % 2 == 1)
    }

    #[must_use]
    pub fn form(&self, form: u32) -> &str {
        self.forms.get_index(form as usize).map_or("", |(form, _)| form)
    }

    /// The words of a reading's title and of its lede, each with its form.
    pub fn words(&self, reading: u32) -> [impl Iterator<Item = (u32, &Word)>; 2] {
        let tokens = self.tokens.row(reading as usize);
        let (title, lede) = tokens.split_at(self.titles[reading as usize] as usize);
        [words_of(&self.forms, title), words_of(&self.forms, lede)]
    }

    /// The form in which a reading has an entry first.
    #[must_use]
    pub fn written(&self, reading: u32, entry: u32) -> Option<u32> {
        let [title, lede] = self.words(reading);
        let mut words = title.chain(lede);
        words.find(|(_, word)| word.entries().any(|one| one == entry)).map(|(form, _)| form)
    }

    /// By entry.
    #[must_use]
    pub fn signs(&self, readings: &[u32]) -> Vec<Sign> {
        let mut signs = vec![Sign::default(); self.entries()];
        for &reading in readings {
            for &token in self.tokens.row(reading as usize) {
                if token & Token::INSIDE == 0 {
                    continue;
                }
                let word = self.forms[Token(token).form() as usize];
                for entry in word.iter().flat_map(Word::entries) {
                    let sign = &mut signs[entry as usize];
                    sign.inside += 1;
                    sign.capital += u32::from(token & Token::CAPITAL != 0);
                }
            }
        }
        signs
    }

    /// The weight of an entry against a common word of the same rarity.
    #[must_use]
    pub fn factor(&self, entry: u32, sign: Sign, params: &Grouping) -> f64 {
        let (form, kin) = self.key(entry);
        let kin = if kin { params.kin_factor } else { 1.0 };
        let kind = if text::is_number(form) {
            if form.len() <= 2 { params.small_number_factor } else { params.number_factor }
        } else if 2 * sign.capital > sign.inside {
            params.capital_factor
        } else {
            1.0
        };
        kin * kind
    }
}

fn words_of<'l>(
    forms: &'l IndexMap<Box<str>, Option<Word>, FxBuildHasher>,
    tokens: &'l [u32],
) -> impl Iterator<Item = (u32, &'l Word)> {
    tokens.iter().filter_map(|&token| {
        let form = Token(token).form();
        Some((form, forms[form as usize].as_ref()?))
    })
}

/// Texts with forms numbered on their own.
#[derive(Default)]
struct Chunk<'c> {
    numbers: FxHashMap<&'c str, u32>,
    forms: Vec<&'c str>,
    tokens: Rows,
    titles: Vec<u32>,
}

impl<'c> Chunk<'c> {
    fn read(texts: &'c [Clean<'_>], lede_chars: usize) -> Self {
        let (mut chunk, mut title, mut tokens) = (Self::default(), Vec::new(), Vec::new());
        for clean in texts {
            title.clear();
            title.extend(text::words(clean.title));
            chunk.titles.push(title.len() as u32);
            let cased = !title_case(&title);
            tokens.clear();
            tokens.extend(title.iter().map(|word| chunk.token(word, cased)));
            let lede = text::words(text::first_chars(&clean.lede, lede_chars));
            tokens.extend(lede.map(|word| chunk.token(&word, true)));
            chunk.tokens.push(tokens.iter().copied());
        }
        chunk.numbers = FxHashMap::default();
        chunk
    }

    /// `cased`: capitals are a sign of names here.
    fn token(&mut self, word: &text::Word<'c>, cased: bool) -> u32 {
        let form = *self.numbers.entry(word.written).or_insert_with(|| {
            self.forms.push(word.written);
            self.forms.len() as u32 - 1
        });
        Token::new(form, cased && word.inside, word.capital).0
    }
}

/// The beginning that a word in lower case shares with kindred words.
fn kin(lower: &str) -> Option<&str> {
    let beginning = text::first_chars(lower, KIN_LETTERS);
    (beginning.len() < lower.len() && !text::is_number(lower)).then_some(beginning)
}

/// A single letter says nothing; a single ideograph is a word.
fn one_letter(word: &str) -> bool {
    const IDEOGRAPHS: char = '\u{2E80}';
    let mut chars = word.chars();
    let first = chars.next();
    chars.next().is_none() && first.is_some_and(|c| c.is_alphabetic() && c < IDEOGRAPHS)
}

/// English headlines are often written With Capitals Throughout: there they are no sign of names.
fn title_case(title: &[text::Word<'_>]) -> bool {
    let inside = || title.iter().filter(|word| word.inside && !word.number());
    let capitals = inside().filter(|word| word.capital).count();
    let words = inside().count();
    words >= 3 && 5 * capitals > 3 * words
}
