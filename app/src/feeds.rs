//! The board, the gate's verdicts and chosen channels for feed readers and spreadsheets.
//!
//! Invariant: an event is one entry for ever. Its id is its address without moment and language, and
//! it counts as updated when another newsroom mentions it, not at each recompute. Test:
//! `an_event_stays_one_entry` in `server/tests/it/feeds.rs`.

mod chosen;
mod opml;

use atom_syndication::{Category, Entry, Feed, FixedDateTime, Generator, Link, Person, Text};
use leptos_router::location::{RequestUrl, Url};
use model::{
    Event, Newsroom, Snapshot, SourceReport, SpreadLabel, UnixSeconds, Verdict, VerdictChange,
};
use serde_json::{Value, json};

use crate::context::address;
use crate::csv::row;
use crate::i18n::{Locale, iso, utc};
use crate::pages::verdict_name;
use crate::parts::{plain, visible};
use crate::query::{BoardQuery, PAGE_SIZE};

pub use chosen::{feed_atom, feed_json};
pub use opml::{Matched, OpmlError, opml, opml_channels};

/// A feed as it is asked for.
pub struct Asked<'a> {
    /// Scheme and host of this site.
    pub origin: &'a str,
    pub locale: Locale,
    /// The query of the address, such as the board's filters.
    pub query: &'a str,
}

impl Asked<'_> {
    fn url(&self) -> Url {
        RequestUrl::new(&format!("/?{}", self.query)).parse().unwrap_or_default()
    }

    fn board(&self) -> BoardQuery {
        BoardQuery { page: 1, ..BoardQuery::parse(self.url().search_params()) }
    }

    /// Address of a path in the feed's language under the same filters.
    fn here(&self, path: &str) -> String {
        format!("{}{}", self.origin, address(&self.locale.path(path), &self.board().params()))
    }

    fn page(&self, path: &str) -> String {
        format!("{}{}", self.origin, self.locale.path(path))
    }

    fn event_id(&self, event: &Event) -> String {
        format!("{}/event/{}", self.origin, event.id)
    }

    /// What stands beside the title on the board, in one line.
    fn facts(&self, event: &Event, snapshot: &Snapshot) -> String {
        let t = self.locale.texts();
        let names: Vec<&str> = event
            .mentions
            .iter()
            .filter_map(|mention| snapshot.newsroom(mention.newsroom))
            .map(|newsroom| newsroom.name.as_str())
            .collect();
        let spread = match event.newsrooms() {
            0 | 1 => String::new(),
            _ => {
                let label = SpreadLabel::of(event.spread_hours, &snapshot.model.heat);
                format!(", {} {}", t.spread, self.locale.spread(label))
            }
        };
        format!(
            "{}, {}, {}{spread}: {}",
            (t.newsrooms)(event.newsrooms().into()),
            (t.owners)(event.owners.into()),
            (t.texts)(event.texts.into()),
            plain(&names.join(", ")),
        )
    }

    fn title(&self, event: &Event) -> String {
        let title = plain(&event.title);
        if visible(&title) { title } else { self.locale.texts().untitled.to_owned() }
    }
}

/// The first page of the board as Atom.
#[must_use]
pub fn board_atom(asked: &Asked, snapshot: &Snapshot) -> String {
    let t = asked.locale.texts();
    let entries = asked.board().select(snapshot).into_iter().take(PAGE_SIZE).map(|event| Entry {
        id: asked.event_id(event),
        title: Text::plain(asked.title(event)),
        links: vec![link("alternate", "text/html", asked.page(&format!("/event/{}", event.id)))],
        published: Some(time(event.first_mention())),
        updated: time(event.last_mention()),
        summary: Some(Text::plain(asked.facts(event, snapshot))),
        categories: vec![Category { term: event.language.clone(), ..Category::default() }],
        ..Entry::default()
    });
    Feed {
        title: Text::plain(format!("{} – {}", t.site, t.board)),
        subtitle: Some(Text::plain(t.board_lede)),
        links: vec![
            link("self", ATOM, asked.here("/board.atom")),
            link("alternate", "text/html", asked.here("/")),
        ],
        entries: entries.collect(),
        ..feed(asked, "/board.atom", snapshot.board.at)
    }
    .to_string()
}

/// The first page of the board as JSON Feed 1.1.
#[must_use]
pub fn board_json(asked: &Asked, snapshot: &Snapshot) -> String {
    let t = asked.locale.texts();
    let items: Vec<Value> = asked
        .board()
        .select(snapshot)
        .into_iter()
        .take(PAGE_SIZE)
        .map(|event| {
            json!({
                "id": asked.event_id(event),
                "url": asked.page(&format!("/event/{}", event.id)),
                "title": asked.title(event),
                "content_text": asked.facts(event, snapshot),
                "date_published": iso(event.first_mention()),
                "date_modified": iso(event.last_mention()),
                "language": event.language,
                "_ohlas": {
                    "about": asked.page("/docs"),
                    "newsrooms": event.newsrooms(),
                    "owners": event.owners,
                    "texts": event.texts,
                    "spread_hours": event.spread_hours,
                    "heat": event.heat,
                    "factors": event.factors,
                },
            })
        })
        .collect();
    json!({
        "version": "https://jsonfeed.org/version/1.1",
        "title": format!("{} – {}", t.site, t.board),
        "description": t.board_lede,
        "home_page_url": asked.here("/"),
        "feed_url": asked.here("/board.json"),
        "language": asked.locale.code(),
        "authors": [{ "name": t.site, "url": asked.page("/") }],
        "items": items,
    })
    .to_string()
}

