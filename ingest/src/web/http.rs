//! The live web.

use std::error::Error;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_compression::tokio::bufread::{BrotliDecoder, GzipDecoder, ZlibDecoder, ZstdDecoder};
use async_compression::zstd::DParameter;
use async_trait::async_trait;
use bytes::Bytes;
use futures::{StreamExt, TryStreamExt};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{ACCEPT_ENCODING, CONTENT_ENCODING};
use reqwest::redirect::Policy;
use tokio::io::{AsyncBufRead, AsyncRead, AsyncReadExt};
use tokio_util::io::StreamReader;
use url::{Host, Url};

use super::{Limit, MAX_BODY_BYTES, Request, Response, Web, WebError};

/// How the live web is asked.
#[derive(Clone, Debug)]
pub struct HttpConfig {
    /// Product, version and an address where a person answers.
    pub user_agent: String,
    /// Loopback and private addresses may be asked, and names under `localhost` are loopback: for
    /// newsrooms that a demo or a test serves itself.
    pub allow_private: bool,
    /// From the first byte sent to the last byte read.
    pub timeout: Duration,
}

impl Default for HttpConfig {
    fn default() -> Self {
        Self {
            user_agent: concat!("Ohlas/", env!("CARGO_PKG_VERSION")).to_owned(),
            allow_private: false,
            timeout: Duration::from_secs(20),
        }
    }
}

/// The live web: HTTP/1.1 and 2 over TLS, gzip, deflate, brotli and zstd.
#[derive(Clone, Debug)]
pub struct Http {
    client: reqwest::Client,
    allow_private: bool,
    timeout: Duration,
}

impl Http {
    /// # Errors
    ///
    /// [`WebError::Client`] when TLS cannot be set up or the user agent is no header value.
    pub fn new(config: &HttpConfig) -> Result<Self, WebError> {
        let client = reqwest::Client::builder()
            .user_agent(&config.user_agent)
            .redirect(Policy::none())
            .dns_resolver(Resolver { allow_private: config.allow_private })
            // A proxy would resolve names itself, out of the resolver's sight.
            .no_proxy()
            // Bodies are decoded here, so that bytes can be counted on both sides of the decoder.
            .no_gzip()
            .no_brotli()
            .no_zstd()
            .build()
            .map_err(|error| WebError::Client(reason(&error)))?;
        Ok(Self { client, allow_private: config.allow_private, timeout: config.timeout })
    }

    async fn exchange(&self, request: &Request) -> Result<Response, WebError> {
        let mut sent =
            self.client.get(request.url.clone()).header(ACCEPT_ENCODING, "gzip, deflate, br, zstd");
        for (name, value) in &request.headers {
            sent = sent.header(name, value);
        }
        let response = sent.send().await.map_err(|error| connect_error(&error))?;
        let status = response.status().as_u16();
        let field = |value: &reqwest::header::HeaderValue| {
            String::from_utf8_lossy(value.as_bytes()).into_owned()
        };
        let encoding = response.headers().get(CONTENT_ENCODING).map(field).unwrap_or_default();
        let headers = response
            .headers()
            .iter()
            .map(|(name, value)| (name.as_str().to_owned(), field(value)))
            .collect();
        let body = match status {
            // These have no content; whatever follows is not theirs.
            204 | 304 => Bytes::new(),
            _ => read(response.bytes_stream(), &encoding, request.limit).await?,
        };
        Ok(Response { status, headers, body })
    }
}

#[async_trait]
impl Web for Http {
    async fn get(&self, request: &Request) -> Result<Response, WebError> {
        if !self.allow_private
            && let Some(address) = literal_address(&request.url)
            && is_private(address)
        {
            return Err(WebError::PrivateAddress(address.to_string()));
        }
        let exchange = self.exchange(request);
        match tokio::time::timeout(self.timeout, exchange).await {
            Ok(answer) => answer,
            Err(_) => Err(WebError::Timeout(self.timeout.as_secs())),
        }
    }
}

