//! An editor's desk: one newsroom among the others.

use leptos::prelude::*;
use leptos_router::params::ParamsMap;
use model::{Event, EventId, Newsroom, Pace, SpreadLabel};

use crate::context::{Visit, address};
use crate::islands::Keys;
use crate::parts::{Head, frame, near, title};
use crate::query::fold;

/// Rows of each list on the page; the CSV has all.
const SHOWN: usize = 60;
const NAMED: usize = 8;
const AT_LEAST: [u32; 5] = [2, 3, 4, 5, 8];
const DEFAULT_AT_LEAST: u32 = 3;

/// What the address asks of the desk; what is unknown counts as not asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DeskQuery {
    pub newsroom: Option<String>,
    pub at_least: u32,
    /// `None`: the newsroom's own; empty: any.
    pub language: Option<String>,
}

impl DeskQuery {
    pub fn parse(params: &ParamsMap) -> Self {
        Self {
            newsroom: params.get("newsroom").filter(|slug| !slug.is_empty()),
            at_least: params
                .get("n")
                .and_then(|n| n.parse().ok())
                .filter(|n| (1..=1_000).contains(n))
                .unwrap_or(DEFAULT_AT_LEAST),
            language: params.get("lang"),
        }
    }

    /// Whether an event is in the language asked for.
    pub fn admits(&self, event: &Event, newsroom: &Newsroom) -> bool {
        let language = self.language.as_deref().unwrap_or(&newsroom.language);
        language.is_empty() || event.language == language
    }
}

#[component]
pub(crate) fn DeskPage() -> impl IntoView {
    let v = Visit::here();
    let t = &v.t.desk;
    let query = DeskQuery::parse(v.params());
    let newsroom = query
        .newsroom
        .as_deref()
        .map(|slug| v.snapshot.newsrooms.iter().find(|newsroom| newsroom.slug == slug).ok_or(slug));
    let (heading, content) = match newsroom {
        Some(Ok(newsroom)) => ((t.of)(&newsroom.name), lists(&v, &query, newsroom)),
        Some(Err(slug)) => {
            let text = (t.unknown)(slug);
            (
                t.title.to_owned(),
                view! { <section class="empty"><p>{text}</p></section> }.into_any(),
            )
        }
        None => {
            let text = t.nothing_chosen;
            (
                t.title.to_owned(),
                view! { <section class="empty"><p>{text}</p></section> }.into_any(),
            )
        }
    };
    let indexed = query.newsroom.is_none();
    let content = view! {
        <h1>{heading.clone()}</h1>
        <p class="lede">{t.lede}</p>
        {form(&v, &query)}
        {content}
    };
    frame(&v, Head { indexed, ..Head::new(&heading, t.lede) }, content.into_any())
}

fn form(v: &Visit, query: &DeskQuery) -> AnyView {
    let t = &v.t.desk;
    let mut newsrooms: Vec<&Newsroom> = v.snapshot.newsrooms.iter().collect();
    newsrooms.sort_by_cached_key(|newsroom| fold(&newsroom.name));
    let newsrooms = newsrooms.into_iter().map(|newsroom| {
        let selected = query.newsroom.as_deref() == Some(newsroom.slug.as_str());
        view! { <option value=newsroom.slug.clone() selected=selected>{newsroom.name.clone()}</option> }
    });
    let mut counts = AT_LEAST.to_vec();
    if !counts.contains(&query.at_least) {
        counts.push(query.at_least);
        counts.sort_unstable();
    }
    let counts = counts.into_iter().map(|n| {
        view! { <option value=n selected=n == query.at_least>{n}</option> }
    });
    let any = query.language.as_deref() == Some("");
    let hidden = v
        .kept()
        .into_iter()
        .map(|(name, value)| view! { <input type="hidden" name=name value=value/> });
    view! {
        <form class="controls" action=v.locale.path("/desk")>
            <label>
                <span>{t.choose}</span>
                <select name="newsroom">{newsrooms.collect_view()}</select>
            </label>
            <label>
                <span>{t.at_least}</span>
                <select name="n">{counts.collect_view()}</select>
            </label>
            <label class="check">
                <input type="checkbox" name="lang" value="" checked=any/>
                <span>{v.t.any_language}</span>
            </label>
            {hidden.collect_view()}
            <button type="submit">{t.show}</button>
        </form>
    }
    .into_any()
}

