use model::{Day, Outcome, Verdict, VerdictChange};
use sqlx::PgPool;
use store::{FetchRow, NextState};

use crate::setup::{AUGUST, DAY, HOUR, check, confirm, fetch, list, next, store};

#[sqlx::test(migrations = "../migrations")]
async fn a_source_reports_what_was_recorded_up_to_the_moment(pool: PgPool) {
    let (store, sources) = store(pool).await;
    let source = &sources[0];
    let (first, _) = list(&store, source, AUGUST + HOUR, &["a", "b"]).await;
    confirm(&store, source, AUGUST + 2 * HOUR, first).await;
    // Identical bytes: unchanged, but nothing was saved.
    let mut append = store.append(source, AUGUST + 3 * HOUR).await.unwrap();
    let identical = FetchRow { same_as: Some(first), ..fetch(source, Outcome::Unchanged) };
    append.fetch(&identical).await.unwrap();
    append.commit(&next(AUGUST)).await.unwrap();
    confirm(&store, source, AUGUST + DAY, first).await;
    let mut append = store.append(source, AUGUST + DAY + HOUR).await.unwrap();
    append.check(&check(source, AUGUST + DAY + HOUR, Verdict::Disallowed)).await.unwrap();
    append.commit(&next(AUGUST)).await.unwrap();
    let mut append = store.append(source, AUGUST + DAY + 2 * HOUR).await.unwrap();
    let failed = FetchRow {
        status: None,
        sha256: None,
        bytes: 0,
        error: Some("No answer.".to_owned()),
        ..fetch(source, Outcome::Failed)
    };
    append.fetch(&failed).await.unwrap();
    let stopped = NextState {
        stopped: Some("410 Gone".to_owned()),
        moved_to: Some("https://x.example/".to_owned()),
        ..next(AUGUST)
    };
    append.commit(&stopped).await.unwrap();

    let report = async |at| store.source_reports(at).await.unwrap().remove(0);
    let august_1 = Day { at: AUGUST, answered: 3, unchanged: 2, new_items: 2, ..Day::default() };
    let now = report(AUGUST + 2 * DAY).await;
    assert_eq!(now.source, *source);
    assert_eq!(now.check.as_ref().map(|check| check.verdict), Some(Verdict::Disallowed));
    let verdicts: Vec<_> =
        now.verdict_changes.iter().map(|change| (change.before, change.check.verdict)).collect();
    assert_eq!(verdicts, [(Some(Verdict::Allowed), Verdict::Disallowed), (None, Verdict::Allowed)]);
    let outcomes: Vec<_> = now.fetches.iter().map(|fetch| fetch.outcome).collect();
    assert_eq!(
        outcomes,
        [
            Outcome::Failed,
            Outcome::Unchanged,
            Outcome::Unchanged,
            Outcome::Unchanged,
            Outcome::Listed
        ]
    );
    assert_eq!(now.fetches[0].error.as_deref(), Some("No answer."));
    assert_eq!((now.fetches[0].status, now.fetches[1].status), (None, Some(304)));
    assert_eq!((now.next_check_at, now.stopped.as_deref()), (None, Some("410 Gone")));
    assert_eq!(now.moved_to.as_deref(), Some("https://x.example/"));
    assert_eq!((now.items, now.bytes_saved), (2, 40_000));
    let august_2 =
        Day { at: AUGUST + DAY, answered: 1, unchanged: 1, failed: 1, refused: 1, new_items: 0 };
    assert_eq!(now.days, [august_1, august_2]);

    // The same day from the two places that it may be counted from.
    let then = report(AUGUST + 4 * HOUR).await;
    assert_eq!(then.days, [august_1]);
    assert_eq!((then.fetches.len(), then.items, then.bytes_saved), (3, 2, 20_000));
    assert_eq!(then.check.map(|check| check.verdict), Some(Verdict::Allowed));

    let before = report(AUGUST).await;
    assert_eq!((before.check, before.fetches.len(), before.items), (None, 0, 0));
    assert_eq!(before.days, []);
}

