//! Every test there is: cargo's against a real PostgreSQL, then the browser against the real
//! binary. A failure in the first does not spare the second.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, bail};

use crate::shell::{Workspace, cannot_run, step};
use crate::{Profile, SERVER_SIDE, database, server, setup, site};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    passed: u32,
    failed: u32,
}

/// The last line printed is the sum of all runners' counts.
pub fn all(workspace: &Workspace) -> Result<ExitCode> {
    setup::wasm_target()?;
    setup::redis()?;
    let chromium = setup::browser_tests(workspace)?;
    let optimiser = setup::optimiser(workspace);
    let postgres = database::disposable(workspace)?;

    let mut tally = Tally::default();
    let mut all_good = true;
    let mut runner = |name: &str, command: &mut Command| -> Result<()> {
        all_good &= step(name, || watch(command, &mut tally))?;
        Ok(())
    };

    let mut cargo = workspace.cargo();
    cargo.args(["test", "--no-fail-fast"]).args(SERVER_SIDE).env("DATABASE_URL", postgres.url());
    runner("tests of the server side", &mut cargo)?;
    let mut cargo = workspace.cargo();
    cargo.args(["test", "--package", "xtask"]);
    runner("tests of xtask", &mut cargo)?;

    // What they drive: compiled by the tests above, all but linked.
    server(workspace, Profile::Dev)?;
    site::build(workspace, optimiser.as_deref())?;
    database::execute(&postgres.url(), "create database end2end")?;
    let mut node = Command::new("node");
    node.args(["--test", "--test-reporter=spec"])
        .args(end_to_end_tests(&workspace.root.join("end2end"))?)
        .current_dir(&workspace.root)
        .env("DATABASE_URL", postgres.url_of("end2end"))
        .env("OHLAS_BIN", workspace.target.join("debug/ohlas"))
        .env("OHLAS_SITE", workspace.dist())
        .env("CHROMIUM", chromium)
        .env("NO_COLOR", "1");
    runner("tests in the browser", &mut node)?;

    println!("{} passed, {} failed", tally.passed, tally.failed);
    Ok(if all_good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Runs a test runner, passes its output on and adds up its counts. Whether it succeeded.
fn watch(command: &mut Command, tally: &mut Tally) -> Result<bool> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| cannot_run(command))?;
    let output = child.stdout.take().context("a runner without output")?;
    for line in BufReader::new(output).split(b'\n') {
        let line = line.context("cannot read the runner's output")?;
        let line = String::from_utf8_lossy(&line);
        println!("{line}");
        tally.add(&line);
    }
    Ok(child.wait().with_context(|| cannot_run(command))?.success())
}

impl Tally {
    /// Reads the summary lines of libtest ("test result: ok. 5 passed; 0 failed; …") and of Node's
    /// runner ("ℹ pass 5"); all others count nothing.
    fn add(&mut self, line: &str) {
        if let Some(result) = line.strip_prefix("test result: ") {
            let counts = result.split_once(". ").map_or("", |(_, counts)| counts);
            for count in counts.split("; ") {
                match count.split_once(' ') {
                    Some((number, "passed")) => self.passed += number.parse().unwrap_or(0),
                    Some((number, "failed")) => self.failed += number.parse().unwrap_or(0),
                    _ => {}
                }
            }
        } else if let Some((name, number)) =
            line.strip_prefix("ℹ ").and_then(|line| line.split_once(' '))
        {
            match name {
                "pass" => self.passed += number.parse().unwrap_or(0),
                "fail" | "cancelled" => self.failed += number.parse().unwrap_or(0),
                _ => {}
            }
        }
    }
}

/// Named one by one: what a directory means to `node --test` differs between its versions.
fn end_to_end_tests(dir: &Path) -> Result<Vec<PathBuf>> {
    let mut tests = Vec::new();
    for entry in fs::read_dir(dir).with_context(|| dir.display().to_string())? {
        let path = entry?.path();
        if path.to_string_lossy().ends_with(".test.mjs") {
            tests.push(path);
        }
    }
    if tests.is_empty() {
        bail!("{}: there is no *.test.mjs", dir.display());
    }
    tests.sort();
    Ok(tests)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_summary_lines_count() {
        for (line, passed, failed) in [
            ("test result: ok. 5 passed; 0 failed; 1 ignored; 0 measured; finished in 0.1s", 5, 0),
            ("test result: FAILED. 2 passed; 3 failed; 0 ignored; 0 measured", 2, 3),
            ("ℹ pass 7", 7, 0),
            ("ℹ fail 2", 0, 2),
            ("ℹ cancelled 1", 0, 1),
            ("ℹ tests 10", 0, 0),
            ("ℹ duration_ms 12.5", 0, 0),
            ("test engine::heat ... ok", 0, 0),
            ("", 0, 0),
        ] {
            let mut tally = Tally::default();
            tally.add(line);
            assert_eq!(tally, Tally { passed, failed }, "{line}");
        }
    }
}
