//! Pairing response by response, for hosts whose IDs may restart in each response.
//!
//! A frame is a response with calls, even a failed one, with everything up to the next one. Inside a frame each result goes
//! to the first open call with its ID. Other results go to the only earlier call that needs one, or to an open call of the
//! next frame. A result of a failed response never goes to another response.

use crate::transcript::index::EventId;
use hashbrown::HashMap;

use super::{
    MatchedBy, PairBuilder, PairPolicy, PairStatus, Paired, Pairs, PartId, PartKind, Strays,
};
use crate::transcript::conversation::Transcript;
use crate::transcript::event::Origin;

/// At most this many calls with one ID are searched for a result.
const MOST_ALIKE: usize = 1024;

/// A response with calls.
struct ResponseFrame {
    failed: bool,
    calls: Vec<PartId>,
}

/// The calls with one ID in order, with the index of their frame. Almost every ID has one call, which needs no memory of
/// its own.
enum AlikeCalls {
    One([(u32, PartId); 1]),
    Several(Vec<(u32, PartId)>),
}

impl AlikeCalls {
    fn push(&mut self, call: (u32, PartId)) {
        match self {
            AlikeCalls::One([first]) => *self = AlikeCalls::Several(vec![*first, call]),
            AlikeCalls::Several(calls) => calls.push(call),
        }
    }
}

impl std::ops::Deref for AlikeCalls {
    type Target = [(u32, PartId)];

    fn deref(&self) -> &[(u32, PartId)] {
        match self {
            AlikeCalls::One(only) => only,
            AlikeCalls::Several(calls) => calls,
        }
    }
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
        calls: HashMap::with_capacity(count),
        nearest: policy.strays == Strays::Nearest,
        same_turn: false,
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
    finder.pair_without_ids(&mut strays);
    for stray in strays {
        finder.pair_elsewhere(&stray);
    }
    finder.find_rivals();
    let mut pairs = finder.found.finish();
    pairs.mark_pending(t, paired.events);
    pairs
}

/// The state of the search.
struct FrameFinder<'a> {
    t: &'a Transcript,
    found: PairBuilder<'a>,
    frames: Vec<ResponseFrame>,
    /// Calls by ID, with the index of their frame.
    calls: HashMap<&'a str, AlikeCalls>,
    /// A stray result goes to the nearest call that fits, however far before or after it, and a call and a result without
    /// IDs are only paired if they are the last ones of their frame.
    nearest: bool,
    /// The next event continues the message with the last batch.
    same_turn: bool,
}

