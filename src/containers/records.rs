//! A cache of records that are read again, because facts keep neither texts nor places inside a
//! record. Answering ten thousand calls of one response looks at the same record ten thousand
//! times; it is fetched and scanned once.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;

use super::files::NOWHERE;
use super::rewrite::CannotDo;
use crate::bytes::source::{Entries, Span};
use crate::json::record::Record;

/// Most records kept: the one being answered, one written in the same layout, and their neighbors.
const MOST_KEPT: usize = 4;

/// Most bytes of kept records. The newest is kept whatever its size.
const MOST_BYTES: usize = 8 << 20;

/// The records of a source, of which the last few used are kept.
pub(crate) struct RecordCache<'a> {
    entries: &'a dyn Entries,
    /// Most recently used first.
    kept: RefCell<Vec<(Span, Rc<Record>)>>,
    /// The first error of the bytes, which is not one of what they hold.
    failed: RefCell<Option<io::Error>>,
}

impl<'a> RecordCache<'a> {
    pub(crate) fn new(entries: &'a dyn Entries) -> RecordCache<'a> {
        RecordCache { entries, kept: RefCell::default(), failed: RefCell::default() }
    }

    /// Why bytes could not be read, if some could not.
    pub(crate) fn take_error(&self) -> Option<io::Error> {
        self.failed.borrow_mut().take()
    }

    /// The record with these bytes.
    ///
    /// # Errors
    /// The bytes cannot be fetched, or contain no value.
    pub(crate) fn at(&self, at: Span) -> Result<Rc<Record>, CannotDo> {
        let mut kept = self.kept.borrow_mut();
        if let Some(place) = kept.iter().position(|(span, _)| *span == at) {
            kept[..=place].rotate_right(1);
            return Ok(Rc::clone(&kept[0].1));
        }
        let bytes = self.entries.fetch(at).map_err(|error| {
            // What is missing has no bytes.
            if at.entry != NOWHERE {
                self.failed.borrow_mut().get_or_insert(error);
            }
        });
        let record =
            bytes.ok().and_then(Record::parse).ok_or(CannotDo("a record cannot be read again"))?;
        let record = Rc::new(record);
        kept.insert(0, (at, Rc::clone(&record)));
        let mut bytes = 0;
        let fitting = kept.iter().take(MOST_KEPT).take_while(|(_, record)| {
            bytes += record.bytes().len();
            bytes <= MOST_BYTES
        });
        let fitting = fitting.count().max(1);
        kept.truncate(fitting);
        Ok(record)
    }
}
