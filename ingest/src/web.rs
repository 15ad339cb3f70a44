//! One HTTP exchange, whoever plays the other side: the live web or an archive. No redirects are
//! followed here, since every hop has to pass the gate.

mod http;
mod recorded;
mod turns;

use async_trait::async_trait;
use bytes::Bytes;
use url::Url;

pub use http::{Http, HttpConfig};
pub use recorded::{ArchiveError, Recorded};
pub use turns::{OneAtATime, Turns};

/// Largest body that is read of a feed, in bytes, as sent and as decoded.
pub const MAX_BODY_BYTES: usize = 10 * 1024 * 1024;

/// Where requests go.
#[async_trait]
pub trait Web: Send + Sync {
    /// Asks once. Every HTTP status is an answer.
    async fn get(&self, request: &Request) -> Result<Response, WebError>;
}

#[derive(Clone, Debug)]
pub struct Request {
    pub url: Url,
    /// Beside the user agent and what the connection itself needs.
    pub headers: Vec<(String, String)>,
    pub limit: Limit,
}

/// What is done about a body of more bytes than this, decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// It is an error: [`WebError::TooLarge`].
    Refuse(usize),
    /// Its beginning is the answer.
    Cut(usize),
}

#[derive(Clone, Debug)]
pub struct Response {
    pub status: u16,
    pub headers: Headers,
    /// Decoded, within the request's limit.
    pub body: Bytes,
}

/// Header fields in the order in which they came; names ignore case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Headers(Vec<(String, String)>);

impl Headers {
    /// The first value under this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| &**value)
    }

    /// All values under this name.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let values = self.0.iter().filter(move |(known, _)| known.eq_ignore_ascii_case(name));
        values.map(|(_, value)| value.as_str())
    }
}

impl FromIterator<(String, String)> for Headers {
    fn from_iter<T: IntoIterator<Item = (String, String)>>(fields: T) -> Self {
        Self(fields.into_iter().collect())
    }
}

/// Why no answer came.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WebError {
    #[error("no answer within {0} s")]
    Timeout(u64),
    #[error("no connection: {0}")]
    Connect(String),
    #[error("the answer is larger than {0} bytes")]
    TooLarge(usize),
    #[error("{0} is a private address")]
    PrivateAddress(String),
    #[error("the answer broke off: {0}")]
    Body(String),
    #[error("the archive holds no answer of {0} at this time")]
    NotRecorded(String),
    #[error("the HTTP client cannot be set up: {0}")]
    Client(String),
}
