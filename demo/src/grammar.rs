//! Reads the text files under `texts/` and tells happenings in each language.
//!
//! `kinds.txt` says what facts a kind of happening has. Each language file holds lists of words
//! with the grammatical forms that its sentences need, and for each kind sentence patterns:
//! `T` titles, `L` ledes, of which the sentences after the first may follow any other first one,
//! `D` sentences that may follow at any stage; a digit after the letter names the development
//! (`T1`, `L1`: some hours later), `!` a popular newsroom's pattern, `?slot` and `?!slot` a count
//! that must or must not be above zero.
//!
//! In a pattern, `[a|b]` is a choice, `{slot}` and `{slot.form}` a word, `{slot?m|f|n|p}` agreement
//! with the word's gender, and `{slot#one|few|many}` agreement with a count, where `#` is the
//! count in digits (two forms where a language has two).

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use rand::rngs::StdRng;
use rand::seq::IndexedRandom;

use crate::{Language, Topic};

/// How widely a kind of happening is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// By one or several newsrooms of one language.
    Local,
    /// By several newsrooms of one language.
    National,
    /// In all languages, with the same facts.
    World,
    /// By one newsroom alone: advice, recipes, portraits.
    Soft,
}

/// One fact of a happening.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fact {
    /// Index into the list of the slot.
    Entry(usize),
    Person {
        female: bool,
        given: usize,
        surname: usize,
    },
    Count(i64),
    /// A number with one decimal, times ten.
    Tenths(i64),
}

pub(crate) type Facts = BTreeMap<&'static str, Fact>;

/// What values a slot takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Domain {
    List(&'static str),
    Person,
    /// A person of a men's sport or role.
    Man,
    Count {
        low: i64,
        high: i64,
        step: i64,
    },
    Tenths {
        low: i64,
        high: i64,
    },
}

#[derive(Debug)]
pub(crate) struct Kind {
    pub name: &'static str,
    pub topic: Topic,
    pub scope: Scope,
    /// Relative frequency among the kinds of its scope.
    pub frequency: f64,
    pub slots: Vec<(&'static str, Domain)>,
}

#[derive(Debug, Default)]
struct WordList {
    forms: Vec<&'static str>,
    rows: Vec<Vec<&'static str>>,
}

/// One sentence pattern.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    pub popular: bool,
    /// A slot whose count must be above zero (`true`) or zero.
    condition: Option<(&'static str, bool)>,
    text: &'static str,
}

impl Pattern {
    pub fn holds(&self, facts: &Facts) -> bool {
        self.condition.is_none_or(|(slot, positive)| match facts.get(slot) {
            Some(Fact::Count(count)) => (*count > 0) == positive,
            _ => false,
        })
    }

    /// A title that would also do as the first sentence of a lede.
    pub fn is_sentence(&self) -> bool {
        let mut depth = 0_i32;
        let mut outside = self.text.chars().filter(|letter| {
            depth += i32::from(*letter == '{') - i32::from(*letter == '}');
            depth == 0
        });
        !self.popular
            && !self.text.contains(". ")
            && !outside.any(|letter| ":?!–„'(".contains(letter))
    }

    /// Slots that the pattern speaks of; agreement alone does not count.
    pub fn slots(&self) -> impl Iterator<Item = &'static str> {
        self.text.split('{').skip(1).filter_map(|part| {
            let end = part.find(['}', '.', '?', '#'])?;
            (!part[end..].starts_with('?')).then_some(&part[..end])
        })
    }
}

/// The patterns of one kind in one language.
#[derive(Debug, Default)]
pub(crate) struct Tale {
    pub titles: [Vec<Pattern>; STAGES],
    /// First sentences of ledes.
    pub openings: [Vec<Pattern>; STAGES],
    /// Sentences that may follow any opening of their stage.
    pub sequels: [Vec<Pattern>; STAGES],
    /// Sentences that may follow at any stage.
    pub details: Vec<Pattern>,
}

/// First report and later developments.
pub(crate) const STAGES: usize = 3;

