use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::Error;
use crate::error::At;

/// What `postmaster.pid` says of a server that may still run.
pub(crate) enum Leftover {
    None,
    /// The process is a postgres that serves this data directory.
    Server,
    /// The number was given to another process since, or its process waits to be buried.
    Stranger,
}

pub(crate) fn leftover(data: &Path) -> Result<Leftover, Error> {
    let path = data.join("postmaster.pid");
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Leftover::None),
        Err(error) => return Err(error).at("cannot read", path),
    };
    let Some(pid) = text.lines().next().and_then(|line| line.trim().parse::<u32>().ok()) else {
        return Ok(Leftover::None);
    };
    Ok(match serves(pid, data) {
        None => Leftover::None,
        Some(true) => Leftover::Server,
        Some(false) => Leftover::Stranger,
    })
}

/// `None` when there is no process of that number.
fn serves(pid: u32, data: &Path) -> Option<bool> {
    let process = Path::new("/proc").join(pid.to_string());
    if Path::new("/proc/self").exists() {
        let command = fs::read_to_string(process.join("comm")).ok()?;
        // A postmaster stands in its data directory, under whatever name that was opened.
        let stands_in = fs::read_link(process.join("cwd")).ok();
        return Some(command.starts_with("postgres") && stands_in.as_deref() == Some(data));
    }
    let output =
        Command::new("ps").args(["-o", "command=", "-p", &pid.to_string()]).output().ok()?;
    let command = String::from_utf8_lossy(&output.stdout);
    let command = command.trim();
    (!command.is_empty())
        .then(|| command.contains("postgres") && command.contains(&*data.to_string_lossy()))
}

/// Whether a server behind `socket` lets a session in, by the first message of PostgreSQL's
/// protocol 3.0: a refusal ("the database system is starting up") is not yet an answer.
pub(crate) fn answers(socket: &Path, user: &str, database: &str) -> bool {
    const PROTOCOL: u32 = 3 << 16;
    const AUTHENTICATION: u8 = b'R';
    const TERMINATE: [u8; 5] = [b'X', 0, 0, 0, 4];

    let parameters = format!("user\0{user}\0database\0{database}\0\0");
    let length = (8 + parameters.len()) as u32;
    let mut message = length.to_be_bytes().to_vec();
    message.extend(PROTOCOL.to_be_bytes());
    message.extend(parameters.as_bytes());

    let ask = || -> std::io::Result<bool> {
        let mut stream = UnixStream::connect(socket)?;
        stream.set_read_timeout(Some(Duration::from_secs(5)))?;
        stream.write_all(&message)?;
        let mut kind = [0];
        stream.read_exact(&mut kind)?;
        stream.write_all(&TERMINATE)?;
        Ok(kind[0] == AUTHENTICATION)
    };
    ask().unwrap_or(false)
}
