//! Changes a trajectory: adds, removes and changes elements or files, and removes the cache pages
//! that cover them.

use hashbrown::{HashMap, HashSet};

use super::answer::{self, FreeIds};
use super::checks::{Widened, widened};
use super::history::{V0History, number, place};
use super::unreadable::{number_in_name, restore};
use super::{V0Parts, members, pages};
use crate::bytes::edit::Edit;
use crate::containers::Layout;
use crate::containers::rewrite::CannotDo;
use crate::format::FormatContext;
use crate::json::cut::RecordChange;
use crate::json::node::Node;
use crate::rewrite::{
    self, Extension, LinkTo, NewBytes, NewId, NewRecord, Order, Plan, Planner, Schema, Slot,
    StepResult, set_member,
};
use crate::transcript::{
    Action, ActionKind, EventId, LinkKind, PartId, Place, Request, State, Transcript,
};

pub(super) const SCHEMA: Schema = Schema {
    supports: &[
        ActionKind::EditBytes,
        ActionKind::Remove,
        ActionKind::RemovePart,
        ActionKind::MoveTogether,
        ActionKind::AnswerCall,
        ActionKind::AnswerInPlace,
        ActionKind::RenameId,
        ActionKind::SetLink(LinkKind::Call),
        ActionKind::MoveBoundary,
        ActionKind::AssignId,
        ActionKind::Renumber,
    ],
    // Every record of a response contains the whole response, so IDs are changed by their old
    // value.
    ..Schema::PLAIN
};

/// In files, the IDs are the order, so a later event cannot move before an earlier one. Only files
/// have names.
pub(super) fn has_place(t: &Transcript, action: &Action) -> bool {
    let first = t.records().next();
    let in_files = first.is_some_and(|event| matches!(t.event(event).place(), Place::File(_)));
    match action {
        Action::MoveTogether(_) => !in_files,
        Action::Renumber(_) => in_files,
        _ => true,
    }
}

/// A plan of the records, and the writer that changes them.
pub(super) fn planner<'a>(context: &'a FormatContext<'a>, request: &'a Request) -> Planner<'a> {
    let t = context.transcript;
    let order = Order::of(
        t.events.len(),
        t.records().filter(|event| t.event(*event).state != State::Padding),
        &[],
    );
    let writer = V0Writer {
        context,
        parts: V0Parts::of(context),
        free: FreeIds::of(t),
        ends: HashMap::new(),
        extended: HashSet::new(),
        touched: Vec::new(),
        restored: HashSet::new(),
    };
    let plan = Plan::new(context.source(), request, &SCHEMA, order);
    Planner::new(plan, writer)
}

struct V0Writer<'a> {
    context: &'a FormatContext<'a>,
    parts: V0Parts,
    free: FreeIds,
    /// The end of each response that gets a result, by the first of its calls.
    ends: HashMap<PartId, ResponseEnd>,
    /// Events that condensations forget additionally.
    extended: HashSet<EventId>,
    /// IDs of events that are added, removed or changed.
    touched: Vec<u64>,
    /// Files that an action restores from a page.
    restored: HashSet<EventId>,
}

/// The end of a response, found once: it may have as many calls as there are records.
#[derive(Copy, Clone)]
struct ResponseEnd {
    /// The highest ID of its recorded events.
    id: Option<i64>,
    /// Its last event in storage: a new result, if there is one.
    slot: Option<Slot>,
}

