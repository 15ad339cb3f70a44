//! What a browser may do with an answer: the content security policy and its kin.
//!
//! Leptos gives the inline scripts of each rendering a nonce. A nonce is good for one answer, but a
//! kept answer goes to many readers: so before a page is kept, the scripts that carry the nonce of
//! its rendering are named by their hashes, and the nonce goes. Nothing else inline ever runs.

use axum::body::to_bytes;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use base64::prelude::{BASE64_STANDARD, Engine};
use bytes::Bytes;
use sha2::{Digest, Sha256};

use crate::state::AppState;

/// Answers that are no page run nothing and load nothing.
const MACHINE: &str = "default-src 'none'; frame-ancestors 'none'";
/// An embed has no script and may stand in anyone's page.
pub const EMBED: &str =
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'";

const SAFE: [(HeaderName, &str); 4] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "strict-origin-when-cross-origin"),
    (
        HeaderName::from_static("permissions-policy"),
        "camera=(), microphone=(), geolocation=(), payment=(), browsing-topics=()",
    ),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
];
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// The policy of a page whose inline scripts carry the nonce.
#[must_use]
pub fn page(nonce: &str) -> String {
    format!(
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval' 'nonce-{nonce}'; \
         style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; \
         form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
}

/// Headers that every answer has, whatever made it.
pub async fn safe(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in SAFE {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(RESOURCE_POLICY).or_insert(HeaderValue::from_static("same-origin"));
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(MACHINE));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    if state.base_url.starts_with("https:") {
        let year = HeaderValue::from_static("max-age=31536000");
        headers.insert(header::STRICT_TRANSPORT_SECURITY, year);
    }
    response
}

/// What pages elsewhere may ask for and read: everything that is meant for machines. A browser asks
/// first whether it may send JSON (<https://fetch.spec.whatwg.org/#cors-preflight-fetch>).
pub async fn shared(request: Request, next: Next) -> Response {
    let mut response = if *request.method() == Method::OPTIONS {
        let allowed = [
            (header::ACCESS_CONTROL_ALLOW_METHODS, "GET, POST"),
            (header::ACCESS_CONTROL_ALLOW_HEADERS, "content-type"),
            (header::ACCESS_CONTROL_MAX_AGE, "86400"),
        ];
        (StatusCode::NO_CONTENT, allowed).into_response()
    } else {
        next.run(request).await
    };
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert(RESOURCE_POLICY, HeaderValue::from_static("cross-origin"));
    response
}

/// An embed, which may run nothing, loses the scripts that Leptos gives to every page.
pub async fn bare(response: Response) -> Response {
    let policy = response.headers().get(header::CONTENT_SECURITY_POLICY);
    if policy.is_none_or(|policy| policy != EMBED) {
        return response;
    }
    let (parts, body) = response.into_parts();
    match to_bytes(body, usize::MAX).await {
        Ok(page) => {
            Response::from_parts(parts, without_scripts(&String::from_utf8_lossy(&page)).into())
        }
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// Makes a rendered page fit to be kept: its inline scripts are named by their hashes instead of by its
/// nonce.
#[must_use]
pub fn settled(headers: &mut HeaderMap, body: Bytes) -> Bytes {
    let policy = headers.get(header::CONTENT_SECURITY_POLICY).and_then(|it| it.to_str().ok());
    let Some((before, rest)) = policy.and_then(|policy| policy.split_once("'nonce-")) else {
        return body;
    };
    let (Some((nonce, after)), Ok(page)) = (rest.split_once('\''), str::from_utf8(&body)) else {
        return body;
    };
    let hashes: Vec<String> = scripts(page, nonce).map(hash).collect();
    let policy = format!("{before}{}{after}", hashes.join(" "));
    let page = page.replace(nonce, "");
    if let Ok(policy) = HeaderValue::try_from(policy) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    page.into()
}

fn without_scripts(page: &str) -> String {
    let mut parts = page.split("<script");
    let before = parts.next().unwrap_or_default();
    parts.fold(before.to_owned(), |page, part| {
        page + part.split_once("</script>").map_or("", |(_, after)| after)
    })
}

/// The contents of the scripts that carry the nonce.
fn scripts<'a>(page: &'a str, nonce: &str) -> impl Iterator<Item = &'a str> {
    let mark = format!("nonce=\"{nonce}\"");
    page.split("<script").skip(1).filter_map(move |rest| {
        let (attributes, rest) = rest.split_once('>')?;
        attributes.contains(&mark).then_some(rest.split_once("</script>")?.0)
    })
}

fn hash(script: &str) -> String {
    format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(script)))
}
