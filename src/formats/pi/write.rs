//! The remedies of a layer as edits: the new order of records, the parents that follow from it, and changed members.

use hashbrown::{HashMap, HashSet};

use super::answer::Answer;
use super::members::Wishes;
use super::path::Path;
use super::{attrs, fragments, window};
use crate::bytes::edit::Edit;
use crate::containers::rewrite::{CannotDo, Slot, rewrite};
use crate::formats::FormatContext;
use crate::formats::chain::{Chain, Node};
use crate::json::quote::quote;
use crate::transcript::{
    Action, EventId, Id, Idx, LinkKind, PartId, PartKind, Request, Role, State, Transcript, Value,
};

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

struct Plan<'a> {
    context: &'a FormatContext<'a>,
    t: &'a Transcript,
    request: &'a Request,
    path: Path,
    chain: Chain,
    answers: Vec<Answer>,
    /// The record that answers a call, of those that are new.
    written: HashMap<PartId, Node>,
    /// The number of each call in its response, of those that are answered.
    numbers: HashMap<PartId, usize>,
    /// Responses whose results have been looked at, and the response that each result directly follows.
    looked_at: HashSet<EventId>,
    follows: HashMap<Node, EventId>,
    wishes: Wishes,
    edits: Vec<Edit>,
}

impl<'a> Plan<'a> {
    fn new(context: &'a FormatContext<'a>, request: &'a Request) -> Plan<'a> {
        let t = context.transcript;
        let path = Path::find(context);
        let chain = Chain::new(t.records(), &path.branch);
        Plan {
            context,
            t,
            request,
            path,
            chain,
            answers: Vec::new(),
            written: HashMap::new(),
            numbers: HashMap::new(),
            looked_at: HashSet::new(),
            follows: HashMap::new(),
            wishes: Wishes::default(),
            edits: Vec::new(),
        }
    }

    fn take(&mut self, action: &Action) -> Result<(), CannotDo> {
        match action {
            Action::Mend { event, edits, .. } => {
                self.edits.extend(edits.iter().cloned());
                self.edits.extend(fragments::relinked(
                    self.context,
                    &self.path,
                    *event,
                    &mut self.wishes,
                )?);
            }
            Action::Park(event) => self.chain.park(*event),
            Action::ParkPart(part) => self.park_part(*part)?,
            Action::Gather(parts) => self.gather(parts),
            Action::Answer { call, hole: None } => self.answer(*call),
            Action::Rename { parts, to } => {
                parts
                    .iter()
                    .for_each(|part| self.wishes.call_id(self.context, *part, to));
            }
            Action::Relink {
                event,
                link: LinkKind::Parent,
                to,
            } => self.relink(*event, *to)?,
            Action::Extend { event, keep, .. } => self.keep_from(*event, keep.first().copied())?,
            _ => return Err(CannotDo("this format has no place for that")),
        }
        Ok(())
    }

    fn id(&self, node: Node) -> Result<&str, CannotDo> {
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

    /// Results are records of their own; a call is never taken out alone.
    fn park_part(&mut self, part: PartId) -> Result<(), CannotDo> {
        let part = self.t.a_part(part);
        if part.kind != PartKind::Result {
            return Err(CannotDo("a call is never taken out of its response"));
        }
        self.chain.park(part.event);
        Ok(())
    }

    /// The record that answers a call: as recorded, or as it was just written.
    fn answered_by(&self, call: PartId) -> Option<Node> {
        let new = self.written.get(&call).copied();
        new.or_else(|| {
            self.request
                .pairs
                .answer(call)
                .map(|result| self.t.a_part(result).event)
        })
    }

    /// Whether a result directly follows the response, bookkeeping apart. A response may have ten thousand results, so
    /// they are looked at once.
    fn is_in_place(&mut self, node: Node, assistant: EventId) -> bool {
        if self.looked_at.insert(assistant) {
            for node in self.in_place(assistant) {
                self.follows.insert(node, assistant);
            }
        }
        self.follows.get(&node) == Some(&assistant) && !self.chain.is_gone(node)
    }

    fn in_place(&self, assistant: EventId) -> Vec<Node> {
        let is_result =
            |node: &Node| self.answer_of(*node).is_some() || self.t.event(*node).role == Role::Tool;
        let is_silent =
            |node: &Node| self.answer_of(*node).is_none() && !self.t.event(*node).role.is_sent();
        let behind = self.chain.path_from(assistant);
        behind
            .take_while(|node| is_result(node) || is_silent(node))
            .filter(is_result)
            .collect()
    }

    /// Where the result of a call goes: behind that of the nearest earlier call that is in place, else behind the response.
    fn place_of(&mut self, call: PartId) -> Node {
        let assistant = self.t.a_part(call).event;
        let request = self.request;
        let calls = request
            .pairs
            .batch_of(call)
            .map(|batch| batch.calls.as_slice())
            .unwrap_or_default();
        let earlier = calls.iter().position(|other| *other == call).unwrap_or(0);
        for call in calls.iter().take(earlier).rev() {
            if let Some(node) = self
                .answered_by(*call)
                .filter(|node| self.is_in_place(*node, assistant))
            {
                return node;
            }
        }
        assistant
    }

    fn put_in_place(&mut self, node: Node, call: PartId) {
        let place = self.place_of(call);
        self.chain.put_behind(node, place);
        self.follows.insert(node, self.t.a_part(call).event);
    }

    fn gather(&mut self, parts: &[PartId]) {
        let calls = parts
            .iter()
            .copied()
            .filter(|part| self.t.a_part(*part).kind == PartKind::Call);
        let mut calls: Vec<PartId> = calls.collect();
        calls.sort_unstable();
        for call in calls {
            let pairs = &self.request.pairs;
            let given = || {
                parts
                    .iter()
                    .copied()
                    .find(|part| pairs.rival(*part) == Some(call))
            };
            let Some(result) = pairs.answer(call).or_else(given) else {
                continue;
            };
            let event = self.t.a_part(result).event;
            if !self.is_in_place(event, self.t.a_part(call).event) {
                self.put_in_place(event, call);
            }
        }
    }

    fn answer(&mut self, call: PartId) {
        let node = Node::new(self.t.events.len() + self.answers.len());
        let number = self.number_of(call);
        self.answers.push(Answer::new(self.context, call, number));
        self.written.insert(call, node);
        self.put_in_place(node, call);
    }

    /// How many calls of its response come before a call.
    fn number_of(&mut self, call: PartId) -> usize {
        let t = self.t;
        if !self.numbers.contains_key(&call) {
            let parts = t.event(t.a_part(call).event).parts.clone();
            let calls = parts.filter(|part| t.a_part(*part).kind == PartKind::Call);
            self.numbers.extend(calls.zip(0..));
        }
        self.numbers.get(&call).copied().unwrap_or_default()
    }

    /// A record of the path hangs somewhere else; one beside it comes onto it.
    fn relink(&mut self, event: EventId, to: Option<EventId>) -> Result<(), CannotDo> {
        match to.filter(|to| self.path.on_branch[*to] || self.chain.is_on_path(*to)) {
            Some(to) if !self.path.on_branch[event] => {
                self.chain.put_behind(event, to);
                self.set_parent(event, Some(to))
            }
            _ => self.set_parent(event, to),
        }
    }

    fn set_parent(&mut self, event: EventId, to: Option<Node>) -> Result<(), CannotDo> {
        let id = to.map(|to| self.id(to).map(str::to_owned)).transpose()?;
        self.wishes.parent(event, id.as_deref());
        Ok(())
    }

    /// A compaction keeps the path from this record on.
    fn keep_from(&mut self, event: EventId, first: Option<EventId>) -> Result<(), CannotDo> {
        let first = first.ok_or(CannotDo("nothing to keep"))?;
        if self.t.attr_of(event, attrs::KEPT_INDEX).is_some() {
            let index = window::parsed(self.t).position(|other| other == first);
            let index = index.ok_or(CannotDo("the record to keep is not counted"))?;
            self.wishes
                .set(event, "firstKeptEntryIndex", index.to_string());
        } else {
            self.wishes
                .set(event, "firstKeptEntryId", quote(self.id(first)?));
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Vec<Edit>, CannotDo> {
        if self.chain.is_changed() {
            self.leaf_last()?;
            if self.path.flat {
                self.renumber();
            } else {
                self.relink_all()?;
                self.anchors()?;
            }
        }
        let mut edits = std::mem::take(&mut self.edits);
        if self.chain.is_changed() {
            edits.extend(rewrite(
                self.context.entries,
                self.context.layout,
                self.t,
                &self.slots()?,
            )?);
        } else {
            edits.extend(self.wishes.edits(self.context)?);
        }
        Ok(edits)
    }

    /// Host pi takes the last line for the leaf.
    fn leaf_last(&mut self) -> Result<(), CannotDo> {
        let Some(wanted) = self.chain.leaf().filter(|_| !self.path.openclaw) else {
            return Ok(());
        };
        let is_entry = |node: &Node| {
            self.answer_of(*node).is_some() || self.path.records.binary_search(node).is_ok()
        };
        let last = self.chain.order_from_last().find(is_entry);
        if last == Some(wanted) {
            return Ok(());
        }
        let id = self.t.events.get(wanted).and_then(|event| event.id);
        let has_child = id.is_some()
            && self
                .t
                .links
                .iter()
                .any(|l| l.kind == LinkKind::Parent && l.to == id);
        if has_child {
            return Err(CannotDo(
                "the end of the conversation would not be the last record of the file",
            ));
        }
        self.chain.store_last(wanted);
        Ok(())
    }

    /// Every record of the new path names the one before it; what hung on a parked record hangs on what is left above.
    fn relink_all(&mut self) -> Result<(), CannotDo> {
        let links: Vec<(Node, Option<Node>)> = self.chain.links().collect();
        for (node, before) in links {
            let is_event = node < self.t.events.end();
            if is_event && before.is_some() && self.path.parent[node] != before {
                self.set_parent(node, before)?;
            } else if is_event
                && before.is_none()
                && self.path.parent[node].is_some_and(|p| self.chain.is_gone(p))
            {
                let to = self.chain.kept(self.path.parent[node], &self.path.parent);
                self.set_parent(node, to)?;
            }
        }
        for (child, to) in self.chain.fostered(&self.path.records, &self.path.parent) {
            if self.t.link_of(child, LinkKind::Parent).is_some() {
                self.set_parent(child, to)?;
            }
        }
        Ok(())
    }

    /// What named a parked record names its neighbor: a boundary the next kept one, a pointer the one above.
    fn anchors(&mut self) -> Result<(), CannotDo> {
        for event in self.path.records.clone() {
            if self.chain.is_gone(event) {
                continue;
            }
            let kept = self
                .t
                .link_of(event, LinkKind::Kept)
                .and_then(|link| link.to);
            if let Some(gone) = kept.and_then(|id| self.gone(id, event)) {
                let old = self.path.branch.iter().position(|other| *other == gone);
                let behind = self
                    .path
                    .branch
                    .iter()
                    .skip(old.map_or(usize::MAX, |old| old + 1));
                let next = behind.copied().find(|other| !self.chain.is_gone(*other));
                let next = next.or_else(|| self.chain.kept(Some(gone), &self.path.parent));
                let next =
                    next.ok_or(CannotDo("nothing is left that the compaction could keep"))?;
                self.wishes
                    .set(event, "firstKeptEntryId", quote(self.id(next)?));
            }
            for (name, key) in [
                (attrs::LEAF_TARGET, "targetId"),
                (attrs::LEAF_APPEND, "appendParentId"),
            ] {
                let Some(Value::Text(id)) = self.t.attr_of(event, name) else {
                    continue;
                };
                let old_leaf = self.path.branch.last().copied();
                let target = self.path.meant(id, event);
                // The pointer at the end of the path follows it.
                let moved = target.is_some() && target == old_leaf && self.chain.leaf() != target;
                let to = if moved {
                    self.chain.leaf()
                } else if let Some(gone) = self.gone(id, event) {
                    self.chain.kept(Some(gone), &self.path.parent)
                } else {
                    continue;
                };
                let raw = match to {
                    Some(to) => quote(self.id(to)?),
                    None => "null".to_owned(),
                };
                self.wishes.set(event, key, raw);
            }
        }
        Ok(())
    }

    /// The parked record that an id names.
    fn gone(&self, id: Id, event: EventId) -> Option<EventId> {
        self.path
            .meant(id, event)
            .filter(|named| self.chain.is_gone(*named))
    }

    /// Version 1 counts: the number of the first kept record follows it.
    fn renumber(&mut self) {
        let readable = |node: &Node| {
            self.answer_of(*node).is_some() || self.t.event(*node).state == State::Whole
        };
        let places: HashMap<Node, usize> = self
            .chain
            .order()
            .filter(readable)
            .zip(self.path.headers.len()..)
            .collect();
        let mut set = Vec::new();
        for event in self
            .path
            .records
            .iter()
            .copied()
            .filter(|event| !self.chain.is_gone(*event))
        {
            let Some(Value::Number(index)) = self.t.attr_of(event, attrs::KEPT_INDEX) else {
                continue;
            };
            let Some(index) = usize::try_from(index).ok() else {
                continue;
            };
            let mut kept = window::parsed(self.t)
                .skip(index)
                .filter(|kept| !self.chain.is_gone(*kept));
            let Some(kept) = kept
                .next()
                .filter(|kept| self.t.event(*kept).role != Role::HostState)
            else {
                continue;
            };
            if let Some(new) = places.get(&kept).filter(|new| **new != index) {
                set.push((event, *new));
            }
        }
        for (event, index) in set {
            self.wishes
                .set(event, "firstKeptEntryIndex", index.to_string());
        }
    }

    fn slots(&self) -> Result<Vec<Slot>, CannotDo> {
        let mut slots = Vec::with_capacity(self.t.events.len() + self.answers.len());
        let before = self.before_new();
        for node in self.chain.order() {
            slots.push(match self.answer_of(node) {
                Some(answer) => {
                    let (before, recorded) = before.get(&node).copied().unwrap_or_default();
                    let parent = before
                        .filter(|_| !self.path.flat)
                        .map(|before| self.id(before))
                        .transpose()?;
                    let bytes = answer.bytes(self.context, recorded, parent);
                    Slot::New {
                        bytes,
                        id: answer.id.clone(),
                    }
                }
                None => Slot::Old {
                    event: node,
                    changes: self.wishes.changes(self.context, node)?,
                    name: None,
                },
            });
        }
        Ok(slots)
    }

    /// For each new record the one before it on the path, and the nearest one before it that was there already.
    fn before_new(&self) -> HashMap<Node, (Option<Node>, Option<EventId>)> {
        let mut new = HashMap::new();
        let mut recorded = None;
        for (node, before) in self.chain.links() {
            if self.answer_of(node).is_some() {
                new.insert(node, (before, recorded));
            } else {
                recorded = Some(node);
            }
        }
        new
    }
}
