//! Pairing turn by turn, for providers that count: after a turn with calls comes one with as many results.
//!
//! IDs may be missing. Inside a turn calls and results are paired by ID if both have one, then by the name of the tool in
//! order, then by position if as many results as calls are left. Results that are left are late or early, or have no call.

use hashbrown::HashMap;

use super::{MatchedBy, PairBuilder, PairStatus, Pairs, PartId, PartKind};
use crate::transcript::conversation::Transcript;
use crate::transcript::event::Role;
use crate::transcript::ids::Id;
use crate::transcript::request::Sent;

/// A turn with calls, and the results up to the next such turn. The first frame has no calls: it is what comes before the
/// first turn with calls.
#[derive(Default)]
struct TurnFrame {
    calls: Vec<PartId>,
    /// Results after the calls, before the next turn of the model.
    results: Vec<PartId>,
    /// Results after a further turn of the model.
    late: Vec<PartId>,
    /// The model spoke again.
    closed: bool,
}

/// Pairs the items of a request. Neighboring items of the model are one turn.
pub(super) fn find(t: &Transcript, order: &[Sent]) -> Pairs {
    let frames = split_frames(t, order);
    let mut finder = TurnFinder { t, found: PairBuilder::new(t) };
    let mut strays: Vec<(usize, PartId)> = Vec::new();
    for (number, frame) in frames.iter().enumerate() {
        if !frame.calls.is_empty() {
            finder.found.add_batch(&frame.calls);
        }
        let unpaired = finder.pair_in_turn(frame).into_iter().chain(frame.late.iter().copied());
        strays.extend(unpaired.map(|result| (number, result)));
    }
    finder.pair_elsewhere(&frames, &strays);
    let mut pairs = finder.found.finish();
    pairs.mark_turns(t, order);
    pairs
}

impl Pairs {
    /// Marks the last batch as pending if only results follow it, and notes the last event of each batch's turn.
    fn mark_turns(&mut self, t: &Transcript, order: &[Sent]) {
        let spoken: Vec<&Sent> =
            order.iter().filter(|sent| !matches!(sent.role, Role::System | Role::Nobody)).collect();
        for run in
            spoken.chunk_by(|a, b| a.role == b.role).filter(|run| run[0].role == Role::Assistant)
        {
            let mut parts = run.iter().flat_map(|sent| sent.parts.clone());
            let number = parts.find_map(|part| (self.lists.batch_of[part] as usize).checked_sub(1));
            if let Some(batch) = number.and_then(|number| self.batches.get_mut(number)) {
                batch.last_event = run.iter().map(|sent| sent.event).max();
            }
        }
        let results_at_end = spoken.iter().rev().take_while(|sent| sent.role == Role::Tool).count();
        let mut last = spoken[..spoken.len() - results_at_end].iter().rev();
        let mut last = last.by_ref().take_while(|sent| sent.role == Role::Assistant);
        if last.any(|sent| sent.parts.clone().any(|part| t.part(part).kind == PartKind::Call))
            && let Some(batch) = self.batches.last_mut()
        {
            batch.pending = true;
        }
    }
}

fn split_frames(t: &Transcript, order: &[Sent]) -> Vec<TurnFrame> {
    let mut frames = vec![TurnFrame::default()];
    // Whether it is the model's turn, and whether that turn already has calls.
    let (mut is_model_turn, mut has_calls) = (false, false);
    for sent in order.iter().filter(|sent| !matches!(sent.role, Role::System | Role::Nobody)) {
        let parts = |kind| sent.parts.clone().filter(move |part| t.part(*part).kind == kind);
        let is_model = sent.role == Role::Assistant;
        if is_model && !is_model_turn {
            has_calls = false;
        }
        let mut calls = parts(PartKind::Call).peekable();
        if calls.peek().is_some() && !has_calls {
            frames.push(TurnFrame::default());
            has_calls = true;
        }
        if let Some(frame) = frames.last_mut() {
            frame.closed |= is_model && !is_model_turn && !has_calls;
            frame.calls.extend(calls);
            let into = if frame.closed { &mut frame.late } else { &mut frame.results };
            into.extend(parts(PartKind::Result));
        }
        is_model_turn = is_model;
    }
    frames
}

