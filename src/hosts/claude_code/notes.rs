//! Notes about what is worth knowing and harmless.

use super::sent::SentMessage;
use crate::format::FormatContext;
use crate::transcript::pairs::Pairs;
use crate::transcript::request::Sent;
use crate::transcript::{
    Code, Diagnostic, EventId, Instance, Label, LabelRole, PartId, PartKind, Role, Subject,
    Transcript,
};

/// The notes about the messages of the request.
pub(super) fn judge(
    context: &FormatContext<'_>,
    (order, list): (&[Sent], &[SentMessage]),
    pairs: &Pairs,
) -> Vec<Diagnostic> {
    let t = context.transcript;
    let (mut late, mut bare) = (Vec::new(), Vec::new());
    let mut notes: Vec<Diagnostic> = Vec::new();
    let before = std::iter::once(None).chain(list.iter().map(Some));
    for (message, before) in list.iter().zip(before) {
        let answers = |result: EventId| {
            let mut parts = t.event(result).parts.clone();
            parts.any(|part| {
                pairs.call_of(part).is_some_and(|call| {
                    before.is_some_and(|before| {
                        before.items(order).iter().any(|sent| sent.parts.contains(&call))
                    })
                })
            })
        };
        let known = message.queued.filter(|(_, result)| answers(*result));
        notes.extend(known.map(|(own, result)| queued(own, result)));
        if message.role != Role::Assistant {
            continue;
        }
        let parts = || message.items(order).iter().flat_map(|sent| sent.parts.clone());
        let is = |kind| move |part: &PartId| t.part(*part).kind == kind;
        let thinking = parts().position(|part| is(PartKind::Thinking)(&part));
        if thinking.is_some_and(|at| parts().take(at).any(|part| is(PartKind::Text)(&part))) {
            late.extend(parts().find(is(PartKind::Thinking)));
        } else if thinking.is_some() && parts().all(|part| is(PartKind::Thinking)(&part)) {
            bare.extend(parts().next());
        }
    }
    notes.extend(thinking(
        t,
        &late,
        "thinking after text in one response, as newer models may send it",
    ));
    notes.extend(thinking(t, &bare, "response with nothing but thinking"));
    notes
}

fn queued(own: EventId, result: EventId) -> Diagnostic {
    let message =
        "a prompt between a tool call and its result: Claude Code moves the result before it";
    let mut note = Diagnostic::new(Code::ResultNotNext, message, result);
    note.labels[0].role = LabelRole::Result;
    note.label([own], LabelRole::Intruder);
    note.about = vec![Subject::Content(result)];
    note.instance = Some(Instance::Spared);
    note
}

fn thinking(t: &Transcript, parts: &[PartId], message: &'static str) -> Option<Diagnostic> {
    let first = *parts.first()?;
    let mut note = Diagnostic::new(Code::Thinking, message, t.part(first).event);
    let labels = parts.iter();
    note.labels = Label::all(labels.map(|part| t.part(*part).event), LabelRole::Record);
    note.about = vec![Subject::Identity(first)];
    note.instance = Some(Instance::Harmless);
    Some(note)
}
