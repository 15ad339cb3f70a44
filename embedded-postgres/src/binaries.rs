use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::Error;

const PROGRAMS: [&str; 3] = ["initdb", "postgres", "pg_ctl"];

/// One installed PostgreSQL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Binaries {
    pub dir: PathBuf,
    /// As `PG_VERSION` in a data directory spells it: "15", before 10 "9.6".
    pub major: String,
}

/// The directory of the preferred PostgreSQL: `OHLAS_POSTGRES_BIN`, else the one on `PATH`, else
/// the newest where Debian, Fedora or Homebrew put them.
pub fn find_binaries() -> Result<PathBuf, Error> {
    Ok(preferred()?.dir)
}

pub(crate) fn preferred() -> Result<Binaries, Error> {
    installed()?.next().ok_or(Error::NotInstalled)
}

/// The PostgreSQL that can run a data directory made by version `major`.
pub(crate) fn of_major(major: &str, data: &Path) -> Result<Binaries, Error> {
    let mut others = Vec::new();
    for binaries in installed()? {
        if binaries.major == major {
            return Ok(binaries);
        }
        others.push(binaries.major);
    }
    if others.is_empty() {
        return Err(Error::NotInstalled);
    }
    Err(Error::OtherMajor {
        data: data.to_owned(),
        data_major: major.to_owned(),
        installed: others.join(", "),
    })
}

fn installed() -> Result<Box<dyn Iterator<Item = Binaries>>, Error> {
    if let Some(dir) = env::var_os("OHLAS_POSTGRES_BIN") {
        let binaries = inspect(Path::new(&dir)).ok_or(Error::BadBinaries(dir.into()))?;
        return Ok(Box::new(std::iter::once(binaries)));
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let on_path: Vec<PathBuf> = env::split_paths(&path).collect();
    let by_distribution = [
        ("/usr/lib/postgresql", "", "bin"),
        ("/usr", "pgsql-", "bin"),
        ("/opt/homebrew/opt", "postgresql@", "bin"),
        ("/usr/local/opt", "postgresql@", "bin"),
    ]
    .into_iter()
    .flat_map(|(parent, prefix, bin)| versions(Path::new(parent), prefix, bin));
    Ok(Box::new(on_path.into_iter().chain(by_distribution).filter_map(|dir| inspect(&dir))))
}

/// `parent/prefix<version>/bin`, newest version first.
fn versions(parent: &Path, prefix: &str, bin: &str) -> Vec<PathBuf> {
    let mut found: Vec<(Vec<u32>, PathBuf)> = fs::read_dir(parent)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name();
            let version = name.to_str()?.strip_prefix(prefix)?;
            Some((parse_version(version)?, entry.path().join(bin)))
        })
        .collect();
    found.sort_by(|a, b| b.cmp(a));
    found.into_iter().map(|(_, dir)| dir).collect()
}

fn parse_version(text: &str) -> Option<Vec<u32>> {
    text.split('.').map(|part| part.parse().ok()).collect()
}

/// `None` unless all three programs are there, side by side behind any symbolic links, and run.
fn inspect(dir: &Path) -> Option<Binaries> {
    let dir = fs::canonicalize(dir.join("initdb")).ok()?.parent()?.to_owned();
    if !PROGRAMS.iter().all(|program| dir.join(program).is_file()) {
        return None;
    }
    let output =
        Command::new(dir.join("postgres")).arg("--version").stdin(Stdio::null()).output().ok()?;
    let major = major(&String::from_utf8_lossy(&output.stdout))?;
    Some(Binaries { dir, major })
}

/// "postgres (PostgreSQL) 15.18 (Debian 15.18-0)" → "15"; "… 9.6.24" → "9.6"; "… 18beta1" → "18".
fn major(version_line: &str) -> Option<String> {
    let version = version_line.split_once("(PostgreSQL)")?.1.split_whitespace().next()?;
    let mut parts = version
        .split('.')
        .map(|part| part.find(|c: char| !c.is_ascii_digit()).map_or(part, |end| &part[..end]));
    let first = parts.next().filter(|part| !part.is_empty())?;
    match first.parse::<u32>().ok()? {
        ..10 => Some(format!("{first}.{}", parts.next()?)),
        _ => Some(first.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_major_version_is_spelt_as_in_pg_version() {
        for (line, expect) in [
            ("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)", Some("15")),
            ("postgres (PostgreSQL) 9.6.24", Some("9.6")),
            ("postgres (PostgreSQL) 18beta1", Some("18")),
            ("postgres (PostgreSQL)", None),
            ("something else 15.1", None),
        ] {
            assert_eq!(major(line).as_deref(), expect, "{line}");
        }
    }

    #[test]
    fn the_newest_version_comes_first_and_other_names_are_passed_over() {
        let parent = env::temp_dir().join(format!("embedded-postgres-{}", std::process::id()));
        for name in ["pgsql-9.6", "pgsql-17", "pgsql-15", "pgsql-devel", "other"] {
            fs::create_dir_all(parent.join(name)).unwrap();
        }
        let found = versions(&parent, "pgsql-", "bin");
        fs::remove_dir_all(&parent).unwrap();
        let expect: Vec<PathBuf> =
            ["pgsql-17", "pgsql-15", "pgsql-9.6"].map(|name| parent.join(name).join("bin")).into();
        assert_eq!(found, expect);
    }
}
