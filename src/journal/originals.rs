//! The bytes that an undo puts back, and where they are.

use super::finish::original;
use super::record::FileRecord;
use super::undo::{UndoError, UndoPlan};
use crate::bytes::edit::Edit;
use crate::bytes::overlay::Overlay;
use crate::bytes::patch::Patch;
use crate::bytes::replace::{
    FileChange, FileState, Fingerprint, NewContent, PlannedState, ReplaceError,
};
use crate::bytes::source::{Entries, Source, Span};
use std::path::PathBuf;

/// Sources of the old bytes.
pub(super) struct Originals {
    /// The files as they are now, and a patch that reverts the edits of some of them.
    now: Source,
    back: Patch,
    /// Removed files, stored in the journal line.
    removed: Source,
    /// Paths of stored originals, by index of the record.
    kept: Vec<Option<PathBuf>>,
}

impl Originals {
    pub(super) fn new(undo: &UndoPlan) -> Result<Self, UndoError> {
        let operation = &undo.operation;
        let io =
            |error| ReplaceError::Io { path: operation.head.place.path.clone(), source: error };
        let kept = |file: &FileRecord| original(&undo.journal, operation, &file.state.before?);
        let kept: Vec<Option<PathBuf>> = operation.files.iter().map(kept).collect();
        let edited = || {
            let files = operation.files.iter().zip(&kept);
            files.filter(|(file, kept)| {
                kept.is_none() && file.back.is_some() && undo.is_same(&file.state)
            })
        };
        let names = edited().filter_map(|(file, _)| file.state.to.clone()).collect();
        let now = match edited().next() {
            Some(_) if operation.head.place.folder => {
                Source::folder(&operation.head.place.path, names).map_err(io)?
            }
            Some(_) => Source::file(&operation.head.place.path).map_err(io)?,
            None => Source::memory("", Vec::new()),
        };
        let mut edits = Vec::new();
        for (file, _) in edited() {
            let Some(entry) = undo.entry(&now, &file.state.to) else {
                continue;
            };
            edits.extend(file.back.iter().flatten().map(|back| {
                Edit::bytes(Span { entry, start: back.start, end: back.end }, back.with.0.clone())
            }));
        }
        let back = Patch::new(edits)
            .map_err(|_| UndoError::NoOriginal(operation.head.place.path.clone()))?;
        let removed = Source::memory(
            "",
            operation
                .files
                .iter()
                .filter_map(|file| Some((file.state.from.clone()?, file.bytes.clone()?.0)))
                .collect(),
        );
        Ok(Self { now, back, removed, kept })
    }

    pub(super) fn overlay(&self) -> Overlay<'_> {
        Overlay::new(&self.now, &self.back)
    }

    /// The file changes that undo the operation.
    pub(super) fn changes<'a>(
        &'a self,
        undo: &'a UndoPlan,
        patched: &'a Overlay<'a>,
    ) -> Result<Vec<FileChange<'a>>, UndoError> {
        // Of an operation that was undone, nothing is left to undo.
        if undo.unrestored(&undo.operation.head.place).is_empty() {
            return Ok(Vec::new());
        }
        let files = undo.operation.files.iter().zip(&self.kept);
        let files = files.filter(|(file, _)| {
            let state = &file.state;
            let is_ours = state.to.is_some() && undo.is_same(state);
            is_ours || !undo.is_undone(state)
        });
        files
            .map(|(file, kept)| {
                let FileState { from, to, before, after } = &file.state;
                let same = undo.is_same(&file.state);
                let entry = |entries: &'a dyn Entries, name: &Option<String>| {
                    undo.entry(entries, name).map(|id| NewContent::Entry(entries, id))
                };
                let content = match (before, kept) {
                    (None, _) => Some(NewContent::Same),
                    (Some(before), _)
                        if same && after.is_some_and(|after| after.sha256 == before.sha256) =>
                    {
                        Some(NewContent::Same)
                    }
                    (Some(_), Some(kept)) => Some(NewContent::File(kept)),
                    (Some(_), None) if file.bytes.is_some() => entry(&self.removed, from),
                    (Some(_), None) => entry(patched, to),
                };
                let content = content.ok_or_else(|| UndoError::NoOriginal(undo.path(from)))?;
                let attributes = before.map(|print: Fingerprint| print.attributes);
                // Only replace what the operation wrote.
                let baseline = PlannedState {
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
            })
            .collect()
    }
}
