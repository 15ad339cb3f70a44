//! The ranked posts, each with the reason for its place.

use leptos::prelude::*;
use model::{FeedEntry, FeedParams, LEDE_CHARS, Quality, RankedFeed, RankedPost, hours_between};

use super::picker::{Offer, to};
use super::query::{FeedQuery, topic_word};
use crate::context::{Visit, address};
use crate::parts::{moment, near, outward, split, title};

/// Repeated posts that are named before they are unfolded.
const NAMED: usize = 3;
/// Topics offered above the posts.
const TOPICS: usize = 16;

/// What a channel is called, and the language in which it writes.
struct Channel<'a> {
    name: &'a str,
    language: &'a str,
}

/// The channels of a feed in its order.
struct Channels<'a>(Vec<Channel<'a>>);

impl<'a> Channels<'a> {
    fn of(feed: &'a RankedFeed, offers: &'a [Offer]) -> Self {
        let channel = |slug: &'a String| {
            let offer = offers.iter().find(|offer| offer.slug() == slug);
            let language = offer.and_then(|offer| Some(offer.newsroom?.language.as_str()));
            Channel {
                name: offer.map_or(slug, |offer| &offer.name),
                language: language.unwrap_or_default(),
            }
        };
        Self(feed.channels.iter().map(channel).collect())
    }

    fn get(&self, post: &RankedPost) -> &Channel<'a> {
        const NONE: Channel = Channel { name: "", language: "" };
        self.0.get(post.channel as usize).unwrap_or(&NONE)
    }
}

pub(super) fn posts(v: &Visit, query: &FeedQuery, feed: &RankedFeed, offers: &[Offer]) -> AnyView {
    let t = &v.t.feed_page;
    let channels = Channels::of(feed, offers);
    let shown: Vec<&FeedEntry> = feed.entries.iter().filter(|it| query.admits(it, feed)).collect();
    let rows = shown.iter().map(|entry| row(v, query, feed, entry, &channels));
    let list = if shown.is_empty() {
        let all = query.topic.is_some().then(|| {
            let href = to(v, &FeedQuery { topic: None, ..query.clone() });
            view! { <p><a href=href>{v.t.without_filters}</a></p> }
        });
        view! {
            <section class="empty">
                <h2>{t.nothing}</h2>
                <p>{t.nothing_text}</p>
                {all}
            </section>
        }
        .into_any()
    } else {
        view! { <ol class="posts">{rows.collect_view()}</ol> }.into_any()
    };
    let formats = [("Atom", "/feed.atom"), ("JSON Feed", "/feed.json"), ("OPML", "/feed.opml")];
    let formats = formats.map(|(name, path)| {
        let href = address(&v.locale.path(path), &query.params());
        let download = path.ends_with(".opml").then_some("ohlas.opml");
        view! { <a href=href download=download>{name}</a> }
    });
    view! {
        <section id="posts" aria-label=t.ranked>
            {failures(v, feed, offers)}
            <div class="bar">
                <p role="status">
                    <b>{(t.posts)(shown.len() as i64)}</b> " "
                    {(t.from_channels)(feed.channels.len() as u32)} ", " {moment(v, feed.at)}
                </p>
                <nav class="tabs" aria-label=t.subscribe>
                    <span aria-hidden="true">{t.subscribe} ":"</span>
                    {formats.into_iter().collect_view()}
                </nav>
            </div>
            {topics(v, query, feed)}
            {list}
        </section>
    }
    .into_any()
}

/// Topics as filters, of most posts first; the one that is chosen leads back to all.
fn topics(v: &Visit, query: &FeedQuery, feed: &RankedFeed) -> Option<AnyView> {
    let t = v.t;
    let mut counts: Vec<(&str, i64)> = Vec::new();
    for word in feed.entries.iter().filter_map(|entry| topic_word(entry, feed)) {
        match counts.iter_mut().find(|(known, _)| *known == word) {
            Some((_, count)) => *count += 1,
            None => counts.push((word, 1)),
        }
    }
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let chosen = |word: &str| query.topic.as_deref() == Some(word);
    let shown = counts.iter().enumerate().filter(|(n, (word, _))| *n < TOPICS || chosen(word));
    let links = shown.map(|(_, &(word, count))| {
        let here = chosen(word);
        let topic = (!here).then(|| word.to_owned());
        let href = to(v, &FeedQuery { topic, ..query.clone() });
        let current = here.then_some("true");
        view! {
            <li>
                <a href=href aria-current=current title=(t.feed_page.posts)(count)>
                    <bdi>{word.to_owned()}</bdi> " " <small>{v.locale.integer(count)}</small>
                </a>
            </li>
        }
    });
    (!counts.is_empty()).then(|| {
        view! {
            <nav class="topics" aria-label=t.topics>
                <span aria-hidden="true">{t.topics} ":"</span>
                <ul>{links.collect_view()}</ul>
            </nav>
        }
        .into_any()
    })
}

