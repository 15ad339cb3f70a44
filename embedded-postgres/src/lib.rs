//! A private PostgreSQL from the binaries that are installed: created on first use, started,
//! waited for, stopped.
//!
//! It listens on a Unix socket in a directory that only its user can enter, never on TCP, so it
//! meets no other server and needs no password. What a `kill -9` of this process leaves running is
//! found and stopped at the next start; what a `kill -9` of PostgreSQL leaves behind is recovered
//! by PostgreSQL. Root gives it to an unprivileged user, because PostgreSQL refuses root.
//!
//! Everything blocks: call it from a thread that may.

mod account;
mod binaries;
mod error;
mod process;

use std::fmt::Write as _;
use std::fs::{self, File, TryLockError};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

use account::Account;
use binaries::Binaries;
pub use binaries::find_binaries;
use error::At;
pub use error::Error;
use process::Leftover;

const USER: &str = "ohlas";
const DATABASE: &str = "postgres";
/// Only names the socket file: nothing listens on TCP.
const PORT: u16 = 5433;
/// What `sockaddr_un` holds on every supported system, less the closing zero.
const SOCKET_PATH_MAX_BYTES: usize = 103;
/// Crash recovery of a large database is slow; a start that failed is seen at once.
const START_TIMEOUT: Duration = Duration::from_secs(300);
const STOP_TIMEOUT: Duration = Duration::from_secs(120);
const POLL: Duration = Duration::from_millis(25);
const LOG_MAX_BYTES: u64 = 10 << 20;

const SETTINGS: &[&str] = &[
    "listen_addresses=",
    "unix_socket_permissions=0700",
    "shared_buffers=256MB",
    "max_connections=200",
    "max_wal_size=1GB",
    "wal_compression=on",
    "log_min_messages=warning",
    "logging_collector=off",
    "log_destination=stderr",
    "timezone=UTC",
];
const SETTINGS_OF_THE_DISPOSABLE: &[&str] =
    &["fsync=off", "synchronous_commit=off", "full_page_writes=off"];

#[derive(Clone, Debug)]
pub struct Config {
    /// Holds the data, the log and the lock, for example `.data/postgres`. Made when missing.
    pub dir: PathBuf,
    /// `false`: for tests. Nothing is synced to disk, so nothing is trusted afterwards: the data
    /// are made anew at each start and removed at the stop.
    pub durable: bool,
}

/// A running private server. Dropping it stops it.
#[derive(Debug)]
pub struct Postgres {
    account: Account,
    binaries: Binaries,
    durable: bool,
    data: PathBuf,
    log: PathBuf,
    socket_dir: PathBuf,
    /// `None` once stopped.
    server: Option<Child>,
    notices: Vec<String>,
    /// Held open: the system frees them when this process ends, however it ends.
    _locks: Vec<File>,
}

impl Postgres {
    /// Creates the cluster when there is none, starts it and waits until it lets a session in.
    pub fn start(config: &Config) -> Result<Postgres, Error> {
        fs::create_dir_all(&config.dir).at("cannot create", &config.dir)?;
        let dir = fs::canonicalize(&config.dir).at("cannot open", &config.dir)?;
        let mut locks = vec![lock(&dir)?];
        let mut notices = Vec::new();

        let home = home(&dir, &mut notices)?;
        let home = fs::canonicalize(&home).at("cannot open", &home)?;
        if home != dir {
            locks.push(lock(&home)?);
        }
        let data = home.join("data");
        let account = Account::for_data(&data)?;

        stop_leftover(&data, &account, &mut notices)?;
        if !config.durable {
            remove_dir(&data)?;
        }
        let binaries = match data_major(&data)? {
            Some(major) => binaries::of_major(&major, &data)?,
            None => {
                let binaries = binaries::preferred()?;
                create(&home, &data, &account, &binaries, config.durable)?;
                binaries
            }
        };

        let mut postgres = Postgres {
            socket_dir: socket_dir(&home, &account)?,
            log: dir.join("log"),
            durable: config.durable,
            account,
            binaries,
            data,
            server: None,
            notices,
            _locks: locks,
        };
        postgres.launch()?;
        Ok(postgres)
    }

