//! The rules of the personalised feed, by values computed by hand.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

use engine::feed::{
    build_feed, count,
    duplicates::Print,
    freshness,
    page::Page,
    place::{self, Candidate, place},
    quality::{Signals, opinion},
    rank,
    topics::topics,
    vectors::{Bags, Vectors},
    words::{self, Stem, stem},
};
use model::{FeedParams, Quality};
use serde_json::{Value, json};

const NOW: i64 = 1_780_000_000;
const HOUR: i64 = 3_600;

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-6, "{found} is not {expected}");
}

#[test]
fn counters_are_read_as_people_write_them() {
    for (text, expected) in [
        ("0", Some(0.0)),
        ("987", Some(987.0)),
        ("1.2K", Some(1_200.0)),
        ("1,2K", Some(1_200.0)),
        ("12k", Some(12_000.0)),
        ("1.25M", Some(1_250_000.0)),
        ("3B", Some(3e9)),
        ("1,2 тыс.", Some(1_200.0)),
        ("1,2\u{a0}тыс", Some(1_200.0)),
        ("2,5 тис.", Some(2_500.0)),
        ("4 млн", Some(4e6)),
        ("1,5\u{202f}млрд", Some(1.5e9)),
        ("1,2 tis.", Some(1_200.0)),
        ("1,2 mil.", Some(1_200_000.0)),
        ("1,2 mil", Some(1_200.0)),
        ("3 mld.", Some(3e9)),
        ("15 400", Some(15_400.0)),
        ("15\u{a0}400", Some(15_400.0)),
        ("15\u{202f}400", Some(15_400.0)),
        ("15\u{2009}400", Some(15_400.0)),
        ("15\u{2007}400", Some(15_400.0)),
        ("15\u{3000}400", Some(15_400.0)),
        ("1 234 567", Some(1_234_567.0)),
        ("15,400", Some(15_400.0)),
        ("15.400", Some(15_400.0)),
        ("15'400", Some(15_400.0)),
        ("1,234,567", Some(1_234_567.0)),
        ("1,234.5", Some(1_234.5)),
        ("1.234,5", Some(1_234.5)),
        ("1.5", Some(1.5)),
        (" 7 ", Some(7.0)),
        ("", None),
        ("K", None),
        ("-5", None),
        ("5-6", None),
        ("many", None),
        ("12 apples", None),
        ("12%", None),
        ("NaN", None),
        ("1e5", None),
        ("∞", None),
    ] {
        assert_eq!(count::parse(text), expected, "{text:?}");
    }
    for (json, expected) in [
        (json!(15), Some(15.0)),
        (json!(1.5), Some(1.5)),
        (json!("1.2K"), Some(1_200.0)),
        (json!(-15), None),
        (json!(-1.5), None),
        (json!(null), None),
        (json!(true), None),
        (json!([1, 2]), None),
        (json!({"a": 1}), None),
    ] {
        let found = serde_json::from_str::<count::Count>(&json.to_string()).unwrap();
        assert_eq!(found.0, expected, "{json}");
    }
}

fn stems(text: &str) -> Vec<Stem> {
    words::words(text).map(|word| word.stem).collect()
}

#[test]
fn words_that_say_nothing_are_dropped() {
    for (text, expected) in [
        ("Ceny elektřiny rostou", &["ceny", "elektřiny", "rostou"][..]),
        ("Více na https://example.org/a?b a www.example.org, t.me/kanal", &[]),
        ("(https://example.org) @redakce (@redakce) redakce", &["redakce"]),
        ("V roce 2026 bylo 5,2 % a 5G", &["roce"]),
        ("Der Zug und die Züge, the train and trains", &["zug", "züge", "train", "trains"]),
        ("Это было на улице, і це було в місті", &["улице", "місті"]),
        ("#doprava: vlak–autobus", &["doprava", "vlak", "autobus"]),
        ("l'économie d'aujourd'hui", &["économie", "hui"]),
        ("", &[]),
    ] {
        let found: Vec<String> =
            words::words(text).map(|word| word.written.to_lowercase()).collect();
        assert_eq!(found, expected, "{text:?}");
    }
}