fn row(
    v: &Visit,
    query: &FeedQuery,
    feed: &RankedFeed,
    entry: &FeedEntry,
    channels: &Channels,
) -> AnyView {
    let post = &entry.post;
    let channel = channels.get(post);
    let (heading, lede) = split(&post.text, LEDE_CHARS);
    let lede = (!lede.is_empty())
        .then(|| view! { <p class="perex">{title(v, &lede, channel.language)}</p> });
    let heading = title(v, &heading, channel.language);
    let link = post.url.as_deref().unwrap_or_default();
    let time = post.at.map(|at| view! { " · " {near(v, at)} });
    view! {
        <li>
            <h2>{outward(heading, link)}</h2>
            {lede}
            <div class="reasons">
                <p class="facts">{channel.name.to_owned()} {time}</p>
                {why(v, post, &query.params, feed)} {repeated(v, entry, channels)}
            </div>
        </li>
    }
    .into_any()
}

/// The score's formula with the post's own numbers put in.
fn why(v: &Visit, post: &RankedPost, params: &FeedParams, feed: &RankedFeed) -> AnyView {
    let (t, l) = (&v.t.feed_page, v.locale);
    let (own, weights) = (&post.quality, &Quality::WEIGHTS);
    let parts = [
        (t.reach, own.reach, weights.reach),
        (t.reactions, own.reactions, weights.reactions),
        (t.text, own.text, weights.text),
        (t.media, own.media, weights.media),
        (t.care, own.care, weights.care),
    ];
    let parts = parts.map(|(name, value, weight)| {
        view! {
            <dt>{name}</dt>
            <dd class="formula">{format!("{} × {}", l.exact(weight), l.decimal(value, 2))}</dd>
        }
    });
    let quality = l.decimal(own.total(), 2);
    let fresh = l.decimal(post.freshness, 2);
    let freshness = match post.at {
        Some(at) => format!(
            "{}^({} / {}) ≐ {fresh}",
            l.exact(0.5),
            l.decimal(hours_between(at, feed.at).max(0.0), 1),
            l.exact(params.half_life_hours),
        ),
        None => format!("{fresh} ({})", t.untimed),
    };
    let score = l.decimal(post.score, 2);
    let formula =
        format!("10 × {quality} × ({} + {} × {fresh}) ≐ {score}", l.exact(0.1), l.exact(0.9),);
    view! {
        <details>
            <summary>{t.score} " " <b>{score}</b></summary>
            <dl>
                {parts.into_iter().collect_view()} <dt>{t.quality}</dt>
                <dd class="formula">{format!("≐ {quality}")}</dd> <dt>{t.freshness}</dt>
                <dd class="formula">{freshness}</dd> <dt>{t.score}</dt>
                <dd class="formula">{formula}</dd>
            </dl>
        </details>
    }
    .into_any()
}

/// Those that repeat the post's text.
fn repeated(v: &Visit, entry: &FeedEntry, channels: &Channels) -> Option<AnyView> {
    let mut names: Vec<&str> = Vec::new();
    for post in &entry.duplicates {
        let name = channels.get(post).name;
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let also_in = (v.t.feed_page.also_in)(names.len());
    let more = names.len().saturating_sub(NAMED);
    let more = (more > 0).then(|| format!(" {}", (v.t.and_more)(more as i64)));
    names.truncate(NAMED);
    let links = entry.duplicates.iter().map(|post| {
        let channel = channels.get(post);
        let (heading, _) = split(&post.text, LEDE_CHARS);
        let heading = title(v, &heading, channel.language);
        let time = post.at.map(|at| view! { ", " {near(v, at)} });
        view! {
            <li>
                {outward(heading, post.url.as_deref().unwrap_or_default())} " "
                <small>{channel.name.to_owned()} {time}</small>
            </li>
        }
    });
    (!names.is_empty()).then(|| {
        view! {
            <details>
                <summary>{also_in} " " {names.join(", ")} {more}</summary>
                <ul>{links.collect_view()}</ul>
            </details>
        }
        .into_any()
    })
}

fn failures(v: &Visit, feed: &RankedFeed, offers: &[Offer]) -> Option<AnyView> {
    let t = &v.t.feed_page;
    let rows = feed.failures.iter().map(|failure| {
        let offer = offers.iter().find(|offer| offer.slug() == failure.channel);
        let name = match offer {
            Some(offer) => {
                let href = v.href(&format!("/source/{}", offer.slug()));
                view! { <a href=href>{offer.name.clone()}</a> }.into_any()
            }
            None => view! { <bdi>{failure.channel.clone()}</bdi> }.into_any(),
        };
        view! {
            <li>
                {name} ": " {(t.trouble)(failure.trouble)} " "
                <small lang="en">{failure.reason.clone()}</small>
            </li>
        }
    });
    (!feed.failures.is_empty()).then(|| {
        view! {
            <div class="notice warn">
                <h2>{t.failures}</h2>
                <ul>{rows.collect_view()}</ul>
            </div>
        }
        .into_any()
    })
}
