//! Light, dark, or as the system says. Only an explicit choice is stored, in the browser alone;
//! `theme.js` applies it before the first paint.

use leptos::prelude::*;

/// A button that goes round the three themes. The element around it says in `data-theme-auto`,
/// `data-theme-light` and `data-theme-dark` what the button reads under each.
#[island]
pub fn ThemeSwitch() -> impl IntoView {
    let ready = RwSignal::new(false);
    let theme = RwSignal::new(String::new());
    let label = RwSignal::new(String::new());

    #[cfg(feature = "hydrate")]
    Effect::new(move |_| {
        theme.set(browser::stored().unwrap_or_default());
        ready.set(true);
    });
    #[cfg(feature = "hydrate")]
    Effect::new(move |_| label.set(browser::label(&theme.read())));

    let change = move |_| {
        theme.update(|theme| {
            *theme = match theme.as_str() {
                "" => "light",
                "light" => "dark",
                _ => "",
            }
            .to_owned();
            #[cfg(feature = "hydrate")]
            browser::apply(theme);
        });
    };
    view! {
        <button type="button" hidden=move || !ready.get() on:click=change>
            {move || label.get()}
        </button>
    }
}

#[cfg(feature = "hydrate")]
mod browser {
    const KEY: &str = "theme";

    fn storage() -> Option<web_sys::Storage> {
        web_sys::window()?.local_storage().ok()?
    }

    pub fn label(theme: &str) -> String {
        let name = match theme {
            "light" | "dark" => theme,
            _ => "auto",
        };
        let said = crate::islands::surrounding("data-theme-auto");
        said.and_then(|said| said.get_attribute(&format!("data-theme-{name}"))).unwrap_or_default()
    }

    pub fn stored() -> Option<String> {
        storage()?.get_item(KEY).ok()?
    }

    /// An empty theme is the system's: what was stored is forgotten. A browser that stores nothing
    /// still shows the choice on this page.
    pub fn apply(theme: &str) {
        if let Some(storage) = storage() {
            let _ = if theme.is_empty() {
                storage.remove_item(KEY)
            } else {
                storage.set_item(KEY, theme)
            };
        }
        let document = web_sys::window().and_then(|window| window.document());
        if let Some(root) = document.and_then(|document| document.document_element()) {
            let _ = if theme.is_empty() {
                root.remove_attribute("data-theme")
            } else {
                root.set_attribute("data-theme", theme)
            };
        }
    }
}
