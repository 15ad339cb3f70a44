//! A forgiving reader of XML and of what passes for it.
//!
//! Every text has a reading: what is not markup is text, what is never closed goes on to the end.
//! Nothing is copied, no tree is built and nothing is read twice, so time is linear and memory constant.
//! Declared entities are not expanded and external ones not fetched: document types are skipped.

use std::borrow::Cow;

use super::text;

/// A piece of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'a> {
    /// A start tag; `empty` when it is its own end.
    Open {
        name: &'a str,
        attributes: Attributes<'a>,
        empty: bool,
    },
    Close {
        name: &'a str,
    },
    /// Text whose entities are still to be decoded.
    Text(&'a str),
    /// Text that means itself.
    Cdata(&'a str),
}

/// Reads a document from its beginning.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// A quotation mark was opened and never closed: from there on they are not trusted.
    quotes_broken: bool,
}

impl<'a> Reader<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { text, at: 0, quotes_broken: false }
    }

    /// Skips to behind `end` and gives what stands before it; all the rest when it never comes.
    fn take_until(&mut self, from: usize, end: &str) -> &'a str {
        let rest = &self.text[from..];
        match rest.find(end) {
            Some(length) => {
                self.at = from + length + end.len();
                &rest[..length]
            }
            None => {
                self.at = self.text.len();
                rest
            }
        }
    }

    /// A document type, with its declarations between brackets.
    fn skip_doctype(&mut self) {
        let rest = &self.text[self.at..];
        let end = match rest.find(['[', '>']) {
            Some(at) if rest.as_bytes()[at] == b'[' => "]",
            _ => ">",
        };
        self.take_until(self.at, end);
        if end == "]" {
            self.take_until(self.at, ">");
        }
    }

    /// The `>` that ends a tag: not one between quotes.
    fn end_of_tag(&mut self, text: &str) -> Option<usize> {
        if !self.quotes_broken {
            let end = quoted_end(text);
            if end.is_some() {
                return end;
            }
            // Said once for the whole document, or every tag would be searched for to its end.
            self.quotes_broken = true;
        }
        text.find('>')
    }

    fn tag(&mut self) -> Token<'a> {
        let start = self.at + 1;
        let rest = &self.text[start..];
        if let Some(name) = rest.strip_prefix('/') {
            self.take_until(start + 1, ">");
            let length = name.find(ends_name).unwrap_or(name.len());
            return Token::Close { name: &name[..length] };
        }
        let length = rest.find(ends_name).unwrap_or(rest.len());
        let (name, rest) = rest.split_at(length);
        let end = self.end_of_tag(rest);
        let inner = &rest[..end.unwrap_or(rest.len())];
        self.at = start + length + inner.len() + usize::from(end.is_some());
        let (inner, empty) = match inner.strip_suffix('/') {
            Some(inner) => (inner, true),
            None => (inner, false),
        };
        Token::Open { name, attributes: Attributes(inner), empty }
    }
}

impl<'a> Iterator for Reader<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let rest = &self.text[self.at..];
            let Some(markup) = find_markup(rest) else {
                self.at = self.text.len();
                return (!rest.is_empty()).then_some(Token::Text(rest));
            };
            if markup > 0 {
                self.at += markup;
                return Some(Token::Text(&rest[..markup]));
            }
            if rest.starts_with("<!--") {
                self.take_until(self.at + 4, "-->");
            } else if rest.starts_with("<![CDATA[") {
                return Some(Token::Cdata(self.take_until(self.at + 9, "]]>")));
            } else if rest.starts_with("<!") {
                self.skip_doctype();
            } else if rest.starts_with("<?") {
                self.take_until(self.at + 2, ">");
            } else {
                return Some(self.tag());
            }
        }
    }
}

/// The next `<` that begins markup: one before white space or a digit is a sign of its own.
fn find_markup(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let begins = |next: u8| {
        next.is_ascii_alphabetic()
            || matches!(next, b'/' | b'!' | b'?' | b'_' | b':')
            || next >= 0x80
    };
    let mut from = 0;
    while let Some(at) = text[from..].find('<') {
        if bytes.get(from + at + 1).copied().is_some_and(begins) {
            return Some(from + at);
        }
        from += at + 1;
    }
    None
}

fn ends_name(character: char) -> bool {
    character.is_whitespace() || matches!(character, '>' | '/' | '<' | '=')
}

