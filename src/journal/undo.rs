//! Operations taken back.

use super::record::{Operation, Record};
use super::settle::original;
use super::write::{Judge, Running, Step, WriteError, Writing};
use super::{Journal, log};
use crate::bytes::checksum::Checksum;
use crate::bytes::disk;
use crate::bytes::edit::Edit;
use crate::bytes::overlay::Overlay;
use crate::bytes::patch::Patch;
use crate::bytes::replace::{
    self, Baseline, Content, FileChange, FileListing, FileState, Fingerprint, ReplaceError,
};
use crate::bytes::source::{Entries, EntryId, Source, Span};
use std::io::{self, BufRead, Read};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why an operation was not undone. Where it does not say otherwise, nothing was written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum UndoError {
    /// There is no such operation.
    #[error("there is no operation {0}")]
    Unknown(u64),
    /// It did not happen, or is not finished.
    #[error("operation {0} was not done")]
    NotDone(u64),
    /// It undid another one. A repair gives the same bytes again.
    #[error("operation {op} is itself the undoing of operation {undoes}")]
    IsUndo {
        /// The operation.
        op: u64,
        /// What it undid.
        undoes: u64,
    },
    /// It was undone before.
    #[error("operation {op} was undone by operation {by}")]
    Undone {
        /// The operation.
        op: u64,
        /// What undid it.
        by: u64,
    },
    /// A newer operation changed the same files: undo that one first.
    #[error("operation {0} changed the same files later")]
    Newer(u64),
    /// Files are not what the operation wrote: undoing it would lose what came since.
    #[error("files changed since")]
    Changed(Vec<Difference>),
    /// The old bytes are not kept, or not what they were.
    #[error("the original of {0:?} is missing or damaged")]
    NoOriginal(PathBuf),
    /// It cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The journal cannot be read.
    #[error("the journal cannot be read: {0}")]
    Journal(io::Error),
}

impl From<ReplaceError> for UndoError {
    fn from(error: ReplaceError) -> Self {
        Self::Write(error.into())
    }
}

/// A file or folder that is not what an operation wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The file or folder.
    pub path: PathBuf,
    /// What is different.
    pub how: How,
}

/// How a file differs from what was written.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum How {
    /// It begins with what was written; this much was appended.
    Longer {
        bytes: u64,
        /// Line feeds among them.
        lines: u64,
    },
    /// Other bytes; its size then and now.
    Other {
        /// Size as written.
        was: u64,
        /// Size now.
        now: u64,
    },
    /// It is not there or cannot be read.
    Gone,
    /// A folder that has got or lost files; their number then and now.
    Files {
        /// Files as written.
        was: u64,
        /// Files now.
        now: u64,
    },
}

/// An operation that can be undone, or whose originals can be had.
#[derive(Debug)]
pub struct Undo {
    journal: Journal,
    operation: Operation,
    differences: Vec<Difference>,
}

impl Journal {
    /// Looks at an operation and at what it wrote. Nothing is changed.
    ///
    /// # Errors
    /// It is not one that can be undone, or a newer one has to be undone first.
    pub fn undo(&self, op: u64) -> Result<Undo, UndoError> {
        let entries = self.operations().map_err(UndoError::Journal)?;
        let entry = entries
            .iter()
            .find(|entry| entry.operation.op == op)
            .ok_or(UndoError::Unknown(op))?;
        if entry.status != log::Status::Done {
            return Err(UndoError::NotDone(op));
        }
        if let Some(undoes) = entry.operation.undoes {
            return Err(UndoError::IsUndo { op, undoes });
        }
        if let Some(by) = entry.undone_by {
            return Err(UndoError::Undone { op, by });
        }
        let paths: std::collections::BTreeSet<PathBuf> = entry.operation.paths().collect();
        let newer = entries
            .iter()
            .rev()
            .filter(|other| other.operation.op > op && other.stands());
        let same = |other: &&log::Entry| other.operation.paths().any(|path| paths.contains(&path));
        if let Some(other) = newer.into_iter().find(same) {
            return Err(UndoError::Newer(other.operation.op));
        }
        let operation = entry.operation.clone();
        let differences = differences(&operation);
        Ok(Undo {
            journal: self.clone(),
            operation,
            differences,
        })
    }
}

impl Undo {
    /// The operation.
    pub fn operation(&self) -> &Operation {
        &self.operation
    }

    /// What is not as the operation wrote it; if there is anything, [`run`](Self::run) refuses.
    pub fn differences(&self) -> &[Difference] {
        &self.differences
    }

