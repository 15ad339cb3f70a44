//! Which event is which from one recompute to the next.

use std::cmp::Reverse;

use model::{EventId, ItemId};
use rustc_hash::FxHashMap;

use crate::Assignments;

/// The id of each event, given by its items: the smallest of the ids in which its items stood, or of
/// the items themselves where they are new. Late items therefore never change it.
///
/// Where an event was split, the part that holds the item of that very id keeps it, else the part
/// with the oldest item; every other part takes the id of its oldest item that is still free.
pub(crate) fn event_ids(events: &[Vec<ItemId>], previous: &Assignments) -> Vec<EventId> {
    let claim = |items: &[ItemId]| {
        items.iter().map(|item| previous.get(item).copied().unwrap_or(EventId(item.0))).min()
    };
    let oldest = |event: usize| events[event].iter().min().copied().unwrap_or_default();
    let holds = |event: usize, id: EventId| events[event].contains(&ItemId(id.0));
    let claims: Vec<EventId> =
        events.iter().map(|items| claim(items).unwrap_or_default()).collect();
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
