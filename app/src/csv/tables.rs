//! The tables that count, with the same questions in their addresses as on their pages.

use model::{Event, EventId, Snapshot};

use super::row;
use crate::i18n::iso;
use crate::pages::{DeskQuery, NewsroomsQuery};
use crate::query::params_of;

fn number(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// Newsrooms or owners (`by=owner`) of a `period`; shares in [0, 1].
#[must_use]
pub fn newsrooms(snapshot: &Snapshot, query: &str) -> String {
    let query = NewsroomsQuery::parse(&params_of(query));
    let mut csv = row([
        "from",
        "to",
        "name",
        "newsroom",
        "newsrooms",
        "events",
        "possible",
        "coverage",
        "timed",
        "first",
        "median_lag_seconds",
        "copies",
        "copy_share",
    ]);
    let (from, to) = (iso(query.from(snapshot)), iso(snapshot.board.at));
    for party in query.rows(snapshot) {
        let figures = &party.figures;
        csv += &row([
            &from,
            &to,
            party.name(),
            if query.owners { "" } else { &party.newsroom.slug },
            &party.newsrooms.to_string(),
            &figures.events.to_string(),
            &figures.possible.to_string(),
            &number(figures.coverage()),
            &figures.timed.to_string(),
            &figures.first.to_string(),
            &number(figures.median_lag_seconds),
            &figures.copies.to_string(),
            &number(figures.copy_share()),
        ]);
    }
    csv
}

/// The three lists of a newsroom's desk; `None` for a newsroom that is not known.
#[must_use]
pub fn desk(snapshot: &Snapshot, query: &str) -> Option<String> {
    let query = DeskQuery::parse(&params_of(query));
    let slug = query.newsroom.as_deref()?;
    let newsroom = snapshot.newsrooms.iter().find(|newsroom| newsroom.slug == slug)?;
    let desk = engine::desk(&snapshot.board, newsroom.id, query.at_least);
    let find = |id: EventId| snapshot.board.events.iter().find(|event| event.id == id);
    let mut csv = row(["list", "event", "title", "newsrooms", "first_mention", "heat", "seconds"]);
    let mut push = |list: &str, event: &Event, seconds: Option<i64>| {
        csv += &row([
            list,
            &event.id.to_string(),
            &event.title,
            &event.newsrooms().to_string(),
            &iso(event.first_mention()),
            &event.heat.to_string(),
            &number(seconds),
        ]);
    };
    let missing = desk.missing.iter().filter_map(|&id| find(id));
    for event in missing.filter(|event| query.admits(event, newsroom)) {
        push("missing", event, None);
    }
    for (list, paces) in [("late", &desk.late), ("first", &desk.first)] {
        for pace in paces {
            if let Some(event) = find(pace.event) {
                push(list, event, Some(pace.seconds));
            }
        }
    }
    Some(csv)
}

/// The videos of the window, fastest first.
#[must_use]
pub fn videos(snapshot: &Snapshot) -> String {
    let mut csv = row([
        "newsroom",
        "title",
        "link",
        "published",
        "views",
        "measured",
        "measurements",
        "views_per_hour",
        "hours",
        "reliable",
    ]);
    for video in &snapshot.videos {
        csv += &row([
            snapshot.newsroom(video.newsroom).map_or("", |newsroom| &newsroom.slug),
            &video.title,
            &video.link,
            &iso(video.mention_at),
            &video.views.to_string(),
            &iso(video.measured_at),
            &video.measurements.to_string(),
            &number(video.tempo.map(|tempo| tempo.per_hour)),
            &number(video.tempo.map(|tempo| tempo.hours)),
            &number(video.tempo.map(|tempo| tempo.reliable)),
        ]);
    }
    csv
}
