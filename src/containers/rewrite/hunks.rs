//! Byte ranges of one entry and their replacements.

use crate::bytes::edit::Edit;
use crate::bytes::source::{EntryId, Span};
use crate::json::cut::RecordChange;

/// Byte ranges of one entry and their replacements, in order.
#[derive(Default)]
pub(super) struct Hunks {
    edits: Vec<(u64, u64, Vec<u8>)>,
}

impl Hunks {
    /// Appends an edit. An edit that touches the previous one is merged with it.
    pub(super) fn push(&mut self, start: u64, end: u64, with: Vec<u8>) {
        match self.edits.last_mut() {
            Some((_, last, bytes)) if *last == start => {
                *last = end;
                bytes.extend(with);
            }
            _ => self.edits.push((start, end, with)),
        }
    }

    /// Appends the changes of the record at `at`.
    pub(super) fn change(&mut self, at: Span, changes: Vec<RecordChange>) {
        let place = |offset: u32| at.start + u64::from(offset);
        for change in changes {
            self.push(place(change.at.start), place(change.at.end), change.with);
        }
    }

    pub(super) fn into_edits(self, entry: EntryId) -> Vec<Edit> {
        let edits = self.edits.into_iter();
        edits
            .map(|(start, end, with)| Edit::Bytes { at: Span { entry, start, end }, with })
            .collect()
    }
}
