//! Changes a session by a plan: where results go, the parents that follow from the order, and
//! pointers to removed records.

use hashbrown::{HashMap, HashSet};

use super::path::Path;
use super::{answer, attrs, fragments, kinds, window};
use crate::bytes::edit::Edit;
use crate::containers::rewrite::CannotDo;
use crate::dialects::{Piece, Places, Spot};
use crate::formats::FormatContext;
use crate::json::node::Node;
use crate::json::quote::quote;
use crate::rewrite::{self, Done, Extension, NewId, Order, Plan, Schema, Slot};
use crate::transcript::{
    Action, ActionKind, EventId, Id, LinkKind, PartId, PartKind, Request, Role, State, Value,
};

pub(super) const SCHEMA: Schema = Schema {
    supports: &[
        ActionKind::EditBytes,
        ActionKind::Remove,
        ActionKind::RemovePart,
        ActionKind::MoveTogether,
        ActionKind::AnswerCall,
        ActionKind::RenameId,
        ActionKind::SetLink(LinkKind::Parent),
        ActionKind::MoveBoundary,
    ],
    after: Some("id"),
    id_after: &["role", "type"],
    pieces,
    ..Schema::PLAIN
};

/// A result is one piece; a response has one per block.
fn pieces(record: Node<'_>) -> Vec<Piece<'_>> {
    let Some(message) = record.get("message") else {
        return Vec::new();
    };
    let role = message.string("role");
    if role.is_some_and(|role| kinds::role(&role) == Some(Role::Tool)) {
        let key = kinds::RESULT_IDS
            .iter()
            .find(|key| message.get(key).is_some());
        return vec![Piece {
            ids: Places::One(Spot::of(message, key.unwrap_or(&kinds::RESULT_IDS[0]))),
            ..Piece::new(PartKind::Result, 0)
        }];
    }
    let blocks = message.items_of("content");
    blocks.map(block).collect()
}

fn block(block: Node<'_>) -> Piece<'_> {
    let kind = block.string("type");
    if !kind.is_some_and(|kind| kinds::is_call(&kind)) {
        return Piece::new(PartKind::Text, 0);
    }
    Piece {
        ids: Places::One(Spot::of(block, "id")),
        ..Piece::new(PartKind::Call, 0)
    }
}

/// Turns actions into edits.
pub(super) fn plan_edits(
    context: &FormatContext<'_>,
    request: &Request,
    actions: &[Action],
) -> Result<Vec<Edit>, CannotDo> {
    let path = Path::find(context);
    let order = Order::new(context.transcript, &path.branch);
    let mut writer = Writer {
        context,
        path,
        written: HashMap::new(),
        numbers: HashMap::new(),
        examined: HashSet::new(),
        follows: HashMap::new(),
        before_new: HashMap::new(),
    };
    let plan = Plan::new(context.source(), request, &SCHEMA, order);
    rewrite::plan_edits(plan, &mut writer, actions)
}

struct Writer<'a> {
    context: &'a FormatContext<'a>,
    path: Path,
    /// The new results, by call.
    written: HashMap<PartId, Slot>,
    /// The index in its response of each answered call.
    numbers: HashMap<PartId, usize>,
    /// Responses whose results were examined, and the response that each result directly follows.
    examined: HashSet<EventId>,
    follows: HashMap<Slot, EventId>,
    /// For each new record, the record before it on the path, and the nearest recorded one before
    /// it.
    before_new: HashMap<NewId, (Option<Slot>, Option<EventId>)>,
}

impl<'a> rewrite::Writer<'a> for Writer<'a> {
    fn after_edit(&mut self, plan: &mut Plan<'a>, event: EventId, _: &[Edit]) -> Done {
        let edits = fragments::relink_children(self.context, &self.path, event, &mut plan.members)?;
        plan.edit(edits);
        Ok(())
    }

    /// Results are separate records; a call cannot be removed alone.
    fn remove_part(&mut self, plan: &mut Plan<'a>, part: PartId) -> Done {
        let part = plan.t.a_part(part);
        if part.kind != PartKind::Result {
            return Err(CannotDo("a call is never taken out of its response"));
        }
        plan.order.remove(part.event);
        Ok(())
    }

    fn move_together(&mut self, plan: &mut Plan<'a>, parts: &[PartId]) -> Done {
        let (t, pairs) = (plan.t, &plan.request.pairs);
        let calls = parts
            .iter()
            .copied()
            .filter(|part| t.a_part(*part).kind == PartKind::Call);
        let mut calls: Vec<PartId> = calls.collect();
        calls.sort_unstable();
        for call in calls {
            let rival = |part: &PartId| pairs.rival(*part) == Some(call);
            let given = || parts.iter().copied().find(rival);
            let Some(result) = pairs.answer(call).or_else(given) else {
                continue;
            };
            let slot = Slot::Old(t.a_part(result).event);
            if !self.is_in_place(plan, slot, t.a_part(call).event) {
                self.put_in_place(plan, slot, call);
            }
        }
        Ok(())
    }

    fn answer_call(&mut self, plan: &mut Plan<'a>, call: PartId, _: Option<EventId>) -> Done {
        let number = self.number_of(plan, call);
        let slot = plan.add(answer::new(self.context, call, number));
        self.written.insert(call, slot);
        self.put_in_place(plan, slot, call);
        Ok(())
    }

    /// Changes the parent of a record on the path, or moves a record onto it.
    fn set_link(
        &mut self,
        plan: &mut Plan<'a>,
        event: EventId,
        _: LinkKind,
        to: Option<EventId>,
    ) -> Done {
        let is_known = |to: &EventId| self.path.on_branch[*to] || plan.order.is_on_path(*to);
        if let Some(to) = to.filter(|to| !self.path.on_branch[event] && is_known(to)) {
            plan.order.put_after(event, to);
        }
        set_parent(plan, event, to.map(Slot::Old))
    }

    /// Makes a compaction keep the path from a record on.
    fn move_boundary(&mut self, plan: &mut Plan<'a>, extension: &Extension<'_>) -> Done {
        let event = extension.event;
        let first = *extension.keep.first().ok_or(CannotDo("nothing to keep"))?;
        if plan.t.attr_of(event, attrs::KEPT_INDEX).is_none() {
            return set_id(plan, event, "firstKeptEntryId", Some(Slot::Old(first)));
        }
        let index = window::parsed(plan.t).position(|other| other == first);
        let index = index.ok_or(CannotDo("the record to keep is not counted"))?;
        plan.members
            .set(event, "firstKeptEntryIndex", index.to_string());
        Ok(())
    }

    fn follow_up(&mut self, plan: &mut Plan<'a>) -> Done {
        if !plan.order.is_changed() {
            return Ok(());
        }
        self.leaf_last(plan)?;
        if self.path.flat {
            self.recount(plan);
        } else {
            self.relink_all(plan)?;
            self.relink_pointers(plan)?;
        }
        let mut recorded = None;
        for (slot, before) in plan.order.links() {
            match slot {
                Slot::New(id) => _ = self.before_new.insert(id, (before, recorded)),
                Slot::Old(event) => recorded = Some(event),
            }
        }
        Ok(())
    }

    fn new_record(
        &self,
        plan: &Plan<'a>,
        id: NewId,
        _: Option<EventId>,
    ) -> Result<Vec<u8>, CannotDo> {
        let (before, recorded) = self.before_new.get(&id).copied().unwrap_or_default();
        let parent = before.filter(|_| !self.path.flat);
        let parent = parent.map(|parent| plan.id(parent)).transpose()?;
        Ok(answer::bytes(plan, plan.new_record(id), recorded, parent))
    }
}

