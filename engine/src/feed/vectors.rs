//! TF-IDF vectors of a batch of posts.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use super::words::Stem;

/// The words of some texts, counted when they are read: what vectors are made of.
#[derive(Debug, Default)]
pub struct Bags {
    /// Each stem of the texts once, in the order of [`mixed`].
    stems: Vec<Stem>,
    /// The bag of text `i` ends at `ends[i]`, where the next one starts.
    ends: Vec<u32>,
    /// Numbers of stems, and how often they stand in the text.
    words: Vec<(u32, u32)>,
}

impl Bags {
    #[must_use]
    pub fn of<T: AsRef<[Stem]>>(texts: &[T]) -> Self {
        let mut stems: Vec<Stem> = texts.iter().flat_map(|text| text.as_ref()).copied().collect();
        stems.sort_unstable_by_key(|&stem| (mixed(stem), stem));
        stems.dedup();
        let numbers: FxHashMap<Stem, u32> = stems.iter().copied().zip(0..).collect();
        let (mut ends, mut words) = (Vec::with_capacity(texts.len()), Vec::new());
        let mut found: Vec<u32> = Vec::new();
        for text in texts {
            found.clear();
            found.extend(text.as_ref().iter().filter_map(|stem| numbers.get(stem)));
            found.sort_unstable();
            words.extend(found.chunk_by(PartialEq::eq).map(|same| (same[0], same.len() as u32)));
            ends.push(words.len() as u32);
        }
        Self { stems, ends, words }
    }

    /// What it takes of memory beside itself, in bytes.
    pub(super) fn memory(&self) -> usize {
        size_of_val(&self.stems[..]) + size_of_val(&self.ends[..]) + size_of_val(&self.words[..])
    }

    fn bag(&self, text: u32) -> &[(u32, u32)] {
        let text = text as usize;
        let start = text.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.words[start as usize..self.ends[text] as usize]
    }
}

/// Spreads stems evenly.
fn mixed(stem: Stem) -> u64 {
    let bits =
        (stem as u64 ^ ((stem >> 64) as u64).rotate_left(32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    bits ^ (bits >> 32)
}

/// Unit vectors, each made when it is first asked for: a feed of a hundred posts needs few of those of
/// thousands. The vector of a post without words is empty.
#[derive(Debug)]
pub struct Vectors<'b> {
    bags: &'b [&'b Bags],
    /// Per post its number of bags, and of the text in them.
    posts: Vec<(u32, u32)>,
    /// The number here of stem `s` of bags `b` stands at `starts[b] + s`.
    starts: Vec<usize>,
    numbers: Vec<u32>,
    /// The stem of each number.
    pub vocabulary: Vec<Stem>,
    with: Vec<u32>,
    /// By the number of posts that have a stem.
    rarities: Vec<f32>,
    rows: Vec<OnceLock<Row>>,
}

type Row = Box<[(u32, f32)]>;

impl<'b> Vectors<'b> {
    /// weight = times in the post · (ln((1 + posts) / (1 + posts with it)) + 1), over the norm: the
    /// smoothed IDF of scikit-learn's `TfidfVectorizer`. A post is a number of bags and of a text in
    /// them.
    #[must_use]
    pub fn of(bags: &'b [&'b Bags], posts: Vec<(u32, u32)>) -> Self {
        let mut starts = Vec::with_capacity(bags.len());
        let mut stems = 0;
        for bags in bags {
            starts.push(stems);
            stems += bags.stems.len();
        }
        let (numbers, vocabulary) = numbered(bags, &starts, stems);
        let mut with = vec![0_u32; vocabulary.len()];
        for &(at, text) in &posts {
            let (bags, start) = (bags[at as usize], starts[at as usize]);
            for (stem, _) in bags.bag(text) {
                with[numbers[start + *stem as usize] as usize] += 1;
            }
        }
        let rarities = (0..=posts.len())
            .map(|with| (((1.0 + posts.len() as f64) / (1.0 + with as f64)).ln() + 1.0) as f32)
            .collect();
        let rows = posts.iter().map(|_| OnceLock::new()).collect();
        Self { bags, posts, starts, numbers, vocabulary, with, rarities, rows }
    }

    /// Number of posts.
    #[must_use]
    pub fn posts(&self) -> usize {
        self.posts.len()
    }

    /// Number of posts that have a stem.
    #[must_use]
    pub fn with(&self, stem: u32) -> u32 {
        self.with[stem as usize]
    }

    /// The order of stems that does not depend on that of posts: the rarest first.
    #[must_use]
    pub fn rank(&self, stem: u32) -> (u32, Stem) {
        (self.with(stem), self.vocabulary[stem as usize])
    }

    /// Stems and weights of a post, the rarest stem first.
    pub fn row(&self, post: u32) -> impl Iterator<Item = (u32, f32)> + Clone {
        self.rows[post as usize].get_or_init(|| self.weighted(post)).iter().copied()
    }

    fn weighted(&self, post: u32) -> Row {
        let (at, text) = self.posts[post as usize];
        let (bags, start) = (self.bags[at as usize], self.starts[at as usize]);
        let mut row: Row = bags
            .bag(text)
            .iter()
            .map(|&(stem, times)| {
                let stem = self.numbers[start + stem as usize];
                (stem, times as f32 * self.rarities[self.with(stem) as usize])
            })
            .collect();
        row.sort_unstable_by_key(|&(stem, _)| self.rank(stem));
        let norm = row.iter().map(|(_, weight)| weight * weight).sum::<f32>().sqrt();
        for (_, weight) in &mut row {
            *weight /= norm;
        }
        row
    }
}

/// Gives each stem of the bags one number; the stems by their numbers.
///
/// The stems of all bags are in the same order, so they are met part by part of it, and what is known
/// of a part fits the processor's cache.
fn numbered(bags: &[&Bags], starts: &[usize], stems: usize) -> (Vec<u32>, Vec<Stem>) {
    const PART_BITS: u32 = 5;
    let mut numbers = vec![0; stems];
    let mut vocabulary = Vec::with_capacity(stems);
    let mut known = FxHashMap::<Stem, u32>::default();
    let mut met = vec![0; bags.len()];
    for part in 0..1 << PART_BITS {
        known.clear();
        for ((bags, &start), met) in bags.iter().zip(starts).zip(&mut met) {
            while let Some(&stem) = bags.stems.get(*met)
                && mixed(stem) >> (u64::BITS - PART_BITS) == part
            {
                numbers[start + *met] = *known.entry(stem).or_insert_with(|| {
                    vocabulary.push(stem);
                    vocabulary.len() as u32 - 1
                });
                *met += 1;
            }
        }
    }
    (numbers, vocabulary)
}
