//! Lines that are one record: a line feed in a string was written raw.

use super::RecordReader;
use super::broken::BrokenRecord;
use super::mend::mend;
use crate::bytes::edit::Edit;
use crate::bytes::source::Span;
use crate::json::node::Node;
use crate::json::scan::{ScanMode, scan};
use crate::json::tape::{Flags, FlawKind, MAX_FLAWS, RecordEnd, Tape};
use crate::transcript::{Code, Diagnostic, Effect, Label, LabelRole, State, Transcript};

/// Reads lines that form one record: escapes line feeds in strings and removes those between
/// members. Returns false if the lines are not a record.
pub(super) fn rejoin(t: &mut Transcript, lines: &[BrokenRecord], reading: &RecordReader) -> bool {
    let mut raw = Vec::new();
    // Offsets of the line endings in the joined bytes.
    let mut endings = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        raw.extend_from_slice(&line.bytes);
        if number + 1 < lines.len() {
            let Some(ending) = line.ending else {
                return false;
            };
            endings.push(raw.len());
            raw.extend_from_slice(ending);
        }
    }
    let tape = scan(&raw, ScanMode::Document);
    let owned = Node::root(&tape, &raw.as_slice()).is_some_and(|node| (reading.owns)(node));
    // With more flaws than are listed, it is unknown which line endings are inside strings.
    if !matches!(tape.end, RecordEnd::Whole) || !owned || tape.flaws.len() >= MAX_FLAWS {
        return false;
    }
    let (mut joined, mut edits, mut from) = (Vec::new(), Vec::new(), 0);
    for (line, at) in lines.iter().zip(endings) {
        let ending = line.ending.unwrap_or_default();
        let escaped: &[u8] = match ending.len() {
            _ if !is_in_text(&tape, at) => b"",
            2 => b"\\r\\n",
            _ => b"\\n",
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

/// Whether a line ending is in a string that is not a key. Keys contain no line feeds, so one in a key came from elsewhere.
fn is_in_text(tape: &Tape, at: usize) -> bool {
    let mut flaws = tape.flaws.iter().filter(|flaw| flaw.kind == FlawKind::RawControl);
    if !flaws.any(|flaw| flaw.start as usize == at) {
        return false;
    }
    let flawed_key = Flags::KEY.with(Flags::FLAWED);
    let mut keys = tape.tokens.iter().filter(|token| token.flags.has(flawed_key));
    !keys.any(|key| (key.start as usize..key.end as usize).contains(&at))
}

/// Reads a record that was split over several lines by unescaped line feeds in its strings.
fn rejoined(
    t: &mut Transcript,
    lines: &[BrokenRecord],
    joined: &[u8],
    edits: Vec<Edit>,
    reading: &RecordReader,
) {
    let Some((first, rest)) = lines.split_first() else {
        return;
    };
    let event = t.begin(first.at, first.place, State::Recovered);
    let tape = scan(joined, ScanMode::Line);
    if let Some(node) = Node::root(&tape, &joined) {
        (reading.read)(node, t);
    }
    let mut diagnostic = Diagnostic::new(
        Code::SplitRecord,
        "a raw line feed splits one record over several lines",
        event,
    );
    for line in rest {
        let piece = t.begin(line.at, line.place, State::Padding);
        diagnostic.labels.push(Label::new(piece, LabelRole::Record));
    }
    diagnostic.effect = Effect::LoadFails;
    mend(t, diagnostic, event, "rejoin {}", edits);
}
