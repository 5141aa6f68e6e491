//! The positions of the calls and results of a batch among the other messages.
//!
//! Almost every target requires the same normal form: the calls of one response together, and their results directly after
//! them, in any order. A batch that was recorded as several complete turns is in that form, too. If a target accepts
//! results anywhere after their call, only a result before its call is misplaced.

use super::conversation::Transcript;
use super::event::{PartKind, Role};
use super::index::{IndexVec, PartId};
use super::pairs::{Batch, PairStatus};
use super::request::{Departure, Misplaced, Request, Sent};

/// The position of a part that is not sent.
const NOWHERE: u32 = u32::MAX;
/// At most this many intruders are listed: between a call and a very late result there may be thousands of messages, and a
/// transcript may have thousands of such results.
pub(crate) const MOST_INTRUDERS: usize = 8;

/// What a message says if only the first intruders are listed.
pub(crate) fn first_listed(count: usize) -> String {
    format!(" (the first {count} in between are listed)")
}

/// Every batch of a request that is not in normal form. `anywhere`: results may be anywhere after their call.
pub(crate) fn misplaced(t: &Transcript, request: &Request, anywhere: bool) -> Vec<Misplaced> {
    let positions = Positions::new(t, request);
    let batches = (0_u32..).zip(&request.pairs.batches);
    let misplaced = batches.filter_map(|(number, batch)| {
        if anywhere {
            positions.find_early(number, batch)
        } else {
            positions.find_misplaced(number, batch)
        }
    });
    misplaced.collect()
}

/// The position of every part that is sent.
struct Positions<'a> {
    t: &'a Transcript,
    request: &'a Request,
    /// What is sent, without copies of calls: these will be removed, so they are not in the way.
    order: Vec<&'a Sent>,
    /// The position of each part; `NOWHERE`: it is not sent.
    of: IndexVec<PartId, u32>,
}