#[test]
fn inflected_forms_have_one_stem() {
    for forms in [
        &["ракеты", "ракетой", "ракета", "ракетами", "ракет"][..],
        &["дом", "дома", "домом"],
        &["місто", "міста"],
        &["elektřina", "elektřiny", "elektřinou"],
        &["government", "governments"],
    ] {
        for form in forms {
            assert_eq!(stem(form), stem(forms[0]), "{form}");
        }
    }
    for (one, other) in [("ракета", "ракушка"), ("дом", "дым"), ("ab", "ba"), ("a", "aa")]
    {
        assert_ne!(stem(one), stem(other));
    }
    // No ending is cut that would leave less than three letters.
    assert_ne!(stem("оно"), stem("она"));
    assert_eq!(stems("Ракеты РАКЕТОЙ"), [stem("ракет"); 2]);
}

#[test]
fn quality_has_the_documented_values() {
    let unknown = Signals::default();
    assert_eq!(unknown.quality(), Quality::UNKNOWN);
    close(unknown.quality().total(), 0.5);

    let known = Signals {
        views: Some(1_000.0),
        subscribers: Some(20_000.0),
        positive: 80.0,
        negative: 5.0,
        media: Some(2),
        words: Some(60),
        edited: Some(true),
    };
    let quality = known.quality();
    // 0.05 / 0.25
    close(quality.reach, 0.2);
    // (80 + 7.5) / (85 + 15)
    close(quality.reactions, 0.875);
    close(quality.text, 0.75);
    close(quality.media, 0.75);
    close(quality.care, 1.0);
    // 0.35·0.2 + 0.3·0.875 + 0.2·0.75 + 0.1·0.75 + 0.05
    close(quality.total(), 0.6075);

    close(Quality::WEIGHTS.total(), 0.35_f64.powi(2) + 0.09 + 0.04 + 0.01 + 0.0025);
    let weights = Quality::WEIGHTS;
    let sum = weights.reach + weights.reactions + weights.text + weights.media + weights.care;
    close(sum, 1.0);
}

#[test]
fn what_is_missing_is_neutral() {
    let views = Signals { views: Some(9e9), ..Signals::default() };
    assert_eq!(views.quality().reach, 0.5, "reach without subscribers");
    let none = Signals { subscribers: Some(0.0), ..views };
    assert_eq!(none.quality().reach, 0.5, "reach of a channel that nobody follows");
    let silent = Signals { media: Some(0), edited: Some(false), ..Signals::default() };
    assert_eq!(silent.quality().media, 0.5);
    assert_eq!(silent.quality().care, 0.5);
    assert_eq!(Signals { words: Some(0), ..Signals::default() }.quality().text, 0.0);
}

#[test]
fn a_faked_counter_moves_quality_by_less_than_half_of_its_weight() {
    let honest = Signals { subscribers: Some(100.0), ..Signals::default() };
    let base = honest.quality().total();
    for faked in [1e6, 1e18, f64::MAX] {
        let views = Signals { views: Some(faked), ..honest };
        let moved = views.quality().total() - base;
        assert!(moved > 0.0 && moved <= 0.35 / 2.0 + 1e-12, "{moved}");
        let loved = Signals { positive: faked, ..honest };
        assert!(loved.quality().total() - base <= 0.3 / 2.0 + 1e-12);
        let doubted = Signals { positive: faked, views: Some(10.0), ..honest };
        assert_eq!(doubted.quality().reactions, 0.5, "more reactions than views");
    }
}

#[test]
fn reactions_are_for_a_post_or_against_it_or_neither() {
    for (emoji, expected) in [
        ("👍", 1),
        ("👍🏽", 1),
        ("❤", 1),
        ("❤\u{fe0f}", 1),
        ("❤\u{fe0f}\u{200d}🔥", 1),
        ("👎", -1),
        ("🤬", -1),
        ("😢", 0),
        ("😱", 0),
        ("unknown", 0),
        ("", 0),
    ] {
        assert_eq!(opinion(emoji), expected, "{emoji}");
    }
}

