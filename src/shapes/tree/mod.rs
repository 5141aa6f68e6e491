//! What formats share whose records name their parents: the path from the first record to the leaf, what breaks it, and
//! how a plan changes it. A result is a record of its own, after the response with its call.
//!
//! It knows no member but those that [`TreeKeys`] names.

pub(crate) mod chain;
pub(crate) mod fragments;
pub(crate) mod stranded;
pub(crate) mod unreadable;
pub(crate) mod write;

use hashbrown::{HashMap, HashSet};

use self::chain::Parents;
use super::copies;
use crate::format::FormatContext;
use crate::transcript::pairs::Pairs;
use crate::transcript::request::Inclusion;
use crate::transcript::{
    Action, Code, Diagnostic, Effect, EventId, Id, IndexVec, LabelRole, LinkKind, Role, State,
    Subject, Transcript,
};

/// The members by which records name each other.
#[derive(Copy, Clone, Debug)]
pub(crate) struct TreeKeys {
    /// A record's own ID.
    pub id: &'static str,
    /// The ID of its parent.
    pub parent: &'static str,
}

/// What different records with one ID are to the host.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum SharedId {
    /// Different records.
    #[default]
    Different,
    /// Fragments of one message, whose parent is that of the first.
    Fragments,
}

/// The tree of one session and its active path.
#[derive(Default)]
pub(crate) struct Tree {
    /// No record names a parent: the order of the lines is the conversation.
    pub flat: bool,
    /// The records in order, without copies; unreadable ones are not among them.
    pub records: Vec<EventId>,
    /// Unreadable lines, in order.
    pub unreadable: Vec<EventId>,
    /// The parent of each event, as the host takes it.
    pub parent: Parents,
    /// From the first record to the leaf.
    pub branch: Vec<EventId>,
    /// Whether an event is on it.
    pub on_branch: IndexVec<EventId, bool>,
    /// A record of the path whose parent is not in the file; the host knows nothing before it, or joins it to the wrong
    /// place.
    pub broken: Option<EventId>,
    /// An unreadable record on the chain of parents.
    pub through_unreadable: Option<EventId>,
    /// What is wrong with it.
    pub diagnostics: Vec<Diagnostic>,
    shared_id: SharedId,
    /// Records by ID; of several the first.
    by_id: HashMap<Id, EventId>,
    /// All records with an ID that several have.
    shared_ids: HashMap<Id, Vec<EventId>>,
}

impl Tree {
    /// The records, of which `is_link` says whether they are of the tree. Their parents are not known yet.
    pub(crate) fn list(
        context: &FormatContext<'_>,
        shared_id: SharedId,
        is_link: impl Fn(EventId) -> bool,
    ) -> Tree {
        let t = context.transcript;
        let mut links = t.links.iter();
        let has_parents = links.any(|link| matches!(link.kind, LinkKind::Parent | LinkKind::Root));
        let mut tree = Tree {
            flat: !has_parents,
            parent: IndexVec::for_each_of(&t.events, None),
            on_branch: IndexVec::for_each_of(&t.events, false),
            shared_id,
            ..Tree::default()
        };
        let mut fragments = Vec::new();
        for event in t.events.ids() {
            let record = t.event(event);
            match record.state {
                State::Padding => fragments.push(event),
                State::Unreadable => tree.unreadable.push(event),
                _ if !is_link(event) => {}
                _ => {
                    let known = record.id.and_then(|id| tree.by_id.get(&id)).copied();
                    match known.map(|before| copies::twin(context, before, event)) {
                        Some(copy) if copy.is_copy => {
                            tree.diagnostics.push(copy.repeated("same record stored twice"))
                        }
                        _ => tree.add(t, event, known),
                    }
                }
            }
        }
        // A fragment counts as its record if there is nothing better.
        for event in fragments.into_iter().chain(tree.unreadable.clone()) {
            if let Some(id) = t.event(event).id {
                tree.by_id.entry(id).or_insert(event);
            }
        }
        tree
    }