/// The state of the search.
struct TurnFinder<'a> {
    t: &'a Transcript,
    found: PairBuilder<'a>,
}

/// Calls by ID or tool name: the open ones, then the answered ones.
type CallsByKey = HashMap<Id, (std::collections::VecDeque<PartId>, Vec<PartId>)>;

impl TurnFinder<'_> {
    fn id(&self, part: PartId) -> Option<Id> {
        self.t.part(part).id.filter(|id| !self.t.ids.is_empty(*id))
    }

    fn tool(&self, part: PartId) -> Option<Id> {
        self.t.part(part).tool.filter(|id| !self.t.ids.is_empty(*id))
    }

    /// Pairs the results directly after a turn's calls, and returns those without a call.
    fn pair_in_turn(&mut self, frame: &TurnFrame) -> Vec<PartId> {
        let mut by_id = CallsByKey::new();
        for call in &frame.calls {
            if let Some(id) = self.id(*call) {
                by_id.entry(id).or_default().0.push_back(*call);
            }
        }
        let mut left = Vec::new();
        for result in frame.results.iter().copied() {
            let own = self.id(result).and_then(|id| by_id.get_mut(&id));
            let call = own.and_then(|(open, done)| {
                done.extend(open.pop_front());
                done.last().copied()
            });
            match call {
                Some(call) => self.found.pair(call, result),
                None => left.push(result),
            }
        }
        let left = self.pair_by_name(frame, left);
        self.pair_by_order(frame, left)
    }

    /// Pairs results and calls of which one has no ID: with the first open call of the same tool. If all are answered, the
    /// result is surplus for the call whose result it repeats.
    fn pair_by_name(&mut self, frame: &TurnFrame, results: Vec<PartId>) -> Vec<PartId> {
        let mut by_tool = CallsByKey::new();
        for call in &frame.calls {
            if let Some(tool) = self.tool(*call) {
                let (open, done) = by_tool.entry(tool).or_default();
                if self.found.has_result(*call) { done.push(*call) } else { open.push_back(*call) }
            }
        }
        let mut left = Vec::new();
        for result in results {
            let has_id = self.id(result).is_some();
            let fits = |call: &PartId| !has_id || self.id(*call).is_none();
            let known = self.tool(result).and_then(|tool| by_tool.get_mut(&tool));
            let call = known.and_then(|(open, done)| {
                let call = open.front().copied().filter(fits);
                if call.is_some() {
                    done.extend(open.pop_front());
                    return call;
                }
                let mut all = done.iter().rev().copied().filter(fits);
                if has_id {
                    None
                } else {
                    all.find(|call| self.repeats(*call, result)).or(done.last().copied())
                }
            });
            match call {
                Some(call) => self.found.pair(call, result),
                None => left.push(result),
            }
        }
        left
    }

    /// Whether a result has the same content as a recent result of a call.
    fn repeats(&self, call: PartId, result: PartId) -> bool {
        let mut own = self.found.results.iter().rev().take(64).filter(|(other, _)| *other == call);
        own.any(|(_, other)| self.t.part(*other).digest == self.t.part(result).digest)
    }

    /// Pairs results without IDs with open calls in order, whatever the names of their tools, if there are as many of each.
    fn pair_by_order(&mut self, frame: &TurnFrame, results: Vec<PartId>) -> Vec<PartId> {
        let open: Vec<PartId> =
            frame.calls.iter().copied().filter(|call| !self.found.has_result(*call)).collect();
        let (without_id, mut left): (Vec<PartId>, Vec<PartId>) =
            results.into_iter().partition(|result| self.id(*result).is_none());
        if without_id.len() == open.len() {
            for (call, result) in open.into_iter().zip(without_id) {
                self.found.pair(call, result);
                self.found.pairs.matched_by.insert(result, MatchedBy::ToolOnly);
            }
        } else {
            left.extend(without_id);
            left.sort_unstable();
        }
        left
    }

    /// Pairs stray results with an earlier call that needs a result, or else with a later open call.
    fn pair_elsewhere(&mut self, frames: &[TurnFrame], strays: &[(usize, PartId)]) {
        let mut candidates: HashMap<Id, Candidates> = HashMap::new();
        for (number, frame) in frames.iter().enumerate() {
            for call in &frame.calls {
                let needs_result = self.found.needs_result(*call);
                let key = self.id(*call).or(self.tool(*call)).filter(|_| needs_result);
                if let Some(key) = key {
                    candidates.entry(key).or_default().calls.push((number, *call));
                }
            }
        }
        for (frame, result) in strays {
            self.found.pairs.set_status(*result, PairStatus::Orphan);
            let key = self.id(*result).or(self.tool(*result));
            let Some(candidates) = key.and_then(|key| candidates.get_mut(&key)) else {
                continue;
            };
            candidates.advance_to(*frame);
            let call = match candidates.before.as_slice() {
                [_, _, ..] => {
                    self.found.pairs.ambiguous.insert(*result);
                    None
                }
                [_] => candidates.before.pop(),
                [] => candidates.next_open(|call| !self.found.has_result(call)),
            };
            if let Some(call) = call {
                self.found.pair(call, *result);
            }
        }
    }
}

