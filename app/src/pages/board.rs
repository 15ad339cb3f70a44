//! The board: which events newsrooms lift now.

use std::collections::BTreeSet;

use leptos::prelude::*;
use model::{Event, Factor, SECONDS_PER_HOUR, SpreadLabel, Topic};

use crate::charts;
use crate::context::{Visit, address};
use crate::i18n::iso;
use crate::islands::TimeSlider;
use crate::parts::{Explained, Head, clock, frame, moment, near, pagination, title};
use crate::query::{BoardQuery, PAGE_SIZE, PERIODS, Sort, fold};

/// Newsrooms named in a row; the event's page names all.
const NAMED: usize = 12;
/// Topics offered above the board.
const TOPICS: usize = 16;
/// Collecting that has not answered for so long is said above the board.
const STALE_SECONDS: i64 = SECONDS_PER_HOUR;

#[component]
pub(crate) fn BoardPage() -> impl IntoView {
    let v = Visit::here();
    let t = v.t;
    let query = BoardQuery::parse(v.params());
    let list = if v.snapshot.stats.last_fetch_at.is_none() {
        no_data(&v)
    } else if v.snapshot.board.events.is_empty() {
        no_events(&v)
    } else {
        board(&v, &query)
    };
    let indexed = query == BoardQuery { page: 1, ..BoardQuery::default() };
    let content = view! {
        <h1>{t.board}</h1>
        <p class="lede">{t.board_lede}</p>
        {list}
    };
    frame(&v, Head { indexed, ..Head::new(t.board, t.board_lede) }, content.into_any())
}

/// Nothing was collected yet: not the same as nothing happening.
fn no_data(v: &Visit) -> AnyView {
    let t = v.t;
    view! {
        <section class="empty">
            <h2>{t.no_data}</h2>
            <p>{(t.no_data_text)(v.snapshot.stats.sources)}</p>
            <p>
                <a href=v.href("/status")>{t.nav_status}</a>
            </p>
        </section>
    }
    .into_any()
}

/// Collecting works, but the window holds no item.
fn no_events(v: &Visit) -> AnyView {
    let (t, stats) = (v.t, &v.snapshot.stats);
    let last = stats.last_fetch_at.map(|at| view! { {t.last_answer} " " {moment(v, at)} ". " });
    view! {
        <section class="empty">
            <h2>{t.no_events}</h2>
            <p>{(t.no_events_text)(&v.locale.hours(v.snapshot.model.window_hours))}</p>
            <p>
                {last} <a href=v.href("/status")>{t.nav_status}</a>
            </p>
        </section>
    }
    .into_any()
}

fn board(v: &Visit, query: &BoardQuery) -> AnyView {
    let t = v.t;
    let selected = query.select(&v.snapshot);
    let pages = selected.len().div_ceil(PAGE_SIZE).max(1);
    let query = BoardQuery { page: query.page.min(pages), ..query.clone() };
    let from = (query.page - 1) * PAGE_SIZE;
    let shown = selected.get(from..).unwrap_or_default();
    let shown = &shown[..shown.len().min(PAGE_SIZE)];
    let list = if shown.is_empty() {
        nothing_found(v, &query)
    } else {
        view! {
            <ol class="board">
                {shown.iter().map(|event| row(v, event)).collect_view()}
            </ol>
        }
        .into_any()
    };
    view! {
        {stale(v)} {filters(v, &query)} {topics(v, &query)} {moments(v, &query)}
        <div class="bar">
            <p>
                <b>{(t.showing)(shown.len() as i64, selected.len() as i64)}</b>
                ", "
                {moment(v, v.snapshot.board.at)}
            </p>
            {sorts(v, &query)}
        </div>
        {list}
        {pagination(v, query.page, pages, |page| to(v, &BoardQuery { page, ..query.clone() }))}
    }
    .into_any()
}

fn stale(v: &Visit) -> Option<AnyView> {
    let last = v.snapshot.stats.last_fetch_at?;
    (v.page.at.is_none() && v.page.now - last > STALE_SECONDS).then(|| {
        view! {
            <p class="notice warn">
                {(v.t.stale)(&v.locale.ago(last, v.page.now))} " "
                <a href=v.href("/status")>{v.t.nav_status}</a>
            </p>
        }
        .into_any()
    })
}

/// The filters hide every event: say which, and what stands beside.
fn nothing_found(v: &Visit, query: &BoardQuery) -> AnyView {
    let t = v.t;
    let wider = BoardQuery { single: true, page: 1, ..query.clone() };
    let lone = wider.select(&v.snapshot).len() as i64;
    let lone = (!query.single && lone > 0).then(|| {
        view! {
            <p>
                <a href=to(v, &wider)>{(t.show_lone)(lone)}</a>
            </p>
        }
    });
    let all = query.filters().then(|| {
        view! {
            <p>
                <a href=to(v, &BoardQuery::default())>{t.without_filters}</a>
            </p>
        }
    });
    let reason = if query.filters() { t.nothing_found } else { t.nothing_shared };
    view! {
        <section class="empty">
            <h2>{t.no_events_shown}</h2>
            <p>{reason}</p>
            {lone} {all}
        </section>
    }
    .into_any()
}