impl<'a> Positions<'a> {
    fn new(t: &'a Transcript, request: &'a Request) -> Positions<'a> {
        let mut of = IndexVec::for_each_of(&t.parts, NOWHERE);
        let any_copy = request.pairs.has_copies();
        let order: Vec<&Sent> = if any_copy {
            let all = request.order.iter();
            all.filter(|sent| {
                !sent
                    .parts
                    .clone()
                    .any(|part| matches!(request.pairs.status(part), PairStatus::CopyOf(_)))
            })
            .collect()
        } else {
            request.order.iter().collect()
        };
        for (position, sent) in (0_u32..).zip(&order).filter(|(_, sent)| !sent.summary) {
            sent.parts.clone().for_each(|part| of[part] = position);
        }
        Positions { t, request, order, of }
    }

    fn of_part(&self, part: PartId) -> Option<u32> {
        Some(self.of[part]).filter(|position| *position != NOWHERE)
    }

    fn is_result(&self, position: u32) -> bool {
        let Some(sent) = self.order.get(position as usize) else {
            return false;
        };
        sent.role == Role::Tool && !sent.summary
    }

    /// Whether the item at this position continues the message that has the batch's calls.
    fn is_joined(&self, position: u32, batch: &Batch) -> bool {
        let Some(sent) = self.order.get(position as usize) else {
            return false;
        };
        sent.role == Role::Assistant && batch.last_event.is_some_and(|last| sent.event <= last)
    }

    /// Where the turn ends that has the batch's calls up to this position: at the first item after them that is not a result.
    fn end_of_turn(&self, last: u32, batch: &Batch) -> u32 {
        let mut end = last + 1;
        while self.is_joined(end, batch) {
            end += 1;
        }
        while self.is_result(end) {
            end += 1;
        }
        end
    }

    /// Whether the results of these positions are between them and the end of their turn.
    fn is_complete(
        &self,
        mut positions: impl Iterator<Item = u32>,
        last: u32,
        batch: &Batch,
    ) -> bool {
        let end = self.end_of_turn(last, batch);
        positions.all(|at| {
            let results = self.calls_at(at).filter_map(|call| self.request.pairs.answer(call));
            let mut places = results.filter_map(|result| self.of_part(result));
            places.all(|place| last < place && place < end)
        })
    }

    /// Whether all calls of a batch are in one message, with their results after it, as almost all are.
    fn is_plain(&self, batch: &Batch) -> bool {
        let mut positions = batch.calls.iter().map(|call| self.of_part(*call));
        let Some(Some(at)) = positions.next() else {
            return false;
        };
        positions.all(|other| other == Some(at)) && self.is_complete(std::iter::once(at), at, batch)
    }

    /// How this batch is misplaced. `None`: it is in normal form.
    fn find_misplaced(&self, number: u32, batch: &Batch) -> Option<Misplaced> {
        if self.is_plain(batch) {
            return None;
        }
        let mut calls: Vec<(u32, PartId)> =
            batch.calls.iter().filter_map(|c| Some((self.of_part(*c)?, *c))).collect();
        calls.sort_unstable();
        calls.dedup_by_key(|(position, _)| *position);
        let groups: Vec<&[(u32, PartId)]> = calls.chunk_by(|a, b| a.0 + 1 == b.0).collect();
        if groups.iter().all(|group| {
            let Some((last, _)) = group.last() else {
                return true;
            };
            self.is_complete(group.iter().map(|(at, _)| *at), *last, batch)
        }) {
            return None;
        }
        let own = calls.iter().flat_map(|(at, _)| self.calls_at(*at));
        let answers: Vec<PlacedAnswer> = own
            .filter_map(|call| {
                let result = self.request.pairs.answer(call)?;
                Some(PlacedAnswer { at: self.of_part(result)?, result, call })
            })
            .collect();
        Some(self.describe(number, &calls, groups.len(), answers))
    }

    /// The results of a batch that are before their calls.
    fn find_early(&self, number: u32, batch: &Batch) -> Option<Misplaced> {
        let pairs =
            batch.calls.iter().filter_map(|call| Some((*call, self.request.pairs.answer(*call)?)));
        let early = pairs.filter(|(call, result)| self.of_part(*result) < self.of_part(*call));
        let normal_order: Vec<PartId> = early
            .filter(|(_, result)| self.of_part(*result).is_some())
            .flat_map(|(call, result)| [call, result])
            .collect();
        (!normal_order.is_empty()).then_some(Misplaced {
            batch: number,
            departure: Departure::Early,
            normal_order,
            intruders: Vec::new(),
            has_more: false,
            by_summary: false,
        })
    }

    /// All calls of the item at this position.
    fn calls_at(&self, position: u32) -> impl Iterator<Item = PartId> + '_ {
        let parts = self.order[position as usize].parts.clone();
        parts.filter(|part| self.t.part(*part).kind == PartKind::Call)
    }

    fn describe(
        &self,
        batch: u32,
        calls: &[(u32, PartId)],
        groups: usize,
        mut answers: Vec<PlacedAnswer>,
    ) -> Misplaced {
        answers.sort_unstable();
        let early = answers
            .iter()
            .any(|answer| self.of_part(answer.call).is_some_and(|own| answer.at < own));
        let departure = match (early, groups) {
            (true, _) => Departure::Early,
            (false, 1) => Departure::Apart,
            (false, _) => Departure::Split,
        };
        let positions: Vec<u32> = calls.iter().map(|(at, _)| *at).collect();
        let bounds = positions.iter().copied().chain(answers.iter().map(|answer| answer.at));
        let (first, last) =
            bounds.fold((u32::MAX, 0), |(low, high), at| (low.min(at), high.max(at)));
        let own = |at: &u32| positions.binary_search(at).is_ok() || self.is_result(*at);
        let mut between: Vec<u32> =
            (first..last).filter(|at| !own(at)).take(MOST_INTRUDERS + 1).collect();
        let has_more = between.len() > MOST_INTRUDERS;
        between.truncate(MOST_INTRUDERS);
        let intruders = between.iter().map(|at| self.order[*at as usize].event).collect();
        let by_summary =
            !between.is_empty() && between.iter().all(|at| self.order[*at as usize].summary);
        let results = answers.iter().map(|answer| answer.result);
        let normal_order =
            positions.iter().flat_map(|at| self.calls_at(*at)).chain(results).collect();
        Misplaced { batch, departure, normal_order, intruders, has_more, by_summary }
    }
}

/// The result that answers a call, and its position.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct PlacedAnswer {
    at: u32,
    result: PartId,
    call: PartId,
}
