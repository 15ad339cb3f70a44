//! Reservations of text and data mining (Directive (EU) 2019/790, article 4) and kindred signals.
//!
//! Each protocol is parsed to its letter; what follows from it stands in one table, [`SIGNALS`].

use serde::Deserialize;
use serde_json::value::RawValue;

use super::robots::{Pattern, Role, canonical};
use super::rsl::Terms;
use crate::parse::xml;
use crate::web::Headers;

/// A statement that a publisher can make to machines, and what follows from it here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signal {
    /// As it reads where it is found.
    pub name: &'static str,
    /// It forbids fetching; otherwise it is only shown.
    pub blocks: bool,
    /// One English sentence.
    pub reason: &'static str,
}

/// Every signal that the gate knows, strongest first.
pub const SIGNALS: &[Signal] = &[
    Signal {
        name: "tdmrep.json: tdm-reservation 1",
        blocks: true,
        reason: "W3C TDMRep reserves text and data mining, which grouping headlines is.",
    },
    Signal {
        name: "tdm-reservation: 1 (header)",
        blocks: true,
        reason: "The same reservation on the answer itself, where it supersedes the file.",
    },
    Signal {
        name: "tdm-reservation 1 (HTML)",
        blocks: true,
        reason: "The same reservation in the page, where it supersedes the header.",
    },
    Signal {
        name: "Content-Usage: search=n",
        blocks: true,
        reason: "AIPREF refuses an index that leads readers to the pages, which the board is.",
    },
    Signal {
        name: "Content-Signal: search=no",
        blocks: true,
        reason: "Content Signals reserve an index with links and short excerpts, which the board is.",
    },
    Signal {
        name: "X-Robots-Tag: noai",
        blocks: true,
        reason: "No standard, but its plain words refuse every machine that learns from texts; in doubt we stay away.",
    },
    Signal {
        name: "RSL: prohibits search",
        blocks: true,
        reason: "The RSL licence of the site prohibits an index that leads readers to the pages.",
    },
    Signal {
        name: "Content-Usage: train-ai=n",
        blocks: false,
        reason: "It refuses the training of models; nothing here is trained on what newsrooms publish.",
    },
    Signal {
        name: "Content-Signal: ai-train=no",
        blocks: false,
        reason: "It reserves the training of models; nothing here is trained on what newsrooms publish.",
    },
    Signal {
        name: "Content-Signal: ai-input=no",
        blocks: false,
        reason: "It reserves feeding texts to a model; no text is generated here.",
    },
    Signal {
        name: "X-Robots-Tag: noml",
        blocks: false,
        reason: "It refuses learning by machines; nothing here learns from what newsrooms publish.",
    },
    Signal {
        name: "X-Robots-Tag: noimageai",
        blocks: false,
        reason: "It speaks of pictures, which are never fetched.",
    },
    Signal {
        name: "RSL: prohibits other uses",
        blocks: false,
        reason: "The RSL licence of the site prohibits uses that are not made here.",
    },
    Signal {
        name: "robots.txt: License",
        blocks: false,
        reason: "An RSL licence offers terms to machines; it is shown so that a person can read it.",
    },
    Signal {
        name: "tdmrep.json is not an array",
        blocks: false,
        reason: "The file does not follow the protocol, so it reserves nothing; it is shown because something was meant.",
    },
];

/// A signal that was found at an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    pub signal: &'static Signal,
    /// What it points to: a policy or a licence.
    pub link: Option<String>,
}

impl Found {
    fn named(name: &str, link: Option<String>) -> Option<Self> {
        let signal = SIGNALS.iter().find(|signal| signal.name == name)?;
        Some(Self { signal, link })
    }

    /// As it is recorded, such as `tdmrep.json: tdm-reservation 1 (https://…)`.
    #[must_use]
    pub fn text(&self) -> String {
        match &self.link {
            Some(link) => format!("{} ({link})", self.signal.name),
            None => self.signal.name.to_owned(),
        }
    }
}

/// A reservation by W3C TDMRep, and the policy that says how to get leave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reservation {
    pub reserved: bool,
    pub policy: Option<String>,
}

impl Reservation {
    /// Only 0 and 1 are values; anything else is as if nothing stood there. A policy is read with 1.
    fn of(value: &str, policy: Option<&str>) -> Option<Self> {
        let reserved = match value.trim() {
            "0" => false,
            "1" => true,
            _ => return None,
        };
        let policy = policy.filter(|_| reserved).map(|policy| policy.trim().to_owned());
        Some(Self { reserved, policy })
    }
}

