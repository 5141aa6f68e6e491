//! The remedies of a layer as edits: the path in its new order, the parents that follow from it, and changed members.

mod order;

use std::collections::BTreeMap;

use hashbrown::{HashMap, HashSet};

use super::answer::{Answer, models};
use super::lines::stamp;
use super::members::Wishes;
use super::parked::relink_parked;
use super::{Session, records};
use crate::bytes::edit::Edit;
use crate::containers::rewrite::{CannotDo, Slot, rewrite};
use crate::formats::FormatContext;
use crate::json::quote::quote;
use crate::transcript::{Action, EventId, Id, Idx, LinkKind, PartId, Request, Role, Transcript};

/// A record of the new order: an event by its number, or a new line by its number behind the last event.
pub(super) type Node = EventId;

/// Turns remedies into edits.
pub(super) fn lower(
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

/// The work in progress.
pub(super) struct Plan<'a> {
    pub context: &'a FormatContext<'a>,
    pub t: &'a Transcript,
    request: &'a Request,
    pub session: Session,
    /// The path of the current client in its new order.
    path: Vec<Node>,
    /// Where each of its records stood.
    places: HashMap<Node, usize>,
    /// The lines of each answer on it.
    lines: HashMap<Id, Vec<EventId>>,
    /// Records that come together, and the group of each.
    groups: Vec<Vec<Node>>,
    group_of: HashMap<Node, usize>,
    /// New lines behind a record of the path, and at its end.
    next_to: HashMap<Node, Vec<Node>>,
    at_the_end: Vec<Node>,
    /// What each new line of the path hangs on.
    before: HashMap<Node, Node>,
    /// New parents that were asked for.
    pub hung: BTreeMap<EventId, Option<Node>>,
    pub gone: HashSet<EventId>,
    /// Parts that go from records that stay.
    cut: BTreeMap<EventId, Vec<PartId>>,
    answers: Vec<Answer>,
    /// Lines that a new result may look like; filled where there are any.
    models: Vec<EventId>,
    /// The parent of each answer that stands beside the path.
    beside: HashMap<Node, EventId>,
    /// Lines that go behind another one, new and old ones, in order.
    behind: BTreeMap<EventId, Vec<Node>>,
    moved: HashSet<EventId>,
    pub wishes: Wishes,
    edits: Vec<Edit>,
}

