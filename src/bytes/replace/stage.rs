//! Prepares new bytes next to the originals, without changing those.

use super::beside::{clipped_name, lock_folder, private_folder, sweep, without_temp_name};
use super::change::{FileChange, Location};
use super::error::ReplaceError;
use super::late_writes::{FileSizes, file_sizes};
use super::plan::{PlannedUnit, plan};
use super::swap::SwapMethod;
use super::tree::{self, FolderCopy, FolderTree, Original};
use super::units::{self, FileListing, FileState, ReplaceUnit, UnitKind};
use super::{FILE_SUFFIX, NEW_SUFFIX, OLD_SUFFIX};
use crate::bytes::disk::{self, Stamp};
use crate::bytes::source::{Source, SourceShape};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// Prepared bytes. Dropping this removes them, unless [`disarm`](Self::disarm) was called.
pub(crate) struct Staged {
    pub(super) location: Location,
    pub(super) files: Vec<FileState>,
    pub(super) parts: Vec<StagedUnit>,
}

/// A prepared unit.
pub(super) struct StagedUnit {
    pub(super) unit: ReplaceUnit,
    pub(super) before: Before,
    /// Locks on the prepared file or folder and on an old folder: other processes must not treat
    /// them as leftovers.
    pub(super) locks: Vec<File>,
    pub(super) method: SwapMethod,
    /// The old file, opened before the replacement: it is still readable after it loses its name.
    pub(super) old: Option<File>,
    /// How many bytes of the old file the new one accounts for, changed or not.
    pub(super) seen: u64,
    /// What was in the new folder when it was prepared.
    pub(super) known: Option<FileSizes>,
    /// The new bytes are in place.
    pub(super) placed: bool,
    /// Dropping this removes what was prepared.
    armed: bool,
}

impl StagedUnit {
    fn new(unit: ReplaceUnit, before: Before) -> Self {
        Self {
            unit,
            before,
            locks: Vec::new(),
            method: SwapMethod::Exchange,
            old: None,
            seen: 0,
            known: None,
            placed: false,
            armed: true,
        }
    }
}

/// What a unit was when its new bytes were prepared.
pub(super) enum Before {
    File(Stamp),
    Folder(FolderTree),
}

impl Drop for Staged {
    fn drop(&mut self) {
        for part in self.parts.iter().filter(|part| part.armed) {
            // Failure is harmless: the next run finds a leftover by its name and removes it.
            let _ = remove(part.unit.kind, &part.unit.stage(&self.location));
        }
    }
}

fn remove(kind: UnitKind, path: &Path) -> io::Result<()> {
    match kind {
        UnitKind::File => fs::remove_file(path),
        UnitKind::Folder => fs::remove_dir_all(path),
    }
}

