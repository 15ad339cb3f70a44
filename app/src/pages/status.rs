//! The engine's public state.

use leptos::prelude::*;
use model::SECONDS_PER_HOUR;

use crate::charts;
use crate::context::Visit;
use crate::parts::{Head, day_table, figure, frame, moment};

/// Without an answer for longer, collecting counts as standing still.
const STILL_SECONDS: i64 = SECONDS_PER_HOUR;

#[component]
pub(crate) fn StatusPage() -> impl IntoView {
    let v = Visit::here();
    let (t, l) = (v.t, v.locale);
    let stats = &v.snapshot.stats;
    let now = v.page.at.unwrap_or(v.page.now);
    let (class, state) = match stats.last_fetch_at {
        None => ("notice warn", t.state_no_data.to_owned()),
        Some(at) if now - at > STILL_SECONDS => ("notice warn", (t.state_still)(&l.ago(at, now))),
        Some(at) => ("notice good", (t.state_running)(&l.ago(at, now))),
    };
    let tiles = [
        (t.newsrooms_label, i64::from(stats.newsrooms)),
        (t.sources_label, i64::from(stats.sources)),
        (t.items, stats.items),
        (t.observations, stats.observations),
        (t.fetches, stats.fetches),
        (t.gate_checks, stats.gate_checks),
        (t.events_in_window, i64::from(stats.events)),
        (t.shared_events, i64::from(stats.shared_events)),
    ]
    .map(|(name, count)| view! { <div><dt>{name}</dt><dd>{l.integer(count)}</dd></div> });
    let last = stats.last_fetch_at.map(|at| {
        view! { <div><dt>{t.last_answer}</dt><dd>{moment(&v, at)}</dd></div> }
    });
    let snapshot = (v.snapshot.id > 0).then(|| {
        view! {
            <div>
                <dt>{t.snapshot}</dt>
                <dd>{l.integer(v.snapshot.id)} ", " {moment(&v, v.snapshot.board.at)}</dd>
            </div>
        }
    });
    let head = match &stats.chain_head {
        Some(head) => view! { <code>{head.clone()}</code> }.into_any(),
        None => view! { <i>{t.none}</i> }.into_any(),
    };
    let chart = charts::days(&stats.days, l);
    let history = if chart.is_empty() {
        view! { <p>{t.no_history}</p> }.into_any()
    } else {
        view! {
            {figure(chart, t.days_chart, view! { <figcaption>{t.days_legend}</figcaption> })}
            <details>
                <summary>{t.days_table}</summary>
                {day_table(&v, &stats.days)}
            </details>
        }
        .into_any()
    };
    let content = view! {
        <h1>{t.status}</h1>
        <p class="lede">{t.status_lede}</p>
        <p class=class>{state}</p>
        <dl class="tiles">{tiles.into_iter().collect_view()}</dl>
        <dl class="pairs">
            {last}
            <div>
                <dt>{t.lag}</dt>
                <dd>{(t.lag_text)(stats.overdue_sources, &l.duration(stats.lag_seconds))}</dd>
            </div>
            {snapshot}
            <div>
                <dt>{t.model}</dt>
                <dd><a href=v.href("/methodology")>{v.snapshot.model.name.clone()}</a></dd>
            </div>
            <div><dt>{t.chain_length}</dt><dd>{l.integer(stats.chain_length)}</dd></div>
            <div><dt>{t.chain_head}</dt><dd>{head}</dd></div>
        </dl>
        <p class="small">{t.chain_text}</p>
        <section aria-labelledby="history">
            <h2 id="history">{t.history}</h2>
            {history}
        </section>
    };
    frame(&v, Head::new(t.status, t.status_lede), content.into_any())
}
