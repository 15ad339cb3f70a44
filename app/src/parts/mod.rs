//! Pieces that several pages share.

mod days;
mod factors;
mod frame;
mod links;
mod text;

pub(crate) use days::{day_strip, day_table};
pub(crate) use factors::Explained;
pub(crate) use frame::{Head, frame};
pub use text::plain;
pub(crate) use text::{clock, moment, near, title};
