//! What stands in each feed, and where, over time.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::cast::{Feed, Newsroom, Order};
use crate::happening::mix;
use crate::plan::{HOUR, MINUTE, Story};

/// Nothing stands in a feed for longer than this.
const LONGEST_STAY: i64 = 60 * HOUR;
/// An editor looks at an ordered front page this often.
const FRONT_PAGE_TICK: i64 = 30 * MINUTE;
/// Importance on a front page halves in this time.
const FRONT_PAGE_HALF_LIFE_HOURS: f64 = 9.0;
/// A pinned story stays on top for this long.
const PINNED_FOR: i64 = 5 * HOUR;
/// Importance from which a story may be pinned.
const PINNED_IMPORTANCE: f64 = 1.6;
/// View counters are refreshed this often.
const VIEWS_TICK: i64 = 30 * MINUTE;
/// Views reach two thirds of their final number in this time.
const VIEWS_HOURS: f64 = 14.0;
/// Share of subscribers who look at whatever there is.
const LOYAL: f64 = 1.0 / 60.0;

/// A feed's content from `at` until the next listing.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    pub at: i64,
    pub entries: Vec<Entry>,
}

#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub story: Arc<Story>,
    /// Index into the story's wordings.
    pub wording: usize,
    pub views: Option<u64>,
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        (self.story.id, self.wording, self.views) == (other.story.id, other.wording, other.views)
    }
}

/// All listings that begin within one day, by newsroom and feed.
#[derive(Debug)]
pub(crate) struct Listings(Vec<Vec<Vec<Arc<Listing>>>>);

impl Listings {
    /// `stories` are those of that day and of as many days before it as a story may stand.
    pub fn of_day(newsrooms: &[Newsroom], stories: &[Arc<Story>], from: i64, until: i64) -> Self {
        let of_newsroom = |(index, newsroom): (usize, &Newsroom)| {
            let own: Vec<_> = stories.iter().filter(|story| story.newsroom == index).collect();
            newsroom.sources().map(|feed| of_feed(feed, &own, from, until)).collect()
        };
        Self(newsrooms.iter().enumerate().map(of_newsroom).collect())
    }

    /// The listing that stands at `at`; `None` when it began on an earlier day.
    pub fn at(&self, newsroom: usize, feed: usize, at: i64) -> Option<Arc<Listing>> {
        let listings = self.0.get(newsroom)?.get(feed)?;
        let after = listings.partition_point(|listing| listing.at <= at);
        listings.get(after.checked_sub(1)?).cloned()
    }
}

fn of_feed(feed: &Feed, stories: &[&Arc<Story>], from: i64, until: i64) -> Vec<Arc<Listing>> {
    let stories: Vec<_> = stories.iter().copied().filter(|s| feed.lists(s.topic)).collect();
    let mut moments = BTreeSet::new();
    for story in &stories {
        moments.extend(story.wordings.iter().map(|wording| wording.at));
        moments.insert(story.published + LONGEST_STAY);
        if feed.order == Order::Pinned {
            moments.insert(story.published + PINNED_FOR);
        }
    }
    let tick = match feed.order {
        Order::Importance => Some(FRONT_PAGE_TICK),
        Order::Newest | Order::Pinned => (feed.subscribers > 0).then_some(VIEWS_TICK),
    };
    if let Some(tick) = tick {
        let ticks = (until - from) / tick;
        moments.extend((0..=ticks).map(|n| (from / tick + n) * tick));
    }
    let mut listings: Vec<Arc<Listing>> = Vec::new();
    let mut before = entries(feed, &stories, from - 1);
    for moment in moments.range(from..until) {
        let entries = entries(feed, &stories, *moment);
        if entries != before {
            before.clone_from(&entries);
            listings.push(Arc::new(Listing { at: *moment, entries }));
        }
    }
    listings
}

fn entries(feed: &Feed, stories: &[&Arc<Story>], at: i64) -> Vec<Entry> {
    let mut standing: Vec<&Arc<Story>> = stories
        .iter()
        .copied()
        .filter(|story| story.published <= at && at < story.published + LONGEST_STAY)
        .collect();
    standing.sort_by_key(|story| (std::cmp::Reverse(story.published), story.id));
    match feed.order {
        Order::Newest => {}
        Order::Importance => {
            // Between ticks a new story enters by its weight at the last tick.
            let tick = at - at.rem_euclid(FRONT_PAGE_TICK);
            standing.sort_by(|a, b| weight(b, tick).total_cmp(&weight(a, tick)));
        }
        Order::Pinned => {
            let fresh = standing.iter().enumerate().filter(|(_, story)| {
                at < story.published + PINNED_FOR && story.importance >= PINNED_IMPORTANCE
            });
            let top = fresh.max_by(|(_, a), (_, b)| a.importance.total_cmp(&b.importance));
            if let Some((index, _)) = top {
                let story = standing.remove(index);
                standing.insert(0, story);
            }
        }
    }
    standing.truncate(feed.length);
    let entry = |story: &Arc<Story>| Entry {
        wording: story.wordings.iter().rposition(|wording| wording.at <= at).unwrap_or(0),
        views: (feed.subscribers > 0).then(|| views(story, feed.subscribers, at)),
        story: Arc::clone(story),
    };
    standing.into_iter().map(entry).collect()
}

/// A story climbs while its weight becomes known, then fades; a changed title brings it back up.
fn weight(story: &Story, tick: i64) -> f64 {
    let hours = |since: i64| (tick - since).max(0) as f64 / HOUR as f64;
    let touched = story.wordings.iter().rfind(|wording| wording.at <= tick);
    let age = hours(touched.map_or(story.published, |wording| wording.at));
    let known = (0.5 + hours(story.published) / 3.0).min(1.0);
    story.importance * known * 0.5_f64.powf(age / FRONT_PAGE_HALF_LIFE_HOURS)
}

/// Views so far: they rush in, then fade.
fn views(story: &Story, subscribers: u32, at: i64) -> u64 {
    let tick = at - at.rem_euclid(VIEWS_TICK);
    let hours = (tick - story.published).max(0) as f64 / HOUR as f64;
    let appeal = 1.0 + (mix(story.id) % 1_000) as f64 / 100.0;
    let loyal = f64::from(subscribers) * LOYAL;
    let finally = loyal * appeal * story.importance * story.importance;
    (finally * (1.0 - (-hours / VIEWS_HOURS).exp())) as u64
}
