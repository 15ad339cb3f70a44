//! Answers to addresses at which nothing stands.

use leptos::prelude::*;

use crate::context::Visit;
use crate::parts::{Head, frame};
use crate::{Refusal, status};

#[component]
pub(crate) fn NotFoundPage() -> impl IntoView {
    status::not_found();
    let t = Visit::here().t;
    page(t.not_found, t.not_found_text, "/", t.to_board)
}

#[component]
pub(crate) fn RefusedPage(refusal: Refusal) -> impl IntoView {
    status::bad_request();
    let t = Visit::here().t;
    match refusal {
        Refusal::Moment => page(t.bad_request, t.bad_moment, "/", t.to_board),
        Refusal::Model => page(t.bad_request, t.bad_model, "/", t.to_board),
        Refusal::Opml(error) => {
            let t = &t.feed_page;
            page(t.title, (t.opml_refused)(error), "/feed", t.to_feed)
        }
    }
}

fn page(
    heading: &'static str,
    text: &'static str,
    back: &'static str,
    back_text: &'static str,
) -> AnyView {
    let v = Visit::here();
    let back = v.locale.path(back);
    let content = view! {
        <h1>{heading}</h1>
        <p class="lede">{text}</p>
        <p>
            <a href=back>{back_text}</a>
        </p>
    };
    frame(&v, Head { indexed: false, ..Head::new(heading, text) }, content.into_any())
}
