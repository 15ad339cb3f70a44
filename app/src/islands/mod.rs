//! The parts that a person operates; everything works without them.

mod live;
mod theme;

pub use live::Live;
pub use theme::ThemeSwitch;
