//! Every case of `tests/data` through gate, fetch and parse. Alone in its binary, since cases that limit
//! memory measure that of the process.

#[path = "../examples/conformance/suite/mod.rs"]
mod suite;

#[tokio::test(flavor = "multi_thread")]
async fn every_case_holds() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let report = suite::run(&folder).await.unwrap();
    for (kind, tally) in &report {
        println!("{kind}: {} of {}", tally.passed, tally.total);
        assert!(tally.failed.is_empty(), "{kind}:\n{}", tally.reasons.join("\n"));
    }
    let found: Vec<(&str, usize)> =
        report.iter().map(|(kind, tally)| (*kind, tally.total)).collect();
    assert_eq!(found, [("access", 29), ("dates", 171), ("feedcases", 93), ("robots", 575)]);
}
