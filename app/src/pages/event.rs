//! One event: why it stands where it stands, who lifted it when, and why its items are one.

use std::collections::BTreeSet;

use leptos::prelude::*;
use leptos_router::hooks::use_params_map;
use model::{
    Change, ChangeKind, Event, EventId, EventItem, Factor, ItemId, ItemTie, Mention, SpreadLabel,
    Tie, hours_between,
};

use super::NotFoundPage;
use crate::charts;
use crate::context::{Lookup, Visit, address};
use crate::parts::{Explained, Head, figure, frame, moment, near, outward, plain, title};

/// Shared words shown of one tie, and of the whole event.
const WORDS: usize = 8;
const EVENT_WORDS: usize = 14;

#[component]
pub(crate) fn EventPage() -> impl IntoView {
    let v = Visit::here();
    let id = use_params_map().read_untracked().get("id").and_then(|id| id.parse().ok());
    let event =
        id.and_then(|id: EventId| v.snapshot.board.events.iter().find(|event| event.id == id));
    match event {
        Some(event) => page(&v, event),
        None => view! { <NotFoundPage/> }.into_any(),
    }
}

fn page(v: &Visit, event: &Event) -> AnyView {
    let (t, l) = (v.t, v.locale);
    let newsrooms = event.newsrooms();
    let description = format!(
        "{}, {}, {}",
        (t.newsrooms)(newsrooms.into()),
        (t.owners)(event.owners.into()),
        (t.texts)(event.texts.into())
    );
    let spread = (newsrooms > 1).then(|| {
        let label = SpreadLabel::of(event.spread_hours, &v.snapshot.model.heat);
        view! { <div><dt>{t.spread}</dt><dd>{l.spread(label)}</dd></div> }
    });
    let content = view! {
        <header class="event">
            <p class="count"><b>{l.integer(newsrooms.into())}</b> " " {(t.newsrooms_word)(newsrooms)}</p>
            <h1>{title(v, &event.title, &event.language)}</h1>
            <dl class="tiles">
                {spread}
                <div><dt>{t.owners_label}</dt><dd>{l.integer(event.owners.into())}</dd></div>
                <div><dt>{t.texts_label}</dt><dd>{l.integer(event.texts.into())}</dd></div>
                <div><dt>{t.heat}</dt><dd>{l.figure(event.heat)}</dd></div>
                <div><dt>{t.first_mention}</dt><dd>{near(v, event.first_mention())}</dd></div>
                <div><dt>{t.last_mention}</dt><dd>{near(v, event.last_mention())}</dd></div>
            </dl>
        </header>
        {heat(v, event)}
        {scores(v, event)}
        {mentions(v, event)}
        {positions(v, event)}
        {items(v, event)}
        {together(v, event)}
        {changes(v, event)}
        {citation(v, event)}
    };
    frame(v, Head::new(&event.title, &description), content.into_any())
}

fn csv(v: &Visit, event: &Event, name: &str) -> AnyView {
    let address = address(&format!("/event/{}/{name}.csv", event.id), &v.kept());
    view! { <a href=address download>{v.t.data_csv}</a> }.into_any()
}

fn heat(v: &Visit, event: &Event) -> AnyView {
    let (t, l) = (v.t, v.locale);
    let rows = Factor::ALL.map(|factor| {
        view! {
            <tr>
                <th scope="row">{factor.name(t)}</th>
                <td class="formula">
                    {factor.formula(event, v.snapshot.board.at, &v.snapshot.model, l)}
                </td>
                <td class="value">{l.figure(factor.of(&event.factors))}</td>
                <td>{factor.sentence(t)}</td>
            </tr>
        }
    });
    let product: Vec<String> =
        Factor::ALL.iter().map(|factor| l.figure(factor.of(&event.factors))).collect();
    let product = format!("{} ≐ {}", product.join(" × "), l.figure(event.heat));
    let chart = charts::heat_factors(event, l);
    let drawn = if chart.is_empty() {
        view! { <p>{t.no_heat}</p> }.into_any()
    } else {
        captioned(v, event, chart, t.heat_chart, t.heat_chart_caption, "heat")
    };
    view! {
        <section aria-labelledby="heat">
            <h2 id="heat">{t.heat_heading}</h2>
            <p class="formula total">{t.heat} " = " {product}</p>
            <div class="scroll" role="group" tabindex="0" aria-label=t.heat_heading>
                <table class="factors">
                    <thead>
                        <tr>
                            <th scope="col">{t.factor}</th>
                            <th scope="col">{t.numbers_put_in}</th>
                            <th scope="col" class="value">{t.value}</th>
                            <th scope="col">{t.meaning}</th>
                        </tr>
                    </thead>
                    <tbody>{rows.into_iter().collect_view()}</tbody>
                </table>
            </div>
            {drawn}
        </section>
    }
    .into_any()
}

