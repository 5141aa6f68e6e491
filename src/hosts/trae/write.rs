//! Changes a run: what was sent, and the steps that repeat it.

use std::collections::BTreeMap;

use super::document::{TraeDocument, TraeRun, is_of};
use super::own;
use crate::bytes::edit::Edit;
use crate::containers::rewrite::CannotDo;
use crate::dialects::placeholders::NO_RESULT;
use crate::format::FormatContext;
use crate::json::build::NewValue;
use crate::json::cut::{ArrayItem, RecordChange, arrange, replace};
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::rewrite::{self, Order, Plan, Planner, Schema, StepResult};
use crate::shapes::chat::state_number;
use crate::transcript::{Action, ActionKind, EventId, PartId, PartKind, Request, Transcript};

pub(super) const SCHEMA: Schema = Schema {
    supports: &[
        ActionKind::EditBytes,
        ActionKind::RemovePart,
        ActionKind::MoveTogether,
        ActionKind::AnswerCall,
    ],
    ..Schema::PLAIN
};

/// A plan of the records, and the writer that changes them.
pub(super) fn planner<'a>(context: &'a FormatContext<'a>, request: &'a Request) -> Planner<'a> {
    let order = Order::new(context.transcript, &[]);
    let plan = Plan::new(context.source(), request, &SCHEMA, order);
    let writer = TraeWriter { context, requests: BTreeMap::new() };
    Planner::new(plan, writer)
}

/// The number of the request in which a message is new, from 0; for a response, that of its own
/// request.
pub(super) fn number_of(t: &Transcript, event: EventId) -> usize {
    usize::try_from(t.event(event).place().number()).unwrap_or(usize::MAX)
}

fn request_of(t: &Transcript, part: PartId) -> usize {
    number_of(t, t.part(part).event)
}

/// Whether the messages of this request are recorded: one that was sent, or the rejected one after
/// them.
fn has_request(t: &Transcript, number: usize) -> bool {
    let requests =
        state_number(t, own::REQUESTS).and_then(|requests| usize::try_from(requests).ok());
    requests.is_some_and(|requests| number < requests)
}

/// Whether a run can take an action. The steps repeat the IDs, and which interaction sent what is
/// evidence, so only results move. Late results move to the request that has none.
pub(super) fn has_place(t: &Transcript, action: &Action) -> bool {
    let is_call = |part: &PartId| t.part(*part).kind == PartKind::Call;
    match action {
        Action::AnswerCall { call, .. } => has_request(t, request_of(t, *call) + 1),
        Action::RemovePart(part) => !is_call(part),
        Action::MoveTogether(parts) => {
            let call = parts.iter().copied().rfind(is_call);
            let Some(next) = call.map(|call| request_of(t, call) + 1) else {
                return false;
            };
            let mut results = parts.iter().copied().filter(|part| !is_call(part));
            has_request(t, next) && results.all(|result| request_of(t, result) >= next)
        }
        _ => true,
    }
}

/// The changes of the new messages of a request.
#[derive(Default)]
struct MessageEdits {
    /// Calls that get a result at the front.
    answers: Vec<PartId>,
    /// Messages to remove, with the IDs of their results.
    removed: Vec<(EventId, String)>,
    /// Messages to move to the front, from this request or a later one.
    front: Vec<EventId>,
}

struct TraeWriter<'a> {
    context: &'a FormatContext<'a>,
    /// By the number of the request.
    requests: BTreeMap<usize, MessageEdits>,
}

impl TraeWriter<'_> {
    fn request(&mut self, number: usize) -> &mut MessageEdits {
        self.requests.entry(number).or_default()
    }

    /// Removes the message of a result from its request.
    fn remove_message(&mut self, t: &Transcript, result: PartId) {
        let part = t.part(result);
        let removed = (part.event, t.text(part.id).to_owned());
        self.request(request_of(t, result)).removed.push(removed);
    }
}