/// Prepares the changes of the transcript at `location`. Files that keep their bytes and name are
/// skipped; if no change is left, there are no units. `keep_mtime` keeps the modification times of
/// changed files.
///
/// # Errors
/// The changes cannot be made, or not without losing something: see [`ReplaceError`]. Nothing is
/// left behind.
pub(crate) fn stage(
    location: &Location,
    changes: &[FileChange<'_>],
    keep_mtime: bool,
) -> Result<Staged, ReplaceError> {
    let mut staged = Staged { location: location.clone(), files: Vec::new(), parts: Vec::new() };
    if location.folder {
        sweep(&location.path, None);
    }
    for PlannedUnit { kind, name, changes } in plan(location, changes)? {
        match (kind, &changes[..]) {
            (UnitKind::File, [change]) => staged.stage_file(name, change, keep_mtime)?,
            _ => staged.stage_folder(name, &changes, keep_mtime)?,
        }
    }
    Ok(staged)
}

impl Staged {
    fn stage_file(
        &mut self,
        name: String,
        change: &FileChange<'_>,
        keep_mtime: bool,
    ) -> Result<(), ReplaceError> {
        let path = self.location.file(&name);
        check_inside(&self.location, &path)?;
        let parent = parent(&path)?;
        sweep(parent, Some(&clipped_name(&path)));
        let original = Original::open(&path)?;
        let before = original.planned_fingerprint(&change.baseline)?;
        let prefix = format!(".{}.", clipped_name(&path));
        let temp = tempfile::Builder::new()
            .prefix(&prefix)
            .suffix(FILE_SUFFIX)
            .tempfile_in(parent)
            .map_err(without_temp_name);
        let temp = temp.map_err(ReplaceError::at(&path))?;
        // Best effort: without the lock, another run might remove the file as a leftover, and this
        // run would fail before it replaces anything. On Windows, a locked file could not be
        // verified.
        if cfg!(unix) {
            let _ = temp.as_file().try_lock();
        }
        let after = tree::write_file(
            temp.as_file(),
            temp.path(),
            change,
            Some(&original),
            None,
            keep_mtime,
        )?;
        if (before.sha256, before.size) == (after.sha256, after.size) {
            return Ok(());
        }
        temp.as_file().sync_all().map_err(ReplaceError::at(temp.path()))?;
        let new =
            Stamp::of(&temp.as_file().metadata().map_err(ReplaceError::at(temp.path()))?).file_id;
        let stage = temp.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
        let aside = format!("{}{OLD_SUFFIX}", stage.strip_suffix(FILE_SUFFIX).unwrap_or(&stage));
        let (file, _) = temp.keep().map_err(|error| ReplaceError::at(&path)(error.error))?;
        let unit = ReplaceUnit {
            kind: UnitKind::File,
            name,
            stage,
            aside,
            old: original.stamp.file_id,
            new,
            listing: None,
        };
        let mut part = StagedUnit::new(unit, Before::File(original.stamp));
        part.locks.push(file);
        part.old = Some(original.file);
        part.seen = before.size;
        self.parts.push(part);
        let (from, to) = (change.from.clone(), change.to.clone());
        self.files.push(FileState { from, to, before: Some(before), after: Some(after) });
        Ok(())
    }

    fn stage_folder(
        &mut self,
        name: String,
        changes: &[&FileChange<'_>],
        keep_mtime: bool,
    ) -> Result<(), ReplaceError> {
        let path = self.location.file(&name);
        check_inside(&self.location, &path)?;
        parent(&path)?;
        let stage = format!(".{}{NEW_SUFFIX}", clipped_name(&path));
        let aside = unused_name(&path).map_err(ReplaceError::at(&path))?;
        let new = path.with_file_name(&stage);
        let mut locks: Vec<File> = lock_folder(&path)?.into_iter().collect();
        if units::id(&new).map_err(ReplaceError::at(&new))?.is_some() {
            let lock = lock_folder(&new)?;
            fs::remove_dir_all(&new).map_err(ReplaceError::at(&new))?;
            drop(lock);
        }
        let was = units::id(&path).map_err(ReplaceError::at(&path))?.unwrap_or_default();
        let tree = tree::walk(&path)?;
        private_folder(&new).map_err(ReplaceError::at(&new))?;
        let unit = ReplaceUnit {
            kind: UnitKind::Folder,
            name,
            stage,
            aside,
            old: was,
            new: (0, 0),
            listing: None,
        };
        // From here on, dropping the part removes the folder if anything fails.
        self.parts.push(StagedUnit::new(unit, Before::Folder(tree)));
        let Some(part) = self.parts.last_mut() else {
            return Ok(());
        };
        part.unit.new = units::id(&new).map_err(ReplaceError::at(&new))?.unwrap_or_default();
        locks.extend(lock_folder(&new)?);
        part.locks = locks;
        let Before::Folder(tree) = &part.before else {
            return Ok(());
        };
        let below = |name: &str| part.unit.below(name).map(PathBuf::from);
        let build = FolderCopy {
            from: &path,
            tree,
            to: &new,
            below: &below,
            keep_mtime,
            keep_original: false,
        };
        let files = build.build(changes)?;
        let built = tree::walk(&new)?;
        part.unit.listing = Some(FileListing::of_tree(&built).map_err(ReplaceError::at(&new))?);
        part.known = Some(file_sizes(&built));
        let same = |file: &FileState| {
            let prints = file.before.zip(file.after);
            file.from == file.to
                && prints.is_some_and(|(a, b)| (a.sha256, a.size) == (b.sha256, b.size))
        };
        if files.iter().all(same) {
            let part = self.parts.pop();
            drop(Staged {
                location: self.location.clone(),
                files: Vec::new(),
                parts: part.into_iter().collect(),
            });
            return Ok(());
        }
        self.files.extend(files.into_iter().filter(|file| !same(file)));
        Ok(())
    }

    /// Whether there is nothing to replace.
    pub(crate) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    pub(crate) fn location(&self) -> &Location {
        &self.location
    }

    pub(crate) fn files(&self) -> &[FileState] {
        &self.files
    }

    /// The units, in the order of replacement.
    pub(crate) fn units(&self) -> impl ExactSizeIterator<Item = &ReplaceUnit> {
        self.parts.iter().map(|part| &part.unit)
    }

    /// The contents of the old and the new folder of unit number `at` (0-based); `None` if it is a
    /// file.
    pub(crate) fn file_sizes(&self, at: usize) -> Option<(FileSizes, FileSizes)> {
        match self.parts.get(at).map(|part| (&part.before, &part.known)) {
            Some((Before::Folder(tree), Some(known))) => Some((file_sizes(tree), known.clone())),
            _ => None,
        }
    }

    /// The transcript after the replacement, read from the prepared files. `file_sizes` are the names of
    /// all its entries.
    ///
    /// # Errors
    /// An entry does not exist.
    pub(crate) fn source(&self, file_sizes: Vec<String>) -> io::Result<Source> {
        let shape = if self.location.folder { SourceShape::Folder } else { SourceShape::File };
        Source::from_files(
            &self.location.path,
            shape,
            file_sizes
                .into_iter()
                .map(|name| {
                    let part = self
                        .parts
                        .iter()
                        .find_map(|part| Some((&part.unit, part.unit.below(&name)?)));
                    let path = match part {
                        _ if !self.location.folder => self
                            .parts
                            .first()
                            .map_or_else(PathBuf::new, |part| part.unit.stage(&self.location)),
                        Some((unit, "")) => unit.stage(&self.location),
                        Some((unit, below)) => unit.stage(&self.location).join(below),
                        None => self.location.file(&name),
                    };
                    (name, path)
                })
                .collect(),
        )
    }

    /// Checks that the originals are as they were when the new bytes were prepared. Reads the
    /// changed files again.
    ///
    /// # Errors
    /// [`ReplaceError::Changed`], or the files cannot be read.
    pub(crate) fn check_unchanged(&self) -> Result<(), ReplaceError> {
        for part in &self.parts {
            let path = part.unit.path(&self.location);
            check_same(&part.before, &path)?;
            let holds = part
                .unit
                .holds(&self.files, &path, units::Version::Old)
                .map_err(ReplaceError::at(&path))?;
            if !holds {
                return Err(ReplaceError::Changed(path));
            }
        }
        Ok(())
    }

    /// Keeps the prepared files when this is dropped, because the journal now knows of them.
    pub(crate) fn disarm(&mut self) {
        self.parts.iter_mut().for_each(|part| part.armed = false);
    }

    /// Replaces files with a second link and folders with two renames, as on systems that cannot
    /// exchange them.
    #[cfg(test)]
    pub(crate) fn without_exchange(&mut self) {
        self.parts.iter_mut().for_each(|part| part.method = SwapMethod::Link);
    }

    /// Replaces as on file systems without hard links.
    #[cfg(all(test, unix))]
    pub(crate) fn without_links(&mut self) {
        self.parts.iter_mut().for_each(|part| part.method = SwapMethod::Rename);
    }
}

/// Checks that the file or folder at `path` is unchanged.
fn check_same(before: &Before, path: &Path) -> Result<(), ReplaceError> {
    let same = match before {
        Before::File(stamp) => disk::stat_regular(path).map_err(ReplaceError::at(path))? == *stamp,
        Before::Folder(tree) => tree::walk(path)? == *tree,
    };
    if same { Ok(()) } else { Err(ReplaceError::Changed(path.to_path_buf())) }
}

/// An unused name next to `path`, for the file or folder after it was replaced.
fn unused_name(path: &Path) -> io::Result<String> {
    let prefix = format!(".{}.", clipped_name(path));
    let named = tempfile::Builder::new().prefix(&prefix).suffix(OLD_SUFFIX).make_in(
        path.parent().unwrap_or(path),
        |free| match units::id(free)? {
            Some(_) => Err(io::ErrorKind::AlreadyExists.into()),
            None => Ok(()),
        },
    )?;
    Ok(named.path().file_name().unwrap_or_default().to_string_lossy().into_owned())
}

/// Refuses to follow a symbolic link inside the transcript.
fn check_inside(location: &Location, path: &Path) -> Result<(), ReplaceError> {
    let real = fs::canonicalize(path).map_err(ReplaceError::at(path))?;
    let expected = if location.folder { path } else { &location.path };
    if real == expected { Ok(()) } else { Err(ReplaceError::Symlink(path.to_path_buf())) }
}

fn parent(path: &Path) -> Result<&Path, ReplaceError> {
    path.parent().ok_or_else(|| ReplaceError::Io {
        path: path.to_path_buf(),
        source: io::Error::new(io::ErrorKind::InvalidInput, "has no folder around it"),
    })
}
