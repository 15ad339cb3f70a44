//! Similarity of texts and the exact join: all pairs that are similar enough.

use std::iter;

use model::{Grouping, SECONDS_PER_HOUR, UnixSeconds};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::lexicon::{Lexicon, Rows};

/// Texts in ascending order of time, as weighted words.
#[derive(Debug, Default)]
pub struct Corpus {
    /// Word numbers ascend from the rarest word to the most frequent.
    pub rows: Rows,
    pub at: Vec<UnixSeconds>,
    /// Per word.
    pub weights: Vec<f64>,
    /// Per text: Σ of its words' weights.
    pub totals: Vec<f64>,
}

/// A pair of texts, `earlier < later`, and their similarity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    pub earlier: u32,
    pub later: u32,
    pub similarity: f64,
}

/// How time weakens similarity, and what is too little of it.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Pairs below this count as zero.
    pub floor: f64,
    pub decay_seconds: f64,
    /// Pairs further apart than this count as zero.
    pub reach_seconds: i64,
}

impl Limits {
    #[must_use]
    pub fn of(params: &Grouping) -> Self {
        Self {
            floor: params.floor,
            decay_seconds: params.decay_hours * SECONDS_PER_HOUR as f64,
            reach_seconds: (params.reach_hours * SECONDS_PER_HOUR as f64) as i64,
        }
    }

    /// exp(−Δt / decay).
    #[must_use]
    pub fn fade(&self, a: UnixSeconds, b: UnixSeconds) -> f64 {
        (-(a.abs_diff(b) as f64) / self.decay_seconds).exp()
    }

    /// The time apart up to which texts of this undecayed similarity reach the floor.
    fn reach(&self, similarity: f64) -> i64 {
        let seconds = self.decay_seconds * (similarity / self.floor).ln();
        // A second more, since what is close to the floor is compared anyway.
        if seconds >= 0.0 { (seconds as i64).saturating_add(1).min(self.reach_seconds) } else { -1 }
    }
}

/// So many texts' partners are found by one thread in a row.
const BLOCK: usize = 64;

/// At most so many texts share a bound for the time between.
const STRETCH: usize = 128;

/// Texts that are held against the bound at once.
const LANES: usize = 16;

impl Corpus {
    /// Dice's coefficient of the texts' weighted words, decayed by the time between them.
    #[must_use]
    pub fn similarity(&self, a: usize, b: usize, limits: &Limits) -> f64 {
        if self.at[a].abs_diff(self.at[b]) > limits.reach_seconds.unsigned_abs() {
            return 0.0;
        }
        self.faded(a, b, self.shared(a, b).map(|word| self.weights[word as usize]).sum(), limits)
    }

    /// Similarity of two texts within reach that share words of this weight.
    fn faded(&self, a: usize, b: usize, shared: f64, limits: &Limits) -> f64 {
        if shared > 0.0 {
            let dice = 2.0 * shared / (self.totals[a] + self.totals[b]);
            dice * limits.fade(self.at[a], self.at[b])
        } else {
            0.0
        }
    }

    /// Words that both texts have, the rarest first.
    pub(crate) fn shared(&self, a: usize, b: usize) -> impl Iterator<Item = u32> {
        let (mut left, mut right) = (self.rows.row(a), self.rows.row(b));
        iter::from_fn(move || {
            while let ([x, left_rest @ ..], [y, right_rest @ ..]) = (left, right) {
                if x <= y {
                    left = left_rest;
                }
                if y <= x {
                    right = right_rest;
                }
                if x == y {
                    return Some(*x);
                }
            }
            None
        })
    }

    /// All pairs of at least `floor`, by later text, then by earlier: the same as comparing every
    /// text with every other.
    ///
    /// For each text, earlier ones are looked up by its words, the rarest first. The words from one
    /// on can make a text similar only if it is near enough in time for their summed weight: so the
    /// more frequent the word, the shorter the stretch of its texts that is looked at, down to none.
    /// What the words that were not looked up could still add is an upper bound; where it does not
    /// rule the pair out, the pair is compared in full.
    #[must_use]
    pub fn join(&self, limits: &Limits) -> Vec<Pair> {
        let search = Search::new(self, limits);
        let blocks: Vec<usize> = (0..self.rows.count()).step_by(BLOCK).collect();
        let found: Vec<Vec<Pair>> = blocks
            .into_par_iter()
            .map_init(Scratch::default, |scratch, start| {
                let mut pairs = Vec::new();
                for later in start..(start + BLOCK).min(self.rows.count()) {
                    search.partners(later, scratch, &mut pairs);
                }
                pairs
            })
            .collect();
        found.concat()
    }

