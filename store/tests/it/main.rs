//! Against a real Postgres: `DATABASE_URL` names a server on which databases may be created.
#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

mod append;
mod append_only;
mod chain;
mod connect;
mod leader;
mod reports;
mod schedule;
mod script;
mod search;
mod setup;
mod snapshots;
mod window;
