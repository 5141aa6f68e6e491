//! A part of an entry, as an entry of its own.

use std::io::{self, Read};

use super::edit::Edit;
use super::source::{Entries, EntryId, Span};

/// Bytes that are read at once where the part is not in memory.
const CHUNK: u64 = 1 << 20;

/// The only entry of a window.
pub(crate) const ENTRY: EntryId = EntryId(0);

/// A row, or some lines: one entry, whose offsets count from its first byte.
pub(crate) struct Window<'a> {
    base: &'a dyn Entries,
    at: Span,
    bytes: Option<&'a [u8]>,
    /// The part ends where the transcript ends: what is missing there is missing in it.
    tail: bool,
    /// The number of its first line; 1 in an array.
    line: u64,
    is_row: bool,
}

impl<'a> Window<'a> {
    /// The bytes of this span; `bytes`: where they are in memory.
    pub(crate) fn new(base: &'a dyn Entries, at: Span, bytes: Option<&'a [u8]>) -> Window<'a> {
        Window { base, at, bytes, tail: false, line: 1, is_row: false }
    }

    /// The same, at the end of the transcript.
    pub(crate) fn at_the_end(self) -> Window<'a> {
        Window { tail: true, ..self }
    }

    /// The same as a row, without its line ending; `line`: the number of its line, `None` in an array.
    pub(crate) fn of_row(self, line: Option<u64>) -> Window<'a> {
        Window { is_row: true, ..self.at_line(line) }
    }

    /// The same with the number of its first line; `None` in an array.
    pub(crate) fn at_line(self, line: Option<u64>) -> Window<'a> {
        Window { line: line.unwrap_or(1), ..self }
    }

    /// Where the window begins in its entry.
    pub(crate) fn start(&self) -> u64 {
        self.at.start
    }

    /// An edit of the window as one of what it is a part of.
    pub(crate) fn outside(&self, edit: Edit) -> Edit {
        match edit {
            Edit::Bytes { at, with } => Edit::Bytes { at: self.shifted(at), with },
            other => other,
        }
    }

    /// Another part of the same entry.
    pub(crate) fn part<'b>(&'b self, at: Span, bytes: Option<&'b [u8]>) -> Window<'b> {
        Window::new(self.base, at, bytes)
    }

    /// A place in the window as one in its entry.
    pub(crate) fn shifted(&self, at: Span) -> Span {
        let place = |offset: u64| offset.saturating_add(self.at.start);
        Span { entry: self.at.entry, start: place(at.start), end: place(at.end) }
    }
}

impl Entries for Window<'_> {
    fn ids(&self) -> Vec<EntryId> {
        vec![ENTRY]
    }

    fn name(&self, id: EntryId) -> &str {
        if id == ENTRY { self.base.name(self.at.entry) } else { "" }
    }

    fn len(&self, id: EntryId) -> u64 {
        if id == ENTRY { self.at.end.saturating_sub(self.at.start) } else { 0 }
    }

    fn open(&self, _: EntryId) -> io::Result<Box<dyn Read + '_>> {
        Ok(match self.bytes {
            Some(bytes) => Box::new(bytes),
            None => Box::new(Far { window: self, at: 0, chunk: Vec::new(), used: 0 }),
        })
    }

    fn fetch(&self, at: Span) -> io::Result<Vec<u8>> {
        if at.start > at.end || at.end > self.len(ENTRY) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let offset = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
        match self.bytes.and_then(|bytes| bytes.get(offset(at.start)..offset(at.end))) {
            Some(bytes) => Ok(bytes.to_vec()),
            None => self.base.fetch(self.shifted(at)),
        }
    }

    fn in_memory(&self, id: EntryId) -> Option<&[u8]> {
        self.bytes.filter(|_| id == ENTRY)
    }

    fn first_line(&self, _: EntryId) -> u64 {
        self.line
    }

    fn is_row(&self, _: EntryId) -> bool {
        self.is_row
    }

    fn loss(&self, _: EntryId) -> Option<&'static str> {
        self.base.loss(self.at.entry).filter(|_| self.tail)
    }
}

/// Reads a window that is not in memory.
struct Far<'a> {
    window: &'a Window<'a>,
    at: u64,
    chunk: Vec<u8>,
    used: usize,
}

impl Read for Far<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.used == self.chunk.len() {
            let end = self.window.len(ENTRY).min(self.at.saturating_add(CHUNK));
            self.chunk = self.window.fetch(Span { entry: ENTRY, start: self.at, end })?;
            (self.at, self.used) = (end, 0);
        }
        let got = (&self.chunk[self.used..]).read(buf)?;
        self.used += got;
        Ok(got)
    }
}
