//! Ninety days of collecting: a strip for the eye and a table for everything else.

use leptos::prelude::*;
use model::{Day, UnixSeconds};

use crate::context::Visit;

const DAY_SECONDS: i64 = 86_400;
const DAYS: i64 = 90;
/// Trouble with up to a tenth of a day's requests leaves the day a good one.
const TENTH: u32 = 10;

/// What a day's mark says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Refused,
    Failed,
    Mixed,
    Answered,
}

impl Mark {
    fn of(day: &Day) -> Option<Self> {
        let trouble = day.failed + day.refused;
        match (day.answered, day.failed, trouble) {
            (0, _, 0) => None,
            (0, 0, _) => Some(Self::Refused),
            (0, _, _) => Some(Self::Failed),
            (answered, _, trouble) if trouble * TENTH > answered + trouble => Some(Self::Mixed),
            _ => Some(Self::Answered),
        }
    }

    /// Class, and height out of ten: the strip is readable without colours.
    fn look(self) -> (&'static str, i64) {
        match self {
            Self::Refused => ("refused", 4),
            Self::Failed => ("failed", 3),
            Self::Mixed => ("mixed", 7),
            Self::Answered => ("answered", 10),
        }
    }
}

/// One bar per day, the newest at the right; days without any request are gaps.
pub(crate) fn day_strip(v: &Visit, days: &[Day], now: UnixSeconds) -> AnyView {
    let today = now.div_euclid(DAY_SECONDS);
    let paths = [Mark::Answered, Mark::Mixed, Mark::Failed, Mark::Refused].map(|mark| {
        let (class, height) = mark.look();
        let mut path = String::new();
        for day in days.iter().filter(|day| Mark::of(day) == Some(mark)) {
            let x = DAYS - 1 - (today - day.at.div_euclid(DAY_SECONDS));
            if (0..DAYS).contains(&x) {
                path.push_str(&format!("M{} {}h3v{height}h-3z", x * 4, 10 - height));
            }
        }
        (!path.is_empty()).then(|| view! { <path class=class d=path></path> })
    });
    let count = |mark| days.iter().filter(|day| Mark::of(day) == Some(mark)).count() as u32;
    let label = (v.t.strip_label)(
        days.len() as u32,
        count(Mark::Answered),
        count(Mark::Mixed),
        count(Mark::Failed),
        count(Mark::Refused),
    );
    view! {
        <svg class="strip" role="img" viewBox="0 0 359 10" aria-label=label preserveAspectRatio="none">
            {paths.into_iter().collect_view()}
        </svg>
    }
    .into_any()
}

/// The same days in numbers, newest first.
pub(crate) fn day_table(v: &Visit, days: &[Day]) -> AnyView {
    let (t, l) = (v.t, v.locale);
    let rows = days.iter().rev().map(|day| {
        view! {
            <tr>
                <th scope="row">{l.date(day.at)}</th>
                <td>{l.integer(day.answered.into())}</td>
                <td>{l.integer(day.unchanged.into())}</td>
                <td>{l.integer(day.failed.into())}</td>
                <td>{l.integer(day.refused.into())}</td>
                <td>{l.integer(day.new_items.into())}</td>
            </tr>
        }
    });
    view! {
        <div class="scroll" role="group" tabindex="0" aria-label=t.days_table>
            <table class="numbers">
                <thead>
                    <tr>
                        <th scope="col">{t.day_utc}</th>
                        <th scope="col">{t.answered}</th>
                        <th scope="col">{t.of_which_unchanged}</th>
                        <th scope="col">{t.failed}</th>
                        <th scope="col">{t.refused}</th>
                        <th scope="col">{t.new_items}</th>
                    </tr>
                </thead>
                <tbody>{rows.collect_view()}</tbody>
            </table>
        </div>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_marked_by_what_prevailed() {
        let day = |answered, failed, refused| Day { answered, failed, refused, ..Day::default() };
        for (day, mark) in [
            (day(0, 0, 0), None),
            (day(0, 0, 3), Some("refused")),
            (day(0, 1, 3), Some("failed")),
            (day(9, 1, 0), Some("answered")),
            (day(8, 1, 0), Some("mixed")),
        ] {
            assert_eq!(Mark::of(&day).map(|mark| mark.look().0), mark);
        }
    }
}
