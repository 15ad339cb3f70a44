//! RSS 0.9 to 2.0, RDF, Atom 0.3 and 1.0, as they are found: local names decide, since version
//! attributes are missing and namespaces wrong or not declared.

use std::rc::Rc;

use url::Url;

use super::text;
use super::xml::{Attributes, Reader, Token, split_name};
use super::{KEPT_CHARS, MAX_ENTRIES, NotAFeed, Raw, RawFeed};

/// Deeper elements are no more than their text.
const MAX_DEPTH: usize = 64;
/// Declarations that are kept at one time.
const MAX_NAMESPACES: usize = 100;
/// A longer `xml:base` is nobody's address.
const MAX_BASE_BYTES: usize = 512;
/// Dates that are kept of one entry.
const MAX_DATES: usize = 8;
/// What is kept of one element's text: more than enough for a description of 300 characters behind the
/// pictures and widgets that precede it.
const MAX_FIELD_BYTES: usize = 64 * 1024;

/// Reads a feed fetched from `base`. What is whole is kept, whatever follows it.
pub fn read(document: &str, base: &Url) -> Result<RawFeed, NotAFeed> {
    let mut reader = Reader::new(document);
    let mut walk = Walk::new(base);
    let mut first = None;
    for token in reader.by_ref() {
        match token {
            Token::Open { name, attributes, empty } => {
                if first.is_none() && !walk.has_root() {
                    first = Some(name);
                }
                walk.open(name, attributes, empty);
            }
            Token::Close { name } => walk.close(name),
            Token::Text(piece) => walk.text(piece, false),
            Token::Cdata(piece) => walk.text(piece, true),
        }
        if walk.is_done() {
            break;
        }
    }
    if !walk.has_root() {
        return Err(match first {
            Some(name) if text::is_html_tag(name) => NotAFeed::Html(page_title(document)),
            Some(name) => NotAFeed::Root(name.chars().take(40).collect()),
            None => NotAFeed::Plain,
        });
    }
    let mut feed = walk.feed;
    feed.title = walk.title.map(|(_, title)| title).unwrap_or_default();
    feed.link = walk.link.map(|(_, link, base)| (link, base));
    feed.partial = !walk.ended && !feed.more;
    Ok(feed)
}

fn page_title(document: &str) -> Option<String> {
    let mut tokens = Reader::new(document).skip_while(
        |token| !matches!(token, Token::Open { name, .. } if name.eq_ignore_ascii_case("title")),
    );
    tokens.next();
    match tokens.next()? {
        Token::Text(title) => Some(text::cut(&text::from_html(title, 80), 80).into_owned()),
        _ => None,
    }
    .filter(|title| !title.is_empty())
}

/// Vocabularies that are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    /// RSS and Atom, and whatever has no prefix.
    Core,
    DublinCore,
    Content,
    Media,
    Itunes,
    Rdf,
    Syndication,
    FeedBurner,
    Xhtml,
    Other,
}

impl Family {
    fn of_namespace(uri: &str) -> Self {
        let uri = uri.trim().to_ascii_lowercase();
        let has = |part: &str| uri.contains(part);
        if has("purl.org/dc/") {
            Self::DublinCore
        } else if has("purl.org/rss/1.0/modules/content") {
            Self::Content
        } else if has("purl.org/rss/1.0/modules/syndication") {
            Self::Syndication
        } else if has("search.yahoo.com/mrss") {
            Self::Media
        } else if has("itunes.com/") {
            Self::Itunes
        } else if has("/22-rdf-syntax-ns") {
            Self::Rdf
        } else if has("feedburner") {
            Self::FeedBurner
        } else if has("/1999/xhtml") {
            Self::Xhtml
        } else if ["atom", "purl.org/rss/1.0", "netscape.com/rdf", "userland.com", "harvard.edu"]
            .iter()
            .any(|core| has(core))
        {
            Self::Core
        } else {
            Self::Other
        }
    }

    /// What a prefix means that nobody declared.
    fn of_prefix(prefix: &str) -> Self {
        match prefix.to_ascii_lowercase().as_str() {
            "" | "atom" | "a10" | "rss" => Self::Core,
            "dc" | "dcterms" => Self::DublinCore,
            "content" => Self::Content,
            "media" => Self::Media,
            "itunes" => Self::Itunes,
            "rdf" => Self::Rdf,
            "sy" => Self::Syndication,
            "feedburner" => Self::FeedBurner,
            "xhtml" => Self::Xhtml,
            _ => Self::Other,
        }
    }
}

