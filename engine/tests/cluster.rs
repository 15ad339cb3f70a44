//! Articles to groups: what belongs together, whatever the order, the threads and the input.

use engine::{Article, Placed, cluster, place};
use model::Model;
use proptest::prelude::*;

const HOUR: i64 = 3_600;

fn article<'a>(id: i64, outlet: &'a str, title: &'a str, lede: &'a str, at: i64) -> Article<'a> {
    Article { id, outlet, language: "cs", title, lede, at }
}

fn groups(articles: &[Article<'_>]) -> Vec<u32> {
    cluster(articles, &Model::v1().grouping)
}

/// Titles of which each stands alone, so that words have a rarity.
const OTHERS: [&str; 12] = [
    "Vláda odložila hlasování o státním rozpočtu na příští týden",
    "Hokejisté Sparty zvítězili v Liberci po samostatných nájezdech",
    "Zoo otevřela nový pavilon pro tučňáky a lachtany",
    "Ceny másla v obchodech klesly nejníž za dva roky",
    "Studenti vyvinuli robota, který třídí odpad",
    "Meteorologové čekají o víkendu první mrazíky",
    "Muzeum vystaví rukopisy z klášterní knihovny",
    "Nemocnice hledá dárce krve vzácné skupiny",
    "Dopravní podnik představil elektrické autobusy",
    "Tenistka postoupila do čtvrtfinále turnaje v Ostravě",
    "Sklizeň chmele letos poškodilo krupobití",
    "Filharmonie zahájí sezonu symfonií Antonína Dvořáka",
];

fn with_others<'a>(told: &[Article<'a>]) -> Vec<Article<'a>> {
    let others = OTHERS.iter().enumerate().map(|(index, title)| {
        article(900 + index as i64, "Jiný list", title, "", told[0].at + index as i64 * 60)
    });
    told.iter().copied().chain(others).collect()
}

#[test]
fn a_late_item_joins_two_groups_into_one_event() {
    let told = [
        article(
            1,
            "Ranní zprávy",
            "V Hradišti vykolejil nákladní vlak s cisternami",
            "Hasiči uzavřeli okolí nádraží.",
            0,
        ),
        article(
            2,
            "Kurýr",
            "Nákladní vlak v Hradišti vyjel z kolejí, hasiči uzavřeli nádraží",
            "",
            HOUR,
        ),
        article(
            3,
            "Deník Obzor",
            "Únik benzenu: starosta vyzval obyvatele, aby nevětrali",
            "Látka uniká do potoka, lidé mají zůstat doma.",
            2 * HOUR,
        ),
        article(
            4,
            "Regionální list",
            "Do potoka uniká benzen, obyvatelé nemají větrat",
            "Starosta nechal rozdat vodu.",
            3 * HOUR,
        ),
    ];
    let before = groups(&with_others(&told));
    assert_eq!(before[0], before[1]);
    assert_eq!(before[2], before[3]);
    assert_ne!(before[0], before[2], "nothing links the two tales yet");

    let link = article(
        5,
        "Večerní pošta",
        "Vykolejený nákladní vlak v Hradišti: z cisteren uniká benzen",
        "Hasiči uzavřeli nádraží, starosta vyzval obyvatele, aby nevětrali. Látka teče do potoka.",
        4 * HOUR,
    );
    let mut told = told.to_vec();
    told.push(link);
    let after = groups(&with_others(&told));
    assert!(after[..5].iter().all(|&group| group == after[0]), "{:?}", &after[..5]);
    assert!(after[5..].iter().all(|&group| group != after[0]));
}

#[test]
fn a_word_common_to_all_ties_nothing() {
    let titles: Vec<String> = OTHERS.iter().map(|title| format!("Praha {title} v Praze")).collect();
    let articles: Vec<Article<'_>> = titles
        .iter()
        .enumerate()
        .map(|(index, title)| article(index as i64, "List", title, "", 0))
        .collect();
    let found = groups(&articles);
    assert_eq!(found, (0..titles.len() as u32).collect::<Vec<_>>());
}

#[test]
fn boilerplate_of_a_site_ties_nothing() {
    let boilerplate = "Tento web používá soubory cookies k měření návštěvnosti a k reklamě.";
    let titles: Vec<String> = OTHERS.iter().map(|title| format!("{title} | Obzor24")).collect();
    let articles: Vec<Article<'_>> = titles
        .iter()
        .enumerate()
        .map(|(index, title)| article(index as i64, "obzor24.example", title, boilerplate, 0))
        .collect();
    assert_eq!(groups(&articles), (0..titles.len() as u32).collect::<Vec<_>>());
}

#[test]
fn the_same_words_a_week_later_are_another_happening() {
    let title = "Řidič kamionu narazil do svodidel na obchvatu Kolína";
    let told = [article(1, "A", title, "", 0), article(2, "B", title, "", 7 * 24 * HOUR)];
    let found = groups(&with_others(&told));
    assert_ne!(found[0], found[1]);
}

#[test]
fn languages_stay_apart() {
    let title = "Tornado Moravia Hodonín";
    let mut articles = with_others(&[article(1, "A", title, "", 0), article(2, "B", title, "", 0)]);
    assert_eq!(groups(&articles)[0], groups(&articles)[1]);
    articles[1].language = "en";
    assert_ne!(groups(&articles)[0], groups(&articles)[1]);
    articles[1].language = "cs-CZ";
    assert_eq!(groups(&articles)[0], groups(&articles)[1]);
}

