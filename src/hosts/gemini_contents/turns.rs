//! Copies of turns, and the responses in them.

use super::role;
use crate::dialects::gemini;
use crate::format::FormatContext;
use crate::json::node::Node;
use crate::shapes::chat::diagnostics;
use crate::transcript::{Diagnostic, EventId, PartId, PartKind, Role, Subject, Transcript};

/// Turns of the model that are, byte for byte and with the same call IDs, the one before them.
pub(super) fn copies(
    context: &FormatContext<'_>,
    turns: &[EventId],
) -> (Vec<EventId>, Vec<Diagnostic>) {
    let t = context.transcript;
    let (mut copies, mut found) = diagnostics::copies(context, turns);
    copies.retain(|event| names_its_calls(t, *event));
    found.retain(|diagnostic| {
        diagnostic
            .about
            .iter()
            .all(|about| matches!(about, Subject::Content(event) if names_its_calls(t, *event)))
    });
    (copies, found)
}

/// Whether a turn of the model has calls, and each has an ID.
fn names_its_calls(t: &Transcript, event: EventId) -> bool {
    if role(t, event) != Role::Assistant {
        return false;
    }
    let mut calls = calls_of(t, event).peekable();
    calls.peek().is_some()
        && calls.all(|call| t.part(call).id.is_some_and(|id| !t.ids.is_empty(id)))
}

fn calls_of(t: &Transcript, event: EventId) -> impl Iterator<Item = PartId> + '_ {
    t.parts_of(event, PartKind::Call)
}

/// The response that is this part of a turn.
pub(super) fn response(turn: Node<'_>, at: usize) -> Option<Node<'_>> {
    turn.get("parts").and_then(|parts| parts.items().nth(at)).and_then(gemini::response)
}
