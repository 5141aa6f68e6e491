//! Diagnostics that every list of messages may have, with their fixes.

use std::borrow::Cow;

use super::replays;
use crate::bytes::edit::Edit;
use crate::bytes::source::Span;
use crate::format::FormatContext;
use crate::json::cut::RecordChange;
use crate::requests::refused;
use crate::shapes::copies::{self, By, Same, Twin};
use crate::transcript::pairs::Pairs;
use crate::transcript::unreadable::OnUnreadable;
use crate::transcript::unreadable::Unreadable;
use crate::transcript::{
    Action, Applicability, CHANGE, Code, Diagnostic, Effect, EventId, FactValue, Fix, Instance,
    Label, LabelRole, PartId, State, Subject, Transcript, facts,
};

/// Reports a problem of the record that is being read, for which the provider rejects the request unless the caller says
/// otherwise of it.
pub(crate) fn report<'t>(
    t: &'t mut Transcript,
    code: Code,
    message: &'static str,
) -> &'t mut Diagnostic {
    report_fixed(t, code, message, Vec::new(), Applicability::Manual)
}

/// The same with changes of the record as the fix.
pub(crate) fn report_fixed<'t>(
    t: &'t mut Transcript,
    code: Code,
    message: &'static str,
    changes: Vec<RecordChange>,
    applicability: Applicability,
) -> &'t mut Diagnostic {
    let event = t.newest();
    let mut diagnostic = refused(code, message, event);
    if t.event(event).state == State::Whole && !changes.is_empty() {
        diagnostic.fixes = vec![Fix::new(applicability, [edit_record(t, event, changes)])];
    }
    let at = t.diagnostics.len();
    t.diagnostics.push(diagnostic);
    &mut t.diagnostics[at]
}

/// Reports a record that this version does not know.
pub(crate) fn unknown(t: &mut Transcript) {
    let message = "a record that this version does not know";
    let diagnostic = Diagnostic::about(Code::UnknownRecord, message, Subject::Content, t.newest());
    t.diagnostics.push(diagnostic);
}

fn edit_record(t: &Transcript, event: EventId, changes: Vec<RecordChange>) -> Action {
    Action::edit_bytes(event, t.event(event).at(), CHANGE, changes)
}

/// A row whose list of messages is empty.
pub(crate) fn no_messages(t: &Transcript) -> Option<Diagnostic> {
    let around = t.host_state().filter(|_| t.records().all(|record| t.is_host_state(record)))?;
    let message = "a row without messages";
    let mut found = Diagnostic::about(Code::MalformedRecord, message, Subject::Content, around);
    found.labels = vec![Label::new(around, LabelRole::State)];
    found.instance = Some(Instance::Ignored);
    Some(found)
}

/// A fact about a record that is worth knowing, and no damage.
pub(crate) fn note(record: EventId, message: impl Into<Cow<'static, str>>) -> Diagnostic {
    Diagnostic::about(Code::UnknownRecord, message, Subject::Name, record)
}

/// Reports that lines have no header, without which the host loads none of them. `header`: the line that may be guessed.
pub(crate) fn missing_header(
    context: &FormatContext<'_>,
    header: Option<String>,
) -> Option<Diagnostic> {
    let t = context.transcript;
    let first = t.records().find(|event| t.event(*event).state != State::Padding)?;
    let message = "the session header is missing";
    let mut diagnostic = Diagnostic::about(Code::BadHeader, message, Subject::Name, first);
    diagnostic.effect = Effect::LoadFails;
    let top = Span::new(t.event(first).at().entry, 0, 0);
    let insert = header.map(|header| {
        let edits = vec![Edit::bytes(top, header.into_bytes())];
        Action::edits(first, "insert a session header before {}", edits)
    });
    diagnostic.fixes = Fix::only(Applicability::Unsafe, insert);
    Some(diagnostic)
}