#[sqlx::test(migrations = "../migrations")]
async fn a_verdict_is_held_against_the_one_before_of_the_same_address(pool: PgPool) {
    let (store, sources) = store(pool).await;
    use Verdict::{Allowed, Disallowed};
    for (hours, url, verdict) in [
        (1, "https://a.example/", Allowed),
        (1, "https://b.example/", Disallowed),
        (2, "https://a.example/", Allowed),
        (2, "https://b.example/", Disallowed),
        (3, "https://a.example/", Disallowed),
    ] {
        let mut append = store.append(&sources[0], AUGUST + hours * HOUR).await.unwrap();
        let check = model::GateCheck {
            url: url.to_owned(),
            ..check(&sources[0], AUGUST + hours * HOUR, verdict)
        };
        append.check(&check).await.unwrap();
        append.commit(&next(AUGUST)).await.unwrap();
    }
    let changes = store.verdict_changes(AUGUST + DAY).await.unwrap();
    let changes: Vec<_> = changes
        .iter()
        .map(|VerdictChange { before, check }| {
            ((check.at - AUGUST) / HOUR, check.url.as_str(), *before, check.verdict)
        })
        .collect();
    assert_eq!(
        changes,
        [
            (3, "https://a.example/", Some(Allowed), Disallowed),
            (1, "https://b.example/", None, Disallowed),
            (1, "https://a.example/", None, Allowed),
        ]
    );
}

#[sqlx::test(migrations = "../migrations")]
async fn a_verdict_that_held_longer_than_ninety_days_is_not_new(pool: PgPool) {
    let (store, sources) = store(pool).await;
    use Verdict::{Allowed, Disallowed, Reserved};
    for (source, days, verdict) in [
        (0, 0, Allowed),
        (0, 100, Allowed),
        (1, 0, Allowed),
        (1, 100, Disallowed),
        (2, 100, Reserved),
    ] {
        let at = AUGUST + days * DAY;
        let mut append = store.append(&sources[source], at).await.unwrap();
        append.check(&check(&sources[source], at, verdict)).await.unwrap();
        append.commit(&next(at)).await.unwrap();
    }
    let changes = store.verdict_changes(AUGUST + 100 * DAY).await.unwrap();
    let changes: Vec<_> = changes
        .iter()
        .map(|change| (change.check.source, change.before, change.check.verdict))
        .collect();
    assert_eq!(
        changes,
        [(sources[2].id, None, Reserved), (sources[1].id, Some(Allowed), Disallowed)]
    );
}

#[sqlx::test(migrations = "../migrations")]
async fn old_days_are_summed_and_not_listed(pool: PgPool) {
    let (store, sources) = store(pool).await;
    store.ensure_partitions(AUGUST, AUGUST + 100 * DAY).await.unwrap();
    let (first, _) = list(&store, &sources[0], AUGUST, &["a", "b"]).await;
    for day in [9, 10, 11, 99] {
        confirm(&store, &sources[0], AUGUST + day * DAY, first).await;
    }
    let report = store.source_reports(AUGUST + 99 * DAY).await.unwrap().remove(0);
    let days: Vec<_> = report.days.iter().map(|day| (day.at - AUGUST) / DAY).collect();
    assert_eq!(days, [10, 11, 99]);
    assert_eq!((report.items, report.bytes_saved), (2, 80_000));
}

#[sqlx::test(migrations = "../migrations")]
async fn stats_count_history_up_to_the_moment(pool: PgPool) {
    let (store, sources) = store(pool).await;
    let empty = store.stats(AUGUST + HOUR).await.unwrap();
    assert_eq!((empty.newsrooms, empty.sources, empty.items), (2, 3, 0));
    assert_eq!((empty.last_fetch_at, empty.chain_head, empty.chain_length), (None, None, 0));
    assert_eq!((empty.overdue_sources, empty.lag_seconds), (3, HOUR));

    let (first, _) = list(&store, &sources[0], AUGUST + HOUR, &["a", "b"]).await;
    list(&store, &sources[2], AUGUST + HOUR, &["a"]).await;
    confirm(&store, &sources[0], AUGUST + 2 * HOUR, first).await;
    let mut append = store.append(&sources[1], AUGUST + 3 * HOUR).await.unwrap();
    append.fetch(&fetch(&sources[1], Outcome::Failed)).await.unwrap();
    append.commit(&next(AUGUST + DAY)).await.unwrap();

    let stats = store.stats(AUGUST + 4 * HOUR).await.unwrap();
    assert_eq!((stats.items, stats.observations), (3, 3));
    assert_eq!((stats.fetches, stats.gate_checks), (4, 2));
    assert_eq!(stats.last_fetch_at, Some(AUGUST + 2 * HOUR));
    assert_eq!(stats.chain_length, 4);
    assert_eq!(stats.chain_head, store.head().await.unwrap().map(|head| head.hash));
    let day = Day { at: AUGUST, answered: 3, unchanged: 1, failed: 1, refused: 0, new_items: 3 };
    assert_eq!(stats.days, [day]);
    // Due 5 minutes after their last answers; the third only on the next day.
    assert_eq!((stats.overdue_sources, stats.lag_seconds), (2, 3 * HOUR - 300));

    let then = store.stats(AUGUST + HOUR).await.unwrap();
    assert_eq!((then.items, then.fetches, then.chain_length), (3, 2, 2));
    assert_eq!(then.days[0].answered, 2);
}
