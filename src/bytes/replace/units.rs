//! Units of replacement, and how to tell from the disk whether one was replaced.

use super::attributes::Attributes;
use super::change::Location;
use super::error::ReplaceError;
use super::late_writes::is_hidden;
use super::tree::{self, FolderTree, TreeEntry};
use crate::bytes::checksum::{Checksum, HashingWriter};
use crate::bytes::disk::{self, Handle, RangeReader, Stamp};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UnitKind {
    /// Replaced by a rename.
    File,
    /// Exchanged for a folder that was built next to it.
    Folder,
}

/// What one rename or exchange replaces.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplaceUnit {
    pub kind: UnitKind,
    /// Entry name of the file, or name of the folder relative to the source; empty for the source
    /// itself.
    pub name: String,
    /// File name of the prepared file or folder, next to the original.
    pub stage: String,
    /// File name that the old file or folder gets.
    pub aside: String,
    /// Device and inode of the old file or folder.
    pub old: (u64, u64),
    /// Device and inode of the new one.
    pub new: (u64, u64),
    /// The files of the new folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listing: Option<FileListing>,
}

/// The files in a folder, without hidden ones: hosts create and remove locks and markers at any
/// time.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileListing {
    /// Number of files.
    pub count: u64,
    /// SHA-256 of their paths.
    pub sha256: Checksum,
}

impl FileListing {
    /// The files in `folder` now.
    ///
    /// # Errors
    /// The folder cannot be listed.
    pub fn of(folder: &Path) -> Result<Self, ReplaceError> {
        Self::of_tree(&tree::walk(folder)?).map_err(ReplaceError::at(folder))
    }

    pub(super) fn of_tree(tree: &FolderTree) -> io::Result<Self> {
        let mut sum = HashingWriter::new(io::sink());
        let mut count = 0u64;
        for (path, _) in
            tree.iter().filter(|(path, found)| **found != TreeEntry::Folder && !is_hidden(path))
        {
            count = count.saturating_add(1);
            // No file name contains this byte.
            sum.write_all(path.as_os_str().as_encoded_bytes())?;
            sum.write_all(b"\0")?;
        }
        Ok(Self { count, sha256: sum.finish().0 })
    }
}

/// Content hash and attributes of a file in one state.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    pub sha256: Checksum,
    /// In bytes.
    pub size: u64,
    #[serde(flatten)]
    pub attributes: Attributes,
}

/// A changed file, before and after.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileState {
    /// Entry name before; `None` if the file is new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Entry name after; `None` if the file is removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Fingerprint>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Fingerprint>,
}

/// The old or the new version of a unit.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Version {
    Old,
    New,
}

/// What is in place of a unit.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum UnitState {
    /// Nothing was replaced, though another process may have written.
    Old,
    /// It was replaced, and another process may have written since.
    New,
    /// Nothing is there: the old folder was moved away, and the new one is not in place yet.
    Gone,
    /// Another folder, neither the old nor the prepared one.
    Other,
}

impl ReplaceUnit {
    pub fn path(&self, location: &Location) -> PathBuf {
        location.file(&self.name)
    }

    /// Where the new bytes are prepared.
    pub fn stage(&self, location: &Location) -> PathBuf {
        self.path(location).with_file_name(&self.stage)
    }

    /// Where the old file or folder is after the replacement; just before it, the prepared one is
    /// there for a moment.
    pub fn aside(&self, location: &Location) -> PathBuf {
        self.path(location).with_file_name(&self.aside)
    }

