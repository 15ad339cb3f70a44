//! Two models' orders of the same events.

use model::{Board, Event, EventId, ModelComparison, Mover};
use rustc_hash::FxHashMap;

/// As many events that changed their rank most are named.
const MOVERS: usize = 10;

/// Compares the orders of the events that both boards hold and that are hot on one of them.
///
/// Rank correlation is Kendall's τ, M. Kendall, *A new measure of rank correlation* (1938).
#[must_use]
pub fn compare(a: &Board, b: &Board) -> ModelComparison {
    let in_b: FxHashMap<EventId, (usize, &Event)> =
        b.events.iter().enumerate().map(|(rank, event)| (event.id, (rank, event))).collect();
    // Events in a's order, with their places in b's.
    let common: Vec<(&Event, usize)> = a
        .events
        .iter()
        .filter_map(|event| {
            let &(place, other) = in_b.get(&event.id)?;
            (event.heat > 0.0 || other.heat > 0.0).then_some((event, place))
        })
        .collect();
    let mut places: Vec<usize> = common.iter().map(|&(_, place)| place).collect();
    places.sort_unstable();
    let ranks: Vec<u32> = common
        .iter()
        .map(|(_, place)| places.partition_point(|other| other < place) as u32)
        .collect();
    let mut movers: Vec<Mover> = common
        .iter()
        .zip(&ranks)
        .enumerate()
        .filter(|(rank_a, (_, rank_b))| *rank_a as u32 != **rank_b)
        .map(|(rank_a, ((event, _), &rank_b))| Mover {
            event: event.id,
            title: event.title.clone(),
            rank_a: rank_a as u32 + 1,
            rank_b: rank_b + 1,
        })
        .collect();
    movers.sort_by_key(|mover| (u32::MAX - mover.rank_a.abs_diff(mover.rank_b), mover.rank_a));
    movers.truncate(MOVERS);
    ModelComparison {
        a: a.model.clone(),
        b: b.model.clone(),
        events: common.len() as u32,
        tau: kendall(ranks),
        movers,
    }
}

/// (concordant − discordant) / all pairs; 1 where there is no pair to disagree about.
fn kendall(mut ranks: Vec<u32>) -> f64 {
    let count = ranks.len() as f64;
    let pairs = count * (count - 1.0) / 2.0;
    let discordant = sort_counting(&mut ranks) as f64;
    if pairs > 0.0 { 1.0 - 2.0 * discordant / pairs } else { 1.0 }
}

/// Merge sort; the number of pairs that stood in the wrong order.
fn sort_counting(ranks: &mut [u32]) -> u64 {
    if ranks.len() < 2 {
        return 0;
    }
    let (left, right) = ranks.split_at_mut(ranks.len() / 2);
    let mut wrong = sort_counting(left) + sort_counting(right);
    let mut merged = Vec::with_capacity(left.len() + right.len());
    let (mut i, mut j) = (0, 0);
    while i < left.len() || j < right.len() {
        let take_right = i == left.len() || (j < right.len() && right[j] < left[i]);
        if take_right {
            wrong += (left.len() - i) as u64;
            merged.push(right[j]);
            j += 1;
        } else {
            merged.push(left[i]);
            i += 1;
        }
    }
    ranks.copy_from_slice(&merged);
    wrong
}
