//! What happens, and how newsrooms tell it.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};

use crate::cast::AGENCY_CREDIT;
use crate::grammar::{Domain, Fact, Facts, Kind, Pattern, Scope, TEXTS};
use crate::{Language, Newsroom};

/// Title and lede of one story at one time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wording {
    /// From this time on, in Unix seconds.
    pub at: i64,
    pub title: String,
    /// At most [`LEDE_CHARS`] characters.
    pub lede: String,
}

/// Longest lede, in characters.
pub(crate) const LEDE_CHARS: usize = 300;
const LEDE_WORDS: std::ops::RangeInclusive<usize> = 15..=35;

/// A number that depends on its parts alone.
pub(crate) fn mix(parts: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    parts.hash(&mut hasher);
    hasher.finish()
}

/// Random numbers that depend on the parts alone.
pub(crate) fn rng(parts: impl Hash) -> StdRng {
    StdRng::seed_from_u64(mix(parts))
}

/// Facts of the `ordinal`-th happening of a kind. Lists are walked through in an order of their
/// own, so that neighbours in time differ.
pub(crate) fn draw_facts(
    kind: &Kind,
    language: Language,
    ordinal: u64,
    seed: u64,
    rng: &mut StdRng,
) -> Facts {
    let mut facts = Facts::new();
    let mut taken = HashSet::new();
    for (slot, domain) in &kind.slots {
        let fact = match domain {
            Domain::List(list) => {
                let rows = TEXTS.rows(language, list).max(1);
                let start = mix((seed, kind.name, slot)) as usize % rows;
                let stride = (1..rows).rev().find(|n| coprime(*n, rows) && n * 3 < rows * 2);
                let mut row = (start + ordinal as usize * stride.unwrap_or(1)) % rows;
                while !taken.insert((*list, row)) && taken.len() < rows {
                    row = (row + 1) % rows;
                }
                Fact::Entry(row)
            }
            Domain::Person => person(rng.random_bool(0.4), rng),
            Domain::Man => person(false, rng),
            Domain::Count { low, high, step } => {
                Fact::Count(low + step * rng.random_range(0..=(high - low) / step))
            }
            Domain::Tenths { low, high } => {
                let mut tenths = rng.random_range(*low..=*high);
                if facts.values().any(|fact| *fact == Fact::Tenths(tenths)) {
                    tenths = if tenths < *high { tenths + 1 } else { *low };
                }
                Fact::Tenths(tenths)
            }
        };
        facts.insert(slot, fact);
    }
    facts
}

fn person(female: bool, rng: &mut StdRng) -> Fact {
    Fact::Person { female, given: rng.random_range(0..997), surname: rng.random_range(0..997) }
}

fn coprime(a: usize, b: usize) -> bool {
    if b == 0 { a == 1 } else { coprime(b, a % b) }
}

/// Something that happened.
#[derive(Debug)]
pub(crate) struct Happening {
    pub id: u64,
    pub kind: &'static Kind,
    pub starts_at: i64,
    /// Factor on the time that newsrooms need: news breaks or seeps through.
    pub tempo: f64,
    pub facts: Facts,
}

/// Tells one development of a happening in one language, every time in other words.
pub(crate) struct Teller<'a> {
    happening: &'a Happening,
    language: Language,
    /// Each is a queue: what was used last stands last.
    titles: Vec<&'a Pattern>,
    openings: Vec<&'a Pattern>,
    sequels: Vec<&'a Pattern>,
    rng: StdRng,
}

/// A title and the pattern that it tells.
pub(crate) struct Title<'a> {
    pub text: String,
    pattern: &'a Pattern,
}

impl<'a> Teller<'a> {
    /// `None` when the language has no words for this development.
    pub fn new(happening: &'a Happening, language: Language, stage: usize) -> Option<Self> {
        let tale = TEXTS.tale(language, happening.kind.name)?;
        let mut rng = rng((happening.id, language, stage));
        let mut fit = |patterns: &mut dyn Iterator<Item = &'a Pattern>| -> Vec<&'a Pattern> {
            let mut fit: Vec<_> = patterns.filter(|p| p.holds(&happening.facts)).collect();
            fit.shuffle(&mut rng);
            fit
        };
        let titles = fit(&mut tale.titles.get(stage)?.iter());
        // English and German titles lack articles and verbs.
        let whole = matches!(language, Language::Czech | Language::Slovak);
        let as_openings = titles.iter().copied().filter(|title| whole && title.is_sentence());
        let openings = fit(&mut tale.openings.get(stage)?.iter().chain(as_openings));
        let sequels = fit(&mut tale.sequels.get(stage)?.iter().chain(&tale.details));
        if titles.is_empty() || openings.is_empty() {
            return None;
        }
        Some(Self { happening, language, titles, openings, sequels, rng })
    }

