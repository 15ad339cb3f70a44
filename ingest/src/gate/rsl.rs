//! Really Simple Licensing 1.0: what a licence document says of the uses of a page.

use url::{Position, Url};

use super::robots::{Pattern, Role, canonical};
use crate::parse::xml::{Reader, Token, split_name};

/// Uses that the terms for one page permit and prohibit, such as `search` and `ai-train`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    pub permits: Vec<String>,
    pub prohibits: Vec<String>,
}

impl Terms {
    /// A use that is both permitted and prohibited is prohibited.
    #[must_use]
    pub fn prohibits(&self, usage: &str) -> bool {
        self.prohibits.iter().any(|known| known == usage || known == "all")
    }
}

/// The terms for `page` in a licence document: those of every `content` whose address matches.
#[must_use]
pub fn terms(document: &str, page: &Url) -> Terms {
    let mut terms = Terms::default();
    let mut concerned = false;
    let mut open = None;
    for token in Reader::new(document) {
        match token {
            Token::Open { name, attributes, .. } => match split_name(name).1 {
                "content" => concerned = matches(&attributes.get("url").unwrap_or_default(), page),
                kind @ ("permits" | "prohibits") if concerned => {
                    let about_usage = attributes.get("type").is_none_or(|kind| kind == "usage");
                    open = about_usage.then_some(kind);
                }
                _ => {}
            },
            Token::Text(text) | Token::Cdata(text) => {
                let list = match open {
                    Some("permits") => &mut terms.permits,
                    Some(_) => &mut terms.prohibits,
                    None => continue,
                };
                let uses = text
                    .split([',', ' ', '\n', '\t'])
                    .map(|usage| usage.trim().to_ascii_lowercase());
                list.extend(uses.filter(|usage| !usage.is_empty()));
            }
            Token::Close { name } => match split_name(name).1 {
                "content" => concerned = false,
                "permits" | "prohibits" => open = None,
                _ => {}
            },
        }
    }
    terms
}

/// A pattern for paths, or an address whose path is one.
fn matches(url: &str, page: &Url) -> bool {
    let pattern = match Url::parse(url) {
        Ok(absolute) if absolute.host_str() != page.host_str() => return false,
        Ok(absolute) => absolute[Position::BeforePath..].to_owned(),
        Err(_) => url.to_owned(),
    };
    let path =
        canonical(page[Position::BeforePath..Position::AfterQuery].as_bytes(), Role::Address);
    Pattern::new(pattern.as_bytes()).matches(&path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_terms_of_the_matching_content_are_read() {
        let document = r#"<rsl xmlns="https://rslstandard.org/rsl">
            <content url="/a/*"><license><permits type="usage">search</permits>
                <prohibits type="usage">ai-train, ai-input</prohibits><prohibits type="geo">US</prohibits></license></content>
            <content url="https://other.example/"><license><prohibits>all</prohibits></license></content></rsl>"#;
        let of = |page: &str| terms(document, &page.parse().unwrap());
        assert_eq!(of("https://news.example/a/1").permits, ["search"]);
        assert_eq!(of("https://news.example/a/1").prohibits, ["ai-train", "ai-input"]);
        assert_eq!(of("https://news.example/b"), Terms::default());
        assert!(of("https://other.example/b").prohibits("search"));
    }
}