impl<'a> Writer<'a> {
    /// The result of a call, recorded or new.
    fn answered_by(&self, plan: &Plan<'a>, call: PartId) -> Option<Slot> {
        let recorded = || {
            let result = plan.request.pairs.answer(call)?;
            Some(Slot::Old(plan.t.a_part(result).event))
        };
        self.written.get(&call).copied().or_else(recorded)
    }

    /// Whether a result directly follows the response, apart from bookkeeping. A response may have
    /// ten thousand results, so they are examined once.
    fn is_in_place(&mut self, plan: &Plan<'a>, slot: Slot, assistant: EventId) -> bool {
        if self.examined.insert(assistant) {
            let role = |slot: &Slot| {
                slot.old()
                    .map_or(Role::Tool, |event| plan.t.event(event).role)
            };
            let after = plan.order.path_from(assistant);
            let results = after
                .take_while(|slot| role(slot) == Role::Tool || !role(slot).is_sent())
                .filter(|slot| role(slot) == Role::Tool);
            self.follows.extend(results.map(|slot| (slot, assistant)));
        }
        self.follows.get(&slot) == Some(&assistant) && !plan.order.is_gone(slot)
    }

    /// Puts a result after that of the nearest earlier call whose result is in place, else after
    /// the response.
    fn put_in_place(&mut self, plan: &mut Plan<'a>, slot: Slot, call: PartId) {
        let assistant = plan.t.a_part(call).event;
        let calls = plan.request.pairs.batch_of(call);
        let calls = calls.map_or(&[][..], |batch| &batch.calls);
        let earlier = calls.iter().take_while(|other| **other != call);
        let mut place = Slot::Old(assistant);
        for call in earlier.collect::<Vec<_>>().into_iter().rev() {
            let answer = self.answered_by(plan, *call);
            if let Some(answer) = answer.filter(|slot| self.is_in_place(plan, *slot, assistant)) {
                place = answer;
                break;
            }
        }
        plan.order.put_after(slot, place);
        self.follows.insert(slot, assistant);
    }

