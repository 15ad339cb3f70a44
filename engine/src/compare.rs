//! Two models' orders of the same events.

use std::cmp::Reverse;

use model::{Board, Event, EventId, Factor, Factors, ModelComparison, Mover, Standing};
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
    let common: Vec<(&Event, &Event, usize)> = a
        .events
        .iter()
        .filter_map(|event| {
            let &(place, other) = in_b.get(&event.id)?;
            (event.heat > 0.0 || other.heat > 0.0).then_some((event, other, place))
        })
        .collect();
    let mut places: Vec<usize> = common.iter().map(|&(_, _, place)| place).collect();
    places.sort_unstable();
    let ranks: Vec<u32> = common
        .iter()
        .map(|(_, _, place)| places.partition_point(|other| other < place) as u32)
        .collect();
    let mut movers: Vec<Mover> = (0..)
        .zip(&ranks)
        .zip(&common)
        .filter(|((rank_a, rank_b), _)| rank_a != *rank_b)
        .map(|((rank_a, &rank_b), (in_a, in_b, _))| Mover {
            event: in_a.id,
            title: in_a.title.clone(),
            language: in_a.language.clone(),
            a: standing(in_a, rank_a),
            b: standing(in_b, rank_b),
            factor: most_different(&in_a.factors, &in_b.factors),
        })
        .collect();
    movers.sort_by_key(|mover| (Reverse(mover.a.rank.abs_diff(mover.b.rank)), mover.a.rank));
    movers.truncate(MOVERS);
    ModelComparison {
        a: a.model.clone(),
        b: b.model.clone(),
        at: a.at,
        events: common.len() as u32,
        tau: kendall(ranks),
        movers,
    }
}

fn standing(event: &Event, rank: u32) -> Standing {
    Standing { rank: rank + 1, heat: event.heat, factors: event.factors }
}

/// The factor with the largest ratio between the two.
fn most_different(a: &Factors, b: &Factors) -> Option<Factor> {
    let ratio = |factor: &Factor| (factor.of(a) / factor.of(b)).ln().abs();
    Factor::ALL
        .into_iter()
        .filter(|factor| factor.of(a) != factor.of(b))
        .max_by(|one, other| ratio(one).total_cmp(&ratio(other)))
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
