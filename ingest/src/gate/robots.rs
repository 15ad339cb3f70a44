//! robots.txt by RFC 9309, read from bytes in one pass; matching is linear in rule and address.
//!
//! Rules and addresses are first brought into one spelling (section 2.2.2), so that comparing them is
//! comparing bytes. No regular expression is built: a rule cannot fail, blow up or take others with it.

use std::borrow::Cow;

use encoding_rs::{UTF_16BE, UTF_16LE};

use super::tdm::{Preference, Statement};

/// How much of a file is read; the RFC asks for at least 500 KiB.
pub const MAX_ROBOTS_BYTES: usize = 512 * 1024;

/// Longest line that counts, as in Google's parser. A longer ban bans what its beginning says; a longer
/// leave says nothing.
const MAX_LINE_BYTES: usize = 16_663;

/// Statements about uses that are kept, and licences; no publisher has so much to say.
const MAX_STATEMENTS: usize = 1_000;
const MAX_LICENSES: usize = 100;

/// Longer wishes than a day between two requests would be a ban, which has a line of its own.
const MAX_CRAWL_DELAY_SECONDS: f64 = 86_400.0;

/// What one robots.txt says to one product token.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Robots {
    rules: Vec<Rule>,
    crawl_delay_seconds: Option<i64>,
    /// `Content-Signal` and `Content-Usage` of the same groups.
    statements: Vec<Statement>,
    /// RSL licences; they hold for everybody.
    licenses: Vec<String>,
}

/// One `Allow` or `Disallow`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    pub allow: bool,
    /// As it is written in the file, comment and white space aside.
    pub line: String,
    pattern: Pattern,
}

impl Robots {
    /// Reads `file` for the crawler called `token`. Nothing in it is an error: lines that mean
    /// nothing are skipped.
    #[must_use]
    pub fn parse(file: &[u8], token: &str) -> Self {
        let file = utf8(&file[..file.len().min(MAX_ROBOTS_BYTES)]);
        // First who is spoken to, so that nothing is kept of what is said to others.
        let (mut own, mut rules) = (false, 0);
        for Record { key, value, .. } in records(&file) {
            match key {
                Key::UserAgent => own |= names(value, token),
                Key::Allow | Key::Disallow => rules += 1,
                _ => {}
            }
        }
        let mut robots = Self { rules: Vec::with_capacity(rules), ..Self::default() };
        let (mut heading, mut ours) = (false, false);
        for Record { key, value, text, cut } in records(&file) {
            match key {
                Key::UserAgent => {
                    let named = if own { names(value, token) } else { names_everybody(value) };
                    // Consecutive user agents head one group.
                    ours = named || heading && ours;
                    heading = true;
                }
                Key::License if robots.licenses.len() < MAX_LICENSES => {
                    robots.licenses.push(String::from_utf8_lossy(value).into_owned());
                }
                Key::Allow | Key::Disallow => {
                    heading = false;
                    // Whatever stands before the first user agent is said to nobody.
                    if ours && !(value.is_empty() || cut && key == Key::Allow) {
                        robots.rules.push(Rule {
                            allow: key == Key::Allow,
                            line: String::from_utf8_lossy(text).into_owned(),
                            pattern: Pattern::new(value),
                        });
                    }
                }
                _ if !ours => {}
                Key::CrawlDelay => {
                    robots.crawl_delay_seconds = robots.crawl_delay_seconds.max(crawl_delay(value));
                }
                Key::ContentSignal => robots.say(Statement::content_signal(value)),
                Key::ContentUsage => robots.say(Statement::content_usage(value)),
                Key::License => {}
            }
        }
        robots.rules.shrink_to_fit();
        robots
    }

    fn say(&mut self, statements: Vec<Statement>) {
        let room = MAX_STATEMENTS.saturating_sub(self.statements.len());
        self.statements.extend(statements.into_iter().take(room));
    }

    /// The rule that decides about a path with its query: the longest that matches, of equals an
    /// allowing one. `None`: nothing is said, so it is allowed.
    #[must_use]
    pub fn rule(&self, path: &str) -> Option<&Rule> {
        let path = canonical(path.as_bytes(), Role::Address);
        if path == "/robots.txt" {
            return None;
        }
        let matching = self.rules.iter().filter(|rule| rule.pattern.matches(&path));
        matching.max_by_key(|rule| (rule.pattern.octets(), rule.allow))
    }

    /// Seconds to leave between two requests.
    #[must_use]
    pub fn crawl_delay_seconds(&self) -> Option<i64> {
        self.crawl_delay_seconds
    }

    /// What the file says of uses of the page at `path`: per use, the statements with the longest
    /// path, the strictest of them.
    #[must_use]
    pub fn preferences(&self, path: &str) -> Vec<Preference> {
        Statement::preferences(&self.statements, &canonical(path.as_bytes(), Role::Address))
    }