    /// Puts the old bytes back, with their modes and times, and says the number of the operation that did it.
    ///
    /// # Errors
    /// See [`UndoError`].
    pub fn run(&self, how: &Writing) -> Result<u64, UndoError> {
        self.run_by(how, &mut |_: &Source| Ok(()))
    }

    /// The same, while `judge` looks for those who have the recording open.
    ///
    /// # Errors
    /// See [`UndoError`].
    pub fn run_by(&self, how: &Writing, judge: &mut dyn Judge) -> Result<u64, UndoError> {
        self.each_step(how, &mut |running| running.advance(judge))
    }

    pub(super) fn each_step(
        &self,
        how: &Writing,
        advance: &mut dyn FnMut(&mut Running<'_>) -> Result<Step, WriteError>,
    ) -> Result<u64, UndoError> {
        if !self.differences.is_empty() {
            return Err(UndoError::Changed(self.differences.clone()));
        }
        self.journal.settled(&self.operation.place)?;
        let originals = Originals::new(self)?;
        let patched = originals.overlay();
        let staged = replace::stage(
            &self.operation.place,
            &originals.changes(self, &patched)?,
            how.keep_mtime,
        )?;
        // A folder may have got files since it was looked at; they are among the staged ones.
        let differences = differences(&self.operation);
        if !differences.is_empty() {
            return Err(UndoError::Changed(differences));
        }
        for made in staged.files() {
            let wanted = self
                .operation
                .files
                .iter()
                .find(|file| file.state.from == made.to);
            let before = wanted
                .and_then(|file| file.state.before)
                .map(|print| print.sha256);
            if made.after.map(|print| print.sha256) != before {
                return Err(UndoError::NoOriginal(self.path(&made.to)));
            }
        }
        let records = staged.files().iter().cloned().map(Record::from).collect();
        let mut running = self
            .journal
            .running(staged, records, how, Some(self.operation.op));
        while advance(&mut running)? != Step::Done {}
        Ok(running.operation.op)
    }

    /// Writes the recording as it was before the operation to `out`; the recording itself stays as it is, and may have
    /// changed since where originals are kept. `overwrite`: a file may stand there already.
    ///
    /// # Errors
    /// `out` exists, or an original is not kept.
    pub fn export(&self, out: &Path, overwrite: bool) -> Result<(), UndoError> {
        let originals = Originals::new(self)?;
        let patched = originals.overlay();
        Ok(replace::export(
            &self.operation.place,
            &originals.changes(self, &patched)?,
            out,
            overwrite,
        )?)
    }

    fn path(&self, name: &Option<String>) -> PathBuf {
        self.operation
            .place
            .file(name.as_deref().unwrap_or_default())
    }

    /// The entry of this name. A single file may have been named by a link: it is the only entry.
    fn entry(&self, entries: &dyn Entries, name: &Option<String>) -> Option<EntryId> {
        if self.operation.place.folder {
            entries.find(name.as_deref()?)
        } else {
            entries.ids().first().copied()
        }
    }

    /// Is the file still what the operation wrote?
    fn is_same(&self, state: &FileState) -> bool {
        let path = self.path(&state.to);
        !self
            .differences
            .iter()
            .any(|difference| difference.path == path)
    }
}

/// Where the old bytes come from.
struct Originals {
    /// The files as they are now, and what takes the edits of some of them back.
    now: Source,
    back: Patch,
    /// Removed files that stand in the journal's line.
    removed: Source,
    /// Kept originals, by position of the record.
    kept: Vec<Option<PathBuf>>,
}

impl Originals {
    fn new(undo: &Undo) -> Result<Self, UndoError> {
        let operation = &undo.operation;
        let io = |error| ReplaceError::Io {
            path: operation.place.path.clone(),
            source: error,
        };
        let kept = |file: &Record| original(&undo.journal, operation, &file.state.before?);
        let kept: Vec<Option<PathBuf>> = operation.files.iter().map(kept).collect();
        let edited = || {
            let files = operation.files.iter().zip(&kept);
            files.filter(|(file, kept)| {
                kept.is_none() && file.back.is_some() && undo.is_same(&file.state)
            })
        };
        let names = edited()
            .filter_map(|(file, _)| file.state.to.clone())
            .collect();
        let now = match edited().next() {
            Some(_) if operation.place.folder => {
                Source::folder(&operation.place.path, names).map_err(io)?
            }
            Some(_) => Source::file(&operation.place.path).map_err(io)?,
            None => Source::memory("", Vec::new()),
        };
        let mut edits = Vec::new();
        for (file, _) in edited() {
            let Some(entry) = undo.entry(&now, &file.state.to) else {
                continue;
            };
            edits.extend(file.back.iter().flatten().map(|back| Edit::Bytes {
                at: Span {
                    entry,
                    start: back.start,
                    end: back.end,
                },
                with: back.with.0.clone(),
            }));
        }
        let back =
            Patch::new(edits).map_err(|_| UndoError::NoOriginal(operation.place.path.clone()))?;
        let named = |file: &Record| Some((file.state.from.clone()?, file.bytes.clone()?.0));
        let removed = Source::memory("", operation.files.iter().filter_map(named).collect());
        Ok(Self {
            now,
            back,
            removed,
            kept,
        })
    }

