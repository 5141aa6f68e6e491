//! Finds records in the wrong place, if the chain of parents shows where they belong.

use hashbrown::HashMap;

use super::tree::ConversationTree;
use crate::containers::files::NOWHERE;
use crate::transcript::{
    Action, Code, Diagnostic, Effect, EventId, Id, LinkKind, State, Subject, Transcript,
};

/// Fills missing indices whose record has another number, as if the files were named correctly.
/// `others` are records that are not in the tree, by ID. Returns those that are now.
pub(super) fn fill_gaps(
    tree: &mut ConversationTree,
    t: &Transcript,
    others: &HashMap<Id, EventId>,
) -> Vec<EventId> {
    let mut moved = Vec::new();
    let mut at = 0;
    while at < tree.records.len() {
        match belongs_here(tree, t, others, at) {
            Some(record) => {
                let gap = tree.records[at];
                if let Some(old) = tree.records.iter().position(|other| *other == record) {
                    tree.records[at] = record;
                    tree.records.remove(old);
                    at -= usize::from(old < at);
                } else {
                    tree.records[at] = record;
                    tree.by_id.extend(t.event(record).id.map(|id| (id, record)));
                }
                tree.diagnostics.push(misnumbered(record, gap));
                moved.push(record);
            }
            None => at += 1,
        }
    }
    // Nothing is missing after the last record.
    while !moved.is_empty() && tree.records.last().is_some_and(|last| is_gap(t, *last)) {
        tree.records.pop();
    }
    moved
}

/// Whether an unreadable record is an index without a file.
pub(super) fn is_gap(t: &Transcript, event: EventId) -> bool {
    t.event(event).state == State::Unreadable && t.event(event).at().entry == NOWHERE
}

/// The record that the one after a gap names as its parent, and whose parent is the one before the
/// gap.
fn belongs_here(
    tree: &ConversationTree,
    t: &Transcript,
    others: &HashMap<Id, EventId>,
    at: usize,
) -> Option<EventId> {
    let gap = *tree.records.get(at).filter(|event| is_gap(t, **event))?;
    if tree.legacy {
        return by_time(tree, t, others, at);
    }
    let parent_id = |event: EventId| t.linked(event, LinkKind::Parent);
    let wanted = parent_id(*tree.records.get(at + 1)?)?;
    let record = tree.by_id.get(&wanted).or_else(|| others.get(&wanted)).copied()?;
    let before = at.checked_sub(1).map(|before| tree.records[before]);
    let fits = parent_id(record) == before.and_then(|before| t.event(before).id);
    (fits && record != gap && Some(record) != before).then_some(record)
}

/// In a log without parents, the only other record of a duplicated index whose time is between
/// those around the gap.
fn by_time(
    tree: &ConversationTree,
    t: &Transcript,
    others: &HashMap<Id, EventId>,
    at: usize,
) -> Option<EventId> {
    let time = |at: usize| tree.records.get(at).and_then(|event| t.event(*event).time());
    let (before, after) = (at.checked_sub(1).map_or(Some(i64::MIN), time)?, time(at + 1)?);
    let mut fitting = others
        .values()
        .filter(|event| t.event(**event).time().is_some_and(|own| before < own && own < after));
    let first = fitting.next().copied();
    first.filter(|_| fitting.next().is_none())
}

fn misnumbered(record: EventId, gap: EventId) -> Diagnostic {
    let mut diagnostic = Diagnostic::about(
        Code::RecordOrder,
        "a file has the wrong index, and the index it should have is missing",
        Subject::Name,
        record,
    );
    diagnostic.covers = vec![Subject::Bytes(gap)];
    diagnostic.effect = Effect::LoadFails;
    diagnostic.fix_safely([Action::Renumber(record)]);
    diagnostic
}

/// Moves a first record after its parent. No program writes it first, and the true first record
/// after it would make the chain of parents a cycle.
pub(super) fn move_first_after_parent(tree: &mut ConversationTree, t: &Transcript) {
    while let Some(first) = tree.records.first().copied().filter(|_| !tree.legacy) {
        let parent =
            t.link_of(first, LinkKind::Parent).and_then(|link| tree.by_id.get(&link.to?)).copied();
        let Some(at) =
            parent.and_then(|parent| tree.records.iter().position(|record| *record == parent))
        else {
            return;
        };
        let next_is_root = tree
            .records
            .get(1)
            .is_some_and(|next| t.links_of(*next).iter().all(|l| l.kind != LinkKind::Parent));
        if at == 0 || !next_is_root || t.event(first).state == State::Unreadable {
            return;
        }
        tree.records.remove(0);
        tree.records.insert(at, first);
        let mut diagnostic = Diagnostic::about(
            Code::RecordOrder,
            "the first event names a later event as its parent",
            Subject::Name,
            first,
        );
        diagnostic.effect = Effect::LoadFails;
        diagnostic.fix_safely([Action::Renumber(first)]);
        tree.diagnostics.push(diagnostic);
    }
}

/// Reports a record after its own children, which no program appends. At the end of a list without
/// a pointer to the newest record, it would be taken as the newest, and hide everything else.
/// `wrong` is the one of the two that is out of place.
pub(super) fn after_own_children(wrong: EventId, last: EventId) -> Diagnostic {
    let mut diagnostic = Diagnostic::new(
        Code::RecordOrder,
        "the last event comes after its own children and hides them",
        last,
    );
    diagnostic.about = vec![Subject::Name(wrong)];
    diagnostic.effect = Effect::Hides(1);
    diagnostic.fix_safely([Action::Renumber(wrong)]);
    diagnostic
}
