//! Splits a file into rows and lines without a row.

use crate::bytes::far::LongRecord;
use crate::bytes::source::{Entries, EntryId, Span};
use crate::containers::lines::{self, Line};
use crate::containers::{
    Files, Layout, PathStep, ReadError, Scan, Scanned, items, limit, pool, torn,
};
use crate::format::records::follow;
use crate::json::node::{Node, TapeText};
use crate::json::scan::{ScanMode, scan};
use crate::json::tape::{Kind, RecordEnd, Tape};
use crate::repair::Refused;

use super::Row;
use crate::bytes::window::{ENTRY, Window};
use crate::containers::batches::{Batches, LineBatch};

/// Most consecutive lines without a row that are judged together.
const MOST_LINES: u64 = 64;
/// Most bytes of such lines.
const MOST_BYTES: u64 = 8 << 20;
/// Bytes of array elements that one thread takes at once.
const ELEMENTS: u64 = 256 << 10;

/// A part of a file.
pub(super) enum FilePart<'a, T> {
    /// A value that may be a row.
    Row {
        row: Row,
        at: Span,
        /// The bytes, if they are in memory.
        bytes: Option<&'a [u8]>,
        /// The result of the work on the row.
        done: T,
    },
    /// A row that exceeds the limit `why`.
    Beyond { row: Row, at: Span, why: &'static str },
    /// Lines without a complete value, from line `first` on. `tail`: the file ends with them, and
    /// at least the last one is cut off.
    Lines { first: u64, at: Span, tail: bool },
    /// A last line without a line ending, after its row.
    Unended { line: u64, at: Span },
    /// A document whose lists are not complete, and which is read as a whole.
    Document { at: Span },
    /// A document with flaws outside its rows, after these.
    Around { at: Span },
}

/// The work on a row; rows are processed in any order.
pub(super) type RowWork<'f, T> = &'f (dyn Fn(&Window<'_>, Option<Scanned<'_>>) -> T + Sync);

