//! The invented world, a day at a time.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use rand::RngExt;
use rand::rngs::StdRng;

pub use crate::happening::Wording;

use crate::grammar::{Domain, Kind, STAGES, Scope, TEXTS};
use crate::happening::{Happening, Teller, draw_facts, interest, mix, reprint, rng};
use crate::listing::{Listing, Listings};
use crate::{Language, Newsroom, Topic, newsrooms};

pub(crate) const MINUTE: i64 = 60;
pub(crate) const HOUR: i64 = 3_600;
pub(crate) const DAY: i64 = 24 * HOUR;

/// Days before the start that are told too, so that feeds are full at the start.
const PRELUDE: i64 = 4;
/// A listing holds stories of this day and of so many days before it.
const REACH_BACK: i64 = 3;
/// Days beyond the planned ones that are kept in memory.
const SPARE_DAYS: usize = 16;

/// Happenings of a day that several newsrooms report, by language; the last are the world's.
const SHARED_PER_DAY: [(Option<Language>, u64); 5] = [
    (Some(Language::Czech), 36),
    (Some(Language::Slovak), 16),
    (Some(Language::English), 12),
    (Some(Language::German), 12),
    (None, 9),
];
/// Stories of a day that a newsroom of full appetite has alone.
const ALONE_PER_DAY: f64 = 4.0;

/// Relative frequency of happenings by hour of the day in UTC.
const BUSY: [f64; 24] = [
    0.1, 0.1, 0.1, 0.15, 0.3, 0.6, 0.8, 1.0, 1.0, 1.0, 1.0, 0.9, 0.9, 1.0, 1.0, 0.9, 0.8, 0.8, 0.7,
    0.7, 0.6, 0.4, 0.2, 0.1,
];

/// One newsroom's item.
#[derive(Clone, Debug)]
pub struct Story {
    pub id: u64,
    pub happening: u64,
    /// Index into [`Plan::newsrooms`].
    pub newsroom: usize,
    /// 0 is the first report, later developments follow.
    pub stage: usize,
    pub topic: Topic,
    /// Unix seconds.
    pub published: i64,
    /// Weight on an ordered front page, about 0.5 to 5.
    pub importance: f64,
    /// Never empty, ascending; the second and later are changed titles.
    pub wordings: Vec<Wording>,
    /// The story whose text this one repeats.
    pub copy_of: Option<u64>,
}

/// The whole invented world: a function of seed and start alone, and endless. Clones share it.
#[derive(Clone)]
pub struct Plan {
    world: Arc<World>,
}

struct World {
    seed: u64,
    start: i64,
    days: u32,
    newsrooms: Vec<Newsroom>,
    /// Told so far, by number of the day from the start.
    told: Mutex<BTreeMap<i64, Arc<[Arc<Story>]>>>,
    listed: Mutex<BTreeMap<i64, Arc<Listings>>>,
}

impl Plan {
    /// The world from `start` (Unix seconds). The first `days` are told at once, later ones when
    /// they are asked for.
    #[must_use]
    pub fn generate(seed: u64, start: i64, days: u32) -> Self {
        let world = World {
            seed,
            start,
            days,
            newsrooms: newsrooms(),
            told: Mutex::default(),
            listed: Mutex::default(),
        };
        let plan = Self { world: Arc::new(world) };
        for day in -PRELUDE..i64::from(days) {
            plan.day(day);
        }
        plan
    }

    #[must_use]
    pub fn newsrooms(&self) -> &[Newsroom] {
        &self.world.newsrooms
    }

    #[must_use]
    pub fn start(&self) -> i64 {
        self.world.start
    }

    #[must_use]
    pub fn days(&self) -> u32 {
        self.world.days
    }

    /// Stories that are published from `from` until before `until`, in order of time.
    #[must_use]
    pub fn stories(&self, from: i64, until: i64) -> Vec<Arc<Story>> {
        let days = self.day_of(from) - REACH_BACK..=self.day_of(until);
        let mut stories: Vec<_> = days.flat_map(|day| self.day(day).to_vec()).collect();
        stories.retain(|story| (from..until).contains(&story.published));
        stories.sort_by_key(|story| (story.published, story.id));
        stories
    }

