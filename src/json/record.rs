//! A parsed record: its bytes and their tape.

use std::cell::OnceCell;

use super::build::ValueWriter;
use super::node::{Node, Owned};
use super::scan::{ScanMode, scan};
use super::tape::{RecordEnd, Tape, Token};

pub(crate) struct Record {
    bytes: Owned,
    tape: Tape,
    /// The first token of the tape: a parsed record always has a root.
    first: Token,
    writer: OnceCell<ValueWriter>,
}

impl Record {
    /// Parses one value, which may be truncated; `None` if there is no value.
    pub(crate) fn parse(bytes: Vec<u8>) -> Option<Record> {
        let tape = scan(&bytes, ScanMode::Document);
        let first = *tape.tokens.first()?;
        Some(Record { bytes: Owned(bytes), tape, first, writer: OnceCell::new() })
    }

    /// The outermost value.
    pub(crate) fn root(&self) -> Node<'_> {
        Node::first(&self.tape, &self.bytes, &self.first)
    }

    /// All bytes, including those around the value.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes.0
    }

    /// Whether the bytes are one complete value and nothing else.
    pub(crate) fn is_whole(&self) -> bool {
        self.tape.end == RecordEnd::Whole
    }

    /// Writes values in the layout of this record.
    pub(crate) fn writer(&self) -> &ValueWriter {
        self.writer.get_or_init(|| ValueWriter::of(&self.bytes.0))
    }
}
