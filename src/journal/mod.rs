//! The journal: every operation on a transcript, with everything needed to undo it.
//!
//! The journal is a private folder. `objects/<sha256>` holds the originals. `ops.jsonl` has one
//! line for the intent of each operation and one for its end. `kept/` holds replaced files and
//! folders themselves. `lock` is locked during an operation.
//!
//! The intent is on disk before the first byte of a transcript changes. So whatever interrupts an
//! operation, [`Journal::settle`] can find out what it did, and complete or withdraw it.

mod blob;
mod kept;
mod log;
mod objects;
mod record;
mod settle;
mod undo;
mod write;

pub(crate) use kept::Kept;
pub use kept::LateContent;
pub(crate) use log::{Entry, OperationStatus};
pub(crate) use record::Operation;
pub(crate) use settle::Settled;
pub(crate) use undo::{Difference, DifferenceKind, UndoError, UndoPlan};
pub(crate) use write::WriteError;
pub use write::{Objection, RunPosition, WriteCheck, WriteOptions};

use crate::bytes::checksum::Checksum;
use etcetera::BaseStrategy;
use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Prefix of a batch name as users type it: `batch-12`.
pub(crate) const BATCH: &str = "batch-";

/// The journal of a user.
#[derive(Clone, Debug)]
pub struct Journal {
    root: PathBuf,
    /// Folder for originals, if not in the journal.
    backups: Option<PathBuf>,
}

impl Journal {
    /// The journal in the platform's state folder: `$XDG_STATE_HOME/transcript-doctor` or
    /// `~/.local/state/…`, on macOS in `Application Support`, on Windows in `%LOCALAPPDATA%`.
    /// `None` if the user has no home folder.
    pub fn standard() -> Option<Self> {
        let xdg = env::var_os("XDG_STATE_HOME")
            .map(PathBuf::from)
            .filter(|path| path.is_absolute());
        let folder = xdg.or_else(|| {
            let native = etcetera::base_strategy::choose_native_strategy().ok()?;
            let elsewhere = if cfg!(windows) {
                native.cache_dir()
            } else {
                native.data_dir()
            };
            Some(native.state_dir().unwrap_or(elsewhere))
        });
        folder.map(|folder| Self::at(folder.join("transcript-doctor")))
    }

    /// The journal in the folder `root`, which need not exist yet.
    pub fn at(root: PathBuf) -> Self {
        Self {
            root,
            backups: None,
        }
    }

    /// This journal, with originals in `folder`.
    #[must_use]
    pub fn with_backups_in(self, folder: PathBuf) -> Self {
        Self {
            backups: Some(folder),
            ..self
        }
    }

    /// The folder of the journal.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// All operations, oldest first. Leaves out lines that cannot be parsed (cut off by a crash, or
    /// of a newer version).
    ///
    /// # Errors
    /// The journal exists and cannot be read.
    pub fn operations(&self) -> io::Result<Vec<Entry>> {
        log::read(&self.root).map(|log| log.entries)
    }

    /// Operations that were interrupted, except one that another process is running right now.
    ///
    /// # Errors
    /// The journal exists and cannot be read.
    pub fn unfinished(&self) -> io::Result<Vec<Operation>> {
        if log::is_locked(&self.root)? {
            return Ok(Vec::new());
        }
        let entries = self.operations()?.into_iter();
        Ok(entries
            .filter(|entry| entry.status == OperationStatus::Unfinished)
            .map(|entry| entry.operation)
            .collect())
    }

    /// Removes what interrupted runs left among the originals. Files that other processes are
    /// writing stay.
    pub fn sweep(&self) {
        let folders = [Some(&self.root), self.backups.as_ref()]
            .into_iter()
            .flatten();
        folders.for_each(|folder| objects::sweep(folder));
    }

    /// The newest operation on a file or folder that can be undone: done, not undone, and not
    /// itself an undo.
    ///
    /// # Errors
    /// The journal exists and cannot be read.
    pub fn latest_undoable(&self, path: &Path) -> io::Result<Option<u64>> {
        let path = fs::canonicalize(path)?;
        let touches = |operation: &Operation| {
            operation.place.path == path || operation.paths().any(|touched| touched == path)
        };
        let entries = self.operations()?;
        let newest = entries
            .iter()
            .rev()
            .find(|entry| entry.is_in_effect() && touches(&entry.operation));
        Ok(newest.map(|entry| entry.operation.op))
    }

    /// Checksum of what the last finished operation wrote into a file. If the file still has it,
    /// no process wrote since, however recent its modification time is.
    ///
    /// # Errors
    /// The journal exists and cannot be read.
    pub fn last_written_checksum(&self, path: &Path) -> io::Result<Option<Checksum>> {
        let path = fs::canonicalize(path)?;
        let entries = self.operations()?;
        let done = entries
            .iter()
            .rev()
            .filter(|entry| entry.status == OperationStatus::Done);
        let after = |operation: &Operation| {
            let file = operation.files.iter().find(|file| {
                file.state
                    .to
                    .as_deref()
                    .is_some_and(|name| operation.place.file(name) == path)
            })?;
            file.state.after.map(|print| print.sha256)
        };
        Ok(done.map(|entry| &entry.operation).find_map(after))
    }
}

#[cfg(test)]
mod tests;