#[test]
fn freshness_halves_with_each_half_life() {
    close(freshness(Some(NOW), 24.0, NOW), 1.0);
    close(freshness(Some(NOW - 24 * HOUR), 24.0, NOW), 0.5);
    close(freshness(Some(NOW - 72 * HOUR), 24.0, NOW), 0.125);
    close(freshness(Some(NOW - 3 * HOUR), 6.0, NOW), 0.5_f64.sqrt());
    close(freshness(Some(NOW + 24 * HOUR), 24.0, NOW), 1.0);
    close(freshness(Some(NOW + 24 * HOUR + 1), 24.0, NOW), 0.0);
    close(freshness(Some(i64::MIN), 24.0, i64::MAX), 0.0);
    close(freshness(None, 24.0, NOW), 0.0);
    for half_life in [0.0, -1.0, f64::NAN] {
        close(freshness(Some(NOW - 1), half_life, NOW), 0.0);
    }
}

fn page(username: &str, posts: &[Value]) -> Vec<u8> {
    json!({
        "channel": {"username": username, "title": "T", "counters": {"subscribers": "20K"}},
        "content": {"posts": posts},
    })
    .to_string()
    .into_bytes()
}

fn post(id: u32, text: &str, hours_ago: i64) -> Value {
    json!({
        "id": id,
        "content": {"text": {"string": text}},
        "footer": {"date": {"unix": NOW - hours_ago * HOUR}},
    })
}

fn built(pages: &[Vec<u8>], params: &FeedParams) -> Value {
    serde_json::from_slice(&build_feed(pages, params, NOW).json).unwrap()
}

/// Channel and id of each post, in order.
fn order(feed: &Value) -> Vec<(String, u64)> {
    let posts = feed["posts"].as_array().unwrap();
    posts
        .iter()
        .map(|post| (post["channel"].as_str().unwrap().to_owned(), post["id"].as_u64().unwrap()))
        .collect()
}

#[test]
fn a_score_is_ten_times_quality_times_freshness() {
    let post = json!({
        "id": 7,
        "content": {
            "text": {"string": "Krátký text"},
            "media": [{"type": "photo"}, {"type": "video"}],
            "reacts": [
                {"emoji": "👍", "count": "60"},
                {"emoji": "🔥", "count": 20},
                {"emoji": "👎", "count": 5},
                {"emoji": "😢", "count": "1K"},
            ],
        },
        "footer": {"views": "1,000", "edited": true, "date": {"unix": NOW - 24 * HOUR}},
    });
    let feed = built(&[page("a", &[post])], &FeedParams::default());
    // Quality as above but for the text: 2 / 22 instead of 0.75. Freshness is one half.
    let quality = 0.6075 - 0.2 * 0.75 + 0.2 * 2.0 / 22.0;
    let score = feed["posts"][0]["_score"].as_f64().unwrap();
    assert!((score - 10.0 * quality * 0.55).abs() < 5e-4, "{score}");
}

#[test]
fn a_post_stays_the_text_that_it_came_as() {
    let raw = "{ \"id\" : 1.50,\"odd\":\"\\u010d\\/\", \"n\":1e3,\n\"deep\":{\"a\":[ ]} }";
    let page =
        format!("{{\"channel\":{{\"username\":\"a\"}},\"content\":{{\"posts\":[{raw},{{}}]}}}}");
    let built = build_feed(&[page], &FeedParams::default(), NOW);
    let json = String::from_utf8(built.json).unwrap();
    let members = raw.strip_suffix('}').unwrap();
    assert!(json.contains(&format!("{members},\"channel\":\"a\",\"_score\":0.5}}")), "{json}");
    assert!(json.contains("{\"channel\":\"a\",\"_score\":0.5}"), "{json}");
    assert!(json.starts_with("{\"channels\":[{\"username\":\"a\"}],\"posts\":["), "{json}");
    serde_json::from_str::<Value>(&json).unwrap();
}

#[test]
fn what_cannot_be_read_is_skipped_and_said() {
    let pages = [
        b"{\"channel\":".to_vec(),
        b"\xff\xfe".to_vec(),
        page("a", &[post(1, "jedna", 1), json!(5), json!([1]), post(2, "dva", 1)]),
        page("A", &[post(3, "tři", 1)]),
        page("b", &[json!({"id": 1, "_score": 10}), json!({"id": 2, "channel": "x"})]),
        b"{\"channel\":{},\"content\":{\"posts\":[]}}".to_vec(),
    ];
    let built = build_feed(&pages, &FeedParams::default(), NOW);
    let mut skipped: Vec<(usize, Option<u32>)> =
        built.skipped.iter().map(|skipped| (skipped.page, skipped.post)).collect();
    skipped.sort_unstable();
    let expected = [
        (0, None),
        (1, None),
        (2, Some(1)),
        (2, Some(2)),
        (3, None),
        (4, Some(0)),
        (4, Some(1)),
        (5, None),
    ];
    assert_eq!(skipped, expected);
    assert!(built.skipped.iter().all(|skipped| !skipped.reason.is_empty()));
    let feed: Value = serde_json::from_slice(&built.json).unwrap();
    assert_eq!(order(&feed), [("a".to_owned(), 1), ("a".to_owned(), 2)]);
}

