//! What the gate says of each source, and what came of asking it.

use leptos::prelude::*;
use model::{FetchReport, Outcome, SourceReport, Verdict, VerdictChange};

use crate::context::{Visit, address};
use crate::i18n::Texts;
use crate::parts::{Head, day_strip, frame, moment, near};
use crate::query::fold;

/// Changes of verdicts on the page; the CSV has all.
const CHANGES: usize = 30;

#[component]
pub(crate) fn SourcesPage() -> impl IntoView {
    let v = Visit::here();
    let t = v.t;
    let mut reports: Vec<(String, &SourceReport)> =
        v.snapshot.sources.iter().map(|report| (name(&v, report), report)).collect();
    reports.sort_by_cached_key(|(name, _)| fold(name));
    let agent =
        reports.iter().find_map(|(_, report)| Some(report.check.as_ref()?.user_agent.clone()));
    let content = if reports.is_empty() {
        view! { <section class="empty"><h2>{t.no_sources}</h2><p>{t.no_sources_text}</p></section> }
            .into_any()
    } else {
        let rows = reports.iter().map(|(name, report)| row(&v, name, report)).collect_view();
        view! {
            {totals(&v)}
            <div class="scroll" role="group" tabindex="0" aria-label=t.sources>
                <table class="sources">
                    <thead>
                        <tr>
                            <th scope="col">{t.source}</th>
                            <th scope="col">{t.verdict}</th>
                            <th scope="col">{t.validity}</th>
                            <th scope="col">{t.last_fetch}</th>
                            <th scope="col">{t.unchanged_share}</th>
                            <th scope="col">{t.bytes_saved}</th>
                            <th scope="col">{t.defects}</th>
                            <th scope="col">{t.ninety_days}</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        }
        .into_any()
    };
    let content = view! {
        <h1>{t.sources}</h1>
        <p class="lede">{t.sources_lede}</p>
        {content}
        {changes(&v)}
        <section aria-labelledby="exclusion">
            <h2 id="exclusion">{t.exclusion}</h2>
            <p>{(t.exclusion_text)(agent.as_deref())}</p>
        </section>
    };
    frame(&v, Head::new(t.sources, t.sources_lede), content.into_any())
}

/// What changed; a source's first verdict is in its own log and in the data.
fn changes(v: &Visit) -> AnyView {
    let t = v.t;
    let mut changes = v.snapshot.verdict_changes();
    changes.retain(|(_, change)| change.before.is_some());
    let rows = changes.iter().take(CHANGES).map(|(report, change)| {
        let href = v.href(&format!("/source/{}", report.source.slug));
        view! {
            <li>
                {moment(v, change.check.at)} ": " <a href=href>{name(v, report)}</a> ": "
                {verdict_change(v, change)}
            </li>
        }
    });
    let list = if changes.is_empty() {
        view! { <p>{t.no_verdict_changes}</p> }.into_any()
    } else {
        view! { <ol class="log">{rows.collect_view()}</ol> }.into_any()
    };
    view! {
        <section aria-labelledby="changes">
            <h2 id="changes">{t.verdict_changes}</h2>
            {list}
            <p class="small">
                <a href=v.href("/compliance.csv") download>{t.data_csv}</a> ", "
                <a href=v.href("/compliance.atom")>"Atom"</a> ", "
                <a href=address("/v1/verdicts", &v.kept())>"JSON"</a>
            </p>
        </section>
    }
    .into_any()
}

/// From verdict to verdict and by which rule, such as "povoleno → zakázáno Disallow: /feeds/".
pub(super) fn verdict_change(v: &Visit, change: &VerdictChange) -> AnyView {
    let VerdictChange { before, check } = change;
    let before = before.map(|before| view! { {verdict(v, before)} " → " });
    let rule = check.matched_rule.as_ref().or(check.tdm_signal.as_ref());
    let rule = rule.cloned().map(|rule| view! { " " <code>{rule}</code> });
    view! { {before} {verdict(v, check.verdict)} {rule} }.into_any()
}

/// "Newsroom – section".
pub(super) fn name(v: &Visit, report: &SourceReport) -> String {
    let newsroom = v.snapshot.newsroom(report.source.newsroom);
    let newsroom = newsroom.map_or(report.source.slug.as_str(), |newsroom| newsroom.name.as_str());
    match report.source.section.as_str() {
        "" => newsroom.to_owned(),
        section => format!("{newsroom} – {section}"),
    }
}

