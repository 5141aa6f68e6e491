//! Where the bytes of a row are, and what lines without a row are.

use super::quoted::Quoted;

/// The kinds of lines without a row.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum LinesKind {
    Unreadable,
    /// A repair frees rows from these lines; they follow as conversations.
    Freed,
    /// The last line, whose row was already passed on, has no line ending.
    Unended,
    /// The compressed stream is cut off after these lines.
    CutOff,
    /// What is around the rows of a document.
    Around,
}

/// Where the bytes of a row are in the transcript.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum RowPlace {
    /// Unchanged, from this offset on.
    Original(u64),
    /// In the lines between these offsets, after their repair.
    Freed(u64, u64),
    /// In the string between these offsets, as JSON text.
    Text(u64, u64),
}

impl RowPlace {
    /// The place of a conversation of the row.
    pub(super) fn of(self, text: Option<&Quoted>) -> RowPlace {
        match (self, text) {
            (RowPlace::Original(start), Some(text)) => {
                let (from, to) = text.span();
                RowPlace::Text(start.saturating_add(from), start.saturating_add(to))
            }
            (place, _) => place,
        }
    }
}
