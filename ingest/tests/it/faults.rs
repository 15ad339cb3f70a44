//! A day in which everything goes wrong; `cargo xtask faults` lives through more of them.

use crate::fault_harness::{self, Outcome};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bad_day_loses_nothing_doubles_nothing_and_asks_nobody_who_forbids() {
    let dir = std::env::temp_dir().join(format!("ohlas-bad-day-{}", std::process::id()));
    let outcome = fault_harness::run(7, 1, &dir).await;
    std::fs::remove_dir_all(&dir).ok();
    let outcome: Outcome = outcome.unwrap();
    assert!(outcome.is_clean(), "{outcome:#?}");
    assert!(outcome.owed > 500 && outcome.recorded >= outcome.owed, "{outcome:#?}");
    assert!(outcome.faults.values().sum::<u64>() > 300, "{outcome:#?}");
    for kind in demo::Fault::ALL.map(demo::Fault::name).into_iter().chain(["worker killed"]) {
        assert!(outcome.faults.contains_key(kind), "no {kind}: {outcome:#?}");
    }
}
