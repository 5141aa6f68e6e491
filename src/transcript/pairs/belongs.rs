//! Which open calls an orphaned result could belong to. IDs get lost or rewritten on the way: by gateways, by a resume.

use super::{PairStatus, Pairs};
use crate::transcript::conversation::Transcript;
use crate::transcript::event::{PartKind, Role};
use crate::transcript::index::{IdRange, PartId};

impl Pairs {
    /// The open calls that an orphaned result could belong to: those of the last batch before it, unless both name tools that
    /// differ, or the ID is that of another call of the transcript.
    pub(crate) fn open_for(&self, t: &Transcript, result: PartId) -> Vec<PartId> {
        let next = self.next_batch(result);
        let Some(batch) = next.checked_sub(1).and_then(|at| self.batches.get(at)) else {
            return Vec::new();
        };
        let mut open: Vec<PartId> = batch.open(self).collect();
        open.retain(|call| is_same_tool(t, *call, result));
        if !open.is_empty() && has_call(t, result) {
            open.clear();
        }
        open
    }

    /// The only open call before an orphaned result that stands directly after it, if no other result without a call does.
    pub(crate) fn only_open_for(&self, t: &Transcript, result: PartId) -> Option<PartId> {
        let [call] = self.open_for(t, result)[..] else {
            return None;
        };
        let others = self.orphans_after(t, call);
        let is_only = others.into_iter().all(|other| other == result);
        (is_only && self.is_directly_after(t, call, result)).then_some(call)
    }

    /// The orphaned results between the batch of an open call and the next one that could belong to the call.
    pub(crate) fn orphans_after(&self, t: &Transcript, call: PartId) -> Vec<PartId> {
        let next = self.next_batch(call);
        let own = next.checked_sub(1).and_then(|at| self.batches.get(at));
        let Some(first) = own.and_then(|batch| batch.calls.first().copied()) else {
            return Vec::new();
        };
        let end = self.batches.get(next).and_then(|b| b.calls.first().copied());
        let parts = IdRange::new(first, end.unwrap_or(t.parts.end()).min(t.parts.end()));
        let orphans = parts.filter(|part| self.status(*part) == PairStatus::Orphan);
        let own = orphans.filter(|part| is_same_tool(t, call, *part) && !has_call(t, *part));
        own.collect()
    }

    /// The number of the batches that begin before a part.
    fn next_batch(&self, part: PartId) -> usize {
        let batches = &self.batches;
        batches.partition_point(|batch| batch.calls.first().is_some_and(|call| *call <= part))
    }

    /// Whether nobody speaks between a call and a result.
    fn is_directly_after(&self, t: &Transcript, call: PartId, result: PartId) -> bool {
        let last = self.batch_of(call).and_then(|b| b.calls.last().copied());
        let from = t.part(last.unwrap_or(call)).event;
        let between = IdRange::new(from.next(), t.part(result).event);
        !between.into_iter().any(|event| {
            let is_result = t.part_of(event, PartKind::Result).is_some();
            t.event(event).role.is_sent() && t.event(event).role != Role::Tool && !is_result
        })
    }
}

fn is_same_tool(t: &Transcript, call: PartId, result: PartId) -> bool {
    match (t.part(call).tool, t.part(result).tool) {
        (Some(called), Some(answered)) => called == answered,
        _ => true,
    }
}

/// Whether any call has the ID of a result, also one that is not sent.
fn has_call(t: &Transcript, result: PartId) -> bool {
    let id = t.part(result).id.filter(|id| !t.ids.is_empty(*id));
    id.is_some()
        && t.parts.iter().any(|part| {
            matches!(part.kind, PartKind::Call | PartKind::Hosted)
                && (part.id == id || part.sent_id == id)
        })
}
