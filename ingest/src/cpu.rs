//! The way from async code to the CPU: rayon's pool, never the runtime's threads.

use tokio::sync::oneshot;

/// Runs `work` on rayon's pool; `None` when it panicked, which the pool survives.
pub async fn run<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (done, result) = oneshot::channel();
    rayon::spawn(move || {
        // A receiver that went away no longer wants the result.
        drop(
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(work))
                .map(|value| done.send(value)),
        );
    });
    result.await.ok()
}
