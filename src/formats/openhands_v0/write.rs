//! The remedies of a layer as edits: elements or files that go and come, members that change, cache pages that go with
//! what they cover.

use std::collections::BTreeMap;

use hashbrown::HashSet;

use super::answer::{Answer, FreeIds};
use super::history::{History, number, place};
use super::judge::{Widened, widened};
use super::unreadable::{number_in_name, restored};
use super::{Parts, members, pages};
use crate::bytes::edit::Edit;
use crate::containers::Layout;
use crate::containers::change;
use crate::containers::rewrite::{CannotDo, Placed, rewrite};
use crate::formats::FormatContext;
use crate::json::cut::Change;
use crate::transcript::{Action, EventId, Idx, LinkKind, PartId, Request, State, Transcript};

/// A record of the new order: an event by its number, or an answer by its number behind the last event.
type Node = EventId;

/// Turns remedies into edits.
pub(super) fn plan_edits(
    context: &FormatContext<'_>,
    request: &Request,
    actions: &[Action],
) -> Result<Vec<Edit>, CannotDo> {
    let mut plan = Plan::new(context, request);
    for action in actions {
        plan.take(action)?;
    }
    plan.finish()
}

struct Plan<'a> {
    context: &'a FormatContext<'a>,
    t: &'a Transcript,
    request: &'a Request,
    parts: Parts,
    /// All records in the order of storage.
    order: Vec<Node>,
    answers: Vec<Answer>,
    free: FreeIds,
    /// What changes inside records.
    changes: BTreeMap<EventId, Vec<Change>>,
    /// Files that get the name of the event they hold.
    renamed: Vec<EventId>,
    /// What condensations forget besides.
    extended: HashSet<EventId>,
    edits: Vec<Edit>,
    /// Numbers of events that come, go or change.
    touched: Vec<u64>,
    /// Files that a remedy restores from a page.
    restored: HashSet<EventId>,
    structural: bool,
}

