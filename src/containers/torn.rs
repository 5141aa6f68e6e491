//! Finds complete records in broken bytes.

use std::ops::Range;

use super::RecordReader;
use crate::json::node::Node;
use crate::json::scan::{ScanMode, scan};
use crate::json::tape::{Flags, Kind, RecordEnd, Tape};

/// Most lines that may be parts of one record.
pub(super) const MOST_LINES: usize = 32;
/// Most offsets in broken bytes where a record is searched for.
const MOST_STARTS: usize = 256;

/// A part of broken bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TornPiece {
    /// A complete record.
    Record(Range<usize>),
    /// Bytes that are not a record.
    Fragment(Range<usize>, FragmentRemains),
}

/// What a fragment has of a record.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum FragmentRemains {
    /// Its start: nothing is wrong, but it is truncated.
    Beginning,
    /// More than that: a record with wrong bytes, or one that may contain another one. Only the
    /// user can decide what it is worth.
    Damaged,
    Nothing,
}

impl TornPiece {
    pub(super) fn range(&self) -> Range<usize> {
        match self {
            TornPiece::Record(range) | TornPiece::Fragment(range, _) => range.clone(),
        }
    }
}

/// Splits broken bytes into complete records of this format and the fragments between them. NUL
/// bytes, byte order marks and white space between them belong to no piece.
pub(super) fn pieces(bytes: &[u8], mode: ScanMode, reading: &RecordReader) -> Vec<TornPiece> {
    // A line is scanned to its end even after a syntax error. Without a line feed both modes find
    // the same, and a document is left at the error: so ten thousand records in one line are each
    // scanned once.
    let mode = if memchr::memchr(b'\n', bytes).is_none() { ScanMode::Document } else { mode };
    let mut found = Vec::new();
    let mut starts = MOST_STARTS;
    let mut at = skip(bytes, 0);
    while at < bytes.len() {
        if let Some(record) = record_at(bytes, at, mode, reading) {
            found.push(TornPiece::Record(at..record.end));
            at = skip(bytes, record.end);
            continue;
        }
        let (next, is_sure) = next_record(bytes, at, mode, reading, &mut starts);
        let end = trim(bytes, at, next);
        let left = if is_sure { left_of(&bytes[at..end]) } else { FragmentRemains::Damaged };
        let from = match found.pop_if(|before| goes_on(before, bytes, at..end, left)) {
            Some(record) => record.range().start,
            None => at,
        };
        found.push(TornPiece::Fragment(from..end, left));
        at = next;
    }
    found
}

/// Whether a fragment continues the record before it, which a wrong bracket closed too early.
fn goes_on(
    before: &TornPiece,
    bytes: &[u8],
    fragment: Range<usize>,
    left: FragmentRemains,
) -> bool {
    left == FragmentRemains::Damaged
        && matches!(before, TornPiece::Record(_))
        && matches!(bytes[fragment.start], b',' | b':' | b'}' | b']')
}

/// The byte ranges of the complete records of this format in a broken line.
pub(crate) fn records_in(bytes: &[u8], reading: &RecordReader) -> Vec<Range<usize>> {
    let records = pieces(bytes, ScanMode::Line, reading).into_iter();
    records
        .filter(|piece| matches!(piece, TornPiece::Record(_)))
        .map(|piece| piece.range())
        .collect()
}

/// A complete record in broken bytes.
struct FoundRecord {
    end: usize,
    /// Whether it is a record rather than a value inside one, if that can be decided.
    is_outermost: Option<bool>,
}

/// The complete record that starts here.
fn record_at(
    bytes: &[u8],
    at: usize,
    mode: ScanMode,
    reading: &RecordReader,
) -> Option<FoundRecord> {
    let rest = bytes.get(at..)?;
    let tape = scan(rest, mode);
    if !matches!(tape.end, RecordEnd::Whole | RecordEnd::Trailing { .. } | RecordEnd::Bad { .. }) {
        return None;
    }
    let root = Node::root(&tape, &rest)?;
    if root.is_open() || !(reading.owns)(root) {
        return None;
    }
    Some(FoundRecord {
        end: at + root.span().end as usize,
        is_outermost: (reading.is_outermost)(root),
    })
}

/// Where the next complete record after a fragment starts, or the end; and whether the fragment
/// certainly contains no other record.
///
/// A truncated record may contain complete objects that look like records, for example the message
/// of a sub-agent. A record appended to it starts where the syntax breaks, or in place of a value
/// that was never written. An object there counts only if complete records fill the rest of the
/// bytes, or if it has the members that only records have.
fn next_record(
    bytes: &[u8],
    from: usize,
    mode: ScanMode,
    reading: &RecordReader,
    starts: &mut usize,
) -> (usize, bool) {
    let mut is_sure = true;
    let mut from = from;
    let broken = loop {
        // Hostile bytes could make every start look like a record; the number of tries is bounded.
        if *starts == 0 {
            return (bytes.len(), false);
        }
        *starts -= 1;
        let tape = scan(&bytes[from..], mode);
        let stop = match tape.end {
            RecordEnd::Bad { at } | RecordEnd::Trailing { at } => Some(from + at as usize),
            _ => None,
        };
        let seam = stop.and_then(|stop| seam(bytes, from, stop));
        let inside = inside(bytes, from, &tape, seam.or(stop).unwrap_or(bytes.len()));
        if let Some((start, found)) =
            inside.and_then(|at| Some((at, record_at(bytes, at, mode, reading)?)))
            && fills(bytes, found.end, mode, reading)
        {
            if found.is_outermost == Some(true) {
                return (start, is_sure);
            }
            is_sure &= found.is_outermost.is_some();
        }
        let Some(start) = seam else {
            break stop.unwrap_or(bytes.len());
        };
        if let Some(found) = record_at(bytes, start, mode, reading) {
            if found.is_outermost == Some(true) || fills(bytes, found.end, mode, reading) {
                return (start, is_sure);
            }
            is_sure = false;
        }
        from = start;
    };
    // From where the syntax is broken for good, every object may be a record.
    for start in memchr::memmem::find_iter(&bytes[broken..], b"{\"").map(|offset| broken + offset) {
        if *starts == 0 {
            return (bytes.len(), false);
        }
        *starts -= 1;
        let Some(found) = record_at(bytes, start, mode, reading).filter(|_| start > from) else {
            continue;
        };
        if found.is_outermost == Some(true)
            || (fills(bytes, found.end, mode, reading) && !is_value(bytes, start))
        {
            return (start, is_sure);
        }
        is_sure = false;
    }
    (bytes.len(), is_sure)
}

