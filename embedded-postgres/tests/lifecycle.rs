//! Against the installed PostgreSQL, as root or as an ordinary user.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

use std::env;
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use embedded_postgres::{Config, Error, Postgres, find_binaries};

/// A directory of the test's own, removed at its end.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Scratch {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let dir = env::temp_dir().join(format!("embedded-postgres-{}-{count}", std::process::id()));
        fs::create_dir(&dir).unwrap();
        Scratch(dir)
    }

    fn config(&self) -> Config {
        Config { dir: self.0.join("postgres"), durable: true }
    }

    fn data(&self) -> PathBuf {
        self.config().dir.join("data")
    }

    fn postmaster(&self) -> String {
        let text = fs::read_to_string(self.data().join("postmaster.pid")).unwrap();
        text.lines().next().unwrap().to_owned()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

fn sql(url: &str, statement: &str) -> Result<String, String> {
    let output = Command::new(find_binaries().unwrap().join("psql"))
        .args(["-XqAt", "-v", "ON_ERROR_STOP=1", "-c", statement, url])
        .output()
        .unwrap();
    match output.status.success() {
        true => Ok(String::from_utf8(output.stdout).unwrap().trim().to_owned()),
        false => Err(String::from_utf8(output.stderr).unwrap()),
    }
}

fn kill_9(pid: &str) {
    assert!(Command::new("sh").args(["-c", "kill -9 $0", pid]).status().unwrap().success());
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}

#[test]
fn starts_answers_stops_and_keeps_the_data() {
    let scratch = Scratch::new();
    let mut postgres = Postgres::start(&scratch.config()).unwrap();
    let url = postgres.url();
    let shown = |name: &str| sql(&url, &format!("show {name}")).unwrap();
    assert_eq!(shown("server_encoding"), "UTF8");
    assert_eq!(shown("lc_collate"), "C");
    assert_eq!(shown("fsync"), "on");
    assert_eq!(shown("synchronous_commit"), "on");
    assert_eq!(shown("listen_addresses"), "");
    assert_ne!(shown("port"), "5432");
    let socket_dir = PathBuf::from(shown("unix_socket_directories"));
    assert_eq!(fs::metadata(&socket_dir).unwrap().permissions().mode() & 0o777, 0o700);
    sql(&url, "create table kept (word text); insert into kept values ('žluťoučký')").unwrap();
    sql(&url, "create database other").unwrap();
    assert_eq!(sql(&postgres.url_of("other"), "select current_database()").unwrap(), "other");

    postgres.stop();
    postgres.stop();
    assert!(sql(&url, "select 1").is_err());
    assert!(!socket_dir.exists());
    assert!(!scratch.data().join("postmaster.pid").exists());
    drop(postgres);

    let again = Postgres::start(&scratch.config()).unwrap();
    assert_eq!(sql(&again.url(), "select word from kept").unwrap(), "žluťoučký");
    assert_eq!(again.notices(), [] as [&str; 0]);
}

#[test]
fn the_disposable_starts_empty_and_leaves_no_data() {
    let scratch = Scratch::new();
    let config = Config { durable: false, ..scratch.config() };
    let postgres = Postgres::start(&config).unwrap();
    assert_eq!(sql(&postgres.url(), "show fsync").unwrap(), "off");
    sql(&postgres.url(), "create table gone ()").unwrap();
    drop(postgres);
    assert!(!scratch.data().exists());

    let again = Postgres::start(&config).unwrap();
    assert!(sql(&again.url(), "select from gone").unwrap_err().contains("does not exist"));
}

#[test]
fn recovers_what_was_committed_before_postgres_was_killed() {
    let scratch = Scratch::new();
    let postgres = Postgres::start(&scratch.config()).unwrap();
    sql(&postgres.url(), "create table kept as select generate_series(1, 1000) n").unwrap();
    kill_9(&scratch.postmaster());
    drop(postgres);
    assert!(scratch.data().join("postmaster.pid").exists());

    let again = Postgres::start(&scratch.config()).unwrap();
    assert_eq!(sql(&again.url(), "select count(*) from kept").unwrap(), "1000");
}

/// Not a test: the process that `takes_over_what_a_killed_owner_left_running` kills.
#[test]
#[ignore = "run by another test, in a process of its own"]
fn owner() {
    let dir = PathBuf::from(env::var_os("EMBEDDED_POSTGRES_OWNER").unwrap());
    let postgres = Postgres::start(&Config { dir, durable: true }).unwrap();
    println!("\nurl={}", postgres.url());
    std::thread::park();
}

#[test]
fn takes_over_what_a_killed_owner_left_running() {
    let scratch = Scratch::new();
    let mut owner = Command::new(env::current_exe().unwrap())
        .args(["--exact", "owner", "--ignored", "--nocapture"])
        .env("EMBEDDED_POSTGRES_OWNER", scratch.config().dir)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(owner.stdout.take().unwrap()).lines();
    let url = lines
        .map_while(Result::ok)
        .find_map(|line| line.strip_prefix("url=").map(str::to_owned))
        .unwrap();
    sql(&url, "create table kept as select 7 n").unwrap();
    let left_behind = scratch.postmaster();

    match Postgres::start(&scratch.config()) {
        Err(Error::InUse { owner: pid, .. }) => assert_eq!(pid, owner.id().to_string()),
        other => panic!("a second start beside a living owner: {other:?}"),
    }

    owner.kill().unwrap();
    owner.wait().unwrap();
    assert_eq!(sql(&url, "select n from kept").unwrap(), "7", "it outlives its owner");

    let postgres = Postgres::start(&scratch.config()).unwrap();
    assert_ne!(scratch.postmaster(), left_behind);
    assert_eq!(postgres.notices().len(), 1, "{:?}", postgres.notices());
    assert_eq!(sql(&postgres.url(), "select n from kept").unwrap(), "7");
}

#[test]
fn a_stale_pid_that_another_process_has_now_is_no_obstacle() {
    let scratch = Scratch::new();
    drop(Postgres::start(&scratch.config()).unwrap());
    let mut stranger = Command::new("sleep").arg("60").spawn().unwrap();
    let pid_file = scratch.data().join("postmaster.pid");
    fs::write(&pid_file, format!("{}\n{}\n", stranger.id(), scratch.data().display())).unwrap();

    let postgres = Postgres::start(&scratch.config());
    let unharmed = stranger.try_wait().unwrap().is_none();
    stranger.kill().unwrap();
    stranger.wait().unwrap();
    assert_eq!(sql(&postgres.unwrap().url(), "select 1").unwrap(), "1");
    assert!(unharmed);
}

#[test]
fn refuses_a_cluster_of_another_major_version() {
    let scratch = Scratch::new();
    drop(Postgres::start(&scratch.config()).unwrap());
    fs::write(scratch.data().join("PG_VERSION"), "9.1\n").unwrap();
    let error = Postgres::start(&scratch.config()).unwrap_err();
    assert!(matches!(error, Error::OtherMajor { .. }), "{error:?}");
    let message = error.to_string();
    assert!(message.contains("made by PostgreSQL 9.1, installed is"), "{message}");
    assert!(scratch.data().join("base").exists(), "nothing was removed");
}

#[test]
fn an_interrupted_creation_is_begun_again() {
    let scratch = Scratch::new();
    let unfinished = scratch.config().dir.join("data.unfinished");
    fs::create_dir_all(&unfinished).unwrap();
    fs::write(unfinished.join("PG_VERSION"), "9.1\n").unwrap();
    let postgres = Postgres::start(&scratch.config()).unwrap();
    assert_eq!(sql(&postgres.url(), "select 1").unwrap(), "1");
    assert!(!unfinished.exists());
}

#[test]
fn a_start_that_fails_shows_the_end_of_the_log() {
    let scratch = Scratch::new();
    drop(Postgres::start(&scratch.config()).unwrap());
    fs::write(scratch.data().join("postgresql.auto.conf"), "no_such_setting = 1\n").unwrap();
    let message = Postgres::start(&scratch.config()).unwrap_err().to_string();
    assert!(message.contains("no_such_setting"), "{message}");
}

#[test]
fn a_path_too_long_for_a_socket_keeps_the_data_and_moves_the_socket() {
    let scratch = Scratch::new();
    let dir = scratch.0.join("long".repeat(25)).join("with space, and comma");
    let postgres = Postgres::start(&Config { dir: dir.clone(), durable: true }).unwrap();
    let shown = |name: &str| sql(&postgres.url(), &format!("show {name}")).unwrap();
    assert_eq!(Path::new(&shown("data_directory")), dir.join("data"));
    assert!(!shown("unix_socket_directories").contains("long"));
}

#[test]
fn a_directory_that_only_root_can_enter_moves_the_data() {
    if !is_root() {
        return; // Only root becomes another user.
    }
    let scratch = Scratch::new();
    fs::set_permissions(&scratch.0, fs::Permissions::from_mode(0o700)).unwrap();
    let postgres = Postgres::start(&scratch.config()).unwrap();
    let notice = postgres.notices()[0].clone();
    assert!(notice.contains("cannot enter"), "{notice}");
    sql(&postgres.url(), "create table kept as select 7 n").unwrap();
    drop(postgres);

    let again = Postgres::start(&scratch.config()).unwrap();
    assert_eq!(sql(&again.url(), "select n from kept").unwrap(), "7");
    assert_eq!(again.notices(), [] as [&str; 0]);
    drop(again);
    let location = fs::read_to_string(scratch.config().dir.join("location")).unwrap();
    fs::remove_dir_all(location.trim()).unwrap();
}

#[test]
fn root_leaves_a_cluster_to_its_owner() {
    if !is_root() {
        return; // Only root can give a directory away.
    }
    let scratch = Scratch::new();
    drop(Postgres::start(&scratch.config()).unwrap());
    let status = Command::new("chown").args(["-R", "4242:4242"]).arg(scratch.data()).status();
    assert!(status.unwrap().success());
    let postgres = Postgres::start(&scratch.config()).unwrap();
    assert_eq!(sql(&postgres.url(), "select 1").unwrap(), "1");
    assert_eq!(fs::metadata(scratch.data().join("postmaster.pid")).unwrap().uid(), 4242);
}
