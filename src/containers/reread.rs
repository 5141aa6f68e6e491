//! Records that are read again while edits are made. Ten thousand calls of one response are answered by looking at the
//! same record ten thousand times: it is fetched and scanned once.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use super::rewrite::CannotDo;
use crate::bytes::source::{Entries, Span};
use crate::json::build::Look;
use crate::json::node::{Node, Owned};
use crate::json::scan::{Mode, scan};
use crate::json::tape::Tape;

/// Records that are kept: the one that is answered, one that is written alike, and their neighbors.
const KEPT: usize = 4;

/// A record with its tape.
pub(crate) struct Record {
    bytes: Owned,
    tape: Tape,
    look: OnceCell<Look>,
}

impl Record {
    /// The outermost value.
    ///
    /// # Errors
    /// The record is empty.
    pub(crate) fn root(&self) -> Result<Node<'_>, CannotDo> {
        Node::root(&self.tape, &self.bytes).ok_or(CannotDo("a record cannot be read again"))
    }

    /// How it is laid out.
    pub(crate) fn look(&self) -> &Look {
        self.look.get_or_init(|| Look::of(&self.bytes.0))
    }
}

/// The records of a source, the last few of them kept.
pub(crate) struct Reread<'a> {
    entries: &'a dyn Entries,
    kept: RefCell<Vec<(Span, Rc<Record>)>>,
}

impl<'a> Reread<'a> {
    /// None is kept yet.
    pub(crate) fn new(entries: &'a dyn Entries) -> Reread<'a> {
        Reread {
            entries,
            kept: RefCell::default(),
        }
    }

    /// The record at this place.
    ///
    /// # Errors
    /// Its bytes cannot be fetched.
    pub(crate) fn record(&self, at: Span) -> Result<Rc<Record>, CannotDo> {
        let mut kept = self.kept.borrow_mut();
        if let Some(place) = kept.iter().position(|(span, _)| *span == at) {
            kept[..=place].rotate_right(1);
            return Ok(Rc::clone(&kept[0].1));
        }
        let bytes = self
            .entries
            .fetch(at)
            .map_err(|_| CannotDo("a record cannot be read again"))?;
        let tape = scan(&bytes, Mode::Document);
        let record = Rc::new(Record {
            bytes: Owned(bytes),
            tape,
            look: OnceCell::new(),
        });
        kept.truncate(KEPT - 1);
        kept.insert(0, (at, Rc::clone(&record)));
        Ok(record)
    }
}
