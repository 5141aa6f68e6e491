//! The event tree: parents, HEAD, and the branch that is sent.
//!
//! A parent that a safe repair would set counts as set, so that its descendants are judged as well.

use hashbrown::HashMap;

use super::branch::CallIndex;
use super::own;
use crate::containers::NAME_ID;
use crate::format::FormatContext;
use crate::shapes::tree::chain::{self, Parents};
use crate::transcript::{
    Action, Code, Confidence, Diagnostic, Effect, EventId, Id, IndexVec, Instance, Label,
    LabelRole, LinkKind, Role, State, Subject, Transcript,
};

/// The tree of one conversation.
#[derive(Default)]
pub(super) struct ConversationTree {
    /// The records that count, in order of storage: no padding, no copies, and one of several files
    /// with the same index.
    pub records: Vec<EventId>,
    /// Records by ID; unreadable records by their inferred ID.
    pub by_id: HashMap<Id, EventId>,
    /// Inferred IDs of records without a readable one.
    pub known_id: HashMap<EventId, Id>,
    /// The parent of each event.
    pub parent: Parents,
    /// Whether no event has a `parent_id`: a plain list, as before 1.31.0.
    pub legacy: bool,
    /// From the first event to HEAD.
    pub branch: Vec<EventId>,
    /// Whether an event is on the branch.
    pub on_branch: IndexVec<EventId, bool>,
    /// The events of the branch that the saved HEAD does not have yet, see [`super::behind`].
    pub step: Vec<EventId>,
    pub diagnostics: Vec<Diagnostic>,
    /// Childless records, in order.
    open_ends: Vec<EventId>,
}

/// Longest chain of parents that is followed for one event.
const MOST_STEPS: usize = 4096;

/// Whether an event of this kind moves HEAD.
fn moves_head(t: &Transcript, event: EventId) -> bool {
    !matches!(t.kind(event), "ConversationStateUpdateEvent" | "ConversationErrorEvent")
}

fn is_state_update(t: &Transcript, event: EventId) -> bool {
    t.kind(event) == "ConversationStateUpdateEvent"
}

impl ConversationTree {
    pub(super) fn build(context: &FormatContext<'_>) -> ConversationTree {
        let t = context.transcript;
        let mut tree = ConversationTree {
            parent: IndexVec::for_each_of(&t.events, None),
            ..ConversationTree::default()
        };
        tree.legacy =
            !t.links.iter().any(|link| matches!(link.kind, LinkKind::Parent | LinkKind::Root));
        super::repeated::sort_out(&mut tree, context);
        tree.infer_ids(t);
        let missing = tree.resolve(t);
        tree.cut_cycles(t);
        tree.find_open_ends(t);
        let relinked = tree.relink_orphans(t, &missing);
        let head = tree.head(t);
        tree.step = head.map_or_else(Vec::new, |head| super::behind::step(t, &tree, head));
        tree.walk(tree.step.last().copied().or(head));
        tree.report_parents(relinked);
        tree.check_false_roots(t);
        tree
    }

    /// The ID of a record, or its inferred ID.
    pub(super) fn id(&self, t: &Transcript, event: EventId) -> Option<Id> {
        t.event(event).id.or_else(|| self.known_id.get(&event).copied())
    }

    /// Infers missing IDs: an unreadable record has the ID that the next readable event names as
    /// its parent, and an event without an ID has the one in its file name.
    fn infer_ids(&mut self, t: &Transcript) {
        for event in self.records.iter().filter(|event| t.event(**event).id.is_none()) {
            let whole = t.event(*event).state == State::Whole;
            let in_name = t.fact_id(*event, NAME_ID).filter(|_| whole);
            if let Some(id) = in_name
                && !self.by_id.contains_key(&id)
            {
                self.known_id.insert(*event, id);
                self.by_id.insert(id, *event);
            }
        }
        for pair in self.records.windows(2) {
            let [unreadable, next] = pair else { continue };
            if t.event(*unreadable).state != State::Unreadable || t.event(*unreadable).id.is_some()
            {
                continue;
            }
            let in_name = t.fact_id(*unreadable, NAME_ID);
            let named = in_name.or_else(|| t.linked(*next, LinkKind::Parent));
            if let Some(id) = named.filter(|id| !self.by_id.contains_key(id)) {
                self.known_id.insert(*unreadable, id);
                self.by_id.insert(id, *unreadable);
            }
        }
        if let Some(last) =
            self.records.last().filter(|last| t.event(**last).state == State::Unreadable)
            && let Some(id) = t.fact_id(*last, NAME_ID)
        {
            self.known_id.entry(*last).or_insert(id);
            self.by_id.entry(id).or_insert(*last);
        }
    }