pub(crate) fn verdict_name(t: &Texts, verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Allowed => t.allowed,
        Verdict::Disallowed => t.disallowed,
        Verdict::Reserved => t.reserved,
        Verdict::Unreachable => t.unreachable,
    }
}

/// The verdict in words; its shape says it too, for those who do not see its colour.
pub(super) fn verdict(v: &Visit, verdict: Verdict) -> AnyView {
    let class = format!("verdict {}", verdict.as_str());
    view! { <span class=class>{verdict_name(v.t, verdict)}</span> }.into_any()
}

pub(super) fn outcome_name(v: &Visit, outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Listed => v.t.listed,
        Outcome::Unchanged => v.t.unchanged,
        Outcome::Failed => v.t.failed,
    }
}

/// HTTP status and outcome, such as "304, beze změny".
pub(super) fn answer(v: &Visit, fetch: &FetchReport) -> String {
    let status = fetch.status.map_or(v.t.no_answer.to_owned(), |status| status.to_string());
    format!("{status}, {}", outcome_name(v, fetch.outcome))
}

/// Share of answers that said "not changed"; `None` before the first answer.
pub(super) fn unchanged_share(report: &SourceReport) -> Option<f64> {
    let (answered, unchanged) = report
        .days
        .iter()
        .fold((0, 0), |(all, same), day| (all + day.answered, same + day.unchanged));
    (answered > 0).then(|| f64::from(unchanged) / f64::from(answered))
}

fn totals(v: &Visit) -> AnyView {
    let (t, l) = (v.t, v.locale);
    let of = |verdict| {
        let sources = v.snapshot.sources.iter().filter_map(|report| report.check.as_ref());
        sources.filter(|check| check.verdict == verdict).count() as i64
    };
    let saved: i64 = v.snapshot.sources.iter().map(|report| report.bytes_saved).sum();
    let tiles = Verdict::ALL.map(|verdict| {
        view! { <div><dt>{verdict_name(v.t, verdict)}</dt><dd>{l.integer(of(verdict))}</dd></div> }
    });
    view! {
        <dl class="tiles">
            <div>
                <dt>{t.sources_label}</dt>
                <dd>{l.integer(v.snapshot.sources.len() as i64)}</dd>
            </div>
            {tiles.into_iter().collect_view()}
            <div><dt>{t.bytes_saved}</dt><dd>{l.bytes(saved)}</dd></div>
        </dl>
    }
    .into_any()
}

fn row(v: &Visit, name: &str, report: &SourceReport) -> AnyView {
    let (t, l) = (v.t, v.locale);
    let href = v.href(&format!("/source/{}", report.source.slug));
    let owner = v
        .snapshot
        .newsroom(report.source.newsroom)
        .map(|newsroom| newsroom.owner.clone().unwrap_or_else(|| t.unknown_owner.to_owned()));
    let stopped =
        report.stopped.is_some().then(|| view! { " " <span class="mark">{t.stopped}</span> });
    let check = report.check.as_ref();
    let gate = check.map(|check| {
        let rule = check.matched_rule.clone().map(|rule| view! { <br/><code>{rule}</code> });
        let signal = check.tdm_signal.clone().map(|signal| view! { <br/><code>{signal}</code> });
        view! { {verdict(v, check.verdict)} {rule} {signal} }
    });
    let validity = check.map(|check| {
        view! {
            {near(v, check.at)} <br/> {t.until} " " {near(v, check.valid_until)}
        }
    });
    let fetch = report.fetches.first();
    let nothing = || view! { "–" }.into_any();
    let last = fetch.map(|fetch| view! { {near(v, fetch.at)} <br/> {answer(v, fetch)} }.into_any());
    let share = unchanged_share(report).map_or("–".to_owned(), |share| l.percent(share));
    let defects: usize = report.fetches.iter().map(|fetch| fetch.defects.len()).sum();
    view! {
        <tr>
            <th scope="row"><a href=href>{name.to_owned()}</a> {stopped} <br/> <small>{owner}</small></th>
            <td data-l=t.verdict>{gate}</td>
            <td data-l=t.validity>{validity}</td>
            <td data-l=t.last_fetch>{last.unwrap_or_else(nothing)}</td>
            <td data-l=t.unchanged_share>{share}</td>
            <td data-l=t.bytes_saved>{l.bytes(report.bytes_saved)}</td>
            <td data-l=t.defects>{l.integer(defects as i64)}</td>
            <td data-l=t.ninety_days>{day_strip(v, &report.days, v.page.now)}</td>
        </tr>
    }
    .into_any()
}
