//! The binary `ohlas` as a library, so that tests drive the very router that people see.
//!
//! Errors: commands end with [`anyhow::Error`], requests with [`error::ApiError`] or a page.

pub mod command;
pub mod config;

pub mod connections;
pub mod database;
pub mod follow;
pub mod moment;
pub mod router;
pub mod state;
pub mod stop;

mod api;
mod charts;
mod compare;
mod crawl;
mod feed;
mod graphql;
mod live;
mod lookup;
mod machines;
mod oembed;
mod opml;
mod tables;

mod error;
mod kept;
mod limit;
mod metrics;
mod policy;
mod question;
