//! Which result answers which call. Found once, here; rules only read it.
//!
//! Three ways, by what the host and the provider do: [`Pairs::find`] over the whole conversation, [`Pairs::in_frames`]
//! response by response, [`Pairs::in_turns`] by turns that need no ids.
//!
//! Ids repeat in healthy logs, so pairing goes by position: a result belongs to the call that its link names, else to the
//! nearest open call before it that has its id, else to the nearest answered one (a result too many), else to the nearest
//! one behind it (a result too early), else to none. Null and empty ids never match each other.

mod frames;
mod kinds;
mod turns;

use hashbrown::{HashMap, HashSet};

use super::event::{LinkKind, Origin, PartKind};
use super::facts::Transcript;
use super::ids::Id;
use super::index::{EventId, IndexVec, PartId};
use kinds::Kinds;

/// What a call or a result is to the others.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum PairStatus {
    /// No call or result, or not on the way to the provider.
    #[default]
    None,
    /// A call with an answer: its best one.
    Answered(PartId),
    /// A call without an answer.
    Open,
    /// The same call once more: the same response, id and bytes as that one.
    CopyOf(PartId),
    /// The result that answers this call.
    Answers(PartId),
    /// A further result for this call.
    Surplus(PartId),
    /// A result without a call.
    Orphan,
    /// A call of a failed response: the host never sends it, so nothing may answer it.
    Failed,
    /// A result of such a call.
    OfFailed(PartId),
}

/// How a result found its call.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum By {
    /// Link and id agree, or the result has no link.
    Both,
    /// By its link; its own id is missing.
    LinkOnly,
    /// By its tool's name, as the only open call of it, or as the only open call at all; its id is missing.
    ToolOnly,
    /// By its link against its own id, because two results carry each other's ids.
    Swapped,
    /// By its id; its link names another call or nothing.
    IdOnly,
}

/// The calls of one model response.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// The calls in order, copies left out.
    pub calls: Vec<PartId>,
    /// It stands at the live end: open calls may still be answered.
    pub pending: bool,
    /// The last event of the message that holds its calls, where the client makes one of several.
    pub until: Option<EventId>,
    /// A tool's own answer stands behind it, so a further call of the same response begins a new batch.
    closed: bool,
}

impl Batch {
    /// Whether one of its calls has no answer.
    pub fn has_open(&self, pairs: &Pairs) -> bool {
        self.calls
            .iter()
            .any(|call| pairs.standing(*call) == PairStatus::Open)
    }
}

/// All pairs of one view.
#[derive(Clone, Debug, Default)]
pub struct Pairs {
    /// The batches in order.
    pub batches: Vec<Batch>,
    /// The calls of each failed response that has any, in order.
    pub failed: Vec<Vec<PartId>>,
    /// By part.
    standing: IndexVec<PartId, PairStatus>,
    /// By part: the number of its batch from 1, 0 for none.
    batch_of: IndexVec<PartId, u32>,
    /// The results of each call.
    results: Table,
    /// The copies of each call.
    copies: Table,
    /// Results that did not find their call by id and link alike.
    by: HashMap<PartId, By>,
    /// Results without a call that more than one call would fit.
    ambiguous: HashSet<PartId>,
    /// Real results of failed responses, each with an open call before it that has the same id.
    rivals: HashMap<PartId, PartId>,
}

impl Pairs {
    /// Pairs the calls and results of these events, in this order. Events without calls and results (messages,
    /// compactions, holes) prove, by standing behind the last batch, that the conversation went on.
    pub fn find(t: &Transcript, sequence: &[EventId]) -> Pairs {
        Pairs::with(Finder::new(t, &|_| true), sequence, &|_, _| false)
    }

    /// As [`Pairs::find`], of those parts that are sent: a call in a place that does not reach the provider is none.
    /// `joined` says whether two events in a row are one message, so that their calls are one batch.
    pub fn find_sent(
        t: &Transcript,
        sequence: &[EventId],
        sent: &dyn Fn(PartId) -> bool,
        joined: &dyn Fn(EventId, EventId) -> bool,
    ) -> Pairs {
        Pairs::with(Finder::new(t, sent), sequence, joined)
    }

