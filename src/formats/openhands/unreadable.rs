//! Records that nobody can read: torn lines, empty or cut event files, missing indices.
//!
//! A hole whose record was the answer of a known call is filled with a marked error result that takes over its name and
//! id, so that everything that names it stays true.

use super::attrs;
use super::tree::Tree;
use crate::containers::files::NOWHERE;
use crate::transcript::pairs::{PairStatus, Pairs};
use crate::transcript::unreadable::Left;
use crate::transcript::{
    Action, Code, Diagnostic, EventId, Fix, Label, LabelRole, PartId, PartKind, State, Subject,
    Transcript, Value,
};

/// Whether a cut record at the very end proves that the host had moved on: it answers a call by its id.
pub(super) fn tail_counts(t: &Transcript, hole: EventId) -> bool {
    let Some(Value::Text(id)) = t.attr_of(hole, attrs::FRAGMENT_CALL) else {
        return false;
    };
    !speaks(t, hole)
        && t.parts
            .iter()
            .any(|part| part.kind == PartKind::Call && part.id == Some(id))
}

/// The fragment is the model's or the user's word, not an answer.
fn speaks(t: &Transcript, hole: EventId) -> bool {
    t.attr_of(hole, attrs::FRAGMENT_SPEAKS).is_some()
}

/// Finds what each hole is and what may be done about it.
pub(super) fn judge(
    t: &Transcript,
    tree: &Tree,
    sequence: &[EventId],
    pairs: &Pairs,
) -> Vec<Diagnostic> {
    let holes = tree
        .records
        .iter()
        .enumerate()
        .filter(|(_, event)| t.event(**event).state == State::Unreadable);
    holes
        .map(|(at, hole)| one(t, tree, sequence, pairs, *hole, at))
        .collect()
}

fn one(
    t: &Transcript,
    tree: &Tree,
    sequence: &[EventId],
    pairs: &Pairs,
    hole: EventId,
    at: usize,
) -> Diagnostic {
    // Wrong bytes may be put right: only a person gives up what is around them.
    let damaged = t.is_damaged(hole);
    let fix = |actions| {
        if damaged {
            Fix::with_guess(actions)
        } else {
            Fix::safe(actions)
        }
    };
    let tail = at + 1 == tree.records.len() && !damaged;
    let missing = t.event(hole).at.entry == NOWHERE;
    let left = match damaged {
        true => Left::Damaged,
        false if tail => Left::Tail,
        false => Left::Middle,
    };
    let mut diagnostic = super::OPENHANDS.traits.unreadable.diagnostic(hole, left);
    if missing {
        diagnostic.code = Code::RecordOrder;
        diagnostic.message = "an index is missing: the SDK stops reading here".to_owned();
    }
    diagnostic.covers = vec![Subject::Leaf];
    diagnostic
        .covers
        .extend(tree.records.get(at + 1).map(|next| Subject::Parent(*next)));
    let on_branch = tree.on_branch[hole];
    let open = if on_branch {
        open_calls(t, sequence, pairs, hole, tail)
    } else {
        Vec::new()
    };
    // A cut last record that HEAD names may have answered any of the open calls: all of them get the same answer.
    let answered = if tail {
        open.first()
    } else {
        open.first().filter(|_| open.len() == 1)
    };
    let usable = tree.id(t, hole).is_some() || tree.legacy;
    // With the tail the proof goes that the host had moved on: the calls in front of it are answered in the same step.
    let rest = |answered: Option<PartId>| {
        let others = open
            .iter()
            .copied()
            .filter(move |call| tail && Some(*call) != answered);
        others.map(|call| Action::AnswerCall {
            call,
            in_place_of: None,
        })
    };
    match answered.copied().filter(|_| usable && !speaks(t, hole)) {
        Some(call) => {
            let covered = if tail { open.as_slice() } else { &[call] };
            for call in covered {
                diagnostic
                    .labels
                    .insert(0, Label::new(t.a_part(*call).event, LabelRole::Call));
                diagnostic.covers.push(Subject::Open(*call));
            }
            let filled = Action::AnswerCall {
                call,
                in_place_of: Some(hole),
            };
            diagnostic.fixes = vec![fix(std::iter::once(filled)
                .chain(rest(Some(call)))
                .collect())];
        }
        None if tail => {
            diagnostic
                .covers
                .extend(open.iter().map(|call| Subject::Open(*call)));
            let park = std::iter::once(Action::Remove(hole));
            diagnostic.fixes = vec![Fix::safe(rest(None).chain(park).collect())];
        }
        None => {
            // What was in it is unknown: it may explain any call without answer before it, any answer without call.
            diagnostic
                .covers
                .extend(open.iter().map(|call| Subject::Open(*call)));
            let orphans = pairs
                .all()
                .filter(|(_, standing)| *standing == PairStatus::Orphan);
            diagnostic
                .covers
                .extend(orphans.map(|(part, _)| Subject::Orphan(part)));
            diagnostic.fixes = vec![Fix::with_guess(vec![Action::Bypass(hole)])];
        }
    }
    diagnostic
}

