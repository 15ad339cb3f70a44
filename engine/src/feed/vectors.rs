//! TF-IDF vectors of a batch of posts.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::words::Stem;

/// Unit vectors in compressed rows: those of post `i` stand at `offsets[i]..offsets[i + 1]`. The
/// vector of a post without words is empty.
#[derive(Debug, Default)]
pub struct Vectors {
    offsets: Vec<u32>,
    /// Numbers of stems, ascending within a row; the rarest stem of the batch has the lowest.
    stems: Vec<u32>,
    weights: Vec<f32>,
    /// The stem of each number.
    pub vocabulary: Vec<Stem>,
    with: Vec<u32>,
}

impl Vectors {
    /// weight = times in the post · (ln((1 + posts) / (1 + posts with it)) + 1), over the norm: the
    /// smoothed IDF of scikit-learn's `TfidfVectorizer`.
    #[must_use]
    pub fn of(posts: &[&[Stem]]) -> Self {
        let mut numbers = FxHashMap::<Stem, u32>::default();
        let mut vocabulary: Vec<Stem> = Vec::new();
        let mut with: Vec<u32> = Vec::new();
        let mut last: Vec<u32> = Vec::new();
        let mut found: Vec<u32> = Vec::new();
        let mut ends = Vec::with_capacity(posts.len());
        for (post, words) in (0..).zip(posts) {
            for &stem in *words {
                let number = *numbers.entry(stem).or_insert_with(|| {
                    vocabulary.push(stem);
                    with.push(0);
                    last.push(u32::MAX);
                    vocabulary.len() as u32 - 1
                });
                if last[number as usize] != post {
                    last[number as usize] = post;
                    with[number as usize] += 1;
                }
                found.push(number);
            }
            ends.push(found.len());
        }
        // Numbered anew, so that they do not depend on the order of the posts.
        let mut order: Vec<u32> = (0..vocabulary.len() as u32).collect();
        order.par_sort_unstable_by_key(|&number| {
            (with[number as usize], vocabulary[number as usize])
        });
        let mut ranks = vec![0_u32; order.len()];
        for (rank, &number) in (0..).zip(&order) {
            ranks[number as usize] = rank;
        }
        let rarity: Vec<f32> = order
            .iter()
            .map(|&number| {
                let with = f64::from(with[number as usize]);
                (((1.0 + posts.len() as f64) / (1.0 + with)).ln() + 1.0) as f32
            })
            .collect();
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let spans: Vec<&[u32]> =
            starts.zip(&ends).map(|(start, &end)| &found[start..end]).collect();
        let rows: Vec<Vec<(u32, f32)>> = spans
            .into_par_iter()
            .map(|found| row(found.iter().map(|&number| ranks[number as usize]), &rarity))
            .collect();
        let mut vectors = Self { offsets: vec![0], ..Self::default() };
        for row in rows {
            vectors.stems.extend(row.iter().map(|(stem, _)| stem));
            vectors.weights.extend(row.iter().map(|(_, weight)| weight));
            vectors.offsets.push(vectors.stems.len() as u32);
        }
        vectors.vocabulary = order.iter().map(|&number| vocabulary[number as usize]).collect();
        vectors.with = order.iter().map(|&number| with[number as usize]).collect();
        vectors
    }

    /// Number of posts.
    #[must_use]
    pub fn posts(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Number of posts that have a stem.
    #[must_use]
    pub fn with(&self, stem: u32) -> u32 {
        self.with[stem as usize]
    }

    /// Stems and weights of a post, the rarest stem first.
    pub fn row(&self, post: u32) -> impl Iterator<Item = (u32, f32)> + Clone {
        let post = post as usize;
        let span = self.offsets[post] as usize..self.offsets[post + 1] as usize;
        self.stems[span.clone()].iter().copied().zip(self.weights[span].iter().copied())
    }
}

fn row(stems: impl Iterator<Item = u32>, rarity: &[f32]) -> Vec<(u32, f32)> {
    let mut stems: Vec<u32> = stems.collect();
    stems.sort_unstable();
    let mut row: Vec<(u32, f32)> = stems
        .chunk_by(PartialEq::eq)
        .map(|same| (same[0], same.len() as f32 * rarity[same[0] as usize]))
        .collect();
    let norm = row.iter().map(|(_, weight)| weight * weight).sum::<f32>().sqrt();
    for (_, weight) in &mut row {
        *weight /= norm;
    }
    row
}