/// Reads and decodes a body, never holding more of it than the limit.
async fn read(
    stream: impl futures::Stream<Item = reqwest::Result<Bytes>> + Send + 'static,
    encoding: &str,
    limit: Limit,
) -> Result<Bytes, WebError> {
    let (Limit::Refuse(max) | Limit::Cut(max)) = limit;
    let sent = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&sent);
    let raw_max = max.max(MAX_BODY_BYTES);
    let stream = stream.map_err(io::Error::other).map(move |chunk| {
        let chunk = chunk?;
        if counted.fetch_add(chunk.len(), Ordering::Relaxed) + chunk.len() > raw_max {
            return Err(io::Error::other("too many bytes"));
        }
        Ok(chunk)
    });
    let mut decoded = decoder(StreamReader::new(Box::pin(stream)), encoding)?;

    let mut body = Vec::new();
    let mut chunk = [0; 16 * 1024];
    loop {
        match decoded.read(&mut chunk).await {
            Ok(0) => return Ok(body.into()),
            Ok(read) if body.len() + read <= max => body.extend_from_slice(&chunk[..read]),
            Ok(_) if matches!(limit, Limit::Refuse(_)) => return Err(WebError::TooLarge(max)),
            Ok(_) => {
                body.extend_from_slice(&chunk[..max - body.len()]);
                return Ok(body.into());
            }
            Err(_) if sent.load(Ordering::Relaxed) > raw_max => {
                return Err(WebError::TooLarge(raw_max));
            }
            Err(error) => return Err(WebError::Body(reason(&error))),
        }
    }
}

/// RFC 9659: on the web a frame's window has at most 2²³ bytes. It could ask for 128 MiB.
const ZSTD_WINDOW_LOG: u32 = 23;

type Decoded = Pin<Box<dyn AsyncRead + Send>>;

/// Undoes the codings in the reverse of the order in which they were applied.
fn decoder(raw: impl AsyncBufRead + Send + 'static, encodings: &str) -> Result<Decoded, WebError> {
    // More than two codings in a row serve nobody but an attacker.
    const MAX_CODINGS: usize = 2;
    let codings: Vec<String> = encodings
        .split(',')
        .map(|coding| coding.trim().to_ascii_lowercase())
        .filter(|coding| !coding.is_empty() && coding != "identity")
        .collect();
    if codings.len() > MAX_CODINGS {
        return Err(WebError::Body(format!("{} codings in a row", codings.len())));
    }
    let mut decoded: Decoded = Box::pin(raw);
    for coding in codings.iter().rev() {
        let raw = tokio::io::BufReader::new(decoded);
        decoded = match coding.as_str() {
            "gzip" | "x-gzip" => {
                let mut members = GzipDecoder::new(raw);
                members.multiple_members(true);
                Box::pin(members)
            }
            "deflate" => Box::pin(ZlibDecoder::new(raw)),
            "br" => Box::pin(BrotliDecoder::new(raw)),
            "zstd" => {
                let window = DParameter::window_log_max(ZSTD_WINDOW_LOG);
                Box::pin(ZstdDecoder::with_params(raw, &[window]))
            }
            _ => return Err(WebError::Body(format!("unknown coding \"{coding}\""))),
        };
    }
    Ok(decoded)
}

/// Refuses private addresses after the name was resolved: what the name says does not matter.
#[derive(Clone, Copy, Debug)]
struct Resolver {
    allow_private: bool,
}

#[derive(Debug, thiserror::Error)]
#[error("{0} resolves to private addresses only")]
struct Private(String);

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let allow_private = self.allow_private;
        Box::pin(async move {
            let name = name.as_str();
            if allow_private && is_localhost(name) {
                let loopback = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
                return Ok(Box::new(std::iter::once(loopback)) as Addrs);
            }
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name, 0))
                .await?
                .filter(|address| allow_private || !is_private(address.ip()))
                .collect();
            if found.is_empty() {
                return Err(Private(name.to_owned()).into());
            }
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

