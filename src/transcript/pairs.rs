//! Which result answers which call. Found once, here; rules only read it.
//!
//! Ids repeat in healthy logs, so pairing goes by position: a result belongs to the call that its link names, else to the
//! nearest open call before it that has its id, else to the nearest answered one (a result too many), else to the nearest
//! one behind it (a result too early), else to none. Null and empty ids never match each other.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::event::{EventNo, LinkKind, Origin, PartKind, PartNo};
use super::facts::Transcript;
use super::ids::Id;

/// What a call or a result is to the others.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Standing {
    /// No call or result, or not on the way to the provider.
    #[default]
    None,
    /// A call with an answer: its best one.
    Answered(PartNo),
    /// A call without an answer.
    Open,
    /// The same call once more: the same response, id and bytes as that one.
    CopyOf(PartNo),
    /// The result that answers this call.
    Answers(PartNo),
    /// A further result for this call.
    Surplus(PartNo),
    /// A result without a call.
    Orphan,
}

/// How a result found its call.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum By {
    /// Link and id agree, or the result has no link.
    Both,
    /// By its link; its own id is missing.
    LinkOnly,
    /// By its tool's name, as the only open call of it; its id is missing.
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
    pub calls: Vec<PartNo>,
    /// It stands at the live end: open calls may still be answered.
    pub pending: bool,
    /// A tool's own answer stands behind it, so a further call of the same response begins a new batch.
    closed: bool,
}

impl Batch {
    /// Whether one of its calls has no answer.
    pub fn has_open(&self, pairs: &Pairs) -> bool {
        self.calls.iter().any(|call| pairs.standing(*call) == Standing::Open)
    }
}

/// All pairs of one view.
#[derive(Clone, Debug, Default)]
pub struct Pairs {
    /// The batches in order.
    pub batches: Vec<Batch>,
    standing: Vec<Standing>,
    by: HashMap<PartNo, By>,
    batch_of: HashMap<PartNo, u32>,
    results: BTreeMap<PartNo, Vec<PartNo>>,
    copies: BTreeMap<PartNo, Vec<PartNo>>,
}

impl Pairs {
    /// Pairs the calls and results of these events, in this order. Events without calls and results (messages,
    /// compactions, holes) prove, by standing behind the last batch, that the conversation went on.
    pub fn find(t: &Transcript, sequence: &[EventNo]) -> Pairs {
        let mut finder = Finder::new(t);
        for event in sequence {
            finder.calls_of(*event);
        }
        finder.judge_links(sequence);
        finder.pairs.batches.clear();
        finder.pairs.batch_of.clear();
        for event in sequence {
            finder.step(*event);
        }
        finder.early();
        finder.finish(sequence)
    }

    /// The standing of a part.
    pub fn standing(&self, part: PartNo) -> Standing {
        self.standing.get(part as usize).copied().unwrap_or_default()
    }

    /// How a result found its call.
    pub fn by(&self, result: PartNo) -> Option<By> {
        self.by.get(&result).copied()
    }

    /// The batch of a call.
    pub fn batch_of(&self, call: PartNo) -> Option<&Batch> {
        self.batches.get(*self.batch_of.get(&call)? as usize)
    }

    /// All results of a call, the copies' results too, in order.
    pub fn results(&self, call: PartNo) -> &[PartNo] {
        self.results.get(&call).map_or(&[], Vec::as_slice)
    }

    /// The calls that are copies of this one.
    pub fn copies(&self, call: PartNo) -> &[PartNo] {
        self.copies.get(&call).map_or(&[], Vec::as_slice)
    }

    /// The result that answers a call.
    pub fn answer(&self, call: PartNo) -> Option<PartNo> {
        match self.standing(call) {
            Standing::Answered(result) => Some(result),
            _ => None,
        }
    }

    /// The call that a result belongs to, as its answer or as one too many.
    pub fn call_of(&self, result: PartNo) -> Option<PartNo> {
        match self.standing(result) {
            Standing::Answers(call) | Standing::Surplus(call) => Some(call),
            _ => None,
        }
    }

    /// Every call and result that has a standing, in order of parts.
    pub fn all(&self) -> impl Iterator<Item = (PartNo, Standing)> + '_ {
        let numbered = self.standing.iter().enumerate();
        numbered.filter(|(_, s)| **s != Standing::None).map(|(part, s)| (part as PartNo, *s))
    }
}

