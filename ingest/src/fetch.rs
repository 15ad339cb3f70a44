//! One conditional request with the redirects that follow from it, each hop through its own gate.

use bytes::Bytes;
use chrono::DateTime;
use model::{GateCheck, UnixSeconds};
use url::Url;

use crate::gate::{Gate, Permit};
use crate::web::{Headers, Limit, MAX_BODY_BYTES, Request, Web, WebError};

/// Redirects that are followed.
pub const MAX_REDIRECTS: usize = 5;

/// What the last answer said about itself, to be sent back exactly as given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Validators {
    pub etag: Option<String>,
    pub last_modified: Option<String>,
}

/// An answer that stands for the source's listing.
#[derive(Debug)]
pub struct Fetched {
    pub status: u16,
    pub outcome: FetchOutcome,
    pub final_url: Url,
    /// Where an unbroken chain of permanent redirects (301, 308) from the first address led.
    pub moved_to: Option<String>,
    pub etag: Option<String>,
    pub last_modified: Option<String>,
    pub content_type: Option<String>,
    pub retry_after_seconds: Option<i64>,
    pub max_age_seconds: Option<i64>,
    /// Of the body, decoded.
    pub bytes: i64,
    /// The check that permitted the last hop, once that is on record.
    pub check: Option<i64>,
    pub headers: Headers,
}

#[derive(Debug)]
pub enum FetchOutcome {
    Body(Bytes),
    NotModified,
}

impl Fetched {
    /// The answer calls itself a page.
    #[must_use]
    pub fn is_html(&self) -> bool {
        let kind = self.content_type.as_deref().unwrap_or_default().to_ascii_lowercase();
        kind.starts_with("text/html") || kind.starts_with("application/xhtml+xml")
    }
}

/// Why there is no answer that stands for the listing.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    #[error(transparent)]
    Web(#[from] WebError),
    /// The gate of a redirect's target said no.
    #[error("it redirects to {}, which may not be fetched: {}", .0.url, .0.reason)]
    Refused(Box<GateCheck>),
    /// The host of a redirect's target wants to be left alone until then.
    #[error("it redirects to {url}, whose host is left alone for now")]
    NotYet { url: Url, until: UnixSeconds },
    #[error("it answers {status}{}", meaning(*.status))]
    Status { status: u16, retry_after_seconds: Option<i64> },
    #[error("it redirects more than {MAX_REDIRECTS} times")]
    TooManyRedirects,
    #[error("it redirects ({0}) to no address")]
    NoLocation(u16),
}

impl FetchError {
    /// HTTP status of the answer, when one came.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Status { status, .. } | Self::NoLocation(status) => Some(*status),
            Self::Web(_) | Self::Refused(_) | Self::NotYet { .. } | Self::TooManyRedirects => None,
        }
    }

    /// How long the host wants to be left alone.
    #[must_use]
    pub fn retry_after_seconds(&self) -> Option<i64> {
        match self {
            Self::Status { retry_after_seconds, .. } => *retry_after_seconds,
            _ => None,
        }
    }

    /// The source is gone for good (410).
    #[must_use]
    pub fn is_gone(&self) -> bool {
        self.status() == Some(410)
    }
}

fn meaning(status: u16) -> &'static str {
    match status {
        202 => " (accepted, which is no listing)",
        401 => " (login needed)",
        403 => " (forbidden)",
        404 => " (not found)",
        410 => " (gone for good)",
        429 => " (too many requests)",
        503 => " (unavailable)",
        _ => "",
    }
}

/// Asks for what `permit` allows and follows redirects, each with a permit of its own. A host that
/// says how long it wants to be left alone is left alone by the gate.
///
/// # Errors
///
/// Every answer but 200, 203 and 304, and no answer; the body of an error is never looked at.
pub async fn fetch(
    web: &dyn Web,
    gate: &Gate,
    permit: Permit,
    validators: &Validators,
    now: UnixSeconds,
) -> Result<Fetched, FetchError> {
    let mut headers = vec![("accept".to_owned(), ACCEPT.to_owned())];
    let conditions =
        [("if-none-match", &validators.etag), ("if-modified-since", &validators.last_modified)];
    for (name, value) in conditions {
        headers.extend(value.clone().map(|value| (name.to_owned(), value)));
    }

    let source = permit.source();
    let mut permit = permit;
    let mut asked = Vec::new();
    let mut permanent = true;
    let mut moved_to = None;
    for _ in 0..=MAX_REDIRECTS {
        let url = permit.url().clone();
        asked.extend(url.host_str().map(str::to_owned));
        if let Some(seconds) = permit.crawl_delay() {
            gate.hold(&url, seconds, now);
        }
        let request = Request {
            url: url.clone(),
            headers: headers.clone(),
            limit: Limit::Refuse(MAX_BODY_BYTES),
        };
        let answer = web.get(&request).await?;
        let field = |name: &str| answer.headers.get(name).map(str::to_owned);
        let retry_after_seconds =
            answer.headers.get("retry-after").and_then(|value| retry_after(value, now));
        let outcome = match answer.status {
            200 | 203 => FetchOutcome::Body(answer.body.clone()),
            304 => FetchOutcome::NotModified,
            status @ (301 | 302 | 303 | 307 | 308) => {
                let target =
                    location(&url, &answer.headers).ok_or(FetchError::NoLocation(status))?;
                permanent &= matches!(status, 301 | 308);
                if permanent {
                    moved_to = Some(target.to_string());
                }
                // A crawl delay is not held against the redirects of one poll.
                if !asked.iter().any(|host| Some(host.as_str()) == target.host_str())
                    && let Some(until) = gate.held_until(&target, now)
                {
                    return Err(FetchError::NotYet { url: target, until });
                }
                let hop = gate.check(source, &target, now).await;
                permit = hop.permit.ok_or_else(|| FetchError::Refused(Box::new(hop.check)))?;
                continue;
            }
            status => {
                if let Some(seconds) = retry_after_seconds {
                    gate.hold(&url, seconds, now);
                }
                return Err(FetchError::Status { status, retry_after_seconds });
            }
        };
        return Ok(Fetched {
            status: answer.status,
            bytes: answer.body.len() as i64,
            outcome,
            final_url: url,
            moved_to,
            etag: field("etag"),
            last_modified: field("last-modified"),
            content_type: field("content-type"),
            retry_after_seconds,
            max_age_seconds: max_age(&answer.headers),
            check: permit.check(),
            headers: answer.headers,
        });
    }
    Err(FetchError::TooManyRedirects)
}

