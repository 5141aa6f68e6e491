//! Reads a patched line file whose base was already read: records that did not change are copied,
//! and only the lines between them are scanned.

use super::lines::{self, KEEP, Sink};
use super::{ReadError, RecordReader, shards};
use crate::bytes::overlay::Overlay;
use crate::bytes::source::{Entries, EntryId, Span};
use crate::bytes::window::Window;
use crate::transcript::Transcript;
use crate::transcript::copy::{CopiedLine, Copier, Shift};

/// Reads the lines of a patched entry into `t`. Returns false if too much of it differs from what
/// `base` was read from; then `t` is unusable.
pub(super) fn read(
    patched: &Overlay<'_>,
    entry: EntryId,
    reading: &RecordReader,
    base: &Transcript,
    t: &mut Transcript,
) -> Result<bool, ReadError> {
    let mut records = Copier::records(base, entry);
    // The patch may append to the line of the last record.
    records.pop();
    let mut copier = Copier::new(base);
    let mut edits = patched.byte_edits(entry).iter().peekable();
    // How far the edits before the current record move it.
    let mut bytes = 0_i64;
    let mut remainder = Remainder {
        patched,
        sink: Sink::new(patched, reading, t),
        at: Span { entry, start: 0, end: 0 },
        first_line: patched.first_line(entry),
    };
    for CopiedLine { marks, at, line } in records {
        while let Some(edit) = edits.next_if(|edit| edit.end <= at.start) {
            bytes += edit.with.len() as i64 - (edit.end - edit.start) as i64;
        }
        let start = at.start.saturating_add_signed(bytes);
        let is_edited = edits.peek().is_some_and(|edit| edit.start < at.end);
        if is_edited || !remainder.is_line_start(start)? {
            continue;
        }
        if !remainder.read(start)? {
            return Ok(false);
        }
        let lines = remainder.first_line as i64 - line as i64;
        remainder.sink.flush();
        copier.copy(remainder.sink.t, &marks, Shift { bytes, lines });
        remainder.skip(at.end - at.start);
    }
    let is_read = remainder.read(patched.len(entry))?;
    remainder.sink.flush();
    if is_read {
        lines::late_digests(patched, reading, t)?;
    }
    Ok(is_read)
}

/// The lines after the last record that was copied.
struct Remainder<'a> {
    patched: &'a Overlay<'a>,
    sink: Sink<'a>,
    /// An empty span where these lines start.
    at: Span,
    first_line: u64,
}

impl Remainder<'_> {
    fn is_line_start(&self, at: u64) -> Result<bool, ReadError> {
        let before = Span { start: at.saturating_sub(1), end: at, ..self.at };
        Ok(at == self.at.start || self.patched.fetch(before)? == b"\n")
    }

    /// Reads the lines before `end`. Returns false if they are too long to hold in memory.
    fn read(&mut self, end: u64) -> Result<bool, ReadError> {
        let part = Span { end, ..self.at };
        if part.start >= part.end {
            return Ok(true);
        }
        if part.end - part.start > KEEP as u64 {
            return Ok(false);
        }
        let bytes = self.patched.fetch(part)?;
        let window = Window::new(self.patched, part, Some(&bytes));
        shards::each(&window, self.first_line, &mut |line, tape| self.sink.line(line, tape))?;
        self.first_line += memchr::memchr_iter(b'\n', &bytes).count() as u64;
        (self.at.start, self.at.end) = (end, end);
        Ok(true)
    }

    /// Skips a copied line.
    fn skip(&mut self, length: u64) {
        self.first_line += 1;
        self.at.start += length;
        self.at.end = self.at.start;
    }
}
