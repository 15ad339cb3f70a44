//! Shortcuts of one letter for a list of events. They can be changed and switched off (WCAG 2.1.4);
//! what is chosen stays in the browser alone.

use leptos::prelude::*;

/// Walks through the links marked `data-row`. The element marked `data-keys` is shown once there is
/// a script; its fields `next`, `previous`, `open` and `help` hold the keys, `on` whether they work.
#[island]
pub fn Keys() -> impl IntoView {
    #[cfg(feature = "hydrate")]
    Effect::new(move |_| browser::start());
}

#[cfg(feature = "hydrate")]
mod browser {
    use wasm_bindgen::JsCast;
    use web_sys::{Document, Element, HtmlElement, HtmlInputElement, KeyboardEvent, Storage};

    use crate::islands::{listen, surrounding};

    const FIELDS: [&str; 5] = ["on", "next", "previous", "open", "help"];

    pub fn start() {
        let document = web_sys::window().and_then(|window| window.document());
        let (Some(panel), Some(document)) = (surrounding("data-keys"), document) else { return };
        restore(&panel);
        let _ = panel.remove_attribute("hidden");
        let fields = panel.clone();
        listen(&panel, "change", move |_| keep(&fields));
        let page = document.clone();
        listen(&document, "keydown", move |event| {
            if let Some(event) = event.dyn_ref::<KeyboardEvent>() {
                pressed(&page, &panel, event);
            }
        });
    }

    fn field(panel: &Element, name: &str) -> Option<HtmlInputElement> {
        panel.query_selector(&format!("[name={name}]")).ok()??.dyn_into().ok()
    }

    fn storage() -> Option<Storage> {
        web_sys::window()?.local_storage().ok()?
    }

    fn restore(panel: &Element) {
        let Some(storage) = storage() else { return };
        for name in FIELDS {
            let stored = storage.get_item(&format!("key-{name}")).ok().flatten();
            match (field(panel, name), stored) {
                (Some(field), Some(_)) if name == "on" => field.set_checked(false),
                (Some(field), Some(key)) => field.set_value(&key),
                (None, _) | (_, None) => {}
            }
        }
    }

    /// Only what differs from the page's own keys is stored.
    fn keep(panel: &Element) {
        let Some(storage) = storage() else { return };
        for name in FIELDS {
            let Some(field) = field(panel, name) else { continue };
            let differs = if name == "on" {
                !field.checked()
            } else {
                field.value() != field.default_value()
            };
            let key = format!("key-{name}");
            let _ = if differs {
                storage.set_item(&key, &field.value())
            } else {
                storage.remove_item(&key)
            };
        }
    }

    fn pressed(document: &Document, panel: &Element, event: &KeyboardEvent) {
        let writes =
            event.target().and_then(|target| target.dyn_into::<Element>().ok()).is_some_and(
                |target| matches!(target.tag_name().as_str(), "INPUT" | "SELECT" | "TEXTAREA"),
            );
        let on = field(panel, "on").is_some_and(|field| field.checked());
        if writes || !on || event.ctrl_key() || event.alt_key() || event.meta_key() {
            return;
        }
        let key = event.key();
        let is = |name| field(panel, name).is_some_and(|field| field.value() == key);
        if is("next") {
            step(document, 1);
        } else if is("previous") {
            step(document, -1);
        } else if is("open") {
            if let Some(row) = rows(document).into_iter().find(|row| focused(document, row)) {
                row.click();
            }
        } else if is("help") {
            help(panel);
        } else {
            return;
        }
        event.prevent_default();
    }

    fn rows(document: &Document) -> Vec<HtmlElement> {
        let Ok(found) = document.query_selector_all("[data-row]") else { return Vec::new() };
        (0..found.length())
            .filter_map(|index| found.item(index)?.dyn_into::<HtmlElement>().ok())
            .collect()
    }

    fn focused(document: &Document, row: &HtmlElement) -> bool {
        document.active_element().is_some_and(|active| active == **row)
    }

    /// Moves the focus; from elsewhere to the first or the last row.
    fn step(document: &Document, by: isize) {
        let rows = rows(document);
        let last = rows.len().saturating_sub(1);
        let next = match (rows.iter().position(|row| focused(document, row)), by) {
            (Some(index), by) => index.saturating_add_signed(by).min(last),
            (None, 1..) => 0,
            (None, _) => last,
        };
        if let Some(row) = rows.get(next) {
            let _ = row.focus();
        }
    }

    fn help(panel: &Element) {
        let open = panel.has_attribute("open");
        let _ = panel.toggle_attribute("open");
        if let (false, Ok(Some(summary))) = (open, panel.query_selector("summary"))
            && let Ok(summary) = summary.dyn_into::<HtmlElement>()
        {
            let _ = summary.focus();
        }
    }
}
