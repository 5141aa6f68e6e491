//! An index of the whole log for stories: who did what to a call, on the active branch or not.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::ids::{Maker, maker};
use super::{Branch, Names};
use crate::engine::Judged;
use crate::format::FormatContext;
use crate::rules::Finding;
use crate::transcript::pairs::{Batch, PairPolicy, PairStatus, Paired, Pairs};
use crate::transcript::{
    EventId, Fact, Id, Inclusion, LinkKind, PartId, PartKind, Request, Role, State, Transcript,
    facts,
};

/// Most calls without an ID, in one record, that a finding may mean.
const LOOKED_AT: usize = 100;

/// A log, indexed for stories. Every list is in the order of storage.
pub(super) struct Log<'a> {
    pub t: &'a Transcript,
    pub request: &'a Request,
    context: &'a FormatContext<'a>,
    /// The text of a record.
    text: fn(&FormatContext<'_>, EventId) -> Option<String>,
    /// The pairs of the whole log, other branches included.
    whole: Pairs,
    pub(super) status: HashMap<&'a str, Vec<EventId>>,
    pub(super) marked: HashMap<Fact, Vec<EventId>>,
    pub(super) stopped: Vec<EventId>,
    pub(super) user: Vec<EventId>,
    pub(super) host: Vec<EventId>,
    pub(super) spoke: Vec<EventId>,
    pub(super) turns: Vec<LogTurn>,
    pub(super) results: Vec<EventId>,
    pub(super) readable: Vec<EventId>,
    pub(super) unreadable: Vec<EventId>,
    pub(super) failed: Vec<EventId>,
    pub(super) forgets: Vec<EventId>,
    pub(super) by_id: HashMap<Id, Vec<EventId>>,
    /// The calls of each record, by ID.
    calls: HashMap<(EventId, Id), Vec<PartId>>,
    /// The calls of each record.
    calls_in: HashMap<EventId, Vec<PartId>>,
    /// The first call of each provider that is recognized by the shape of its IDs.
    pub(super) makers: BTreeMap<Maker, EventId>,
}

/// A message or call of the model.
pub(super) struct LogTurn {
    pub(super) event: EventId,
    /// The first call of its batch.
    pub(super) batch: Option<PartId>,
    /// Position of the next turn of another batch.
    pub(super) next: usize,
}

