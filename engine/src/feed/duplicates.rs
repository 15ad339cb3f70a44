//! Posts that repeat each other's text, sometimes with a headline or a signature of their own.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use super::words::Stem;
use crate::{
    origin::{HAMMING, SHINGLE_WORDS, simhash},
    sets::Sets,
};

/// Shorter texts are nobody's copies.
pub const LEAST_WORDS: usize = 10;
/// Tenths of the shorter text's shingles that stand in the other.
const CONTAINED_TENTHS: usize = 7;

/// What is compared of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Print {
    /// Hashes of three words in a row, ascending.
    shingles: Vec<u64>,
    simhash: u64,
}

impl Print {
    /// `None` for a text of less than [`LEAST_WORDS`] words.
    #[must_use]
    pub fn of(words: &[Stem]) -> Option<Self> {
        if words.len() < LEAST_WORDS {
            return None;
        }
        let mut shingles: Vec<u64> = words
            .windows(SHINGLE_WORDS)
            .map(|words| words.iter().fold(0, |hash, &stem| mixed(hash, stem)))
            .collect();
        shingles.sort_unstable();
        shingles.dedup();
        Some(Self { simhash: simhash(&shingles), shingles })
    }

    /// Whether one repeats the other: SimHashes that differ in at most 20 bits, and 70 % of the shorter
    /// text's shingles in the other.
    #[must_use]
    pub fn repeats(&self, other: &Self) -> bool {
        let shorter = self.shingles.len().min(other.shingles.len());
        self.distance(other) <= HAMMING && 10 * self.shared(other) >= CONTAINED_TENTHS * shorter
    }

    /// Bits in which the SimHashes differ.
    #[must_use]
    pub fn distance(&self, other: &Self) -> u32 {
        (self.simhash ^ other.simhash).count_ones()
    }

    /// Shingles that both have.
    #[must_use]
    pub fn shared(&self, other: &Self) -> usize {
        let (mut left, mut right) = (&self.shingles[..], &other.shingles[..]);
        let mut shared = 0;
        while let ([x, left_rest @ ..], [y, right_rest @ ..]) = (left, right) {
            shared += usize::from(x == y);
            if x <= y {
                left = left_rest;
            }
            if y <= x {
                right = right_rest;
            }
        }
        shared
    }

    /// What it takes of memory beside itself, in bytes.
    pub(super) fn memory(&self) -> usize {
        size_of_val(self.shingles.as_slice())
    }

    /// A text that shares 70 % of its shingles with another shares one of any so many of them.
    fn probes(&self) -> usize {
        let shingles = self.shingles.len();
        shingles + 1 - (CONTAINED_TENTHS * shingles).div_ceil(10)
    }
}

/// Every bit of the result depends on every bit of the stem, as SimHash needs it; the constants are
/// those of the finaliser of A. Appleby's MurmurHash3.
fn mixed(hash: u64, stem: Stem) -> u64 {
    let mut bits = hash.rotate_left(23) ^ (stem as u64) ^ ((stem >> 64) as u64).rotate_left(32);
    bits = (bits ^ (bits >> 33)).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    bits = (bits ^ (bits >> 33)).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    bits ^ (bits >> 33)
}

/// The first text of the group of each: texts that repeat each other, directly or through others, are
/// one group. The same as comparing all pairs.
///
/// A text that repeats a longer one shares one of its `probes` rarest shingles with it. Most shingles
/// stand in one text alone, which [`Repeated`] tells at a glance, so most texts have nothing to look
/// for; the others' shingles are thrown into buckets, and only those of the probes are looked into.
/// Within a bucket, texts that were joined already are passed over in one step, so that many copies of
/// one text cost no more than as many other texts.
#[must_use]
pub fn groups(prints: &[Option<&Print>]) -> Vec<u32> {
    let mut sets = Sets::new(prints.len());
    let mut distinct = FxHashMap::<&[u64], u32>::default();
    let mut texts: Vec<(u32, &Print)> = Vec::new();
    for (text, print) in (0..).zip(prints) {
        let &Some(print) = print else { continue };
        let first = *distinct.entry(&print.shingles).or_insert(text);
        if first == text {
            texts.push((text, print));
        } else {
            sets.join(first, text);
        }
    }
    texts.sort_by_key(|(_, print)| Reverse(print.shingles.len()));
    let repeated = Repeated::of(texts.iter().map(|(_, print)| *print));
    let mut shingles: Vec<u64> = Vec::new();
    let mut ends = Vec::with_capacity(texts.len());
    for (_, print) in &texts {
        shingles.extend(print.shingles.iter().filter(|shingle| repeated.may_hold(**shingle)));
        ends.push(shingles.len());
    }
    let mut buckets = Buckets::of(&shingles);
    let mut rarest: Vec<(u32, u64)> = Vec::new();
    let mut start = 0;
    for (&(text, print), &end) in texts.iter().zip(&ends) {
        let found = &shingles[start..end];
        start = end;
        // Shingles of one text are the rarest, and lead nowhere.
        let probes = print.probes().saturating_sub(print.shingles.len() - found.len());
        if probes > 0 {
            rarest.clear();
            rarest.extend(found.iter().map(|&shingle| (buckets.size(shingle), shingle)));
            if probes < rarest.len() {
                rarest.select_nth_unstable(probes);
            }
            for &(_, shingle) in rarest[..probes].iter().filter(|(size, _)| *size > 1) {
                buckets.join(shingle, text, &mut sets, |other| {
                    prints[other as usize].is_some_and(|other| print.repeats(other))
                });
            }
        }
        for &shingle in found {
            buckets.insert(shingle, text, &mut sets);
        }
    }
    (0..prints.len() as u32).map(|text| sets.root(text)).collect()
}