    /// The index of a call in its response.
    fn number_of(&mut self, plan: &Plan<'a>, call: PartId) -> usize {
        let t = plan.t;
        if !self.numbers.contains_key(&call) {
            let parts = t.event(t.a_part(call).event).parts.clone();
            let calls = parts.filter(|part| t.a_part(*part).kind == PartKind::Call);
            self.numbers.extend(calls.zip(0..));
        }
        self.numbers.get(&call).copied().unwrap_or_default()
    }

    /// pi takes the last line as the leaf.
    fn leaf_last(&self, plan: &mut Plan<'a>) -> Done {
        let Some(wanted) = plan.order.leaf().filter(|_| !self.path.openclaw) else {
            return Ok(());
        };
        let is_entry = |slot: &Slot| {
            let event = slot.old();
            event.is_none_or(|event| self.path.records.binary_search(&event).is_ok())
        };
        if plan.order.stored_from_last().find(is_entry) == Some(wanted) {
            return Ok(());
        }
        let id = wanted.old().and_then(|event| plan.t.event(event).id);
        let is_parent = |id: Id| {
            let mut links = plan.t.links.iter();
            links.any(|link| link.kind == LinkKind::Parent && link.to == Some(id))
        };
        if id.is_some_and(is_parent) {
            return Err(CannotDo(
                "the end of the conversation would not be the last record of the file",
            ));
        }
        plan.order.store_last(wanted);
        Ok(())
    }

    /// Makes every record of the new path name the one before it, and the children of a removed
    /// record its nearest remaining ancestor.
    fn relink_all(&self, plan: &mut Plan<'a>) -> Done {
        let parent = &self.path.parent;
        let links: Vec<_> = plan.order.links().collect();
        for (slot, before) in links {
            let Some(event) = slot.old() else { continue };
            let old = parent[event];
            if before.is_some() && old.map(Slot::Old) != before {
                set_parent(plan, event, before)?;
            } else if before.is_none() && old.is_some_and(|old| plan.order.is_gone(old)) {
                let to = plan.order.kept(old, parent);
                set_parent(plan, event, to.map(Slot::Old))?;
            }
        }
        for (child, to) in plan.order.orphaned(&self.path.records, parent) {
            if plan.t.link_of(child, LinkKind::Parent).is_some() {
                set_parent(plan, child, to.map(Slot::Old))?;
            }
        }
        Ok(())
    }

