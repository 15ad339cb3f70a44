//! One source with its full log.

use leptos::prelude::*;
use leptos_router::hooks::use_params_map;
use model::{FetchReport, GateCheck, SourceKind, SourceReport, Verdict};

use super::NotFoundPage;
use super::sources::{answer, name, unchanged_share, verdict, verdict_change};
use crate::context::Visit;
use crate::parts::{Head, day_strip, day_table, frame, moment};

#[component]
pub(crate) fn SourcePage() -> impl IntoView {
    let v = Visit::here();
    let slug = use_params_map().read_untracked().get("slug").unwrap_or_default();
    match v.snapshot.sources.iter().find(|report| report.source.slug == slug) {
        Some(report) => page(&v, report),
        None => view! { <NotFoundPage/> }.into_any(),
    }
}

fn page(v: &Visit, report: &SourceReport) -> AnyView {
    let t = v.t;
    let name = name(v, report);
    let content = view! {
        <p class="crumb">
            <a href=v.href("/sources")>{t.sources}</a>
        </p>
        <h1>{name.clone()}</h1>
        {facts(v, report)}
        {gate(v, report)}
        {fetches(v, report.check.as_ref(), &report.fetches)}
        <section aria-labelledby="days">
            <h2 id="days">{t.ninety_days}</h2>
            {day_strip(v, &report.days, v.page.now)}
            <p class="small">{t.strip_legend}</p>
            <details>
                <summary>{t.days_table}</summary>
                {day_table(v, &report.days)}
            </details>
        </section>
    };
    frame(v, Head::new(&name, t.sources_lede), content.into_any())
}

fn facts(v: &Visit, report: &SourceReport) -> AnyView {
    let (t, l) = (v.t, v.locale);
    let newsroom = v.snapshot.newsroom(report.source.newsroom);
    let about = newsroom.map(|newsroom| {
        let owner = newsroom.owner.clone().unwrap_or_else(|| t.unknown_owner.to_owned());
        let reason = newsroom
            .weight_reason
            .clone()
            .map(|reason| view! { " – " <bdi>{reason}</bdi> });
        view! {
            <div>
                <dt>{t.newsroom}</dt>
                <dd>
                    <a href=newsroom.homepage.clone() rel="noopener nofollow">
                        {newsroom.name.clone()}
                    </a>
                </dd>
            </div>
            <div><dt>{t.owner}</dt><dd>{owner}</dd></div>
            <div>
                <dt>{t.country_and_language}</dt>
                <dd>{(t.country_name)(&newsroom.country)} ", " {(t.language_name)(&newsroom.language)}</dd>
            </div>
            <div><dt>{t.weight}</dt><dd>{l.figure(newsroom.weight)} {reason}</dd></div>
        }
    });
    let kind = match report.source.kind {
        SourceKind::Feed => t.kind_feed,
        SourceKind::Video => t.kind_video,
        SourceKind::Channel => t.kind_channel,
    };
    let share = unchanged_share(report).map(|share| {
        view! { <div><dt>{t.unchanged_share}</dt><dd>{l.percent(share)}</dd></div> }
    });
    let next = report.next_check_at.map(|at| {
        view! { <div><dt>{t.next_check}</dt><dd>{moment(v, at)}</dd></div> }
    });
    let moved = report.moved_to.clone().map(|url| {
        view! { <div><dt>{t.moved_to}</dt><dd><code>{url}</code></dd></div> }
    });
    let stopped = report.stopped.clone().map(|reason| {
        view! { <p class="notice warn">{t.stopped_text} " " <span lang="en">{reason}</span></p> }
    });
    view! {
        {stopped}
        <dl class="pairs">
            {about}
            <div>
                <dt>{t.address}</dt>
                <dd><code>{report.source.url.clone()}</code> " (" {kind} ")"</dd>
            </div>
            <div><dt>{t.items_recorded}</dt><dd>{l.integer(report.items)}</dd></div>
            {share}
            <div><dt>{t.bytes_saved}</dt><dd>{l.bytes(report.bytes_saved)}</dd></div>
            {next}
            {moved}
        </dl>
    }
    .into_any()
}

