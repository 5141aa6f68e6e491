//! A call of a tool that the provider runs must have its result in the same response.

use hashbrown::{HashMap, HashSet};

use super::{Need, RequestContext, content};
use crate::transcript::{
    Action, Code, Diagnostic, EventId, Id, Label, LabelRole, PartId, PartKind, Role, Subject,
    Transcript,
};

pub(crate) const NEED: Need = Need { name: "hosted_pairs", reports: &[Code::ForeignBlock], check };

/// Finds calls without a result in the same turn, and results without a call.
fn check(cx: &RequestContext<'_>) -> Vec<Diagnostic> {
    let t = cx.transcript();
    let turns = turns(cx);
    let mut alone: Vec<PartId> = Vec::new();
    for (number, turn) in turns.iter().enumerate() {
        let is_last = number + 1 == turns.len();
        let own = unpaired(t, turn).into_iter();
        alone.extend(own.filter(|part| !(is_last && is_call(t, *part))));
    }
    // A call and a result with one ID in different responses.
    let mut calls: HashMap<Id, PartId> = HashMap::new();
    let mut torn: HashMap<PartId, PartId> = HashMap::new();
    for part in alone.iter().copied() {
        match named(t, part) {
            Some(id) if is_call(t, part) => _ = calls.insert(id, part),
            Some(id) => torn.extend(calls.remove(&id).map(|call| (call, part))),
            None => {}
        }
    }
    let results: HashSet<PartId> = torn.values().copied().collect();
    let left = alone.into_iter().filter(|part| !results.contains(part));
    left.map(|part| report(cx, part, torn.get(&part).copied())).collect()
}

/// The turns: runs of messages of one role. Empty if there are no such calls.
pub(super) fn turns(cx: &RequestContext<'_>) -> Vec<Vec<EventId>> {
    let t = cx.transcript();
    if !t.parts.iter().any(|part| part.kind == PartKind::Hosted) {
        return Vec::new();
    }
    let mut events: Vec<EventId> = cx.request.order.iter().map(|sent| sent.event).collect();
    events.retain(|event| t.event(*event).role != Role::System);
    events.dedup();
    let runs = events.chunk_by(|a, b| t.event(*a).role == t.event(*b).role);
    runs.map(<[EventId]>::to_vec).collect()
}

/// The calls and results in an assistant turn that have no counterpart.
fn unpaired(t: &Transcript, turn: &[EventId]) -> Vec<PartId> {
    let by_model = turn.iter().filter(|event| t.event(**event).role == Role::Assistant);
    let parts = by_model.flat_map(|event| t.event(*event).parts.clone());
    let mut open: HashMap<Option<Id>, Vec<PartId>> = HashMap::new();
    let mut alone = Vec::new();
    for part in parts.filter(|part| t.part(*part).kind == PartKind::Hosted) {
        let of_id = open.entry(t.part(part).id).or_default();
        if is_call(t, part) {
            of_id.push(part);
        } else if of_id.pop().is_none() {
            alone.push(part);
        }
    }
    alone.extend(open.into_values().flatten());
    alone.sort_unstable();
    alone
}

/// The diagnostic of an unpaired call or result; `result` is that of the call, in another response.
fn report(cx: &RequestContext<'_>, part: PartId, result: Option<PartId>) -> Diagnostic {
    let t = cx.transcript();
    let (message, role) = if result.is_some() {
        ("server tool call and its result are in different responses", LabelRole::Call)
    } else if is_call(t, part) {
        ("server tool call without a result", LabelRole::Call)
    } else {
        ("server tool result without a call", LabelRole::Result)
    };
    let own = Label::of(t, part, role);
    let mut diagnostic = content(Code::ForeignBlock, message, own.event);
    diagnostic.labels = vec![own];
    diagnostic.labels.extend(result.map(|result| Label::of(t, result, LabelRole::Result)));
    let both = std::iter::once(part).chain(result);
    diagnostic.about = both.clone().map(Subject::Identity).collect();
    // Only whole records can be moved into another response.
    let is_moved = result.is_some() && cx.wire.texts.splits_messages;
    diagnostic.fix_with_guess(if is_moved {
        vec![Action::MoveTogether(both.collect())]
    } else {
        both.map(Action::RemovePart).collect()
    });
    diagnostic
}

/// The ID of a part, if it has one.
pub(super) fn named(t: &Transcript, part: PartId) -> Option<Id> {
    t.part(part).id.filter(|id| !t.ids.is_empty(*id))
}

/// Whether a part is a call. Results of these tools do not have the name of the tool.
pub(super) fn is_call(t: &Transcript, part: PartId) -> bool {
    let part = t.part(part);
    part.kind == PartKind::Call || (part.kind == PartKind::Hosted && part.tool.is_some())
}
