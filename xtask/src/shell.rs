use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};

pub struct Workspace {
    pub root: PathBuf,
    /// Cargo's directory for artefacts.
    pub target: PathBuf,
}

impl Workspace {
    pub fn find() -> Result<Workspace> {
        let manifest_dir =
            env::var_os("CARGO_MANIFEST_DIR").context("start it as `cargo xtask`")?;
        let root = Path::new(&manifest_dir).parent().context("xtask stands in no workspace")?;
        // We are <target>/debug/xtask, wherever the person's configuration put <target>.
        let program = env::current_exe().context("cannot find this program")?;
        let target = program.ancestors().nth(2).context("this program stands in no target")?;
        Ok(Workspace { root: root.to_owned(), target: target.to_owned() })
    }

    /// The files that the server hands out.
    pub fn dist(&self) -> PathBuf {
        self.root.join("dist")
    }

    /// For what is made on the way and may be thrown away.
    pub fn scratch(&self, name: &str) -> PathBuf {
        self.target.join("xtask").join(name)
    }

    /// Cargo as a person would call it: what the cargo around us says about the package `xtask`
    /// would make build scripts that watch these variables run again and again.
    pub fn cargo(&self) -> Command {
        let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        for (name, _) in env::vars_os() {
            let text = name.to_string_lossy();
            let of_package = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_"]
                .iter()
                .any(|prefix| text.starts_with(prefix));
            if of_package {
                command.env_remove(&name);
            }
        }
        command.current_dir(&self.root);
        command
    }
}

/// Names a long step before it and its time after it, around what its programs print.
pub fn step<T>(name: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    eprintln!("── {name}");
    let start = Instant::now();
    let result = work()?;
    eprintln!("── {name}: {:.1} s", start.elapsed().as_secs_f64());
    Ok(result)
}

pub fn run(command: &mut Command) -> Result<()> {
    let status = command.stdin(Stdio::null()).status().with_context(|| cannot_run(command))?;
    if !status.success() {
        bail!("`{}` failed ({status})", line(command));
    }
    Ok(())
}

/// What a program prints, or `None` when it is missing or fails.
pub fn ask(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

pub fn on_path(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|dir| dir.join(program)).find(|file| file.is_file())
}

pub fn cannot_run(command: &Command) -> String {
    format!("cannot run `{}`", line(command))
}

/// The command as it would be typed, its program without the directory.
fn line(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or_default();
    std::iter::once(program)
        .chain(command.get_args())
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}
