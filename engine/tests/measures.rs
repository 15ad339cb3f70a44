//! Tempo, the comparison of models, origins and agencies.

use engine::{agency, boilerplate::Clean, compare, lexicon::Lexicon, origin, tempo};
use model::{Board, Event, EventId, Factor, Factors, Tempo};
use proptest::prelude::*;

const HOUR: i64 = 3_600;

#[test]
fn tempo_holds_against_a_measurement_an_hour_old() {
    let counts = [(0, 100), (HOUR, 700), (2 * HOUR - 600, 900), (2 * HOUR, 1_000)];
    let expected = Tempo { per_hour: 300.0, hours: 1.0, reliable: true };
    assert_eq!(tempo(&counts, 3 * HOUR), Some(expected));
    // What lies ahead does not count.
    let expected = Tempo { per_hour: 600.0, hours: 1.0, reliable: true };
    assert_eq!(tempo(&counts, HOUR), Some(expected));
}

#[test]
fn tempo_over_a_shorter_time_is_unreliable_and_of_one_moment_absent() {
    let expected = Tempo { per_hour: 600.0, hours: 0.5, reliable: false };
    assert_eq!(tempo(&[(0, 100), (900, 100), (1_800, 400)], HOUR), Some(expected));
    assert_eq!(tempo(&[(0, 100)], HOUR), None);
    assert_eq!(tempo(&[(0, 100), (0, 200)], HOUR), None);
    assert_eq!(tempo(&[], HOUR), None);
}

#[test]
fn counters_that_stand_or_fall_are_shown_as_they_are() {
    let still = tempo(&[(0, 100), (2 * HOUR, 100)], 2 * HOUR).unwrap();
    assert!(still.per_hour == 0.0 && still.reliable);
    let fallen = tempo(&[(0, 100), (2 * HOUR, 40)], 2 * HOUR).unwrap();
    assert!((fallen.per_hour + 30.0).abs() < 1e-12);
}

proptest! {
    #[test]
    fn tempo_is_finite_and_does_not_depend_on_order(
        counts in prop::collection::vec((any::<i64>(), any::<i64>()), 0..8),
        at in any::<i64>(),
    ) {
        let found = tempo(&counts, at);
        prop_assert!(found.is_none_or(|tempo| tempo.per_hour.is_finite() && tempo.hours > 0.0));
        let mut turned = counts;
        turned.reverse();
        prop_assert_eq!(found, tempo(&turned, at));
    }
}

fn board(model: &str, order: &[i64]) -> Board {
    let events = order
        .iter()
        .enumerate()
        .map(|(rank, &id)| Event {
            id: EventId(id),
            title: format!("Event {id}"),
            language: "en".to_owned(),
            mentions: Vec::new(),
            items: Vec::new(),
            owners: 0,
            texts: 0,
            spread_hours: 0.0,
            factors: Factors::default(),
            heat: 100.0 - rank as f64,
        })
        .collect();
    Board { at: 0, model: model.to_owned(), events }
}

#[test]
fn models_are_compared_by_the_order_of_their_events() {
    let same = compare(&board("v1", &[1, 2, 3]), &board("v2", &[1, 2, 3]));
    assert!((same.tau - 1.0).abs() < 1e-12);
    assert_eq!((same.events, same.movers.len()), (3, 0));

    let reverse = compare(&board("v1", &[1, 2, 3]), &board("v2", &[3, 2, 1]));
    assert!((reverse.tau + 1.0).abs() < 1e-12);

    // Of 6 pairs only (4, others) turn: 1 − 2 · 3 / 6.
    let moved = compare(&board("v1", &[1, 2, 3, 4]), &board("v2", &[4, 1, 9, 2, 3]));
    assert!(moved.tau.abs() < 1e-12);
    assert_eq!((moved.a.as_str(), moved.b.as_str(), moved.events), ("v1", "v2", 4));
    let most = &moved.movers[0];
    assert_eq!((most.event, most.a.rank, most.b.rank), (EventId(4), 4, 1));
    assert_eq!((most.a.heat, most.b.heat), (97.0, 100.0));
    assert_eq!(most.factor, None, "it moved because others did");

    assert!((compare(&board("v1", &[]), &board("v2", &[])).tau - 1.0).abs() < 1e-12);
}