    /// Ids of the stories that a feed lists at `at`, first on top; feeds are counted as in
    /// [`Newsroom::sources`].
    #[must_use]
    pub fn listed(&self, newsroom: usize, feed: usize, at: i64) -> Vec<u64> {
        self.listing(newsroom, feed, at).entries.iter().map(|entry| entry.story.id).collect()
    }

    /// What a feed lists at `at`.
    pub(crate) fn listing(&self, newsroom: usize, feed: usize, at: i64) -> Arc<Listing> {
        let mut day = self.day_of(at);
        loop {
            let listings = self.listings(day);
            // A day's first listing of a feed whose listing did not change that day stands in an
            // earlier day; before the prelude there is none.
            match listings.at(newsroom, feed, at) {
                Some(listing) => return listing,
                None if day < -PRELUDE => return Arc::default(),
                None => day -= 1,
            }
        }
    }

    fn listings(&self, day: i64) -> Arc<Listings> {
        let known = lock(&self.world.listed).get(&day).cloned();
        known.unwrap_or_else(|| {
            let from = self.world.start + day * DAY;
            let days = day - REACH_BACK - 1..=day;
            let stories: Vec<_> = days.flat_map(|day| self.day(day).to_vec()).collect();
            let listings = Arc::new(Listings::of_day(self.newsrooms(), &stories, from, from + DAY));
            self.keep(&self.world.listed, day, Arc::clone(&listings));
            listings
        })
    }

    fn day(&self, day: i64) -> Arc<[Arc<Story>]> {
        let known = lock(&self.world.told).get(&day).cloned();
        known.unwrap_or_else(|| {
            let stories: Arc<[_]> = Telling::of_day(&self.world, day).into();
            self.keep(&self.world.told, day, Arc::clone(&stories));
            stories
        })
    }

    fn keep<T>(&self, days: &Mutex<BTreeMap<i64, T>>, day: i64, value: T) {
        let mut days = lock(days);
        days.insert(day, value);
        while days.len() > self.world.days as usize + SPARE_DAYS {
            days.pop_first();
        }
    }

    fn day_of(&self, at: i64) -> i64 {
        (at - self.world.start).div_euclid(DAY)
    }
}

