//! Why an article stands in its group: its strongest link and the words that make it.

use model::{Grouping, UnixSeconds};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::{
    boilerplate::Clean,
    cluster::{Link, Matched},
    lexicon::{self, Lexicon},
    similar::{Limits, Pair},
    stem::Stemmer,
    text,
};

/// A reader is told at most so many shared words.
const SHARED_WORDS: usize = 8;

type Written<'t> = FxHashMap<(String, bool), &'t str>;

/// Likeness and strongest link of each article.
pub(crate) fn reasons(
    matched: &Matched,
    lexicon: &Lexicon,
    clean: &[Clean<'_>],
    language: &str,
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
    let stemmer = Stemmer::of(language);
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
                let lede = text::first_chars(&clean[article].lede, params.lede_chars as usize);
                let written = written(clean[article].title, lede, &stemmer);
                // A stem and its beginning are one word to a reader.
                let mut weights = FxHashMap::<&str, f64>::default();
                for word in texts.corpus.shared(own as usize, other as usize) {
                    let (form, kin) = lexicon.entries[texts.entry[word as usize] as usize].key();
                    if let Some(&form) = written.get(&(form.to_owned(), kin)) {
                        *weights.entry(form).or_default() += texts.corpus.weights[word as usize];
                    }
                }
                let mut shared: Vec<(String, f64)> =
                    weights.into_iter().map(|(form, weight)| (form.to_owned(), weight)).collect();
                shared.sort_by(|(a, x), (b, y)| y.total_cmp(x).then_with(|| a.cmp(b)));
                shared.truncate(SHARED_WORDS);
                Link { to, similarity, shared }
            });
            (likeness[own as usize], link)
        })
        .collect()
}

/// The first written form of each stem, and of each beginning.
fn written<'t>(title: &'t str, lede: &'t str, stemmer: &Stemmer) -> Written<'t> {
    let mut forms = Written::default();
    for word in text::words(title).chain(text::words(lede)) {
        let lower = word.written.to_lowercase();
        if let Some(kin) = lexicon::kin(&lower) {
            forms.entry((kin.to_owned(), true)).or_insert(word.written);
        }
        forms.entry((stemmer.stem(&lower), false)).or_insert(word.written);
    }
    forms
}
