//! The line from source to parser against the galleries in `tests/data`.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

mod cases;
mod dates;
mod feeds;
mod gate;
mod hostile;
mod peers;
mod robots;
mod web;
