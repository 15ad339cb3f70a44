//! What is done quickly is what the plain way does; and what holds for every feed.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

use engine::feed::{
    build_feed,
    duplicates::{Print, groups},
    page::Page,
    place::{CHANNEL_WINDOW, Candidate, WINDOW, channel_factor, likeness_factor, place},
    rank,
    topics::{LIKE, Topic, topics},
    vectors::{Bags, Vectors},
    words::Stem,
};
use model::FeedParams;
use proptest::prelude::*;
use serde_json::value::RawValue;
use serde_json::{Value, json};

const NOW: i64 = 1_780_000_000;

/// Texts of words from a small vocabulary, a few of which are in most texts.
fn texts(words: u32, length: usize, count: usize) -> impl Strategy<Value = Vec<Vec<Stem>>> {
    let word = (0..words, 0..words).prop_map(|(a, b)| Stem::from(a.min(b)));
    prop::collection::vec(prop::collection::vec(word, 0..length), 0..count)
}

/// Texts as two pages, and the posts on them.
fn bags(texts: &[Vec<Stem>]) -> ([Bags; 2], Vec<(u32, u32)>) {
    let (one, other) = texts.split_at(texts.len() / 2);
    let posts = [(0, one.len()), (1, other.len())];
    let posts =
        posts.into_iter().flat_map(|(page, texts)| (0..texts as u32).map(move |n| (page, n)));
    ([Bags::of(one), Bags::of(other)], posts.collect())
}

/// The definition: each stem looked up by itself.
fn naive_row(texts: &[Vec<Stem>], post: usize) -> Vec<(Stem, f64)> {
    let mut row: Vec<(Stem, f64)> = Vec::new();
    for &stem in &texts[post] {
        let times = texts[post].iter().filter(|&&other| other == stem).count() as f64;
        let with = texts.iter().filter(|text| text.contains(&stem)).count() as f64;
        let weight = times * (((1.0 + texts.len() as f64) / (1.0 + with)).ln() + 1.0);
        if !row.iter().any(|(known, _)| *known == stem) {
            row.push((stem, weight));
        }
    }
    let norm = row.iter().map(|(_, weight)| weight * weight).sum::<f64>().sqrt();
    row.sort_unstable_by_key(|(stem, _)| *stem);
    row.into_iter().map(|(stem, weight)| (stem, weight / norm)).collect()
}

/// Copies of a few texts, each with words of its own put in, left out and added.
fn copies() -> impl Strategy<Value = Vec<Vec<Stem>>> {
    let edits = prop::collection::vec((0_usize..40, 0_u32..3, 500_u32..900), 0..6);
    prop::collection::vec((0_u32..4, 8_usize..40, edits), 0..60).prop_map(|texts| {
        texts
            .into_iter()
            .map(|(text, length, edits)| {
                let mut words: Vec<Stem> =
                    (0..length as u32).map(|word| Stem::from(100 * text + word)).collect();
                for (at, kind, word) in edits {
                    let at = at % words.len();
                    match kind {
                        0 => words[at] = Stem::from(word),
                        1 if words.len() > 1 => drop(words.remove(at)),
                        _ => words.push(Stem::from(word)),
                    }
                }
                words
            })
            .collect()
    })
}

/// Every pair compared; groups spread until nothing changes.
fn naive_groups(prints: &[Option<Print>]) -> Vec<u32> {
    let mut groups: Vec<u32> = (0..prints.len() as u32).collect();
    let repeats = |a: usize, b: usize| match (&prints[a], &prints[b]) {
        (Some(a), Some(b)) => a.repeats(b),
        _ => false,
    };
    loop {
        let before = groups.clone();
        for a in 0..prints.len() {
            for b in 0..prints.len() {
                if repeats(a, b) {
                    groups[a] = groups[a].min(groups[b]);
                }
            }
        }
        if groups == before {
            return groups;
        }
    }
}