fn lists(v: &Visit, query: &DeskQuery, newsroom: &Newsroom) -> AnyView {
    let t = &v.t.desk;
    let desk = engine::desk(&v.snapshot.board, newsroom.id, query.at_least);
    let find = |id: EventId| v.snapshot.board.events.iter().enumerate().find(|(_, e)| e.id == id);
    let missing: Vec<(usize, &Event)> = desk
        .missing
        .iter()
        .filter_map(|&id| find(id))
        .filter(|(_, event)| query.admits(event, newsroom))
        .collect();
    let language = match query.language.as_deref().unwrap_or(&newsroom.language) {
        "" => v.t.any_language.to_owned(),
        language => (v.t.language_name)(language),
    };
    let rows = missing.iter().take(SHOWN).map(|(rank, event)| missing_row(v, *rank, event));
    let table = if missing.is_empty() {
        view! { <p>{t.missing_none}</p> }.into_any()
    } else {
        view! {
            <div class="scroll" role="group" tabindex="0" aria-label=t.missing>
                <table class="desk">
                    <thead>
                        <tr>
                            <th scope="col" class="value">{t.rank}</th>
                            <th scope="col" class="value">{t.others}</th>
                            <th scope="col">{t.event}</th>
                            <th scope="col">{v.t.first_mention}</th>
                            <th scope="col">{v.t.spread}</th>
                            <th scope="col" class="value">{v.t.heat}</th>
                        </tr>
                    </thead>
                    <tbody>{rows.collect_view()}</tbody>
                </table>
            </div>
        }
        .into_any()
    };
    let mut csv = vec![("newsroom", newsroom.slug.clone()), ("n", query.at_least.to_string())];
    csv.extend(query.language.clone().map(|language| ("lang", language)));
    csv.extend(v.kept());
    let count = (missing.len() > SHOWN)
        .then(|| format!(" ({})", (t.shown_of)(SHOWN as i64, missing.len() as i64)));
    let untimed =
        (desk.untimed > 0).then(|| view! { <p class="small">{(t.untimed)(desk.untimed)}</p> });
    view! {
        {keys(v)}
        <section aria-labelledby="missing">
            <h2 id="missing">{t.missing} {count}</h2>
            <p class="small">
                {(t.missing_text)(&language, query.at_least)} " "
                <a href=address("/desk.csv", &csv) download>{v.t.data_csv}</a>
            </p>
            {table}
        </section>
        <div class="halves">
            {paces(v, "late", (t.late, t.late_text, t.late_none, t.behind), &desk.late)}
            {paces(v, "first", (t.first, t.first_text, t.first_none, t.ahead), &desk.first)}
        </div>
        {untimed}
    }
    .into_any()
}

fn link(v: &Visit, event: &Event) -> AnyView {
    view! {
        <a data-row href=v.href(&format!("/event/{}", event.id))>
            {title(v, &event.title, &event.language)}
        </a>
    }
    .into_any()
}

fn missing_row(v: &Visit, rank: usize, event: &Event) -> AnyView {
    let l = v.locale;
    let names: Vec<&str> = event
        .mentions
        .iter()
        .take(NAMED)
        .filter_map(|mention| Some(v.snapshot.newsroom(mention.newsroom)?.name.as_str()))
        .collect();
    let more = (event.mentions.len() > NAMED)
        .then(|| format!(" {}", (v.t.and_more)((event.mentions.len() - NAMED) as i64)));
    let spread = l.spread(SpreadLabel::of(event.spread_hours, &v.snapshot.model.heat));
    view! {
        <tr>
            <td class="value">{format!("{}.", rank + 1)}</td>
            <td class="value"><b>{l.integer(event.newsrooms().into())}</b></td>
            <th scope="row">{link(v, event)} <small>{names.join(", ")} {more}</small></th>
            <td>{near(v, event.first_mention())}</td>
            <td>{spread}</td>
            <td class="value">{l.figure(event.heat)}</td>
        </tr>
    }
    .into_any()
}

/// A list of events with how far ahead or behind the newsroom was.
fn paces(
    v: &Visit,
    id: &'static str,
    (heading, text, none, column): (&'static str, &'static str, &'static str, &'static str),
    paces: &[Pace],
) -> AnyView {
    let rows = paces.iter().take(SHOWN).filter_map(|pace| {
        let event = v.snapshot.board.events.iter().find(|event| event.id == pace.event)?;
        Some(view! {
            <tr>
                <td class="value"><b>{v.locale.duration(pace.seconds)}</b></td>
                <td class="value">{v.locale.integer(event.newsrooms().into())}</td>
                <th scope="row">{link(v, event)}</th>
            </tr>
        })
    });
    let table = if paces.is_empty() {
        view! { <p>{none}</p> }.into_any()
    } else {
        view! {
            <div class="scroll" role="group" tabindex="0" aria-label=heading>
                <table class="desk">
                    <thead>
                        <tr>
                            <th scope="col" class="value">{column}</th>
                            <th scope="col" class="value">{v.t.desk.others}</th>
                            <th scope="col">{v.t.desk.event}</th>
                        </tr>
                    </thead>
                    <tbody>{rows.collect_view()}</tbody>
                </table>
            </div>
        }
        .into_any()
    };
    let count = (paces.len() > SHOWN)
        .then(|| format!(" ({})", (v.t.desk.shown_of)(SHOWN as i64, paces.len() as i64)));
    view! {
        <section aria-labelledby=id>
            <h2 id=id>{heading} {count}</h2>
            <p class="small">{text}</p>
            {table}
        </section>
    }
    .into_any()
}

/// The shortcuts, where they are changed and switched off. Without a script there are none.
fn keys(v: &Visit) -> AnyView {
    let t = &v.t.desk;
    let fields = [
        ("next", "j", t.key_next),
        ("previous", "k", t.key_previous),
        ("open", "o", t.key_open),
        ("help", "?", t.key_help),
    ]
    .map(|(name, key, text)| {
        view! {
            <label>
                <input type="text" name=name maxlength="1" size="2" autocomplete="off" value=key/>
                <span>{text}</span>
            </label>
        }
    });
    view! {
        <details class="keys" data-keys hidden>
            <summary>{t.keys}</summary>
            <p class="small">{t.keys_text}</p>
            <label class="check">
                <input type="checkbox" name="on" checked/>
                <span>{t.keys_on}</span>
            </label>
            {fields.into_iter().collect_view()}
        </details>
        <Keys/>
    }
    .into_any()
}
