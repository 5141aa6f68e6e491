//! Reads a file in batches of whole lines.

use std::io;

use crate::bytes::source::{Entries, EntryId, Span};

/// Bytes usually read at once.
const CHUNK: usize = 256 << 10;
/// Longest line held in memory, in bytes.
pub(crate) const LONGEST: usize = 8 << 20;

/// Lines for one thread.
pub(crate) struct LineBatch {
    pub at: Span,
    /// 1-based line number.
    pub first_line: u64,
    /// `None` for a single line that is too long for memory.
    pub bytes: Option<Vec<u8>>,
}

impl LineBatch {
    /// The bytes at a place in the file, if the batch holds them in memory.
    pub(crate) fn slice(&self, at: Span) -> Option<&[u8]> {
        let offset = |place: u64| usize::try_from(place.checked_sub(self.at.start)?).ok();
        self.bytes.as_ref()?.get(offset(at.start)?..offset(at.end)?)
    }
}

/// Splits a file after line feeds.
pub(crate) struct Batches<'a> {
    entries: &'a dyn Entries,
    entry: EntryId,
    /// Offset of the next byte to read, and the length of the file.
    read: (u64, u64),
    /// Bytes already read that belong to the next batch.
    held: Vec<u8>,
    /// Length of the prefix of `held` that is known to contain no line feed.
    searched: usize,
    /// File offset of `held`.
    at: u64,
    line: u64,
    /// Bytes read at once.
    chunk: usize,
}

impl<'a> Batches<'a> {
    pub(crate) fn of(entries: &'a dyn Entries, entry: EntryId) -> Batches<'a> {
        Batches {
            entries,
            entry,
            read: (0, entries.len(entry)),
            held: Vec::new(),
            searched: 0,
            at: 0,
            line: entries.first_line(entry),
            chunk: CHUNK,
        }
    }

    /// Makes batches of about this many bytes.
    #[cfg(test)]
    pub(crate) fn of_bytes(self, chunk: usize) -> Self {
        Batches { chunk, ..self }
    }

    pub(crate) fn next(&mut self) -> io::Result<Option<LineBatch>> {
        loop {
            let is_end = self.read()? == 0;
            let fresh = self.held.get(self.searched..).unwrap_or_default();
            let last = memchr::memrchr(b'\n', fresh).map(|last| self.searched + last + 1);
            self.searched = self.held.len();
            match last {
                Some(end) => return Ok(Some(self.cut(end))),
                None if self.held.is_empty() => return Ok(None),
                None if is_end => return Ok(Some(self.cut(self.held.len()))),
                None if self.held.len() > LONGEST => return self.long_line().map(Some),
                None => {}
            }
        }
    }

    fn read(&mut self) -> io::Result<usize> {
        let (start, length) = self.read;
        let end = length.min(start.saturating_add(self.chunk as u64));
        if start < end {
            let at = Span::new(self.entry, start, end);
            self.entries.append(at, &mut self.held)?;
            self.read.0 = end;
        }
        Ok(end.saturating_sub(start) as usize)
    }

    /// A batch of the first `length` bytes of `held`.
    fn cut(&mut self, length: usize) -> LineBatch {
        let mut rest = Vec::with_capacity(self.chunk + self.held.len() - length);
        rest.extend(self.held.drain(length..));
        let bytes = std::mem::replace(&mut self.held, rest);
        self.searched = self.held.len();
        // Found, not counted: of lines of more than a few hundred bytes, the search costs less than half as much.
        let lines = memchr::memchr_iter(b'\n', &bytes).fold(0_u64, |lines, _| lines + 1);
        LineBatch { bytes: Some(bytes), ..self.next_batch(length as u64, lines) }
    }

    /// Skips the rest of a line that is too long to hold.
    fn long_line(&mut self) -> io::Result<LineBatch> {
        let mut length = self.held.len() as u64;
        self.held.clear();
        self.searched = 0;
        loop {
            if self.read()? == 0 {
                return Ok(self.next_batch(length, 1));
            }
            if let Some(end) = memchr::memchr(b'\n', &self.held) {
                self.held.drain(..=end);
                return Ok(self.next_batch(length + end as u64 + 1, 1));
            }
            length += self.held.len() as u64;
            self.held.clear();
        }
    }

    fn next_batch(&mut self, length: u64, lines: u64) -> LineBatch {
        let (start, first_line) = (self.at, self.line);
        self.at += length;
        self.line += lines;
        LineBatch { at: Span { entry: self.entry, start, end: self.at }, first_line, bytes: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::source::Source;

    #[test]
    fn batches_are_whole_lines_in_order() {
        let sizes = [0, 3, CHUNK - 1, 5, CHUNK, LONGEST + 2 * CHUNK, 7, CHUNK * 2, 1];
        let lines = sizes.iter().enumerate();
        let lines = lines.map(|(n, size)| vec![b'a' + n as u8; *size]);
        let bytes = lines.collect::<Vec<_>>().join(&b'\n');
        let source = Source::memory("x", vec![("x".to_owned(), bytes.clone())]);
        let mut batches = Batches::of(&source, EntryId(0));
        let (mut at, mut line, mut long) = (0, 1, 0);
        while let Some(batch) = batches.next().unwrap() {
            assert_eq!((batch.at.start, batch.first_line), (at, line));
            let range = batch.at.start as usize..batch.at.end as usize;
            let own = &bytes[range];
            match &batch.bytes {
                Some(held) => assert!(held == own && held.len() <= LONGEST + 2 * CHUNK),
                None => long += 1,
            }
            assert!(batch.at.end == bytes.len() as u64 || own.ends_with(b"\n"));
            line += own.iter().filter(|byte| **byte == b'\n').count() as u64;
            at = batch.at.end;
        }
        assert_eq!((at, line, long), (bytes.len() as u64, sizes.len() as u64, 1));
    }
}