/// Most happenings of a kind in a day: so few that its subjects do not come again within three
/// days, the world's not within six.
fn per_day(kind: &Kind, language: Option<Language>) -> u64 {
    let Some((_, Domain::List(list))) = kind.slots.first() else { return 1 };
    let rows = TEXTS.rows(language.unwrap_or(Language::Czech), list) as u64;
    (rows / if language.is_some() { 3 } else { 6 }).max(1)
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Tells one day.
struct Telling<'a> {
    world: &'a World,
    day: i64,
    rng: StdRng,
    happenings: u64,
    /// How many happenings of each kind there were, by language.
    ordinals: BTreeMap<(&'static str, Option<Language>), u64>,
    titles: HashSet<String>,
    stories: Vec<Arc<Story>>,
}

impl<'a> Telling<'a> {
    fn of_day(world: &'a World, day: i64) -> Vec<Arc<Story>> {
        let mut telling = Self {
            world,
            day,
            rng: rng((world.seed, world.start, day)),
            happenings: 0,
            ordinals: BTreeMap::new(),
            titles: HashSet::new(),
            stories: Vec::new(),
        };
        for (language, count) in SHARED_PER_DAY {
            for _ in 0..count {
                telling.shared(language);
            }
        }
        // Those with a beat choose first: there is only so much of it in a day.
        let mut order: Vec<usize> = (0..world.newsrooms.len()).collect();
        order.sort_by_key(|newsroom| world.newsrooms[*newsroom].beat.is_empty());
        for newsroom in order {
            telling.alone(newsroom);
        }
        telling.stories
    }

    /// A happening that several newsrooms report.
    fn shared(&mut self, language: Option<Language>) {
        let fits = |kind: &Kind| match kind.scope {
            Scope::Local | Scope::National => language.is_some(),
            Scope::World => language.is_none(),
            Scope::Soft => false,
        };
        let weight = |kind: &Kind| f64::from(u8::from(fits(kind)));
        let Some(kind) = self.kind(language, weight) else { return };
        let happening = self.happening(kind, language);
        let (least, tail) = if language.is_some() { (2.0, 1.1) } else { (6.0, 0.9) };
        let wanted = (least * self.rng.random_range(0.001..1.0_f64).powf(-1.0 / tail)) as usize;
        let reporters = self.reporters(kind, language, wanted);
        self.report(&happening, &reporters);
    }

    /// What one newsroom has alone.
    fn alone(&mut self, newsroom: usize) {
        let world = self.world;
        let desk = &world.newsrooms[newsroom];
        let mean = ALONE_PER_DAY * desk.appetite;
        let count = (mean * self.rng.random_range(0.6..1.4)).round() as u64;
        for _ in 0..count {
            let language = Some(desk.language);
            let weight = |kind: &Kind| match kind.scope {
                Scope::World | Scope::National => 0.0,
                Scope::Soft => 0.9 * interest(desk, kind),
                Scope::Local => interest(desk, kind),
            };
            let Some(kind) = self.kind(language, weight) else { continue };
            let happening = self.happening(kind, language);
            self.report(&happening, &[newsroom]);
        }
    }

    fn kind(
        &mut self,
        language: Option<Language>,
        weight: impl Fn(&Kind) -> f64,
    ) -> Option<&'static Kind> {
        let weight = |kind: &Kind| {
            let told = language.is_none_or(|language| TEXTS.tale(language, kind.name).is_some());
            let nth = self.ordinals.get(&(kind.name, language)).copied().unwrap_or(0);
            if told && nth < per_day(kind, language) { kind.frequency * weight(kind) } else { 0.0 }
        };
        let total: f64 = TEXTS.kinds.iter().map(weight).sum();
        let mut left = self.rng.random_range(0.0..1.0) * total;
        TEXTS.kinds.iter().find(|kind| {
            left -= weight(kind);
            left < 0.0
        })
    }

    fn happening(&mut self, kind: &'static Kind, language: Option<Language>) -> Happening {
        let nth = self.ordinals.entry((kind.name, language)).or_default();
        let days = (self.day + PRELUDE).rem_euclid(1 << 20) as u64;
        let ordinal = days * per_day(kind, language) + *nth;
        *nth += 1;
        self.happenings += 1;
        let words = language.unwrap_or(Language::Czech);
        let facts = draw_facts(kind, words, ordinal, self.world.seed, &mut self.rng);
        let id = mix((self.world.seed, self.world.start, self.day, self.happenings)) >> 24;
        let tempo = 0.4 + 3.0 * self.rng.random_range(0.0..1.0_f64).powi(2);
        Happening { id, kind, starts_at: self.moment(), tempo, facts }
    }

    /// A moment of this day at which things happen.
    fn moment(&mut self) -> i64 {
        let from = self.world.start + self.day * DAY;
        loop {
            let at = from + self.rng.random_range(0..DAY);
            let hour = at.rem_euclid(DAY) / HOUR;
            if self.rng.random_bool(BUSY[hour as usize]) {
                return at;
            }
        }
    }

    /// Newsrooms that report it, the keenest more likely, at least two.
    fn reporters(&mut self, kind: &Kind, language: Option<Language>, wanted: usize) -> Vec<usize> {
        let desks = self.world.newsrooms.iter().enumerate();
        let mut keys: Vec<(f64, usize)> = desks
            .filter(|(_, desk)| language.is_none_or(|language| desk.language == language))
            .filter(|(_, desk)| interest(desk, kind) > 0.0)
            .map(|(index, desk)| {
                let draw: f64 = self.rng.random_range(0.0001..1.0);
                (-draw.ln() / interest(desk, kind), index)
            })
            .collect();
        keys.sort_by(|a, b| a.0.total_cmp(&b.0));
        keys.truncate(wanted.max(2));
        keys.into_iter().map(|(_, index)| index).collect()
    }

    fn report(&mut self, happening: &Happening, reporters: &[usize]) {
        let reach = reporters.len();
        for stage in 0..STAGES {
            if stage > 0 && reach < 4 {
                return;
            }
            let (since, share) = match stage {
                0 => (0, 1.0),
                1 => (self.rng.random_range(2 * HOUR..8 * HOUR), 0.5),
                _ => (self.rng.random_range(14 * HOUR..30 * HOUR), 0.3),
            };
            let mut turns = Vec::new();
            for newsroom in reporters {
                if self.rng.random_bool(share) {
                    let at =
                        happening.starts_at + since + self.lag(*newsroom, reach, happening.tempo);
                    turns.push((self.awake(at, *newsroom), *newsroom));
                }
            }
            turns.sort_unstable();
            self.stage(happening, stage, reach, &turns);
        }
    }

    fn stage(&mut self, happening: &Happening, stage: usize, reach: usize, turns: &[(i64, usize)]) {
        let world = self.world;
        let mut tellers: BTreeMap<Language, Option<Teller<'_>>> = BTreeMap::new();
        let mut told: Vec<Arc<Story>> = Vec::new();
        for (at, newsroom) in turns {
            let desk = &world.newsrooms[*newsroom];
            let id = (happening.id << 8) + (*newsroom * STAGES + stage) as u64;
            let agency = told.iter().find(|story| world.newsrooms[story.newsroom].is_agency());
            let sibling = told.iter().find(|story| {
                let other = &world.newsrooms[story.newsroom];
                desk.owner.is_some() && other.owner == desk.owner && other.language == desk.language
            });
            let (original, wordings) = if let Some(copy) = agency
                && desk.language == Language::Czech
                && self.rng.random_bool(desk.reprints)
            {
                (Some(copy.id), vec![reprint(&copy.wordings[0], *at, &mut self.rng)])
            } else if let Some(copy) = sibling
                && self.rng.random_bool(0.3)
            {
                (Some(copy.id), vec![Wording { at: *at, ..copy.wordings[0].clone() }])
            } else {
                let teller = tellers
                    .entry(desk.language)
                    .or_insert_with(|| Teller::new(happening, desk.language, stage));
                let Some(teller) = teller else { continue };
                let Some(title) = teller.title(desk.popular, &mut self.titles) else { continue };
                let lede = teller.lede(&title);
                let mut wordings = vec![Wording { at: *at, title: title.text, lede }];
                if self.rng.random_bool(0.2)
                    && let Some(title) = teller.title(desk.popular, &mut self.titles)
                {
                    let at = at + self.rng.random_range(20 * MINUTE..150 * MINUTE);
                    let lede = match &wordings[0].lede {
                        old if old.starts_with(&title.text) => teller.lede(&title),
                        old => old.clone(),
                    };
                    wordings.push(Wording { at, title: title.text, lede });
                }
                (None, wordings)
            };
            let importance = (1.0 + reach as f64).ln() * self.rng.random_range(0.75..1.25);
            told.push(Arc::new(Story {
                id,
                happening: happening.id,
                newsroom: *newsroom,
                stage,
                topic: happening.kind.topic,
                published: *at,
                importance,
                wordings,
                copy_of: original,
            }));
        }
        self.stories.extend(told);
    }

    /// Seconds from a development to a newsroom's item: long-tailed, shorter for what everyone
    /// reports.
    fn lag(&mut self, newsroom: usize, reach: usize, tempo: f64) -> i64 {
        let mean = 100.0 * MINUTE as f64 * tempo / (1.0 + reach as f64).ln();
        let draw: f64 = self.rng.random_range(0.02..1.0);
        let lag = mean * -draw.ln() * self.world.newsrooms[newsroom].slowness;
        4 * MINUTE + lag as i64 + self.rng.random_range(0..2 * MINUTE)
    }

    /// Most newsrooms publish little at night: what falls there mostly waits for the morning.
    fn awake(&mut self, at: i64, newsroom: usize) -> i64 {
        let hour = at.rem_euclid(DAY) / HOUR;
        let quick = self.world.newsrooms[newsroom].slowness < 0.75;
        if hour >= 4 || quick || self.rng.random_bool(0.25) {
            return at;
        }
        at + (4 - hour) * HOUR + self.rng.random_range(0..90 * MINUTE)
    }
}
