//! Everything prepared beside the originals, nothing changed yet.

use super::beside::{clipped, lock_folder, nameless, private_folder, sweep};
use super::change::{Change, Place};
use super::error::ReplaceError;
use super::plan::{Planned, plan};
use super::tree::{self, Build, Original, Tree};
use super::units::{self, FileState, Kind, Listing, Unit};
use super::{FILE_SUFFIX, NEW_SUFFIX, OLD_SUFFIX};
use crate::bytes::disk::{self, Stamp};
use crate::bytes::source::{Shape, Source};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// New bytes, prepared beside the old ones. Dropped before [`disarm`](Self::disarm), it removes what it prepared.
pub struct Staged {
    pub(super) place: Place,
    pub(super) files: Vec<FileState>,
    pub(super) parts: Vec<Part>,
}

/// A prepared unit.
pub(super) struct Part {
    pub(super) unit: Unit,
    pub(super) before: Before,
    /// Locks on what is prepared and, of a folder, on the old one: they tell other processes that it is no leftover.
    pub(super) locks: Vec<File>,
    /// Two renames instead of an exchange.
    pub(super) renames: bool,
    armed: bool,
}

/// What a unit was when its new bytes were prepared.
pub(super) enum Before {
    File(Stamp),
    Folder(Tree),
}

impl Drop for Staged {
    fn drop(&mut self) {
        for part in self.parts.iter().filter(|part| part.armed) {
            // Nothing depends on it: a leftover is found by its name and removed by the next run.
            let _ = remove(part.unit.kind, &part.unit.stage(&self.place));
        }
    }
}

fn remove(kind: Kind, path: &Path) -> io::Result<()> {
    match kind {
        Kind::File => fs::remove_file(path),
        Kind::Folder => fs::remove_dir_all(path),
    }
}

