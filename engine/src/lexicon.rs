//! Texts of one language as lists of numbered words, the rarest first.

use model::Grouping;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{boilerplate::Clean, stem::Stemmer, stop, text};

/// Texts in compressed rows: the words of text `i` are `words[offsets[i]..offsets[i + 1]]`.
#[derive(Debug, Default)]
pub struct Rows {
    pub offsets: Vec<u32>,
    pub words: Vec<u32>,
}

impl Rows {
    pub fn new() -> Self {
        Self { offsets: vec![0], words: Vec::new() }
    }

    pub fn push(&mut self, row: impl IntoIterator<Item = u32>) {
        self.words.extend(row);
        self.offsets.push(self.words.len() as u32);
    }

    #[must_use]
    pub fn count(&self) -> usize {
        self.offsets.len() - 1
    }

    pub fn row(&self, index: usize) -> &[u32] {
        &self.words[self.offsets[index] as usize..self.offsets[index + 1] as usize]
    }
}

/// What is known of a word besides its rarity.
#[derive(Clone, Debug, Default)]
pub struct Entry {
    /// The stem, or the beginning of kindred words.
    pub form: String,
    /// A beginning, not a stem.
    pub kin: bool,
    /// How often it stood inside a sentence, and how often with a capital there.
    pub inside: u32,
    pub capital: u32,
}

impl Entry {
    /// Unique among entries.
    #[must_use]
    pub fn key(&self) -> (&str, bool) {
        (&self.form, self.kin)
    }

    /// Its weight against a common word of the same rarity.
    #[must_use]
    pub fn factor(&self, params: &Grouping) -> f64 {
        let kin = if self.kin { params.kin_factor } else { 1.0 };
        let kind = if text::is_number(&self.form) {
            if self.form.len() <= 2 { params.small_number_factor } else { params.number_factor }
        } else if 2 * self.capital > self.inside {
            params.capital_factor
        } else {
            1.0
        };
        kin * kind
    }
}

/// The distinct words of each text, by number into the entries, in ascending order.
pub struct Lexicon {
    pub entries: Vec<Entry>,
    pub rows: Rows,
}

/// Words longer than this are also known by their beginning: inflected, derived and compound words
/// that stemming leaves apart often share it.
pub const KIN_LETTERS: usize = 5;

/// Texts that are read by one thread into a lexicon of their own.
const CHUNK: usize = 4096;

/// Reads the texts of one language; ledes are cut to [`Grouping::lede_chars`].
#[must_use]
pub fn read(texts: &[Clean<'_>], language: &str, params: &Grouping) -> Lexicon {
    let chunks: Vec<Lexicon> = texts
        .par_chunks(CHUNK)
        .map(|chunk| {
            let mut reader = Reader::new(language);
            for clean in chunk {
                reader.read(clean, params.lede_chars as usize);
            }
            reader.lexicon
        })
        .collect();
    joined(chunks)
}

fn joined(chunks: Vec<Lexicon>) -> Lexicon {
    let mut ids = Ids::default();
    let mut all = Lexicon { entries: Vec::new(), rows: Rows::new() };
    for chunk in chunks {
        let numbers: Vec<u32> = chunk
            .entries
            .into_iter()
            .map(|entry| {
                let id = ids.of(&entry.form, entry.kin, &mut all.entries);
                let known = &mut all.entries[id as usize];
                known.inside += entry.inside;
                known.capital += entry.capital;
                id
            })
            .collect();
        let mut row = Vec::new();
        for index in 0..chunk.rows.count() {
            row.clear();
            row.extend(chunk.rows.row(index).iter().map(|&word| numbers[word as usize]));
            row.sort_unstable();
            all.rows.push(row.iter().copied());
        }
    }
    all
}

/// Numbers of entries by their forms.
#[derive(Default)]
struct Ids {
    stems: FxHashMap<String, u32>,
    kin: FxHashMap<String, u32>,
}

impl Ids {
    fn of(&mut self, form: &str, kin: bool, entries: &mut Vec<Entry>) -> u32 {
        let ids = if kin { &mut self.kin } else { &mut self.stems };
        if let Some(&id) = ids.get(form) {
            return id;
        }
        let id = entries.len() as u32;
        entries.push(Entry { form: form.to_owned(), kin, ..Entry::default() });
        ids.insert(form.to_owned(), id);
        id
    }
}

/// A written word's entries: its stem and its beginning; none for a word that is dropped.
type Found = [Option<u32>; 2];

struct Reader {
    stop: Option<&'static FxHashSet<&'static str>>,
    stemmer: Stemmer,
    /// By written form in lower case.
    known: FxHashMap<String, Found>,
    ids: Ids,
    lexicon: Lexicon,
    lower: String,
    row: Vec<u32>,
}

impl Reader {
    fn new(language: &str) -> Self {
        Self {
            stop: stop::list(language),
            stemmer: Stemmer::of(language),
            known: FxHashMap::default(),
            ids: Ids::default(),
            lexicon: Lexicon { entries: Vec::new(), rows: Rows::new() },
            lower: String::new(),
            row: Vec::new(),
        }
    }

    fn read(&mut self, clean: &Clean<'_>, lede_chars: usize) {
        self.row.clear();
        self.read_part(clean.title, !title_case(clean.title));
        self.read_part(text::first_chars(&clean.lede, lede_chars), true);
        self.row.sort_unstable();
        self.row.dedup();
        self.lexicon.rows.push(self.row.iter().copied());
    }

    /// `cased`: capitals are a sign of names here.
    fn read_part(&mut self, part: &str, cased: bool) {
        for word in text::words(part) {
            self.lower.clear();
            self.lower.extend(word.written.chars().flat_map(char::to_lowercase));
            for id in self.find().into_iter().flatten() {
                self.row.push(id);
                if cased && word.inside {
                    let entry = &mut self.lexicon.entries[id as usize];
                    entry.inside += 1;
                    entry.capital += u32::from(word.capital);
                }
            }
        }
    }

    /// The entries of the word in `lower`.
    fn find(&mut self) -> Found {
        if let Some(&found) = self.known.get(&self.lower) {
            return found;
        }
        let lower = self.lower.as_str();
        let found = if self.stop.is_some_and(|stop| stop.contains(lower)) || one_letter(lower) {
            [None, None]
        } else {
            let entries = &mut self.lexicon.entries;
            let stem = self.ids.of(&self.stemmer.stem(lower), false, entries);
            let kin = kin(lower).map(|kin| self.ids.of(kin, true, entries));
            [Some(stem), kin]
        };
        self.known.insert(self.lower.clone(), found);
        found
    }
}

/// The beginning that a word in lower case shares with kindred words.
#[must_use]
pub fn kin(lower: &str) -> Option<&str> {
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
fn title_case(title: &str) -> bool {
    let (mut words, mut capitals) = (0, 0);
    for word in text::words(title).filter(|word| word.inside && !word.number()) {
        words += 1;
        capitals += u32::from(word.capital);
    }
    words >= 3 && 5 * capitals > 3 * words
}
