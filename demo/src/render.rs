//! Writes a listing as the feed's format, with the feed's oddities.

mod channel;

use chrono::{DateTime, Utc};
use encoding_rs::WINDOWS_1250;
use serde_json::json;

use crate::Language;
use crate::cast::{Feed, Format, Newsroom, Quirk, Robots};
use crate::happening::mix;
use crate::listing::{Entry, Listing};
use crate::plan::HOUR;

/// How far dates run ahead in a feed that claims the future.
const AHEAD: i64 = 2 * HOUR;

/// Address of a newsroom's server, with a slash at its end.
pub(crate) fn homepage(newsroom: &Newsroom, port: u16) -> String {
    format!("http://{}.localhost:{port}/", newsroom.slug)
}

/// Address of a feed.
pub(crate) fn feed_url(newsroom: &Newsroom, feed: &Feed, port: u16) -> String {
    let (host, path) = newsroom.place_of(feed);
    format!("http://{host}.localhost:{port}{path}")
}

/// The body of the feed's answer.
pub(crate) fn body(newsroom: &Newsroom, feed: &Feed, listing: &Listing, port: u16) -> Vec<u8> {
    let page = Page { newsroom, feed, listing, port };
    let mut text = match feed.format {
        Format::Rss2 | Format::Video => page.rss2(),
        Format::Rss1 => page.rss1(),
        Format::Atom => page.atom(),
        Format::JsonFeed => page.json_feed(),
        Format::Channel => page.channel(),
    };
    match feed.quirk {
        Quirk::Windows1250 => return WINDOWS_1250.encode(&text).0.into_owned(),
        Quirk::BareAmpersand => text = text.replace("&amp;", "&"),
        Quirk::TrailingComma => text = text.replace("}]", "},]"),
        Quirk::Truncated if mix((newsroom.slug, listing.at)).is_multiple_of(5) => {
            let mut end = text.len() * 7 / 10;
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            text.truncate(end);
        }
        _ => {}
    }
    text.into_bytes()
}

pub(crate) fn content_type(feed: &Feed) -> &'static str {
    match (feed.format, feed.quirk) {
        (_, Quirk::Windows1250) => "application/rss+xml; charset=windows-1250",
        (Format::Rss2, Quirk::None) => "application/rss+xml; charset=utf-8",
        (Format::Rss2, _) => "text/xml",
        (Format::Rss1, _) => "application/rdf+xml",
        (Format::Atom, _) => "application/atom+xml; charset=utf-8",
        (Format::JsonFeed, _) => "application/feed+json",
        (Format::Video, _) => "application/xml; charset=utf-8",
        (Format::Channel, _) => "application/json",
    }
}

struct Page<'a> {
    newsroom: &'a Newsroom,
    feed: &'a Feed,
    listing: &'a Listing,
    port: u16,
}

