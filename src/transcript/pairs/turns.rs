//! Turns, for providers that count: after a turn with calls comes one with as many results.
//!
//! A turn with calls is a frame. IDs may be missing, so results that have none are paired by the name of the tool in order,
//! and then by position if as many results as calls are left. Results that are left are late or early, or have no call.

use std::collections::VecDeque;

use hashbrown::HashMap;

use super::frames::FrameFinder;
use super::{MatchedBy, Pairs, PartId, PartKind};
use crate::transcript::conversation::Transcript;
use crate::transcript::event::Role;
use crate::transcript::request::Sent;

/// The results after the last turn with calls.
#[derive(Default)]
struct TurnResults {
    /// Before the next turn of the model.
    next: Vec<PartId>,
    /// After it.
    late: Vec<PartId>,
    /// The model spoke again.
    closed: bool,
}

/// Calls by tool name: the open ones, then the answered ones.
type CallsByTool<'a> = HashMap<&'a str, (VecDeque<PartId>, Vec<PartId>)>;

impl FrameFinder<'_> {
    /// Adds the items of a request. Neighboring items of the model are one turn.
    pub(super) fn add_turns(&mut self, order: &[Sent]) {
        let t = self.t;
        let mut results = TurnResults::default();
        // Whether it is the model's turn, and whether that turn already has calls.
        let (mut is_model_turn, mut has_calls) = (false, false);
        for sent in order.iter().filter(|sent| !matches!(sent.role, Role::System | Role::Nobody)) {
            let is_model = sent.role == Role::Assistant;
            let begins = is_model && !is_model_turn;
            has_calls &= !begins;
            let of_kind = |kind| sent.parts.clone().filter(move |part| t.part(*part).kind == kind);
            let mut calls = of_kind(PartKind::Call).peekable();
            if calls.peek().is_some() {
                if !has_calls {
                    self.end_turn(std::mem::take(&mut results));
                }
                let first = self.calls.len();
                self.calls.extend(calls);
                self.found.same_turn = has_calls;
                self.add_frame(first, false);
                has_calls = true;
            }
            results.closed |= begins && !has_calls;
            let into = if results.closed { &mut results.late } else { &mut results.next };
            into.extend(of_kind(PartKind::Result));
            is_model_turn = is_model;
        }
        self.end_turn(results);
    }

    /// Pairs the results of a turn whose calls are all known.
    fn end_turn(&mut self, mut results: TurnResults) {
        results.next.retain(|result| match self.find_in_frame(*result) {
            Some(call) => {
                self.found.pair(call, *result);
                false
            }
            None => true,
        });
        if !results.next.is_empty() {
            let calls = self.last_calls();
            results.next = self.pair_by_name(&calls, results.next);
            results.next = self.pair_by_order(&calls, results.next);
        }
        for result in results.next.into_iter().chain(results.late) {
            self.add_stray(result);
        }
    }

    /// Pairs results and calls of which one has no ID: with the first open call of the same tool. If all are answered, the
    /// result is surplus for the call whose result it repeats.
    fn pair_by_name(&mut self, calls: &[PartId], results: Vec<PartId>) -> Vec<PartId> {
        let mut by_tool = CallsByTool::new();
        for call in calls {
            if let Some(tool) = self.tool(*call) {
                let (open, done) = by_tool.entry(tool).or_default();
                if self.found.has_result(*call) { done.push(*call) } else { open.push_back(*call) }
            }
        }
        let mut left = Vec::new();
        for result in results {
            let has_id = self.key(result).is_some();
            let fits = |call: &PartId| !has_id || self.key(*call).is_none();
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
    fn pair_by_order(&mut self, calls: &[PartId], results: Vec<PartId>) -> Vec<PartId> {
        let open: Vec<PartId> =
            calls.iter().copied().filter(|call| !self.found.has_result(*call)).collect();
        let (without_id, mut left): (Vec<PartId>, Vec<PartId>) =
            results.into_iter().partition(|result| self.key(*result).is_none());
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
}

impl Pairs {
    /// Marks the last batch as pending if only results follow it, and notes the last event of each batch's turn.
    pub(super) fn mark_turns(&mut self, t: &Transcript, order: &[Sent]) {
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
        let nine = ["1"; 9].join("+");
        let paired = "2 3 4 5 6 7 8 9 10 10!";
        assert_eq!(describe(&format!("u c{nine} r{nine} r1 m")), paired);
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