    /// Addresses of RSL licences.
    #[must_use]
    pub fn licenses(&self) -> &[String] {
        &self.licenses
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Key {
    UserAgent,
    Allow,
    Disallow,
    CrawlDelay,
    ContentSignal,
    ContentUsage,
    License,
}

/// A line that says something.
struct Record<'a> {
    key: Key,
    value: &'a [u8],
    /// Key and value as they are written.
    text: &'a [u8],
    /// The line is longer than lines that count.
    cut: bool,
}

fn records(file: &[u8]) -> impl Iterator<Item = Record<'_>> {
    file.split(|byte| matches!(byte, b'\n' | b'\r')).filter_map(Record::read)
}

impl<'a> Record<'a> {
    fn read(line: &'a [u8]) -> Option<Self> {
        let cut = line.len() > MAX_LINE_BYTES;
        let line = &line[..line.len().min(MAX_LINE_BYTES)];
        let text = line.split(|byte| *byte == b'#').next()?.trim_ascii();
        let (key, value) = match text.iter().position(|byte| *byte == b':') {
            Some(colon) => (&text[..colon], &text[colon + 1..]),
            None => {
                // A forgotten colon is forgiven when nothing else can be meant.
                let space = text.iter().position(u8::is_ascii_whitespace)?;
                let value = text[space..].trim_ascii();
                if value.iter().any(u8::is_ascii_whitespace) {
                    return None;
                }
                (&text[..space], value)
            }
        };
        let key = match key.trim_ascii().to_ascii_lowercase().as_slice() {
            b"user-agent" | b"useragent" | b"user agent" => Key::UserAgent,
            b"allow" => Key::Allow,
            // Slips of the pen that mean a ban are a ban.
            b"disallow" | b"dissallow" | b"dissalow" | b"disalow" | b"diasllow" | b"disallaw" => {
                Key::Disallow
            }
            b"crawl-delay" | b"crawldelay" => Key::CrawlDelay,
            b"content-signal" => Key::ContentSignal,
            b"content-usage" => Key::ContentUsage,
            b"license" => Key::License,
            _ => return None,
        };
        Some(Self { key, value: value.trim_ascii(), text, cut })
    }
}

/// A token ends at the first character that no token has, so that `Name/1.0` names `Name`; whoever is
/// called by such a character is named by the whole word.
fn names(value: &[u8], token: &str) -> bool {
    let in_token = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-');
    let in_word = |byte: &u8| !byte.is_ascii_whitespace() && *byte != b'/';
    let shortest = value.iter().take_while(|byte| in_token(byte)).count();
    let longest = value.iter().take_while(|byte| in_word(byte)).count();
    let named = |end: usize| end > 0 && value[..end].eq_ignore_ascii_case(token.as_bytes());
    named(shortest) || named(longest)
}

fn names_everybody(value: &[u8]) -> bool {
    value.strip_prefix(b"*").is_some_and(|rest| rest.first().is_none_or(u8::is_ascii_whitespace))
}

fn crawl_delay(value: &[u8]) -> Option<i64> {
    let seconds: f64 = std::str::from_utf8(value).ok()?.parse().ok()?;
    let sane = seconds.is_finite() && seconds > 0.0;
    sane.then(|| seconds.min(MAX_CRAWL_DELAY_SECONDS).ceil() as i64)
}

/// The file as UTF-8: without its byte order mark, or a stump of one; UTF-16 is converted, since read
/// as it stands it would hold no rule and allow everything.
fn utf8(file: &[u8]) -> Cow<'_, [u8]> {
    let utf16 = match file {
        [0xff, 0xfe, ..] => Some(UTF_16LE),
        [0xfe, 0xff, ..] => Some(UTF_16BE),
        _ => None,
    };
    if let Some(encoding) = utf16 {
        return Cow::Owned(encoding.decode(file).0.into_owned().into_bytes());
    }
    let mark = b"\xef\xbb\xbf".iter().zip(file).take_while(|(mark, byte)| mark == byte).count();
    Cow::Borrowed(&file[mark..])
}

/// A path pattern in canonical spelling, in which every `*` is a wildcard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    text: Box<str>,
    /// It ended in `$`.
    anchored: bool,
}

impl Pattern {
    #[must_use]
    pub fn new(pattern: &[u8]) -> Self {
        let (pattern, anchored) = match pattern.strip_suffix(b"$") {
            Some(pattern) => (pattern, true),
            None => (pattern, false),
        };
        Self { text: canonical(pattern, Role::Pattern).into(), anchored }
    }

    /// Its length in canonical spelling.
    #[must_use]
    pub fn octets(&self) -> usize {
        self.text.len() + usize::from(self.anchored)
    }

    /// Whether it matches a canonical path from its first octet on.
    #[must_use]
    pub fn matches(&self, path: &str) -> bool {
        let Some((first, rest)) = self.text.split_once('*') else {
            return if self.anchored { path == &*self.text } else { path.starts_with(&*self.text) };
        };
        let Some(mut path) = path.strip_prefix(first) else { return false };
        let (middle, last) = rest.rsplit_once('*').unwrap_or(("", rest));
        // The leftmost place of each literal leaves most room for the next.
        for literal in middle.split('*') {
            match path.find(literal) {
                Some(at) => path = &path[at + literal.len()..],
                None => return false,
            }
        }
        if self.anchored { path.ends_with(last) } else { path.contains(last) }
    }
}

