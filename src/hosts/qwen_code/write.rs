//! How plans change a chat: records and contents that go, move, or are new.

use std::collections::BTreeMap;

use super::{QWEN_CODE, QwenSession, content};
use crate::bytes::edit::Edit;
use crate::containers::rewrite::CannotDo;
use crate::dialects::gemini;
use crate::format::FormatContext;
use crate::json::build::NewValue;
use crate::json::node::Node;
use crate::rewrite::{
    self, Extension, LinkTo, NewBytes, NewId, NewRecord, Order, Plan, Planner, Schema, Slot,
    StepResult, in_order, made_id, nearest,
};
use crate::shapes::tree::write::Placement;
use crate::shapes::tree::{TreeKeys, fragments};
use crate::transcript::{EventId, PartId, Request, Role, State, Transcript};

/// How records name each other.
const KEYS: TreeKeys = TreeKeys { id: "uuid", parent: "parentUuid" };

pub(super) const SCHEMA: Schema =
    Schema { after: Some("uuid"), list: content::history, ..Schema::TREE };

/// A plan of the records, and the writer that changes them.
pub(super) fn planner<'a>(context: &'a FormatContext<'a>, request: &'a Request) -> Planner<'a> {
    let t = context.transcript;
    let tree = QwenSession::of(context).tree;
    let order = Order::of(t.events.len(), t.with_inner(), &tree.branch);
    let writer = QwenWriter { context, path: Placement::new(tree, KEYS), cut: BTreeMap::new() };
    let plan = Plan::new(context.source(), request, &SCHEMA, order);
    Planner::new(plan, writer)
}

struct QwenWriter<'a> {
    context: &'a FormatContext<'a>,
    path: Placement,
    /// Parts that go.
    cut: BTreeMap<EventId, Vec<PartId>>,
}

impl<'a> rewrite::Writer<'a> for QwenWriter<'a> {
    fn after_edit(&mut self, plan: &mut Plan<'a>, event: EventId, _: &[Edit]) -> StepResult {
        let tree = (&self.path.tree, KEYS, &QWEN_CODE.records);
        let edits = fragments::relink_children(self.context, tree, event, &mut plan.members)?;
        plan.edit(edits);
        Ok(())
    }

    fn remove_part(&mut self, plan: &mut Plan<'a>, part: PartId) -> StepResult {
        self.cut.entry(plan.t.part(part).event).or_default().push(part);
        Ok(())
    }

    fn move_together(&mut self, plan: &mut Plan<'a>, parts: &[PartId]) -> StepResult {
        let mut events = parts.iter().map(|part| plan.t.part(*part).event);
        if events.any(|event| plan.t.event(event).within.is_some()) {
            return plan.gather_records(parts, |event| vec![event]);
        }
        self.path.gather(plan, parts)
    }

    fn answer_call(&mut self, plan: &mut Plan<'a>, call: PartId, _: Option<EventId>) -> StepResult {
        let t = plan.t;
        let event = t.part(call).event;
        let record = NewRecord {
            id: self.new_id(t, call),
            within: t.event(event).within,
            ..NewRecord::of(call)
        };
        let is_inner = record.within.is_some();
        let slot = plan.add(record);
        if !is_inner {
            self.path.insert(plan, call, slot);
            return Ok(());
        }
        let batch = plan.request.pairs.batch_of(call);
        let calls = batch.into_iter().flat_map(|batch| &batch.calls);
        let answers = calls.filter_map(|call| plan.request.pairs.answer(*call));
        let answers = answers.map(|result| Slot::Old(t.part(result).event));
        let last = plan.order.last_stored_of(answers).unwrap_or(event.into());
        plan.put_after(slot, last)
    }

    fn set_link(&mut self, plan: &mut Plan<'a>, event: EventId, (_, to): LinkTo) -> StepResult {
        self.path.relink(plan, event, to)
    }

    /// The records that a compaction must keep come after it on the path; their lines stay.
    fn move_boundary(&mut self, plan: &mut Plan<'a>, extension: &Extension<'_>) -> StepResult {
        let mut before = extension.event;
        for event in extension.keep.iter().copied() {
            plan.order.put_after_on_path(event, before);
            before = event;
        }
        plan.order.change();
        Ok(())
    }

    fn follow_up(&mut self, plan: &mut Plan<'a>) -> StepResult {
        for (event, parts) in std::mem::take(&mut self.cut) {
            if !plan.cut(event, &parts) {
                plan.order.remove(event);
            }
        }
        if plan.order.is_changed() {
            self.path.leaf_last(plan)?;
            self.path.relink_all(plan)?;
            self.path.note_new(plan);
        }
        Ok(())
    }

    fn new_record(&self, plan: &Plan<'a>, id: NewId, _: Option<EventId>) -> NewBytes {
        let new = plan.new_record(id);
        let t = plan.t;
        let event = t.part(new.call).event;
        let asks = plan.source.record(event)?;
        let model = nearest(t, event, |other| is_model(t, other, new.within));
        let model = model.map(|model| plan.source.record(model)).transpose()?;
        let shape = model.as_ref().map(|model| model.root());
        let writer = model.as_ref().unwrap_or(&asks).writer();
        if new.within.is_some() {
            return Ok(writer.write(&content_of(t, new.call, shape)));
        }
        let (before, _) = self.path.before_new(id);
        let before = before.ok_or(CannotDo("the result has no place"))?;
        let parent = plan.id(before)?;
        Ok(writer.write(&record_of(t, new, parent, (asks.root(), shape))))
    }
}

