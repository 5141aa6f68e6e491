//! JSON documents: one record per element of an array.
//!
//! The document is scanned once without the content of its elements, to find where they are and
//! whether the document is complete. Then the elements are read one by one, so memory is bounded by
//! the longest element, not by the document.

use std::io::{self, BufReader, Read};

use super::RecordReader;
use super::{ReadError, Scanned, Step, blocking_limit, limit};
use super::{mend, torn};
use crate::bytes::edit::Edit;
use crate::bytes::far::LongRecord;
use crate::bytes::source::{Entries, EntryId, Span};
use crate::json::node::{Node, Text};
use crate::json::scan::{Mode, Scanner, scan};
use crate::json::tape::{End, Flaw, Kind, Tape};
use crate::transcript::{
    Action, Code, Diagnostic, Effect, EventId, Fix, Place, Role, Severity, State, Subject,
    Transcript, Value, facts,
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

/// Longest white space between two tokens that is copied, in bytes.
const MOST_BLANK: u32 = 4096;

/// Reads every element of the lists, one list after the other. With `envelope`, also reads the rest
/// of the document as the host's state.
pub(super) fn read(
    (entries, entry): (&dyn Entries, EntryId),
    scanned: Option<Scanned<'_>>,
    paths: &[&[Step]],
    envelope: bool,
    reading: &RecordReader,
    t: &mut Transcript,
) -> Result<(), ReadError> {
    let deepest = paths.iter().map(|path| path.len()).max().unwrap_or(0);
    let depth = deepest + if envelope { ENVELOPE } else { 2 };
    let padding = match scanned {
        Some(_) => Span {
            entry,
            start: 0,
            end: 0,
        },
        None => padding(entries, entry)?,
    };
    let base = padding.end;
    let skimmed;
    let tape = match scanned {
        Some(scanned) => scanned.tape,
        None => {
            skimmed = skim(entries, entry, base, depth)?;
            &skimmed
        }
    };
    if let Some(what) = limit(&tape.end) {
        return Err(ReadError::Limit {
            place: entries.name(entry).to_owned(),
            what,
        });
    }
    let document = Span {
        entry,
        start: base,
        end: entries.len(entry),
    };
    let far = LongRecord::new(entries, entry, base);
    let near = scanned.map(|scanned| scanned.bytes).unwrap_or_default();
    let text: &dyn Text = if scanned.is_some() { &near } else { &far };
    let root = Node::root(tape, text);
    let mut paths_found = Vec::new();
    for path in paths {
        let nodes = root
            .map(|root| nodes_on_path(root, path))
            .unwrap_or_default();
        let list = nodes
            .get(path.len())
            .copied()
            .filter(|list| list.kind() == Kind::Array);
        paths_found.push((nodes, list));
    }
    let (Some(root), true) = (root, paths_found.iter().any(|(_, list)| list.is_some())) else {
        // There was a list when the document was recognized. Unread records must not pass as
        // healthy.
        unreadable(t, document, 0);
        return Ok(());
    };
    let first = t.events.end();
    let mut count = 0;
    for (number, (_, list)) in paths_found.iter().enumerate() {
        let Some(list) = list else { continue };
        if let Some(scanned) = scanned {
            elements(scanned, entry, *list, number, count, reading, t);
            count += list.items().count() as u64;
            continue;
        }
        let input = BufReader::with_capacity(chunk(entries, entry), entries.open(entry)?);
        let mut input = Elements {
            entries,
            entry,
            input,
            at: 0,
            base,
        };
        for (at, item) in (0_i64..)
            .zip(list.items())
            .take_while(|(_, item)| !item.is_open())
        {
            let index_in_list = (number > 0).then_some(at);
            input.element(item.span(), count, index_in_list, reading, t)?;
            count += 1;
        }
    }
    let broken = paths_found
        .iter()
        .position(|(nodes, list)| list.is_none() || nodes.iter().skip(1).any(|n| n.is_open()));
    let (nodes, _) = &paths_found[broken.unwrap_or(0)];
    let last = t
        .events
        .ids_from(first)
        .rev()
        .find(|at| t.events[*at].within.is_none())
        .filter(|_| count > 0);
    match (&tape.end, last) {
        (End::Whole, _) => {}
        (End::Trailing { at }, Some(last)) if is_nul(entries, entry, base + u64::from(*at))? => {
            let at = Span {
                start: base + u64::from(*at),
                ..document
            };
            trim_around(
                t,
                last,
                at,
                Code::NulPadding,
                "NUL bytes after the document",
            );
        }
        _ => broken_end(entries, t, document, nodes, count, tape)?,
    }
    if base > 0 && last.is_some() {
        let nul = entries.fetch(padding)?.contains(&0);
        let (code, message) = match nul {
            true => (Code::NulPadding, "NUL bytes before the document"),
            false => (Code::ByteOrderMark, "a byte order mark before the document"),
        };
        trim_around(t, first, padding, code, message);
        if let Some(diagnostic) = t.diagnostics.last_mut().filter(|_| !nul && reading.plain) {
            diagnostic.severity = Some(Severity::Note);
        }
    }
    if envelope {
        state(t, document, root, reading);
    }
    let lists: Vec<Node<'_>> = paths_found.iter().filter_map(|(_, list)| *list).collect();
    let around = around(&tape.flaws, &lists);
    if !around.is_empty() {
        let state = t.host_state().unwrap_or_else(|| bare_state(t, document));
        for diagnostic in mend::state_flaws(t, state, document, &around, text, reading) {
            diagnostic.message.push_str(" outside the messages");
        }
    }
    far.take_error().map_or(Ok(()), |error| Err(error.into()))
}

/// NUL bytes, byte order marks and white space before the document, within its first [`CHUNK`]
/// bytes.
fn padding(entries: &dyn Entries, entry: EntryId) -> Result<Span, ReadError> {
    let mut head = Vec::new();
    entries
        .open(entry)?
        .take(CHUNK as u64)
        .read_to_end(&mut head)?;
    let padding = &head[..super::torn::skip(&head, 0)];
    // White space before the first bracket stays.
    let length = padding
        .iter()
        .rposition(|byte| !byte.is_ascii_whitespace())
        .map_or(0, |last| last + 1);
    Ok(Span {
        entry,
        start: 0,
        end: length as u64,
    })
}

/// Buffer size for this document: a small one needs no large buffer.
fn chunk(entries: &dyn Entries, entry: EntryId) -> usize {
    usize::try_from(entries.len(entry))
        .unwrap_or(CHUNK)
        .clamp(1, CHUNK)
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
        if !chunk[..read]
            .iter()
            .all(|byte| *byte == 0 || byte.is_ascii_whitespace())
        {
            return Ok(false);
        }
    }
}