/// The open call that the fragment names, else the open calls of the batch directly in front of the hole.
fn open_calls(
    t: &Transcript,
    sequence: &[EventId],
    pairs: &Pairs,
    hole: EventId,
    tail: bool,
) -> Vec<PartId> {
    let at = sequence
        .iter()
        .position(|event| *event == hole)
        .unwrap_or(sequence.len());
    let is_open = |call: &PartId| pairs.status(*call) == PairStatus::Open;
    let calls_of = |event: &EventId| {
        t.event(*event)
            .parts
            .clone()
            .filter(|part| t.a_part(*part).kind == PartKind::Call)
    };
    if let Some(Value::Text(id)) = t.attr_of(hole, attrs::FRAGMENT_CALL) {
        let before = sequence[..at].iter().rev();
        let named = before
            .flat_map(calls_of)
            .find(|call| t.a_part(*call).id == Some(id));
        return named.filter(is_open).into_iter().collect();
    }
    // In front of the tail it is enough to know that the batch is open; in the middle a second hole may hide anything.
    let is_answer = |event: &&EventId| {
        t.part_of(**event, PartKind::Result).is_some()
            || (tail && t.event(**event).state == State::Unreadable)
    };
    let front = sequence[..at].iter().rev().find(|event| !is_answer(event));
    let batch = front.and_then(|event| calls_of(event).find_map(|call| pairs.batch_of(call)));
    batch
        .map(|batch| batch.calls.iter().copied().filter(is_open).collect())
        .unwrap_or_default()
}

/// HEAD names an event that is gone, and the last batch is open: the event stood behind it, so the host had moved on. The
/// calls are answered, and HEAD is set to the last answer.
pub(super) fn answer_lost_leaf(diagnostics: &mut [Diagnostic], pairs: &Pairs) {
    let Some(diagnostic) = diagnostics
        .iter_mut()
        .find(|diagnostic| diagnostic.code == Code::LeafPointer)
    else {
        return;
    };
    let pending = pairs.batches.last().filter(|batch| batch.pending);
    let calls = pending
        .map(|batch| batch.calls.as_slice())
        .unwrap_or_default();
    let open: Vec<PartId> = calls
        .iter()
        .copied()
        .filter(|c| pairs.status(*c) == PairStatus::Open)
        .collect();
    if open.is_empty() {
        return;
    }
    diagnostic
        .covers
        .extend(open.iter().map(|call| Subject::Open(*call)));
    let answers: Vec<Action> = open
        .iter()
        .map(|call| Action::AnswerCall {
            call: *call,
            in_place_of: None,
        })
        .collect();
    for fix in &mut diagnostic.fixes {
        fix.actions.clone_from(&answers);
    }
}
