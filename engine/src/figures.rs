//! What newsrooms and owners did among the events of a board, counted and not ranked.

use std::cmp::Reverse;

use model::{Board, Desk, Event, Figures, Mention, Newsroom, NewsroomId, Pace, Party, UnixSeconds};
use rustc_hash::{FxHashMap, FxHashSet};

/// Each newsroom's figures over the events first mentioned after `from`, in the newsrooms' order.
#[must_use]
pub fn newsroom_figures(
    board: &Board,
    newsrooms: &[Newsroom],
    from: UnixSeconds,
) -> Vec<(NewsroomId, Figures)> {
    let parties: Vec<Vec<&Newsroom>> = newsrooms.iter().map(|newsroom| vec![newsroom]).collect();
    let figures = figures(board, &parties, from);
    newsrooms.iter().map(|newsroom| newsroom.id).zip(figures).collect()
}

/// The same by owner, over the events that two or more owners share; a newsroom of unknown owner is
/// its own. In the order in which the newsrooms name them.
#[must_use]
pub fn owner_figures(
    board: &Board,
    newsrooms: &[Newsroom],
    from: UnixSeconds,
) -> Vec<(Party, Figures)> {
    let mut index = FxHashMap::<Result<&str, NewsroomId>, usize>::default();
    let mut parties: Vec<Vec<&Newsroom>> = Vec::new();
    for newsroom in newsrooms {
        let owner = newsroom.owner.as_deref().ok_or(newsroom.id);
        let party = *index.entry(owner).or_insert(parties.len());
        match parties.get_mut(party) {
            Some(own) => own.push(newsroom),
            None => parties.push(vec![newsroom]),
        }
    }
    let figures = figures(board, &parties, from);
    let named = parties.into_iter().map(|own| Party {
        owner: own.first().and_then(|newsroom| newsroom.owner.clone()),
        newsrooms: own.into_iter().map(|newsroom| newsroom.id).collect(),
    });
    named.zip(figures).collect()
}

/// Where `newsroom` stands among the others: what at least `others` of them have and it does not,
/// and how far it was ahead or behind in what it shares.
#[must_use]
pub fn desk(board: &Board, newsroom: NewsroomId, others: u32) -> Desk {
    let mut desk = Desk::default();
    for event in board.events.iter().filter(|event| !event.mentions.is_empty()) {
        let own = event.mentions.iter().find(|mention| mention.newsroom == newsroom);
        match (own, event.mentions.as_slice()) {
            (None, mentions) if mentions.len() >= others as usize => desk.missing.push(event.id),
            (None, _) | (Some(_), [] | [_]) => {}
            (Some(own), [first, second, ..]) => {
                if first.backfill || own.backfill {
                    desk.untimed += 1;
                } else if own.at == first.at {
                    // Two at the same time are both first, without a lead.
                    let seconds = second.at - own.at;
                    desk.first.push(Pace { event: event.id, seconds });
                } else {
                    desk.late.push(Pace { event: event.id, seconds: own.at - first.at });
                }
            }
        }
    }
    desk.first.sort_by_key(|pace| Reverse(pace.seconds));
    desk.late.sort_by_key(|pace| Reverse(pace.seconds));
    desk
}

/// A party's part in one event.
struct Part {
    party: usize,
    at: UnixSeconds,
    backfill: bool,
    copy: bool,
}

fn figures(board: &Board, parties: &[Vec<&Newsroom>], from: UnixSeconds) -> Vec<Figures> {
    let party_of: FxHashMap<NewsroomId, usize> = parties
        .iter()
        .enumerate()
        .flat_map(|(party, own)| own.iter().map(move |newsroom| (newsroom.id, party)))
        .collect();
    let languages: Vec<FxHashSet<&str>> = parties
        .iter()
        .map(|own| own.iter().map(|newsroom| newsroom.language.as_str()).collect())
        .collect();
    let mut figures = vec![Figures::default(); parties.len()];
    let mut lags = vec![Vec::new(); parties.len()];
    let mut in_language = FxHashMap::<&str, u32>::default();
    for event in board.events.iter().filter(|event| event.first_mention() > from) {
        let parts = parts(event, &party_of);
        let [first, _, ..] = parts.as_slice() else { continue };
        *in_language.entry(&event.language).or_default() += 1;
        for part in &parts {
            let own = &mut figures[part.party];
            own.events += 1;
            own.copies += u32::from(part.copy);
            own.possible += u32::from(!languages[part.party].contains(event.language.as_str()));
            if first.backfill || part.backfill {
                continue;
            }
            own.timed += 1;
            if part.at == first.at {
                own.first += 1;
            } else {
                lags[part.party].push(part.at - first.at);
            }
        }
    }
    for ((own, lags), languages) in figures.iter_mut().zip(&mut lags).zip(&languages) {
        own.possible += languages.iter().filter_map(|&one| in_language.get(one)).sum::<u32>();
        own.median_lag_seconds = median(lags);
    }
    figures
}

/// The event's parties in order of their first mention.
fn parts(event: &Event, party_of: &FxHashMap<NewsroomId, usize>) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for Mention { newsroom, at, backfill, copy, .. } in &event.mentions {
        let Some(&party) = party_of.get(newsroom) else { continue };
        match parts.iter_mut().find(|part| part.party == party) {
            Some(part) => part.copy &= copy,
            None => parts.push(Part { party, at: *at, backfill: *backfill, copy: *copy }),
        }
    }
    parts
}

/// The lower of the two middle ones where there are two.
fn median(values: &mut [i64]) -> Option<i64> {
    values.sort_unstable();
    values.get(values.len().saturating_sub(1) / 2).copied()
}
