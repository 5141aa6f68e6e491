//! Units: what one rename replaces; and how to see on the disk whether it happened.

use super::attributes::Attributes;
use super::came::is_hidden;
use super::change::Place;
use super::error::ReplaceError;
use super::tree::{self, Found, Tree};
use crate::bytes::checksum::{Checksum, Summing};
use crate::bytes::disk::{self, Handle, Stamp, Window};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// What a unit is.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A file, replaced by a rename.
    File,
    /// A folder, exchanged for one that was built beside it.
    Folder,
}

/// What one rename or exchange replaces.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unit {
    /// File or folder.
    pub kind: Kind,
    /// Entry name of the file; or name of the folder below the source, empty for the source itself.
    pub name: String,
    /// File name of what is prepared beside it.
    pub stage: String,
    /// File name that the old file or folder gets.
    pub aside: String,
    /// Device and inode of the old file or folder.
    pub old: (u64, u64),
    /// Device and inode of the new one.
    pub new: (u64, u64),
    /// Which files the new folder has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listing: Option<Listing>,
}

/// Which files are below a folder; without hidden ones: locks and markers come and go.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listing {
    /// Their number.
    pub count: u64,
    /// SHA-256 of their paths.
    pub sha256: Checksum,
}

impl Listing {
    /// What is below `folder` now.
    ///
    /// # Errors
    /// It cannot be listed.
    pub fn of(folder: &Path) -> Result<Self, ReplaceError> {
        Self::of_tree(&tree::walk(folder)?).map_err(ReplaceError::at(folder))
    }

    pub(super) fn of_tree(tree: &Tree) -> io::Result<Self> {
        let mut sum = Summing::new(io::sink());
        let mut count = 0u64;
        for (path, _) in tree
            .iter()
            .filter(|(path, found)| **found != Found::Folder && !is_hidden(path))
        {
            count = count.saturating_add(1);
            // No file name has this byte in it.
            sum.write_all(path.as_os_str().as_encoded_bytes())?;
            sum.write_all(b"\0")?;
        }
        Ok(Self {
            count,
            sha256: sum.finish().0,
        })
    }
}

/// Bytes and attributes of one state of a file.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Print {
    /// SHA-256 of all bytes.
    pub sha256: Checksum,
    /// Number of bytes.
    pub size: u64,
    /// Mode, owner, time.
    #[serde(flatten)]
    pub attributes: Attributes,
}

/// A changed file before and afterwards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileState {
    /// Entry name before; none: it was not there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Entry name afterwards; none: it is gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// What it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Print>,
    /// What it became.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Print>,
}

/// One of the two states that a unit may be in.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Side {
    /// As it was.
    Old,
    /// As it shall be.
    New,
}

/// What is found in a unit's place.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// Nothing was replaced; perhaps somebody else wrote.
    Old,
    /// It was replaced; perhaps somebody else wrote since.
    New,
    /// Nothing is there: the old folder was moved away, the new one not yet moved in.
    Gone,
    /// Another folder, that neither was there nor was prepared.
    Other,
}

impl Unit {
    /// Where the unit is.
    pub fn path(&self, place: &Place) -> PathBuf {
        place.file(&self.name)
    }

    /// Where the new bytes are prepared.
    pub fn stage(&self, place: &Place) -> PathBuf {
        self.path(place).with_file_name(&self.stage)
    }

    /// Where the old file or folder is once the new one is in its place; before, for a moment, what is prepared.
    pub fn aside(&self, place: &Place) -> PathBuf {
        self.path(place).with_file_name(&self.aside)
    }

