//! Runs an operation: prepare, verify, back up, announce, commit.

use super::finish::FinishError;
use super::log::{self, OperationStatus};
use super::record::{FileRecord, FolderPath, Operation, OperationHead, OperationState, StoredEdit};
use super::running::{CompletedStep, NextStep, RunningOperation};
use super::{Journal, blob::Blob};
use crate::bytes::checksum::Checksum;
use crate::bytes::overlay::Overlay;
use crate::bytes::patch::Patch;
use crate::bytes::replace::{
    self, ExtendedAttribute, FileState, LateWrites, Location, ReplaceError, Staged,
};
use crate::bytes::source::{Entries, Source, Span};
use std::io;
use std::path::PathBuf;
use std::time::SystemTime;
use thiserror::Error;

/// Most bytes in the journal line of the edits of a file, in each direction: 1 MiB. Inverse edits
/// may have more if they are the only copy of the old bytes.
const MAX_STORED_BYTES: u64 = 1 << 20;

/// Whether an operation is one of several in a run.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum RunPosition {
    /// The only operation of its run.
    #[default]
    Alone,
    /// The first operation of its run.
    First,
    /// A later operation of the run whose first one has this number.
    Of(u64),
}

/// Options for writing a transcript.
#[derive(Clone, Debug)]
pub struct WriteOptions {
    /// Time to record in the journal.
    pub now: SystemTime,
    /// SHA-256 of the plan that is applied.
    pub plan: Option<Checksum>,
    /// Keep the modification times of changed files.
    pub keep_mtime: bool,
    /// Store the originals. Without them, the journal still has what an undo needs.
    pub backup: bool,
    /// The run that the operation belongs to.
    pub batch: RunPosition,
    /// No other process can write there, as in a copy that is just being made: replaced files are
    /// removed.
    pub undisturbed: bool,
}

/// Why a transcript was not written. Nothing was written, unless the variant says so.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The files cannot be replaced.
    #[error(transparent)]
    Replace(#[from] ReplaceError),
    /// The new bytes were rejected.
    #[error("the new bytes did not pass their check: {0}")]
    Verify(Objection),
    /// The journal or an original cannot be written.
    #[error("the journal in {path:?} cannot be written: {source}")]
    Journal {
        /// Folder of the journal or of the originals.
        path: PathBuf,
        source: io::Error,
    },
    /// Another process has a replaced file open and would keep writing to it.
    #[error("{0}")]
    Open(String),
    /// Another process is writing this transcript or holds the journal.
    #[error("another process is writing")]
    Busy,
    /// An interrupted operation on this transcript must be finished first.
    #[error("operation {0} on this transcript was interrupted and is not finished")]
    Unfinished(u64),
    /// The transcript was written, but something failed afterwards: another process wrote over it,
    /// or the disk failed.
    #[error("{why}")]
    After { op: u64, why: Box<WriteError> },
    /// The operation failed in the middle and could be neither completed nor withdrawn. Both old
    /// and new bytes are kept.
    #[error("operation {op} is unfinished: {why}; first: {first}")]
    Unsettled {
        op: u64,
        /// Why it could not be finished.
        why: FinishError,
        /// Why it failed.
        first: Box<WriteError>,
    },
}

impl WriteError {
    /// Whether every byte of the transcript is unchanged.
    pub fn nothing_written(&self) -> bool {
        self.written().is_none()
    }

    /// The operation that put new bytes in place, at least some of them.
    pub fn written(&self) -> Option<u64> {
        match self {
            Self::After { op, .. } | Self::Unsettled { op, .. } => Some(*op),
            _ => None,
        }
    }
}

/// Why a [`WriteCheck`] rejects bytes.
pub type Objection = Box<dyn std::error::Error + Send + Sync>;

/// Judges new bytes, and knows which processes have files open.
pub trait WriteCheck {
    /// Decides whether the prepared bytes may be put in place, by reading them.
    ///
    /// # Errors
    /// Why they may not.
    fn verify(&mut self, new: &Source) -> Result<(), Objection>;

    /// Decides whether late writes to the old bytes may be added to the new ones. Added files are
    /// already among the new ones when this is called.
    ///
    /// # Errors
    /// Why they may not; the old bytes are then put back.
    fn accept_late_writes(&mut self, _came: &LateWrites) -> Result<(), Objection> {
        Err("it is not known whether that fits".into())
    }

    /// Describes a process that has one of these replaced files open for writing; it would keep
    /// writing to them.
    fn find_writer(&mut self, _old: &[PathBuf]) -> Option<String> {
        None
    }
}

impl<F: FnMut(&Source) -> Result<(), Objection>> WriteCheck for F {
    fn verify(&mut self, new: &Source) -> Result<(), Objection> {
        self(new)
    }
}

impl Journal {
    /// Applies `patch` to the transcript. At every moment either the old or the new bytes are in
    /// place, and nothing that other processes add is lost. `check` reads the prepared bytes before
    /// anything changes. Returns the number of the operation, or `None` if the patch changes
    /// nothing: then nothing was written, not even to the journal.
    ///
    /// # Errors
    /// See [`WriteError`].
    pub fn write(
        &self,
        source: &Source,
        patch: &Patch,
        options: &WriteOptions,
        check: &mut dyn WriteCheck,
    ) -> Result<Option<u64>, WriteError> {
        let Some(mut running) = self.begin(source, patch, options, check)? else {
            return Ok(None);
        };
        while running.advance(check)? != CompletedStep::Done {}
        Ok(Some(running.operation.head.op))
    }

