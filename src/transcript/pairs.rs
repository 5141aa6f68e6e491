//! Pairs results with calls. This happens once, here; rules only read the pairs.
//!
//! Every format has a [`PairPolicy`], which says where the call of a result is searched for and by what the two are
//! matched. Null and empty IDs never match each other.

mod belongs;
mod build;
mod conversation;
mod frames;
mod kinds;
mod policy;
mod strays;
#[cfg(test)]
mod toy;
mod turns;

use super::diagnostic::Subject;
use hashbrown::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use super::conversation::Transcript;
use super::event::PartKind;
use super::index::{EventId, Idx, IndexVec, PartId};
use super::sharable::Sharable;

use policy::PairScope;
pub(crate) use policy::Paired;
pub(crate) use policy::{Lane, PairPolicy};

/// How a call or a result is paired.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum PairStatus {
    /// Not a call or result, or not sent.
    #[default]
    None,
    /// A call, with the best of its results.
    Answered(PartId),
    /// A call without a result.
    Open,
    /// A copy of that call: the same response, ID and bytes.
    CopyOf(PartId),
    /// The result that answers this call.
    Answers(PartId),
    /// A further result for this call.
    Surplus(PartId),
    /// A result without a call.
    Orphan,
    /// A call of a failed response. The host never sends it, so it must not have a result.
    Failed,
    /// A result of such a call.
    OfFailed(PartId),
}

/// How a result was matched with its call.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum MatchedBy {
    /// Its link and its ID agree, or it has no link.
    Both,
    /// Its link; it has no ID.
    LinkOnly,
    /// The name of its tool, as the only open call of that tool, or the only open call of all; it has no ID.
    ToolOnly,
    /// Its link, although its ID differs, because two results have each other's IDs.
    Swapped,
    /// Its ID; its link points to another call or to nothing.
    IdOnly,
}

/// A list of parts. Most have one, which needs no memory of its own.
#[derive(Clone, Debug)]
pub enum FewParts<T> {
    One([T; 1]),
    Several(Vec<T>),
}

impl<T> Default for FewParts<T> {
    fn default() -> FewParts<T> {
        FewParts::Several(Vec::new())
    }
}

impl<T: Copy> FewParts<T> {
    pub(crate) fn push(&mut self, part: T) {
        match self {
            FewParts::One([first]) => *self = FewParts::Several(vec![*first, part]),
            FewParts::Several(parts) if parts.is_empty() => *self = FewParts::One([part]),
            FewParts::Several(parts) => parts.push(part),
        }
    }
}

impl<T> std::ops::Deref for FewParts<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self {
            FewParts::One(only) => only,
            FewParts::Several(parts) => parts,
        }
    }
}

impl<'a, T> IntoIterator for &'a FewParts<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> std::slice::Iter<'a, T> {
        self.iter()
    }
}

/// The calls of one model response.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// The calls in order, without copies.
    pub calls: FewParts<PartId>,
    /// It is the last batch, and the conversation did not continue after it: open calls may still get results.
    pub pending: bool,
    /// The last event of the message with its calls, if the client joins several events into one message.
    pub last_event: Option<EventId>,
    /// A real result follows it, so a further call of the same response starts a new batch.
    closed: bool,
}

impl Batch {
    /// Its calls without a result.
    pub(crate) fn open<'a>(&'a self, pairs: &'a Pairs) -> impl Iterator<Item = PartId> + 'a {
        let calls = self.calls.iter().copied();
        calls.filter(|call| pairs.status(*call) == PairStatus::Open)
    }

    /// Whether one of its calls has no result.
    pub fn has_open(&self, pairs: &Pairs) -> bool {
        self.open(pairs).next().is_some()
    }
}

/// All pairs of one request.
#[derive(Clone, Debug, Default)]
pub struct Pairs {
    /// The batches in order.
    pub batches: Sharable<Vec<Batch>>,
    /// The calls of each failed response with calls, in order.
    pub failed: Vec<Vec<PartId>>,
    /// These lists do not change once all pairs are found, so requests for several kinds of clients share them.
    lists: Arc<PairLists>,
    /// How results were matched, other than by [`MatchedBy::Both`].
    matched_by: HashMap<PartId, MatchedBy>,
    /// Results without a call that several calls would fit.
    ambiguous: HashSet<PartId>,
    /// Their IDs, once they are asked for.
    disputed: OnceLock<HashSet<String>>,
    /// Real results of failed responses, each with an open call before it that has the same ID.
    rivals: HashMap<PartId, PartId>,
    /// These calls.
    with_rival: HashSet<PartId>,
    /// The orphaned results whose ID no call has, in order; found once they are asked for.
    strays: OnceLock<Vec<PartId>>,
}

/// What is known of each part.
#[derive(Clone, Debug, Default)]
struct PairLists {
    /// The status of each part.
    status: IndexVec<PartId, PairStatus>,
    /// For each part, the number of its batch from 1; 0 for none.
    batch_of: IndexVec<PartId, u32>,
    /// The results of each call.
    results: PartTable<PartId>,
    /// The copies of each call.
    copies: PartTable<PartId>,
}

impl Pairs {
    /// Pairs calls and results as the host with this policy does.
    pub(crate) fn find(t: &Transcript, policy: PairPolicy, paired: &Paired<'_>) -> Pairs {
        match policy.scope {
            PairScope::Conversation => conversation::find(t, policy, paired),
            PairScope::Frame | PairScope::Turn => frames::find(t, policy, paired),
        }
    }

    fn new(t: &Transcript) -> Pairs {
        let lists = PairLists {
            status: IndexVec::for_each_of(&t.parts, PairStatus::None),
            batch_of: IndexVec::for_each_of(&t.parts, 0),
            ..PairLists::default()
        };
        Pairs { lists: Arc::new(lists), ..Pairs::default() }
    }