impl<'a> rewrite::Writer<'a> for TraeWriter<'a> {
    fn remove_part(&mut self, plan: &mut Plan<'a>, part: PartId) -> StepResult {
        if plan.t.part(part).kind != PartKind::Result {
            return Err(CannotDo("only results are taken out of a run"));
        }
        self.remove_message(plan.t, part);
        Ok(())
    }

    fn answer_call(&mut self, plan: &mut Plan<'a>, call: PartId, _: Option<EventId>) -> StepResult {
        let next = request_of(plan.t, call) + 1;
        self.request(next).answers.push(call);
        Ok(())
    }

    /// Moves results to the front of the request that follows their calls.
    fn move_together(&mut self, plan: &mut Plan<'a>, parts: &[PartId]) -> StepResult {
        let t = plan.t;
        let (calls, results): (Vec<PartId>, Vec<PartId>) =
            parts.iter().partition(|part| t.part(**part).kind == PartKind::Call);
        let asks = calls.last().ok_or(CannotDo("results without calls"))?;
        let next = request_of(t, *asks) + 1;
        for result in results {
            let own = request_of(t, result);
            if own < next {
                return Err(CannotDo("results are not moved to a later request"));
            }
            if own > next {
                self.remove_message(t, result);
            }
            self.request(next).front.push(t.part(result).event);
        }
        Ok(())
    }

    fn add_edits(&self, plan: &Plan<'a>, edits: &mut Vec<Edit>) -> StepResult {
        if self.requests.is_empty() {
            return Ok(());
        }
        let unread = CannotDo("the run cannot be read again");
        let document = TraeDocument::of(self.context).ok_or(unread.clone())?;
        let run = document.run().ok_or(unread)?;
        let mut changes = Vec::new();
        for (number, edits) in &self.requests {
            let request =
                RequestEdit { t: plan.t, document: &document, run: &run, number: *number, edits };
            changes.extend(request.changes()?);
        }
        edits.extend(document.edits(changes));
        Ok(())
    }
}

/// A request whose messages change.
struct RequestEdit<'a> {
    t: &'a Transcript,
    document: &'a TraeDocument,
    run: &'a TraeRun<'a>,
    number: usize,
    edits: &'a MessageEdits,
}

