//! Copies of folders with some files changed.

use super::attributes::{Attributes, copy_extended, links};
use super::change::{FileChange, NewContent, PlannedState};
use super::error::ReplaceError;
use super::flush::{self, Flush};
use super::is_prepared;
use super::units::{FileState, Fingerprint};
use crate::bytes::checksum::{Checksum, HashingWriter};
use crate::bytes::disk::{self, Handle, RangeReader, Stamp};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

/// Buffer size in bytes.
const BUFFER: usize = 256 << 10;

/// The content of a folder, by relative path; parents before children.
pub(super) type FolderTree = BTreeMap<PathBuf, TreeEntry>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TreeEntry {
    Folder,
    File(Stamp),
    /// A symbolic link and its target.
    Link(PathBuf),
}

/// Everything in the folder `root`, without following links. Leaves out what a run prepared there,
/// so that it is not copied.
pub(super) fn walk(root: &Path) -> Result<FolderTree, ReplaceError> {
    let mut tree = FolderTree::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        let at = root.join(&folder);
        for entry in fs::read_dir(&at).map_err(ReplaceError::at(&at))? {
            let entry = entry.map_err(ReplaceError::at(&at))?;
            let (path, below) = (entry.path(), folder.join(entry.file_name()));
            if is_prepared(&entry.file_name()) {
                continue;
            }
            let meta = fs::symlink_metadata(&path).map_err(ReplaceError::at(&path))?;
            let found = if meta.is_dir() {
                folders.push(below.clone());
                TreeEntry::Folder
            } else if meta.is_file() {
                TreeEntry::File(Stamp::of(&meta))
            } else if meta.is_symlink() {
                TreeEntry::Link(fs::read_link(&path).map_err(ReplaceError::at(&path))?)
            } else {
                return Err(ReplaceError::Special(path));
            };
            tree.insert(below, found);
        }
    }
    Ok(tree)
}

/// A copy of a folder with some files changed.
pub(super) struct FolderCopy<'b> {
    pub(super) from: &'b Path,
    pub(super) tree: &'b FolderTree,
    /// The new folder, which exists and is empty.
    pub(super) to: &'b Path,
    /// The relative path for an entry name; `None` if the entry is not in the folder.
    pub(super) below: &'b dyn Fn(&str) -> Option<PathBuf>,
    /// Keep the modification time of changed files.
    pub(super) keep_mtime: bool,
    /// The old folder stays, so links may be copied and the owner need not be kept.
    pub(super) keep_original: bool,
}

