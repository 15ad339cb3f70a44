//! The line from articles to groups of articles about the same happening.

use std::borrow::Cow;

use model::{Grouping, UnixSeconds};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::{
    boilerplate::{self, Passage},
    group::group,
    lexicon::Lexicon,
    origin,
    similar::Texts,
    text, tie,
};

/// An item as clustering sees it.
#[derive(Clone, Copy, Debug)]
pub struct Article<'a> {
    /// Unique; only the order of equal times depends on it.
    pub id: i64,
    /// Name of who published it; may be empty.
    pub outlet: &'a str,
    /// BCP 47; articles of different languages never stand in one group.
    pub language: &'a str,
    pub title: &'a str,
    pub lede: &'a str,
    pub at: UnixSeconds,
}

/// Where an article stands, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed {
    /// Index of the group's earliest article.
    pub group: u32,
    /// Σ of similarities to the other articles of the group.
    pub likeness: f64,
    pub tie: Option<Link>,
    /// Number of its distinct text within the group, from 0 in order of time.
    pub origin: u32,
    /// It repeats an earlier article's text.
    pub copy: bool,
}

/// The strongest link of an article to another one of its group.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Index of the other article.
    pub to: u32,
    pub similarity: f64,
    /// Words as the article writes them, and their weights, heaviest first.
    pub shared: Vec<(String, f64)>,
}

/// The group of each article, as the index of the group's earliest article.
///
/// Neither the order of the articles nor the number of threads changes the groups.
#[must_use]
pub fn cluster(articles: &[Article<'_>], params: &Grouping) -> Vec<u32> {
    place(articles, params).into_iter().map(|placed| placed.group).collect()
}

/// The place of each article, with its reasons.
#[must_use]
pub fn place(articles: &[Article<'_>], params: &Grouping) -> Vec<Placed> {
    let all = (0..articles.len() as u32).collect();
    Library::new(articles).place(&[all], params).concat()
}

/// Articles that are placed again and again, each time some of them. What is known of an article by
/// itself is found out once.
pub(crate) struct Library<'a> {
    /// One per language.
    shelves: Vec<Shelf<'a>>,
    /// Per article: its shelf, and its number there.
    spots: Vec<(usize, u32)>,
    /// Per article: what it is ordered by.
    order: Vec<(UnixSeconds, i64)>,
}

struct Shelf<'a> {
    language: String,
    passages: Vec<Passage<'a>>,
    lexicon: Lexicon,
    /// Readings by number, length of the title that is left, and lede where it was cut.
    known: FxHashMap<(u32, u32, Option<String>), u32>,
}

/// Some articles of one shelf that are placed among themselves, in order of time.
struct Pick {
    choice: usize,
    /// Indices into the choice.
    members: Vec<u32>,
}

