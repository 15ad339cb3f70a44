//! A recompute over history: the boards of many moments, derived again.

use std::ops::RangeInclusive;

use engine::{Assignments, Timeline, assignments};
use model::{Board, Change, Model, SECONDS_PER_HOUR, UnixSeconds, Window};
use store::{Recompute, Store};
use tokio::sync::mpsc;

use super::{Error, History, window_from};

/// Moments that one load of history serves. More would hold more in memory, fewer would load the hours
/// before them again and again.
const MOMENTS_PER_LOAD: usize = 96;

type Derived = Vec<(Board, Vec<Change>)>;

/// The whole hours from `from` to `to`.
#[must_use]
pub fn whole_hours(from: UnixSeconds, to: UnixSeconds) -> RangeInclusive<i64> {
    from.div_euclid(SECONDS_PER_HOUR) + i64::from(from.rem_euclid(SECONDS_PER_HOUR) > 0)
        ..=to.div_euclid(SECONDS_PER_HOUR)
}

/// Derives the boards of these hours under the model again, and of the last one a snapshot. What was
/// derived for later moments is dropped, since it followed.
///
/// A run that was killed goes on where it stopped when it is started again, and gives the same as one
/// that was not (`server/tests/it/recompute.rs`). `advance` hears of hours that are done.
///
/// # Errors
///
/// When the store cannot be read or written; what was saved until then stays.
pub async fn replay(
    store: &Store,
    model: &Model,
    hours: RangeInclusive<i64>,
    demo: bool,
    mut advance: impl FnMut(u64),
) -> Result<(), Error> {
    let moments: Vec<UnixSeconds> = hours.map(|hour| hour * SECONDS_PER_HOUR).collect();
    let (Some(&from), Some(&to)) = (moments.first(), moments.last()) else { return Ok(()) };
    let maker = format!("{} {}", engine::VERSION, model.hash());
    let recompute = Recompute { model: model.name.clone(), maker, from, to };
    let done = store.recomputed_until(&recompute).await?;
    let known_at = done.unwrap_or(from - 1);
    let rest = &moments[moments.partition_point(|&at| at <= known_at)..];
    advance((moments.len() - rest.len()) as u64);

    let mut previous: Assignments =
        store.assignments(&model.name, known_at).await?.into_iter().collect();
    let mut last: Option<Board> = None;
    for moments in rest.chunks(MOMENTS_PER_LOAD) {
        let (first, until) = (moments[0], moments[moments.len() - 1]);
        let window = store.window(window_from(first, model.window_hours), until).await?;
        let mut boards = derive(window, model.clone(), moments.to_vec(), previous);
        while let Some(derived) = boards.recv().await {
            store.save_boards(&recompute, &derived, last.as_ref()).await?;
            advance(derived.len() as u64);
            last = derived.into_iter().last().map(|(board, _)| board);
        }
        // Whoever derives may have failed.
        let board = last.as_ref().filter(|board| board.at == until).ok_or(Error::Engine)?;
        previous = assignments(board);
    }
    let history = History::load(store, to, model.window_hours).await?;
    let (snapshot, changes) = history.snapshot(store, model.clone(), demo).await?;
    store.save_snapshot(&snapshot, &changes).await?;
    store.end_recompute(&model.name).await?;
    Ok(())
}

/// Boards with their changes, some at a time, on a thread of their own: while some are saved, the next
/// are computed on rayon's pool.
fn derive(
    window: Window,
    model: Model,
    moments: Vec<UnixSeconds>,
    mut previous: Assignments,
) -> mpsc::Receiver<Derived> {
    let (sender, receiver) = mpsc::channel(1);
    tokio::task::spawn_blocking(move || {
        let mut timeline = Timeline::new(&window, &model);
        for together in moments.chunks(2 * rayon::current_num_threads()) {
            let boards = timeline.boards(together, &previous);
            let derived = boards
                .into_iter()
                .map(|board| {
                    let changes = engine::changes(&previous, &board);
                    previous = assignments(&board);
                    (board, changes)
                })
                .collect();
            // The receiver is gone when saving failed.
            if sender.blocking_send(derived).is_err() {
                return;
            }
        }
    });
    receiver
}
