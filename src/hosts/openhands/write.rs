//! Changes a conversation by a plan: parents that follow from the order of events, condensations,
//! the host's pointer.

use std::collections::BTreeMap;

use hashbrown::{HashMap, HashSet};

use super::tree::ConversationTree;
use super::{answer, fold, members, order};
use crate::bytes::edit::Edit;
use crate::containers::rewrite::CannotDo;
use crate::containers::{Layout, NAME_ID, Naming};
use crate::format::FormatContext;
use crate::json::quote::quote;
use crate::rewrite::{
    self, Extension, LinkTo, NewBytes, NewId, Order, Plan, Planner, Schema, Slot, StepResult,
};
use crate::transcript::{ActionKind, EventId, LinkKind, PartId, Request, Role, State, Transcript};

pub(super) const SCHEMA: Schema = Schema {
    supports: &[
        ActionKind::EditBytes,
        ActionKind::Remove,
        ActionKind::RemovePart,
        ActionKind::MoveTogether,
        ActionKind::AnswerCall,
        ActionKind::AnswerInPlace,
        ActionKind::RenameId,
        ActionKind::SetLink(LinkKind::Parent),
        ActionKind::SetLink(LinkKind::Leaf),
        ActionKind::SetLink(LinkKind::Call),
        ActionKind::Bypass,
        ActionKind::MoveBoundary,
        ActionKind::MoveText,
        ActionKind::AssignId,
        ActionKind::Renumber,
        ActionKind::SetIdle,
    ],
    // The places where the host writes these members.
    after: Some("source"),
    id_after: &["source"],
    ..Schema::PLAIN
};

/// How many records before a summary may be its neighbor.
const NEAR: usize = 1024;

/// A plan of the records, and the writer that changes them.
pub(super) fn planner<'a>(context: &'a FormatContext<'a>, request: &'a Request) -> Planner<'a> {
    let tree = ConversationTree::build(context);
    let order = Order::new(context.transcript, &tree.branch);
    let writer = OpenHandsWriter {
        context,
        moves_head: tree.step.is_empty(),
        tree,
        answered: HashMap::new(),
        parents: HashMap::new(),
        placed: HashSet::new(),
        offsets: BTreeMap::new(),
        extended: Vec::new(),
    };
    let plan = Plan::new(context.source(), request, &SCHEMA, order);
    Planner::new(plan, writer)
}

/// A condensation, the events that it additionally forgets, and those that it must keep.
type ExtendedCondensation = (EventId, Vec<EventId>, Vec<EventId>);

struct OpenHandsWriter<'a> {
    context: &'a FormatContext<'a>,
    tree: ConversationTree,
    /// The last result for the calls of a batch, by the first of these calls.
    answered: HashMap<PartId, Slot>,
    /// The parents that actions set.
    parents: HashMap<EventId, Option<EventId>>,
    /// Records that got a place after another one.
    placed: HashSet<Slot>,
    offsets: BTreeMap<EventId, u64>,
    extended: Vec<ExtendedCondensation>,
    /// HEAD follows the branch. It does not past a step that may still be running, unless its calls are answered.
    moves_head: bool,
}

