//! Answers to addresses at which nothing stands.

use leptos::prelude::*;

use crate::context::Visit;
use crate::parts::{Head, frame};
use crate::{Refusal, status};

#[component]
pub(crate) fn NotFoundPage() -> impl IntoView {
    status::not_found();
    let t = Visit::here().t;
    page(t.not_found, t.not_found_text)
}

#[component]
pub(crate) fn RefusedPage(refusal: Refusal) -> impl IntoView {
    status::bad_request();
    let t = Visit::here().t;
    match refusal {
        Refusal::Moment => page(t.bad_request, t.bad_moment),
        Refusal::Model => page(t.bad_request, t.bad_model),
    }
}

fn page(heading: &'static str, text: &'static str) -> AnyView {
    let v = Visit::here();
    let home = v.locale.path("/");
    let content = view! {
        <h1>{heading}</h1>
        <p class="lede">{text}</p>
        <p>
            <a href=home>{v.t.to_board}</a>
        </p>
    };
    frame(&v, Head { indexed: false, ..Head::new(heading, text) }, content.into_any())
}