impl RequestEdit<'_> {
    fn changes(&self) -> Result<Vec<RecordChange>, CannotDo> {
        let results: Vec<NewValue> =
            self.edits.answers.iter().map(|call| result(self.t, *call)).collect();
        let messages: Vec<NewValue> = match self.run.bare {
            Some(bare) if bare == self.number => results.clone(),
            _ => results.iter().map(|result| message(result.clone())).collect(),
        };
        let own = self.run.messages(self.number).ok_or(CannotDo("a request has no messages"))?;
        let mut changes = Vec::new();
        for list in std::iter::once(own).chain(self.run.copies(self.number)) {
            changes.extend(self.arrange_messages(list, &messages)?);
        }
        changes.extend(self.results(&results));
        Ok(changes)
    }

    /// The changes that put the messages of a list into their new order.
    fn arrange_messages(
        &self,
        list: Node<'_>,
        new: &[NewValue],
    ) -> Result<Vec<RecordChange>, CannotDo> {
        let at = |event: &EventId| position(self.t, *event);
        let removed: Vec<u32> =
            self.edits.removed.iter().filter_map(|(event, _)| at(event)).collect();
        let is_own = |event: &EventId| number_of(self.t, *event) == self.number;
        let own_front: Vec<u32> =
            self.edits.front.iter().filter(|event| is_own(event)).filter_map(at).collect();
        let count = list.items().count() as u32;
        let rest = (0..count)
            .filter(|at| !removed.contains(at) && !own_front.contains(at))
            .map(ArrayItem::Old);
        let mut items = self.document.new_items(list, new);
        for event in &self.edits.front {
            items.push(match at(event).filter(|_| is_own(event)) {
                Some(at) => ArrayItem::Old(at),
                None => ArrayItem::New(self.raw(*event)?),
            });
        }
        items.extend(rest);
        Ok(match (items.is_empty(), count) {
            (true, _) => vec![replace(list, "[]")],
            (false, 0) if self.edits.front.is_empty() => {
                vec![self.document.fill(list, new.to_vec())]
            }
            (false, _) => arrange(list, &items),
        })
    }

    /// The bytes of a message of another request.
    fn raw(&self, event: EventId) -> Result<Vec<u8>, CannotDo> {
        let list = self.run.messages(number_of(self.t, event));
        let item =
            list.zip(position(self.t, event)).and_then(|(list, at)| list.items().nth(at as usize));
        item.map(|item| item.raw().into_owned())
            .ok_or(CannotDo("a message that moves cannot be read again"))
    }

    /// The changes of the results in the step with the calls.
    fn results(&self, new: &[NewValue]) -> Vec<RecordChange> {
        let Some(list) = self.run.results(self.number) else {
            return Vec::new();
        };
        let removed_ids = self.removed_ids();
        let mut items = Vec::new();
        for (at, result) in (0_u32..).zip(list.items()) {
            if !removed_ids.iter().any(|id| is_of(result, id)) {
                items.push(ArrayItem::Old(at));
            }
        }
        let incoming: Vec<NewValue> =
            self.incoming().into_iter().chain(new.iter().cloned()).collect();
        match (list.kind(), list.items().next().is_some()) {
            (Kind::Array, true) => {}
            (Kind::Array | Kind::Null, _) if incoming.is_empty() => return Vec::new(),
            (Kind::Array, false) => return vec![self.document.fill(list, incoming)],
            // A step without results gets no placeholder results either, but moved results must not
            // be lost.
            (Kind::Null, _) if new.len() < incoming.len() => {
                return vec![self.document.fill(list, incoming)];
            }
            _ => return Vec::new(),
        }
        items.extend(self.document.new_items(list, &incoming));
        if items.is_empty() { vec![replace(list, "[]")] } else { arrange(list, &items) }
    }

    /// The results that move here, as the steps of their requests have them.
    fn incoming(&self) -> Vec<NewValue> {
        let moves =
            self.edits.front.iter().filter(|event| number_of(self.t, **event) != self.number);
        let incoming = moves.filter_map(|event| {
            let part = self.t.part_of(*event, PartKind::Result)?;
            let id = self.t.text(self.t.part(part).id);
            let mut results = self.run.results(number_of(self.t, *event))?.items();
            let raw = results.find(|result| is_of(*result, id))?.raw().into_owned();
            Some(NewValue::Raw(String::from_utf8(raw).ok()?.into()))
        });
        incoming.collect()
    }

    /// The IDs of removed results of which the request has no other.
    fn removed_ids(&self) -> Vec<&str> {
        let mut remaining = Vec::new();
        for event in self.t.with_inner().filter(|event| number_of(self.t, *event) == self.number) {
            let is_removed = self.edits.removed.iter().any(|(other, _)| *other == event);
            if let Some(part) = self.t.part_of(event, PartKind::Result).filter(|_| !is_removed) {
                remaining.push(self.t.text(self.t.part(part).id));
            }
        }
        let ids = self.edits.removed.iter().map(|(_, id)| id.as_str());
        ids.filter(|id| !remaining.contains(id)).collect()
    }
}

/// The position of a message in its list.
fn position(t: &Transcript, event: EventId) -> Option<u32> {
    t.fact_number(event, own::NUMBER).and_then(|number| u32::try_from(number).ok())
}

/// A marked error result for a call.
fn result(t: &Transcript, call: PartId) -> NewValue {
    NewValue::object([
        ("call_id", NewValue::text(t.text(t.part(call).id))),
        ("success", NewValue::Raw("false".into())),
        ("result", NewValue::text("")),
        ("error", NewValue::text(NO_RESULT)),
        ("id", NewValue::NULL),
    ])
}

/// The message that carries a result.
fn message(result: NewValue) -> NewValue {
    NewValue::object([
        ("role", NewValue::text("user")),
        ("content", NewValue::NULL),
        ("tool_result", result),
    ])
}
