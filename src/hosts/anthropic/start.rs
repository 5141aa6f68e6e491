//! Inserts a first user message for one that was lost.

use crate::bytes::edit::Edit;
use crate::bytes::source::Span;
use crate::containers::Layout;
use crate::dialects::placeholders;
use crate::format::FormatContext;
use crate::json::alike::ObjectLayout;
use crate::transcript::{Action, EventId, State};

/// Longer white space between two elements is not copied.
const MOST_BLANK: u64 = 4096;

/// Inserts a user message before this record, in its layout.
pub(super) fn beginning(context: &FormatContext<'_>, first: EventId) -> Option<Action> {
    let t = context.transcript;
    let at = t.event(first).at();
    let own = context.record(first).ok()?;
    let layout = ObjectLayout::of(own.bytes().trim_ascii_end());
    let mut with = layout.object(&[
        ("role", layout.quote("user")),
        ("content", layout.quote(placeholders::LOST_BEGINNING)),
    ]);
    match context.layout {
        Layout::Lines(_) if own.bytes().ends_with(b"\r\n") => with.extend_from_slice(b"\r\n"),
        Layout::Lines(_) => with.push(b'\n'),
        _ => with.extend(between(context, first)),
    }
    let edits = vec![Edit::bytes(at.before(), with)];
    Some(Action::edits(first, "insert a user message before {}", edits))
}

/// The bytes between this element and the next.
fn between(context: &FormatContext<'_>, first: EventId) -> Vec<u8> {
    let t = context.transcript;
    let from = t.event(first).at();
    let next = t.records().find(|event| *event > first && t.event(*event).state == State::Whole);
    let gap = next.map(|next| Span::new(from.entry, from.end, t.event(next).at().start));
    let gap = gap.filter(|gap| gap.end.saturating_sub(gap.start) < MOST_BLANK);
    let gap = gap.and_then(|gap| context.entries.fetch(gap).ok());
    gap.filter(|gap| gap.trim_ascii() == b",").unwrap_or_else(|| b", ".to_vec())
}
