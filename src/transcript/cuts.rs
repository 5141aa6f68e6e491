//! Where a list of messages may be cut. The messages before the cut are summarized or deleted.

use super::conversation::Transcript;
use super::event::{PartKind, Role};
use super::index::{EventId, IndexVec, PartId};
use super::pairs::{PairStatus, Pairs};

/// Why a cut is not safe.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Obstacle {
    /// A call and its result are on different sides.
    Pair,
    /// A call that still waits for its result would be removed.
    Pending,
    /// It is in a tool loop with thinking, which must stay whole.
    Loop,
    /// The remaining messages do not start with the user, and no summary is put before them.
    Start,
}

/// The cuts of a list of messages.
pub(crate) struct Cuts<'a> {
    t: &'a Transcript,
    pairs: &'a Pairs,
    messages: &'a [EventId],
    role: &'a dyn Fn(EventId) -> Role,
    /// The summary becomes a user message before the remaining messages.
    summary_is_user: bool,
    /// For each cut, how many pairs it splits.
    split_pairs: Vec<u32>,
    /// The message with the first call that waits for its result.
    pending: Option<usize>,
    /// The message that starts the open loop with thinking.
    open_loop: Option<usize>,
}

impl<'a> Cuts<'a> {
    /// The cuts of these messages. `bound` says whether a part is thinking that must stay at its place.
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
        let at = |part: PartId| place[t.part(part).event];
        let mut change = vec![0_i64; messages.len() + 2];
        let mut pending = None;
        for (part, status) in pairs.all() {
            match status {
                PairStatus::Answers(call) | PairStatus::Surplus(call) => {
                    let (Some(first), Some(second)) = (at(call), at(part)) else {
                        continue;
                    };
                    // Every cut after the first of the two, up to the second, splits them.
                    change[first.min(second) + 1] += 1;
                    change[first.max(second) + 1] -= 1;
                }
                PairStatus::Open if pairs.batch_of(part).is_some_and(|batch| batch.pending) => {
                    pending = pending.into_iter().chain(at(part)).min();
                }
                _ => {}
            }
        }
        let mut split_pairs = Vec::with_capacity(messages.len() + 1);
        let mut count = 0;
        for step in change.iter().take(messages.len() + 1) {
            count += step;
            split_pairs.push(u32::try_from(count).unwrap_or(0));
        }
        let mut cuts = Cuts {
            t,
            pairs,
            messages,
            role,
            summary_is_user,
            split_pairs,
            pending,
            open_loop: None,
        };
        cuts.open_loop = cuts.find_loop(bound);
        cuts
    }

    /// The last user message, if an open tool loop with thinking follows it.
    fn find_loop(&self, bound: &dyn Fn(PartId) -> bool) -> Option<usize> {
        let role = |at: usize| (self.role)(self.messages[at]);
        let last_user = (0..self.messages.len())
            .rev()
            .find(|at| role(*at) == Role::User && !self.only_results(*at))?;
        let last = self.messages.len().checked_sub(1)?;
        if role(last) == Role::Assistant && !self.asks(self.messages[last]) {
            return None;
        }
        (last_user + 1..self.messages.len())
            .any(|at| {
                role(at) == Role::Assistant
                    && self.t.event(self.messages[at]).parts.clone().any(bound)
            })
            .then_some(last_user)
    }

    /// Whether a message has a tool call that is sent.
    fn asks(&self, event: EventId) -> bool {
        self.t.event(event).parts.clone().any(|part| {
            self.t.part(part).kind == PartKind::Call && self.pairs.status(part) != PairStatus::None
        })
    }

    fn only_results(&self, at: usize) -> bool {
        let parts = self.t.event(self.messages[at]).parts.clone();
        !parts.is_empty()
            && parts.into_iter().all(|part| self.t.part(part).kind == PartKind::Result)
    }

    /// Why a cut before message `cut` is not safe. `None`: it is safe.
    pub(crate) fn obstacle(&self, cut: usize) -> Option<Obstacle> {
        if self.split_pairs.get(cut).is_some_and(|count| *count > 0) {
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

    /// Whether the remaining messages start with one of the user, or none remain. Then they do not need a summary before them.
    pub(crate) fn begins_with_user(&self, cut: usize) -> bool {
        self.messages
            .get(cut)
            .is_none_or(|event| (self.role)(*event) == Role::User && !self.only_results(cut))
    }

    /// The last safe cut at or before this one, which keeps at least as much.
    pub(crate) fn safe_before(&self, cut: usize) -> usize {
        (0..=cut.min(self.messages.len()))
            .rev()
            .find(|cut| self.obstacle(*cut).is_none())
            .unwrap_or(0)
    }

    /// The first safe cut at or after this one, which keeps no more. `None`: there is none.
    pub(crate) fn safe_after(&self, cut: usize) -> Option<usize> {
        (cut..=self.messages.len()).find(|cut| self.obstacle(*cut).is_none())
    }
}
