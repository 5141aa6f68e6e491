//! Collects what is found: batches, pairs, and which result of a call is the best.

use super::{Batch, PairStatus, Pairs, PartTable};
use crate::transcript::conversation::Transcript;
use crate::transcript::event::{Origin, PartKind};
use crate::transcript::index::{EventId, IndexVec, PartId};

pub(super) struct PairBuilder<'a> {
    t: &'a Transcript,
    pub pairs: Pairs,
    /// For each call with a result, the origin of the best one.
    best_origin: IndexVec<PartId, Option<Origin>>,
    /// Calls and their results, in the order found.
    pub results: Vec<(PartId, PartId)>,
    /// The next event continues the message with the last batch.
    pub same_turn: bool,
    /// The event before the current one.
    before: Option<EventId>,
}

impl<'a> PairBuilder<'a> {
    pub(super) fn new(t: &'a Transcript) -> PairBuilder<'a> {
        PairBuilder {
            t,
            pairs: Pairs::new(t),
            best_origin: IndexVec::for_each_of(&t.parts, None),
            results: Vec::new(),
            same_turn: false,
            before: None,
        }
    }

    /// Goes on to the next event. `joined`: whether it is one message with the event before it.
    pub(super) fn step(&mut self, event: EventId, joined: &dyn Fn(EventId, EventId) -> bool) {
        let before = self.before.replace(event);
        self.same_turn &= before.is_some_and(|before| joined(before, event));
        if self.same_turn
            && let Some(batch) = self.pairs.batches.last_mut()
        {
            batch.last_event = Some(event);
        }
    }

    /// Adds the calls of a response as a batch.
    pub(super) fn add_batch(&mut self, calls: &[PartId]) {
        self.pairs.batches.push(Batch::default());
        self.add_calls(calls);
    }

    /// Makes room for the pairs of this many calls.
    pub(super) fn reserve(&mut self, calls: usize) {
        self.pairs.batches.reserve(calls);
        self.results.reserve(calls);
    }

    /// Adds further calls to the last batch.
    pub(super) fn add_calls(&mut self, calls: &[PartId]) {
        let number = self.pairs.batches.len() as u32;
        if let Some(batch) = self.pairs.batches.last_mut() {
            calls.iter().for_each(|call| batch.calls.push(*call));
        }
        let lists = self.pairs.lists_mut();
        for call in calls {
            lists.status[*call] = PairStatus::Open;
            lists.batch_of[*call] = number;
        }
    }

    pub(super) fn pair(&mut self, call: PartId, result: PartId) {
        let origin = self.t.part(result).origin;
        let best = &mut self.best_origin[call];
        *best = Some(origin).max(*best);
        self.results.push((call, result));
    }

    pub(super) fn has_result(&self, call: PartId) -> bool {
        self.best_origin[call].is_some()
    }

    /// Whether a call has no result, or only placeholders.
    pub(super) fn needs_result(&self, call: PartId) -> bool {
        self.best_origin[call].is_none_or(|origin| origin == Origin::Placeholder)
    }

    pub(super) fn finish(mut self) -> Pairs {
        self.pairs.rank(self.t, self.results);
        self.pairs
    }
}

impl Pairs {
    /// Chooses the best result of each call as its answer.
    fn rank(&mut self, t: &Transcript, mut results: Vec<(PartId, PartId)>) {
        results.sort_unstable();
        let lists = self.lists_mut();
        for group in results.chunk_by(|a, b| a.0 == b.0) {
            // `max_by_key` returns the last of equal elements, but the first result must win.
            let best = group.iter().rev().max_by_key(|(_, result)| t.part(*result).origin);
            let Some((call, best)) = best.copied() else {
                continue;
            };
            let failed = lists.status[call] == PairStatus::Failed;
            for (_, result) in group {
                let status = if failed {
                    PairStatus::OfFailed(call)
                } else if best == *result {
                    PairStatus::Answers(call)
                } else {
                    PairStatus::Surplus(call)
                };
                lists.status[*result] = status;
            }
            if !failed {
                lists.status[call] = PairStatus::Answered(best);
            }
        }
        lists.results = PartTable::new(results);
    }

    /// Marks the last batch as pending if only results follow it.
    pub(super) fn mark_pending(&mut self, t: &Transcript, sequence: &[EventId]) {
        let only_results = |event: &&EventId| {
            let parts = t.event(**event).parts.clone();
            let mut answers = parts.map(|part| t.part(part).kind == PartKind::Result).peekable();
            answers.peek().is_some() && answers.all(|answer| answer)
        };
        let last = sequence.iter().rev().find(|event| !only_results(event));
        let number = last
            .and_then(|event| {
                t.event(*event)
                    .parts
                    .clone()
                    .map(|part| self.lists.batch_of[part])
                    .find(|number| *number > 0)
            })
            .unwrap_or(0) as usize;
        // The message may continue after its last call, with thinking that was never finished.
        let continues = last.is_some()
            && self.batches.last().is_some_and(|batch| batch.last_event.as_ref() == last);
        if let Some(batch) = self.batches.last_mut().filter(|_| continues)
            && number == 0
        {
            batch.pending = true;
        } else if number > 0 && number == self.batches.len() {
            self.batches[number - 1].pending = true;
        }
    }
}