fn quoted_end(text: &str) -> Option<usize> {
    let mut quote = None;
    let mut before = b' ';
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (Some(open), close) if open == close => quote = None,
            (Some(_), _) => {}
            // A quotation mark opens a value only behind its equals sign.
            (None, b'"' | b'\'') if before == b'=' => quote = Some(byte),
            (None, b'>') => return Some(at),
            (None, _) => {}
        }
        if !byte.is_ascii_whitespace() {
            before = byte;
        }
    }
    None
}

/// The attributes of a start tag, read when asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attributes<'a>(&'a str);

impl<'a> Attributes<'a> {
    /// The decoded value of the first attribute with this name, whose case counts only in its prefix.
    pub fn get(&self, name: &str) -> Option<String> {
        let found = self.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| text::decode(value).into_owned())
    }

    /// Names and raw values.
    pub fn iter(&self) -> AttributeIter<'a> {
        AttributeIter(self.0)
    }
}

#[derive(Clone, Debug)]
pub struct AttributeIter<'a>(&'a str);

impl<'a> Iterator for AttributeIter<'a> {
    type Item = (&'a str, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let text =
                self.0.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '/' | '<'));
            if text.is_empty() {
                return None;
            }
            let length = text.find(|c: char| c.is_whitespace() || c == '=').unwrap_or(text.len());
            let (name, rest) = text.split_at(length);
            let Some(value) = rest.trim_start().strip_prefix('=') else {
                self.0 = rest;
                continue;
            };
            let value = value.trim_start();
            let (value, rest) = match value.chars().next() {
                Some(quote @ ('"' | '\'')) => {
                    let value = &value[1..];
                    match value.find(quote) {
                        Some(end) => (&value[..end], &value[end + 1..]),
                        None => (value, ""),
                    }
                }
                _ => value.split_at(value.find(char::is_whitespace).unwrap_or(value.len())),
            };
            self.0 = rest;
            if !name.is_empty() {
                return Some((name, value));
            }
        }
    }
}

/// Prefix and local part of a name.
pub fn split_name(name: &str) -> (&str, &str) {
    name.split_once(':').unwrap_or(("", name))
}

/// The encoding that an XML declaration names.
pub fn declared_encoding(text: &str) -> Option<Cow<'_, str>> {
    let start = text.find("<?xml")?;
    let declaration = &text[start..start + text[start..].find("?>")?];
    let mut attributes = AttributeIter(&declaration[5..]);
    attributes.find(|(name, _)| *name == "encoding").map(|(_, value)| value.trim().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<String> {
        let piece = |token| match token {
            Token::Open { name, attributes, empty } => {
                let attributes: Vec<String> =
                    attributes.iter().map(|(name, value)| format!(" {name}={value}")).collect();
                format!("<{name}{}{}>", attributes.concat(), if empty { "/" } else { "" })
            }
            Token::Close { name } => format!("</{name}>"),
            Token::Text(text) => text.to_owned(),
            Token::Cdata(text) => format!("[{text}]"),
        };
        Reader::new(text).map(piece).collect()
    }

    #[test]
    fn every_text_has_a_reading() {
        for (text, expected) in [
            ("<a b='1' c=\"x>y\"/>", vec!["<a b=1 c=x>y/>"]),
            ("<a b=1 c>t</a >", vec!["<a b=1>", "t", "</a>"]),
            ("1 < 2 <b>&amp;</b>", vec!["1 < 2 ", "<b>", "&amp;", "</b>"]),
            ("<!-- <a> --><![CDATA[<b>]]>", vec!["[<b>]"]),
            ("<!DOCTYPE a [<!ENTITY b \"c\">]><?xml x?><d/>", vec!["<d/>"]),
            ("<!DOCTYPE html><d/>", vec!["<d/>"]),
            ("<a><![CDATA[x", vec!["<a>", "[x]"]),
            ("<a b=\"x", vec!["<a b=x>"]),
            ("<a b=\"x>y</a>", vec!["<a b=x>", "y", "</a>"]),
            ("<!-- x", vec![]),
            ("</a", vec!["</a>"]),
            ("<a title=\"it's\">x</a>", vec!["<a title=it's>", "x", "</a>"]),
            ("<a title=x'y>z", vec!["<a title=x'y>", "z"]),
            ("<", vec!["<"]),
            ("", vec![]),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn the_declared_encoding_is_found_behind_white_space() {
        let declaration = "\n <?xml version='1.0' encoding = 'windows-1250'?>";
        assert_eq!(declared_encoding(declaration).as_deref(), Some("windows-1250"));
        assert_eq!(declared_encoding("<rss encoding='x'>"), None);
    }
}
