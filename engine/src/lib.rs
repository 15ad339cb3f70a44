//! The pure core: no I/O, no clock, no async; time is an argument, and no input makes it fail.
//!
//! In reading order, along the line from articles to a board:
//! - [`text`]: texts to words; `stem`, `stop`: what is known of the languages.
//! - [`boilerplate`]: what sites repeat around their texts is cut.
//! - [`lexicon`]: words to numbers.
//! - [`similar`]: the weight of words, similarity, and the exact join of similar texts.
//! - [`group()`](group::group): similar texts to groups.
//! - `tie`, [`origin`], [`agency`]: why an item is in its group, and whose text it has.
//! - `cluster`: the line through all of these ([`cluster()`], [`place()`]).
//! - `heat`, `identity`, `board`, `timeline`: groups to ranked events ([`board()`]), at one moment
//!   or at many ([`Timeline`]).
//! - `change`, `compare`, `figures`, [`topic`]: what is said about boards.
//! - `tempo`, `video`: how fast videos are watched.
//! - [`feed`]: the posts of chosen channels, ranked ([`feed::build_feed`]).
//!
//! Nothing depends on the order of the input or on the number of threads
//! (`tests/cluster.rs: neither_order_nor_threads_change_the_groups`), nor on what lies ahead of the
//! moment (`tests/board.rs: the_board_is_the_same_computed_then_or_now`).

pub mod agency;
mod board;
pub mod boilerplate;
mod change;
mod cluster;
mod compare;
pub mod feed;
mod figures;
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
mod timeline;
pub mod topic;
mod video;

pub use board::{Assignments, assignments, board};
pub use change::changes;
pub use cluster::{Article, Link, Placed, cluster, place};
pub use compare::compare;
pub use figures::{desk, newsroom_figures, owner_figures};
pub use model::Window;
pub use tempo::tempo;
pub use timeline::Timeline;
pub use topic::topics;
pub use video::videos;

/// Version of this engine.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// How well this version groups, a [`model::Accuracy`] as JSON; `cargo xtask eval` writes it.
pub const ACCURACY: &str = include_str!("../data/accuracy.json");

/// Hours between two instants, for any two.
fn hours(from: model::UnixSeconds, to: model::UnixSeconds) -> f64 {
    (to as f64 - from as f64) / model::SECONDS_PER_HOUR as f64
}