fn gate(v: &Visit, report: &SourceReport) -> AnyView {
    let t = v.t;
    let newest = match &report.check {
        None => view! { <p>{t.no_check}</p> }.into_any(),
        Some(check) => check_view(v, check),
    };
    let log = report.verdict_changes.iter().map(|change| {
        let reason = change.check.reason.clone();
        view! {
            <li>
                {moment(v, change.check.at)} ": " {verdict_change(v, change)} " "
                <span lang="en">{reason}</span>
            </li>
        }
    });
    let log = (!report.verdict_changes.is_empty()).then(|| {
        view! {
            <h3>{t.verdict_log}</h3>
            <ol class="log">{log.collect_view()}</ol>
        }
    });
    view! {
        <section aria-labelledby="gate">
            <h2 id="gate">{t.gate_heading}</h2>
            {newest} {log}
        </section>
    }
    .into_any()
}

fn check_view(v: &Visit, check: &GateCheck) -> AnyView {
    let t = v.t;
    let status = check.robots_status.map_or(t.no_answer.to_owned(), |status| status.to_string());
    let none = || view! { <i>{t.none}</i> }.into_any();
    let code = |text: &Option<String>| match text {
        Some(text) => view! { <code>{text.clone()}</code> }.into_any(),
        None => none(),
    };
    view! {
        <dl class="pairs">
            <div>
                <dt>{t.verdict}</dt>
                <dd>{verdict(v, check.verdict)} " " <span lang="en">{check.reason.clone()}</span></dd>
            </div>
            <div><dt>{t.rule}</dt><dd>{code(&check.matched_rule)}</dd></div>
            <div><dt>{t.tdm_signal}</dt><dd>{code(&check.tdm_signal)}</dd></div>
            <div><dt>"robots.txt"</dt><dd><code>{check.robots_url.clone()}</code> " – " {status}</dd></div>
            <div><dt>"SHA-256"</dt><dd>{code(&check.robots_sha256)}</dd></div>
            <div><dt>{t.read_at}</dt><dd>{moment(v, check.at)}</dd></div>
            <div><dt>{t.valid_until}</dt><dd>{moment(v, check.valid_until)}</dd></div>
            <div><dt>{t.user_agent}</dt><dd><code>{check.user_agent.clone()}</code></dd></div>
        </dl>
    }
    .into_any()
}

fn fetches(v: &Visit, check: Option<&GateCheck>, fetches: &[FetchReport]) -> AnyView {
    let (t, l) = (v.t, v.locale);
    if fetches.is_empty() {
        let refused = check.is_some_and(|check| check.verdict != Verdict::Allowed);
        let reason = if refused { t.no_fetches_refused } else { t.no_fetches };
        return view! {
            <section aria-labelledby="fetches">
                <h2 id="fetches">{t.fetch_log}</h2>
                <p>{reason}</p>
            </section>
        }
        .into_any();
    }
    let rows = fetches.iter().map(|fetch| {
        let troubles = fetch
            .error
            .iter()
            .chain(&fetch.defects)
            .map(|trouble| view! { <li>{trouble.clone()}</li> })
            .collect_view();
        let troubles = (fetch.error.is_some() || !fetch.defects.is_empty())
            .then(|| view! { <ul class="small" lang="en">{troubles}</ul> });
        view! {
            <tr>
                <th scope="row">{moment(v, fetch.at)}</th>
                <td>{answer(v, fetch)}</td>
                <td class="value">{l.bytes(fetch.bytes)}</td>
                <td class="value">{l.integer(fetch.elapsed_ms)} "\u{a0}ms"</td>
                <td class="value">{l.integer(fetch.items.into())}</td>
                <td class="value">{l.integer(fetch.new_items.into())}</td>
                <td>{troubles}</td>
            </tr>
        }
    });
    view! {
        <section aria-labelledby="fetches">
            <h2 id="fetches">{t.fetch_log}</h2>
            <div class="scroll" role="group" tabindex="0" aria-label=t.fetch_log>
                <table>
                    <thead>
                        <tr>
                            <th scope="col">{t.time}</th>
                            <th scope="col">{t.answer}</th>
                            <th scope="col" class="value">{t.transferred}</th>
                            <th scope="col" class="value">{t.took}</th>
                            <th scope="col" class="value">{t.items}</th>
                            <th scope="col" class="value">{t.new_items}</th>
                            <th scope="col">{t.defects}</th>
                        </tr>
                    </thead>
                    <tbody>{rows.collect_view()}</tbody>
                </table>
            </div>
        </section>
    }
    .into_any()
}
