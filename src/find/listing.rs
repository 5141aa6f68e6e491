//! What is in a folder, and which of it may belong to a conversation.

use std::ffi::{OsStr, OsString};
use std::fs::{self, FileType};
use std::io;
use std::path::{Path, PathBuf};

use super::reason::reason;
use crate::bytes::replace::is_prepared;

/// Folders of a conversation that hold files of it.
pub(super) const PARTS: &[&str] = &["events", "event_cache", "messages"];

/// A folder's items by kind, each list in the order of names. Nothing is followed or opened.
#[derive(Debug, Default)]
pub(super) struct Listing {
    pub(super) files: Vec<OsString>,
    pub(super) folders: Vec<OsString>,
    pub(super) links: Vec<OsString>,
    /// Pipes, sockets and devices.
    pub(super) special: Vec<OsString>,
    /// What cannot be looked at.
    pub(super) failed: Vec<(OsString, io::Error)>,
}

impl Listing {
    /// Lists a folder.
    ///
    /// # Errors
    /// It cannot be listed.
    pub(super) fn of(folder: &Path) -> io::Result<Listing> {
        let mut listing = Listing::default();
        for item in fs::read_dir(folder)? {
            let item = item?;
            listing.add(item.file_name(), item.file_type());
        }
        for names in [
            &mut listing.files,
            &mut listing.folders,
            &mut listing.links,
            &mut listing.special,
        ] {
            names.sort_unstable();
        }
        listing.failed.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(listing)
    }

    fn add(&mut self, name: OsString, kind: io::Result<FileType>) {
        match kind {
            Ok(kind) if kind.is_file() => self.files.push(name),
            Ok(kind) if kind.is_dir() => self.folders.push(name),
            Ok(kind) if kind.is_symlink() => self.links.push(name),
            Ok(_) => self.special.push(name),
            Err(error) => self.failed.push((name, error)),
        }
    }
}

/// The names below a folder that formats look at.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Its files and those of the folders that are part of a conversation, relative, parts separated by `/`.
    pub(super) names: Vec<String>,
    /// Files and folders elsewhere in the folder that are read through links.
    pub(super) targets: Vec<PathBuf>,
    /// The first of what would be a record and is not read, and why.
    pub(super) unread: Option<(String, String)>,
}

impl Names {
    /// The names below `folder`, of which `listing` is the list.
    ///
    /// # Errors
    /// A part of it cannot be listed.
    pub(super) fn below(folder: &Path, listing: &Listing) -> io::Result<Names> {
        let mut names = Names::default();
        names.take(folder, "", listing);
        for part in PARTS {
            let path = folder.join(part);
            if listing.folders.iter().any(|name| name == part) {
                names.take(folder, &format!("{part}/"), &Listing::of(&path)?);
            } else if listing.links.iter().any(|name| name == part) {
                match resolve(folder, &path) {
                    Ok(target) if target.is_dir() => {
                        names.take(folder, &format!("{part}/"), &Listing::of(&target)?);
                        names.targets.push(target);
                    }
                    Ok(_) => {}
                    Err(why) => names.leave_out((*part).to_owned(), why),
                }
            }
        }
        names.names.sort_unstable();
        Ok(names)
    }

    /// Takes what is in `folder`/`prefix`.
    fn take(&mut self, folder: &Path, prefix: &str, listing: &Listing) {
        // A name that is not UTF-8 is none of a host's.
        let named = |name: &OsStr| name.to_str().map(|name| format!("{prefix}{name}"));
        let files = listing.files.iter().filter(|name| !is_prepared(name));
        self.names.extend(files.filter_map(|name| named(name)));
        let records = |name: &String| name.ends_with(".json");
        for name in listing
            .links
            .iter()
            .filter_map(|name| named(name))
            .filter(records)
        {
            match resolve(folder, &folder.join(&name)) {
                Ok(target) if target.is_file() => {
                    self.targets.push(target);
                    self.names.push(name);
                }
                Ok(_) => {}
                Err(why) => self.leave_out(name, why),
            }
        }
        for (name, error) in &listing.failed {
            if let Some(name) = named(name).filter(records) {
                self.leave_out(name, reason(error));
            }
        }
    }

    fn leave_out(&mut self, name: String, why: String) {
        self.unread.get_or_insert((name, why));
    }
}

/// Where a link leads, if that is in the folder's own tree.
fn resolve(folder: &Path, link: &Path) -> Result<PathBuf, String> {
    let real = |path: &Path| fs::canonicalize(path).map_err(|error| reason(&error));
    let target =
        real(link).map_err(|why| format!("a symbolic link that cannot be followed: {why}"))?;
    match target.starts_with(real(folder)?) {
        true => Ok(target),
        false => Err("a symbolic link that leads out of the folder: not read".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_looked_at_is_not_taken_for_missing() {
        let folder = tempfile::tempdir().unwrap();
        let failed = |name: &str| vec![(OsString::from(name), io::Error::from_raw_os_error(5))];
        let below = |name| {
            let listing = Listing {
                failed: failed(name),
                ..Listing::default()
            };
            Names::below(folder.path(), &listing).unwrap().unread
        };
        assert!(
            below("event_000001_a.json").is_some_and(|(name, _)| name == "event_000001_a.json")
        );
        assert_eq!(below("notes.txt"), None);
    }
}
