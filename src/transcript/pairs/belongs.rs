//! Which open calls an orphaned result could belong to. IDs get lost or rewritten on the way: by gateways, by a resume.

use hashbrown::HashSet;

use super::{PairStatus, Pairs};
use crate::transcript::conversation::Transcript;
use crate::transcript::event::{Part, PartKind, Role};
use crate::transcript::ids::Id;
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

    /// The only open call before an orphaned result that is directly after it, if no other result without a call does.
    pub(crate) fn only_open_for(&self, t: &Transcript, result: PartId) -> Option<PartId> {
        let [call] = self.open_for(t, result)[..] else {
            return None;
        };
        let is_only = self.orphans_after(t, call).all(|other| other == result);
        (is_only && self.is_directly_after(t, call, result)).then_some(call)
    }

    /// The orphaned results between the batch of an open call and the next one that could belong to the call.
    pub(crate) fn orphans_after(
        &self,
        t: &Transcript,
        call: PartId,
    ) -> impl Iterator<Item = PartId> {
        let next = self.next_batch(call);
        let own = next.checked_sub(1).and_then(|at| self.batches.get(at));
        let first = own.and_then(|batch| batch.calls.first().copied());
        let end = self.batches.get(next).and_then(|b| b.calls.first().copied());
        let end = end.unwrap_or(t.parts.end());
        let strays = self.strays(t);
        let from = first.map_or(strays.len(), |first| strays.partition_point(|part| *part < first));
        let after = strays[from..].iter().copied().take_while(move |part| *part < end);
        after.filter(move |part| is_same_tool(t, call, *part))
    }

    fn strays(&self, t: &Transcript) -> &[PartId] {
        self.strays.get_or_init(|| {
            let orphans = self.all().filter(|(_, status)| *status == PairStatus::Orphan);
            let mut strays: Vec<PartId> = orphans.map(|(part, _)| part).collect();
            if strays.is_empty() {
                return strays;
            }
            let is_call = |part: &&Part| matches!(part.kind, PartKind::Call | PartKind::Hosted);
            let calls = t.parts.iter().filter(is_call);
            let known: HashSet<Id> =
                calls.flat_map(|part| [part.id, part.sent_id]).flatten().collect();
            strays.retain(|part| {
                t.part(*part).id.is_none_or(|id| !known.contains(&id) || t.ids.is_empty(id))
            });
            strays
        })
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
