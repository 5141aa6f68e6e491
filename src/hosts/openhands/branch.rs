//! Finds pairs that the active branch separates: a result on it whose call is off it, and a crash
//! recovery that hides a batch or the real output.

use hashbrown::HashMap;

use super::tree::ConversationTree;
use crate::shapes::tree::chain;
use crate::transcript::pairs::{PairStatus, Pairs};
use crate::transcript::{
    Action, Code, Diagnostic, Effect, EventId, Id, Instance, Label, LabelRole, LinkKind, Origin,
    PartId, PartKind, Role, State, Subject, Transcript,
};

/// All calls and results of a log, on the branch or not, by their IDs.
pub(super) struct CallIndex {
    calls: HashMap<Id, Vec<EventId>>,
    results: HashMap<Id, Vec<EventId>>,
    records: HashMap<Id, EventId>,
    batches: HashMap<Id, Vec<EventId>>,
}

impl CallIndex {
    /// Indexes the records that count: nothing can get a parent that has no ID.
    pub(super) fn of(t: &Transcript, records: &[EventId]) -> CallIndex {
        let mut index = CallIndex {
            calls: HashMap::new(),
            results: HashMap::new(),
            records: HashMap::new(),
            batches: HashMap::new(),
        };
        let parts = records.iter().flat_map(|event| t.event(*event).parts.clone());
        for part in parts.map(|part| t.part(part)) {
            let Some(id) = part.id.filter(|id| !t.ids.is_empty(*id)) else {
                continue;
            };
            match part.kind {
                PartKind::Call => index.calls.entry(id).or_default().push(part.event),
                PartKind::Result => index.results.entry(id).or_default().push(part.event),
                _ => {}
            }
        }
        for event in
            records.iter().copied().filter(|event| t.part_of(*event, PartKind::Call).is_some())
        {
            let record = t.event(event);
            index.records.extend(record.id.map(|id| (id, event)));
            if let Some(batch) = record.batch {
                index.batches.entry(batch).or_default().push(event);
            }
        }
        index
    }

    /// The record of the call of a result: by its link, else the nearest earlier call with its ID.
    pub(super) fn call_of(&self, t: &Transcript, result: EventId) -> Option<EventId> {
        let part = t.part(t.part_of(result, PartKind::Result)?);
        let linked = t.linked(result, LinkKind::Call).and_then(|id| self.records.get(&id));
        let same_id = |event: &&EventId| {
            t.part_of(**event, PartKind::Call).is_some_and(|call| t.part(call).id == part.id)
        };
        let calls = part.id.and_then(|id| self.calls.get(&id));
        let nearest =
            calls.and_then(|calls| calls[..calls.partition_point(|call| *call < result)].last());
        linked.filter(same_id).or(nearest).copied()
    }

    /// The calls of one response, in order.
    fn batch(&self, t: &Transcript, call: EventId) -> &[EventId] {
        t.event(call).batch.and_then(|batch| self.batches.get(&batch)).map_or(&[], Vec::as_slice)
    }

    /// The last call before this result in the same response.
    pub(super) fn end_of_batch(&self, t: &Transcript, result: EventId) -> Option<EventId> {
        let call = self.call_of(t, result).filter(|call| *call < result)?;
        let batch = self.batch(t, call);
        let before = &batch[..batch.partition_point(|other| *other < result)];
        Some(before.last().copied().unwrap_or(call).max(call))
    }

    fn results_with(&self, id: Option<Id>) -> &[EventId] {
        id.and_then(|id| self.results.get(&id)).map_or(&[], Vec::as_slice)
    }
}

pub(super) fn check(t: &Transcript, tree: &ConversationTree, pairs: &Pairs) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let stub = |part: PartId| {
        t.part(part).kind == PartKind::Result && t.part(part).origin == Origin::Placeholder
    };
    let mut suspicious = pairs
        .all()
        .filter(|(part, standing)| *standing == PairStatus::Orphan || stub(*part))
        .peekable();
    if suspicious.peek().is_none() {
        return diagnostics;
    }
    let index = CallIndex::of(t, &tree.records);
    for (part, standing) in suspicious {
        let event = t.part(part).event;
        if standing == PairStatus::Orphan {
            diagnostics.extend(call_is_off(t, tree, &index, event, part));
        } else {
            diagnostics.extend(batch_is_off(t, tree, &index, event));
            diagnostics.extend(output_is_off(t, tree, &index, event, part));
        }
    }
    diagnostics
}

