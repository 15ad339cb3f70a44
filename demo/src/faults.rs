//! What goes wrong on the way to the newsrooms: a pure function of seed and time, so that a harness
//! that knows the seed knows the truth.
//!
//! Every newsroom has a bad hour in three, each at its own time; in it a fault is drawn for each of
//! its addresses and each slot of ten minutes. Beside that, a newsroom may forbid robots for a day.
//! Otherwise the newsrooms answer as they always do.

use std::convert::Infallible;
use std::io;
use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::cast::{Newsroom, Robots};
use crate::happening::mix;
use crate::plan::{DAY, HOUR, MINUTE};

/// Of so many hours, one is bad.
const BAD_HOUR_OF: i64 = 3;
const SLOT: i64 = 10 * MINUTE;
/// Percentage of a bad hour's slots with a fault.
const FAULTS_PERCENT: u64 = 70;
/// Percentage of days on which a newsroom forbids what it otherwise permits.
const FORBIDDEN_DAYS_PERCENT: u64 = 15;
/// What a newsroom that asks for patience wants.
pub const RETRY_AFTER_SECONDS: i64 = 20 * MINUTE;

/// What happens to one answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Fault {
    /// The connection breaks before the first byte of the body.
    Reset,
    /// The connection breaks in the middle of the body.
    Break,
    /// The document is cut, as if it ended there.
    Truncate,
    /// From some point on the document is noise.
    Garble,
    /// Redirects to itself.
    Circle,
    /// 500 with a page.
    ServerError,
    /// 503 with `Retry-After`.
    Overload,
    /// 200 with a page that asks whether a person is there.
    Challenge,
    /// Never a byte.
    Stall,
    /// One byte at a time, for ever.
    Drip,
}

impl Fault {
    pub const ALL: [Self; 10] = [
        Self::Reset,
        Self::Break,
        Self::Truncate,
        Self::Garble,
        Self::Circle,
        Self::ServerError,
        Self::Overload,
        Self::Challenge,
        Self::Stall,
        Self::Drip,
    ];

    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Reset => "reset",
            Self::Break => "break",
            Self::Truncate => "truncate",
            Self::Garble => "garble",
            Self::Circle => "circle",
            Self::ServerError => "server error",
            Self::Overload => "overload",
            Self::Challenge => "challenge",
            Self::Stall => "stall",
            Self::Drip => "drip",
        }
    }

    /// Does to the answer what the fault does; `path` is what was asked for.
    pub(crate) async fn befall(self, path: &str, response: Response) -> Response {
        let page = |status, text: &'static str| {
            (status, [(header::CONTENT_TYPE, "text/html; charset=utf-8")], text).into_response()
        };
        match self {
            Self::Circle => (StatusCode::FOUND, [(header::LOCATION, path)]).into_response(),
            Self::ServerError => page(StatusCode::INTERNAL_SERVER_ERROR, "<h1>Error 500</h1>"),
            Self::Overload => {
                let mut response = page(StatusCode::SERVICE_UNAVAILABLE, "<h1>Busy</h1>");
                let seconds = HeaderValue::from(RETRY_AFTER_SECONDS);
                response.headers_mut().insert(header::RETRY_AFTER, seconds);
                response
            }
            Self::Challenge => page(StatusCode::OK, "<html><h1>Are you a person?</h1></html>"),
            Self::Stall => std::future::pending().await,
            Self::Reset | Self::Break | Self::Truncate | Self::Garble | Self::Drip => {
                let (mut head, body) = response.into_parts();
                // The newsrooms' own bodies are in memory: reading them cannot fail.
                let whole = to_bytes(body, usize::MAX).await.unwrap_or_default();
                head.headers.remove(header::CONTENT_LENGTH);
                Response::from_parts(head, self.spoil(whole))
            }
        }
    }

    fn spoil(self, whole: Bytes) -> Body {
        let middle = mix(&whole) as usize % whole.len().max(1);
        let broken = || io::Error::new(io::ErrorKind::ConnectionReset, "connection reset");
        match self {
            Self::Reset => {
                Body::from_stream(futures::stream::once(async move { Err::<Bytes, _>(broken()) }))
            }
            Self::Break => {
                let chunks = [Ok(whole.slice(..middle)), Err(broken())];
                Body::from_stream(futures::stream::iter(chunks))
            }
            Self::Drip => Body::from_stream(futures::stream::unfold((), |()| async {
                tokio::time::sleep(Duration::from_millis(50)).await;
                Some((Ok::<_, Infallible>(Bytes::from_static(b" ")), ()))
            })),
            Self::Garble => {
                let noise = (0..whole.len() - middle).map(|at| 0x80 | mix((middle, at)) as u8);
                Body::from([&whole[..middle], &noise.collect::<Vec<u8>>()].concat())
            }
            _ => Body::from(whole.slice(..middle)),
        }
    }
}

/// They cost real time, so they are rarer.
const SLOW: [Fault; 2] = [Fault::Stall, Fault::Drip];
/// What leaves no document behind.
const WITHHELD: [Fault; 5] =
    [Fault::Reset, Fault::Break, Fault::Circle, Fault::ServerError, Fault::Overload];

/// Robots read it before they come in.
#[must_use]
pub fn is_gate_document(path: &str) -> bool {
    matches!(path, "/robots.txt" | "/.well-known/tdmrep.json")
}

/// All that goes wrong, from a seed.
#[derive(Clone, Copy, Debug)]
pub struct Faults {
    pub seed: u64,
}

impl Faults {
    /// What happens to an answer of `host` about `path` at `at`. What robots read before they come in
    /// is never altered, only withheld: an altered document would be another truth.
    #[must_use]
    pub fn at(self, host: &str, path: &str, at: i64) -> Option<Fault> {
        let phase = (mix((self.seed, host)) % BAD_HOUR_OF as u64) as i64;
        if at.div_euclid(HOUR).rem_euclid(BAD_HOUR_OF) != phase {
            return None;
        }
        let drawn = mix((self.seed, host, path, at.div_euclid(SLOT)));
        if drawn % 100 >= FAULTS_PERCENT {
            return None;
        }
        let kinds: &[Fault] = match (drawn / 100 % 20, is_gate_document(path)) {
            (0, _) => &SLOW,
            (_, true) => &WITHHELD,
            (_, false) => &Fault::ALL[..8],
        };
        kinds.get((drawn / 10_000) as usize % kinds.len()).copied()
    }

    /// What a newsroom's robots.txt says at `at`.
    #[must_use]
    pub fn robots(self, newsroom: &Newsroom, at: i64) -> Robots {
        let day = at.div_euclid(DAY);
        let forbidden =
            mix((self.seed, newsroom.slug, "robots", day)) % 100 < FORBIDDEN_DAYS_PERCENT;
        if forbidden { Robots::DisallowAll } else { newsroom.robots }
    }
}
