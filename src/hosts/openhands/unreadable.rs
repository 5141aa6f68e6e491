//! Reports unreadable records: truncated lines, empty or truncated event files, missing indices.
//!
//! If an unreadable record was the result of a known call, a placeholder result replaces it and
//! takes its name and ID, so that references to it stay valid.

use super::own;
use super::tree::ConversationTree;
use crate::containers::files::NOWHERE;
use crate::transcript::pairs::{PairStatus, Pairs};
use crate::transcript::unreadable::RecordRemains;
use crate::transcript::{
    Action, Code, Diagnostic, EventId, Label, LabelRole, PartId, PartKind, State, Subject,
    Transcript,
};

/// Whether a truncated last record proves that the host had continued: it is the result of a call,
/// by its ID.
pub(super) fn tail_counts(t: &Transcript, event: EventId) -> bool {
    let Some(id) = t.fact_id(event, own::FRAGMENT_CALL) else {
        return false;
    };
    !speaks(t, event)
        && t.parts.iter().any(|part| part.kind == PartKind::Call && part.id == Some(id))
}

/// Whether the fragment is a message or call rather than a result.
fn speaks(t: &Transcript, event: EventId) -> bool {
    t.has(event, own::FRAGMENT_SPEAKS)
}

/// Reports each unreadable record, with the possible fixes.
pub(super) fn check(
    t: &Transcript,
    tree: &ConversationTree,
    sequence: &[EventId],
    pairs: &Pairs,
) -> Vec<Diagnostic> {
    let events = tree
        .records
        .iter()
        .enumerate()
        .filter(|(_, event)| t.event(**event).state == State::Unreadable);
    events.map(|(at, event)| check_event(t, tree, sequence, pairs, *event, at)).collect()
}

fn check_event(
    t: &Transcript,
    tree: &ConversationTree,
    sequence: &[EventId],
    pairs: &Pairs,
    event: EventId,
    at: usize,
) -> Diagnostic {
    // Wrong bytes may be correctable, so only the user can decide to give up the bytes around them.
    let damaged = t.is_damaged(event);
    let tail = at + 1 == tree.records.len() && !damaged;
    let missing = t.event(event).at().entry == NOWHERE;
    let left = if damaged {
        RecordRemains::Damaged
    } else if tail {
        RecordRemains::Tail
    } else {
        RecordRemains::Middle
    };
    let mut diagnostic = super::OPENHANDS.traits.unreadable.diagnostic(t.noun(), event, left);
    if missing {
        diagnostic.code = Code::RecordOrder;
        diagnostic.message = "an index is missing: the SDK stops reading here".into();
    }
    diagnostic.covers = vec![Subject::Leaf];
    diagnostic.covers.extend(tree.records.get(at + 1).map(|next| Subject::Parent(*next)));
    let on_branch = tree.on_branch[event];
    let open = if on_branch { open_calls(t, sequence, pairs, event, tail) } else { Vec::new() };
    // A truncated last record that HEAD names may be the result of any open call, so all of them
    // get the same placeholder.
    let answered = if tail { open.first() } else { open.first().filter(|_| open.len() == 1) };
    let usable = tree.id(t, event).is_some() || tree.legacy;
    // Removing the last record removes the proof that the host had continued, so the calls before
    // it are answered in the same step.
    let rest = |answered: Option<PartId>| {
        let others = open.iter().copied().filter(move |call| tail && Some(*call) != answered);
        others.map(Action::answer_call)
    };
    match answered.copied().filter(|_| usable && !speaks(t, event)) {
        Some(call) => {
            let covered = if tail { open.as_slice() } else { &[call] };
            for call in covered {
                diagnostic.labels.insert(0, Label::of(t, *call, LabelRole::Call));
                diagnostic.covers.push(Subject::Open(*call));
            }
            let filled = Action::AnswerCall { call, in_place_of: Some(event) };
            diagnostic.fix_safely_if(!damaged, std::iter::once(filled).chain(rest(Some(call))));
        }
        None if tail => {
            diagnostic.covers.extend(open.iter().copied().map(Subject::Open));
            let park = std::iter::once(Action::Remove(event));
            diagnostic.fix_safely(rest(None).chain(park));
        }
        None => {
            // Its content is unknown: it may explain any earlier call without a result, and any
            // result without a call.
            let open = open.into_iter().map(Subject::Open);
            let orphans = pairs.orphans().map(Subject::Orphan);
            diagnostic.covers.extend(open.chain(orphans));
            diagnostic.fix_with_guess([Action::Bypass(event)]);
        }
    }
    diagnostic
}

/// The open call that the fragment names, else the open calls of the batch directly before it.
fn open_calls(
    t: &Transcript,
    sequence: &[EventId],
    pairs: &Pairs,
    event: EventId,
    tail: bool,
) -> Vec<PartId> {
    let at = sequence.iter().position(|other| *other == event).unwrap_or(sequence.len());
    let calls_of = |event: &EventId| t.parts_of(*event, PartKind::Call);
    if let Some(id) = t.fact_id(event, own::FRAGMENT_CALL) {
        let before = sequence[..at].iter().rev();
        let named = before.flat_map(calls_of).find(|call| t.part(*call).id == Some(id));
        return named.filter(|call| pairs.status(*call) == PairStatus::Open).into_iter().collect();
    }
    // Before a truncated last record, it is enough that the batch is open; in the middle, a second
    // unreadable record may hide anything.
    let is_answer = |event: &&EventId| {
        t.part_of(**event, PartKind::Result).is_some()
            || (tail && t.event(**event).state == State::Unreadable)
    };
    let front = sequence[..at].iter().rev().find(|event| !is_answer(event));
    let batch = front.and_then(|event| calls_of(event).find_map(|call| pairs.batch_of(call)));
    batch.into_iter().flat_map(|batch| batch.open(pairs)).collect()
}

/// HEAD names a missing event, and the last batch is open: the event came after it, so the host had
/// continued. The calls are answered, and HEAD is set to the last result.
pub(super) fn answer_lost_leaf(diagnostics: &mut [Diagnostic], pairs: &Pairs) {
    let Some(diagnostic) =
        diagnostics.iter_mut().find(|diagnostic| diagnostic.code == Code::LeafPointer)
    else {
        return;
    };
    let pending = pairs.batches.last().filter(|batch| batch.pending);
    let open: Vec<PartId> = pending.into_iter().flat_map(|batch| batch.open(pairs)).collect();
    if open.is_empty() {
        return;
    }
    diagnostic.covers.extend(open.iter().copied().map(Subject::Open));
    let answers: Vec<Action> = open.into_iter().map(Action::answer_call).collect();
    for fix in &mut diagnostic.fixes {
        fix.actions.clone_from(&answers);
    }
}
