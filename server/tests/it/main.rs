//! The line and the site over the invented newsrooms, on a real PostgreSQL and over real HTTP.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test may fail loudly")]

mod api;
mod cli;
mod crash;
mod embeds;
mod feed;
mod feeds;
mod history;
mod hostile;
mod kept;
mod line;
mod openapi;
mod pages;
mod recompute;
mod safety;
mod site;
mod sources;
mod video;
