//! Undoes operations.

use super::difference::{DifferenceKind, UndoDifference, compare, differences};
use super::originals::Originals;
use super::record::{FileRecord, Operation};
use super::running::{CompletedStep, RunningOperation};
use super::write::{WriteCheck, WriteError, WriteOptions};
use super::{Journal, log};
use crate::bytes::checksum::Checksum;
use crate::bytes::disk;
use crate::bytes::edit::Edit;
use crate::bytes::overlay::Overlay;
use crate::bytes::patch::Patch;
use crate::bytes::replace::Existing;
use crate::bytes::replace::{
    self, FileChange, FileState, Location, NewContent, PlannedState, ReplaceError,
};
use crate::bytes::source::{Entries, EntryId, Source, Span};
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why an operation was not undone. Nothing was written, unless the variant says so.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum UndoError {
    #[error("no operation {0} (see undo --list)")]
    Unknown(u64),
    /// The operation failed or is not finished.
    #[error("operation {0} was not done")]
    NotDone(u64),
    /// The operation is an undo. To undo that, repair again.
    #[error("operation {op} is itself the undo of operation {undoes}")]
    IsUndo {
        op: u64,
        /// The operation that it undid.
        undoes: u64,
    },
    /// The operation was undone before.
    #[error("operation {op} was undone by operation {by}")]
    Undone {
        op: u64,
        /// The operation that undid it.
        by: u64,
    },
    /// A newer operation changed the same files and must be undone first.
    #[error("operation {0} changed the same files later")]
    Newer(u64),
    /// The files are not what the operation wrote, so undoing it would lose later changes.
    #[error("files changed since")]
    Changed(Vec<UndoDifference>),
    /// The old bytes are missing or damaged.
    #[error("the original of {0:?} is missing or damaged")]
    NoOriginal(PathBuf),
    /// What the operation wrote is neither in the journal nor on the disk anymore.
    #[error("what it wrote to {0:?} is not in the journal, and that file changed since")]
    NoResult(PathBuf),
    /// The old bytes were put in place or written to a copy, but a file does not have them when it is
    /// read again.
    #[error("{0:?} does not have the bytes from before the operation")]
    NotRestored(PathBuf),
    /// The files cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error("the journal cannot be read: {0}")]
    Journal(io::Error),
}

impl From<ReplaceError> for UndoError {
    fn from(error: ReplaceError) -> Self {
        Self::Write(error.into())
    }
}

/// An operation that can be undone or whose originals can be exported.
#[derive(Debug)]
pub struct UndoPlan {
    pub(super) journal: Journal,
    pub(super) operation: Operation,
    differences: Vec<UndoDifference>,
}

impl Journal {
    /// Finds an operation and compares the files with what it wrote. Changes nothing.
    ///
    /// # Errors
    /// The operation cannot be undone, or a newer one must be undone first.
    pub fn undo(&self, op: u64) -> Result<UndoPlan, UndoError> {
        let entries = self.operations().map_err(UndoError::Journal)?;
        let entry =
            entries.iter().find(|entry| entry.head.op == op).ok_or(UndoError::Unknown(op))?;
        if entry.status != log::OperationStatus::Done {
            return Err(UndoError::NotDone(op));
        }
        if let Some(undoes) = entry.head.undoes {
            return Err(UndoError::IsUndo { op, undoes });
        }
        if let Some(by) = entry.undone_by {
            return Err(UndoError::Undone { op, by });
        }
        let plan = self.past(entry)?;
        let operation = &plan.operation;
        let paths: BTreeSet<PathBuf> = operation.paths().collect();
        let newer = entries.iter().rev().filter(|other| other.head.op > op && other.is_in_effect());
        for other in newer.filter(|other| paths.iter().any(|path| other.may_touch(path))) {
            let files = self.operation(other).map_err(UndoError::Journal)?;
            if files.is_some_and(|other| other.paths().any(|path| paths.contains(&path))) {
                return Err(UndoError::Newer(other.head.op));
            }
        }
        Ok(plan)
    }

    /// An operation that is only examined, whether or not it can be undone. Changes nothing.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn past(&self, entry: &log::LogEntry) -> Result<UndoPlan, UndoError> {
        let operation = self.operation(entry).map_err(UndoError::Journal)?;
        let operation = operation.ok_or(UndoError::Unknown(entry.head.op))?;
        Ok(UndoPlan { journal: self.clone(), differences: differences(&operation), operation })
    }
}

impl UndoPlan {
    pub fn operation(&self) -> &Operation {
        &self.operation
    }

