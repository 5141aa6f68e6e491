//! Pairing over the whole conversation, for hosts whose IDs identify one call.
//!
//! IDs repeat even in healthy transcripts, so the position counts. A result belongs to the first of these that exists: the
//! call that its link points to, the nearest open call before it with its ID, the nearest answered one (the result is
//! surplus), the nearest one after it (the result is early).

use std::collections::BTreeSet;

use hashbrown::{HashMap, HashSet};

use super::build::PairBuilder;
use super::{Batch, MatchedBy, PairPolicy, PairStatus, Paired, Pairs, PartTable};
use crate::transcript::conversation::Transcript;
use crate::transcript::event::{LinkKind, Origin, PartKind};
use crate::transcript::ids::Id;
use crate::transcript::index::{EventId, IndexVec, PartId};

pub(super) fn find(t: &Transcript, policy: PairPolicy, paired: &Paired<'_>) -> Pairs {
    let mut finder = ConversationFinder::new(t, policy, paired);
    finder.list_calls(paired.events);
    finder.find_swapped(paired.events);
    for event in paired.events {
        finder.found.step(*event, paired.joined);
        finder.add(*event);
    }
    finder.pair_early();
    let mut pairs = finder.found.finish();
    pairs.mark_pending(t, paired.events);
    pairs
}

/// The state of the search.
pub(super) struct ConversationFinder<'a> {
    t: &'a Transcript,
    is_sent: &'a dyn Fn(PartId) -> bool,
    pub(super) found: PairBuilder<'a>,
    /// All calls except copies, by ID.
    calls: PartTable<Id>,
    /// The call in a record, by the ID of the record. For copies it is the original call.
    call_of_record: IndexVec<Id, Option<PartId>>,
    /// The calls before the current position, for IDs that several calls have.
    stacks: HashMap<Id, Stack>,
    /// For each part, whether it is a call before the current position.
    passed: IndexVec<PartId, bool>,
    /// The open calls before the current position, by tool. Only if some result has no ID.
    open_by_tool: Option<HashMap<Id, HashSet<PartId>>>,
    /// The newest batch of each response.
    newest: IndexVec<Id, Option<u32>>,
    /// Results whose link is right although their ID differs, with the linked call.
    swapped: HashMap<PartId, PartId>,
    /// Results for which no call was found before them.
    unmatched: Vec<PartId>,
    /// A response is one batch, whatever is between its calls.
    whole_responses: bool,
    /// Set if a call and its result must be of the same kind.
    pub(super) kinds: Option<Kinds<'a>>,
}

/// What is needed to match calls and results by kind.
pub(super) struct Kinds<'a> {
    /// Whether a result (second) may answer a call (first).
    pub fits: &'a dyn Fn(PartId, PartId) -> bool,
    /// Whether a result has no ID, or one that no call has. Otherwise the two lists below are not needed.
    pub any_odd: bool,
    /// Open calls before the current position.
    pub open: BTreeSet<PartId>,
    /// The IDs of all results.
    pub named: Vec<Id>,
}

/// The calls with one ID. Answered calls stay in `open` until they are on top.
#[derive(Default)]
struct Stack {
    open: Vec<PartId>,
    last: Option<PartId>,
}

