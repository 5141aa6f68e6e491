//! Changes a session by a plan: where results go, the parents that follow from the order, and
//! pointers to removed records.

use hashbrown::HashMap;

use super::path::PiPath;
use super::{answer, own, window};
use crate::bytes::edit::Edit;
use crate::containers::rewrite::CannotDo;
use crate::format::FormatContext;
use crate::rewrite::{
    self, Extension, LinkTo, NewBytes, NewId, Order, Plan, Planner, Schema, Slot, StepResult,
};
use crate::shapes::tree::write::{Placement, set_id};
use crate::shapes::tree::{TreeKeys, fragments};
use crate::transcript::{EventId, Id, LinkKind, PartId, PartKind, Request, Role, State, distinct};

/// How entries name each other.
const KEYS: TreeKeys = TreeKeys { id: "id", parent: "parentId" };

pub(super) const SCHEMA: Schema =
    Schema { after: Some("id"), id_after: &["role", "type"], ..Schema::TREE };

/// A plan of the records, and the writer that changes them.
pub(super) fn planner<'a>(context: &'a FormatContext<'a>, request: &'a Request) -> Planner<'a> {
    let PiPath { openclaw, headers, tree } = PiPath::find(context);
    let order = Order::new(context.transcript, &tree.branch);
    let writer = PiWriter { context, openclaw, headers, path: Placement::new(tree, KEYS) };
    let plan = Plan::new(context.source(), request, &SCHEMA, order);
    Planner::new(plan, writer)
}

struct PiWriter<'a> {
    context: &'a FormatContext<'a>,
    openclaw: bool,
    headers: Vec<EventId>,
    path: Placement,
}

impl<'a> rewrite::Writer<'a> for PiWriter<'a> {
    fn after_edit(&mut self, plan: &mut Plan<'a>, event: EventId, _: &[Edit]) -> StepResult {
        let tree = (&self.path.tree, KEYS, &super::PI.records);
        let edits = fragments::relink_children(self.context, tree, event, &mut plan.members)?;
        plan.edit(edits);
        Ok(())
    }

    /// Results are separate records; a call cannot be removed alone.
    fn remove_part(&mut self, plan: &mut Plan<'a>, part: PartId) -> StepResult {
        let part = plan.t.part(part);
        if part.kind != PartKind::Result {
            return Err(CannotDo("a call is never taken out of its response"));
        }
        plan.order.remove(part.event);
        Ok(())
    }

    fn move_together(&mut self, plan: &mut Plan<'a>, parts: &[PartId]) -> StepResult {
        self.path.gather(plan, parts)?;
        if self.openclaw && !self.path.tree.flat {
            store_after_calls(plan, parts);
        }
        Ok(())
    }

    fn answer_call(&mut self, plan: &mut Plan<'a>, call: PartId, _: Option<EventId>) -> StepResult {
        let number = self.path.number_of(plan, call);
        let slot = plan.add(answer::new(self.context, call, number));
        self.path.insert(plan, call, slot);
        Ok(())
    }

    fn set_link(&mut self, plan: &mut Plan<'a>, event: EventId, (_, to): LinkTo) -> StepResult {
        self.path.relink(plan, event, to)
    }

    /// Makes a compaction keep the path from a record on.
    fn move_boundary(&mut self, plan: &mut Plan<'a>, extension: &Extension<'_>) -> StepResult {
        let event = extension.event;
        let first = *extension.keep.first().ok_or(CannotDo("nothing to keep"))?;
        if !plan.t.has(event, own::KEPT_INDEX) {
            return set_id(plan, event, "firstKeptEntryId", Some(Slot::Old(first)));
        }
        let index = window::parsed(plan.t).position(|other| other == first);
        let index = index.ok_or(CannotDo("the record to keep is not counted"))?;
        plan.members.set(event, "firstKeptEntryIndex", index.to_string());
        Ok(())
    }

    fn follow_up(&mut self, plan: &mut Plan<'a>) -> StepResult {
        if !plan.order.is_changed() {
            return Ok(());
        }
        if !self.openclaw {
            self.path.leaf_last(plan)?;
        }
        if self.path.tree.flat {
            self.recount(plan);
        } else {
            self.path.relink_all(plan)?;
            self.relink_pointers(plan)?;
        }
        self.path.note_new(plan);
        Ok(())
    }

    fn new_record(&self, plan: &Plan<'a>, id: NewId, _: Option<EventId>) -> NewBytes {
        let (before, recorded) = self.path.before_new(id);
        let parent = before.filter(|_| !self.path.tree.flat);
        let parent = parent.map(|parent| plan.id(parent)).transpose()?;
        Ok(answer::bytes(plan, plan.new_record(id), recorded, parent))
    }
}