/// The definition: at each step every candidate is compared with the last ten.
fn naive_place(
    candidates: &[Candidate],
    vectors: &Vectors<'_>,
    diversity: f64,
    limit: usize,
) -> Vec<u32> {
    let cosine = |a: u32, b: u32| -> f32 {
        vectors
            .row(a)
            .filter_map(|(stem, x)| {
                vectors.row(b).find(|(other, _)| *other == stem).map(|(_, y)| x * y)
            })
            .sum()
    };
    let mut placed: Vec<usize> = Vec::new();
    while placed.len() < limit.min(candidates.len()) {
        let adjusted = |number: usize| {
            let candidate = &candidates[number];
            let last = |count| placed.iter().rev().take(count).map(|&number| &candidates[number]);
            let highest =
                last(WINDOW).map(|other| cosine(candidate.row, other.row)).fold(0.0, f32::max);
            let same =
                last(CHANNEL_WINDOW).filter(|other| other.channel == candidate.channel).count();
            candidate.score * likeness_factor(diversity, highest) * channel_factor(diversity, same)
        };
        let best = (0..candidates.len())
            .filter(|number| !placed.contains(number))
            .max_by(|&a, &b| adjusted(a).total_cmp(&adjusted(b)).then(b.cmp(&a)))
            .unwrap();
        placed.push(best);
    }
    placed.into_iter().map(|number| number as u32).collect()
}