fn to(v: &Visit, query: &BoardQuery) -> String {
    let mut params = query.params();
    params.extend(v.kept());
    address(&v.locale.path("/"), &params)
}

fn filters(v: &Visit, query: &BoardQuery) -> AnyView {
    let t = v.t;
    let events = &v.snapshot.board.events;
    let languages: BTreeSet<&str> = events.iter().map(|event| event.language.as_str()).collect();
    let countries: BTreeSet<&str> =
        v.snapshot.newsrooms.iter().map(|newsroom| newsroom.country.as_str()).collect();
    let choices = |values: BTreeSet<&str>, name: fn(&str) -> String, chosen: &Option<String>| {
        let mut options: Vec<(String, String)> =
            values.into_iter().map(|value| (name(value), value.to_owned())).collect();
        options.sort_by_cached_key(|(name, _)| fold(name));
        options
            .into_iter()
            .map(|(name, value)| {
                let selected = chosen.as_deref() == Some(value.as_str());
                view! { <option value=value selected=selected>{name}</option> }
            })
            .collect_view()
    };
    let periods = PERIODS.map(|hours| {
        view! {
            <option value=hours selected=query.period == Some(hours)>
                {(t.last_hours)(&v.locale.hours(hours.into()))}
            </option>
        }
    });
    let mut hidden = v.kept();
    if query.sort != Sort::default() {
        hidden.push(("sort", query.sort.as_str().to_owned()));
    }
    hidden.extend(query.topic.clone().map(|topic| ("topic", topic)));
    let hidden = hidden
        .into_iter()
        .map(|(name, value)| view! { <input type="hidden" name=name value=value/> })
        .collect_view();
    view! {
        <details class="filters" open=query.filters() || query.single>
            <summary>{t.filters}</summary>
            <form action=v.locale.path("/") role="search">
                <label>
                    <span>{t.search}</span>
                    <input type="search" name="q" maxlength="200" value=query.text.clone()/>
                </label>
                <label>
                    <span>{t.language}</span>
                    <select name="lang">
                        <option value="">{t.any_language}</option>
                        {choices(languages, t.language_name, &query.language)}
                    </select>
                </label>
                <label>
                    <span>{t.country}</span>
                    <select name="country">
                        <option value="">{t.any_country}</option>
                        {choices(countries, t.country_name, &query.country)}
                    </select>
                </label>
                <label>
                    <span>{t.period}</span>
                    <select name="period">
                        <option value="">{t.any_period}</option>
                        {periods.into_iter().collect_view()}
                    </select>
                </label>
                <label class="check">
                    <input type="checkbox" name="single" value="1" checked=query.single/>
                    <span>{t.also_lone}</span>
                </label>
                {hidden}
                <button type="submit">{t.apply}</button>
            </form>
        </details>
    }
    .into_any()
}

fn sorts(v: &Visit, query: &BoardQuery) -> AnyView {
    let t = v.t;
    let links =
        [(Sort::Heat, t.heat), (Sort::Newsrooms, t.by_newsrooms), (Sort::Newest, t.by_newest)].map(
            |(sort, name)| {
                let current = (query.sort == sort).then_some("true");
                let href = to(v, &BoardQuery { sort, page: 1, ..query.clone() });
                view! { <a href=href aria-current=current>{name}</a> }
            },
        );
    view! {
        <nav class="tabs" aria-label=t.sort>
            <span aria-hidden="true">{t.sort} ":"</span>
            {links.into_iter().collect_view()}
        </nav>
    }
    .into_any()
}

