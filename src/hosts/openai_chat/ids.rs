//! Calls and results whose IDs, names or copies disagree.

use hashbrown::HashMap;

use crate::format::FormatContext;
use crate::requests::refused;
use crate::shapes::chat::diagnostics;
use crate::shapes::copies::{self, By, Same};
use crate::transcript::pairs::Pairs;
use crate::transcript::{
    Action, Code, Diagnostic, EventId, Id, Label, LabelRole, PartId, PartKind, Subject, Transcript,
};

/// Messages with calls that are byte for byte the one before them: the same answer was written twice. Texts may be said
/// twice, and results of one call are judged as such.
pub(super) fn copies(
    context: &FormatContext<'_>,
    all: &[EventId],
) -> (Vec<EventId>, Vec<Diagnostic>) {
    let t = context.transcript;
    let mut asked_before = false;
    // In a healthy conversation, no message with calls follows another one.
    if !all.iter().any(|event| {
        let asks = t.parts_of(*event, PartKind::Call).next().is_some();
        std::mem::replace(&mut asked_before, asks) && asks
    }) {
        return (Vec::new(), Vec::new());
    }
    let mut copies = copies::find(context, all.iter().copied(), By::Neighbor, Same::Calls);
    copies.retain(|copy| names_its_calls(t, copy.event));
    let message = "message with tool calls stored twice";
    let diagnostics = copies.iter().map(|copy| diagnostics::repeated(copy, message));
    (copies.iter().map(|copy| copy.event).collect(), diagnostics.collect())
}

/// Whether a message has calls, and each has an ID.
fn names_its_calls(t: &Transcript, event: EventId) -> bool {
    let mut calls = t.parts_of(event, PartKind::Call).peekable();
    calls.peek().is_some()
        && calls.all(|call| t.part(call).id.is_some_and(|id| !t.ids.is_empty(id)))
}

/// Finds calls that are twice in one message, and results under the ID of another tool's call.
pub(super) fn judge(t: &Transcript, pairs: &Pairs) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for batch in pairs.batches.iter().filter(|batch| batch.calls.len() > 1) {
        diagnostics.extend(twice(t, pairs, &batch.calls));
        diagnostics.extend(crossed(t, pairs, &batch.calls));
    }
    diagnostics
}

/// The same call, with the same ID, more than once in one message. Where both are answered differently they are two.
fn twice(t: &Transcript, pairs: &Pairs, calls: &[PartId]) -> Vec<Diagnostic> {
    let mut first: HashMap<Id, PartId> = HashMap::new();
    let mut diagnostics = Vec::new();
    for call in calls.iter().copied() {
        let part = t.part(call);
        let Some(id) = part.id.filter(|id| !t.ids.is_empty(*id)) else {
            continue;
        };
        let Some(original) = first.get(&id).copied() else {
            first.insert(id, call);
            continue;
        };
        let answers = [original, call].map(|call| pairs.answer(call));
        let digests = answers.map(|result| result.map(|result| t.part(result).digest));
        let differ = matches!(digests, [Some(one), Some(other)] if one != other);
        // Calls that were answered differently both ran.
        if t.part(original).digest != part.digest || differ {
            continue;
        }
        let mut diagnostic =
            refused(Code::RepeatedCall, "same tool call twice in one message", part.event);
        diagnostic.labels =
            vec![Label::of(t, original, LabelRole::Call), Label::of(t, call, LabelRole::Copy)];
        let again = answers[1].filter(|_| answers[0].is_some());
        diagnostic.label(again.map(|again| t.part(again).event), LabelRole::Copy);
        diagnostic.about = vec![Subject::Identity(call)];
        diagnostic.covers =
            vec![Subject::Identity(call), Subject::Open(call), Subject::Place(call)];
        diagnostic.covers.extend(again.map(Subject::Place));
        diagnostic.fix_safely(std::iter::once(call).chain(again).map(Action::RemovePart));
        diagnostics.push(diagnostic);
    }
    diagnostics
}

/// Results that say another tool's name than the call has whose id they carry, where a call of that name is left for each.
fn crossed(t: &Transcript, pairs: &Pairs, calls: &[PartId]) -> Option<Diagnostic> {
    let tool = |part: PartId| t.part(part).tool.filter(|tool| !t.ids.is_empty(*tool));
    let wrong: Vec<(PartId, PartId)> = calls
        .iter()
        .filter_map(|call| match pairs.results(*call) {
            [only] => Some((*call, *only)),
            _ => None,
        })
        .filter(|(call, result)| tool(*result).is_some() && tool(*result) != tool(*call))
        .collect();
    // The calls that a wrong result leaves free, by tool; of two of one tool nobody can say which is meant.
    let mut free: HashMap<Id, Option<PartId>> = HashMap::new();
    let open = calls.iter().copied().filter(|call| pairs.results(*call).is_empty());
    for call in wrong.iter().map(|(call, _)| *call).chain(open) {
        let Some(tool) = tool(call) else { continue };
        free.entry(tool).and_modify(|known| *known = None).or_insert(Some(call));
    }
    let mut moves = Vec::new();
    for (_, result) in &wrong {
        let wanted = tool(*result).and_then(|tool| free.get_mut(&tool)).and_then(Option::take);
        moves.extend(wanted.map(|call| (*result, call)));
    }
    if wrong.is_empty() || moves.is_empty() {
        return None;
    }
    let event = t.part(calls[0]).event;
    let mut diagnostic =
        refused(Code::LinkMismatch, "tool results have the IDs of other tools' calls", event);
    diagnostic.labels = vec![Label::new(event, LabelRole::Call)];
    diagnostic.label(moves.iter().map(|(result, _)| t.part(*result).event), LabelRole::Result);
    diagnostic.about = moves.iter().map(|(result, _)| Subject::Identity(*result)).collect();
    diagnostic.covers = moves.iter().map(|(_, call)| Subject::Open(*call)).collect();
    let actions = moves.iter().map(|(result, call)| {
        Action::rename_id(vec![*result], t.text(t.part(*call).id).to_owned())
    });
    let actions: Vec<Action> = actions.collect();
    // Only where they change places do all names fit.
    let swapped = moves.len() == wrong.len()
        && wrong.iter().all(|(call, _)| moves.iter().any(|(_, wanted)| wanted == call));
    diagnostic.fix_safely_if(swapped, actions);
    Some(diagnostic)
}
