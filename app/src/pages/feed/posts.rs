//! The ranked posts, each with the reason for its place.

use leptos::prelude::*;
use model::{
    FeedEntry, FeedParams, LEDE_CHARS, Quality, RankedFeed, RankedPost, UnixSeconds, hours_between,
};

use super::picker::{Offer, to};
use super::query::{FeedQuery, topic_word};
use crate::context::{Visit, address};
use crate::i18n::Locale;
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
        let filtered = query.topic.is_some() || query.params.language.is_some();
        let all = filtered.then(|| {
            let params = FeedParams { language: None, ..query.params.clone() };
            let href = to(v, &FeedQuery { topic: None, params, ..query.clone() });
            view! { <p><a href=href>{v.t.without_filters}</a></p> }
        });
        view! {
            <section class="empty">
                <h2>{t.nothing}</h2>
                <p>{(t.nothing_text)(filtered)}</p>
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
    let t = &v.t.feed_page;
    let sums = Sums::of(post, params, feed.at, v.locale);
    let names = [t.reach, t.reactions, t.text, t.media, t.care];
    let parts = names.into_iter().zip(sums.parts).map(|(name, part)| {
        view! {
            <dt>{name}</dt>
            <dd class="formula">{part}</dd>
        }
    });
    let untimed = post.at.is_none().then(|| format!(" ({})", t.untimed));
    view! {
        <details>
            <summary>{t.score} " " <b>{v.locale.decimal(post.score, SCORE_PLACES)}</b></summary>
            <dl>
                {parts.collect_view()} <dt>{t.quality}</dt> <dd class="formula">{sums.quality}</dd>
                <dt>{t.freshness}</dt> <dd class="formula">{sums.freshness} {untimed}</dd>
                <dt>{t.score}</dt> <dd class="formula">{sums.score}</dd>
            </dl>
        </details>
    }
    .into_any()
}

const SCORE_PLACES: usize = 2;

/// A post's score as sums that add up: with as many decimals as give each printed result again.
struct Sums {
    parts: [String; 5],
    quality: String,
    freshness: String,
    score: String,
}

impl Sums {
    fn of(post: &RankedPost, params: &FeedParams, now: UnixSeconds, l: Locale) -> Self {
        let (own, weights) = (&post.quality, &Quality::WEIGHTS);
        let (total, fresh) = (own.total(), post.freshness);
        let places = decimals(post.score, SCORE_PLACES, |places| {
            10.0 * rounded(total, places) * (0.1 + 0.9 * rounded(fresh, places))
        });
        let part_places = decimals(total, places, |places| {
            let part = |value| rounded(value, places);
            let parts = Quality {
                reach: part(own.reach),
                reactions: part(own.reactions),
                text: part(own.text),
                media: part(own.media),
                care: part(own.care),
            };
            parts.total()
        });
        let parts = [
            (own.reach, weights.reach),
            (own.reactions, weights.reactions),
            (own.text, weights.text),
            (own.media, weights.media),
            (own.care, weights.care),
        ];
        let freshness = post.at.map(|at| {
            let hours = hours_between(at, now).max(0.0);
            let half_life = params.half_life_hours;
            let hour_places =
                decimals(fresh, places, |places| 0.5_f64.powf(rounded(hours, places) / half_life));
            let (hours, half_life) = (l.decimal(hours, hour_places), l.exact(half_life));
            format!("{}^({hours} / {half_life}) ≐ ", l.exact(0.5))
        });
        let (total, fresh) = (l.decimal(total, places), l.decimal(fresh, places));
        Self {
            parts: parts.map(|(value, weight)| {
                format!("{} × {}", l.exact(weight), l.decimal(value, part_places))
            }),
            quality: format!("≐ {total}"),
            freshness: format!("{}{fresh}", freshness.unwrap_or_default()),
            score: format!(
                "10 × {total} × ({} + {} × {fresh}) ≐ {}",
                l.exact(0.1),
                l.exact(0.9),
                l.decimal(post.score, SCORE_PLACES)
            ),
        }
    }
}

/// Decimals that the numbers in a formula need, so that it gives its result as rounded to
/// `result_places`.
fn decimals(result: f64, result_places: usize, formula: impl Fn(usize) -> f64) -> usize {
    /// More than any result turns on.
    const MOST: usize = 12;
    let printed = rounded(result, result_places);
    // What lies in the middle of two may be rounded to either.
    let off = 0.5 / 10_f64.powi(result_places as i32) - 1e-9;
    (2..MOST).find(|&places| (formula(places) - printed).abs() < off).unwrap_or(MOST)
}

/// As it is printed.
fn rounded(value: f64, places: usize) -> f64 {
    format!("{value:.places$}").parse().unwrap_or(value)
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The numbers of a formula.
    fn numbers(text: &str) -> Vec<f64> {
        let pieces = text.split(|c: char| !c.is_ascii_digit() && c != '.');
        pieces.filter_map(|piece| piece.parse().ok()).collect()
    }

    /// Whether a number says what was computed, as far as it is written out.
    fn says(text: &str, computed: f64) -> bool {
        let (_, written) = text.rsplit_once("≐ ").unwrap();
        let places = written.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        let off = 0.5 / 10_f64.powi(places as i32) + 2e-9;
        (written.parse::<f64>().unwrap() - computed).abs() <= off
    }

    proptest! {
        #[test]
        fn the_printed_numbers_give_the_printed_results(
            parts in prop::array::uniform5(0.0..=1.0),
            age in 0_i64..2_000_000,
            half_life_hours in prop::sample::select(vec![1.0, 12.5, 24.0, 168.0]),
        ) {
            let [reach, reactions, text, media, care] = parts;
            let quality = Quality { reach, reactions, text, media, care };
            let params = FeedParams { half_life_hours, ..FeedParams::default() };
            let freshness = 0.5_f64.powf(age as f64 / 3_600.0 / half_life_hours);
            let post = RankedPost {
                channel: 0,
                id: String::new(),
                url: None,
                text: String::new(),
                at: Some(-age),
                quality,
                freshness,
                score: 10.0 * quality.total() * (0.1 + 0.9 * freshness),
            };
            let sums = Sums::of(&post, &params, 0, Locale::En);
            let total: f64 = sums.parts.iter().map(|part| numbers(part).iter().product::<f64>()).sum();
            prop_assert!(says(&sums.quality, total), "{:?} {}", sums.parts, sums.quality);
            let [half, hours, half_life, _] = numbers(&sums.freshness)[..] else { panic!("{}", sums.freshness) };
            prop_assert!(says(&sums.freshness, half.powf(hours / half_life)), "{}", sums.freshness);
            let [ten, total, tenth, most, fresh, _] = numbers(&sums.score)[..] else { panic!("{}", sums.score) };
            prop_assert!(says(&sums.score, ten * total * (tenth + most * fresh)), "{}", sums.score);
        }
    }
}
