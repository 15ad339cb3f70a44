//! An archive of exchanges that plays the web on the clock's time.

use std::collections::BTreeMap;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use bytes::Bytes;
use chrono::DateTime;
use flate2::read::MultiGzDecoder;
use model::UnixSeconds;
use serde::Deserialize;
use url::Url;

use super::{Headers, Limit, Request, Response, Web, WebError};
use crate::clock::Clock;

/// Exchanges read from JSON lines, gzipped or not:
/// `{"at": "2026-08-19T00:02:05Z", "url": …, "status": 200, "headers": {…}, "body": …}`, or with
/// `body_file`, a path beside the archive.
///
/// An address is answered with its newest exchange at or before the clock's now. A request whose
/// validators still hold gets 304, as from an honest server.
#[derive(Debug)]
pub struct Recorded {
    clock: Clock,
    exchanges: HashMap<String, BTreeMap<UnixSeconds, Exchange>>,
    span: (UnixSeconds, UnixSeconds),
}

#[derive(Debug)]
struct Exchange {
    status: u16,
    headers: Headers,
    body: Body,
}

#[derive(Debug)]
enum Body {
    Here(Bytes),
    File(PathBuf),
}

/// Why an archive cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    #[error("{0}: cannot be read: {1}")]
    Read(PathBuf, io::Error),
    #[error("{0}:{1}: {2}")]
    Line(PathBuf, usize, String),
    #[error("{0}: holds no exchange")]
    Empty(PathBuf),
}

#[derive(Deserialize)]
struct Row {
    at: String,
    url: String,
    status: u16,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    body: Option<String>,
    body_file: Option<PathBuf>,
}

impl Recorded {
    /// Reads the archive at `path`.
    ///
    /// # Errors
    ///
    /// With file and line: what cannot be read, and an archive without exchanges.
    pub fn read(path: &Path, clock: Clock) -> Result<Self, ArchiveError> {
        let unreadable = |error| ArchiveError::Read(path.to_owned(), error);
        let mut exchanges: HashMap<String, BTreeMap<UnixSeconds, Exchange>> = HashMap::new();
        let mut span = (UnixSeconds::MAX, UnixSeconds::MIN);
        for (number, line) in (1..).zip(open(path).map_err(unreadable)?.lines()) {
            let line = line.map_err(unreadable)?;
            if line.trim().is_empty() {
                continue;
            }
            let fault = |reason: String| ArchiveError::Line(path.to_owned(), number, reason);
            let row: Row = serde_json::from_str(&line).map_err(|error| fault(error.to_string()))?;
            let at = DateTime::parse_from_rfc3339(&row.at)
                .map_err(|error| fault(format!("at \"{}\": {error}", row.at)))?
                .timestamp();
            let url = Url::parse(&row.url)
                .map_err(|error| fault(format!("url \"{}\": {error}", row.url)))?;
            span = (span.0.min(at), span.1.max(at));
            // It confirms what was sent before, and says nothing to whoever did not ask that.
            if row.status == 304 {
                continue;
            }
            let body = match row.body_file {
                Some(file) => Body::File(path.with_file_name(file)),
                None => Body::Here(row.body.unwrap_or_default().into()),
            };
            // Bodies are kept decoded.
            let coding = |name: &str| {
                ["content-encoding", "content-length"]
                    .iter()
                    .any(|own| name.eq_ignore_ascii_case(own))
            };
            let headers = row.headers.into_iter().filter(|(name, _)| !coding(name)).collect();
            let exchange = Exchange { status: row.status, headers, body };
            exchanges.entry(url.into()).or_default().insert(at, exchange);
        }
        if exchanges.is_empty() {
            return Err(ArchiveError::Empty(path.to_owned()));
        }
        Ok(Self { clock, exchanges, span })
    }

    /// Times of the first and the last exchange.
    #[must_use]
    pub fn span(&self) -> (UnixSeconds, UnixSeconds) {
        self.span
    }
}

fn open(path: &Path) -> io::Result<Box<dyn BufRead>> {
    let mut file = BufReader::new(File::open(path)?);
    let gzipped = file.fill_buf()?.starts_with(&[0x1f, 0x8b]);
    let plain: Box<dyn Read> =
        if gzipped { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) };
    Ok(Box::new(BufReader::new(plain)))
}

#[async_trait]
impl Web for Recorded {
    async fn get(&self, request: &Request) -> Result<Response, WebError> {
        let mut url = request.url.clone();
        url.set_fragment(None);
        let exchange = self
            .exchanges
            .get(url.as_str())
            .and_then(|exchanges| exchanges.range(..=self.clock.now()).next_back())
            .map(|(_, exchange)| exchange)
            .ok_or_else(|| WebError::NotRecorded(url.to_string()))?;
        let headers = exchange.headers.clone();
        if exchange.status == 200 && still_holds(&exchange.headers, &request.headers) {
            return Ok(Response { status: 304, headers, body: Bytes::new() });
        }
        let body = match &exchange.body {
            Body::Here(body) => body.clone(),
            Body::File(path) => tokio::fs::read(path)
                .await
                .map_err(|error| WebError::Body(format!("{}: {error}", path.display())))?
                .into(),
        };
        let body = match request.limit {
            Limit::Refuse(max) if body.len() > max => return Err(WebError::TooLarge(max)),
            Limit::Cut(max) => body.slice(..body.len().min(max)),
            Limit::Refuse(_) => body,
        };
        Ok(Response { status: exchange.status, headers, body })
    }
}

