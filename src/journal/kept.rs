//! Replaced files and folders, kept because a process that had one open may have written to it
//! later.
//!
//! A copy of the old bytes would not have those writes. So the old file or folder itself is moved
//! into the journal or, if that is on another file system, stays hidden next to the transcript.

use super::log::{LogEntry, OperationStatus, private_folder};
use super::record::{Operation, OperationHead};
use super::{Journal, blob};
use crate::bytes::checksum::Checksum;
use crate::bytes::disk::{self, Handle, RangeReader};
use crate::bytes::edit::Edit;
use crate::bytes::patch::Patch;
use crate::bytes::replace::{self, FileSizes, ReplaceUnit, UnitKind, sync_folder};
use crate::bytes::source::{Entries, Source, SourceShape, Span};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Name of the folder in the journal.
const FOLDER: &str = "kept";

/// A replaced file or folder, or one that was in place until the old one was put back.
#[derive(Clone, Debug)]
pub struct KeptOriginal {
    /// Number of the operation that replaced it.
    pub op: u64,
    /// Time of the operation.
    pub time: SystemTime,
    /// Path of the transcript.
    pub recording: PathBuf,
    /// Where the kept file or folder is now.
    pub path: PathBuf,
    /// The path that it had.
    pub of: PathBuf,
    /// What was written to it later and is not in the transcript.
    pub late: LateContent,
    /// Path of the list of files it had, if it is a folder.
    names: PathBuf,
}

/// What was written to a replaced file or folder later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LateContent {
    /// Nothing that is missing from the transcript.
    Nothing,
    /// Lines after the first `from` bytes.
    Lines {
        /// Offset of the first line.
        from: u64,
        /// Number of lines that are missing from the transcript.
        lines: u64,
        /// Total size of those lines in bytes.
        bytes: u64,
    },
    /// Files that are missing from the transcript, by their paths relative to the folder.
    Files(Vec<PathBuf>),
    /// Changed bytes.
    Other,
}

/// An item in the file list of a folder.
#[derive(Serialize, Deserialize)]
struct ListedFile {
    name: PathJson,
    size: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(transparent)]
struct PathJson(#[serde(with = "blob::path")] PathBuf);

/// Where the old or new file or folder of a unit is kept.
fn kept_path(journal: &Journal, op: u64, at: usize, is_new: bool) -> PathBuf {
    let end = if is_new { "-new" } else { "" };
    journal.root.join(FOLDER).join(format!("{op}-{at}{end}"))
}

fn list_path(journal: &Journal, op: u64, at: usize, is_new: bool) -> PathBuf {
    let mut path = kept_path(journal, op, at, is_new).into_os_string();
    path.push(".names");
    path.into()
}

/// Stores the file lists of the old and the new folder of a unit, to recognize files that are added
/// later.
pub(super) fn remember(
    journal: &Journal,
    op: u64,
    at: usize,
    names: &(FileSizes, FileSizes),
) -> io::Result<()> {
    private_folder(&journal.root.join(FOLDER))?;
    for (names, is_new) in [(&names.0, false), (&names.1, true)] {
        let listed =
            names.iter().map(|(name, &size)| ListedFile { name: PathJson(name.clone()), size });
        let bytes = serde_json::to_vec(&listed.collect::<Vec<_>>())?;
        fs::write(list_path(journal, op, at, is_new), bytes)?;
    }
    Ok(())
}

/// The files of a unit's new folder when it was prepared.
pub(super) fn names(journal: &Journal, op: u64, at: usize) -> Option<FileSizes> {
    read_names(&list_path(journal, op, at, true))
}

fn read_names(path: &Path) -> Option<FileSizes> {
    let listed: Vec<ListedFile> = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
    Some(listed.into_iter().map(|listed| (listed.name.0, listed.size)).collect())
}

/// Moves the replaced files and folders of an operation into the journal. What cannot be moved
/// stays, and is found where it is.
pub(super) fn keep(journal: &Journal, operation: &Operation) {
    for (at, unit) in operation.units.iter().enumerate() {
        let Ok(Some((beside, is_new))) = unit.beside(&operation.head.place) else {
            continue;
        };
        let to = kept_path(journal, operation.head.op, at, is_new);
        let moved =
            private_folder(&journal.root.join(FOLDER)).and_then(|()| fs::rename(&beside, &to));
        if moved.is_ok() {
            // If a power loss undoes the rename, the file is found under its old name.
            let _ = sync_folder(&journal.root.join(FOLDER));
        }
        // The list of the other folder is not needed anymore.
        let _ = fs::remove_file(list_path(journal, operation.head.op, at, !is_new));
    }
}

/// Removes the replaced files and folders of an operation.
pub(super) fn remove(operation: &Operation) -> io::Result<()> {
    for unit in &operation.units {
        if let Some((beside, _)) = unit.beside(&operation.head.place)? {
            remove_path(&beside)?;
        }
    }
    Ok(())
}

fn remove_path(path: &Path) -> io::Result<()> {
    if fs::symlink_metadata(path)?.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    }
}

