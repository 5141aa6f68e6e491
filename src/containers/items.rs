//! JSON documents: one record an element of an array.
//!
//! The document is scanned once without the insides of its elements, to find where they are and that the whole holds
//! together; then the elements are read one after the other, so memory follows the longest element, not the document.

use std::io::{self, BufReader, Read};

use super::Reading;
use super::mend;
use super::{ReadError, Step, limit};
use crate::bytes::edit::Edit;
use crate::bytes::far::Far;
use crate::bytes::source::{Entries, EntryId, Span};
use crate::json::node::{Node, Text};
use crate::json::scan::{Mode, Scanner};
use crate::json::tape::{End, Kind, Tape};
use crate::transcript::{Effect, Fault, Place, Remedy, Role, State, Subject, Transcript, Treatment};

/// Longest element that is kept in memory as a whole.
const KEEP: u64 = 8 << 20;
/// Bytes asked for at a time.
const CHUNK: usize = 1 << 20;
/// Levels that are looked at around a list and below, where the document around it says something.
const ENVELOPE: usize = 6;

/// Reads every element of the document's list and, where asked, what stands around it as the host's state.
pub(super) fn read(
    entries: &dyn Entries,
    entry: EntryId,
    path: &[Step],
    envelope: bool,
    reading: &Reading,
    t: &mut Transcript,
) -> Result<(), ReadError> {
    let depth = path.len() + if envelope { ENVELOPE } else { 2 };
    let tape = skim(entries, entry, depth)?;
    if let Some(what) = limit(&tape.end) {
        return Err(ReadError::Limit { place: entries.name(entry).to_owned(), what });
    }
    let far = Far::new(entries, entry, 0);
    let Some(root) = Node::root(&tape, &far) else { return Ok(()) };
    let way = way(root, path);
    let Some(list) = way.get(path.len()).filter(|list| list.kind() == Kind::Array) else { return Ok(()) };
    let mut input =
        Elements { entries, entry, input: BufReader::with_capacity(CHUNK, entries.open(entry)?), at: 0 };
    let mut count = 0;
    for (number, item) in list.items().enumerate().take_while(|(_, item)| !item.is_open()) {
        count = number as u64 + 1;
        input.element(item.span(), number as u64, reading, t)?;
    }
    if !matches!(tape.end, End::Whole) {
        broken_end(t, Span { entry, start: 0, end: entries.len(entry) }, &way, count, &tape);
    }
    if envelope {
        state(t, Span { entry, start: 0, end: entries.len(entry) }, root, reading);
    }
    far.failed().map_or(Ok(()), |error| Err(error.into()))
}

/// The values on the way to the list, the document first, the list last; shorter where the way is not there.
fn way<'a>(root: Node<'a>, path: &[Step]) -> Vec<Node<'a>> {
    let mut way = vec![root];
    for step in path {
        let next = match (step, way.last()) {
            (Step::Key(key), Some(node)) => node.get(key),
            (Step::At(index), Some(node)) => node.items().nth(*index as usize),
            (_, None) => None,
        };
        let Some(next) = next else { break };
        way.push(next);
    }
    way
}

/// The document itself as the host's state.
fn state(t: &mut Transcript, at: Span, root: Node<'_>, reading: &Reading) {
    let known = if root.is_open() { State::Hole } else { State::Whole };
    t.begin(at, Place::Item(0), known);
    if let Some(event) = t.current() {
        event.role = Role::HostState;
    }
    (reading.read)(root, t);
}

/// The document's tokens down to this depth.
///
/// # Errors
/// The bytes cannot be had.
pub(crate) fn skim(entries: &dyn Entries, entry: EntryId, depth: usize) -> Result<Tape, ReadError> {
    let mut scanner = Scanner::new(Mode::Document).keep_depth(depth);
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

/// The document stops, or cannot be read further, behind the last whole value of the innermost container that is open.
fn broken_end(t: &mut Transcript, document: Span, way: &[Node<'_>], count: u64, tape: &Tape) {
    let open = way.iter().rposition(|node| node.is_open()).unwrap_or(0);
    let keep = last_whole(way[open]);
    let whole = open + 1 < way.len() || way[open].items().all(|item| !item.is_open());
    let fragment = if whole { None } else { way[open].items().last().map(|item| item.span().start) };
    let rest = Span { start: u64::from(fragment.unwrap_or(keep)), ..document };
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
        let at = Span { start: u64::from(keep), ..document };
        let remedy = Remedy::Mend {
            event,
            word: "close",
            edits: vec![Edit::Bytes { at, with: closing(&way[..=open]) }],
        };
        fault.treatments = vec![Treatment::safe(vec![remedy])];
    }
    t.faults.push(fault);
}

/// Where the last whole child of a torn container ends.
fn last_whole(container: Node<'_>) -> u32 {
    let ends = match container.kind() {
        Kind::Object => container.members().filter(|(_, v)| !v.is_open()).map(|(_, v)| v.span().end).last(),
        _ => container.items().filter(|item| !item.is_open()).map(|item| item.span().end).last(),
    };
    ends.unwrap_or(container.span().start + 1)
}

/// The brackets that close these containers, laid out as their openings are.
fn closing(open: &[Node<'_>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (depth, container) in open.iter().enumerate().rev() {
        let own_lines = lead(*container).contains(&b'\n');
        if own_lines {
            match depth.checked_sub(1) {
                Some(outer) => bytes.extend(lead(open[outer])),
                None => bytes.push(b'\n'),
            }
        }
        bytes.push(if container.kind() == Kind::Object { b'}' } else { b']' });
    }
    bytes
}

/// What stands between a container's bracket and its first child.
fn lead(container: Node<'_>) -> Vec<u8> {
    let first = container.members().next().map(|(key, _)| key).or_else(|| container.items().next());
    let Some(first) = first else { return Vec::new() };
    container.text().get(container.span().start + 1, first.span().start).into_owned()
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
        reading: &Reading,
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
            (reading.read)(node, t);
        }
        mend::flaws(t, event, at, &tape, text, reading);
        far.failed().map_or(Ok(()), |error| Err(error.into()))
    }
}
