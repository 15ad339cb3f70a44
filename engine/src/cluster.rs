//! The line from articles to groups of articles about the same happening.

use model::{Grouping, UnixSeconds};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::{
    boilerplate::{self, Clean, Passage},
    group::group,
    lexicon::{self, Lexicon},
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
    let found: Vec<(Vec<u32>, Vec<u32>)> = by_language(articles)
        .into_par_iter()
        .map(|(members, language)| {
            let passages = passages(articles, &members);
            let (_, _, matched) = matched(&passages, &language, &times(articles, &members), params);
            (members, matched.groups())
        })
        .collect();
    let mut groups = vec![0; articles.len()];
    for (members, of_members) in found {
        for (&member, group) in members.iter().zip(of_members) {
            groups[member as usize] = members[group as usize];
        }
    }
    groups
}

/// The place of each article, with its reasons.
#[must_use]
pub fn place(articles: &[Article<'_>], params: &Grouping) -> Vec<Placed> {
    let found: Vec<(Vec<u32>, Vec<Placed>)> = by_language(articles)
        .into_par_iter()
        .map(|(members, language)| {
            let passages = passages(articles, &members);
            let times = times(articles, &members);
            let placed = place_language(&passages, &language, &times, params);
            (members, placed)
        })
        .collect();
    let mut placed: Vec<Option<Placed>> = vec![None; articles.len()];
    for (members, of_members) in found {
        for (&member, mut one) in members.iter().zip(of_members) {
            one.group = members[one.group as usize];
            if let Some(link) = &mut one.tie {
                link.to = members[link.to as usize];
            }
            placed[member as usize] = Some(one);
        }
    }
    placed.into_iter().flatten().collect()
}

/// Indices of each language's articles in order of time.
fn by_language(articles: &[Article<'_>]) -> Vec<(Vec<u32>, String)> {
    let mut order: Vec<u32> = (0..articles.len() as u32).collect();
    order.par_sort_by_key(|&index| (articles[index as usize].at, articles[index as usize].id));
    let mut members = FxHashMap::<String, Vec<u32>>::default();
    for index in order {
        let language = text::primary_language(articles[index as usize].language);
        members.entry(language).or_default().push(index);
    }
    members.into_iter().map(|(language, members)| (members, language)).collect()
}

fn passages<'a>(articles: &[Article<'a>], members: &[u32]) -> Vec<Passage<'a>> {
    members
        .par_iter()
        .map(|&index| {
            let article = &articles[index as usize];
            Passage {
                outlet: article.outlet,
                title: text::composed(article.title),
                lede: text::composed(article.lede),
            }
        })
        .collect()
}

fn times(articles: &[Article<'_>], members: &[u32]) -> Vec<UnixSeconds> {
    members.iter().map(|&index| articles[index as usize].at).collect()
}

fn matched<'p>(
    passages: &'p [Passage<'_>],
    language: &str,
    times: &[UnixSeconds],
    params: &Grouping,
) -> (Vec<Clean<'p>>, Lexicon, Matched) {
    let clean = boilerplate::clean(passages, language);
    let lexicon = lexicon::read(&clean, language, params);
    let texts = Texts::new(&lexicon, times, params);
    let groups = group(&texts, params);
    (clean, lexicon, Matched { texts, groups })
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

fn place_language(
    passages: &[Passage<'_>],
    language: &str,
    times: &[UnixSeconds],
    params: &Grouping,
) -> Vec<Placed> {
    let (clean, lexicon, matched) = matched(passages, language, times, params);
    let groups = matched.groups();
    let reasons = tie::reasons(&matched, &lexicon, &clean, language, times, params);
    let origins = origin::origins(&groups, &clean, params);
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
