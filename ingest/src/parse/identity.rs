//! What makes an item the same item tomorrow and in the next section.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use sha2::{Digest, Sha256};
use url::Url;

/// Longer identities are kept as their hash.
const LONGEST_KEY_BYTES: usize = 200;

/// Parameters that say where a reader came from, not what is read.
const TRACKING: &[&str] = &[
    "fbclid",
    "gclid",
    "dclid",
    "gbraid",
    "wbraid",
    "msclkid",
    "yclid",
    "igshid",
    "mc_cid",
    "mc_eid",
    "wt_mc",
    "wtmc",
    "xtor",
    "cmpid",
    "ncid",
    "s_cid",
    "smid",
    "ocid",
    "spm",
    "_ga",
    "ns_mchannel",
    "ns_source",
    "ns_campaign",
    "ns_linkname",
    "at_medium",
    "at_campaign",
    "at_custom1",
    "at_custom2",
    "at_custom3",
    "at_custom4",
    "at_link_origin",
    "traffic_source",
    "rss_source",
    "partner_source",
];
/// Parameters that do so when this is their value.
const TRACKING_IF_RSS: &[&str] =
    &["ref", "source", "src", "from", "origin", "utm", "medium", "zdroj", "tracking"];

/// The address without tracking parameters.
pub fn without_tracking(url: &Url) -> Url {
    if url.query().is_none() {
        return url.clone();
    }
    let mut clean = url.clone();
    // Kept parameters stay spelled as they were.
    let kept: Vec<&str> =
        url.query().unwrap_or_default().split('&').filter(|pair| !is_tracking(pair)).collect();
    clean.set_query((!kept.is_empty()).then(|| kept.join("&")).as_deref());
    clean
}

fn is_tracking(pair: &str) -> bool {
    let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
    let (name, value) = (name.to_ascii_lowercase(), value.to_ascii_lowercase());
    name.starts_with("utm_")
        || TRACKING.contains(&name.as_str())
        || TRACKING_IF_RSS.contains(&name.as_str()) && (value == "rss" || value == "feed")
}

/// What an item can be known by, strongest first: its guid, its permalink, a guid that is an address
/// (another section may link with parameters of its own), at last its text.
pub fn keys(guid: Option<&str>, link: Option<&Url>, text: &str) -> Vec<String> {
    let guid = guid.map(str::trim).filter(|guid| !guid.is_empty());
    let address =
        guid.filter(|guid| guid.starts_with("http")).and_then(|guid| Url::parse(guid).ok());
    let links = [link, address.as_ref()].into_iter().flatten().filter_map(permalink);
    let links = links.map(|link| key("link", &link));
    let mut keys: Vec<String> =
        guid.map(|guid| key("guid", guid)).into_iter().chain(links).collect();
    keys.dedup();
    if keys.is_empty() {
        keys.push(format!("text:{}", hash(&text.to_lowercase())));
    }
    keys
}

/// One spelling of an address, whatever its scheme, `www.`, trailing slash or fragment. A bare home
/// page is nobody's permalink.
fn permalink(url: &Url) -> Option<String> {
    let host = url.host_str()?;
    let path = url.path().trim_end_matches('/');
    if path.is_empty() && url.query().is_none() {
        return None;
    }
    let host = host.strip_prefix("www.").unwrap_or(host);
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
    Some(format!("{host}{port}{path}{query}"))
}

fn key(kind: &str, value: &str) -> String {
    if value.len() > LONGEST_KEY_BYTES {
        format!("{kind}:sha256:{}", hash(value))
    } else {
        format!("{kind}:{value}")
    }
}

fn hash(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Takes back the keys by which several different entries of one listing would be the same item; says
/// how many entries that concerned.
pub fn drop_ambiguous<'a>(entries: impl Iterator<Item = (&'a mut Vec<String>, &'a str)>) -> usize {
    let mut entries: Vec<_> = entries.collect();
    let hasher = RandomState::new();
    let mut uses: HashMap<u64, u32> = HashMap::new();
    for (keys, _) in &entries {
        for key in keys.iter() {
            *uses.entry(hasher.hash_one(key)).or_default() += 1;
        }
    }
    let mut concerned = 0;
    for (keys, text) in &mut entries {
        let before = keys.len();
        keys.retain(|key| uses.get(&hasher.hash_one(key)) == Some(&1));
        concerned += usize::from(keys.len() < before);
        if keys.is_empty() {
            keys.push(format!("text:{}", hash(&text.to_lowercase())));
        }
    }
    concerned
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tracking_goes_and_the_rest_stays_as_spelled() {
        for (url, expected) in [
            ("https://a.example/1?utm_source=rss&utm_medium=x", "https://a.example/1"),
            ("https://a.example/?a=1&b=2", "https://a.example/?a=1&b=2"),
            ("https://a.example/1?id=%C5%99&fbclid=x#top", "https://a.example/1?id=%C5%99#top"),
            ("https://a.example/1?ref=rss", "https://a.example/1"),
            ("https://a.example/1?ref=42", "https://a.example/1?ref=42"),
        ] {
            assert_eq!(without_tracking(&url.parse().unwrap()).as_str(), expected);
        }
    }

    #[test]
    fn one_article_has_one_permalink() {
        let link = |url: &str| permalink(&url.parse().unwrap());
        let known = link("https://www.a.example/zpravy/1");
        assert_eq!(known.as_deref(), Some("a.example/zpravy/1"));
        for same in ["http://a.example/zpravy/1/", "https://A.example:443/zpravy/1#x"] {
            assert_eq!(link(same), known, "{same}");
        }
        for other in [
            "https://a.example/zpravy/2",
            "https://a.example/zpravy/1?p=2",
            "https://a.example:8080/zpravy/1",
        ] {
            assert_ne!(link(other), known, "{other}");
        }
        assert_eq!(link("https://a.example/"), None);
    }

    #[test]
    fn keys_are_strongest_first_and_never_missing() {
        let url = Url::parse("https://a.example/1").unwrap();
        assert_eq!(keys(Some(" g "), Some(&url), "t"), ["guid:g", "link:a.example/1"]);
        assert_eq!(keys(Some(""), Some(&url), "t"), ["link:a.example/1"]);
        let permalink = "https://a.example/1";
        assert_eq!(
            keys(Some(permalink), Some(&url), "t"),
            ["guid:https://a.example/1", "link:a.example/1"]
        );
        let other = keys(Some("http://a.example/2"), Some(&url), "t");
        assert_eq!(other, ["guid:http://a.example/2", "link:a.example/1", "link:a.example/2"]);
        assert!(keys(None, None, "t")[0].starts_with("text:"));
        let long = "x".repeat(500);
        assert_eq!(keys(Some(&long), None, "t")[0].len(), "guid:sha256:".len() + 64);
    }
}
