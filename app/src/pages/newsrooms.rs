//! What newsrooms and owners did among the events of a period: counts with their definitions.

use std::cmp::Reverse;

use leptos::prelude::*;
use leptos_router::params::ParamsMap;
use model::{Figures, Newsroom, SECONDS_PER_HOUR, Snapshot, UnixSeconds};

use crate::context::{Visit, address};
use crate::parts::{Head, frame, share_bar, sort_heading};
use crate::query::{PERIODS, fold};

/// Of fewer events a share is chance.
const FEW: u32 = 10;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Sort {
    Name,
    Events,
    Coverage,
    #[default]
    First,
    Lag,
    Copies,
}

impl Sort {
    const ALL: [Self; 6] =
        [Self::Name, Self::Events, Self::Coverage, Self::First, Self::Lag, Self::Copies];

    fn as_str(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Events => "events",
            Self::Coverage => "coverage",
            Self::First => "first",
            Self::Lag => "lag",
            Self::Copies => "copies",
        }
    }
}

/// What the address asks of the table; what is unknown counts as not asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct NewsroomsQuery {
    pub owners: bool,
    /// Hours back; the whole window when not given.
    pub period: Option<u32>,
    pub sort: Sort,
}

impl NewsroomsQuery {
    pub fn parse(params: &ParamsMap) -> Self {
        let sort = params.get("sort");
        Self {
            owners: params.get("by").is_some_and(|by| by == "owner"),
            period: params
                .get("period")
                .and_then(|hours| hours.parse().ok())
                .filter(|hours| PERIODS.contains(hours)),
            sort: Sort::ALL
                .into_iter()
                .find(|known| sort.as_deref() == Some(known.as_str()))
                .unwrap_or_default(),
        }
    }

    pub fn params(self) -> Vec<(&'static str, String)> {
        let mut params = Vec::new();
        if self.owners {
            params.push(("by", "owner".to_owned()));
        }
        params.extend(self.period.map(|hours| ("period", hours.to_string())));
        if self.sort != Sort::default() {
            params.push(("sort", self.sort.as_str().to_owned()));
        }
        params
    }

    /// Start of the period that is counted.
    pub fn from(self, snapshot: &Snapshot) -> UnixSeconds {
        let hours = self.period.map_or(snapshot.model.window_hours, f64::from);
        snapshot.board.at - (hours * SECONDS_PER_HOUR as f64) as i64
    }

    /// The rows in the order asked for; parties without any shared event come last.
    pub fn rows(self, snapshot: &Snapshot) -> Vec<Row<'_>> {
        let (board, newsrooms) = (&snapshot.board, &snapshot.newsrooms);
        let from = self.from(snapshot);
        let mut rows: Vec<Row<'_>> = if self.owners {
            let parties = engine::owner_figures(board, newsrooms, from);
            parties
                .into_iter()
                .filter_map(|(party, figures)| {
                    let first = snapshot.newsroom(*party.newsrooms.first()?)?;
                    let count = party.newsrooms.len() as u32;
                    Some(Row {
                        newsroom: first,
                        owner: Some(party.owner),
                        newsrooms: count,
                        figures,
                    })
                })
                .collect()
        } else {
            engine::newsroom_figures(board, newsrooms, from)
                .into_iter()
                .filter_map(|(id, figures)| {
                    let newsroom = snapshot.newsroom(id)?;
                    Some(Row { newsroom, owner: None, newsrooms: 1, figures })
                })
                .collect()
        };
        rows.sort_by_cached_key(|row| fold(row.name()));
        match self.sort {
            Sort::Name => {}
            Sort::Events => rows.sort_by_key(|row| Reverse(row.figures.events)),
            Sort::Coverage => by_share(&mut rows, Figures::coverage),
            Sort::First => rows.sort_by_key(|row| Reverse(row.figures.first)),
            Sort::Lag => {
                rows.sort_by_key(|row| row.figures.median_lag_seconds.unwrap_or(i64::MAX));
            }
            Sort::Copies => by_share(&mut rows, Figures::copy_share),
        }
        if self.sort != Sort::Name {
            rows.sort_by_key(|row| row.figures.events == 0);
        }
        rows
    }
}