    /// The address of the first database, for sqlx and for psql alike. Its user may create others.
    #[must_use]
    pub fn url(&self) -> String {
        self.url_of(DATABASE)
    }

    /// The address of another database of this server.
    #[must_use]
    pub fn url_of(&self, database: &str) -> String {
        let host = percent_encode(&self.socket_dir.to_string_lossy());
        format!("postgres://{USER}@{host}:{PORT}/{}", percent_encode(database))
    }

    /// What an operator should know of this start, one sentence each; usually nothing.
    #[must_use]
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// Ends the sessions, stops the server and waits for it. Does nothing the second time.
    pub fn stop(&mut self) {
        let Some(mut server) = self.server.take() else { return };
        // We wait ourselves: to pg_ctl a killed child that we have not buried looks alive.
        let ended = ["fast", "immediate"].into_iter().any(|mode| {
            pg_ctl_stop(&self.account, &self.binaries, &self.data, mode, "--no-wait");
            ends_within(&mut server, STOP_TIMEOUT)
        });
        if !ended {
            // Nobody is left to tell: the next start recovers from whatever failed here.
            server.kill().ok();
            server.wait().ok();
        }
        fs::remove_dir_all(&self.socket_dir).ok();
        if !self.durable {
            fs::remove_dir_all(&self.data).ok();
        }
    }

    fn launch(&mut self) -> Result<(), Error> {
        let deadline = Instant::now() + START_TIMEOUT;
        let mut log = open_log(&self.log)?;
        let mut command = self.command()?;
        loop {
            let log_start = log.seek(SeekFrom::End(0)).at("cannot read", &self.log)?;
            command.stdout(log.try_clone().at("cannot share", &self.log)?);
            command.stderr(log.try_clone().at("cannot share", &self.log)?);
            let program = self.binaries.dir.join("postgres");
            let server = self.server.insert(command.spawn().at("cannot run", program)?);

            let socket = socket_file(&self.socket_dir);
            while server.try_wait().at("cannot watch", &self.log)?.is_none() {
                if process::answers(&socket, USER, DATABASE) {
                    return Ok(());
                }
                if Instant::now() > deadline {
                    return Err(self.start_error(&mut log, log_start));
                }
                sleep(POLL);
            }
            // The sessions of a killed postmaster live until they notice its death.
            let error = self.start_error(&mut log, log_start);
            let sessions_linger = error.to_string().contains("shared memory block");
            if !sessions_linger || Instant::now() > deadline {
                return Err(error);
            }
            sleep(10 * POLL);
        }
    }

    fn command(&self) -> Result<Command, Error> {
        let mut command = self.account.command(self.binaries.dir.join("postgres"));
        command.arg("-D").arg(&self.data).arg("-k").arg(&self.socket_dir);
        command.args(["-p", &PORT.to_string()]);
        let disposable = if self.durable { &[][..] } else { SETTINGS_OF_THE_DISPOSABLE };
        for setting in SETTINGS.iter().chain(disposable) {
            command.args(["-c", setting]);
        }
        // Its own group: an interrupt at the terminal is for us, who then stop it in order.
        command.process_group(0);
        Ok(command)
    }

    fn start_error(&self, log: &mut File, log_start: u64) -> Error {
        let mut text = Vec::new();
        let read = log.seek(SeekFrom::Start(log_start)).and_then(|_| log.read_to_end(&mut text));
        let text = String::from_utf8_lossy(&text);
        let tail = match read {
            Ok(_) => last_lines(&text, 6),
            Err(error) => error.to_string(),
        };
        Error::Start { log: self.log.clone(), tail }
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Taken by the process that runs the server; names that process to those who come second.
fn lock(dir: &Path) -> Result<File, Error> {
    let path = dir.join("lock");
    let mut file = File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(&path)
        .at("cannot open", &path)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let owner = fs::read_to_string(&path).unwrap_or_default();
            return Err(Error::InUse { dir: dir.to_owned(), owner });
        }
        Err(TryLockError::Error(error)) => return Err(error).at("cannot lock", &path),
    }
    file.set_len(0)
        .and_then(|()| file.write_all(std::process::id().to_string().as_bytes()))
        .at("cannot write", &path)?;
    Ok(file)
}

