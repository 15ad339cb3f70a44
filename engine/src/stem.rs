//! Light stems: forms of one word become equal, different words should not.
//!
//! Snowball where it has the language; for the Slavic languages that it lacks, one case ending is
//! cut from a table, in the manner of L. Dolamic and J. Savoy, *Indexing and stemming approaches
//! for the Czech language* (2009).

use rust_stemmers::{Algorithm, Stemmer as Snowball};

/// A longer word is no word of a language; it is kept as it is.
const LONGEST: usize = 40;

pub enum Stemmer {
    Snowball(Snowball),
    Endings(&'static Endings),
    None,
}

/// Case endings, longest first, and what a stem must keep.
pub struct Endings {
    endings: &'static [&'static str],
    /// Possessive and adjectival endings cut after the case ending.
    derived: &'static [&'static str],
    /// Consonants that alternate before endings, and the one that stands for them.
    alternations: &'static [(&'static str, &'static str)],
}

const KEPT: usize = 3;

static CZECH: Endings = Endings {
    endings: &[
        "atech", "ětem", "etem", "atům", "ovou", "ovém", "ových", "ového", "ovým", "ovými", "ech",
        "ich", "ích", "ého", "ěmi", "emi", "ému", "ěte", "ete", "ěti", "eti", "ího", "iho", "ími",
        "ímu", "imu", "ách", "ata", "aty", "ých", "ama", "ami", "ové", "ovi", "ými", "ová", "em",
        "es", "ém", "ím", "ům", "at", "ám", "os", "us", "ým", "mi", "ou", "a", "e", "i", "o", "u",
        "ů", "y", "á", "é", "í", "ý", "ě",
    ],
    derived: &["ov", "in", "ův"],
    alternations: &[
        ("čt", "ck"),
        ("št", "sk"),
        ("c", "k"),
        ("č", "k"),
        ("z", "h"),
        ("ž", "h"),
        ("ř", "r"),
        ("š", "s"),
        ("ď", "d"),
        ("ť", "t"),
        ("ň", "n"),
    ],
};

static SLOVAK: Endings = Endings {
    endings: &[
        "atách", "atám", "ového", "ovému", "ovými", "ových", "ovej", "ovou", "ovom", "ovým",
        "iach", "iami", "och", "ách", "ami", "ého", "ému", "ich", "ích", "ími", "ých", "ými",
        "ovi", "ová", "ové", "ami", "iam", "ému", "imi", "ej", "om", "ou", "ov", "ám", "ím", "ým",
        "ia", "iu", "ie", "mi", "em", "a", "e", "i", "o", "u", "y", "á", "é", "í", "ý", "ä",
    ],
    derived: &["ov", "in"],
    alternations: &[
        ("čt", "ck"),
        ("št", "sk"),
        ("c", "k"),
        ("č", "k"),
        ("z", "h"),
        ("ž", "h"),
        ("š", "s"),
        ("ď", "d"),
        ("ť", "t"),
        ("ň", "n"),
        ("ľ", "l"),
    ],
};

static POLISH: Endings = Endings {
    endings: &[
        "owego", "owemu", "owych", "owymi", "owej", "owym", "iego", "iemu", "iami", "iach", "ami",
        "ach", "owi", "ego", "emu", "ich", "ych", "imi", "ymi", "owa", "owe", "owy", "iej", "iom",
        "iem", "ów", "om", "em", "ie", "ej", "im", "ym", "ią", "ię", "iu", "ia", "io", "ą", "ę",
        "a", "e", "i", "o", "u", "y",
    ],
    derived: &["ow"],
    alternations: &[("ń", "n"), ("ś", "s"), ("ć", "c"), ("ź", "z"), ("cz", "k"), ("dz", "g")],
};

static UKRAINIAN: Endings = Endings {
    endings: &[
        "ового",
        "овому",
        "ських",
        "ського",
        "ському",
        "ськими",
        "ською",
        "ами",
        "ями",
        "ові",
        "еві",
        "ого",
        "ому",
        "ими",
        "іми",
        "ому",
        "ією",
        "ою",
        "ею",
        "ах",
        "ях",
        "ів",
        "їв",
        "ам",
        "ям",
        "ом",
        "ем",
        "єм",
        "ий",
        "ій",
        "их",
        "іх",
        "им",
        "ім",
        "ої",
        "ію",
        "ія",
        "ії",
        "а",
        "е",
        "є",
        "и",
        "і",
        "ї",
        "о",
        "у",
        "ю",
        "я",
        "ь",
        "й",
    ],
    derived: &["ов", "ськ"],
    alternations: &[],
};

/// Slovene, and close enough for its neighbours.
static SLOVENE: Endings = Endings {
    endings: &[
        "skega", "skemu", "skimi", "skih", "skem", "skim", "oma", "ema", "ega", "emu", "imi",
        "ami", "jev", "ih", "im", "em", "om", "ah", "am", "ov", "ev", "eh", "ju", "ja", "je", "ji",
        "jo", "a", "e", "i", "o", "u",
    ],
    derived: &["sk"],
    alternations: &[],
};

impl Stemmer {
    pub fn of(language: &str) -> Self {
        let snowball = match language {
            "ar" => Algorithm::Arabic,
            "da" => Algorithm::Danish,
            "de" => Algorithm::German,
            "el" => Algorithm::Greek,
            "en" => Algorithm::English,
            "es" => Algorithm::Spanish,
            "fi" => Algorithm::Finnish,
            "fr" => Algorithm::French,
            "hu" => Algorithm::Hungarian,
            "it" => Algorithm::Italian,
            "nb" | "nn" | "no" => Algorithm::Norwegian,
            "nl" => Algorithm::Dutch,
            "pt" => Algorithm::Portuguese,
            "ro" => Algorithm::Romanian,
            "ru" => Algorithm::Russian,
            "sv" => Algorithm::Swedish,
            "tr" => Algorithm::Turkish,
            "cs" => return Self::Endings(&CZECH),
            "sk" => return Self::Endings(&SLOVAK),
            "pl" => return Self::Endings(&POLISH),
            "uk" => return Self::Endings(&UKRAINIAN),
            "bs" | "hr" | "sl" | "sr" => return Self::Endings(&SLOVENE),
            _ => return Self::None,
        };
        Self::Snowball(Snowball::create(snowball))
    }

    /// The stem of a lower-case word.
    pub fn stem(&self, word: &str) -> String {
        if word.len() > LONGEST {
            return word.to_owned();
        }
        match self {
            Self::Snowball(snowball) => snowball.stem(word).into_owned(),
            Self::Endings(endings) => endings.cut(word),
            Self::None => word.to_owned(),
        }
    }
}

impl Endings {
    fn cut(&self, word: &str) -> String {
        let bare = without(word, self.endings);
        let bare = without(bare, self.derived);
        let stem = self
            .alternations
            .iter()
            .find_map(|(from, to)| Some(bare.strip_suffix(from)?.to_owned() + to));
        stem.unwrap_or_else(|| bare.to_owned())
    }
}

fn without<'a>(word: &'a str, endings: &[&str]) -> &'a str {
    endings
        .iter()
        .filter_map(|ending| word.strip_suffix(ending))
        .find(|rest| rest.chars().count() >= KEPT)
        .unwrap_or(word)
}
