//! How fast newsrooms' videos are being watched.

use std::cmp::Reverse;

use leptos::prelude::*;
use leptos_router::params::ParamsMap;
use model::{SourceKind, Verdict, Video};

use crate::charts;
use crate::context::{Visit, address};
use crate::parts::{Head, figure, frame, near, outward, sort_heading, title};

/// Rows on the page; the CSV has all.
const SHOWN: usize = 100;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Sort {
    #[default]
    Tempo,
    Views,
    Newest,
}

impl Sort {
    const ALL: [Self; 3] = [Self::Tempo, Self::Views, Self::Newest];

    fn as_str(self) -> &'static str {
        match self {
            Self::Tempo => "tempo",
            Self::Views => "views",
            Self::Newest => "newest",
        }
    }

    fn parse(params: &ParamsMap) -> Self {
        let asked = params.get("sort");
        let known = Self::ALL.into_iter().find(|sort| asked.as_deref() == Some(sort.as_str()));
        known.unwrap_or_default()
    }
}

#[component]
pub(crate) fn VideosPage() -> impl IntoView {
    let v = Visit::here();
    let t = &v.t.videos_page;
    let sort = Sort::parse(v.params());
    let mut videos: Vec<&Video> = v.snapshot.videos.iter().collect();
    match sort {
        // The snapshot's own order.
        Sort::Tempo => {}
        Sort::Views => videos.sort_by_key(|video| Reverse(video.views)),
        Sort::Newest => videos.sort_by_key(|video| Reverse(video.mention_at)),
    }
    let list = if videos.is_empty() { none(&v) } else { list(&v, sort, &videos) };
    let how = t.how_text.iter().map(|text| view! { <p>{*text}</p> });
    let content = view! {
        <h1>{t.title}</h1>
        <p class="lede">{t.lede}</p>
        {list}
        <section aria-labelledby="how">
            <h2 id="how">{t.how}</h2>
            {how.collect_view()}
        </section>
    };
    let indexed = sort == Sort::default();
    frame(&v, Head { indexed, ..Head::new(t.title, t.lede) }, content.into_any())
}

fn none(v: &Visit) -> AnyView {
    let t = &v.t.videos_page;
    let feeds: Vec<_> = v
        .snapshot
        .sources
        .iter()
        .filter(|report| report.source.kind == SourceKind::Video)
        .collect();
    let refused = feeds
        .iter()
        .filter_map(|report| report.check.as_ref())
        .filter(|check| check.verdict != Verdict::Allowed)
        .count();
    view! {
        <section class="empty">
            <h2>{t.none}</h2>
            <p>{(t.none_text)(feeds.len() as u32, refused as u32)}</p>
            <p><a href=v.href("/sources")>{v.t.nav_sources}</a></p>
        </section>
    }
    .into_any()
}

fn list(v: &Visit, sort: Sort, videos: &[&Video]) -> AnyView {
    let t = &v.t.videos_page;
    let heading = |order: Sort, name| {
        let mut params = Vec::new();
        if order != Sort::default() {
            params.push(("sort", order.as_str().to_owned()));
        }
        params.extend(v.kept());
        let href = address(&v.locale.path("/videos"), &params);
        sort_heading(name, href, (order == sort).then_some("descending"), true)
    };
    let chart = charts::tempos(&v.snapshot.videos, v.locale);
    let chart = (!chart.is_empty())
        .then(|| figure(chart, t.chart, view! { <figcaption>{t.chart_caption}</figcaption> }));
    let rows = videos.iter().take(SHOWN).map(|video| row(v, video));
    let csv = address("/videos.csv", &v.kept());
    view! {
        {chart}
        <div class="bar">
            <p><b>{(t.showing)(videos.len().min(SHOWN) as i64, videos.len() as i64)}</b></p>
            <p><a href=csv download>{v.t.data_csv}</a></p>
        </div>
        <div class="scroll" role="group" tabindex="0" aria-label=t.title>
            <table class="figures videos">
                <thead>
                    <tr>
                        <th scope="col">{t.video}</th>
                        {heading(Sort::Tempo, t.tempo)}
                        <th scope="col" class="value">{t.window}</th>
                        {heading(Sort::Views, t.views)}
                        <th scope="col" class="value">{t.measured}</th>
                        {heading(Sort::Newest, t.published)}
                    </tr>
                </thead>
                <tbody>{rows.collect_view()}</tbody>
            </table>
        </div>
    }
    .into_any()
}

fn row(v: &Visit, video: &Video) -> AnyView {
    let (t, l) = (&v.t.videos_page, v.locale);
    let newsroom = v.snapshot.newsroom(video.newsroom).map(|newsroom| newsroom.name.clone());
    let (tempo, window) = match video.tempo {
        None => {
            let mark = view! { <abbr class="mark" title=t.absent_text>{t.absent}</abbr> };
            (mark.into_any(), "–".to_owned())
        }
        Some(tempo) => {
            let mark = (!tempo.reliable).then(|| {
                view! { " " <abbr class="mark" title=t.unreliable_text>{t.unreliable}</abbr> }
            });
            let still = (tempo.per_hour == 0.0).then(|| view! { <br/> <small>{t.still}</small> });
            let number = (t.per_hour)(&l.figure(tempo.per_hour));
            let seconds = (tempo.hours * model::SECONDS_PER_HOUR as f64) as i64;
            (view! { <b>{number}</b> {mark} {still} }.into_any(), l.duration(seconds))
        }
    };
    view! {
        <tr>
            <th scope="row">
                {outward(title(v, &video.title, &video.language), &video.link)} <br/>
                <small>{newsroom}</small>
            </th>
            <td class="value" data-l=t.tempo>{tempo}</td>
            <td class="value" data-l=t.window>
                {window} <br/> <small>{(t.measurements)(video.measurements.into())}</small>
            </td>
            <td class="value" data-l=t.views>{l.integer(video.views)}</td>
            <td class="value" data-l=t.measured>{near(v, video.measured_at)}</td>
            <td class="value" data-l=t.published>{near(v, video.mention_at)}</td>
        </tr>
    }
    .into_any()
}
