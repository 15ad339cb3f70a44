//! The pages. They are rendered on the server from an immutable snapshot; the browser gets the
//! islands alone.

pub mod islands;

#[cfg(feature = "ssr")]
pub mod charts;
#[cfg(feature = "ssr")]
mod context;
#[cfg(feature = "ssr")]
pub mod csv;
#[cfg(feature = "ssr")]
pub mod feeds;
#[cfg(feature = "ssr")]
mod i18n;
#[cfg(feature = "ssr")]
mod pages;
#[cfg(feature = "ssr")]
mod parts;
#[cfg(feature = "ssr")]
pub mod picture;
#[cfg(feature = "ssr")]
mod query;
#[cfg(feature = "ssr")]
pub mod reference;
#[cfg(feature = "ssr")]
mod shell;
#[cfg(feature = "ssr")]
mod status;

#[cfg(feature = "ssr")]
pub use context::{Lookup, PageContext, Refusal, SignalRow};
#[cfg(feature = "ssr")]
pub use i18n::Locale;
#[cfg(feature = "ssr")]
pub use pages::{FeedQuery, SearchQuery};
#[cfg(feature = "ssr")]
pub use parts::plain;
#[cfg(feature = "ssr")]
pub use shell::{App, shell};

#[cfg(all(test, feature = "ssr"))]
mod fixture;
#[cfg(all(test, feature = "ssr"))]
mod tests;
