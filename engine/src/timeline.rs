//! Boards at many moments of one history.

use model::{Board, EventId, Model, UnixSeconds, Window};
use rayon::prelude::*;

use crate::{Assignments, board::Moment};

/// A history over which boards are computed again and again.
///
/// What does not change from one moment to the next is computed once. Still each board is the same
/// as [`board`](crate::board) gives for its moment
/// (`tests/timeline.rs: each_board_is_as_computed_afresh`).
pub struct Timeline<'w> {
    window: &'w Window,
    model: &'w Model,
}

impl<'w> Timeline<'w> {
    /// The window must hold every item of the moments to come, from the model's window before the
    /// first one on.
    #[must_use]
    pub fn new(window: &'w Window, model: &'w Model) -> Self {
        Self { window, model }
    }

    /// The boards at ascending moments. The events of the first are named after `previous`, those of
    /// every other one after the board before it.
    ///
    /// Moments are computed in parallel and held in memory together: give as many at once as there
    /// are threads, or some more.
    #[must_use]
    pub fn boards(&mut self, moments: &[UnixSeconds], previous: &Assignments) -> Vec<Board> {
        let moments: Vec<Moment<'_>> =
            moments.par_iter().map(|&at| Moment::new(self.window, at, self.model)).collect();
        // Names alone depend on the moment before.
        let mut names = Vec::<Vec<EventId>>::new();
        let mut known = None;
        for moment in &moments {
            let ids = moment.event_ids(known.as_ref().unwrap_or(previous));
            known = Some(moment.assignments(&ids));
            names.push(ids);
        }
        moments.par_iter().zip(&names).map(|(moment, ids)| moment.board(ids)).collect()
    }
}