/// The work in progress.
struct Finder<'a> {
    t: &'a Transcript,
    pairs: Pairs,
    /// All calls by id, in order; copies left out.
    calls_by_id: HashMap<Id, Vec<PartNo>>,
    /// The call of a record, by the record's id; copies give their original.
    call_of_record: HashMap<Id, PartNo>,
    /// Calls of one response by the bytes of the call: tells copies.
    originals: HashMap<(Id, u64), PartNo>,
    /// Calls that stand before the current place, by id.
    seen: HashMap<Id, Seen>,
    /// Open calls that stand before the current place, by tool.
    open_by_tool: HashMap<Id, HashSet<PartNo>>,
    /// The newest batch of a response.
    newest: HashMap<Id, u32>,
    /// Results against whose own id the link is right.
    swapped: HashMap<PartNo, PartNo>,
    /// Results without a call before them.
    unmatched: Vec<PartNo>,
}

/// Calls of one id. `open` may hold answered ones: they are dropped when they come to the top.
#[derive(Default)]
struct Seen {
    open: Vec<PartNo>,
    last: Option<PartNo>,
}

impl<'a> Finder<'a> {
    fn new(t: &'a Transcript) -> Finder<'a> {
        Finder {
            t,
            pairs: Pairs { standing: vec![Standing::None; t.parts.len()], ..Pairs::default() },
            calls_by_id: HashMap::new(),
            call_of_record: HashMap::new(),
            originals: HashMap::new(),
            seen: HashMap::new(),
            open_by_tool: HashMap::new(),
            newest: HashMap::new(),
            swapped: HashMap::new(),
            unmatched: Vec::new(),
        }
    }

    fn parts_of(&self, event: EventNo, kind: PartKind) -> impl Iterator<Item = PartNo> + use<'a> {
        let t = self.t;
        t.event(event).parts.clone().filter(move |part| t.a_part(*part).kind == kind)
    }

    /// Ids that say something: not null, not empty.
    fn real_id(&self, part: PartNo) -> Option<Id> {
        self.t.a_part(part).id.filter(|id| !self.t.ids.is_empty(*id))
    }

    /// First pass: which calls there are, and which of them are copies.
    fn calls_of(&mut self, event: EventNo) {
        for call in self.parts_of(event, PartKind::Call) {
            let record = self.t.event(event);
            let mut original = call;
            if let (Some(batch), Some(_)) = (record.batch, self.real_id(call)) {
                original = *self.originals.entry((batch, self.t.a_part(call).digest)).or_insert(call);
            }
            if original != call && self.t.a_part(original).event != event {
                self.pairs.standing[call as usize] = Standing::CopyOf(original);
                self.pairs.copies.entry(original).or_default().push(call);
            } else {
                original = call;
                self.pairs.standing[call as usize] = Standing::Open;
                if let Some(id) = self.real_id(call) {
                    self.calls_by_id.entry(id).or_default().push(call);
                }
            }
            if let Some(id) = record.id {
                self.call_of_record.entry(id).or_insert(original);
            }
        }
    }

    fn linked_call(&self, result: PartNo) -> Option<PartNo> {
        let link = self.t.link_of(self.t.a_part(result).event, LinkKind::Call)?;
        self.call_of_record.get(&link.to?).copied()
    }

    fn same_id(&self, call: PartNo, result: PartNo) -> bool {
        self.real_id(call).is_some() && self.real_id(call) == self.real_id(result)
    }

    /// Results whose link names a call of another id: the links are believed where that gives every call involved exactly
    /// one result (two results carry each other's ids), else the ids are.
    fn judge_links(&mut self, sequence: &[EventNo]) {
        let mut crossed = Vec::new();
        let mut linked: HashMap<PartNo, u32> = HashMap::new();
        for event in sequence {
            for result in self.parts_of(*event, PartKind::Result) {
                let Some(call) = self.linked_call(result) else { continue };
                *linked.entry(call).or_default() += 1;
                if self.real_id(result).is_some() && !self.same_id(call, result) {
                    crossed.push((result, call));
                }
            }
        }
        let once = |call: &PartNo| linked.get(call) == Some(&1);
        let right = crossed.iter().all(|(result, call)| {
            let by_id = self.real_id(*result).and_then(|id| self.calls_by_id.get(&id));
            once(call) && by_id.is_some_and(|calls| calls.iter().all(once))
        });
        if right {
            self.swapped = crossed.into_iter().collect();
        }
    }

