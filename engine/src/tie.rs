//! Why an article stands in its group: its strongest link and the words that make it.

use model::{Grouping, UnixSeconds};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::{
    cluster::{Link, Matched},
    lexicon::Lexicon,
    similar::{Limits, Pair},
};

/// A reader is told at most so many shared words.
const SHARED_WORDS: usize = 8;

/// Likeness and strongest link of each article.
pub(crate) fn reasons(
    matched: &Matched,
    lexicon: &Lexicon,
    readings: &[u32],
    times: &[UnixSeconds],
    params: &Grouping,
) -> Vec<(f64, Option<Link>)> {
    let Matched { texts, groups } = matched;
    let limits = Limits::of(params);
    let count = texts.sizes.len();
    let mut members = FxHashMap::<u32, Vec<u32>>::default();
    for (text, &group) in (0..).zip(groups) {
        members.entry(group).or_default().push(text);
    }
    let pairs: Vec<Vec<Pair>> = members
        .into_par_iter()
        .map(|(_, members)| texts.corpus.join_among(&members, &limits))
        .collect();
    // Best partner and likeness of each text.
    let mut best: Vec<Option<(f64, u32)>> = vec![None; count];
    let mut likeness: Vec<f64> = texts.sizes.iter().map(|&size| f64::from(size) - 1.0).collect();
    for pair in pairs.iter().flatten() {
        let (a, b) = (pair.earlier as usize, pair.later as usize);
        likeness[a] += pair.similarity * f64::from(texts.sizes[b]);
        likeness[b] += pair.similarity * f64::from(texts.sizes[a]);
        for (one, other) in [(a, pair.later), (b, pair.earlier)] {
            if best[one].is_none_or(|(similarity, _)| pair.similarity > similarity) {
                best[one] = Some((pair.similarity, other));
            }
        }
    }
    // First and second article of each text.
    let mut firsts = vec![[u32::MAX; 2]; count];
    for (article, &text) in texts.of_article.iter().enumerate() {
        let slots = &mut firsts[text as usize];
        if let Some(free) = slots.iter_mut().find(|slot| **slot == u32::MAX) {
            *free = article as u32;
        }
    }
    texts
        .of_article
        .par_iter()
        .enumerate()
        .map(|(article, &own)| {
            let [first, second] = firsts[own as usize];
            let equal = if first == article as u32 { second } else { first };
            let link = if equal != u32::MAX {
                let similarity = limits.fade(times[article], times[equal as usize]);
                Some((equal, own, similarity))
            } else {
                best[own as usize]
                    .map(|(similarity, other)| (firsts[other as usize][0], other, similarity))
            };
            let link = link.map(|(to, other, similarity)| {
                // A stem and its beginning are one word to a reader.
                let mut weights = FxHashMap::<u32, f64>::default();
                for word in texts.corpus.shared(own as usize, other as usize) {
                    let entry = texts.entry[word as usize];
                    if let Some(form) = lexicon.written(readings[article], entry) {
                        *weights.entry(form).or_default() += texts.corpus.weights[word as usize];
                    }
                }
                let mut shared: Vec<(&str, f64)> = weights
                    .into_iter()
                    .map(|(form, weight)| (lexicon.form(form), weight))
                    .collect();
                shared.sort_by(|(a, x), (b, y)| y.total_cmp(x).then_with(|| a.cmp(b)));
                shared.truncate(SHARED_WORDS);
                let shared =
                    shared.into_iter().map(|(form, weight)| (form.to_owned(), weight)).collect();
                Link { to, similarity, shared }
            });
            (likeness[own as usize], link)
        })
        .collect()
}