#[test]
fn odd_signals_are_unknown_and_lose_no_post() {
    for odd in [
        r#""content": {"media": null, "reacts": [{"kind": "paid"}]}, "footer": {"date": null}"#,
        r#""content": {"media": {}, "reacts": {}, "text": "plain"}, "language": 5"#,
        r#""content": [1], "footer": [1]"#,
        r#""content": "text", "footer": null"#,
        r#""content": {"text": {"string": 5}, "reacts": [{"emoji": "👍", "count": []}, 7, null]}"#,
        r#""footer": {"views": {"a": 1}, "edited": "yes", "date": "2026"}"#,
        r#""footer": {"views": 1e999, "edited": 1, "date": {"unix": 1e999}}"#,
        r#""footer": {"date": {"unix": "soon"}}"#,
        r#""footer": {"views": 1}, "footer": {}, "id": 2, "url": "a", "url": null"#,
        r#""content": {"text": {}}, "content": {"text": {}, "text": {}}"#,
        r#""footer": {"date": {"unix": -1}}"#,
        r#""footer": {"date": {"unix": 253402300800}}"#,
    ] {
        let page = format!(
            r#"{{"channel": {{"username": "a", "language": 7, "counters": {{"subscribers": 1e999}}}},
            "content": {{"posts": [{{"id": 1, {odd}}}]}}}}"#
        );
        let built = build_feed(&[page], &FeedParams::default(), NOW);
        assert_eq!(built.skipped, [], "{odd}");
        let read = String::from_utf8(built.json).unwrap();
        assert!(read.contains("\"_score\":0.5}"), "{odd}: {read}");
    }
    let timed = json!({"id": 1, "footer": {"date": {"unix": NOW.to_string()}}});
    let feed = built(&[page("a", &[timed])], &FeedParams::default());
    assert_eq!(feed["posts"][0]["_score"], json!(5.0), "a number may be written as a text");
}

#[test]
fn a_post_that_is_there_twice_is_shown_once() {
    let posts = [post(1, "jedna", 1), post(1, "jedna znovu", 0), post(2, "dva", 2)];
    let feed = built(&[page("a", &posts)], &FeedParams::default());
    assert_eq!(order(&feed), [("a".to_owned(), 1), ("a".to_owned(), 2)]);
}

const STORY: &str = "Radnice otevřela opravenou plovárnu, dělníci stihli natřít skokanský můstek, \
                     rozšířit šatny, vyměnit kabiny, položit dlažbu";

#[test]
fn repetitions_are_folded_under_the_best() {
    let pages = [
        page("a", &[post(1, STORY, 3)]),
        page("b", &[post(2, &format!("{STORY} — sledujte nás"), 1)]),
        page("c", &[post(3, "Úplně jiná zpráva", 2)]),
    ];
    let feed = built(&pages, &FeedParams::default());
    assert_eq!(order(&feed), [("b".to_owned(), 2), ("c".to_owned(), 3)]);
    let duplicates = feed["posts"][0]["_duplicates"].as_array().unwrap();
    assert_eq!(duplicates.len(), 1);
    assert_eq!(duplicates[0]["channel"], json!("a"));
    assert_eq!(duplicates[0]["id"], json!(1));
    assert!(duplicates[0]["_score"].as_f64().unwrap() > 0.0);
    assert!(feed["posts"][1].get("_duplicates").is_none());

    let all = FeedParams { collapse: false, ..FeedParams::default() };
    assert_eq!(order(&built(&pages, &all)).len(), 3);
}

