//! What building and testing need beside cargo. Each missing thing is one line that says what to
//! do; it is done right away when that needs no password.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::shell::{Workspace, ask, on_path, run, step};

const WASM: &str = "wasm32-unknown-unknown";
const NODE_MIN: u32 = 18;

pub fn everything(workspace: &Workspace) -> Result<()> {
    wasm_target()?;
    postgres()?;
    redis()?;
    browser_tests(workspace)?;
    eprintln!("Everything is here: `cargo xtask demo`, `cargo xtask test`.");
    Ok(())
}

pub fn wasm_target() -> Result<()> {
    let sysroot = ask("rustc", &["--print", "sysroot"]).context("rustc does not answer")?;
    if Path::new(&sysroot).join("lib/rustlib").join(WASM).is_dir() {
        return Ok(());
    }
    if on_path("rustup").is_none() {
        bail!("the Rust target {WASM} is missing: install Rust with rustup, or that target");
    }
    step("the Rust target for the browser", || {
        run(Command::new("rustup").args(["target", "add", WASM]))
    })
}

pub fn postgres() -> Result<()> {
    match embedded_postgres::find_binaries() {
        Err(embedded_postgres::Error::NotInstalled) => {}
        // A wrong OHLAS_POSTGRES_BIN is not cured by a package.
        found => return Ok(found.map(drop)?),
    }
    install(&Package {
        what: "PostgreSQL",
        apt: &["postgresql"],
        dnf: &["postgresql-server"],
        brew: &["postgresql@17"],
    })?;
    embedded_postgres::find_binaries()?;
    Ok(())
}

/// Only tests need one: a service runs without.
pub fn redis() -> Result<()> {
    if on_path("redis-server").is_some() {
        return Ok(());
    }
    install(&Package { what: "Redis", apt: &["redis-server"], dnf: &["redis"], brew: &["redis"] })?;
    on_path("redis-server").context("Redis was installed but redis-server is not on PATH")?;
    Ok(())
}

/// `wasm-opt`, when Node is there to run it. Without it the bundle is right, only bigger.
pub fn optimiser(workspace: &Workspace) -> Option<PathBuf> {
    match node().and_then(|()| npm_packages(workspace)) {
        Ok(()) => Some(workspace.root.join("end2end/node_modules/binaryen/bin/wasm-opt")),
        Err(reason) => {
            eprintln!("{reason:#}: the bundle stays unoptimised, everything works");
            None
        }
    }
}

/// Node, its packages and a browser; the browser's path.
pub fn browser_tests(workspace: &Workspace) -> Result<PathBuf> {
    if on_path("node").is_none() {
        let node = &["nodejs", "npm"];
        install(&Package { what: "Node.js", apt: node, dnf: node, brew: &["node"] })?;
    } else if on_path("npm").is_none() {
        install(&Package { what: "npm", apt: &["npm"], dnf: &["npm"], brew: &["node"] })?;
    }
    node()?;
    npm_packages(workspace)?;
    if let Some(chromium) = chromium()? {
        return Ok(chromium);
    }
    let chromium_packages = &["chromium"];
    install(&Package {
        what: "Chromium",
        apt: chromium_packages,
        dnf: chromium_packages,
        brew: &["--cask", "chromium"],
    })?;
    chromium()?.context("Chromium was installed but is not found: set CHROMIUM to its program")
}

fn node() -> Result<()> {
    let version = ask("node", &["--version"]).context("Node.js is not installed")?;
    let major = version.trim_start_matches('v').split('.').next().and_then(|it| it.parse().ok());
    match major {
        Some(NODE_MIN..) => {}
        _ => bail!("Node.js {version} is too old, {NODE_MIN} or newer is needed"),
    }
    on_path("npm").context("npm is not installed")?;
    Ok(())
}

/// As the lock file pins them, unless they are there already.
fn npm_packages(workspace: &Workspace) -> Result<()> {
    let directory = workspace.root.join("end2end");
    let modified = |file: &str| fs::metadata(directory.join(file)).and_then(|it| it.modified());
    let wanted = modified("package-lock.json").context("end2end/package-lock.json")?;
    if modified("node_modules/.package-lock.json").is_ok_and(|installed| installed >= wanted) {
        return Ok(());
    }
    step("npm packages", || {
        run(Command::new("npm").args(["ci", "--loglevel=error"]).current_dir(&directory))
    })
}

/// `CHROMIUM`, else the first known name on `PATH` or among macOS's applications.
fn chromium() -> Result<Option<PathBuf>> {
    if let Some(path) = env::var_os("CHROMIUM").map(PathBuf::from) {
        if !path.is_file() {
            bail!("CHROMIUM={}: there is no such program", path.display());
        }
        return Ok(Some(path));
    }
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    let applications = [
        "/Applications/Chromium.app/Contents/MacOS/Chromium",
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    ];
    let application = || applications.into_iter().map(PathBuf::from).find(|path| path.is_file());
    Ok(names.into_iter().find_map(on_path).or_else(application))
}

/// One thing under the names that the package managers give it.
struct Package {
    what: &'static str,
    apt: &'static [&'static str],
    dnf: &'static [&'static str],
    brew: &'static [&'static str],
}

/// Does it as root, or where sudo asks for no password; else fails with the command to type.
fn install(package: &Package) -> Result<()> {
    let Package { what, apt, dnf, brew } = package;
    let (mut words, needs_root) = if on_path("apt-get").is_some() {
        (vec!["apt-get", "install", "-y", "--no-install-recommends"], true)
    } else if on_path("dnf").is_some() {
        (vec!["dnf", "install", "-y"], true)
    } else if on_path("brew").is_some() {
        (vec!["brew", "install"], false)
    } else {
        bail!(
            "{what} is missing and neither apt-get, dnf nor brew is here: install it \
             (Debian calls it {})",
            apt.join(" "),
        );
    };
    words.extend(match words[0] {
        "apt-get" => *apt,
        "dnf" => *dnf,
        _ => *brew,
    });
    let is_root = ask("id", &["-u"]).as_deref() == Some("0");
    if needs_root && !is_root {
        words.insert(0, "sudo");
        if ask("sudo", &["-n", "true"]).is_none() {
            bail!("{what} is missing; type: {}", words.join(" "));
        }
    }
    step(&format!("{what} is missing: {}", words.join(" ")), || {
        let attempt = || run(&mut installer(&words));
        let Some(apt) = words.iter().position(|word| *word == "apt-get") else {
            return attempt();
        };
        // A fresh image has no package lists, an old one stale ones.
        attempt().or_else(|_| {
            run(&mut installer(&[&words[..=apt], &["update"]].concat()))?;
            attempt()
        })
    })
}

fn installer(words: &[&str]) -> Command {
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).env("DEBIAN_FRONTEND", "noninteractive");
    command
}