/// An open element.
struct Frame<'a> {
    name: &'a str,
    family: Family,
    /// Set here, valid within.
    language: Option<String>,
    base: Option<Rc<Url>>,
    /// Namespaces that were known outside.
    namespaces: usize,
}

/// An element whose text is wanted.
struct Capture {
    field: Field,
    /// Depth of the stack outside of it.
    depth: usize,
    /// The text is markup in itself.
    html: bool,
    /// Words of another language than their entry's.
    language: Option<String>,
    base64: bool,
    text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Title(u8),
    Text(u8),
    Link(u8),
    Guid { permalink: bool },
    Date(u8),
    Language,
    FeedTitle(u8),
    FeedLanguage,
    Ttl,
    Period,
    Frequency,
}

struct Walk<'a> {
    stack: Vec<Frame<'a>>,
    namespaces: Vec<(&'a str, Family)>,
    document: Rc<Url>,
    atom: bool,
    root: Option<usize>,
    /// Depth of the stack outside of the open entry, the entry, and what ranks its parts have.
    entry: Option<(usize, Draft)>,
    capture: Option<Capture>,
    ended: bool,
    feed: RawFeed,
    /// The feed's own title and link, and what ranks they have.
    title: Option<(u8, String)>,
    link: Option<(u8, String, Rc<Url>)>,
    period_seconds: Option<i64>,
    frequency: i64,
}

/// An entry in the making; of each part the best that was seen, and its rank (0 is best).
#[derive(Default)]
struct Draft {
    title: Option<(u8, String)>,
    text: Option<(u8, String)>,
    link: Option<(u8, String, Rc<Url>)>,
    guid: Option<(String, bool)>,
    raw: Raw,
}

impl<'a> Walk<'a> {
    fn new(base: &Url) -> Self {
        Self {
            stack: Vec::new(),
            namespaces: Vec::new(),
            document: Rc::new(base.clone()),
            atom: false,
            root: None,
            entry: None,
            capture: None,
            ended: false,
            feed: RawFeed::default(),
            title: None,
            link: None,
            period_seconds: None,
            frequency: 1,
        }
    }

    fn has_root(&self) -> bool {
        self.root.is_some()
    }

    fn is_done(&self) -> bool {
        self.ended || self.feed.more
    }

    fn family(&self, name: &str) -> Family {
        let (prefix, _) = split_name(name);
        let declared = self.namespaces.iter().rev().find(|(known, _)| *known == prefix);
        declared.map_or_else(|| Family::of_prefix(prefix), |(_, family)| *family)
    }

    fn base(&self) -> &Rc<Url> {
        self.stack.iter().rev().find_map(|frame| frame.base.as_ref()).unwrap_or(&self.document)
    }

    fn open(&mut self, name: &'a str, attributes: Attributes<'a>, empty: bool) {
        let local = split_name(name).1.to_ascii_lowercase();
        self.close_forgotten(self.family(name), &local);
        let depth = self.stack.len();
        if depth == MAX_DEPTH {
            if let Some(capture) = &mut self.capture {
                capture.markup(name, &local);
            }
            return;
        }
        let outside = self.namespaces.len();
        let mut language = None;
        let mut base = None;
        for (attribute, value) in attributes.iter() {
            match attribute {
                "xml:lang" => language = Some(value.to_owned()),
                // The second is the Channel Definition Format's.
                "xml:base" | "BASE" => {
                    let joined = self.base().join(&text::decode(value)).ok();
                    base = joined.filter(|base| base.as_str().len() <= MAX_BASE_BYTES).map(Rc::new);
                }
                _ if self.namespaces.len() >= MAX_NAMESPACES => {}
                // Whatever a feed's default namespace is called, its names are a feed's.
                "xmlns" => self.namespaces.push(match Family::of_namespace(value) {
                    Family::Xhtml => ("", Family::Xhtml),
                    _ => ("", Family::Core),
                }),
                _ => {
                    if let Some(prefix) = attribute.strip_prefix("xmlns:") {
                        self.namespaces.push((prefix, Family::of_namespace(value)));
                    }
                }
            }
        }
        let family = self.family(name);
        let parent = self.stack.last().map(|frame| frame.family);
        self.stack.push(Frame { name, family, language, base, namespaces: outside });
        if self.root.is_none() {
            let is_root = match local.as_str() {
                // The last is the Channel Definition Format's.
                "rss" | "rdf" | "channel" => true,
                "feed" => family == Family::Core || family == Family::Other,
                _ => false,
            };
            if is_root {
                self.root = Some(depth);
                self.atom = local == "feed";
                self.feed.language = self.stack.last().and_then(|frame| frame.language.clone());
                self.keep_channel_link(attributes);
            }
        } else if let Some(capture) = &mut self.capture {
            capture.markup(name, &local);
        } else if family == Family::Core && matches!(local.as_str(), "item" | "entry") {
            self.begin_entry(depth, attributes);
        } else if let Some((outer, _)) = &self.entry {
            // Elements within a copied source or an author are not the entry's own.
            if depth == outer + 1 || parent == Some(Family::Media) {
                self.entry_part(family, &local, attributes, depth);
            }
        } else {
            self.feed_part(family, &local, attributes, depth);
        }
        if empty {
            self.close_to(depth);
        }
    }