/// Moves the records that follow these calls on the path, and are stored before them, to after them.
fn store_after_calls(plan: &mut Plan<'_>, parts: &[PartId]) {
    let calls = parts.iter().map(|part| plan.t.part(*part));
    let calls = calls.filter(|part| part.kind == PartKind::Call);
    let calls: Vec<EventId> = distinct(calls.map(|part| part.event));
    for call in calls {
        let mut before = Slot::Old(call);
        for slot in plan.order.path_from(call).collect::<Vec<_>>() {
            if plan.order.last_stored_of([before, slot].into_iter()) == Some(slot) {
                break;
            }
            plan.order.store_after(slot, before);
            before = slot;
        }
    }
}

impl<'a> PiWriter<'a> {
    /// Redirects references to removed records: a boundary to the next kept record, a pointer to
    /// the nearest ancestor.
    fn relink_pointers(&self, plan: &mut Plan<'a>) -> StepResult {
        for event in self.path.tree.records.iter().copied() {
            if plan.order.is_gone(event) {
                continue;
            }
            let kept = plan.t.linked(event, LinkKind::Kept);
            if let Some(removed) = kept.and_then(|id| self.removed(plan, id, event)) {
                let after = self.path.tree.branch.iter().skip_while(|other| **other != removed);
                let next = after.copied().find(|other| !plan.order.is_gone(*other));
                let next = next.or_else(|| plan.order.kept(Some(removed), &self.path.tree.parent));
                let next =
                    next.ok_or(CannotDo("nothing is left that the compaction could keep"))?;
                set_id(plan, event, "firstKeptEntryId", Some(Slot::Old(next)))?;
            }
            for (name, key) in
                [(own::LEAF_TARGET, "targetId"), (own::LEAF_APPEND, "appendParentId")]
            {
                let Some(id) = plan.t.fact_id(event, name) else {
                    continue;
                };
                let target = self.path.tree.resolve(id, event);
                let is_old_leaf =
                    target.is_some() && target == self.path.tree.branch.last().copied();
                // A pointer to the end of the path follows it.
                if is_old_leaf && plan.order.leaf() != target.map(Slot::Old) {
                    set_id(plan, event, key, plan.order.leaf())?;
                } else if let Some(removed) = self.removed(plan, id, event) {
                    let above = plan.order.kept(Some(removed), &self.path.tree.parent);
                    set_id(plan, event, key, above.map(Slot::Old))?;
                }
            }
        }
        Ok(())
    }

    /// The removed record that an ID refers to.
    fn removed(&self, plan: &Plan<'a>, id: Id, event: EventId) -> Option<EventId> {
        let named = self.path.tree.resolve(id, event);
        named.filter(|named| plan.order.is_gone(*named))
    }

    /// Version 1 counts records, so update the index of the first kept record.
    fn recount(&self, plan: &mut Plan<'a>) {
        let t = plan.t;
        let counted = plan
            .order
            .stored()
            .filter(|slot| slot.old().is_none_or(|event| t.event(event).state == State::Whole));
        let places: HashMap<Slot, usize> = counted.zip(self.headers.len()..).collect();
        let is_there = |event: &EventId| !plan.order.is_gone(*event);
        for event in self.path.tree.records.iter().copied().filter(is_there) {
            let Some(index) = t.fact_number(event, own::KEPT_INDEX) else {
                continue;
            };
            let Ok(index) = usize::try_from(index) else {
                continue;
            };
            let kept = window::parsed(t).skip(index).find(is_there);
            let kept = kept.filter(|kept| t.event(*kept).role != Role::HostState);
            let new = kept.and_then(|kept| places.get(&Slot::Old(kept)));
            if let Some(new) = new.filter(|new| **new != index) {
                plan.members.set(event, "firstKeptEntryIndex", new.to_string());
            }
        }
    }
}
