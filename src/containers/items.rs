//! JSON documents: one record per element of an array.
//!
//! The document is scanned once without the content of its elements, to find where they are and
//! whether the document is complete. Then the elements are read one by one, so memory is bounded by
//! the longest element, not by the document.

mod elements;
mod end;

use std::io::{self, Read};

use self::elements::Elements;
use super::{PathStep, ReadError, RecordReader, Scanned, limit, mend};
use crate::bytes::edit::Edit;
use crate::bytes::far::LongRecord;
use crate::bytes::source::{Entries, EntryId, Span};
use crate::json::node::{Node, TapeText};
use crate::json::scan::{ScanMode, Scanner};
use crate::json::tape::{Flaw, Kind, RecordEnd, Tape};
use crate::transcript::{
    Action, Code, Diagnostic, Effect, EventId, Instance, Place, Role, State, Subject, Transcript,
};

/// Longest element held in memory, in bytes.
const KEEP: u64 = 8 << 20;
/// Bytes read at once.
const CHUNK: usize = 1 << 20;
/// Levels that are recorded around and below a list if the rest of the document matters.
const ENVELOPE: usize = 6;

/// Deepest nesting that is scanned to find the end of an element. An element deeper than a record
/// may be is unreadable.
const MOST_DEPTH: usize = 1 << 20;

/// Reads every element of the lists, one list after the other. With `envelope`, also reads the rest
/// of the document as the host's state.
pub(super) fn read(
    (entries, entry): (&dyn Entries, EntryId),
    scanned: Option<Scanned<'_>>,
    paths: &[&[PathStep]],
    envelope: bool,
    reading: &RecordReader,
    t: &mut Transcript,
) -> Result<(), ReadError> {
    let document = EntryDocument::new((entries, entry), scanned, reading)?;
    let skimmed;
    let tape = match scanned {
        Some(scanned) => scanned.tape,
        None => {
            let deepest = paths.iter().map(|path| path.len()).max().unwrap_or(0);
            let depth = deepest + if envelope { ENVELOPE } else { 2 };
            skimmed = skim(entries, entry, document.at.start, depth)?;
            &skimmed
        }
    };
    if let Some(what) = limit(&tape.end) {
        return Err(ReadError::Limit { place: entries.name(entry).to_owned(), what });
    }
    let far = LongRecord::new(entries, entry, document.at.start);
    let near = scanned.map(|scanned| scanned.bytes).unwrap_or_default();
    let text: &dyn TapeText = if scanned.is_some() { &near } else { &far };
    let root = Node::root(tape, text);
    let lists: Vec<RecordList<'_>> =
        paths.iter().map(|path| RecordList::find(root, path)).collect();
    let (Some(root), true) = (root, lists.iter().any(|own| own.list.is_some())) else {
        // There was a list when the document was recognized. Unread records must not pass as
        // healthy.
        unreadable(t, document.at, 0);
        return Ok(());
    };
    let first = t.events.end();
    let count = document.read_lists(&lists, t)?;
    let mut records = t.events.ids_from(first).rev();
    let last = records.find(|at| t.events[*at].within.is_none()).filter(|_| count > 0);
    document.check_end(&lists, tape, (last, count), t)?;
    if last.is_some() {
        document.check_start(first, t)?;
    }
    if envelope {
        state(t, document.at, root, reading);
    }
    document.check_rest(&lists, tape, text, t);
    far.take_error().map_or(Ok(()), |error| Err(error.into()))
}

/// A document in an entry.
struct EntryDocument<'a> {
    entries: &'a dyn Entries,
    /// NUL bytes or a byte order mark before it.
    padding: Span,
    /// Its bytes, to the end of the entry.
    at: Span,
    scanned: Option<Scanned<'a>>,
    reading: &'a RecordReader,
}

impl<'a> EntryDocument<'a> {
    fn new(
        (entries, entry): (&'a dyn Entries, EntryId),
        scanned: Option<Scanned<'a>>,
        reading: &'a RecordReader,
    ) -> Result<EntryDocument<'a>, ReadError> {
        let padding = match scanned {
            Some(_) => Span { entry, start: 0, end: 0 },
            None => padding(entries, entry)?,
        };
        Ok(EntryDocument {
            entries,
            padding,
            at: Span { entry, start: padding.end, end: entries.len(entry) },
            scanned,
            reading,
        })
    }

