//! The line and the site over the invented newsrooms, on a real PostgreSQL and over real HTTP.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may fail loudly"
)]

mod api;
mod chosen;
mod cli;
mod connections;
mod crash;
mod embeds;
mod feed;
mod feeds;
mod graphql;
mod history;
mod hostile;
mod instances;
mod kept;
mod line;
mod openapi;
mod pages;
mod recompute;
#[path = "../../../ingest/tests/it/redis_server.rs"]
mod redis_server;
mod safety;
mod site;
mod sources;
mod video;
