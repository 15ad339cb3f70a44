//! Any hour of history, one movement away. Nothing is opened until the reader says so.

use leptos::prelude::*;

/// Joins the slider of the element marked `data-slider`, whose values count hours from `data-first`
/// (Unix seconds), to its link: the link leads to the board of the hour at which the slider stands.
/// `data-show` is what the link says, `data-lang` how times are written, `data-href` the address, at
/// whose end the moment is missing. The element is shown once there is a script.
#[island]
pub fn TimeSlider() -> impl IntoView {
    #[cfg(feature = "hydrate")]
    Effect::new(move |_| browser::start());
}

#[cfg(feature = "hydrate")]
mod browser {
    use wasm_bindgen::JsCast;
    use web_sys::js_sys::{Date, Object, Reflect};
    use web_sys::{Element, HtmlInputElement};

    use crate::islands::{listen, surrounding};

    const SECONDS_PER_HOUR: i64 = 3_600;

    pub fn start() -> Option<()> {
        let around = surrounding("data-slider")?;
        let slider: HtmlInputElement = around.query_selector("input").ok()??.dyn_into().ok()?;
        let link = around.query_selector("a").ok()??;
        let _ = around.remove_attribute("hidden");
        lead(&around, &slider, &link);
        let source = slider.clone();
        listen(&source, "input", move |_| {
            lead(&around, &slider, &link);
        });
        Some(())
    }

    fn lead(around: &Element, slider: &HtmlInputElement, link: &Element) -> Option<()> {
        let hours: i64 = slider.value().parse().ok()?;
        let seconds =
            around.get_attribute("data-first")?.parse::<i64>().ok()? + hours * SECONDS_PER_HOUR;
        let date = Date::new(&((seconds * 1_000) as f64).into());
        let time = written(&date, &around.get_attribute("data-lang")?);
        let moment = String::from(date.to_iso_string()).replace(".000", "");
        let _ = link.set_attribute("href", &(around.get_attribute("data-href")? + &moment));
        link.set_text_content(Some(&(around.get_attribute("data-show")? + " " + &time)));
        let _ = slider.set_attribute("aria-valuetext", &time);
        Some(())
    }

    fn written(date: &Date, language: &str) -> String {
        let options = Object::new();
        for (name, value) in [
            ("timeZone", "Europe/Prague"),
            ("weekday", "short"),
            ("day", "numeric"),
            ("month", "numeric"),
            ("hour", "numeric"),
            ("minute", "2-digit"),
        ] {
            let _ = Reflect::set(&options, &name.into(), &value.into());
        }
        date.to_locale_string(language, &options).into()
    }
}
