//! Builds the request from the history. The host sends a response as a whole, once all of its calls
//! have results.

use hashbrown::{HashMap, HashSet};

use super::history::{V0History, place};
use super::own;
use crate::transcript::pairs::{PairStatus, Pairs};
use crate::transcript::request::{Inclusion, Sent};
use crate::transcript::{EventId, Id, IndexVec, PartId, PartKind, Role, State, Transcript};

/// A response with all records of its calls.
#[derive(Clone, Debug, Default)]
pub(super) struct V0Response {
    /// The records of its calls in order, including those of confirmations.
    pub actions: Vec<EventId>,
    /// The results of its calls, in the order of the calls.
    pub results: Vec<EventId>,
    /// IDs of its calls that have neither a record nor a result.
    pub unrecorded: Vec<Id>,
    /// Whether a call has no result.
    pub open: bool,
    /// Whether it is at the live end.
    pub pending: bool,
}

impl V0Response {
    /// All of its records.
    pub(super) fn events(&self) -> impl Iterator<Item = EventId> + '_ {
        self.actions.iter().chain(&self.results).copied()
    }

    /// Whether the host sends it: at least one call has a record, and each call has a result.
    fn is_sent(&self, is_gone: impl Fn(&EventId) -> bool) -> bool {
        let has_record = self.actions.iter().any(|action| !is_gone(action));
        has_record && !self.open && self.unrecorded.is_empty() && !self.results.iter().any(is_gone)
    }

    /// Whether condensations removed part of it so that the host cannot use the rest.
    pub(super) fn is_split(&self, history: &V0History) -> bool {
        let is_gone = |event: &EventId| history.forgotten_by(*event).is_some();
        let (gone, left) =
            (self.events().any(|e| is_gone(&e)), self.events().any(|e| !is_gone(&e)));
        let useless = self.results.iter().any(is_gone) || self.actions.iter().all(is_gone);
        gone && left && useless && !(self.pending && self.open)
    }
}

/// Results for calls that a response lists but that have no record. The host accepts these.
pub(super) fn adopted_results(t: &Transcript, kept: &[EventId]) -> HashMap<Id, EventId> {
    let id_of = |event: EventId, kind| t.part_of(event, kind).and_then(|part| t.part(part).id);
    let called: HashSet<Id> =
        kept.iter().filter_map(|event| id_of(*event, PartKind::Call)).collect();
    let wanted: HashSet<Id> = kept
        .iter()
        .flat_map(|event| call_ids(t, *event))
        .filter(|id| !called.contains(id))
        .collect();
    if wanted.is_empty() {
        return HashMap::new();
    }
    let results = kept.iter().filter_map(|event| Some((id_of(*event, PartKind::Result)?, *event)));
    results.filter(|(id, _)| wanted.contains(id)).collect()
}

/// The IDs of all calls of the response that this record contains.
pub(super) fn call_ids(t: &Transcript, event: EventId) -> impl Iterator<Item = Id> + '_ {
    t.fact_ids(event, own::CALL_IDS)
}

/// The responses, one for each batch.
pub(super) fn responses(
    t: &Transcript,
    pairs: &Pairs,
    superseded: &HashSet<EventId>,
    adopted_results: &HashMap<Id, EventId>,
) -> Vec<V0Response> {
    let mut earlier: HashMap<(Id, Option<Id>), Vec<EventId>> = HashMap::new();
    let mut before: Vec<EventId> = superseded.iter().copied().collect();
    before.sort_unstable();
    for event in before {
        let id = t.part_of(event, PartKind::Call).and_then(|call| t.part(call).id);
        if let Some(id) = id {
            earlier.entry((id, t.event(event).batch)).or_default().push(event);
        }
    }
    let mut responses = Vec::with_capacity(pairs.batches.len());
    for batch in &pairs.batches {
        let mut response = V0Response { pending: batch.pending, ..V0Response::default() };
        let mut own: HashSet<Id> = HashSet::new();
        for call in &batch.calls {
            let part = t.part(*call);
            own.extend(part.id);
            let key = part.id.map(|id| (id, t.event(part.event).batch));
            response.actions.extend(key.and_then(|key| earlier.remove(&key)).into_iter().flatten());
            response.actions.push(part.event);
            response.open |= pairs.status(*call) == PairStatus::Open;
        }
        // In the order of the response, which may differ from that of its records.
        let by_id =
            |id: Id| batch.calls.iter().copied().filter(move |call| t.part(*call).id == Some(id));
        let answer = |call: PartId| pairs.answer(call).map(|result| t.part(result).event);
        let first = batch.calls.first().map(|call| t.part(*call).event);
        let mut listed: HashSet<Id> = HashSet::new();
        for id in
            first.into_iter().flat_map(|event| call_ids(t, event)).filter(|id| listed.insert(*id))
        {
            if own.contains(&id) {
                response.results.extend(by_id(id).filter_map(answer));
            } else if let Some(result) = adopted_results.get(&id) {
                response.results.push(*result);
            } else {
                response.unrecorded.push(id);
            }
        }
        let others = batch
            .calls
            .iter()
            .filter(|call| t.part(**call).id.is_none_or(|id| !listed.contains(&id)));
        response.results.extend(others.copied().filter_map(answer));
        responses.push(response);
    }
    responses
}

