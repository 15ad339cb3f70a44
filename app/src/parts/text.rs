//! Texts of others and times, as they are put into a page.

use leptos::prelude::*;
use model::UnixSeconds;
use unicode_width::UnicodeWidthChar;

use crate::context::Visit;
use crate::i18n::iso;

/// A headline: isolated, so that its direction marks end with it, and marked with its language.
pub(crate) fn title(v: &Visit, text: &str, language: &str) -> AnyView {
    let text = if visible(text) { text.to_owned() } else { v.t.untitled.to_owned() };
    let lang = (!language.is_empty() && language != v.locale.code()).then(|| language.to_owned());
    view! { <bdi lang=lang>{text}</bdi> }.into_any()
}

/// A name that leads to a newsroom's page. Only the web's own schemes may be followed; a feed could
/// give any other.
pub(crate) fn outward(name: AnyView, link: &str) -> AnyView {
    if link.starts_with("https://") || link.starts_with("http://") {
        view! { <a href=link.to_owned() rel="noopener nofollow">{name}</a> }.into_any()
    } else {
        name
    }
}

/// For places that know no markup (document title, feeds, pictures): without control and direction
/// marks and without what XML forbids.
#[must_use]
pub fn plain(text: &str) -> String {
    let marks = |c: char| {
        c.is_control()
            || matches!(c, '\u{fffe}' | '\u{ffff}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().filter(|&c| !marks(c)).collect()
}

/// Whether a reader would see anything of it: white space, marks and characters of no width are not seen.
pub(crate) fn visible(text: &str) -> bool {
    text.chars().any(|c| !c.is_whitespace() && c.width().is_some_and(|width| width > 0))
}

/// The first line of a text and the rest as one line, each of at most `chars` characters.
pub(crate) fn split(text: &str, chars: usize) -> (String, String) {
    let mut lines = text.lines().map(str::trim).filter(|line| visible(line));
    let first = lines.next().unwrap_or_default();
    (clipped(first, chars), clipped(&lines.collect::<Vec<_>>().join(" "), chars))
}

fn clipped(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

/// Date, time and zone.
pub(crate) fn moment(v: &Visit, at: UnixSeconds) -> AnyView {
    view! { <time datetime=iso(at)>{v.locale.moment(at)}</time> }.into_any()
}

/// Short: "dnes 14:05".
pub(crate) fn near(v: &Visit, at: UnixSeconds) -> AnyView {
    view! { <time datetime=iso(at)>{v.locale.near(at, v.page.now)}</time> }.into_any()
}

/// The time alone, beside another of the same day.
pub(crate) fn clock(v: &Visit, at: UnixSeconds) -> AnyView {
    view! { <time datetime=iso(at)>{v.locale.clock(at)}</time> }.into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_without_a_visible_character_is_no_title() {
        for (text, first, rest) in [
            ("", "", ""),
            (" \u{200b}\n\u{feff}\u{2060}", "", ""),
            ("\u{ad}\u{301}\u{202e}\u{fe0f}\u{e0061}\u{7}\u{3164}", "", ""),
            ("\u{200b}\nVoda\n \u{200d}\n stoupá ", "Voda", "stoupá"),
            ("🔥", "🔥", ""),
            ("…", "…", ""),
            ("水\nहिन्दी", "水", "हिन्दी"),
        ] {
            assert_eq!(split(text, 9), (first.to_owned(), rest.to_owned()), "{text:?}");
        }
    }
}