/// A chart of the event with its data beside it.
fn captioned(
    v: &Visit,
    event: &Event,
    chart: String,
    label: &'static str,
    caption: &'static str,
    data: &str,
) -> AnyView {
    figure(chart, label, view! { <figcaption>{caption} " " {csv(v, event, data)}</figcaption> })
}

/// The course of an event that has or had a heat.
fn scores(v: &Visit, event: &Event) -> Option<AnyView> {
    let t = v.t;
    let Lookup::Scores(scores) = &v.lookup else { return None };
    if scores.is_empty() {
        return None;
    }
    let chart = charts::scores(scores, v.locale);
    let drawn = if chart.is_empty() {
        view! { <p>{t.scores_short}</p> }.into_any()
    } else {
        captioned(v, event, chart, t.scores_chart, t.scores_chart_caption, "scores")
    };
    Some(
        view! {
            <section aria-labelledby="scores">
                <h2 id="scores">{t.scores_heading}</h2>
                {drawn}
            </section>
        }
        .into_any(),
    )
}

fn mentions(v: &Visit, event: &Event) -> AnyView {
    let t = v.t;
    let first = event.first_mention();
    let rows = event.mentions.iter().enumerate();
    let rows = rows.map(|(index, mention)| mention_row(v, mention, index, first)).collect_view();
    let chart = (event.newsrooms() > 1).then(|| {
        let chart = charts::breadth_over_time(event, v.locale);
        captioned(v, event, chart, t.breadth_chart, t.breadth_chart_caption, "mentions")
    });
    view! {
        <section aria-labelledby="mentions">
            <h2 id="mentions">{t.mentions_heading}</h2>
            {chart}
            <div class="scroll" role="group" tabindex="0" aria-label=t.mentions_heading>
                <table class="mentions">
                    <thead>
                        <tr>
                            <th scope="col">"#"</th>
                            <th scope="col">{t.time}</th>
                            <th scope="col">{t.after_first}</th>
                            <th scope="col">{t.newsroom}</th>
                            <th scope="col">{t.owner}</th>
                            <th scope="col">{t.best_place}</th>
                            <th scope="col">{t.standing}</th>
                            <th scope="col">{t.weight}</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
            <p class="small">{t.mentions_note}</p>
        </section>
    }
    .into_any()
}

fn mention_row(v: &Visit, mention: &Mention, index: usize, first: i64) -> AnyView {
    let (t, l) = (v.t, v.locale);
    let newsroom = v.snapshot.newsroom(mention.newsroom);
    let owner = newsroom.map(|newsroom| match &newsroom.owner {
        Some(owner) => view! { {owner.clone()} }.into_any(),
        None => view! { <i>{t.unknown_owner}</i> }.into_any(),
    });
    let bound = mention.backfill.then(|| view! { <abbr title=t.backfill_note>"≤"</abbr> "\u{a0}" });
    let copy = mention.copy.then(|| view! { " " <span class="mark">{t.copy}</span> });
    let later = match index {
        0 => "–".to_owned(),
        _ => format!("+\u{a0}{}", l.duration(mention.at - first)),
    };
    view! {
        <tr>
            <td>{index + 1}</td>
            <td>{bound}{near(v, mention.at)}</td>
            <td>{later}</td>
            <th scope="row">{newsroom.map(|newsroom| newsroom.name.clone())} {copy}</th>
            <td>{owner}</td>
            <td>{(t.place_of)(mention.best_position, mention.feed_length)}</td>
            <td>{l.hours(mention.standing_hours)}</td>
            <td>{l.figure(mention.weight)}</td>
        </tr>
    }
    .into_any()
}

fn positions(v: &Visit, event: &Event) -> Option<AnyView> {
    let t = v.t;
    let chart = charts::positions(event, &v.snapshot.newsrooms, v.locale);
    if chart.is_empty() {
        return None;
    }
    let placed = charts::placed_newsrooms(event);
    let others = placed.len().saturating_sub(charts::COLOURS);
    let legend = placed
        .iter()
        .take(charts::COLOURS)
        .enumerate()
        .filter_map(|(index, &id)| {
            let name = v.snapshot.newsroom(id)?.name.clone();
            Some(view! { <li class=format!("c{}", index + 1)>{name}</li> })
        })
        .collect_view();
    let others =
        (others > 0).then(|| view! { <p class="small">{(t.others_grey)(others as i64)}</p> });
    let caption = view! {
        <ol class="legend">{legend}</ol>
        {others}
        <figcaption>{t.positions_chart_caption} " " {csv(v, event, "positions")}</figcaption>
    };
    Some(
        view! {
            <section aria-labelledby="positions">
                <h2 id="positions">{t.positions_heading}</h2>
                {figure(chart, t.positions_chart, caption)}
            </section>
        }
        .into_any(),
    )
}

