//! A record that was parsed: its bytes with their tape.

use std::cell::OnceCell;

use super::build::ValueWriter;
use super::node::{Node, Owned};
use super::scan::{Mode, scan};
use super::tape::{End, Tape, Token};

/// A JSON value with what the scanner says about it.
pub(crate) struct Record {
    bytes: Owned,
    tape: Tape,
    /// The first token of the tape, so that there always is a root.
    first: Token,
    look: OnceCell<ValueWriter>,
}

impl Record {
    /// Parses one value, which may be torn; `None` if there is none.
    pub(crate) fn parse(bytes: Vec<u8>) -> Option<Record> {
        let tape = scan(&bytes, Mode::Document);
        let first = *tape.tokens.first()?;
        Some(Record {
            bytes: Owned(bytes),
            tape,
            first,
            look: OnceCell::new(),
        })
    }

    /// The outermost value.
    pub(crate) fn root(&self) -> Node<'_> {
        Node::first(&self.tape, &self.bytes, &self.first)
    }

    /// All bytes, with what is around the value.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes.0
    }

    /// Whether the bytes are one value and nothing else.
    pub(crate) fn is_whole(&self) -> bool {
        self.tape.end == End::Whole
    }

    /// How it is laid out.
    pub(crate) fn look(&self) -> &ValueWriter {
        self.look.get_or_init(|| ValueWriter::of(&self.bytes.0))
    }
}
