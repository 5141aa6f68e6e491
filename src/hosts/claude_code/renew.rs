//! Lines that move in the file, or are appended again with another target.

use super::lines::stamped;
use crate::bytes::edit::Edit;
use crate::bytes::source::Span;
use crate::containers::Layout;
use crate::containers::rewrite::apply_changes;
use crate::format::FormatContext;
use crate::json::cut;
use crate::json::quote::quote;
use crate::transcript::time::format_millis;
use crate::transcript::{Action, EventId, State};

/// The length limit for the prompt in a pointer, in characters.
const PROMPT: usize = 200;

/// Moves a line after another one, and sets its time to that of the other one.
pub(super) fn moved(
    context: &FormatContext<'_>,
    event: EventId,
    before: EventId,
) -> Option<Action> {
    let t = context.transcript;
    let (from, place) = (t.event(event).at(), t.event(before).at());
    if t.event(before).state != State::Whole || before == event {
        return None;
    }
    let time = t.event(before).time()?;
    let record = context.record(event).ok()?;
    let mut line = apply_changes(record.bytes(), &[stamped(record.root(), &format_millis(time))]);
    if !line.ends_with(b"\n") {
        line.push(b'\n');
    }
    let edits = vec![Edit::bytes(place.after(), line), Edit::bytes(from, Vec::new())];
    Some(Action::edits(
        event,
        "move {} up to directly after its parent, with the parent's time",
        edits,
    ))
}

/// Moves a line after another one without changing it.
pub(super) fn lowered(
    context: &FormatContext<'_>,
    event: EventId,
    before: EventId,
) -> Option<Action> {
    let t = context.transcript;
    let (from, place) = (t.event(event).at(), t.event(before).at());
    if t.event(before).state != State::Whole || from.end > place.start {
        return None;
    }
    let mut line = context.record(event).ok()?.bytes().to_vec();
    let last = Span { start: place.end.saturating_sub(1), ..place };
    if context.entries.fetch(last).is_ok_and(|byte| byte != b"\n") {
        line.insert(0, b'\n');
        line.truncate(line.trim_ascii_end().len());
    }
    let edits = vec![Edit::bytes(from, Vec::new()), Edit::bytes(place.after(), line)];
    Some(Action::edits(event, "move {} down to directly after its parent", edits))
}

/// Appends a copy of a pointer with another target.
pub(super) fn pointer(
    context: &FormatContext<'_>,
    pointer: EventId,
    end: EventId,
    prompt: Option<EventId>,
) -> Option<Action> {
    let t = context.transcript;
    let id = t.ids.get(t.event(end).id?);
    let record = context.record(pointer).ok()?;
    let root = record.root();
    let mut changes = vec![cut::replace(root.get("leafUuid")?, &quote(id))];
    let text = prompt.and_then(|prompt| super::text::text(context, prompt));
    if let (Some(old), Some(text)) = (root.get("lastPrompt"), text) {
        let short: String = text.chars().take(PROMPT).collect();
        changes.push(cut::replace(old, &quote(&short)));
    }
    changes.sort_by_key(|change| change.at.start);
    let mut line = apply_changes(record.bytes(), &changes);
    line.truncate(line.trim_ascii_end().len());
    let edits = vec![appended(context, line, pointer)?];
    let word = "append a pointer to the last message after {}";
    Some(Action::edits(pointer, word, edits))
}

/// Appends a line to the file, with the ending of the line of a record.
pub(super) fn appended(
    context: &FormatContext<'_>,
    mut line: Vec<u8>,
    like: EventId,
) -> Option<Edit> {
    let Layout::Lines(entry) = context.layout else {
        return None;
    };
    line.extend_from_slice(context.line_ending(like).as_bytes());
    let size = context.entries.len(*entry);
    let last = Span::new(*entry, size.saturating_sub(1), size);
    if context.entries.fetch(last).is_ok_and(|byte| byte != b"\n") {
        line.insert(0, b'\n');
    }
    Some(Edit::bytes(Span::new(*entry, size, size), line))
}