/// Reports unreadable records, and values that are not messages.
pub(crate) fn unreadable(t: &Transcript, pairs: &Pairs, on: OnUnreadable) -> Vec<Diagnostic> {
    let unreadable = Unreadable::new(t, pairs, on);
    unreadable
        .records()
        .map(|event| match t.value_of(event, facts::BARE) {
            Some(bare) => bare_value(event, bare == FactValue::Yes),
            None => unreadable.diagnostic(event),
        })
        .collect()
}

/// A list element that is not an object, so it cannot have been a message.
fn bare_value(event: EventId, is_empty: bool) -> Diagnostic {
    let mut diagnostic =
        refused(Code::MalformedRecord, "list element that is not a message object", event);
    diagnostic.fix_safely_if(is_empty, [Action::Remove(event)]);
    diagnostic
}

/// The messages that are copies of the one before them, in order, and their diagnostics.
pub(crate) fn copies(
    context: &FormatContext<'_>,
    messages: &[EventId],
) -> (Vec<EventId>, Vec<Diagnostic>) {
    let messages = messages.iter().copied();
    let copies = copies::find(context, messages, By::Neighbor, Same::Digest);
    let diagnostics = copies.iter().map(|copy| repeated(copy, "message stored twice"));
    (copies.iter().map(|copy| copy.event).collect(), diagnostics.collect())
}

/// A copy that the provider rejects.
pub(crate) fn repeated(copy: &Twin, message: &'static str) -> Diagnostic {
    let mut diagnostic = copy.repeated(message);
    diagnostic.about = vec![Subject::Content(copy.event)];
    diagnostic.instance = Some(Instance::Rejected);
    diagnostic.effect = Effect::Refused;
    diagnostic
}

/// Calls that were recorded again with the same result. `accepted`: the target accepts a second call with the same ID.
pub(crate) fn replayed(t: &Transcript, pairs: &Pairs, accepted: bool) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (first, copy) in replays(t, pairs) {
        let (Some(answer), Some(again)) = (pairs.answer(first), pairs.answer(copy)) else {
            continue;
        };
        let mut diagnostic = Diagnostic::new(
            Code::RepeatedCall,
            "tool call and result recorded twice",
            t.part(copy).event,
        );
        diagnostic.labels = vec![
            Label::of(t, first, LabelRole::Call),
            Label::of(t, answer, LabelRole::Result),
            Label::of(t, copy, LabelRole::Copy),
            Label::of(t, again, LabelRole::Copy),
        ];
        diagnostic.about = vec![Subject::Identity(copy)];
        diagnostic.covers =
            vec![Subject::Identity(copy), Subject::Place(copy), Subject::Place(again)];
        diagnostic.effect = if accepted { Effect::None } else { Effect::Refused };
        diagnostic.instance = accepted.then_some(Instance::Elsewhere);
        if !accepted {
            diagnostic.fix_safely([Action::RemovePart(copy), Action::RemovePart(again)]);
        }
        found.push(diagnostic);
    }
    found
}

/// Calls with results of which a compaction hides one half, in this message.
pub(crate) fn split_by_compaction(
    t: &Transcript,
    pairs: &[(PartId, PartId)],
    hidden: EventId,
) -> Diagnostic {
    let message = "the model sees only one half of a call and its result";
    let mut diagnostic = refused(Code::CompactionSplitPair, message, hidden);
    let calls = pairs.iter().map(|(call, _)| Label::of(t, *call, LabelRole::Call));
    let results = pairs.iter().map(|(_, result)| Label::of(t, *result, LabelRole::Result));
    diagnostic.labels = calls.chain(results).collect();
    diagnostic.labels.dedup();
    for (call, result) in pairs {
        diagnostic.about.push(Subject::Identity(*call));
        let halves = [Subject::Open(*call), Subject::Orphan(*result)];
        diagnostic.covers.extend(halves);
    }
    diagnostic
}
