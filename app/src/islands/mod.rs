//! The parts that a person operates; everything works without them.
//!
//! They take no props: what they say stands in `data-` attributes around them, since props would
//! bring a JSON reader into the bundle.

mod keys;
mod live;
mod ranges;
mod slider;
mod theme;

pub use keys::Keys;
pub use live::Live;
pub use ranges::RangeValues;
pub use slider::TimeSlider;
pub use theme::ThemeSwitch;

/// The element that speaks for an island, found by one of its attributes.
#[cfg(feature = "hydrate")]
fn surrounding(attribute: &str) -> Option<web_sys::Element> {
    let document = web_sys::window()?.document()?;
    document.query_selector(&format!("[{attribute}]")).ok()?
}

/// For as long as the page stands.
#[cfg(feature = "hydrate")]
fn listen(target: &web_sys::EventTarget, name: &str, heard: impl Fn(web_sys::Event) + 'static) {
    use wasm_bindgen::JsCast;
    let heard = wasm_bindgen::prelude::Closure::<dyn Fn(web_sys::Event)>::new(heard);
    let listens = target.add_event_listener_with_callback(name, heard.as_ref().unchecked_ref());
    if listens.is_ok() {
        heard.forget();
    }
}
