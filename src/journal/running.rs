//! A running operation, step by step.

use super::finish::{self, Finished};
use super::log::{self, JournalLock, OperationStatus};
use super::record::{EndMark, Operation, OperationHead, OperationState};
use super::write::{RunPosition, WriteCheck, WriteError};
use super::{Journal, kept, objects};
use crate::bytes::disk;
use crate::bytes::replace::{CommitStep, FileState, LateWrites, ReplaceError, Staged};
use std::path::PathBuf;

/// How often to check for late writes while others are carried over.
const CHECKS: u32 = 10;

/// A completed step of an operation.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum CompletedStep {
    /// The originals are stored.
    BackedUp,
    /// The journal has the intent.
    Announced,
    /// An old folder was moved away.
    Away(usize),
    Placed(usize),
    /// Late writes to the old bytes were added to the new ones.
    Watched,
    /// The bytes in place were read and are right.
    Checked,
    /// The old files and folders were moved into the journal.
    Kept,
    /// The journal has the end of the operation.
    Done,
}

pub(super) enum NextStep {
    Backup,
    Announce,
    Unit(usize),
    Watch,
    Check,
    Keep,
    Finish,
}

/// A running operation. It advances step by step, so that a test can stop it after any of them.
pub(super) struct RunningOperation<'j> {
    pub(super) journal: &'j Journal,
    pub(super) staged: Staged,
    pub(super) operation: Operation,
    pub(super) backup: bool,
    pub(super) batch: RunPosition,
    /// No other process can write there, so replaced files need not be kept.
    pub(super) undisturbed: bool,
    pub(super) lock: Option<JournalLock>,
    pub(super) next: NextStep,
}

