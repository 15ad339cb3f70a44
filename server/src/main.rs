//! `ohlas`: what newsrooms lift, how fast it spreads and why the ranking says so.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use server::command::{demo, export, recompute, replay, serve, sources, verify};
use tracing_subscriber::EnvFilter;

#[derive(Parser)]
#[command(version, about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Collect from the newsrooms of sources.toml and serve the pages
    Serve(serve::Serve),
    /// Serve the pages only; any number of instances may share one database
    Web(serve::Web),
    /// Collect only; of several workers one leads
    Worker(serve::Worker),
    /// Derive the boards of a stretch of history again, hour by hour
    Recompute(recompute::Recompute),
    /// Prove that the recorded history was not rewritten
    Verify(verify::Verify),
    /// Write the recorded history as JSON lines that others can verify
    Export(export::Export),
    /// Look after the list of sources
    Sources(sources::Sources),
    /// Three simulated days of invented newsrooms, then live
    Demo(demo::Demo),
    /// Walk recorded exchanges of real feeds through the line, into a fresh database
    Replay(replay::Replay),
}

#[tokio::main]
async fn main() -> anyhow::Result<ExitCode> {
    let filter = EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| EnvFilter::new("info,sqlx::postgres::notice=warn"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
    match Cli::parse().command {
        Command::Sources(command) => return command.run().await,
        Command::Serve(command) => command.run().await?,
        Command::Web(command) => command.run().await?,
        Command::Worker(command) => command.run().await?,
        Command::Recompute(command) => command.run().await?,
        Command::Verify(command) => command.run().await?,
        Command::Export(command) => command.run().await?,
        Command::Demo(command) => command.run().await?,
        Command::Replay(command) => command.run().await?,
    }
    Ok(ExitCode::SUCCESS)
}