impl Page<'_> {
    fn title(&self) -> String {
        if self.feed.section.is_empty() {
            self.newsroom.name.to_owned()
        } else {
            format!("{} – {}", self.newsroom.name, self.feed.section)
        }
    }

    fn about(&self) -> &'static str {
        match self.newsroom.language {
            Language::Czech => "Smyšlená redakce pro ukázku",
            Language::Slovak => "Vymyslená redakcia na ukážku",
            Language::English => "An invented newsroom for demonstration",
            Language::German => "Eine erfundene Redaktion zur Vorführung",
        }
    }

    /// Stays the same when the title changes later.
    fn link(&self, entry: &Entry) -> String {
        let story = &entry.story;
        let word = match self.newsroom.language {
            Language::Czech => "clanek",
            Language::Slovak => "clanok",
            Language::English => "story",
            Language::German => "artikel",
        };
        let title = story.wordings.first().map_or("", |wording| wording.title.as_str());
        let host = homepage(self.newsroom, self.port);
        let tracking = match self.feed.quirk {
            Quirk::BareAmpersand => "?utm_source=rss&utm_medium=feed",
            _ => "",
        };
        format!("{host}{word}/{}-{}{tracking}", story.id, plain(title))
    }

    fn claimed(&self, entry: &Entry) -> Option<DateTime<Utc>> {
        let ahead = if self.feed.quirk == Quirk::FutureDates { AHEAD } else { 0 };
        match self.feed.quirk {
            Quirk::NoDates => None,
            _ => DateTime::from_timestamp(entry.story.published + ahead, 0),
        }
    }

    fn rss2(&self) -> String {
        let encoding = if self.feed.quirk == Quirk::Windows1250 { "windows-1250" } else { "utf-8" };
        let video = self.feed.format == Format::Video;
        let namespaces = if video { " xmlns:media=\"http://search.yahoo.com/mrss/\"" } else { "" };
        let mut out = format!(
            "<?xml version=\"1.0\" encoding=\"{encoding}\"?>\n<rss version=\"2.0\"{namespaces}>\n\
             <channel>\n<title>{}</title>\n<link>{}</link>\n<description>{}</description>\n\
             <language>{}</language>\n<ttl>5</ttl>\n",
            escape(&self.title()),
            homepage(self.newsroom, self.port),
            escape(self.about()),
            self.newsroom.language.code(),
        );
        // Some newsrooms send HTML in CDATA, as their publishing systems do.
        let html = mix(self.newsroom.slug).is_multiple_of(3);
        for entry in &self.listing.entries {
            let (title, lede) = words(entry);
            let link = escape(&self.link(entry));
            out += &format!("<item>\n<title>{}</title>\n<link>{link}</link>\n", escape(title));
            out += &match html {
                true => format!("<description><![CDATA[<p>{lede}</p>]]></description>\n"),
                false => format!("<description>{}</description>\n", escape(lede)),
            };
            out += &match html {
                true => format!("<guid>{link}</guid>\n"),
                false => format!("<guid isPermaLink=\"false\">{}</guid>\n", entry.story.id),
            };
            if let Some(claimed) = self.claimed(entry) {
                let date = match self.feed.quirk {
                    Quirk::ZonelessDates => claimed.format("%Y-%m-%d %H:%M:%S").to_string(),
                    _ => claimed.to_rfc2822(),
                };
                out += &format!("<pubDate>{date}</pubDate>\n");
            }
            if let Some(views) = entry.views {
                out += &format!(
                    "<media:group>\n<media:title>{}</media:title>\n<media:community>\n\
                     <media:statistics views=\"{views}\"/>\n</media:community>\n</media:group>\n",
                    escape(title),
                );
            }
            out += "</item>\n";
        }
        out + "</channel>\n</rss>\n"
    }

    fn rss1(&self) -> String {
        let home = homepage(self.newsroom, self.port);
        let mut out = format!(
            "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n\
             <rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" \
             xmlns=\"http://purl.org/rss/1.0/\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\">\n\
             <channel rdf:about=\"{home}\">\n<title>{}</title>\n<link>{home}</link>\n\
             <description>{}</description>\n<items>\n<rdf:Seq>\n",
            escape(&self.title()),
            escape(self.about()),
        );
        for entry in &self.listing.entries {
            out += &format!("<rdf:li rdf:resource=\"{}\"/>\n", escape(&self.link(entry)));
        }
        out += "</rdf:Seq>\n</items>\n</channel>\n";
        for entry in &self.listing.entries {
            let (title, lede) = words(entry);
            let link = escape(&self.link(entry));
            out += &format!(
                "<item rdf:about=\"{link}\">\n<title>{}</title>\n<link>{link}</link>\n\
                 <description>{}</description>\n",
                escape(title),
                escape(lede),
            );
            if let Some(claimed) = self.claimed(entry) {
                out += &format!("<dc:date>{}</dc:date>\n", claimed.to_rfc3339());
            }
            out += "</item>\n";
        }
        out + "</rdf:RDF>\n"
    }

    fn atom(&self) -> String {
        let home = homepage(self.newsroom, self.port);
        let stamp =
            |at| DateTime::from_timestamp(at, 0).map_or_else(String::new, |at| at.to_rfc3339());
        let mut out = format!(
            "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n\
             <feed xmlns=\"http://www.w3.org/2005/Atom\" xml:lang=\"{}\">\n<title>{}</title>\n\
             <subtitle>{}</subtitle>\n<id>{home}</id>\n<link href=\"{home}\"/>\n\
             <link rel=\"self\" href=\"{}\"/>\n<updated>{}</updated>\n",
            self.newsroom.language.code(),
            escape(&self.title()),
            escape(self.about()),
            feed_url(self.newsroom, self.feed, self.port),
            stamp(self.listing.at),
        );
        for entry in &self.listing.entries {
            let (title, lede) = words(entry);
            let updated = entry.story.wordings.get(entry.wording).map_or(0, |wording| wording.at);
            out += &format!(
                "<entry>\n<title>{}</title>\n<link href=\"{}\"/>\n<id>tag:{}.localhost:{}</id>\n\
                 <published>{}</published>\n<updated>{}</updated>\n<summary>{}</summary>\n\
                 </entry>\n",
                escape(title),
                escape(&self.link(entry)),
                self.newsroom.slug,
                entry.story.id,
                stamp(entry.story.published),
                stamp(updated),
                escape(lede),
            );
        }
        out + "</feed>\n"
    }

    fn json_feed(&self) -> String {
        let items: Vec<_> = self
            .listing
            .entries
            .iter()
            .map(|entry| {
                let (title, lede) = words(entry);
                json!({
                    "id": entry.story.id.to_string(),
                    "url": self.link(entry),
                    "title": title,
                    "summary": lede,
                    "content_text": lede,
                    "date_published": self.claimed(entry).map(|at| at.to_rfc3339()),
                })
            })
            .collect();
        json!({
            "version": "https://jsonfeed.org/version/1.1",
            "title": self.title(),
            "description": self.about(),
            "home_page_url": homepage(self.newsroom, self.port),
            "feed_url": feed_url(self.newsroom, self.feed, self.port),
            "language": self.newsroom.language.code(),
            "items": items,
        })
        .to_string()
    }
}