/// The whole board as CSV, hottest first.
#[must_use]
pub fn board_csv(asked: &Asked, snapshot: &Snapshot) -> String {
    let mut csv = row([
        "rank",
        "event",
        "url",
        "title",
        "language",
        "newsrooms",
        "owners",
        "texts",
        "spread_hours",
        "heat",
        "breadth",
        "velocity",
        "priority",
        "persistence",
        "decay",
        "first_mention",
        "last_mention",
    ]);
    for (index, event) in asked.board().select(snapshot).into_iter().enumerate() {
        let factors = &event.factors;
        csv += &line([
            (index + 1).to_string(),
            event.id.to_string(),
            asked.event_id(event),
            asked.title(event),
            event.language.clone(),
            event.newsrooms().to_string(),
            event.owners.to_string(),
            event.texts.to_string(),
            event.spread_hours.to_string(),
            event.heat.to_string(),
            factors.breadth.to_string(),
            factors.velocity.to_string(),
            factors.priority.to_string(),
            factors.persistence.to_string(),
            factors.decay.to_string(),
            iso(event.first_mention()),
            iso(event.last_mention()),
        ]);
    }
    csv
}

/// Entries of the feed of verdicts.
const VERDICTS: usize = 100;

/// The newest changes of the gate's verdicts as Atom.
#[must_use]
pub fn verdicts_atom(asked: &Asked, snapshot: &Snapshot) -> String {
    let t = asked.locale.texts();
    let changes = snapshot.verdict_changes().into_iter().take(VERDICTS);
    let entries = changes.map(|(report, VerdictChange { before, check })| {
        let verdicts =
            before.iter().chain([&check.verdict]).map(|verdict| verdict_name(t, *verdict));
        let page = asked.page(&format!("/source/{}", report.source.slug));
        let decided = [&check.matched_rule, &check.tdm_signal];
        let decided: Vec<&str> = decided.into_iter().flatten().map(String::as_str).collect();
        Entry {
            // A source may have changed twice within a second, but not to the same verdict.
            id: format!("{page}#{}-{}", check.at, check.verdict.as_str()),
            title: Text::plain(plain(&format!(
                "{}: {}",
                source_name(report, snapshot.newsroom(report.source.newsroom)),
                verdicts.collect::<Vec<_>>().join(" → ")
            ))),
            links: vec![link("alternate", "text/html", page)],
            published: Some(time(check.at)),
            updated: time(check.at),
            summary: Some(Text::plain(plain(&format!("{} {}", check.reason, decided.join("; "))))),
            ..Entry::default()
        }
    });
    Feed {
        title: Text::plain(format!("{} – {}", t.site, t.verdict_feed)),
        subtitle: Some(Text::plain(t.sources_lede)),
        links: vec![
            link("self", ATOM, asked.page("/compliance.atom")),
            link("alternate", "text/html", asked.page("/sources")),
        ],
        entries: entries.collect(),
        ..feed(asked, "/compliance.atom", snapshot.board.at)
    }
    .to_string()
}

/// Every recorded change of a verdict as CSV, newest first.
#[must_use]
pub fn verdicts_csv(snapshot: &Snapshot) -> String {
    let mut csv = row([
        "at",
        "source",
        "newsroom",
        "url",
        "before",
        "verdict",
        "reason",
        "matched_rule",
        "tdm_signal",
        "robots_url",
        "robots_status",
        "robots_sha256",
        "user_agent",
        "valid_until",
    ]);
    for (report, VerdictChange { before, check }) in snapshot.verdict_changes() {
        let newsroom = snapshot.newsroom(report.source.newsroom);
        csv += &line([
            iso(check.at),
            report.source.slug.clone(),
            newsroom.map(|newsroom| newsroom.name.clone()).unwrap_or_default(),
            check.url.clone(),
            before.map_or("", Verdict::as_str).to_owned(),
            check.verdict.as_str().to_owned(),
            check.reason.clone(),
            check.matched_rule.clone().unwrap_or_default(),
            check.tdm_signal.clone().unwrap_or_default(),
            check.robots_url.clone(),
            check.robots_status.map(|status| status.to_string()).unwrap_or_default(),
            check.robots_sha256.clone().unwrap_or_default(),
            check.user_agent.clone(),
            iso(check.valid_until),
        ]);
    }
    csv
}

fn line<const N: usize>(cells: [String; N]) -> String {
    row(cells.each_ref().map(String::as_str))
}

/// "Newsroom – section".
pub(crate) fn source_name(report: &SourceReport, newsroom: Option<&Newsroom>) -> String {
    let newsroom = newsroom.map_or(report.source.slug.as_str(), |newsroom| &newsroom.name);
    match report.source.section.as_str() {
        "" => newsroom.to_owned(),
        section => format!("{newsroom} – {section}"),
    }
}

pub(crate) const ATOM: &str = "application/atom+xml";
pub(crate) const JSON: &str = "application/feed+json";
pub(crate) const OPML: &str = "text/x-opml";

fn feed(asked: &Asked, path: &str, at: UnixSeconds) -> Feed {
    let site = asked.locale.texts().site;
    Feed {
        id: asked.here(path),
        updated: time(at),
        authors: vec![Person {
            name: site.to_owned(),
            uri: Some(asked.page("/")),
            ..Person::default()
        }],
        generator: Some(Generator {
            value: site.to_owned(),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            uri: None,
        }),
        lang: Some(asked.locale.code().to_owned()),
        ..Feed::default()
    }
}

fn link(rel: &str, mime_type: &str, href: String) -> Link {
    Link { rel: rel.to_owned(), mime_type: Some(mime_type.to_owned()), href, ..Link::default() }
}

fn time(at: UnixSeconds) -> FixedDateTime {
    utc(at).fixed_offset()
}
