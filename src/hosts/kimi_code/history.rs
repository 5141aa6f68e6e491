//! The conversation that the host builds from the journal, record by record (`loopEventFold.ts`, `contextOps.ts`).

use super::{own, read};
use crate::transcript::{EventId, Id, PartKind, State, Transcript};

#[derive(Default)]
pub(super) struct History {
    /// The parts and messages that are sent, in order.
    pub sent: Vec<EventId>,
    /// The same with what proves that a call was given up, and without messages that wait for the results before them.
    pub sequence: Vec<EventId>,
    /// What a compaction or `/clear` replaced.
    pub forgotten: Vec<EventId>,
    /// What was taken back.
    pub undone: Vec<EventId>,
    /// Parts whose step has no beginning.
    pub stranded: Vec<EventId>,
    /// The calls among them.
    lost: Vec<Option<Id>>,
    /// The last compaction, and how many of `sent` are before its summary.
    pub summary: Option<(usize, EventId)>,
    /// The step that is open.
    step: Option<Id>,
    /// Its calls without results.
    open: Vec<Option<Id>>,
    /// Messages that came while calls were open.
    waiting: Vec<EventId>,
}

impl History {
    pub(super) fn replay(t: &Transcript) -> History {
        let mut history = History::default();
        for event in t.records() {
            if matches!(t.event(event).state, State::Whole | State::Recovered) {
                history.add(t, event);
            }
        }
        // The host sends them after its placeholders, and their calls may still get results.
        let waiting = std::mem::take(&mut history.waiting);
        history.sent.extend(waiting);
        history
    }

    fn add(&mut self, t: &Transcript, event: EventId) {
        match t.kind(event) {
            read::BEGIN => {
                self.settle(event);
                self.step = t.fact_id(event, own::STEP);
            }
            read::END if !t.has(event, own::FAILED) => {
                self.settle(event);
                self.step = None;
            }
            read::CLEAR => {
                self.forgotten.append(&mut self.sent);
                self.summary = None;
                self.restart();
            }
            read::COMPACTION => self.compact(t, event),
            read::UNDO => self.undo(t, event),
            _ if !t.event(event).role.is_sent() => {}
            _ if t.has(event, own::STEP) => self.add_part(t, event),
            read::RESULT => self.add_result(t, event),
            _ if self.open.is_empty() => self.push(event),
            _ => self.waiting.push(event),
        }
    }

    fn push(&mut self, event: EventId) {
        self.sent.push(event);
        self.sequence.push(event);
    }

    /// The step before this record is over: its open calls get no results anymore.
    fn settle(&mut self, event: EventId) {
        if !self.open.is_empty() {
            self.sequence.push(event);
        }
        self.open.clear();
        self.send_waiting();
    }

    fn send_waiting(&mut self) {
        for event in std::mem::take(&mut self.waiting) {
            self.push(event);
        }
    }

    fn add_part(&mut self, t: &Transcript, event: EventId) {
        let calls = t.parts_of(event, PartKind::Call).map(|call| t.part(call).id);
        if self.step.is_none() || t.fact_id(event, own::STEP) != self.step {
            self.stranded.push(event);
            return self.lost.extend(calls);
        }
        self.push(event);
        self.open.extend(calls);
    }

    fn add_result(&mut self, t: &Transcript, event: EventId) {
        let ids: Vec<Option<Id>> =
            t.parts_of(event, PartKind::Result).map(|result| t.part(result).id).collect();
        if ids.iter().any(|id| self.lost.contains(id) && !self.open.contains(id)) {
            return self.stranded.push(event);
        }
        self.push(event);
        self.open.retain(|call| !ids.contains(call));
        if self.open.is_empty() {
            self.send_waiting();
        }
    }

    /// What is sent was replaced.
    fn restart(&mut self) {
        self.sequence.clone_from(&self.sent);
        self.step = None;
        self.open.clear();
        self.waiting.clear();
    }

    /// A summary takes the place of everything but the prompts of people. Before version 0.21, it left the last messages, too:
    /// these count as forgotten here.
    fn compact(&mut self, t: &Transcript, event: EventId) {
        self.settle(event);
        let (sent, forgotten): (Vec<EventId>, Vec<EventId>) =
            self.sent.drain(..).partition(|message| t.has(*message, own::PROMPT));
        self.forgotten.extend(forgotten);
        self.summary = Some((sent.len(), event));
        self.sent = sent;
        self.restart();
    }

    /// The last prompts of people are taken back with what follows each. What the host said itself stays if it is before them.
    fn undo(&mut self, t: &Transcript, event: EventId) {
        let turns = t.fact_number(event, own::TURNS).and_then(|turns| usize::try_from(turns).ok());
        let floor = self.summary.map_or(0, |(at, _)| at);
        let prompts = (floor..self.sent.len()).rev();
        let mut prompts = prompts.filter(|at| t.has(self.sent[*at], own::PROMPT));
        let Some(cut) = turns.and_then(|turns| prompts.nth(turns.checked_sub(1)?)) else {
            return;
        };
        self.undone.extend(self.sent.split_off(cut));
        self.undone.append(&mut self.waiting);
        self.restart();
    }
}
