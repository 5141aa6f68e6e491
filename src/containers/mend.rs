//! Bytes that do not hold exactly one record: what a safe repair would recover from them, and what
//! is unreadable.

use super::broken::BrokenRecord;
use super::flaws::flaws;
use std::ops::Range;

use super::NAME_ID;
use super::RecordReader;
use super::torn::{FragmentRemains, TornPiece, pieces};
use crate::bytes::edit::Edit;
use crate::bytes::source::Span;
use crate::json::node::{Node, TapeText};
use crate::json::scan::{ScanMode, scan};
use crate::json::tape::{Flaw, Kind, RecordEnd, Tape};
use crate::transcript::{
    Action, Code, Diagnostic, Effect, EventId, FactValue, Instance, Label, LabelRole, Place, State,
    Subject, Transcript, Within, facts, replaced,
};

/// Reads the records that a safe repair recovers; otherwise adds an unreadable event.
pub(super) fn broken(t: &mut Transcript, b: &BrokenRecord, reading: &RecordReader) {
    let found =
        pieces(&b.bytes, if b.is_line() { ScanMode::Line } else { ScanMode::Document }, reading);
    let records = found.iter().filter(|piece| matches!(piece, TornPiece::Record(_))).count();
    match (records, found.len()) {
        (0, 0) if b.is_line() && b.bytes.iter().any(|byte| *byte == 0 || *byte == 0xEF) => {
            padding(t, b)
        }
        (0, _) => add_unreadable(t, b, found.first(), reading),
        (1, 1) => read_padded(t, b, &found[0], reading),
        (2.., _) if !b.is_line() => read_crowded(t, b, &found, reading),
        _ => read_glued(t, b, &found, reading),
    }
}

/// What a fix does with NUL bytes or with a byte order mark.
fn removal_of(nul: bool) -> &'static str {
    if nul { "remove the NUL bytes in {}" } else { "remove the byte order mark in {}" }
}

/// Handles a line of NUL bytes and byte order marks.
fn padding(t: &mut Transcript, b: &BrokenRecord) {
    let event = t.begin(b.at, b.place, State::Padding);
    let nul = b.bytes.contains(&0);
    let code = if nul { Code::NulPadding } else { Code::ByteOrderMark };
    let message = if nul {
        "NUL bytes in place of a record"
    } else {
        "a byte order mark in place of a record"
    };
    let mut diagnostic = Diagnostic::new(code, message, event);
    diagnostic.within = Within::Nothing;
    mend(t, diagnostic, event, removal_of(nul), vec![b.removal()]);
}

/// Handles a value that is not an object and so not a record: nothing in it can be read or changed.
pub(super) fn bare(node: Node<'_>, t: &mut Transcript) {
    t.newest_mut().state = State::Unreadable;
    let is_empty = match node.kind() {
        Kind::Array => node.items().next().is_none(),
        Kind::String => node.raw().len() <= 2,
        Kind::Number => false,
        _ => true,
    };
    t.set_fact(facts::BARE, if is_empty { FactValue::Yes } else { FactValue::Number(1) });
}

/// Adds an unreadable event. A fragment of the record may still show IDs.
fn add_unreadable(
    t: &mut Transcript,
    b: &BrokenRecord,
    fragment: Option<&TornPiece>,
    reading: &RecordReader,
) {
    t.begin(b.at, b.place, State::Unreadable);
    name_id(t, b);
    let Some(piece) = fragment else { return };
    let bytes = &b.bytes[piece.range()];
    let tape = scan(bytes, ScanMode::Document);
    if let Some(node) = Node::root(&tape, &bytes) {
        (reading.read)(node, t);
    }
    if let TornPiece::Fragment(_, left) = piece {
        mark_as_left(t, *left);
    }
    if replaced::ends_in_mark(bytes) {
        t.set_fact(facts::CUT_BY_MARK, FactValue::Yes);
    }
}