impl RunningOperation<'_> {
    /// Takes the next step. A failure after the announcement is finished at once.
    pub(super) fn advance(
        &mut self,
        check: &mut dyn WriteCheck,
    ) -> Result<CompletedStep, WriteError> {
        let first = match self.step(check) {
            Err(error) => error,
            done => return done,
        };
        let Some(lock) = self.lock.as_mut() else {
            return Err(first);
        };
        let op = self.operation.head.op;
        // Other processes are writing: they get the old bytes back, with what they wrote.
        if matches!(self.next, NextStep::Watch) && self.staged.roll_back().is_ok() {
            return match finish::withdraw(self.journal, lock, &self.operation) {
                Ok(()) => Err(first),
                Err(why) => Err(WriteError::Unsettled { op, why, first: Box::new(first) }),
            };
        }
        match finish::finish(self.journal, lock, &self.operation) {
            Ok(Finished::Withdrawn) => Err(first),
            Ok(Finished::Completed) => Err(WriteError::After { op, why: Box::new(first) }),
            Err(why) => Err(WriteError::Unsettled { op, why, first: Box::new(first) }),
        }
    }

    fn step(&mut self, check: &mut dyn WriteCheck) -> Result<CompletedStep, WriteError> {
        let journal = self.journal;
        let (step, next) = match self.next {
            NextStep::Backup => {
                if self.backup {
                    self.back_up()?;
                }
                (CompletedStep::BackedUp, NextStep::Announce)
            }
            NextStep::Announce => {
                self.announce()?;
                (CompletedStep::Announced, NextStep::Unit(0))
            }
            NextStep::Unit(at) => match self.staged.commit(at)? {
                CommitStep::Away => (CompletedStep::Away(at), NextStep::Unit(at)),
                CommitStep::Placed if at.saturating_add(1) < self.operation.units.len() => {
                    (CompletedStep::Placed(at), NextStep::Unit(at.saturating_add(1)))
                }
                CommitStep::Placed => (CompletedStep::Placed(at), NextStep::Watch),
            },
            NextStep::Watch => {
                self.watch(check)?;
                (CompletedStep::Watched, NextStep::Check)
            }
            NextStep::Check => {
                self.staged.check()?;
                (CompletedStep::Checked, NextStep::Keep)
            }
            NextStep::Keep => {
                if self.undisturbed {
                    kept::remove(&self.operation).map_err(|error| journal.journal_error(error))?
                } else {
                    kept::keep(journal, &self.operation)
                }
                (CompletedStep::Kept, NextStep::Finish)
            }
            NextStep::Finish => {
                let OperationHead { op, undoes, .. } = self.operation.head;
                let mark = EndMark { op, state: OperationState::Done, undoes };
                self.lock
                    .as_mut()
                    .map_or(Ok(()), |lock| lock.append(&mark))
                    .map_err(|error| journal.journal_error(error))?;
                (CompletedStep::Done, NextStep::Finish)
            }
        };
        self.next = next;
        Ok(step)
    }

    /// Carries late writes over until none come, and no process has the old bytes open.
    fn watch(&mut self, check: &mut dyn WriteCheck) -> Result<(), WriteError> {
        let place = self.staged.location().clone();
        for _ in 0..CHECKS {
            let old = self.operation.units.iter().map(|unit| unit.replaced(&place));
            let old: Vec<PathBuf> = old.filter_map(Result::ok).flatten().collect();
            if let Some(who) = check.find_writer(&old) {
                return Err(WriteError::Open(who));
            }
            let mut quiet = true;
            for at in 0..self.operation.units.len() {
                let came = self.staged.late_writes(at)?;
                let grew = |_| ReplaceError::Grew(self.operation.head.place.path.clone());
                match came {
                    LateWrites::Nothing => continue,
                    LateWrites::Lines(_) => {
                        check.accept_late_writes(&came).map_err(grew)?;
                        self.staged.carry_over(at, &came)?;
                    }
                    LateWrites::Files(_) => {
                        self.staged.carry_over(at, &came)?;
                        check.accept_late_writes(&came).map_err(grew)?;
                    }
                    LateWrites::Other => return Err(ReplaceError::Changed(place.path).into()),
                }
                quiet = false;
            }
            if quiet {
                return Ok(());
            }
        }
        Err(ReplaceError::Grew(place.path).into())
    }

    fn back_up(&self) -> Result<(), WriteError> {
        let folder = self.journal.backups.as_ref().unwrap_or(&self.journal.root);
        let failed = |source| WriteError::Journal { path: folder.clone(), source };
        for file in &self.operation.files {
            let FileState { from: Some(name), before: Some(before), after, .. } = &file.state
            else {
                continue;
            };
            // A file that is only renamed is its own backup.
            if after.is_some_and(|after| after.sha256 == before.sha256) {
                continue;
            }
            let path = self.operation.head.place.file(name);
            let (mut original, _) = match disk::open_regular(&path) {
                Ok(opened) => opened,
                Err(source) => return Err(ReplaceError::Io { path, source }.into()),
            };
            if !objects::store(folder, before, &mut original).map_err(failed)? {
                return Err(ReplaceError::Changed(path).into());
            }
        }
        Ok(())
    }

    fn announce(&mut self) -> Result<(), WriteError> {
        let journal = self.journal;
        let failed = |error| journal.journal_error(error);
        let mut lock = JournalLock::take(&journal.root).map_err(failed)?.ok_or(WriteError::Busy)?;
        // The journal is locked now, but its previous holder may have changed the same transcript.
        let log = log::read(&journal.root).map_err(failed)?;
        if let Some(entry) = log.entries.iter().find(|entry| {
            entry.status == OperationStatus::Unfinished
                && entry.head.place == self.operation.head.place
        }) {
            return Err(WriteError::Unfinished(entry.head.op));
        }
        self.staged.check_unchanged()?;
        self.operation.head.op = log.next;
        self.operation.head.batch = match self.batch {
            RunPosition::Alone => None,
            RunPosition::First => Some(log.next),
            RunPosition::Of(first) => Some(first),
        };
        for at in 0..self.operation.units.len() {
            if let Some(names) = self.staged.file_sizes(at).filter(|_| !self.undisturbed) {
                kept::remember(journal, self.operation.head.op, at, &names).map_err(failed)?;
            }
        }
        lock.append(&self.operation).map_err(failed)?;
        self.staged.disarm();
        self.lock = Some(lock);
        Ok(())
    }
}
