//! Pairing over the whole conversation, for hosts whose IDs name one call.
//!
//! IDs repeat in healthy logs, so position counts: a result belongs to the call that its link names, else to the nearest
//! open call before it that has its ID, else to the nearest answered one (a result too many), else to the nearest one after
//! it (a result too early), else to none.

use hashbrown::{HashMap, HashSet};

use super::kinds::Kinds;
use super::{Batch, By, PairPolicy, PairStatus, Paired, Pairs, Table, WithoutId};
use crate::transcript::event::{LinkKind, Origin, PartKind};
use crate::transcript::facts::Transcript;
use crate::transcript::ids::Id;
use crate::transcript::index::{EventId, IndexVec, PartId};

pub(super) fn find(t: &Transcript, policy: PairPolicy, paired: &Paired<'_>) -> Pairs {
    let (sequence, joined) = (paired.events, paired.joined);
    let mut finder = Finder::new(t, policy, paired);
    finder.list_calls(sequence);
    finder.judge_links(sequence);
    let mut before = None;
    for event in sequence {
        finder.same_turn &= before.is_some_and(|before| joined(before, *event));
        if finder.same_turn
            && let Some(batch) = finder.pairs.batches.last_mut()
        {
            batch.until = Some(*event);
        }
        finder.step(*event);
        before = Some(*event);
    }
    finder.early();
    finder.finish(sequence)
}

/// The work in progress.
pub(super) struct Finder<'a> {
    t: &'a Transcript,
    sent: &'a dyn Fn(PartId) -> bool,
    /// The next event goes on with the message that holds the last batch.
    same_turn: bool,
    pairs: Pairs,
    /// Call and result, as they are found.
    results: Vec<(PartId, PartId)>,
    /// All calls by id and place; copies left out.
    calls: Vec<(Id, PartId)>,
    /// The call of a record, by the record's id; copies give their original.
    call_of_record: HashMap<Id, PartId>,
    /// Of ids that several calls have: those that stand before the current place.
    stacks: HashMap<Id, Stack>,
    /// Calls that stand before the current place, by part.
    passed: IndexVec<PartId, bool>,
    /// Calls with a result, by part.
    pub(super) answered: IndexVec<PartId, bool>,
    /// Open calls before the current place, by tool; only kept where a result without id needs it.
    open_by_tool: Option<HashMap<Id, HashSet<PartId>>>,
    /// The newest batch of a response.
    newest: HashMap<Id, u32>,
    /// Results against whose own id the link is right.
    swapped: HashMap<PartId, PartId>,
    /// Results without a call before them.
    unmatched: Vec<PartId>,
    /// A response is one batch, whatever stands between its calls.
    whole: bool,
    /// What answers a call must be of its kind.
    pub(super) kinds: Option<Kinds<'a>>,
}

/// Calls of one id. `open` may hold answered ones: they are dropped when they come to the top.
#[derive(Default)]
struct Stack {
    open: Vec<PartId>,
    last: Option<PartId>,
}

