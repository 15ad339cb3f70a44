//! Pages of channels for readers' feeds: those of our own sources, read from what was collected, and
//! those of remote channels, asked for through the gate.
//!
//! A page younger than [`Ages::fresh_seconds`] is used; one younger than [`Ages::stale_seconds`] is used
//! and refreshed behind; an older one, or none, is fetched now. However many want a page, it is
//! fetched once.

mod own;
mod read;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use futures::FutureExt;
use futures::future::{BoxFuture, Shared as Joined, join_all};
use model::{ChannelFailure, Newsroom, Snapshot, Source, SourceKind, Trouble, UnixSeconds};
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use tokio::sync::watch;

use crate::poll::{Asked, Line, NoPage};
use crate::shared::Shared;

pub use read::Page;

/// Memory for pages, in bytes.
const KEPT_BYTES: u64 = 64 << 20;

/// How old a page may be.
#[derive(Clone, Copy, Debug)]
pub struct Ages {
    pub fresh_seconds: i64,
    pub stale_seconds: i64,
}

/// The pages of an instance.
pub struct Pages {
    line: Arc<Line>,
    shared: Arc<Shared>,
    /// Its sources are the channels.
    newest: watch::Receiver<Arc<Snapshot>>,
    ages: Ages,
    kept: Cache<String, Page, Bytesize>,
    flights: Mutex<HashMap<String, Flight>>,
}

/// A fetch that all wait for who want its page.
type Flight = Joined<BoxFuture<'static, Result<Page, NoPage>>>;

#[derive(Clone)]
struct Bytesize;

impl Weighter<String, Page> for Bytesize {
    fn weight(&self, channel: &String, page: &Page) -> u64 {
        (channel.len() + page.memory()) as u64
    }
}

impl Pages {
    #[must_use]
    pub fn new(
        line: Arc<Line>,
        shared: Arc<Shared>,
        newest: watch::Receiver<Arc<Snapshot>>,
        ages: Ages,
    ) -> Arc<Self> {
        /// What the cache makes room for at first; it grows on.
        const PAGES: usize = 1_000;
        let kept = Cache::with_weighter(PAGES, KEPT_BYTES, Bytesize);
        Arc::new(Self { line, shared, newest, ages, kept, flights: Mutex::default() })
    }

    #[must_use]
    pub fn shared(&self) -> &Shared {
        &self.shared
    }

    #[must_use]
    pub fn line(&self) -> &Line {
        &self.line
    }

    /// Each known channel counts as asked for once.
    pub async fn count(&self, channels: &[String]) {
        let snapshot = Arc::clone(&self.newest.borrow());
        let known = channels.iter().filter(|channel| source(&snapshot, channel).is_some());
        self.shared.hit(&known.cloned().collect::<Vec<_>>()).await;
    }

    /// The channels' pages in the order asked for, and those that are not to be had.
    pub async fn of(self: &Arc<Self>, channels: &[String]) -> (Vec<Page>, Vec<ChannelFailure>) {
        let snapshot = Arc::clone(&self.newest.borrow());
        let pages = join_all(channels.iter().map(|channel| self.page(&snapshot, channel))).await;
        let (mut found, mut failures) = (Vec::new(), Vec::new());
        for (channel, page) in channels.iter().zip(pages) {
            match page {
                Ok(page) => found.push(page),
                Err(NoPage { trouble, reason }) => {
                    failures.push(ChannelFailure { channel: channel.clone(), trouble, reason });
                }
            }
        }
        (found, failures)
    }

    /// When the channel's page was last known to stand.
    pub(crate) async fn refreshed_at(&self, channel: &str) -> Option<UnixSeconds> {
        let now = self.line.clock().now();
        Some(self.kept(channel, now).await?.at)
    }

    /// Fetches the channel's page however old it is.
    pub(crate) async fn refresh(self: &Arc<Self>, channel: &str) {
        let snapshot = Arc::clone(&self.newest.borrow());
        if let Some((source, newsroom)) = source(&snapshot, channel)
            && let Err(NoPage { reason, .. }) = self.flight(source, newsroom).await
        {
            tracing::debug!(channel, reason, "not refreshed");
        }
    }