/// Where `*` and `$` are ordinary characters: not in a pattern, whose own `%2A` and `%24` are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Address,
    Pattern,
}

/// One spelling for every path: unreserved characters plain, everything that an address cannot hold
/// percent-encoded in upper case, reserved characters as they are (RFC 9309, section 2.2.2).
#[must_use]
pub fn canonical(path: &[u8], role: Role) -> String {
    let mut spelled = String::with_capacity(path.len());
    let mut rest = path;
    while let [byte, tail @ ..] = rest {
        rest = tail;
        let encoded = match (byte, tail) {
            (b'%', [high, low, after @ ..]) => match hex(*high).zip(hex(*low)) {
                Some((high, low)) => {
                    rest = after;
                    Some(high << 4 | low)
                }
                None => None,
            },
            _ => None,
        };
        match encoded {
            Some(octet) if is_unreserved(octet) => spelled.push(char::from(octet)),
            Some(octet) => percent(octet, &mut spelled),
            None if is_plain(*byte, role) => spelled.push(char::from(*byte)),
            None => percent(*byte, &mut spelled),
        }
    }
    spelled
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

fn percent(octet: u8, spelled: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    spelled.push('%');
    spelled.push(char::from(DIGITS[usize::from(octet >> 4)]));
    spelled.push(char::from(DIGITS[usize::from(octet & 15)]));
}

fn is_unreserved(octet: u8) -> bool {
    octet.is_ascii_alphanumeric() || matches!(octet, b'-' | b'.' | b'_' | b'~')
}

fn is_plain(octet: u8, role: Role) -> bool {
    let literal_only = matches!(octet, b'*' | b'$');
    let reserved = b":/?#[]@!$&'()*+,;=%".contains(&octet);
    is_unreserved(octet) || reserved && !(literal_only && (role == Role::Address || octet == b'$'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(file: &[u8], path: &str) -> bool {
        Robots::parse(file, "Ohlas").rule(path).is_none_or(|rule| rule.allow)
    }

    #[test]
    fn the_rule_that_decides_is_told_as_written() {
        let robots = Robots::parse(
            b"User-agent: ohlas/1.0\nDisallow: /  # all\nAllow: /rss*.xml$\nCrawl-delay: 1.5\n",
            "Ohlas",
        );
        assert_eq!(robots.rule("/rss/all.xml").unwrap().line, "Allow: /rss*.xml$");
        assert_eq!(robots.rule("/rss/all.xml?x").unwrap().line, "Disallow: /");
        assert_eq!(robots.rule("/robots.txt"), None);
        assert_eq!(robots.crawl_delay_seconds(), Some(2));
    }

    #[test]
    fn wildcards_match_without_looking_back() {
        for (pattern, path, matches) in [
            ("/a*b*c", "/axxbxxc", true),
            ("/a*b*c", "/axxcxxb", false),
            ("/a*bc$", "/abcbc", true),
            ("/a*bc$", "/abcb", false),
            ("/ab*ab$", "/ab", false),
            ("*", "/", true),
            ("/*$", "/x", true),
            ("/a$", "/a", true),
            ("/a$", "/ab", false),
            ("/a$b", "/a$b", true),
            ("/%2A", "/*", true),
            ("/%2A", "/x", false),
            ("/%24", "/$", true),
        ] {
            let path = canonical(path.as_bytes(), Role::Address);
            assert_eq!(
                Pattern::new(pattern.as_bytes()).matches(&path),
                matches,
                "{pattern} {path}"
            );
        }
    }

    #[test]
    fn utf16_does_not_fail_open() {
        let text = "User-agent: *\r\nDisallow: /\r\n";
        let little: Vec<u8> = [0xff, 0xfe]
            .into_iter()
            .chain(text.encode_utf16().flat_map(u16::to_le_bytes))
            .collect();
        let big: Vec<u8> = [0xfe, 0xff]
            .into_iter()
            .chain(text.encode_utf16().flat_map(u16::to_be_bytes))
            .collect();
        assert!(!allowed(&little, "/x"));
        assert!(!allowed(&big, "/x"));
    }

    #[test]
    fn other_records_neither_end_nor_join_groups() {
        let file = b"Disallow: /\nUser-agent: ohlas\nSitemap: /s.xml\nUser-agent: other\nCrawl-delay: 9\nDisallow: /p\n\nUser-agent: *\nDisallow: /q";
        assert!(!allowed(file, "/p"));
        assert!(allowed(file, "/q"));
        assert!(allowed(file, "/"));
        assert_eq!(Robots::parse(file, "Ohlas").crawl_delay_seconds(), Some(9));
    }
}