    /// Ends what cannot go on: an entry in which another begins, a line of text in which the next field
    /// begins.
    fn close_forgotten(&mut self, family: Family, local: &str) {
        if family != Family::Core {
            return;
        }
        let begins_entry = matches!(local, "item" | "entry");
        if let Some(capture) = &self.capture {
            let is_line = matches!(
                capture.field,
                Field::Title(_)
                    | Field::FeedTitle(_)
                    | Field::Link(_)
                    | Field::Guid { .. }
                    | Field::Date(_)
            );
            let begins_field =
                matches!(local, "title" | "link" | "guid" | "pubdate" | "description");
            if begins_entry || is_line && begins_field {
                self.close_to(capture.depth);
            }
        }
        if let Some((outer, _)) = &self.entry
            && begins_entry
        {
            self.close_to(*outer);
        }
    }

    fn begin_entry(&mut self, depth: usize, attributes: Attributes<'_>) {
        let mut draft = Draft::default();
        draft.raw.language = self.stack.last().and_then(|frame| frame.language.clone());
        // What RDF calls an item is its name and its address.
        if let Some(about) = attributes.get("rdf:about").or_else(|| attributes.get("about")) {
            draft.guid = Some((about, true));
        }
        // The Channel Definition Format writes attributes.
        draft.raw.dates.extend(attributes.get("lastmod").map(|date| (0, date)));
        draft.link = attributes.get("href").map(|href| (4, href, Rc::clone(self.base())));
        self.entry = Some((depth, draft));
    }

    fn entry_part(
        &mut self,
        family: Family,
        local: &str,
        attributes: Attributes<'_>,
        depth: usize,
    ) {
        use Family::{Content, Core, DublinCore, FeedBurner, Itunes, Media, Xhtml};
        let field = match (family, local) {
            (Core, "title") => Field::Title(0),
            (DublinCore, "title") => Field::Title(1),
            (Media, "title") => Field::Title(2),
            (Itunes, "title") => Field::Title(3),
            (Core, "description" | "summary" | "abstract") => Field::Text(0),
            (Media, "description") => Field::Text(1),
            (DublinCore, "description" | "abstract") => Field::Text(2),
            (Core, "content") | (Content, "encoded") => Field::Text(3),
            (Xhtml, "body" | "div") => Field::Text(4),
            (Itunes, "summary") => Field::Text(5),
            (Core, "link") => return self.link(attributes, depth),
            (FeedBurner, "origlink") => Field::Link(0),
            (Core, "guid") => {
                let no = attributes
                    .get("ispermalink")
                    .is_some_and(|word| word.trim().eq_ignore_ascii_case("false"));
                Field::Guid { permalink: !no }
            }
            (Core, "id") => Field::Guid { permalink: false },
            (DublinCore, "identifier") if self.has_no_guid() => Field::Guid { permalink: false },
            (Core, "pubdate" | "published" | "issued" | "created")
            | (DublinCore, "issued" | "created") => Field::Date(0),
            (DublinCore, "date") | (Core, "date") => Field::Date(1),
            (Core, "updated" | "modified") | (DublinCore, "modified") => Field::Date(2),
            (DublinCore | Core, "language") => Field::Language,
            (Media, "statistics") => {
                let views = attributes.get("views").and_then(|views| views.trim().parse().ok());
                if let Some((_, draft)) = &mut self.entry {
                    draft.raw.views = draft.raw.views.or(views.filter(|views| *views >= 0));
                }
                return;
            }
            _ => return,
        };
        let wanted = match (&field, &self.entry) {
            (Field::Title(rank), Some((_, draft))) => {
                draft.title.as_ref().is_none_or(|(known, _)| rank < known)
            }
            (Field::Text(rank), Some((_, draft))) => {
                draft.text.as_ref().is_none_or(|(known, _)| rank < known)
            }
            _ => true,
        };
        if wanted {
            self.capture(field, attributes, depth);
        }
    }