impl Journal {
    /// The kept files and folders of transcripts that `is_meant` names by their paths, with late
    /// writes to them.
    ///
    /// # Errors
    /// The journal exists and cannot be read.
    pub fn kept(&self, is_meant: &dyn Fn(&Path) -> bool) -> io::Result<Vec<KeptOriginal>> {
        let mut all = Vec::new();
        for entry in self.operations()? {
            if entry.status != OperationStatus::Unfinished
                && is_meant(&entry.head.place.path)
                && let Some(operation) = self.states(&entry)?
            {
                self.kept_of(&operation, &mut all);
            }
        }
        Ok(all)
    }

    /// What an operation replaced and could not move, because the journal is on another file system: it is still next to the
    /// transcript.
    ///
    /// # Errors
    /// The journal exists and cannot be read.
    pub(crate) fn left_beside(&self, op: u64) -> io::Result<Vec<KeptOriginal>> {
        let mut all = Vec::new();
        if fs::symlink_metadata(kept_path(self, op, 0, false)).is_ok() {
            return Ok(all);
        }
        let entries = self.operations()?;
        // What is not finished may need it.
        let own =
            |entry: &&LogEntry| entry.head.op == op && entry.status != OperationStatus::Unfinished;
        if let Some(entry) = entries.iter().rev().find(own)
            && let Some(operation) = self.states(entry)?
        {
            self.kept_of(&operation, &mut all);
        }
        all.retain(|kept| self.is_beside(kept));
        Ok(all)
    }

    /// Whether it is still next to its transcript.
    pub(crate) fn is_beside(&self, kept: &KeptOriginal) -> bool {
        !kept.path.starts_with(&self.root)
    }

    fn kept_of(&self, operation: &Operation, all: &mut Vec<KeptOriginal>) {
        let OperationHead { op, place, .. } = &operation.head;
        let time = operation.head.time.parse::<jiff::Timestamp>().unwrap_or_default();
        let time = SystemTime::try_from(time).unwrap_or(SystemTime::UNIX_EPOCH);
        for (at, unit) in operation.units.iter().enumerate() {
            let mut found: Vec<(PathBuf, bool)> = [false, true]
                .map(|is_new| (kept_path(self, *op, at, is_new), is_new))
                .into_iter()
                .filter(|(path, _)| fs::symlink_metadata(path).is_ok())
                .collect();
            found.extend(unit.beside(place).unwrap_or_default());
            for (path, is_new) in found {
                let names = list_path(self, *op, at, is_new);
                let late = late(operation, unit, &path, is_new, read_names(&names))
                    .unwrap_or(LateContent::Other);
                all.push(KeptOriginal {
                    op: *op,
                    time,
                    recording: place.path.clone(),
                    path,
                    of: unit.path(place),
                    late,
                    names,
                });
            }
        }
    }

    /// A patch that adds the late writes in a kept file or folder to the transcript. `None` if they
    /// cannot be added: a last line is incomplete, or another file has the name.
    ///
    /// # Errors
    /// The kept file or folder cannot be read.
    pub fn late_content_patch(
        &self,
        kept: &KeptOriginal,
        source: &Source,
    ) -> io::Result<Option<Patch>> {
        let below = kept.of.strip_prefix(&kept.recording).map_err(io::Error::other)?;
        let edits = match &kept.late {
            LateContent::Lines { from, .. } => append_lines(kept, *from, source, below)?,
            LateContent::Files(files) => create_files(kept, files, below)?,
            LateContent::Nothing | LateContent::Other => None,
        };
        edits.map(|edits| Patch::new(edits).map_err(io::Error::other)).transpose()
    }