/// The definition: each post is compared with every topic.
fn naive_topics(feed: &[u32], vectors: &Vectors<'_>) -> Vec<Topic> {
    let mut topics: Vec<Topic> = Vec::new();
    for &post in feed {
        if vectors.row(post).next().is_none() {
            continue;
        }
        let best = topics
            .iter_mut()
            .rev()
            .filter(|topic| topic.cosine(post, vectors) >= LIKE)
            .max_by(|a, b| a.cosine(post, vectors).total_cmp(&b.cosine(post, vectors)));
        if let Some(topic) = best {
            topic.join(post, vectors);
        } else {
            topics.push(Topic::default());
            topics.last_mut().unwrap().join(post, vectors);
        }
    }
    topics
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn vectors_are_those_of_the_formula(texts in texts(50, 12, 40)) {
        let (bags, posts) = bags(&texts);
        let bags = bags.each_ref();
        let vectors = Vectors::of(&bags, posts);
        for (post, _) in (0..).zip(&texts) {
            let mut row: Vec<(Stem, f32)> = vectors
                .row(post)
                .map(|(stem, weight)| (vectors.vocabulary[stem as usize], weight))
                .collect();
            row.sort_unstable_by_key(|(stem, _)| *stem);
            let expected = naive_row(&texts, post as usize);
            prop_assert_eq!(row.len(), expected.len());
            for ((stem, weight), (other, definition)) in row.into_iter().zip(expected) {
                prop_assert_eq!(stem, other);
                prop_assert!((f64::from(weight) - definition).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn duplicates_are_those_of_comparing_all_pairs(texts in copies()) {
        let prints: Vec<Option<Print>> = texts.iter().map(|words| Print::of(words)).collect();
        let borrowed: Vec<Option<&Print>> = prints.iter().map(Option::as_ref).collect();
        prop_assert_eq!(groups(&borrowed), naive_groups(&prints));
    }

    #[test]
    fn placement_is_the_plain_greedy_one(
        texts in texts(30, 8, 50),
        scores in prop::collection::vec(prop_oneof![0.0_f64..10.0, (4_u32..8).prop_map(f64::from)], 50),
        channels in prop::collection::vec((0_u32..6, 0_u32..6), 50),
        diversity in prop_oneof![Just(0.5), Just(1.0), 0.0_f64..1.0],
        limit in 0_usize..60,
    ) {
        let mut scores = scores;
        scores.sort_by(|a, b| b.total_cmp(a));
        let candidates: Vec<Candidate> = (0..texts.len())
            .map(|row| Candidate {
                row: row as u32,
                channel: channels[row].0.min(channels[row].1),
                score: scores[row],
            })
            .collect();
        let (bags, posts) = bags(&texts);
        let bags = bags.each_ref();
        let vectors = Vectors::of(&bags, posts);
        prop_assert_eq!(
            place(&candidates, &vectors, diversity, limit),
            naive_place(&candidates, &vectors, diversity, limit)
        );
    }

    #[test]
    fn topics_are_those_of_comparing_with_every_topic(texts in texts(40, 10, 80)) {
        let (bags, posts) = bags(&texts);
        let bags = bags.each_ref();
        let vectors = Vectors::of(&bags, posts);
        let feed: Vec<u32> = (0..texts.len() as u32).collect();
        let members = |topics: Vec<Topic>| -> Vec<Vec<u32>> {
            topics.into_iter().map(|topic| topic.members).collect()
        };
        prop_assert_eq!(
            members(topics(&feed, &vectors)),
            members(naive_topics(&feed, &vectors))
        );
    }
}

const WORDS: [&str; 16] = [
    "hasiči",
    "most",
    "povodeň",
    "vlak",
    "ministr",
    "škola",
    "ракета",
    "ракеты",
    "выборы",
    "train",
    "bridge",
    "https://example.org",
    "@kanal",
    "2026",
    "a",
    "Břeclav",
];

fn post() -> impl Strategy<Value = Value> {
    let counter = prop_oneof![
        Just(json!(null)),
        (0_u64..u64::MAX).prop_map(|count| json!(count)),
        "[0-9]{1,4}([.,][0-9]{1,3})?( ?(K|M|тыс\\.))?".prop_map(|text| json!(text)),
        any::<String>().prop_map(|text| json!(text)),
    ];
    let words = prop::collection::vec(prop::sample::select(&WORDS[..]), 0..30);
    (counter.clone(), counter, words, prop::option::of(-400_i64..4_000), 0_usize..4, any::<bool>())
        .prop_map(|(views, reacts, words, hours, media, edited)| {
            json!({
                "content": {
                    "text": {"string": words.join(" ")},
                    "media": vec!["m"; media],
                    "reacts": [{"emoji": if edited { "👍" } else { "👎" }, "count": reacts}],
                },
                "footer": {
                    "views": views,
                    "edited": edited,
                    "date": hours.map(|hours| json!({"unix": NOW - hours * 3_600})),
                },
            })
        })
}

/// Pages of distinct channels.
fn pages() -> impl Strategy<Value = Vec<Vec<u8>>> {
    prop::collection::vec(prop::collection::vec(post(), 0..8), 0..8).prop_map(|pages| {
        (0..)
            .zip(pages)
            .map(|(channel, mut posts): (u32, _)| {
                for (id, post) in (0..).zip(&mut posts) {
                    post["id"] = json!(id as u32);
                }
                json!({
                    "channel": {
                        "username": format!("c{channel}"),
                        "counters": {"subscribers": 100 * channel},
                    },
                    "content": {"posts": posts},
                })
                .to_string()
                .into_bytes()
            })
            .collect()
    })
}

fn params() -> impl Strategy<Value = FeedParams> {
    (any::<f64>(), prop_oneof![Just(0.5), any::<f64>()], any::<bool>(), 0_u32..80).prop_map(
        |(half_life_hours, diversity, collapse, limit)| FeedParams {
            half_life_hours,
            diversity,
            collapse,
            limit,
            language: None,
        },
    )
}

fn posts(pages: &[Vec<u8>], params: &FeedParams) -> Vec<Value> {
    let feed: Value = serde_json::from_slice(&build_feed(pages, params, NOW).json).unwrap();
    feed["posts"].as_array().unwrap().clone()
}

/// By its grammar: a number of a post, which stays as it came, may be larger than any `f64`.
fn is_json(text: &[u8]) -> bool {
    serde_json::from_slice::<&RawValue>(text).is_ok()
}

proptest! {
    #[test]
    fn scores_are_from_0_to_10(pages in pages(), params in params()) {
        for post in posts(&pages, &params) {
            let score = post["_score"].as_f64().unwrap();
            prop_assert!((0.0..=10.0).contains(&score), "{}", score);
        }
    }

    #[test]
    fn the_order_of_pages_does_not_change_the_ranking(
        (pages, shuffled) in pages().prop_flat_map(|pages| {
            (Just(pages.clone()), Just(pages).prop_shuffle())
        }),
    ) {
        let params = FeedParams::default();
        prop_assert_eq!(posts(&pages, &params), posts(&shuffled, &params));
    }

    #[test]
    fn without_diversity_the_order_is_that_of_the_scores(pages in pages(), collapse: bool) {
        let params = FeedParams { diversity: 0.0, collapse, ..FeedParams::default() };
        let read: Vec<Page<'_>> = pages.iter().map(|page| Page::read(page).unwrap()).collect();
        let feed = rank(&read.iter().collect::<Vec<_>>(), &params, NOW);
        let scores: Vec<f64> = feed.entries.iter().map(|entry| entry.ranked.score).collect();
        prop_assert!(scores.is_sorted_by(|a, b| a >= b), "{:?}", scores);
    }

    #[test]
    fn duplicates_are_an_equivalence(pages in pages()) {
        let all = FeedParams { limit: u32::MAX, ..FeedParams::default() };
        let plain = FeedParams { collapse: false, ..all.clone() };
        let name = |post: &Value| (post["channel"].to_string(), post["id"].to_string());
        // Each post is in one group, and the best of a group leads it.
        let mut folded = Vec::new();
        for post in posts(&pages, &all) {
            let score = post["_score"].as_f64().unwrap();
            folded.push(name(&post));
            for duplicate in post["_duplicates"].as_array().into_iter().flatten() {
                prop_assert!(duplicate["_score"].as_f64().unwrap() <= score);
                folded.push(name(duplicate));
            }
        }
        let mut every: Vec<_> = posts(&pages, &plain).iter().map(name).collect();
        folded.sort();
        every.sort();
        prop_assert_eq!(folded, every);
    }

    #[test]
    fn nothing_given_as_pages_panics(
        bytes in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..200), 0..4),
        page in pages(),
        cuts in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        params in params(),
    ) {
        let _ = build_feed(&bytes, &params, NOW);
        let mut damaged = page;
        for page in &mut damaged {
            for (at, byte) in &cuts {
                let at = at.index(page.len());
                page[at] = *byte;
            }
        }
        let built = build_feed(&damaged, &params, i64::MIN);
        prop_assert!(is_json(&built.json), "{}", String::from_utf8_lossy(&built.json));
        let _ = build_feed(&damaged, &params, i64::MAX);
    }

    #[test]
    fn nothing_written_as_json_panics(
        text in "\\PC{0,60}",
        fields in prop::collection::vec(("[a-z_]{0,9}", "(null|true|-1e400|\\[\\]|\\{\\}|\"\\\\ud800\"|9{30})"), 0..5),
    ) {
        let fields: Vec<String> =
            fields.iter().map(|(name, value)| format!("{}:{value}", json!(name))).collect();
        let fields = fields.join(",");
        let page = format!(
            "{{\"channel\":{{\"username\":{}}},\"content\":{{\"posts\":[{{{fields}}},\
             {{\"footer\":{{{fields}}}}},{{\"content\":{{\"text\":{{\"string\":{}}}}}}}]}}}}",
            json!(text), json!(text),
        );
        let built = build_feed(&[page], &FeedParams::default(), NOW);
        prop_assert!(is_json(&built.json), "{}", String::from_utf8_lossy(&built.json));
    }
}
