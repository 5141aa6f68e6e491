//! Where results go on the path, and the parents that follow from its new order.

use hashbrown::{HashMap, HashSet};

use super::{Tree, TreeKeys};
use crate::containers::rewrite::CannotDo;
use crate::json::quote::quote;
use crate::rewrite::{NewId, Plan, Slot, StepResult};
use crate::transcript::{EventId, LinkKind, PartId, PartKind, Role};

/// The path of a tree while a plan changes it.
pub(crate) struct Placement {
    /// The tree as it was read.
    pub tree: Tree,
    keys: TreeKeys,
    /// The record that answers a call, of those that are new.
    written: HashMap<PartId, Slot>,
    /// The number of each call in its response, of those that are answered.
    numbers: HashMap<PartId, usize>,
    /// The index of each call in its batch, of those whose result was put in its place.
    places: HashMap<PartId, usize>,
    /// Responses whose results have been examined, and the response that each result directly follows.
    examined: HashSet<EventId>,
    follows: HashMap<Slot, EventId>,
    /// For each new record the one before it on the path, and the nearest one before it that was there already.
    before_new: HashMap<NewId, (Option<Slot>, Option<EventId>)>,
}

impl Placement {
    /// Nothing is changed yet.
    pub(crate) fn new(tree: Tree, keys: TreeKeys) -> Placement {
        Placement {
            tree,
            keys,
            written: HashMap::new(),
            numbers: HashMap::new(),
            places: HashMap::new(),
            examined: HashSet::new(),
            follows: HashMap::new(),
            before_new: HashMap::new(),
        }
    }

    /// Brings results after the response with their calls, in the order of the calls.
    pub(crate) fn gather(&mut self, plan: &mut Plan<'_>, parts: &[PartId]) -> StepResult {
        let (t, pairs) = (plan.t, &plan.request.pairs);
        let calls = parts.iter().copied().filter(|part| t.part(*part).kind == PartKind::Call);
        let mut calls: Vec<PartId> = calls.collect();
        calls.sort_unstable();
        for call in calls {
            let Some(result) = pairs
                .answer(call)
                .or_else(|| parts.iter().copied().find(|part| pairs.rival(*part) == Some(call)))
            else {
                continue;
            };
            let event = t.part(result).event;
            if self.is_in_place(plan, event.into(), t.part(call).event) {
                continue;
            }
            let others = t.event(event).parts.clone().filter(|part| *part != result);
            if others.into_iter().any(|part| !parts.contains(&part)) {
                return Err(CannotDo("results are moved only with their whole record"));
            }
            self.put_in_place(plan, event.into(), call);
        }
        Ok(())
    }

    /// Puts the new record that answers a call in its place.
    pub(crate) fn insert(&mut self, plan: &mut Plan<'_>, call: PartId, slot: Slot) {
        self.written.insert(call, slot);
        self.put_in_place(plan, slot, call);
    }

    /// A record of the path gets another parent; one next to it comes onto it.
    pub(crate) fn relink(
        &self,
        plan: &mut Plan<'_>,
        event: EventId,
        to: Option<EventId>,
    ) -> StepResult {
        if let Some(to) = to.filter(|to| {
            !self.tree.on_branch[event] && (self.tree.on_branch[*to] || plan.order.is_on_path(*to))
        }) {
            plan.order.put_after(event, to);
        }
        self.set_parent(plan, event, to.map(Slot::Old))
    }

    /// Every record of the new path names the one before it; the children of a removed record the nearest one before it.
    pub(crate) fn relink_all(&self, plan: &mut Plan<'_>) -> StepResult {
        let parent = &self.tree.parent;
        let links: Vec<_> = plan.order.links().collect();
        for (slot, before) in links {
            let Some(event) = slot.old() else { continue };
            let old = parent[event];
            if before.is_some() && old.map(Slot::Old) != before {
                self.set_parent(plan, event, before)?;
            } else if before.is_none() && old.is_some_and(|old| plan.order.is_gone(old)) {
                let to = plan.order.kept(old, parent);
                self.set_parent(plan, event, to.map(Slot::Old))?;
            }
        }
        for (child, to) in plan.order.orphaned(&self.tree.records, parent) {
            if plan.t.link_of(child, LinkKind::Parent).is_some() {
                self.set_parent(plan, child, to.map(Slot::Old))?;
            }
        }
        Ok(())
    }

    /// Keeps what is before each new record: its parent, and the record whose time it gets.
    pub(crate) fn note_new(&mut self, plan: &Plan<'_>) {
        let mut recorded = None;
        for (slot, before) in plan.order.links() {
            match slot {
                Slot::New(id) => _ = self.before_new.insert(id, (before, recorded)),
                Slot::Old(event) => recorded = Some(event),
            }
        }
    }