    /// Removes a kept file or folder that has no late writes.
    ///
    /// # Errors
    /// It cannot be removed, or has late writes that are missing from the transcript.
    pub fn remove_kept(&self, kept: &KeptOriginal) -> io::Result<()> {
        if kept.late != LateContent::Nothing {
            return Err(io::Error::other("something was added to it later"));
        }
        remove_path(&kept.path)?;
        if fs::symlink_metadata(&kept.names).is_ok() {
            fs::remove_file(&kept.names)
        } else {
            Ok(())
        }
    }
}

/// The late writes in a kept file or folder.
fn late(
    operation: &Operation,
    unit: &ReplaceUnit,
    path: &Path,
    is_new: bool,
    names: Option<FileSizes>,
) -> io::Result<LateContent> {
    let here = unit.path(&operation.head.place);
    if unit.kind == UnitKind::Folder {
        let Some(names) = names else {
            return Ok(LateContent::Other);
        };
        let files = replace::new_files(path, &names).map_err(io::Error::other)?;
        let files: Vec<PathBuf> = files
            .into_iter()
            .filter(|file| !have_same_content(&path.join(file), &here.join(file)).unwrap_or(false))
            .collect();
        return Ok(if files.is_empty() { LateContent::Nothing } else { LateContent::Files(files) });
    }
    let states = operation.states();
    let own = |name: &Option<String>| name.as_deref().and_then(|name| unit.below(name)).is_some();
    let print = if is_new {
        states.iter().find(|state| own(&state.to)).and_then(|state| state.after)
    } else {
        states.iter().find(|state| own(&state.from)).and_then(|state| state.before)
    };
    let Some(print) = print else {
        return Ok(LateContent::Other);
    };
    let (file, stamp) = disk::open_regular(path)?;
    if stamp.len == print.size {
        return Ok(LateContent::Nothing);
    }
    if stamp.len < print.size || !replace::starts_with(path, &print)? {
        return Ok(LateContent::Other);
    }
    let mut tail = RangeReader::new(Handle::Own(file), print.size, stamp.len);
    let missing_lines = match disk::open_regular(&here) {
        Ok((file, stamp)) => replace::missing_lines(
            &mut tail,
            &mut RangeReader::new(Handle::Own(file), 0, stamp.len),
        )?,
        Err(_) => replace::missing_lines(&mut tail, &mut io::empty())?,
    };
    let lines = missing_lines.split_inclusive(|&byte| byte == b'\n').count() as u64;
    Ok(match lines {
        0 => LateContent::Nothing,
        _ => LateContent::Lines { from: print.size, lines, bytes: missing_lines.len() as u64 },
    })
}

fn append_lines(
    kept: &KeptOriginal,
    from: u64,
    source: &Source,
    below: &Path,
) -> io::Result<Option<Vec<Edit>>> {
    let entry = match source.shape() {
        SourceShape::Folder => below.to_str().and_then(|name| source.find(name)),
        _ => source.ids().first().copied().filter(|_| source.packed().is_none()),
    };
    let Some(entry) = entry else { return Ok(None) };
    let (file, stamp) = disk::open_regular(&kept.path)?;
    let mut tail = RangeReader::new(Handle::Own(file), from, stamp.len);
    let missing_lines = replace::missing_lines(&mut tail, &mut *source.open(entry)?)?;
    let end = source.len(entry);
    let last = source.fetch(Span::new(entry, end.saturating_sub(1), end))?;
    if !missing_lines.ends_with(b"\n") || !(last.is_empty() || last == b"\n") {
        return Ok(None);
    }
    Ok(Some(vec![Edit::bytes(Span { entry, start: end, end }, missing_lines)]))
}

fn create_files(
    kept: &KeptOriginal,
    files: &[PathBuf],
    below: &Path,
) -> io::Result<Option<Vec<Edit>>> {
    let mut edits = Vec::with_capacity(files.len());
    for file in files {
        let name = below.join(file);
        let Some(name) = name.to_str().filter(|_| !kept.of.join(file).exists()) else {
            return Ok(None);
        };
        let mut bytes = Vec::new();
        io::Read::read_to_end(&mut disk::open_regular(&kept.path.join(file))?.0, &mut bytes)?;
        edits.push(Edit::Create { name: name.replace('\\', "/"), bytes });
    }
    Ok(Some(edits))
}

/// Whether two files have the same content.
fn have_same_content(a: &Path, b: &Path) -> io::Result<bool> {
    let sum = |path: &Path| Checksum::of(&mut disk::open_regular(path)?.0);
    Ok(sum(a)? == sum(b)?)
}
