//! Words that say nothing about what happened, by language, as data in `data/stop/`.

use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};

type Words = FxHashSet<&'static str>;

static LISTS: LazyLock<FxHashMap<&'static str, Words>> = LazyLock::new(|| {
    [
        ("cs", include_str!("../data/stop/cs.txt")),
        ("de", include_str!("../data/stop/de.txt")),
        ("en", include_str!("../data/stop/en.txt")),
        ("es", include_str!("../data/stop/es.txt")),
        ("fr", include_str!("../data/stop/fr.txt")),
        ("it", include_str!("../data/stop/it.txt")),
        ("pl", include_str!("../data/stop/pl.txt")),
        ("pt", include_str!("../data/stop/pt.txt")),
        ("ru", include_str!("../data/stop/ru.txt")),
        ("sk", include_str!("../data/stop/sk.txt")),
        ("sl", include_str!("../data/stop/sl.txt")),
        ("uk", include_str!("../data/stop/uk.txt")),
    ]
    .map(|(language, list)| (language, list.split_whitespace().collect()))
    .into_iter()
    .collect()
});

/// The language's stop words, in lower case; `None` for a language without a list.
pub fn list(language: &str) -> Option<&'static Words> {
    LISTS.get(language)
}

/// Stop words of the languages that a feed may mix, its texts saying of themselves nothing.
pub fn in_feeds(lower: &str) -> bool {
    const LANGUAGES: [&str; 10] = ["cs", "de", "en", "es", "fr", "it", "pl", "ru", "sk", "uk"];
    static WORDS: LazyLock<Words> = LazyLock::new(|| {
        LANGUAGES.iter().filter_map(|language| list(language)).flatten().copied().collect()
    });
    WORDS.contains(lower)
}
