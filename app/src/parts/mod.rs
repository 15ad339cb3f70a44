//! Pieces that several pages share.

mod days;
mod factors;
mod frame;
mod text;

pub(crate) use days::{day_strip, day_table};
pub(crate) use factors::Explained;
pub(crate) use frame::{Head, frame};
pub(crate) use text::{clock, moment, near, plain, title};
