//! Copies: items that repeat another item's text (wire copy, syndication) share one origin.

use std::hash::Hasher;

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use crate::{lexicon::Lexicon, sets::Sets, text};

/// The distinct text that an item has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// Within the group, from 0 in order of time.
    pub number: u32,
    /// An earlier item of the group has it.
    pub copy: bool,
}

pub(crate) const SHINGLE_WORDS: usize = 3;
/// SimHashes of copies differ in at most so many of 64 bits.
pub(crate) const HAMMING: u32 = 20;
/// A lede of so many shingles is enough evidence without its title: editors change titles.
const LEDE_SHINGLES: usize = 8;

/// The origin of each item; `groups` and `readings` hold each item's, in order of time.
#[must_use]
pub fn origins(
    groups: &[u32],
    readings: &[u32],
    lexicon: &Lexicon,
    containment: f64,
) -> Vec<Origin> {
    let mut members = FxHashMap::<u32, Vec<u32>>::default();
    for (item, &group) in groups.iter().enumerate() {
        members.entry(group).or_default().push(item as u32);
    }
    let found: Vec<(Vec<u32>, Vec<Origin>)> = members
        .into_par_iter()
        .filter(|(_, items)| items.len() > 1)
        .map(|(_, items)| {
            let own = items.iter().map(|&item| readings[item as usize]);
            let origins = origins_of(own, lexicon, containment);
            (items, origins)
        })
        .collect();
    let mut origins = vec![Origin::default(); groups.len()];
    for (items, of_items) in found {
        for (item, origin) in items.into_iter().zip(of_items) {
            origins[item as usize] = origin;
        }
    }
    origins
}

/// The origins of one event's items.
fn origins_of(
    readings: impl Iterator<Item = u32>,
    lexicon: &Lexicon,
    containment: f64,
) -> Vec<Origin> {
    let mut distinct = FxHashMap::<Vec<u32>, u32>::default();
    let mut prints = Vec::new();
    let print_of: Vec<u32> = readings
        .map(|reading| {
            let [title, lede] = lexicon.words(reading);
            let mut words = Vec::new();
            // Words in lower case, without the credit of an agency.
            words.extend(title.filter(|(_, word)| !word.agency).map(|(_, word)| word.lower));
            let title = words.len();
            words.extend(lede.filter(|(_, word)| !word.agency).map(|(_, word)| word.lower));
            let next = prints.len() as u32;
            *distinct.entry(words).or_insert_with_key(|words| {
                prints.push(Print::of(words, title, lexicon));
                next
            })
        })
        .collect();
    let roots = copies(&prints, containment);
    let mut numbers = FxHashMap::<u32, u32>::default();
    print_of
        .into_iter()
        .map(|print| {
            let next = numbers.len() as u32;
            let mut copy = true;
            let number = *numbers.entry(roots[print as usize]).or_insert_with(|| {
                copy = false;
                next
            });
            Origin { number, copy }
        })
        .collect()
}

/// The root of each print's set of copies, its earliest print.
fn copies(prints: &[Print], containment: f64) -> Vec<u32> {
    let mut sets = Sets::new(prints.len());
    let mut having = FxHashMap::<u64, Vec<u32>>::default();
    for (later, print) in prints.iter().enumerate() {
        let candidates: FxHashSet<u32> = print
            .shingles
            .iter()
            .filter_map(|shingle| having.get(shingle))
            .flatten()
            .copied()
            .collect();
        for earlier in candidates {
            if print.copies(&prints[earlier as usize], containment) {
                sets.join(earlier, later as u32);
            }
        }
        for &shingle in &print.shingles {
            having.entry(shingle).or_default().push(later as u32);
        }
    }
    (0..prints.len() as u32).map(|print| sets.root(print)).collect()
}

/// What is compared of a text.
struct Print {
    /// Hashes of three words in a row, ascending.
    shingles: Vec<u64>,
    simhash: u64,
    /// The lede's own shingles.
    lede: Vec<u64>,
    /// Forms of the words that are numbers, ascending.
    numbers: Vec<u32>,
}

impl Print {
    /// Of words by form, of which so many are the title's.
    fn of(words: &[u32], title: usize, lexicon: &Lexicon) -> Self {
        let written: Vec<&str> = words.iter().map(|&word| lexicon.form(word)).collect();
        let shingles = shingles(&written);
        let number = |word: &u32| text::is_number(lexicon.form(*word));
        let mut numbers: Vec<u32> = words.iter().copied().filter(number).collect();
        numbers.sort_unstable();
        Self {
            simhash: simhash(&shingles),
            shingles,
            lede: self::shingles(&written[title..]),
            numbers,
        }
    }

    fn copies(&self, other: &Self, containment: f64) -> bool {
        let near = (self.simhash ^ other.simhash).count_ones() <= HAMMING
            && contained(&self.shingles, &other.shingles) >= containment;
        let lede = || {
            self.lede.len().min(other.lede.len()) >= LEDE_SHINGLES
                && (simhash(&self.lede) ^ simhash(&other.lede)).count_ones() <= HAMMING
                && contained(&self.lede, &other.lede) >= containment
        };
        let (short, long) =
            if self.shingles.len() <= other.shingles.len() { (self, other) } else { (other, self) };
        short.numbers.iter().all(|number| long.numbers.binary_search(number).is_ok())
            && (near || lede())
    }
}

fn shingles(words: &[&str]) -> Vec<u64> {
    let mut shingles: Vec<u64> = words
        .windows(SHINGLE_WORDS)
        .map(|words| {
            let mut hasher = FxHasher::default();
            for word in words {
                hasher.write(word.as_bytes());
                hasher.write_u8(0xFF);
            }
            hasher.finish()
        })
        .collect();
    shingles.sort_unstable();
    shingles.dedup();
    shingles
}

/// M. Charikar, *Similarity estimation techniques from rounding algorithms* (2002): a bit is set where
/// it is in more than half of the shingles.
pub(crate) fn simhash(shingles: &[u64]) -> u64 {
    // All 64 counts at once: plane `p` holds bit `p` of each.
    let mut planes = [0_u64; usize::BITS as usize];
    for &shingle in shingles {
        let mut carry = shingle;
        for plane in &mut planes {
            (*plane, carry) = (*plane ^ carry, *plane & carry);
            if carry == 0 {
                break;
            }
        }
    }
    // Compared with the half from the highest bit of the counts on.
    let half = shingles.len() / 2;
    let (mut more, mut equal) = (0, u64::MAX);
    let used = usize::BITS - shingles.len().leading_zeros();
    for (bit, plane) in planes.iter().enumerate().take(used as usize).rev() {
        let half = if half >> bit & 1 == 1 { u64::MAX } else { 0 };
        more |= equal & plane & !half;
        equal &= !(plane ^ half);
    }
    more
}

/// Share of the shorter list that stands in the longer.
fn contained(a: &[u64], b: &[u64]) -> f64 {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let shared = short.iter().filter(|shingle| long.binary_search(shingle).is_ok()).count();
    shared as f64 / short.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_simhash_has_the_bits_of_most_shingles(
            shingles in prop::collection::vec(any::<u64>(), 0..70),
        ) {
            let hash = simhash(&shingles);
            for bit in 0..u64::BITS {
                let set = shingles.iter().filter(|shingle| *shingle >> bit & 1 == 1).count();
                prop_assert_eq!(hash >> bit & 1 == 1, 2 * set > shingles.len(), "bit {}", bit);
            }
        }
    }
}
