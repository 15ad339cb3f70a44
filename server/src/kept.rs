//! Answers made once per snapshot. What a page or a list says depends on its address and on the
//! newest snapshot alone, so the first question renders, hashes and compresses it, and all others
//! get those bytes until the next snapshot. Readers' feeds are made anew each minute as well.

use std::borrow::Cow;
use std::io::Write;
use std::sync::Arc;

use app::Locale;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use model::Snapshot;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use sha2::{Digest, Sha256};
use url::form_urlencoded;

use crate::feed;
use crate::policy;
use crate::state::AppState;

/// Larger answers are made anew each time.
const LARGEST_BYTES: usize = 4 << 20;
/// Without a new snapshot, pages say every quarter of an hour how old the last one is.
const QUARTER_SECONDS: i64 = 15 * 60;
/// A browser or a proxy may keep an answer, but asks before each use whether it still stands.
const REVALIDATE: HeaderValue = HeaderValue::from_static("public, no-cache");

/// The kept answers, bounded by the bytes that they take.
pub struct Kept(Cache<Key, Arc<Answer>, Bytesize>);

#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    snapshot: i64,
    period: i64,
    address: String,
}

impl Key {
    fn new(newest: &Snapshot, uri: &Uri) -> Self {
        let now = chrono::Utc::now().timestamp();
        let period = match Locale::strip(uri.path()).starts_with("/feed") {
            true => now.div_euclid(feed::MINUTE_SECONDS),
            false => (now - newest.board.at).div_euclid(QUARTER_SECONDS),
        };
        Self { snapshot: newest.id, period, address: address(uri) }
    }
}

/// The same for questions that differ in nothing but the order of differently named parameters. All else
/// stays as it is written: what an empty value means, and which of several counts, is for who reads it.
fn address(uri: &Uri) -> String {
    let query = uri.query().unwrap_or_default();
    let mut said: Vec<(Cow<'_, str>, &str)> = query
        .split('&')
        .filter_map(|written| {
            let (name, _) = form_urlencoded::parse(written.as_bytes()).next()?;
            Some((name, written))
        })
        .collect();
    said.sort_by(|(a, _), (b, _)| a.cmp(b));
    let said: Vec<&str> = said.into_iter().map(|(_, written)| written).collect();
    format!("{}?{}", uri.path(), said.join("&"))
}

#[derive(Clone)]
struct Bytesize;

impl Weighter<Key, Arc<Answer>> for Bytesize {
    fn weight(&self, key: &Key, answer: &Arc<Answer>) -> u64 {
        (key.address.len() + answer.bytes()) as u64
    }
}

impl Kept {
    #[must_use]
    pub fn new(bytes: u64) -> Self {
        /// What the cache makes room for at first; it grows on.
        const ANSWERS: usize = 1_000;
        Self(Cache::with_weighter(ANSWERS, bytes, Bytesize))
    }

    /// What is taken now.
    #[must_use]
    pub fn bytes(&self) -> i64 {
        self.0.weight().cast_signed()
    }
}

/// Answers from what is kept, or keeps what the handler answers. Questions for the same thing at the
/// same time wait for one of them.
pub async fn keep(State(state): State<AppState>, mut request: Request, next: Next) -> Response {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return next.run(request).await;
    }
    let key = Key::new(&state.newest.borrow(), request.uri());
    let asked = request.headers().clone();
    let place = match state.kept.0.get_value_or_guard_async(&key).await {
        Ok(answer) => {
            state.count_again(request.uri()).await;
            return answer.to(&asked);
        }
        Err(place) => place,
    };
    // What is kept is the whole answer, whatever this client has or wants of it.
    for name in
        [header::ACCEPT_ENCODING, header::IF_MODIFIED_SINCE, header::IF_NONE_MATCH, header::RANGE]
    {
        request.headers_mut().remove(name);
    }
    *request.method_mut() = Method::GET;
    let response = next.run(request).await;
    if response.status() != StatusCode::OK || forbids_keeping(response.headers()) {
        return response;
    }
    match Answer::of(response).await {
        Some(answer) => {
            let answer = Arc::new(answer);
            if answer.bytes() <= LARGEST_BYTES {
                // Losing the place would only mean that the next question makes the answer again.
                let _ = place.insert(Arc::clone(&answer));
            }
            answer.to(&asked)
        }
        None => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// What a handler calls `no-store`, such as a stream, is passed on as it comes.
fn forbids_keeping(headers: &HeaderMap) -> bool {
    let cache = headers.get(header::CACHE_CONTROL).and_then(|value| value.to_str().ok());
    cache.is_some_and(|cache| cache.contains("no-store"))
}

/// A body in each encoding, with the headers that all of them share.
struct Answer {
    headers: HeaderMap,
    etag: HeaderValue,
    plain: Bytes,
    gzip: Option<Bytes>,
    brotli: Option<Bytes>,
}

impl Answer {
    /// `None` when the body breaks off or its compression does.
    async fn of(response: Response) -> Option<Self> {
        let (parts, body) = response.into_parts();
        let plain = to_bytes(body, usize::MAX).await.ok()?;
        let mut headers = parts.headers;
        headers.remove(header::CONTENT_LENGTH);
        headers.remove(header::ACCEPT_RANGES);
        headers.entry(header::CACHE_CONTROL).or_insert(REVALIDATE);
        headers.insert(header::VARY, HeaderValue::from(header::ACCEPT_ENCODING));
        let text = headers.get(header::CONTENT_TYPE).is_some_and(compresses);
        let work = move || {
            let plain = match text {
                true => policy::settled(&mut headers, plain),
                false => plain,
            };
            let hash = Sha256::digest(&plain);
            let hash: String = hash.iter().take(12).map(|byte| format!("{byte:02x}")).collect();
            // Weak: the same whatever the encoding.
            let etag = HeaderValue::try_from(format!("W/\"{hash}\"")).ok()?;
            let (gzip, brotli) = match text {
                true => (Some(gzip(&plain)?), Some(brotli(&plain)?)),
                false => (None, None),
            };
            Some(Self { headers, etag, plain, gzip, brotli })
        };
        tokio::task::spawn_blocking(work).await.ok()?
    }

    fn bytes(&self) -> usize {
        let length = |bytes: &Option<Bytes>| bytes.as_ref().map_or(0, Bytes::len);
        self.plain.len() + length(&self.gzip) + length(&self.brotli)
    }

    /// The answer as this client can read it, or that it has it already.
    fn to(&self, asked: &HeaderMap) -> Response {
        let known = asked.get(header::IF_NONE_MATCH).is_some_and(|tags| names(tags, &self.etag));
        let (coding, body) = match (&self.brotli, &self.gzip) {
            (Some(brotli), _) if accepts(asked, "br") => (Some("br"), brotli),
            (_, Some(gzip)) if accepts(asked, "gzip") => (Some("gzip"), gzip),
            _ => (None, &self.plain),
        };
        let (status, body) = match known {
            true => (StatusCode::NOT_MODIFIED, Body::empty()),
            false => (StatusCode::OK, Body::from(body.clone())),
        };
        let mut response = (status, body).into_response();
        *response.headers_mut() = self.headers.clone();
        response.headers_mut().insert(header::ETAG, self.etag.clone());
        if let Some(coding) = coding.filter(|_| !known) {
            let coding = HeaderValue::from_static(coding);
            response.headers_mut().insert(header::CONTENT_ENCODING, coding);
        }
        response
    }
}

/// Texts of all kinds, and the bundle.
fn compresses(kind: &HeaderValue) -> bool {
    let kind = kind.to_str().unwrap_or_default();
    ["text/", "application/", "image/svg"].iter().any(|start| kind.starts_with(start))
}

fn gzip(plain: &[u8]) -> Option<Bytes> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(6));
    encoder.write_all(plain).ok()?;
    Some(encoder.finish().ok()?.into())
}

