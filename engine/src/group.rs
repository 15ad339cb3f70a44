//! Groups that merge when they are similar on average.

use std::{cmp::Ordering, collections::BinaryHeap};

use model::Grouping;
use rayon::prelude::*;
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

/// Texts in groups, and the similar pairs among those that might have stood in one.
pub struct Grouped {
    /// Per text: its group, named by its earliest text.
    pub groups: Vec<u32>,
    pub pairs: Vec<Pair>,
}

/// Groups the texts.
///
/// The two most similar groups merge, until none are similar enough. Their similarity is the average
/// over all pairs of items of one and of the other, where pairs below [`Grouping::floor`] count as
/// zero. Larger groups may be less alike ([`Grouping::size_exponent`]), since an average over many
/// pairs is surer evidence than one pair. Against chains of happenings that have no more in common
/// than a name or a place, two groups must also be linked: one item at least is as alike to the
/// other group as the items of these groups are among themselves ([`Grouping::cohesion_share`]).
#[must_use]
pub fn group(texts: &Texts, params: &Grouping) -> Grouped {
    let components = components(texts, params);
    let limits = Limits::of(params);
    let found: Vec<(Vec<u32>, Vec<Pair>)> = components
        .par_iter()
        .map(|members| {
            let pairs = texts.corpus.join_among(members, &limits);
            (merged(members, &texts.sizes, &pairs, params), pairs)
        })
        .collect();
    let mut groups: Vec<u32> = (0..texts.sizes.len() as u32).collect();
    for (members, (roots, _)) in components.iter().zip(&found) {
        for (&member, &root) in members.iter().zip(roots) {
            groups[member as usize] = root;
        }
    }
    let pairs = found.into_iter().flat_map(|(_, pairs)| pairs).collect();
    Grouped { groups, pairs }
}

/// Texts that might come together: an average is never above the highest similarity of a pair, so
/// groups that no pair links strongly enough never merge. Only sets of two and more, ascending.
fn components(texts: &Texts, params: &Grouping) -> Vec<Vec<u32>> {
    let size_factor = params.size_limit.max(1.0).powf(params.size_exponent.max(0.0));
    let strong = params.threshold / size_factor - 1e-9;
    let limits = Limits { floor: strong.max(params.floor), ..Limits::of(params) };
    let mut sets = Sets::new(texts.sizes.len());
    for pair in texts.corpus.join(&limits) {
        sets.join(pair.earlier, pair.later);
    }
    let mut members = FxHashMap::<u32, Vec<u32>>::default();
    for text in 0..texts.sizes.len() as u32 {
        members.entry(sets.root(text)).or_default().push(text);
    }
    let mut components: Vec<Vec<u32>> =
        members.into_values().filter(|members| members.len() > 1).collect();
    components.sort_unstable();
    components
}

/// The group of each member of a component.
fn merged(members: &[u32], sizes: &[u32], pairs: &[Pair], params: &Grouping) -> Vec<u32> {
    let local = |text: u32| members.partition_point(|&member| member < text) as u32;
    let mut groups = Groups::new(members, sizes, params);
    let mut heap = BinaryHeap::new();
    for pair in pairs {
        let (a, b) = (local(pair.earlier), local(pair.later));
        groups.add(a, b, pair.similarity);
        heap.extend(groups.candidate(a, b));
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
    (0..members.len() as u32).map(|text| members[groups.sets.root(text) as usize]).collect()
}

struct Groups<'p> {
    sets: Sets,
    /// Per group: its texts.
    texts: Vec<Vec<u32>>,
    /// Per group: number of items.
    sizes: Vec<f64>,
    /// Per group: Σ of similarities of its pairs of items; equal texts are alike in full.
    inner: Vec<f64>,
    /// Per group: Σ of similarities to each neighbouring group.
    sums: Vec<FxHashMap<u32, f64>>,
    /// Per text: number of items, and its similar texts.
    items: Vec<f64>,
    similar: Vec<Vec<(u32, f64)>>,
    params: &'p Grouping,
}

impl<'p> Groups<'p> {
    fn new(members: &[u32], sizes: &[u32], params: &'p Grouping) -> Self {
        let items: Vec<f64> = members.iter().map(|&text| f64::from(sizes[text as usize])).collect();
        Self {
            sets: Sets::new(members.len()),
            texts: (0..members.len() as u32).map(|text| vec![text]).collect(),
            sizes: items.clone(),
            inner: items.iter().map(|&items| pairs_of(items)).collect(),
            sums: vec![FxHashMap::default(); members.len()],
            items,
            similar: vec![Vec::new(); members.len()],
            params,
        }
    }

    /// Two texts, each still a group of its own, are similar.
    fn add(&mut self, a: u32, b: u32, similarity: f64) {
        let sum = similarity * self.items[a as usize] * self.items[b as usize];
        for (one, other) in [(a, b), (b, a)] {
            self.sums[one as usize].insert(other, sum);
            self.similar[one as usize].push((other, similarity));
        }
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
    fn linked(&mut self, a: u32, b: u32) -> bool {
        let cohesion = self.cohesion(a).min(self.cohesion(b)).min(self.params.cohesion_limit);
        let needed = self.params.cohesion_share * cohesion;
        let texts = |group: u32| self.texts[group as usize].len();
        let (few, many) = if texts(a) <= texts(b) { (a, b) } else { (b, a) };
        let mut sums = FxHashMap::<u32, f64>::default();
        for &text in &self.texts[few as usize] {
            let mut sum = 0.0;
            for &(other, similarity) in &self.similar[text as usize] {
                if self.sets.root(other) == many {
                    sum += similarity * self.items[other as usize];
                    *sums.entry(other).or_default() += similarity * self.items[text as usize];
                }
            }
            if sum >= needed * self.sizes[many as usize] {
                return true;
            }
        }
        sums.values().any(|&sum| sum >= needed * self.sizes[few as usize])
    }

    /// Average similarity of the pairs of items of a group; 0 for a single item.
    fn cohesion(&self, group: u32) -> f64 {
        let size = self.sizes[group as usize];
        if size > 1.0 { self.inner[group as usize] / pairs_of(size) } else { 0.0 }
    }

    /// The later group becomes part of the earlier one, which is returned.
    fn merge(&mut self, a: u32, b: u32) -> u32 {
        let (a, b) = (a.min(b), a.max(b));
        let between = self.sums[a as usize].get(&b).copied().unwrap_or_default();
        self.inner[a as usize] += self.inner[b as usize] + between;
        let moved = std::mem::take(&mut self.sums[b as usize]);
        for (neighbour, sum) in moved {
            let theirs = &mut self.sums[neighbour as usize];
            theirs.remove(&b);
            if neighbour != a {
                *theirs.entry(a).or_default() += sum;
                *self.sums[a as usize].entry(neighbour).or_default() += sum;
            }
        }
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