    /// Prepares and verifies the new bytes, up to the backup.
    pub(super) fn begin(
        &self,
        source: &Source,
        patch: &Patch,
        options: &WriteOptions,
        check: &mut dyn WriteCheck,
    ) -> Result<Option<RunningOperation<'_>>, WriteError> {
        if patch.is_empty() {
            return Ok(None);
        }
        if !source.changed_names().is_empty() {
            return Err(ReplaceError::Changed(source.path().to_path_buf()).into());
        }
        let place = Location::of(source)?;
        self.check_settled(&place)?;
        let patched = Overlay::new(source, patch);
        let staged = replace::stage(
            &place,
            &replace::changes(source, patch, &patched)?,
            options.keep_mtime,
        )?;
        if staged.is_empty() {
            return Ok(None);
        }
        let names = patched.ids().into_iter().map(|id| patched.name(id).to_string()).collect();
        let at = |error| ReplaceError::Io { path: place.path.clone(), source: error };
        check.verify(&staged.source(names).map_err(at)?).map_err(WriteError::Verify)?;
        // Inverse edits of the content do not restore compressed bytes, so the original is always
        // stored.
        let packed = source.packed().is_some();
        let options = &WriteOptions { backup: options.backup || packed, ..options.clone() };
        let files = staged
            .files()
            .iter()
            .map(|state| {
                if packed {
                    Ok(FileRecord {
                        edits: edits(state, source, patch),
                        ..FileRecord::from(state.clone())
                    })
                } else {
                    record(state, &place, source, patch, options.backup).map_err(at)
                }
            })
            .collect::<Result<_, _>>()?;
        Ok(Some(self.new_operation(staged, files, options, None)))
    }

    /// Refuses a transcript with an interrupted operation, whose prepared files would be in the
    /// way.
    pub(super) fn check_settled(&self, place: &Location) -> Result<(), WriteError> {
        let entries = self.operations().map_err(|error| self.journal_error(error))?;
        let open = |entry: &log::LogEntry| {
            entry.status == OperationStatus::Unfinished && entry.head.place == *place
        };
        match entries.iter().find(|entry| open(entry)) {
            None => Ok(()),
            Some(_) if log::is_locked(&self.root).unwrap_or(false) => Err(WriteError::Busy),
            Some(entry) => Err(WriteError::Unfinished(entry.head.op)),
        }
    }

    pub(super) fn new_operation(
        &self,
        staged: Staged,
        files: Vec<FileRecord>,
        options: &WriteOptions,
        undoes: Option<u64>,
    ) -> RunningOperation<'_> {
        let head = OperationHead {
            op: 0,
            state: OperationState::Intent,
            undoes,
            batch: None,
            time: jiff::Timestamp::try_from(options.now).unwrap_or_default().to_string(),
            version: env!("CARGO_PKG_VERSION").to_string(),
            plan: options.plan,
            place: staged.location().clone(),
            backups: self.backups.clone().map(FolderPath),
        };
        let operation = Operation { head, files, units: staged.units().cloned().collect() };
        let (backup, batch, undisturbed) = (options.backup, options.batch, options.undisturbed);
        RunningOperation {
            journal: self,
            staged,
            operation,
            backup,
            batch,
            undisturbed,
            lock: None,
            next: NextStep::Backup,
        }
    }

    pub(super) fn journal_error(&self, source: io::Error) -> WriteError {
        WriteError::Journal { path: self.root.clone(), source }
    }
}

/// Builds the record that undoes the change of one file.
fn record(
    state: &FileState,
    place: &Location,
    source: &Source,
    patch: &Patch,
    backup: bool,
) -> io::Result<FileRecord> {
    let mut record =
        FileRecord { edits: edits(state, source, patch), ..FileRecord::from(state.clone()) };
    let Some(id) = state.from.as_deref().and_then(|name| source.find(name)) else {
        return Ok(record);
    };
    if patch.removes(id) {
        record.extended = ExtendedAttribute::of(&place.file(source.name(id)))?;
        if !backup {
            record.bytes = Some(Blob(source.fetch(Span::new(id, 0, source.len(id)))?));
        }
        return Ok(record);
    }
    let taken = patch.bytes_of(id).iter().map(|edit| edit.end.saturating_sub(edit.start));
    if !backup || taken.fold(0, u64::saturating_add) <= MAX_STORED_BYTES {
        let back = patch.inverse_of(id, source)?;
        record.back = Some(back.into_iter().map(StoredEdit::from).collect())
            .filter(|back: &Vec<StoredEdit>| !back.is_empty());
    }
    Ok(record)
}

/// The edits that make the new bytes of a file of its old ones; of a new file, all of its bytes.
/// `None` if they are too large for the journal.
fn edits(state: &FileState, source: &Source, patch: &Patch) -> Option<Vec<StoredEdit>> {
    let old = state.from.as_deref().and_then(|name| source.find(name));
    let edits: Vec<StoredEdit> = match (old, &state.to) {
        (Some(id), _) => patch.bytes_of(id).iter().cloned().map(StoredEdit::from).collect(),
        (None, Some(name)) => {
            let created = patch.created().iter().filter(|(made, _)| made == name);
            created
                .map(|(_, bytes)| StoredEdit { start: 0, end: 0, with: Blob(bytes.clone()) })
                .collect()
        }
        (None, None) => Vec::new(),
    };
    let size = edits.iter().map(|edit| edit.with.0.len() as u64);
    (size.fold(0, u64::saturating_add) <= MAX_STORED_BYTES).then_some(edits)
}