/// Prepares the changes of the recording at `place`. Files whose bytes and name stay as they are are left out; without any
/// change left there are no units. `keep_mtime`: changed files keep their time.
///
/// # Errors
/// It cannot be done, or not without losing something: see [`ReplaceError`]. Nothing is left behind.
pub fn stage(place: &Place, changes: &[Change<'_>], keep_mtime: bool) -> Result<Staged, ReplaceError> {
    let mut staged = Staged { place: place.clone(), files: Vec::new(), parts: Vec::new() };
    if place.folder {
        sweep(&place.path, None);
    }
    for Planned { kind, name, changes } in plan(place, changes)? {
        match (kind, &changes[..]) {
            (Kind::File, [change]) => staged.file(name, change, keep_mtime)?,
            _ => staged.folder(name, &changes, keep_mtime)?,
        }
    }
    Ok(staged)
}

impl Staged {
    fn file(&mut self, name: String, change: &Change<'_>, keep_mtime: bool) -> Result<(), ReplaceError> {
        let path = self.place.file(&name);
        inside(&self.place, &path)?;
        let parent = parent(&path)?;
        sweep(parent, Some(&clipped(&path)));
        let original = Original::open(&path)?;
        let before = original.print()?;
        let prefix = format!(".{}.", clipped(&path));
        let temp = tempfile::Builder::new()
            .prefix(&prefix)
            .suffix(FILE_SUFFIX)
            .tempfile_in(parent)
            .map_err(nameless);
        let temp = temp.map_err(ReplaceError::at(&path))?;
        // Best effort: without a lock another process might take it for a leftover, and ours then fails before it replaces. On
        // Windows a locked file could not be verified.
        if cfg!(unix) {
            let _ = temp.as_file().try_lock();
        }
        let after = tree::fill(temp.as_file(), temp.path(), change, Some(&original), None, keep_mtime)?;
        if (before.sha256, before.size) == (after.sha256, after.size) {
            return Ok(());
        }
        temp.as_file().sync_all().map_err(ReplaceError::at(temp.path()))?;
        let new = Stamp::of(&temp.as_file().metadata().map_err(ReplaceError::at(temp.path()))?).place;
        let stage = temp.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (file, _) = temp.keep().map_err(|error| ReplaceError::at(&path)(error.error))?;
        let unit = Unit {
            kind: Kind::File,
            name,
            stage,
            aside: String::new(),
            old: original.stamp.place,
            new,
            listing: None,
        };
        let before_state = Before::File(original.stamp);
        self.parts.push(Part { unit, before: before_state, locks: vec![file], renames: false, armed: true });
        let (from, to) = (change.from.clone(), change.to.clone());
        self.files.push(FileState { from, to, before: Some(before), after: Some(after) });
        Ok(())
    }

    fn folder(
        &mut self,
        name: String,
        changes: &[&Change<'_>],
        keep_mtime: bool,
    ) -> Result<(), ReplaceError> {
        let path = self.place.file(&name);
        inside(&self.place, &path)?;
        parent(&path)?;
        let beside = |suffix: &str| format!(".{}{suffix}", clipped(&path));
        let (stage, aside) = (beside(NEW_SUFFIX), beside(OLD_SUFFIX));
        let (new, old) = (path.with_file_name(&stage), path.with_file_name(&aside));
        let mut locks: Vec<File> = lock_folder(&path)?.into_iter().collect();
        if units::id(&old).map_err(ReplaceError::at(&old))?.is_some() {
            return Err(ReplaceError::Leftover(old));
        }
        if units::id(&new).map_err(ReplaceError::at(&new))?.is_some() {
            let lock = lock_folder(&new)?;
            fs::remove_dir_all(&new).map_err(ReplaceError::at(&new))?;
            drop(lock);
        }
        let was = units::id(&path).map_err(ReplaceError::at(&path))?.unwrap_or_default();
        let tree = tree::walk(&path)?;
        private_folder(&new).map_err(ReplaceError::at(&new))?;
        let unit = Unit { kind: Kind::Folder, name, stage, aside, old: was, new: (0, 0), listing: None };
        // From here on the part removes the folder, should anything fail.
        let part =
            Part { unit, before: Before::Folder(tree), locks: Vec::new(), renames: false, armed: true };
        self.parts.push(part);
        let Some(part) = self.parts.last_mut() else { return Ok(()) };
        part.unit.new = units::id(&new).map_err(ReplaceError::at(&new))?.unwrap_or_default();
        locks.extend(lock_folder(&new)?);
        part.locks = locks;
        let Before::Folder(tree) = &part.before else { return Ok(()) };
        let below = |name: &str| part.unit.below(name).map(PathBuf::from);
        let build = Build { from: &path, tree, to: &new, below: &below, keep_mtime, aside: false };
        let files = build.run(changes)?;
        part.unit.listing = Some(Listing::of(&new)?);
        let same = |file: &FileState| {
            let prints = file.before.zip(file.after);
            file.from == file.to && prints.is_some_and(|(a, b)| (a.sha256, a.size) == (b.sha256, b.size))
        };
        if files.iter().all(same) {
            let part = self.parts.pop();
            drop(Staged { place: self.place.clone(), files: Vec::new(), parts: part.into_iter().collect() });
            return Ok(());
        }
        self.files.extend(files.into_iter().filter(|file| !same(file)));
        Ok(())
    }

    /// Is there nothing to do?
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The place that is replaced.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// The changed files.
    pub fn files(&self) -> &[FileState] {
        &self.files
    }

    /// What is replaced, in this order.
    pub fn units(&self) -> impl ExactSizeIterator<Item = &Unit> {
        self.parts.iter().map(|part| &part.unit)
    }

    /// The recording as it will be, read from where the new bytes lie. `names`: all its entries as they will be.
    ///
    /// # Errors
    /// An entry is not there.
    pub fn source(&self, names: Vec<String>) -> io::Result<Source> {
        let found = |name: String| {
            let part = self.parts.iter().find_map(|part| Some((&part.unit, part.unit.below(&name)?)));
            let path = match part {
                _ if !self.place.folder => {
                    self.parts.first().map_or_else(PathBuf::new, |part| part.unit.stage(&self.place))
                }
                Some((unit, "")) => unit.stage(&self.place),
                Some((unit, below)) => unit.stage(&self.place).join(below),
                None => self.place.file(&name),
            };
            (name, path)
        };
        let shape = if self.place.folder { Shape::Folder } else { Shape::File };
        Source::listed(&self.place.path, shape, names.into_iter().map(found).collect())
    }

    /// Are the originals what they were when the new bytes were prepared? Reads the changed files once more.
    ///
    /// # Errors
    /// [`ReplaceError::Changed`], or they cannot be read.
    pub fn unchanged(&self) -> Result<(), ReplaceError> {
        for part in &self.parts {
            let path = part.unit.path(&self.place);
            same_as(&part.before, &path)?;
            let holds =
                part.unit.holds(&self.files, &path, units::Side::Old).map_err(ReplaceError::at(&path))?;
            if !holds {
                return Err(ReplaceError::Changed(path));
            }
        }
        Ok(())
    }

    /// From now on what was prepared is not removed when this is dropped: the journal knows of it.
    pub fn disarm(&mut self) {
        self.parts.iter_mut().for_each(|part| part.armed = false);
    }

    /// Replaces folders by two renames, as where the system cannot exchange them.
    #[cfg(test)]
    pub(crate) fn without_exchange(&mut self) {
        self.parts.iter_mut().for_each(|part| part.renames = true);
    }
}

/// Is what is at `path` still what it was?
pub(super) fn same_as(before: &Before, path: &Path) -> Result<(), ReplaceError> {
    let same = match before {
        Before::File(stamp) => disk::stat_regular(path).map_err(ReplaceError::at(path))? == *stamp,
        Before::Folder(tree) => tree::walk(path)? == *tree,
    };
    if same { Ok(()) } else { Err(ReplaceError::Changed(path.to_path_buf())) }
}

/// Refuses what a symbolic link inside the recording leads to.
fn inside(place: &Place, path: &Path) -> Result<(), ReplaceError> {
    let real = fs::canonicalize(path).map_err(ReplaceError::at(path))?;
    let expected = if place.folder { path } else { &place.path };
    if real == expected { Ok(()) } else { Err(ReplaceError::Symlink(path.to_path_buf())) }
}

fn parent(path: &Path) -> Result<&Path, ReplaceError> {
    path.parent().ok_or_else(|| ReplaceError::Io {
        path: path.to_path_buf(),
        source: io::Error::new(io::ErrorKind::InvalidInput, "has no folder around it"),
    })
}
