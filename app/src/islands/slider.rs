//! Any hour of history, one movement away. Nothing is opened until the reader says so.

use leptos::prelude::*;

/// A slider over the hours from `data-first` to `data-last` (Unix seconds), at first at `data-at`,
/// with a link to the board of the hour it stands at. The element around it says in `data-slider`
/// what the slider is called, in `data-show` what the link says, in `data-lang` how times are
/// written, and in `data-href` the address, at whose end the moment is missing.
#[island]
pub fn TimeSlider() -> impl IntoView {
    let slider = RwSignal::new(Slider::default());
    let hours = RwSignal::new(0_i32);
    let link = RwSignal::new(Link::default());

    #[cfg(feature = "hydrate")]
    Effect::new(move |_| {
        if let Some((found, at)) = browser::slider() {
            slider.set(found);
            hours.set(at);
        }
    });
    #[cfg(feature = "hydrate")]
    Effect::new(move |_| link.set(browser::link(hours.get()).unwrap_or_default()));

    view! {
        <div class="range" hidden=move || slider.read().hours == 0>
            <input
                type="range"
                min="0"
                max=move || slider.read().hours
                prop:value=move || hours.get()
                aria-label=move || slider.read().name.clone()
                aria-valuetext=move || link.read().time.clone()
                on:input:target=move |event| hours.set(event.target().value().parse().unwrap_or(0))
            />
            <a href=move || link.read().href.clone()>
                {move || slider.read().show.clone()} " " {move || link.read().time.clone()}
            </a>
        </div>
    }
}

#[derive(Clone, Default)]
struct Slider {
    /// From the first to the last moment.
    hours: i32,
    name: String,
    show: String,
}

#[derive(Clone, Default)]
struct Link {
    href: String,
    time: String,
}

#[cfg(feature = "hydrate")]
mod browser {
    use web_sys::Element;
    use web_sys::js_sys::{Date, Object, Reflect};

    use super::{Link, Slider};
    use crate::islands::surrounding;

    const SECONDS_PER_HOUR: f64 = 3_600.0;

    fn say(around: &Element, name: &str) -> String {
        around.get_attribute(name).unwrap_or_default()
    }

    fn time(around: &Element, name: &str) -> Option<f64> {
        say(around, name).parse().ok()
    }

    /// The slider, and the hour at which it stands.
    pub fn slider() -> Option<(Slider, i32)> {
        let around = surrounding("data-slider")?;
        let first = time(&around, "data-first")?;
        let since = |name| Some((time(&around, name)? - first) / SECONDS_PER_HOUR);
        let hours = since("data-last")? as i32;
        let at = (since("data-at")?.round() as i32).min(hours);
        let (name, show) = (say(&around, "data-slider"), say(&around, "data-show"));
        Some((Slider { hours, name, show }, at))
    }

    pub fn link(hours: i32) -> Option<Link> {
        let around = surrounding("data-slider")?;
        let seconds = time(&around, "data-first")? + f64::from(hours) * SECONDS_PER_HOUR;
        let date = Date::new(&(seconds * 1_000.0).into());
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
        let iso = String::from(date.to_iso_string()).replace(".000", "");
        Some(Link {
            href: say(&around, "data-href") + &iso,
            time: date.to_locale_string(&say(&around, "data-lang"), &options).into(),
        })
    }
}
