//! From the markup of a title or a description to the text that a reader sees.

use std::borrow::Cow;

use super::xml::{Reader, Token};

/// Decodes entities once. Only complete, known names are entities: `AT&T` and `R&D;` stay.
pub fn decode(text: &str) -> Cow<'_, str> {
    let Some(first) = text.find('&') else { return Cow::Borrowed(text) };
    let mut decoded = String::with_capacity(text.len());
    decoded.push_str(&text[..first]);
    let mut rest = &text[first..];
    while let Some(behind) = rest.strip_prefix('&') {
        let entity = behind.as_bytes().iter().take(LONGEST_ENTITY).position(|byte| *byte == b';');
        match entity.and_then(|end| Some((character(&behind[..end])?, end))) {
            Some((character, end)) => {
                decoded.push_str(&character);
                rest = &behind[end + 1..];
            }
            None => {
                decoded.push('&');
                rest = behind;
            }
        }
        let plain = rest.find('&').unwrap_or(rest.len());
        decoded.push_str(&rest[..plain]);
        rest = &rest[plain..];
    }
    Cow::Owned(decoded)
}

/// Longer than every entity of HTML.
const LONGEST_ENTITY: usize = 40;

fn character(entity: &str) -> Option<Cow<'static, str>> {
    let common = match entity {
        "lt" => "<",
        "gt" => ">",
        "amp" => "&",
        "quot" => "\"",
        "apos" => "'",
        "nbsp" => "\u{a0}",
        _ => "",
    };
    if !common.is_empty() {
        return Some(Cow::Borrowed(common));
    }
    let Some(number) = entity.strip_prefix('#') else {
        let written = format!("&{entity};");
        let decoded = html_escape::decode_html_entities(&written).into_owned();
        return (decoded != written).then_some(Cow::Owned(decoded));
    };
    let code = match number.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16).ok()?,
        None => number.parse().ok()?,
    };
    // Codes of the C1 controls mean windows-1252, as in HTML.
    if let Ok(byte @ 0x80..=0x9f) = u8::try_from(code) {
        return Some(Cow::Owned(encoding_rs::WINDOWS_1252.decode(&[byte]).0.into_owned()));
    }
    char::from_u32(code).map(|character| Cow::Owned(character.to_string()))
}

/// The text of HTML: tags and comments go, what they enclose stays, entities are decoded once. It may
/// end behind `chars` characters, since no more of it is wanted.
pub fn from_html(html: &str, chars: usize) -> String {
    let mut text = String::with_capacity(html.len().min(1_024));
    let mut skipped: Option<&str> = None;
    let mut visible = 0;
    for token in Reader::new(html) {
        if visible > chars {
            break;
        }
        match token {
            Token::Open { name, empty, .. } if is_tag(name) => {
                if is_hidden(name) && !empty && skipped.is_none() {
                    skipped = Some(name);
                }
                if !is_inline(name) {
                    text.push(' ');
                }
            }
            Token::Close { name } if is_tag(name) => {
                if skipped.is_some_and(|open| open.eq_ignore_ascii_case(name)) {
                    skipped = None;
                }
                if !is_inline(name) {
                    text.push(' ');
                }
            }
            _ if skipped.is_some() => {}
            // In a text that is no markup, angle brackets are brackets.
            Token::Open { name, .. } => {
                text.push('<');
                text.push_str(name);
                text.push('>');
            }
            Token::Close { name } => {
                text.push_str("</");
                text.push_str(name);
                text.push('>');
            }
            Token::Text(piece) => {
                let piece = decode(piece);
                visible += count_visible(&piece);
                text.push_str(&piece);
            }
            Token::Cdata(piece) => {
                visible += count_visible(piece);
                text.push_str(piece);
            }
        }
    }
    fold(&text)
}

fn count_visible(text: &str) -> usize {
    text.chars().filter(|character| !character.is_whitespace() && !is_invisible(*character)).count()
}

/// White space folded to single spaces; characters that nobody sees are dropped.
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    let mut space = false;
    for character in text.chars() {
        if character.is_whitespace() || matches!(character, '\u{2800}' | '\u{3164}') {
            space = true;
        } else if !is_invisible(character) {
            if space && !folded.is_empty() {
                folded.push(' ');
            }
            space = false;
            folded.push(character);
        }
    }
    folded
}

/// At most `limit` characters, cut between words where there are any.
pub fn cut(text: &str, limit: usize) -> Cow<'_, str> {
    let Some((last, _)) = text.char_indices().nth(limit.saturating_sub(1)) else {
        return Cow::Borrowed(text);
    };
    if text[last..].chars().nth(1).is_none() {
        return Cow::Borrowed(text);
    }
    let head = &text[..last];
    let whole_words = match head.rfind(' ') {
        Some(space) if space * 2 > head.len() => &head[..space],
        _ => head,
    };
    Cow::Owned(format!("{}…", whole_words.trim_end_matches([' ', ',', ';', ':', '–', '-'])))
}

