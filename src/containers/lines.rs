//! Line files: one record per line, read through a buffer that grows to the longest line.

use std::io::{ErrorKind, Read};

use super::RecordReader;
use super::broken::BrokenRecord;
use super::flaws::flaws;
use super::mend;
use super::rejoin;
use super::{ReadError, Scan, blocking_limit, shards, torn};
use crate::bytes::far::LongRecord;
use crate::bytes::source::{Entries, EntryId, Span};
use crate::json::node::{Node, TapeText};
use crate::json::tape::{Kind, RecordEnd, Tape};
use crate::transcript::{Place, State, Transcript};

/// Bytes read at once.
const CHUNK: usize = 1 << 20;
/// Longest line held in memory, in bytes. Values of a longer line are read again when they are
/// needed.
pub(super) const KEEP: usize = 8 << 20;

pub(crate) struct Line<'a> {
    /// 1-based line number.
    pub number: u64,
    /// The line with its ending.
    pub at: Span,
    /// Length in bytes without the line ending.
    pub content: u64,
    /// Whether the file ends here without a line ending.
    pub unended: bool,
    /// The content without its ending; `None` if it is too long for memory.
    pub bytes: Option<&'a [u8]>,
}

/// A file of at least this many bytes is read on several threads.
const LARGE: u64 = 4 << 20;

/// Reads all lines of an entry, on up to `jobs` threads.
pub(super) fn read(
    entries: &dyn Entries,
    entry: EntryId,
    reading: &RecordReader,
    jobs: usize,
    t: &mut Transcript,
) -> Result<(), ReadError> {
    t.reserve(usual_records(entries.len(entry)));
    let mut sink = Sink::new(entries, reading, t);
    if jobs > 1 && entries.len(entry) >= LARGE {
        shards::read(entry, jobs, &mut sink)?;
    } else {
        each(entries, entry, &mut Scan::of_lines(), &mut |line, tape| sink.line(line, tape))?;
    }
    sink.flush();
    late_digests(entries, reading, t)
}

/// Reads the records again of which digests were put off and are needed.
pub(super) fn late_digests(
    entries: &dyn Entries,
    reading: &RecordReader,
    t: &mut Transcript,
) -> Result<(), ReadError> {
    let mut scan = Scan::of_lines();
    for event in t.awaiting_digests() {
        let (at, place) = (t.event(event).at(), t.event(event).place());
        let bytes = entries.fetch(at)?;
        scan.scanner.start(&mut scan.tape);
        if scan.scanner.feed(&bytes, &mut scan.tape).is_none() {
            scan.scanner.finish(&mut scan.tape);
        }
        let mut again = Transcript::with_hasher_of(t);
        again.begin(at, place, State::Whole);
        let bytes = bytes.as_slice();
        if let Some(node) = Node::root(&scan.tape, &bytes) {
            (reading.read)(node, &mut again);
        }
        t.take_digests(event, &again);
    }
    Ok(())
}

/// How many records this many bytes usually are.
pub(super) fn usual_records(length: u64) -> usize {
    const BYTES: u64 = 1024;
    usize::try_from(length / BYTES).unwrap_or(usize::MAX)
}