/// Reports that the document cannot be read after its last complete element.
fn unreadable(t: &mut Transcript, rest: Span, count: u64) {
    let event = t.begin(rest, Place::Item(count), State::Padding);
    let mut diagnostic = Diagnostic::new(
        Code::UnreadableRecord,
        "the document cannot be read from here on",
        event,
    );
    diagnostic.about = vec![Subject::Bytes(event)];
    diagnostic.effect = Effect::LoadFails;
    t.diagnostics.push(diagnostic);
}

/// Reports bytes around the document that are not JSON.
fn trim_around(t: &mut Transcript, event: EventId, at: Span, code: Code, message: &str) {
    let mut diagnostic = Diagnostic::new(code, message, event);
    diagnostic.about = vec![Subject::Bytes(event)];
    diagnostic.effect = Effect::LoadFails;
    diagnostic.severity = Some(Severity::Error);
    let edits = vec![Edit::Bytes {
        at,
        with: Vec::new(),
    }];
    diagnostic.fixes = vec![Fix::safe(vec![Action::EditBytes {
        event,
        word: "trim the bytes around the document",
        edits,
    }])];
    t.diagnostics.push(diagnostic);
}

/// The values on the path from the document to the list; fewer if the path does not exist.
fn nodes_on_path<'a>(root: Node<'a>, path: &[Step]) -> Vec<Node<'a>> {
    let mut nodes = vec![root];
    for step in path {
        let next = match (step, nodes.last()) {
            (Step::Key(key), Some(node)) => node.get(key),
            (Step::At(index), Some(node)) => node.items().nth(*index as usize),
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
    let holds = |list: &Node<'_>, flaw: &Flaw| list.span().contains(&flaw.start);
    flaws
        .iter()
        .filter(|flaw| !lists.iter().any(|list| holds(list, flaw)))
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
    let mut scanner = Scanner::new(Mode::Document)
        .keep_depth(depth)
        .max_depth(MOST_DEPTH);
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

/// Reports a document that ends or becomes unreadable after the last complete value of its
/// innermost open container.
fn broken_end(
    entries: &dyn Entries,
    t: &mut Transcript,
    document: Span,
    path: &[Node<'_>],
    count: u64,
    tape: &Tape,
) -> Result<(), ReadError> {
    let open = path.iter().rposition(|node| node.is_open()).unwrap_or(0);
    let keep = last_whole(path[open]);
    let is_between_items = open + 1 < path.len() || path[open].items().all(|item| !item.is_open());
    let fragment = if is_between_items {
        None
    } else {
        path[open].items().last().map(|item| item.span().start)
    };
    let from = |at: u32| Span {
        start: document.start + u64::from(at),
        ..document
    };
    let rest = from(fragment.unwrap_or(keep));
    if !matches!(tape.end, End::Torn) || misses_only_a_quote(entries, rest, &path[..=open])? {
        unreadable(t, rest, count);
        return Ok(());
    }
    let event = t.begin(rest, Place::Item(count), State::Padding);
    let mut diagnostic = Diagnostic::new(Code::TornTail, "the document is cut off", event);
    diagnostic.about = vec![Subject::Bytes(event)];
    diagnostic.effect = Effect::LoadFails;
    // Without a complete element there is nothing to keep: an empty list has no known format.
    if count > 0 {
        let edits = vec![Edit::Bytes {
            at: from(keep),
            with: closing(&path[..=open]),
        }];
        diagnostic.fixes = vec![Fix::safe(vec![Action::EditBytes {
            event,
            word: "close the document after {}",
            edits,
        }])];
    }
    t.diagnostics.push(diagnostic);
    Ok(())
}

/// Whether only a quote is missing from the last value, so that it is not truncated. False if it is
/// too long to check.
fn misses_only_a_quote(
    entries: &dyn Entries,
    rest: Span,
    open: &[Node<'_>],
) -> Result<bool, ReadError> {
    if rest.end - rest.start > KEEP {
        return Ok(false);
    }
    let mut bytes = entries.fetch(rest)?;
    let mut kinds: Vec<Kind> = open.iter().map(Node::kind).collect();
    // A member alone is not a value, so check it as an object.
    if kinds.pop_if(|kind| *kind == Kind::Object).is_some() {
        bytes = [
            b"{",
            bytes
                .trim_ascii_start()
                .strip_prefix(b",")
                .unwrap_or(&bytes),
        ]
        .concat();
    }
    Ok(torn::misses_only_a_quote(
        &bytes,
        &kinds,
        &scan(&bytes, Mode::Document),
    ))
}

/// Where the last complete child of a truncated container ends.
fn last_whole(container: Node<'_>) -> u32 {
    let ends = match container.kind() {
        Kind::Object => container
            .members()
            .filter(|(_, v)| !v.is_open())
            .map(|(_, v)| v.span().end)
            .last(),
        _ => container
            .items()
            .filter(|item| !item.is_open())
            .map(|item| item.span().end)
            .last(),
    };
    ends.unwrap_or(container.span().start + 1)
}

/// The brackets that close these containers, in the layout of the opening ones.
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
        bytes.push(if container.kind() == Kind::Object {
            b'}'
        } else {
            b']'
        });
    }
    bytes
}

/// White space between the bracket of a container and its first child.
fn lead(container: Node<'_>) -> Vec<u8> {
    let first = container
        .members()
        .next()
        .map(|(key, _)| key)
        .or_else(|| container.items().next());
    let Some(first) = first else {
        return Vec::new();
    };
    let (from, to) = (container.span().start + 1, first.span().start);
    if to.saturating_sub(from) > MOST_BLANK {
        Vec::new()
    } else {
        container.text().get(from, to).into_owned()
    }
}

/// Reads the elements of a list in a document that was scanned as a whole. `number` is the index of
/// the list, `count` the number of elements before it.
fn elements(
    scanned: Scanned<'_>,
    entry: EntryId,
    list: Node<'_>,
    number: usize,
    count: u64,
    reading: &RecordReader,
    t: &mut Transcript,
) {
    let mut tape = Tape::default();
    for (at, item) in list.items().enumerate() {
        let span = item.span();
        let place = Place::Item(count + at as u64);
        let own = Span {
            entry,
            start: u64::from(span.start),
            end: u64::from(span.end),
        };
        t.begin(own, place, State::Whole);
        if number > 0 {
            t.set_fact(facts::IN_SECOND, Value::Number(at as i64));
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
struct Elements<'a> {
    entries: &'a dyn Entries,
    entry: EntryId,
    input: BufReader<Box<dyn Read + 'a>>,
    at: u64,
    /// Offset of the document; spans are relative to it.
    base: u64,
}

impl Elements<'_> {
    fn element(
        &mut self,
        span: std::ops::Range<u32>,
        number: u64,
        index_in_list: Option<i64>,
        reading: &RecordReader,
        t: &mut Transcript,
    ) -> Result<(), ReadError> {
        let start = self.base + u64::from(span.start);
        let at = Span {
            entry: self.entry,
            start,
            end: self.base + u64::from(span.end),
        };
        let length = at.end - at.start;
        io::copy(
            &mut (&mut self.input).take(at.start - self.at),
            &mut io::sink(),
        )?;
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
        if let Some(what) = blocking_limit(&tape.end) {
            return Err(ReadError::Limit {
                place: format!("element {number}"),
                what,
            });
        }
        let is_whole = matches!(tape.end, End::Whole);
        let state = if is_whole {
            State::Whole
        } else {
            State::Unreadable
        };
        let event = t.begin(at, Place::Item(number), state);
        if let Some(index_in_list) = index_in_list {
            t.set_fact(facts::IN_SECOND, Value::Number(index_in_list));
        }
        let far = LongRecord::new(self.entries, self.entry, at.start);
        let text: &dyn Text = if length <= KEEP {
            &kept.as_slice()
        } else {
            &far
        };
        match Node::root(&tape, text) {
            // The document is complete, so the element can only be nested too deeply.
            Some(_) if !is_whole => mend::beginning(t, &tape, text, reading),
            Some(node) if node.kind() != Kind::Object => mend::bare(node, t),
            Some(node) => (reading.read)(node, t),
            None => {}
        }
        mend::flaws(t, event, at, &tape.flaws, text, reading);
        far.take_error().map_or(Ok(()), |error| Err(error.into()))
    }
}
