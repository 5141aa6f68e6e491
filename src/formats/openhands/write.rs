//! The remedies of a layer as edits: the new order of events, the parents that follow from it, and changed members.

use std::collections::BTreeMap;

use hashbrown::{HashMap, HashSet};

use super::answer::Answer;
use super::tree::Tree;
use super::{fold, members, order};
use crate::bytes::edit::Edit;
use crate::containers::rewrite::{CannotDo, Slot, rewrite};
use crate::containers::{Layout, Naming};
use crate::formats::FormatContext;
use crate::formats::chain::{Chain, Node};
use crate::transcript::{
    Action, EventId, Idx, LinkKind, PartId, PartKind, Request, Role, State, Transcript,
};

/// A condensation, what it forgets besides, and what it must keep.
type Extension = (EventId, Vec<EventId>, Vec<EventId>);

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

/// Records before a summary among which its neighbor is looked for.
const NEAR: usize = 1024;

struct Plan<'a> {
    context: &'a FormatContext<'a>,
    t: &'a Transcript,
    request: &'a Request,
    tree: Tree,
    /// The records in storage, and the active branch.
    chain: Chain,
    answers: Vec<Answer>,
    /// The last answer to the calls of a batch, by the first of them.
    answered: HashMap<PartId, Node>,
    /// What changes inside records.
    wishes: members::Wishes,
    /// The parents that remedies set themselves.
    parents: HashMap<EventId, Option<Node>>,
    /// Records that got a place behind another one.
    placed: HashSet<Node>,
    /// Files that get the name of the event they hold.
    renamed: HashSet<EventId>,
    offsets: BTreeMap<EventId, u64>,
    extended: Vec<Extension>,
    edits: Vec<Edit>,
}

