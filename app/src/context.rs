//! What the server hands to a page beside the snapshot, and what a page makes of the address.

use std::sync::Arc;

use leptos::prelude::*;
use leptos_router::location::{RequestUrl, Url};
use leptos_router::params::ParamsMap;
use model::{Accuracy, Factors, Found, ModelComparison, RankedFeed, Snapshot, UnixSeconds};

use crate::feeds::OpmlError;
use crate::i18n::{Locale, Texts};
use crate::reference::Reference;

/// Given by the server to every request, beside the `Arc<Snapshot>` that the request means.
#[derive(Clone, Debug)]
pub struct PageContext {
    /// Scheme and host that readers use, without a trailing slash; in permalinks and citations.
    pub origin: Arc<str>,
    /// Id of the newest snapshot, also when the page shows a past moment.
    pub newest_id: i64,
    /// The past moment that was asked for by `?at=`.
    pub at: Option<UnixSeconds>,
    pub now: UnixSeconds,
    /// The gate's table of reservation signals.
    pub signals: Arc<[SignalRow]>,
    /// Measured on labelled items.
    pub accuracy: Option<Arc<Accuracy>>,
    /// The HTTP API.
    pub reference: Arc<Reference>,
    /// Of the two models that the page of comparison is asked about.
    pub comparison: Option<Arc<ModelComparison>>,
    /// Set instead of a snapshot's page when `?at=` or `?model=` cannot be answered (status 400).
    pub refusal: Option<Refusal>,
}

/// One reservation signal and what the gate does about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignalRow {
    pub name: String,
    /// It forbids fetching; otherwise it is only shown.
    pub blocks: bool,
    /// One English sentence.
    pub reason: String,
}

/// Why an address cannot be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// `?at=` is no moment that can be shown.
    Moment,
    /// `?model=` names no known model.
    Model,
    /// The file that was sent is no list of feeds.
    Opml(OpmlError),
}

/// What a page shows beside the snapshot: the server looks it up before the page is rendered.
#[derive(Clone, Debug, Default)]
pub enum Lookup {
    #[default]
    Nothing,
    /// An event's factors and number of newsrooms at every recompute, oldest first.
    Scores(Arc<[(UnixSeconds, Factors, u32)]>),
    Search(Arc<Found>),
    Feed(Arc<RankedFeed>),
}

/// One visit of a page: what is shown, in which language, at which address.
#[derive(Clone)]
pub(crate) struct Visit {
    pub snapshot: Arc<Snapshot>,
    pub page: PageContext,
    pub lookup: Lookup,
    pub locale: Locale,
    pub t: &'static Texts,
    url: Url,
}

impl Visit {
    /// Reads the contexts of the request.
    pub fn here() -> Self {
        let url = request_url();
        let locale = Locale::of_path(url.path());
        Self {
            snapshot: expect_context(),
            page: expect_context(),
            lookup: use_context().unwrap_or_default(),
            locale,
            t: locale.texts(),
            url,
        }
    }

    pub fn params(&self) -> &ParamsMap {
        self.url.search_params()
    }

    /// Path without the locale's prefix.
    pub fn path(&self) -> &str {
        Locale::strip(self.url.path())
    }

    /// The parameters that every link keeps: the moment and the model of the board.
    pub fn kept(&self) -> Vec<(&'static str, String)> {
        ["at", "model"]
            .into_iter()
            .filter_map(|name| Some((name, self.params().get(name)?)))
            .filter(|(_, value)| !value.is_empty())
            .collect()
    }

    /// Address of a page in this locale, at this moment, under this model.
    pub fn href(&self, path: &str) -> String {
        address(&self.locale.path(path), &self.kept())
    }

    /// Address of this very page in the other locale.
    pub fn href_in(&self, locale: Locale) -> String {
        let path = locale.path(self.path());
        match self.url.search() {
            "" => path,
            search => format!("{path}?{search}"),
        }
    }

    /// Lasting address of a page as it is at `at`.
    pub fn permalink(&self, path: &str, at: UnixSeconds) -> String {
        let mut query = vec![("at", crate::i18n::iso(at))];
        query.extend(self.kept().into_iter().filter(|(name, _)| *name != "at"));
        format!("{}{}", self.page.origin, address(&self.locale.path(path), &query))
    }
}

/// The address that was asked for; the front page while routes are being listed.
pub(crate) fn request_url() -> Url {
    use_context::<RequestUrl>().unwrap_or_default().parse().unwrap_or_default()
}

/// Path and query, escaped.
pub(crate) fn address(path: &str, query: &[(&str, String)]) -> String {
    let mut address = path.to_owned();
    for (index, (name, value)) in query.iter().enumerate() {
        address.push(if index == 0 { '?' } else { '&' });
        address.push_str(name);
        address.push('=');
        address.push_str(&escaped(value));
    }
    address
}

/// What moments, numbers and names are written with may stand in an address (RFC 3986), and people read
/// permalinks.
pub(crate) fn escaped(text: &str) -> String {
    Url::escape(text).replace("%2D", "-").replace("%2E", ".").replace("%3A", ":")
}
