//! The journal: every operation on a transcript, with everything needed to undo it.
//!
//! The journal is a private folder. `objects/<sha256>` holds the originals. `ops.jsonl` has one
//! line for the intent of each operation and one for its end. `kept/` holds replaced files and
//! folders themselves. `lock` is locked during an operation.
//!
//! The intent is on disk before the first byte of a transcript changes. So whatever interrupts an
//! operation, [`Journal::finish`] can find out what it did, and complete or withdraw it.

mod blob;
mod difference;
mod finish;
mod kept;
mod log;
mod objects;
mod originals;
mod record;
mod running;
mod undo;
mod verify;
mod write;

pub(crate) use blob::{Blob, path as path_in_json};
pub(crate) use difference::{DifferenceKind, UndoDifference};
pub(crate) use finish::Finished;
pub(crate) use kept::KeptOriginal;
pub use kept::LateContent;
pub(crate) use log::{LogEntry, OperationStatus};
pub(crate) use record::{Operation, OperationHead};
pub(crate) use undo::{UndoError, UndoPlan};
pub(crate) use verify::{EditProof, OperationCheck};
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
        let xdg =
            env::var_os("XDG_STATE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
        let folder = xdg.or_else(|| {
            let native = etcetera::base_strategy::choose_native_strategy().ok()?;
            let elsewhere = if cfg!(windows) { native.cache_dir() } else { native.data_dir() };
            Some(native.state_dir().unwrap_or(elsewhere))
        });
        folder.map(|folder| Self::at(folder.join("transcript-doctor")))
    }

    /// The journal in the folder `root`, which need not exist yet.
    pub fn at(root: PathBuf) -> Self {
        Self { root, backups: None }
    }

    /// This journal, with originals in `folder`.
    #[must_use]
    pub fn with_backups_in(self, folder: PathBuf) -> Self {
        Self { backups: Some(folder), ..self }
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
    pub fn operations(&self) -> io::Result<Vec<LogEntry>> {
        log::read(&self.root).map(|log| log.entries)
    }

    /// The operation of an entry, with its files. `None` if its line cannot be parsed.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn operation(&self, entry: &LogEntry) -> io::Result<Option<Operation>> {
        log::read_operation(&self.root, entry, record::parse)
    }

    /// An operation with the states of its files, but without what restores their bytes.
    fn states(&self, entry: &LogEntry) -> io::Result<Option<Operation>> {
        log::read_operation(&self.root, entry, record::parse_states)
    }

    /// Operations that were interrupted, except one that another process is running right now.
    ///
    /// # Errors
    /// The journal exists and cannot be read.
    pub fn unfinished(&self) -> io::Result<Vec<OperationHead>> {
        if log::is_locked(&self.root)? {
            return Ok(Vec::new());
        }
        let entries = self.operations()?.into_iter();
        Ok(entries
            .filter(|entry| entry.status == OperationStatus::Unfinished)
            .map(|entry| entry.head)
            .collect())
    }

    /// Removes what interrupted runs left among the originals. Files that other processes are
    /// writing stay.
    pub fn sweep(&self) {
        let folders = [Some(&self.root), self.backups.as_ref()].into_iter().flatten();
        folders.for_each(|folder| objects::sweep(folder));
    }

    /// The newest operation on a file or folder that can be undone: done, not undone, and not
    /// itself an undo.
    ///
    /// # Errors
    /// The journal exists and cannot be read.
    pub fn latest_undoable(&self, path: &Path) -> io::Result<Option<LogEntry>> {
        let path = fs::canonicalize(path)?;
        for entry in self.operations()?.into_iter().rev() {
            if entry.is_in_effect()
                && entry.may_touch(&path)
                && (entry.head.place.path == path
                    || self.states(&entry)?.is_some_and(|own| own.touches(&path)))
            {
                return Ok(Some(entry));
            }
        }
        Ok(None)
    }

    /// Checksum of what the last finished operation wrote into a file. If the file still has it,
    /// no process wrote since, however recent its modification time is.
    ///
    /// # Errors
    /// The journal exists and cannot be read.
    pub fn last_written_checksum(&self, path: &Path) -> io::Result<Option<Checksum>> {
        let path = fs::canonicalize(path)?;
        for entry in self.operations()?.iter().rev() {
            if entry.status == OperationStatus::Done
                && entry.may_touch(&path)
                && let Some(operation) = self.states(entry)?
                && let Some(wrote) = operation.wrote(&path)
            {
                return Ok(Some(wrote.sha256));
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests;