/// Calls `each` with every line and its tape; of blank lines that follow one another only with the first. An empty file has no
/// lines.
pub(crate) fn each(
    entries: &dyn Entries,
    entry: EntryId,
    scan: &mut Scan,
    each: &mut dyn FnMut(Line<'_>, &Tape) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    if let Some(bytes) = entries.in_memory(entry) {
        return each_in(bytes, entry, entries.first_line(entry), scan, each);
    }
    let length = entries.len(entry);
    if length < CHUNK as u64 {
        // Ten thousand small files do not need a buffer of a MiB each.
        let bytes = entries.fetch(Span::new(entry, 0, length))?;
        return each_in(&bytes, entry, entries.first_line(entry), scan, each);
    }
    let mut input = entries.open(entry)?;
    let mut buffer = vec![0; CHUNK];
    // buffer[from..to] holds bytes that were read but not consumed. `line` is the file offset of
    // the current line, and `kept` tells whether its first byte is still at buffer[from].
    let (mut from, mut to) = (0_usize, 0_usize);
    let mut line = 0_u64;
    let mut number = entries.first_line(entry);
    loop {
        scan.scanner.start(&mut scan.tape);
        let (mut kept, mut scanned, mut length) = (true, 0_usize, 0_u64);
        let ended = loop {
            if let Some(used) = scan.scanner.feed(&buffer[from + scanned..to], &mut scan.tape) {
                length += used as u64;
                scanned += used;
                break true;
            }
            length += (to - from - scanned) as u64;
            scanned = to - from;
            if scanned > KEEP {
                (kept, from, to, scanned) = (false, 0, 0, 0);
            } else if from > 0 {
                buffer.copy_within(from..to, 0);
                (from, to) = (0, scanned);
            }
            if buffer.len() < to + CHUNK / 2 {
                buffer.resize(to + CHUNK, 0);
            }
            match read_some(&mut *input, &mut buffer[to..])? {
                0 => break false,
                more => to += more,
            }
        };
        if !ended {
            if length == 0 {
                return Ok(());
            }
            scan.scanner.finish(&mut scan.tape);
        }
        let end = line + length + u64::from(ended);
        let bytes = kept.then(|| &buffer[from..from + scanned]);
        let carriage = ended
            && bytes.map_or_else(|| last_is_cr(entries, entry, end), |b| b.last() == Some(&b'\r'));
        let content = length - u64::from(carriage);
        let at = Span { entry, start: line, end };
        let bytes = bytes.map(|bytes| &bytes[..content as usize]);
        each(Line { number, at, content, unended: !ended, bytes }, &scan.tape)?;
        from += scanned + usize::from(ended);
        line = end;
        number += 1;
        if !ended {
            return Ok(());
        }
        if matches!(scan.tape.end, RecordEnd::Empty) {
            let (length, lines) = blank_lines(&buffer[from..to]);
            from += length;
            line += length as u64;
            number += lines;
        }
    }
}

/// Like [`each`], for lines in memory.
fn each_in(
    mut rest: &[u8],
    entry: EntryId,
    mut number: u64,
    scan: &mut Scan,
    each: &mut dyn FnMut(Line<'_>, &Tape) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    let mut start = 0;
    while !rest.is_empty() {
        scan.scanner.start(&mut scan.tape);
        let ended = scan.scanner.feed(rest, &mut scan.tape);
        if ended.is_none() {
            scan.scanner.finish(&mut scan.tape);
        }
        let (line, after) = rest.split_at(ended.unwrap_or(rest.len()));
        let content = match line.split_last() {
            Some((b'\r', content)) if ended.is_some() => content,
            _ => line,
        };
        let end = start + (line.len() + usize::from(ended.is_some())) as u64;
        let line = Line {
            number,
            at: Span { entry, start, end },
            content: content.len() as u64,
            unended: ended.is_none(),
            bytes: Some(content),
        };
        each(line, &scan.tape)?;
        rest = after.get(1..).unwrap_or_default();
        (start, number) = (end, number + 1);
        if matches!(scan.tape.end, RecordEnd::Empty) {
            let (length, lines) = blank_lines(rest);
            rest = &rest[length..];
            (start, number) = (start + length as u64, number + lines);
        }
    }
    Ok(())
}

/// The length and the number of the blank lines at the beginning. A gigabyte of them is a megabyte if compressed.
fn blank_lines(bytes: &[u8]) -> (usize, u64) {
    let (mut length, mut lines) = (0, 0);
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'\n' => (length, lines) = (at + 1, lines + 1),
            b' ' | b'\t' | b'\r' => {}
            _ => break,
        }
    }
    (length, lines)
}

fn read_some(input: &mut dyn Read, into: &mut [u8]) -> Result<usize, ReadError> {
    loop {
        match input.read(into) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            other => return Ok(other?),
        }
    }
}

/// Whether a line that is too long for memory ends with a carriage return.
fn last_is_cr(entries: &dyn Entries, entry: EntryId, end: u64) -> bool {
    let at = Span { entry, start: end.saturating_sub(2), end: end.saturating_sub(1) };
    entries.fetch(at).is_ok_and(|byte| byte == b"\r")
}

/// Turns lines into events.
pub(super) struct Sink<'a> {
    pub(super) entries: &'a dyn Entries,
    pub(super) reading: &'a RecordReader,
    pub(super) t: &'a mut Transcript,
    /// Consecutive lines that are not complete records; together they may be one.
    broken: Vec<BrokenRecord>,
    /// Their total length in bytes.
    held: usize,
}

impl<'a> Sink<'a> {
    pub(super) fn new(
        entries: &'a dyn Entries,
        reading: &'a RecordReader,
        t: &'a mut Transcript,
    ) -> Self {
        Self { entries, reading, t, broken: Vec::new(), held: 0 }
    }

