//! Pairing response by response, for hosts whose IDs may restart in each response, and turn by turn, see [`super::turns`].
//!
//! A frame is a response with calls, even a failed one, with everything up to the next one. Inside a frame each result goes
//! to the first open call with its ID. Other results go to the only earlier call that needs one, or to an open call of the
//! next frame. A result of a failed response never goes to another response.

use std::ops::Range;

use crate::transcript::index::EventId;
use hashbrown::HashMap;

use super::build::PairBuilder;
use super::policy::PairScope;
use super::{FewParts, Lane, MatchedBy, PairPolicy, PairStatus, Paired, Pairs, PartId, PartKind};
use crate::transcript::conversation::Transcript;

/// At most this many frames of other lanes are skipped for the last one of a result's own lane.
const MOST_OTHER_LANES: usize = 64;
/// Most calls of a frame that are compared with a result one by one. Almost every response has fewer.
const FEW_CALLS: usize = 8;

/// A response with calls.
pub(super) struct ResponseFrame {
    pub failed: bool,
    /// Its own in [`FrameFinder::calls`].
    pub calls: Range<usize>,
}

/// A result without a call in its own frame.
pub(super) struct Stray {
    pub result: PartId,
    /// The number of frames that start before it; the last of them is its own.
    pub frames: usize,
}

pub(super) fn find(t: &Transcript, policy: PairPolicy, paired: &Paired<'_>) -> Pairs {
    // Rows have few calls each, so lists that grow would be copied again and again.
    let calls = t.parts.iter().filter(|part| part.kind == PartKind::Call);
    let count = calls.count();
    let mut finder = FrameFinder {
        t,
        found: PairBuilder::new(t),
        frames: Vec::with_capacity(count),
        calls: Vec::with_capacity(count),
        alike: HashMap::new(),
        indexed: 0,
        strays: Vec::new(),
        policy,
        lane: paired.lane,
    };
    finder.found.reserve(count);
    let by_turns = policy.scope == PairScope::Turn;
    if by_turns {
        finder.add_turns(paired.order);
    }
    for event in paired.events.iter().filter(|_| !by_turns) {
        finder.found.step(*event, paired.joined);
        finder.add(*event, paired.is_sent);
    }
    if !finder.strays.is_empty() || !finder.found.pairs.failed.is_empty() {
        finder.index_calls();
        finder.pair_strays();
        finder.find_rivals();
    }
    let mut pairs = finder.found.finish();
    if by_turns {
        pairs.mark_turns(t, paired.order);
    } else {
        pairs.mark_pending(t, paired.events);
    }
    pairs
}

/// The state of the search.
pub(super) struct FrameFinder<'a> {
    pub t: &'a Transcript,
    pub found: PairBuilder<'a>,
    pub frames: Vec<ResponseFrame>,
    /// The calls of all frames, in order.
    pub calls: Vec<PartId>,
    /// Calls by ID in order, with the index of their frame. Only wide frames and strays need it, so it is made for them.
    pub alike: HashMap<&'a str, FewParts<(u32, PartId)>>,
    /// How many calls are in `alike`.
    indexed: usize,
    pub strays: Vec<Stray>,
    pub policy: PairPolicy,
    /// See [`Paired::lane`].
    lane: Option<&'a Lane<'a>>,
}

