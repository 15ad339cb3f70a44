//! Czech and English: a typed catalogue, in which a missing text does not compile.
//!
//! The kept translation libraries carry their catalogue and locale signals into the hydrated
//! bundle and remember the language in a cookie. Here the address alone decides the language,
//! pages are rendered on the server, and the few texts that an island needs are its props.
//!
//! Czech texts hold literal no-break spaces after one-letter words and before units.

mod cs;
mod en;
mod format;
mod pages;
mod texts;

pub(crate) use format::{iso, utc};
pub(crate) use texts::{Methodology, Models, Texts};

/// Language of a page; each has its own addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Locale {
    /// At `/…`.
    Cs,
    /// At `/en/…`.
    En,
}

impl Locale {
    #[must_use]
    pub fn of_path(path: &str) -> Self {
        if path == "/en" || path.starts_with("/en/") { Self::En } else { Self::Cs }
    }

    /// BCP 47 tag.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Cs => "cs",
            Self::En => "en",
        }
    }

    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Cs => Self::En,
            Self::En => Self::Cs,
        }
    }

    /// The address in this locale of a path that has no locale.
    #[must_use]
    pub fn path(self, path: &str) -> String {
        match self {
            Self::Cs => path.to_owned(),
            Self::En if path == "/" => "/en".to_owned(),
            Self::En => format!("/en{path}"),
        }
    }

    /// The path without its locale.
    #[must_use]
    pub fn strip(path: &str) -> &str {
        match (Self::of_path(path), path.get(3..)) {
            (Self::Cs, _) => path,
            (Self::En, None | Some("")) => "/",
            (Self::En, Some(rest)) => rest,
        }
    }

    pub(crate) fn texts(self) -> &'static Texts {
        match self {
            Self::Cs => &cs::TEXTS,
            Self::En => &en::TEXTS,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A one-letter preposition never ends a line.
    #[test]
    fn czech_prepositions_hold_on_to_their_words() {
        let loose: Vec<&str> = [include_str!("cs.rs"), include_str!("pages/cs.rs")]
            .into_iter()
            .flat_map(str::lines)
            .filter(|line| line.contains('"'))
            .filter(|line| {
                let words: Vec<&str> = line.split(' ').collect();
                let last = words.len() - 1;
                words[..last].iter().any(|word| {
                    matches!(
                        *word,
                        "k" | "s"
                            | "v"
                            | "z"
                            | "o"
                            | "u"
                            | "a"
                            | "i"
                            | "K"
                            | "S"
                            | "V"
                            | "Z"
                            | "O"
                            | "U"
                            | "A"
                            | "I"
                    )
                })
            })
            .collect();
        assert_eq!(loose, [""; 0]);
    }

    #[test]
    fn an_address_names_its_locale() {
        for (path, locale, bare) in [
            ("/", Locale::Cs, "/"),
            ("/sources", Locale::Cs, "/sources"),
            ("/en", Locale::En, "/"),
            ("/en/", Locale::En, "/"),
            ("/en/event/7", Locale::En, "/event/7"),
            ("/energy", Locale::Cs, "/energy"),
        ] {
            assert_eq!(Locale::of_path(path), locale, "{path}");
            assert_eq!(Locale::strip(path), bare, "{path}");
        }
        assert_eq!(Locale::En.path("/"), "/en");
        assert_eq!(Locale::En.path("/status"), "/en/status");
        assert_eq!(Locale::Cs.path("/status"), "/status");
    }
}