fn by_share(rows: &mut [Row<'_>], share: fn(&Figures) -> Option<f64>) {
    let of = |row: &Row<'_>| share(&row.figures).unwrap_or(-1.0);
    rows.sort_by(|a, b| of(b).total_cmp(&of(a)));
}

/// A newsroom, or an owner with the first of its newsrooms.
pub(crate) struct Row<'a> {
    pub newsroom: &'a Newsroom,
    /// Of a row of owners: its name, `None` when unknown.
    pub owner: Option<Option<String>>,
    pub newsrooms: u32,
    pub figures: Figures,
}

impl Row<'_> {
    /// An unknown owner goes by its newsroom.
    pub fn name(&self) -> &str {
        match &self.owner {
            Some(Some(owner)) => owner,
            Some(None) | None => &self.newsroom.name,
        }
    }
}

#[component]
pub(crate) fn NewsroomsPage() -> impl IntoView {
    let v = Visit::here();
    let t = &v.t.newsrooms_page;
    let query = NewsroomsQuery::parse(v.params());
    let rows = query.rows(&v.snapshot);
    let table = if rows.iter().all(|row| row.figures.events == 0) {
        view! { <section class="empty"><p>{t.nothing}</p></section> }.into_any()
    } else {
        table(&v, query, &rows)
    };
    let definitions = t.definitions_list.iter().map(|(term, text)| {
        view! { <div><dt>{*term}</dt><dd>{*text}</dd></div> }
    });
    let content = view! {
        <h1>{t.title}</h1>
        <p class="lede">{t.lede}</p>
        {controls(&v, query)}
        {table}
        <section aria-labelledby="definitions">
            <h2 id="definitions">{t.definitions}</h2>
            <dl class="pairs">{definitions.collect_view()}</dl>
            <p class="small"><span class="mark">{t.few}</span> " " {(t.few_text)(FEW)}</p>
        </section>
    };
    let indexed = query == NewsroomsQuery::default();
    frame(&v, Head { indexed, ..Head::new(t.title, t.lede) }, content.into_any())
}

fn to(v: &Visit, path: &str, query: NewsroomsQuery) -> String {
    let mut params = query.params();
    params.extend(v.kept());
    address(path, &params)
}

fn controls(v: &Visit, query: NewsroomsQuery) -> AnyView {
    let (t, l) = (&v.t.newsrooms_page, v.locale);
    let here = l.path("/newsrooms");
    let views = [(false, t.by_newsroom), (true, t.by_owner)].map(|(owners, name)| {
        let current = (query.owners == owners).then_some("true");
        let href = to(v, &here, NewsroomsQuery { owners, ..query });
        view! { <a href=href aria-current=current>{name}</a> }
    });
    let window = v.snapshot.model.window_hours;
    let periods = [None]
        .into_iter()
        .chain(PERIODS.into_iter().filter(|&hours| f64::from(hours) < window).rev().map(Some))
        .map(|period| {
            let current = (query.period == period).then_some("true");
            let href = to(v, &here, NewsroomsQuery { period, ..query });
            let name = l.hours(period.map_or(window, f64::from));
            view! { <a href=href aria-current=current>{name}</a> }
        });
    let at = v.snapshot.board.at;
    let from = query.from(&v.snapshot);
    let hours = l.hours((at - from) as f64 / SECONDS_PER_HOUR as f64);
    view! {
        <div class="bar">
            <nav class="tabs" aria-label=t.view>
                <span aria-hidden="true">{t.view} ":"</span>
                {views.into_iter().collect_view()}
            </nav>
            <nav class="tabs" aria-label=v.t.period>
                <span aria-hidden="true">{v.t.period} ":"</span>
                {periods.collect_view()}
            </nav>
        </div>
        <p class="small">
            {(t.window)(&hours, &l.moment(from), &l.moment(at))} " "
            <a href=to(v, "/newsrooms.csv", query) download>{v.t.data_csv}</a>
        </p>
    }
    .into_any()
}