    /// Reads the complete elements of all lists, and counts them.
    fn read_lists(&self, lists: &[RecordList<'_>], t: &mut Transcript) -> Result<u64, ReadError> {
        let (entries, entry) = (self.entries, self.at.entry);
        let mut count = 0;
        for (number, list) in lists.iter().enumerate() {
            let Some(list) = list.list else { continue };
            if let Some(scanned) = self.scanned {
                elements::read_scanned(scanned, entry, list, (number, count), self.reading, t);
                count += list.items().count() as u64;
                continue;
            }
            let mut elements = Elements::new(entries, self.at, chunk(entries, entry))?;
            let whole = list.items().take_while(|item| !item.is_open());
            for (at, item) in (0_i64..).zip(whole) {
                let index_in_list = (number > 0).then_some(at);
                elements.read(item.span(), count, index_in_list, self.reading, t)?;
                count += 1;
            }
        }
        Ok(count)
    }

    /// Reports what is wrong at or after the end. `read`: the last element, and how many there are.
    fn check_end(
        &self,
        lists: &[RecordList<'_>],
        tape: &Tape,
        read: (Option<EventId>, u64),
        t: &mut Transcript,
    ) -> Result<(), ReadError> {
        match (&tape.end, read) {
            (RecordEnd::Whole, _) => return Ok(()),
            (RecordEnd::Trailing { at }, (Some(last), _)) => {
                let start = self.at.start + u64::from(*at);
                if is_nul(self.entries, self.at.entry, start)? {
                    let (code, rest) = (Code::NulPadding, Span { start, ..self.at });
                    trim_around(t, last, rest, code, "NUL bytes after the document");
                    return Ok(());
                }
            }
            _ => {}
        }
        let broken = lists.iter().find(|list| list.is_broken()).or(lists.first());
        let path = broken.map(|list| list.nodes.as_slice()).unwrap_or_default();
        end::report(self.entries, t, self.at, path, read.1, tape)
    }

    /// Reports what is before the document. `first`: its first record.
    fn check_start(&self, first: EventId, t: &mut Transcript) -> Result<(), ReadError> {
        if self.padding.end == 0 {
            return Ok(());
        }
        let is_nul = self.entries.fetch(self.padding)?.contains(&0);
        let (code, message) = if is_nul {
            (Code::NulPadding, "NUL bytes before the document")
        } else {
            (Code::ByteOrderMark, "a byte order mark before the document")
        };
        trim_around(t, first, self.padding, code, message);
        let is_harmless = !is_nul && self.reading.plain;
        if let Some(diagnostic) = t.diagnostics.last_mut().filter(|_| is_harmless) {
            diagnostic.instance = Some(Instance::Harmless);
        }
        Ok(())
    }

    /// Reports flaws of the text outside the lists.
    fn check_rest(
        &self,
        lists: &[RecordList<'_>],
        tape: &Tape,
        text: &dyn TapeText,
        t: &mut Transcript,
    ) {
        let lists: Vec<Node<'_>> = lists.iter().filter_map(|own| own.list).collect();
        let around = around(&tape.flaws, &lists);
        if around.is_empty() {
            return;
        }
        let state = t.host_state().unwrap_or_else(|| bare_state(t, self.at));
        for diagnostic in mend::state_flaws(t, state, self.at, &around, text, self.reading) {
            diagnostic.message.to_mut().push_str(" outside the messages");
        }
    }
}

/// A list of records, with the path to it.
struct RecordList<'a> {
    /// The values from the document to the list; fewer if the path does not exist.
    nodes: Vec<Node<'a>>,
    list: Option<Node<'a>>,
}

impl<'a> RecordList<'a> {
    fn find(root: Option<Node<'a>>, path: &[PathStep]) -> RecordList<'a> {
        let nodes = root.map(|root| nodes_on_path(root, path)).unwrap_or_default();
        let list = nodes.get(path.len()).copied();
        RecordList { list: list.filter(|list| list.kind() == Kind::Array), nodes }
    }

    /// Whether the list is missing, or the document ends within it.
    fn is_broken(&self) -> bool {
        self.list.is_none() || self.nodes.iter().skip(1).any(|node| node.is_open())
    }
}

/// NUL bytes, byte order marks and white space before the document, within its first [`CHUNK`]
/// bytes.
pub(crate) fn padding(entries: &dyn Entries, entry: EntryId) -> Result<Span, ReadError> {
    let mut head = Vec::new();
    entries.open(entry)?.take(CHUNK as u64).read_to_end(&mut head)?;
    let padding = &head[..super::torn::skip(&head, 0)];
    // White space before the first bracket stays.
    let length =
        padding.iter().rposition(|byte| !byte.is_ascii_whitespace()).map_or(0, |last| last + 1);
    Ok(Span { entry, start: 0, end: length as u64 })
}

/// Buffer size for this document: a small one needs no large buffer.
fn chunk(entries: &dyn Entries, entry: EntryId) -> usize {
    usize::try_from(entries.len(entry)).unwrap_or(CHUNK).clamp(1, CHUNK)
}

/// Whether only NUL bytes and white space follow `from`.
fn is_nul(entries: &dyn Entries, entry: EntryId, from: u64) -> Result<bool, ReadError> {
    let mut input = entries.open(entry)?;
    io::copy(&mut (&mut input).take(from), &mut io::sink())?;
    let mut chunk = vec![0; CHUNK];
    loop {
        let read = match input.read(&mut chunk) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            other => other?,
        };
        if read == 0 {
            return Ok(true);
        }
        if !chunk[..read].iter().all(|byte| *byte == 0 || byte.is_ascii_whitespace()) {
            return Ok(false);
        }
    }
}

/// Reports that the document cannot be read after its last complete element.
fn unreadable(t: &mut Transcript, rest: Span, count: u64) {
    let event = t.begin(rest, Place::Item(count), State::Padding);
    let mut diagnostic =
        Diagnostic::new(Code::UnreadableRecord, "the document cannot be read from here on", event);
    diagnostic.about = vec![Subject::Bytes(event)];
    diagnostic.effect = Effect::LoadFails;
    t.diagnostics.push(diagnostic);
}

/// Reports bytes around the document that are not JSON.
fn trim_around(t: &mut Transcript, event: EventId, at: Span, code: Code, message: &'static str) {
    let mut diagnostic = Diagnostic::new(code, message, event);
    diagnostic.about = vec![Subject::Bytes(event)];
    diagnostic.effect = Effect::LoadFails;
    diagnostic.instance = Some(Instance::Stops);
    let edits = vec![Edit::Bytes { at, with: Vec::new() }];
    diagnostic.fix_safely([Action::edits(event, "remove the bytes around the document", edits)]);
    t.diagnostics.push(diagnostic);
}

/// The values on the path from the document to the list; fewer if the path does not exist.
fn nodes_on_path<'a>(root: Node<'a>, path: &[PathStep]) -> Vec<Node<'a>> {
    let mut nodes = vec![root];
    for step in path {
        let next = match (step, nodes.last()) {
            (PathStep::Key(key), Some(node)) => node.get(key),
            (PathStep::At(index), Some(node)) => node.items().nth(*index as usize),
            (_, None) => None,
        };
        let Some(next) = next else { break };
        nodes.push(next);
    }
    nodes
}