#[test]
fn seven_tenths_of_the_shorter_text_make_a_repetition() {
    let print =
        |words: std::ops::Range<u32>| Print::of(&words.map(Stem::from).collect::<Vec<Stem>>());
    assert_eq!(print(0..9), None, "a text of nine words is nobody's copy");
    let mut repetitions = 0;
    for start in 0..20 {
        // A hundred shingles.
        let whole = print(start..start + 102).unwrap();
        let seventy = print(start + 30..start + 132).unwrap();
        assert_eq!(whole.shared(&seventy), 70);
        assert_eq!(whole.repeats(&seventy), whole.distance(&seventy) <= 20);
        repetitions += u32::from(whole.repeats(&seventy));
        let fewer = print(start + 31..start + 133).unwrap();
        assert!(!whole.repeats(&fewer), "69 of 100");
        assert!(whole.repeats(&print(start + 2..start + 102).unwrap()), "98 of 98");
        assert!(!whole.repeats(&print(start + 500..start + 602).unwrap()));
    }
    assert!(repetitions >= 10, "{repetitions} of 20 passed the SimHash");
}

#[test]
fn a_limit_and_a_language_cut_the_feed() {
    let mut english = post(2, "something else", 2);
    english["language"] = json!("en-GB");
    let mut czech = post(3, "něco jiného", 3);
    czech["language"] = json!("cs");
    let pages = [page("a", &[post(1, "nic neříká", 1), english, czech])];
    let params = |limit, language: Option<&str>| FeedParams {
        limit,
        language: language.map(str::to_owned),
        ..FeedParams::default()
    };
    let ids =
        |params| order(&built(&pages, &params)).into_iter().map(|(_, id)| id).collect::<Vec<_>>();
    assert_eq!(ids(params(100, None)), [1, 2, 3]);
    assert_eq!(ids(params(2, None)), [1, 2]);
    assert!(ids(params(0, None)).is_empty());
    assert_eq!(ids(params(100, Some("cs"))), [1, 3]);
    assert_eq!(ids(params(1, Some("en"))), [1]);
}

/// The vectors of texts that were read as two pages.
fn vectors(texts: &[&[u32]]) -> Vectors<'static> {
    let stems: Vec<Vec<Stem>> =
        texts.iter().map(|words| words.iter().map(|&word| Stem::from(word)).collect()).collect();
    let (one, other) = stems.split_at(stems.len() / 2);
    let posts = [(0, one.len()), (1, other.len())];
    let posts =
        posts.into_iter().flat_map(|(page, texts)| (0..texts as u32).map(move |n| (page, n)));
    // A test is short.
    let pages: &[&Bags] =
        [one, other].map(|texts| &*Box::leak(Box::new(Bags::of(texts)))).to_vec().leak();
    Vectors::of(pages, posts.collect())
}

#[test]
fn weights_are_those_of_the_smoothed_idf() {
    // The stems 5 (in two posts of three) and 7 (in one), 7 standing twice.
    let vectors = vectors(&[&[7, 5, 7], &[5], &[]]);
    let common = (4.0_f64 / 3.0).ln() + 1.0;
    let rare = 2.0 * ((4.0_f64 / 2.0).ln() + 1.0);
    let norm = common.hypot(rare);
    let row: Vec<(u32, f32)> = vectors.row(0).collect();
    let stems: Vec<Stem> = row.iter().map(|&(stem, _)| vectors.vocabulary[stem as usize]).collect();
    assert_eq!(stems, [7, 5], "the rarest first");
    assert_eq!(row.len(), 2);
    close(f64::from(row[0].1), rare / norm);
    close(f64::from(row[1].1), common / norm);
    close(f64::from(vectors.row(1).next().unwrap().1), 1.0);
    assert_eq!(vectors.row(2).next(), None);
}