const ACCEPT: &str = "application/rss+xml, application/atom+xml, application/feed+json, \
    application/rdf+xml, application/xml;q=0.9, text/xml;q=0.9, application/json;q=0.8, */*;q=0.5";

/// The address that a redirect leads to, on the web.
pub(crate) fn location(from: &Url, headers: &Headers) -> Option<Url> {
    let mut target = from.join(headers.get("location")?.trim()).ok()?;
    target.set_fragment(None);
    matches!(target.scheme(), "http" | "https").then_some(target)
}

/// `Retry-After` in seconds from now: a number or a date.
pub(crate) fn retry_after(value: &str, now: UnixSeconds) -> Option<i64> {
    let value = value.trim();
    let seconds = match value.parse::<i64>() {
        Ok(seconds) => seconds,
        Err(_) => DateTime::parse_from_rfc2822(value).ok()?.timestamp() - now,
    };
    (seconds >= 0).then_some(seconds)
}

/// `max-age` of `Cache-Control`, less the time that the answer has already lain in a cache.
fn max_age(headers: &Headers) -> Option<i64> {
    let age = headers.get("age").and_then(|age| age.trim().parse::<i64>().ok()).unwrap_or(0);
    let directives = headers.all("cache-control").flat_map(|value| value.split(','));
    let mut max_age = None;
    for directive in directives {
        let (name, value) = directive.split_once('=').unwrap_or((directive, ""));
        match name.trim().to_ascii_lowercase().as_str() {
            "no-store" | "no-cache" => return None,
            "max-age" => max_age = value.trim().trim_matches('"').parse::<i64>().ok(),
            _ => {}
        }
    }
    max_age.map(|seconds| (seconds - age.max(0)).max(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(fields: &[(&str, &str)]) -> Headers {
        fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn retry_after_is_a_number_or_a_date() {
        let now = 1_773_144_000; // 2026-03-10T12:00:00Z
        for (value, expected) in [
            ("120", Some(120)),
            (" 0 ", Some(0)),
            ("Tue, 10 Mar 2026 13:00:00 GMT", Some(3_600)),
            ("Tue, 10 Mar 2026 11:00:00 GMT", None),
            ("-5", None),
            ("soon", None),
        ] {
            assert_eq!(retry_after(value, now), expected, "{value}");
        }
    }

    #[test]
    fn max_age_counts_from_when_the_answer_was_made() {
        for (fields, expected) in [
            (vec![("Cache-Control", "public, max-age=600")], Some(600)),
            (vec![("cache-control", "max-age=600"), ("Age", "400")], Some(200)),
            (vec![("cache-control", "max-age=60"), ("age", "400")], Some(0)),
            (vec![("cache-control", "no-cache, max-age=600")], None),
            (vec![("cache-control", "max-age=soon")], None),
            (vec![], None),
        ] {
            assert_eq!(max_age(&headers(&fields)), expected, "{fields:?}");
        }
    }

    #[test]
    fn a_redirect_leads_to_the_web_or_nowhere() {
        let from = Url::parse("https://news.example/a/feed.xml").unwrap();
        for (location_field, expected) in [
            ("/rss/", Some("https://news.example/rss/")),
            (" b.xml#x ", Some("https://news.example/a/b.xml")),
            ("//cdn.example/f", Some("https://cdn.example/f")),
            ("file:///etc/passwd", None),
            ("https://", None),
        ] {
            let target = location(&from, &headers(&[("location", location_field)]));
            assert_eq!(target.as_ref().map(Url::as_str), expected, "{location_field}");
        }
    }
}