    pub(super) fn line(&mut self, line: Line<'_>, tape: &Tape) -> Result<(), ReadError> {
        if let Some(what) = blocking_limit(&tape.end) {
            return Err(ReadError::Limit { place: format!("line {}", line.number), what });
        }
        match (&tape.end, line.bytes) {
            (RecordEnd::Empty, _) => {
                self.flush();
                Ok(())
            }
            (RecordEnd::Whole, Some(bytes)) => {
                self.flush();
                self.record(&line, tape, &bytes);
                Ok(())
            }
            (RecordEnd::Whole, None) => {
                self.flush();
                let far = LongRecord::new(self.entries, line.at.entry, line.at.start);
                self.record(&line, tape, &far);
                far.take_error().map_or(Ok(()), |error| Err(error.into()))
            }
            (RecordEnd::TooDeep { .. }, _) | (_, None) => self.beginning(&line, tape),
            (_, Some(bytes)) => {
                self.piece(&line, tape, bytes);
                Ok(())
            }
        }
    }

    /// Reads the start of a line that is too long or too deeply nested to search for records.
    fn beginning(&mut self, line: &Line<'_>, tape: &Tape) -> Result<(), ReadError> {
        self.flush();
        self.t.begin(line.at, Place::Line(line.number), State::Unreadable);
        let far = LongRecord::new(self.entries, line.at.entry, line.at.start);
        mend::beginning(self.t, tape, &far, self.reading);
        far.take_error().map_or(Ok(()), |error| Err(error.into()))
    }

    pub(super) fn record(&mut self, line: &Line<'_>, tape: &Tape, text: &dyn TapeText) {
        let event = self.t.begin(line.at, Place::Line(line.number), State::Whole);
        match Node::root(tape, text) {
            Some(node) if self.reading.messages && node.kind() != Kind::Object => {
                mend::bare(node, self.t)
            }
            Some(node) => {
                // A record that is too long for memory is not read twice.
                self.t.allow_late_digests(text.near().is_some());
                (self.reading.read)(node, self.t);
                self.t.allow_late_digests(false);
            }
            None => {}
        }
        let content = Span { end: line.at.start + line.content, ..line.at };
        flaws(self.t, event, content, &tape.flaws, text, self.reading);
        if line.unended && !self.entries.is_row(line.at.entry) {
            mend::missing_newline(self.t, event, self.newline());
        }
    }

    fn piece(&mut self, line: &Line<'_>, tape: &Tape, bytes: &[u8]) {
        self.held += bytes.len();
        let torn = matches!(tape.end, RecordEnd::Torn);
        let ending: Option<&'static [u8]> = match line.at.end - line.at.start - line.content {
            0 => None,
            1 => Some(b"\n"),
            _ => Some(b"\r\n"),
        };
        let place = Place::Line(line.number);
        let piece =
            BrokenRecord { at: line.at, place, bytes: bytes.to_vec(), ending, name_id: None };
        // A truncated line may continue in the next one; any other line stands alone.
        if !torn && self.broken.is_empty() {
            self.broken.push(piece);
            self.flush();
            return;
        }
        self.broken.push(piece);
        if self.broken.len() > 1 && rejoin::rejoin(self.t, &self.broken, self.reading) {
            self.broken.clear();
            self.held = 0;
        } else if self.broken.len() >= torn::MOST_LINES || self.held > KEEP {
            self.flush();
        }
    }

    /// Handles each of the pending lines alone, because they do not form a record.
    #[inline]
    pub(super) fn flush(&mut self) {
        if !self.broken.is_empty() {
            self.flush_broken();
        }
    }

    fn flush_broken(&mut self) {
        for piece in std::mem::take(&mut self.broken) {
            mend::broken(self.t, &piece, self.reading);
        }
        self.held = 0;
    }

    /// The line ending of this file, taken from its first line.
    fn newline(&self) -> &'static [u8] {
        let first =
            self.t.events.iter().find(|event| {
                event.place() == Place::Line(self.entries.first_line(event.at().entry))
            });
        let crlf = first.is_some_and(|event| {
            let at = Span { start: event.at().end.saturating_sub(2), ..event.at() };
            event.at().end >= 2 && self.entries.fetch(at).is_ok_and(|ending| ending == b"\r\n")
        });
        if crlf { b"\r\n" } else { b"\n" }
    }
}
