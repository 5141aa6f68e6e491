//! Lists whose calls and results are plain text. They get a note, because there is nothing to pair.

use super::diagnostics;
use crate::dialects::spoken::{self, CALLS_IN_TEXTS};
use crate::format::FormatContext;
use crate::transcript::{Diagnostic, EventId, LabelRole, PartKind, Role, Transcript};

/// This many messages are checked.
const LOOK: usize = 64;

/// A list without structured calls whose texts clearly have calls.
pub(crate) struct Spoken {
    /// The tool messages that answer such calls. They have no call ID, so they count as texts.
    pub answers: Vec<EventId>,
    /// The note about it.
    pub note: Diagnostic,
}

/// Checks the first messages, if no message has a structured call or the ID of one. `text`: the text of a message.
pub(crate) fn find(
    context: &FormatContext<'_>,
    messages: &[EventId],
    text: fn(&FormatContext<'_>, EventId) -> Option<String>,
) -> Option<Spoken> {
    let t = context.transcript;
    if t.parts.iter().any(|part| match part.kind {
        PartKind::Call | PartKind::Hosted => true,
        PartKind::Result => part.id.is_some_and(|id| !t.ids.is_empty(id)),
        _ => false,
    }) {
        return None;
    }
    let looked = &messages[..messages.len().min(LOOK)];
    let mut shown =
        looked.iter().enumerate().filter(|(_, event)| t.event(**event).role == Role::Assistant);
    let (call, result, name) = shown.find_map(|(at, event)| {
        let call = text(context, *event).filter(|text| spoken::may_be_call(text))?;
        let next = messages.get(at + 1).filter(|next| t.event(**next).role != Role::Assistant);
        let next_text = next.and_then(|next| text(context, *next));
        Some((*event, next, spoken::dialect(&call, next_text.as_deref())?))
    })?;
    let mut note = note(call, name);
    note.label(result, LabelRole::Record);
    let answers = messages.iter().copied().filter(|event| is_answer(t, *event)).collect();
    Some(Spoken { answers, note })
}

/// The note about calls in texts, from the first of them. `name`: how they are written.
pub(crate) fn note(call: EventId, name: &str) -> Diagnostic {
    diagnostics::note(call, format!("{CALLS_IN_TEXTS} ({name}): nothing to pair"))
}

fn is_answer(t: &Transcript, event: EventId) -> bool {
    t.part_of(event, PartKind::Result).is_some()
}
