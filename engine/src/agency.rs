//! News agencies, as texts credit them.

use crate::text;

/// What stands in a credit, and the agency's name. Compared as written: "ap" is a word.
const AGENCIES: [(&str, &str); 29] = [
    ("AFP", "AFP"),
    ("ANSA", "ANSA"),
    ("AP", "AP"),
    ("APA", "APA"),
    ("Belga", "Belga"),
    ("ČTK", "ČTK"),
    ("CTK", "ČTK"),
    ("DPA", "dpa"),
    ("dpa", "dpa"),
    ("EFE", "EFE"),
    ("HINA", "HINA"),
    ("Hina", "HINA"),
    ("KEYSTONE", "Keystone-SDA"),
    ("Keystone", "Keystone-SDA"),
    ("SDA", "Keystone-SDA"),
    ("sda", "Keystone-SDA"),
    ("ATS", "Keystone-SDA"),
    ("MTI", "MTI"),
    ("PAP", "PAP"),
    ("PTI", "PTI"),
    ("Reuters", "Reuters"),
    ("REUTERS", "Reuters"),
    ("RIA", "RIA"),
    ("SITA", "SITA"),
    ("STA", "STA"),
    ("TASR", "TASR"),
    ("TASS", "TASS"),
    ("ТАСС", "TASS"),
    ("Укрінформ", "Ukrinform"),
];

/// The agency that a word names.
#[must_use]
pub fn of_word(word: &str) -> Option<&'static str> {
    AGENCIES.iter().find(|(written, _)| *written == word).map(|(_, agency)| *agency)
}

/// The agency that a title or lede credits.
#[must_use]
pub fn credit(title: &str, lede: &str) -> Option<&'static str> {
    text::words(title).chain(text::words(lede)).find_map(|word| of_word(word.written))
}