    fn add(&mut self, t: &Transcript, event: EventId, known: Option<EventId>) {
        self.records.push(event);
        let Some(id) = t.event(event).id else { return };
        match known {
            Some(first) => self.shared_ids.entry(id).or_insert_with(|| vec![first]).push(event),
            None => _ = self.by_id.insert(id, event),
        }
    }

    /// Groups of different records with the same ID.
    pub(crate) fn shared_ids(&self) -> impl Iterator<Item = &[EventId]> {
        self.shared_ids.values().map(Vec::as_slice)
    }

    /// The record that an ID means when `child` names it: of different ones the last before the child, of fragments the
    /// last.
    pub(crate) fn resolve(&self, id: Id, child: EventId) -> Option<EventId> {
        let Some(all) = self.shared_ids.get(&id) else {
            return self.by_id.get(&id).copied();
        };
        let before = match self.shared_id {
            SharedId::Different => all.partition_point(|event| *event < child),
            SharedId::Fragments => all.len(),
        };
        before.checked_sub(1).or(Some(0)).map(|at| all[at])
    }

    /// The parent that a record names: `None` where it names none, `Some(None)` where it is not in the file.
    pub(crate) fn named_parent(&self, t: &Transcript, event: EventId) -> Option<Option<EventId>> {
        let link = t.link_of(event, LinkKind::Parent)?;
        Some(link.to.and_then(|id| self.resolve(id, event)))
    }

    /// The fragment of its message before a record.
    fn fragment_before(&self, t: &Transcript, event: EventId) -> Option<EventId> {
        let all = self.fragments(t, event);
        let at = all.iter().position(|fragment| *fragment == event)?;
        at.checked_sub(1).map(|at| all[at])
    }

    /// The fragments of a record's message in order, if it has several.
    fn fragments(&self, t: &Transcript, event: EventId) -> &[EventId] {
        let id = t.event(event).id.filter(|_| self.shared_id == SharedId::Fragments);
        let all = id.and_then(|id| self.shared_ids.get(&id));
        all.map_or(&[], Vec::as_slice)
    }

    /// The parents that are stored count, and the leaf is the last record.
    pub(crate) fn link_by_names(&mut self, t: &Transcript) -> Option<EventId> {
        for event in self.records.clone() {
            let before = self.fragment_before(t, event);
            self.parent[event] = before.or_else(|| self.named_parent(t, event).flatten());
        }
        self.link_unreadable(t);
        self.records.last().copied()
    }

    /// Unreadable lines may still show their parent.
    pub(crate) fn link_unreadable(&mut self, t: &Transcript) {
        for event in t.events.ids() {
            if is_lost(t, event) {
                self.parent[event] = self.named_parent(t, event).flatten();
            }
        }
    }

    /// Follows the parents from the leaf to the first record; without any, all records are the path.
    pub(crate) fn walk(&mut self, t: &Transcript, leaf: Option<EventId>) {
        if self.flat {
            self.branch.clone_from(&self.records);
            for event in &self.branch {
                self.on_branch[*event] = true;
            }
            return;
        }
        let mut at = leaf;
        while let Some(event) = at {
            if self.on_branch[event] {
                at = self.break_cycle(t, event);
                continue;
            }
            self.on_branch[event] = true;
            match t.event(event).state {
                State::Padding => {}
                State::Unreadable => self.through_unreadable = Some(event),
                _ => self.branch.push(event),
            }
            at = self.parent[event];
            let is_first = self.fragment_before(t, event).is_none();
            if is_first && matches!(self.named_parent(t, event), Some(None)) {
                self.broken = self.broken.or(Some(event));
            }
        }
        self.branch.reverse();
    }

