//! Search in history: forms of words, former wordings, moments, events.

use model::{EventId, Found, ItemId, Model, Snapshot, UnixSeconds};
use sqlx::PgPool;
use store::{NewItem, Search, Store};

use crate::setup::{AUGUST, HOUR, fetch, item, next, store};
use crate::snapshots::{event, snapshot};

/// Appends items with these titles and ledes, an hour after another.
async fn publish(
    store: &Store,
    source: &model::Source,
    texts: &[(&str, &str, &str)],
) -> Vec<ItemId> {
    let mut items = Vec::new();
    for (hour, (title, lede, language)) in (0..).zip(texts) {
        let at = AUGUST + hour * HOUR;
        let mut append = store.append(source, at).await.unwrap();
        append.fetch(&fetch(source, model::Outcome::Listed)).await.unwrap();
        let new = NewItem {
            title: (*title).to_owned(),
            lede: (*lede).to_owned(),
            language: (*language).to_owned(),
            mention_at: at,
            ..item(title)
        };
        items.extend(append.items(&[new]).await.unwrap());
        append.commit(&next(at)).await.unwrap();
    }
    items
}

fn ask(text: &str) -> Search {
    Search {
        text: text.to_owned(),
        language: None,
        newest: false,
        at: AUGUST + 30 * HOUR,
        offset: 0,
        limit: 20,
    }
}

async fn find(store: &Store, search: &Search) -> Found {
    store.search("v1", search).await.unwrap()
}

fn titles(found: &Found) -> Vec<&str> {
    found.events.iter().map(|event| event.title.as_str()).collect()
}

const TEXTS: [(&str, &str, &str); 4] = [
    ("Povodně u Říma: voda strhla most", "Hasiči evakuují údolí.", "cs"),
    ("Řím po povodni sčítá škody", "", "cs"),
    ("Rome counts the damage", "The flood, called povodeň in Czech.", "en"),
    ("Hokejisté vyhráli", "O povodních ani slovo, zato most slávy.", "cs"),
];

#[sqlx::test(migrations = "../migrations")]
async fn forms_of_words_are_found_without_case_and_accents(pool: PgPool) {
    let (store, sources) = store(pool).await;
    publish(&store, &sources[0], &TEXTS).await;
    for (text, expected) in [
        ("POVODEN rim", &[TEXTS[0].0, TEXTS[1].0][..]),
        ("povodně", &[TEXTS[0].0, TEXTS[1].0, TEXTS[3].0]),
        ("povodeň", &[TEXTS[0].0, TEXTS[1].0, TEXTS[2].0, TEXTS[3].0]),
        ("mostů", &[TEXTS[0].0, TEXTS[3].0]),
        ("nikde", &[]),
        ("povodeň nikde", &[]),
        ("' & | !", &[]),
        ("", &[]),
    ] {
        let found = find(&store, &ask(text)).await;
        let mut titles = titles(&found);
        titles.sort_unstable();
        let mut expected = expected.to_vec();
        expected.sort_unstable();
        assert_eq!(titles, expected, "{text}");
        assert_eq!(found.total as usize, expected.len(), "{text}");
    }
    let english = Search { language: Some("en".to_owned()), ..ask("povodeň") };
    assert_eq!(titles(&find(&store, &english).await), [TEXTS[2].0]);
}

#[sqlx::test(migrations = "../migrations")]
async fn titles_count_more_and_pages_follow_each_other(pool: PgPool) {
    let (store, sources) = store(pool).await;
    publish(&store, &sources[0], &TEXTS).await;
    let best = find(&store, &Search { limit: 1, ..ask("most") }).await;
    assert_eq!((titles(&best), best.total), (vec![TEXTS[0].0], 2));
    let second = find(&store, &Search { limit: 1, offset: 1, ..ask("most") }).await;
    assert_eq!(titles(&second), [TEXTS[3].0]);
    let newest = find(&store, &Search { newest: true, ..ask("most") }).await;
    assert_eq!(titles(&newest), [TEXTS[3].0, TEXTS[0].0]);
    assert_eq!(best.stems, ["most"]);
    assert_eq!(best.capped, None);
}

#[sqlx::test(migrations = "../migrations")]
async fn items_are_found_by_their_event_as_it_stood_then(pool: PgPool) {
    let (store, sources) = store(pool).await;
    let items = publish(&store, &sources[0], &TEXTS).await;
    let (first, second) = (items[0].0, items[1].0);
    let save = async |at: UnixSeconds, events| {
        let snapshot: Snapshot = snapshot(Model::v1(), at, events);
        store.save_snapshot(&snapshot, &[]).await.unwrap();
    };
    save(AUGUST + 2 * HOUR, vec![event(first, &[first]), event(second, &[second])]).await;
    save(AUGUST + 5 * HOUR, vec![event(first, &[first, second])]).await;
    let found = find(&store, &ask("Řím")).await;
    assert_eq!(found.total, 1);
    let event = &found.events[0];
    assert_eq!((event.event, event.newsrooms, event.matches), (EventId(first), 2, 2));
    assert_eq!(event.items.len(), 2);
    let before = Search { at: AUGUST + 3 * HOUR, ..ask("Řím") };
    assert_eq!(find(&store, &before).await.total, 2);
    // What was recorded later does not exist yet.
    let earlier = Search { at: AUGUST, ..ask("Řím") };
    assert_eq!(find(&store, &earlier).await.total, 1);
}

#[sqlx::test(migrations = "../migrations")]
async fn a_former_wording_is_found_as_it_was(pool: PgPool) {
    let (store, sources) = store(pool).await;
    let items = publish(&store, &sources[0], &TEXTS[..1]).await;
    let at = AUGUST + 2 * HOUR;
    let mut append = store.append(&sources[0], at).await.unwrap();
    append.fetch(&fetch(&sources[0], model::Outcome::Listed)).await.unwrap();
    append.revisions(&[(items[0], "Lávka stojí dál".to_owned(), String::new())]).await.unwrap();
    append.commit(&next(at)).await.unwrap();
    for (text, title) in [("most", TEXTS[0].0), ("lávky", "Lávka stojí dál")] {
        let found = find(&store, &ask(text)).await;
        assert_eq!(found.total, 1, "{text}");
        assert_eq!(found.events[0].items[0].title, title);
        assert_eq!(found.events[0].items[0].item, items[0]);
    }
}