    /// All pairs of at least `floor` among some texts, ascending; numbered as in this corpus.
    #[must_use]
    pub fn join_among(&self, texts: &[u32], limits: &Limits) -> Vec<Pair> {
        /// Up to here an index costs more than it saves.
        const FEW: usize = 48;
        if texts.len() > FEW {
            let mut pairs = self.part(texts).join(limits);
            for pair in &mut pairs {
                pair.earlier = texts[pair.earlier as usize];
                pair.later = texts[pair.later as usize];
            }
            return pairs;
        }
        let mut pairs = Vec::new();
        for (rank, &later) in texts.iter().enumerate() {
            for &earlier in &texts[..rank] {
                let similarity = self.similarity(earlier as usize, later as usize, limits);
                if similarity >= limits.floor {
                    pairs.push(Pair { earlier, later, similarity });
                }
            }
        }
        pairs
    }

    /// A corpus of some of the texts, with the weights that they have here.
    fn part(&self, texts: &[u32]) -> Self {
        let mut words: Vec<u32> =
            texts.iter().flat_map(|&text| self.rows.row(text as usize)).copied().collect();
        words.sort_unstable();
        words.dedup();
        let mut rows = Rows::new();
        for &text in texts {
            let row = self.rows.row(text as usize).iter();
            rows.push(row.map(|word| words.partition_point(|known| known < word) as u32));
        }
        Self {
            rows,
            at: texts.iter().map(|&text| self.at[text as usize]).collect(),
            weights: words.iter().map(|&word| self.weights[word as usize]).collect(),
            totals: texts.iter().map(|&text| self.totals[text as usize]).collect(),
        }
    }
}

/// One text's words by number, for comparing it with many others.
#[derive(Default)]
pub(crate) struct Marks {
    /// The weights of the text's words; 0 for every other word.
    weights: Vec<f64>,
    text: Option<usize>,
}

impl Marks {
    /// Marks a text of the corpus, instead of the one before.
    pub fn mark(&mut self, text: usize, corpus: &Corpus) {
        self.weights.resize(corpus.weights.len(), 0.0);
        for &word in self.text.iter().flat_map(|&text| corpus.rows.row(text)) {
            self.weights[word as usize] = 0.0;
        }
        for &word in corpus.rows.row(text) {
            self.weights[word as usize] = corpus.weights[word as usize];
        }
        self.text = Some(text);
    }

    /// [`Corpus::similarity`] of the marked text to another one.
    pub fn similarity(&self, other: usize, corpus: &Corpus, limits: &Limits) -> f64 {
        let Some(text) = self.text else { return 0.0 };
        if corpus.at[text].abs_diff(corpus.at[other]) > limits.reach_seconds.unsigned_abs() {
            return 0.0;
        }
        let words = corpus.rows.row(other).iter();
        corpus.faded(text, other, words.map(|&word| self.weights[word as usize]).sum(), limits)
    }
}

/// The join's index: the texts of each word, ascending.
struct Search<'c> {
    corpus: &'c Corpus,
    limits: &'c Limits,
    /// The texts of word `w` are `texts[offsets[w]..offsets[w + 1]]`.
    offsets: Vec<u32>,
    texts: Vec<u32>,
    /// For each word of each row, where the row's own text stands in `texts`.
    slots: Vec<u32>,
    totals: Vec<f32>,
}

/// What one text's partners are found with.
#[derive(Default)]
struct Scratch {
    /// Per word of the text: the weight of it and all after it.
    rest: Vec<f64>,
    /// Per word of the text: the first text near enough for that.
    from: Vec<usize>,
    /// Per text from the earliest on: the weight that was found to be shared.
    sums: Vec<f32>,
    marks: Marks,
}

impl<'c> Search<'c> {
    fn new(corpus: &'c Corpus, limits: &'c Limits) -> Self {
        let words = &corpus.rows.words;
        let mut offsets = vec![0_u32; corpus.weights.len() + 1];
        for &word in words {
            offsets[word as usize + 1] += 1;
        }
        for word in 0..corpus.weights.len() {
            offsets[word + 1] += offsets[word];
        }
        let mut next = offsets.clone();
        let (mut texts, mut slots) = (vec![0; words.len()], Vec::with_capacity(words.len()));
        for text in 0..corpus.rows.count() {
            for &word in corpus.rows.row(text) {
                let slot = &mut next[word as usize];
                texts[*slot as usize] = text as u32;
                slots.push(*slot);
                *slot += 1;
            }
        }
        let totals = corpus.totals.iter().map(|&total| total as f32).collect();
        Self { corpus, limits, offsets, texts, slots, totals }
    }

