//! From history to a snapshot: load the window, rank it, store what was derived.

mod replay;

use std::sync::Arc;

use engine::Assignments;
use model::{
    Change, Model, Newsroom, SECONDS_PER_HOUR, Snapshot, SourceReport, Stats, UnixSeconds, Window,
};
use store::Store;

use crate::cpu;

pub use replay::{replay, whole_hours};

/// How a recompute fails.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Store(#[from] store::Error),
    #[error("the engine did not finish; the snapshot before stays the newest")]
    Engine,
}

/// Recomputes every model at `at` and stores the snapshots; returns them, the board's first.
///
/// # Errors
///
/// When the store cannot be read or written.
pub async fn recompute(store: &Store, at: UnixSeconds, demo: bool) -> Result<Vec<Snapshot>, Error> {
    let models = Model::all();
    let hours = models.iter().map(|model| model.window_hours).fold(0.0, f64::max);
    let history = History::load(store, at, hours).await?;
    let mut snapshots = Vec::with_capacity(models.len());
    for model in models {
        let (mut snapshot, changes) = history.snapshot(store, model, demo).await?;
        snapshot.id = store.save_snapshot(&snapshot, &changes).await?;
        snapshots.push(snapshot);
    }
    Ok(snapshots)
}

/// The snapshot of any moment under any model, from what was recorded until then; nothing is stored.
///
/// # Errors
///
/// When the store cannot be read.
pub async fn snapshot_at(
    store: &Store,
    at: UnixSeconds,
    model: Model,
    demo: bool,
) -> Result<Snapshot, Error> {
    let history = History::load(store, at, model.window_hours).await?;
    Ok(history.snapshot(store, model, demo).await?.0)
}

fn window_from(at: UnixSeconds, hours: f64) -> UnixSeconds {
    at - (hours * SECONDS_PER_HOUR as f64) as i64
}

/// What a snapshot is derived from, whatever the model.
struct History {
    at: UnixSeconds,
    from: UnixSeconds,
    window: Arc<Window>,
    newsrooms: Vec<Newsroom>,
    sources: Vec<SourceReport>,
    stats: Stats,
}

impl History {
    async fn load(store: &Store, at: UnixSeconds, hours: f64) -> Result<Self, Error> {
        let from = window_from(at, hours);
        Ok(Self {
            at,
            from,
            window: Arc::new(store.window(from, at).await?),
            newsrooms: store.newsrooms().await?,
            sources: store.source_reports(at).await?,
            stats: store.stats(at).await?,
        })
    }

    async fn snapshot(
        &self,
        store: &Store,
        model: Model,
        demo: bool,
    ) -> Result<(Snapshot, Vec<Change>), Error> {
        // What was derived for this very moment before does not count.
        let before = self.at - 1;
        let previous: Assignments =
            store.assignments(&model.name, before).await?.into_iter().collect();
        let recent = store.recent_changes(&model.name, self.from, before).await?;
        let (window, at, params) = (Arc::clone(&self.window), self.at, model.clone());
        let (board, changes, topics, videos) = cpu::run(move || {
            let board = engine::board(&window, at, &params, &previous);
            let changes = engine::changes(&previous, &board);
            let topics = engine::topics(&board);
            let videos = engine::videos(&window, at, params.window_hours);
            (board, changes, topics, videos)
        })
        .await
        .ok_or(Error::Engine)?;
        let shared = board.events.iter().filter(|event| event.newsrooms() > 1).count();
        let stats = Stats {
            events: board.events.len() as u32,
            shared_events: shared as u32,
            ..self.stats.clone()
        };
        let snapshot = Snapshot {
            id: 0,
            model,
            board,
            newsrooms: self.newsrooms.clone(),
            sources: self.sources.clone(),
            changes: changes.iter().cloned().chain(recent).collect(),
            topics,
            videos,
            stats,
            demo,
        };
        Ok((snapshot, changes))
    }
}