impl<'a> Plan<'a> {
    fn new(context: &'a FormatContext<'a>, request: &'a Request) -> Plan<'a> {
        let t = context.transcript;
        let tree = Tree::build(t, context.entries);
        Plan {
            context,
            t,
            request,
            chain: Chain::new(t.records(), &tree.branch),
            tree,
            answers: Vec::new(),
            answered: HashMap::new(),
            wishes: members::Wishes::default(),
            parents: HashMap::new(),
            placed: HashSet::new(),
            renamed: HashSet::new(),
            offsets: BTreeMap::new(),
            extended: Vec::new(),
            edits: Vec::new(),
        }
    }

    fn take(&mut self, action: &Action) -> Result<(), CannotDo> {
        match action {
            Action::Mend { edits, .. } => self.edits.extend(edits.iter().cloned()),
            Action::Park(event) => {
                self.inherit(*event);
                self.chain.park(*event);
            }
            Action::ParkPart(part) => self.chain.park(self.t.a_part(*part).event),
            Action::Gather(parts) => self.gather(parts)?,
            Action::Answer { call, hole } => self.answer(*call, *hole),
            Action::Rename { parts, to } => {
                for part in parts {
                    let part = self.t.a_part(*part);
                    self.wishes
                        .call_id(part.event, part.kind == PartKind::Call, to);
                }
            }
            Action::Relink {
                event,
                link: LinkKind::Parent,
                to,
            } => _ = self.parents.insert(*event, *to),
            Action::Relink {
                event,
                link: LinkKind::Leaf,
                to: Some(to),
            } => {
                let id = self.id(*to).ok_or(CannotDo("the newest event has no id"))?;
                self.wishes.set(*event, "leaf_event_id", &id);
            }
            Action::Relink {
                event,
                link: LinkKind::Call,
                to: Some(to),
            } => {
                let id = self.id(*to).ok_or(CannotDo("the call's event has no id"))?;
                self.wishes.set(*event, "action_id", &id);
            }
            Action::Relink { .. } => return Err(CannotDo("this link cannot be set")),
            Action::Close(hole) => self.chain.park(*hole),
            Action::Extend {
                event,
                add,
                keep,
                offset,
            } => {
                self.extended.push((*event, add.clone(), keep.clone()));
                if let Some(offset) = offset {
                    self.offsets.insert(*event, *offset);
                }
            }
            Action::Merge { from, into } => self.wishes.merge_thought(*from, *into),
            Action::Identify(event) => self.wishes.identify(*event),
            Action::Renumber(event) => self.renumber(*event),
            Action::Settle(event) => self.wishes.set(*event, "execution_status", "idle"),
        }
        Ok(())
    }

    fn id(&self, node: Node) -> Option<String> {
        if let Some(answer) = self.answer_of(node) {
            return Some(answer.id.clone());
        }
        self.tree
            .id(self.t, node)
            .map(|id| self.t.ids.get(id).to_owned())
    }

    fn answer_of(&self, node: Node) -> Option<&Answer> {
        self.answers
            .get(node.index().checked_sub(self.t.events.len())?)
    }

    /// Puts a record behind another one and the bookkeeping that follows it, in storage and on the branch.
    fn put_behind(&mut self, node: Node, before: Node) {
        self.placed.insert(node);
        let t = self.t;
        self.chain
            .put_behind_all(node, before, |node| follows(t, node));
    }

    fn gather(&mut self, parts: &[PartId]) -> Result<(), CannotDo> {
        if self.is_by_time() && self.tree.legacy {
            return Err(CannotDo(
                "the order of this store is the time in its events, and they have no parents",
            ));
        }
        let mut before = None;
        for event in parts.iter().map(|part| self.t.a_part(*part).event) {
            if let Some(before) = before {
                self.put_behind(event, before);
            }
            before = Some(event);
        }
        Ok(())
    }

    fn is_by_time(&self) -> bool {
        matches!(self.context.layout, Layout::Files(files) if files.naming == Naming::ById)
    }

    fn answer(&mut self, call: PartId, hole: Option<EventId>) {
        let node = Node::new(self.t.events.len() + self.answers.len());
        let known = hole.map(|hole| (hole, self.tree.id(self.t, hole)));
        self.answers.push(Answer::new(self.context, call, known));
        let calls = self
            .request
            .pairs
            .batch_of(call)
            .map_or(std::slice::from_ref(&call), |batch| &batch.calls);
        let event = |part: PartId| self.t.a_part(part).event;
        let first = calls.first().copied().unwrap_or(call);
        let last = self.answered.get(&first).copied().or_else(|| {
            let answers = calls
                .iter()
                .filter_map(|call| self.request.pairs.answer(*call));
            self.chain
                .last_of(calls.iter().copied().chain(answers).map(event))
        });
        match hole {
            Some(hole) => self.chain.replace(hole, node),
            None => self.put_behind(node, last.unwrap_or_else(|| event(call))),
        }
        let last = self.chain.last_of(last.into_iter().chain([node]));
        self.answered.extend(last.map(|last| (first, last)));
    }

    /// The record goes behind its parent, into the gap that is there; its file gets the name that its event says.
    fn renumber(&mut self, event: EventId) {
        self.renamed.insert(event);
        // Without a place to go by, the order of the names stays and the numbers follow it.
        self.chain.change();
        let is_gap = |node: &Node| *node < self.t.events.end() && order::is_gap(self.t, *node);
        let parent = self.tree.parent[event];
        let next = match parent {
            _ if !self.chain.is_stored(event) => return,
            Some(parent) if !self.chain.is_stored(parent) => return,
            Some(parent) => self.chain.stored_behind(parent),
            None => self.chain.first_stored().filter(is_gap),
        };
        if next == Some(event) || parent.is_none() && next.is_none() {
            return;
        }
        self.chain.store_behind(event, parent);
        if let Some(gap) = next.filter(is_gap) {
            self.chain.unstore(gap);
        }
        while let Some(last) = self.chain.last_stored().filter(is_gap) {
            self.chain.unstore(last);
        }
    }

    fn finish(mut self) -> Result<Vec<Edit>, CannotDo> {
        self.relink()?;
        self.condense();
        self.leaf();
        let mut edits = std::mem::take(&mut self.edits);
        if self.chain.is_changed() || !self.renamed.is_empty() {
            edits.extend(rewrite(
                self.context.entries,
                self.context.layout,
                self.t,
                &self.slots()?,
            )?);
            edits.extend(self.markers());
        } else {
            edits.extend(self.wishes.edits(self.context, self.t)?);
            return Ok(edits);
        }
        if let Some(state) = self.t.host_state() {
            edits.extend(self.wishes.edits_of(self.context, self.t, state)?);
        }
        Ok(edits)
    }

    fn slots(&self) -> Result<Vec<Slot>, CannotDo> {
        let mut slots = Vec::with_capacity(self.t.events.len() + self.answers.len());
        let mut before = None;
        for node in self.chain.order() {
            slots.push(match self.answer_of(node) {
                Some(answer) => {
                    let parent = if self.tree.legacy {
                        None
                    } else {
                        self.chain.before(node)
                    };
                    let parent = parent.and_then(|parent| self.id(parent));
                    let bytes = answer.bytes(self.context, before, parent.as_deref());
                    Slot::New {
                        bytes,
                        id: answer.id.clone(),
                    }
                }
                None => {
                    before = Some(node);
                    let named = self
                        .renamed
                        .contains(&node)
                        .then(|| self.id(node))
                        .flatten();
                    Slot::Old {
                        event: node,
                        changes: self.wishes.changes(self.context, self.t, node)?,
                        name: named,
                    }
                }
            });
        }
        Ok(slots)
    }

    /// A record from off the branch that was hung where a parked one hangs takes its place.
    fn inherit(&mut self, parked: EventId) {
        let place = self.tree.parent[parked];
        let off = |record: EventId| !self.tree.on_branch[record];
        let heirs = self
            .parents
            .iter()
            .filter(|(record, to)| off(**record) && **to == place);
        let heir = heirs.map(|(record, _)| *record).min();
        if let Some(heir) = heir.filter(|_| self.chain.is_on_path(parked)) {
            self.chain.put_before_on_path(heir, parked);
        }
    }

    /// Every record of the new branch names the one before it; what hung on a parked record hangs on its parent.
    fn relink(&mut self) -> Result<(), CannotDo> {
        let parents = std::mem::take(&mut self.parents);
        for (event, to) in &parents {
            self.set_parent(*event, *to)?;
        }
        if self.tree.legacy || !self.chain.is_changed() {
            return Ok(());
        }
        let branch: Vec<Node> = self.chain.path().collect();
        let mut before = None;
        for node in branch {
            let is_event = node < self.t.events.end();
            if is_event && !parents.contains_key(&node) {
                let implicit = self
                    .t
                    .links_of(node)
                    .iter()
                    .all(|link| !is_tree_link(link.kind));
                let old = self.tree.parent[node];
                let directly_behind =
                    self.chain.is_stored(node) && self.chain.stored_before(node) == before;
                let wrong = if implicit {
                    !directly_behind
                } else {
                    old != before
                };
                // What is left of a record keeps the parent that it says, if it says one: another record may have taken its
                // id, and where it goes, the record in front is the parent.
                let kept = old.and_then(|old| self.id(old))
                    == before.and_then(|before| self.id(before))
                    || old.is_some_and(|old| self.chain.is_gone(old)) && directly_behind;
                match (wrong, self.t.event(node).state) {
                    (true, State::Unreadable) if !implicit && !kept => {
                        return Err(CannotDo("what is left of a record cannot be relinked"));
                    }
                    (true, state) if state != State::Unreadable => self.set_parent(node, before)?,
                    _ => {}
                }
            }
            before = Some(node);
        }
        self.adopt_children()
    }

    /// Children of parked records that are off the branch.
    fn adopt_children(&mut self) -> Result<(), CannotDo> {
        for (child, to) in self.chain.fostered(&self.tree.records, &self.tree.parent) {
            if self
                .t
                .links_of(child)
                .iter()
                .any(|link| is_tree_link(link.kind))
            {
                self.set_parent(child, to)?;
            }
        }
        Ok(())
    }

    fn set_parent(&mut self, event: EventId, to: Option<Node>) -> Result<(), CannotDo> {
        let first = self.chain.first_stored() == Some(event);
        match to {
            None if first => self.wishes.no_parent(event),
            None => self.wishes.set(event, "parent_id", "__root__"),
            Some(to) => {
                let id = self
                    .id(to)
                    .ok_or(CannotDo("the record to hang on has no id"))?;
                self.wishes.set(event, "parent_id", &id);
            }
        }
        Ok(())
    }

    /// Forgotten ids as asked, and every summary behind the neighbor that it stood behind.
    fn condense(&mut self) {
        let extended = std::mem::take(&mut self.extended);
        for (event, add, keep) in &extended {
            let ids = |events: &[EventId]| {
                events
                    .iter()
                    .filter_map(|event| self.id(*event))
                    .collect::<Vec<_>>()
            };
            let (add, keep) = (ids(add), ids(keep));
            self.wishes.forget(*event, add, keep);
        }
        let moved = self.chain.is_changed() || !extended.is_empty();
        let mut offsets = if moved {
            self.moved_summaries(&extended)
        } else {
            BTreeMap::new()
        };
        offsets.extend(std::mem::take(&mut self.offsets));
        for (event, offset) in offsets {
            self.wishes.set_number(event, "summary_offset", offset);
        }
    }

    /// Where the summaries go whose neighbor has another place now.
    fn moved_summaries(&self, extended: &[Extension]) -> BTreeMap<EventId, u64> {
        let old = fold::steps(self.t, &self.tree, &self.tree.branch);
        let mut neighbors: BTreeMap<EventId, (bool, Vec<fold::Shown>)> = BTreeMap::new();
        fold::fold(&old, |cut, list| {
            let Some(offset) = cut.offset else { return };
            // Nearest first; the first of them that survives is the neighbor.
            let near = list[..offset.min(list.len())].iter().rev().take(NEAR);
            neighbors.insert(cut.event, (offset > list.len(), near.copied().collect()));
        });
        let mut new = self.new_steps();
        for step in &mut new {
            let fold::Step::Cut(cut) = step else { continue };
            for (_, add, keep) in extended.iter().filter(|(event, ..)| *event == cut.event) {
                cut.forgets.extend(add);
                keep.iter().for_each(|event| _ = cut.forgets.remove(event));
            }
        }
        let mut moved = BTreeMap::new();
        fold::fold(&new, |cut, list| {
            let Some(old) = cut.offset else { return };
            let Some((behind_end, near)) = neighbors.get(&cut.event) else {
                return;
            };
            let place = near
                .iter()
                .find_map(|n| list.iter().position(|shown| shown == n));
            let mut place = place.map_or(0, |at| at + 1);
            // What was put directly behind the neighbor belongs to it.
            while list
                .get(place)
                .is_some_and(|shown| !shown.summary && self.placed.contains(&shown.event))
            {
                place += 1;
            }
            // An offset behind the end means the end, and stays.
            if place != old && !(*behind_end && place == list.len()) {
                moved.insert(cut.event, place as u64);
            }
        });
        moved
    }

    fn new_steps(&self) -> Vec<fold::Step> {
        let mut steps = Vec::new();
        for node in self.chain.path() {
            if self.answer_of(node).is_some() {
                steps.push(fold::Step::Say(node));
            } else {
                steps.extend(fold::steps(self.t, &self.tree, &[node]));
            }
        }
        steps
    }

    /// The host's pointer follows the end of the branch.
    fn leaf(&mut self) {
        let Some(state) = self.t.host_state() else {
            return;
        };
        let named = self
            .t
            .link_of(state, LinkKind::Leaf)
            .and_then(|link| link.to);
        let (Some(leaf), Some(last)) = (named, self.chain.leaf()) else {
            return;
        };
        // A pointer to nothing is set where an answer takes the place of what is lost.
        let known = self.tree.by_id.contains_key(&leaf) || !self.answers.is_empty();
        let id = self.id(last);
        if known && id.as_deref() != Some(self.t.ids.get(leaf)) {
            self.wishes
                .set(state, "leaf_event_id", &id.unwrap_or_default());
        }
    }

    /// The length markers of the event log are stale once the number of events is another one.
    fn markers(&self) -> Vec<Edit> {
        if self.chain.order().count() == self.t.records().count() {
            return Vec::new();
        }
        let ids = self.context.entries.ids().into_iter();
        ids.filter(|id| self.context.entries.name(*id).contains(".eventlog-len-"))
            .map(Edit::Remove)
            .collect()
    }
}

/// Bookkeeping stays behind the record that it followed. A condensation is none: what stands in front of it matters.
fn follows(t: &Transcript, node: Node) -> bool {
    let Some(record) = t.events.get(node) else {
        return false;
    };
    record.role == Role::Nobody
        && record.state != State::Unreadable
        && t.kind(node) != "Condensation"
}

fn is_tree_link(kind: LinkKind) -> bool {
    matches!(kind, LinkKind::Parent | LinkKind::Root)
}