/// HEAD was out of date when the result was appended, so the result is on another branch than its
/// call (#4487).
fn call_is_off(
    t: &Transcript,
    tree: &ConversationTree,
    index: &CallIndex,
    result: EventId,
    part: PartId,
) -> Option<Diagnostic> {
    let call = index.call_of(t, result).filter(|call| !tree.on_branch[*call])?;
    let to = place_after_call(t, tree, index, call, result);
    let mut diagnostic = Diagnostic::new(
        Code::StrandedRecord,
        "a tool result is on the active branch, but its call is not",
        result,
    );
    diagnostic.labels =
        vec![Label::new(call, LabelRole::Call), Label::new(result, role_of(t, result))];
    diagnostic.about = vec![Subject::Parent(result), Subject::Orphan(part)];
    diagnostic.covers = vec![Subject::Orphan(part)];
    diagnostic.effect = Effect::Refused;
    if to.is_some() {
        diagnostic.fix_safely([Action::set_parent(result, to)]);
    }
    Some(diagnostic)
}

/// The last call of the response whose chain of parents leads to this call. `None` if attaching the
/// result there would take a sent record off the branch.
fn place_after_call(
    t: &Transcript,
    tree: &ConversationTree,
    index: &CallIndex,
    call: EventId,
    result: EventId,
) -> Option<EventId> {
    let up = |from: EventId| chain::up(&tree.parent, from);
    let off = |event: &EventId| !tree.on_branch[*event];
    // A call that is stored after its result cannot be its parent: without a parent of its own, the
    // call would be a child of the result.
    let batch = index.batch(t, call).iter().rev().copied();
    let mut calls = batch.chain([call]).filter(|other| *other < result);
    let to = calls.find(|other| up(*other).take_while(off).any(|event| event == call))?;
    let join = up(to).find(|event| !off(event));
    let mut leaving = up(result).skip(1).take_while(|event| Some(*event) != join);
    leaving
        .all(|event| !t.event(event).role.is_sent() && t.event(event).state != State::Unreadable)
        .then_some(to)
}

/// Crash recovery attached its error to the first call of a batch, so the other calls are off the
/// branch (since #4488).
fn batch_is_off(
    t: &Transcript,
    tree: &ConversationTree,
    index: &CallIndex,
    stub: EventId,
) -> Option<Diagnostic> {
    let call = tree.parent[stub].filter(|parent| t.event(*parent).role == Role::Assistant)?;
    let mut lost = Vec::new();
    for other in index
        .batch(t, call)
        .iter()
        .copied()
        .filter(|other| *other > call && !tree.on_branch[*other])
    {
        let parent_of_other = tree.parent[other];
        if parent_of_other == Some(lost.last().copied().unwrap_or(call)) {
            lost.push(other);
        }
    }
    let last = lost.last().copied()?;
    let mut diagnostic = Diagnostic::new(
        Code::StrandedRecord,
        "crash recovery left the other tool calls of the turn off the branch",
        stub,
    );
    diagnostic.labels = vec![Label::new(call, LabelRole::Call)];
    diagnostic.label(lost.iter(), LabelRole::Call);
    diagnostic.label([stub], LabelRole::Placeholder);
    diagnostic.about = vec![Subject::Parent(stub)];
    diagnostic.instance = Some(Instance::OffPath);
    diagnostic.effect = Effect::Hides(lost.len() as u32);
    diagnostic.fix_safely([Action::set_parent(stub, Some(last))]);
    Some(diagnostic)
}

/// The placeholder of crash recovery is on the branch, but the real output next to it is not.
fn output_is_off(
    t: &Transcript,
    tree: &ConversationTree,
    index: &CallIndex,
    stub: EventId,
    part: PartId,
) -> Option<Diagnostic> {
    let parent = tree.parent[stub];
    let beside = |event: &EventId| {
        let hangs = tree.parent[*event];
        !tree.on_branch[*event] && (hangs == parent || hangs == Some(stub))
    };
    let is_real = |event: &EventId| {
        t.part_of(*event, PartKind::Result)
            .is_some_and(|other| t.part(other).origin > Origin::HostError)
    };
    let found = index
        .results_with(t.part(part).id)
        .iter()
        .copied()
        .find(|event| beside(event) && is_real(event))?;
    let mut diagnostic = Diagnostic::new(
        Code::StrandedRecord,
        "the placeholder is on the active branch, but the real result is not",
        stub,
    );
    diagnostic.labels =
        vec![Label::new(stub, LabelRole::Placeholder), Label::new(found, LabelRole::Result)];
    diagnostic.label(index.call_of(t, stub), LabelRole::Call);
    diagnostic.about = vec![Subject::Parent(found)];
    diagnostic.instance = Some(Instance::OffPath);
    diagnostic.effect = Effect::Hides(1);
    let mut actions = vec![Action::set_parent(found, parent)];
    let children = tree.records.iter().copied();
    let children = children.filter(|child| tree.parent[*child] == Some(stub) && *child != found);
    actions.extend(children.map(|event| Action::set_parent(event, Some(found))));
    actions.push(Action::Remove(stub));
    diagnostic.fix_safely(actions);
    Some(diagnostic)
}

fn role_of(t: &Transcript, result: EventId) -> LabelRole {
    let stub = t
        .part_of(result, PartKind::Result)
        .is_some_and(|part| t.part(part).origin == Origin::Placeholder);
    if stub { LabelRole::Placeholder } else { LabelRole::Result }
}