/// Which shingles may stand in several texts: a bit for those that were met, and one for those that
/// were met again.
struct Repeated {
    met: Vec<u64>,
    again: Vec<u64>,
}

impl Repeated {
    /// Bits for a shingle: one in so many that stand in one text looks as if it did not.
    const BITS: usize = 8;

    fn of<'p>(prints: impl Iterator<Item = &'p Print> + Clone) -> Self {
        let shingles: usize = prints.clone().map(|print| print.shingles.len()).sum();
        let words = (Self::BITS * shingles / 64 + 1).next_power_of_two();
        let mut seen = Self { met: vec![0; words], again: vec![0; words] };
        for &shingle in prints.flat_map(|print| &print.shingles) {
            let (word, bit) = seen.place(shingle);
            seen.again[word] |= seen.met[word] & bit;
            seen.met[word] |= bit;
        }
        seen
    }

    fn may_hold(&self, shingle: u64) -> bool {
        let (word, bit) = self.place(shingle);
        self.again[word] & bit != 0
    }

    /// By other bits of the shingle than its bucket.
    fn place(&self, shingle: u64) -> (usize, u64) {
        let high = (shingle >> 32) as usize;
        ((high >> 6) & (self.met.len() - 1), 1 << (high & 63))
    }
}

/// Texts by the low bits of their shingles.
struct Buckets {
    /// Bucket `i` has room at `offsets[i]..offsets[i + 1]`, of which the first `filled[i]` are taken.
    offsets: Vec<u32>,
    filled: Vec<u32>,
    texts: Vec<u32>,
    /// Per text in a bucket: the first of those before it that are known to be in its group.
    runs: Vec<u32>,
}

impl Buckets {
    fn of(shingles: &[u64]) -> Self {
        let count = (4 * shingles.len()).next_power_of_two();
        let mut offsets = vec![0_u32; count + 1];
        for shingle in shingles {
            offsets[(*shingle as usize & (count - 1)) + 1] += 1;
        }
        for bucket in 0..count {
            offsets[bucket + 1] += offsets[bucket];
        }
        let room = vec![0; shingles.len()];
        Self { offsets, filled: vec![0; count], texts: room.clone(), runs: room }
    }

    fn bucket(&self, shingle: u64) -> usize {
        shingle as usize & (self.filled.len() - 1)
    }

    fn size(&self, shingle: u64) -> u32 {
        let bucket = self.bucket(shingle);
        self.offsets[bucket + 1] - self.offsets[bucket]
    }

    /// Joins a text with those in the bucket that it repeats.
    fn join(&self, shingle: u64, text: u32, sets: &mut Sets, repeats: impl Fn(u32) -> bool) {
        let bucket = self.bucket(shingle);
        let first = self.offsets[bucket];
        let mut end = first + self.filled[bucket];
        while end > first {
            let at = end as usize - 1;
            let other = self.texts[at];
            if sets.root(other) == sets.root(text) {
                end = self.runs[at];
            } else if repeats(other) {
                sets.join(other, text);
                end = self.runs[at];
            } else {
                end -= 1;
            }
        }
    }

    fn insert(&mut self, shingle: u64, text: u32, sets: &mut Sets) {
        let bucket = self.bucket(shingle);
        let at = self.offsets[bucket] + self.filled[bucket];
        let goes_on =
            at > self.offsets[bucket] && sets.root(self.texts[at as usize - 1]) == sets.root(text);
        self.runs[at as usize] = if goes_on { self.runs[at as usize - 1] } else { at };
        self.texts[at as usize] = text;
        self.filled[bucket] += 1;
    }
}