/// `/.well-known/tdmrep.json`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TdmFile {
    rules: Vec<(Pattern, Reservation)>,
    /// It is JSON, but not the list that the protocol asks for.
    malformed: bool,
}

#[derive(Deserialize)]
struct TdmRule<'a> {
    location: String,
    #[serde(borrow, rename = "tdm-reservation")]
    reservation: &'a RawValue,
    #[serde(rename = "tdm-policy")]
    policy: Option<String>,
}

impl TdmFile {
    /// Reads the file; what is no rule is skipped, what is no JSON says nothing.
    #[must_use]
    pub fn parse(file: &[u8]) -> Self {
        let file = String::from_utf8_lossy(file);
        let file = file.trim_start_matches('\u{feff}');
        let Ok(rows) = serde_json::from_str::<Vec<&RawValue>>(file) else {
            let malformed = serde_json::from_str::<serde::de::IgnoredAny>(file).is_ok();
            return Self { rules: Vec::new(), malformed };
        };
        let rule = |row: &RawValue| {
            let rule: TdmRule<'_> = serde_json::from_str(row.get()).ok()?;
            // A quoted number is common and can only mean the number.
            let value = rule.reservation.get().trim_matches('"');
            let reservation = Reservation::of(value, rule.policy.as_deref())?;
            Some((Pattern::new(rule.location.as_bytes()), reservation))
        };
        Self { rules: rows.into_iter().filter_map(rule).collect(), malformed: false }
    }

    /// The first rule that matches a path with its query.
    #[must_use]
    pub fn reservation(&self, path: &str) -> Option<&Reservation> {
        let path = canonical(path.as_bytes(), Role::Address);
        let rule = self.rules.iter().find(|(pattern, _)| pattern.matches(&path));
        rule.map(|(_, reservation)| reservation)
    }

    /// What it says of the page at `path`.
    #[must_use]
    pub fn found(&self, path: &str) -> Option<Found> {
        if self.malformed {
            return Found::named("tdmrep.json is not an array", None);
        }
        let reservation = self.reservation(path).filter(|reservation| reservation.reserved)?;
        Found::named("tdmrep.json: tdm-reservation 1", reservation.policy.clone())
    }
}

/// The reservation in the header fields of an answer.
#[must_use]
pub fn header_reservation(headers: &Headers) -> Option<Reservation> {
    Reservation::of(headers.get("tdm-reservation")?, headers.get("tdm-policy"))
}

/// The reservation in the metadata of an HTML page.
#[must_use]
pub fn html_reservation(page: &str) -> Option<Reservation> {
    let mut value = None;
    let mut policy = None;
    for token in xml::Reader::new(page) {
        let xml::Token::Open { name, attributes, .. } = token else { continue };
        if name.eq_ignore_ascii_case("body") {
            break;
        }
        if !name.eq_ignore_ascii_case("meta") {
            continue;
        }
        let content = attributes.get("content").unwrap_or_default();
        match attributes.get("name").unwrap_or_default().to_ascii_lowercase().as_str() {
            "tdm-reservation" => value = Some(content),
            "tdm-policy" => policy = Some(content),
            _ => {}
        }
    }
    Reservation::of(&value?, policy.as_deref())
}

/// What an answer itself says: its header fields and, when it is a page, its metadata. A later word
/// supersedes an earlier one; silence takes nothing back.
#[must_use]
pub fn found_in_answer(headers: &Headers, page: Option<&str>) -> Vec<Found> {
    let in_page = page.and_then(html_reservation);
    let tdmrep = match (in_page, header_reservation(headers)) {
        (Some(page), _) => (page, "tdm-reservation 1 (HTML)"),
        (None, Some(header)) => (header, "tdm-reservation: 1 (header)"),
        (None, None) => (Reservation { reserved: false, policy: None }, ""),
    };
    let (reservation, name) = tdmrep;
    let mut found = Vec::new();
    if reservation.reserved {
        found.extend(Found::named(name, reservation.policy));
    }
    let usage: Vec<Statement> = headers
        .all("content-usage")
        .flat_map(|value| Statement::of(Protocol::Usage, "/", value))
        .collect();
    found.extend(Statement::preferences(&usage, "/").iter().filter_map(Preference::found));
    for directive in robots_directives(headers) {
        found.extend(Found::named(&format!("X-Robots-Tag: {directive}"), None));
    }
    found
}