/// Reads the document itself as the host's state.
fn state(t: &mut Transcript, at: Span, root: Node<'_>, reading: &RecordReader) {
    let event = bare_state(t, at);
    if root.is_open() {
        t.events[event].state = State::Unreadable;
    }
    (reading.read)(root, t);
}

/// Adds the document as the host's state, without reading it.
fn bare_state(t: &mut Transcript, at: Span) -> EventId {
    let event = t.begin(at, Place::Item(0), State::Whole);
    t.newest_mut().role = Role::HostState;
    event
}

/// The flaws outside the elements of these lists.
fn around(flaws: &[Flaw], lists: &[Node<'_>]) -> Vec<Flaw> {
    flaws
        .iter()
        .filter(|flaw| !lists.iter().any(|list| list.span().contains(&flaw.start)))
        .copied()
        .collect()
}

/// The tokens of the document at byte `from`, down to `depth` levels.
///
/// # Errors
/// The bytes cannot be read.
pub(crate) fn skim(
    entries: &dyn Entries,
    entry: EntryId,
    from: u64,
    depth: usize,
) -> Result<Tape, ReadError> {
    let mut scanner = Scanner::new(ScanMode::Document).keep_depth(depth).max_depth(MOST_DEPTH);
    let mut tape = Tape::default();
    scanner.start(&mut tape);
    let mut input = entries.open(entry)?;
    io::copy(&mut (&mut input).take(from), &mut io::sink())?;
    let mut chunk = vec![0; chunk(entries, entry)];
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
