//! A chart with its caption.

use leptos::prelude::*;

/// `chart` is drawn by [`crate::charts`]; it scrolls where the screen is narrower. `caption` is what
/// stands below it.
pub(crate) fn figure(chart: String, label: &'static str, caption: impl IntoView) -> AnyView {
    let caption = caption.into_any();
    view! {
        <figure>
            <div class="scroll" role="group" tabindex="0" aria-label=label inner_html=chart></div>
            {caption}
        </figure>
    }
    .into_any()
}