/// Where the data live: in `dir`, unless PostgreSQL's user cannot get there (a checkout under
/// `/root`). Then elsewhere, and `dir/location` remembers where.
fn home(dir: &Path, notices: &mut Vec<String>) -> Result<PathBuf, Error> {
    let location = dir.join("location");
    match fs::read_to_string(&location) {
        Ok(text) => {
            let home = PathBuf::from(text.trim_end());
            fs::create_dir_all(&home).at("cannot create", &home)?;
            return Ok(home);
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(error).at("cannot read", location),
    }
    let account = Account::for_data(&dir.join("data"))?;
    if account.reaches(dir) {
        return Ok(dir.to_owned());
    }
    // The time in the name: a `dir` that was deleted and made again must not meet its old data.
    let name = format!("ohlas-{:016x}", hash((dir, SystemTime::now())));
    for parent in [PathBuf::from("/var/lib"), PathBuf::from("/var/tmp"), std::env::temp_dir()] {
        if parent.is_dir() && account.reaches(&parent) {
            let home = parent.join(&name);
            fs::create_dir(&home).at("cannot create", &home)?;
            fs::write(&location, format!("{}\n", home.display())).at("cannot write", &location)?;
            notices.push(format!(
                "PostgreSQL's data are kept in {}, because user {} cannot enter {}",
                home.display(),
                account.name(),
                dir.display(),
            ));
            return Ok(home);
        }
    }
    Err(Error::Unreachable { dir: dir.to_owned(), user: account.name().to_owned() })
}

/// Ends a server that an earlier process of ours left running over `data`.
fn stop_leftover(data: &Path, account: &Account, notices: &mut Vec<String>) -> Result<(), Error> {
    match process::leftover(data)? {
        Leftover::None => {}
        Leftover::Server => {
            let binaries = binaries::preferred()?;
            let stopped = ["fast", "immediate"]
                .into_iter()
                .any(|mode| pg_ctl_stop(account, &binaries, data, mode, "--wait"));
            if stopped {
                notices.push("a PostgreSQL that an earlier run left behind was stopped".to_owned());
            }
        }
        // PostgreSQL would take the stranger for its own kind and refuse to start.
        Leftover::Stranger => {
            let path = data.join("postmaster.pid");
            fs::remove_file(&path).at("cannot remove", &path)?;
        }
    }
    Ok(())
}

fn ends_within(server: &mut Child, timeout: Duration) -> bool {
    let deadline = Instant::now() + timeout;
    while Instant::now() < deadline {
        if !matches!(server.try_wait(), Ok(None)) {
            return true;
        }
        sleep(POLL);
    }
    false
}

fn pg_ctl_stop(
    account: &Account,
    binaries: &Binaries,
    data: &Path,
    mode: &str,
    wait: &str,
) -> bool {
    account
        .command(binaries.dir.join("pg_ctl"))
        .args(["stop", "--silent", wait, "--mode", mode])
        .args(["--timeout", &STOP_TIMEOUT.as_secs().to_string()])
        .arg("--pgdata")
        .arg(data)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// The version that made the cluster; `None` when there is no cluster.
fn data_major(data: &Path) -> Result<Option<String>, Error> {
    let path = data.join("PG_VERSION");
    match fs::read_to_string(&path) {
        Ok(text) => Ok(Some(text.trim().to_owned())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).at("cannot read", path),
    }
}

/// Runs initdb beside `data` and moves the result there, so that an interrupted one leaves nothing
/// that looks like a cluster.
fn create(
    home: &Path,
    data: &Path,
    account: &Account,
    binaries: &Binaries,
    durable: bool,
) -> Result<(), Error> {
    let unfinished = home.join("data.unfinished");
    remove_dir(&unfinished)?;
    account.private_dir(&unfinished)?;
    let program = binaries.dir.join("initdb");
    let output = account
        .command(&program)
        .arg("--pgdata")
        .arg(&unfinished)
        .args(["--username", USER, "--auth=trust", "--encoding=UTF8", "--locale=C"])
        .args((!durable).then_some("--no-sync"))
        .output()
        .at("cannot run", &program)?;
    if !output.status.success() {
        remove_dir(&unfinished)?;
        return Err(Error::Init(last_lines(&String::from_utf8_lossy(&output.stderr), 6)));
    }
    fs::rename(&unfinished, data).at("cannot create", data)
}

/// A private directory for the socket with a path short enough for one: beside the data, else in
/// the system's directory for temporary files.
fn socket_dir(home: &Path, account: &Account) -> Result<PathBuf, Error> {
    let temporary = format!("ohlas-{:016x}", hash(home));
    let candidates = [
        home.join("run"),
        std::env::temp_dir().join(&temporary),
        Path::new("/tmp").join(&temporary),
        Path::new("/tmp").join(format!("{temporary}-{}", std::process::id())),
    ];
    for dir in candidates {
        if is_socket_dir(&dir) && account.private_dir(&dir)? && account.reaches(&dir) {
            return Ok(dir);
        }
    }
    Err(Error::Unreachable { dir: home.to_owned(), user: account.name().to_owned() })
}

/// Short enough, and free of what PostgreSQL's list of directories gives a meaning.
fn is_socket_dir(dir: &Path) -> bool {
    let file = socket_file(dir);
    let text = file.to_string_lossy();
    text.len() <= SOCKET_PATH_MAX_BYTES
        && !text.contains([',', '"', char::REPLACEMENT_CHARACTER])
        && !text.contains(char::is_whitespace)
}

fn socket_file(dir: &Path) -> PathBuf {
    dir.join(format!(".s.PGSQL.{PORT}"))
}

fn open_log(path: &Path) -> Result<File, Error> {
    if fs::metadata(path).is_ok_and(|log| log.len() > LOG_MAX_BYTES) {
        fs::rename(path, path.with_extension("old")).at("cannot rotate", path)?;
    }
    File::options().read(true).append(true).create(true).open(path).at("cannot open", path)
}

fn remove_dir(dir: &Path) -> Result<(), Error> {
    match fs::remove_dir_all(dir) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error).at("cannot remove", dir),
        _ => Ok(()),
    }
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

fn last_lines(text: &str, count: usize) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(count)..].join(" | ")
}

fn percent_encode(text: &str) -> String {
    text.bytes().fold(String::new(), |mut encoded, byte| {
        if byte.is_ascii_alphanumeric() || b"-._".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
        encoded
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_path_is_short_and_plain() {
        for (dir, expect) in [
            ("/srv/.data/postgres/run", true),
            ("/a,b/run", false),
            ("/a b/run", false),
            ("/a\"b/run", false),
        ] {
            assert_eq!(is_socket_dir(Path::new(dir)), expect, "{dir}");
        }
        let longest = SOCKET_PATH_MAX_BYTES - "/.s.PGSQL.5433".len();
        assert!(is_socket_dir(Path::new(&format!("/{}", "x".repeat(longest - 1)))));
        assert!(!is_socket_dir(Path::new(&format!("/{}", "x".repeat(longest)))));
    }

    #[test]
    fn an_address_keeps_the_path_in_one_segment() {
        assert_eq!(percent_encode("/run/ohlas-1é"), "%2Frun%2Fohlas-1%C3%A9");
    }

    #[test]
    fn the_end_of_a_log_is_one_line() {
        assert_eq!(last_lines("a\n\nb\nc\n", 2), "b | c");
        assert_eq!(last_lines("", 2), "");
    }
}
