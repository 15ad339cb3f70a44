//! The pure core: no I/O, no clock, no async; time is an argument, and no input makes it fail.

pub mod agency;
mod board;
pub mod boilerplate;
mod change;
mod cluster;
mod compare;
pub mod group;
mod heat;
mod identity;
pub mod lexicon;
pub mod origin;
mod sets;
pub mod similar;
mod stem;
mod stop;
mod tempo;
pub mod text;
mod tie;

pub use board::{Assignments, assignments, board};
pub use change::changes;
pub use cluster::{Article, Link, Placed, cluster, place};
pub use compare::compare;
pub use model::Window;
pub use tempo::tempo;

/// Hours between two instants, for any two.
fn hours(from: model::UnixSeconds, to: model::UnixSeconds) -> f64 {
    (to as f64 - from as f64) / model::SECONDS_PER_HOUR as f64
}