/// The first sentence, for an item that has no title of its own.
pub fn first_sentence(text: &str) -> String {
    const LONGEST: usize = 120;
    let ends =
        text.char_indices().filter(|(_, character)| matches!(character, '.' | '!' | '?' | '…'));
    let mut sentence = text;
    for (at, character) in ends {
        let (head, rest) = text.split_at(at + character.len_utf8());
        let words = head.split(' ').count();
        // Behind an abbreviation or an ordinal the sentence goes on in lower case or has hardly begun.
        let next = rest.trim_start().chars().next();
        if rest.starts_with(' ') && words > 2 && next.is_some_and(|next| !next.is_lowercase()) {
            sentence = head;
            break;
        }
    }
    cut(sentence, LONGEST).into_owned()
}

/// The text behind base64, as Atom 0.3 allowed it.
pub fn from_base64(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut held) = (0_u32, 0_u32);
    for byte in text.bytes().filter(|byte| !byte.is_ascii_whitespace() && *byte != b'=') {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        held = (held << 6 | u32::from(value)) & 0xffff;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits) as u8);
        }
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Controls, soft hyphens, zero-width and direction marks.
fn is_invisible(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
        )
}

fn is_hidden(name: &str) -> bool {
    ["script", "style", "iframe", "noscript", "template"]
        .iter()
        .any(|tag| name.eq_ignore_ascii_case(tag))
}

/// Tags that stand within a word or a line.
pub fn is_inline(name: &str) -> bool {
    INLINE.iter().any(|tag| name.eq_ignore_ascii_case(tag))
}

/// A tag of HTML.
pub fn is_html_tag(name: &str) -> bool {
    is_inline(name) || OTHER.iter().any(|tag| name.eq_ignore_ascii_case(tag))
}

/// Tags go; of others only those with a prefix can be nothing but tags.
fn is_tag(name: &str) -> bool {
    is_html_tag(name) || name.contains(':')
}

const INLINE: &[&str] = &[
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em",
    "font", "i", "ins", "kbd", "mark", "nobr", "q", "s", "samp", "small", "span", "strike",
    "strong", "sub", "sup", "time", "tt", "u", "var", "wbr",
];

const OTHER: &[&str] = &[
    "address",
    "amp-img",
    "area",
    "article",
    "aside",
    "audio",
    "base",
    "blockquote",
    "body",
    "br",
    "button",
    "canvas",
    "caption",
    "center",
    "col",
    "colgroup",
    "dd",
    "details",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "embed",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "frame",
    "frameset",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hgroup",
    "hr",
    "html",
    "iframe",
    "img",
    "input",
    "label",
    "legend",
    "li",
    "link",
    "main",
    "map",
    "menu",
    "meta",
    "meter",
    "nav",
    "noscript",
    "object",
    "ol",
    "optgroup",
    "option",
    "output",
    "p",
    "param",
    "picture",
    "pre",
    "progress",
    "script",
    "section",
    "select",
    "slot",
    "source",
    "style",
    "summary",
    "svg",
    "table",
    "tbody",
    "td",
    "template",
    "textarea",
    "tfoot",
    "th",
    "thead",
    "title",
    "tr",
    "track",
    "ul",
    "video",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entities_are_decoded_once_and_only_if_they_are_entities() {
        for (text, expected) in [
            ("A &amp; B", "A & B"),
            ("A &amp;amp; B", "A &amp; B"),
            ("AT&T a R&D; kurz &euro 25", "AT&T a R&D; kurz &euro 25"),
            ("&euro;&#8211;&#x2013;&#150;", "€–––"),
            ("&#0;&#xD800;&#99999999999;", "\0&#xD800;&#99999999999;"),
            ("&", "&"),
            ("&;", "&;"),
            ("&#;&#x;", "&#;&#x;"),
            ("a&nbsp;b", "a\u{a0}b"),
        ] {
            assert_eq!(decode(text), expected, "{text}");
        }
    }

    #[test]
    fn html_becomes_what_a_reader_sees() {
        for (html, expected) in [
            ("Cena <b>roste</b> o 5&nbsp;%", "Cena roste o 5 %"),
            ("<p>První.</p><p>Druhá.</p>", "První. Druhá."),
            ("a<br/>b<img src='x'>c", "a b c"),
            ("5 < 6 a <Matrix>", "5 < 6 a <Matrix>"),
            ("<script>alert('x')</script>Text", "Text"),
            ("slo\u{ad}vo \u{200e}smě\u{200b}r", "slovo směr"),
            ("&lt;b&gt; je tučné", "<b> je tučné"),
            ("<p>Neuzavřené", "Neuzavřené"),
            ("", ""),
        ] {
            assert_eq!(from_html(html, 100), expected, "{html}");
        }
    }

    #[test]
    fn a_cut_keeps_words_and_the_limit() {
        assert_eq!(cut("krátké", 6), "krátké");
        assert_eq!(cut("jedna dvě tři", 11), "jedna dvě…");
        assert_eq!(cut("abcdefgh", 4), "abc…");
        for limit in 1..14 {
            assert!(cut("jedna dvě tři", limit).chars().count() <= limit, "{limit}");
        }
    }

    #[test]
    fn the_first_sentence_stands_for_a_title() {
        for (text, expected) in [
            ("První věta zprávy. Druhá věta.", "První věta zprávy."),
            ("Jen text", "Jen text"),
            ("Vláda 5. března jednala. Konec.", "Vláda 5. března jednala."),
            ("", ""),
        ] {
            assert_eq!(first_sentence(text), expected, "{text}");
        }
    }
}