    /// Appends the pairs of a text with earlier ones.
    fn partners(&self, later: usize, scratch: &mut Scratch, pairs: &mut Vec<Pair>) {
        let Scratch { rest, from, sums, marks } = scratch;
        let Self { corpus, limits, .. } = self;
        let words = corpus.rows.row(later);
        let (at, total) = (corpus.at[later], corpus.totals[later]);
        rest.clear();
        rest.resize(words.len() + 1, 0.0);
        for (rank, &word) in words.iter().enumerate().rev() {
            rest[rank] = rest[rank + 1] + corpus.weights[word as usize];
        }
        // Sums of so many numbers in single precision are off by less than this share of them.
        let rounding = (words.len() + 8) as f64 * f64::from(f32::EPSILON);
        let mut near = 0;
        from.clear();
        from.extend(rest[..words.len()].iter().map(|&rest| {
            // The other text weighs at least what it shares.
            let reach = limits.reach(2.0 * rest / (total + rest) + rounding);
            let after = &corpus.at[near..later];
            near = if reach < 0 {
                later
            } else {
                near + after.partition_point(|&other| other < at.saturating_sub(reach))
            };
            near
        }));
        let Some(&earliest) = from.first() else { return };
        sums.clear();
        sums.resize(later - earliest, 0.0);
        let slots = &self.slots[corpus.rows.offsets[later] as usize..];
        for ((&word, &slot), &from) in words.iter().zip(slots).zip(from.iter()) {
            if from == later {
                break;
            }
            let weight = corpus.weights[word as usize] as f32;
            let before = &self.texts[self.offsets[word as usize] as usize..slot as usize];
            for &text in before.iter().rev().take_while(|&&text| text as usize >= from) {
                sums[text as usize - earliest] += weight;
            }
        }
        marks.mark(later, corpus);
        // Stretches of texts that the same words were looked up for, and that one fade bounds.
        let (mut start, mut looked_up) = (earliest, 0);
        while start < later {
            while from.get(looked_up).is_some_and(|&from| from <= start) {
                looked_up += 1;
            }
            let next = from.get(looked_up).map_or(later, |&from| from);
            let end = next.min(start + STRETCH);
            let nearest = limits.fade(corpus.at[end - 1], at);
            let needed = limits.floor / nearest / 2.0 * (1.0 - 2.0 * rounding);
            let least = (needed * total - rest[looked_up]) as f32;
            let needed = needed as f32;
            let enough = |sum: f32, other: f32| (sum > 0.0) & (sum >= least + needed * other);
            let sums = sums[start - earliest..end - earliest].chunks(LANES);
            let totals = self.totals[start..end].chunks(LANES);
            for (lanes, (sums, totals)) in sums.zip(totals).enumerate() {
                // Most lanes hold nothing: counting first lets them be compared at once.
                let hits: u32 = sums
                    .iter()
                    .zip(totals)
                    .map(|(&sum, &other)| u32::from(enough(sum, other)))
                    .sum();
                if hits == 0 {
                    continue;
                }
                for (offset, (&sum, &other)) in sums.iter().zip(totals).enumerate() {
                    if !enough(sum, other) {
                        continue;
                    }
                    let earlier = start + lanes * LANES + offset;
                    let similarity = marks.similarity(earlier, corpus, limits);
                    if similarity >= limits.floor {
                        pairs.push(Pair {
                            earlier: earlier as u32,
                            later: later as u32,
                            similarity,
                        });
                    }
                }
            }
            start = end;
        }
    }
}

/// Distinct texts of one language, ready to be compared.
pub struct Texts {
    pub corpus: Corpus,
    /// Number of articles that have this very text.
    pub sizes: Vec<u32>,
    /// The text of each article.
    pub of_article: Vec<u32>,
    /// The lexicon's entry of each word.
    pub entry: Vec<u32>,
}