impl<'a> rewrite::Writer<'a> for V0Writer<'a> {
    fn after_edit(&mut self, plan: &mut Plan<'a>, event: EventId, edits: &[Edit]) -> StepResult {
        let at = plan.t.event(event).at().entry;
        match plan.t.event(event).state {
            State::Unreadable => _ = self.restored.insert(event),
            _ if edits
                .iter()
                .any(|edit| matches!(edit, Edit::Bytes { at: span, .. } if span.entry == at)) =>
            {
                self.touch(plan.t, event)
            }
            _ => {}
        }
        Ok(())
    }

    fn remove(&mut self, plan: &mut Plan<'a>, event: EventId) -> StepResult {
        plan.order.remove(event);
        self.touch(plan.t, event);
        Ok(())
    }

    /// Moves the records of these parts together, after the first one.
    fn move_together(&mut self, plan: &mut Plan<'a>, parts: &[PartId]) -> StepResult {
        let mut events: Vec<EventId> = parts.iter().map(|part| plan.t.part(*part).event).collect();
        let mut seen = HashSet::new();
        events.retain(|event| seen.insert(*event));
        for pair in events.windows(2) {
            plan.order.store_after(pair[1], pair[0]);
        }
        Ok(())
    }

    /// Adds the result after the last record of the call's response.
    fn answer_call(&mut self, plan: &mut Plan<'a>, call: PartId, _: Option<EventId>) -> StepResult {
        let first = batch_of(plan, call).first().copied().unwrap_or(call);
        let end = match self.ends.get(&first) {
            Some(end) => *end,
            None => self.end_of_response(plan, call),
        };
        let id = match end.id {
            Some(last) if self.in_files() => Some(self.free.take(last)),
            _ if self.free.highest() < 0 => None,
            _ => Some(self.free.fresh()),
        };
        self.touched.extend(id.and_then(|id| u64::try_from(id).ok()));
        let slot = plan.add(NewRecord {
            id: id.map(|id| id.to_string()).unwrap_or_default(),
            ..NewRecord::of(call)
        });
        match end.slot {
            Some(before) => plan.order.store_after(slot, before),
            None => plan.order.store_last(slot),
        }
        self.ends.insert(first, ResponseEnd { slot: Some(slot), ..end });
        Ok(())
    }

    /// Every record of a response contains all of its calls, so the ID is in all of them.
    fn rename_id(&mut self, plan: &mut Plan<'a>, parts: &[PartId], to: &str) -> StepResult {
        let t = plan.t;
        let call = *parts.first().ok_or(CannotDo("there is nothing to rename"))?;
        let id = t.part(call).id.ok_or(CannotDo("the call has no ID"))?;
        let own: HashSet<EventId> = parts.iter().map(|part| t.part(*part).event).collect();
        let same = batch_of(plan, call).iter().filter(|other| t.part(**other).id == Some(id));
        let which = same.take_while(|other| **other != call).count();
        let matching =
            super::fold::call_ids(t, t.part(call).event).filter(|other| *other == id).count();
        let response = self.parts.response_of(&plan.request.pairs, call);
        let mut events: Vec<EventId> = own.iter().copied().collect();
        // Some servers give every response and every call the same ID. Then each record only has
        // the calls of its own response.
        let shared = which < matching;
        if shared {
            events.extend(response.into_iter().flat_map(|response| response.events()));
        }
        let which = if shared { which } else { 0 };
        events.sort_unstable();
        events.dedup();
        for event in events {
            let named = own.contains(&event);
            self.change(plan, event, |root| {
                members::rename(root, t.ids.get(id), to, named, which)
            })?;
        }
        Ok(())
    }

    fn set_link(&mut self, plan: &mut Plan<'a>, event: EventId, (_, to): LinkTo) -> StepResult {
        let id = to.and_then(|to| number(plan.t, to));
        let id = id.ok_or(CannotDo("the call's event has no ID"))?;
        self.change(plan, event, |root| Ok(vec![set_member(root, None, "cause", &id.to_string())]))
    }

    fn move_boundary(&mut self, plan: &mut Plan<'a>, extension: &Extension<'_>) -> StepResult {
        let (t, cut, add) = (plan.t, extension.event, extension.add);
        let ids: Vec<i64> = add.iter().filter_map(|event| number(t, *event)).collect();
        let history = &self.parts.history;
        let forget = match widened(t, history, cut, add) {
            Some(Widened::List) => members::Forget::Add(ids),
            Some(Widened::Range(first, last)) => members::Forget::Range(first, last),
            None => members::Forget::Instead(ids_with_range(t, history, cut, ids)),
        };
        self.extended.extend(add);
        self.change(plan, cut, |root| members::forget(root, &forget))
    }

    fn assign_id(&mut self, plan: &mut Plan<'a>, event: EventId) -> StepResult {
        let id = self.free.fresh();
        self.change(plan, event, |root| Ok(vec![set_member(root, None, "id", &id.to_string())]))
    }

    fn renumber(&mut self, plan: &mut Plan<'a>, event: EventId) -> StepResult {
        let t = plan.t;
        plan.names.insert(event, t.text(t.event(event).id).to_owned());
        self.touch(t, event);
        self.touched.extend(number(t, event).and_then(|id| u64::try_from(id).ok()));
        Ok(())
    }

    fn follow_up(&mut self, plan: &mut Plan<'a>) -> StepResult {
        if self.in_files() {
            let mut slots: Vec<Slot> = plan.order.stored().collect();
            slots.sort_by_key(|slot| match slot {
                Slot::New(id) => plan.new_record(*id).id.parse().unwrap_or(i64::MAX),
                Slot::Old(event) => number(plan.t, *event).unwrap_or(i64::MAX),
            });
            plan.order.arrange(slots);
        }
        self.move_summary(plan)
    }

    fn new_record(&self, plan: &Plan<'a>, id: NewId, before: Option<EventId>) -> NewBytes {
        answer::bytes(self.context, plan.new_record(id), before)
    }

    /// Removes pages that cover a change, after writing events that only they have to files.
    fn add_edits(&self, plan: &Plan<'a>, edits: &mut Vec<Edit>) -> StepResult {
        if !self.in_files() || self.touched.is_empty() {
            return Ok(());
        }
        let gone = pages::covering(self.context.entries, &self.touched);
        let lost: Vec<String> = gone
            .iter()
            .filter_map(|edit| match edit {
                Edit::Remove(page) => Some(self.context.entries.name(*page).to_owned()),
                _ => None,
            })
            .collect();
        for event in plan.order.stored().filter_map(Slot::old).filter(|event| {
            plan.t.event(*event).state == State::Unreadable && !self.restored.contains(event)
        }) {
            let Some(id) = number_in_name(plan.t, event) else {
                continue;
            };
            if !lost.iter().any(|page| pages::covers(page, id)) {
                continue;
            }
            if let Some(copy) = pages::copy_of(self.context.entries, id)
                && let Action::EditBytes { edits: own, .. } = restore(self.context, event, copy)
            {
                edits.extend(own);
            }
        }
        let fresh: Vec<Edit> = gone.into_iter().filter(|page| !edits.contains(page)).collect();
        edits.extend(fresh);
        Ok(())
    }
}