/// All that can be told in one language.
#[derive(Debug, Default)]
pub(crate) struct Tongue {
    lists: HashMap<&'static str, WordList>,
    tales: HashMap<&'static str, Tale>,
}

/// All kinds of happenings and all languages.
#[derive(Debug)]
pub(crate) struct Texts {
    pub kinds: Vec<Kind>,
    tongues: HashMap<Language, Tongue>,
    /// Lines that could not be read; a test holds that there are none.
    #[cfg_attr(not(test), expect(dead_code, reason = "read by the test that holds it empty"))]
    pub defects: Vec<String>,
}

/// The texts that are compiled in.
pub(crate) static TEXTS: LazyLock<Texts> = LazyLock::new(|| {
    let mut defects = Vec::new();
    let kinds = read_kinds(include_str!("../texts/kinds.txt"), &mut defects);
    let tongues = [
        (Language::Czech, include_str!("../texts/cs.txt")),
        (Language::Slovak, include_str!("../texts/sk.txt")),
        (Language::English, include_str!("../texts/en.txt")),
        (Language::German, include_str!("../texts/de.txt")),
    ]
    .map(|(language, text)| (language, read_tongue(text, &mut defects)))
    .into();
    Texts { kinds, tongues, defects }
});

impl Texts {
    /// Patterns of a kind; `None` when the language does not tell it.
    pub fn tale(&self, language: Language, kind: &str) -> Option<&Tale> {
        self.tongues.get(&language)?.tales.get(kind)
    }

    /// Number of rows of a list, 0 when there is none.
    pub fn rows(&self, language: Language, list: &str) -> usize {
        self.tongues
            .get(&language)
            .and_then(|tongue| tongue.lists.get(list))
            .map_or(0, |list| list.rows.len())
    }

    /// One telling of the pattern, its first letter in upper case. What cannot be resolved stays
    /// in braces.
    pub fn tell(
        &self,
        language: Language,
        kind: &Kind,
        pattern: &Pattern,
        facts: &Facts,
        rng: &mut StdRng,
    ) -> String {
        let Some(tongue) = self.tongues.get(&language) else { return String::new() };
        let mut teller = Teller { language, tongue, kind, facts, rng };
        let told = teller.expand(pattern.text);
        sentence_case(&vocalised(language, &told))
    }
}

struct Teller<'a> {
    language: Language,
    tongue: &'a Tongue,
    kind: &'a Kind,
    facts: &'a Facts,
    rng: &'a mut StdRng,
}

