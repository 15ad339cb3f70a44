//! The ranked list of events at a moment.

use model::{
    Board, Event, EventId, EventItem, ItemHistory, ItemId, ItemText, Mention, Model, Newsroom,
    NewsroomId, Place, SECONDS_PER_HOUR, SharedWord, Sighting, SourceId, SourcePolls, Tie,
    UnixSeconds, Window,
};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    cluster::Placed,
    heat::{Spread, mean},
    hours,
    identity::event_ids,
    timeline::Timeline,
};

/// The event in which each item stood at the recompute before; empty when there was none.
pub type Assignments = FxHashMap<ItemId, EventId>;

/// The board at `at`.
///
/// It depends on nothing but the model, `previous` and what the window holds with times until `at`:
/// a window loaded later gives the same board.
#[must_use]
pub fn board(window: &Window, at: UnixSeconds, model: &Model, previous: &Assignments) -> Board {
    let boards = Timeline::new(window, model).boards(&[at], previous);
    boards.into_iter().next().unwrap_or_default()
}

/// The events of a moment, not yet named.
pub(crate) struct Moment<'w> {
    window: &'w Window,
    at: UnixSeconds,
    model: &'w Model,
    items: Vec<Present<'w>>,
    placed: Vec<Placed>,
    /// Indices of each event's items.
    events: Vec<Vec<usize>>,
}

impl<'w> Moment<'w> {
    /// `items` are [`present`] at the moment, `placed` their places.
    pub fn new(
        window: &'w Window,
        at: UnixSeconds,
        model: &'w Model,
        items: Vec<Present<'w>>,
        placed: Vec<Placed>,
    ) -> Self {
        let mut events = FxHashMap::<u32, Vec<usize>>::default();
        for (index, place) in placed.iter().enumerate() {
            events.entry(place.group).or_default().push(index);
        }
        let events = events.into_values().collect();
        Self { window, at, model, items, placed, events }
    }

    /// The id of each event.
    pub fn event_ids(&self, previous: &Assignments) -> Vec<EventId> {
        let events: Vec<Vec<ItemId>> = self
            .events
            .iter()
            .map(|event| event.iter().map(|&index| self.items[index].history.id).collect())
            .collect();
        event_ids(&events, previous)
    }

    /// What [`assignments`] says of the board with these ids.
    pub fn assignments(&self, ids: &[EventId]) -> Assignments {
        let event = |(event, &id): (&Vec<usize>, _)| {
            event.iter().map(move |&index| (self.items[index].history.id, id)).collect::<Vec<_>>()
        };
        self.events.iter().zip(ids).flat_map(event).collect()
    }

    /// The ranked events, given their ids.
    pub fn board(&self, ids: &[EventId]) -> Board {
        let newsrooms = newsrooms(self.window);
        let mut events: Vec<Event> = self
            .events
            .par_iter()
            .zip(ids)
            .map(|(event, &id)| {
                let members = event
                    .iter()
                    .map(|&index| Member { item: &self.items[index], placed: &self.placed[index] });
                named(id, members.collect(), &self.items, &newsrooms, self.at, self.model)
            })
            .collect();
        events.sort_by(|a, b| {
            b.heat
                .total_cmp(&a.heat)
                .then_with(|| b.last_mention().cmp(&a.last_mention()))
                .then_with(|| a.id.cmp(&b.id))
        });
        Board { at: self.at, model: self.model.name.clone(), events }
    }
}

pub(crate) fn newsrooms(window: &Window) -> FxHashMap<NewsroomId, &Newsroom> {
    window.newsrooms.iter().map(|newsroom| (newsroom.id, newsroom)).collect()
}

/// The event of each item, as the next recompute needs it.
#[must_use]
pub fn assignments(board: &Board) -> Assignments {
    board
        .events
        .iter()
        .flat_map(|event| event.items.iter().map(|item| (item.id, event.id)))
        .collect()
}

/// An item as it was known at the board's moment.
pub(crate) struct Present<'w> {
    /// Index into the window, and into the item's texts.
    pub known: (usize, usize),
    history: &'w ItemHistory,
    text: &'w ItemText,
    places: Vec<Place>,
    standing_hours: f64,
}