fn brotli(plain: &[u8]) -> Option<Bytes> {
    let params = brotli::enc::BrotliEncoderParams { quality: 5, ..Default::default() };
    let mut out = Vec::new();
    brotli::BrotliCompress(&mut &plain[..], &mut out, &params).ok()?;
    Some(out.into())
}

fn names(tags: &HeaderValue, etag: &HeaderValue) -> bool {
    let (tags, etag) = (tags.to_str().unwrap_or_default(), etag.to_str().unwrap_or_default());
    let opaque = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    tags.trim() == "*" || tags.split(',').any(|tag| opaque(tag) == opaque(etag))
}

fn accepts(asked: &HeaderMap, coding: &str) -> bool {
    let name: HeaderName = header::ACCEPT_ENCODING;
    let all = asked.get_all(name).iter().filter_map(|value| value.to_str().ok());
    all.flat_map(|value| value.split(',')).any(|choice| {
        let (name, quality) = choice.split_once(';').unwrap_or((choice, ""));
        let refused =
            quality.trim().strip_prefix("q=").is_some_and(|q| q.trim().parse() == Ok(0.0));
        name.trim().eq_ignore_ascii_case(coding) && !refused
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_with_the_same_answer_have_one_key_and_no_others() {
        let key = |query: &str| address(&format!("/feed?{query}").parse().unwrap());
        for (one, same) in [
            ("a=1&b=2", "b=2&a=1"),
            ("a=1&&b=2", "b=2&a=1"),
            ("channel=x&a=1&channel=y", "a=1&channel=x&channel=y"),
        ] {
            assert_eq!(key(one), key(same), "{one} and {same}");
        }
        for (one, other) in [
            ("a=1", "a=2"),
            ("a=1", "a=1&lang="),
            ("lang", "language"),
            ("limit=3", "limit=3&limit="),
            ("limit=3", "limit=&limit=3"),
            ("limit=3&limit=5", "limit=5&limit=3"),
            ("channel=x&channel=y", "channel=y&channel=x"),
            ("%6cimit=3", "%6cimit=3&limit="),
            ("q=a+b", "q=a%20b"),
            ("q=%ff", "q=%fe"),
        ] {
            assert_ne!(key(one), key(other), "{one} and {other}");
        }
    }
}