    fn overlay(&self) -> Overlay<'_> {
        Overlay::new(&self.now, &self.back)
    }

    /// The changes that undo the operation.
    fn changes<'a>(
        &'a self,
        undo: &'a Undo,
        patched: &'a Overlay<'a>,
    ) -> Result<Vec<FileChange<'a>>, UndoError> {
        let files = undo.operation.files.iter().zip(&self.kept);
        let change = |(file, kept): (&'a Record, &'a Option<PathBuf>)| {
            let FileState {
                from,
                to,
                before,
                after,
            } = &file.state;
            let same = undo.is_same(&file.state);
            let entry = |entries: &'a dyn Entries, name: &Option<String>| {
                undo.entry(entries, name)
                    .map(|id| Content::Entry(entries, id))
            };
            let content = match (before, kept) {
                (None, _) => Some(Content::Same),
                (Some(before), _)
                    if same && after.is_some_and(|after| after.sha256 == before.sha256) =>
                {
                    Some(Content::Same)
                }
                (Some(_), Some(kept)) => Some(Content::File(kept)),
                (Some(_), None) if file.bytes.is_some() => entry(&self.removed, from),
                (Some(_), None) => entry(patched, to),
            };
            let content = content.ok_or_else(|| UndoError::NoOriginal(undo.path(from)))?;
            let attributes = before.map(|print: Fingerprint| print.attributes);
            // What the operation wrote, and nothing else, is taken back.
            let baseline = Baseline {
                stamp: None,
                sha256: after.filter(|_| same).map(|print| print.sha256),
            };
            let extended = &file.extended;
            Ok(FileChange {
                from: to.clone(),
                to: from.clone(),
                content,
                attributes,
                extended,
                baseline,
            })
        };
        files.map(change).collect()
    }
}

fn differences(operation: &Operation) -> Vec<Difference> {
    let mut list = Vec::new();
    for unit in &operation.units {
        let path = unit.path(&operation.place);
        if let Some(was) = unit.listing {
            let how = match FileListing::of(&path) {
                Ok(now) if now == was => continue,
                Ok(now) => How::Files {
                    was: was.count,
                    now: now.count,
                },
                Err(_) => How::Gone,
            };
            list.push(Difference { path, how });
        }
    }
    for state in operation.files.iter().map(|file| &file.state) {
        let Some((name, after)) = state.to.as_deref().zip(state.after) else {
            continue;
        };
        let path = operation.place.file(name);
        if let Some(how) = compare(&path, &after).unwrap_or(Some(How::Gone)) {
            list.push(Difference { path, how });
        }
    }
    list
}

/// How the file differs from what was written.
fn compare(path: &Path, after: &Fingerprint) -> io::Result<Option<How>> {
    let (file, stamp) = disk::open_regular(path)?;
    let mut reader = io::BufReader::with_capacity(1 << 16, file);
    let (sum, size) = Checksum::of(&mut reader.by_ref().take(after.size))?;
    if (sum, size) != (after.sha256, after.size) {
        return Ok(Some(How::Other {
            was: after.size,
            now: stamp.len,
        }));
    }
    let (mut bytes, mut lines) = (0u64, 0u64);
    loop {
        let more = reader.fill_buf()?;
        if more.is_empty() {
            break;
        }
        let count = more.len();
        bytes = bytes.saturating_add(count as u64);
        lines = lines.saturating_add(memchr::memchr_iter(b'\n', more).count() as u64);
        reader.consume(count);
    }
    Ok((bytes > 0).then_some(How::Longer { bytes, lines }))
}