    /// Redirects references to removed records: a boundary to the next kept record, a pointer to
    /// the nearest ancestor.
    fn relink_pointers(&self, plan: &mut Plan<'a>) -> Done {
        for event in self.path.records.iter().copied() {
            if plan.order.is_gone(event) {
                continue;
            }
            let kept = plan
                .t
                .link_of(event, LinkKind::Kept)
                .and_then(|link| link.to);
            if let Some(removed) = kept.and_then(|id| self.removed(plan, id, event)) {
                let is_there = |other: &EventId| !plan.order.is_gone(*other);
                let after = self
                    .path
                    .branch
                    .iter()
                    .skip_while(|other| **other != removed);
                let next = after.copied().find(is_there);
                let next = next.or_else(|| plan.order.kept(Some(removed), &self.path.parent));
                let next =
                    next.ok_or(CannotDo("nothing is left that the compaction could keep"))?;
                set_id(plan, event, "firstKeptEntryId", Some(Slot::Old(next)))?;
            }
            for (name, key) in [
                (attrs::LEAF_TARGET, "targetId"),
                (attrs::LEAF_APPEND, "appendParentId"),
            ] {
                let Some(Value::Text(id)) = plan.t.attr_of(event, name) else {
                    continue;
                };
                let target = self.path.resolve(id, event);
                let is_old_leaf = target.is_some() && target == self.path.branch.last().copied();
                // A pointer to the end of the path follows it.
                if is_old_leaf && plan.order.leaf() != target.map(Slot::Old) {
                    set_id(plan, event, key, plan.order.leaf())?;
                } else if let Some(removed) = self.removed(plan, id, event) {
                    let above = plan.order.kept(Some(removed), &self.path.parent);
                    set_id(plan, event, key, above.map(Slot::Old))?;
                }
            }
        }
        Ok(())
    }

    /// The removed record that an ID refers to.
    fn removed(&self, plan: &Plan<'a>, id: Id, event: EventId) -> Option<EventId> {
        let named = self.path.resolve(id, event);
        named.filter(|named| plan.order.is_gone(*named))
    }

    /// Version 1 counts records, so update the index of the first kept record.
    fn recount(&self, plan: &mut Plan<'a>) {
        let t = plan.t;
        let is_counted = |slot: &Slot| {
            slot.old()
                .is_none_or(|event| t.event(event).state == State::Whole)
        };
        let counted = plan.order.stored().filter(is_counted);
        let places: HashMap<Slot, usize> = counted.zip(self.path.headers.len()..).collect();
        let is_there = |event: &EventId| !plan.order.is_gone(*event);
        for event in self.path.records.iter().copied().filter(is_there) {
            let Some(Value::Number(index)) = t.attr_of(event, attrs::KEPT_INDEX) else {
                continue;
            };
            let Ok(index) = usize::try_from(index) else {
                continue;
            };
            let kept = window::parsed(t).skip(index).find(is_there);
            let kept = kept.filter(|kept| t.event(*kept).role != Role::HostState);
            let new = kept.and_then(|kept| places.get(&Slot::Old(kept)));
            if let Some(new) = new.filter(|new| **new != index) {
                plan.members
                    .set(event, "firstKeptEntryIndex", new.to_string());
            }
        }
    }
}

fn set_parent(plan: &mut Plan<'_>, event: EventId, to: Option<Slot>) -> Done {
    set_id(plan, event, "parentId", to)
}

/// Sets a member to the ID of another record, or null.
fn set_id(plan: &mut Plan<'_>, event: EventId, key: &'static str, to: Option<Slot>) -> Done {
    let raw = to.map(|to| plan.id(to).map(quote)).transpose()?;
    plan.members
        .set(event, key, raw.unwrap_or_else(|| "null".to_owned()));
    Ok(())
}