fn row(v: &Visit, event: &Event) -> AnyView {
    let (t, l) = (v.t, v.locale);
    let newsrooms = event.newsrooms();
    let spread = (newsrooms > 1).then(|| {
        let label = SpreadLabel::of(event.spread_hours, &v.snapshot.model.heat);
        view! { {t.spread} " " <b>{l.spread(label)}</b> " · " }
    });
    let times = if newsrooms > 1 {
        let (first, last) = (event.first_mention(), event.last_mention());
        // A day that is the same for both is said once.
        let last = if l.date(first) == l.date(last) { clock(v, last) } else { near(v, last) };
        view! { {near(v, first)} " – " {last} }.into_any()
    } else {
        near(v, event.first_mention())
    };
    let names: Vec<&str> = event
        .mentions
        .iter()
        .take(NAMED)
        .filter_map(|mention| v.snapshot.newsroom(mention.newsroom))
        .map(|newsroom| newsroom.name.as_str())
        .collect();
    let more = (newsrooms as usize > NAMED)
        .then(|| format!(" {}", (t.and_more)(i64::from(newsrooms) - NAMED as i64)));
    let factors = (event.heat > 0.0).then(|| {
        let rows = Factor::ALL.map(|factor| {
            view! {
                <dt>{factor.name(t)}</dt>
                <dd>{l.figure(factor.of(&event.factors))}</dd>
            }
        });
        view! {
            <details>
                <summary>{t.heat} " " <b>{l.figure(event.heat)}</b></summary>
                <dl>{rows.into_iter().collect_view()}</dl>
            </details>
        }
    });
    view! {
        <li>
            <p class="count">
                <b>{l.integer(newsrooms.into())}</b> " " {(t.newsrooms_word)(newsrooms)}
            </p>
            <div>
                <h2>
                    <a href=v.href(&format!("/event/{}", event.id))>
                        {title(v, &event.title, &event.language)}
                    </a>
                </h2>
                <p class="facts">
                    {spread} {(t.owners)(event.owners.into())} " · " {(t.texts)(event.texts.into())}
                    " · " {times}
                </p>
                <p class="names">{names.join(", ")} {more}</p>
            </div>
            <div class="side">
                <svg class="spark" viewBox="0 0 96 24" aria-hidden="true">
                    <path d=charts::sparkline(event, v.snapshot.board.at)></path>
                </svg>
                {factors}
            </div>
        </li>
    }
    .into_any()
}

/// The words that events turn on now, as filters.
fn topics(v: &Visit, query: &BoardQuery) -> Option<AnyView> {
    let t = v.t;
    let admitted =
        |topic: &&Topic| query.language.as_ref().is_none_or(|one| *one == topic.language);
    let known = v.snapshot.topics.iter().filter(admitted);
    let links: Vec<_> = known
        .take(TOPICS)
        .map(|topic| {
            let here = query.topic.as_ref() == Some(&topic.key);
            let lang = (topic.language != v.locale.code()).then(|| topic.language.clone());
            // The topic that is chosen leads back to all.
            let topic_asked = (!here).then(|| topic.key.clone());
            let href = to(v, &BoardQuery { topic: topic_asked, page: 1, ..query.clone() });
            let current = here.then_some("true");
            let count = topic.events.len() as i64;
            view! {
                <li>
                    <a href=href aria-current=current title=(t.events)(count)>
                        <bdi lang=lang>{topic.word.clone()}</bdi> " "
                        <small>{v.locale.integer(count)}</small>
                    </a>
                </li>
            }
        })
        .collect();
    (!links.is_empty()).then(|| {
        view! {
            <nav class="topics" aria-label=t.topics>
                <span aria-hidden="true">{t.topics} ":"</span>
                <ul>{links.into_iter().collect_view()}</ul>
            </nav>
        }
        .into_any()
    })
}

/// The same board at other moments: plain links, and a slider where there is a script.
fn moments(v: &Visit, query: &BoardQuery) -> Option<AnyView> {
    let t = v.t;
    let at = v.snapshot.board.at;
    let first = v.snapshot.stats.days.first()?.at;
    let newest = v.page.now;
    let hours = |moment: i64| (moment - first + SECONDS_PER_HOUR / 2) / SECONDS_PER_HOUR;
    // A board of the last hour may not have been computed yet.
    let last = (newest - first) / SECONDS_PER_HOUR - 1;
    let mut params = BoardQuery { page: 1, ..query.clone() }.params();
    params.extend(v.kept().into_iter().filter(|(name, _)| *name != "at"));
    let href = |moment: String| {
        let mut params = params.clone();
        params.push(("at", moment));
        address(&v.locale.path("/"), &params)
    };
    let links: Vec<_> = [-72, -24, -6, -1, 1, 6, 24]
        .into_iter()
        .filter(|hours| {
            let target = at + hours * SECONDS_PER_HOUR;
            target >= first && (*hours < 0 || (v.page.at.is_some() && target < newest))
        })
        .map(|hours: i64| {
            let sign = if hours < 0 { "−" } else { "+" };
            let length = match hours.abs() {
                days @ (24 | 72) => v.locale.days(days / 24),
                hours => v.locale.hours(hours as f64),
            };
            let href = href(iso(at + hours * SECONDS_PER_HOUR));
            view! { <li><a href=href>{format!("{sign}\u{a0}{length}")}</a></li> }
        })
        .collect();
    (!links.is_empty()).then(|| {
        view! {
            <nav class="moments" aria-label=t.other_moments>
                <span aria-hidden="true">{t.other_moments} ":"</span>
                <ul>{links.into_iter().collect_view()}</ul>
                <div
                    class="range"
                    data-slider=""
                    data-show=t.live_show
                    data-lang=v.locale.code()
                    data-first=first
                    data-href=href(String::new())
                    hidden
                >
                    <input
                        type="range"
                        min="0"
                        max=last
                        value=hours(at).min(last)
                        aria-label=t.other_moments
                    />
                    <a></a>
                    <TimeSlider/>
                </div>
            </nav>
        }
        .into_any()
    })
}
