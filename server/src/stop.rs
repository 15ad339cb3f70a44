//! How a stop reaches whatever is under way: a flag that turns true once.

pub use ingest::schedule::stopped;
use tokio::signal::unix::{SignalKind, signal as unix_signal};
use tokio::sync::watch;
use tracing::info;

/// Turns true at the first Ctrl-C or SIGTERM.
#[must_use]
pub fn signal() -> watch::Receiver<bool> {
    let (sender, receiver) = watch::channel(false);
    tokio::spawn(async move {
        let terminate = async {
            match unix_signal(SignalKind::terminate()) {
                Ok(mut terminate) => terminate.recv().await,
                Err(_) => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = terminate => {}
        }
        info!("stopping: what is under way is finished first");
        sender.send_replace(true);
        // Receivers take a sender that is gone for a stop as well, so it stays as long as they do.
        sender.closed().await;
    });
    receiver
}