/// Reads the start of a record whose rest is not checked.
pub(super) fn beginning(
    t: &mut Transcript,
    tape: &Tape,
    text: &dyn TapeText,
    reading: &RecordReader,
) {
    let Some(node) = Node::root(tape, text) else {
        return;
    };
    (reading.read)(node, t);
    let fact = match tape.end {
        RecordEnd::Torn => facts::TORN,
        _ => facts::DAMAGED,
    };
    t.set_fact(fact, FactValue::Yes);
    if matches!(tape.end, RecordEnd::TooDeep { .. }) {
        t.set_fact(facts::TOO_DEEP, FactValue::Yes);
    }
}

/// Notes as a fact how much of a record is left.
fn mark_as_left(t: &mut Transcript, left: FragmentRemains) {
    match left {
        FragmentRemains::Beginning => t.set_fact(facts::TORN, FactValue::Yes),
        FragmentRemains::Damaged => t.set_fact(facts::DAMAGED, FactValue::Yes),
        FragmentRemains::Nothing => {}
    }
}

/// Whether a piece is a truncated record.
fn is_torn(piece: Option<&TornPiece>) -> bool {
    matches!(piece, Some(TornPiece::Fragment(_, FragmentRemains::Beginning)))
}

/// Notes the ID in the file name as a fact.
fn name_id(t: &mut Transcript, b: &BrokenRecord) {
    if let Some(id) = &b.name_id {
        let id = t.ids.intern(id);
        t.set_fact(NAME_ID, FactValue::Text(id));
    }
}

/// Handles one record with NUL bytes or a byte order mark around it.
fn read_padded(t: &mut Transcript, b: &BrokenRecord, piece: &TornPiece, reading: &RecordReader) {
    let range = piece.range();
    let event = read_piece(t, b, range.clone(), reading);
    let around = [(0, range.start), (range.end, b.bytes.len())];
    let mut edits = Vec::new();
    let (mut nul, mut mark) = (false, false);
    for (from, to) in around.into_iter().filter(|(from, to)| from < to) {
        let cut = &b.bytes[from..to];
        nul |= cut.contains(&0);
        mark |= cut.contains(&0xEF);
        edits.push(Edit::Bytes { at: b.span(from, to), with: Vec::new() });
    }
    let code = if nul { Code::NulPadding } else { Code::ByteOrderMark };
    let message =
        if nul { "NUL bytes around a record" } else { "a byte order mark before a record" };
    let mut diagnostic = Diagnostic::new(code, message, event);
    // Many readers skip a byte order mark at the start of a file, but none does elsewhere.
    let is_first_line = matches!(b.place, Place::Line(_)) && b.at.start == 0;
    diagnostic.instance = (!nul && mark && !is_first_line).then_some(Instance::Stops);
    diagnostic.effect = if b.is_line() { Effect::None } else { Effect::LoadFails };
    mend(t, diagnostic, event, removal_of(nul), edits);
}

/// Handles several records in a file that should hold one. Reads the one that the file name
/// mentions, else the first. What happens to the others is the user's decision.
fn read_crowded(t: &mut Transcript, b: &BrokenRecord, found: &[TornPiece], reading: &RecordReader) {
    let mut records =
        found.iter().filter(|piece| matches!(piece, TornPiece::Record(_))).map(TornPiece::range);
    let Some(range) = records
        .clone()
        .find(|range| b.name_id.is_some() && id_of(&b.bytes[range.clone()]) == b.name_id)
        .or_else(|| records.next())
    else {
        return;
    };
    let event = read_piece(t, b, range, reading);
    let mut diagnostic = Diagnostic::new(
        Code::GluedRecords,
        "more than one record in a file that must have one",
        event,
    );
    diagnostic.about = vec![Subject::Bytes(event)];
    diagnostic.effect = Effect::LoadFails;
    t.diagnostics.push(diagnostic);
}