impl<'a> rewrite::Writer<'a> for OpenHandsWriter<'a> {
    fn remove(&mut self, plan: &mut Plan<'a>, event: EventId) -> StepResult {
        self.inherit(plan, event);
        plan.order.remove(event);
        Ok(())
    }

    fn remove_part(&mut self, plan: &mut Plan<'a>, part: PartId) -> StepResult {
        plan.order.remove(plan.t.part(part).event);
        Ok(())
    }

    fn move_together(&mut self, plan: &mut Plan<'a>, parts: &[PartId]) -> StepResult {
        let is_by_time =
            matches!(self.context.layout, Layout::Files(files) if files.naming == Naming::ById);
        if is_by_time && self.tree.legacy {
            return Err(CannotDo(
                "the order of this store is that of the times in its events, which have no parents",
            ));
        }
        let events: Vec<EventId> = parts.iter().map(|part| plan.t.part(*part).event).collect();
        for pair in events.windows(2) {
            self.put_after(plan, pair[1].into(), pair[0].into());
        }
        Ok(())
    }

    fn answer_call(
        &mut self,
        plan: &mut Plan<'a>,
        call: PartId,
        unreadable: Option<EventId>,
    ) -> StepResult {
        let (t, pairs) = (plan.t, &plan.request.pairs);
        self.moves_head |= self.tree.step.contains(&t.part(call).event);
        let slot = plan.add(answer::new(self.context, &self.tree, call, unreadable));
        let calls = pairs.batch_of(call).map_or(std::slice::from_ref(&call), |batch| &batch.calls);
        let event = |part: PartId| Slot::Old(t.part(part).event);
        let first = calls.first().copied().unwrap_or(call);
        let last = self.answered.get(&first).copied().or_else(|| {
            let answers = calls.iter().filter_map(|call| pairs.answer(*call));
            plan.order.last_of(calls.iter().copied().chain(answers).map(event))
        });
        match unreadable {
            Some(unreadable) => plan.order.replace(unreadable, slot),
            None => self.put_after(plan, slot, last.unwrap_or_else(|| event(call))),
        }
        let last = plan.order.last_of(last.into_iter().chain([slot]));
        self.answered.extend(last.map(|last| (first, last)));
        Ok(())
    }

    fn set_link(&mut self, plan: &mut Plan<'a>, event: EventId, (link, to): LinkTo) -> StepResult {
        let key = match (link, to) {
            (LinkKind::Parent, to) => {
                self.parents.insert(event, to);
                return Ok(());
            }
            (LinkKind::Leaf, Some(_)) => {
                self.moves_head = true;
                "leaf_event_id"
            }
            (_, Some(_)) => "action_id",
            (_, None) => return Err(CannotDo("this link cannot be removed")),
        };
        let id = to.and_then(|to| self.id(plan, to.into()));
        let id = id.ok_or(CannotDo("the event to be named has no ID"))?;
        plan.members.set(event, key, quote(&id));
        Ok(())
    }

    fn move_boundary(&mut self, _: &mut Plan<'a>, extension: &Extension<'_>) -> StepResult {
        let event = extension.event;
        self.extended.push((event, extension.add.to_vec(), extension.keep.to_vec()));
        self.offsets.extend(extension.offset.map(|offset| (event, offset)));
        Ok(())
    }

    /// Moves the thought of one event to another.
    fn move_text(&mut self, plan: &mut Plan<'a>, from: EventId, into: EventId) -> StepResult {
        let source = plan.source;
        plan.members.with(from, members::empty_thought);
        plan.members.with(into, move |root| members::take_thought(source, from, root));
        Ok(())
    }

    fn assign_id(&mut self, plan: &mut Plan<'a>, event: EventId) -> StepResult {
        let Some(id) = plan.t.fact_id(event, NAME_ID) else {
            return Err(CannotDo("the name has no ID"));
        };
        plan.members.set(event, "id", quote(plan.t.ids.get(id)));
        Ok(())
    }

    /// Moves the record after its parent, into the gap if there is one. Its file gets the name of
    /// its event.
    fn renumber(&mut self, plan: &mut Plan<'a>, event: EventId) -> StepResult {
        let name = self.id(plan, event.into());
        plan.names.extend(name.map(|name| (event, name)));
        // Without a known place, the order of the files stays and their numbers follow it.
        plan.order.change();
        let t = plan.t;
        let is_gap = |slot: &Slot| slot.old().is_some_and(|event| order::is_gap(t, event));
        let parent = self.tree.parent[event].map(Slot::Old);
        let next = match parent {
            _ if !plan.order.is_stored(event) => return Ok(()),
            Some(parent) if !plan.order.is_stored(parent) => return Ok(()),
            Some(parent) => plan.order.stored_after(parent),
            None => plan.order.first_stored().filter(is_gap),
        };
        if next == Some(event.into()) || parent.is_none() && next.is_none() {
            return Ok(());
        }
        match parent {
            Some(parent) => plan.order.store_after(event, parent),
            None => plan.order.store_first(event),
        }
        if let Some(gap) = next.filter(is_gap) {
            plan.order.unstore(gap);
        }
        while let Some(last) = plan.order.last_stored().filter(is_gap) {
            plan.order.unstore(last);
        }
        Ok(())
    }

    fn set_idle(&mut self, plan: &mut Plan<'a>, event: EventId) -> StepResult {
        plan.members.set(event, "execution_status", quote("idle"));
        Ok(())
    }

    fn follow_up(&mut self, plan: &mut Plan<'a>) -> StepResult {
        self.relink_all(plan)?;
        self.condense(plan);
        self.point_at_leaf(plan);
        Ok(())
    }

    fn new_record(&self, plan: &Plan<'a>, id: NewId, before: Option<EventId>) -> NewBytes {
        let parent = plan.order.before(Slot::New(id));
        let parent = parent.filter(|_| !self.tree.legacy).and_then(|parent| self.id(plan, parent));
        let record = plan.new_record(id);
        Ok(answer::bytes(self.context, record, before, parent.as_deref()))
    }

    /// The length markers of the event log are stale when the number of events changes.
    fn add_edits(&self, plan: &Plan<'a>, edits: &mut Vec<Edit>) -> StepResult {
        let entries = self.context.entries;
        if plan.order.stored().count() != plan.t.records().count() {
            let ids = entries.ids().into_iter();
            let markers = ids.filter(|id| entries.name(*id).contains(".eventlog-len-"));
            edits.extend(markers.map(Edit::Remove));
        }
        Ok(())
    }
}

