//! Which event is which from one recompute to the next.

use std::cmp::Reverse;

use model::{EventId, ItemId};
use rustc_hash::FxHashMap;

use crate::Assignments;

/// The id of each event, given by its items: the smallest of the ids in which its items stood, or of
/// the items themselves where they are new. Late items therefore never change it. An id goes with the
/// item that it names: where that item stands in another event now, those that it left lose the id.
///
/// Where an event was split, the part that holds the item of that very id keeps it, else the part
/// with the oldest item; every other part takes the id of its oldest item that is still free.
pub(crate) fn event_ids(events: &[Vec<ItemId>], previous: &Assignments) -> Vec<EventId> {
    let places: FxHashMap<ItemId, usize> = (0..)
        .zip(events)
        .flat_map(|(event, items)| items.iter().map(move |&item| (item, event)))
        .collect();
    let claim = |event: usize| {
        let stands_elsewhere =
            |id: &EventId| places.get(&ItemId(id.0)).is_some_and(|&place| place != event);
        let stood = |item: &ItemId| previous.get(item).copied().filter(|id| !stands_elsewhere(id));
        events[event].iter().map(|item| stood(item).unwrap_or(EventId(item.0))).min()
    };
    let oldest = |event: usize| events[event].iter().min().copied().unwrap_or_default();
    let holds = |event: usize, id: EventId| places.get(&ItemId(id.0)) == Some(&event);
    let claims: Vec<EventId> =
        (0..events.len()).map(|event| claim(event).unwrap_or_default()).collect();
    // The last in this order goes first.
    let mut waiting: Vec<usize> = (0..events.len()).collect();
    waiting.sort_by_key(|&event| {
        (Reverse(claims[event]), holds(event, claims[event]), Reverse(oldest(event)))
    });
    let mut ids = claims.clone();
    let mut holders = FxHashMap::<EventId, usize>::default();
    let mut parts = Vec::new();
    while let Some(event) = waiting.pop() {
        if *holders.entry(claims[event]).or_insert(event) != event {
            parts.push(event);
        }
    }
    parts.sort_by_key(|&event| Reverse(oldest(event)));
    while let Some(part) = parts.pop() {
        let mut items = events[part].clone();
        items.sort_unstable();
        let free = items.iter().find(|item| !holders.contains_key(&EventId(item.0)));
        // An id in use elsewhere although its item stands here: the item's own event comes first.
        let id = EventId(free.copied().unwrap_or(oldest(part)).0);
        ids[part] = id;
        if let Some(other) = holders.insert(id, part) {
            parts.push(other);
        }
    }
    ids
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(previous: &[(i64, i64)], events: &[&[i64]], expected: &[i64]) {
        let previous = previous.iter().map(|&(item, event)| (ItemId(item), EventId(event)));
        let events: Vec<Vec<ItemId>> =
            events.iter().map(|items| items.iter().copied().map(ItemId).collect()).collect();
        let ids: Vec<i64> =
            event_ids(&events, &previous.collect()).into_iter().map(|id| id.0).collect();
        assert_eq!(ids, expected, "{events:?}");
    }

    #[test]
    fn an_event_is_named_by_its_earliest_recorded_item() {
        check(&[], &[&[7, 3, 9], &[4]], &[3, 4]);
        // A late item that happens to have been mentioned earlier changes nothing.
        check(&[(3, 3), (7, 3)], &[&[9, 7, 3]], &[3]);
        // The item that gave the name has left the window.
        check(&[(7, 3), (9, 3)], &[&[7, 9, 12]], &[3]);
    }

    #[test]
    fn merged_events_take_the_older_id_and_split_ones_keep_it_with_its_item() {
        check(&[(3, 3), (4, 4), (5, 4)], &[&[3, 4, 5]], &[3]);
        check(&[(3, 3), (4, 3), (5, 3)], &[&[4, 5], &[3]], &[4, 3]);
        check(&[(4, 3), (5, 3), (6, 3)], &[&[5, 6], &[4]], &[5, 3]);
    }

    #[test]
    fn an_id_goes_with_the_item_that_it_names() {
        // Item 5 went over to event 3: what it left must not go on under its name.
        check(&[(3, 3), (5, 5), (8, 5), (9, 5)], &[&[3, 5], &[8, 9]], &[3, 8]);
    }
}
