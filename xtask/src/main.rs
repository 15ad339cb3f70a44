//! `cargo xtask …`: the whole way from a fresh clone to a running, tested Ohlas.
//! Beside rustup it needs nothing beforehand; what is missing it installs, or says how to.

mod bench;
mod database;
mod queries;
mod runners;
mod setup;
mod shell;
mod site;

use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

use crate::shell::{Workspace, run, step};

const USAGE: &str = "\
Usage: cargo xtask <command> [arguments]

  demo [..]        build, then show the board of invented newsrooms (`ohlas demo ..`)
  run [..]         build optimised, then collect from sources.toml (`ohlas serve ..`)
  test             every test: unit, database, browser
  build [--release]
                   the server and the site's files (dist/)
  setup            install what building and testing need
  sqlx [--check]   write .sqlx/ from the queries and migrations, or fail where it differs
  bench [..]       time the engine, and peers from scikit-learn beside it; with `--data DIR` their
                   quality as well
  bench ingest [--sources N] [--json]
                   time polls of unchanged sources, and weigh what they leave in the database
  faults [--runs N] [--seed S] [--days D] [--json]
                   live through days in which everything goes wrong, and count what is lost
  bench parse [--data DIR]
                   time the parser, and feedparser beside it
  bench web [..]   load on the pages: how many, how fast, in how much memory
  eval [..]        measure clustering against labelled sets (`eval --data DIR`)
  conformance --data DIR [--json]
                   run feeds, robots.txt facts and dates through gate, fetch and parse";

/// The packages of the server side. Every build selects all of them, so that each finds the
/// features, and with them the artefacts, of the one before. `frontend` would switch the pages
/// to the browser's features; `xtask` is built by `cargo xtask` itself.
const SERVER_SIDE: [&str; 5] = ["--workspace", "--exclude", "frontend", "--exclude", "xtask"];

fn main() -> ExitCode {
    match dispatch() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch() -> Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((command, rest)) = arguments.split_first() else {
        println!("{USAGE}");
        return Ok(ExitCode::SUCCESS);
    };
    let workspace = Workspace::find()?;
    let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
    match (command.as_str(), rest.as_slice()) {
        ("setup", []) => setup::everything(&workspace)?,
        ("build", []) => build(&workspace, Profile::Dev)?,
        ("build", ["--release"]) => build(&workspace, Profile::Release)?,
        ("demo", _) => serve(&workspace, Profile::Dev, "demo", &rest)?,
        ("run", _) => serve(&workspace, Profile::Release, "serve", &rest)?,
        ("test", []) => return runners::all(&workspace),
        ("sqlx", []) => queries::write(&workspace)?,
        ("sqlx", ["--check"]) => queries::check(&workspace)?,
        ("bench", ["ingest", rest @ ..]) => {
            run(&mut example(&workspace, "ingest", "poll_bench", rest))?;
        }
        ("faults", _) => run(&mut example(&workspace, "ingest", "faults", &rest))?,
        ("bench", ["parse", rest @ ..]) => bench::parse(&workspace, rest)?,
        ("bench", ["web", rest @ ..]) => web_bench(&workspace, rest)?,
        ("bench", _) => bench::run_all(&workspace, &rest)?,
        ("eval", _) => run(&mut example(&workspace, "engine", "eval", &rest))?,
        ("conformance", _) => run(&mut example(&workspace, "ingest", "conformance", &rest))?,
        ("help" | "--help" | "-h", _) => println!("{USAGE}"),
        _ => bail!("unknown command `{}`\n\n{USAGE}", arguments.join(" ")),
    }
    Ok(ExitCode::SUCCESS)
}

#[derive(Clone, Copy)]
enum Profile {
    Dev,
    Release,
}

fn build(workspace: &Workspace, profile: Profile) -> Result<()> {
    setup::wasm_target()?;
    let optimiser = setup::optimiser(workspace);
    server(workspace, profile)?;
    site::build(workspace, optimiser.as_deref())
}

fn server(workspace: &Workspace, profile: Profile) -> Result<()> {
    let mut cargo = workspace.cargo();
    cargo.arg("build").args(SERVER_SIDE).args(["--bin", "ohlas"]);
    if let Profile::Release = profile {
        cargo.arg("--release");
    }
    step("the server", || run(&mut cargo))
}

/// Builds, then becomes `ohlas`, so that signals and the terminal are its own.
fn serve(workspace: &Workspace, profile: Profile, command: &str, rest: &[&str]) -> Result<()> {
    if std::env::var_os("DATABASE_URL").is_none() {
        setup::postgres()?;
    }
    build(workspace, profile)?;
    let directory = match profile {
        Profile::Dev => "debug",
        Profile::Release => "release",
    };
    let ohlas = workspace.target.join(directory).join("ohlas");
    let error = Command::new(&ohlas)
        .arg(command)
        .arg("--site")
        .arg(workspace.dist())
        .args(rest)
        .current_dir(&workspace.root)
        .exec();
    Err(error).with_context(|| format!("cannot run {}", ohlas.display()))
}

fn web_bench(workspace: &Workspace, rest: &[&str]) -> Result<()> {
    build(workspace, Profile::Release)?;
    let mut cargo = workspace.cargo();
    cargo.args(["run", "--release", "--quiet"]).args(SERVER_SIDE).args(["--example", "web_bench"]);
    cargo.arg("--").arg("--ohlas").arg(workspace.target.join("release/ohlas"));
    run(cargo.arg("--site").arg(workspace.dist()).args(rest))
}

fn example(workspace: &Workspace, package: &str, name: &str, rest: &[&str]) -> Command {
    let mut cargo = workspace.cargo();
    cargo.args(["run", "--release", "--package", package, "--example", name, "--"]).args(rest);
    cargo
}
