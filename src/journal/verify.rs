//! Compares the bytes that are there with the checksums that the journal has of an operation.

use std::fs;
use std::path::Path;

use super::difference::{DifferenceKind, UndoDifference, compare};
use super::undo::{UndoError, UndoPlan};
use crate::bytes::replace::{Existing, Location, ReplaceError};

/// What became of the bytes of an operation.
#[derive(Debug)]
pub(crate) struct OperationCheck {
    /// Where the files are not what the operation wrote. Of one that was undone: not what was there before it.
    pub differences: Vec<UndoDifference>,
    /// Whether the bytes from before can be restored, and have the checksums that were recorded then.
    pub original: Result<(), UndoError>,
    /// What the edits of the journal make of those bytes.
    pub edits: EditProof,
}

/// What the recorded edits make of the bytes from before an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum EditProof {
    /// What the operation wrote: nothing else was changed.
    Proved,
    /// They were too large for the journal, or the bytes from before are missing.
    Unknown,
    /// Something else.
    Refuted,
}

impl UndoPlan {
    /// Compares all checksums. The bytes before and after the operation are made in `scratch`, an empty folder.
    ///
    /// # Errors
    /// Nothing can be written there.
    pub(crate) fn verify(
        &self,
        scratch: &Path,
        is_undone: bool,
    ) -> Result<OperationCheck, UndoError> {
        let place = &self.operation().head.place;
        let name = place.path.file_name().unwrap_or_default();
        let [before, after] = ["before", "after"].map(|side| scratch.join(side));
        for side in [&before, &after] {
            fs::create_dir(side)
                .map_err(|source| ReplaceError::Io { path: side.clone(), source })?;
        }
        let original = self.export(&before.join(name), Existing::Refused);
        let has_edits = self.operation().files.iter().all(|file| {
            file.edits.is_some() || file.state.to.is_none() || file.state.before == file.state.after
        });
        let edits = if original.is_err() || !has_edits {
            EditProof::Unknown
        } else {
            self.proof(&before.join(name), &after.join(name))
        };
        let differences =
            if is_undone { self.unrestored(place) } else { self.differences().to_vec() };
        Ok(OperationCheck { differences, original, edits })
    }

    fn proof(&self, before: &Path, after: &Path) -> EditProof {
        if self.export_result(before, after).is_err() {
            return EditProof::Refuted;
        }
        let copy = Location { path: after.to_owned(), folder: self.operation().head.place.folder };
        let mut written = self
            .operation()
            .files
            .iter()
            .filter_map(|file| Some((copy.file(file.state.to.as_deref()?), file.state.after?)));
        let is_written = written.all(|(path, print)| matches!(compare(&path, &print), Ok(None)));
        if is_written { EditProof::Proved } else { EditProof::Refuted }
    }
}

impl OperationCheck {
    /// Whether nothing contradicts the journal. Lines that were added since do not.
    pub(crate) fn holds(&self) -> bool {
        let only_longer = |own: &UndoDifference| matches!(own.how, DifferenceKind::Longer { .. });
        self.differences.iter().all(only_longer) && self.edits != EditProof::Refuted
    }
}
