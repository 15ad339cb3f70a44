//! Groups that merge when they are similar on average.

use std::{cmp::Ordering, collections::BinaryHeap};

use model::Grouping;
use rustc_hash::FxHashMap;

use crate::{
    sets::Sets,
    similar::{Limits, Pair, Texts},
};

/// Two groups that might merge, the most similar first, then the earliest.
#[derive(Clone, Copy)]
struct Candidate {
    similarity: f64,
    a: u32,
    b: u32,
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        self.similarity
            .total_cmp(&other.similarity)
            .then_with(|| (other.a, other.b).cmp(&(self.a, self.b)))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Candidate {}

/// The group of each text, named by its earliest text.
///
/// The two most similar groups merge, until none are similar enough. Their similarity is the average
/// over all pairs of items of one and of the other, where pairs below [`Grouping::floor`] count as
/// zero. Larger groups may be less alike ([`Grouping::size_exponent`]), since an average over many
/// pairs is surer evidence than one pair. Against chains of happenings that have no more in common
/// than a name or a place, two groups must also be linked: one item at least is as alike to the
/// other group as the items of these groups are among themselves ([`Grouping::cohesion_share`]).
///
/// An average is never above the highest similarity of a pair. So only groups that a strong pair
/// links can merge, and weaker pairs are looked at for those alone.
#[must_use]
pub fn group(texts: &Texts, params: &Grouping) -> Vec<u32> {
    let size_factor = params.size_limit.max(1.0).powf(params.size_exponent.max(0.0));
    let strong = params.threshold / size_factor - 1e-9;
    let limits = Limits::of(params);
    let pairs = texts.corpus.join(&Limits { floor: strong.max(limits.floor), ..limits });
    let mut groups = Groups::new(texts, &pairs, limits, params);
    let mut heap = BinaryHeap::new();
    for pair in pairs {
        heap.extend(groups.candidate(pair.earlier, pair.later));
    }
    while let Some(candidate) = heap.pop() {
        // Groups that have changed since have put a candidate of their own into the heap.
        if groups.candidate(candidate.a, candidate.b) != Some(candidate)
            || !groups.linked(candidate.a, candidate.b)
        {
            continue;
        }
        let group = groups.merge(candidate.a, candidate.b);
        for &neighbour in groups.sums[group as usize].keys() {
            heap.extend(groups.candidate(group, neighbour));
        }
    }
    (0..texts.sizes.len() as u32).map(|text| groups.sets.root(text)).collect()
}

struct Groups<'t> {
    sets: Sets,
    /// Per group: its texts.
    texts: Vec<Vec<u32>>,
    /// Per group: number of items.
    sizes: Vec<f64>,
    /// Per group: Σ of similarities of its pairs of items; equal texts are alike in full.
    inner: Vec<f64>,
    /// Per group: Σ of similarities to each group that a strong pair links to it.
    sums: Vec<FxHashMap<u32, f64>>,
    all: &'t Texts,
    limits: Limits,
    params: &'t Grouping,
}

impl<'t> Groups<'t> {
    /// Each text a group of its own.
    fn new(all: &'t Texts, pairs: &[Pair], limits: Limits, params: &'t Grouping) -> Self {
        let count = all.sizes.len();
        let sizes: Vec<f64> = all.sizes.iter().map(|&items| f64::from(items)).collect();
        let mut sums = vec![FxHashMap::default(); count];
        for pair in pairs {
            let (a, b) = (pair.earlier, pair.later);
            let sum = pair.similarity * sizes[a as usize] * sizes[b as usize];
            sums[a as usize].insert(b, sum);
            sums[b as usize].insert(a, sum);
        }
        Self {
            sets: Sets::new(count),
            texts: (0..count as u32).map(|text| vec![text]).collect(),
            inner: sizes.iter().map(|&items| pairs_of(items)).collect(),
            sizes,
            sums,
            all,
            limits,
            params,
        }
    }

    /// Similarity of two texts; 0 below the floor.
    fn similarity(&self, a: u32, b: u32) -> f64 {
        let similarity = self.all.corpus.similarity(a as usize, b as usize, &self.limits);
        if similarity >= self.limits.floor { similarity } else { 0.0 }
    }

    /// Σ of similarities of the items of a text to those of a group.
    fn sum_to(&self, text: u32, group: u32) -> f64 {
        let items = |text: u32| f64::from(self.all.sizes[text as usize]);
        let others = self.texts[group as usize].iter();
        items(text) * others.map(|&other| self.similarity(text, other) * items(other)).sum::<f64>()
    }

    /// The merge of two groups, if they are similar enough.
    fn candidate(&self, a: u32, b: u32) -> Option<Candidate> {
        let (a, b) = (a.min(b), a.max(b));
        let sum = self.sums[a as usize].get(&b)?;
        let (first, second) = (self.sizes[a as usize], self.sizes[b as usize]);
        let size = ((first + second) / 2.0).min(self.params.size_limit);
        let similarity = sum / (first * second) * size.powf(self.params.size_exponent);
        (similarity >= self.params.threshold).then_some(Candidate { similarity, a, b })
    }

    /// One item at least is alike enough to the other group.
    fn linked(&self, a: u32, b: u32) -> bool {
        let cohesion = self.cohesion(a).min(self.cohesion(b)).min(self.params.cohesion_limit);
        let needed = self.params.cohesion_share * cohesion;
        let reaches = |one: u32, other: u32| {
            self.texts[one as usize].iter().any(|&text| {
                let items = f64::from(self.all.sizes[text as usize]) * self.sizes[other as usize];
                self.sum_to(text, other) >= needed * items
            })
        };
        needed <= 0.0 || reaches(a, b) || reaches(b, a)
    }

    /// Average similarity of the pairs of items of a group; 0 for a single item.
    fn cohesion(&self, group: u32) -> f64 {
        let size = self.sizes[group as usize];
        if size > 1.0 { self.inner[group as usize] / pairs_of(size) } else { 0.0 }
    }

    /// Σ of similarities of the items of one group to those of another.
    fn between(&self, a: u32, b: u32) -> f64 {
        self.texts[a as usize].iter().map(|&text| self.sum_to(text, b)).sum()
    }

    /// The later group becomes part of the earlier one, which is returned.
    fn merge(&mut self, a: u32, b: u32) -> u32 {
        let (a, b) = (a.min(b), a.max(b));
        let between = self.sums[a as usize].remove(&b).unwrap_or_default();
        self.inner[a as usize] += self.inner[b as usize] + between;
        let ours = std::mem::take(&mut self.sums[a as usize]);
        let mut theirs = std::mem::take(&mut self.sums[b as usize]);
        theirs.remove(&a);
        let mut joined = FxHashMap::default();
        for (neighbour, sum) in ours {
            let other = theirs.remove(&neighbour);
            joined.insert(neighbour, sum + other.unwrap_or_else(|| self.between(b, neighbour)));
        }
        for (neighbour, sum) in theirs {
            joined.insert(neighbour, sum + self.between(a, neighbour));
        }
        for (&neighbour, &sum) in &joined {
            let sums = &mut self.sums[neighbour as usize];
            sums.remove(&b);
            sums.insert(a, sum);
        }
        self.sums[a as usize] = joined;
        self.sizes[a as usize] += self.sizes[b as usize];
        self.sets.join(a, b);
        let texts = std::mem::take(&mut self.texts[b as usize]);
        self.texts[a as usize].extend(texts);
        a
    }
}

fn pairs_of(size: f64) -> f64 {
    size * (size - 1.0) / 2.0
}
