//! The personalised feed: the posts of chosen channels in one ranking, repetitions folded, like next
//! to unlike, with topics.
//!
//! In reading order: [`page`] reads, with [`count`]ers and [`words`]; [`quality`] and freshness give the
//! score; [`duplicates`] are folded; [`vectors`] say what is alike; [`place`] keeps it apart;
//! [`topics`] group it; `answer` writes, and [`view`] shows. [`build_feed`] does it all; who keeps
//! pages that were read calls [`rank`].
//!
//! Nothing depends on the order of the pages but the order of the channels in the answer
//! (`tests/feed.rs: the_order_of_pages_does_not_change_the_ranking`).

mod answer;
pub mod count;
pub mod duplicates;
pub mod page;
pub mod place;
pub mod quality;
pub mod topics;
pub mod vectors;
mod view;
pub mod words;

use std::cmp::Reverse;

use model::{FeedParams, Quality, UnixSeconds};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{heat::positive, hours};
use page::{Channel, Page, Post};
use place::Candidate;
use vectors::Vectors;

pub use view::view;

/// The answer to a request, and what of the pages did not go into it.
#[derive(Debug)]
pub struct Built {
    /// See [`Feed::to_json`].
    pub json: Vec<u8>,
    pub skipped: Vec<Skipped>,
}

/// What was not read, for the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// Number of the page among those given.
    pub page: usize,
    /// Number of the post on it; `None` for the whole page.
    pub post: Option<u32>,
    pub reason: String,
}

/// Builds the feed of some channels from their pages' JSON.
#[must_use]
pub fn build_feed<P: AsRef<[u8]> + Sync>(
    pages: &[P],
    params: &FeedParams,
    now: UnixSeconds,
) -> Built {
    let parsed: Vec<serde_json::Result<Page<'_>>> =
        pages.par_iter().map(|page| Page::read(page.as_ref())).collect();
    let (mut read, mut numbers, mut skipped) = (Vec::new(), Vec::new(), Vec::new());
    for (page, parsed) in parsed.into_iter().enumerate() {
        match parsed {
            Ok(mut parsed) => {
                let unread = std::mem::take(&mut parsed.skipped).into_iter();
                skipped.extend(unread.map(|(post, reason)| Skipped {
                    page,
                    post: Some(post),
                    reason,
                }));
                numbers.push(page);
                read.push(parsed);
            }
            Err(error) => skipped.push(Skipped { page, post: None, reason: page::told(&error) }),
        }
    }
    let feed = rank(&read.iter().collect::<Vec<_>>(), params, now);
    skipped.extend(feed.repeated.iter().map(|&number| {
        let reason = format!("the channel {} was there already", read[number].channel.username);
        Skipped { page: numbers[number], post: None, reason }
    }));
    Built { json: feed.to_json(), skipped }
}

/// A ranked feed.
#[derive(Debug)]
pub struct Feed<'p> {
    pub channels: Vec<&'p Channel<'p>>,
    pub entries: Vec<Entry<'p>>,
    /// Keywords of each topic of two posts or more.
    pub topics: Vec<Vec<String>>,
    /// Numbers of pages that are not in it: a page before them is of the same channel.
    pub repeated: Vec<usize>,
}

/// A post in its place.
#[derive(Debug)]
pub struct Entry<'p> {
    pub ranked: Ranked<'p>,
    /// Those that repeat its text, the best first.
    pub duplicates: Vec<Ranked<'p>>,
    /// Number in [`Feed::topics`].
    pub topic: Option<u32>,
}

/// A post and why it has its score.
#[derive(Clone, Copy, Debug)]
pub struct Ranked<'p> {
    pub post: &'p Post<'p>,
    /// Number in [`Feed::channels`].
    pub channel: u32,
    /// Number on its page.
    pub number: u32,
    pub quality: Quality,
    pub freshness: f64,
    /// In [0, 10].
    pub score: f64,
}