impl<'a> Library<'a> {
    pub fn new(articles: &[Article<'a>]) -> Self {
        let mut library = Self {
            shelves: Vec::new(),
            spots: Vec::with_capacity(articles.len()),
            order: articles.iter().map(|article| (article.at, article.id)).collect(),
        };
        let passages: Vec<Passage<'a>> = articles
            .par_iter()
            .map(|article| Passage::new(article.outlet, article.title, article.lede))
            .collect();
        let mut numbers = FxHashMap::<&str, usize>::default();
        for (article, passage) in articles.iter().zip(passages) {
            let shelf = *numbers
                .entry(article.language)
                .or_insert_with(|| library.shelf(text::primary_language(article.language)));
            let passages = &mut library.shelves[shelf].passages;
            library.spots.push((shelf, passages.len() as u32));
            passages.push(passage);
        }
        library
    }

    fn shelf(&mut self, language: String) -> usize {
        let known = self.shelves.iter().position(|shelf| shelf.language == language);
        known.unwrap_or_else(|| {
            self.shelves.push(Shelf {
                lexicon: Lexicon::new(&language),
                language,
                passages: Vec::new(),
                known: FxHashMap::default(),
            });
            self.shelves.len() - 1
        })
    }

    /// Places the articles of each choice among themselves.
    pub fn place(&mut self, choices: &[Vec<u32>], params: &Grouping) -> Vec<Vec<Placed>> {
        let picks = self.picks(choices);
        let Self { shelves, spots, order } = self;
        let numbers = |pick: &Pick| -> Vec<u32> {
            let choice = &choices[pick.choice];
            pick.members.iter().map(|&member| spots[choice[member as usize] as usize].1).collect()
        };
        let readings: Vec<Vec<Vec<u32>>> = shelves
            .par_iter_mut()
            .zip(&picks)
            .map(|(shelf, picks)| {
                picks.iter().map(|pick| shelf.readings(&numbers(pick), params)).collect()
            })
            .collect();
        let placed: Vec<Vec<Vec<Placed>>> = shelves
            .par_iter()
            .zip(picks.par_iter().zip(&readings))
            .map(|(shelf, (picks, readings))| {
                let place = |(pick, readings): (&Pick, &Vec<u32>)| {
                    let choice = &choices[pick.choice];
                    let at = |&member: &u32| order[choice[member as usize] as usize].0;
                    let times: Vec<UnixSeconds> = pick.members.iter().map(at).collect();
                    place_readings(&shelf.lexicon, readings, &times, params)
                };
                picks.par_iter().zip(readings).map(place).collect()
            })
            .collect();
        let mut places: Vec<Vec<Option<Placed>>> =
            choices.iter().map(|choice| vec![None; choice.len()]).collect();
        for (Pick { choice, members }, placed) in
            picks.iter().flatten().zip(placed.into_iter().flatten())
        {
            for (&member, mut one) in members.iter().zip(placed) {
                one.group = members[one.group as usize];
                if let Some(link) = &mut one.tie {
                    link.to = members[link.to as usize];
                }
                places[*choice][member as usize] = Some(one);
            }
        }
        places.into_iter().map(|places| places.into_iter().flatten().collect()).collect()
    }

    /// Per shelf.
    fn picks(&self, choices: &[Vec<u32>]) -> Vec<Vec<Pick>> {
        let mut picks: Vec<Vec<Pick>> = self.shelves.iter().map(|_| Vec::new()).collect();
        for (number, choice) in choices.iter().enumerate() {
            let mut order: Vec<u32> = (0..choice.len() as u32).collect();
            order.par_sort_by_key(|&index| self.order[choice[index as usize] as usize]);
            for picks in &mut picks {
                picks.push(Pick { choice: number, members: Vec::new() });
            }
            for index in order {
                let shelf = self.spots[choice[index as usize] as usize].0;
                picks[shelf][number].members.push(index);
            }
        }
        picks
    }
}

impl Shelf<'_> {
    /// The readings of some articles, without the boilerplate that is found among these.
    fn readings(&mut self, numbers: &[u32], params: &Grouping) -> Vec<u32> {
        let passages: Vec<&Passage<'_>> =
            numbers.iter().map(|&number| &self.passages[number as usize]).collect();
        let clean = boilerplate::clean(&passages, &self.language);
        let keys: Vec<(u32, u32, Option<String>)> = numbers
            .iter()
            .zip(&clean)
            .map(|(&number, clean)| {
                let cut = match &clean.lede {
                    Cow::Borrowed(_) => None,
                    Cow::Owned(lede) => Some(lede.clone()),
                };
                (number, clean.title.len() as u32, cut)
            })
            .collect();
        let (mut unread, mut unread_keys) = (Vec::new(), Vec::new());
        for (key, clean) in keys.iter().zip(clean) {
            if !self.known.contains_key(key) {
                unread.push(clean);
                unread_keys.push(key.clone());
            }
        }
        let readings = self.lexicon.read(&unread, params.lede_chars);
        self.known.extend(unread_keys.into_iter().zip(readings));
        keys.iter().filter_map(|key| self.known.get(key).copied()).collect()
    }
}

/// Distinct texts and the group of each.
pub(crate) struct Matched {
    pub texts: Texts,
    pub groups: Vec<u32>,
}

impl Matched {
    /// The group of each article, as the index of its earliest article.
    fn groups(&self) -> Vec<u32> {
        let mut first = FxHashMap::default();
        self.texts
            .of_article
            .iter()
            .enumerate()
            .map(|(article, &text)| {
                *first.entry(self.groups[text as usize]).or_insert(article as u32)
            })
            .collect()
    }
}

fn place_readings(
    lexicon: &Lexicon,
    readings: &[u32],
    times: &[UnixSeconds],
    params: &Grouping,
) -> Vec<Placed> {
    let texts = Texts::new(lexicon, readings, times, params);
    let groups = group(&texts, params);
    let matched = Matched { texts, groups };
    let groups = matched.groups();
    let reasons = tie::reasons(&matched, lexicon, readings, times, params);
    let origins = origin::origins(&groups, readings, lexicon, params.copy_containment);
    groups
        .into_iter()
        .zip(reasons)
        .zip(origins)
        .map(|((group, (likeness, tie)), origin)| Placed {
            group,
            likeness,
            tie,
            origin: origin.number,
            copy: origin.copy,
        })
        .collect()
}
