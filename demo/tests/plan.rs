//! The invented world: size, variety, and that the seed alone decides it.

use std::collections::{BTreeMap, HashMap, HashSet};

use demo::{Language, Plan, Story};

/// 2026-03-02T00:00:00Z.
const START: i64 = 1_772_409_600;
const DAY: i64 = 86_400;

fn told(seed: u64) -> (Plan, Vec<std::sync::Arc<Story>>) {
    let plan = Plan::generate(seed, START, 3);
    let stories = plan.stories(START, START + 3 * DAY);
    (plan, stories)
}

#[test]
fn the_cast_is_large_and_varied() {
    let plan = Plan::generate(1, START, 0);
    let owners: HashSet<_> = plan.newsrooms().iter().filter_map(|room| room.owner).collect();
    let permitted = plan.newsrooms().iter().filter(|room| !room.robots.forbids()).count();
    let slugs: HashSet<_> = plan.newsrooms().iter().map(|room| room.slug).collect();
    assert!(permitted >= 40, "{permitted}");
    assert!(owners.len() >= 12, "{}", owners.len());
    assert_eq!(slugs.len(), plan.newsrooms().len());
    for language in Language::ALL {
        let count = plan.newsrooms().iter().filter(|room| room.language == language).count();
        assert!(count >= 8, "{language:?}: {count}");
    }
}

#[test]
fn the_seed_alone_decides_the_world() {
    let texts = |seed| {
        let (_, stories) = told(seed);
        let texts = stories.iter().map(|story| (story.id, story.wordings.clone()));
        texts.collect::<Vec<_>>()
    };
    assert_eq!(texts(1), texts(1));
    assert_ne!(texts(1), texts(2));
}

#[test]
fn later_days_do_not_depend_on_how_many_were_planned() {
    let texts = |days| {
        let plan = Plan::generate(1, START, days);
        let stories = plan.stories(START + 9 * DAY, START + 10 * DAY);
        stories.iter().map(|story| story.wordings.clone()).collect::<Vec<_>>()
    };
    assert!(texts(1).len() > 300);
    assert_eq!(texts(1), texts(12));
}

#[test]
fn three_days_hold_hundreds_of_shared_happenings() {
    let (plan, stories) = told(1);
    let mut reach: HashMap<u64, HashSet<usize>> = HashMap::new();
    for story in &stories {
        reach.entry(story.happening).or_default().insert(story.newsroom);
    }
    let shared = reach.values().filter(|newsrooms| newsrooms.len() >= 2).count();
    let largest = reach.values().map(HashSet::len).max().unwrap_or(0);
    assert!(shared >= 250, "{shared}");
    assert!(largest >= 20, "{largest}");
    let mut languages: BTreeMap<Language, usize> = BTreeMap::new();
    for story in &stories {
        *languages.entry(plan.newsrooms()[story.newsroom].language).or_default() += 1;
    }
    let share = |language| languages[&language] as f64 / stories.len() as f64;
    assert!((0.35..0.65).contains(&share(Language::Czech)), "{languages:?}");
    for language in [Language::Slovak, Language::English, Language::German] {
        assert!((0.08..0.30).contains(&share(language)), "{languages:?}");
    }
}

#[test]
fn titles_repeat_only_where_copy_is_reprinted() {
    for seed in 1..4 {
        let (_, stories) = told(seed);
        let own: Vec<_> = stories.iter().filter(|story| story.copy_of.is_none()).collect();
        let mut within = HashSet::new();
        let mut overall: HashMap<&str, usize> = HashMap::new();
        for story in &own {
            let title = story.wordings[0].title.as_str();
            assert!(within.insert((story.happening, title)), "{title}");
            *overall.entry(title).or_default() += 1;
        }
        let repeated: usize = overall.values().map(|count| count - 1).sum();
        let twice: Vec<_> = overall.iter().filter(|(_, count)| **count > 1).collect();
        assert!(repeated * 100 < own.len() * 2, "{repeated} of {}: {twice:#?}", own.len());
    }
}

#[test]
fn ledes_are_short_and_of_news_length() {
    let (_, stories) = told(1);
    let mut usual = 0;
    for story in &stories {
        for wording in &story.wordings {
            assert!(wording.lede.chars().count() <= 300, "{}", wording.lede);
            assert!(wording.lede.split_whitespace().count() >= 8, "{}", wording.lede);
            for text in [&wording.title, &wording.lede] {
                assert!(!text.contains(['{', '}', '[', ']', '#', '|']), "{text}");
                assert!(!text.contains("  "), "{text}");
            }
        }
        let words = story.wordings[0].lede.split_whitespace().count();
        usual += usize::from((15..=36).contains(&words));
    }
    assert!(usual * 100 > stories.len() * 90, "{usual} of {}", stories.len());
}

#[test]
fn own_texts_are_no_near_copies_of_others() {
    let (_, stories) = told(1);
    let mut happenings: HashMap<(u64, usize), Vec<HashSet<String>>> = HashMap::new();
    let (mut pairs, mut near) = (0, 0);
    for story in stories.iter().filter(|story| story.copy_of.is_none()) {
        let text = format!("{} {}", story.wordings[0].title, story.wordings[0].lede);
        let words: Vec<_> = text.to_lowercase().split_whitespace().map(str::to_owned).collect();
        let shingles: HashSet<_> = words.windows(3).map(|three| three.join(" ")).collect();
        let others = happenings.entry((story.happening, story.stage)).or_default();
        for other in others.iter() {
            let shared = shingles.intersection(other).count();
            pairs += 1;
            near += usize::from(shared * 10 >= 7 * shingles.len().min(other.len()));
        }
        others.push(shingles);
    }
    println!("{near} near copies of {pairs} pairs");
    assert!(near * 100 < pairs * 5, "{near} of {pairs}");
}

#[test]
fn stories_change_titles_develop_and_are_reprinted() {
    let (_, stories) = told(1);
    let count = |holds: &dyn Fn(&Story) -> bool| stories.iter().filter(|s| holds(s)).count();
    assert!(count(&|story| story.wordings.len() > 1) > 100);
    assert!(count(&|story| story.stage > 0) > 100);
    assert!(count(&|story| story.copy_of.is_some()) > 50);
    assert!(count(&|story| story.wordings[0].lede.ends_with("(Pramen)")) > 30);
}
