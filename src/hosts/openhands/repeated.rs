//! Finds duplicates: the same line again, two files with one index, two records with one ID.

use std::collections::BTreeMap;

use hashbrown::{HashMap, HashSet};

use super::tree::ConversationTree;
use crate::format::FormatContext;
use crate::shapes::copies;
use crate::transcript::unreadable::RecordRemains;
use crate::transcript::{
    Action, Code, Diagnostic, Effect, EventId, Id, Instance, LabelRole, LinkKind, PartKind, Place,
    Role, State, Subject, Transcript,
};

/// Fills the records and IDs of the tree, and reports duplicates.
pub(super) fn sort_out(tree: &mut ConversationTree, context: &FormatContext<'_>) {
    let t = context.transcript;
    let losers = shared_indices(t);
    for event in t
        .records()
        .filter(|event| t.event(*event).state != State::Padding && !losers.contains_key(event))
    {
        let id = t.event(event).id;
        match id.and_then(|id| tree.by_id.get(&id)).copied() {
            // A fragment of a record that also exists completely is not a separate record.
            Some(_) if t.event(event).state == State::Unreadable => {
                tree.diagnostics.push(fragment(t, event))
            }
            Some(first) if t.event(first).state == State::Unreadable => {
                tree.records.retain(|record| *record != first);
                tree.diagnostics.push(fragment(t, first));
                tree.by_id.extend(id.map(|id| (id, event)));
                tree.records.push(event);
            }
            Some(first) => tree.diagnostics.push(repeated(context, first, event)),
            None => {
                tree.by_id.extend(id.map(|id| (id, event)));
                tree.records.push(event);
            }
        }
    }
    super::order::move_first_after_parent(tree, t);
    let others = losers.keys().filter_map(|event| Some((t.event(*event).id?, *event))).collect();
    let moved = super::order::fill_gaps(tree, t, &others);
    for (event, winner) in losers.into_iter().filter(|(event, _)| !moved.contains(event)) {
        if moved.contains(&winner) {
            // The other file belongs elsewhere, so the index is free.
            let place = t.event(event).place();
            let at = tree
                .records
                .iter()
                .position(|record| !moved.contains(record) && t.event(*record).place() > place)
                .unwrap_or(tree.records.len());
            tree.records.insert(at, event);
            tree.by_id.extend(t.event(event).id.map(|id| (id, event)));
        } else {
            let diagnostic = shared_index(t, winner, event);
            let stays = diagnostic
                .fixes
                .iter()
                .flat_map(|t| &t.actions)
                .any(|r| matches!(r, Action::Renumber(_)));
            let parent = t
                .link_of(event, LinkKind::Parent)
                .and_then(|link| tree.by_id.get(&link.to?))
                .copied();
            // A different record belongs after its parent, and is judged there.
            if let Some(at) = tree.records.iter().position(|r| Some(*r) == parent).filter(|_| stays)
            {
                tree.records.insert(at + 1, event);
                tree.by_id.extend(t.event(event).id.map(|id| (id, event)));
            }
            tree.diagnostics.push(diagnostic);
        }
    }
    explain_orphans(tree, t);
}

/// A hidden call explains the results that it leaves without a call.
fn explain_orphans(tree: &mut ConversationTree, t: &Transcript) {
    let diagnostics =
        tree.diagnostics.iter_mut().filter(|diagnostic| diagnostic.code == Code::DuplicateRecordId);
    let mut hidden: HashMap<Id, &mut Diagnostic> = diagnostics
        .filter_map(|diagnostic| {
            Some((
                t.part_of(diagnostic.labels.last()?.event, PartKind::Call)
                    .and_then(|call| t.part(call).id)?,
                diagnostic,
            ))
        })
        .collect();
    if hidden.is_empty() {
        return;
    }
    for (part, known) in t.parts.enumerated().filter(|(_, part)| part.kind == PartKind::Result) {
        if let Some(diagnostic) = known.id.and_then(|id| hidden.get_mut(&id)) {
            diagnostic.covers.push(Subject::Orphan(part));
        }
    }
}