impl FolderCopy<'_> {
    /// Builds the copy and flushes it to disk. Returns the states of the changed files before and
    /// after.
    pub(super) fn build(
        &self,
        changes: &[&FileChange<'_>],
    ) -> Result<Vec<FileState>, ReplaceError> {
        let flush = Flush::for_files(self.tree.len().saturating_add(changes.len()));
        let moved: BTreeSet<PathBuf> =
            changes.iter().filter_map(|change| self.named(&change.from)).collect();
        let mut folders = vec![PathBuf::new()];
        for (path, found) in self.tree {
            let (old, new) = (self.from.join(path), self.to.join(path));
            match found {
                TreeEntry::Folder => {
                    fs::create_dir(&new).map_err(ReplaceError::at(&new))?;
                    folders.push(path.clone());
                }
                TreeEntry::Link(_) if moved.contains(path) && !self.keep_original => {
                    return Err(ReplaceError::Symlink(old));
                }
                TreeEntry::File(_) | TreeEntry::Link(_) if moved.contains(path) => {}
                TreeEntry::Link(target) => link(target, &new)?,
                TreeEntry::File(_) => self.copy(&old, &new, flush)?,
            }
        }
        let states =
            changes.iter().map(|change| self.change(change, flush)).collect::<Result<_, _>>()?;
        self.finish_folders(&folders, flush)?;
        Ok(states)
    }

    fn named(&self, name: &Option<String>) -> Option<PathBuf> {
        name.as_deref().and_then(self.below)
    }

    fn open(&self, path: &Path) -> Result<Original, ReplaceError> {
        if self.keep_original { Original::for_copy(path) } else { Original::open(path) }
    }

    fn change(&self, change: &FileChange<'_>, flush: Flush) -> Result<FileState, ReplaceError> {
        let original =
            self.named(&change.from).map(|path| self.open(&self.from.join(path))).transpose()?;
        // A copy is of what was read, whatever was written since.
        let print = |original: &Original| {
            if self.keep_original {
                original.fingerprint()
            } else {
                original.planned_fingerprint(&change.baseline)
            }
        };
        let before = original.as_ref().map(print).transpose()?;
        let mut after = None;
        if let Some(path) = self.named(&change.to) {
            let new = self.to.join(&path);
            let folder = new.parent().unwrap_or(self.to);
            fs::create_dir_all(folder).map_err(ReplaceError::at(folder))?;
            let file =
                OpenOptions::new().write(true).create_new(true).open(&new).map_err(|error| {
                    match error.kind() {
                        io::ErrorKind::AlreadyExists => {
                            ReplaceError::Name(change.to.clone().unwrap_or_default())
                        }
                        _ => ReplaceError::Io { path: new.clone(), source: error },
                    }
                })?;
            let default_attributes = if original.is_some() { None } else { self.sibling(&path) };
            let print = write_file(
                &file,
                &new,
                change,
                original.as_ref(),
                default_attributes,
                self.keep_mtime,
            )?;
            // A file with the same bytes and name has not changed, so it keeps its time.
            if let Some(was) = before.filter(|was| {
                change.is_plain() && ((was.sha256, was.size) == (print.sha256, print.size))
            }) {
                was.attributes.set_time(&file).map_err(ReplaceError::at(&new))?;
            }
            after = Some(print);
            flush.file(&file).map_err(ReplaceError::at(&new))?;
        }
        Ok(FileState { from: change.from.clone(), to: change.to.clone(), before, after })
    }

    /// Mode and owner for a new file, from an old file in the same folder.
    fn sibling(&self, path: &Path) -> Option<Attributes> {
        let (found, _) = self.tree.iter().find(|(at, found)| {
            at.parent() == path.parent() && matches!(found, TreeEntry::File(_))
        })?;
        Some(
            Attributes::of(&fs::metadata(self.from.join(found)).ok()?).for_copy(self.keep_original),
        )
    }

    /// Copies an unchanged file, with its modification time.
    fn copy(&self, old: &Path, new: &Path, flush: Flush) -> Result<(), ReplaceError> {
        let mut original = self.open(old)?;
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(new)
            .map_err(ReplaceError::at(new))?;
        // From file to file, so that the system may share blocks instead of copying them.
        io::copy(&mut original.file, &mut file).map_err(ReplaceError::at(new))?;
        copy_extended(&original.file, &file);
        original.attributes.set_on(&file).map_err(|error| original.attributes.error(error, old))?;
        original.attributes.set_time(&file).map_err(ReplaceError::at(new))?;
        flush.file(&file).map_err(ReplaceError::at(new))
    }

    /// Sets modes, owners and extended attributes of the folders, deepest first: a folder that
    /// becomes read-only must be done last.
    fn finish_folders(&self, folders: &[PathBuf], flush: Flush) -> Result<(), ReplaceError> {
        if cfg!(unix) {
            for folder in folders.iter().rev() {
                let (old, new) = (self.from.join(folder), self.to.join(folder));
                let was = File::open(&old).map_err(ReplaceError::at(&old))?;
                let now = File::open(&new).map_err(ReplaceError::at(&new))?;
                let attributes = Attributes::of(&was.metadata().map_err(ReplaceError::at(&old))?);
                attributes
                    .for_copy(self.keep_original)
                    .set_on(&now)
                    .map_err(|error| attributes.error(error, &old))?;
                copy_extended(&was, &now);
                now.sync_all().map_err(ReplaceError::at(&new))?;
            }
            let top = File::open(self.to).map_err(ReplaceError::at(self.to))?;
            flush.end(&top).map_err(ReplaceError::at(self.to))?;
        }
        flush::sync_beside(self.to).map_err(ReplaceError::at(self.to))
    }
}

/// A file to be replaced or copied.
pub(super) struct Original {
    pub(super) path: PathBuf,
    pub(super) file: File,
    pub(super) stamp: Stamp,
    pub(super) attributes: Attributes,
}

impl Original {
    /// Opens a file to be replaced, and refuses one with several hard links.
    pub(super) fn open(path: &Path) -> Result<Self, ReplaceError> {
        Self::open_as(path, false)
    }