    /// Sets every parent that exists. Returns the events whose parent does not exist.
    fn resolve(&mut self, t: &Transcript) -> Vec<EventId> {
        let mut missing = Vec::new();
        let mut before = None;
        for event in &self.records {
            let mut links = t.links_of(*event).iter();
            let link = links.find(|link| matches!(link.kind, LinkKind::Parent | LinkKind::Root));
            self.parent[*event] = match link {
                Some(link) if link.kind == LinkKind::Root => None,
                Some(link) => {
                    let parent = link.to.and_then(|id| self.by_id.get(&id)).copied();
                    match (parent, t.event(*event).state) {
                        // The parent in a fragment may be wrong.
                        (None, State::Unreadable) => before,
                        (None, _) => {
                            missing.push(*event);
                            None
                        }
                        (parent, _) => parent,
                    }
                }
                None => before,
            };
            before = Some(*event);
        }
        missing
    }

    /// Cuts cycles at the edge whose parent is at the same or a later place: the SDK cannot have
    /// written that.
    fn cut_cycles(&mut self, t: &Transcript) {
        for start in chain::loops(&self.parent, &self.records) {
            let wrong = chain::around(&self.parent, start)
                .find(|event| self.parent[*event] >= Some(*event));
            let Some(event) = wrong else { continue };
            let before = self.tree_record_before(t, event);
            self.parent[event] = before;
            let mut diagnostic = Diagnostic::about(
                Code::ParentCycle,
                "the chain of parents returns to this event",
                Subject::Parent,
                event,
            );
            diagnostic.effect = Effect::LoadFails;
            diagnostic.fix_with_guess([Action::set_parent(event, before)]);
            self.diagnostics.push(diagnostic);
        }
    }

    /// The record before this one that may have children.
    fn tree_record_before(&self, t: &Transcript, event: EventId) -> Option<EventId> {
        let at = self.records.partition_point(|record| *record < event);
        self.records[..at].iter().rev().find(|record| !is_state_update(t, **record)).copied()
    }

    fn find_open_ends(&mut self, t: &Transcript) {
        let mut has_child = IndexVec::for_each_of(&t.events, false);
        for parent in self.records.iter().filter_map(|event| self.parent[*event]) {
            has_child[parent] = true;
        }
        let childless =
            self.records.iter().filter(|event| !has_child[**event] && !is_state_update(t, **event));
        self.open_ends = childless.copied().collect();
    }

    /// Gives each event whose parent does not exist the only open end before it. The flag says
    /// whether there was exactly one.
    fn relink_orphans(
        &mut self,
        t: &Transcript,
        missing: &[EventId],
    ) -> Vec<(EventId, Option<EventId>, bool)> {
        let mut relinked = Vec::new();
        // An end that got a child is no longer open; if there was only one before the event, it is
        // the first.
        let mut closed = 0;
        let has_forward_link = self.has_forward_link();
        for event in missing {
            let open = &self.open_ends[closed..];
            let before = open.partition_point(|end| end < event);
            let is_only = before == 1
                && self.id(t, open[0]).is_some()
                && !(has_forward_link && self.leads_to(open[0], *event));
            let to = match before.checked_sub(1) {
                Some(last) => Some(open[last]),
                None => self.tree_record_before(t, *event),
            };
            if is_only {
                self.parent[*event] = to;
                closed += 1;
            }
            relinked.push((*event, to, is_only));
        }
        self.open_ends.drain(..closed);
        relinked
    }

