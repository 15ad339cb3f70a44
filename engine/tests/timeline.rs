//! Many moments of one history give what each gives alone.

mod tales;

use engine::{Assignments, Timeline, assignments, board};
use model::{Board, Model, UnixSeconds};
use proptest::prelude::*;
use tales::{HOUR, NOON, loaded, tales};

proptest! {
    /// Items are revised, come late and leave the window of a few hours; the moments are computed a
    /// few at a time, as a replay that is interrupted does.
    #[test]
    fn each_board_is_as_computed_afresh(
        told in tales(),
        window_hours in 1.0_f64..40.0,
        steps in prop::collection::vec(0..5 * HOUR, 1..20),
        together in 1_usize..6,
    ) {
        let model = Model { window_hours, ..Model::v1() };
        let window = loaded(&told, i64::MAX);
        let moments: Vec<UnixSeconds> = steps
            .iter()
            .scan(NOON, |at, step| {
                *at += step;
                Some(*at)
            })
            .collect();
        let mut timeline = Timeline::new(&window, &model);
        let mut replayed = Vec::<Board>::new();
        for moments in moments.chunks(together) {
            let previous = replayed.last().map(assignments).unwrap_or_default();
            replayed.extend(timeline.boards(moments, &previous));
        }
        let mut previous = Assignments::default();
        for (&at, replayed) in moments.iter().zip(&replayed) {
            let afresh = board(&window, at, &model, &previous);
            prop_assert_eq!(replayed, &afresh);
            previous = assignments(&afresh);
        }
        prop_assert_eq!(replayed.len(), moments.len());
    }
}
