//! Lists whose calls and results are plain text: there is nothing to pair, and that is worth saying.

use crate::dialects::spoken;
use crate::formats::FormatContext;
use crate::transcript::{
    Code, Diagnostic, Effect, EventId, Label, LabelRole, Part, PartKind, Role, Subject, Transcript,
};

/// Messages that are looked at.
const LOOK: usize = 64;

/// A list that has no structured call, and clearly shows calls in the texts of its messages.
pub(crate) struct Spoken {
    /// The messages of tools that answer such calls: they name none, so they are texts like others.
    pub answers: Vec<EventId>,
    /// What to say of it.
    pub note: Diagnostic,
}

/// Looks at the first of these messages, if none of them has a structured call or names one.
pub(crate) fn find(context: &FormatContext<'_>, messages: &[EventId]) -> Option<Spoken> {
    let t = context.transcript;
    let is_structured = |part: &Part| match part.kind {
        PartKind::Call | PartKind::Hosted => true,
        PartKind::Result => part.id.is_some_and(|id| !t.ids.is_empty(id)),
        _ => false,
    };
    if t.parts.iter().any(is_structured) {
        return None;
    }
    let looked = &messages[..messages.len().min(LOOK)];
    let mut shown = looked
        .iter()
        .enumerate()
        .filter(|(_, event)| t.event(**event).role == Role::Assistant);
    let (asks, behind, name) = shown.find_map(|(at, event)| {
        let said = super::text(context, *event).filter(|said| spoken::asks(said))?;
        let behind = messages
            .get(at + 1)
            .filter(|next| t.event(**next).role != Role::Assistant);
        let text = behind.and_then(|next| super::text(context, *next));
        Some((*event, behind, spoken::dialect(&said, text.as_deref())?))
    })?;
    let said = format!("tool calls are plain text here ({name}): nothing to pair");
    let mut note = Diagnostic::new(Code::UnknownRecord, said, asks);
    note.labels
        .extend(behind.map(|behind| Label::new(*behind, LabelRole::Record)));
    note.about = vec![Subject::Name(asks)];
    note.effect = Effect::None;
    let answers = messages
        .iter()
        .copied()
        .filter(|event| is_answer(t, *event))
        .collect();
    Some(Spoken { answers, note })
}

fn is_answer(t: &Transcript, event: EventId) -> bool {
    t.event(event)
        .parts
        .clone()
        .any(|part| t.a_part(part).kind == PartKind::Result)
}