fn words(entry: &Entry) -> (&str, &str) {
    let wording = entry.story.wordings.get(entry.wording);
    wording.map_or(("", ""), |wording| (&wording.title, &wording.lede))
}

pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// ASCII letters, digits and hyphens for an address.
fn plain(title: &str) -> String {
    let mut out = String::new();
    for letter in title.to_lowercase().chars() {
        let letter = match letter {
            'á' | 'ä' => 'a',
            'č' => 'c',
            'ď' => 'd',
            'é' | 'ě' => 'e',
            'í' => 'i',
            'ĺ' | 'ľ' => 'l',
            'ň' => 'n',
            'ó' | 'ô' | 'ö' => 'o',
            'ř' | 'ŕ' => 'r',
            'š' | 'ß' => 's',
            'ť' => 't',
            'ú' | 'ů' | 'ü' => 'u',
            'ý' => 'y',
            'ž' => 'z',
            other => other,
        };
        if letter.is_ascii_alphanumeric() {
            out.push(letter);
        } else if !out.ends_with('-') && !out.is_empty() {
            out.push('-');
        }
    }
    out.truncate(70);
    out.trim_end_matches('-').to_owned()
}

/// What a person sees who follows a link.
pub(crate) fn article_page(newsroom: &Newsroom) -> String {
    let (invented, more) = match newsroom.language {
        Language::Czech => (
            "Tato redakce a její články jsou smyšlené.",
            "Slouží k ukázce: nic z toho, co píše, se nestalo.",
        ),
        Language::Slovak => (
            "Táto redakcia a jej články sú vymyslené.",
            "Slúži na ukážku: nič z toho, čo píše, sa nestalo.",
        ),
        Language::English => (
            "This newsroom and its articles are invented.",
            "It serves as a demonstration: nothing of what it writes has happened.",
        ),
        Language::German => (
            "Diese Redaktion und ihre Artikel sind erfunden.",
            "Sie dient der Vorführung: Nichts von dem, was sie schreibt, ist geschehen.",
        ),
    };
    let name = escape(newsroom.name);
    format!(
        "<!doctype html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{name}</title>\n</head>\n\
         <body>\n<main>\n<h1>{name}</h1>\n<p>{invented}</p>\n<p>{more}</p>\n</main>\n</body>\n\
         </html>\n",
        newsroom.language.code(),
    )
}

/// Status and text of robots.txt; content type with it.
pub(crate) fn robots_txt(newsroom: &Newsroom, robots: Robots) -> (u16, &'static str, String) {
    const PLAIN: &str = "text/plain; charset=utf-8";
    let allow = "User-agent: *\nDisallow: /admin/\n".to_owned();
    match robots {
        Robots::None => (404, PLAIN, "Not found\n".to_owned()),
        Robots::Allow | Robots::Slow | Robots::TdmFile | Robots::TdmHeader => (200, PLAIN, allow),
        Robots::CrawlDelay(seconds) => (200, PLAIN, format!("{allow}Crawl-delay: {seconds}\n")),
        Robots::OtherAgent => {
            (200, PLAIN, format!("User-agent: ArchiveMole\nDisallow: /\n\n{allow}"))
        }
        Robots::HtmlPage => (200, "text/html; charset=utf-8", article_page(newsroom)),
        Robots::DisallowFeeds => {
            (200, PLAIN, "User-agent: *\nAllow: /\nDisallow: /export/\n".to_owned())
        }
        Robots::DisallowAll => (200, PLAIN, "User-agent: *\nDisallow: /\n".to_owned()),
        Robots::Unavailable => (503, PLAIN, "Service unavailable\n".to_owned()),
    }
}
