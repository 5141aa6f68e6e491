//! JSON documents: one record an element of an array.
//!
//! The document is scanned once without the insides of its elements, to find where they are and that the whole holds
//! together; then the elements are read one after the other, so memory follows the longest element, not the document.

use std::io::{self, BufReader, Read};

use super::mend;
use super::{ReadError, limit};
use crate::bytes::edit::Edit;
use crate::bytes::far::Far;
use crate::bytes::source::{Entries, EntryId, Span};
use crate::formats::Format;
use crate::json::node::{Node, Text};
use crate::json::scan::{Mode, Scanner};
use crate::json::tape::{End, Kind, Tape};
use crate::transcript::{Effect, Fault, Place, Remedy, State, Subject, Transcript, Treatment};

/// Longest element that is kept in memory as a whole.
const KEEP: u64 = 8 << 20;
/// Bytes asked for at a time.
const CHUNK: usize = 1 << 20;

/// Reads every element of the document's list.
pub(super) fn read(
    entries: &dyn Entries,
    entry: EntryId,
    member: Option<&str>,
    format: &'static Format,
    t: &mut Transcript,
) -> Result<(), ReadError> {
    let tape = skim(entries, entry)?;
    if let Some(what) = limit(&tape.end) {
        return Err(ReadError::Limit { place: entries.name(entry).to_owned(), what });
    }
    let far = Far::new(entries, entry, 0);
    let list = Node::root(&tape, &far).and_then(|root| match member {
        Some(key) => root.get(key),
        None => Some(root),
    });
    let Some(list) = list.filter(|list| list.kind() == Kind::Array) else { return Ok(()) };
    let mut input =
        Elements { entries, entry, input: BufReader::with_capacity(CHUNK, entries.open(entry)?), at: 0 };
    let mut last_end = list.span().start + 1;
    let mut count = 0;
    let mut open = None;
    for (number, item) in list.items().enumerate() {
        if item.is_open() {
            open = Some(item.span().start);
            break;
        }
        count = number as u64 + 1;
        last_end = item.span().end;
        input.element(item.span(), number as u64, format, t)?;
    }
    if !matches!(tape.end, End::Whole) {
        let from = u64::from(open.unwrap_or(last_end));
        let rest = Span { entry, start: from, end: entries.len(entry) };
        broken_end(t, rest, u64::from(last_end), count, &tape, member.is_some());
    }
    Ok(())
}

/// The document's tokens down to its list's elements.
fn skim(entries: &dyn Entries, entry: EntryId) -> Result<Tape, ReadError> {
    let mut scanner = Scanner::new(Mode::Document).keep_depth(3);
    let mut tape = Tape::default();
    scanner.start(&mut tape);
    let mut input = entries.open(entry)?;
    let mut chunk = vec![0; CHUNK];
    loop {
        let read = match input.read(&mut chunk) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            other => other?,
        };
        if read == 0 || scanner.feed(&chunk[..read], &mut tape).is_some() {
            scanner.finish(&mut tape);
            return Ok(tape);
        }
    }
}

/// The document stops, or cannot be read further, behind its last whole element.
fn broken_end(t: &mut Transcript, rest: Span, last_end: u64, count: u64, tape: &Tape, in_member: bool) {
    let event = t.begin(rest, Place::Item(count), State::Void);
    let torn = matches!(tape.end, End::Torn);
    let mut fault = if torn {
        Fault::new("TD001", "the document stops in the middle", event)
    } else {
        Fault::new("TD002", "the document cannot be read from here on", event)
    };
    fault.about = vec![Subject::Bytes(event)];
    fault.effect = Effect::LoadFails;
    if torn {
        let at = Span { start: last_end, ..rest };
        let with = if in_member { b"]}".to_vec() } else { b"]".to_vec() };
        let remedy = Remedy::Mend { event, word: "close", edits: vec![Edit::Bytes { at, with }] };
        fault.treatments = vec![Treatment::safe(vec![remedy])];
    }
    t.faults.push(fault);
}

/// The elements in order, read through one buffer.
struct Elements<'a> {
    entries: &'a dyn Entries,
    entry: EntryId,
    input: BufReader<Box<dyn Read + 'a>>,
    at: u64,
}

impl Elements<'_> {
    fn element(
        &mut self,
        span: std::ops::Range<u32>,
        number: u64,
        format: &'static Format,
        t: &mut Transcript,
    ) -> Result<(), ReadError> {
        let at = Span { entry: self.entry, start: u64::from(span.start), end: u64::from(span.end) };
        let length = at.end - at.start;
        io::copy(&mut (&mut self.input).take(at.start - self.at), &mut io::sink())?;
        let mut scanner = Scanner::new(Mode::Document);
        let mut tape = Tape::default();
        scanner.start(&mut tape);
        let mut kept = Vec::new();
        if length <= KEEP {
            (&mut self.input).take(length).read_to_end(&mut kept)?;
            scanner.feed(&kept, &mut tape);
        } else {
            let mut left = (&mut self.input).take(length);
            let mut chunk = vec![0; CHUNK];
            loop {
                let read = left.read(&mut chunk)?;
                if read == 0 || scanner.feed(&chunk[..read], &mut tape).is_some() {
                    break;
                }
            }
            io::copy(&mut left, &mut io::sink())?;
        }
        scanner.finish(&mut tape);
        self.at = at.end;
        if let Some(what) = limit(&tape.end) {
            return Err(ReadError::Limit { place: format!("element {number}"), what });
        }
        let event = t.begin(at, Place::Item(number), State::Whole);
        let far = Far::new(self.entries, self.entry, at.start);
        let text: &dyn Text = if length <= KEEP { &kept.as_slice() } else { &far };
        if let Some(node) = Node::root(&tape, text) {
            (format.read)(node, t);
        }
        mend::flaws(t, event, at, &tape, text, format);
        far.failed().map_or(Ok(()), |error| Err(error.into()))
    }
}
