//! A recording, part by part: rows, and lines that are none.

use std::io;

use crate::bytes::far::LongRecord;
use crate::bytes::source::{Entries, EntryId, Span};
use crate::containers::lines::{self, Line};
use crate::containers::{Layout, ReadError, Scan, items, limit, torn};
use crate::json::node::{Node, Text};
use crate::json::scan::{Mode, Scanner, scan};
use crate::json::tape::{End, Tape};
use crate::repair::Refused;

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
    Beyond {
        row: Row,
        at: Span,
        why: &'static str,
    },
    /// Lines that hold no whole value, the first of them. `tail`: the recording ends with them, and at least the last one stops
    /// in the middle.
    Lines { first: u64, at: Span, tail: bool },
    /// A last line whose ending is missing; it was given as a row.
    Unended { line: u64, at: Span },
    /// A document that is no whole array, and is read as one.
    Document { at: Span },
}

type Each<'f> = &'f mut dyn FnMut(Part<'_>) -> Result<(), Refused>;

/// Calls `each` for every part, in order.
pub(super) fn each(entries: &dyn Entries, layout: &Layout, each: Each<'_>) -> Result<(), Refused> {
    match layout {
        Layout::Lines(entry) => by_line(entries, *entry, each),
        Layout::Items { entry, .. } => by_item(entries, *entry, each),
        Layout::Joined { .. } | Layout::Files(_) => Ok(()),
    }
}

fn by_line(entries: &dyn Entries, entry: EntryId, each: Each<'_>) -> Result<(), Refused> {
    let mut scan = Scan {
        scanner: Scanner::new(Mode::Line),
        tape: Tape::default(),
    };
    let mut gap = Gap::default();
    let mut refused = Ok(());
    let mut line = |line: Line<'_>, tape: &Tape| {
        if matches!(tape.end, End::Empty) {
            gap.is_full = true;
            return Ok(());
        }
        if !matches!(tape.end, End::Whole) && limit(&tape.end).is_none() {
            gap.add(&line, tape);
            return Ok(());
        }
        gap.leave(false, each)?;
        let at = Span {
            end: line.at.start + line.content,
            ..line.at
        };
        let mut row = Row {
            line: Some(line.number),
            ..Row::default()
        };
        if let Some(why) = limit(&tape.end) {
            return each(Part::Beyond { row, at, why });
        }
        let far = LongRecord::new(entries, entry, line.at.start);
        let text: &dyn Text = match &line.bytes {
            Some(bytes) => bytes,
            None => &far,
        };
        row.key = Node::root(tape, text).and_then(key);
        each(Part::Row {
            row,
            at,
            bytes: line.bytes,
        })?;
        if line.unended {
            each(Part::Unended {
                line: line.number,
                at: line.at,
            })?;
        }
        Ok(())
    };
    let read = lines::each(
        entries,
        entry,
        &mut scan,
        &mut |own, tape| match line(own, tape) {
            Err(Refused::Read(error)) => Err(error),
            Err(other) => {
                refused = Err(other);
                Err(io::Error::other("stopped").into())
            }
            Ok(()) => Ok(()),
        },
    );
    refused?;
    read?;
    gap.leave(true, each)
}

/// Lines without a row, up to the next row.
#[derive(Default)]
struct Gap {
    /// Those that are looked at together: the first and the last of them, and where they are.
    runs: Vec<(u64, u64, Span)>,
    /// No line is added to the last of these.
    is_full: bool,
    /// From this line on, each stops in the middle.
    torn_from: Option<u64>,
}

impl Gap {
    fn add(&mut self, line: &Line<'_>, tape: &Tape) {
        match self.runs.last_mut().filter(|_| !self.is_full) {
            Some((_, last, at)) => (*last, at.end) = (line.number, line.at.end),
            None => self.runs.push((line.number, line.number, line.at)),
        }
        let full = |(first, last, at): &(u64, u64, Span)| {
            last - first + 1 >= MOST_LINES || at.end - at.start >= MOST_BYTES
        };
        self.is_full = self.runs.last().is_some_and(full);
        let bytes = line.bytes.unwrap_or_default();
        match is_torn(bytes) || matches!(tape.end, End::Torn) {
            true => _ = self.torn_from.get_or_insert(line.number),
            false if is_padding(bytes) => {}
            false => self.torn_from = None,
        }
    }

    /// Hands its lines on. `ends`: the recording ends here.
    fn leave(&mut self, ends: bool, each: Each<'_>) -> Result<(), Refused> {
        let Gap {
            runs, torn_from, ..
        } = std::mem::take(self);
        for (first, last, at) in runs {
            let tail = ends && torn_from.is_some_and(|from| from <= last);
            each(Part::Lines { first, at, tail })?;
        }
        Ok(())
    }
}

/// Whether a line is nothing but NUL bytes and byte order marks.
fn is_padding(line: &[u8]) -> bool {
    !line.is_empty() && torn::skip(line, 0) == line.len()
}

/// Whether a line stops in the middle of its value. What is damaged but complete does not.
pub(super) fn is_torn(line: &[u8]) -> bool {
    let value = line.get(torn::skip(line, 0)..).unwrap_or_default();
    matches!(scan(value, Mode::Document).end, End::Torn)
}

fn by_item(entries: &dyn Entries, entry: EntryId, each: Each<'_>) -> Result<(), Refused> {
    let tape = items::skim(entries, entry, 0, 2)?;
    if let Some(what) = limit(&tape.end) {
        let place = entries.name(entry).to_owned();
        return Err(ReadError::Limit { place, what }.into());
    }
    let far = LongRecord::new(entries, entry, 0);
    let root = Node::root(&tape, &far).filter(|_| matches!(tape.end, End::Whole));
    let Some(root) = root else {
        return each(Part::Document {
            at: Span {
                entry,
                start: 0,
                end: entries.len(entry),
            },
        });
    };
    for (index, item) in root.items().enumerate() {
        let span = item.span();
        let at = Span {
            entry,
            start: u64::from(span.start),
            end: u64::from(span.end),
        };
        let row = Row {
            line: None,
            index: Some(index as u64),
            key: key(item),
        };
        each(Part::Row {
            row,
            at,
            bytes: None,
        })?;
    }
    Ok(())
}
