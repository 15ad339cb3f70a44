//! How often one address may ask: a bucket that refills steadily and takes a burst.
//!
//! `governor` counts; the answer is our own, since `tower_governor` would answer in plain text and
//! take the client's address from whatever header there is.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::num::NonZeroU32;

use axum::extract::{ConnectInfo, Request, State};
use axum::http::HeaderName;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

use crate::error::ApiError;
use crate::state::AppState;

/// Addresses remembered before those whose buckets are full again are forgotten.
const REMEMBERED: usize = 100_000;

pub struct Limiter {
    buckets: DefaultKeyedRateLimiter<IpAddr>,
    clock: DefaultClock,
    /// Where a trusted proxy writes the client's address.
    header: Option<HeaderName>,
}

impl Limiter {
    #[must_use]
    pub fn new(per_minute: NonZeroU32, burst: NonZeroU32, header: Option<HeaderName>) -> Self {
        let quota = Quota::per_minute(per_minute).allow_burst(burst);
        Self { buckets: RateLimiter::keyed(quota), clock: DefaultClock::default(), header }
    }

    /// Takes one request from the client's bucket.
    fn admit(&self, request: &Request) -> Result<(), ApiError> {
        if self.buckets.len() > REMEMBERED {
            self.buckets.retain_recent();
        }
        self.buckets.check_key(&self.client(request)).map_err(|until| {
            let wait = until.wait_time_from(self.clock.now());
            ApiError::TooMany { retry_after_seconds: wait.as_secs() + 1 }
        })
    }

    fn client(&self, request: &Request) -> IpAddr {
        // Whoever asks can write the first entries; the last is the trusted proxy's own.
        let forwarded = self.header.as_ref().and_then(|name| {
            let value = request.headers().get_all(name).iter().next_back()?.to_str().ok()?;
            value.rsplit(',').next()?.trim().parse().ok()
        });
        let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
        let peer = peer.map_or(Ipv4Addr::UNSPECIFIED.into(), |ConnectInfo(peer)| peer.ip());
        network(forwarded.unwrap_or(peer))
    }
}

/// One client of IPv6 has a whole /64.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
        address => address,
    }
}

/// Lets a request pass while its client's bucket holds one.
pub async fn limited(State(state): State<AppState>, request: Request, next: Next) -> Response {
    match state.limiter.admit(&request) {
        Ok(()) => next.run(request).await,
        Err(error) => error.into_response(),
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    fn request(forwarded: Option<&str>) -> Request {
        let mut request = Request::new(Body::empty());
        let peer: SocketAddr = "192.0.2.1:5000".parse().unwrap();
        request.extensions_mut().insert(ConnectInfo(peer));
        if let Some(forwarded) = forwarded {
            request.headers_mut().insert("x-forwarded-for", forwarded.parse().unwrap());
        }
        request
    }

    fn limiter(header: Option<&'static str>) -> Limiter {
        let (per_minute, burst) = (NonZeroU32::new(60).unwrap(), NonZeroU32::new(3).unwrap());
        Limiter::new(per_minute, burst, header.map(HeaderName::from_static))
    }

    #[test]
    fn a_header_counts_only_when_it_is_configured() {
        let forged = "203.0.113.9, 198.51.100.7";
        for (header, forwarded, expected) in [
            (None, None, "192.0.2.1"),
            (None, Some(forged), "192.0.2.1"),
            (Some("x-forwarded-for"), Some(forged), "198.51.100.7"),
            (Some("x-forwarded-for"), Some("unknown"), "192.0.2.1"),
            (Some("x-forwarded-for"), None, "192.0.2.1"),
            (Some("x-forwarded-for"), Some("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::"),
            (Some("x-forwarded-for"), Some("::ffff:198.51.100.7"), "198.51.100.7"),
        ] {
            let client = limiter(header).client(&request(forwarded));
            assert_eq!(client, expected.parse::<IpAddr>().unwrap(), "{header:?} {forwarded:?}");
        }
    }

    #[test]
    fn a_burst_passes_and_then_each_address_waits_for_itself() {
        let limiter = limiter(Some("x-forwarded-for"));
        for _ in 0..3 {
            assert!(limiter.admit(&request(None)).is_ok());
        }
        let refused = limiter.admit(&request(None));
        assert!(
            matches!(refused, Err(ApiError::TooMany { retry_after_seconds: 1 })),
            "{refused:?}"
        );
        assert!(limiter.admit(&request(Some("198.51.100.7"))).is_ok());
    }
}