impl Texts {
    /// The articles' readings, and their times, ascending.
    #[must_use]
    pub fn new(
        lexicon: &Lexicon,
        readings: &[u32],
        times: &[UnixSeconds],
        params: &Grouping,
    ) -> Self {
        let distinct = Distinct::of(lexicon, readings, times, params);
        let mut with = vec![0_u32; lexicon.entries()];
        for &reading in &distinct.readings {
            for &entry in lexicon.rows.row(reading as usize) {
                with[entry as usize] += 1;
            }
        }
        let entry = from_rarest(&with, lexicon);
        // Rarity among all other texts.
        let others = distinct.readings.len() as f64 - 1.0 + params.smoothing;
        let signs = lexicon.signs(readings);
        let weights: Vec<f64> = entry
            .iter()
            .map(|&entry| {
                let with = f64::from(with[entry as usize]) - 1.0 + params.smoothing;
                let rarity = (others / with).ln().max(0.0);
                lexicon.factor(entry, signs[entry as usize], params) * rarity
            })
            .collect();
        let mut number = with;
        for (rank, &entry) in entry.iter().enumerate() {
            number[entry as usize] = rank as u32;
        }
        let (mut rows, mut row) = (Rows::new(), Vec::new());
        for &reading in &distinct.readings {
            row.clear();
            let entries = lexicon.rows.row(reading as usize).iter();
            row.extend(entries.map(|&entry| number[entry as usize]));
            row.sort_unstable();
            rows.push(row.iter().copied());
        }
        let totals = (0..rows.count())
            .map(|text| rows.row(text).iter().map(|&word| weights[word as usize]).sum())
            .collect();
        Self {
            corpus: Corpus { rows, at: distinct.at, weights, totals },
            sizes: distinct.sizes,
            of_article: distinct.of_article,
            entry,
        }
    }
}

/// Entries that are in any text, the rarest first; those equally rare by their keys.
fn from_rarest(with: &[u32], lexicon: &Lexicon) -> Vec<u32> {
    // The beginning of a key decides in most cases, without a look at the key.
    let beginning = |form: &str| {
        let bytes = form.bytes().chain(iter::repeat(0)).take(8);
        bytes.fold(0, |number: u64, byte| number << 8 | u64::from(byte))
    };
    let mut entries: Vec<(u32, u64, u32)> = (0..)
        .zip(with)
        .filter(|&(_, &with)| with > 0)
        .map(|(entry, &with)| (with, beginning(lexicon.key(entry).0), entry))
        .collect();
    entries.par_sort_unstable_by(|&(a_with, a_beginning, a), &(b_with, b_beginning, b)| {
        (a_with, a_beginning)
            .cmp(&(b_with, b_beginning))
            .then_with(|| lexicon.key(a).cmp(&lexicon.key(b)))
    });
    entries.into_iter().map(|(_, _, entry)| entry).collect()
}

/// Articles of equal words that follow one another closely are one text from the start.
struct Distinct {
    /// One of each text.
    readings: Vec<u32>,
    at: Vec<UnixSeconds>,
    sizes: Vec<u32>,
    of_article: Vec<u32>,
}

impl Distinct {
    fn of(lexicon: &Lexicon, readings: &[u32], times: &[UnixSeconds], params: &Grouping) -> Self {
        struct Run {
            first: u32,
            size: u32,
            last: UnixSeconds,
            /// Σ of times since the first.
            since: i128,
        }
        let gap = Limits::of(params).reach_seconds.unsigned_abs() / 2;
        let mut runs = Vec::<Run>::new();
        let mut latest = FxHashMap::<&[u32], u32>::default();
        let mut of_article = Vec::with_capacity(times.len());
        for (article, (&at, &reading)) in times.iter().zip(readings).enumerate() {
            let row = lexicon.rows.row(reading as usize);
            let known = latest
                .get(row)
                .copied()
                .filter(|&run| !row.is_empty() && at.abs_diff(runs[run as usize].last) <= gap);
            let number = known.unwrap_or(runs.len() as u32);
            if known.is_none() {
                runs.push(Run { first: article as u32, size: 0, last: at, since: 0 });
                latest.insert(row, number);
            }
            let run = &mut runs[number as usize];
            run.size += 1;
            run.last = at;
            run.since += i128::from(at) - i128::from(times[run.first as usize]);
            of_article.push(number);
        }
        let mean = |run: &Run| {
            let mean = i128::from(times[run.first as usize]) + run.since / i128::from(run.size);
            mean as UnixSeconds
        };
        let mut order: Vec<u32> = (0..runs.len() as u32).collect();
        order.sort_by_key(|&run| mean(&runs[run as usize]));
        let mut number = vec![0_u32; runs.len()];
        for (rank, &run) in order.iter().enumerate() {
            number[run as usize] = rank as u32;
        }
        let ordered = || order.iter().map(|&run| &runs[run as usize]);
        Self {
            readings: ordered().map(|run| readings[run.first as usize]).collect(),
            at: ordered().map(mean).collect(),
            sizes: ordered().map(|run| run.size).collect(),
            of_article: of_article.into_iter().map(|run: u32| number[run as usize]).collect(),
        }
    }
}
