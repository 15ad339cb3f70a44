//! What the document's head says to machines: feeds of what is shown, how to embed it, its picture.

use leptos::prelude::*;
use leptos_meta::{Link, Meta};
use model::Event;

use super::Head;
use crate::FeedQuery;
use crate::context::{Visit, address};
use crate::feeds::{ATOM, JSON, OPML};
use crate::picture;
use crate::query::BoardQuery;

/// Feeds of the board under the filters of this page, of the gate's verdicts, or of chosen channels.
pub(super) fn feeds(v: &Visit) -> AnyView {
    let feeds = if v.path() == "/feed" { chosen(v) } else { shown(v) };
    feeds
        .into_iter()
        .map(|(kind, title, href)| view! { <Link rel="alternate" type_=kind title=title href=href/> })
        .collect_view()
        .into_any()
}

type Alternate = (&'static str, &'static str, String);

/// The channels that this page shows; nothing before some are chosen.
fn chosen(v: &Visit) -> Vec<Alternate> {
    let query = FeedQuery::parse(v.params());
    if query.channels.is_empty() {
        return Vec::new();
    }
    [(ATOM, "/feed.atom"), (JSON, "/feed.json"), (OPML, "/feed.opml")]
        .map(|(kind, path)| {
            (kind, v.t.feed_page.title, address(&v.locale.path(path), &query.params()))
        })
        .into()
}

fn shown(v: &Visit) -> Vec<Alternate> {
    let t = v.t;
    let filters = BoardQuery { page: 1, ..BoardQuery::parse(v.params()) }.params();
    let board = |path: &str| address(&v.locale.path(path), &filters);
    let mut feeds = vec![
        (ATOM, t.board, board("/board.atom")),
        (JSON, t.board, board("/board.json")),
        ("text/csv", t.board, board("/board.csv")),
    ];
    if matches!(v.path().split('/').nth(1), Some("sources" | "source")) {
        feeds.insert(0, (ATOM, t.verdict_feed, v.locale.path("/compliance.atom")));
        feeds.insert(1, ("text/csv", t.verdict_feed, v.locale.path("/compliance.csv")));
    }
    feeds
}

/// What is shown beside a link to this page, and where its embed is described.
pub(super) fn preview(v: &Visit, head: &Head, canonical: &str) -> AnyView {
    let t = v.t;
    let event = event(v);
    let (kind, picture) = match event {
        Some(event) => ("article", format!("/event/{}/og.png", event.id)),
        None => ("website", "/og.png".to_owned()),
    };
    let origin = &v.page.origin;
    let picture = format!("{origin}{}", address(&v.locale.path(&picture), &v.kept()));
    let (width, height) = picture::SIZE;
    let properties = [
        ("og:site_name", t.site.to_owned()),
        ("og:locale", t.og_locale.to_owned()),
        ("og:type", kind.to_owned()),
        ("og:url", canonical.to_owned()),
        ("og:title", head.title.clone()),
        ("og:description", head.description.clone()),
        ("og:image", picture),
        ("og:image:type", "image/png".to_owned()),
        ("og:image:width", width.to_string()),
        ("og:image:height", height.to_string()),
        ("og:image:alt", format!("{} – {}", head.title, head.description)),
    ];
    let properties =
        properties.map(|(name, content)| view! { <Meta property=name content=content/> });
    let embeddable = event.is_some() || v.path() == "/";
    let embed = embeddable.then(|| {
        let href = format!("{origin}{}", address("/oembed", &[("url", canonical.to_owned())]));
        view! { <Link rel="alternate" type_="application/json+oembed" title=t.site href=href/> }
    });
    view! {
        {properties.into_iter().collect_view()}
        <Meta name="twitter:card" content="summary_large_image"/>
        {embed}
    }
    .into_any()
}

/// The event that this page is about.
fn event(v: &Visit) -> Option<&Event> {
    let id = v.path().strip_prefix("/event/")?.parse().ok()?;
    v.snapshot.board.events.iter().find(|event| event.id == id)
}