impl Present<'_> {
    /// (position, length) of the highest place, of the first among equals.
    fn best(&self) -> (u32, u32) {
        let share = |place: &Place| f64::from(place.position - 1) / f64::from(place.length);
        self.places
            .iter()
            .min_by(|a, b| share(a).total_cmp(&share(b)))
            .map_or((1, 1), |place| (place.position, place.length))
    }
}

/// An item with its place in the event.
struct Member<'a> {
    item: &'a Present<'a>,
    placed: &'a Placed,
}

/// What the window holds at `at`, by id, each id once.
pub(crate) fn present<'w>(window: &'w Window, at: UnixSeconds, model: &Model) -> Vec<Present<'w>> {
    let polls: FxHashMap<SourceId, &SourcePolls> =
        window.sources.iter().map(|source| (source.source, source)).collect();
    let from = at.saturating_sub((model.window_hours * SECONDS_PER_HOUR as f64) as i64);
    let mut items: Vec<Present<'w>> = window
        .items
        .par_iter()
        .enumerate()
        .filter(|(_, item)| from < item.mention_at && item.mention_at <= at)
        .filter_map(|(index, history)| {
            let text = history.texts.iter().rposition(|text| text.at <= at)?;
            let known = (index, text);
            let seen: Vec<Sighting> =
                history.sightings.iter().filter_map(|one| clip(one, at, &polls)).collect();
            let first = seen.iter().map(|sighting| sighting.from).min()?;
            let last = seen.iter().map(|sighting| sighting.until).max()?;
            let standing_hours = hours(first, last);
            let (text, places) = (&history.texts[text], places(seen));
            Some(Present { known, history, text, places, standing_hours })
        })
        .collect();
    items.par_sort_by_key(|item| item.history.id);
    items.dedup_by_key(|item| item.history.id);
    items
}

/// The sighting as it was known at `at`; `None` when it lies ahead.
fn clip(
    sighting: &Sighting,
    at: UnixSeconds,
    polls: &FxHashMap<SourceId, &SourcePolls>,
) -> Option<Sighting> {
    if sighting.from > at {
        return None;
    }
    let until = sighting.until.min(at);
    let confirmed = polls.get(&sighting.source).and_then(|source| {
        let until = source.polls.partition_point(|&poll| poll <= until);
        source.polls[..until].last().copied()
    });
    let length = sighting.length.max(sighting.position).max(1);
    Some(Sighting {
        until: confirmed.unwrap_or(until).max(sighting.from),
        position: sighting.position.max(1),
        length,
        ..*sighting
    })
}

/// Places over time; a source's listings in a row that give the same place are one.
fn places(mut seen: Vec<Sighting>) -> Vec<Place> {
    seen.sort_by_key(|sighting| (sighting.from, sighting.source, sighting.position));
    let mut places = Vec::<Place>::new();
    let mut newest = FxHashMap::<SourceId, usize>::default();
    for sighting in seen {
        let Sighting { source, from, until, position, length, .. } = sighting;
        let same = newest
            .get(&source)
            .and_then(|&index| places.get_mut(index))
            .filter(|place| (place.position, place.length) == (position, length));
        match same {
            Some(place) => place.until = place.until.max(until),
            None => {
                newest.insert(source, places.len());
                places.push(Place { source, from, until, position, length });
            }
        }
    }
    places
}

