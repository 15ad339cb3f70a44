//! The newsrooms as configuration for the service that reads them.

use std::fmt::Write;

use crate::cast::{CHANNEL_SERVICE, CHANNEL_SERVICE_PATH, Feed, Format, Newsroom};
use crate::plan::Plan;
use crate::render::{feed_url, homepage};

/// The text of a `sources.toml` that lists all newsrooms, served at `port`.
#[must_use]
pub fn sources_toml(plan: &Plan, port: u16) -> String {
    let mut out = format!(
        "# Invented newsrooms, served on loopback for demonstration.\n\n\
         [[service]]\nslug = \"{CHANNEL_SERVICE}\"\n\
         base = \"http://{CHANNEL_SERVICE}.localhost:{port}{CHANNEL_SERVICE_PATH}\"\n"
    );
    for newsroom in plan.newsrooms() {
        // Writing to a String cannot fail.
        let _ = write_newsroom(&mut out, newsroom, port);
    }
    out
}

fn write_newsroom(out: &mut String, newsroom: &Newsroom, port: u16) -> std::fmt::Result {
    writeln!(out, "\n[[newsroom]]")?;
    writeln!(out, "slug = \"{}\"", newsroom.slug)?;
    writeln!(out, "name = \"{}\"", newsroom.name)?;
    writeln!(out, "homepage = \"{}\"", homepage(newsroom, port))?;
    if let Some(owner) = newsroom.owner {
        writeln!(out, "owner = \"{owner}\"")?;
    }
    writeln!(out, "country = \"{}\"", newsroom.country)?;
    writeln!(out, "language = \"{}\"", newsroom.language.code())?;
    writeln!(out, "timezone = \"{}\"", newsroom.timezone)?;
    if newsroom.is_agency() {
        writeln!(out, "weight = 0.5")?;
        writeln!(out, "weight_reason = \"Wire agency: others reprint its copy.\"")?;
    }
    for feed in newsroom.sources() {
        writeln!(out, "[[newsroom.source]]")?;
        writeln!(out, "slug = \"{}\"", source_slug(newsroom, feed))?;
        if !feed.section.is_empty() {
            writeln!(out, "section = \"{}\"", feed.section)?;
        }
        if feed.hosted {
            writeln!(out, "service = \"{CHANNEL_SERVICE}\"\nchannel = \"{}\"", newsroom.slug)?;
            continue;
        }
        writeln!(out, "url = \"{}\"", feed_url(newsroom, feed, port))?;
        match feed.format {
            Format::Video => writeln!(out, "kind = \"video\"")?,
            Format::Channel => writeln!(out, "kind = \"channel\"")?,
            _ => {}
        }
    }
    Ok(())
}

/// The newsroom's own for its only feed, else with a word behind it: `denik-obzor-domaci` of
/// `/rss/domaci.xml`.
pub(crate) fn source_slug(newsroom: &Newsroom, feed: &Feed) -> String {
    if feed.section.is_empty() {
        return newsroom.slug.to_owned();
    }
    let name = feed.path.rsplit('/').next().unwrap_or_default();
    let word = name.split('.').next().unwrap_or_default();
    format!("{}-{word}", newsroom.slug)
}

/// Feeds and channels that must never be requested: robots.txt or tdmrep.json say so, or robots.txt cannot be
/// read. A reservation that only the feed's own header tells is not among them.
#[must_use]
pub fn forbidden_feeds(plan: &Plan, port: u16) -> Vec<String> {
    plan.newsrooms()
        .iter()
        .filter(|newsroom| newsroom.robots.forbids())
        .flat_map(|newsroom| newsroom.sources().map(move |feed| feed_url(newsroom, feed, port)))
        .collect()
}
