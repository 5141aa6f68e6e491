//! Turns, and what is repeated or separated in them.

use hashbrown::{HashMap, HashSet};

use crate::requests::refused;
use crate::transcript::pairs::{PairStatus, Pairs};
use crate::transcript::{
    Action, Code, Diagnostic, EventId, Id, IndexVec, Label, LabelRole, Origin, PartId, PartKind,
    Subject, Transcript,
};

use super::read::counts_as_pair;

/// The turns of a conversation: runs of messages of one role.
pub(super) struct Turns {
    /// The messages of each turn, in order.
    pub list: Vec<Vec<EventId>>,
}

impl Turns {
    /// The turns of these messages.
    pub(super) fn of(t: &Transcript, talk: &[EventId]) -> Turns {
        let runs = talk.chunk_by(|a, b| t.event(*a).role == t.event(*b).role);
        Turns { list: runs.map(<[EventId]>::to_vec).collect() }
    }

    /// The calls or the results of a turn that count for the API.
    fn parts<'a>(
        &'a self,
        t: &'a Transcript,
        turn: usize,
        kind: PartKind,
    ) -> impl Iterator<Item = PartId> + 'a {
        let events = self.list.get(turn).into_iter().flatten();
        let parts = events.flat_map(|event| t.event(*event).parts.clone());
        parts.filter(move |part| t.part(*part).kind == kind && counts_as_pair(t, *part))
    }
}

/// Calls that are repeated in one turn, and late results of calls that already have a result at the right place.
pub(super) struct RepeatedCalls {
    /// The first call and its copy.
    calls: Vec<(PartId, PartId)>,
    /// Late results, with the result at the right place.
    results: Vec<(PartId, PartId)>,
    hidden: HashSet<PartId>,
}

impl RepeatedCalls {
    /// Finds them in these turns.
    pub(super) fn of(t: &Transcript, turns: &Turns) -> RepeatedCalls {
        let mut found =
            RepeatedCalls { calls: Vec::new(), results: Vec::new(), hidden: HashSet::new() };
        let id_of = |part: &PartId| t.part(*part).id.filter(|id| !t.ids.is_empty(*id));
        for turn in 0..turns.list.len() {
            let mut first: HashMap<(Id, u64), PartId> = HashMap::new();
            for call in turns.parts(t, turn, PartKind::Call) {
                let Some(id) = id_of(&call) else { continue };
                let known = *first.entry((id, t.part(call).digest)).or_insert(call);
                if known != call {
                    found.calls.push((known, call));
                    found.hidden.insert(call);
                }
            }
        }
        found.results = find_late(t, turns, &id_of);
        found.hidden.extend(found.results.iter().map(|(late, _)| *late));
        found
    }

    /// Whether a part is removed for that reason, so it is not paired.
    pub(super) fn is_hidden(&self, part: PartId) -> bool {
        self.hidden.contains(&part)
    }

    pub(super) fn diagnostics(self, t: &Transcript) -> Vec<Diagnostic> {
        let calls = self.calls.into_iter().map(|(first, copy)| {
            let mut diagnostic = refused(
                Code::RepeatedCall,
                "same tool call recorded twice in one response",
                t.part(copy).event,
            );
            diagnostic.labels =
                vec![Label::of(t, first, LabelRole::Call), Label::of(t, copy, LabelRole::Copy)];
            diagnostic.about = vec![Subject::Identity(copy)];
            diagnostic.fix_safely([Action::RemovePart(copy)]);
            diagnostic
        });
        let results = self.results.into_iter().map(|(late, own)| {
            let message = "extra result of a tool call that already has one";
            let mut diagnostic = refused(Code::OrphanResult, message, t.part(late).event);
            diagnostic.label([t.part(own).event], LabelRole::Result);
            diagnostic.about = vec![Subject::Orphan(late)];
            diagnostic.fix_safely([Action::RemovePart(late)]);
            diagnostic
        });
        calls.chain(results).collect()
    }
}

