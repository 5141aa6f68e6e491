//! Damage that every list of messages may have, as faults with their treatments.

use super::replays;
use crate::formats::FormatContext;
use crate::formats::copies::{self, By, Same, Twin};
use crate::json::cut::Change;
use crate::requests::refused;
use crate::transcript::pairs::Pairs;
use crate::transcript::unreadable::{OnUnreadable, Unreadable};
use crate::transcript::{
    Action, Applicability, Code, Diagnostic, Effect, EventId, Fix, Label, LabelRole, Severity,
    State, Subject, Transcript, Value, attr,
};

/// A fault of the record that is being read, with changes of it as a treatment.
pub(crate) fn here(
    t: &mut Transcript,
    code: Code,
    said: &str,
    changes: Vec<Change>,
    class: Applicability,
) -> Code {
    let event = t.newest();
    let mut diagnostic = refused(code, said, event);
    if t.event(event).state == State::Whole && !changes.is_empty() {
        diagnostic.fixes = vec![Fix::new(class, vec![mend(t, event, changes)])];
    }
    t.diagnostics.push(diagnostic);
    code
}

fn mend(t: &Transcript, event: EventId, changes: Vec<Change>) -> Action {
    Action::edit_bytes(event, t.event(event).at, "change {}", changes)
}

/// Records that this host cannot read, and values that are not messages.
pub(crate) fn unreadable(t: &Transcript, pairs: &Pairs, host: OnUnreadable) -> Vec<Diagnostic> {
    let unreadable = Unreadable::new(t, pairs, host);
    let diagnostic = |event| match t.attr_of(event, attr::BARE) {
        Some(bare) => bare_value(t, event, bare == Value::Yes),
        None => unreadable.diagnostic(event),
    };
    unreadable.records().map(diagnostic).collect()
}

/// A value among the messages that is no object: it cannot have been one.
fn bare_value(_t: &Transcript, event: EventId, says_nothing: bool) -> Diagnostic {
    let mut diagnostic = refused(
        Code::MalformedRecord,
        "list element that is not a message object",
        event,
    );
    let park = vec![Action::Remove(event)];
    diagnostic.fixes = vec![if says_nothing {
        Fix::safe(park)
    } else {
        Fix::with_guess(park)
    }];
    diagnostic
}

/// Those of these messages that are a copy of the one before them, and go, in order.
pub(crate) fn copies(
    context: &FormatContext<'_>,
    messages: &[EventId],
) -> (Vec<EventId>, Vec<Diagnostic>) {
    let messages = messages.iter().copied();
    let copies = copies::find(context, messages, By::Neighbor, Same::Digest);
    let diagnostics = copies
        .iter()
        .map(|copy| repeated(copy, "message stored twice"));
    (
        copies.iter().map(|copy| copy.event).collect(),
        diagnostics.collect(),
    )
}

/// A copy that the provider refuses.
pub(crate) fn repeated(copy: &Twin, message: &str) -> Diagnostic {
    let mut diagnostic = copy.repeated(message);
    diagnostic.about = vec![Subject::Content(copy.event)];
    diagnostic.severity = Some(Severity::Fatal);
    diagnostic.effect = Effect::Refused;
    diagnostic
}

/// A call that was run again with the same outcome. `accepted`: the target takes the id a second time.
pub(crate) fn replayed(t: &Transcript, pairs: &Pairs, accepted: bool) -> Vec<Diagnostic> {
    let replays = replays(t, pairs).into_iter();
    replays
        .filter_map(|(first, copy)| {
            let (answer, again) = (pairs.answer(first)?, pairs.answer(copy)?);
            let event = |part| t.a_part(part).event;
            let mut diagnostic = Diagnostic::new(
                Code::RepeatedCall,
                "tool call and result recorded twice",
                event(copy),
            );
            let label = |part, role| Label::new(event(part), role);
            diagnostic.labels = vec![
                label(first, LabelRole::Call),
                label(answer, LabelRole::Result),
                label(copy, LabelRole::Copy),
                label(again, LabelRole::Copy),
            ];
            diagnostic.about = vec![Subject::Identity(copy)];
            diagnostic.covers = vec![
                Subject::Identity(copy),
                Subject::Place(copy),
                Subject::Place(again),
            ];
            diagnostic.effect = if accepted {
                Effect::None
            } else {
                Effect::Refused
            };
            diagnostic.severity = accepted.then_some(Severity::Warning);
            if !accepted {
                let parks = vec![Action::RemovePart(copy), Action::RemovePart(again)];
                diagnostic.fixes = vec![Fix::safe(parks)];
            }
            Some(diagnostic)
        })
        .collect()
}