/// The object that starts where the syntax breaks: there, or at the quote that closed a truncated
/// string.
fn seam(bytes: &[u8], from: usize, stop: usize) -> Option<usize> {
    [Some(stop), stop.checked_sub(2)]
        .into_iter()
        .flatten()
        .find(|at| *at > from && bytes[*at..].starts_with(b"{\""))
}

/// The object inside a truncated record that ends where the bytes or their syntax end.
fn inside(bytes: &[u8], from: usize, tape: &Tape, edge: usize) -> Option<usize> {
    tape.tokens
        .iter()
        .skip(1)
        .find(|token| {
            token.kind == Kind::Object
                && !token.flags.has(Flags::OPEN)
                && skip(bytes, from + token.end as usize) == edge
        })
        .map(|token| from + token.start as usize)
}

/// Whether only complete records follow.
fn fills(bytes: &[u8], from: usize, mode: ScanMode, reading: &RecordReader) -> bool {
    let mut at = skip(bytes, from);
    while at < bytes.len() {
        let Some(found) = record_at(bytes, at, mode, reading) else {
            return false;
        };
        at = skip(bytes, found.end);
    }
    true
}

/// Whether the bytes before this offset expect a value of an outer object or array.
fn is_value(bytes: &[u8], at: usize) -> bool {
    let before = bytes[..at].iter().rfind(|byte| !byte.is_ascii_whitespace());
    before.is_some_and(|byte| matches!(byte, b':' | b',' | b'['))
}

/// What these bytes have of a record.
fn left_of(bytes: &[u8]) -> FragmentRemains {
    let has = |sign: &[u8]| memchr::memmem::find(bytes, sign).is_some();
    if is_beginning(bytes) {
        FragmentRemains::Beginning
    } else if has(b"{\"") || has(b"\":") {
        FragmentRemains::Damaged
    } else {
        FragmentRemains::Nothing
    }
}

/// Whether bytes are the start of a record, or of several truncated ones in a row.
fn is_beginning(bytes: &[u8]) -> bool {
    let mut from = 0;
    for _ in 0..MOST_LINES {
        let rest = &bytes[from..];
        let tape = scan(rest, ScanMode::Document);
        let Some(root) = Node::root(&tape, &rest) else {
            return false;
        };
        if !root.is_open() || root.kind() != Kind::Object {
            return false;
        }
        match tape.end {
            RecordEnd::Torn => return !misses_only_a_quote(rest, &[], &tape),
            RecordEnd::Bad { at } => match seam(bytes, from, from + at as usize) {
                Some(next) => from = next,
                None => return false,
            },
            _ => return false,
        }
    }
    false
}

/// Whether an unterminated string contains exactly the brackets that are missing, so that only a
/// quote is missing. `around` are the containers of the truncated value, outermost first.
pub(super) fn misses_only_a_quote(bytes: &[u8], around: &[Kind], tape: &Tape) -> bool {
    let open =
        tape.tokens.iter().filter(|token| token.flags.has(Flags::OPEN)).map(|token| token.kind);
    let (strings, inside): (Vec<Kind>, Vec<Kind>) = open.partition(|kind| *kind == Kind::String);
    if strings.is_empty() {
        return false;
    }
    let mut end = bytes;
    for kind in around.iter().chain(&inside) {
        let bracket = if *kind == Kind::Object { b'}' } else { b']' };
        end = match end.trim_ascii_end().split_last() {
            Some((last, rest)) if *last == bracket => rest,
            _ => return false,
        };
    }
    true
}

fn padding_width(bytes: &[u8], at: usize) -> usize {
    match bytes.get(at) {
        Some(0 | b' ' | b'\t' | b'\r' | b'\n') => 1,
        Some(0xEF) if bytes[at..].starts_with(b"\xEF\xBB\xBF") => 3,
        _ => 0,
    }
}

/// Where the padding that starts here ends.
pub(crate) fn skip(bytes: &[u8], mut at: usize) -> usize {
    loop {
        match padding_width(bytes, at) {
            0 => return at,
            width => at += width,
        }
    }
}

/// The end of a fragment without the padding after it.
fn trim(bytes: &[u8], from: usize, mut end: usize) -> usize {
    while end > from && matches!(bytes[end - 1], 0 | b' ' | b'\t' | b'\r' | b'\n') {
        end -= 1;
    }
    end
}

#[cfg(test)]
mod tests;
