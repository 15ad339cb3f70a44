//! The personalised feed: the posts of chosen channels in one ranking, repetitions folded, like next
//! to unlike, with topics.
//!
//! In reading order: [`page`] reads, with [`count`]ers and [`words`]; [`quality`] and freshness give the
//! score; [`duplicates`] are folded; [`vectors`] say what is alike; [`place`] keeps it apart;
//! [`topics`] group it; `answer` writes, and [`view`] shows.
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
use rustc_hash::FxHashMap;

use crate::{heat::positive, hours};
use page::{Channel, Post, Skipped};
use place::Candidate;
use vectors::Vectors;

pub use view::view;

/// The answer to a request, and what of the pages did not go into it.
#[derive(Debug)]
pub struct Built {
    /// `{"channels": […], "posts": […]}`: the channels as their pages have them, and the posts in order,
    /// each as its page has it, with `channel` (a username), `_score`, and where they apply
    /// `_duplicates` (`channel`, `id`, `url`, `_score` of each) and `_topic` (`id`, `keywords`).
    pub json: Vec<u8>,
    pub skipped: Vec<Skipped>,
}

/// Builds the feed of some channels from their pages' JSON.
#[must_use]
pub fn build_feed<P: AsRef<[u8]> + Sync>(
    pages: &[P],
    params: &FeedParams,
    now: UnixSeconds,
) -> Built {
    let feed = rank(pages, params, now);
    Built { json: feed.to_json(), skipped: feed.skipped }
}

/// A ranked feed.
#[derive(Debug)]
pub struct Feed<'a> {
    pub channels: Vec<Channel<'a>>,
    pub entries: Vec<Entry<'a>>,
    /// Keywords of each topic of two posts or more.
    pub topics: Vec<Vec<String>>,
    pub skipped: Vec<Skipped>,
}

/// A post in its place.
#[derive(Debug)]
pub struct Entry<'a> {
    pub ranked: Ranked<'a>,
    /// Those that repeat its text, the best first.
    pub duplicates: Vec<Ranked<'a>>,
    /// Number in [`Feed::topics`].
    pub topic: Option<u32>,
}

/// A post and why it has its score.
#[derive(Debug)]
pub struct Ranked<'a> {
    pub post: Post<'a>,
    pub quality: Quality,
    pub freshness: f64,
    /// In [0, 10].
    pub score: f64,
}

/// Ranks the posts of some channels' pages. Posts of equal scores stand by time, the newest first, then
/// by channel and identity.
#[must_use]
pub fn rank<'a, P: AsRef<[u8]> + Sync>(
    pages: &'a [P],
    params: &FeedParams,
    now: UnixSeconds,
) -> Feed<'a> {
    let page::Pages { channels, posts, skipped } = page::read(pages, params.language.as_deref());
    let mut ranked: Vec<Ranked<'a>> =
        posts.into_iter().map(|post| Ranked::new(post, params, now)).collect();
    ranked.par_sort_by(|a, b| {
        let key = |ranked: &Ranked<'a>| {
            (Reverse(ranked.post.at), &*channels[ranked.post.channel as usize].username)
        };
        b.score.total_cmp(&a.score).then_with(|| {
            key(a).cmp(&key(b)).then_with(|| (a.post.id, a.post.raw).cmp(&(b.post.id, b.post.raw)))
        })
    });

    let firsts = firsts(&ranked, params);
    let words: Vec<&[words::Stem]> =
        ranked.iter().map(|ranked| ranked.post.words.as_slice()).collect();
    let vectors = Vectors::of(&words);
    let candidates: Vec<Candidate> = (0..)
        .zip(&ranked)
        .filter(|(row, _)| firsts[*row as usize] == *row)
        .map(|(row, ranked)| Candidate { row, channel: ranked.post.channel, score: ranked.score })
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
    let mut waiting: Vec<Option<Ranked<'a>>> = ranked.into_iter().map(Some).collect();
    let mut duplicates = FxHashMap::<u32, Vec<Ranked<'a>>>::default();
    for (row, &first) in (0..).zip(&firsts) {
        if first != row {
            duplicates.entry(first).or_default().extend(waiting[row as usize].take());
        }
    }
    let entries = rows
        .into_iter()
        .filter_map(|row| {
            Some(Entry {
                ranked: waiting[row as usize].take()?,
                duplicates: duplicates.remove(&row).unwrap_or_default(),
                topic: topic_of.get(&row).copied(),
            })
        })
        .collect();
    Feed { channels, entries, topics: keywords, skipped }
}

/// Per post the best one that it repeats, itself where it repeats none.
fn firsts(ranked: &[Ranked<'_>], params: &FeedParams) -> Vec<u32> {
    if !params.collapse {
        return (0..ranked.len() as u32).collect();
    }
    let prints: Vec<Option<duplicates::Print>> =
        ranked.par_iter().map(|ranked| duplicates::Print::of(&ranked.post.words)).collect();
    duplicates::groups(&prints)
}

impl<'a> Ranked<'a> {
    /// score = 10 · quality · (0.1 + 0.9 · freshness).
    fn new(post: Post<'a>, params: &FeedParams, now: UnixSeconds) -> Self {
        let quality = post.signals.quality();
        let freshness = freshness(post.at, params.half_life_hours, now);
        let score = 10.0 * quality.total() * (0.1 + 0.9 * freshness);
        Self { post, quality, freshness, score: score.clamp(0.0, 10.0) }
    }
}

/// 0.5 ^ (age / half-life). A post of the future has no age; one that does not say its time is old.
#[must_use]
pub fn freshness(at: Option<UnixSeconds>, half_life_hours: f64, now: UnixSeconds) -> f64 {
    at.map_or(0.0, |at| 0.5_f64.powf(hours(at, now).max(0.0) / positive(half_life_hours)))
}