/// A fragment of a record that also exists completely.
fn fragment(t: &Transcript, event: EventId) -> Diagnostic {
    let left = if t.records().next_back() == Some(event) {
        RecordRemains::Tail
    } else {
        RecordRemains::Middle
    };
    let mut diagnostic = super::OPENHANDS.traits.unreadable.diagnostic(t.noun(), event, left);
    diagnostic.message = "fragment of an event that is complete elsewhere".into();
    diagnostic.fix_safely([Action::Remove(event)]);
    diagnostic
}

fn repeated(context: &FormatContext<'_>, before: EventId, event: EventId) -> Diagnostic {
    let twin = copies::twin(context, before, event);
    let mut diagnostic = if twin.is_copy {
        twin.repeated("same event recorded twice")
    } else {
        twin.shares_id("two different events have the same ID; the SDK keeps the first")
    };
    diagnostic.effect = Effect::Hides(1);
    if !twin.is_copy {
        diagnostic.fix_with_guess([Action::Remove(event)]);
    } else if context.transcript.event(event).role.is_sent() {
        (diagnostic.instance, diagnostic.effect) = (Some(Instance::Rejected), Effect::Refused);
    }
    diagnostic
}

/// Of files that share an index, the one on the chain of parents keeps it, else the oldest. Returns
/// the others, each with the one that keeps it.
fn shared_indices(t: &Transcript) -> BTreeMap<EventId, EventId> {
    let mut losers = BTreeMap::new();
    let named = parents_named(t);
    let files: Vec<EventId> =
        t.records().filter(|event| matches!(t.event(*event).place(), Place::File(_))).collect();
    for group in files
        .chunk_by(|a, b| t.event(*a).place() == t.event(*b).place())
        .filter(|group| group.len() > 1)
    {
        let Some(winner) = group.iter().copied().min_by_key(|event| {
            let on_chain = t.event(*event).id.is_some_and(|id| named.contains(&id));
            (!on_chain, t.event(*event).time().unwrap_or(i64::MAX), *event)
        }) else {
            continue;
        };
        for event in group.iter().copied().filter(|event| *event != winner) {
            losers.insert(event, winner);
        }
    }
    losers
}

fn parents_named(t: &Transcript) -> HashSet<Id> {
    let links =
        t.links.iter().filter(|link| matches!(link.kind, LinkKind::Parent | LinkKind::Leaf));
    links.filter_map(|link| link.to).collect()
}

fn shared_index(t: &Transcript, winner: EventId, event: EventId) -> Diagnostic {
    let mut diagnostic = Diagnostic::new(
        Code::RecordOrder,
        "two files have the same index; the SDK ignores one of them",
        winner,
    );
    diagnostic.label([event], LabelRole::Copy);
    diagnostic.about = vec![Subject::Name(event)];
    diagnostic.covers = t.event(event).parts.clone().map(Subject::Surplus).collect();
    // Which of the two it reads, the file system decides. Without a parent that others name, it loads nothing.
    let is_parent = t.event(winner).id.is_some_and(|id| parents_named(t).contains(&id));
    diagnostic.effect = if is_parent { Effect::LoadFails } else { Effect::Hides(1) };
    let is_copy = t.event(event).id.is_some() && t.event(event).id == t.event(winner).id;
    let answers = t.event(event).role == Role::Tool && is_answered_elsewhere(t, event);
    let action = if is_copy || answers { Action::Remove(event) } else { Action::Renumber(event) };
    diagnostic.fix_safely([action]);
    diagnostic
}

/// Whether another record has a result with the same ID.
fn is_answered_elsewhere(t: &Transcript, event: EventId) -> bool {
    let Some(part) = t.part_of(event, PartKind::Result) else {
        return false;
    };
    let id = t.part(part).id;
    id.is_some()
        && t.parts.iter().any(|p| p.kind == PartKind::Result && p.event != event && p.id == id)
}