    /// Breaks a cycle at the record whose parent comes after it.
    fn break_cycle(&mut self, t: &Transcript, start: EventId) -> Option<EventId> {
        let mut members: Vec<EventId> = chain::around(&self.parent, start).collect();
        members.sort_unstable();
        let wrong = members
            .iter()
            .copied()
            .find(|event| self.parent[*event] >= Some(*event))
            .unwrap_or(start);
        let to = self.line_before(wrong);
        let mut diagnostic = Diagnostic::new(
            Code::ParentCycle,
            "the chain of parents returns to this record",
            wrong,
        );
        let others = members.iter().filter(|event| **event != wrong);
        diagnostic.label(others, LabelRole::Record);
        diagnostic.about = vec![Subject::Parent(wrong)];
        diagnostic.effect = Effect::LoadFails;
        diagnostic.fix_with_guess([Action::set_parent(wrong, to)]);
        self.diagnostics.push(diagnostic);
        // The records before the cycle were not walked yet; the walked part of the cycle is already on the path.
        self.parent[wrong] = to.filter(|to| t.event(*to).id.is_some());
        self.branch.sort_unstable_by(|a, b| b.cmp(a));
        self.parent[wrong].filter(|to| !self.on_branch[*to])
    }

    /// The record on the line before.
    fn line_before(&self, event: EventId) -> Option<EventId> {
        let at = self.records.partition_point(|record| *record < event);
        at.checked_sub(1).map(|at| self.records[at])
    }

    /// The diagnostic of a record of the path whose parent is not in the file. What is before that parent may hold the
    /// calls of the results after it.
    pub(crate) fn lost_parent(&self, t: &Transcript, pairs: &Pairs) -> Option<Diagnostic> {
        let event = self.broken?;
        let mut diagnostic = Diagnostic::about(
            Code::BrokenParent,
            "the parent of this record is not in the file",
            Subject::Parent,
            event,
        );
        let hidden = self
            .records
            .iter()
            .filter(|record| **record < event && t.event(**record).role.is_sent());
        diagnostic.effect = Effect::Hides(hidden.count() as u32);
        let tips: HashSet<EventId> = self.records.iter().filter_map(|e| self.parent[*e]).collect();
        // A host that joins the record to its last leaf makes it the child of the line before.
        if let Some(to) = self
            .line_before(event)
            .filter(|to| match (t.event(*to).time(), t.event(event).time()) {
                (Some(to), Some(own)) => to <= own,
                _ => true,
            })
            .filter(|to| !tips.contains(to) || self.parent[event] == Some(*to))
        {
            diagnostic.fix_with_guess([Action::set_parent(event, Some(to))]);
        }
        let orphans = pairs.orphans().map(Subject::Orphan);
        diagnostic.covers.extend(orphans);
        // It is also why the request does not begin with a message of the user.
        let sent = self.branch.iter().filter(|event| t.event(**event).role.is_sent());
        let first = sent.take_while(|event| t.event(**event).role != Role::User);
        diagnostic.covers.extend(first.map(|event| Subject::Name(*event)));
        Some(diagnostic)
    }

    /// What becomes of each event where only these records are sent.
    pub(crate) fn inclusions(
        &self,
        t: &Transcript,
        sent: &[EventId],
    ) -> IndexVec<EventId, Option<Inclusion>> {
        let mut inclusions: IndexVec<EventId, Option<Inclusion>> =
            IndexVec::for_each_of(&t.events, None);
        for (event, inclusion) in inclusions.enumerated_mut() {
            let record = t.event(event);
            let held = record.within.unwrap_or(event);
            *inclusion = match record.state {
                State::Padding => None,
                State::Unreadable => Some(Inclusion::Unreadable),
                _ if !record.role.is_sent() => Some(Inclusion::Bookkeeping),
                _ if self.on_branch[held] => Some(Inclusion::Forgotten),
                _ => Some(Inclusion::OffBranch),
            };
        }
        for event in sent {
            inclusions[*event] =
                Some(if t.event(*event).failed { Inclusion::Failed } else { Inclusion::Sent });
        }
        inclusions
    }
}

/// Whether a line is unreadable, or only a fragment shows its place.
pub(crate) fn is_lost(t: &Transcript, event: EventId) -> bool {
    matches!(t.event(event).state, State::Unreadable | State::Padding)
}
