//! The value of a slider, printed while it is moved.

use leptos::prelude::*;

/// Prints the values of the sliders in the element marked `data-ranges` into the `b` of the label
/// around each, with `data-point` as the decimal point and `data-unit` behind.
#[island]
pub fn RangeValues() -> impl IntoView {
    #[cfg(feature = "hydrate")]
    Effect::new(move |_| browser::start());
}

#[cfg(feature = "hydrate")]
mod browser {
    use wasm_bindgen::JsCast;
    use web_sys::{Event, HtmlInputElement};

    use crate::islands::{listen, surrounding};

    pub fn start() {
        if let Some(ranges) = surrounding("data-ranges") {
            listen(&ranges, "input", |event| {
                print(&event);
            });
        }
    }

    fn print(event: &Event) -> Option<()> {
        let slider: HtmlInputElement = event.target()?.dyn_into().ok()?;
        let label = slider.closest("[data-unit]").ok()??;
        let said = |name| label.get_attribute(name);
        let value = slider.value().replace('.', &said("data-point")?) + &said("data-unit")?;
        label.query_selector("b").ok()??.set_text_content(Some(&value));
        let _ = slider.set_attribute("aria-valuetext", &value);
        Some(())
    }
}
