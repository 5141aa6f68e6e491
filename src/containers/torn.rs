//! Finding whole records in broken bytes.

use std::ops::Range;

use super::Reading;
use super::mend::{Broken, rejoined};
use crate::bytes::edit::Edit;
use crate::bytes::source::Span;
use crate::json::node::Node;
use crate::json::scan::{Mode, scan};
use crate::json::tape::{End, Flags, FlawKind, MAX_FLAWS, Tape};
use crate::transcript::Transcript;

/// Most lines that may be pieces of one record.
pub(super) const MOST_LINES: usize = 32;
/// Most places in a broken record where a whole one is looked for.
const MOST_STARTS: usize = 256;

/// A part of broken bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// A whole record.
    Record(Range<usize>),
    /// What is left of one.
    Fragment(Range<usize>),
}

impl Piece {
    pub(super) fn range(&self) -> Range<usize> {
        match self {
            Piece::Record(range) | Piece::Fragment(range) => range.clone(),
        }
    }
}

/// Parts broken bytes into whole records of this format and the fragments between them. NUL bytes, byte order marks and
/// white space between them belong to no piece.
pub(super) fn pieces(bytes: &[u8], mode: Mode, reading: &Reading) -> Vec<Piece> {
    let mut found = Vec::new();
    let mut starts = MOST_STARTS;
    let mut at = skip(bytes, 0);
    while at < bytes.len() {
        if let Some(end) = record_at(bytes, at, mode, reading) {
            found.push(Piece::Record(at..end));
            at = skip(bytes, end);
            continue;
        }
        let next = next_record(bytes, at, mode, reading, &mut starts);
        let end = trim(bytes, at, next);
        found.push(Piece::Fragment(at..end));
        at = next;
    }
    found
}

/// Where the whole records of this format are in broken bytes of a line.
pub(crate) fn records_in(bytes: &[u8], reading: &Reading) -> Vec<Range<usize>> {
    let records = pieces(bytes, Mode::Line, reading).into_iter();
    records.filter(|piece| matches!(piece, Piece::Record(_))).map(|piece| piece.range()).collect()
}

/// The end of the whole record that begins here.
fn record_at(bytes: &[u8], at: usize, mode: Mode, reading: &Reading) -> Option<usize> {
    let rest = bytes.get(at..)?;
    let tape = scan(rest, mode);
    if !matches!(tape.end, End::Whole | End::Trailing { .. } | End::Bad { .. }) {
        return None;
    }
    let root = Node::root(&tape, &rest)?;
    if root.is_open() || !(reading.owns)(root) {
        return None;
    }
    Some(at + root.span().end as usize)
}

/// Where the next whole record begins, or the end.
fn next_record(bytes: &[u8], from: usize, mode: Mode, reading: &Reading, starts: &mut usize) -> usize {
    let around =
        if reading.nests { scan(bytes.get(from..).unwrap_or_default(), mode) } else { Tape::default() };
    let within = |start: usize| {
        let at = u32::try_from(start - from).unwrap_or(u32::MAX);
        around.tokens.binary_search_by_key(&at, |token| token.start).is_ok()
    };
    for start in memchr::memmem::find_iter(&bytes[from + 1..], b"{\"").map(|offset| from + 1 + offset) {
        if *starts == 0 {
            break;
        }
        *starts -= 1;
        let Some(end) = record_at(bytes, start, mode, reading) else { continue };
        if !within(start) || skip(bytes, end) == bytes.len() {
            return start;
        }
    }
    bytes.len()
}

fn is_padding(bytes: &[u8], at: usize) -> usize {
    match bytes.get(at) {
        Some(0 | b' ' | b'\t' | b'\r' | b'\n') => 1,
        Some(0xEF) if bytes[at..].starts_with(b"\xEF\xBB\xBF") => 3,
        _ => 0,
    }
}

/// Where padding that begins here ends.
pub(crate) fn skip(bytes: &[u8], mut at: usize) -> usize {
    loop {
        match is_padding(bytes, at) {
            0 => return at,
            width => at += width,
        }
    }
}

