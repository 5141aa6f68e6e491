//! Where a list of messages may be cut in front: what is before the cut is summarized or deleted.

use super::event::{PartKind, Role};
use super::facts::Transcript;
use super::index::{EventId, IndexVec, PartId};
use super::pairs::{PairStatus, Pairs};

/// What stands in the way of a cut.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Obstacle {
    /// A call and its result lie on different sides.
    Pair,
    /// A call that still waits would be cut off.
    Pending,
    /// A tool loop with thinking that must stay whole.
    Loop,
    /// What is left does not begin with the user, and no summary goes in front.
    Start,
}

/// The cuts of a list of messages.
pub(crate) struct Cuts<'a> {
    t: &'a Transcript,
    pairs: &'a Pairs,
    messages: &'a [EventId],
    role: &'a dyn Fn(EventId) -> Role,
    /// The summary becomes a user message in front of what is left.
    summary_is_user: bool,
    /// By cut: how many pairs lie across it.
    torn: Vec<u32>,
    /// The first call that waits.
    pending: Option<usize>,
    /// Where the open loop with thinking begins.
    open_loop: Option<usize>,
}

impl<'a> Cuts<'a> {
    /// The cuts of these messages. `bound` says whether a part is thinking that is bound to its place.
    pub(crate) fn new(
        t: &'a Transcript,
        pairs: &'a Pairs,
        messages: &'a [EventId],
        role: &'a dyn Fn(EventId) -> Role,
        bound: &dyn Fn(PartId) -> bool,
        summary_is_user: bool,
    ) -> Cuts<'a> {
        let mut place = IndexVec::for_each_of(&t.events, None);
        for (at, event) in messages.iter().enumerate() {
            place[*event] = Some(at);
        }
        let at = |part: PartId| place[t.a_part(part).event];
        let mut change = vec![0_i64; messages.len() + 2];
        let mut pending = None;
        for (part, standing) in pairs.all() {
            match standing {
                PairStatus::Answers(call) | PairStatus::Surplus(call) => {
                    let (Some(one), Some(other)) = (at(call), at(part)) else {
                        continue;
                    };
                    // Unsafe for every cut behind the first of both, up to the last.
                    change[one.min(other) + 1] += 1;
                    change[one.max(other) + 1] -= 1;
                }
                PairStatus::Open if pairs.batch_of(part).is_some_and(|batch| batch.pending) => {
                    pending = pending.into_iter().chain(at(part)).min();
                }
                _ => {}
            }
        }
        let mut torn = Vec::with_capacity(messages.len() + 1);
        let mut across = 0;
        for step in change.iter().take(messages.len() + 1) {
            across += step;
            torn.push(u32::try_from(across).unwrap_or(0));
        }
        let mut cuts = Cuts {
            t,
            pairs,
            messages,
            role,
            summary_is_user,
            torn,
            pending,
            open_loop: None,
        };
        cuts.open_loop = cuts.find_loop(bound);
        cuts
    }

    /// The last user message, where an open tool loop with thinking stands behind it.
    fn find_loop(&self, bound: &dyn Fn(PartId) -> bool) -> Option<usize> {
        let role = |at: usize| (self.role)(self.messages[at]);
        let spoken = (0..self.messages.len())
            .rev()
            .find(|at| role(*at) == Role::User && !self.only_results(*at))?;
        let last = self.messages.len().checked_sub(1)?;
        if role(last) == Role::Assistant && !self.asks(self.messages[last]) {
            return None;
        }
        let thinks = |at: usize| {
            role(at) == Role::Assistant && self.t.event(self.messages[at]).parts.clone().any(bound)
        };
        (spoken + 1..self.messages.len())
            .any(thinks)
            .then_some(spoken)
    }

    /// Whether a message asks for a tool, in a place that is sent.
    fn asks(&self, event: EventId) -> bool {
        let is_call = |part: PartId| {
            self.t.a_part(part).kind == PartKind::Call
                && self.pairs.status(part) != PairStatus::None
        };
        self.t.event(event).parts.clone().any(is_call)
    }

    fn only_results(&self, at: usize) -> bool {
        let parts = self.t.event(self.messages[at]).parts.clone();
        !parts.is_empty()
            && parts
                .into_iter()
                .all(|part| self.t.a_part(part).kind == PartKind::Result)
    }

    /// What stands in the way of cutting in front of message `cut`.
    pub(crate) fn obstacle(&self, cut: usize) -> Option<Obstacle> {
        if self.torn.get(cut).is_some_and(|torn| *torn > 0) {
            return Some(Obstacle::Pair);
        }
        if self.pending.is_some_and(|pending| cut > pending) {
            return Some(Obstacle::Pending);
        }
        if self.open_loop.is_some_and(|start| cut > start) {
            return Some(Obstacle::Loop);
        }
        let inside = cut != 0 && cut < self.messages.len();
        (!self.summary_is_user && inside && !self.begins_with_user(cut)).then_some(Obstacle::Start)
    }

    /// Whether what is left begins with words of the user, or nothing is left: then no summary need stand in front of it.
    pub(crate) fn begins_with_user(&self, cut: usize) -> bool {
        let begins = |event: &EventId| (self.role)(*event) == Role::User && !self.only_results(cut);
        self.messages.get(cut).is_none_or(begins)
    }

    /// The greatest safe cut that keeps at least as much as this one.
    pub(crate) fn safe_before(&self, cut: usize) -> usize {
        (0..=cut.min(self.messages.len()))
            .rev()
            .find(|cut| self.obstacle(*cut).is_none())
            .unwrap_or(0)
    }

    /// The least safe cut that keeps no more than this one. `None`: there is none.
    pub(crate) fn safe_behind(&self, cut: usize) -> Option<usize> {
        (cut..=self.messages.len()).find(|cut| self.obstacle(*cut).is_none())
    }
}
