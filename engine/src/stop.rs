//! Words that say nothing about what happened, by language, as data in `data/stop/` and `data/aside/`.

use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};

type Words = FxHashSet<&'static str>;

/// The lists of one folder under `data/`, one of each language.
macro_rules! lists {
    ($folder:literal) => {
        LazyLock::new(|| {
            [
                ("cs", include_str!(concat!("../data/", $folder, "/cs.txt"))),
                ("de", include_str!(concat!("../data/", $folder, "/de.txt"))),
                ("en", include_str!(concat!("../data/", $folder, "/en.txt"))),
                ("es", include_str!(concat!("../data/", $folder, "/es.txt"))),
                ("fr", include_str!(concat!("../data/", $folder, "/fr.txt"))),
                ("it", include_str!(concat!("../data/", $folder, "/it.txt"))),
                ("pl", include_str!(concat!("../data/", $folder, "/pl.txt"))),
                ("pt", include_str!(concat!("../data/", $folder, "/pt.txt"))),
                ("ru", include_str!(concat!("../data/", $folder, "/ru.txt"))),
                ("sk", include_str!(concat!("../data/", $folder, "/sk.txt"))),
                ("sl", include_str!(concat!("../data/", $folder, "/sl.txt"))),
                ("uk", include_str!(concat!("../data/", $folder, "/uk.txt"))),
            ]
            .map(|(language, list)| (language, list.split_whitespace().collect()))
            .into_iter()
            .collect()
        })
    };
}

static LISTS: LazyLock<FxHashMap<&'static str, Words>> = lists!("stop");
static ASIDE: LazyLock<FxHashMap<&'static str, Words>> = lists!("aside");

/// The language's stop words, in lower case; `None` for a language without a list.
pub fn list(language: &str) -> Option<&'static Words> {
    LISTS.get(language)
}

/// The language's words for times, units, numbers and kinds of reports, in lower case: they stand aside
/// from what happened. `None` for a language without a list.
pub fn aside(language: &str) -> Option<&'static Words> {
    ASIDE.get(language)
}

/// Stop words of the languages that a feed may mix, its texts saying of themselves nothing.
pub fn in_feeds(lower: &str) -> bool {
    const LANGUAGES: [&str; 10] = ["cs", "de", "en", "es", "fr", "it", "pl", "ru", "sk", "uk"];
    static WORDS: LazyLock<Words> = LazyLock::new(|| {
        LANGUAGES.iter().filter_map(|language| list(language)).flatten().copied().collect()
    });
    WORDS.contains(lower)
}