impl Teller<'_> {
    fn expand(&mut self, pattern: &str) -> String {
        let mut out = String::with_capacity(pattern.len() + 32);
        let mut rest = pattern;
        while let Some(at) = rest.find(['[', '{']) {
            out.push_str(&rest[..at]);
            let Some(end) = closing(&rest[at..]) else { break };
            let inner = &rest[at + 1..at + end];
            if rest[at..].starts_with('[') {
                let choices = split_top(inner);
                let choice = choices.choose(self.rng).copied().unwrap_or_default();
                out.push_str(&self.expand(choice));
            } else {
                match self.slot(inner) {
                    Some(text) => out.push_str(&text),
                    None => {
                        out.push('{');
                        out.push_str(inner);
                        out.push('}');
                    }
                }
            }
            rest = &rest[at + end + 1..];
        }
        out.push_str(rest);
        out
    }

    fn slot(&mut self, inner: &str) -> Option<String> {
        let mark = inner.find(['?', '#', '.']);
        let name = &inner[..mark.unwrap_or(inner.len())];
        let fact = *self.facts.get(name)?;
        let Some(mark) = mark else { return self.word(name, fact, "nom") };
        let arguments = &inner[mark + 1..];
        match &inner[mark..=mark] {
            "." => self.word(name, fact, arguments),
            "?" => {
                let forms = split_top(arguments);
                let form = forms.get(self.gender(name, fact)).or(forms.first())?;
                Some(self.expand(form))
            }
            _ => {
                let Fact::Count(count) = fact else { return None };
                let forms = split_top(arguments);
                let form = forms.get(plural(self.language, count)).or(forms.last())?;
                Some(self.expand(&form.replace('#', &grouped(self.language, name, count))))
            }
        }
    }

    fn word(&mut self, slot: &str, fact: Fact, form: &str) -> Option<String> {
        match fact {
            Fact::Count(count) => Some(grouped(self.language, slot, count)),
            Fact::Tenths(tenths) => {
                let point = if self.language == Language::English { '.' } else { ',' };
                Some(format!("{}{point}{}", tenths / 10, tenths % 10))
            }
            Fact::Entry(index) => {
                let list = self.list(slot)?;
                let row = list.rows.get(index % list.rows.len().max(1))?;
                let column = list.forms.iter().position(|name| *name == form);
                // A list of one form needs no name for it.
                let only = (form == "nom" && list.forms.len() == 1).then_some(0);
                let text = *row.get(column.or(only)?)?;
                Some(self.expand(text))
            }
            Fact::Person { female, given, surname } => {
                let (givens, surnames) =
                    if female { ("given_f", "surname_f") } else { ("given_m", "surname_m") };
                let last = |form| self.name(surnames, surname, form);
                if form == "sur" {
                    return last("nom").map(str::to_owned);
                }
                Some(format!("{} {}", self.name(givens, given, form)?, last(form)?))
            }
        }
    }

    fn name(&self, list: &str, index: usize, form: &str) -> Option<&'static str> {
        let list = self.tongue.lists.get(list)?;
        let column = list.forms.iter().position(|name| *name == form)?;
        list.rows.get(index % list.rows.len().max(1))?.get(column).copied()
    }

    fn list(&self, slot: &str) -> Option<&WordList> {
        let domain = self.kind.slots.iter().find(|(name, _)| *name == slot)?.1;
        let Domain::List(name) = domain else { return None };
        self.tongue.lists.get(name)
    }

    /// Index of the gender among masculine, feminine, neuter and plural.
    fn gender(&self, slot: &str, fact: Fact) -> usize {
        match fact {
            Fact::Person { female, .. } => usize::from(female),
            Fact::Entry(index) => {
                let gender = self.list(slot).and_then(|list| {
                    let column = list.forms.iter().position(|form| *form == "g")?;
                    list.rows.get(index % list.rows.len().max(1))?.get(column)
                });
                match gender {
                    Some(&"f") => 1,
                    Some(&"n") => 2,
                    Some(&"p") => 3,
                    _ => 0,
                }
            }
            Fact::Count(_) | Fact::Tenths(_) => 0,
        }
    }
}

/// Plural class of a count: one, few, many for Czech and Slovak; one, other elsewhere.
fn plural(language: Language, count: i64) -> usize {
    match (language, count) {
        (_, 1) => 0,
        (Language::Czech | Language::Slovak, 2..=4) => 1,
        (Language::Czech | Language::Slovak, _) => 2,
        _ => 1,
    }
}

/// Digits in groups of three as the language writes them; years are left whole.
fn grouped(language: Language, slot: &str, count: i64) -> String {
    if count < 1_000 || slot == "year" {
        return count.to_string();
    }
    let separator = match language {
        Language::English => ',',
        Language::German => '.',
        Language::Czech | Language::Slovak => '\u{a0}',
    };
    format!("{}{separator}{:03}", count / 1_000, count % 1_000)
}

/// Upper case at the start and after each end of a sentence. A full stop after a digit is an
/// ordinal's.
fn sentence_case(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut before, mut ended, mut begins) = (' ', false, true);
    for letter in text.chars() {
        if begins && letter.is_alphanumeric() {
            out.extend(letter.to_uppercase());
            begins = false;
        } else {
            out.push(letter);
        }
        begins |= ended && letter == ' ';
        ended = matches!(letter, '!' | '?') || letter == '.' && !before.is_ascii_digit();
        before = letter;
    }
    out
}

