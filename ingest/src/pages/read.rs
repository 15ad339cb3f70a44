//! A page that was read, together with its JSON.

use std::sync::Arc;

use bytes::Bytes;
use engine::feed::page::{Page as Parts, told};
use model::UnixSeconds;
use self_cell::self_cell;
use tracing::warn;

use crate::cpu;

self_cell!(
    struct Read {
        owner: Bytes,
        #[covariant]
        dependent: Parts,
    }
    impl {Debug}
);

/// The page of one channel.
#[derive(Clone, Debug)]
pub struct Page {
    /// When it was known to stand.
    pub at: UnixSeconds,
    /// Of the answer that it was read from, in lower-case hexadecimal; `None` of our own sources.
    pub(crate) sha256: Option<String>,
    read: Arc<Read>,
}

impl Page {
    /// Reads a page off the runtime's threads.
    ///
    /// # Errors
    ///
    /// When it is no page: one English sentence.
    pub(crate) async fn read(
        json: Bytes,
        at: UnixSeconds,
        sha256: Option<String>,
    ) -> Result<Self, String> {
        cpu::run(move || {
            let read = Read::try_new(json, |json| Parts::read(json)).map_err(|e| told(&e))?;
            let page = Self { at, sha256, read: Arc::new(read) };
            let Parts { channel, skipped, .. } = page.parts();
            if let Some((post, reason)) = skipped.first() {
                // One line, however many there are.
                let (channel, posts) = (&*channel.username, skipped.len());
                warn!(channel, posts, post, reason, "posts are not read");
            }
            Ok(page)
        })
        .await
        .unwrap_or_else(|| Err("the reader gave up on it".to_owned()))
    }

    /// The same page, which still stands.
    pub(super) fn seen_again(self, at: UnixSeconds) -> Self {
        Self { at, ..self }
    }

    #[must_use]
    pub fn json(&self) -> &Bytes {
        self.read.borrow_owner()
    }

    #[must_use]
    pub fn parts(&self) -> &Parts<'_> {
        self.read.borrow_dependent()
    }

    /// What it takes of memory, in bytes.
    pub(super) fn memory(&self) -> usize {
        self.json().len() + self.parts().memory()
    }
}