fn items(v: &Visit, event: &Event) -> AnyView {
    let groups = event.mentions.iter().map(|mention| {
        let newsroom = v.snapshot.newsroom(mention.newsroom);
        let own = event.items.iter().filter(|item| item.newsroom == mention.newsroom);
        view! {
            <li>
                <h3>{newsroom.map(|newsroom| newsroom.name.clone())}</h3>
                <ul>{own.map(|item| item_view(v, event, item)).collect_view()}</ul>
            </li>
        }
    });
    let credited: BTreeSet<&str> = event
        .items
        .iter()
        .filter_map(|item| engine::agency::credit(&item.title, &item.lede))
        .collect();
    let agencies = (!credited.is_empty()).then(|| {
        let credited: Vec<&str> = credited.into_iter().collect();
        view! { <p class="small">{(v.t.agencies)(&credited.join(", "))}</p> }
    });
    view! {
        <section aria-labelledby="items">
            <h2 id="items">{v.t.items_heading}</h2>
            {agencies}
            <ol class="items">{groups.collect_view()}</ol>
        </section>
    }
    .into_any()
}

fn item_view(v: &Visit, event: &Event, item: &EventItem) -> AnyView {
    let t = v.t;
    let text = (event.texts > 1).then(|| {
        let label = if item.copy {
            (t.copy_of_text)(item.origin + 1)
        } else {
            (t.text_no)(item.origin + 1)
        };
        let class = if item.copy { "mark" } else { "mark own" };
        view! { " " <span class=class>{label}</span> }
    });
    let lang = (item.language != v.locale.code()).then(|| item.language.clone());
    let lede = (!item.lede.is_empty())
        .then(|| view! { <p class="perex"><bdi lang=lang>{item.lede.clone()}</bdi></p> });
    let credit = engine::agency::credit(&item.title, &item.lede)
        .map(|agency| view! { " " <span class="mark agency">{(t.credits)(agency)}</span> });
    let name = outward(title(v, &item.title, &item.language), &item.link);
    view! {
        <li id=format!("i{}", item.id)>
            {name} {text} {credit} " " <span class="small">{near(v, item.mention_at)}</span> {lede}
        </li>
    }
    .into_any()
}

/// The words that the event's items share, and each item's strongest tie.
fn together(v: &Visit, event: &Event) -> Option<AnyView> {
    let (t, l) = (v.t, v.locale);
    let mut words: Vec<(String, f64, u32)> = Vec::new();
    for shared in
        event.items.iter().filter_map(|item| item.tie.as_ref()).flat_map(|tie| &tie.shared)
    {
        let word = plain(&shared.word).to_lowercase();
        match words.iter_mut().find(|(known, _, _)| *known == word) {
            Some((_, weight, count)) => {
                *weight = weight.max(shared.weight);
                *count += 1;
            }
            None => words.push((word, shared.weight, 1)),
        }
    }
    if words.is_empty() {
        return None;
    }
    words.sort_by(|a, b| {
        (b.1 * f64::from(b.2)).total_cmp(&(a.1 * f64::from(a.2))).then(a.0.cmp(&b.0))
    });
    let words = words
        .into_iter()
        .take(EVENT_WORDS)
        .map(|(word, weight, count)| {
            view! {
                <li>
                    <bdi>{word}</bdi> " " <small>{(t.word_weight)(&l.figure(weight), count)}</small>
                </li>
            }
        })
        .collect_view();
    let ties = event
        .items
        .iter()
        .filter_map(|item| Some((item, item.tie.as_ref()?)))
        .map(|(item, tie)| {
            view! {
                <tr>
                    <th scope="row">{short(v, item)}</th>
                    <td>{other(v, event, tie.to)}</td>
                    <td class="value">{l.decimal(tie.similarity, 2)}</td>
                    <td>{shared_words(v, tie)}</td>
                </tr>
            }
        })
        .collect_view();
    Some(
        view! {
            <section aria-labelledby="together">
                <h2 id="together">{t.together_heading}</h2>
                <p>{(t.together_text)(&l.decimal(v.snapshot.model.grouping.threshold, 2))}</p>
                <ul class="words">{words}</ul>
                <details>
                    <summary>{t.ties}</summary>
                    <div class="scroll" role="group" tabindex="0" aria-label=t.ties>
                        <table class="ties">
                            <thead>
                                <tr>
                                    <th scope="col">{t.item}</th>
                                    <th scope="col">{t.closest_item}</th>
                                    <th scope="col" class="value">{t.similarity}</th>
                                    <th scope="col">{t.shared_words}</th>
                                </tr>
                            </thead>
                            <tbody>{ties}</tbody>
                        </table>
                    </div>
                </details>
            </section>
        }
        .into_any(),
    )
}

