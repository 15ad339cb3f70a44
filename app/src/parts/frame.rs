//! What every page stands in: header, notices, content, footer.

use leptos::prelude::*;
use leptos_meta::{Link, Meta, Title};
use model::Model;

use super::{links, moment, plain};
use crate::context::Visit;
use crate::islands::{Live, ThemeSwitch};

/// What a page says of itself in the document's head.
pub(crate) struct Head {
    /// Without the site's name.
    pub title: String,
    pub description: String,
    /// Only what stands at its address lastingly may be indexed.
    pub indexed: bool,
}

impl Head {
    pub fn new(title: &str, description: &str) -> Self {
        Self { title: plain(title), description: plain(description), indexed: true }
    }
}

pub(crate) fn frame(v: &Visit, head: Head, content: AnyView) -> AnyView {
    let t = v.t;
    let other = v.locale.other();
    let canonical = format!("{}{}", v.page.origin, v.locale.path(v.path()));
    let alternate = format!("{}{}", v.page.origin, other.path(v.path()));
    // What is past does not change.
    let live = v.page.at.is_none().then(|| {
        view! {
            <div
                class="live"
                data-newest=v.page.newest_id.to_string()
                data-news=t.live_news
                data-show=t.live_show
                data-pause=t.live_pause
                data-resume=t.live_resume
            >
                <Live/>
            </div>
        }
    });
    let title = format!("{} – {}", head.title, t.site);
    let (feeds, preview) = (links::feeds(v), links::preview(v, &head, &canonical));
    view! {
        <Title text=title/>
        <Meta name="description" content=head.description/>
        {feeds}
        {preview}
        {if head.indexed {
            view! {
                <Link rel="canonical" href=canonical/>
                <Link rel="alternate" hreflang=other.code() href=alternate/>
            }
                .into_any()
        } else {
            view! { <Meta name="robots" content="noindex"/> }.into_any()
        }}
        <a class="skip" href="#main">{t.skip}</a>
        <header class="top">
            <a class="brand" href=v.href("/")>{t.site}</a>
            {search(v)}
            <div class="tools">
                <a href=v.href_in(other) hreflang=other.code() lang=other.code()>
                    {t.other_language}
                </a>
                {live}
                <div
                    data-theme-auto=format!("{}: {}", t.theme, t.theme_auto)
                    data-theme-light=format!("{}: {}", t.theme, t.theme_light)
                    data-theme-dark=format!("{}: {}", t.theme, t.theme_dark)
                >
                    <ThemeSwitch/>
                </div>
            </div>
            <nav aria-label=t.main_navigation>
                <ul>{navigation(v)}</ul>
            </nav>
        </header>
        {notices(v)}
        <main id="main" tabindex="-1">{content}</main>
        {footer(v)}
    }
    .into_any()
}

fn search(v: &Visit) -> AnyView {
    let t = &v.t.search_page;
    // The moment is searched as well; the words that are asked stand on the search's own page.
    let hidden = v
        .kept()
        .into_iter()
        .map(|(name, value)| view! { <input type="hidden" name=name value=value/> });
    view! {
        <form class="find" role="search" aria-label=t.title action=v.locale.path("/search")>
            <input
                type="search"
                name="q"
                maxlength="200"
                aria-label=t.label
                placeholder=t.label
            />
            {hidden.collect_view()}
            <button type="submit">{t.submit}</button>
        </form>
    }
    .into_any()
}

fn navigation(v: &Visit) -> AnyView {
    let t = v.t;
    let section = v.path().split('/').nth(1).unwrap_or_default();
    [
        ("/", t.nav_board, section.is_empty() || section == "event"),
        ("/videos", t.nav_videos, section == "videos"),
        ("/feed", t.nav_feed, section == "feed"),
        ("/newsrooms", t.nav_newsrooms, section == "newsrooms"),
        ("/desk", t.nav_desk, section == "desk"),
        ("/sources", t.nav_sources, section == "sources" || section == "source"),
        ("/status", t.nav_status, section == "status"),
        ("/methodology", t.nav_methodology, section == "methodology"),
    ]
    .map(|(path, name, here)| {
        let current = here.then_some(if v.path() == path { "page" } else { "true" });
        view! {
            <li>
                <a href=v.href(path) aria-current=current>{name}</a>
            </li>
        }
    })
    .into_iter()
    .collect_view()
    .into_any()
}

/// What must be known before anything below is believed.
fn notices(v: &Visit) -> AnyView {
    let t = v.t;
    let demo = v.snapshot.demo.then(|| view! { <p class="notice demo">{t.demo}</p> });
    let here = v.locale.path(v.path());
    let model = &v.snapshot.model.name;
    let other_model = (*model != Model::v1().name).then(|| (t.other_model)(model));
    let past = v
        .page
        .at
        .map(|_| view! { {t.past_board} " " <b>{moment(v, v.snapshot.board.at)}</b> ". " });
    let kept = (past.is_some() || other_model.is_some()).then(|| {
        view! {
            <p class="notice">
                {past} {other_model} " " <a href=here>{t.back_to_now}</a>
            </p>
        }
    });
    view! { {demo} {kept} }.into_any()
}

fn footer(v: &Visit) -> AnyView {
    let (t, snapshot) = (v.t, &v.snapshot);
    let state = (snapshot.board.at > 0).then(|| {
        let head = snapshot.stats.chain_head.as_ref().map(|head| {
            let short: String = head.chars().take(12).collect();
            view! { " · " {t.chain_head} " " <code>{short}</code> }
        });
        view! {
            <p>
                {t.state_at} " " {moment(v, snapshot.board.at)} " · " {t.model} " "
                <b>{snapshot.model.name.clone()}</b> {head}
            </p>
        }
    });
    view! {
        <footer>
            {state}
            <p>
                {t.privacy} " " <a href=v.locale.path("/methodology/models")>{t.models.title}</a>
            </p>
            <p>
                {t.machine_data} " " <a href=v.locale.path("/docs")>{t.docs}</a> ", "
                <a href="/v1/events">"/v1/events"</a> ", "
                <a href="/v1/sources">"/v1/sources"</a> ", " <a href="/v1/stats">"/v1/stats"</a>
            </p>
        </footer>
    }
    .into_any()
}
