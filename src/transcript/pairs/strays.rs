//! Results without a call in their own frame, or with one that failed: the call of another frame that they may belong to.

use super::frames::{FrameFinder, Stray};
use super::policy::PairScope;
use super::{MatchedBy, PairStatus, PartId};
use crate::transcript::event::Origin;

/// At most this many calls with one ID are searched for a result.
const MOST_ALIKE: usize = 1024;

impl FrameFinder<'_> {
    /// Pairs the results that have no call in their own frame: there the only call and the only result that are left, if one
    /// of them has no ID, and then those of other frames.
    pub(super) fn pair_strays(&mut self) {
        let strays = std::mem::take(&mut self.strays);
        let mut left = Vec::with_capacity(strays.len());
        for own in strays.chunk_by(|a, b| a.frames == b.frames) {
            let paired = own[0].frames.checked_sub(1).and_then(|frame| self.without_id(frame, own));
            if let Some((at, call)) = paired {
                self.found.pairs.matched_by.insert(own[at].result, MatchedBy::ToolOnly);
                self.found.pair(call, own[at].result);
            }
            let others =
                own.iter().enumerate().filter(|(at, _)| paired.is_none_or(|own| own.0 != *at));
            left.extend(others.map(|(_, stray)| stray));
        }
        for stray in left {
            self.pair_elsewhere(stray);
        }
    }

    /// The only call of a frame that is left, and the index of the only stray result.
    fn without_id(&self, frame: usize, strays: &[Stray]) -> Option<(usize, PartId)> {
        match self.policy.scope {
            // Turns are complete.
            PairScope::Turn => None,
            _ if self.policy.nearest => self.last_pair(frame, strays),
            _ if strays.len() > 1 || self.has_call_with_id(strays[0].result) => None,
            _ => self.only_call_without_id(frame).map(|call| (0, call)),
        }
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
    pub(super) fn find_rivals(&mut self) {
        if self.found.pairs.failed.is_empty() {
            return;
        }
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
                self.found.pairs.with_rival.insert(*rival);
            }
        }
    }

    /// Pairs a stray result with a call of another frame.
    fn pair_elsewhere(&mut self, stray: &Stray) {
        let key = self.key_elsewhere(stray.result);
        let Some(calls) = key.and_then(|key| self.alike.get(key)) else {
            return;
        };
        let split = calls.partition_point(|(frame, _)| (*frame as usize) < stray.frames);
        if self.policy.nearest {
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
                let all = self.policy.scope == PairScope::Turn;
                let next = calls[split..].iter();
                let next = next.take_while(|(frame, _)| all || *frame as usize == stray.frames);
                next.copied().find(|(_, call)| !self.found.has_result(*call))
            }
        };
        if let Some((_, call)) = found {
            self.found.pair(call, stray.result);
        }
    }
}