    /// The same where a response stays one batch, however its calls and results are recorded: call, result, call, result.
    pub fn find_whole(t: &Transcript, sequence: &[EventId]) -> Pairs {
        Pairs::with(
            Finder {
                whole: true,
                ..Finder::new(t, &|_| true)
            },
            sequence,
            &|_, _| false,
        )
    }

    /// As [`Pairs::find_sent`], where calls and results are of kinds: `fits` says whether a result may answer a call. Of
    /// calls with one id those that fit come first, and what has no id goes to the one open call that it fits.
    pub fn find_by_kind(
        t: &Transcript,
        sequence: &[EventId],
        sent: &dyn Fn(PartId) -> bool,
        joined: &dyn Fn(EventId, EventId) -> bool,
        fits: &dyn Fn(PartId, PartId) -> bool,
    ) -> Pairs {
        Pairs::with(
            Finder {
                kinds: Some(Kinds::new(fits)),
                ..Finder::new(t, sent)
            },
            sequence,
            joined,
        )
    }

    fn with(
        mut finder: Finder<'_>,
        sequence: &[EventId],
        joined: &dyn Fn(EventId, EventId) -> bool,
    ) -> Pairs {
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

    /// The standing of a part.
    pub fn standing(&self, part: PartId) -> PairStatus {
        self.standing.get(part).copied().unwrap_or_default()
    }

    /// How a result found its call; `None` where it has none.
    pub fn by(&self, result: PartId) -> Option<By> {
        self.call_of(result)?;
        Some(self.by.get(&result).copied().unwrap_or(By::Both))
    }

    /// The batch of a call.
    pub fn batch_of(&self, call: PartId) -> Option<&Batch> {
        let number = self.batch_of.get(call)?;
        self.batches.get((*number as usize).checked_sub(1)?)
    }

    /// Whether more than one call fits a result that has none.
    pub fn is_ambiguous(&self, result: PartId) -> bool {
        self.ambiguous.contains(&result)
    }

    /// The open call that a result of a failed response may answer as well: it has the same id.
    pub fn rival(&self, result: PartId) -> Option<PartId> {
        self.rivals.get(&result).copied()
    }

    /// Whether a result of a failed response may be the one that this call lacks.
    pub fn is_rival(&self, call: PartId) -> bool {
        self.rivals.values().any(|rival| *rival == call)
    }

    /// Whether a result that several calls fit has the id of this call: no other id before a person has decided.
    pub fn is_disputed(&self, t: &Transcript, call: PartId) -> bool {
        let key = |part: PartId| t.text(t.a_part(part).id).trim();
        self.ambiguous
            .iter()
            .any(|result| key(*result) == key(call))
    }

    /// All results of a call, the copies' results too, in order.
    pub fn results(&self, call: PartId) -> &[PartId] {
        self.results.of(call)
    }

    /// The calls that are copies of this one.
    pub fn copies(&self, call: PartId) -> &[PartId] {
        self.copies.of(call)
    }

    /// The result that answers a call.
    pub fn answer(&self, call: PartId) -> Option<PartId> {
        match self.standing(call) {
            PairStatus::Answered(result) => Some(result),
            _ => None,
        }
    }

    /// The call that a result belongs to, as its answer or as one too many.
    pub fn call_of(&self, result: PartId) -> Option<PartId> {
        match self.standing(result) {
            PairStatus::Answers(call) | PairStatus::Surplus(call) => Some(call),
            _ => None,
        }
    }

    /// Every call and result that has a standing, in order of parts.
    pub fn all(&self) -> impl Iterator<Item = (PartId, PairStatus)> + '_ {
        self.standing
            .enumerated()
            .filter(|(_, s)| **s != PairStatus::None)
            .map(|(part, s)| (part, *s))
    }
}

/// Parts by part: two lists instead of a map of lists, since there are as many as calls.
#[derive(Clone, Debug, Default)]
struct Table {
    keys: Vec<PartId>,
    values: Vec<PartId>,
}