impl<'a> Plan<'a> {
    fn new(context: &'a FormatContext<'a>, request: &'a Request) -> Plan<'a> {
        let session = Session::of(context);
        let t = context.transcript;
        let mut lines: HashMap<Id, Vec<EventId>> = HashMap::new();
        for event in session.current.records.iter().copied() {
            if let Some(batch) = t.event(event).batch {
                lines.entry(batch).or_default().push(event);
            }
        }
        Plan {
            context,
            t,
            request,
            places: session.current.records.iter().copied().zip(0..).collect(),
            lines,
            groups: Vec::new(),
            group_of: HashMap::new(),
            next_to: HashMap::new(),
            at_the_end: Vec::new(),
            before: HashMap::new(),
            path: session.current.records.clone(),
            session,
            hung: BTreeMap::new(),
            gone: HashSet::new(),
            cut: BTreeMap::new(),
            answers: Vec::new(),
            models: Vec::new(),
            beside: HashMap::new(),
            behind: BTreeMap::new(),
            moved: HashSet::new(),
            wishes: Wishes::default(),
            edits: Vec::new(),
        }
    }

    fn take(&mut self, action: &Action) -> Result<(), CannotDo> {
        match action {
            Action::Mend { edits, .. } => self.edits.extend(edits.iter().cloned()),
            Action::Park(event) => _ = self.gone.insert(*event),
            Action::ParkPart(part) => self
                .cut
                .entry(self.t.a_part(*part).event)
                .or_default()
                .push(*part),
            Action::Gather(parts) => self.gather(parts)?,
            Action::Answer { call, hole: None } => self.answer(*call),
            Action::Rename { parts, to } => {
                for part in parts {
                    let event = self.t.a_part(*part).event;
                    self.wishes
                        .call_id(event, self.t.position(*part) as u32, to);
                }
            }
            Action::Relink {
                event,
                link: LinkKind::Parent,
                to,
            } => _ = self.hung.insert(*event, *to),
            Action::Extend { event, keep, .. } => {
                let first = keep.first().ok_or(CannotDo("nothing to keep"))?;
                let id = self.id(*first)?.to_owned();
                self.wishes.segment(*event, "headUuid", &id);
            }
            _ => return Err(CannotDo("this format has no place for that")),
        }
        Ok(())
    }

    /// The id of a record, old or new.
    pub(super) fn id(&self, node: Node) -> Result<&str, CannotDo> {
        if let Some(answer) = self.answer_of(node) {
            return Ok(&answer.id);
        }
        let id = self
            .t
            .event(node)
            .id
            .ok_or(CannotDo("the record to hang on has no id"))?;
        Ok(self.t.ids.get(id))
    }

    fn answer_of(&self, node: Node) -> Option<&Answer> {
        self.answers
            .get(node.index().checked_sub(self.t.events.len())?)
    }

    fn answer(&mut self, call: PartId) {
        let node = Node::new(self.t.events.len() + self.answers.len());
        self.answers.push(Answer::new(self.context, call));
        let line = self.t.a_part(call).event;
        if self.request.is_pending(call) {
            let last = self.t.records().last().unwrap_or(line);
            self.behind.entry(last).or_default().push(node);
            self.at_the_end.push(node);
            return;
        }
        let own = self.answer_lines(line);
        let last = own.last().copied().unwrap_or(line);
        let lowest = own.iter().copied().max().unwrap_or(line);
        let calls = self
            .request
            .pairs
            .batch_of(call)
            .map(|batch| batch.calls.as_slice())
            .unwrap_or_default();
        let mut answered = calls
            .iter()
            .filter_map(|call| self.request.pairs.answer(*call));
        let on_path = answered.any(|result| self.session.current.has(self.t.a_part(result).event));
        self.behind.entry(lowest).or_default().push(node);
        if on_path || !self.session.current.has(line) {
            self.beside.insert(node, line);
            return;
        }
        self.next_to.entry(last).or_default().push(node);
    }

    fn finish(mut self) -> Result<Vec<Edit>, CannotDo> {
        if !self.answers.is_empty() {
            self.models = models(self.t);
        }
        self.cut_parts();
        self.order_path();
        self.hang_path();
        relink_parked(&mut self)?;
        for (event, to) in std::mem::take(&mut self.hung) {
            if self.gone.contains(&event) {
                continue;
            }
            let raw = to.map_or_else(|| Ok("null".to_owned()), |to| self.id(to).map(quote))?;
            self.wishes.set(event, "parentUuid", raw);
        }
        let mut edits = std::mem::take(&mut self.edits);
        if self.gone.is_empty() && self.behind.is_empty() {
            edits.extend(self.wishes.edits(self.context)?);
        } else {
            edits.extend(rewrite(
                self.context.entries,
                self.context.layout,
                self.t,
                &self.slots()?,
            )?);
        }
        Ok(edits)
    }

    /// A record of which nothing would be left goes itself.
    fn cut_parts(&mut self) {
        for (event, mut parts) in std::mem::take(&mut self.cut) {
            parts.sort_unstable();
            parts.dedup();
            let own = self.t.event(event).parts.clone();
            if parts.len() >= own.len() {
                self.gone.insert(event);
            } else {
                self.wishes.cut(
                    event,
                    parts
                        .into_iter()
                        .map(|part| own.position_of(part) as u32)
                        .collect(),
                );
            }
        }
    }

    /// Every record of the new path hangs on the one before it.
    fn hang_path(&mut self) {
        let old: HashMap<Node, Option<Node>> = pairs(&self.session.current.records).collect();
        for (node, before) in pairs(&self.path) {
            let is_new = self.answer_of(node).is_some();
            if let Some(before) = before.filter(|_| is_new) {
                self.before.insert(node, before);
            }
            if !is_new && old.get(&node) != Some(&before) {
                self.hung.entry(node).or_insert(before);
            }
        }
    }

    fn slots(&self) -> Result<Vec<Slot>, CannotDo> {
        let mut slots = Vec::new();
        for event in self.t.records() {
            if self.gone.contains(&event) && !self.behind.contains_key(&event) {
                continue;
            }
            let mut next = vec![event];
            let mut top = true;
            while let Some(node) = next.pop() {
                let stays = !top || !self.moved.contains(&node);
                top = false;
                if stays && !self.gone.contains(&node) {
                    slots.push(self.slot(node)?);
                }
                if stays && let Some(more) = self.behind.get(&node) {
                    next.extend(more.iter().rev().copied());
                }
            }
        }
        Ok(slots)
    }

    fn slot(&self, node: Node) -> Result<Slot, CannotDo> {
        let Some(answer) = self.answer_of(node) else {
            return Ok(Slot::Old {
                event: node,
                changes: self.wishes.changes(self.context, node)?,
                name: None,
            });
        };
        let parent = self
            .beside
            .get(&node)
            .or_else(|| self.before.get(&node))
            .copied();
        let parent = self
            .id(parent.ok_or(CannotDo("the answer has no place"))?)?
            .to_owned();
        let stamp = stamp(self.time_of(answer).unwrap_or_default());
        let bytes = answer.bytes(self.context, &self.models, &parent, &stamp)?;
        Ok(Slot::New {
            bytes,
            id: answer.id.clone(),
        })
    }

    /// The time of an answer: that of the line it is put behind; at the live end a little later than everything.
    fn time_of(&self, answer: &Answer) -> Option<i64> {
        let line = self.t.a_part(answer.call).event;
        if self.request.is_pending(answer.call) {
            let all = self
                .session
                .tree
                .main
                .iter()
                .filter_map(|event| self.t.event(*event).time);
            return all.max()?.checked_add(1000);
        }
        let lowest = self
            .answer_lines(line)
            .iter()
            .copied()
            .max()
            .unwrap_or(line);
        self.t.event(lowest).time.or(self.t.event(line).time)
    }

    /// Where the path goes on behind a record that goes.
    pub(super) fn next_on_path(&self, event: EventId) -> Option<EventId> {
        let at = self.path.iter().position(|node| *node == event)?;
        let rest = self.path.get(at + 1..)?.iter().copied();
        let events = self.t.events.end();
        rest.filter(|node| *node < events)
            .find(|node| !self.gone.contains(node))
    }

    /// Another line that holds the same call as one that goes.
    pub(super) fn twin(&self, event: EventId) -> Option<EventId> {
        let calls: Vec<_> = records::pair_parts(self.t, event)
            .filter_map(|call| self.t.a_part(call).id)
            .collect();
        let holds = |other: &EventId| {
            let mut ids =
                records::pair_parts(self.t, *other).filter_map(|call| self.t.a_part(call).id);
            self.t.event(*other).role == Role::Assistant && ids.any(|id| calls.contains(&id))
        };
        let main = self.session.tree.main.iter().copied();
        main.filter(|other| *other != event && !self.gone.contains(other))
            .find(holds)
    }
}

/// Each record of a path with the one before it.
fn pairs(path: &[Node]) -> impl Iterator<Item = (Node, Option<Node>)> + '_ {
    let before = std::iter::once(None).chain(path.iter().copied().map(Some));
    path.iter().copied().zip(before)
}