/// Ranks the posts of some channels' pages. Posts of equal scores stand by time, the newest first, then
/// by channel and identity.
#[must_use]
pub fn rank<'p>(pages: &[&'p Page<'p>], params: &FeedParams, now: UnixSeconds) -> Feed<'p> {
    let (mut channels, mut bags, mut repeated) = (Vec::new(), Vec::new(), Vec::new());
    let mut ranked: Vec<Ranked<'p>> = Vec::new();
    let mut usernames = FxHashSet::default();
    for (number, page) in pages.iter().enumerate() {
        if !usernames.insert(page.channel.username.to_lowercase()) {
            repeated.push(number);
            continue;
        }
        let channel = channels.len() as u32;
        channels.push(&page.channel);
        bags.push(&page.bags);
        let wanted = |post: &Post<'_>| {
            params.language.as_deref().is_none_or(|language| post.may_be_in(language))
        };
        let posts = (0..).zip(&page.posts).filter(|(_, post)| wanted(post));
        ranked.extend(posts.map(|(number, post)| {
            let (quality, freshness, score) = scored(post, params, now);
            Ranked { post, channel, number, quality, freshness, score }
        }));
    }
    ranked.par_sort_by(|a, b| {
        let key = |ranked: &Ranked<'p>| {
            (Reverse(ranked.post.at), &*channels[ranked.channel as usize].username)
        };
        b.score.total_cmp(&a.score).then_with(|| {
            key(a).cmp(&key(b)).then_with(|| (a.post.id, a.post.raw).cmp(&(b.post.id, b.post.raw)))
        })
    });

    let firsts = firsts(&ranked, params);
    let texts = ranked.iter().map(|ranked| (ranked.channel, ranked.number)).collect();
    let vectors = Vectors::of(&bags, texts);
    let candidates: Vec<Candidate> = (0..)
        .zip(&ranked)
        .filter(|(row, _)| firsts[*row as usize] == *row)
        .map(|(row, ranked)| Candidate { row, channel: ranked.channel, score: ranked.score })
        .collect();
    let placed = place::place(&candidates, &vectors, params.diversity, params.limit as usize);
    let rows: Vec<u32> = placed.iter().map(|&number| candidates[number as usize].row).collect();
    let topics: Vec<topics::Topic> = topics::topics(&rows, &vectors)
        .into_iter()
        .filter(|topic| topic.members.len() > 1)
        .collect();
    let keywords = topics
        .par_iter()
        .map(|topic| {
            let texts = topic.members.iter().map(|&row| &*ranked[row as usize].post.text);
            topic.keywords(&vectors, texts).into_iter().map(str::to_owned).collect()
        })
        .collect();

    let mut topic_of = FxHashMap::default();
    for (number, topic) in (0..).zip(&topics) {
        topic_of.extend(topic.members.iter().map(|&row| (row, number)));
    }
    let mut duplicates = FxHashMap::<u32, Vec<Ranked<'p>>>::default();
    for ((row, &first), ranked) in (0..).zip(&firsts).zip(&ranked) {
        if first != row {
            duplicates.entry(first).or_default().push(*ranked);
        }
    }
    let entries = rows
        .into_iter()
        .map(|row| Entry {
            ranked: ranked[row as usize],
            duplicates: duplicates.remove(&row).unwrap_or_default(),
            topic: topic_of.get(&row).copied(),
        })
        .collect();
    Feed { channels, entries, topics: keywords, repeated }
}

/// Per post the best one that it repeats, itself where it repeats none.
fn firsts(ranked: &[Ranked<'_>], params: &FeedParams) -> Vec<u32> {
    if !params.collapse {
        return (0..ranked.len() as u32).collect();
    }
    let prints: Vec<Option<&duplicates::Print>> =
        ranked.iter().map(|ranked| ranked.post.print.as_ref()).collect();
    duplicates::groups(&prints)
}

/// Quality, freshness and score = 10 · quality · (0.1 + 0.9 · freshness).
fn scored(post: &Post<'_>, params: &FeedParams, now: UnixSeconds) -> (Quality, f64, f64) {
    let quality = post.signals.quality();
    let freshness = freshness(post.at, params.half_life_hours, now);
    let score = 10.0 * quality.total() * (0.1 + 0.9 * freshness);
    (quality, freshness, score.clamp(0.0, 10.0))
}

/// 0.5 ^ (age / half-life). A clock may be wrong by a day: a post of so near a future has no age. One
/// that does not say its time, or a time that is not believed, is old.
#[must_use]
pub fn freshness(at: Option<UnixSeconds>, half_life_hours: f64, now: UnixSeconds) -> f64 {
    const AHEAD_HOURS: f64 = 24.0;
    let age = at.map(|at| hours(at, now)).filter(|age| *age >= -AHEAD_HOURS);
    age.map_or(0.0, |age| 0.5_f64.powf(age.max(0.0) / positive(half_life_hours)))
}
