//! How it is measured. Every number on this page is the running code's own.

use engine::topic::{EVENTS, SHARE, WORDS};
use leptos::prelude::*;
use model::{Accuracy, Agreement, Interval, LEDE_CHARS, Model};

use crate::context::{SignalRow, Visit};
use crate::parts::{Head, frame};

#[component]
pub(crate) fn MethodologyPage() -> impl IntoView {
    let v = Visit::here();
    let m = &v.t.methodology;
    let model = &v.snapshot.model;
    let measured = v.page.accuracy.clone().map(|accuracy| accuracy_section(&v, &accuracy));
    let content = view! {
        <h1>{m.title}</h1>
        <p class="lede">{m.lede}</p>
        {live(&v)}
        {section("counting", m.counting, m.counting_text.iter().map(|text| (*text).to_owned()))}
        {section("words", m.words, (m.words_text)(&model.grouping))}
        {section("groups", m.groups, (m.groups_text)(&model.grouping, model.window_hours))}
        {section("copies", m.copies, (m.copies_text)(&model.grouping))}
        {section("topics", m.topics, (m.topics_text)(WORDS, EVENTS, SHARE))}
        <section aria-labelledby="heat">
            <h2 id="heat">{m.heat}</h2>
            {paragraphs((m.heat_text)(&model.heat))}
            {formulas(&v, model)}
            {paragraphs((m.spread_text)(&model.heat))}
        </section>
        {section("history", m.history, m.history_text.iter().map(|text| (*text).to_owned()))}
        <section aria-labelledby="gate">
            <h2 id="gate">{m.gate}</h2>
            {paragraphs((m.gate_text)(LEDE_CHARS))}
            {signals(&v)}
        </section>
        {constants(&v)}
        {measured}
        {list("limits", m.limits, m.limits_list)}
        {list("not", m.not, m.not_list)}
    };
    frame(&v, Head::new(m.title, m.lede), content.into_any())
}

pub(super) fn paragraphs(texts: impl IntoIterator<Item = String>) -> AnyView {
    texts.into_iter().map(|text| view! { <p>{text}</p> }).collect_view().into_any()
}

fn section(
    id: &'static str,
    heading: &'static str,
    texts: impl IntoIterator<Item = String>,
) -> AnyView {
    view! {
        <section aria-labelledby=id>
            <h2 id=id>{heading}</h2>
            {paragraphs(texts)}
        </section>
    }
    .into_any()
}

fn list(id: &'static str, heading: &'static str, points: &'static [&'static str]) -> AnyView {
    view! {
        <section aria-labelledby=id>
            <h2 id=id>{heading}</h2>
            <ul>{points.iter().map(|point| view! { <li>{*point}</li> }).collect_view()}</ul>
        </section>
    }
    .into_any()
}

fn live(v: &Visit) -> AnyView {
    let (t, l, stats) = (v.t, v.locale, &v.snapshot.stats);
    let tiles = [
        (t.newsrooms_label, i64::from(stats.newsrooms)),
        (t.items, stats.items),
        (t.observations, stats.observations),
        (t.events_in_window, i64::from(stats.events)),
        (t.shared_events, i64::from(stats.shared_events)),
    ]
    .map(|(name, count)| view! { <div><dt>{name}</dt><dd>{l.integer(count)}</dd></div> });
    view! { <dl class="tiles">{tiles.into_iter().collect_view()}</dl> }.into_any()
}

/// The five factors as formulas, with the model's constants in them.
pub(super) fn formulas(v: &Visit, model: &Model) -> AnyView {
    let (t, l, heat) = (v.t, v.locale, &model.heat);
    let m = &t.methodology;
    let n = |value| l.exact(value);
    let of_copies = (heat.copy_weight != 1.0).then(|| {
        view! { <br/> {(m.velocity_of_copies)(&n(heat.copy_weight))} }
    });
    let rows = [
        (t.breadth, m.breadth_formula.to_owned(), t.breadth_sentence, None),
        (
            t.velocity,
            (m.velocity_formula)(&n(heat.spread_floor_hours)),
            t.velocity_sentence,
            of_copies,
        ),
        (t.priority, m.priority_formula.to_owned(), t.priority_sentence, None),
        (
            t.persistence,
            (m.persistence_formula)(&n(heat.persistence_unit_hours)),
            t.persistence_sentence,
            None,
        ),
        (t.decay, (m.decay_formula)(&n(0.5), &n(heat.half_life_hours)), t.decay_sentence, None),
    ]
    .map(|(name, formula, sentence, more)| {
        view! {
            <div>
                <dt>{name}</dt>
                <dd>
                    <code>{formula}</code>
                    <br/>
                    {sentence}
                    {more}
                </dd>
            </div>
        }
    });
    view! { <dl class="pairs">{rows.into_iter().collect_view()}</dl> }.into_any()
}

fn signals(v: &Visit) -> Option<AnyView> {
    let m = &v.t.methodology;
    let row = |signal: &SignalRow| {
        let effect = if signal.blocks { m.blocks } else { m.only_shown };
        view! {
            <tr>
                <th scope="row"><code>{signal.name.clone()}</code></th>
                <td>{effect}</td>
                <td lang="en">{signal.reason.clone()}</td>
            </tr>
        }
    };
    (!v.page.signals.is_empty()).then(|| {
        view! {
            <div class="scroll" role="group" tabindex="0" aria-label=m.signals>
                <table>
                    <caption>{m.signals}</caption>
                    <thead>
                        <tr>
                            <th scope="col">{m.signal}</th>
                            <th scope="col">{m.effect}</th>
                            <th scope="col">{m.reason}</th>
                        </tr>
                    </thead>
                    <tbody>{v.page.signals.iter().map(row).collect_view()}</tbody>
                </table>
            </div>
        }
        .into_any()
    })
}

