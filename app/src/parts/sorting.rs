//! Tables whose order is a GET parameter.

use leptos::prelude::*;

/// A column's heading that is a link to the table in this column's order.
pub(crate) fn sort_heading(
    name: &'static str,
    href: String,
    sorted: Option<&'static str>,
    numeric: bool,
) -> AnyView {
    let class = numeric.then_some("value");
    view! {
        <th scope="col" class=class aria-sort=sorted>
            <a href=href>{name}</a>
        </th>
    }
    .into_any()
}

/// A share in [0, 1] as a small bar; the number stands beside it in words.
pub(crate) fn share_bar(share: f64) -> AnyView {
    let width = format!("{:.1}", share.clamp(0.0, 1.0) * 100.0);
    view! {
        <svg class="share" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
            <rect width="100" height="6"></rect>
            <rect class="part" width=width height="6"></rect>
        </svg>
    }
    .into_any()
}
