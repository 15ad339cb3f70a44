//! The newest snapshot, followed through NOTIFY: a web instance knows no worker.

use std::sync::Arc;
use std::time::Duration;

use model::{Model, Snapshot};
use store::Store;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::spawn_blocking;
use tracing::{info, warn};

use crate::stop::stopped;

/// Loads the newest snapshot, then follows until `stop` turns true.
///
/// # Errors
///
/// When the store cannot be read at the start; later failures are logged and tried again.
pub async fn newest(
    store: Store,
    mut stop: watch::Receiver<bool>,
) -> Result<watch::Receiver<Arc<Snapshot>>, store::Error> {
    const RETRY: Duration = Duration::from_secs(5);
    let model = Model::v1();
    let mut listener = store.snapshot_listener().await?;
    let first = match latest(&store, &model).await {
        Err(store::Error::Json(error)) => {
            warn!(%error, "the newest snapshot is of another version; the next recompute replaces it");
            None
        }
        first => first?,
    };
    let first = Arc::new(first.unwrap_or_else(|| Snapshot::empty(model.clone())));
    let (sender, receiver) = watch::channel(first);
    tokio::spawn(async move {
        loop {
            let heard = tokio::select! {
                heard = listener.next() => heard,
                () = stopped(&mut stop) => return,
            };
            if let Err(error) = heard {
                warn!(%error, "cannot hear of new snapshots; listening again");
                tokio::time::sleep(RETRY).await;
            }
            let known = sender.borrow().id;
            match newer(&store, &model, known).await {
                Ok(Some(snapshot)) => {
                    info!(id = snapshot.id, events = snapshot.stats.shared_events, "new snapshot");
                    sender.send_replace(Arc::new(snapshot));
                }
                Ok(None) => {}
                Err(error) => warn!(%error, "cannot load the newest snapshot"),
            }
        }
    });
    Ok(receiver)
}

/// The model's newest snapshot, unless it is the known one; other models' are heard of as well.
async fn newer(store: &Store, model: &Model, known: i64) -> Result<Option<Snapshot>, store::Error> {
    match store.latest_snapshot_id(&model.name).await? {
        id if id == known => Ok(None),
        _ => latest(store, model).await,
    }
}

/// Reads it off the runtime's threads: a large board takes longer than any request may wait.
async fn latest(store: &Store, model: &Model) -> Result<Option<Snapshot>, store::Error> {
    let (store, name, runtime) = (store.clone(), model.name.clone(), Handle::current());
    let reading = spawn_blocking(move || runtime.block_on(store.latest_snapshot(&name)));
    reading.await.unwrap_or(Ok(None))
}