impl<'a> Finder<'a> {
    fn new(t: &'a Transcript, policy: PairPolicy, paired: &Paired<'a>) -> Finder<'a> {
        let kinds = (policy.without_id == WithoutId::Kind).then(|| Kinds::new(paired.fits));
        let without_id = t.parts.iter().any(|part| {
            part.kind == PartKind::Result && part.id.is_none_or(|id| t.ids.is_empty(id))
        });
        Finder {
            t,
            sent: paired.is_sent,
            same_turn: false,
            pairs: Pairs::new(t),
            results: Vec::new(),
            calls: Vec::new(),
            call_of_record: HashMap::new(),
            stacks: HashMap::new(),
            passed: IndexVec::for_each_of(&t.parts, false),
            answered: IndexVec::for_each_of(&t.parts, false),
            open_by_tool: without_id.then(HashMap::new),
            newest: HashMap::new(),
            swapped: HashMap::new(),
            unmatched: Vec::new(),
            whole: policy.whole_responses,
            kinds,
        }
    }

    fn parts_of(&self, event: EventId, kind: PartKind) -> impl Iterator<Item = PartId> + use<'a> {
        let (t, sent) = (self.t, self.sent);
        t.event(event)
            .parts
            .clone()
            .filter(move |part| t.a_part(*part).kind == kind && sent(*part))
    }

    /// Ids that say something: not null, not empty.
    pub(super) fn real_id(&self, part: PartId) -> Option<Id> {
        self.t
            .a_part(part)
            .id
            .filter(|id| !self.t.ids.is_empty(*id))
    }

    /// First pass: which calls there are, and which of them are copies.
    fn list_calls(&mut self, sequence: &[EventId]) {
        for event in sequence {
            if self.kinds.is_some() {
                let ids = self
                    .parts_of(*event, PartKind::Result)
                    .filter_map(|result| self.real_id(result));
                let ids: Vec<Id> = ids.collect();
                self.kinds
                    .iter_mut()
                    .for_each(|kinds| kinds.named.extend(ids.iter().copied()));
            }
            for call in self.parts_of(*event, PartKind::Call) {
                self.pairs.status[call] = PairStatus::Open;
                self.calls.extend(self.real_id(call).map(|id| (id, call)));
                if let Some(id) = self.t.event(*event).id {
                    self.call_of_record.entry(id).or_insert(call);
                }
            }
        }
        self.calls.sort_unstable();
        let mut calls = std::mem::take(&mut self.calls);
        let mut copies = Vec::new();
        for group in calls
            .chunk_by(|a, b| a.0 == b.0)
            .filter(|group| group.len() > 1)
        {
            self.find_copies(group, &mut copies);
            self.stacks.insert(group[0].0, Stack::default());
        }
        calls.retain(|(_, call)| self.pairs.status(*call) == PairStatus::Open);
        self.calls = calls;
        self.pairs.copies = Table::new(copies);
    }

    /// Of calls with one id: the same response and the same bytes in another record is a copy.
    fn find_copies(&mut self, group: &[(Id, PartId)], copies: &mut Vec<(PartId, PartId)>) {
        let mut originals: HashMap<(Id, u64), PartId> = HashMap::new();
        for (_, call) in group {
            let part = self.t.a_part(*call);
            let record = self.t.event(part.event);
            let Some(batch) = record.batch else { continue };
            let original = *originals.entry((batch, part.digest)).or_insert(*call);
            if original != *call && self.t.a_part(original).event != part.event {
                self.pairs.status[*call] = PairStatus::CopyOf(original);
                copies.push((original, *call));
                if let Some(id) = record.id {
                    self.call_of_record.insert(id, original);
                }
            }
        }
    }

    fn calls_with(&self, id: Id) -> &[(Id, PartId)] {
        let start = self.calls.partition_point(|(other, _)| *other < id);
        let end = self.calls.partition_point(|(other, _)| *other <= id);
        &self.calls[start..end]
    }

    fn linked_call(&self, result: PartId) -> Option<PartId> {
        let link = self
            .t
            .link_of(self.t.a_part(result).event, LinkKind::Call)?;
        self.call_of_record.get(&link.to?).copied()
    }

    fn same_id(&self, call: PartId, result: PartId) -> bool {
        self.real_id(call).is_some() && self.real_id(call) == self.real_id(result)
    }

    /// Results whose link names a call of another id: the links are believed where that gives every call involved exactly
    /// one result (two results carry each other's ids), else the ids are.
    fn judge_links(&mut self, sequence: &[EventId]) {
        let mut crossed = Vec::new();
        let mut linked = IndexVec::for_each_of(&self.t.parts, 0_u8);
        for event in sequence {
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
        let named = |result: PartId| {
            self.real_id(result)
                .map(|id| self.calls_with(id))
                .unwrap_or_default()
        };
        // An id that no call has says nothing against the link, unless it is the one that the call is sent with.
        let inner = |(result, call): &(PartId, PartId)| {
            self.t.a_part(*call).sent_id == self.real_id(*result)
        };
        let (lone, crossed): (Vec<_>, Vec<_>) = crossed
            .into_iter()
            .partition(|(result, _)| named(*result).is_empty());
        let lone = lone.into_iter().filter(|pair| once(pair.1) && !inner(pair));
        let right = crossed.iter().all(|(result, call)| {
            once(*call) && named(*result).iter().all(|(_, call)| once(*call))
        });
        self.swapped = lone.chain(crossed.into_iter().filter(|_| right)).collect();
    }

    /// Second pass, in order: batches grow, results find their calls.
    fn step(&mut self, event: EventId) {
        let mut batch = None;
        for call in self.parts_of(event, PartKind::Call) {
            if self.pairs.status(call) != PairStatus::Open {
                continue;
            }
            let number = *batch.get_or_insert_with(|| self.batch_for(event));
            self.same_turn = true;
            self.pairs.batches[number as usize].calls.push(call);
            self.pairs.batch_of[call] = number + 1;
            self.passed[call] = true;
            if let Some(stack) = self.real_id(call).and_then(|id| self.stacks.get_mut(&id)) {
                stack.open.push(call);
                stack.last = Some(call);
            }
            if let (Some(open), Some(tool)) = (&mut self.open_by_tool, self.t.a_part(call).tool) {
                open.entry(tool).or_default().insert(call);
            }
            self.kinds
                .iter_mut()
                .for_each(|kinds| _ = kinds.open.insert(call));
        }
        for result in self.parts_of(event, PartKind::Result) {
            match self.call_for(result) {
                Some((call, by)) => self.pair(call, result, by),
                None => self.unmatched.push(result),
            }
        }
    }

    /// A response's open batch, or a new one. A response whose tool results already began has been answered: what
    /// follows under the same response id is a turn of its own (servers with a constant response id are healthy).
    fn batch_for(&mut self, event: EventId) -> u32 {
        if self.same_turn {
            return self.pairs.batches.len().saturating_sub(1) as u32;
        }
        let key = self.t.event(event).batch;
        if let Some(known) = key.and_then(|key| self.newest.get(&key))
            && !self.pairs.batches[*known as usize].closed
        {
            return *known;
        }
        let number = self.pairs.batches.len() as u32;
        self.pairs.batches.push(Batch::default());
        if let Some(key) = key {
            self.newest.insert(key, number);
        }
        number
    }

    fn call_for(&mut self, result: PartId) -> Option<(PartId, By)> {
        if let Some(call) = self.swapped.get(&result) {
            return Some((*call, By::Swapped));
        }
        let linked = self.linked_call(result);
        let Some(id) = self.real_id(result) else {
            return linked.map(|call| (call, By::LinkOnly)).or_else(|| {
                self.only_open(result)
                    .or_else(|| self.only_fitting(result))
                    .map(|c| (c, By::ToolOnly))
            });
        };
        if self.kinds.is_some() && self.calls_with(id).is_empty() {
            return self.only_fitting(result).map(|call| (call, By::ToolOnly));
        }
        let has_link = self
            .t
            .link_of(self.t.a_part(result).event, LinkKind::Call)
            .is_some();
        if let Some(call) = linked.filter(|call| self.same_id(*call, result)) {
            return Some((call, By::Both));
        }
        if let Some(stack) = self.stacks.get_mut(&id) {
            while stack.open.pop_if(|call| self.answered[*call]).is_some() {}
        }
        let call = match self.stacks.get(&id) {
            Some(stack) => self
                .newest_fitting(&stack.open, result)
                .or_else(|| self.first_of_batch(&stack.open, self.t.a_part(result).tool))
                .or(stack.last)?,
            None => self
                .calls_with(id)
                .first()
                .map(|(_, call)| *call)
                .filter(|call| self.passed[*call])?,
        };
        Some((call, if has_link { By::IdOnly } else { By::Both }))
    }

    /// Of open calls with one id the newest; of several in one batch the only one of this tool, else the first.
    fn first_of_batch(&self, open: &[PartId], tool: Option<Id>) -> Option<PartId> {
        let batch = |call: &PartId| self.pairs.batch_of[*call];
        let newest = open.last()?;
        let own = open
            .iter()
            .rev()
            .take_while(|call| batch(call) == batch(newest));
        let own = own.filter(|call| !self.answered[**call]);
        let mut of_tool = own
            .clone()
            .filter(|call| tool.is_some() && self.t.a_part(**call).tool == tool);
        match (of_tool.next(), of_tool.next()) {
            (Some(only), None) => Some(*only),
            _ => own.last().copied(),
        }
    }

    /// The one open call of this tool, where there is exactly one before the result.
    fn only_open(&self, result: PartId) -> Option<PartId> {
        let open = self
            .open_by_tool
            .as_ref()?
            .get(&self.t.a_part(result).tool?)?;
        if open.len() == 1 {
            open.iter().next().copied()
        } else {
            None
        }
    }

    fn pair(&mut self, call: PartId, result: PartId, by: By) {
        self.results.push((call, result));
        self.answered[call] = true;
        if by != By::Both {
            self.pairs.by.insert(result, by);
        }
        if let (Some(open), Some(tool)) = (&mut self.open_by_tool, self.t.a_part(call).tool) {
            open.get_mut(&tool).map(|open| open.remove(&call));
        }
        self.kinds
            .iter_mut()
            .for_each(|kinds| _ = kinds.open.remove(&call));
        let own_answer = !self.whole && self.t.a_part(result).origin >= Origin::Rejection;
        if let Some(number) = (self.pairs.batch_of[call] as usize).checked_sub(1) {
            self.pairs.batches[number].closed |= own_answer;
        }
    }

    /// Third pass: results with no call before them take the nearest one behind them.
    fn early(&mut self) {
        let unmatched = std::mem::take(&mut self.unmatched);
        let left_over = self.left_over(&unmatched);
        for result in unmatched {
            if let Some((call, _)) = left_over.filter(|(_, only)| *only == result) {
                self.pair(call, result, By::ToolOnly);
                continue;
            }
            let behind = self.real_id(result).and_then(|id| {
                let calls = self.calls_with(id);
                calls
                    .get(calls.partition_point(|(_, call)| *call < result))
                    .or(calls.last())
                    .map(|(_, call)| *call)
            });
            match behind {
                Some(call) => self.pair(call, result, By::Both),
                None => self.pairs.status[result] = PairStatus::Orphan,
            }
        }
    }

    /// The one result that has neither id nor tool, and the one call that is left for it.
    fn left_over(&self, unmatched: &[PartId]) -> Option<(PartId, PartId)> {
        let is_bare = |result: &&PartId| {
            self.real_id(**result).is_none() && self.t.a_part(**result).tool.is_none()
        };
        let mut bare = unmatched.iter().filter(is_bare);
        let (Some(result), None) = (bare.next(), bare.next()) else {
            return None;
        };
        let calls = self.pairs.batches.iter().flat_map(|batch| &batch.calls);
        let mut open = calls.filter(|call| !self.answered[**call]);
        let (Some(call), None) = (open.next(), open.next()) else {
            return None;
        };
        (call < result).then_some((*call, *result))
    }

    fn finish(mut self, sequence: &[EventId]) -> Pairs {
        let results = std::mem::take(&mut self.results);
        self.pairs.rank(self.t, results);
        self.pairs.mark_pending(self.t, sequence);
        self.pairs
    }
}