/// Handles several records, or records and fragments, on one line; or a record and fragments in a
/// file.
fn read_glued(t: &mut Transcript, b: &BrokenRecord, found: &[TornPiece], reading: &RecordReader) {
    let known = ids_of_records(b, found);
    let mut events = Vec::new();
    for piece in found {
        match piece {
            TornPiece::Record(range) => events.push(read_piece(t, b, range.clone(), reading)),
            // It gets a line of its own and is judged as if it already had one.
            TornPiece::Fragment(..) if keeps_its_line(b, piece, &known, reading) => {
                add_unreadable(t, b, Some(piece), reading)
            }
            TornPiece::Fragment(..) => {}
        }
    }
    if is_torn(found.first()) {
        t.set_fact(facts::TORN, FactValue::Yes);
    }
    let fragments = found.len() - events.len();
    let message = match (events.len(), fragments) {
        (1, _) => "a fragment and a whole record on one line".to_owned(),
        (n, 0) => format!("{n} records on one line"),
        (n, _) => format!("{n} records and a fragment on one line"),
    };
    let mut diagnostic = Diagnostic::new(Code::GluedRecords, message, events[0]);
    diagnostic.effect = Effect::LoadFails;
    let shown = found.iter().filter(|piece| {
        reading.removes_fragments
            && (is_fragment(piece) && !keeps_its_line(b, piece, &known, reading))
    });
    shown.for_each(|fragment| read_fragment_facts(t, b, fragment.range(), reading));
    if !b.is_line() && found.iter().any(is_damaged) {
        diagnostic.about = vec![Subject::Bytes(events[0])];
        t.diagnostics.push(diagnostic);
        return;
    }
    let edits = split_edits(b, found, &known, reading);
    if may_be_inside(b, found) {
        diagnostic.about = vec![Subject::Bytes(events[0])];
        diagnostic.fix_with_guess([Action::edits(events[0], "split {}", edits)]);
        t.diagnostics.push(diagnostic);
        return;
    }
    mend(t, diagnostic, events[0], "split {}", edits);
}

/// Whether only commas and closing brackets follow a record. A wrong bracket inside it may have closed it too early, so that
/// members of an inner object are taken for its own; at the end of a line, it may be an element of a list whose beginning is
/// lost.
fn may_be_inside(b: &BrokenRecord, found: &[TornPiece]) -> bool {
    found.windows(2).enumerate().any(|(at, pair)| {
        let [TornPiece::Record(_), TornPiece::Fragment(rest, _)] = pair else {
            return false;
        };
        let rest = b.bytes[rest.clone()].trim_ascii();
        let is_last = at + 2 == found.len();
        let has_sign = rest.contains(&b'}') || (is_last && !rest.is_empty());
        has_sign && rest.iter().all(|byte| b"]}, ".contains(byte))
    })
}

/// Reads the facts that a fragment shows about its record, without adding a record.
fn read_fragment_facts(
    t: &mut Transcript,
    b: &BrokenRecord,
    range: std::ops::Range<usize>,
    reading: &RecordReader,
) {
    let event = t.begin(b.at, b.place, State::Unreadable);
    let bytes = &b.bytes[range];
    let tape = scan(bytes, ScanMode::Document);
    if let Some(node) = Node::root(&tape, &bytes) {
        (reading.read)(node, t);
    }
    t.events[event].state = State::Padding;
}

/// Edits that put every record on a line of its own. A fragment is removed, unless it has the ID of
/// a record that no other bytes hold: then it gets a line of its own and is judged there. Some
/// formats always remove fragments.
fn split_edits(
    b: &BrokenRecord,
    found: &[TornPiece],
    known: &[Option<String>],
    reading: &RecordReader,
) -> Vec<Edit> {
    let newline = b.ending.unwrap_or(b"\n");
    let mut edits = Vec::new();
    let mut kept_end: Option<usize> = None;
    for piece in found {
        let range = piece.range();
        let stays =
            matches!(piece, TornPiece::Record(_)) || keeps_its_line(b, piece, known, reading);
        if !stays {
            continue;
        }
        let with = if kept_end.is_some() { newline.to_vec() } else { Vec::new() };
        let from = kept_end.unwrap_or(0);
        if from < range.start || !with.is_empty() {
            edits.push(Edit::Bytes { at: b.span(from, range.start), with });
        }
        kept_end = Some(range.end);
    }
    if let Some(end) = kept_end.filter(|end| *end < b.bytes.len()) {
        edits.push(Edit::Bytes { at: b.span(end, b.bytes.len()), with: Vec::new() });
    }
    edits
}