fn table(v: &Visit, query: NewsroomsQuery, rows: &[Row<'_>]) -> AnyView {
    let t = &v.t.newsrooms_page;
    let here = v.locale.path("/newsrooms");
    let name = if query.owners { t.owner_name } else { t.name };
    let headings = [
        (Sort::Name, name),
        (Sort::Events, t.events),
        (Sort::Coverage, t.coverage),
        (Sort::First, t.first),
        (Sort::Lag, t.lag),
        (Sort::Copies, t.copies),
    ]
    .map(|(sort, name)| {
        let ascending = matches!(sort, Sort::Name | Sort::Lag);
        let order = if ascending { "ascending" } else { "descending" };
        let sorted = (query.sort == sort).then_some(order);
        let href = to(v, &here, NewsroomsQuery { sort, ..query });
        sort_heading(name, href, sorted, sort != Sort::Name)
    });
    view! {
        <div class="scroll" role="group" tabindex="0" aria-label=t.title>
            <table class="figures">
                <thead><tr>{headings.into_iter().collect_view()}</tr></thead>
                <tbody>{rows.iter().map(|row| row_view(v, row)).collect_view()}</tbody>
            </table>
        </div>
    }
    .into_any()
}

fn row_view(v: &Visit, row: &Row<'_>) -> AnyView {
    let (t, l) = (&v.t.newsrooms_page, v.locale);
    let Figures { events, possible, timed, first, median_lag_seconds, copies } = row.figures;
    let few = |n: u32| {
        (n > 0 && n < FEW).then(|| {
            view! { " " <abbr class="mark" title=(t.few_text)(FEW)>{t.few}</abbr> }
        })
    };
    let share = |share: Option<f64>| share.map_or("–".to_owned(), |share| l.percent(share));
    let about = match &row.owner {
        Some(Some(_)) => (t.newsrooms_of)(row.newsrooms.into()),
        Some(None) => v.t.unknown_owner.to_owned(),
        None => row.newsroom.owner.clone().unwrap_or_else(|| v.t.unknown_owner.to_owned()),
    };
    let desk = row.owner.is_none().then(|| {
        let mut params = vec![("newsroom", row.newsroom.slug.clone())];
        params.extend(v.kept());
        let href = address(&l.path("/desk"), &params);
        let label = format!("{}: {}", t.open_desk, row.newsroom.name);
        view! { " · " <a href=href aria-label=label>{t.open_desk}</a> }
    });
    let lag = median_lag_seconds.map_or("–".to_owned(), |seconds| l.duration(seconds));
    view! {
        <tr>
            <th scope="row">{row.name().to_owned()} <br/> <small>{about} {desk}</small></th>
            <td class="value" data-l=t.events>{l.integer(events.into())}</td>
            <td class="value" data-l=t.coverage>
                {row.figures.coverage().map(share_bar)} <b>{share(row.figures.coverage())}</b> {few(possible)}
                <br/> <small>{(t.of)(events, possible)}</small>
            </td>
            <td class="value" data-l=t.first>
                <b>{l.integer(first.into())}</b> {few(timed)} <br/>
                <small>{(t.of)(first, timed)} ", " {share(row.figures.first_share())}</small>
            </td>
            <td class="value" data-l=t.lag><b>{lag}</b> {few(timed - first)}</td>
            <td class="value" data-l=t.copies>
                <b>{share(row.figures.copy_share())}</b> {few(events)} <br/>
                <small>{(t.of)(copies, events)}</small>
            </td>
        </tr>
    }
    .into_any()
}