impl<'a> OpenHandsWriter<'a> {
    /// The ID of a record, or its inferred ID.
    fn id(&self, plan: &Plan<'a>, slot: Slot) -> Option<String> {
        match slot {
            Slot::New(id) => Some(plan.new_record(id).id.clone()),
            Slot::Old(event) => {
                let id = self.tree.id(plan.t, event)?;
                Some(plan.t.ids.get(id).to_owned())
            }
        }
    }

    /// Puts a record after another one and the bookkeeping that follows it, in storage and on the
    /// branch.
    fn put_after(&mut self, plan: &mut Plan<'a>, slot: Slot, before: Slot) {
        self.placed.insert(slot);
        let t = plan.t;
        plan.order.put_after_all(slot, before, |event| is_bookkeeping(t, event));
    }

    /// A record off the branch that got the parent of a removed record takes its place.
    fn inherit(&self, plan: &mut Plan<'a>, removed: EventId) {
        let place = self.tree.parent[removed];
        let heirs = self
            .parents
            .iter()
            .filter(|(record, to)| !self.tree.on_branch[**record] && **to == place);
        let heir = heirs.map(|(record, _)| *record).min();
        if let Some(heir) = heir.filter(|_| plan.order.is_on_path(removed)) {
            plan.order.put_before_on_path(heir, removed);
        }
    }

    /// Makes every record of the new branch name the one before it, and the children of a removed
    /// record its parent.
    fn relink_all(&self, plan: &mut Plan<'a>) -> StepResult {
        let t = plan.t;
        for (event, to) in &self.parents {
            self.set_parent(plan, *event, to.map(Slot::Old))?;
        }
        if self.tree.legacy || !plan.order.is_changed() {
            return Ok(());
        }
        let has_parent = |event| t.links_of(event).iter().any(|link| is_tree_link(link.kind));
        let links: Vec<_> = plan.order.links().collect();
        for (slot, before) in links {
            let Some(event) = slot.old().filter(|event| !self.parents.contains_key(event)) else {
                continue;
            };
            let old = self.tree.parent[event].map(Slot::Old);
            let is_directly_after =
                plan.order.is_stored(slot) && plan.order.stored_before(slot) == before;
            let is_right = if has_parent(event) { old == before } else { is_directly_after };
            if is_right {
                continue;
            }
            if t.event(event).state != State::Unreadable {
                self.set_parent(plan, event, before)?;
                continue;
            }
            // A fragment keeps the parent that it names: another record may have taken the ID of
            // that parent, and a fragment without a parent is the child of the record before it.
            let id = |slot: Option<Slot>| slot.and_then(|slot| self.id(plan, slot));
            let is_kept = id(old) == id(before)
                || old.is_some_and(|old| plan.order.is_gone(old)) && is_directly_after;
            if has_parent(event) && !is_kept {
                return Err(CannotDo("what is left of a record cannot get another parent"));
            }
        }
        for (child, to) in plan.order.orphaned(&self.tree.records, &self.tree.parent) {
            if has_parent(child) {
                self.set_parent(plan, child, to.map(Slot::Old))?;
            }
        }
        Ok(())
    }

    fn set_parent(&self, plan: &mut Plan<'a>, event: EventId, to: Option<Slot>) -> StepResult {
        const KEY: &str = "parent_id";
        match to {
            None if plan.order.first_stored() == Some(event.into()) => {
                plan.members.remove(event, KEY);
            }
            None => plan.members.set(event, KEY, quote("__root__")),
            Some(to) => {
                let id = self.id(plan, to);
                let id = id.ok_or(CannotDo("the record to be named has no ID"))?;
                plan.members.set(event, KEY, quote(&id));
            }
        }
        Ok(())
    }