impl<'a> Log<'a> {
    /// Indexes a conversation in one pass.
    pub(super) fn of(context: &'a FormatContext<'a>, judged: &'a Judged) -> Log<'a> {
        let (t, request) = (&judged.transcript, judged.request());
        let records: Vec<EventId> = t.records().collect();
        let mut log = Log {
            t,
            request,
            context,
            text: judged.detection.format.text,
            whole: Pairs::find(t, PairPolicy::CONVERSATION, &Paired::events(&records)),
            status: HashMap::new(),
            marked: HashMap::new(),
            stopped: Vec::new(),
            user: Vec::new(),
            host: Vec::new(),
            spoke: Vec::new(),
            turns: Vec::new(),
            results: Vec::new(),
            readable: Vec::new(),
            unreadable: Vec::new(),
            failed: Vec::new(),
            forgets: Vec::new(),
            by_id: HashMap::new(),
            calls: HashMap::new(),
            calls_in: HashMap::new(),
            makers: BTreeMap::new(),
        };
        for event in t.with_inner() {
            log.index_calls(event);
        }
        for event in records {
            match t.event(event).state {
                State::Unreadable => log.unreadable.push(event),
                State::Padding => {}
                State::Whole | State::Recovered => log.add(event),
            }
        }
        for at in (0..log.turns.len().saturating_sub(1)).rev() {
            let same =
                log.turns[at].batch.is_some() && log.turns[at].batch == log.turns[at + 1].batch;
            log.turns[at].next = if same { log.turns[at + 1].next } else { at + 1 };
        }
        log
    }

    fn index_calls(&mut self, event: EventId) {
        for part in self.t.event(event).parts.clone() {
            let own = self.t.part(part);
            if own.kind == PartKind::Call {
                self.calls_in.entry(event).or_default().push(part);
                if let Some(id) = own.id {
                    self.calls.entry((event, id)).or_default().push(part);
                }
            }
        }
    }

    fn add(&mut self, event: EventId) {
        let t = self.t;
        self.readable.push(event);
        if let Some(status) = t.fact_text(event, facts::STATUS) {
            self.status.entry(status).or_default().push(event);
            if matches!(status, "finished" | "paused") {
                self.stopped.push(event);
            }
        }
        for name in [facts::STOPPED, facts::FAILURE, facts::ASKS_COMPACTION, facts::SUMMARY] {
            if t.value_of(event, name).is_some() {
                self.marked.entry(name).or_default().push(event);
            }
        }
        if t.event(event).failed {
            self.failed.push(event);
        }
        if t.link_of(event, LinkKind::Forgets).is_some() {
            self.forgets.push(event);
        }
        let role = t.event(event).role;
        let call = t.part_of(event, PartKind::Call);
        let result = t.part_of(event, PartKind::Result);
        let is_sent =
            matches!(self.request.inclusion(event), Inclusion::Sent | Inclusion::Forgotten);
        let parts = t.event(event).parts.clone();
        for id in
            parts.filter_map(|part| t.part(part).id.filter(|_| t.part(part).kind == PartKind::Call))
        {
            if !t.ids.is_empty(id) {
                self.by_id.entry(id).or_default().push(event);
            }
            if let Some(maker) = maker(t.ids.get(id)).filter(|_| is_sent) {
                self.makers.entry(maker).or_insert(event);
            }
        }
        if result.is_some() {
            self.results.push(event);
        }
        if !is_sent {
            return;
        }
        let silent = call.is_none() && result.is_none();
        let is_message = silent && matches!(role, Role::User | Role::Assistant);
        if is_message && t.value_of(event, facts::BY_HOST).is_some() {
            self.host.push(event);
            return;
        }
        // If the user stops a response, the client writes a message in the user's place; that is
        // not a message of the user.
        if is_message && t.value_of(event, facts::STOPPED).is_none() {
            self.spoke.push(event);
            if role == Role::User {
                self.user.push(event);
            }
        }
        if role == Role::Assistant {
            let batch = call.and_then(|call| self.batch(call));
            self.turns.push(LogTurn { event, batch, next: usize::MAX });
        }
    }

    /// The calls of the response that made a call, other branches included.
    pub(super) fn batch_of(&self, call: PartId) -> Option<&Batch> {
        let both = [self.request.pairs.batch_of(call), self.whole.batch_of(call)];
        both.into_iter().flatten().rev().max_by_key(|batch| batch.calls.len())
    }

    /// The first call of the batch of a call; for a copy, of the batch of the original.
    pub(super) fn batch(&self, call: PartId) -> Option<PartId> {
        self.batch_of(call).and_then(|batch| batch.calls.first()).copied()
    }

    /// The calls of a record that have this ID.
    pub(super) fn calls_with(&self, event: EventId, id: Option<Id>) -> &[PartId] {
        id.and_then(|id| self.calls.get(&(event, id))).map_or(&[], Vec::as_slice)
    }

    /// The calls that a finding is about, in order: those in its records with its IDs, or the only
    /// call of a record.
    pub(super) fn calls_of(&self, finding: &Finding) -> BTreeSet<PartId> {
        let events: BTreeSet<EventId> = finding.labels.iter().map(|label| label.event).collect();
        let mut calls = BTreeSet::new();
        for event in events {
            match self.calls_in.get(&event).map_or(&[][..], Vec::as_slice) {
                [] => {}
                [only] => calls.extend([*only]),
                several if finding.calls.is_empty() => calls.extend(several.iter().take(LOOKED_AT)),
                _ => calls
                    .extend(finding.calls.iter().flat_map(|id| self.calls_with(event, Some(*id)))),
            }
        }
        calls
    }

    /// All results of a call, in the order of storage: those that are sent, and those on other
    /// branches.
    pub(super) fn results(&self, call: PartId) -> Vec<PartId> {
        let sent = self.request.pairs.results(call).iter().copied();
        let mut all: Vec<PartId> = sent
            .chain(self.whole.results(call).iter().copied().filter(|part| {
                matches!(self.request.pairs.status(*part), PairStatus::None | PairStatus::Orphan)
            }))
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The calls that have more than one result, in order.
    pub(super) fn answered_twice(&self) -> impl Iterator<Item = PartId> + '_ {
        let answered =
            self.whole.all().filter(|(_, standing)| matches!(standing, PairStatus::Answered(_)));
        answered.map(|(call, _)| call).filter(|call| self.results(*call).len() > 1)
    }

    /// Whether the host ever recorded this status.
    pub(super) fn was(&self, status: &str) -> bool {
        self.status.contains_key(status)
    }

    /// The text of a record.
    pub(super) fn text(&self, event: EventId) -> Option<String> {
        (self.text)(self.context, event)
    }

    /// Results of any call after `after`, in order.
    pub(super) fn results_after(&self, after: EventId) -> &[EventId] {
        &self.results[self.results.partition_point(|event| *event <= after)..]
    }

    /// Whether an event is on this branch.
    pub(super) fn is_on_branch(&self, event: EventId, branch: Branch) -> bool {
        match branch {
            Branch::Any => true,
            Branch::On => self.request.inclusion(event) != Inclusion::OffBranch,
            Branch::Off => self.request.inclusion(event) == Inclusion::OffBranch,
        }
    }

    /// What the link of a result names. A copy of the call counts as the call.
    pub(super) fn names(&self, call: PartId, result: EventId) -> Names {
        let Some(link) = self.t.link_of(result, LinkKind::Call).and_then(|link| link.to) else {
            return Names::Any;
        };
        let copies = self.whole.copies(call).iter().chain(self.request.pairs.copies(call));
        let mut own = std::iter::once(&call).chain(copies);
        let own = own.any(|call| self.t.event(self.t.part(*call).event).id == Some(link));
        if own { Names::Own } else { Names::Foreign }
    }
}