/// Czech and Slovak prepositions of one consonant take a vowel before a word that begins alike.
fn vocalised(language: Language, text: &str) -> String {
    let longer: [(&str, &str, &str); 4] = match language {
        Language::Czech => {
            [("s", "se", "szšž"), ("z", "ze", "szšž"), ("v", "ve", "vf"), ("k", "ke", "kg")]
        }
        Language::Slovak => {
            [("s", "so", "szšž"), ("z", "zo", "szšž"), ("v", "vo", "vf"), ("k", "ku", "kg")]
        }
        Language::English | Language::German => return text.to_owned(),
    };
    let mut words: Vec<&str> = text.split(' ').collect();
    for at in 1..words.len() {
        let first = words[at].chars().next().and_then(|letter| letter.to_lowercase().next());
        let Some(first) = first else { continue };
        let found = longer
            .iter()
            .find(|(short, _, alike)| words[at - 1] == *short && alike.contains(first));
        if let Some((_, long, _)) = found {
            words[at - 1] = long;
        }
    }
    words.join(" ")
}

/// Offset of the bracket or brace that closes the one at the start.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_u32;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// The parts between bars that stand in no inner bracket.
fn split_top(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0_i32, 0);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth -= 1,
            b'|' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

fn read_kinds(text: &'static str, defects: &mut Vec<String>) -> Vec<Kind> {
    let mut kinds = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with("//")) {
        match read_kind(line) {
            Some(kind) => kinds.push(kind),
            None => defects.push(line.to_owned()),
        }
    }
    kinds
}

fn read_kind(line: &'static str) -> Option<Kind> {
    let (head, slots) = line.split_once('|')?;
    let mut head = head.split_whitespace();
    let name = head.next()?;
    let topic = head.next()?.parse().ok()?;
    let scope = match head.next()? {
        "local" => Scope::Local,
        "national" => Scope::National,
        "world" => Scope::World,
        "soft" => Scope::Soft,
        _ => return None,
    };
    let frequency = head.next()?.parse().ok()?;
    let slots = slots.split_whitespace().map(read_slot).collect::<Option<_>>()?;
    Some(Kind { name, topic, scope, frequency, slots })
}

fn read_slot(text: &'static str) -> Option<(&'static str, Domain)> {
    let (name, domain) = text.split_once('=')?;
    let Some((low, high)) = domain.split_once("..") else {
        let domain = match domain {
            "person" => Domain::Person,
            "man" => Domain::Man,
            list => Domain::List(list),
        };
        return Some((name, domain));
    };
    if low.contains('.') {
        let tenths = |text: &str| text.parse().ok().map(|value: f64| (value * 10.0).round() as i64);
        return Some((name, Domain::Tenths { low: tenths(low)?, high: tenths(high)? }));
    }
    let (high, step) = high.split_once('/').unwrap_or((high, "1"));
    let count = Domain::Count {
        low: low.parse().ok()?,
        high: high.parse().ok()?,
        step: step.parse().ok()?,
    };
    Some((name, count))
}

fn read_tongue(text: &'static str, defects: &mut Vec<String>) -> Tongue {
    let mut tongue = Tongue::default();
    let (mut list, mut tale) = ("", "");
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with("//")) {
        if let Some(head) = line.strip_prefix('@') {
            let mut head = head.split(' ');
            list = head.next().unwrap_or_default();
            tongue.lists.insert(list, WordList { forms: head.collect(), rows: Vec::new() });
        } else if let Some(kind) = line.strip_prefix("== ") {
            tale = kind;
            tongue.tales.insert(kind, Tale::default());
        } else if let Some(tale) = tongue.tales.get_mut(tale) {
            if read_pattern(line, tale).is_none() {
                defects.push(line.to_owned());
            }
        } else if let Some(list) = tongue.lists.get_mut(list) {
            let row: Vec<_> = line.split('|').collect();
            if row.len() == list.forms.len() {
                list.rows.push(row);
            } else {
                defects.push(line.to_owned());
            }
        }
    }
    tongue
}

