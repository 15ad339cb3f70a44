//! Links to the other pages of a list.

use leptos::prelude::*;

use crate::context::Visit;

/// The first, the last and the nearest pages; nothing where there is one page only.
pub(crate) fn pagination(
    v: &Visit,
    current: usize,
    pages: usize,
    href: impl Fn(usize) -> String,
) -> Option<AnyView> {
    let t = v.t;
    let near =
        (1..=pages).filter(|&page| page == 1 || page == pages || page.abs_diff(current) <= 2);
    (pages > 1).then(|| {
        let mut last = 0;
        let numbers = near
            .map(|page| {
                let gap = (page > last + 1).then_some("… ");
                last = page;
                let here = (page == current).then_some("page");
                view! { {gap} <a href=href(page) aria-current=here>{v.locale.integer(page as i64)}</a> " " }
            })
            .collect_view();
        let previous = (current > 1)
            .then(|| view! { <a rel="prev" href=href(current - 1)>{t.previous}</a> " " });
        let next =
            (current < pages).then(|| view! { <a rel="next" href=href(current + 1)>{t.next}</a> });
        view! { <nav class="pages" aria-label=t.pages>{previous} {numbers} {next}</nav> }.into_any()
    })
}