    /// Opens a file to be copied: hard links do not matter, and the owner is not kept.
    pub(super) fn for_copy(path: &Path) -> Result<Self, ReplaceError> {
        Self::open_as(path, true)
    }

    fn open_as(path: &Path, copy: bool) -> Result<Self, ReplaceError> {
        let (file, stamp) = disk::open_regular(path).map_err(ReplaceError::at(path))?;
        let meta = file.metadata().map_err(ReplaceError::at(path))?;
        if links(&meta) > 1 && !copy {
            return Err(ReplaceError::Linked(path.to_path_buf()));
        }
        Ok(Self {
            path: path.to_path_buf(),
            file,
            stamp,
            attributes: Attributes::of(&meta).for_copy(copy),
        })
    }

    fn reader(&self) -> RangeReader<'_> {
        RangeReader::new(Handle::Kept(&self.file), 0, self.stamp.len)
    }

    /// Fingerprint of the file, or an error if it is not in the state that its change was planned
    /// on.
    pub(super) fn planned_fingerprint(
        &self,
        baseline: &PlannedState,
    ) -> Result<Fingerprint, ReplaceError> {
        let changed = || ReplaceError::Changed(self.path.clone());
        if baseline.stamp.as_ref().is_some_and(|stamp| *stamp != self.stamp) {
            return Err(changed());
        }
        let print = self.fingerprint()?;
        match baseline.sha256 {
            Some(sum) if sum != print.sha256 => Err(changed()),
            _ => Ok(print),
        }
    }

    pub(super) fn fingerprint(&self) -> Result<Fingerprint, ReplaceError> {
        let (sha256, size) =
            Checksum::of(&mut self.reader()).map_err(ReplaceError::at(&self.path))?;
        Ok(Fingerprint { sha256, size, attributes: self.attributes })
    }
}

/// Writes the bytes of `change` into `file` (at `path`) and sets its attributes. A file without an
/// original gets the attributes `default_attributes`.
pub(super) fn write_file(
    file: &File,
    path: &Path,
    change: &FileChange<'_>,
    original: Option<&Original>,
    default_attributes: Option<Attributes>,
    keep_mtime: bool,
) -> Result<Fingerprint, ReplaceError> {
    let at = || ReplaceError::at(path);
    let mut reader: Box<dyn Read + '_> = match (change.content, original) {
        (NewContent::Entry(entries, id) | NewContent::Packed(entries, id, _), _) => {
            entries.open(id).map_err(at())?
        }
        (NewContent::File(from), _) => {
            let (from, stamp) = disk::open_regular(from).map_err(ReplaceError::at(from))?;
            Box::new(RangeReader::new(Handle::Own(from), 0, stamp.len))
        }
        (NewContent::Same, Some(original)) => Box::new(original.reader()),
        (NewContent::Same, None) => Box::new(io::empty()),
    };
    let mut writer = BufWriter::with_capacity(BUFFER, HashingWriter::new(file));
    match change.content {
        NewContent::Packed(.., codec) => codec.pack(&mut *reader, &mut writer),
        _ => io::copy(&mut reader, &mut writer).map(|_| ()),
    }
    .map_err(at())?;
    writer.flush().map_err(at())?;
    let (sum, _) = writer.into_parts();
    let (sha256, size) = sum.finish();

    let was = original.map(|original| original.attributes);
    let wanted = change.attributes.or(was).or(default_attributes).unwrap_or_default();
    if let Some(original) = original {
        copy_extended(&original.file, file);
    }
    change.extended.iter().for_each(|attribute| attribute.set_on(file));
    wanted.set_on(file).map_err(|error| wanted.error(error, path))?;
    let moved_only = matches!(change.content, NewContent::Same);
    if change.attributes.is_some() || (was.is_some() && (keep_mtime || moved_only)) {
        wanted.set_time(file).map_err(at())?;
    }
    let attributes = Attributes::of(&file.metadata().map_err(at())?);
    Ok(Fingerprint { sha256, size, attributes })
}

#[cfg(unix)]
fn link(target: &Path, new: &Path) -> Result<(), ReplaceError> {
    std::os::unix::fs::symlink(target, new).map_err(ReplaceError::at(new))
}

#[cfg(not(unix))]
fn link(_: &Path, new: &Path) -> Result<(), ReplaceError> {
    Err(ReplaceError::Symlink(new.to_path_buf()))
}
