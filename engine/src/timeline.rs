//! Boards at many moments of one history.

use model::{Board, EventId, Model, UnixSeconds, Window};
use rayon::prelude::*;

use crate::{
    Assignments,
    board::{Moment, Present, newsrooms, present},
    cluster::{Article, Library},
};

/// A history over which boards are computed again and again.
///
/// What does not change from one moment to the next is computed once: the words of the texts, the
/// sentences that may turn out to be boilerplate. Still each board is the same as
/// [`board`](crate::board) gives for its moment
/// (`tests/timeline.rs: each_board_is_as_computed_afresh`).
pub struct Timeline<'w> {
    window: &'w Window,
    model: &'w Model,
    /// Every text of every item.
    library: Library<'w>,
    /// Per item: the number of its first text.
    texts: Vec<u32>,
}

impl<'w> Timeline<'w> {
    /// The window must hold every item of the moments to come, from the model's window before the
    /// first one on.
    #[must_use]
    pub fn new(window: &'w Window, model: &'w Model) -> Self {
        let newsrooms = newsrooms(window);
        let (mut articles, mut texts) = (Vec::new(), Vec::with_capacity(window.items.len()));
        for item in &window.items {
            let newsroom = newsrooms.get(&item.newsroom);
            texts.push(articles.len() as u32);
            articles.extend(item.texts.iter().map(|text| Article {
                id: item.id.0,
                outlet: newsroom.map_or("", |newsroom| newsroom.name.as_str()),
                language: &item.language,
                title: &text.title,
                lede: &text.lede,
                at: item.mention_at,
            }));
        }
        Self { window, model, library: Library::new(&articles), texts }
    }

    /// The boards at ascending moments. The events of the first are named after `previous`, those of
    /// every other one after the board before it.
    ///
    /// Moments are computed in parallel and held in memory together: give as many at once as there
    /// are threads, or some more.
    #[must_use]
    pub fn boards(&mut self, moments: &[UnixSeconds], previous: &Assignments) -> Vec<Board> {
        let items: Vec<Vec<Present<'w>>> =
            moments.par_iter().map(|&at| present(self.window, at, self.model)).collect();
        let choices: Vec<Vec<u32>> = items
            .iter()
            .map(|items| {
                let known = items.iter().map(|item| item.known);
                known.map(|(item, text)| self.texts[item] + text as u32).collect()
            })
            .collect();
        let placed = self.library.place(&choices, &self.model.grouping);
        let moments: Vec<Moment<'w>> = moments
            .iter()
            .zip(items.into_iter().zip(placed))
            .map(|(&at, (items, placed))| Moment::new(self.window, at, self.model, items, placed))
            .collect();
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
