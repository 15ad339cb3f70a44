//! Bad input at the command line: a clear line that says what to do, and an end.

use std::io::Write;
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;

use ingest::source::Catalogue;

/// Runs `ohlas` with a database that nobody serves; returns what it said at its end.
fn fails(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_ohlas"))
        .args(arguments)
        .env("DATABASE_URL", "postgres://nobody@127.0.0.1:1/nothing")
        .output()
        .unwrap();
    assert!(!output.status.success(), "{arguments:?} succeeded");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn a_broken_sources_file_is_named_with_line_and_reason() {
    let path = std::env::temp_dir().join(format!("ohlas-broken-{}.toml", std::process::id()));
    let mut file = std::fs::File::create(&path).unwrap();
    write!(file, "[[newsroom]]\nslug = \"a\"\nname = \"A\"\nweight = 2.0\n").unwrap();
    let said = fails(&["serve", "--sources", path.to_str().unwrap()]);
    std::fs::remove_file(&path).unwrap();
    assert!(said.contains(".toml:4: "), "{said}");
    assert!(said.contains("weight_reason"), "{said}");
}

#[test]
fn a_taken_port_is_named_with_the_way_out() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let said = fails(&["web", "--listen", &address]);
    assert!(said.contains(&address) && said.contains("--listen"), "{said}");
}

#[test]
fn an_unreachable_database_is_named_without_its_password() {
    let output = Command::new(env!("CARGO_BIN_EXE_ohlas"))
        .args(["web", "--listen", "127.0.0.1:0"])
        .env("DATABASE_URL", "postgres://somebody:secret@127.0.0.1:1/nothing")
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success());
    assert!(said.contains("127.0.0.1:1/nothing") && said.contains("DATABASE_URL"), "{said}");
    assert!(!said.contains("secret"), "{said}");
}

#[test]
fn an_unknown_model_is_answered_with_those_that_are_known() {
    let said = fails(&["recompute", "--model", "v9", "--from", "2026-08-14T00:00:00Z"]);
    assert!(said.contains("v9") && said.contains("known: v1, v2"), "{said}");
}

#[test]
fn the_projects_own_sources_are_valid() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sources.toml");
    let catalogue = Catalogue::read(&path).unwrap();
    for (country, at_least) in [("CZ", 60), ("SK", 25)] {
        let newsrooms = catalogue.newsrooms.iter().filter(|newsroom| newsroom.country == country);
        let sources: usize = newsrooms.map(|newsroom| newsroom.sources.len()).sum();
        assert!(sources >= at_least, "{sources} sources of {country}");
    }
    assert!(catalogue.newsrooms.len() > 140);
}