    fn has_no_guid(&self) -> bool {
        self.entry.as_ref().is_some_and(|(_, draft)| draft.guid.is_none())
    }

    fn link(&mut self, attributes: Attributes<'_>, depth: usize) {
        let rel = attributes.get("rel").unwrap_or_default();
        if !matches!(rel.trim(), "" | "alternate") {
            return;
        }
        let kind = attributes.get("type").unwrap_or_default();
        match attributes.get("href") {
            None => self.capture(Field::Link(1), attributes, depth),
            Some(href) => {
                self.keep_link(if kind.is_empty() || kind.contains("html") { 2 } else { 3 }, href)
            }
        }
    }

    fn keep_link(&mut self, rank: u8, link: String) {
        let base = Rc::clone(self.base());
        let kept = match &mut self.entry {
            Some((_, draft)) => &mut draft.link,
            None => &mut self.link,
        };
        if kept.as_ref().is_none_or(|(known, ..)| rank < *known) && !link.trim().is_empty() {
            *kept = Some((rank, link, base));
        }
    }

    /// The Channel Definition Format writes attributes.
    fn keep_channel_link(&mut self, attributes: Attributes<'_>) {
        if let Some(href) = attributes.get("href") {
            self.keep_link(4, href);
        }
    }

    fn feed_part(&mut self, family: Family, local: &str, attributes: Attributes<'_>, depth: usize) {
        let parent = depth.checked_sub(1).and_then(|parent| self.stack.get(parent));
        let in_channel = parent.is_some_and(|parent| {
            let local = split_name(parent.name).1;
            local.eq_ignore_ascii_case("channel") || local.eq_ignore_ascii_case("feed")
        });
        if family == Family::Core && local == "channel" && self.feed.language.is_none() {
            self.feed.language = self.stack.last().and_then(|frame| frame.language.clone());
        }
        let field = match (family, local) {
            _ if !in_channel => return,
            (Family::Core, "title") => Field::FeedTitle(0),
            (Family::DublinCore, "title") => Field::FeedTitle(1),
            (Family::Core, "link") => return self.link(attributes, depth),
            (Family::Core | Family::DublinCore, "language") => Field::FeedLanguage,
            (Family::Core, "ttl") => Field::Ttl,
            (Family::Syndication, "updateperiod") => Field::Period,
            (Family::Syndication, "updatefrequency") => Field::Frequency,
            _ => return,
        };
        self.capture(field, attributes, depth);
    }

    fn capture(&mut self, field: Field, attributes: Attributes<'_>, depth: usize) {
        let mut capture = Capture::of(field, depth);
        if let Field::Title(_) | Field::Text(_) | Field::FeedTitle(_) = field {
            let kind = attributes.get("type").unwrap_or_default().trim().to_ascii_lowercase();
            let mode = attributes.get("mode").unwrap_or_default();
            capture.html = match kind.as_str() {
                "html" | "text/html" => true,
                "xhtml" | "application/xhtml+xml" => mode == "escaped",
                "text" | "text/plain" | "plain" => false,
                _ => !self.atom,
            };
            let is_media =
                kind.contains('/') && !kind.starts_with("text/") && !kind.ends_with("xml");
            capture.base64 = mode == "base64" || self.atom && mode.is_empty() && is_media;
            capture.html |= capture.base64 && !kind.starts_with("text/plain");
        }
        if let Field::Title(_) = field {
            capture.language = self.stack.last().and_then(|frame| frame.language.clone());
        }
        self.capture = Some(capture);
    }

    fn text(&mut self, piece: &str, cdata: bool) {
        let Some(capture) = &mut self.capture else { return };
        let room = MAX_FIELD_BYTES.saturating_sub(capture.text.len());
        let piece = &piece[..piece.floor_char_boundary(room)];
        match cdata {
            true => capture.text.push_str(piece),
            false => capture.text.push_str(&text::decode(piece)),
        }
    }

    fn close(&mut self, name: &str) {
        if let Some(depth) = self.stack.iter().rposition(|frame| frame.name == name) {
            if let Some(capture) = self.capture.as_mut().filter(|capture| capture.depth < depth) {
                capture.markup(name, &split_name(name).1.to_ascii_lowercase());
            }
            self.close_to(depth);
        }
    }

