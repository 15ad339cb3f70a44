//! Pages of channels for readers' feeds: those of our own sources, read from what was collected, and
//! those of remote channels, asked for through the gate.
//!
//! A page younger than [`Ages::fresh_seconds`] is used; one younger than [`Ages::stale_seconds`] is used
//! and refreshed behind; an older one, or none, is fetched now. However many want a page, it is
//! fetched once. One that was not to be had is not tried again before a page would be refreshed.

mod own;
mod read;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::FutureExt;
use futures::future::{BoxFuture, Shared as Joined, join_all};
use model::{
    ChannelFailure, Newsroom, Snapshot, Source, SourceKind, SourceReport, Trouble, UnixSeconds,
};
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use tokio::sync::watch;
use tracing::info;

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
    /// What was not to be had, since when and why.
    missing: Cache<String, (UnixSeconds, NoPage)>,
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
        /// What the cache makes room for at first; it grows on. So few stay in one part, in which the
        /// largest page finds room.
        const PAGES: usize = 32;
        const MISSING: usize = 1_000;
        let kept = Cache::with_weighter(PAGES, KEPT_BYTES, Bytesize);
        let missing = Cache::new(MISSING);
        Arc::new(Self { line, shared, newest, ages, kept, missing, flights: Mutex::default() })
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

    /// When the channel's page was last known to stand, or not to be had.
    pub(crate) async fn refreshed_at(&self, channel: &str) -> Option<UnixSeconds> {
        let now = self.line.clock().now();
        let missing_at = self.missing.get(channel).map(|(at, _)| at);
        missing_at.max(self.kept(channel, now).await.map(|page| page.at))
    }

    /// Fetches the channel's page however old it is.
    pub(crate) async fn refresh(self: &Arc<Self>, channel: &str) {
        let snapshot = Arc::clone(&self.newest.borrow());
        if let Some((report, newsroom)) = source(&snapshot, channel) {
            // What came of it is noted.
            let _ = self.flight(report, newsroom).await;
        }
    }

    async fn page(self: &Arc<Self>, snapshot: &Snapshot, channel: &str) -> Result<Page, NoPage> {
        let now = self.line.clock().now();
        let Some((report, newsroom)) = source(snapshot, channel) else {
            return Err(NoPage::new(Trouble::Unknown, format!("no channel is called {channel:?}")));
        };
        let usable = |page: &Page| now - page.at < self.ages.stale_seconds;
        if let Some((at, why)) = self.missing.get(channel)
            && now - at < self.ages.fresh_seconds
        {
            return self.kept.get(channel).filter(usable).ok_or(why);
        }
        match self.kept(channel, now).await.filter(usable) {
            Some(page) => {
                if now - page.at >= self.ages.fresh_seconds {
                    // It flies on by itself.
                    drop(self.flight(report, newsroom));
                }
                Ok(page)
            }
            None => self.flight(report, newsroom).await,
        }
    }

    /// The newest page that this instance has, or the others where ours is no longer fresh.
    async fn kept(&self, channel: &str, now: UnixSeconds) -> Option<Page> {
        let own = self.kept.get(channel);
        if own.as_ref().is_some_and(|page| now - page.at < self.ages.fresh_seconds) {
            return own;
        }
        match self.shared.page(channel, own.as_ref().map(|own| own.at)).await {
            Some(newer) => {
                self.kept.insert(channel.to_owned(), newer.clone());
                Some(newer)
            }
            None => own,
        }
    }

    fn flight(self: &Arc<Self>, report: &SourceReport, newsroom: &Newsroom) -> Flight {
        let channel = report.source.slug.clone();
        let mut flights = lock(&self.flights);
        if let Some(flight) = flights.get(&channel) {
            return flight.clone();
        }
        let (pages, source, newsroom) = (Arc::clone(self), report.source.clone(), newsroom.clone());
        let without = own::trouble(report);
        let landing = Landing { pages: Arc::clone(self), channel: channel.clone() };
        // A reader who goes away does not end it.
        let task = tokio::spawn(async move {
            let _landing = landing;
            let fetched = pages.fetch(&source, &newsroom, without).await;
            pages.note(&source.slug, &fetched).await;
            fetched
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

    /// Keeps what was fetched, or why nothing was.
    async fn note(&self, channel: &str, fetched: &Result<Page, NoPage>) {
        match fetched {
            Ok(page) => {
                self.missing.remove(channel);
                self.kept.insert(channel.to_owned(), page.clone());
                self.shared.keep(channel, page, self.ages.stale_seconds).await;
            }
            Err(why) => {
                info!(channel, reason = why.reason, "no page");
                let now = self.line.clock().now();
                self.missing.insert(channel.to_owned(), (now, why.clone()));
                let empty = |page: Page| page.parts().posts.is_empty();
                // What may not be asked for is not shown any more either, and a page without posts tells
                // less than the reason.
                if why.trouble == Trouble::Refused || self.kept.get(channel).is_some_and(empty) {
                    self.kept.remove(channel);
                    self.shared.forget(channel).await;
                }
            }
        }
    }

    /// `without` is what a source of ours is in trouble with that has no posts.
    async fn fetch(
        &self,
        source: &Source,
        newsroom: &Newsroom,
        without: Option<NoPage>,
    ) -> Result<Page, NoPage> {
        let now = self.line.clock().now();
        let channel = &source.slug;
        let old = self.kept.get(channel);
        if source.kind == SourceKind::Channel {
            let known = old.as_ref().and_then(|old| old.sha256.as_deref());
            return match (self.line.channel_page(channel, known).await?, old) {
                (Asked::Page(page), _) => Ok(page),
                (Asked::Unchanged, Some(old)) => Ok(old.seen_again(now)),
                (Asked::Unchanged, None) => {
                    Err(NoPage::new(Trouble::Unreadable, "it says nothing but \"unchanged\""))
                }
            };
        }
        let json = own::page(self.line.store(), source, newsroom, without, now).await?;
        match old {
            Some(old) if *old.json() == json => Ok(old.seen_again(now)),
            _ => {
                let read = Page::read(json, now, None).await;
                read.map_err(|reason| NoPage::new(Trouble::Unreadable, reason))
            }
        }
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

fn source<'a>(snapshot: &'a Snapshot, channel: &str) -> Option<(&'a SourceReport, &'a Newsroom)> {
    let report = snapshot.sources.iter().find(|report| report.source.slug == channel)?;
    Some((report, snapshot.newsroom(report.source.newsroom)?))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
