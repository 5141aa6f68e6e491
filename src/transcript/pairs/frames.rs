//! Pairing response by response, for hosts whose IDs may restart in each response.
//!
//! A frame is a response with calls, even a failed one, with everything up to the next one. Inside a frame each result goes
//! to the first open call with its ID. Other results go to the only earlier call that needs one, or to an open call of the
//! next frame. A result of a failed response never goes to another response.

use std::ops::Range;

use crate::transcript::index::EventId;
use hashbrown::HashMap;

use super::{
    FewParts, Lane, MatchedBy, PairBuilder, PairPolicy, PairStatus, Paired, Pairs, PartId,
    PartKind, Strays,
};
use crate::transcript::conversation::Transcript;
use crate::transcript::event::Origin;

/// At most this many calls with one ID are searched for a result.
const MOST_ALIKE: usize = 1024;
/// At most this many frames of other lanes are skipped for the last one of a result's own lane.
const MOST_OTHER_LANES: usize = 64;
/// Most calls of a frame that are compared with a result one by one. Almost every response has fewer.
const FEW_CALLS: usize = 8;

/// A response with calls.
struct ResponseFrame {
    failed: bool,
    /// Its own in [`FrameFinder::calls`].
    calls: Range<usize>,
}

/// A result without a call in its own frame.
struct Stray {
    result: PartId,
    /// The number of frames that start before it; the last of them is its own.
    frames: usize,
    /// A call was found.
    is_paired: bool,
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
        nearest: policy.strays == Strays::Nearest,
        same_turn: false,
        lane: paired.lane,
    };
    finder.found.reserve(count);
    let mut strays = Vec::new();
    let mut before = None;
    for event in paired.events {
        finder.same_turn &= before.is_some_and(|before| (paired.joined)(before, *event));
        if finder.same_turn
            && let Some(batch) = finder.found.pairs.batches.last_mut()
        {
            batch.last_event = Some(*event);
        }
        finder.add(*event, paired.is_sent, &mut strays);
        before = Some(*event);
    }
    if !strays.is_empty() || !finder.found.pairs.failed.is_empty() {
        finder.index_calls();
        finder.pair_without_ids(&mut strays);
        for stray in strays {
            finder.pair_elsewhere(&stray);
        }
        finder.find_rivals();
    }
    let mut pairs = finder.found.finish();
    pairs.mark_pending(t, paired.events);
    pairs
}

/// The state of the search.
struct FrameFinder<'a> {
    t: &'a Transcript,
    found: PairBuilder<'a>,
    frames: Vec<ResponseFrame>,
    /// The calls of all frames, in order.
    calls: Vec<PartId>,
    /// Calls by ID in order, with the index of their frame. Only wide frames and strays need it, so it is made for them.
    alike: HashMap<&'a str, FewParts<(u32, PartId)>>,
    /// How many calls are in `alike`.
    indexed: usize,
    /// A stray result goes to the nearest call that fits, however far before or after it, and a call and a result without
    /// IDs are only paired if they are the last ones of their frame.
    nearest: bool,
    /// The next event continues the message with the last batch.
    same_turn: bool,
    /// See [`Paired::lane`].
    lane: Option<&'a Lane<'a>>,
}

