//! Calls and results on two sides of a compaction that takes the place of everything before it.

use crate::transcript::pairs::Pairs;
use crate::transcript::{
    Action, Code, Diagnostic, Effect, EventId, Id, Label, LabelRole, PartId, PartKind, Subject,
    Transcript,
};

/// The diagnostics of results after a compaction whose calls are before it, one for each response. `before`: the records
/// before it, in order. `belongs`: whether a record moves with the one that holds the calls.
pub(crate) fn check(
    t: &Transcript,
    boundary: EventId,
    before: &[EventId],
    pairs: &Pairs,
    belongs: &dyn Fn(EventId, EventId) -> bool,
) -> Vec<Diagnostic> {
    let mut split: Vec<(EventId, PartId)> = Vec::new();
    for result in pairs.orphans() {
        split.extend(caller(t, before, result).map(|call| (call, result)));
    }
    split.sort_unstable();
    split
        .chunk_by(|a, b| a.0 == b.0)
        .map(|all| {
            let call = all[0].0;
            let results: Vec<PartId> = all.iter().map(|(_, result)| *result).collect();
            diagnostic(t, boundary, call, &results, kept(t, before, call, belongs))
        })
        .collect()
}

/// The last record with the call of a result.
fn caller(t: &Transcript, before: &[EventId], result: PartId) -> Option<EventId> {
    let id = t.part(result).id.filter(|id| !t.ids.is_empty(*id))?;
    let mut latest = before.iter().rev().copied();
    latest.find(|event| calls(t, *event).any(|call| call == Some(id)))
}

/// The records before a compaction that come after it with a call: those that belong to it, and the results of the same
/// response that are there already.
fn kept(
    t: &Transcript,
    before: &[EventId],
    call: EventId,
    belongs: &dyn Fn(EventId, EventId) -> bool,
) -> Vec<EventId> {
    let asked: Vec<Option<Id>> = calls(t, call).collect();
    let at = before.iter().position(|event| *event == call);
    let after = at.map_or(&[][..], |at| &before[at..]);
    let earlier = before[..at.unwrap_or(0)].iter().rev();
    let mut kept: Vec<EventId> =
        earlier.take_while(|event| belongs(call, **event)).copied().collect();
    kept.reverse();
    for event in after.iter().copied() {
        if event == call || belongs(call, event) || answers(t, event, &asked) {
            kept.push(event);
        }
    }
    kept
}

/// Whether a record has nothing but results of these calls.
fn answers(t: &Transcript, event: EventId, asked: &[Option<Id>]) -> bool {
    let mut parts = t.event(event).parts.clone().map(|part| t.part(part));
    parts.len() > 0 && parts.all(|part| part.kind == PartKind::Result && asked.contains(&part.id))
}

fn diagnostic(
    t: &Transcript,
    boundary: EventId,
    call: EventId,
    results: &[PartId],
    keep: Vec<EventId>,
) -> Diagnostic {
    let mut diagnostic = Diagnostic::new(
        Code::CompactionSplitPair,
        "the compaction leaves out a call but not its result",
        boundary,
    );
    diagnostic.labels =
        vec![Label::new(boundary, LabelRole::Compaction), Label::new(call, LabelRole::Call)];
    diagnostic.labels.extend(results.iter().map(|result| Label::of(t, *result, LabelRole::Result)));
    diagnostic.covers = results.iter().copied().map(Subject::Orphan).collect();
    diagnostic.about = diagnostic.covers.clone();
    diagnostic.effect = Effect::Refused;
    diagnostic.fix_safely([Action::keep(boundary, keep)]);
    diagnostic
}

fn calls(t: &Transcript, event: EventId) -> impl Iterator<Item = Option<Id>> + '_ {
    let parts = t.event(event).parts.clone().map(|part| t.part(part));
    parts.filter(|part| part.kind == PartKind::Call).map(|part| part.id)
}
