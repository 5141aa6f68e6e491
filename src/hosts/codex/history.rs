//! The effective history: what the host keeps when it loads its records.
//!
//! It splits the records into turns, newest first; a turn reaches back to where it was started. A
//! rollback drops the newest turns of a person before it. The newest compaction with a list in a
//! remaining turn is the base, and everything after it is replayed.

use super::own;
use crate::shapes::chat;
use crate::transcript::{EventId, Fact, Transcript};

/// The remaining records.
#[derive(Default)]
pub(super) struct RolloutHistory {
    /// The items that are sent, in order.
    pub sent: Vec<EventId>,
    /// Compactions without a list whose summary is sent, each with the number of items before it.
    pub summaries: Vec<(usize, EventId)>,
    /// The first record that counts; older ones are not sent anymore.
    pub start: EventId,
    /// The compaction that replaces everything before it.
    pub base: Option<EventId>,
    /// Further proof that the conversation continued: starts and ends of turns.
    pub marks: Vec<EventId>,
}

/// A turn, collected from its end.
#[derive(Default)]
struct RolloutTurn {
    id: Option<crate::transcript::Id>,
    of_person: bool,
    base: Option<EventId>,
}

fn has(t: &Transcript, event: EventId, name: Fact) -> bool {
    t.has(event, name)
}

fn number(t: &Transcript, event: EventId, name: Fact) -> Option<u64> {
    t.fact_number(event, name).and_then(|number| u64::try_from(number).ok())
}

impl RolloutHistory {
    pub(super) fn find(t: &Transcript) -> RolloutHistory {
        let readable = t.records().filter(|event| t.is_readable(*event));
        let records: Vec<EventId> = readable.collect();
        let (base, from) = base(t, &records);
        let mut history = RolloutHistory { base, ..RolloutHistory::default() };
        if let Some(base) = base {
            history.sent = list(t, base);
        }
        history.start = records.get(from).copied().unwrap_or(t.events.end());
        for event in &records[from.min(records.len())..] {
            history.play(t, *event);
        }
        history
    }

    fn play(&mut self, t: &Transcript, event: EventId) {
        if has(t, event, own::COMPACTED) {
            self.base = Some(event);
            self.start = event;
            if has(t, event, own::LIST) {
                self.sent = list(t, event);
                self.summaries.clear();
            } else {
                self.sent.retain(|event| has(t, *event, own::USER_TURN));
                self.summaries = vec![(self.sent.len(), event)];
            }
        } else if let Some(turns) = number(t, event, own::ROLLED_BACK) {
            self.roll_back(t, turns);
        } else if [own::STARTED, own::COMPLETE, own::ABORTED]
            .iter()
            .any(|name| has(t, event, *name))
        {
            self.marks.push(event);
        } else if t.event(event).role.is_sent() && !has(t, event, own::HEADER) {
            self.sent.push(event);
        }
    }

    /// Drops everything from the n-th last message of a person on, and what the host wrote directly
    /// before it.
    fn roll_back(&mut self, t: &Transcript, turns: u64) {
        let starts = (0..self.sent.len()).filter(|at| has(t, self.sent[*at], own::USER_TURN));
        let starts: Vec<usize> = starts.collect();
        let Some(first) = starts.first().copied().filter(|_| turns > 0) else {
            return;
        };
        let back = usize::try_from(turns).unwrap_or(usize::MAX);
        let mut cut = starts.iter().copied().nth_back(back - 1).unwrap_or(first);
        while cut > first && has(t, self.sent[cut - 1], own::CONTEXT) {
            cut -= 1;
        }
        self.sent.truncate(cut);
        self.summaries.retain(|(at, _)| *at <= cut);
    }

    /// What is sent and what proves that the conversation continued, in the order of the records.
    /// What the host tells the model about itself proves nothing.
    pub(super) fn sequence(&self, t: &Transcript) -> Vec<EventId> {
        let mut all = chat::without_system(t, &self.sent);
        all.extend(&self.marks);
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// The elements of a compaction's list that are sent.
fn list(t: &Transcript, holder: EventId) -> Vec<EventId> {
    let inner =
        t.events.ids_from(holder.next()).take_while(|event| t.event(*event).within == Some(holder));
    inner.filter(|event| t.event(*event).role.is_sent()).collect()
}

/// The compaction that replaces everything older, and the index of the first record after it.
fn base(t: &Transcript, records: &[EventId]) -> (Option<EventId>, usize) {
    if !t.is_known(own::LIST) {
        return (None, 0);
    }
    let mut from = 0;
    let mut found_from = false;
    let mut dropped = 0_u64;
    let mut turn: Option<RolloutTurn> = None;
    let mut base = None;
    // From the end, because a rollback drops the turns before it.
    for (at, event) in records.iter().copied().enumerate().rev() {
        if has(t, event, own::COMPACTED) {
            let turn = turn.get_or_insert_default();
            if turn.base.is_none() && has(t, event, own::LIST) {
                turn.base = Some(event);
                (from, found_from) = (at + 1, true);
            }
        } else if let Some(turns) = number(t, event, own::ROLLED_BACK) {
            dropped = dropped.saturating_add(turns);
        } else if has(t, event, own::COMPLETE) {
            let turn = turn.get_or_insert_default();
            turn.id = turn.id.or(t.fact_id(event, own::TURN));
        } else if has(t, event, own::ABORTED) {
            match (&mut turn, t.fact_id(event, own::TURN)) {
                (Some(turn), id) => turn.id = turn.id.or(id),
                (None, Some(id)) => {
                    turn = Some(RolloutTurn { id: Some(id), ..RolloutTurn::default() })
                }
                (None, None) => {}
            }
        } else if has(t, event, own::STARTED) {
            let id = t.fact_id(event, own::TURN);
            if let Some(ended) =
                turn.take_if(|turn| turn.id.is_none() || id.is_none() || turn.id == id)
            {
                base = base_of_turn(&ended, &mut dropped);
            }
        } else if has(t, event, own::USER_MESSAGE) || has(t, event, own::USER_TURN) {
            turn.get_or_insert_default().of_person = true;
        } else if t.kind(event) == "turn_context" {
            let turn = turn.get_or_insert_default();
            turn.id = turn.id.or(t.fact_id(event, own::TURN));
        } else if t.event(event).role.is_sent() && !has(t, event, own::HEADER) {
            turn.get_or_insert_default();
        }
        if base.is_some() {
            return (base, from);
        }
    }
    if let Some(ended) = turn {
        base = base_of_turn(&ended, &mut dropped);
    }
    (base, if found_from { from } else { 0 })
}

/// Handles a complete turn: it is dropped by a rollback, or its compaction counts.
fn base_of_turn(turn: &RolloutTurn, dropped: &mut u64) -> Option<EventId> {
    if *dropped > 0 {
        *dropped -= u64::from(turn.of_person);
        return None;
    }
    turn.base
}
