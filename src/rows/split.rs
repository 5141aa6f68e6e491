//! A recording, part by part: rows, and lines that are none.

use crate::bytes::far::Far;
use crate::bytes::source::{Entries, EntryId, Span};
use crate::containers::lines::{self, Line};
use crate::containers::{Layout, ReadError, Scan, items, limit};
use crate::json::node::{Node, Text};
use crate::json::scan::{Mode, Scanner};
use crate::json::tape::{End, Tape};

use super::{Row, key};

/// Most lines without a row that are looked at together.
const MOST_LINES: u64 = 64;
/// Most bytes of them.
const MOST_BYTES: u64 = 8 << 20;

/// A part of a recording.
pub(super) enum Part<'a> {
    /// A value that may be a row.
    Row {
        row: Row,
        at: Span,
        /// Where they are in memory.
        bytes: Option<&'a [u8]>,
    },
    /// A row beyond a limit that is stated.
    Beyond { row: Row, why: &'static str },
    /// Lines that hold no whole value, the first of them.
    Lines { first: u64, at: Span },
    /// A last line whose ending is missing; it was given as a row.
    Unended { line: u64, at: Span },
    /// A document that is no whole array, and is read as one.
    Document { at: Span },
}

type Each<'f> = &'f mut dyn FnMut(Part<'_>) -> Result<(), ReadError>;

/// Calls `each` for every part, in order.
pub(super) fn each(entries: &dyn Entries, layout: &Layout, each: Each<'_>) -> Result<(), ReadError> {
    match layout {
        Layout::Lines(entry) => by_line(entries, *entry, each),
        Layout::Items { entry, .. } => by_item(entries, *entry, each),
        Layout::Joined { .. } | Layout::Files(_) => Ok(()),
    }
}

fn by_line(entries: &dyn Entries, entry: EntryId, each: Each<'_>) -> Result<(), ReadError> {
    let mut scan = Scan { scanner: Scanner::new(Mode::Line), tape: Tape::default() };
    let mut run: Option<(u64, Span)> = None;
    lines::each(entries, entry, &mut scan, &mut |line: Line<'_>, tape: &Tape| {
        let is_run = !matches!(tape.end, End::Empty | End::Whole) && limit(&tape.end).is_none();
        if is_run {
            let (_, at) = run.get_or_insert((line.number, Span { end: line.at.start, ..line.at }));
            at.end = line.at.end;
        }
        let full = run.as_ref().is_some_and(|(first, at)| {
            line.number - first + 1 >= MOST_LINES || at.end - at.start >= MOST_BYTES
        });
        if (!is_run || full)
            && let Some((first, at)) = run.take()
        {
            each(Part::Lines { first, at })?;
        }
        if is_run || matches!(tape.end, End::Empty) {
            return Ok(());
        }
        let at = Span { end: line.at.start + line.content, ..line.at };
        let mut row = Row { line: Some(line.number), ..Row::default() };
        if let Some(why) = limit(&tape.end) {
            return each(Part::Beyond { row, why });
        }
        let far = Far::new(entries, entry, line.at.start);
        let text: &dyn Text = match &line.bytes {
            Some(bytes) => bytes,
            None => &far,
        };
        row.key = Node::root(tape, text).and_then(key);
        each(Part::Row { row, at, bytes: line.bytes })?;
        if line.unended {
            each(Part::Unended { line: line.number, at: line.at })?;
        }
        Ok(())
    })?;
    run.map_or(Ok(()), |(first, at)| each(Part::Lines { first, at }))
}

fn by_item(entries: &dyn Entries, entry: EntryId, each: Each<'_>) -> Result<(), ReadError> {
    let tape = items::skim(entries, entry, 0, 2)?;
    if let Some(what) = limit(&tape.end) {
        return Err(ReadError::Limit { place: entries.name(entry).to_owned(), what });
    }
    let far = Far::new(entries, entry, 0);
    let root = Node::root(&tape, &far).filter(|_| matches!(tape.end, End::Whole));
    let Some(root) = root else {
        return each(Part::Document { at: Span { entry, start: 0, end: entries.len(entry) } });
    };
    for (index, item) in root.items().enumerate() {
        let span = item.span();
        let at = Span { entry, start: u64::from(span.start), end: u64::from(span.end) };
        let row = Row { line: None, index: Some(index as u64), key: key(item) };
        each(Part::Row { row, at, bytes: None })?;
    }
    Ok(())
}