/// RFC 9110, section 13.2.2: `If-None-Match` by weak comparison; only without it
/// `If-Modified-Since`.
fn still_holds(headers: &Headers, asked: &[(String, String)]) -> bool {
    let sent = |name: &str| {
        asked.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    };
    if let Some(tags) = sent("if-none-match") {
        let opaque = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
        let Some(etag) = headers.get("etag").map(opaque) else { return false };
        return tags.trim() == "*" || tags.split(',').any(|tag| opaque(tag) == etag);
    }
    let date = |text: &str| DateTime::parse_from_rfc2822(text).ok();
    match (sent("if-modified-since"), headers.get("last-modified")) {
        (Some(since), Some(modified)) => {
            since == modified
                || date(since)
                    .zip(date(modified))
                    .is_some_and(|(since, modified)| modified <= since)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn archive(name: &str, lines: &[&str]) -> PathBuf {
        let path = std::env::temp_dir().join(format!("ohlas-{}-{name}", std::process::id()));
        std::fs::write(&path, lines.join("\n")).unwrap();
        path
    }

    fn request(url: &str, headers: &[(&str, &str)]) -> Request {
        Request {
            url: url.parse().unwrap(),
            headers: headers.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect(),
            limit: Limit::Refuse(100),
        }
    }

    #[tokio::test]
    async fn the_newest_exchange_at_or_before_now_answers() {
        let path = archive(
            "newest",
            &[
                r#"{"at":"1970-01-01T00:02:00Z","url":"http://a.example/f","status":200,"headers":{"ETag":"\"2\""},"body":"two"}"#,
                r#"{"at":"1970-01-01T00:01:00Z","url":"http://a.example/f","status":200,"headers":{"ETag":"\"1\""},"body":"one"}"#,
                r#"{"at":"1970-01-01T00:03:00Z","url":"http://a.example/f","status":304}"#,
            ],
        );
        let clock = Clock::virtual_at(59);
        let web = Recorded::read(&path, clock.clone()).unwrap();
        assert_eq!(web.span(), (60, 180));
        let ask = async |at: i64, headers: &[(&str, &str)]| {
            clock.set(at);
            let answer = web.get(&request("http://a.example/f#top", headers)).await;
            answer.map(|answer| (answer.status, String::from_utf8_lossy(&answer.body).into_owned()))
        };
        assert!(matches!(ask(59, &[]).await, Err(WebError::NotRecorded(_))));
        assert_eq!(ask(60, &[]).await.unwrap(), (200, "one".to_owned()));
        assert_eq!(ask(500, &[]).await.unwrap(), (200, "two".to_owned()));
        assert_eq!(ask(500, &[("If-None-Match", "\"1\"")]).await.unwrap().0, 200);
        assert_eq!(ask(500, &[("If-None-Match", "W/\"2\"")]).await.unwrap(), (304, String::new()));
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn validators_hold_as_http_says() {
        let headers = |fields: &[(&str, &str)]| -> Headers {
            fields.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect()
        };
        let (monday, tuesday) = ("Mon, 09 Mar 2026 08:00:00 GMT", "Tue, 10 Mar 2026 08:00:00 GMT");
        for (sent, asked, holds) in [
            (vec![("etag", "\"a\"")], vec![("if-none-match", "\"b\", \"a\"")], true),
            (vec![("etag", "\"a\"")], vec![("if-none-match", "*")], true),
            (vec![("etag", "\"a\"")], vec![("if-none-match", "\"b\"")], false),
            (
                vec![("etag", "\"a\""), ("last-modified", monday)],
                vec![("if-none-match", "\"b\""), ("if-modified-since", monday)],
                false,
            ),
            (vec![("last-modified", monday)], vec![("if-modified-since", tuesday)], true),
            (vec![("last-modified", tuesday)], vec![("if-modified-since", monday)], false),
            (vec![("last-modified", "once")], vec![("if-modified-since", "once")], true),
            (vec![], vec![("if-none-match", "\"a\"")], false),
            (vec![("etag", "\"a\"")], vec![], false),
        ] {
            let asked: Vec<(String, String)> = headers(&asked).0;
            assert_eq!(still_holds(&headers(&sent), &asked), holds, "{sent:?} {asked:?}");
        }
    }

    #[test]
    fn a_broken_archive_is_told_with_its_line() {
        let path =
            archive("broken", &["", r#"{"at":"noon","url":"http://a.example/","status":200}"#]);
        let error = Recorded::read(&path, Clock::virtual_at(0)).unwrap_err().to_string();
        assert!(error.contains(":2: at \"noon\""), "{error}");
        std::fs::remove_file(&path).unwrap();
        let empty = archive("empty", &[]);
        assert!(matches!(
            Recorded::read(&empty, Clock::virtual_at(0)),
            Err(ArchiveError::Empty(_))
        ));
        std::fs::remove_file(empty).unwrap();
    }
}