    /// The name of an entry below this unit; none if it is elsewhere. A file unit's own name is the empty one.
    pub fn below<'n>(&self, name: &'n str) -> Option<&'n str> {
        match self.kind {
            Kind::File => (name == self.name).then_some(""),
            Kind::Folder if self.name.is_empty() => Some(name),
            Kind::Folder => name.strip_prefix(&self.name)?.strip_prefix('/'),
        }
    }

    /// Where what was prepared for the place is, if it is not in it.
    ///
    /// # Errors
    /// Something is there that cannot be looked at.
    pub fn prepared(&self, place: &Place) -> io::Result<Option<PathBuf>> {
        let stage = self.stage(place);
        if id(&stage)? == Some(self.new) {
            return Ok(Some(stage));
        }
        // Where files have no numbers nothing is exchanged, and only the old one gets this name.
        let aside =
            Some(self.aside(place)).filter(|_| !self.aside.is_empty() && self.new != (0, 0));
        Ok(match aside {
            Some(aside) if id(&aside)? == Some(self.new) => Some(aside),
            _ => None,
        })
    }

    /// What its file was, if it is a file.
    pub(super) fn before(&self, files: &[FileState]) -> Option<Print> {
        let own = |file: &&FileState| {
            file.from
                .as_deref()
                .is_some_and(|name| self.below(name) == Some(""))
        };
        files
            .iter()
            .filter(|_| self.kind == Kind::File)
            .find(own)?
            .before
    }

    /// What its file became, if it is a file.
    pub(super) fn after(&self, files: &[FileState]) -> Option<Print> {
        let own = |file: &&FileState| {
            file.to
                .as_deref()
                .is_some_and(|name| self.below(name) == Some(""))
        };
        files
            .iter()
            .filter(|_| self.kind == Kind::File)
            .find(own)?
            .after
    }

    /// Is what was replaced, and is beside the place now, what it was when its change was planned, if it did not grow?
    ///
    /// # Errors
    /// It cannot be read.
    pub fn is_sound(&self, place: &Place, files: &[FileState]) -> io::Result<bool> {
        let Some(old) = self.replaced(place)? else {
            return Ok(true);
        };
        if id(&old)? != Some(self.old) {
            return Ok(false);
        }
        self.before(files)
            .map_or(Ok(true), |before| begins(&old, &before))
    }

    /// Does `path` hold the changed files of this unit as they were, or as they shall be?
    ///
    /// # Errors
    /// Something is there that cannot be read.
    pub fn holds(&self, files: &[FileState], path: &Path, side: Side) -> io::Result<bool> {
        // Every name that is in play, with what must be there: renames may hand names on from file to file.
        let mut want: BTreeMap<&str, Option<Print>> = BTreeMap::new();
        for file in files {
            let (here, print, gone) = match side {
                Side::Old => (&file.from, file.before, &file.to),
                Side::New => (&file.to, file.after, &file.from),
            };
            if let Some(name) = gone.as_deref().and_then(|name| self.below(name)) {
                want.entry(name).or_insert(None);
            }
            if let Some(name) = here.as_deref().and_then(|name| self.below(name)) {
                want.insert(name, print);
            }
        }
        for (name, print) in want {
            let path = if name.is_empty() {
                path.to_path_buf()
            } else {
                path.join(name)
            };
            if !has(&path, print)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// What is in the unit's place now: by the bytes of the changed files, else (somebody wrote since) by what became of
    /// what was prepared.
    ///
    /// # Errors
    /// Something is there that cannot be read.
    pub fn state(&self, place: &Place, files: &[FileState]) -> io::Result<State> {
        let path = self.path(place);
        let here = id(&path)?;
        for (side, state) in [(Side::New, State::New), (Side::Old, State::Old)] {
            if here.is_some() && self.holds(files, &path, side)? {
                return Ok(state);
            }
        }
        // Numbers of removed files are given out again, so that only what is still there proves something: what was prepared
        // has not been put in place as long as it lies beside it.
        let prepared = self.prepared(place)?.is_some();
        Ok(match (self.kind, here) {
            (Kind::Folder, None) => State::Gone,
            (_, Some(here)) if here == self.new && here != (0, 0) => State::New,
            _ if prepared => State::Old,
            (Kind::File, _) => State::New,
            (Kind::Folder, Some(_)) => State::Other,
        })
    }
}

/// Device and inode of what `path` names (a link itself); none: there is nothing.
pub(super) fn id(path: &Path) -> io::Result<Option<(u64, u64)>> {
    match fs::symlink_metadata(path) {
        Ok(meta) => Ok(Some(Stamp::of(&meta).place)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Does the file begin with these bytes?
///
/// # Errors
/// It cannot be read.
pub(crate) fn begins(path: &Path, print: &Print) -> io::Result<bool> {
    let (file, stamp) = disk::open_regular(path)?;
    if stamp.len < print.size {
        return Ok(false);
    }
    let (sum, _) = Checksum::of(&mut Window::new(Handle::Own(file), 0, print.size))?;
    Ok(sum == print.sha256)
}

/// Is there a file with these bytes, or, for `None`, nothing?
fn has(path: &Path, print: Option<Print>) -> io::Result<bool> {
    let there = id(path)?.is_some();
    let Some(print) = print.filter(|_| there) else {
        return Ok(there == print.is_some());
    };
    let (file, stamp) = disk::open_regular(path)?;
    if stamp.len != print.size {
        return Ok(false);
    }
    let (sum, _) = Checksum::of(&mut Window::new(Handle::Own(file), 0, stamp.len))?;
    Ok(sum == print.sha256)
}