impl<'a> V0Writer<'a> {
    fn in_files(&self) -> bool {
        matches!(self.context.layout, Layout::Files(_))
    }

    /// The end of the response of a call, as it is recorded.
    fn end_of_response(&self, plan: &Plan<'a>, call: PartId) -> ResponseEnd {
        let response = self.parts.response_of(&plan.request.pairs, call);
        let events: Vec<EventId> = match response {
            Some(response) => response.events().collect(),
            None => vec![plan.t.part(call).event],
        };
        ResponseEnd {
            id: events.iter().filter_map(|event| number(plan.t, *event)).max(),
            slot: plan.order.last_stored_of(events.into_iter().map(Slot::Old)),
        }
    }

    /// Marks the cached page of this event as out of date.
    fn touch(&mut self, t: &Transcript, event: EventId) {
        self.touched.extend(number_in_name(t, event));
    }

    fn change(
        &mut self,
        plan: &mut Plan<'a>,
        event: EventId,
        make: impl FnOnce(Node<'_>) -> Result<Vec<RecordChange>, CannotDo>,
    ) -> StepResult {
        let changes = make(self.context.record(event)?.root())?;
        if !changes.is_empty() {
            plan.members.with(event, move |_| Ok(changes.clone()));
            self.touch(plan.t, event);
        }
        Ok(())
    }

    /// Keeps the summary after the event before it, or after the nearest earlier event that stays.
    fn move_summary(&mut self, plan: &mut Plan<'a>) -> StepResult {
        let Some((cut, offset)) = self.parts.history.summary() else {
            return Ok(());
        };
        if !plan.order.is_changed() && self.extended.is_empty() {
            return Ok(());
        }
        let old = self.parts.history.left(plan.t);
        let at = place(offset, old.len());
        let counted: HashSet<EventId> = old.iter().copied().collect();
        let new: Vec<Slot> = plan
            .order
            .stored()
            .filter(|slot| {
                let event = slot.old();
                event
                    .is_none_or(|event| counted.contains(&event) && !self.extended.contains(&event))
            })
            .collect();
        let kept: HashSet<Slot> = new.iter().copied().collect();
        let mut before = old[..at].iter().rev().copied().map(Slot::Old);
        let neighbor = before.find(|slot| kept.contains(slot));
        let moved = neighbor
            .and_then(|neighbor| new.iter().position(|other| *other == neighbor))
            .map_or(0, |at| at + 1);
        // An offset beyond the end means the end, and stays.
        if moved == at || at == old.len() && moved == new.len() && offset >= 0 {
            return Ok(());
        }
        self.change(plan, cut, |root| {
            let args = root.get("args").ok_or(CannotDo("the condensation has no `args`"))?;
            Ok(vec![set_member(args, None, "summary_offset", &moved.to_string())])
        })
    }
}

/// The calls of one response.
fn batch_of<'p>(plan: &Plan<'p>, call: PartId) -> &'p [PartId] {
    let batch = plan.request.pairs.batch_of(call);
    batch.map_or(&[], |batch| &batch.calls)
}

/// The existing IDs in the range of a condensation, and `add`.
fn ids_with_range(t: &Transcript, history: &V0History, cut: EventId, add: Vec<i64>) -> Vec<i64> {
    let range = history.cuts.iter().find(|known| known.event == cut).and_then(|known| known.range);
    let (first, last) = range.unwrap_or((0, -1));
    let mut ids: Vec<i64> =
        t.records().filter_map(|e| number(t, e)).filter(|n| first <= *n && *n <= last).collect();
    ids.extend(add);
    ids.sort_unstable();
    ids.dedup();
    ids
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::source::{EntryId, Span};

    #[test]
    fn files_have_names_and_their_ids_are_their_order() {
        let places = |place| {
            let mut t = Transcript::default();
            let nowhere = Span::new(EntryId(0), 0, 0);
            let event = t.begin(nowhere, place, State::Whole);
            let actions = [Action::MoveTogether(Vec::new()), Action::Renumber(event)];
            actions.map(|action| has_place(&t, &action))
        };
        assert_eq!(places(Place::File(0)), [false, true]);
        assert_eq!(places(Place::Item(0)), [true, false]);
    }
}