    /// Second pass, in order: batches grow, results find their calls.
    fn step(&mut self, event: EventNo) {
        let calls: Vec<PartNo> = self.parts_of(event, PartKind::Call).collect();
        let fresh: Vec<PartNo> =
            calls.into_iter().filter(|c| self.pairs.standing(*c) == Standing::Open).collect();
        if !fresh.is_empty() {
            let batch = self.batch_for(event);
            for call in fresh {
                self.pairs.batches[batch as usize].calls.push(call);
                self.pairs.batch_of.insert(call, batch);
                if let Some(id) = self.real_id(call) {
                    let seen = self.seen.entry(id).or_default();
                    seen.open.push(call);
                    seen.last = Some(call);
                }
                if let Some(tool) = self.t.a_part(call).tool {
                    self.open_by_tool.entry(tool).or_default().insert(call);
                }
            }
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
    fn batch_for(&mut self, event: EventNo) -> u32 {
        let key = self.t.event(event).batch;
        if let Some(known) = key.and_then(|key| self.newest.get(&key)) {
            if !self.pairs.batches[*known as usize].closed {
                return *known;
            }
        }
        let number = self.pairs.batches.len() as u32;
        self.pairs.batches.push(Batch::default());
        if let Some(key) = key {
            self.newest.insert(key, number);
        }
        number
    }

    fn call_for(&mut self, result: PartNo) -> Option<(PartNo, By)> {
        if let Some(call) = self.swapped.get(&result) {
            return Some((*call, By::Swapped));
        }
        let linked = self.linked_call(result);
        let Some(id) = self.real_id(result) else {
            return linked
                .map(|call| (call, By::LinkOnly))
                .or_else(|| self.only_open(result).map(|c| (c, By::ToolOnly)));
        };
        let has_link = self.t.link_of(self.t.a_part(result).event, LinkKind::Call).is_some();
        if let Some(call) = linked.filter(|call| self.same_id(*call, result)) {
            return Some((call, By::Both));
        }
        let seen = self.seen.get_mut(&id)?;
        while seen.open.pop_if(|call| self.pairs.results.contains_key(call)).is_some() {}
        let call = seen.open.last().copied().or(seen.last)?;
        Some((call, if has_link { By::IdOnly } else { By::Both }))
    }

    /// The one open call of this tool, where there is exactly one before the result.
    fn only_open(&self, result: PartNo) -> Option<PartNo> {
        let open = self.open_by_tool.get(&self.t.a_part(result).tool?)?;
        if open.len() == 1 { open.iter().next().copied() } else { None }
    }

    fn pair(&mut self, call: PartNo, result: PartNo, by: By) {
        self.pairs.results.entry(call).or_default().push(result);
        self.pairs.by.insert(result, by);
        if let Some(open) = self.t.a_part(call).tool.and_then(|tool| self.open_by_tool.get_mut(&tool)) {
            open.remove(&call);
        }
        let own_answer = self.t.a_part(result).origin >= Origin::Rejection;
        if let Some(batch) = self.pairs.batch_of.get(&call) {
            self.pairs.batches[*batch as usize].closed |= own_answer;
        }
    }

    /// Third pass: results with no call before them take the nearest one behind them.
    fn early(&mut self) {
        for result in std::mem::take(&mut self.unmatched) {
            let behind = self.real_id(result).and_then(|id| self.calls_by_id.get(&id)).and_then(|calls| {
                calls.get(calls.partition_point(|call| *call < result)).or_else(|| calls.last()).copied()
            });
            match behind {
                Some(call) => self.pair(call, result, By::Both),
                None => self.pairs.standing[result as usize] = Standing::Orphan,
            }
        }
        for results in self.pairs.results.values_mut() {
            results.sort_unstable();
        }
    }

    fn finish(mut self, sequence: &[EventNo]) -> Pairs {
        for (call, results) in &self.pairs.results {
            // `max_by_key` keeps the last of equals; the first of them is wanted.
            let best = results.iter().rev().max_by_key(|result| self.t.a_part(**result).origin);
            for result in results {
                let wins = best == Some(result);
                self.pairs.standing[*result as usize] =
                    if wins { Standing::Answers(*call) } else { Standing::Surplus(*call) };
            }
            if let Some(best) = best {
                self.pairs.standing[*call as usize] = Standing::Answered(*best);
            }
        }
        self.mark_pending(sequence);
        self.pairs
    }

    /// The last batch is pending while only results stand behind it.
    fn mark_pending(&mut self, sequence: &[EventNo]) {
        let only_results = |event: &&EventNo| {
            let parts = self.t.event(**event).parts.clone();
            let mut answers = parts.map(|part| self.t.a_part(part).kind == PartKind::Result).peekable();
            answers.peek().is_some() && answers.all(|answer| answer)
        };
        let last = sequence.iter().rev().find(|event| !only_results(event));
        let batch = last.and_then(|event| {
            let mut calls =
                self.t.event(*event).parts.clone().filter_map(|part| self.pairs.batch_of.get(&part));
            calls.next().copied()
        });
        if let Some(batch) = batch.filter(|batch| *batch as usize + 1 == self.pairs.batches.len()) {
            self.pairs.batches[batch as usize].pending = true;
        }
    }
}
