//! The orders of two models on the same board.

use leptos::prelude::*;
use model::{Model, ModelComparison, Mover};

use super::methodology::{formulas, paragraphs};
use crate::context::Visit;
use crate::parts::{Explained, Head, frame, moment, title};

#[component]
pub(crate) fn ModelsPage() -> impl IntoView {
    let v = Visit::here();
    let m = &v.t.models;
    let compared = v.page.comparison.clone().map(|comparison| {
        let models = [&comparison.a, &comparison.b].map(|name| Model::named(name));
        view! {
            {choice(&v, &comparison)}
            {figures(&v, &comparison)}
            {paragraphs(m.tau_text.iter().map(|text| (*text).to_owned()))}
            {movers(&v, &comparison)}
            {models.into_iter().flatten().map(|model| formula(&v, &model)).collect_view()}
        }
    });
    let content = view! {
        <h1>{m.title}</h1>
        <p class="lede">{m.lede}</p>
        {compared}
    };
    frame(&v, Head::new(m.title, m.lede), content.into_any())
}

fn choice(v: &Visit, comparison: &ModelComparison) -> AnyView {
    let m = &v.t.models;
    let select = |name: &'static str, label: &'static str, chosen: &str| {
        let options = Model::all()
            .into_iter()
            .map(|model| {
                let selected = model.name == chosen;
                view! { <option value=model.name.clone() selected=selected>{model.name.clone()}</option> }
            })
            .collect_view();
        view! {
            <label>
                <span>{label}</span>
                <select name=name>{options}</select>
            </label>
        }
    };
    let hidden = v
        .kept()
        .into_iter()
        .map(|(name, value)| view! { <input type="hidden" name=name value=value/> })
        .collect_view();
    view! {
        <form class="controls" action=v.locale.path("/methodology/models")>
            {select("a", m.first, &comparison.a)}
            {select("b", m.second, &comparison.b)}
            {hidden}
            <button type="submit">{m.compare}</button>
        </form>
    }
    .into_any()
}

fn figures(v: &Visit, comparison: &ModelComparison) -> AnyView {
    let (t, l, m) = (v.t, v.locale, &v.t.models);
    view! {
        <dl class="tiles">
            <div>
                <dt>{m.tau}</dt>
                <dd>{l.decimal(comparison.tau, 3)}</dd>
            </div>
            <div>
                <dt>{m.events}</dt>
                <dd>{l.integer(comparison.events.into())}</dd>
            </div>
            <div>
                <dt>{t.state_at}</dt>
                <dd>{moment(v, comparison.at)}</dd>
            </div>
        </dl>
    }
    .into_any()
}

fn movers(v: &Visit, comparison: &ModelComparison) -> AnyView {
    let (l, m) = (v.locale, &v.t.models);
    let (a, b) = (&comparison.a, &comparison.b);
    let row = |mover: &Mover| {
        let why = mover.factor.map_or_else(
            || m.others_moved.to_owned(),
            |factor| {
                let of = |factors| l.figure(factor.of(factors));
                (m.differs)(factor.name(v.t), &of(&mover.a.factors), &of(&mover.b.factors))
            },
        );
        view! {
            <tr>
                <th scope="row">
                    <a href=v.href(&format!("/event/{}", mover.event))>
                        {title(v, &mover.title, &mover.language)}
                    </a>
                </th>
                <td class="value">{mover.a.rank}</td>
                <td class="value">{mover.b.rank}</td>
                <td class="value">{l.figure(mover.a.heat)}</td>
                <td class="value">{l.figure(mover.b.heat)}</td>
                <td>{why}</td>
            </tr>
        }
    };
    let table = if comparison.movers.is_empty() {
        view! { <p>{m.same_order}</p> }.into_any()
    } else {
        view! {
            <p>{m.movers_text}</p>
            <div class="scroll" role="group" tabindex="0" aria-label=m.movers>
                <table class="movers">
                    <thead>
                        <tr>
                            <th scope="col">{m.event}</th>
                            <th scope="col" class="value">{(m.rank_in)(a)}</th>
                            <th scope="col" class="value">{(m.rank_in)(b)}</th>
                            <th scope="col" class="value">{(m.heat_in)(a)}</th>
                            <th scope="col" class="value">{(m.heat_in)(b)}</th>
                            <th scope="col">{m.why}</th>
                        </tr>
                    </thead>
                    <tbody>{comparison.movers.iter().map(row).collect_view()}</tbody>
                </table>
            </div>
        }
        .into_any()
    };
    view! {
        <section aria-labelledby="movers">
            <h2 id="movers">{m.movers}</h2>
            {table}
        </section>
    }
    .into_any()
}

fn formula(v: &Visit, model: &Model) -> AnyView {
    let m = &v.t.models;
    view! {
        <section>
            <h2>{(m.formula_of)(&model.name)}</h2>
            {formulas(v, model)}
            <p>{m.hash_text} " " <code>{model.hash()}</code></p>
        </section>
    }
    .into_any()
}