#[test]
fn each_item_says_why_it_is_here() {
    let told = [
        article(1, "A", "Požár zničil sklad pneumatik v Kolíně", "", 0),
        article(2, "B", "V Kolíně hoří sklad s pneumatikami", "", HOUR),
    ];
    let placed = place(&with_others(&told), &Model::v1().grouping);
    let tie = placed[1].tie.clone().unwrap();
    assert_eq!(tie.to, 0);
    assert!(tie.similarity > 0.155 && tie.similarity < 1.0);
    let words: Vec<&str> = tie.shared.iter().map(|(word, _)| word.as_str()).collect();
    assert_eq!(words.len(), 3, "{words:?}");
    for word in ["Kolíně", "sklad", "pneumatikami"] {
        assert!(words.contains(&word), "{word} in {words:?}");
    }
    assert!(tie.shared.is_sorted_by(|(_, heavier), (_, lighter)| heavier >= lighter));
    assert_eq!(placed[2].tie, None);
}

#[test]
fn a_hundred_thousand_equal_titles_are_one_event() {
    let articles: Vec<Article<'_>> = (0..100_000)
        .map(|id| article(id, "Agentura", "Prezident jmenoval novou vládu", "", id / 10))
        .collect();
    let placed = place(&articles, &Model::v1().grouping);
    assert!(placed.iter().all(|one| one.group == 0));
    assert!(placed.iter().skip(1).all(|one| one.copy && one.origin == 0));
}

#[test]
fn one_item_is_an_event_of_its_own_and_none_is_none() {
    let params = Model::v1().grouping;
    let alone = vec![Placed { group: 0, likeness: 0.0, tie: None, origin: 0, copy: false }];
    assert_eq!(place(&[article(1, "A", OTHERS[0], "", 0)], &params), alone);
    assert_eq!(place(&[article(1, "", "", "", i64::MIN)], &params), alone);
    assert_eq!(place(&[], &params), []);
}

#[test]
fn odd_texts_are_no_danger() {
    let long = "slovo ".repeat(1_700_000) + &"x".repeat(100_000);
    let titles = [
        "",
        " ",
        "…",
        "\u{FFFD}\u{FFFD}\u{FFFD}",
        "\u{202E}עברית ועוד מילים\u{202C}",
        "خبر عاجل من القاهرة",
        "https://example.org/a?b=c @name #tag",
        "👩‍👩‍👧‍👦 🇨🇿",
        "e\u{301}\u{301}\u{301}",
        "東京で地震",
        &long,
    ];
    for language in ["cs", "en", "de", "tr", "ru", "ar", "", "xx-YY", "\u{FFFD}"] {
        let articles: Vec<Article<'_>> = titles
            .iter()
            .enumerate()
            .map(|(id, title)| Article {
                id: id as i64,
                outlet: title,
                language,
                title,
                lede: title,
                at: if id % 2 == 0 { i64::MIN } else { i64::MAX },
            })
            .collect();
        assert_eq!(groups(&articles).len(), titles.len());
    }
    assert!(groups(&[]).is_empty());
}

fn texts() -> impl Strategy<Value = Vec<(String, String, i64)>> {
    let word = prop::sample::select(vec![
        "Požár", "továrna", "Kolín", "vlak", "nehoda", "hasiči", "2026", "12", "vláda", "soud",
        "Praha", "banka", "úroky", "volby", "zápas", "gól", "déšť", "povodeň", "most", "dálnice",
    ]);
    let text = |words: std::ops::Range<usize>| {
        prop::collection::vec(word.clone(), words).prop_map(|words| words.join(" "))
    };
    // Some at the same second.
    let at = prop_oneof![0..100 * HOUR, (0..4_i64).prop_map(|day| day * 24 * HOUR)];
    prop::collection::vec((text(0..9), text(0..12), at), 0..50)
}

proptest! {
    #[test]
    fn neither_order_nor_threads_change_the_groups(texts in texts(), rotation in 0_usize..50) {
        let articles: Vec<Article<'_>> = texts
            .iter()
            .enumerate()
            .map(|(id, (title, lede, at))| article(id as i64, "List", title, lede, *at))
            .collect();
        let params = Model::v1().grouping;
        let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let alone = pool(1).install(|| place(&articles, &params));
        let many = pool(4).install(|| place(&articles, &params));
        prop_assert_eq!(&alone, &many);

        let mut turned = articles.clone();
        turned.reverse();
        if !turned.is_empty() {
            let middle = rotation % turned.len();
            turned.rotate_left(middle);
        }
        let by_id = |articles: &[Article<'_>], groups: &[u32]| {
            let mut named: Vec<(i64, i64)> = articles
                .iter()
                .zip(groups)
                .map(|(article, &group)| (article.id, articles[group as usize].id))
                .collect();
            named.sort_unstable();
            named
        };
        let straight = cluster(&articles, &params);
        prop_assert_eq!(
            by_id(&articles, &straight),
            by_id(&turned, &cluster(&turned, &params))
        );
        let placed: Vec<u32> = alone.iter().map(|one| one.group).collect();
        prop_assert_eq!(straight, placed);
    }

    #[test]
    fn no_text_makes_it_panic(
        texts in prop::collection::vec((".*", ".*", any::<i64>()), 0..12),
        language in "cs|sk|pl|de|en|es|fr|it|ru|uk|sl|ar|da|el|fi|hu|no|nl|pt|ro|sv|tr|.*",
    ) {
        let articles: Vec<Article<'_>> = texts
            .iter()
            .enumerate()
            .map(|(id, (title, lede, at))| Article {
                id: id as i64,
                outlet: lede,
                language: &language,
                title,
                lede,
                at: *at,
            })
            .collect();
        prop_assert_eq!(place(&articles, &Model::v1().grouping).len(), articles.len());
    }
}