    /// A title that is not in `taken`, put into it; `None` when words run out.
    pub fn title(&mut self, popular: bool, taken: &mut HashSet<String>) -> Option<Title<'a>> {
        for _ in 0..3 * self.titles.len() {
            let wanted = |pattern: &&Pattern| popular || !pattern.popular;
            let loud = self.titles.iter().position(|pattern| popular && pattern.popular);
            let at = loud.filter(|_| self.rng.random_bool(0.4));
            let at = at.or_else(|| self.titles.iter().position(wanted))?;
            let pattern = next(&mut self.titles, at);
            let text = self.tell(pattern);
            if taken.insert(text.clone()) {
                return Some(Title { text, pattern });
            }
        }
        None
    }

    /// An opening that says it otherwise than `title`, and sentences that repeat none of its
    /// numbers and names.
    pub fn lede(&mut self, title: &Title<'_>) -> String {
        let subject = self.happening.kind.slots.first().map_or("", |(name, _)| name);
        let mut best = String::new();
        for _ in 0..2 * self.openings.len() {
            let opening = next(&mut self.openings, 0);
            if std::ptr::eq(opening, title.pattern) {
                continue;
            }
            let mut lede = self.tell(opening);
            if !lede.ends_with(['.', '“', '"']) {
                lede.push('.');
            }
            let mut told: HashSet<_> = opening.slots().collect();
            let enough = self.rng.random_range(LEDE_WORDS.start() + 1..26);
            let mut at = 0;
            for _ in 0..self.sequels.len() {
                let sequel = self.sequels[at];
                if count_words(&lede) >= enough {
                    break;
                }
                let longer = format!("{lede} {}", self.tell(sequel));
                let repeats = sequel.slots().any(|slot| slot != subject && told.contains(slot));
                if repeats || count_words(&longer) > *LEDE_WORDS.end() || !fits(&longer) {
                    at += 1;
                    continue;
                }
                lede = longer;
                told.extend(sequel.slots());
                next(&mut self.sequels, at);
            }
            if LEDE_WORDS.contains(&count_words(&lede)) && fits(&lede) {
                return lede;
            }
            if fits(&lede) && count_words(&lede) > count_words(&best) {
                best = lede;
            }
        }
        best
    }

    fn tell(&mut self, pattern: &Pattern) -> String {
        let happening = self.happening;
        TEXTS.tell(self.language, happening.kind, pattern, &happening.facts, &mut self.rng)
    }
}

/// Takes the pattern at `at` and puts it at the end of the queue.
fn next<'a>(queue: &mut Vec<&'a Pattern>, at: usize) -> &'a Pattern {
    let pattern = queue.remove(at);
    queue.push(pattern);
    pattern
}

fn count_words(text: &str) -> usize {
    text.split_whitespace().count()
}

fn fits(lede: &str) -> bool {
    lede.chars().count() + AGENCY_CREDIT.len() < LEDE_CHARS
}

/// The agency's copy as a reprinting newsroom runs it: as it is or slightly cut, with credit.
pub(crate) fn reprint(copy: &Wording, at: i64, rng: &mut StdRng) -> Wording {
    let mut title = copy.title.as_str();
    let mut lede = copy.lede.as_str();
    if rng.random_bool(0.3)
        && let Some((head, _)) = title.rsplit_once(", ")
        && head.chars().count() > 30
    {
        title = head;
    }
    if rng.random_bool(0.25)
        && let Some((head, _)) = lede.rsplit_once(". ")
        && count_words(head) >= *LEDE_WORDS.start()
    {
        lede = &lede[..=head.len()];
    }
    Wording { at, title: title.to_owned(), lede: format!("{lede} {AGENCY_CREDIT}") }
}

/// How likely a newsroom is to report a kind of happening, relative to others.
pub(crate) fn interest(newsroom: &Newsroom, kind: &Kind) -> f64 {
    let beat = match newsroom.beat {
        [] if kind.scope == Scope::Soft => 0.7,
        [] => 1.0,
        beat if beat.contains(&kind.topic) => 8.0 / beat.len() as f64 + 1.0,
        _ => 0.0,
    };
    let section = newsroom
        .feeds
        .iter()
        .any(|feed| (1..4).contains(&feed.topics.len()) && feed.topics.contains(&kind.topic));
    newsroom.appetite * newsroom.appetite * beat * if section { 2.5 } else { 1.0 }
}
