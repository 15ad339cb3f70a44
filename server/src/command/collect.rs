//! The worker: leads or waits; while it leads it collects, recomputes and makes partitions in time. At
//! SIGHUP it reads its sources anew.

use std::path::Path;
use std::time::Duration;

use ingest::poll::Line;
use ingest::recompute::recompute;
use ingest::source::Catalogue;
use model::SECONDS_PER_HOUR;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tracing::{error, info, warn};

use crate::stop::stopped;

/// Partitions exist this far ahead of the clock.
pub const AHEAD_SECONDS: i64 = 62 * 24 * SECONDS_PER_HOUR;

const RETRY: Duration = Duration::from_secs(5);

/// Collects whenever this worker leads, until `stop` turns true; what is under way is finished.
pub async fn until(
    line: &Line,
    recompute_seconds: u64,
    demo: bool,
    mut stop: watch::Receiver<bool>,
) {
    while !*stop.borrow() {
        let mut leadership = tokio::select! {
            leadership = line.store().lead() => match leadership {
                Ok(leadership) => leadership,
                Err(error) => {
                    warn!(%error, "cannot ask who leads; asking again");
                    tokio::time::sleep(RETRY).await;
                    continue;
                }
            },
            () = stopped(&mut stop) => return,
        };
        info!("this worker leads");
        let (halt, halted) = watch::channel(false);
        let ending = async {
            tokio::select! {
                error = leadership.lost() => warn!(%error, "no longer leading"),
                () = stopped(&mut stop) => {}
            }
            halt.send_replace(true);
        };
        let every = Duration::from_secs(recompute_seconds);
        tokio::join!(
            line.poll_until(halted.clone()),
            recompute_until(line, every, demo, halted.clone()),
            ending,
        );
    }
}

/// Takes `file` in anew at every SIGHUP, until `stop` turns true. One that is not valid changes
/// nothing.
pub async fn reload_until(line: &Line, file: &Path, mut stop: watch::Receiver<bool>) {
    let mut hangups = match signal(SignalKind::hangup()) {
        Ok(hangups) => hangups,
        Err(error) => return warn!(%error, "the sources file will not be read again at SIGHUP"),
    };
    loop {
        tokio::select! {
            _ = hangups.recv() => {}
            () = stopped(&mut stop) => return,
        }
        match Catalogue::read(file) {
            Ok(catalogue) => match line.adopt(&catalogue).await {
                Ok(()) => {
                    info!(newsrooms = catalogue.newsrooms.len(), "took the sources file in anew")
                }
                Err(error) => error!(%error, "the sources stay as they were"),
            },
            Err(faults) => error!("the sources stay as they were:\n{faults}"),
        }
    }
}

async fn recompute_until(
    line: &Line,
    every: Duration,
    demo: bool,
    mut stop: watch::Receiver<bool>,
) {
    while !*stop.borrow() {
        let now = line.clock().now();
        if let Err(error) = line.store().ensure_partitions(now, now + AHEAD_SECONDS).await {
            warn!(%error, "cannot make partitions; trying again");
        }
        match recompute(line.store(), now, demo).await {
            Ok(snapshots) => {
                for snapshot in snapshots {
                    info!(
                        id = snapshot.id,
                        model = snapshot.model.name,
                        events = snapshot.stats.shared_events,
                        "recomputed"
                    );
                }
            }
            Err(error) => warn!(%error, "cannot recompute; trying again"),
        }
        // Running out of time is the normal case.
        let _: Result<_, _> = tokio::time::timeout(every, stopped(&mut stop)).await;
    }
}
