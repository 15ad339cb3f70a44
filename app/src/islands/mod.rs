//! The parts that a person operates; everything works without them.
//!
//! They take no props: what they say stands in `data-` attributes around them, since props would
//! bring a JSON reader into the bundle.

mod keys;
mod live;
mod slider;
mod theme;

pub use keys::Keys;
pub use live::Live;
pub use slider::TimeSlider;
pub use theme::ThemeSwitch;

/// The element that speaks for an island, found by one of its attributes.
#[cfg(feature = "hydrate")]
fn surrounding(attribute: &str) -> Option<web_sys::Element> {
    let document = web_sys::window()?.document()?;
    document.query_selector(&format!("[{attribute}]")).ok()?
}
