//! The content of a folder, and which of it may belong to a conversation.

use std::ffi::{OsStr, OsString};
use std::fs::{self, FileType};
use std::io;
use std::path::{Path, PathBuf};

use super::reason::{OpenError, reason};
use crate::bytes::replace::is_prepared;

/// Folders in a conversation's folder that hold files of the conversation.
pub(super) const PARTS: &[&str] = &["events", "event_cache", "messages"];

/// The content of a folder by type, each list sorted by name. Links are not followed, and no file
/// is opened.
#[derive(Debug, Default)]
pub(super) struct FolderListing {
    pub(super) files: Vec<OsString>,
    pub(super) folders: Vec<OsString>,
    pub(super) links: Vec<OsString>,
    /// Pipes, sockets and devices.
    pub(super) special: Vec<OsString>,
    /// Paths whose type cannot be read.
    pub(super) failed: Vec<(OsString, io::Error)>,
}

impl FolderListing {
    ///
    /// # Errors
    /// The folder cannot be listed.
    pub(super) fn of(folder: &Path) -> io::Result<FolderListing> {
        let mut listing = FolderListing::default();
        for item in fs::read_dir(folder)? {
            let item = item?;
            listing.add(item.file_name(), item.file_type());
        }
        for names in
            [&mut listing.files, &mut listing.folders, &mut listing.links, &mut listing.special]
        {
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

/// The names in a folder that formats may use.
#[derive(Debug, Default)]
pub(super) struct CandidateNames {
    /// Its files and those of its folders in [`PARTS`], relative, with `/` between parts.
    pub(super) names: Vec<String>,
    /// Files and folders inside the folder that are read through links.
    pub(super) targets: Vec<PathBuf>,
    /// The first file that looks like a record but is not read, and why.
    pub(super) unread: Option<(String, String)>,
}

impl CandidateNames {
    /// The names in `folder`, which has the content `listing`.
    ///
    /// # Errors
    /// A folder in it cannot be listed.
    pub(super) fn below(folder: &Path, listing: &FolderListing) -> io::Result<CandidateNames> {
        let mut names = CandidateNames::default();
        names.take(folder, "", listing);
        for part in PARTS {
            let path = folder.join(part);
            if listing.folders.iter().any(|name| name == part) {
                names.take(folder, &format!("{part}/"), &FolderListing::of(&path)?);
            } else if listing.links.iter().any(|name| name == part) {
                match resolve(folder, &path) {
                    Ok(target) if target.is_dir() => {
                        names.take(folder, &format!("{part}/"), &FolderListing::of(&target)?);
                        names.targets.push(target);
                    }
                    Ok(_) => {}
                    Err(why) => names.leave_out((*part).to_owned(), why.to_string()),
                }
            }
        }
        names.names.sort_unstable();
        Ok(names)
    }

    /// Adds the content of `folder`/`prefix`.
    fn take(&mut self, folder: &Path, prefix: &str, listing: &FolderListing) {
        // Hosts use no names that are not UTF-8.
        let named = |name: &OsStr| name.to_str().map(|name| format!("{prefix}{name}"));
        let files = listing.files.iter().filter(|name| !is_prepared(name));
        self.names.extend(files.filter_map(|name| named(name)));
        let records = |name: &String| name.ends_with(".json");
        for name in listing.links.iter().filter_map(|name| named(name)).filter(records) {
            match resolve(folder, &folder.join(&name)) {
                Ok(target) if target.is_file() => {
                    self.targets.push(target);
                    self.names.push(name);
                }
                Ok(_) => {}
                Err(why) => self.leave_out(name, why.to_string()),
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

/// Why what a link leads to is not read.
#[derive(Debug, thiserror::Error)]
enum LinkError {
    #[error("a symbolic link that cannot be followed: {0}")]
    Broken(OpenError),
    #[error("a symbolic link that leads out of the folder: not read")]
    LeadsOut,
    #[error("{0}")]
    Folder(OpenError),
}

/// The target of a link, if it is inside the folder.
fn resolve(folder: &Path, link: &Path) -> Result<PathBuf, LinkError> {
    let real = |path: &Path| fs::canonicalize(path).map_err(OpenError::from);
    let target = real(link).map_err(LinkError::Broken)?;
    if target.starts_with(real(folder).map_err(LinkError::Folder)?) {
        Ok(target)
    } else {
        Err(LinkError::LeadsOut)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_cannot_be_examined_is_not_missing() {
        let folder = tempfile::tempdir().unwrap();
        let failed = |name: &str| vec![(OsString::from(name), io::Error::from_raw_os_error(5))];
        let below = |name| {
            let listing = FolderListing { failed: failed(name), ..FolderListing::default() };
            CandidateNames::below(folder.path(), &listing).unwrap().unread
        };
        assert!(
            below("event_000001_a.json").is_some_and(|(name, _)| name == "event_000001_a.json")
        );
        assert_eq!(below("notes.txt"), None);
    }
}