impl<'a> FrameFinder<'a> {
    /// The ID of a part, unless it is empty. For frames without white space around it.
    pub(super) fn key(&self, part: PartId) -> Option<&'a str> {
        let id = self.t.text(self.t.part(part).id);
        let trimmed = id.trim();
        let key = if self.policy.scope == PairScope::Turn { id } else { trimmed };
        (!trimmed.is_empty()).then_some(key)
    }

    /// The name of a part's tool, unless it is empty.
    pub(super) fn tool(&self, part: PartId) -> Option<&'a str> {
        Some(self.t.text(self.t.part(part).tool)).filter(|tool| !tool.trim().is_empty())
    }

    /// By what a call of another frame is found: the ID, or in turns the tool of a part without one.
    pub(super) fn key_elsewhere(&self, part: PartId) -> Option<&'a str> {
        let by_tool = self.policy.scope == PairScope::Turn;
        self.key(part).or_else(|| self.tool(part).filter(|_| by_tool))
    }

    fn add(&mut self, event: EventId, is_sent: &dyn Fn(PartId) -> bool) {
        let parts = self.t.event(event).parts.clone().filter(|part| is_sent(*part));
        let first = self.calls.len();
        self.calls.extend(parts.clone().filter(|part| self.t.part(*part).kind == PartKind::Call));
        if self.calls.len() > first {
            self.add_frame(first, self.t.event(event).failed);
        }
        for result in parts.filter(|part| self.t.part(*part).kind == PartKind::Result) {
            match self.find_in_frame(result) {
                Some(call) => self.found.pair(call, result),
                None => self.add_stray(result),
            }
        }
    }

    pub(super) fn add_stray(&mut self, result: PartId) {
        self.found.pairs.set_status(result, PairStatus::Orphan);
        self.strays.push(Stray { result, frames: self.frames.len() });
    }

    /// Adds a frame with the calls from this one on, or adds them to the last frame.
    pub(super) fn add_frame(&mut self, first: usize, failed: bool) {
        let continues = std::mem::replace(&mut self.found.same_turn, !failed) && !failed;
        let calls = first..self.calls.len();
        let added = &self.calls[first..];
        if failed {
            for call in added {
                self.found.pairs.set_status(*call, PairStatus::Failed);
            }
            self.found.pairs.failed.push(added.to_vec());
        } else if let Some(frame) = self.frames.last_mut().filter(|_| continues) {
            self.found.add_calls(added);
            frame.calls.end = calls.end;
            return;
        } else {
            self.found.add_batch(added);
        }
        self.frames.push(ResponseFrame { failed, calls });
    }

    /// Adds the calls to `alike` that are not in it yet.
    fn index_calls(&mut self) {
        let first = self.frames.partition_point(|frame| frame.calls.end <= self.indexed);
        for number in first..self.frames.len() {
            let Range { start, end } = self.frames[number].calls;
            for call in &self.calls[start.max(self.indexed)..end] {
                if let Some(key) = self.key_elsewhere(*call) {
                    self.alike.entry(key).or_default().push((number as u32, *call));
                }
            }
        }
        self.indexed = self.calls.len();
    }

    /// The calls of a frame.
    pub(super) fn calls_of(&self, frame: usize) -> &[PartId] {
        &self.calls[self.frames[frame].calls.clone()]
    }

    /// The calls of the last frame.
    pub(super) fn last_calls(&self) -> Vec<PartId> {
        self.frames.last().map_or_else(Vec::new, |frame| self.calls[frame.calls.clone()].to_vec())
    }

    /// The call of its own frame that a result answers, or for which it is surplus.
    pub(super) fn find_in_frame(&mut self, result: PartId) -> Option<PartId> {
        if let Some(call) = self.find_in_lane(result) {
            return Some(call);
        }
        let frame = self.frames.last()?;
        let Some(key) = self.key(result) else {
            if !self.policy.restarts_ids() {
                return None;
            }
            let [only] = self.calls[frame.calls.clone()] else {
                return None;
            };
            let (called, answered) = (self.t.part(only).tool, self.t.part(result).tool);
            let fits = self.t.text(answered).is_empty() || called == answered;
            if !fits || self.found.has_result(only) {
                return None;
            }
            self.found.pairs.matched_by.insert(result, MatchedBy::ToolOnly);
            return Some(only);
        };
        if frame.calls.len() <= FEW_CALLS {
            let id = self.t.part(result).id;
            let calls = self.calls[frame.calls.clone()].iter().copied();
            return self.best_for_result(
                calls.filter(|call| self.t.part(*call).id == id || self.key(*call) == Some(key)),
            );
        }
        self.index_calls();
        let all = self.alike.get(key)?;
        let (_, own) =
            all.split_at(all.partition_point(|(at, _)| (*at as usize) + 1 < self.frames.len()));
        // Results take the calls with their ID in order, so those before the first open one need not be examined again.
        let first = match own.partition_point(|(_, call)| self.found.has_result(*call)) {
            open if open < own.len() => open,
            all if self.policy.scope == PairScope::Turn => all.saturating_sub(1),
            _ => 0,
        };
        let own = own[first..].iter().map(|(_, call)| *call);
        self.best_for_result(own.filter(|call| self.key(*call) == Some(key)))
    }

    /// The open call with the ID of a result in the last frame of its lane.
    fn find_in_lane(&self, result: PartId) -> Option<PartId> {
        let lane = self.lane?;
        let of = |part: PartId| lane(self.t.part(part).event);
        let key = self.key(result)?;
        let frames = self.frames.iter().rev().take(MOST_OTHER_LANES);
        let own = frames.map(|frame| &self.calls[frame.calls.clone()]);
        let mut own = own.filter(|calls| calls.first().is_some_and(|call| of(*call) == of(result)));
        own.next()?
            .iter()
            .find(|call| self.key(**call) == Some(key) && !self.found.has_result(**call))
            .copied()
    }

    /// Of the calls of a frame with one ID, the first open one, or else the last. A host that sends the best result prefers the
    /// first with only a placeholder to the last.
    fn best_for_result(
        &self,
        mut calls: impl DoubleEndedIterator<Item = PartId> + Clone,
    ) -> Option<PartId> {
        if let Some(open) = calls.clone().find(|call| !self.found.has_result(*call)) {
            return Some(open);
        }
        let replaces = self.policy.scope == PairScope::Frame;
        let stub = calls.clone().find(|call| replaces && self.found.needs_result(*call));
        stub.or_else(|| calls.next_back())
    }
}