    /// The record before a new one on the path, and the nearest one that was there already.
    pub(crate) fn before_new(&self, id: NewId) -> (Option<Slot>, Option<EventId>) {
        self.before_new.get(&id).copied().unwrap_or_default()
    }

    /// The last record of the path becomes the last one of the file, where the host takes that for the leaf.
    pub(crate) fn leaf_last(&self, plan: &mut Plan<'_>) -> StepResult {
        let Some(wanted) = plan.order.leaf() else {
            return Ok(());
        };
        if plan.order.stored_from_last().find(|slot| {
            let event = slot.old();
            event.is_none_or(|event| self.tree.records.binary_search(&event).is_ok())
        }) == Some(wanted)
        {
            return Ok(());
        }
        let id = wanted.old().and_then(|event| plan.t.event(event).id);
        if id.is_some_and(|id| {
            let mut links = plan.t.links.iter();
            links.any(|link| link.kind == LinkKind::Parent && link.to == Some(id))
        }) {
            return Err(CannotDo(
                "the end of the conversation would not be the last record of the file",
            ));
        }
        plan.order.store_last(wanted);
        Ok(())
    }

    /// How many calls of its response come before a call.
    pub(crate) fn number_of(&mut self, plan: &Plan<'_>, call: PartId) -> usize {
        let t = plan.t;
        if !self.numbers.contains_key(&call) {
            let parts = t.event(t.part(call).event).parts.clone();
            let calls = parts.filter(|part| t.part(*part).kind == PartKind::Call);
            self.numbers.extend(calls.zip(0..));
        }
        self.numbers.get(&call).copied().unwrap_or_default()
    }

    /// The record that answers a call: as recorded, or as it was just written.
    fn answered_by(&self, plan: &Plan<'_>, call: PartId) -> Option<Slot> {
        self.written.get(&call).copied().or_else(|| {
            let result = plan.request.pairs.answer(call)?;
            Some(Slot::Old(plan.t.part(result).event))
        })
    }

    /// The last record of the message that a record is of.
    fn last_of_message(&self, plan: &Plan<'_>, event: EventId) -> EventId {
        let fragments = self.tree.fragments(plan.t, event);
        fragments.last().copied().unwrap_or(event)
    }

    /// Whether a result directly follows the response, bookkeeping apart. A response may have ten thousand results, so
    /// they are examined once.
    fn is_in_place(&mut self, plan: &Plan<'_>, slot: Slot, response: EventId) -> bool {
        let response = self.last_of_message(plan, response);
        if self.examined.insert(response) {
            let role =
                |slot: &Slot| slot.old().map_or(Role::Tool, |event| plan.t.event(event).role);
            let after = plan.order.path_from(response);
            let results = after
                .take_while(|slot| role(slot) == Role::Tool || !role(slot).is_sent())
                .filter(|slot| role(slot) == Role::Tool);
            self.follows.extend(results.map(|slot| (slot, response)));
        }
        self.follows.get(&slot) == Some(&response) && !plan.order.is_gone(slot)
    }

    /// Puts a result after that of the nearest earlier call that is in place, else after the response.
    fn put_in_place(&mut self, plan: &mut Plan<'_>, slot: Slot, call: PartId) {
        let response = self.last_of_message(plan, plan.t.part(call).event);
        let calls = plan.request.pairs.batch_of(call);
        let calls = calls.map_or(&[][..], |batch| &batch.calls);
        // A turn may have a hundred thousand calls, so they are numbered once.
        if !self.places.contains_key(&call) {
            self.places.extend(calls.iter().copied().zip(0..));
        }
        let at = self.places.get(&call).copied().unwrap_or_default();
        let mut place = Slot::Old(response);
        for call in calls[..at].iter().rev() {
            let answer = self.answered_by(plan, *call);
            if let Some(answer) = answer.filter(|slot| self.is_in_place(plan, *slot, response)) {
                place = answer;
                break;
            }
        }
        plan.order.put_after(slot, place);
        self.follows.insert(slot, response);
    }

    /// A record, with the other fragments of its message, gets this parent.
    fn set_parent(&self, plan: &mut Plan<'_>, event: EventId, to: Option<Slot>) -> StepResult {
        let fragments = self.tree.fragments(plan.t, event).iter().copied();
        for event in fragments.filter(|other| *other != event).chain([event]) {
            if !plan.order.is_gone(event) {
                set_id(plan, event, self.keys.parent, to)?;
            }
        }
        Ok(())
    }
}

/// A member names another record, or none.
pub(crate) fn set_id(
    plan: &mut Plan<'_>,
    event: EventId,
    key: &'static str,
    to: Option<Slot>,
) -> StepResult {
    let raw = to.map(|to| plan.id(to).map(quote)).transpose()?;
    plan.members.set(event, key, raw.unwrap_or_else(|| "null".to_owned()));
    Ok(())
}