fn named(
    id: EventId,
    mut members: Vec<Member<'_>>,
    items: &[Present<'_>],
    newsrooms: &FxHashMap<NewsroomId, &Newsroom>,
    at: UnixSeconds,
    model: &Model,
) -> Event {
    members.sort_by_key(|member| (member.item.history.mention_at, member.item.history.id));
    let mentions = mentions(&members, newsrooms);
    let standing_hours: Vec<f64> =
        members.iter().map(|member| member.item.standing_hours).collect();
    let spread = Spread { mentions: &mentions, standing_hours: &standing_hours };
    let factors = spread.factors(at, &model.heat);
    let spread_hours = spread.hours();
    let texts = members.iter().map(|member| member.placed.origin).collect::<FxHashSet<_>>().len();
    Event {
        id,
        title: medoid(&members).map_or_else(String::new, |item| item.text.title.clone()),
        language: language(&members),
        owners: owners(&mentions, newsrooms),
        texts: texts as u32,
        spread_hours,
        heat: factors.heat(),
        factors,
        mentions,
        items: members.iter().map(|member| event_item(member, items)).collect(),
    }
}

/// One per newsroom, by its first item; members are in order of mention.
fn mentions(members: &[Member<'_>], newsrooms: &FxHashMap<NewsroomId, &Newsroom>) -> Vec<Mention> {
    // The newsroom that had each text first.
    let mut firsts = FxHashMap::<u32, NewsroomId>::default();
    let mut order = Vec::new();
    let mut by_newsroom = FxHashMap::<NewsroomId, Vec<&Member<'_>>>::default();
    for member in members {
        let newsroom = member.item.history.newsroom;
        firsts.entry(member.placed.origin).or_insert(newsroom);
        let own = by_newsroom.entry(newsroom).or_default();
        if own.is_empty() {
            order.push(newsroom);
        }
        own.push(member);
    }
    order
        .into_iter()
        .filter_map(|newsroom| {
            let own = by_newsroom.get(&newsroom)?;
            let first = own.first()?.item;
            let (best_position, feed_length) =
                own.iter().map(|member| member.item.best()).min_by(|(p, n), (q, m)| {
                    let share =
                        |position: u32, length: u32| f64::from(position - 1) / f64::from(length);
                    share(*p, *n).total_cmp(&share(*q, *m))
                })?;
            Some(Mention {
                newsroom,
                item: first.history.id,
                at: first.history.mention_at,
                weight: weight(newsrooms.get(&newsroom).copied()),
                backfill: first.history.backfill,
                best_position,
                feed_length,
                standing_hours: mean(own.iter().map(|member| member.item.standing_hours)),
                copy: own.iter().all(|member| firsts.get(&member.placed.origin) != Some(&newsroom)),
            })
        })
        .collect()
}

/// 1 for a newsroom that is not known; what is no weight counts as 0.
fn weight(newsroom: Option<&Newsroom>) -> f64 {
    let weight = newsroom.map_or(1.0, |newsroom| newsroom.weight);
    if weight.is_finite() { weight.max(0.0) } else { 0.0 }
}

/// A newsroom of unknown owner is its own.
fn owners(mentions: &[Mention], newsrooms: &FxHashMap<NewsroomId, &Newsroom>) -> u32 {
    mentions
        .iter()
        .map(|mention| {
            let owner = newsrooms.get(&mention.newsroom).and_then(|known| known.owner.as_deref());
            owner.ok_or(mention.newsroom)
        })
        .collect::<FxHashSet<Result<&str, NewsroomId>>>()
        .len() as u32
}

/// The item most like all the others; the earliest among equals.
fn medoid<'a>(members: &[Member<'a>]) -> Option<&'a Present<'a>> {
    members
        .iter()
        .rev()
        .max_by(|a, b| a.placed.likeness.total_cmp(&b.placed.likeness))
        .map(|member| member.item)
}

/// That of most items; of the earliest among equals.
fn language(members: &[Member<'_>]) -> String {
    let mut counts = FxHashMap::<&str, u32>::default();
    for member in members {
        *counts.entry(&member.item.history.language).or_default() += 1;
    }
    members
        .iter()
        .rev()
        .map(|member| member.item.history.language.as_str())
        .max_by_key(|language| counts.get(language))
        .map_or_else(String::new, str::to_owned)
}

fn event_item(member: &Member<'_>, items: &[Present<'_>]) -> EventItem {
    let Present { history, text, places, .. } = member.item;
    EventItem {
        id: history.id,
        newsroom: history.newsroom,
        title: text.title.clone(),
        lede: text.lede.clone(),
        link: history.link.clone(),
        language: history.language.clone(),
        mention_at: history.mention_at,
        origin: member.placed.origin,
        copy: member.placed.copy,
        places: places.clone(),
        tie: member.placed.tie.as_ref().map(|link| Tie {
            to: items[link.to as usize].history.id,
            similarity: link.similarity,
            shared: link
                .shared
                .iter()
                .map(|(word, weight)| SharedWord { word: word.clone(), weight: *weight })
                .collect(),
        }),
    }
}