impl QwenWriter<'_> {
    /// The ID of a new record.
    fn new_id(&self, t: &Transcript, call: PartId) -> String {
        let session = super::session(self.context).unwrap_or_default();
        let part = t.part(call);
        let (record, number) = (t.text(t.event(part.event).id), t.position(call));
        made_id(&[&session, record, t.text(part.id), &number.to_string()])
    }
}

/// Whether a record, or a content of the same list, holds one response and nothing else.
fn is_model(t: &Transcript, event: EventId, within: Option<EventId>) -> bool {
    let record = t.event(event);
    record.state == State::Whole
        && record.within == within
        && record.role == Role::Tool
        && record.parts.len() == 1
}

/// A record that answers a call: what says where and by whom it was written is that of the call's record.
fn record_of(
    t: &Transcript,
    new: &NewRecord,
    parent: &str,
    (asks, shape): (Node<'_>, Option<Node<'_>>),
) -> NewValue {
    let copy = |key| asks.get(key).map(NewValue::copy);
    let has_provenance = asks.get("provenance").is_some();
    let id = t.part(new.call).id.map(|id| ("callId", NewValue::text(t.ids.get(id))));
    let status = ("status", NewValue::text("error"));
    let result = NewValue::object(id.into_iter().chain([status]));
    let message = content_of(t, new.call, shape.and_then(|shape| shape.get("message")));
    let members = [
        ("uuid", Some(NewValue::text(&new.id))),
        ("parentUuid", Some(NewValue::text(parent))),
        ("sessionId", copy("sessionId")),
        ("timestamp", copy("timestamp")),
        ("type", Some(NewValue::text("tool_result"))),
        ("provenance", has_provenance.then(|| NewValue::text("tool_result"))),
        ("cwd", copy("cwd")),
        ("version", copy("version")),
        ("gitBranch", copy("gitBranch")),
        ("message", Some(message)),
        ("toolCallResult", Some(result)),
    ];
    in_order(members.into_iter().filter_map(|(key, value)| Some((key, value?))), shape)
}

/// A content whose only part answers a call with an error.
fn content_of(t: &Transcript, call: PartId, shape: Option<Node<'_>>) -> NewValue {
    let part = t.part(call);
    let answer = gemini::answer(part.id.map(|id| t.ids.get(id)), t.text(part.tool), false);
    let parts = vec![answer];
    let members = [("role", NewValue::text("user")), ("parts", NewValue::List(parts))];
    in_order(members, shape)
}
