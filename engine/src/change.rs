//! What changed in the events from one board to the next.

use std::collections::BTreeMap;

use model::{Board, Change, ChangeKind, Event, EventId, ItemId, ItemTie};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Assignments;

/// Merges, splits and moves since `previous`, by event; items that are new or gone change nothing.
///
/// An event whose id is gone was merged into the one that holds the item of that id, else most of
/// its items. Of an event that goes on, items in a new event were split off, items in an event that
/// was there before moved.
#[must_use]
pub fn changes(previous: &Assignments, next: &Board) -> Vec<Change> {
    let before: FxHashSet<EventId> = previous.values().copied().collect();
    let now: FxHashMap<EventId, &Event> =
        next.events.iter().map(|event| (event.id, event)).collect();
    // Items by the event they left and the event they stand in.
    let mut left = BTreeMap::<(EventId, EventId), Vec<ItemId>>::new();
    for event in &next.events {
        for item in &event.items {
            if let Some(&from) = previous.get(&item.id)
                && from != event.id
            {
                left.entry((from, event.id)).or_default().push(item.id);
            }
        }
    }
    let mut heirs = BTreeMap::<EventId, ((bool, usize), EventId)>::new();
    for (&(from, to), items) in &left {
        let right = (items.contains(&ItemId(from.0)), items.len());
        let heir = heirs.entry(from).or_insert((right, to));
        if right > heir.0 {
            *heir = (right, to);
        }
    }
    let mut changes = Vec::new();
    for (&(from, to), items) in &left {
        let tie = |item: Option<ItemId>| tie(now.get(&to).copied(), from, item, previous);
        let mut push = |event, kind| changes.push(Change { at: next.at, event, kind });
        if !now.contains_key(&from) && heirs.get(&from).is_some_and(|&(_, heir)| heir == to) {
            push(to, ChangeKind::Merged { from, tie: tie(None) });
        } else if now.contains_key(&from) && !before.contains(&to) {
            push(from, ChangeKind::Split { to, items: items.clone() });
        } else {
            for &item in items {
                push(to, ChangeKind::Moved { item, from, tie: tie(Some(item)) });
            }
        }
    }
    changes.sort_by_key(|change| change.event);
    changes
}

/// The strongest tie between an item that came from `from` (`only`, where one is given) and one
/// that did not.
fn tie(
    event: Option<&Event>,
    from: EventId,
    only: Option<ItemId>,
    previous: &Assignments,
) -> Option<ItemTie> {
    let came =
        |item: ItemId| only.map_or_else(|| previous.get(&item) == Some(&from), |only| only == item);
    event?
        .items
        .iter()
        .filter_map(|item| Some((item.id, item.tie.as_ref()?)))
        .filter(|(item, tie)| came(*item) != came(tie.to))
        .min_by(|(a, x), (b, y)| y.similarity.total_cmp(&x.similarity).then(a.cmp(b)))
        .map(|(item, tie)| ItemTie { item, tie: tie.clone() })
}
