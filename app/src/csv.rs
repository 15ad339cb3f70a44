//! The data of charts and tables as CSV (RFC 4180, UTF-8, times in UTC).

mod tables;

use model::{Event, Factor, Factors, Model, Snapshot, UnixSeconds};

use crate::i18n::iso;
use crate::parts::plain;

pub use tables::{desk, newsrooms, videos};

/// Each stretch of time that an item held a place in its newsroom's feed.
#[must_use]
pub fn positions(event: &Event, snapshot: &Snapshot) -> String {
    let mut csv =
        row(["newsroom", "source", "item", "title", "from", "until", "position", "feed_length"]);
    for item in &event.items {
        let newsroom = snapshot.newsroom(item.newsroom).map_or("", |newsroom| &newsroom.slug);
        for place in &item.places {
            let source = snapshot.source(place.source).map_or("", |report| &report.source.slug);
            csv += &row([
                newsroom,
                source,
                &item.id.to_string(),
                &item.title,
                &iso(place.from),
                &iso(place.until),
                &place.position.to_string(),
                &place.length.to_string(),
            ]);
        }
    }
    csv
}

/// One line per newsroom, in order of mention.
#[must_use]
pub fn mentions(event: &Event, snapshot: &Snapshot) -> String {
    let mut csv = row([
        "newsrooms",
        "newsroom",
        "name",
        "owner",
        "country",
        "at",
        "backfill",
        "weight",
        "best_position",
        "feed_length",
        "standing_hours",
        "copy",
        "item",
    ]);
    for (index, mention) in event.mentions.iter().enumerate() {
        let newsroom = snapshot.newsroom(mention.newsroom);
        csv += &row([
            &(index + 1).to_string(),
            newsroom.map_or("", |newsroom| &newsroom.slug),
            newsroom.map_or("", |newsroom| &newsroom.name),
            newsroom.and_then(|newsroom| newsroom.owner.as_deref()).unwrap_or_default(),
            newsroom.map_or("", |newsroom| &newsroom.country),
            &iso(mention.at),
            &mention.backfill.to_string(),
            &mention.weight.to_string(),
            &mention.best_position.to_string(),
            &mention.feed_length.to_string(),
            &mention.standing_hours.to_string(),
            &mention.copy.to_string(),
            &mention.item.to_string(),
        ]);
    }
    csv
}

/// The five factors and their product at the board's moment.
#[must_use]
pub fn heat(event: &Event, at: UnixSeconds, model: &Model) -> String {
    let at = iso(at);
    let mut csv = row(["model", "at", "factor", "value"]);
    for factor in Factor::ALL {
        let value = factor.of(&event.factors).to_string();
        csv += &row([model.name.as_str(), &at, factor.as_str(), &value]);
    }
    csv + &row([model.name.as_str(), &at, "heat", &event.heat.to_string()])
}

/// The five factors and their product at every recompute of `scores`.
#[must_use]
pub fn scores(scores: &[(UnixSeconds, Factors, u32)], model: &Model) -> String {
    let mut csv = row([
        "model",
        "at",
        "heat",
        "breadth",
        "velocity",
        "priority",
        "persistence",
        "decay",
        "newsrooms",
    ]);
    for (at, factors, newsrooms) in scores {
        let [breadth, velocity, priority, persistence, decay] =
            Factor::ALL.map(|factor| factor.of(factors).to_string());
        csv += &row([
            &model.name,
            &iso(*at),
            &factors.heat().to_string(),
            &breadth,
            &velocity,
            &priority,
            &persistence,
            &decay,
            &newsrooms.to_string(),
        ]);
    }
    csv
}

pub(crate) fn row<const N: usize>(cells: [&str; N]) -> String {
    cells.map(cell).join(",") + "\r\n"
}

/// Quoted where needed, without control and direction marks; a text that a spreadsheet would take for
/// a formula starts with an apostrophe instead.
fn cell(text: &str) -> String {
    let text = plain(text);
    let formula = text.starts_with(['=', '+', '-', '@']) && text.parse::<f64>().is_err();
    let text = if formula { format!("'{text}") } else { text };
    if text.contains([',', '"']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn cells_are_quoted_and_never_formulas() {
        for (text, expected) in [
            ("plain", "plain"),
            ("a, b", "\"a, b\""),
            ("say \"so\"", "\"say \"\"so\"\"\""),
            ("=HYPERLINK(1)", "'=HYPERLINK(1)"),
            ("@x", "'@x"),
            ("\t=1+1", "'=1+1"),
            ("a\r\nb\u{202e}c", "abc"),
            ("-0.5", "-0.5"),
            ("", ""),
        ] {
            assert_eq!(cell(text), expected);
        }
    }

    #[test]
    fn every_chart_has_its_numbers() {
        let snapshot = fixture::snapshot();
        let event = &snapshot.board.events[0];
        let mentions = mentions(event, &snapshot);
        assert_eq!(mentions.lines().count(), 1 + event.mentions.len());
        assert!(mentions.contains("1,agentura-a,Agentura A,"), "{mentions}");
        let places: usize = event.items.iter().map(|item| item.places.len()).sum();
        assert_eq!(positions(event, &snapshot).lines().count(), 1 + places);
        let heat = heat(event, snapshot.board.at, &snapshot.model);
        assert!(heat.contains(",breadth,4\r\n"), "{heat}");
        assert!(heat.ends_with(&format!(",heat,{}\r\n", event.heat)), "{heat}");
    }
}
