//! The join finds exactly the pairs that comparing every text with every other finds.

use engine::{
    lexicon::Rows,
    similar::{Corpus, Limits, Pair},
};
use proptest::prelude::*;

const HOUR: i64 = 3_600;

fn naive(corpus: &Corpus, limits: &Limits) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for later in 0..corpus.rows.count() {
        for earlier in 0..later {
            let similarity = corpus.similarity(earlier, later, limits);
            if similarity >= limits.floor {
                pairs.push(Pair { earlier: earlier as u32, later: later as u32, similarity });
            }
        }
    }
    pairs
}

prop_compose! {
    /// Texts of up to 12 of 40 words, of which a few are in most texts.
    fn corpora()(
        texts in prop::collection::vec(
            (prop::collection::vec((0_u32..40, 0_u32..40), 0..12), 0..90 * HOUR),
            0..60,
        ),
        mut weights in prop::collection::vec(0.0_f64..9.0, 40),
        zeros in 0_usize..4,
    ) -> Corpus {
        weights.sort_by(|a, b| b.total_cmp(a));
        let rarest = weights.len() - zeros;
        weights[rarest..].fill(0.0);
        let mut texts: Vec<(i64, Vec<u32>)> = texts
            .into_iter()
            .map(|(words, at)| {
                let mut words: Vec<u32> = words.into_iter().map(|(a, b)| a.max(b)).collect();
                words.sort_unstable();
                words.dedup();
                (at, words)
            })
            .collect();
        texts.sort();
        let mut rows = Rows::new();
        let mut totals = Vec::new();
        for (_, words) in &texts {
            rows.push(words.iter().copied());
            totals.push(words.iter().map(|&word| weights[word as usize]).sum());
        }
        Corpus { rows, at: texts.iter().map(|(at, _)| *at).collect(), weights, totals }
    }
}

proptest! {
    #[test]
    fn join_equals_comparing_all_pairs(
        corpus in corpora(),
        floor in 0.01_f64..0.9,
        decay_hours in 6.0_f64..100.0,
        reach_hours in 0_i64..100,
    ) {
        let limits = Limits {
            floor,
            decay_seconds: decay_hours * HOUR as f64,
            reach_seconds: reach_hours * HOUR,
        };
        let expected = naive(&corpus, &limits);
        prop_assert_eq!(&corpus.join(&limits), &expected);

        let all: Vec<u32> = (0..corpus.rows.count() as u32).collect();
        prop_assert_eq!(&corpus.join_among(&all, &limits), &expected);
        let even: Vec<u32> = all.into_iter().filter(|text| text % 2 == 0).collect();
        let among: Vec<Pair> = expected
            .into_iter()
            .filter(|pair| pair.earlier % 2 == 0 && pair.later % 2 == 0)
            .collect();
        prop_assert_eq!(corpus.join_among(&even, &limits), among);
    }
}

#[test]
fn a_pair_is_as_similar_as_the_weight_it_shares() {
    let mut rows = Rows::new();
    rows.push([0, 1, 2]);
    rows.push([0, 2, 3]);
    let weights = vec![4.0, 3.0, 2.0, 1.0];
    let corpus = Corpus { rows, at: vec![0, 48 * HOUR], weights, totals: vec![9.0, 7.0] };
    let limits = Limits { floor: 0.1, decay_seconds: 48.0 * HOUR as f64, reach_seconds: 48 * HOUR };
    // 2 · (4 + 2) / (9 + 7), after one decay time.
    let expected = 0.75 * (-1.0_f64).exp();
    assert!((corpus.similarity(0, 1, &limits) - expected).abs() < 1e-12);
    assert_eq!(corpus.join(&limits).len(), 1);
    assert_eq!(corpus.join(&Limits { reach_seconds: 47 * HOUR, ..limits }), []);
}

#[test]
fn a_pair_exactly_at_the_floor_is_found_however_long_the_texts() {
    for length in [3_u32, 100, 5_000, 200_000] {
        let weights: Vec<f64> =
            (0..2 * length).map(|word| 9.0 / (1.0 + f64::from(word) * 0.37)).collect();
        let mut rows = Rows::new();
        rows.push(0..length);
        rows.push((0..2 * length).filter(|word| word % 3 > 0));
        let total = |text: usize| rows.row(text).iter().map(|&word| weights[word as usize]).sum();
        let totals = vec![total(0), total(1)];
        let corpus = Corpus { rows, at: vec![0, 20 * HOUR], weights, totals };
        let limits = |floor: f64| Limits {
            floor,
            decay_seconds: 48.0 * HOUR as f64,
            reach_seconds: 48 * HOUR,
        };
        let floor = corpus.similarity(0, 1, &limits(0.1));
        assert_eq!(corpus.join(&limits(floor)).len(), 1, "{length} words");
        assert_eq!(corpus.join(&limits(floor + 1e-12)), [], "{length} words");
    }
}