impl<'a> Plan<'a> {
    fn new(context: &'a FormatContext<'a>, request: &'a Request) -> Plan<'a> {
        let t = context.transcript;
        let order = t
            .records()
            .filter(|event| t.event(*event).state != State::Padding)
            .collect();
        Plan {
            context,
            t,
            request,
            parts: Parts::of(context),
            order,
            answers: Vec::new(),
            free: FreeIds::of(t),
            changes: BTreeMap::new(),
            renamed: Vec::new(),
            extended: HashSet::new(),
            edits: Vec::new(),
            touched: Vec::new(),
            restored: HashSet::new(),
            structural: false,
        }
    }

    fn in_files(&self) -> bool {
        matches!(self.context.layout, Layout::Files(_))
    }

    fn take(&mut self, action: &Action) -> Result<(), CannotDo> {
        match action {
            Action::Mend { event, edits, .. } => self.mend(*event, edits),
            Action::Park(event) => self.park(*event),
            Action::ParkPart(part) => self.park(self.t.a_part(*part).event),
            // In files the ids tell the order, and what came later cannot have an earlier one.
            Action::Gather(parts) if !self.in_files() => self.gather(parts),
            Action::Answer { call, .. } => self.answer(*call),
            Action::Rename { parts, to } => self.rename(parts, to)?,
            Action::Relink {
                event,
                link: LinkKind::Call,
                to: Some(to),
            } => {
                let id = number(self.t, *to).ok_or(CannotDo("the call's event has no id"))?;
                self.change(*event, |root| members::set(root, "cause", &id.to_string()))?;
            }
            Action::Extend { event, add, .. } => self.extend(*event, add)?,
            Action::Renumber(event) if self.in_files() => self.rename_file(*event),
            Action::Identify(event) => {
                let id = self.free.fresh();
                self.change(*event, |root| members::set(root, "id", &id.to_string()))?;
            }
            _ => return Err(CannotDo("OpenHands V0 has no place for this")),
        }
        Ok(())
    }

    /// Notes that a page which covers this event is no copy any more.
    fn touch(&mut self, event: EventId) {
        self.touched.extend(number_in_name(self.t, event));
    }

    fn mend(&mut self, event: EventId, edits: &[Edit]) {
        self.edits.extend(edits.iter().cloned());
        let at = self.t.event(event).at.entry;
        let inside = edits
            .iter()
            .any(|edit| matches!(edit, Edit::Bytes { at: span, .. } if span.entry == at));
        match self.t.event(event).state {
            State::Unreadable => _ = self.restored.insert(event),
            _ if inside => self.touch(event),
            _ => {}
        }
    }

    fn park(&mut self, event: EventId) {
        self.order.retain(|node| *node != event);
        self.touch(event);
        self.structural = true;
    }

    /// Brings the records of these parts together, behind the first one.
    fn gather(&mut self, parts: &[PartId]) {
        let mut events: Vec<EventId> = Vec::new();
        for part in parts {
            let event = self.t.a_part(*part).event;
            if !events.contains(&event) {
                events.push(event);
            }
        }
        let Some(first) = events.first() else { return };
        let front = self.order.iter().take_while(|node| **node != *first);
        let at = front.filter(|node| !events.contains(node)).count();
        self.order.retain(|node| !events.contains(node));
        self.order.splice(at..at, events);
        self.structural = true;
    }

    fn change(
        &mut self,
        event: EventId,
        make: impl FnOnce(crate::json::node::Node<'_>) -> Result<Vec<Change>, CannotDo>,
    ) -> Result<(), CannotDo> {
        let changes = members::changes(self.context, event, make)?;
        if !changes.is_empty() {
            self.changes.entry(event).or_default().extend(changes);
            self.touch(event);
        }
        Ok(())
    }

    /// An answer comes behind the last record of its response.
    fn answer(&mut self, call: PartId) {
        let own = self.t.a_part(call).event;
        let response = self.parts.response_of(&self.request.pairs, call);
        let events: HashSet<EventId> = response
            .map(|r| r.events().collect())
            .unwrap_or_else(|| [own].into());
        let node = Node::new(self.t.events.len() + self.answers.len());
        let answers = self.answers.iter().map(|answer| answer.call);
        let batch: &[PartId] = self
            .request
            .pairs
            .batch_of(call)
            .map_or(&[], |batch| &batch.calls);
        let sisters: HashSet<Node> = answers
            .enumerate()
            .map(|(at, call)| (Node::new(self.t.events.len() + at), call))
            .filter(|(_, other)| batch.contains(other))
            .map(|(node, _)| node)
            .collect();
        let behind = |other: &Node| events.contains(other) || sisters.contains(other);
        let at = self
            .order
            .iter()
            .rposition(behind)
            .map_or(self.order.len(), |at| at + 1);
        self.order.insert(at, node);
        let last = events
            .iter()
            .filter_map(|event| number(self.t, *event))
            .max();
        let id = match last {
            Some(last) if self.in_files() => Some(self.free.take(last)),
            _ if self.free.highest() < 0 => None,
            _ => Some(self.free.fresh()),
        };
        self.touched
            .extend(id.and_then(|id| u64::try_from(id).ok()));
        self.answers.push(Answer { call, id });
        self.structural = true;
    }

    /// Every record of a response repeats all of its calls, so the id is in all of them.
    fn rename(&mut self, parts: &[PartId], to: &str) -> Result<(), CannotDo> {
        let call = *parts
            .first()
            .ok_or(CannotDo("there is nothing to rename"))?;
        let id = self
            .t
            .a_part(call)
            .id
            .ok_or(CannotDo("the call has no id"))?;
        let old = self.t.ids.get(id).to_owned();
        let own: HashSet<EventId> = parts
            .iter()
            .map(|part| self.t.a_part(*part).event)
            .collect();
        let batch: &[PartId] = self
            .request
            .pairs
            .batch_of(call)
            .map_or(&[], |batch| &batch.calls);
        let same = batch
            .iter()
            .filter(|other| self.t.a_part(**other).id == Some(id));
        let which = same.take_while(|other| **other != call).count();
        let asked = super::fold::asks(self.t, self.t.a_part(call).event)
            .filter(|asked| *asked == id)
            .count();
        let response = self.parts.response_of(&self.request.pairs, call);
        let mut events: Vec<EventId> = own.iter().copied().collect();
        // Servers that give every response and every call one id: then each record tells of its own response only.
        let shared = which < asked;
        if shared {
            events.extend(response.into_iter().flat_map(|response| response.events()));
        }
        let which = if shared { which } else { 0 };
        events.sort_unstable();
        events.dedup();
        for event in events {
            let named = own.contains(&event);
            self.change(event, |root| members::rename(root, &old, to, named, which))?;
        }
        Ok(())
    }

    fn rename_file(&mut self, event: EventId) {
        self.renamed.push(event);
        self.touch(event);
        self.touched
            .extend(number(self.t, event).and_then(|id| u64::try_from(id).ok()));
    }

    fn extend(&mut self, cut: EventId, add: &[EventId]) -> Result<(), CannotDo> {
        let ids: Vec<i64> = add
            .iter()
            .filter_map(|event| number(self.t, *event))
            .collect();
        let history = &self.parts.history;
        let how = match widened(self.t, history, cut, add) {
            Some(Widened::List) => members::Forget::Add(ids),
            Some(Widened::Range(first, last)) => members::Forget::Range(first, last),
            None => members::Forget::Instead(listed(self.t, history, cut, ids)),
        };
        self.extended.extend(add);
        self.change(cut, |root| members::forget(root, &how))
    }

    fn finish(mut self) -> Result<Vec<Edit>, CannotDo> {
        if self.in_files() {
            let (t, answers) = (self.t, &self.answers);
            let id = |node: &Node| match answers.get(node.index().wrapping_sub(t.events.len())) {
                Some(answer) => answer.id.unwrap_or(i64::MAX),
                None => number(t, *node).unwrap_or(i64::MAX),
            };
            self.order.sort_by_key(id);
        }
        self.move_summary()?;
        for changes in self.changes.values_mut() {
            *changes = change::in_order_once(std::mem::take(changes))?;
        }
        let mut edits = std::mem::take(&mut self.edits);
        if self.structural || !self.renamed.is_empty() {
            edits.extend(rewrite(
                self.context.entries,
                self.context.layout,
                self.t,
                &self.slots()?,
            )?);
        } else {
            for (event, changes) in std::mem::take(&mut self.changes) {
                edits.extend(change::edits(self.t.event(event).at, changes));
            }
        }
        self.pages(&mut edits);
        Ok(edits)
    }

    fn slots(&self) -> Result<Vec<Placed>, CannotDo> {
        let mut slots = Vec::with_capacity(self.order.len());
        let mut before = None;
        for node in &self.order {
            if let Some(answer) = self.answer_of(*node) {
                let id = answer.id.map(|id| id.to_string()).unwrap_or_default();
                slots.push(Placed::New {
                    bytes: answer.bytes(self.context, before)?,
                    id,
                });
                continue;
            }
            before = Some(*node);
            let name = self
                .renamed
                .contains(node)
                .then(|| self.t.text(self.t.event(*node).id).to_owned());
            let changes = self.changes.get(node).cloned().unwrap_or_default();
            slots.push(Placed::Old {
                event: *node,
                changes,
                name,
            });
        }
        Ok(slots)
    }

    fn answer_of(&self, node: Node) -> Option<&Answer> {
        self.answers
            .get(node.index().checked_sub(self.t.events.len())?)
    }

    /// The summary stays behind the neighbor that it stood behind, or the nearest of its neighbors that stays.
    fn move_summary(&mut self) -> Result<(), CannotDo> {
        let Some((cut, offset)) = self.parts.history.summary() else {
            return Ok(());
        };
        if !self.structural && self.extended.is_empty() {
            return Ok(());
        }
        let old = self.parts.history.left(self.t);
        let at = place(offset, old.len());
        let stood: HashSet<EventId> = old.iter().copied().collect();
        let stays = |node: &Node| {
            self.answer_of(*node).is_some()
                || (stood.contains(node) && !self.extended.contains(node))
        };
        let new: Vec<Node> = self.order.iter().copied().filter(stays).collect();
        let kept: HashSet<Node> = new.iter().copied().collect();
        let neighbor = old[..at].iter().rev().find(|event| kept.contains(*event));
        let moved = neighbor
            .and_then(|n| new.iter().position(|other| other == n))
            .map_or(0, |at| at + 1);
        // An offset behind the end means the end, and stays.
        if moved == at || at == old.len() && moved == new.len() && offset >= 0 {
            return Ok(());
        }
        self.change(cut, |root| {
            let args = root
                .get("args")
                .ok_or(CannotDo("the condensation has no `args`"))?;
            members::set(args, "summary_offset", &moved.to_string())
        })
    }

    /// Pages that cover a change go. What only they hold becomes a file first.
    fn pages(&self, edits: &mut Vec<Edit>) {
        if !self.in_files() || self.touched.is_empty() {
            return;
        }
        let gone = pages::covering(self.context.entries, &self.touched);
        let names = |edit: &Edit| match edit {
            Edit::Remove(page) => Some(self.context.entries.name(*page).to_owned()),
            _ => None,
        };
        let lost: Vec<String> = gone.iter().filter_map(names).collect();
        let holes = self.order.iter().copied().filter(|node| {
            self.answer_of(*node).is_none()
                && self.t.event(*node).state == State::Unreadable
                && !self.restored.contains(node)
        });
        for hole in holes {
            let Some(id) = number_in_name(self.t, hole) else {
                continue;
            };
            if !lost.iter().any(|page| pages::covers(page, id)) {
                continue;
            }
            if let Some(copy) = pages::copy_of(self.context.entries, id)
                && let Action::Mend { edits: own, .. } = restored(self.context, hole, copy)
            {
                edits.extend(own);
            }
        }
        let fresh: Vec<Edit> = gone
            .into_iter()
            .filter(|page| !edits.contains(page))
            .collect();
        edits.extend(fresh);
    }
}

/// All ids that a range forgets and that exist, with others.
fn listed(t: &Transcript, history: &History, cut: EventId, add: Vec<i64>) -> Vec<i64> {
    let range = history
        .cuts
        .iter()
        .find(|known| known.event == cut)
        .and_then(|known| known.range);
    let (first, last) = range.unwrap_or((0, -1));
    let mut ids: Vec<i64> = t
        .records()
        .filter_map(|e| number(t, e))
        .filter(|n| first <= *n && *n <= last)
        .collect();
    ids.extend(add);
    ids.sort_unstable();
    ids.dedup();
    ids
}
