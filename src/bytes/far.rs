//! Values of a record that is too long for memory.

use std::borrow::Cow;
use std::cell::RefCell;
use std::io;

use super::source::{Entries, EntryId, Span};
use crate::json::node::TapeText;

/// The text of a record, read from its entry value by value.
pub(crate) struct LongRecord<'a> {
    entries: &'a dyn Entries,
    entry: EntryId,
    base: u64,
    failed: RefCell<Option<io::Error>>,
}

impl<'a> LongRecord<'a> {
    /// The record that starts at byte `base` of an entry.
    pub(crate) fn new(entries: &'a dyn Entries, entry: EntryId, base: u64) -> LongRecord<'a> {
        LongRecord { entries, entry, base, failed: RefCell::new(None) }
    }

    /// The first error of reading a value, if any: facts taken from the record are then unreliable.
    pub(crate) fn take_error(&self) -> Option<io::Error> {
        self.failed.borrow_mut().take()
    }
}

impl TapeText for LongRecord<'_> {
    fn get(&self, start: u32, end: u32) -> Cow<'_, [u8]> {
        let at = Span {
            entry: self.entry,
            start: self.base + u64::from(start),
            end: self.base + u64::from(end),
        };
        match self.entries.fetch(at) {
            Ok(bytes) => Cow::Owned(bytes),
            Err(error) => {
                self.failed.borrow_mut().get_or_insert(error);
                Cow::Borrowed(&[])
            }
        }
    }
}