impl<'a> FrameFinder<'a> {
    /// The ID of a part without white space around it, unless it is empty.
    fn key(&self, part: PartId) -> Option<&'a str> {
        Some(self.t.text(self.t.part(part).id).trim()).filter(|key| !key.is_empty())
    }

    fn add(&mut self, event: EventId, is_sent: &dyn Fn(PartId) -> bool, strays: &mut Vec<Stray>) {
        let parts = self
            .t
            .event(event)
            .parts
            .clone()
            .filter(|part| is_sent(*part));
        let calls: Vec<PartId> = parts
            .clone()
            .filter(|part| self.t.part(*part).kind == PartKind::Call)
            .collect();
        if !calls.is_empty() {
            self.add_frame(calls, self.t.event(event).failed);
        }
        for result in parts.filter(|part| self.t.part(*part).kind == PartKind::Result) {
            match self.find_in_frame(result) {
                Some(call) => self.found.pair(call, result),
                None => {
                    self.found.pairs.set_status(result, PairStatus::Orphan);
                    strays.push(Stray {
                        result,
                        frames: self.frames.len(),
                        is_paired: false,
                    });
                }
            }
        }
    }

    fn add_frame(&mut self, calls: Vec<PartId>, failed: bool) {
        let continues = std::mem::replace(&mut self.same_turn, !failed) && !failed;
        let number = self.frames.len() - usize::from(continues);
        for call in &calls {
            if failed {
                self.found.pairs.set_status(*call, PairStatus::Failed);
            }
            if let Some(key) = self.key(*call) {
                let call = (number as u32, *call);
                let alike = self.calls.entry(key);
                alike
                    .and_modify(|alike| alike.push(call))
                    .or_insert(AlikeCalls::One([call]));
            }
        }
        if failed {
            self.found.pairs.failed.push(calls.clone());
        } else if let Some(frame) = self.frames.last_mut().filter(|_| continues) {
            self.found.add_calls(&calls);
            frame.calls.extend(calls);
            return;
        } else {
            self.found.add_batch(&calls);
        }
        self.frames.push(ResponseFrame { failed, calls });
    }

    /// The call of its own frame that a result answers, or for which it is surplus.
    fn find_in_frame(&mut self, result: PartId) -> Option<PartId> {
        let frame = self.frames.last()?;
        let Some(key) = self.key(result) else {
            if self.nearest {
                return None;
            }
            let [only] = frame.calls.as_slice() else {
                return None;
            };
            let (called, answered) = (self.t.part(*only).tool, self.t.part(result).tool);
            let fits = self.t.text(answered).is_empty() || called == answered;
            if !fits || self.found.has_result(*only) {
                return None;
            }
            self.found
                .pairs
                .matched_by
                .insert(result, MatchedBy::ToolOnly);
            return Some(*only);
        };
        let all = self.calls.get(key)?;
        let is_before = |(at, _): &(u32, PartId)| (*at as usize) + 1 < self.frames.len();
        let (_, own) = all.split_at(all.partition_point(is_before));
        let mut calls = own.iter().map(|(_, call)| *call);
        let open = calls.clone().find(|call| !self.found.has_result(*call));
        let with_placeholder = || calls.clone().find(|call| self.found.needs_result(*call));
        open.or_else(with_placeholder).or_else(|| calls.next_back())
    }

    /// Pairs, in each frame, the only call and the only result that are left if one of them has no ID.
    fn pair_without_ids(&mut self, strays: &mut Vec<Stray>) {
        let mut at = 0;
        while at < strays.len() {
            let frames = strays[at].frames;
            let end = at
                + strays[at..]
                    .iter()
                    .take_while(|other| other.frames == frames)
                    .count();
            let number = frames.checked_sub(1);
            let found = match self.nearest {
                true => number
                    .and_then(|number| self.last_pair(number, &strays[at..end]))
                    .map(|(offset, call)| (at + offset, call)),
                false => {
                    let call = number.and_then(|number| self.only_call_without_id(number));
                    let fits = end - at == 1 && !self.has_call_with_id(strays[at].result);
                    call.filter(|_| fits).map(|call| (at, call))
                }
            };
            if let Some((index, call)) = found {
                let result = strays[index].result;
                self.found
                    .pairs
                    .matched_by
                    .insert(result, MatchedBy::ToolOnly);
                self.found.pair(call, result);
                strays[index].is_paired = true;
            }
            at = end;
        }
        strays.retain(|stray| !stray.is_paired);
    }

    /// Whether any call has the ID of a result.
    fn has_call_with_id(&self, result: PartId) -> bool {
        self.key(result)
            .is_some_and(|key| self.calls.contains_key(key))
    }

    /// The only open call of a frame and the index of its only stray result with an ID that no call has, if one of the two
    /// has no ID.
    fn last_pair(&self, frame: usize, strays: &[Stray]) -> Option<(usize, PartId)> {
        let mut open = self.frames[frame]
            .calls
            .iter()
            .filter(|call| !self.found.has_result(**call));
        let (Some(call), None) = (open.next().copied(), open.next()) else {
            return None;
        };
        let mut free = strays
            .iter()
            .enumerate()
            .filter(|(_, stray)| !self.has_call_with_id(stray.result));
        let (Some((at, only)), None) = (free.next(), free.next()) else {
            return None;
        };
        let (called, answered) = (self.t.part(call).tool, self.t.part(only.result).tool);
        let fits = self.t.text(answered).is_empty() || called == answered;
        let is_id_missing = self.key(call).is_none() || self.key(only.result).is_none();
        (fits && is_id_missing).then_some((at, call))
    }

    fn only_call_without_id(&self, frame: usize) -> Option<PartId> {
        let frame = &self.frames[frame];
        let mut without_id = frame.calls.iter().filter(|call| self.key(**call).is_none());
        let call = without_id
            .next()
            .copied()
            .filter(|call| !self.found.has_result(*call))?;
        without_id.next().is_none().then_some(call)
    }

    /// Finds real results of failed calls for which an open call before them has the same ID.
    fn find_rivals(&mut self) {
        for (call, result) in &self.found.results {
            let is_failed = self.found.pairs.status[*call] == PairStatus::Failed;
            let is_real = self.t.part(*result).origin == Origin::Real;
            let Some(calls) = self.key(*call).and_then(|key| self.calls.get(key)) else {
                continue;
            };
            if !is_failed || !is_real || calls.len() < 2 {
                continue;
            }
            let before = calls
                .iter()
                .rev()
                .take(MOST_ALIKE)
                .filter(|(_, other)| other < call);
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
        let Some(calls) = self.calls.get(key) else {
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
            let found = found.or_else(|| {
                before
                    .clone()
                    .find(|(_, call)| self.found.needs_result(*call))
            });
            if let Some((_, call)) = found.copied() {
                self.found.pair(call, stray.result);
            }
            return;
        }
        let mut before = calls[..split]
            .iter()
            .filter(|(_, call)| self.found.needs_result(*call));
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
                let next = calls[split..]
                    .iter()
                    .take_while(|(frame, _)| *frame as usize == stray.frames);
                next.copied()
                    .find(|(_, call)| !self.found.has_result(*call))
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
    fn a_result_of_a_failed_response_may_be_that_of_an_open_call() {
        let rivals = |words: &str| {
            let (t, pairs) = paired(PairPolicy::FRAMES, words);
            let rivals = t.parts.ids().filter_map(|result| pairs.rival(result));
            let rivals: Vec<usize> = rivals.map(|call| toy::event(&t, call)).collect();
            let is_listed = |part| rivals.contains(&toy::event(&t, part));
            assert!(
                pairs
                    .all()
                    .all(|(part, _)| pairs.is_rival(part) == is_listed(part))
            );
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