/// What a constant is called, and where it stands in a model.
type Constant = (&'static str, fn(&Model) -> f64);

/// Every parameter of every model, side by side.
fn constants(v: &Visit) -> AnyView {
    let (l, m) = (v.locale, &v.t.methodology);
    let models = Model::all();
    let heads = models
        .iter()
        .map(|model| view! { <th scope="col" class="value">{model.name.clone()}</th> })
        .collect_view();
    let rows: [Constant; 20] = [
        (m.window_hours, |model| model.window_hours),
        (m.threshold, |model| model.grouping.threshold),
        (m.decay_hours, |model| model.grouping.decay_hours),
        (m.reach_hours, |model| model.grouping.reach_hours),
        (m.floor, |model| model.grouping.floor),
        (m.size_exponent, |model| model.grouping.size_exponent),
        (m.size_limit, |model| model.grouping.size_limit),
        (m.cohesion_share, |model| model.grouping.cohesion_share),
        (m.cohesion_limit, |model| model.grouping.cohesion_limit),
        (m.smoothing, |model| model.grouping.smoothing),
        (m.lede_chars, |model| f64::from(model.grouping.lede_chars)),
        (m.number_factor, |model| model.grouping.number_factor),
        (m.small_number_factor, |model| model.grouping.small_number_factor),
        (m.capital_factor, |model| model.grouping.capital_factor),
        (m.kin_factor, |model| model.grouping.kin_factor),
        (m.copy_containment, |model| model.grouping.copy_containment),
        (m.spread_floor, |model| model.heat.spread_floor_hours),
        (m.persistence_unit, |model| model.heat.persistence_unit_hours),
        (m.half_life, |model| model.heat.half_life_hours),
        (m.copy_weight, |model| model.heat.copy_weight),
    ];
    let rows = rows
        .map(|(name, value)| {
            let cells = models
                .iter()
                .map(|model| view! { <td class="value">{l.exact(value(model))}</td> })
                .collect_view();
            view! {
                <tr>
                    <th scope="row">{name}</th>
                    {cells}
                </tr>
            }
        })
        .into_iter()
        .collect_view();
    let hashes = models
        .iter()
        .map(|model| view! { <td class="value"><code>{short_hash(model)}</code></td> })
        .collect_view();
    view! {
        <section aria-labelledby="models">
            <h2 id="models">{m.models}</h2>
            <p>{m.models_text}</p>
            <p><a href=v.href("/methodology/models")>{m.models_link}</a></p>
            <div class="scroll" role="group" tabindex="0" aria-label=m.models>
                <table>
                    <thead>
                        <tr>
                            <th scope="col">{m.parameter}</th>
                            {heads}
                        </tr>
                    </thead>
                    <tbody>
                        {rows}
                        <tr>
                            <th scope="row">{m.model_hash}</th>
                            {hashes}
                        </tr>
                    </tbody>
                </table>
            </div>
        </section>
    }
    .into_any()
}

/// Enough of it to tell models apart at a glance.
fn short_hash(model: &Model) -> String {
    model.hash().chars().take(12).collect()
}

fn accuracy_section(v: &Visit, accuracy: &Accuracy) -> AnyView {
    let (t, l, m) = (v.t, v.locale, &v.t.methodology);
    let interval =
        |Interval { low, high }: Interval| format!("{}–{}", l.decimal(low, 2), l.decimal(high, 2));
    let figure = |figure: f64, of: Interval| {
        view! {
            <td class="value">{l.decimal(figure, 3)} " " <small>{interval(of)}</small></td>
        }
    };
    let agreement = |agreement: &Agreement| figure(agreement.f1, agreement.interval);
    let rows = accuracy
        .sets
        .iter()
        .map(|set| {
            view! {
                <tr>
                    <th scope="row">{(m.set_name)(&set.set)}</th>
                    <td>{(t.language_name)(&set.lang)}</td>
                    <td class="value">{l.integer(set.items.into())}</td>
                    <td class="value">{l.integer(set.events.into())}</td>
                    {agreement(&set.bcubed)}
                    {agreement(&set.pairs)}
                    {figure(set.figure, set.figure_interval)}
                    <td>{set.quoted.then_some("✓")}</td>
                </tr>
            }
        })
        .collect_view();
    let sets = m.accuracy_sets.iter().map(|set| view! { <li>{*set}</li> }).collect_view();
    view! {
        <section aria-labelledby="accuracy">
            <h2 id="accuracy">{m.accuracy}</h2>
            {paragraphs((m.accuracy_text)(accuracy))}
            <div class="scroll" role="group" tabindex="0" aria-label=m.accuracy>
                <table>
                    <thead>
                        <tr>
                            <th scope="col">{m.labelled_set}</th>
                            <th scope="col">{t.language}</th>
                            <th scope="col" class="value">{t.items}</th>
                            <th scope="col" class="value">{m.labelled_events}</th>
                            <th scope="col" class="value">"BCubed F1"</th>
                            <th scope="col" class="value">{m.pair_f1}</th>
                            <th scope="col" class="value">{m.set_figure}</th>
                            <th scope="col">{m.in_mean}</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
            <ul>{sets}</ul>
        </section>
    }
    .into_any()
}
