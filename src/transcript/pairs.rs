//! Which result answers which call. Found once, here; rules only read it.
//!
//! Every format says in a [`PairPolicy`] where a result looks for its call and what both are matched by; [`Pairs::find`]
//! follows it. Null and empty IDs never match each other.

mod conversation;
mod frames;
mod kinds;
mod policy;
mod turns;

use hashbrown::{HashMap, HashSet};

use super::event::{Origin, PartKind};
use super::facts::Transcript;
use super::index::{EventId, IndexVec, PartId};

pub(crate) use policy::PairPolicy;
pub(crate) use policy::Paired;
use policy::{PairScope, Strays, WithoutId};

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
            .any(|call| pairs.status(*call) == PairStatus::Open)
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
    status: IndexVec<PartId, PairStatus>,
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
    /// Pairs calls and results as a host does.
    pub(crate) fn find(t: &Transcript, policy: PairPolicy, paired: &Paired<'_>) -> Pairs {
        match policy.scope {
            PairScope::Conversation => conversation::find(t, policy, paired),
            PairScope::Frame => frames::find(t, policy, paired),
            PairScope::Turn => turns::find(t, paired.order),
        }
    }

    /// None yet.
    fn new(t: &Transcript) -> Pairs {
        Pairs {
            status: IndexVec::for_each_of(&t.parts, PairStatus::None),
            batch_of: IndexVec::for_each_of(&t.parts, 0),
            ..Pairs::default()
        }
    }

    /// The status of a part.
    pub fn status(&self, part: PartId) -> PairStatus {
        self.status.get(part).copied().unwrap_or_default()
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
        match self.status(call) {
            PairStatus::Answered(result) => Some(result),
            _ => None,
        }
    }

    /// The call that a result belongs to, as its answer or as one too many.
    pub fn call_of(&self, result: PartId) -> Option<PartId> {
        match self.status(result) {
            PairStatus::Answers(call) | PairStatus::Surplus(call) => Some(call),
            _ => None,
        }
    }

    /// Every call and result that has a status, in order of parts.
    pub fn all(&self) -> impl Iterator<Item = (PartId, PairStatus)> + '_ {
        self.status
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

/// Pairs within frames or turns, as they are found.
struct Found<'a> {
    t: &'a Transcript,
    pairs: Pairs,
    /// Calls with a result: the best one's origin.
    held: HashMap<PartId, Origin>,
    results: Vec<(PartId, PartId)>,
}

impl<'a> Found<'a> {
    fn new(t: &'a Transcript) -> Found<'a> {
        Found {
            t,
            pairs: Pairs::new(t),
            held: HashMap::new(),
            results: Vec::new(),
        }
    }

    /// The calls of a response.
    fn open(&mut self, calls: &[PartId]) {
        self.pairs.batches.push(Batch {
            calls: calls.to_vec(),
            ..Batch::default()
        });
        let batch = self.pairs.batches.len() as u32;
        for call in calls {
            self.pairs.status[*call] = PairStatus::Open;
            self.pairs.batch_of[*call] = batch;
        }
    }

    fn pair(&mut self, call: PartId, result: PartId) {
        let origin = self.t.a_part(result).origin;
        let best = self.held.entry(call).or_insert(origin);
        *best = origin.max(*best);
        self.results.push((call, result));
    }

    fn has_result(&self, call: PartId) -> bool {
        self.held.contains_key(&call)
    }

    /// Whether a call has no result, or only a placeholder.
    fn lacks_real(&self, call: PartId) -> bool {
        let best = self.held.get(&call);
        best.is_none_or(|origin| *origin == Origin::Placeholder)
    }

    fn finish(mut self) -> Pairs {
        self.pairs.rank(self.t, self.results);
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
            let failed = self.status[call] == PairStatus::Failed;
            for (_, result) in group {
                self.status[*result] = match best == *result {
                    _ if failed => PairStatus::OfFailed(call),
                    true => PairStatus::Answers(call),
                    false => PairStatus::Surplus(call),
                };
            }
            if !failed {
                self.status[call] = PairStatus::Answered(best);
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
