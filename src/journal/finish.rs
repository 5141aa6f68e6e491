//! Finishes interrupted operations: completes or withdraws them, whichever the disk allows.

use super::log::{self, JournalLock, OperationStatus};
use super::record::{EndMark, Operation, OperationState};
use super::{Journal, kept, objects};
use crate::bytes::replace::{
    self, CommitStep, FileChange, FileListing, FileState, Fingerprint, NewContent, PlannedState,
    ReplaceError, ReplaceUnit, UnitKind, UnitState, Version,
};
use std::fs;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Finished {
    /// The new bytes are in place.
    Completed,
    /// The old bytes are in place.
    Withdrawn,
}

/// Why an interrupted operation could not be finished. Nothing is lost: its prepared files and
/// originals are kept.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FinishError {
    /// Another process has put another file or folder there.
    #[error("{0:?} is neither what it was nor what it was to be")]
    Other(PathBuf),
    /// Part of the new bytes are in place, but neither the rest of them nor the old bytes exist
    /// anymore.
    #[error("{0:?} can be neither completed nor brought back")]
    Lost(PathBuf),
    /// Another process holds the journal.
    #[error("another process is writing")]
    Busy,
    /// The operation is already finished, or unknown.
    #[error("operation {0} is not unfinished")]
    NotUnfinished(u64),
    /// The files cannot be replaced.
    #[error(transparent)]
    Replace(#[from] ReplaceError),
    #[error("{0}")]
    Io(#[from] io::Error),
}

impl Journal {
    /// Finishes an interrupted operation by the state of the disk. With the old bytes in place, it
    /// is withdrawn; with the new ones, completed. With part of the new ones, it is completed if
    /// the rest is still prepared, and rolled back otherwise. The result is never a mix.
    ///
    /// # Errors
    /// See [`FinishError`]. A later call can finish what was left.
    pub fn finish(&self, op: u64) -> Result<Finished, FinishError> {
        let mut lock = JournalLock::take(&self.root)?.ok_or(FinishError::Busy)?;
        let log = log::read(&self.root)?;
        let entry = log
            .entries
            .iter()
            .find(|entry| entry.status == OperationStatus::Unfinished && entry.head.op == op);
        let operation = entry.map(|entry| self.operation(entry)).transpose()?;
        let operation = operation.flatten().ok_or(FinishError::NotUnfinished(op))?;
        finish(self, &mut lock, &operation)
    }
}

pub(super) fn finish(
    journal: &Journal,
    lock: &mut JournalLock,
    operation: &Operation,
) -> Result<Finished, FinishError> {
    let files = operation.states();
    let mut states = Vec::with_capacity(operation.units.len());
    for unit in &operation.units {
        match unit.state(&operation.head.place, &files)? {
            UnitState::Other => return Err(FinishError::Other(unit.path(&operation.head.place))),
            UnitState::Gone if unit.kind == UnitKind::File => {
                return Err(FinishError::Other(unit.path(&operation.head.place)));
            }
            state => states.push((unit, state)),
        }
    }
    let begun = states.iter().any(|(_, state)| *state != UnitState::Old);
    if begun
        && !is_overtaken(operation, &files, &states)?
        && roll_forward(operation, &files, &states)?
    {
        kept::keep(journal, operation);
        lock.append(&EndMark {
            op: operation.head.op,
            state: OperationState::Done,
            undoes: operation.head.undoes,
        })?;
        return Ok(Finished::Completed);
    }
    if begun {
        roll_back(journal, operation, &files, &states)?;
    }
    withdraw(journal, lock, operation)?;
    Ok(Finished::Withdrawn)
}

/// Ends an operation whose old bytes are in place: removes what was prepared, or keeps it if it was
/// in place for a while.
pub(super) fn withdraw(
    journal: &Journal,
    lock: &mut JournalLock,
    operation: &Operation,
) -> Result<(), FinishError> {
    let files = operation.states();
    for (at, unit) in operation.units.iter().enumerate() {
        unit.discard(&operation.head.place)?;
        unit.rejoin(
            &operation.head.place,
            &files,
            kept::names(journal, operation.head.op, at).as_ref(),
        )?;
    }
    kept::keep(journal, operation);
    Ok(lock.append(&EndMark {
        op: operation.head.op,
        state: OperationState::Withdrawn,
        undoes: None,
    })?)
}

/// Whether a file in another state than planned was replaced, and no process has written to the new
/// bytes since.
fn is_overtaken(
    operation: &Operation,
    files: &[FileState],
    states: &[(&ReplaceUnit, UnitState)],
) -> Result<bool, FinishError> {
    let placed =
        || states.iter().filter(|(_, state)| *state == UnitState::New).map(|(unit, _)| unit);
    for unit in placed() {
        if !unit.is_sound(&operation.head.place, files)? {
            return Ok(placed().all(|unit| check_untouched(operation, files, unit).is_ok()));
        }
    }
    Ok(false)
}

/// Puts the remaining units in place, if all of them are still prepared. Files that another process
/// wrote since stay as they are.
fn roll_forward(
    operation: &Operation,
    files: &[FileState],
    states: &[(&ReplaceUnit, UnitState)],
) -> io::Result<bool> {
    let place = &operation.head.place;
    let mut rest = Vec::new();
    for (unit, state) in states.iter().filter(|(_, state)| *state != UnitState::New) {
        if *state == UnitState::Old && !unit.holds(files, &unit.path(place), Version::Old)? {
            continue;
        }
        let Some(prepared) = unit.prepared(place)? else {
            return Ok(false);
        };
        if !unit.holds(files, &prepared, Version::New)? {
            return Ok(false);
        }
        rest.push(unit);
    }
    rest.into_iter().try_for_each(|unit| unit.roll_forward(place))?;
    operation.units.iter().try_for_each(|unit| unit.discard(place))?;
    Ok(true)
}

/// Puts the old bytes back: folders from where they were moved, files from their originals.
fn roll_back(
    journal: &Journal,
    operation: &Operation,
    files: &[FileState],
    states: &[(&ReplaceUnit, UnitState)],
) -> Result<(), FinishError> {
    // In reverse order of the replacement.
    for (unit, state) in states.iter().rev().filter(|(_, state)| *state != UnitState::Old) {
        let path = unit.path(&operation.head.place);
        if *state == UnitState::New {
            check_untouched(operation, files, unit)?;
        }
        let at = operation.units.iter().position(|own| own.name == unit.name).unwrap_or_default();
        let done = unit.roll_back(
            &operation.head.place,
            files,
            kept::names(journal, operation.head.op, at).as_ref(),
        )? || unit.kind == UnitKind::File && {
            let file = files
                .iter()
                .find(|file| file.from.as_deref().is_some_and(|name| unit.below(name).is_some()));
            file.is_some_and(|file| restore_original(journal, operation, unit, file))
        };
        if !done {
            return Err(FinishError::Lost(path));
        }
    }
    Ok(())
}

/// Refuses to replace a new unit that was written to since, because that would lose the writes.
fn check_untouched(
    operation: &Operation,
    files: &[FileState],
    unit: &ReplaceUnit,
) -> Result<(), FinishError> {
    let path = unit.path(&operation.head.place);
    let listed =
        unit.listing.is_none_or(|listing| FileListing::of(&path).is_ok_and(|now| now == listing));
    if listed && unit.holds(files, &path, Version::New)? {
        Ok(())
    } else {
        Err(FinishError::Other(path))
    }
}

/// Writes the original of a file back in place. Returns whether that was possible.
fn restore_original(
    journal: &Journal,
    operation: &Operation,
    unit: &ReplaceUnit,
    file: &FileState,
) -> bool {
    let place = &operation.head.place;
    let Some(before) = file.before else {
        return false;
    };
    let Some(original) = original(journal, operation, &before) else {
        return false;
    };
    let attributes = Some(before.attributes);
    let change = FileChange {
        from: file.from.clone(),
        to: file.from.clone(),
        content: NewContent::File(&original),
        attributes,
        extended: &[],
        baseline: PlannedState { stamp: None, sha256: file.after.map(|print| print.sha256) },
    };
    let Ok(mut staged) = replace::stage(place, &[change], true) else {
        return false;
    };
    let right = staged
        .files()
        .iter()
        .all(|made| made.after.is_some_and(|after| after.sha256 == before.sha256));
    if !right || staged.is_empty() {
        return right;
    }
    if !matches!(staged.commit(0), Ok(CommitStep::Placed)) {
        return false;
    }
    // Under the name that the journal knows, it is kept and removed as every replaced file is.
    let replaced = staged.units().next().and_then(|made| made.replaced(place).ok().flatten());
    if let Some(replaced) = replaced {
        let _ = fs::rename(replaced, unit.aside(place));
    }
    true
}

/// Path of the stored original with this checksum.
pub(super) fn original(
    journal: &Journal,
    operation: &Operation,
    print: &Fingerprint,
) -> Option<PathBuf> {
    let other = operation.head.backups.as_ref().map(|folder| &folder.0);
    let mut roots = [other, journal.backups.as_ref(), Some(&journal.root)].into_iter().flatten();
    roots.find(|root| objects::has(root, print)).map(|root| objects::path(root, print))
}
