//! The one place that knows what time it is.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use model::UnixSeconds;

const SYSTEM: i64 = i64::MIN;

/// The system's clock, or a virtual one that stands still until it is set.
///
/// Clones share their time, so that a replay moves the newsrooms and the line together.
#[derive(Clone, Debug)]
pub struct Clock(Arc<AtomicI64>);

impl Clock {
    #[must_use]
    pub fn system() -> Self {
        Self(Arc::new(AtomicI64::new(SYSTEM)))
    }

    #[must_use]
    pub fn virtual_at(at: UnixSeconds) -> Self {
        Self(Arc::new(AtomicI64::new(at)))
    }

    /// Moves a virtual clock, or makes a virtual one of the system's.
    pub fn set(&self, at: UnixSeconds) {
        self.0.store(at, Ordering::SeqCst);
    }

    /// From now on the system's clock: a replay has caught up with the present.
    pub fn release(&self) {
        self.set(SYSTEM);
    }

    #[must_use]
    pub fn now(&self) -> UnixSeconds {
        match self.0.load(Ordering::SeqCst) {
            SYSTEM => chrono::Utc::now().timestamp(),
            at => at,
        }
    }
}
