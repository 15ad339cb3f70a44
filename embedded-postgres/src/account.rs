use std::fs;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::Error;
use crate::error::At;

/// Whom PostgreSQL runs as: ourselves, or as root an unprivileged user, because it refuses root.
#[derive(Clone, Debug)]
pub(crate) struct Account {
    name: String,
    uid: u32,
    gid: u32,
    /// We are root and become this user.
    drops: bool,
}

impl Account {
    /// `data` that exists already decides for its owner, so that a directory made by an ordinary
    /// user still works when root starts it.
    pub fn for_data(data: &Path) -> Result<Account, Error> {
        if id("-u", None) != Some(0) {
            let uid = id("-u", None).unwrap_or(u32::MAX);
            return Ok(Account { name: uid.to_string(), uid, gid: 0, drops: false });
        }
        if let Ok(owner) = fs::metadata(data)
            && owner.uid() != 0
        {
            let (uid, gid) = (owner.uid(), owner.gid());
            return Ok(Account { name: uid.to_string(), uid, gid, drops: true });
        }
        ["postgres", "nobody"]
            .into_iter()
            .find_map(|name| {
                let (uid, gid) = (id("-u", Some(name))?, id("-g", Some(name))?);
                Some(Account { name: name.to_owned(), uid, gid, drops: true })
            })
            .ok_or(Error::NoUnprivilegedUser)
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// A command run as this user, from `/`, because the user may not enter where we stand.
    pub fn command(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(program.as_ref());
        command.current_dir("/").stdin(Stdio::null());
        if self.drops {
            command.uid(self.uid).gid(self.gid);
        }
        command
    }

    /// Whether the user can enter `dir`: asked of the system, so that parents and ACLs count.
    pub fn reaches(&self, dir: &Path) -> bool {
        if !self.drops {
            return true;
        }
        self.command("/bin/sh")
            .args(["-c", "cd -- \"$1\"", "sh"])
            .arg(dir)
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    }

    /// Makes `dir`, or takes it when it is already ours; then only this user (and root) can enter
    /// it. `false`: it is another's, or a link.
    pub fn private_dir(&self, dir: &Path) -> Result<bool, Error> {
        if fs::DirBuilder::new().mode(0o700).create(dir).is_ok() {
            if self.drops {
                chown(dir, Some(self.uid), Some(self.gid)).at("cannot give away", dir)?;
            }
            return Ok(true);
        }
        let metadata = fs::symlink_metadata(dir).at("cannot create", dir)?;
        if !metadata.is_dir() || metadata.uid() != self.uid {
            return Ok(false);
        }
        fs::set_permissions(dir, fs::Permissions::from_mode(0o700)).at("cannot close", dir)?;
        Ok(true)
    }
}

fn id(what: &str, user: Option<&str>) -> Option<u32> {
    let output = Command::new("id").arg(what).args(user).stdin(Stdio::null()).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}
