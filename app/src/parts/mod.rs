//! Pieces that several pages share.

mod days;
mod factors;
mod figure;
mod frame;
mod links;
mod paging;
mod sorting;
mod text;

pub(crate) use days::{day_strip, day_table};
pub(crate) use factors::Explained;
pub(crate) use figure::figure;
pub(crate) use frame::{Head, frame};
pub(crate) use paging::pagination;
pub(crate) use sorting::{share_bar, sort_heading};
pub use text::plain;
pub(crate) use text::{clock, moment, near, outward, split, title, visible};
