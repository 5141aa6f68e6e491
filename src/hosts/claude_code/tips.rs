//! The open ends of the conversation, line by line: messages without a message below them so far.

use std::collections::BTreeSet;

use hashbrown::{HashMap, HashSet};

use super::records::{is_result, is_spoken, pair_ids};
use crate::transcript::{EventId, Id, IndexVec, Role, Transcript};

/// The open ends before a line.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Ends {
    /// The only open end, which must be the parent of what was lost before this line.
    pub only: Option<EventId>,
    /// The newest open end.
    pub newest: Option<EventId>,
}

/// The lines of one response and its results. Its branches are not open ends once the conversation continues after one of
/// them.
#[derive(Default)]
struct AnsweredResponse {
    ends: BTreeSet<EventId>,
    continued: bool,
}

/// A record that was passed.
struct Passed {
    event: EventId,
    parent: Option<EventId>,
    /// The conversation begins anew with it.
    anew: bool,
}

/// The open ends during a walk through the file. They are found when somebody asks for them: nobody does in a healthy
/// session.
pub(super) struct Tips<'a> {
    t: &'a Transcript,
    /// The records that were passed since the last question.
    passed: Vec<Passed>,
    /// The current open ends.
    tips: BTreeSet<EventId>,
    answers: HashMap<Id, AnsweredResponse>,
    /// The response of each call, by the call's ID.
    owners: HashMap<Id, Id>,
    /// The response of each event, if it is part of one.
    part_of: IndexVec<EventId, Option<Id>>,
    /// For each event, the nearest message or compaction: itself or an ancestor.
    nearest: IndexVec<EventId, Option<EventId>>,
    arrived: IndexVec<EventId, bool>,
    /// Records later in the file that already have a child.
    awaited: HashSet<EventId>,
}

impl<'a> Tips<'a> {
    /// The state before the first line.
    pub(super) fn new(t: &'a Transcript) -> Tips<'a> {
        let events = t.events.len();
        Tips {
            t,
            passed: Vec::new(),
            tips: BTreeSet::new(),
            answers: HashMap::new(),
            owners: HashMap::new(),
            part_of: IndexVec::filled(events, None),
            nearest: IndexVec::filled(events, None),
            arrived: IndexVec::filled(events, false),
            awaited: HashSet::new(),
        }
    }

    /// The open ends after the records that were passed.
    pub(super) fn ends(&mut self) -> Ends {
        for passed in std::mem::take(&mut self.passed) {
            self.add(passed);
        }
        let newest = self.tips.last().copied();
        Ends { only: newest.filter(|_| self.tips.len() == 1), newest }
    }

    /// Passes the next record, which has this parent. `anew`: the conversation begins anew with it.
    pub(super) fn pass(&mut self, event: EventId, parent: Option<EventId>, anew: bool) {
        self.passed.push(Passed { event, parent, anew });
    }

    fn add(&mut self, passed: Passed) {
        let Passed { event, parent, anew } = passed;
        self.arrived[event] = true;
        if anew {
            self.tips = BTreeSet::from([event]);
            self.answers.clear();
            self.awaited.clear();
            self.nearest[event] = Some(event);
            return;
        }
        let there = parent.filter(|parent| self.arrived[*parent]);
        let above = there.and_then(|parent| self.nearest[parent]);
        let spoken = is_spoken(self.t, event);
        let has_child = self.awaited.remove(&event);
        self.nearest[event] = if spoken { Some(event) } else { above };
        if !spoken && !has_child {
            return;
        }
        if let Some(parent) = parent.filter(|_| there.is_none()) {
            self.awaited.insert(parent);
        }
        let own = if spoken { self.answer_of(event) } else { None };
        let part = own.filter(|own| self.is_part(event, *own, above));
        self.part_of[event] = part;
        if let Some(above) = above {
            self.close(above, part);
        }
        if spoken && !has_child {
            self.open(event, part);
        }
    }

    /// The response that a line belongs to, or that a result answers.
    fn answer_of(&mut self, event: EventId) -> Option<Id> {
        let record = self.t.event(event);
        if record.role == Role::Assistant {
            let calls = pair_ids(self.t, event);
            for (call, batch) in calls.zip(std::iter::repeat(record.batch?)) {
                self.owners.insert(call, batch);
            }
            return record.batch;
        }
        let ids = pair_ids(self.t, event);
        ids.filter_map(|id| self.owners.get(&id)).copied().next()
    }

    /// Whether a record is a branch of its response, and not the continuation after a prompt in between.
    fn is_part(&self, event: EventId, own: Id, above: Option<EventId>) -> bool {
        let above = above.filter(|above| is_spoken(self.t, *above));
        let inside = above.is_some_and(|above| self.part_of[above] == Some(own));
        inside || (!is_result(self.t, event) && !self.answers.contains_key(&own))
    }

    fn close(&mut self, above: EventId, part: Option<Id>) {
        self.tips.remove(&above);
        let Some(of) = self.part_of[above] else {
            return;
        };
        let Some(answer) = self.answers.get_mut(&of) else {
            return;
        };
        answer.ends.remove(&above);
        if part != Some(of) && !answer.continued {
            answer.continued = true;
            answer.ends.iter().for_each(|end| _ = self.tips.remove(end));
        } else if let Some(last) = answer.ends.last().filter(|_| !answer.continued) {
            self.tips.insert(*last);
        }
    }

    fn open(&mut self, event: EventId, part: Option<Id>) {
        let Some(part) = part else {
            self.tips.insert(event);
            return;
        };
        let answer = self.answers.entry(part).or_default();
        if let Some(last) = answer.ends.last() {
            self.tips.remove(last);
        }
        answer.ends.insert(event);
        if !answer.continued
            && let Some(last) = answer.ends.last()
        {
            self.tips.insert(*last);
        }
    }
}