#[test]
fn a_mover_names_the_factor_that_differs_most() {
    let factors =
        Factors { breadth: 4.0, velocity: 2.0, priority: 0.5, persistence: 1.5, decay: 0.5 };
    let (mut a, mut b) = (board("v1", &[1, 2]), board("v2", &[2, 1]));
    a.events[0].factors = factors;
    b.events[1].factors = Factors { velocity: 0.5, priority: 0.6, ..factors };
    let moved = compare(&a, &b);
    assert_eq!(moved.movers[0].factor, Some(Factor::Velocity));
    // To nothing is the largest ratio there is.
    b.events[1].factors.decay = 0.0;
    assert_eq!(compare(&a, &b).movers[0].factor, Some(Factor::Decay));
}

proptest! {
    #[test]
    fn tau_counts_pairs(order in Just((0_i64..12).collect::<Vec<_>>()).prop_shuffle()) {
        let straight: Vec<i64> = (0..12).collect();
        let mut agree = 0;
        for (rank, first) in order.iter().enumerate() {
            for second in &order[rank + 1..] {
                agree += if first < second { 1 } else { -1 };
            }
        }
        let tau = compare(&board("a", &straight), &board("b", &order)).tau;
        prop_assert!((tau - f64::from(agree) / 66.0).abs() < 1e-12);
    }
}

/// Origins' numbers.
fn origins(texts: &[(&str, &str)]) -> Vec<u32> {
    let clean: Vec<Clean<'_>> =
        texts.iter().map(|&(title, lede)| Clean { title, lede: lede.into() }).collect();
    let mut lexicon = Lexicon::new("en");
    let readings: Vec<u32> = lexicon.read(&clean, u32::MAX).collect();
    let one_event = vec![0; texts.len()];
    let origins = origin::origins(&one_event, &readings, &lexicon, 0.7);
    origins.into_iter().map(|origin| origin.number).collect()
}

#[test]
fn wire_copy_under_another_title_has_the_same_origin() {
    let wire = "The coast guard rescued nineteen people from a drifting ferry off the northern cape \
                on Monday, officials told Reuters.";
    let edited = "The coast guard rescued nineteen people from a drifting ferry off the northern \
                  cape on Monday, officials said.";
    let own = "Passengers told our reporter how waves broke the windows of the drifting vessel.";
    let texts = [
        ("Nineteen saved from drifting ferry", wire),
        ("Ferry drama at the cape ends well", edited),
        ("'We thought we would sink'", own),
        ("Nineteen saved from drifting ferry", ""),
    ];
    assert_eq!(origins(&texts), [0, 0, 1, 2]);
}

#[test]
fn other_numbers_are_another_text() {
    let first = "Quake in the valley kills 12 people, rescuers search the ruins of a school";
    let second = "Quake in the valley kills 31 people, rescuers search the ruins of a school";
    assert_eq!(origins(&[(first, ""), (second, ""), (first, "")]), [0, 1, 0]);
}

#[test]
fn short_titles_are_copies_only_when_equal() {
    assert_eq!(
        origins(&[("Vláda padla", ""), ("VLÁDA PADLA!", ""), ("Vláda vydržela", "")]),
        [0, 0, 1]
    );
}

#[test]
fn agencies_are_known_by_their_credit() {
    assert_eq!(
        agency::credit("Vlak vykolejil", "Praha (ČTK) - Na trati zasahují hasiči."),
        Some("ČTK")
    );
    assert_eq!(agency::credit("Zug entgleist", "Wien (APA/dpa)"), Some("APA"));
    assert_eq!(agency::credit("Train derails - Reuters", ""), Some("Reuters"));
    assert_eq!(agency::credit("How to apply an app", "A gap in the map"), None);
}