/// Results that are not in the turn after a call with their ID, if every such call has a real result at the right place.
fn find_late(
    t: &Transcript,
    turns: &Turns,
    id_of: &dyn Fn(&PartId) -> Option<Id>,
) -> Vec<(PartId, PartId)> {
    // For each ID: in how many turns it is called, how many of these have a result in place, and one such result.
    let mut calls: HashMap<Id, (usize, usize, Option<PartId>)> = HashMap::new();
    let mut away = Vec::new();
    for turn in 0..turns.list.len() {
        let ids: HashSet<Id> =
            turns.parts(t, turn, PartKind::Call).filter_map(|call| id_of(&call)).collect();
        let mut here: HashMap<Id, PartId> = HashMap::new();
        for result in turns.parts(t, turn + 1, PartKind::Result) {
            let Some(id) = id_of(&result).filter(|id| ids.contains(id)) else {
                continue;
            };
            if t.part(result).origin > Origin::HostError {
                here.entry(id).or_insert(result);
            }
        }
        for id in &ids {
            let known = calls.entry(*id).or_default();
            known.0 += 1;
            known.1 += usize::from(here.contains_key(id));
            known.2 = known.2.or(here.get(id).copied());
        }
        let before: HashSet<Id> = match turn.checked_sub(1) {
            Some(before) => {
                turns.parts(t, before, PartKind::Call).filter_map(|call| id_of(&call)).collect()
            }
            None => HashSet::new(),
        };
        let results = turns
            .parts(t, turn, PartKind::Result)
            .filter_map(|result| Some((result, id_of(&result)?)));
        away.extend(results.filter(|(_, id)| !before.contains(id)));
    }
    away.into_iter()
        .filter_map(|(result, id)| {
            let (turns, answered, own) = calls.get(&id)?;
            (turns == answered).then_some((result, (*own)?))
        })
        .collect()
}

/// Marks the last batch as pending if only results follow its turn.
pub(super) fn mark_pending(t: &Transcript, talk: &[EventId], pairs: &mut Pairs) {
    let last = talk.iter().rfind(|event| !has_only_results(t, **event)).copied();
    let Some(batch) = pairs.batches.last_mut() else {
        return;
    };
    let end = batch.last_event.or_else(|| batch.calls.last().map(|call| t.part(*call).event));
    batch.pending = last.is_some() && end >= last;
}

fn has_only_results(t: &Transcript, event: EventId) -> bool {
    let mut parts = t.event(event).parts.clone().peekable();
    parts.peek().is_some() && parts.all(|part| t.part(part).kind == PartKind::Result)
}

/// Reports batches with some results at the right place and the others after a further response.
pub(super) fn split_results(t: &Transcript, turns: &Turns, pairs: &Pairs) -> Vec<Diagnostic> {
    let mut turn_of = IndexVec::for_each_of(&t.events, usize::MAX);
    for (number, turn) in turns.list.iter().enumerate() {
        turn.iter().for_each(|event| turn_of[*event] = number);
    }
    let turn = |part: PartId| turn_of[t.part(part).event];
    let event = |part: PartId| t.part(part).event;
    let mut found = Vec::new();
    for batch in &pairs.batches {
        let mut answered = Vec::new();
        for call in &batch.calls {
            if let PairStatus::Answered(result) = pairs.status(*call) {
                answered.push((*call, result));
            }
        }
        let mut away = Vec::new();
        for (call, result) in &answered {
            if turn(*call).checked_add(1) != Some(turn(*result)) {
                away.push(*result);
            }
        }
        // A result before its call, or all of them elsewhere, is reported as such.
        let early = answered.iter().any(|(call, result)| result < call);
        if early || away.is_empty() || away.len() == answered.len() {
            continue;
        }
        let message = "results of one turn are not together";
        let mut diagnostic = refused(Code::SplitBatch, message, event(away[0]));
        diagnostic.labels =
            Label::all(batch.calls.iter().map(|call| event(*call)), LabelRole::Call);
        diagnostic.label(answered.iter().map(|(_, result)| event(*result)), LabelRole::Result);
        diagnostic.labels.sort_by_key(|label| label.event);
        diagnostic.labels.dedup();
        let both = answered.iter().flat_map(|(call, result)| [*call, *result]);
        diagnostic.covers = both.chain(batch.calls.iter().copied()).map(Subject::Place).collect();
        diagnostic.about = away.iter().map(|result| Subject::Content(event(*result))).collect();
        let results = answered.iter().map(|(_, result)| *result);
        let wanted = batch.calls.iter().copied().chain(results).collect();
        diagnostic.fix_safely([Action::MoveTogether(wanted)]);
        found.push(diagnostic);
    }
    found
}