/// Directives of `X-Robots-Tag` to everybody; one behind another agent's name is not ours.
#[must_use]
pub fn robots_directives(headers: &Headers) -> Vec<String> {
    let mut directives = Vec::new();
    for value in headers.all("x-robots-tag") {
        let mut ours = true;
        for directive in value.split(',') {
            let directive = directive.trim().to_ascii_lowercase();
            match directive.split_once(':') {
                // Directives that take a value, such as `max-snippet: 20`.
                Some((name, _)) if name.starts_with("max-") || name == "unavailable_after" => {}
                Some(_) => ours = false,
                None if ours => directives.push(directive),
                None => {}
            }
        }
    }
    directives
}

/// Uses that are read of one line; the vocabularies have a handful.
const MAX_USES: usize = 100;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Protocol {
    /// Content Signals: `ai-train=no`.
    Signal,
    /// AIPREF: `train-ai=n`.
    Usage,
}

/// What a publisher says of one use of the pages under a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    protocol: Protocol,
    path: Pattern,
    usage: String,
    allowed: bool,
}

/// What holds for one use of one page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preference {
    protocol: Protocol,
    pub usage: String,
    pub allowed: bool,
}

impl Statement {
    /// The value of a `Content-Signal` line.
    pub(super) fn content_signal(value: &[u8]) -> Vec<Self> {
        Self::of(Protocol::Signal, "/", &String::from_utf8_lossy(value))
    }

    /// The value of a `Content-Usage` line: a path, if it starts with one, then the uses.
    pub(super) fn content_usage(value: &[u8]) -> Vec<Self> {
        let value = String::from_utf8_lossy(value);
        let (path, uses) = match value.split_once(char::is_whitespace) {
            Some((path, uses)) if path.starts_with('/') => (path, uses),
            _ => ("/", &*value),
        };
        Self::of(Protocol::Usage, path, uses)
    }

    fn of(protocol: Protocol, path: &str, uses: &str) -> Vec<Self> {
        let (yes, no) = match protocol {
            Protocol::Signal => ("yes", "no"),
            Protocol::Usage => ("y", "n"),
        };
        let mut statements: Vec<Self> = Vec::new();
        for (usage, value) in uses.split(',').take(MAX_USES).filter_map(|part| part.split_once('='))
        {
            let usage = usage.trim().to_owned();
            // The last of repeated uses counts; a value that is neither is unknown.
            statements.retain(|statement| statement.usage != usage);
            let value = value.split(';').next().unwrap_or_default().trim();
            if value == yes || value == no {
                statements.push(Self {
                    protocol,
                    path: Pattern::new(path.as_bytes()),
                    usage,
                    allowed: value == yes,
                });
            }
        }
        statements
    }

    /// Per use, what the statements with the longest matching path say; of several, a refusal.
    pub(super) fn preferences(statements: &[Self], path: &str) -> Vec<Preference> {
        let mut longest: Vec<&Self> = Vec::new();
        for statement in statements.iter().filter(|statement| statement.path.matches(path)) {
            let same = |known: &&mut &Self| {
                known.usage == statement.usage && known.protocol == statement.protocol
            };
            match longest.iter_mut().find(same) {
                None => longest.push(statement),
                Some(known) => {
                    let strength = |statement: &Self| (statement.path.octets(), !statement.allowed);
                    if strength(statement) > strength(known) {
                        *known = statement;
                    }
                }
            }
        }
        let preference = |statement: &Self| Preference {
            protocol: statement.protocol,
            usage: statement.usage.clone(),
            allowed: statement.allowed,
        };
        longest.into_iter().map(preference).collect()
    }
}

impl Preference {
    /// The signal of a refusal; leave is no signal.
    pub(super) fn found(&self) -> Option<Found> {
        let (label, no) = match self.protocol {
            Protocol::Signal => ("Content-Signal", "no"),
            Protocol::Usage => ("Content-Usage", "n"),
        };
        let name = format!("{label}: {}={no}", self.usage);
        Found::named(&name, None).filter(|_| !self.allowed)
    }
}

/// The signal of an RSL licence and what it prohibits.
pub(super) fn license(link: &str, terms: &Terms) -> Option<Found> {
    let ours = terms.prohibits("search").then_some("RSL: prohibits search");
    let others = (!terms.prohibits.is_empty()).then_some("RSL: prohibits other uses");
    let name = ours.or(others).unwrap_or("robots.txt: License");
    let prohibited = match terms.prohibits.join(", ") {
        list if list.is_empty() => link.to_owned(),
        list => format!("{link}: {list}"),
    };
    Found::named(name, Some(prohibited))
}