    /// Closes elements until `depth` are open.
    fn close_to(&mut self, depth: usize) {
        while self.stack.len() > depth
            && let Some(frame) = self.stack.pop()
        {
            self.namespaces.truncate(frame.namespaces);
            let depth = self.stack.len();
            if let Some(capture) = self.capture.take_if(|capture| capture.depth == depth) {
                self.finish_capture(capture, frame.base);
            }
            if let Some((_, draft)) = self.entry.take_if(|(outer, _)| *outer == depth) {
                self.finish_entry(draft);
            }
            self.ended |= self.root == Some(depth);
        }
    }

    fn finish_capture(&mut self, capture: Capture, base: Option<Rc<Url>>) {
        let field = capture.field;
        let language = capture.language.clone();
        let value = capture.finish();
        if value.is_empty() {
            return;
        }
        match (field, &mut self.entry) {
            (Field::FeedTitle(rank), _) => {
                if self.title.as_ref().is_none_or(|(known, _)| rank < *known) {
                    self.title = Some((rank, value));
                }
            }
            (Field::FeedLanguage, _) => self.feed.language = Some(value),
            (Field::Ttl, _) => {
                self.feed.ttl_seconds = value.parse::<i64>().ok().and_then(|m| m.checked_mul(60))
            }
            (Field::Period, _) => {
                self.period_seconds = Some(match value.to_ascii_lowercase().as_str() {
                    "hourly" => 3_600,
                    "daily" => 86_400,
                    "weekly" => 7 * 86_400,
                    "monthly" => 30 * 86_400,
                    "yearly" => 365 * 86_400,
                    _ => return,
                });
            }
            (Field::Frequency, _) => self.frequency = value.parse().unwrap_or(1).max(1),
            (Field::Link(rank), _) => {
                self.keep_link(rank, value);
                let kept = match &mut self.entry {
                    Some((_, draft)) => &mut draft.link,
                    None => &mut self.link,
                };
                if let (Some(own), Some((_, _, base))) = (base, kept) {
                    *base = own;
                }
            }
            (_, None) => {}
            (Field::Title(rank), Some((_, draft))) => {
                draft.title = Some((rank, value));
                draft.raw.language = language.or(draft.raw.language.take());
            }
            (Field::Text(rank), Some((_, draft))) => draft.text = Some((rank, value)),
            (Field::Guid { permalink }, Some((_, draft))) => draft.guid = Some((value, permalink)),
            (Field::Date(rank), Some((_, draft))) if draft.raw.dates.len() < MAX_DATES => {
                draft.raw.dates.push((rank, value));
            }
            (Field::Date(_), _) => {}
            (Field::Language, Some((_, draft))) => draft.raw.language = Some(value),
        }
    }

    fn finish_entry(&mut self, draft: Draft) {
        if self.feed.entries.len() == MAX_ENTRIES {
            self.feed.more = true;
            return;
        }
        let mut raw = draft.raw;
        raw.title = draft.title.map(|(_, title)| title).unwrap_or_default();
        raw.text = draft.text.map(|(_, text)| text).unwrap_or_default();
        // A guid that calls itself a permalink is one only if it is an address.
        let permalink =
            draft.guid.as_ref().filter(|(guid, permalink)| *permalink && guid.contains("://"));
        raw.link = match (draft.link, permalink) {
            (Some((_, link, base)), _) => Some((link, base)),
            (None, Some((guid, _))) => Some((guid.clone(), Rc::clone(&self.document))),
            (None, None) => None,
        };
        raw.guid = draft.guid.map(|(guid, _)| guid);
        self.feed.entries.push(raw);
        if self.feed.ttl_seconds.is_none() {
            self.feed.ttl_seconds = self.period_seconds.map(|period| period / self.frequency);
        }
    }
}

impl Capture {
    fn of(field: Field, depth: usize) -> Self {
        Self { field, depth, html: false, language: None, base64: false, text: String::new() }
    }

    /// Markup that nobody escaped.
    fn markup(&mut self, name: &str, local: &str) {
        if self.text.len() >= MAX_FIELD_BYTES {
            return;
        }
        if self.html {
            self.text.extend(["<", local, ">"]);
        } else if !text::is_inline(split_name(name).1) {
            self.text.push(' ');
        }
    }

    fn finish(self) -> String {
        let Self { field, html, base64, mut text, .. } = self;
        if base64 {
            text = text::from_base64(&text).unwrap_or_default();
        }
        match field {
            Field::Title(_) | Field::Text(_) | Field::FeedTitle(_) => match html {
                true => text::from_html(&text, KEPT_CHARS),
                false => text::fold(&text),
            },
            // White space within an address was added by whoever wrapped the line.
            Field::Link(_) => text.split_whitespace().collect(),
            _ => text.trim().to_owned(),
        }
    }
}
