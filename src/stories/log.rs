//! The whole log as stories see it: who did what to a call, on the active branch or not.

use std::borrow::Cow;
use std::collections::HashMap;

use super::{Branch, Is, Names};
use crate::engine::Judged;
use crate::transcript::pairs::Pairs;
use crate::transcript::{
    EventNo, Fate, Id, LinkKind, Origin, PartKind, PartNo, Role, State, Transcript, Value, View, attr,
};

/// A log, indexed for the questions of stories. Every list is in the order of storage.
pub struct Log<'a> {
    /// The facts.
    pub t: &'a Transcript,
    /// What would be sent.
    pub view: &'a View,
    /// The pairs of the whole log, other branches included.
    pub pairs: Pairs,
    status: HashMap<&'a str, Vec<EventNo>>,
    stopped: Vec<EventNo>,
    user: Vec<EventNo>,
    spoke: Vec<EventNo>,
    turns: Vec<Turn>,
    results: Vec<EventNo>,
    by_id: HashMap<Id, Vec<EventNo>>,
}

/// Something that the model said or asked for.
struct Turn {
    event: EventNo,
    /// The first call of its batch.
    batch: Option<PartNo>,
    /// Position of the next turn of another batch.
    next: usize,
}

impl<'a> Log<'a> {
    /// Goes through a conversation once.
    pub fn of(judged: &'a Judged) -> Log<'a> {
        let (t, view) = (&judged.transcript, judged.view());
        let records: Vec<EventNo> = t.records().collect();
        let mut log = Log {
            t,
            view,
            pairs: Pairs::find(t, &records),
            status: HashMap::new(),
            stopped: Vec::new(),
            user: Vec::new(),
            spoke: Vec::new(),
            turns: Vec::new(),
            results: Vec::new(),
            by_id: HashMap::new(),
        };
        for event in records.into_iter().filter(|event| t.event(*event).state != State::Hole) {
            log.add(event);
        }
        for at in (0..log.turns.len().saturating_sub(1)).rev() {
            let same = log.turns[at].batch.is_some() && log.turns[at].batch == log.turns[at + 1].batch;
            log.turns[at].next = if same { log.turns[at + 1].next } else { at + 1 };
        }
        log
    }

    fn add(&mut self, event: EventNo) {
        let t = self.t;
        if let Some(Value::Text(status)) = t.attr_of(event, attr::STATUS) {
            let status = t.ids.get(status);
            self.status.entry(status).or_default().push(event);
            if matches!(status, "finished" | "paused") {
                self.stopped.push(event);
            }
        }
        let role = t.event(event).role;
        let call = t.part_of(event, PartKind::Call);
        let result = t.part_of(event, PartKind::Result);
        let calls = t.event(event).parts.clone().map(|part| t.a_part(part));
        for id in calls.filter(|part| part.kind == PartKind::Call).filter_map(|call| call.id) {
            if !t.ids.is_empty(id) {
                self.by_id.entry(id).or_default().push(event);
            }
        }
        if result.is_some() {
            self.results.push(event);
        }
        if !matches!(self.view.fate(event), Fate::Sent | Fate::Forgotten) {
            return;
        }
        let silent = call.is_none() && result.is_none();
        if silent && matches!(role, Role::User | Role::Assistant) {
            self.spoke.push(event);
        }
        if silent && role == Role::User {
            self.user.push(event);
        }
        if role == Role::Assistant {
            let batch = call.and_then(|call| self.batch(call));
            self.turns.push(Turn { event, batch, next: usize::MAX });
        }
    }

    /// The first call of a call's batch; of a copy, of the batch of the original.
    fn batch(&self, call: PartNo) -> Option<PartNo> {
        self.pairs.batch_of(call).and_then(|batch| batch.calls.first()).copied()
    }

    /// Whether the status was ever recorded as this.
    pub fn was(&self, status: &str) -> bool {
        self.status.contains_key(status)
    }

    /// Results of any call behind `after`, in order.
    pub fn results_after(&self, after: EventNo) -> &[EventNo] {
        &self.results[self.results.partition_point(|event| *event <= after)..]
    }

    /// Whether an event hangs there.
    pub fn hangs(&self, event: EventNo, branch: Branch) -> bool {
        match branch {
            Branch::Any => true,
            Branch::On => self.view.fate(event) != Fate::OffBranch,
            Branch::Off => self.view.fate(event) == Fate::OffBranch,
        }
    }

    /// What a result's link names. One that names a copy of the call names the call.
    pub fn names(&self, call: PartNo, result: EventNo) -> Names {
        let Some(link) = self.t.link_of(result, LinkKind::Call).and_then(|link| link.to) else {
            return Names::Any;
        };
        let own = std::iter::once(&call).chain(self.pairs.copies(call));
        let mut own = own.filter_map(|call| self.t.event(self.t.a_part(*call).event).id);
        if own.any(|id| id == link) { Names::Own } else { Names::Foreign }
    }

    /// The first event behind `after` that is this to a call.
    pub fn first(&self, is: Is, call: PartNo, after: EventNo) -> Option<EventNo> {
        if is == Is::OtherTurn {
            let at = self.turns.partition_point(|turn| turn.event <= after);
            let first = self.turns.get(at)?;
            let same = first.batch.is_some() && first.batch == self.batch(call);
            return if same { self.turns.get(first.next) } else { Some(first) }.map(|turn| turn.event);
        }
        let events = self.events(is, call);
        events.get(events.partition_point(|event| *event <= after)).copied()
    }

    /// All events that are this to a call; of turns, none.
    pub fn events(&self, is: Is, call: PartNo) -> Cow<'_, [EventNo]> {
        match is {
            Is::Status(word) => Cow::Borrowed(self.status.get(word).map_or(&[], Vec::as_slice)),
            Is::Stopped => Cow::Borrowed(&self.stopped),
            Is::UserSpoke => Cow::Borrowed(&self.user),
            Is::Spoke => Cow::Borrowed(&self.spoke),
            Is::SameId => {
                let id = self.t.a_part(call).id;
                Cow::Borrowed(id.and_then(|id| self.by_id.get(&id)).map_or(&[], Vec::as_slice))
            }
            Is::Sister => {
                let calls = self.pairs.batch_of(call).map_or(&[][..], |batch| &batch.calls);
                Cow::Owned(calls.iter().map(|call| self.t.a_part(*call).event).collect())
            }
            Is::Call(branch) => {
                let event = self.t.a_part(call).event;
                Cow::Owned(Some(event).filter(|event| self.hangs(*event, branch)).into_iter().collect())
            }
            Is::Answer => {
                let answer = self.view.pairs.answer(call).map(|result| self.t.a_part(result).event);
                Cow::Owned(answer.into_iter().collect())
            }
            Is::Recovery(_) | Is::Output(..) | Is::HostError | Is::Rejection | Is::Result(_) => {
                let own = self.pairs.results(call).iter().filter(|result| self.is(is, call, **result));
                Cow::Owned(own.map(|result| self.t.a_part(*result).event).collect())
            }
            Is::OtherTurn | Is::Resumed => Cow::Borrowed(&[]),
        }
    }

    fn is(&self, is: Is, call: PartNo, result: PartNo) -> bool {
        let (event, origin) = (self.t.a_part(result).event, self.t.a_part(result).origin);
        match is {
            Is::Recovery(branch) => {
                self.t.attr_of(event, attr::RECOVERY).is_some() && self.hangs(event, branch)
            }
            Is::Output(names, branch) => {
                let named = names == Names::Any || self.names(call, event) == names;
                origin == Origin::Real && named && self.hangs(event, branch)
            }
            Is::HostError => origin == Origin::HostError,
            Is::Rejection => origin == Origin::Rejection,
            Is::Result(branch) => self.hangs(event, branch),
            _ => false,
        }
    }
}