type EachFilePart<'f, T> = &'f mut dyn FnMut(FilePart<'_, T>) -> Result<(), Refused>;

/// Calls `work` for every row on up to `jobs` threads, and `each` for every part, in order.
///
/// # Errors
/// The bytes of the file cannot be read, or the first error of `each`.
pub(super) fn each<T: Send>(
    entries: &dyn Entries,
    layout: &Layout,
    jobs: usize,
    work: RowWork<'_, T>,
    each: EachFilePart<'_, T>,
) -> Result<(), Refused> {
    match layout {
        Layout::Lines(entry) => by_line(entries, *entry, jobs, work, each),
        Layout::Items { entry, path, .. } => by_item(entries, (*entry, &[path]), jobs, work, each),
        Layout::Files(files) => by_file(entries, files, jobs, work, each),
        Layout::Joined { entry, lists } => {
            let [first, second] = lists;
            by_item(entries, (*entry, &[first, second]), jobs, work, each)
        }
    }
}

fn by_line<T: Send>(
    entries: &dyn Entries,
    entry: EntryId,
    jobs: usize,
    work: RowWork<'_, T>,
    each: EachFilePart<'_, T>,
) -> Result<(), Refused> {
    let mut batches = Batches::of(entries, entry);
    let mut broken = BrokenRun::default();
    pool::read_in_order(
        jobs,
        &mut || Ok(batches.next().map_err(ReadError::from)?),
        &|batch| {
            let (found, read) = read_lines(entries, &batch, work);
            (batch, found, read)
        },
        &mut |(batch, found, read)| {
            for line in found {
                line.pass_on(&batch, &mut broken, each)?;
            }
            Ok::<(), Refused>(read?)
        },
    )?;
    broken.flush(true, each)
}

/// A line of a batch.
enum FoundLine<T> {
    Empty,
    /// A line without a complete value.
    Broken(BrokenLine),
    Beyond {
        row: Row,
        at: Span,
        why: &'static str,
    },
    Row {
        row: Row,
        /// The line without its ending.
        at: Span,
        in_memory: bool,
        /// The file ends without a line ending.
        unended: bool,
        done: T,
    },
}

struct BrokenLine {
    number: u64,
    at: Span,
    /// It is cut off inside its value.
    is_torn: bool,
    /// It contains only NUL bytes and byte order marks.
    is_padding: bool,
}

/// Reads the lines of a batch, up to the first error.
fn read_lines<T>(
    entries: &dyn Entries,
    batch: &LineBatch,
    work: RowWork<'_, T>,
) -> (Vec<FoundLine<T>>, Result<(), ReadError>) {
    let window = Window::new(entries, batch.at, batch.bytes.as_deref());
    let mut scan = Scan::of_lines();
    let mut found = Vec::new();
    let read = lines::each(&window, ENTRY, &mut scan, &mut |line, tape| {
        found.push(read_line(&window, batch, &line, tape, work));
        Ok(())
    });
    (found, read)
}

fn read_line<T>(
    window: &Window<'_>,
    batch: &LineBatch,
    line: &Line<'_>,
    tape: &Tape,
    work: RowWork<'_, T>,
) -> FoundLine<T> {
    let number = batch.first_line + line.number - 1;
    let at = window.shifted(line.at);
    let bytes = line.bytes.unwrap_or_default();
    match limit(&tape.end) {
        None if matches!(tape.end, RecordEnd::Empty) => return FoundLine::Empty,
        None if !matches!(tape.end, RecordEnd::Whole) => {
            return FoundLine::Broken(BrokenLine {
                number,
                at,
                is_torn: is_torn(bytes) || matches!(tape.end, RecordEnd::Torn),
                is_padding: is_padding(bytes),
            });
        }
        _ => {}
    }
    let at = Span { end: at.start + line.content, ..at };
    let mut row = Row { line: Some(number), ..Row::default() };
    if let Some(why) = limit(&tape.end) {
        return FoundLine::Beyond { row, at, why };
    }
    // A line that is not in memory is read again, and only where something of it is needed.
    let long = LongRecord::new(window, ENTRY, line.at.start);
    let text: &dyn TapeText = match &line.bytes {
        Some(bytes) => bytes,
        None => &long,
    };
    row = row.with_key(Node::root(tape, text));
    let scanned = line.bytes.map(|bytes| Scanned { bytes, tape });
    FoundLine::Row {
        row,
        at,
        in_memory: line.bytes.is_some(),
        unended: line.unended,
        done: work(&window.part(at, line.bytes).of_row(Some(number)), scanned),
    }
}

impl<T> FoundLine<T> {
    fn pass_on(
        self,
        batch: &LineBatch,
        broken: &mut BrokenRun,
        each: EachFilePart<'_, T>,
    ) -> Result<(), Refused> {
        match self {
            FoundLine::Empty => {
                broken.is_full = true;
                Ok(())
            }
            FoundLine::Broken(line) => {
                broken.add(&line);
                Ok(())
            }
            FoundLine::Beyond { row, at, why } => {
                broken.flush(false, each)?;
                each(FilePart::Beyond { row, at, why })
            }
            FoundLine::Row { row, at, in_memory, unended, done } => {
                broken.flush(false, each)?;
                let line = row.line.unwrap_or_default();
                let bytes = batch.slice(at).filter(|_| in_memory);
                each(FilePart::Row { row, at, bytes, done })?;
                if unended { each(FilePart::Unended { line, at }) } else { Ok(()) }
            }
        }
    }
}

/// Collects lines without a row, up to the next row.
#[derive(Default)]
struct BrokenRun {
    /// Runs of lines that are judged together: first and last line number, and bytes.
    runs: Vec<(u64, u64, Span)>,
    /// Whether the last run takes no more lines.
    is_full: bool,
    /// From this line on, every line is cut off.
    torn_from: Option<u64>,
}

impl BrokenRun {
    fn add(&mut self, line: &BrokenLine) {
        match self.runs.last_mut().filter(|_| !self.is_full) {
            Some((_, last, at)) => (*last, at.end) = (line.number, line.at.end),
            None => self.runs.push((line.number, line.number, line.at)),
        }
        self.is_full = self.runs.last().is_some_and(|(first, last, at)| {
            last - first + 1 >= MOST_LINES || at.end - at.start >= MOST_BYTES
        });
        match line.is_torn {
            true => _ = self.torn_from.get_or_insert(line.number),
            false if line.is_padding => {}
            false => self.torn_from = None,
        }
    }

    /// Passes the lines on. `ends`: the file ends here.
    fn flush<T>(&mut self, ends: bool, each: EachFilePart<'_, T>) -> Result<(), Refused> {
        let BrokenRun { runs, torn_from, .. } = std::mem::take(self);
        for (first, last, at) in runs {
            let tail = ends && torn_from.is_some_and(|from| from <= last);
            each(FilePart::Lines { first, at, tail })?;
        }
        Ok(())
    }
}

/// Whether a line contains only NUL bytes and byte order marks.
fn is_padding(line: &[u8]) -> bool {
    !line.is_empty() && torn::skip(line, 0) == line.len()
}

/// Whether a line is cut off inside its value. A damaged but complete value is not.
pub(super) fn is_torn(line: &[u8]) -> bool {
    let value = line.get(torn::skip(line, 0)..).unwrap_or_default();
    matches!(scan(value, ScanMode::Document).end, RecordEnd::Torn)
}

fn by_item<T: Send>(
    entries: &dyn Entries,
    (entry, paths): (EntryId, &[&[PathStep]]),
    jobs: usize,
    work: RowWork<'_, T>,
    each: EachFilePart<'_, T>,
) -> Result<(), Refused> {
    // The lists, and the members of their elements.
    let depth = paths.iter().map(|path| path.len()).max().unwrap_or(0);
    let tape = items::skim(entries, entry, 0, 2 + depth)?;
    if let Some(what) = limit(&tape.end) {
        let place = entries.name(entry).to_owned();
        return Err(ReadError::Limit { place, what }.into());
    }
    let far = LongRecord::new(entries, entry, 0);
    let root = Node::root(&tape, &far).filter(|_| matches!(tape.end, RecordEnd::Whole));
    let mut lists = Vec::new();
    for path in paths {
        if let Some(list) = root.and_then(|root| follow(root, path)) {
            lists.push((last_key(path), list));
        }
    }
    if lists.is_empty() {
        return each(FilePart::Document { at: Span::new(entry, 0, entries.len(entry)) });
    }
    lists.sort_by_key(|(_, list)| list.span().start);
    // A document that is its only row is read with what is around its lists.
    let is_flawed = tape
        .flaws
        .iter()
        .any(|flaw| !lists.iter().any(|(_, list)| list.span().contains(&flaw.start)));
    let elements = lists.into_iter().flat_map(|(list_key, list)| {
        // A document with several conversations is its only row.
        let is_row = list.kind() == Kind::Object;
        let items = list.items().chain(is_row.then_some(list));
        (0_u64..).zip(items).map(move |(index, item)| {
            let span = item.span();
            let at = Span::new(entry, u64::from(span.start), u64::from(span.end));
            let row = Row {
                line: None,
                index: Some(index).filter(|_| !is_row),
                list: list_key,
                ..Row::default()
            }
            .with_key(Some(item));
            (row, at)
        })
    });
    each_of(entries, elements, jobs, work, each)?;
    if is_flawed {
        each(FilePart::Around { at: Span::new(entry, 0, entries.len(entry)) })
    } else {
        Ok(())
    }
}

fn last_key(path: &[PathStep]) -> Option<&'static str> {
    path.iter().rev().find_map(|step| match step {
        PathStep::Key(key) => Some(*key),
        PathStep::At(_) => None,
    })
}