fn read_pattern(line: &'static str, tale: &mut Tale) -> Option<()> {
    let (tag, mut text) = line.split_once(' ')?;
    let popular = tag.ends_with('!');
    let tag = tag.trim_end_matches('!');
    let stage: usize = if tag.len() > 1 { tag[1..].parse().ok()? } else { 0 };
    let mut condition = None;
    if let Some(rest) = text.strip_prefix('?') {
        let (slot, rest) = rest.split_once(' ')?;
        text = rest;
        condition = Some((slot.trim_start_matches('!'), !slot.starts_with('!')));
    }
    let mut pattern = Pattern { popular, condition, text };
    match tag.as_bytes().first()? {
        b'T' => tale.titles.get_mut(stage)?.push(pattern),
        b'L' => {
            if let Some(end) = sentence_end(text) {
                let sequel = Pattern { text: &text[end + 2..], ..pattern.clone() };
                tale.sequels.get_mut(stage)?.push(sequel);
                pattern.text = &text[..=end];
            }
            tale.openings.get_mut(stage)?.push(pattern);
        }
        b'D' => tale.details.push(pattern),
        _ => return None,
    }
    Some(())
}

/// Offset of the full stop that ends the first of several sentences. An ordinal's full stop is
/// followed by a small letter.
fn sentence_end(text: &str) -> Option<usize> {
    let mut depth = 0_i32;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth -= 1,
            b'.' if depth == 0 => {
                let next = text[at + 1..].strip_prefix(' ').and_then(|rest| rest.chars().next());
                if next.is_some_and(|letter| !letter.is_lowercase()) {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn every_line_of_the_texts_is_read() {
        assert_eq!(TEXTS.defects, Vec::<String>::new());
    }

    #[test]
    fn every_pattern_resolves_for_every_word() {
        let mut rng = StdRng::seed_from_u64(1);
        let mut unresolved = std::collections::BTreeSet::new();
        for kind in &TEXTS.kinds {
            let mut told = 0;
            for language in Language::ALL {
                let Some(tale) = TEXTS.tale(language, kind.name) else { continue };
                told += 1;
                let stages = tale.titles.iter().chain(&tale.openings).chain(&tale.sequels);
                let patterns = stages.flatten();
                for pattern in patterns.chain(&tale.details) {
                    for _ in 0..12 {
                        let facts = crate::happening::draw_facts(kind, language, 0, 0, &mut rng);
                        let text = TEXTS.tell(language, kind, pattern, &facts, &mut rng);
                        if text.contains(['{', '}', '[', ']', '#']) {
                            unresolved.insert(format!("{} {}", language.code(), pattern.text));
                        }
                    }
                }
            }
            assert!(told > 0, "{} is never told", kind.name);
            assert!(kind.scope != Scope::World || told == 4, "{} is not told by all", kind.name);
        }
        assert!(unresolved.is_empty(), "{unresolved:#?}");
    }

    #[test]
    fn lists_of_world_kinds_run_in_parallel() {
        for kind in TEXTS.kinds.iter().filter(|kind| kind.scope == Scope::World) {
            for (_, domain) in &kind.slots {
                let Domain::List(list) = domain else { continue };
                let rows = Language::ALL.map(|language| TEXTS.rows(language, list));
                assert!(rows.iter().all(|n| *n == rows[0] && *n > 0), "{list}: {rows:?}");
            }
        }
    }

    #[test]
    fn prepositions_are_vocalised() {
        for (text, expect) in [
            ("duel s Spartakem v Třešňově", "duel se Spartakem v Třešňově"),
            ("vlaky z Zámostí k Kančínu", "vlaky ze Zámostí ke Kančínu"),
        ] {
            assert_eq!(vocalised(Language::Czech, text), expect);
        }
        assert_eq!(vocalised(Language::Slovak, "s Spartakom"), "so Spartakom");
    }

    #[test]
    fn sentences_begin_in_upper_case() {
        for (text, expect) in [
            ("v 51. minutě. rozhodl", "V 51. minutě. Rozhodl"),
            ("„konec!“ řekl. pak odešel", "„Konec!“ řekl. Pak odešel"),
        ] {
            assert_eq!(sentence_case(text), expect);
        }
    }

    #[test]
    fn counts_agree_as_each_language_counts() {
        for (language, expect) in
            [(Language::Czech, [0, 1, 1, 2, 2]), (Language::German, [0, 1, 1, 1, 1])]
        {
            assert_eq!([1, 2, 4, 5, 22].map(|count| plural(language, count)), expect);
        }
    }
}