fn shared_words(v: &Visit, tie: &Tie) -> String {
    let words: Vec<String> = tie
        .shared
        .iter()
        .take(WORDS)
        .map(|shared| format!("{}\u{a0}{}", plain(&shared.word), v.locale.figure(shared.weight)))
        .collect();
    words.join(" · ")
}

fn short(v: &Visit, item: &EventItem) -> AnyView {
    let newsroom = v.snapshot.newsroom(item.newsroom).map(|newsroom| newsroom.name.clone());
    view! { {newsroom} ": " {title(v, &item.title, &item.language)} }.into_any()
}

fn other(v: &Visit, event: &Event, id: ItemId) -> AnyView {
    match event.items.iter().find(|item| item.id == id) {
        Some(item) => view! { <a href=format!("#i{id}")>{short(v, item)}</a> }.into_any(),
        None => view! { {(v.t.item_no)(id.0)} }.into_any(),
    }
}

fn changes(v: &Visit, event: &Event) -> AnyView {
    let t = v.t;
    let concerns = |change: &&Change| {
        change.event == event.id
            || matches!(change.kind, ChangeKind::Split { to, .. } if to == event.id)
    };
    let own: Vec<&Change> = v.snapshot.changes.iter().filter(concerns).collect();
    let content = if own.is_empty() {
        view! { <p>{t.no_changes}</p> }.into_any()
    } else {
        let rows = own.into_iter().map(|change| {
            view! {
                <li>{moment(v, change.at)} ": " {change_text(v, event, change)}</li>
            }
        });
        view! { <ol class="log">{rows.collect_view()}</ol> }.into_any()
    };
    view! {
        <section aria-labelledby="changes">
            <h2 id="changes">{t.changes_heading}</h2>
            {content}
        </section>
    }
    .into_any()
}

fn change_text(v: &Visit, event: &Event, change: &Change) -> AnyView {
    let t = v.t;
    let because = |tie: &Option<ItemTie>| {
        tie.as_ref().map(|ItemTie { item, tie }| {
            view! {
                " "
                {t.because_of}
                " "
                {other(v, event, *item)}
                " – "
                {other(v, event, tie.to)}
                ": "
                {(t.similarity_is)(&v.locale.decimal(tie.similarity, 2))}
                " ("
                {shared_words(v, tie)}
                ")."
            }
        })
    };
    match &change.kind {
        ChangeKind::Merged { from, tie } => {
            view! { {(t.merged_from)(from.0)} {because(tie)} }.into_any()
        }
        ChangeKind::Split { to, .. } if *to == event.id => {
            view! { {(t.split_from)(change.event.0)} }.into_any()
        }
        ChangeKind::Split { to, items } => {
            let href = v.href(&format!("/event/{to}"));
            view! { {(t.split_to)(items.len() as i64)} " " <a href=href>{(t.event_no)(to.0)}</a> "." }
                .into_any()
        }
        ChangeKind::Moved { item, from, tie } => {
            view! { {other(v, event, *item)} " " {(t.moved_from)(from.0)} {because(tie)} }
                .into_any()
        }
    }
}

fn citation(v: &Visit, event: &Event) -> AnyView {
    let (t, at) = (v.t, v.snapshot.board.at);
    let link = v.permalink(&format!("/event/{}", event.id), at);
    let age = hours_between(event.last_mention(), at);
    let cited = (t.citation)(
        &plain(&event.title),
        event.newsrooms(),
        &v.locale.moment(at),
        &v.snapshot.model.name,
        &link,
    );
    // What has left the window is shown by its permalink alone.
    let fading = (age > v.snapshot.model.window_hours / 2.0)
        .then(|| view! { <p class="small">{t.leaves_window}</p> });
    view! {
        <section aria-labelledby="citation">
            <h2 id="citation">{t.citation_heading}</h2>
            <p>
                {t.permalink} ": " <a href=link.clone()>{link.clone()}</a>
            </p>
            {fading}
            <blockquote class="cite">{cited}</blockquote>
            <p>
                <a href=format!("/v1/events/{}", event.id)>{t.data_json}</a>
            </p>
        </section>
    }
    .into_any()
}
