//! What was done to recordings: every operation, with all that is needed to take it back.
//!
//! The journal is a private folder: `objects/<sha256>` has the files as they were, `ops.jsonl` a line for the intent of
//! each operation and one for its end, `kept/` the replaced files themselves, `lock` is locked meanwhile. The intent is on the disk before the first byte of a recording changes, so
//! that whatever interrupts an operation, [`Journal::settle`] finds out what it did and completes or withdraws it.

mod blob;
mod kept;
mod log;
mod objects;
mod record;
mod settle;
mod undo;
mod write;

pub(crate) use kept::Kept;
pub use kept::Late;
pub(crate) use log::{Entry, Status};
pub(crate) use record::Operation;
pub(crate) use settle::Settled;
pub(crate) use undo::{Difference, How, Undo, UndoError};
pub use write::{Batch, Judge, Writing};

use crate::bytes::checksum::Checksum;
use etcetera::BaseStrategy;
use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// How the names of batches begin that people type: `batch-12`.
pub(crate) const BATCH: &str = "batch-";

/// The journal of a user.
#[derive(Clone, Debug)]
pub struct Journal {
    root: PathBuf,
    /// Where originals go, if not into the journal.
    backups: Option<PathBuf>,
}

impl Journal {
    /// The journal in the platform's state folder: `$XDG_STATE_HOME/transcript-doctor` or `~/.local/state/…`, on macOS in
    /// `Application Support`, on Windows in `%LOCALAPPDATA%`. None if this user has no home.
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

    /// The same journal, but originals go to `folder`.
    #[must_use]
    pub fn with_backups_in(self, folder: PathBuf) -> Self {
        Self {
            backups: Some(folder),
            ..self
        }
    }

    /// The journal's folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// All operations, oldest first. Lines that cannot be read (torn by a crash, or of a newer version) are left out.
    ///
    /// # Errors
    /// The journal is there and cannot be read.
    pub fn operations(&self) -> io::Result<Vec<Entry>> {
        log::read(&self.root).map(|log| log.entries)
    }

    /// Operations that were interrupted. One that another process is doing right now is not among them.
    ///
    /// # Errors
    /// The journal is there and cannot be read.
    pub fn unfinished(&self) -> io::Result<Vec<Operation>> {
        if log::is_locked(&self.root)? {
            return Ok(Vec::new());
        }
        let entries = self.operations()?.into_iter();
        Ok(entries
            .filter(|entry| entry.status == Status::Unfinished)
            .map(|entry| entry.operation)
            .collect())
    }

    /// Removes what interrupted runs left among the originals. What others are writing right now stays.
    pub fn sweep(&self) {
        let folders = [Some(&self.root), self.backups.as_ref()]
            .into_iter()
            .flatten();
        folders.for_each(|folder| objects::sweep(folder));
    }

    /// The newest operation on a file or folder that stands: done, not undone, and not itself the undoing of another.
    ///
    /// # Errors
    /// The journal is there and cannot be read.
    pub fn latest(&self, path: &Path) -> io::Result<Option<u64>> {
        let path = fs::canonicalize(path)?;
        let touches = |operation: &Operation| {
            operation.place.path == path || operation.paths().any(|touched| touched == path)
        };
        let entries = self.operations()?;
        let newest = entries
            .iter()
            .rev()
            .find(|entry| entry.stands() && touches(&entry.operation));
        Ok(newest.map(|entry| entry.operation.op))
    }

    /// What the last finished operation wrote into a file. Who finds just these bytes there knows that nobody has
    /// written since, however young the file is.
    ///
    /// # Errors
    /// The journal is there and cannot be read.
    pub fn wrote(&self, path: &Path) -> io::Result<Option<Checksum>> {
        let path = fs::canonicalize(path)?;
        let entries = self.operations()?;
        let done = entries
            .iter()
            .rev()
            .filter(|entry| entry.status == Status::Done);
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