/// The files of an archive, each of which is a row.
fn by_file<T: Send>(
    entries: &dyn Entries,
    files: &Files,
    jobs: usize,
    work: RowWork<'_, T>,
    each: EachFilePart<'_, T>,
) -> Result<(), Refused> {
    each_of(
        entries,
        files.files.iter().filter_map(|file| {
            let entry = file.entry?;
            let row = Row {
                index: Some(file.index),
                file: Some(entries.name(entry).to_owned()),
                key: file.id.clone(),
                ..Row::default()
            };
            let (start, end) = (0, entries.len(entry));
            Some((row, Span { entry, start, end }))
        }),
        jobs,
        work,
        each,
    )
}

/// Rows that are at these places.
fn each_of<T: Send>(
    entries: &dyn Entries,
    mut rows: impl Iterator<Item = (Row, Span)>,
    jobs: usize,
    work: RowWork<'_, T>,
    each: EachFilePart<'_, T>,
) -> Result<(), Refused> {
    pool::in_order(
        jobs,
        &mut |_| {
            let (mut taken, mut size) = (Vec::new(), 0);
            while size < ELEMENTS
                && let Some((row, at)) = rows.next()
            {
                size += at.end - at.start;
                taken.push((row, at));
            }
            Ok(Some(taken).filter(|taken| !taken.is_empty()).into())
        },
        &|rows: Vec<(Row, Span)>| {
            rows.into_iter()
                .map(|(row, at)| {
                    let window = Window::new(entries, at, None).of_row(None);
                    (row, at, work(&window, None))
                })
                .collect::<Vec<_>>()
        },
        &mut |rows| {
            rows.into_iter()
                .try_for_each(|(row, at, done)| each(FilePart::Row { row, at, bytes: None, done }))
        },
    )
}
