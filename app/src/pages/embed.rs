//! The board and an event for other people's pages: no script, no cookie, links that lead here.

use leptos::prelude::*;
use leptos_meta::{Meta, Title};
use leptos_router::hooks::use_params_map;
use model::{Event, EventId, SpreadLabel};

use crate::context::Visit;
use crate::parts::{moment, title};
use crate::query::BoardQuery;
use crate::status;

/// Events in an embedded board, unless `limit` says otherwise.
const SHOWN: usize = 5;
const MOST: usize = 20;

#[component]
pub(crate) fn EmbeddedBoard() -> impl IntoView {
    let v = Visit::here();
    let t = v.t;
    let query = BoardQuery::parse(v.params());
    let limit = v.params().get("limit").and_then(|limit| limit.parse().ok());
    let limit = limit.filter(|limit| (1..=MOST).contains(limit)).unwrap_or(SHOWN);
    let shown = query.select(&v.snapshot).into_iter().take(limit);
    let events = shown.map(|event| view! { <li>{row(&v, event)}</li> }).collect_view();
    frame(&v, t.board, view! { <ol>{events}</ol> }.into_any())
}

#[component]
pub(crate) fn EmbeddedEvent() -> impl IntoView {
    let v = Visit::here();
    let id = use_params_map().read_untracked().get("id").and_then(|id| id.parse().ok());
    let event =
        id.and_then(|id: EventId| v.snapshot.board.events.iter().find(|event| event.id == id));
    match event {
        Some(event) => {
            let names: Vec<&str> = event
                .mentions
                .iter()
                .filter_map(|mention| v.snapshot.newsroom(mention.newsroom))
                .map(|newsroom| newsroom.name.as_str())
                .collect();
            let content = view! { {row(&v, event)} <p class="names">{names.join(", ")}</p> };
            frame(&v, &event.title, content.into_any())
        }
        None => {
            status::not_found();
            frame(&v, v.t.not_found, view! { <p>{v.t.not_found_text}</p> }.into_any())
        }
    }
}

fn row(v: &Visit, event: &Event) -> AnyView {
    let (t, l) = (v.t, v.locale);
    let newsrooms = event.newsrooms();
    let spread = (newsrooms > 1).then(|| {
        let label = SpreadLabel::of(event.spread_hours, &v.snapshot.model.heat);
        view! { " · " {t.spread} " " <b>{l.spread(label)}</b> }
    });
    view! {
        <h2>{link(v, &format!("/event/{}", event.id), title(v, &event.title, &event.language))}</h2>
        <p class="facts">
            <b>{(t.newsrooms)(newsrooms.into())}</b> {spread} " · " {(t.owners)(event.owners.into())}
            " · " {(t.texts)(event.texts.into())}
        </p>
    }
    .into_any()
}

/// Opens beside the page that the embed stands in.
fn link(v: &Visit, path: &str, content: AnyView) -> AnyView {
    let href = format!("{}{}", v.page.origin, v.href(path));
    view! { <a href=href target="_blank" rel="noopener">{content}</a> }.into_any()
}

fn frame(v: &Visit, heading: &str, content: AnyView) -> AnyView {
    let t = v.t;
    let demo = v.snapshot.demo.then(|| view! { <p class="notice demo">{t.demo}</p> });
    view! {
        <Title text=format!("{} – {}", crate::parts::plain(heading), t.site)/>
        <Meta name="robots" content="noindex"/>
        <main class="embed">
            <h1>{link(v, "/", view! { {t.site} ": " {t.board} }.into_any())}</h1>
            {demo}
            {content}
            <p class="facts">{t.state_at} " " {moment(v, v.snapshot.board.at)}</p>
        </main>
    }
    .into_any()
}