    /// Lets requests for several kinds of clients have the same batches.
    pub(crate) fn share(&mut self) {
        self.batches = std::mem::take(&mut self.batches).shared();
    }

    fn lists_mut(&mut self) -> &mut PairLists {
        Arc::make_mut(&mut self.lists)
    }

    fn set_status(&mut self, part: PartId, status: PairStatus) {
        self.lists_mut().status[part] = status;
    }

    fn set_batch(&mut self, call: PartId, number: u32) {
        self.lists_mut().batch_of[call] = number;
    }

    /// The status of a part.
    pub fn status(&self, part: PartId) -> PairStatus {
        self.lists.status.get(part).copied().unwrap_or_default()
    }

    /// How a result was matched with its call; `None` if it has no call.
    pub fn matched_by(&self, result: PartId) -> Option<MatchedBy> {
        self.call_of(result)?;
        Some(self.matched_by.get(&result).copied().unwrap_or(MatchedBy::Both))
    }

    /// The batch of a call.
    pub fn batch_of(&self, call: PartId) -> Option<&Batch> {
        self.batches.get(self.batch_number(call)?)
    }

    /// The index of the batch of a call.
    pub(crate) fn batch_number(&self, call: PartId) -> Option<usize> {
        (*self.lists.batch_of.get(call)? as usize).checked_sub(1)
    }

    /// Whether several calls fit a result that has no call.
    pub fn is_ambiguous(&self, result: PartId) -> bool {
        self.ambiguous.contains(&result)
    }

    /// The open call with the same ID that a result of a failed response may belong to instead.
    pub fn rival(&self, result: PartId) -> Option<PartId> {
        self.rivals.get(&result).copied()
    }

    /// Whether a result of a failed response may be the missing result of this call.
    pub fn is_rival(&self, call: PartId) -> bool {
        self.with_rival.contains(&call)
    }

    /// Whether a result that fits several calls has the ID of this call. Then the call must keep its ID until the user has
    /// decided.
    pub fn is_disputed(&self, t: &Transcript, call: PartId) -> bool {
        let key = |part: PartId| t.text(t.part(part).id).trim();
        let disputed = self.disputed.get_or_init(|| {
            let all = self.ambiguous.iter();
            all.map(|result| key(*result).to_owned()).collect()
        });
        disputed.contains(key(call))
    }

    /// All results of a call and of its copies, in order.
    pub fn results(&self, call: PartId) -> &[PartId] {
        self.lists.results.of(call)
    }

    /// Whether a call has more than one result.
    pub(crate) fn has_several_results(&self) -> bool {
        let starts = self.lists.results.starts.iter();
        let mut ends = starts.clone().skip(1);
        starts.zip(&mut ends).any(|(start, end)| end - start > 1)
    }

    /// Whether any call has a copy.
    pub(super) fn has_copies(&self) -> bool {
        !self.lists.copies.values.is_empty()
    }

    /// The copies of a call.
    pub fn copies(&self, call: PartId) -> &[PartId] {
        self.lists.copies.of(call)
    }

    /// The result that answers a call.
    pub fn answer(&self, call: PartId) -> Option<PartId> {
        match self.status(call) {
            PairStatus::Answered(result) => Some(result),
            _ => None,
        }
    }

    /// The call that a result belongs to, whether it answers the call or is surplus.
    pub fn call_of(&self, result: PartId) -> Option<PartId> {
        match self.status(result) {
            PairStatus::Answers(call) | PairStatus::Surplus(call) => Some(call),
            _ => None,
        }
    }

    /// Every call and result that has a status, in order of parts.
    pub fn all(&self) -> impl Iterator<Item = (PartId, PairStatus)> + '_ {
        self.lists
            .status
            .enumerated()
            .filter(|(_, s)| **s != PairStatus::None)
            .map(|(part, s)| (part, *s))
    }

    /// The results without a call.
    pub(crate) fn orphans(&self) -> impl Iterator<Item = PartId> + '_ {
        let orphans = self.all().filter(|(_, s)| *s == PairStatus::Orphan);
        orphans.map(|(part, _)| part)
    }

    /// The calls without a result, and the results without a call.
    pub(crate) fn unpaired(&self) -> impl Iterator<Item = Subject> + '_ {
        self.all().filter_map(|(part, status)| match status {
            PairStatus::Open => Some(Subject::Open(part)),
            PairStatus::Orphan => Some(Subject::Orphan(part)),
            _ => None,
        })
    }
}

/// A multimap to parts: one list, and for each key where its own begin.
#[derive(Clone, Debug)]
struct PartTable<K> {
    /// One more than there are keys, up to the last one with values.
    starts: IndexVec<K, u32>,
    values: Vec<PartId>,
}

impl<K> Default for PartTable<K> {
    fn default() -> PartTable<K> {
        PartTable { starts: IndexVec::default(), values: Vec::new() }
    }
}

impl<K: Idx> PartTable<K> {
    fn new(mut pairs: Vec<(K, PartId)>) -> PartTable<K> {
        pairs.sort_unstable();
        let keys = pairs.last().map_or(0, |(last, _)| last.index() + 1);
        let mut table = PartTable::default();
        table.starts.reserve(keys + 1);
        table.values.reserve(pairs.len());
        for (key, value) in pairs {
            let start = table.values.len() as u32;
            while table.starts.end() <= key {
                table.starts.push(start);
            }
            table.values.push(value);
        }
        table.starts.push(table.values.len() as u32);
        table
    }

    fn of(&self, key: K) -> &[PartId] {
        match (self.starts.get(key), self.starts.get(K::new(key.index() + 1))) {
            (Some(start), Some(end)) => &self.values[*start as usize..*end as usize],
            _ => &[],
        }
    }
}
