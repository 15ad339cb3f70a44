use std::path::Path;
use std::process::Command;

use anyhow::Result;
use embedded_postgres::{Config, Postgres, find_binaries};

use crate::setup;
use crate::shell::{Workspace, run, step};

/// A server for tests and for checking queries: empty at its start, gone at its end.
pub fn disposable(workspace: &Workspace) -> Result<Postgres> {
    setup::postgres()?;
    let dir = workspace.root.join(".data/disposable");
    let postgres = step("a PostgreSQL for this run", || {
        Ok(Postgres::start(&Config { dir, durable: false })?)
    })?;
    for notice in postgres.notices() {
        eprintln!("   {notice}");
    }
    Ok(postgres)
}

pub fn execute(url: &str, statement: &str) -> Result<()> {
    run(psql(url)?.args(["--command", statement]))
}

pub fn execute_file(url: &str, file: &Path) -> Result<()> {
    run(psql(url)?.args(["--single-transaction", "--file"]).arg(file))
}

fn psql(url: &str) -> Result<Command> {
    let beside_the_server = find_binaries()?.join("psql");
    let program = if beside_the_server.is_file() { beside_the_server } else { "psql".into() };
    let mut command = Command::new(program);
    command.args(["--no-psqlrc", "--quiet", "--set", "ON_ERROR_STOP=1", "--dbname", url]);
    Ok(command)
}
