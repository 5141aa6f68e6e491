//! Values of a record that is too long to keep in memory.

use std::borrow::Cow;
use std::cell::RefCell;
use std::io;

use super::source::{Entries, EntryId, Span};
use crate::json::node::Text;

/// The bytes of a record, read again from its entry value by value.
pub(crate) struct Far<'a> {
    entries: &'a dyn Entries,
    entry: EntryId,
    base: u64,
    failed: RefCell<Option<io::Error>>,
}

impl<'a> Far<'a> {
    /// The record that starts at byte `base` of an entry.
    pub(crate) fn new(entries: &'a dyn Entries, entry: EntryId, base: u64) -> Far<'a> {
        Far {
            entries,
            entry,
            base,
            failed: RefCell::new(None),
        }
    }

    /// Why a value could not be had, the first time that happened: the record's facts are then not to be trusted.
    pub(crate) fn failed(&self) -> Option<io::Error> {
        self.failed.borrow_mut().take()
    }
}

impl Text for Far<'_> {
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
