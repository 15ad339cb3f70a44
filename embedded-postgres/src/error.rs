use std::io;
use std::path::{Path, PathBuf};

/// Why the private server is not running. Each message says what to do.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(
        "PostgreSQL is not installed. Debian or Ubuntu: apt-get install postgresql; \
         Fedora: dnf install postgresql-server; macOS: brew install postgresql@17; \
         or point OHLAS_POSTGRES_BIN at a directory that holds initdb, postgres and pg_ctl"
    )]
    NotInstalled,

    #[error("OHLAS_POSTGRES_BIN={0}: no usable initdb, postgres and pg_ctl there")]
    BadBinaries(PathBuf),

    #[error(
        "{data} was made by PostgreSQL {data_major}, installed is {installed}. \
         Install PostgreSQL {data_major}, or move that directory away to start an empty one"
    )]
    OtherMajor { data: PathBuf, data_major: String, installed: String },

    #[error("{dir} is in use by process {owner}: stop it, or use another data directory")]
    InUse { dir: PathBuf, owner: String },

    #[error(
        "PostgreSQL refuses to run as root and neither user `postgres` nor `nobody` exists: \
         create one, or start as an ordinary user"
    )]
    NoUnprivilegedUser,

    #[error(
        "no directory that user {user} can reach was found for PostgreSQL's data: \
         make {dir} and its parents traversable (chmod o+x)"
    )]
    Unreachable { dir: PathBuf, user: String },

    #[error("initdb failed: {0}")]
    Init(String),

    #[error("PostgreSQL did not start, its log {log} ends with: {tail}")]
    Start { log: PathBuf, tail: String },

    #[error("{action} {path}: {source}")]
    Io { action: &'static str, path: PathBuf, source: io::Error },
}

/// Gives an I/O error the action and the path it happened at.
pub(crate) trait At<T> {
    fn at(self, action: &'static str, path: impl AsRef<Path>) -> Result<T, Error>;
}

impl<T> At<T> for io::Result<T> {
    fn at(self, action: &'static str, path: impl AsRef<Path>) -> Result<T, Error> {
        self.map_err(|source| Error::Io { action, path: path.as_ref().to_owned(), source })
    }
}
