//! Topics: what the posts of a feed are about, inferred from their texts.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use super::{
    vectors::Vectors,
    words::{self, Stem},
};

/// The least cosine of a post to the centroid of the topic that it joins.
pub const LIKE: f32 = 0.3;
const KEYWORDS: usize = 5;

/// Posts about the same.
#[derive(Debug, Default)]
pub struct Topic {
    /// In the order of the feed.
    pub members: Vec<u32>,
    /// The sum of the members' vectors, which points where the centroid does.
    sum: FxHashMap<u32, f32>,
    norm: f32,
    /// Per level of frequency: Σ of the squares in `sum` of stems of this level and above.
    tails: [f32; LEVELS + 1],
}

/// Topics in the order of their first posts, for posts (rows of the vectors) in the order of the feed:
/// each post joins the topic with the most similar centroid, if the cosine is at least [`LIKE`], else
/// it starts one. Of equally similar topics it joins the earlier. A post without words is in none.
///
/// The same as comparing each post with every topic. A topic is found by the post's rarer stems, since
/// the frequent ones, whose topics are many, cannot make up a cosine of [`LIKE`] by themselves; and it
/// is compared in full only if what was found and a bound for the rest can.
#[must_use]
pub fn topics(feed: &[u32], vectors: &Vectors<'_>) -> Vec<Topic> {
    let mut topics: Vec<Topic> = Vec::new();
    let mut index = Index::default();
    index.entries.resize(vectors.vocabulary.len(), Vec::new());
    for &post in feed {
        if vectors.row(post).next().is_none() {
            continue;
        }
        index.find(post, &topics, vectors);
        let best = index
            .found
            .iter()
            .map(|&number| (topics[number as usize].cosine(post, vectors), Reverse(number)))
            .filter(|(cosine, _)| *cosine >= LIKE)
            .max_by(|(a, x), (b, y)| a.total_cmp(b).then_with(|| x.cmp(y)));
        let number = best.map_or(topics.len() as u32, |(_, Reverse(number))| number);
        if best.is_none() {
            topics.push(Topic::default());
        }
        topics[number as usize].join(post, vectors);
        index.enter(number, post, vectors);
    }
    topics
}

impl Topic {
    /// Of a post's vector and the centroid; 0 for a topic without posts.
    #[must_use]
    pub fn cosine(&self, post: u32, vectors: &Vectors<'_>) -> f32 {
        if self.norm > 0.0 { self.dot(post, vectors) / self.norm } else { 0.0 }
    }

    fn dot(&self, post: u32, vectors: &Vectors<'_>) -> f32 {
        vectors.row(post).filter_map(|(stem, weight)| Some(weight * self.sum.get(&stem)?)).sum()
    }

    pub fn join(&mut self, post: u32, vectors: &Vectors<'_>) {
        let dot = self.dot(post, vectors);
        self.norm = (self.norm * self.norm + 2.0 * dot + 1.0).sqrt();
        for (stem, weight) in vectors.row(post) {
            let sum = self.sum.entry(stem).or_default();
            let more = weight * (2.0 * *sum + weight);
            *sum += weight;
            for tail in &mut self.tails[..=level(stem, vectors)] {
                *tail += more;
            }
        }
        self.members.push(post);
    }

    /// The stems of the highest weight, each in the written form that is the most frequent among the
    /// members' texts; of equally frequent ones, the first in the alphabet.
    #[must_use]
    pub fn keywords<'t>(
        &self,
        vectors: &Vectors<'_>,
        texts: impl Iterator<Item = &'t str>,
    ) -> Vec<&'t str> {
        let mut stems: Vec<(u32, f32)> =
            self.sum.iter().map(|(&stem, &weight)| (stem, weight)).collect();
        stems.sort_unstable_by(|(a, x), (b, y)| {
            y.total_cmp(x).then_with(|| vectors.rank(*a).cmp(&vectors.rank(*b)))
        });
        stems.truncate(KEYWORDS);
        let mut forms: Vec<(Stem, FxHashMap<&str, u32>)> = stems
            .iter()
            .map(|&(stem, _)| (vectors.vocabulary[stem as usize], FxHashMap::default()))
            .collect();
        for word in texts.flat_map(words::words) {
            if let Some((_, forms)) = forms.iter_mut().find(|(stem, _)| *stem == word.stem) {
                *forms.entry(word.written).or_default() += 1;
            }
        }
        forms
            .into_iter()
            .filter_map(|(_, forms)| {
                let best = forms.into_iter().max_by_key(|&(form, count)| (count, Reverse(form)));
                best.map(|(form, _)| form)
            })
            .collect()
    }
}

/// Degrees of frequency above the lowest.
const LEVELS: usize = 8;

/// How frequent a stem is: 8 in half of the posts or more, 7 in a quarter, …, 0 in few.
fn level(stem: u32, vectors: &Vectors<'_>) -> usize {
    let share = vectors.posts().ilog2() - vectors.with(stem).ilog2();
    LEVELS.saturating_sub(share as usize)
}

/// Bounds leave this much room for rounding.
const ROUNDING: f32 = 1e-4;

/// Per stem, the topics whose members have it, and the members' weights.
#[derive(Default)]
struct Index {
    entries: Vec<Vec<(u32, f32)>>,
    /// Per topic what was found of its product with a post, and the topics with any; scratch.
    products: Vec<f32>,
    found: Vec<u32>,
}

impl Index {
    /// Leaves in `found` all topics that may have a cosine of [`LIKE`] to the post.
    fn find(&mut self, post: u32, topics: &[Topic], vectors: &Vectors<'_>) {
        // By level, the norm of the post's stems of this level and above.
        let mut norms = [0.0_f32; LEVELS + 2];
        for (stem, weight) in vectors.row(post) {
            norms[level(stem, vectors)] += weight * weight;
        }
        for level in (0..=LEVELS).rev() {
            norms[level] += norms[level + 1];
        }
        let norms = norms.map(f32::sqrt);
        // Stems from this level on cannot make a post and a centroid alike: neither is longer than 1.
        let cut = norms.iter().position(|&norm| norm < LIKE - ROUNDING).unwrap_or(LEVELS + 1);
        self.found.clear();
        self.products.resize(topics.len(), 0.0);
        for (stem, weight) in vectors.row(post).filter(|(stem, _)| level(*stem, vectors) < cut) {
            for &(topic, member) in &self.entries[stem as usize] {
                let product = &mut self.products[topic as usize];
                if *product == 0.0 {
                    self.found.push(topic);
                }
                *product += weight * member;
            }
        }
        // No sum is shorter than 1, nor than its tail.
        let least = LIKE - ROUNDING - norms[cut];
        let products = &mut self.products;
        self.found.retain(|&number| {
            let product = std::mem::take(&mut products[number as usize]);
            product >= least && {
                let topic = &topics[number as usize];
                let rest = norms[cut] * topic.tails.get(cut).map_or(0.0, |tail| tail.sqrt());
                product + rest >= (LIKE - ROUNDING) * topic.norm
            }
        });
    }

    fn enter(&mut self, number: u32, post: u32, vectors: &Vectors<'_>) {
        for (stem, weight) in vectors.row(post) {
            let entries = &mut self.entries[stem as usize];
            match entries.last_mut() {
                Some((topic, sum)) if *topic == number => *sum += weight,
                _ => entries.push((number, weight)),
            }
        }
    }
}