impl<'a> FrameFinder<'a> {
    /// The ID of a part without white space around it, unless it is empty.
    fn key(&self, part: PartId) -> Option<&'a str> {
        Some(self.t.text(self.t.part(part).id).trim()).filter(|key| !key.is_empty())
    }

    fn add(&mut self, event: EventId, is_sent: &dyn Fn(PartId) -> bool, strays: &mut Vec<Stray>) {
        let parts = self.t.event(event).parts.clone().filter(|part| is_sent(*part));
        let first = self.calls.len();
        self.calls.extend(parts.clone().filter(|part| self.t.part(*part).kind == PartKind::Call));
        if self.calls.len() > first {
            self.add_frame(first, self.t.event(event).failed);
        }
        for result in parts.filter(|part| self.t.part(*part).kind == PartKind::Result) {
            match self.find_in_frame(result) {
                Some(call) => self.found.pair(call, result),
                None => {
                    self.found.pairs.set_status(result, PairStatus::Orphan);
                    strays.push(Stray { result, frames: self.frames.len(), is_paired: false });
                }
            }
        }
    }

    /// Adds a frame with the calls from this one on, or adds them to the last frame.
    fn add_frame(&mut self, first: usize, failed: bool) {
        let continues = std::mem::replace(&mut self.same_turn, !failed) && !failed;
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
                if let Some(key) = self.key(*call) {
                    self.alike.entry(key).or_default().push((number as u32, *call));
                }
            }
        }
        self.indexed = self.calls.len();
    }

    /// The calls of a frame.
    fn calls_of(&self, frame: usize) -> &[PartId] {
        &self.calls[self.frames[frame].calls.clone()]
    }

    /// The call of its own frame that a result answers, or for which it is surplus.
    fn find_in_frame(&mut self, result: PartId) -> Option<PartId> {
        if let Some(call) = self.find_in_lane(result) {
            return Some(call);
        }
        let frame = self.frames.last()?;
        let Some(key) = self.key(result) else {
            if self.nearest {
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
        self.best_for_result(own.iter().map(|(_, call)| *call))
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

    /// Of the calls of a frame with one ID, the first open one, or else the first with only a placeholder, or else the last.
    fn best_for_result(
        &self,
        mut calls: impl DoubleEndedIterator<Item = PartId> + Clone,
    ) -> Option<PartId> {
        let open = calls.clone().find(|call| !self.found.has_result(*call));
        open.or_else(|| calls.clone().find(|call| self.found.needs_result(*call)))
            .or_else(|| calls.next_back())
    }

    /// Pairs, in each frame, the only call and the only result that are left if one of them has no ID.
    fn pair_without_ids(&mut self, strays: &mut Vec<Stray>) {
        let mut at = 0;
        while at < strays.len() {
            let frames = strays[at].frames;
            let end = at + strays[at..].iter().take_while(|other| other.frames == frames).count();
            let number = frames.checked_sub(1);
            let found = if self.nearest {
                number
                    .and_then(|number| self.last_pair(number, &strays[at..end]))
                    .map(|(offset, call)| (at + offset, call))
            } else {
                let call = number.and_then(|number| self.only_call_without_id(number));
                let fits = end - at == 1 && !self.has_call_with_id(strays[at].result);
                call.filter(|_| fits).map(|call| (at, call))
            };
            if let Some((index, call)) = found {
                let result = strays[index].result;
                self.found.pairs.matched_by.insert(result, MatchedBy::ToolOnly);
                self.found.pair(call, result);
                strays[index].is_paired = true;
            }
            at = end;
        }
        strays.retain(|stray| !stray.is_paired);
    }

    /// Whether any call has the ID of a result.
    fn has_call_with_id(&self, result: PartId) -> bool {
        self.key(result).is_some_and(|key| self.alike.contains_key(key))
    }

    /// The only open call of a frame and the index of its only stray result with an ID that no call has, if one of the two
    /// has no ID.
    fn last_pair(&self, frame: usize, strays: &[Stray]) -> Option<(usize, PartId)> {
        let mut open = self.calls_of(frame).iter().filter(|call| !self.found.has_result(**call));
        let (Some(call), None) = (open.next().copied(), open.next()) else {
            return None;
        };
        let mut free =
            strays.iter().enumerate().filter(|(_, stray)| !self.has_call_with_id(stray.result));
        let (Some((at, only)), None) = (free.next(), free.next()) else {
            return None;
        };
        let (called, answered) = (self.t.part(call).tool, self.t.part(only.result).tool);
        let fits = self.t.text(answered).is_empty() || called == answered;
        let is_id_missing = self.key(call).is_none() || self.key(only.result).is_none();
        (fits && is_id_missing).then_some((at, call))
    }

    fn only_call_without_id(&self, frame: usize) -> Option<PartId> {
        let calls = self.calls_of(frame).iter();
        let mut without_id = calls.filter(|call| self.key(**call).is_none());
        let call = without_id.next().copied().filter(|call| !self.found.has_result(*call))?;
        without_id.next().is_none().then_some(call)
    }

    /// Finds real results of failed calls for which an open call before them has the same ID.
    fn find_rivals(&mut self) {
        for (call, result) in &self.found.results {
            let is_failed = self.found.pairs.lists.status[*call] == PairStatus::Failed;
            let is_real = self.t.part(*result).origin == Origin::Real;
            let Some(calls) = self.key(*call).and_then(|key| self.alike.get(key)) else {
                continue;
            };
            if !is_failed || !is_real || calls.len() < 2 {
                continue;
            }
            let before = calls.iter().rev().take(MOST_ALIKE).filter(|(_, other)| other < call);
            let mut open = before.filter(|(frame, other)| {
                !self.frames[*frame as usize].failed && !self.found.has_result(*other)
            });
            if let Some((_, rival)) = open.next() {
                self.found.pairs.rivals.insert(*result, *rival);
            }
        }
    }

    /// Pairs a stray result with a call of another frame.
    fn pair_elsewhere(&mut self, stray: &Stray) {
        let Some(key) = self.key(stray.result) else {
            return;
        };
        let Some(calls) = self.alike.get(key) else {
            return;
        };
        let split = calls.partition_point(|(frame, _)| (*frame as usize) < stray.frames);
        if self.nearest {
            let is_open = |(_, call): &&(u32, PartId)| !self.found.has_result(*call);
            let before = calls[..split].iter().rev().take(MOST_ALIKE);
            let found = before
                .clone()
                .find(is_open)
                .or_else(|| calls[split..].iter().take(MOST_ALIKE).find(is_open));
            let found =
                found.or_else(|| before.clone().find(|(_, call)| self.found.needs_result(*call)));
            if let Some((_, call)) = found.copied() {
                self.found.pair(call, stray.result);
            }
            return;
        }
        let mut before = calls[..split].iter().filter(|(_, call)| self.found.needs_result(*call));
        let found = match (before.next(), before.next()) {
            (Some((frame, call)), None) => Some((*frame, *call)),
            (Some((frame, call)), Some((second, _))) => {
                let failed = |frame: &u32| self.frames[*frame as usize].failed;
                let all = failed(frame) && failed(second) && before.all(|(frame, _)| failed(frame));
                if !all {
                    self.found.pairs.ambiguous.insert(stray.result);
                    return;
                }
                Some((*frame, *call))
            }
            (None, _) => {
                let next =
                    calls[split..].iter().take_while(|(frame, _)| *frame as usize == stray.frames);
                next.copied().find(|(_, call)| !self.found.has_result(*call))
            }
        };
        if let Some((_, call)) = found {
            self.found.pair(call, stray.result);
        }
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