/// The calls with one ID or tool name that need a result, with the index of their frame. It only moves forward, so the
/// search is linear.
#[derive(Default)]
struct Candidates {
    calls: Vec<(usize, PartId)>,
    /// How many of them are before the current frame.
    passed: usize,
    /// Those before the current frame that still need a result.
    before: Vec<PartId>,
    /// How many from the first on were already taken, or skipped, as later calls.
    used: usize,
}

impl Candidates {
    /// Moves the current position to this frame.
    fn advance_to(&mut self, frame: usize) {
        while let Some((_, call)) =
            self.calls.get(self.passed).filter(|(number, _)| *number <= frame)
        {
            if self.passed >= self.used {
                self.before.push(*call);
            }
            self.passed += 1;
        }
    }

    /// The next open call after the current frame.
    fn next_open(&mut self, is_open: impl Fn(PartId) -> bool) -> Option<PartId> {
        self.used = self.used.max(self.passed);
        let rest = self.calls.get(self.used..)?;
        let at = rest.iter().position(|(_, call)| is_open(*call));
        self.used += at.map_or(rest.len(), |at| at + 1);
        self.calls.get(self.used.checked_sub(1)?).map(|(_, call)| *call).filter(|_| at.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::super::toy::{self, paired};
    use super::super::{Idx, PairPolicy};

    /// The part of each result's call, from 1.
    fn describe(words: &str) -> String {
        toy::describe(PairPolicy::TURNS, words, |_, call| call.next().index())
    }

    #[test]
    fn ids_then_names_then_order() {
        assert_eq!(describe("u c1+2 r2+1 m"), "3 2");
        assert_eq!(describe("u cf+f rf+f m"), "2 3");
        assert_eq!(describe("u cf+g rg+f m"), "3 2");
        assert_eq!(describe("u cf+g rx+y m"), "2 3");
        assert_eq!(describe("u cf+g rx m"), "-");
        assert_eq!(describe("u c1 rf m"), "2");
        assert_eq!(describe("u c1 r1+1 m"), "2 2!");
        assert_eq!(describe("u cf rf+f m"), "2 2!");
    }

    #[test]
    fn late_and_early_results_find_their_call() {
        assert_eq!(describe("u c1 u r1"), "2");
        assert_eq!(describe("u c1 m u r1"), "2");
        assert_eq!(describe("u c1 r1 m r1"), "2 -");
        assert_eq!(describe("u r1 c1 m"), "3");
        assert_eq!(describe("r1 m u"), "-");
        assert_eq!(describe("u c1 u c1 u c2 r2 r1"), "6 ?");
        assert_eq!(describe("u c1 c2 r1+2"), "2 3");
    }

    #[test]
    fn the_last_batch_is_pending() {
        let pending = |words: &str| {
            let (_, pairs) = paired(PairPolicy::TURNS, words);
            pairs.batches.last().is_some_and(|batch| batch.pending)
        };
        assert!(pending("u c1") && pending("u c1+2 r1") && pending("u c1 m"));
        assert!(!pending("u c1 u") && !pending("u c1 r1 m") && !pending("u m"));
    }
}