    /// Where the files differ from what the operation wrote. If there is any, [`run`](Self::run)
    /// refuses.
    pub fn differences(&self) -> &[UndoDifference] {
        &self.differences
    }

    /// Puts the old bytes back, with their modes and times. Returns the number of the operation
    /// that did it.
    ///
    /// # Errors
    /// See [`UndoError`].
    pub fn run(&self, how: &WriteOptions) -> Result<u64, UndoError> {
        self.run_with_check(how, &mut |_: &Source| Ok(()))
    }

    /// As [`run`](Self::run), with a `check` that finds processes that have the transcript open.
    ///
    /// # Errors
    /// See [`UndoError`].
    pub fn run_with_check(
        &self,
        how: &WriteOptions,
        check: &mut dyn WriteCheck,
    ) -> Result<u64, UndoError> {
        self.run_steps(how, &mut |running| running.advance(check))
    }

    pub(super) fn run_steps(
        &self,
        how: &WriteOptions,
        advance: &mut dyn FnMut(&mut RunningOperation<'_>) -> Result<CompletedStep, WriteError>,
    ) -> Result<u64, UndoError> {
        if !self.differences.is_empty() {
            return Err(UndoError::Changed(self.differences.clone()));
        }
        self.journal.check_settled(&self.operation.head.place)?;
        let originals = Originals::new(self)?;
        let patched = originals.overlay();
        let staged = replace::stage(
            &self.operation.head.place,
            &originals.changes(self, &patched)?,
            how.keep_mtime,
        )?;
        // The folder may have changed since the operation was compared; new files would be among
        // the staged ones.
        let differences = differences(&self.operation);
        if !differences.is_empty() {
            return Err(UndoError::Changed(differences));
        }
        for made in staged.files() {
            let wanted = self.operation.files.iter().find(|file| file.state.from == made.to);
            let before = wanted.and_then(|file| file.state.before).map(|print| print.sha256);
            if made.after.map(|print| print.sha256) != before {
                return Err(UndoError::NoOriginal(self.path(&made.to)));
            }
        }
        let records = staged.files().iter().cloned().map(FileRecord::from).collect();
        let mut running =
            self.journal.new_operation(staged, records, how, Some(self.operation.head.op));
        while advance(&mut running)? != CompletedStep::Done {}
        let mut unrestored = self.unrestored(&self.operation.head.place).into_iter();
        // Whoever appends right after the undo does not change what was restored.
        match unrestored.find(|found| !matches!(found.how, DifferenceKind::Longer { .. })) {
            Some(found) => Err(UndoError::NotRestored(found.path)),
            None => Ok(running.operation.head.op),
        }
    }

    /// Where the files at `place` are not as before the operation: each must have its old bytes, and
    /// what the operation created must be gone.
    pub(super) fn unrestored(&self, place: &Location) -> Vec<UndoDifference> {
        let states = || self.operation.files.iter().map(|file| &file.state);
        let old: BTreeSet<&str> = states().filter_map(|state| state.from.as_deref()).collect();
        let mut list = Vec::new();
        for state in states() {
            if let Some((name, before)) = state.from.as_deref().zip(state.before) {
                let path = place.file(name);
                if let Some(how) = compare(&path, &before).unwrap_or(Some(DifferenceKind::Gone)) {
                    list.push(UndoDifference { path, how });
                }
            }
            let created = state.to.as_deref().filter(|name| !old.contains(name));
            if let Some(path) = created.map(|name| place.file(name))
                && let Ok(found) = path.symlink_metadata()
            {
                let how = DifferenceKind::Other { was: 0, now: found.len() };
                list.push(UndoDifference { path, how });
            }
        }
        list
    }

    /// Writes the transcript as it was before the operation to `out`, and leaves the transcript
    /// itself unchanged. Where originals are stored, it may have changed since.
    ///
    /// # Errors
    /// `out` exists, or an original is missing.
    pub(crate) fn export(&self, out: &Path, existing: Existing) -> Result<(), UndoError> {
        let originals = Originals::new(self)?;
        let patched = originals.overlay();
        let place = &self.operation.head.place;
        let changes = originals.changes(self, &patched)?;
        replace::export(place, &changes, out, existing)?;
        let copy = Location { path: out.to_path_buf(), folder: place.folder };
        match self.unrestored(&copy).into_iter().next() {
            Some(found) => Err(UndoError::NotRestored(found.path)),
            None => Ok(()),
        }
    }

    /// Writes the transcript as the operation left it to `out`. `before` is what
    /// [`export`](Self::export) wrote.
    ///
    /// # Errors
    /// `out` exists, or what the operation wrote is not known anymore.
    pub fn export_result(&self, before: &Path, out: &Path) -> Result<(), UndoError> {
        let io = |error| ReplaceError::Io { path: before.to_path_buf(), source: error };
        let records = &self.operation.files;
        let source = if self.operation.head.place.folder {
            let names = records.iter().filter_map(|file| file.state.from.clone());
            Source::folder(before, names.collect()).map_err(io)?
        } else {
            Source::file(before).map_err(io)?
        };
        let (known, unknown): (Vec<_>, Vec<_>) =
            records.iter().partition(|file| file.edits.is_some());
        let edits = known.iter().flat_map(|file| self.edits_of(file, &source));
        let patch = Patch::new(edits.collect())
            .map_err(|_| UndoError::NoResult(self.operation.head.place.path.clone()))?;
        let patched = Overlay::new(&source, &patch);
        let mut changes = replace::changes(&source, &patch, &patched)?;
        let on_disk: Vec<(&FileRecord, PathBuf)> =
            unknown.into_iter().map(|file| (file, self.path(&file.state.to))).collect();
        for (FileRecord { state, .. }, path) in &on_disk {
            if !self.is_same(state) {
                return Err(UndoError::NoResult(path.clone()));
            }
            let name = |name: &Option<String>| {
                if self.operation.head.place.folder {
                    name.clone()
                } else {
                    self.entry(&source, name).map(|id| source.name(id).to_owned())
                }
            };
            changes.push(FileChange {
                from: name(&state.from),
                to: name(&state.to),
                content: NewContent::File(path),
                attributes: None,
                extended: &[],
                baseline: PlannedState::default(),
            });
        }
        Ok(replace::export(&Location::of(&source)?, &changes, out, Existing::Refused)?)
    }

    /// What the operation did to one file, as edits of the files before it.
    fn edits_of(&self, file: &FileRecord, before: &Source) -> Vec<Edit> {
        let state = &file.state;
        let stored = file.edits.iter().flatten();
        match (self.entry(before, &state.from), &state.to) {
            (Some(entry), None) => vec![Edit::Remove(entry)],
            (Some(entry), Some(to)) => {
                let bytes = stored.map(|edit| {
                    Edit::bytes(
                        Span { entry, start: edit.start, end: edit.end },
                        edit.with.0.clone(),
                    )
                });
                let is_renamed = state.from.as_ref() != Some(to);
                let rename = is_renamed.then(|| Edit::Rename(entry, to.clone()));
                bytes.chain(rename).collect()
            }
            (None, Some(name)) => stored
                .map(|edit| Edit::Create { name: name.clone(), bytes: edit.with.0.clone() })
                .collect(),
            (None, None) => Vec::new(),
        }
    }

    /// Whether the file on the disk is what it was before the operation. Another file that the
    /// operation gave its name is not, even with the same bytes: it goes back to its own name.
    pub(super) fn is_undone(&self, state: &FileState) -> bool {
        match (&state.from, &state.before) {
            (Some(_), Some(before)) => {
                let path = self.path(&state.from);
                let sum = || Checksum::of(&mut disk::open_regular(&path)?.0);
                !self.is_another(state)
                    && sum().is_ok_and(|sum| sum == (before.sha256, before.size))
            }
            _ => !self.path(&state.to).exists(),
        }
    }

    /// Whether the operation gave the old name of this file to another one, which still has it.
    pub(super) fn is_another(&self, state: &FileState) -> bool {
        let mut others = self.operation.files.iter().map(|file| &file.state);
        others
            .any(|other| other.to == state.from && other.from != state.from && self.is_same(other))
    }

    pub(super) fn path(&self, name: &Option<String>) -> PathBuf {
        self.operation.head.place.file(name.as_deref().unwrap_or_default())
    }

    /// The entry with this name. A single file may have been named by a link, so its only entry
    /// counts.
    pub(super) fn entry(&self, entries: &dyn Entries, name: &Option<String>) -> Option<EntryId> {
        if self.operation.head.place.folder {
            entries.find(name.as_deref()?)
        } else {
            entries.ids().first().copied()
        }
    }

    /// Whether the file is still what the operation wrote.
    pub(super) fn is_same(&self, state: &FileState) -> bool {
        let path = self.path(&state.to);
        !self.differences.iter().any(|difference| difference.path == path)
    }
}