/// The request, and what happens to each event that the host keeps.
pub(super) struct Folded {
    /// The items of the request.
    pub order: Vec<Sent>,
    pub inclusion: IndexVec<EventId, Option<Inclusion>>,
}

/// Builds the request as the host does.
pub(super) fn fold(t: &Transcript, history: &V0History, responses: &[V0Response]) -> Folded {
    let due = completed_by(history, responses);
    let left = history.left(t);
    let summary = history.summary().map(|(event, offset)| (event, place(offset, left.len())));
    let mut folded = Folded { order: Vec::new(), inclusion: inclusion_without_pairs(t, history) };
    for at in 0..=left.len() {
        if let Some((event, _)) = summary.filter(|(_, place)| *place == at) {
            folded.order.push(Sent::summary(event));
        }
        let Some(event) = left.get(at).copied() else {
            break;
        };
        let record = t.event(event);
        if record.role.is_sent() && record.state != State::Unreadable && !is_paired(t, event) {
            folded.send(t, event);
        }
        for response in due.get(&event).into_iter().flatten() {
            folded.send_response(t, history, response);
        }
    }
    folded
}

/// What happens to each event that the host keeps, with calls and results left out.
fn inclusion_without_pairs(
    t: &Transcript,
    history: &V0History,
) -> IndexVec<EventId, Option<Inclusion>> {
    let mut inclusion = IndexVec::for_each_of(&t.events, None);
    for event in history.kept.iter().copied() {
        let record = t.event(event);
        inclusion[event] = Some(match record.role {
            _ if record.state == State::Unreadable => Inclusion::Unreadable,
            _ if history.forgotten_by(event).is_some() => Inclusion::Forgotten,
            Role::Nobody | Role::HostState => Inclusion::Bookkeeping,
            _ if is_paired(t, event) => Inclusion::Dropped,
            _ => Inclusion::Sent,
        });
    }
    inclusion
}

/// The responses that are sent, by the record that completes each of them: they are sent with that record.
fn completed_by<'a>(
    history: &V0History,
    responses: &'a [V0Response],
) -> HashMap<EventId, Vec<&'a V0Response>> {
    let is_gone = |event: &EventId| history.forgotten_by(*event).is_some();
    let mut due: HashMap<EventId, Vec<&V0Response>> = HashMap::new();
    for response in responses.iter().filter(|own| own.is_sent(is_gone)) {
        let left = response.actions.iter().filter(|action| !is_gone(action));
        let last = response.results.iter().chain(left.min()).max();
        due.entry(last.copied().unwrap_or_default()).or_default().push(response);
    }
    due
}

impl Folded {
    fn send(&mut self, t: &Transcript, event: EventId) {
        self.inclusion[event] = Some(Inclusion::Sent);
        let record = t.event(event);
        self.order.push(Sent::new(event, record.role, record.parts.clone()));
    }

    /// Sends one record for each call of a response (for a confirmation, the last), then the results.
    fn send_response(&mut self, t: &Transcript, history: &V0History, response: &V0Response) {
        let mut seen_ids: HashSet<Option<Id>> = HashSet::new();
        let left = response.actions.iter().rev().copied();
        let mut calls: Vec<EventId> =
            left.filter(|event| history.forgotten_by(*event).is_none()).collect();
        calls.retain(|call| {
            let part = t.part_of(*call, PartKind::Call);
            seen_ids.insert(part.and_then(|part| t.part(part).id))
        });
        for event in calls.iter().rev().chain(&response.results) {
            self.send(t, *event);
        }
    }
}

fn is_paired(t: &Transcript, event: EventId) -> bool {
    t.part_of(event, PartKind::Call).is_some() || t.part_of(event, PartKind::Result).is_some()
}
