//! The line from source to parser against the galleries in `tests/data`.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may fail loudly"
)]

mod corpus;
#[path = "../../examples/faults/harness.rs"]
mod fault_harness;
mod faults;
mod feeds;
mod gate;
mod hostile;
mod line;
mod pages;
mod peers;
#[path = "../../examples/conformance/suite/play.rs"]
mod play;
mod redis;
mod redis_server;
mod robots;
mod trial;
mod web;