fn ids_of_records(b: &BrokenRecord, found: &[TornPiece]) -> Vec<Option<String>> {
    let records = found.iter().filter(|piece| matches!(piece, TornPiece::Record(_)));
    records.map(|piece| id_of(&b.bytes[piece.range()])).collect()
}

/// Whether a fragment must be kept: it may be a complete record, or it has the ID of a record that
/// is not on the same line.
fn keeps_its_line(
    b: &BrokenRecord,
    fragment: &TornPiece,
    known: &[Option<String>],
    reading: &RecordReader,
) -> bool {
    if !b.is_line() {
        return false;
    }
    if is_damaged(fragment) {
        return true;
    }
    let id = id_of(&b.bytes[fragment.range()]);
    !reading.removes_fragments && id.is_some() && !known.contains(&id)
}

fn is_fragment(piece: &TornPiece) -> bool {
    matches!(piece, TornPiece::Fragment(..))
}

fn is_damaged(piece: &TornPiece) -> bool {
    matches!(piece, TornPiece::Fragment(_, FragmentRemains::Damaged))
}

/// The ID in a record or fragment.
fn id_of(bytes: &[u8]) -> Option<String> {
    let tape = scan(bytes, ScanMode::Document);
    Some(Node::root(&tape, &bytes)?.get("id")?.str()?.into_owned())
}

fn read_piece(
    t: &mut Transcript,
    b: &BrokenRecord,
    range: Range<usize>,
    reading: &RecordReader,
) -> EventId {
    let event = t.begin(b.at, b.place, State::Recovered);
    name_id(t, b);
    let bytes = &b.bytes[range];
    let tape = scan(bytes, ScanMode::Document);
    if let Some(node) = Node::root(&tape, &bytes) {
        (reading.read)(node, t);
    }
    event
}

pub(super) fn mend(
    t: &mut Transcript,
    mut diagnostic: Diagnostic,
    event: EventId,
    word: &'static str,
    edits: Vec<Edit>,
) {
    diagnostic.about = vec![Subject::Bytes(event)];
    diagnostic.fix_safely([Action::edits(event, word, edits)]);
    t.diagnostics.push(diagnostic);
}

/// Reports flaws in the host's state. The state is not sent, so lone surrogates in it are harmless.
/// Returns the diagnostics.
pub(super) fn state_flaws<'t>(
    t: &'t mut Transcript,
    event: EventId,
    at: Span,
    flaws: &[Flaw],
    text: &dyn TapeText,
    reading: &RecordReader,
) -> &'t mut [Diagnostic] {
    let first = t.diagnostics.len();
    self::flaws(
        t,
        event,
        at,
        flaws,
        text,
        &RecordReader { accepts_lone_surrogates: true, ..*reading },
    );
    for diagnostic in &mut t.diagnostics[first..] {
        diagnostic.labels = vec![Label::new(event, LabelRole::State)];
        diagnostic.instance = Some(Instance::Stops);
    }
    &mut t.diagnostics[first..]
}

/// Reports a last line without line ending.
pub(super) fn missing_newline(t: &mut Transcript, event: EventId, newline: &'static [u8]) {
    let end = t.event(event).at().end;
    let at = Span { start: end, ..t.event(event).at() };
    let mut diagnostic =
        Diagnostic::new(Code::MissingFinalNewline, "no newline at end of file", event);
    diagnostic.about = vec![Subject::Bytes(event)];
    let edits = vec![Edit::Bytes { at, with: newline.to_vec() }];
    diagnostic.fix_safely([Action::edits(event, "add a newline after {}", edits)]);
    t.diagnostics.push(diagnostic);
}