    async fn page(self: &Arc<Self>, snapshot: &Snapshot, channel: &str) -> Result<Page, NoPage> {
        let now = self.line.clock().now();
        let Some((source, newsroom)) = source(snapshot, channel) else {
            return Err(NoPage::new(Trouble::Unknown, format!("no channel is called {channel:?}")));
        };
        let Some(page) = self.kept(channel, now).await else {
            return self.flight(source, newsroom).await;
        };
        let age = now - page.at;
        if age >= self.ages.stale_seconds {
            return self.flight(source, newsroom).await;
        }
        if age >= self.ages.fresh_seconds {
            // It flies on by itself.
            drop(self.flight(source, newsroom));
        }
        Ok(page)
    }

    /// The newest page that this instance has, or the others where ours is no longer fresh.
    async fn kept(&self, channel: &str, now: UnixSeconds) -> Option<Page> {
        let own = self.kept.get(channel);
        if own.as_ref().is_some_and(|page| now - page.at < self.ages.fresh_seconds) {
            return own;
        }
        match self.shared.page(channel).await {
            Some(page) if own.as_ref().is_none_or(|own| own.at < page.at) => {
                self.kept.insert(channel.to_owned(), page.clone());
                Some(page)
            }
            _ => own,
        }
    }

    fn flight(self: &Arc<Self>, source: &Source, newsroom: &Newsroom) -> Flight {
        let mut flights = lock(&self.flights);
        if let Some(flight) = flights.get(&source.slug) {
            return flight.clone();
        }
        let (pages, source, newsroom) = (Arc::clone(self), source.clone(), newsroom.clone());
        let channel = source.slug.clone();
        let landing = Landing { pages: Arc::clone(self), channel: channel.clone() };
        // A reader who goes away does not end it.
        let task = tokio::spawn(async move {
            let _landing = landing;
            pages.fetch(&source, &newsroom).await
        });
        let flight = async move {
            let ended = task.await;
            ended.unwrap_or_else(|_| {
                Err(NoPage::new(Trouble::Unreachable, "asking for it broke off"))
            })
        };
        let flight = flight.boxed().shared();
        flights.insert(channel, flight.clone());
        flight
    }

    async fn fetch(&self, source: &Source, newsroom: &Newsroom) -> Result<Page, NoPage> {
        let now = self.line.clock().now();
        let channel = &source.slug;
        let page = match source.kind {
            SourceKind::Feed | SourceKind::Video => {
                let json = own::page(self.line.store(), source, newsroom, now).await?;
                match self.kept.get(channel) {
                    Some(old) if *old.json() == json => old.seen_again(now),
                    _ => read(json, now).await?,
                }
            }
            SourceKind::Channel => {
                let old = self.kept.get(channel);
                let usable = |page: &Page| now - page.at < self.ages.stale_seconds;
                match (self.line.channel_page(channel, old.is_some()).await, old) {
                    (Ok(Asked::Page(page)), _) => page,
                    (Ok(Asked::Unchanged), Some(old)) => old.seen_again(now),
                    (Ok(Asked::Unchanged), None) => {
                        return Err(NoPage::new(
                            Trouble::Unreadable,
                            "it says nothing but \"unchanged\"",
                        ));
                    }
                    (Err(NoPage { trouble: Trouble::Unreachable, .. }), Some(old))
                        if usable(&old) =>
                    {
                        return Ok(old);
                    }
                    (Err(no_page), _) => return Err(no_page),
                }
            }
        };
        self.shared.keep(channel, &page, self.ages.stale_seconds).await;
        self.kept.insert(channel.clone(), page.clone());
        Ok(page)
    }
}

/// Takes the flight off the board, however it ends.
struct Landing {
    pages: Arc<Pages>,
    channel: String,
}

impl Drop for Landing {
    fn drop(&mut self) {
        lock(&self.pages.flights).remove(&self.channel);
    }
}

fn source<'a>(snapshot: &'a Snapshot, channel: &str) -> Option<(&'a Source, &'a Newsroom)> {
    let source =
        snapshot.sources.iter().map(|report| &report.source).find(|s| s.slug == channel)?;
    Some((source, snapshot.newsroom(source.newsroom)?))
}

async fn read(json: Bytes, at: UnixSeconds) -> Result<Page, NoPage> {
    Page::read(json, at).await.map_err(|reason| NoPage::new(Trouble::Unreadable, reason))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