impl Table {
    fn new(mut pairs: Vec<(PartId, PartId)>) -> Table {
        pairs.sort_unstable();
        let (keys, values) = pairs.into_iter().unzip();
        Table { keys, values }
    }

    fn of(&self, key: PartId) -> &[PartId] {
        let start = self.keys.partition_point(|other| *other < key);
        let end = self.keys.partition_point(|other| *other <= key);
        &self.values[start..end]
    }
}

/// The work in progress.
struct Finder<'a> {
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
    answered: IndexVec<PartId, bool>,
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
    kinds: Option<Kinds<'a>>,
}

/// Calls of one id. `open` may hold answered ones: they are dropped when they come to the top.
#[derive(Default)]
struct Stack {
    open: Vec<PartId>,
    last: Option<PartId>,
}

impl<'a> Finder<'a> {
    fn new(t: &'a Transcript, sent: &'a dyn Fn(PartId) -> bool) -> Finder<'a> {
        let pairs = Pairs {
            standing: IndexVec::for_each_of(&t.parts, PairStatus::None),
            batch_of: IndexVec::for_each_of(&t.parts, 0),
            ..Pairs::default()
        };
        let without_id = t.parts.iter().any(|part| {
            part.kind == PartKind::Result && part.id.is_none_or(|id| t.ids.is_empty(id))
        });
        Finder {
            t,
            sent,
            same_turn: false,
            pairs,
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
            whole: false,
            kinds: None,
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
    fn real_id(&self, part: PartId) -> Option<Id> {
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
                self.pairs.standing[call] = PairStatus::Open;
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
        calls.retain(|(_, call)| self.pairs.standing(*call) == PairStatus::Open);
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
                self.pairs.standing[*call] = PairStatus::CopyOf(original);
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
            if self.pairs.standing(call) != PairStatus::Open {
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
                None => self.pairs.standing[result] = PairStatus::Orphan,
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

impl Pairs {
    /// Of the results of each call the one that is worth most answers it.
    fn rank(&mut self, t: &Transcript, mut results: Vec<(PartId, PartId)>) {
        results.sort_unstable();
        for group in results.chunk_by(|a, b| a.0 == b.0) {
            // `max_by_key` keeps the last of equals; the first of them is wanted.
            let best = group
                .iter()
                .rev()
                .max_by_key(|(_, result)| t.a_part(*result).origin);
            let Some((call, best)) = best.copied() else {
                continue;
            };
            let failed = self.standing[call] == PairStatus::Failed;
            for (_, result) in group {
                self.standing[*result] = match best == *result {
                    _ if failed => PairStatus::OfFailed(call),
                    true => PairStatus::Answers(call),
                    false => PairStatus::Surplus(call),
                };
            }
            if !failed {
                self.standing[call] = PairStatus::Answered(best);
            }
        }
        self.results = Table::new(results);
    }

    /// The last batch is pending while only results stand behind it.
    fn mark_pending(&mut self, t: &Transcript, sequence: &[EventId]) {
        let only_results = |event: &&EventId| {
            let parts = t.event(**event).parts.clone();
            let mut answers = parts
                .map(|part| t.a_part(part).kind == PartKind::Result)
                .peekable();
            answers.peek().is_some() && answers.all(|answer| answer)
        };
        let last = sequence.iter().rev().find(|event| !only_results(event));
        let numbers = |event: &EventId| {
            t.event(*event)
                .parts
                .clone()
                .map(|part| self.batch_of[part])
                .find(|number| *number > 0)
        };
        let number = last.and_then(numbers).unwrap_or(0) as usize;
        // The message may go on behind its last call, with thinking that was never finished.
        let goes_on = last.is_some()
            && self
                .batches
                .last()
                .is_some_and(|batch| batch.until.as_ref() == last);
        if let Some(batch) = self.batches.last_mut().filter(|_| goes_on)
            && number == 0
        {
            batch.pending = true;
        } else if number > 0 && number == self.batches.len() {
            self.batches[number - 1].pending = true;
        }
    }
}