#[cfg(test)]
mod tests {
    use super::super::toy::{self, paired};
    use super::*;

    /// The event of each result's call, from 1.
    fn describe(words: &str) -> String {
        toy::describe(PairPolicy::FRAMES, words, toy::event)
    }

    #[test]
    fn results_go_to_calls_of_their_own_frame() {
        assert_eq!(describe("c1 r1 c1 r1"), "1 3");
        assert_eq!(describe("c1+1 r1 r1"), "1 1");
        assert_eq!(describe("c1 s1 u r1"), "1! 1");
        assert_eq!(describe("c1 r1 r1"), "1 1!");
        assert_eq!(describe("c1 r"), "1");
        assert_eq!(describe("c1+2 r"), "-");
        assert_eq!(describe("c r1"), "1");
    }

    #[test]
    fn late_and_early_results_go_to_the_only_call_that_needs_them() {
        assert_eq!(describe("c1 c2 r2 r1"), "2 1");
        assert_eq!(describe("c1 s1 c2 r2 r1"), "1! 3 1");
        assert_eq!(describe("r1 c1"), "2");
        assert_eq!(describe("c2 r2 r1 c1"), "1 4");
        assert_eq!(describe("r1 c2 c1"), "-");
        assert_eq!(describe("c1 c1 c2 r2 r1"), "3 ?");
        assert_eq!(describe("c1 r1 c2 r2 r1"), "1 3 -");
    }

    #[test]
    fn responses_with_many_calls_pair_as_others_do() {
        let wide = "c1+2+3+4+5+6+7+8+9";
        assert_eq!(describe(&format!("{wide} r9 r1 r1 r0")), "1 1 1! -");
        assert_eq!(describe(&format!("{wide} c3 r3 r1")), "2 1");
        assert_eq!(describe(&format!("c1 r1 {wide} r1 r1")), "1 3 3!");
    }

    #[test]
    fn a_result_of_a_failed_response_may_be_that_of_an_open_call() {
        let rivals = |words: &str| {
            let (t, pairs) = paired(PairPolicy::FRAMES, words);
            let rivals = t.parts.ids().filter_map(|result| pairs.rival(result));
            let rivals: Vec<usize> = rivals.map(|call| toy::event(&t, call)).collect();
            let is_listed = |part| rivals.contains(&toy::event(&t, part));
            assert!(pairs.all().all(|(part, _)| pairs.is_rival(part) == is_listed(part)));
            rivals
        };
        assert_eq!(rivals("c1 f1 r1"), [1]);
        assert_eq!(rivals("c1 u f1 u r1 r1"), [1, 1]);
        assert_eq!(rivals("c1 r1 f1 r1"), [0; 0]);
        assert_eq!(rivals("c1 f1 s1"), [0; 0]);
        assert_eq!(rivals("c2 f1 r1"), [0; 0]);
        assert_eq!(rivals("f1 f1 r1"), [0; 0]);
    }

    #[test]
    fn without_a_host_a_result_goes_to_the_nearest_call() {
        let describe = |words| toy::describe(PairPolicy::LISTS, words, toy::event);
        assert_eq!(describe("r1 c2 c1"), "3");
        assert_eq!(describe("c1 c1 c2 r2 r1"), "3 2");
        assert_eq!(describe("c1 r1 c2 r2 r1"), "1 3 -");
        assert_eq!(describe("c1 s1 u c2 r2 r1"), "1! 4 1");
    }

    #[test]
    fn ids_may_be_missing_if_one_call_and_one_result_are_left() {
        let describe = |words| toy::describe(PairPolicy::LISTS, words, toy::event);
        assert_eq!(describe("c1+2 r1 r"), "1 1");
        assert_eq!(describe("c1 r"), "1");
        assert_eq!(describe("c r1"), "1");
        assert_eq!(describe("c r"), "1");
        assert_eq!(describe("c1 r r"), "- -");
        assert_eq!(describe("c1+2 r"), "-");
        assert_eq!(describe("c1 r9"), "-");
    }

    #[test]
    fn failed_responses_keep_their_results() {
        assert_eq!(describe("f1 r1 c1 r1"), "1x 3");
        assert_eq!(describe("f1 s1 c1 r1"), "1x 3");
        assert_eq!(describe("f1 c2 r2 r1"), "2 1x");
        assert_eq!(describe("f1 c1 c2 r2 r1"), "3 ?");
    }
}