    /// Whether a parent comes after its child. If none does, no chain of parents leads to a later
    /// record.
    fn has_forward_link(&self) -> bool {
        self.records.iter().any(|event| chain::is_before_parent(&self.parent, *event))
    }

    /// Whether the chain of parents of an event leads to another one. A chain that is too long to
    /// follow counts as if it did.
    fn leads_to(&self, from: EventId, to: EventId) -> bool {
        // Not `chain::up`, which ends in a loop.
        let mut up = std::iter::successors(Some(from), |event| self.parent[*event]);
        up.by_ref().take(MOST_STEPS).any(|event| event == to) || up.next().is_some()
    }

    /// HEAD: the event in the host's state, else the last event that moves it.
    fn head(&mut self, t: &Transcript) -> Option<EventId> {
        let state = t.host_state();
        if let Some(leaf) =
            state.and_then(|state| t.link_of(state, LinkKind::Leaf)).and_then(|link| link.to)
        {
            if let Some(event) = self.by_id.get(&leaf) {
                return Some(*event);
            }
            return self.lost_leaf(t, state);
        }
        if state.is_some_and(|state| t.has(state, own::HEAD_IS_EMPTY)) {
            return None;
        }
        let lost_tail = |event: &EventId| {
            t.event(*event).state == State::Unreadable && !super::unreadable::tail_counts(t, *event)
        };
        let mut newest =
            self.records.iter().rev().filter(|event| moves_head(t, **event) && !lost_tail(event));
        let last = *newest.next()?;
        let mut has_older_child = IndexVec::for_each_of(&t.events, false);
        for (event, parent) in self.records.iter().filter_map(|e| Some((*e, self.parent[*e]?))) {
            has_older_child[parent] |= event < parent && !is_state_update(t, event);
        }
        if !has_older_child[last] {
            return Some(last);
        }
        let tip = newest.find(|event| self.open_ends.binary_search(event).is_ok()).copied();
        let parent = self.parent[last];
        let is_after_parent = self.tree_record_before(t, last) == parent;
        let wrong = if is_after_parent {
            self.records
                .iter()
                .find(|event| self.parent[**event] == Some(last) && !is_state_update(t, **event))
                .copied()
        } else {
            Some(last)
        };
        let wrong = wrong.unwrap_or(last);
        let mut diagnostic = super::order::after_own_children(wrong, last);
        if wrong == last {
            let others = self
                .records
                .iter()
                .rev()
                .filter(|event| moves_head(t, **event) && !lost_tail(event));
            // The records before it would be found next, so move all of them at once.
            let others = others.copied().skip(1).take_while(|event| {
                has_older_child[*event]
                    && t.link_of(*event, LinkKind::Parent).is_some()
                    && self.tree_record_before(t, *event) != self.parent[*event]
            });
            diagnostic.fix_safely(std::iter::once(wrong).chain(others).map(Action::Renumber));
        }
        if t.link_of(wrong, LinkKind::Parent).is_none() {
            // Its parent is whatever comes before it, so no place is its own.
            diagnostic.fixes.clear();
        }
        self.diagnostics.push(diagnostic);
        tip.or(Some(last))
    }

    /// The newest event that moves HEAD.
    pub(super) fn newest(&self, t: &Transcript) -> Option<EventId> {
        let mut newest = self.records.iter().rev();
        newest.find(|event| moves_head(t, **event)).copied()
    }

