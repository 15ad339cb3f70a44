//! Accuracy on the labelled sets of our own, and that what the pages say of accuracy is true.

mod labelled;

use labelled::{Labelled, Measure, Overlap, grouped, own};
use model::{Accuracy, Interval, Model};

fn measured(language: &str, items: &[Labelled]) -> (Measure, Measure) {
    Overlap::of(items, &grouped(items, language, &Model::v1().grouping)).measures()
}

#[test]
fn accuracy_does_not_fall() {
    let sets = own();
    assert!(sets.iter().map(|(_, items)| items.len()).sum::<usize>() >= 300);
    for ((language, items), (pair_floor, bcubed_floor)) in
        sets.iter().zip([(0.92, 0.96), (0.95, 0.98)])
    {
        let (bcubed, pairs) = measured(language, items);
        assert!(pairs.f1() >= pair_floor, "{language}: pair F1 fell to {:.4}", pairs.f1());
        assert!(bcubed.f1() >= bcubed_floor, "{language}: BCubed F1 fell to {:.4}", bcubed.f1());
    }
}

/// Whoever changes the grouping, the model or the version measures again (`cargo xtask eval`).
#[test]
fn the_published_accuracy_is_that_of_this_version() {
    let published: Accuracy = serde_json::from_str(engine::ACCURACY).unwrap();
    assert_eq!(published.engine, engine::VERSION);
    assert_eq!(published.model, Model::v1().hash());
    for (language, items) in own() {
        let (bcubed, pairs) = measured(language, &items);
        let set = published.sets.iter().find(|set| set.set == "own" && set.lang == language);
        let set = set.unwrap();
        for (said, is) in [(set.bcubed.f1, bcubed.f1()), (set.pairs.f1, pairs.f1())] {
            assert!((said - is).abs() < 1e-6, "{language}: {said} is published, it is {is}");
        }
    }
    let quoted: Vec<f64> =
        published.sets.iter().filter(|set| set.quoted).map(|set| set.figure).collect();
    assert_eq!(quoted.len(), 7);
    assert!((quoted.iter().sum::<f64>() / 7.0 - published.mean).abs() < 1e-5);
    for set in &published.sets {
        let Interval { low, high } = set.figure_interval;
        assert!((low..=high).contains(&set.figure), "{} {}", set.set, set.lang);
    }
}

#[test]
fn measures_are_those_computed_by_hand() {
    let item = |event: &str| Labelled {
        outlet: String::new(),
        title: String::new(),
        lede: String::new(),
        at: 0,
        event: event.to_owned(),
    };
    // Groups: {a, a, b}, {a}, {b}.
    let items = ["a", "a", "b", "a", "b"].map(item);
    let overlap = Overlap::of(&items, &[0, 0, 0, 3, 4]);
    let (bcubed, pairs) = overlap.measures();
    let close = |is: f64, expected: f64| assert!((is - expected).abs() < 1e-12, "{is}");
    close(bcubed.precision, (2.0 / 3.0 + 2.0 / 3.0 + 1.0 / 3.0 + 1.0 + 1.0) / 5.0);
    close(bcubed.recall, (2.0 / 3.0 + 2.0 / 3.0 + 1.0 / 2.0 + 1.0 / 3.0 + 1.0 / 2.0) / 5.0);
    close(pairs.precision, 1.0 / 3.0);
    close(pairs.recall, 1.0 / 4.0);
    close(pairs.f1(), 2.0 / 7.0);
    // Event b counts twice: each of the two meets a in the first group.
    let (bcubed, pairs) = overlap.weighted(&[1.0, 2.0]);
    close(bcubed.precision, (2.0 * 2.0 / 4.0 + 2.0 * (1.0 / 3.0) + 1.0 + 2.0) / 7.0);
    close(bcubed.recall, (2.0 / 3.0 + 2.0 / 3.0 + 1.0 / 3.0 + 2.0 * (1.0 / 2.0 + 1.0 / 2.0)) / 7.0);
    close(pairs.precision, 1.0 / (1.0 + 2.0 * 2.0));
    close(pairs.recall, 1.0 / (3.0 + 2.0));
}
