//! What programs that visit this site ask first: where its pages are, what they may do with them,
//! and whom to tell.

use std::fmt::Write;
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Extension, Router};
use chrono::{DateTime, Days, SecondsFormat, Utc};

use app::Locale;
use leptos_axum::AxumRouteListing;
use model::Snapshot;

use crate::error::ApiError;
use crate::state::AppState;

/// Most addresses that one sitemap may hold (<https://www.sitemaps.org/protocol.html>).
const SITEMAP_ADDRESSES: usize = 50_000;
const SECURITY_DAYS: u64 = 180;

/// `routes` are those of the pages.
pub fn router(routes: &[AxumRouteListing]) -> Router<AppState> {
    let pages = routes.iter().map(AxumRouteListing::path).filter(|path| lasting(path));
    let pages: Pages = pages.map(str::to_owned).collect();
    Router::new()
        .route("/robots.txt", get(robots))
        .route("/sitemap.xml", get(sitemap))
        .route("/sitemap/{part}", get(sitemap_part))
        .route("/.well-known/tdmrep.json", get(tdmrep))
        .route("/.well-known/security.txt", get(security))
        .layer(Extension(pages))
}

/// Paths of the pages that are there whatever was collected, in the language that has no prefix.
type Pages = Arc<[String]>;

fn lasting(path: &str) -> bool {
    Locale::of_path(path) == Locale::Cs && !path.contains('{') && !path.starts_with("/embed/")
}

/// Everyone may read and search. Titles belong to newsrooms: they are not ours to train models on.
async fn robots(State(state): State<AppState>) -> String {
    format!(
        "# Search engines and readers' programs are welcome; so are answers that name this site.\n\
         # Headlines belong to their newsrooms, so training models on them is not ours to allow.\n\
         User-agent: *\n\
         Content-Usage: search=y, train-ai=n\n\
         Content-Signal: search=yes, ai-input=yes, ai-train=no\n\
         # A past board is computed on demand: please read history through the API.\n\
         Disallow: /*?at=\n\
         Disallow: /*&at=\n\
         Disallow: /live\n\
         Allow: /\n\n\
         Sitemap: {}/sitemap.xml\n",
        state.base_url
    )
}

/// TDM Reservation Protocol: mining is reserved on pages, which carry newsrooms' headlines.
async fn tdmrep() -> Response {
    let reserved = r#"[{"location": "/", "tdm-reservation": 1}]"#;
    ([(header::CONTENT_TYPE, "application/json")], reserved).into_response()
}

/// RFC 9116; only where the operator gave a contact.
async fn security(State(state): State<AppState>) -> Result<String, ApiError> {
    let contact = state.security_contact.as_deref();
    let contact = contact.ok_or_else(|| ApiError::NotFound("no contact is configured".into()))?;
    let until = Utc::now().checked_add_days(Days::new(SECURITY_DAYS)).unwrap_or_default();
    Ok(format!(
        "Contact: {contact}\nExpires: {}\nPreferred-Languages: cs, en\n\
         Canonical: {}/.well-known/security.txt\n",
        until.to_rfc3339_opts(SecondsFormat::Secs, true),
        state.base_url
    ))
}

/// The addresses themselves, or the list of their parts when one file cannot hold them.
async fn sitemap(State(state): State<AppState>, Extension(pages): Extension<Pages>) -> Response {
    let snapshot = Arc::clone(&state.newest.borrow());
    let addresses = addresses(&pages, &snapshot);
    if addresses.len() * 2 <= SITEMAP_ADDRESSES {
        return xml(urls(&state.base_url, &addresses));
    }
    let parts = addresses.len().div_ceil(SITEMAP_ADDRESSES / 2);
    let mut index = format!("{HEAD}<sitemapindex xmlns=\"{NAMESPACE}\">\n");
    for part in 1..=parts {
        let _ =
            writeln!(index, "<sitemap><loc>{}/sitemap/{part}.xml</loc></sitemap>", state.base_url);
    }
    index.push_str("</sitemapindex>\n");
    xml(index)
}

async fn sitemap_part(
    State(state): State<AppState>,
    Extension(pages): Extension<Pages>,
    Path(part): Path<String>,
) -> Result<Response, ApiError> {
    let snapshot = Arc::clone(&state.newest.borrow());
    let addresses = addresses(&pages, &snapshot);
    let number = part.strip_suffix(".xml").and_then(|number| number.parse::<usize>().ok());
    let part = number.and_then(|n| addresses.chunks(SITEMAP_ADDRESSES / 2).nth(n.checked_sub(1)?));
    let part = part.ok_or_else(|| ApiError::NotFound("there is no such part".into()))?;
    Ok(xml(urls(&state.base_url, part)))
}

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
const NAMESPACE: &str = "http://www.sitemaps.org/schemas/sitemap/0.9";

/// Path and last change of every lasting page, in the language that has no prefix. Slugs and ids
/// hold no character that XML would have to escape.
fn addresses(pages: &[String], snapshot: &Snapshot) -> Vec<(String, Option<i64>)> {
    let events = snapshot.board.events.iter().filter(|event| event.newsrooms() > 1);
    let events = events.map(|event| (format!("/event/{}", event.id), Some(event.last_mention())));
    let sources = snapshot.sources.iter();
    let sources = sources.map(|report| (format!("/source/{}", report.source.slug), None));
    pages.iter().map(|path| (path.clone(), None)).chain(sources).chain(events).collect()
}

fn urls(base: &str, addresses: &[(String, Option<i64>)]) -> String {
    let mut xml = format!(
        "{HEAD}<urlset xmlns=\"{NAMESPACE}\" xmlns:xhtml=\"http://www.w3.org/1999/xhtml\">\n"
    );
    for (path, changed) in addresses {
        let changed =
            changed.and_then(|at| DateTime::from_timestamp(at, 0)).map_or_else(String::new, |at| {
                format!("<lastmod>{}</lastmod>", at.to_rfc3339_opts(SecondsFormat::Secs, true))
            });
        let alternates: String = [Locale::Cs, Locale::En]
            .map(|other| {
                format!(
                    "<xhtml:link rel=\"alternate\" hreflang=\"{}\" href=\"{base}{}\"/>",
                    other.code(),
                    other.path(path)
                )
            })
            .concat();
        for locale in [Locale::Cs, Locale::En] {
            let path = locale.path(path);
            let _ = writeln!(xml, "<url><loc>{base}{path}</loc>{changed}{alternates}</url>");
        }
    }
    xml.push_str("</urlset>\n");
    xml
}

fn xml(body: String) -> Response {
    ([(header::CONTENT_TYPE, "application/xml")], body).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_sitemap_is_within_the_protocols_limits() {
        let path = format!("/event/{}", i64::MAX);
        let addresses = vec![(path, Some(0)); SITEMAP_ADDRESSES / 2];
        let xml = urls(&format!("https://{}.example", "x".repeat(60)), &addresses);
        assert_eq!(xml.matches("<url>").count(), SITEMAP_ADDRESSES);
        assert!(xml.len() < 50 << 20, "{}", xml.len());
    }

    #[test]
    fn both_languages_of_a_page_know_each_other() {
        let xml = urls("https://x.example", &[("/".into(), None), ("/event/7".into(), Some(0))]);
        assert_eq!(xml.matches("<url>").count(), 4, "{xml}");
        assert!(
            xml.contains("<loc>https://x.example/en/event/7</loc><lastmod>1970-01-01"),
            "{xml}"
        );
        assert_eq!(
            xml.matches("hreflang=\"en\" href=\"https://x.example/en\"").count(),
            2,
            "{xml}"
        );
    }
}