    fn lost_leaf(&mut self, t: &Transcript, state: Option<EventId>) -> Option<EventId> {
        let state = state?;
        let youngest = self
            .open_ends
            .iter()
            .rev()
            .find(|end| t.event(**end).state != State::Unreadable)
            .copied();
        let mut diagnostic = Diagnostic::new(
            Code::LeafPointer,
            "`leaf_event_id` points to an event that does not exist",
            state,
        );
        diagnostic.labels = vec![Label::new(state, LabelRole::State)];
        diagnostic.about = vec![Subject::Leaf];
        diagnostic.effect = Effect::LoadFails;
        if let Some(to) = youngest {
            diagnostic.label([to], LabelRole::Record);
            let relink = vec![Action::SetLink { event: state, link: LinkKind::Leaf, to: Some(to) }];
            let is_only = self.open_ends.len() == 1;
            diagnostic.fix_safely_if(is_only, relink);
        }
        self.diagnostics.push(diagnostic);
        youngest
    }

    fn walk(&mut self, head: Option<EventId>) {
        let parent = |event| self.parent[event];
        (self.branch, self.on_branch) = chain::path(&self.parent, head, parent);
    }

    fn report_parents(&mut self, relinked: Vec<(EventId, Option<EventId>, bool)>) {
        for (event, to, is_only) in relinked {
            let mut diagnostic = Diagnostic::about(
                Code::BrokenParent,
                "`parent_id` points to an event that does not exist",
                Subject::Parent,
                event,
            );
            if self.on_branch[event] {
                diagnostic.effect = Effect::LoadFails;
            } else {
                diagnostic.instance = Some(Instance::OffPath);
            }
            diagnostic.fix_safely_if(is_only, [Action::set_parent(event, to)]);
            self.diagnostics.push(diagnostic);
        }
    }

    /// Reports `__root__` where it cannot be intended: on a result, or after a history without
    /// parents (#4057). After a history with parents, it marks an edit of the first message.
    fn check_false_roots(&mut self, t: &Transcript) {
        let roots = self.records.iter().enumerate().skip(1);
        let roots: Vec<(usize, EventId)> = roots
            .filter(|(_, e)| t.link_of(**e, LinkKind::Root).is_some())
            .map(|(at, e)| (at, *e))
            .collect();
        if roots.is_empty() {
            return;
        }
        let calls = CallIndex::of(t, &self.records);
        let has_forward_link = self.has_forward_link();
        let has_parent = |event: &EventId| t.link_of(*event, LinkKind::Parent).is_some();
        let grown = self.records.iter().position(|e| {
            has_parent(e) && self.open_ends.binary_search(e).is_err() && !is_state_update(t, *e)
        });
        let old_style =
            self.records.iter().skip(1).position(|e| !has_parent(e) && t.event(*e).role.is_sent());
        for (at, event) in roots {
            let mut diagnostic = Diagnostic::about(
                Code::BrokenParent,
                "this event has no parent: everything before it is hidden",
                Subject::Parent,
                event,
            );
            if t.event(event).role == Role::Tool {
                let to = calls.end_of_batch(t, event);
                let Some(to) = to.filter(|to| !(has_forward_link && self.leads_to(*to, event)))
                else {
                    continue;
                };
                diagnostic.fix_safely([Action::set_parent(event, Some(to))]);
                diagnostic.covers = t.event(event).parts.clone().map(Subject::Orphan).collect();
                self.parent[event] = Some(to);
                self.walk(self.branch.last().copied());
            } else {
                let legacy = old_style.is_some_and(|old| old + 1 < at)
                    && grown.is_none_or(|grown| grown >= at);
                let Some(to) = self.tree_record_before_error(t, event).filter(|_| legacy) else {
                    continue;
                };
                diagnostic.confidence = Confidence::Likely;
                diagnostic.fix_with_guess([Action::set_parent(event, Some(to))]);
            }
            diagnostic.effect = Effect::Hides(
                self.records[..at].iter().filter(|e| t.event(**e).role.is_sent()).count() as u32,
            );
            self.diagnostics.push(diagnostic);
        }
    }

    /// The last event before this one that moves HEAD.
    fn tree_record_before_error(&self, t: &Transcript, event: EventId) -> Option<EventId> {
        let at = self.records.partition_point(|record| *record < event);
        self.records[..at].iter().rev().find(|record| moves_head(t, **record)).copied()
    }
}
