//! `.sqlx/`: what the compiler needs to know of each query when there is no database.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result, bail};

use crate::shell::{Workspace, run, step};
use crate::{SERVER_SIDE, database};

/// File name → content.
type Queries = BTreeMap<OsString, Vec<u8>>;

/// Fails, naming the files, where the committed set is not what the sources and migrations give.
pub fn check(workspace: &Workspace) -> Result<()> {
    let (described, built) = describe(workspace)?;
    built?;
    let committed = read(&committed_dir(workspace))?;
    let differences = differences(&committed, &described);
    if !differences.is_empty() {
        bail!("run `cargo xtask sqlx` and commit .sqlx/, it differs: {}", differences.join(", "));
    }
    eprintln!(".sqlx/ describes all {} queries", described.len());
    Ok(())
}

pub fn write(workspace: &Workspace) -> Result<()> {
    let (described, built) = describe(workspace)?;
    let dir = committed_dir(workspace);
    fs::create_dir_all(&dir).with_context(|| dir.display().to_string())?;
    let committed = read(&dir)?;
    for (name, content) in &described {
        if committed.get(name) != Some(content) {
            fs::write(dir.join(name), content)?;
        }
    }
    // After a failed build nobody knows which of the others are still in use. What was described
    // is kept all the same: it is what the next offline build may be waiting for.
    built?;
    for name in committed.keys().filter(|name| !described.contains_key(*name)) {
        fs::remove_file(dir.join(name))?;
    }
    eprintln!(".sqlx/ describes {} queries", described.len());
    Ok(())
}

fn committed_dir(workspace: &Workspace) -> PathBuf {
    workspace.root.join(".sqlx")
}

/// Compiles `store` against a database with all migrations: its macros write one file per query.
/// The second value says whether everything compiled.
fn describe(workspace: &Workspace) -> Result<(Queries, Result<()>)> {
    let postgres = database::disposable(workspace)?;
    for migration in sorted(&workspace.root.join("migrations"), "sql")? {
        database::execute_file(&postgres.url(), &migration)?;
    }
    let store = workspace.root.join("store");
    let tests = store.join("tests");
    let mut roots = vec![store.join("src/lib.rs")];
    if tests.is_dir() {
        roots.extend(sorted(&tests, "rs")?);
    }
    for root in roots {
        // Cargo sees no reason of its own to compile again.
        let file = File::options().append(true).open(&root);
        let touched = file.and_then(|file| file.set_modified(SystemTime::now()));
        touched.with_context(|| root.display().to_string())?;
    }
    let dir = workspace.scratch("queries");
    if dir.exists() {
        fs::remove_dir_all(&dir)?;
    }
    fs::create_dir_all(&dir)?;
    let mut cargo = workspace.cargo();
    cargo
        .args(["test", "--no-run"])
        .args(SERVER_SIDE)
        .env("SQLX_OFFLINE", "false")
        .env("SQLX_OFFLINE_DIR", &dir)
        .env("DATABASE_URL", postgres.url());
    let built = step("the queries", || run(&mut cargo));
    Ok((read(&dir)?, built))
}

fn read(dir: &Path) -> Result<Queries> {
    if !dir.exists() {
        return Ok(Queries::new());
    }
    sorted(dir, "json")?
        .into_iter()
        .map(|path| {
            let content = fs::read(&path).with_context(|| path.display().to_string())?;
            Ok((path.file_name().unwrap_or_default().to_owned(), content))
        })
        .collect()
}

fn sorted(dir: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).with_context(|| dir.display().to_string())? {
        let path = entry?.path();
        if path.extension().is_some_and(|it| it == extension) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn differences(committed: &Queries, described: &Queries) -> Vec<String> {
    let names = committed.keys().chain(described.keys().filter(|it| !committed.contains_key(*it)));
    names
        .filter_map(|name| {
            let state = match (committed.get(name), described.get(name)) {
                (Some(_), None) => "no longer used",
                (None, Some(_)) => "missing",
                (old, new) if old != new => "changed",
                _ => return None,
            };
            Some(format!("{} ({state})", name.display()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_difference_names_its_file() {
        let queries = |rows: &[(&str, &str)]| -> Queries {
            rows.iter().map(|(name, text)| (OsString::from(name), Vec::from(*text))).collect()
        };
        let committed = queries(&[("a", "1"), ("b", "1"), ("c", "1")]);
        let described = queries(&[("a", "1"), ("b", "2"), ("d", "1")]);
        assert_eq!(
            differences(&committed, &described),
            ["b (changed)", "c (no longer used)", "d (missing)"],
        );
        assert!(differences(&committed, &committed).is_empty());
    }
}