    /// The name of an entry relative to this unit; `None` if it is not in the unit. Empty for the
    /// file of a file unit.
    pub fn below<'n>(&self, name: &'n str) -> Option<&'n str> {
        match self.kind {
            UnitKind::File => (name == self.name).then_some(""),
            UnitKind::Folder if self.name.is_empty() => Some(name),
            UnitKind::Folder => name.strip_prefix(&self.name)?.strip_prefix('/'),
        }
    }

    /// Where the prepared file or folder is, unless it is in place.
    ///
    /// # Errors
    /// Something is there that cannot be examined.
    pub fn prepared(&self, location: &Location) -> io::Result<Option<PathBuf>> {
        let stage = self.stage(location);
        if id(&stage)? == Some(self.new) {
            return Ok(Some(stage));
        }
        // Without file IDs nothing is exchanged, and only the old file or folder gets this name.
        let aside =
            Some(self.aside(location)).filter(|_| !self.aside.is_empty() && self.new != (0, 0));
        Ok(match aside {
            Some(aside) if id(&aside)? == Some(self.new) => Some(aside),
            _ => None,
        })
    }

    /// Fingerprint of the old file; `None` for a folder.
    pub(super) fn before(&self, files: &[FileState]) -> Option<Fingerprint> {
        self.own_file(files, |file| &file.from)?.before
    }

    /// Fingerprint of the new file; `None` for a folder.
    pub(super) fn after(&self, files: &[FileState]) -> Option<Fingerprint> {
        self.own_file(files, |file| &file.to)?.after
    }

    /// The file that a unit of one file is, by its old or new name.
    fn own_file<'f>(
        &self,
        files: &'f [FileState],
        name: fn(&FileState) -> &Option<String>,
    ) -> Option<&'f FileState> {
        files.iter().filter(|_| self.kind == UnitKind::File).find(|file| {
            let name = name(file).as_deref();
            name.is_some_and(|name| self.below(name) == Some(""))
        })
    }

    /// Whether the replaced file, which is now next to the unit, still starts with the bytes that
    /// its change was planned on.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn is_sound(&self, location: &Location, files: &[FileState]) -> io::Result<bool> {
        let Some(old) = self.replaced(location)? else {
            return Ok(true);
        };
        if id(&old)? != Some(self.old) {
            return Ok(false);
        }
        self.before(files).map_or(Ok(true), |before| starts_with(&old, &before))
    }

    /// Whether the file or folder at `path` holds the old or the new version of this unit's changed
    /// files.
    ///
    /// # Errors
    /// Something is there that cannot be read.
    pub fn holds(&self, files: &[FileState], path: &Path, side: Version) -> io::Result<bool> {
        // Every name involved, with the content required there: renames may pass a name from file
        // to file.
        let mut want: BTreeMap<&str, Option<Fingerprint>> = BTreeMap::new();
        for file in files {
            let (here, print, gone) = match side {
                Version::Old => (&file.from, file.before, &file.to),
                Version::New => (&file.to, file.after, &file.from),
            };
            if let Some(name) = gone.as_deref().and_then(|name| self.below(name)) {
                want.entry(name).or_insert(None);
            }
            if let Some(name) = here.as_deref().and_then(|name| self.below(name)) {
                want.insert(name, print);
            }
        }
        for (name, print) in want {
            let path = if name.is_empty() { path.to_path_buf() } else { path.join(name) };
            if !has_content(&path, print)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// What is in place of the unit now. The bytes of the changed files decide. If another process
    /// wrote since, it is decided by where the prepared file or folder is.
    ///
    /// # Errors
    /// Something is there that cannot be read.
    pub fn state(&self, location: &Location, files: &[FileState]) -> io::Result<UnitState> {
        let path = self.path(location);
        let here = id(&path)?;
        for (side, state) in [(Version::New, UnitState::New), (Version::Old, UnitState::Old)] {
            if here.is_some() && self.holds(files, &path, side)? {
                return Ok(state);
            }
        }
        // The system reuses the IDs of removed files, so only what still exists proves anything: as
        // long as the prepared file or folder is next to the unit, it was not put in place.
        let prepared = self.prepared(location)?.is_some();
        Ok(match (self.kind, here) {
            (UnitKind::Folder, None) => UnitState::Gone,
            (_, Some(here)) if here == self.new && here != (0, 0) => UnitState::New,
            _ if prepared => UnitState::Old,
            (UnitKind::File, _) => UnitState::New,
            (UnitKind::Folder, Some(_)) => UnitState::Other,
        })
    }
}

/// Device and inode of `path` (of a link, not its target); `None` if nothing is there.
pub(super) fn id(path: &Path) -> io::Result<Option<(u64, u64)>> {
    match fs::symlink_metadata(path) {
        Ok(meta) => Ok(Some(Stamp::of(&meta).file_id)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether the file starts with the bytes of `print`.
///
/// # Errors
/// The file cannot be read.
pub(crate) fn starts_with(path: &Path, print: &Fingerprint) -> io::Result<bool> {
    let (file, stamp) = disk::open_regular(path)?;
    if stamp.len < print.size {
        return Ok(false);
    }
    let (sum, _) = Checksum::of(&mut RangeReader::new(Handle::Own(file), 0, print.size))?;
    Ok(sum == print.sha256)
}

/// Whether there is a file with these bytes or, for `None`, nothing.
fn has_content(path: &Path, print: Option<Fingerprint>) -> io::Result<bool> {
    let there = id(path)?.is_some();
    let Some(print) = print.filter(|_| there) else {
        return Ok(there == print.is_some());
    };
    let (file, stamp) = disk::open_regular(path)?;
    if stamp.len != print.size {
        return Ok(false);
    }
    let (sum, _) = Checksum::of(&mut RangeReader::new(Handle::Own(file), 0, stamp.len))?;
    Ok(sum == print.sha256)
}