fn is_localhost(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    name == "localhost" || name.ends_with(".localhost")
}

fn literal_address(url: &Url) -> Option<IpAddr> {
    match url.host()? {
        Host::Ipv4(address) => Some(address.into()),
        Host::Ipv6(address) => Some(address.into()),
        Host::Domain(_) => None,
    }
}

/// Not an address of the public internet (the IANA special-purpose registries of RFC 6890).
fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_private_v4(address),
        IpAddr::V6(address) => is_private_v6(address),
    }
}

fn is_private_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    a == 0
        || address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || address.is_documentation()
        || address.is_multicast()
        || (a == 100 && (64..128).contains(&b))
        || (a == 192 && b == 0 && c == 0)
        || (a == 198 && (b == 18 || b == 19))
        || a >= 240
}

fn is_private_v6(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    let embedded = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        is_private_v4(Ipv4Addr::new(a, b, c, d))
    };
    match segments {
        // IPv4 in IPv6: mapped, translated (NAT64) and 6to4.
        [0, 0, 0, 0, 0, 0xffff, high, low] => embedded(high, low),
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => embedded(high, low),
        [0x2002, high, low, ..] => embedded(high, low),
        // Only 2000::/3 is given out; documentation and Teredo stand within it.
        [0x2001, 0xdb8 | 0, ..] => true,
        [first, ..] => first & 0xe000 != 0x2000,
    }
}

fn connect_error(error: &reqwest::Error) -> WebError {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if let Some(Private(name)) = error.downcast_ref() {
            return WebError::PrivateAddress(name.clone());
        }
        cause = error.source();
    }
    WebError::Connect(reason(error))
}

/// The innermost cause: the outer ones only say that a request failed.
fn reason(error: &(dyn Error + 'static)) -> String {
    let mut innermost = error;
    while let Some(cause) = innermost.source() {
        innermost = cause;
    }
    innermost.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_addresses_are_known() {
        for (address, private) in [
            ("127.0.0.1", true),
            ("0.0.0.0", true),
            ("10.1.2.3", true),
            ("172.16.0.1", true),
            ("192.168.1.1", true),
            ("169.254.169.254", true),
            ("100.64.0.1", true),
            ("198.18.0.1", true),
            ("224.0.0.1", true),
            ("255.255.255.255", true),
            ("8.8.8.8", false),
            ("172.32.0.1", false),
            ("100.128.0.1", false),
            ("::1", true),
            ("::", true),
            ("fe80::1", true),
            ("fc00::1", true),
            ("fd12:3456::1", true),
            ("ff02::1", true),
            ("2001:db8::1", true),
            ("::ffff:127.0.0.1", true),
            ("::ffff:8.8.8.8", false),
            ("64:ff9b::a00:1", true),
            ("64:ff9b::808:808", false),
            ("2002:7f00:1::", true),
            ("2606:4700::1111", false),
        ] {
            assert_eq!(is_private(address.parse().unwrap()), private, "{address}");
        }
    }

    #[tokio::test]
    async fn names_and_literals_that_lead_inside_are_refused() {
        let http = Http::new(&HttpConfig::default()).unwrap();
        for url in [
            "http://127.0.0.1:9/",
            "http://[::1]:9/",
            "http://2130706433:9/",
            "http://0x7f.1:9/",
            "http://localhost:9/",
        ] {
            let request =
                Request { url: url.parse().unwrap(), headers: Vec::new(), limit: Limit::Refuse(1) };
            let error = http.get(&request).await.unwrap_err();
            assert!(matches!(error, WebError::PrivateAddress(_)), "{url}: {error}");
        }
    }

    #[test]
    fn localhost_names_are_loopback() {
        for (name, local) in [
            ("localhost", true),
            ("obzor.localhost", true),
            ("Obzor.LOCALHOST.", true),
            ("notlocalhost", false),
            ("localhost.example", false),
        ] {
            assert_eq!(is_localhost(name), local, "{name}");
        }
    }
}
