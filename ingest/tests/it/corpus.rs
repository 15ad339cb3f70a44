//! What hostile tests start from: the galleries, mutations of them, and what may be repeated for ever.

use std::path::Path;

/// The bodies of the gallery.
pub fn fixtures() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/feedcases");
    let mut found = Vec::new();
    for case in std::fs::read_dir(folder).unwrap() {
        for file in std::fs::read_dir(case.unwrap().path()).unwrap() {
            let file = file.unwrap();
            if file.file_name().to_string_lossy().starts_with("input") {
                found.push(std::fs::read(file.path()).unwrap());
            }
        }
    }
    found
}

/// Cuts, doubles, swaps, flips and splices, as broken proxies and templates do.
pub fn mutate(bytes: &mut Vec<u8>, all: &[Vec<u8>], seed: &mut u64) {
    let mut below = |limit: usize| {
        // xorshift64: the same mutations in every run.
        *seed ^= *seed << 13;
        *seed ^= *seed >> 7;
        *seed ^= *seed << 17;
        (*seed % limit.max(1) as u64) as usize
    };
    for _ in 0..1 + below(6) {
        let at = below(bytes.len());
        let length = below(64).min(bytes.len() - at);
        match below(7) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..at + length)),
            2 => {
                let copy = bytes[at..at + length].to_vec();
                bytes.splice(at..at, copy);
            }
            3 if !bytes.is_empty() => bytes[at] = below(256) as u8,
            4 if !bytes.is_empty() => bytes[at] = b"<>&\"'/![]=:; \0\xff"[below(15)],
            5 => {
                let other = &all[below(all.len())];
                let from = below(other.len());
                let piece = other[from..(from + below(200)).min(other.len())].to_vec();
                bytes.splice(at..at, piece);
            }
            _ => {
                let half = bytes.len() / 2;
                bytes.rotate_left(half);
            }
        }
    }
}

/// `piece` again and again, up to `size` bytes.
pub fn repeated(piece: &str, size: usize) -> String {
    piece.repeat(size / piece.len())
}

/// Pieces of feeds that tempt a parser to look back, ahead or into the depth.
pub const FEEDS: &[&str] = &[
    "<a b=\"> <a b=\"=\"",
    "<a ='> <a =\"",
    "<",
    "&",
    "&amp;",
    "<![CDATA[",
    "<!--",
    "<item>",
    "<item><title>a</title></item>",
    "</x>",
    "<a>",
    "<b><i>",
    "<x xmlns:a='b'>",
    "<x xml:base='a/'>",
    "<title>a",
    "<item><title>. a. B. ",
    "<item><pubDate>x</pubDate>",
    "<item><link>a</link><guid>b</guid></item>",
    "<media:group>",
    "<item><description><p>x",
];

/// Lines of robots.txt that tempt a matcher to try again.
pub const ROBOTS: &[&str] = &[
    "Disallow: /a$\n",
    "Disallow: /*a*a*a*b\n",
    "Disallow: *\n",
    "Allow: /%7e$\n",
    "User-agent: a\n",
];