#[test]
fn a_channel_steps_back_after_its_own_posts() {
    // No words, so that only the channels count. d = 0.5: each post of a channel among the last five
    // costs its next one a quarter.
    let vectors = vectors(&[&[][..]; 5]);
    let candidate = |channel, score| Candidate { row: 0, channel, score };
    let candidates = [
        candidate(0, 8.0),
        candidate(0, 7.9),
        candidate(0, 7.8),
        candidate(1, 5.5),
        candidate(2, 4.0),
    ];
    // 8.0; 7.9 · 0.75 = 5.925 > 5.5; 7.8 · 0.5625 = 4.39 < 5.5; 4.39 > 4.0; 4.0.
    assert_eq!(place(&candidates, &vectors, 0.5, 9), [0, 1, 3, 2, 4]);
    assert_eq!(place(&candidates, &vectors, 0.0, 9), [0, 1, 2, 3, 4]);
    // d = 1: halves. 7.9 · 0.5 = 3.95; 5.5; 4.0; 3.95; 7.8 · 0.25 = 1.95.
    assert_eq!(place(&candidates, &vectors, 1.0, 9), [0, 3, 4, 1, 2]);
    assert_eq!(place(&candidates, &vectors, 1.0, 2), [0, 3]);
    close(place::channel_factor(0.5, 2), 0.5625);
}

#[test]
fn a_post_like_the_last_ones_steps_back() {
    // The second has the first's words: half of its score is lost at d = 0.5.
    let vectors = vectors(&[&[1, 2], &[1, 2], &[3, 4]]);
    let candidate = |row: u32, score| Candidate { row, channel: row, score };
    let candidates = [candidate(0, 8.0), candidate(1, 7.0), candidate(2, 3.6)];
    assert_eq!(place(&candidates, &vectors, 0.5, 9), [0, 2, 1]);
    let candidates = [candidate(0, 8.0), candidate(1, 7.0), candidate(2, 3.4)];
    assert_eq!(place(&candidates, &vectors, 0.5, 9), [0, 1, 2]);
    close(place::likeness_factor(0.5, 0.4), 0.8);
}

#[test]
fn topics_need_three_tenths() {
    // All stems are in two posts, so they weigh alike: 0 and 1 share 2 of 4 (cosine ½), 2 shares one
    // of its four with each of them: with the centroid (0.25 + 0.25) / |a + b| = 0.5 / √3 = 0.289.
    let texts: [&[u32]; 5] =
        [&[1, 2, 3, 4], &[1, 2, 5, 6], &[3, 5, 7, 8], &[4, 6, 9, 10], &[7, 8, 9, 10]];
    let vectors = vectors(&texts);
    let members: Vec<Vec<u32>> =
        topics(&[0, 1, 2, 3, 4], &vectors).into_iter().map(|topic| topic.members).collect();
    // 4 shares two of four with 2 and with 3, and joins the earlier.
    assert_eq!(members, [vec![0, 1], vec![2, 4], vec![3]]);
    // The order of the feed decides.
    let members: Vec<Vec<u32>> =
        topics(&[4, 3, 2, 1, 0], &vectors).into_iter().map(|topic| topic.members).collect();
    assert_eq!(members[0], [4, 3]);
}

#[test]
fn topics_are_named_by_their_words_as_they_are_written() {
    let pages = [
        page("a", &[post(1, "Povodeň v Břeclavi, povodeň ustupuje", 1)]),
        page("b", &[post(2, "Břeclavi pomáhají hasiči, Povodeň klesá", 2)]),
        page("c", &[post(3, "Hokejisté vyhráli zápas", 3)]),
    ];
    let feed = built(&pages, &FeedParams::default());
    let of = |id| feed["posts"].as_array().unwrap().iter().find(|post| post["id"] == id).unwrap();
    let topic = &of(1)["_topic"];
    assert_eq!(topic["id"], json!(0));
    let keywords: Vec<&str> =
        topic["keywords"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
    // „Povodeň“ and „povodeň“ are as frequent: the first in the alphabet (of bytes).
    assert_eq!(keywords[0], "Povodeň");
    assert_eq!(keywords[1], "Břeclavi");
    assert_eq!(keywords.len(), 5);
    assert_eq!(&of(2)["_topic"], topic);
    assert!(of(3).get("_topic").is_none(), "a topic has at least two posts");
}

#[test]
fn a_feed_says_why_its_posts_have_their_scores() {
    let json = page("a", &[post(1, "text", 24)]);
    let page = Page::read(&json).unwrap();
    let feed = rank(&[&page], &FeedParams::default(), NOW);
    let ranked = &feed.entries[0].ranked;
    close(ranked.freshness, 0.5);
    close(ranked.quality.text, 1.0 / 21.0);
    close(ranked.score, 10.0 * ranked.quality.total() * 0.55);
    assert_eq!(feed.channels[ranked.channel as usize].username, "a");
}
