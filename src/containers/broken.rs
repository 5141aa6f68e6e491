//! A line or a file that is not one complete record.

use crate::bytes::edit::Edit;
use crate::bytes::source::Span;
use crate::transcript::Place;

/// A line or file that is not one complete record.
pub(super) struct BrokenRecord {
    /// The bytes, including the line ending.
    pub at: Span,
    /// Line number (1-based), or index of the file (0-based).
    pub place: Place,
    /// The content without the line ending; empty if it is too long for memory.
    pub bytes: Vec<u8>,
    /// The line ending; `None` for a file or an unterminated last line.
    pub ending: Option<&'static [u8]>,
    /// The ID of the record in the file name.
    pub name_id: Option<String>,
}

impl BrokenRecord {
    pub(super) fn span(&self, from: usize, to: usize) -> Span {
        Span {
            entry: self.at.entry,
            start: self.at.start + from as u64,
            end: self.at.start + to as u64,
        }
    }

    pub(super) fn is_line(&self) -> bool {
        matches!(self.place, Place::Line(_))
    }

    pub(super) fn removal(&self) -> Edit {
        Edit::Bytes { at: self.at, with: Vec::new() }
    }
}