    /// Updates forgotten IDs, and keeps every summary after its neighbor.
    fn condense(&self, plan: &mut Plan<'a>) {
        for (event, add, keep) in &self.extended {
            let ids = |events: &[EventId]| -> Vec<String> {
                let slots = events.iter().copied().map(Slot::Old);
                slots.filter_map(|slot| self.id(plan, slot)).collect()
            };
            let (add, keep) = (ids(add), ids(keep));
            plan.members.with(*event, move |root| Ok(members::forget(root, &add, &keep)));
        }
        let mut offsets = BTreeMap::new();
        if plan.order.is_changed() || !self.extended.is_empty() {
            offsets = self.moved_summaries(plan);
        }
        offsets.extend(&self.offsets);
        for (event, offset) in offsets {
            plan.members.set(event, "summary_offset", offset.to_string());
        }
    }

    /// The new positions of summaries whose neighbor moved.
    fn moved_summaries(&self, plan: &Plan<'a>) -> BTreeMap<EventId, u64> {
        let old = fold::steps(plan.t, &self.tree, &self.tree.branch);
        let mut neighbors: BTreeMap<EventId, (bool, Vec<fold::RequestItem>)> = BTreeMap::new();
        fold::fold(&old, |cut, list| {
            let Some(offset) = cut.offset else { return };
            // Nearest first; the first of them that survives is the neighbor.
            let nearby = list[..offset.min(list.len())].iter().rev().take(NEAR);
            neighbors.insert(cut.event, (offset > list.len(), nearby.copied().collect()));
        });
        let mut moved = BTreeMap::new();
        fold::fold(&self.new_steps(plan), |cut, list| {
            let Some(old) = cut.offset else { return };
            let Some((is_after_end, nearby)) = neighbors.get(&cut.event) else {
                return;
            };
            let mut place = nearby
                .iter()
                .find_map(|nearby| {
                    list.iter().position(|shown| {
                        shown.event == nearby.event.into() && shown.summary == nearby.summary
                    })
                })
                .map_or(0, |at| at + 1);
            // Records placed directly after the neighbor belong to it.
            while list
                .get(place)
                .is_some_and(|shown| !shown.summary && self.placed.contains(&shown.event))
            {
                place += 1;
            }
            // An offset after the end means the end, and stays.
            if place != old && !(*is_after_end && place == list.len()) {
                moved.insert(cut.event, place as u64);
            }
        });
        moved
    }

    fn new_steps(&self, plan: &Plan<'a>) -> Vec<fold::FoldStep<Slot>> {
        let mut steps = Vec::new();
        for slot in plan.order.path() {
            let Some(event) = slot.old() else {
                steps.push(fold::FoldStep::Say(slot));
                continue;
            };
            let own = fold::steps(plan.t, &self.tree, &[event]);
            steps.extend(own.into_iter().map(|step| match step {
                fold::FoldStep::Say(event) => fold::FoldStep::Say(event.into()),
                fold::FoldStep::Cut(mut cut) => {
                    for (_, add, keep) in self.extended.iter().filter(|(own, ..)| *own == event) {
                        cut.forgets.extend(add);
                        keep.iter().for_each(|event| _ = cut.forgets.remove(event));
                    }
                    fold::FoldStep::Cut(cut)
                }
            }));
        }
        steps
    }

    /// The host's pointer follows the end of the branch.
    fn point_at_leaf(&self, plan: &mut Plan<'a>) {
        let Some(state) = plan.t.host_state() else {
            return;
        };
        let named = plan.t.link_of(state, LinkKind::Leaf);
        let (Some(leaf), Some(last)) = (named.and_then(|link| link.to), plan.order.leaf()) else {
            return;
        };
        // A pointer to a missing event is set if a result replaces that event.
        let is_known = self.moves_head && (self.tree.by_id.contains_key(&leaf) || plan.has_new());
        let id = self.id(plan, last);
        if is_known && id.as_deref() != Some(plan.t.ids.get(leaf)) {
            plan.members.set(state, "leaf_event_id", quote(&id.unwrap_or_default()));
        }
    }
}

/// Bookkeeping stays after the record that it followed. A condensation does not: what is before it
/// matters.
fn is_bookkeeping(t: &Transcript, event: EventId) -> bool {
    let record = t.event(event);
    record.role == Role::Nobody
        && record.state != State::Unreadable
        && t.kind(event) != "Condensation"
}

fn is_tree_link(kind: LinkKind) -> bool {
    matches!(kind, LinkKind::Parent | LinkKind::Root)
}
