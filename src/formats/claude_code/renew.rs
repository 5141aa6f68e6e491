//! Lines that are written again elsewhere: moved up, or appended with another target.

use super::lines::{stamp, stamped};
use crate::bytes::edit::Edit;
use crate::bytes::source::Span;
use crate::containers::Layout;
use crate::containers::rewrite::apply_changes;
use crate::formats::FormatContext;
use crate::json::cut;
use crate::json::quote::quote;
use crate::transcript::{Action, EventId, State};

/// Most characters of a prompt in a pointer.
const PROMPT: usize = 200;

/// Moves a line behind another one, with that one's time.
pub(super) fn moved(
    context: &FormatContext<'_>,
    event: EventId,
    behind: EventId,
) -> Option<Action> {
    let t = context.transcript;
    let (from, place) = (t.event(event).at, t.event(behind).at);
    if t.event(behind).state != State::Whole || behind == event {
        return None;
    }
    let time = t.event(behind).time?;
    let record = context.record(event).ok()?;
    let mut line = apply_changes(record.bytes(), &[stamped(record.root(), &stamp(time))]);
    if !line.ends_with(b"\n") {
        line.push(b'\n');
    }
    let edits = vec![
        Edit::Bytes {
            at: Span {
                start: place.end,
                ..place
            },
            with: line,
        },
        Edit::Bytes {
            at: from,
            with: Vec::new(),
        },
    ];
    Some(Action::EditBytes {
        event,
        word: "move {} up to directly after its parent, with the parent's time",
        edits,
    })
}

/// Moves a line behind another one, as it is.
pub(super) fn lowered(
    context: &FormatContext<'_>,
    event: EventId,
    behind: EventId,
) -> Option<Action> {
    let t = context.transcript;
    let (from, place) = (t.event(event).at, t.event(behind).at);
    if t.event(behind).state != State::Whole || from.end > place.start {
        return None;
    }
    let mut line = context.record(event).ok()?.bytes().to_vec();
    let last = Span {
        start: place.end.saturating_sub(1),
        ..place
    };
    if context.entries.fetch(last).is_ok_and(|byte| byte != b"\n") {
        line.insert(0, b'\n');
        line.truncate(line.trim_ascii_end().len());
    }
    let edits = vec![
        Edit::Bytes {
            at: from,
            with: Vec::new(),
        },
        Edit::Bytes {
            at: Span {
                start: place.end,
                ..place
            },
            with: line,
        },
    ];
    Some(Action::EditBytes {
        event,
        word: "move {} down to directly after its parent",
        edits,
    })
}

/// Appends a copy of a pointer that names another end.
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
    let said = prompt.and_then(|prompt| super::text::text(context, prompt));
    if let (Some(old), Some(said)) = (root.get("lastPrompt"), said) {
        let short: String = said.chars().take(PROMPT).collect();
        changes.push(cut::replace(old, &quote(&short)));
    }
    changes.sort_by_key(|change| change.at.start);
    let mut line = apply_changes(record.bytes(), &changes);
    line.truncate(line.trim_ascii_end().len());
    let edits = vec![appended(context, line, record.bytes().ends_with(b"\r\n"))?];
    Some(Action::EditBytes {
        event: pointer,
        word: "append a pointer to the last message after {}",
        edits,
    })
}

/// A new last line of the file. `line`: without its ending; `returns`: it ends as lines of Windows do.
pub(super) fn appended(
    context: &FormatContext<'_>,
    mut line: Vec<u8>,
    returns: bool,
) -> Option<Edit> {
    let Layout::Lines(entry) = context.layout else {
        return None;
    };
    line.extend_from_slice(if returns { b"\r\n" } else { b"\n" });
    let size = context.entries.len(*entry);
    let last = Span {
        entry: *entry,
        start: size.saturating_sub(1),
        end: size,
    };
    if context.entries.fetch(last).is_ok_and(|byte| byte != b"\n") {
        line.insert(0, b'\n');
    }
    Some(Edit::Bytes {
        at: Span {
            entry: *entry,
            start: size,
            end: size,
        },
        with: line,
    })
}