/// The end of a fragment without the padding behind it.
fn trim(bytes: &[u8], from: usize, mut end: usize) -> usize {
    while end > from && matches!(bytes[end - 1], 0 | b' ' | b'\t' | b'\r' | b'\n') {
        end -= 1;
    }
    end
}

/// Reads lines that together are one record: line feeds in its strings are escaped, those between its members go. False
/// where they are no record.
pub(super) fn rejoin(t: &mut Transcript, lines: &[Broken], reading: &Reading) -> bool {
    let mut raw = Vec::new();
    // Where each ending stands among the pieces.
    let mut endings = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        raw.extend_from_slice(&line.bytes);
        if number + 1 < lines.len() {
            let Some(ending) = line.ending else { return false };
            endings.push(raw.len());
            raw.extend_from_slice(ending);
        }
    }
    let tape = scan(&raw, Mode::Document);
    let owned = Node::root(&tape, &raw.as_slice()).is_some_and(|node| (reading.owns)(node));
    // With more flaws than are listed it is not known which ending is in a string.
    if !matches!(tape.end, End::Whole) || !owned || tape.flaws.len() >= MAX_FLAWS {
        return false;
    }
    let in_string = |at: usize| {
        tape.flaws.iter().any(|flaw| flaw.kind == FlawKind::RawControl && (flaw.start as usize) == at)
    };
    // No key has a line feed in it: there it came from elsewhere.
    let in_key = |at: usize| {
        let mut keys = tape.tokens.iter().filter(|token| token.flags.has(Flags::KEY.with(Flags::FLAWED)));
        keys.any(|key| (key.start as usize..key.end as usize).contains(&at))
    };
    let (mut joined, mut edits, mut from) = (Vec::new(), Vec::new(), 0);
    for (line, at) in lines.iter().zip(endings) {
        let ending = line.ending.unwrap_or_default();
        let escaped: &[u8] = match (in_string(at) && !in_key(at), ending.len()) {
            (false, _) => b"",
            (true, 2) => b"\\r\\n",
            (true, _) => b"\\n",
        };
        joined.extend_from_slice(raw.get(from..at).unwrap_or_default());
        joined.extend_from_slice(escaped);
        from = at + ending.len();
        let at = Span { start: line.at.end.saturating_sub(ending.len() as u64), ..line.at };
        edits.push(Edit::Bytes { at, with: escaped.to_vec() });
    }
    joined.extend_from_slice(raw.get(from..).unwrap_or_default());
    rejoined(t, lines, &joined, edits, reading);
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats;

    fn parts(text: &str) -> Vec<(bool, String)> {
        let bytes = text.as_bytes();
        let found = pieces(bytes, Mode::Line, &formats::by_name("openhands").unwrap().records);
        let told = |p: &Piece| {
            (matches!(p, Piece::Record(_)), String::from_utf8(bytes[p.range()].to_vec()).unwrap())
        };
        found.iter().map(told).collect()
    }

    const A: &str = r#"{"id":"a","timestamp":"t","source":"user","kind":"PauseEvent"}"#;
    const B: &str = r#"{"id":"b","timestamp":"t","source":"user","kind":"PauseEvent"}"#;

    #[test]
    fn records_and_fragments_are_told_apart() {
        let record = |s: &str| (true, s.to_owned());
        assert_eq!(parts(&format!("{A}{B}")), [record(A), record(B)]);
        assert_eq!(parts(&format!("\0\0{A} \0{B}\0")), [record(A), record(B)]);
        let torn = &A[..30];
        assert_eq!(parts(&format!("{torn}{B}")), [(false, torn.to_owned()), record(B)]);
        assert_eq!(parts(&format!("{A}{torn}")), [record(A), (false, torn.to_owned())]);
        assert_eq!(parts(torn), [(false, torn.to_owned())]);
        assert_eq!(parts("\0\0\0"), []);
    }
}