impl<'a> ConversationFinder<'a> {
    fn new(t: &'a Transcript, policy: PairPolicy, paired: &Paired<'a>) -> ConversationFinder<'a> {
        let kinds = policy.has_kinds.then(|| Kinds {
            fits: paired.fits,
            any_odd: false,
            open: BTreeSet::new(),
            named: Vec::new(),
        });
        let without_id = t.parts.iter().any(|part| {
            part.kind == PartKind::Result && part.id.is_none_or(|id| t.ids.is_empty(id))
        });
        ConversationFinder {
            t,
            is_sent: paired.is_sent,
            found: PairBuilder::new(t),
            calls: PartTable::default(),
            call_of_record: t.ids.table(None),
            stacks: HashMap::new(),
            passed: IndexVec::for_each_of(&t.parts, false),
            open_by_tool: without_id.then(HashMap::new),
            newest: t.ids.table(None),
            swapped: HashMap::new(),
            unmatched: Vec::new(),
            whole_responses: policy.whole_responses,
            kinds,
        }
    }

    fn parts_of(&self, event: EventId, kind: PartKind) -> impl Iterator<Item = PartId> + use<'a> {
        let (t, is_sent) = (self.t, self.is_sent);
        t.event(event)
            .parts
            .clone()
            .filter(move |part| t.part(*part).kind == kind && is_sent(*part))
    }

    /// The ID of a part, unless it is null or empty.
    pub(super) fn real_id(&self, part: PartId) -> Option<Id> {
        self.t.part(part).id.filter(|id| !self.t.ids.is_empty(*id))
    }

    /// First pass: lists the calls and finds the copies among them.
    fn list_calls(&mut self, events: &[EventId]) {
        let mut calls = Vec::new();
        for event in events {
            if let Some(mut kinds) = self.kinds.take() {
                for result in self.parts_of(*event, PartKind::Result) {
                    match self.real_id(result) {
                        Some(id) => kinds.named.push(id),
                        None => kinds.any_odd = true,
                    }
                }
                self.kinds = Some(kinds);
            }
            for call in self.parts_of(*event, PartKind::Call) {
                self.found.pairs.set_status(call, PairStatus::Open);
                calls.extend(self.real_id(call).map(|id| (id, call)));
                if let Some(id) = self.t.event(*event).id {
                    self.call_of_record[id].get_or_insert(call);
                }
            }
        }
        calls.sort_unstable();
        let mut copies = Vec::new();
        for group in calls.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() > 1) {
            self.find_copies(group, &mut copies);
            self.stacks.insert(group[0].0, Stack::default());
        }
        calls.retain(|(_, call)| self.found.pairs.status(*call) == PairStatus::Open);
        self.calls = PartTable::new(calls);
        if let Some(mut kinds) = self.kinds.take() {
            kinds.any_odd |= kinds.named.iter().any(|id| self.calls_with(*id).is_empty());
            if kinds.any_odd {
                kinds.named.sort_unstable();
            }
            self.kinds = Some(kinds);
        }
        self.found.pairs.lists_mut().copies = PartTable::new(copies);
    }

    /// Finds the copies in a group of calls with one ID: calls of the same response with the same bytes in different records.
    fn find_copies(&mut self, group: &[(Id, PartId)], copies: &mut Vec<(PartId, PartId)>) {
        let mut originals: HashMap<(Id, u64), PartId> = HashMap::new();
        for (_, call) in group {
            let part = self.t.part(*call);
            debug_assert!(self.t.has_digest(part), "calls with the same ID are compared");
            let record = self.t.event(part.event);
            let Some(batch) = record.batch else { continue };
            let original = *originals.entry((batch, part.digest)).or_insert(*call);
            if original != *call && self.t.part(original).event != part.event {
                self.found.pairs.set_status(*call, PairStatus::CopyOf(original));
                copies.push((original, *call));
                if let Some(id) = record.id {
                    self.call_of_record[id] = Some(original);
                }
            }
        }
    }

    fn calls_with(&self, id: Id) -> &[PartId] {
        self.calls.of(id)
    }

    fn linked_call(&self, result: PartId) -> Option<PartId> {
        let link = self.t.link_of(self.t.part(result).event, LinkKind::Call)?;
        *self.call_of_record.get(link.to?)?
    }

    fn same_id(&self, call: PartId, result: PartId) -> bool {
        self.real_id(call).is_some() && self.real_id(call) == self.real_id(result)
    }

    /// Decides whether to trust the link or the ID of results whose link points to a call with another ID. The links are
    /// trusted if that gives every call involved exactly one result (two results have each other's IDs); otherwise the IDs.
    fn find_swapped(&mut self, events: &[EventId]) {
        if !self.t.links.iter().any(|link| link.kind == LinkKind::Call) {
            return;
        }
        let mut crossed = Vec::new();
        let mut linked = IndexVec::for_each_of(&self.t.parts, 0_u8);
        for event in events {
            for result in self.parts_of(*event, PartKind::Result) {
                let Some(call) = self.linked_call(result) else {
                    continue;
                };
                linked[call] = linked[call].saturating_add(1);
                if self.real_id(result).is_some() && !self.same_id(call, result) {
                    crossed.push((result, call));
                }
            }
        }
        let once = |call: PartId| linked[call] == 1;
        let with_same_id =
            |result: PartId| self.real_id(result).map(|id| self.calls_with(id)).unwrap_or_default();
        // An ID that no call has does not contradict the link, unless the call is sent with that ID.
        let is_sent_id =
            |(result, call): &(PartId, PartId)| self.t.part(*call).sent_id == self.real_id(*result);
        let (lone, crossed): (Vec<_>, Vec<_>) =
            crossed.into_iter().partition(|(result, _)| with_same_id(*result).is_empty());
        let lone = lone.into_iter().filter(|pair| once(pair.1) && !is_sent_id(pair));
        let are_swapped = crossed.iter().all(|(result, call)| {
            once(*call) && with_same_id(*result).iter().all(|call| once(*call))
        });
        self.swapped = lone.chain(crossed.into_iter().filter(|_| are_swapped)).collect();
    }

    /// Second pass, in order: adds the calls of an event to their batch and pairs its results.
    fn add(&mut self, event: EventId) {
        let mut batch = None;
        for call in self.parts_of(event, PartKind::Call) {
            if self.found.pairs.status(call) != PairStatus::Open {
                continue;
            }
            let number = *batch.get_or_insert_with(|| self.batch_for(event));
            self.found.same_turn = true;
            self.found.pairs.batches[number as usize].calls.push(call);
            self.found.pairs.set_batch(call, number + 1);
            self.passed[call] = true;
            if let Some(stack) = self.real_id(call).and_then(|id| self.stacks.get_mut(&id)) {
                stack.open.push(call);
                stack.last = Some(call);
            }
            if let (Some(open), Some(tool)) = (&mut self.open_by_tool, self.t.part(call).tool) {
                open.entry(tool).or_default().insert(call);
            }
            if let Some(kinds) = self.kinds.as_mut().filter(|kinds| kinds.any_odd) {
                kinds.open.insert(call);
            }
        }
        for result in self.parts_of(event, PartKind::Result) {
            match self.call_for(result) {
                Some((call, by)) => self.pair(call, result, by),
                None => self.unmatched.push(result),
            }
        }
    }

    /// The open batch of a response, or a new one. After the first real result a response is over: a further call with the
    /// same response ID belongs to another turn, because some servers send one response ID for all responses.
    fn batch_for(&mut self, event: EventId) -> u32 {
        if self.found.same_turn {
            return self.found.pairs.batches.len().saturating_sub(1) as u32;
        }
        let key = self.t.event(event).batch;
        if let Some(known) = key.and_then(|key| self.newest[key])
            && !self.found.pairs.batches[known as usize].closed
        {
            return known;
        }
        let number = self.found.pairs.batches.len() as u32;
        self.found.pairs.batches.push(Batch::default());
        if let Some(key) = key {
            self.newest[key] = Some(number);
        }
        number
    }

    fn call_for(&mut self, result: PartId) -> Option<(PartId, MatchedBy)> {
        if let Some(call) = self.swapped.get(&result) {
            return Some((*call, MatchedBy::Swapped));
        }
        let linked = self.linked_call(result);
        let Some(id) = self.real_id(result) else {
            return linked.map(|call| (call, MatchedBy::LinkOnly)).or_else(|| {
                self.only_open(result)
                    .or_else(|| self.only_fitting(result))
                    .map(|c| (c, MatchedBy::ToolOnly))
            });
        };
        if self.kinds.is_some() && self.calls_with(id).is_empty() {
            return self.only_fitting(result).map(|call| (call, MatchedBy::ToolOnly));
        }
        let has_link = self.t.link_of(self.t.part(result).event, LinkKind::Call).is_some();
        if let Some(call) = linked.filter(|call| self.same_id(*call, result)) {
            return Some((call, MatchedBy::Both));
        }
        if let Some(stack) = self.stacks.get_mut(&id) {
            while stack.open.pop_if(|call| self.found.has_result(*call)).is_some() {}
        }
        let call = match self.stacks.get(&id) {
            Some(stack) => self
                .newest_fitting(&stack.open, result)
                .or_else(|| self.first_of_batch(&stack.open, self.t.part(result).tool))
                .or(stack.last)?,
            None => self.calls_with(id).first().copied().filter(|call| self.passed[*call])?,
        };
        Some((call, if has_link { MatchedBy::IdOnly } else { MatchedBy::Both }))
    }

    /// The newest of several open calls with one ID. If its batch has several of them, it is the only one of this tool, or
    /// else the first one.
    fn first_of_batch(&self, open: &[PartId], tool: Option<Id>) -> Option<PartId> {
        let batch = |call: &PartId| self.found.pairs.lists.batch_of[*call];
        let newest = open.last()?;
        let own = open.iter().rev().take_while(|call| batch(call) == batch(newest));
        let own = own.filter(|call| !self.found.has_result(**call));
        let mut of_tool =
            own.clone().filter(|call| tool.is_some() && self.t.part(**call).tool == tool);
        match (of_tool.next(), of_tool.next()) {
            (Some(only), None) => Some(*only),
            _ => own.last().copied(),
        }
    }

    /// The only open call of a result's tool before it. `None` if there are none or several.
    fn only_open(&self, result: PartId) -> Option<PartId> {
        let open = self.open_by_tool.as_ref()?.get(&self.t.part(result).tool?)?;
        if open.len() == 1 { open.iter().next().copied() } else { None }
    }

    fn pair(&mut self, call: PartId, result: PartId, by: MatchedBy) {
        self.found.pair(call, result);
        if by != MatchedBy::Both {
            self.found.pairs.matched_by.insert(result, by);
        }
        if let (Some(open), Some(tool)) = (&mut self.open_by_tool, self.t.part(call).tool) {
            open.get_mut(&tool).map(|open| open.remove(&call));
        }
        if let Some(kinds) = self.kinds.as_mut().filter(|kinds| kinds.any_odd) {
            kinds.open.remove(&call);
        }
        let is_answered = !self.whole_responses && self.t.part(result).origin >= Origin::Rejection;
        if let Some(number) = (self.found.pairs.lists.batch_of[call] as usize).checked_sub(1) {
            self.found.pairs.batches[number].closed |= is_answered;
        }
    }

    /// Third pass: pairs results that have no call before them with the nearest call after them.
    fn pair_early(&mut self) {
        let unmatched = std::mem::take(&mut self.unmatched);
        let left_over = self.left_over(&unmatched);
        for result in unmatched {
            if let Some((call, _)) = left_over.filter(|(_, only)| *only == result) {
                self.pair(call, result, MatchedBy::ToolOnly);
                continue;
            }
            let after = self.real_id(result).and_then(|id| {
                let calls = self.calls_with(id);
                calls.get(calls.partition_point(|call| *call < result)).or(calls.last()).copied()
            });
            match after {
                Some(call) => self.pair(call, result, MatchedBy::Both),
                None => self.found.pairs.set_status(result, PairStatus::Orphan),
            }
        }
    }

    /// The only result that has neither ID nor tool, with the only open call, if there is exactly one of each.
    fn left_over(&self, unmatched: &[PartId]) -> Option<(PartId, PartId)> {
        let mut bare = unmatched.iter().filter(|result| {
            self.real_id(**result).is_none() && self.t.part(**result).tool.is_none()
        });
        let (Some(result), None) = (bare.next(), bare.next()) else {
            return None;
        };
        let calls = self.found.pairs.batches.iter().flat_map(|batch| &batch.calls);
        let mut open = calls.filter(|call| !self.found.has_result(**call));
        let (Some(call), None) = (open.next(), open.next()) else {
            return None;
        };
        (call < result).then_some((*call, *result))
    }
}
