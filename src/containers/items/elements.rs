//! The elements of a list, as records.

use std::io::{self, BufReader, Read};

use super::{CHUNK, KEEP};
use crate::bytes::far::LongRecord;
use crate::bytes::source::{Entries, EntryId, Span};
use crate::containers::{ReadError, RecordReader, Scanned, blocking_limit, flaws, mend};
use crate::json::node::{Node, TapeText};
use crate::json::scan::{ScanMode, Scanner};
use crate::json::tape::{Kind, RecordEnd, Tape};
use crate::transcript::{FactValue, Place, State, Transcript, facts};

/// Reads the elements of a list in a document that was scanned as a whole. `number` is the index of
/// the list, `count` the number of elements before it.
pub(super) fn read_scanned(
    scanned: Scanned<'_>,
    entry: EntryId,
    list: Node<'_>,
    (number, count): (usize, u64),
    reading: &RecordReader,
    t: &mut Transcript,
) {
    let mut tape = Tape::default();
    t.reserve(list.items().count());
    for (at, item) in list.items().enumerate() {
        let span = item.span();
        let place = Place::Item(count + at as u64);
        let own = Span { entry, start: u64::from(span.start), end: u64::from(span.end) };
        t.begin(own, place, State::Whole);
        if number > 0 {
            t.set_fact(facts::IN_SECOND, FactValue::Number(at as i64));
        }
        let range = span.start as usize..span.end as usize;
        let bytes = scanned.bytes.get(range).unwrap_or_default();
        scanned.tape.cut(item.index(), &mut tape);
        match Node::root(&tape, &bytes) {
            Some(node) if node.kind() != Kind::Object => mend::bare(node, t),
            Some(node) => (reading.read)(node, t),
            None => {}
        }
    }
}

/// Reads elements in order, through one buffer.
pub(super) struct Elements<'a> {
    entries: &'a dyn Entries,
    entry: EntryId,
    input: BufReader<Box<dyn Read + 'a>>,
    at: u64,
    /// Offset of the document; spans are relative to it.
    base: u64,
}

impl<'a> Elements<'a> {
    /// The elements of the document at `at`, read through a buffer of `capacity` bytes.
    pub(super) fn new(entries: &'a dyn Entries, at: Span, capacity: usize) -> io::Result<Self> {
        Ok(Elements {
            entries,
            entry: at.entry,
            input: BufReader::with_capacity(capacity, entries.open(at.entry)?),
            at: 0,
            base: at.start,
        })
    }

    /// Reads the next element. `span`: in the document; `number`: among all elements.
    pub(super) fn read(
        &mut self,
        span: std::ops::Range<u32>,
        number: u64,
        index_in_list: Option<i64>,
        reading: &RecordReader,
        t: &mut Transcript,
    ) -> Result<(), ReadError> {
        let start = self.base + u64::from(span.start);
        let at = Span { entry: self.entry, start, end: self.base + u64::from(span.end) };
        let is_kept = at.end - at.start <= KEEP;
        let mut tape = Tape::default();
        let kept = self.scan(at, is_kept, &mut tape)?;
        if let Some(what) = blocking_limit(&tape.end) {
            return Err(ReadError::Limit { place: format!("element {number}"), what });
        }
        let is_whole = matches!(tape.end, RecordEnd::Whole);
        let state = if is_whole { State::Whole } else { State::Unreadable };
        let event = t.begin(at, Place::Item(number), state);
        if let Some(index_in_list) = index_in_list {
            t.set_fact(facts::IN_SECOND, FactValue::Number(index_in_list));
        }
        let far = LongRecord::new(self.entries, self.entry, at.start);
        let text: &dyn TapeText = if is_kept { &kept.as_slice() } else { &far };
        match Node::root(&tape, text) {
            // The document is complete, so the element can only be nested too deeply.
            Some(_) if !is_whole => mend::beginning(t, &tape, text, reading),
            Some(node) if node.kind() != Kind::Object => mend::bare(node, t),
            Some(node) => (reading.read)(node, t),
            None => {}
        }
        flaws::flaws(t, event, at, &tape.flaws, text, reading);
        far.take_error().map_or(Ok(()), |error| Err(error.into()))
    }

    /// Scans the bytes at `at`, and returns them if they are kept.
    fn scan(&mut self, at: Span, is_kept: bool, tape: &mut Tape) -> Result<Vec<u8>, ReadError> {
        let before = at.start - self.at;
        io::copy(&mut (&mut self.input).take(before), &mut io::sink())?;
        let mut scanner = Scanner::new(ScanMode::Document);
        scanner.start(tape);
        let mut kept = Vec::new();
        let mut left = (&mut self.input).take(at.end - at.start);
        if is_kept {
            left.read_to_end(&mut kept)?;
            scanner.feed(&kept, tape);
        } else {
            let mut chunk = vec![0; CHUNK];
            loop {
                let read = left.read(&mut chunk)?;
                if read == 0 || scanner.feed(&chunk[..read], tape).is_some() {
                    break;
                }
            }
            io::copy(&mut left, &mut io::sink())?;
        }
        scanner.finish(tape);
        self.at = at.end;
        Ok(kept)
    }
}
