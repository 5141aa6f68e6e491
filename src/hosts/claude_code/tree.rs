//! The tree of records, as the clients index it.

use super::records::{is_boundary, is_first_summary, is_spoken};
use super::{own, same};
use crate::format::FormatContext;
use crate::shapes::tree::chain::Parents;
use crate::transcript::{
    Diagnostic, EventId, Fact, Id, Idx, IndexVec, LinkKind, Transcript, facts,
};

/// The tree of one session.
pub(super) struct SessionTree {
    /// All records are those of a sub-agent, so it is a conversation of its own.
    pub agent: bool,
    /// The records of the main conversation in the order of the file, without copies and records whose ID a later one has.
    pub main: Vec<EventId>,
    /// For each event, whether it is one of these.
    pub is_main: IndexVec<EventId, bool>,
    /// The parent of each event for strict clients: the recorded one, if it exists.
    pub bare: Parents,
    /// The parent for the current client, which adds the preserved segment of the last compaction.
    pub up: Parents,
    /// The last compaction.
    pub boundary: Option<EventId>,
    /// Its preserved segment, if all three records exist.
    pub segment: Option<Segment>,
    /// In order, the records without a parent with which the conversation begins anew on purpose.
    new_roots: Vec<EventId>,
    /// For each position in `main`, how many messages are before it.
    spoken: Vec<u32>,
    /// Diagnostics about records that are stored twice or share an ID.
    pub diagnostics: Vec<Diagnostic>,
    /// The newest version of a client that wrote to the file.
    pub version: i64,
    /// The record with each ID.
    by_id: IndexVec<Id, Option<EventId>>,
    /// The children of each record for the current client.
    children: Children,
}

/// The records before a compaction that it keeps.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Segment {
    /// The first record that is kept.
    pub head: EventId,
    /// Its parent.
    pub anchor: EventId,
    /// The last record that is kept.
    pub tail: EventId,
}

impl SessionTree {
    /// Reads the tree as recorded. Call [`SessionTree::finish`] after parents are corrected.
    pub(super) fn of(context: &FormatContext<'_>) -> SessionTree {
        let t = context.transcript;
        let chain: Vec<EventId> = t
            .records()
            .filter(|event| t.is_readable(*event) && t.has(*event, own::CHAIN))
            .collect();
        let is_side = |event: EventId| t.has(event, facts::SIDE);
        let agent = !chain.is_empty() && chain.iter().all(|event| is_side(*event));
        let mut tree = SessionTree {
            agent,
            main: Vec::new(),
            is_main: IndexVec::for_each_of(&t.events, false),
            bare: IndexVec::for_each_of(&t.events, None),
            up: IndexVec::new(),
            boundary: None,
            segment: None,
            new_roots: Vec::new(),
            spoken: Vec::new(),
            diagnostics: Vec::new(),
            version: 0,
            by_id: t.ids.table(None),
            children: Children::default(),
        };
        let (main, side): (Vec<EventId>, Vec<EventId>) =
            chain.into_iter().partition(|event| agent || !is_side(*event));
        let dropped = same::judge(context, &main, &mut tree.diagnostics);
        tree.main =
            main.into_iter().filter(|event| dropped.binary_search(event).is_err()).collect();
        for event in tree.main.iter().copied() {
            tree.is_main[event] = true;
            if let Some(id) = t.event(event).id {
                tree.by_id[id] = Some(event);
            }
            if let Some(version) = t.fact_number(event, own::VERSION) {
                tree.version = tree.version.max(version);
            }
        }
        // In old files, records of sub-agents may be parents, too.
        for event in &side {
            if let Some(id) = t.event(*event).id {
                tree.by_id[id].get_or_insert(*event);
            }
        }
        tree.hang(t, &side);
        tree.compactions(t);
        tree.find_new_roots(t);
        tree
    }

    /// Computes what depends on the parents, once they are final.
    pub(super) fn finish(&mut self, t: &Transcript) {
        self.children = Children::of(t, self);
        let mut spoken = 0;
        for event in &self.main {
            self.spoken.push(spoken);
            spoken += u32::from(is_spoken(t, *event));
        }
        self.spoken.push(spoken);
    }

    /// The record with this ID.
    pub(super) fn named(&self, id: Id) -> Option<EventId> {
        self.by_id.get(id).copied().flatten()
    }

    /// The record whose ID is the value of a fact of another one.
    pub(super) fn named_by(&self, t: &Transcript, event: EventId, fact: Fact) -> Option<EventId> {
        self.named(t.fact_id(event, fact)?)
    }

    /// Whether the parent of a record does not exist.
    pub(super) fn is_lost(&self, t: &Transcript, event: EventId) -> bool {
        let named = t.linked(event, LinkKind::Parent);
        named.is_some_and(|id| self.named(id).is_none())
    }

    fn hang(&mut self, t: &Transcript, side: &[EventId]) {
        for event in self.main.iter().chain(side).copied() {
            let named = t.linked(event, LinkKind::Parent);
            self.bare[event] = named.and_then(|id| self.named(id));
        }
        if !self.agent {
            return;
        }
        // In the files of sub-agents some lines are often not written. The record before takes their place.
        for at in 1..self.main.len() {
            if self.is_lost(t, self.main[at]) {
                self.bare[self.main[at]] = Some(self.main[at - 1]);
            }
        }
    }

    fn compactions(&mut self, t: &Transcript) {
        self.up.clone_from(&self.bare);
        self.boundary = self.main.iter().rev().copied().find(|event| is_boundary(t, *event));
        let Some(boundary) = self.boundary else {
            return;
        };
        let (Some(head), Some(anchor), Some(tail)) = (
            self.named_by(t, boundary, own::HEAD),
            self.named_by(t, boundary, own::ANCHOR),
            self.named_by(t, boundary, own::TAIL),
        ) else {
            return;
        };
        for event in self.main.iter().copied() {
            if self.up[event] == Some(anchor) && event != head {
                self.up[event] = Some(tail);
            }
        }
        self.up[head] = Some(anchor);
        self.segment = Some(Segment { head, anchor, tail });
    }

    /// Finds the summaries of compactions that have no other record, and the message with which a user begins anew: the first
    /// one after a pointer to nothing, with what is written with it, or the last one before it, because at a terminal the
    /// client writes the prompt first (run: 2.1.332).
    fn find_new_roots(&mut self, t: &Transcript) {
        let is_root = |event: &EventId| t.link_of(*event, LinkKind::Parent).is_none();
        let summaries = self.main.iter().copied();
        self.new_roots.extend(summaries.filter(|event| is_first_summary(t, *event)));
        for pointer in t.records().filter(|event| t.has(*event, own::RESTARTS)) {
            let from = self.main.partition_point(|event| *event < pointer);
            let (before, rest) = self.main.split_at(from);
            let last = before.iter().rev().copied().find(|event| is_spoken(t, *event));
            self.new_roots.extend(last.filter(is_root));
            let message = rest.iter().position(|event| is_spoken(t, *event));
            let first = message.map_or(rest, |at| &rest[..=at]);
            let roots = first.iter().copied().filter(is_root);
            self.new_roots.extend(roots);
        }
        self.new_roots.sort_unstable();
        self.new_roots.dedup();
    }

    /// Whether the conversation begins anew with this record, on purpose.
    pub(super) fn begins_anew(&self, t: &Transcript, event: EventId) -> bool {
        is_boundary(t, event) || self.new_roots.binary_search(&event).is_ok()
    }

    /// How many messages are before this record.
    pub(super) fn spoken_before(&self, event: EventId) -> u32 {
        let at = self.main.partition_point(|other| *other < event);
        self.spoken.get(at).copied().unwrap_or(0)
    }

    /// The children of a record in the order of the file, including roots with it as their logical parent.
    pub(super) fn children(&self, event: EventId) -> &[EventId] {
        self.children.of_event(event)
    }

    /// For each event, whether it is this one or a descendant of it. `through`: which records are followed.
    pub(super) fn below(
        &self,
        top: EventId,
        through: &dyn Fn(EventId) -> bool,
    ) -> IndexVec<EventId, bool> {
        let mut seen = IndexVec::for_each_of(&self.is_main, false);
        let mut next = vec![top];
        while let Some(event) = next.pop() {
            if !std::mem::replace(&mut seen[event], true) {
                next.extend(self.children(event).iter().copied().filter(|child| through(*child)));
            }
        }
        seen
    }
}

/// Children by parent, as two lists instead of a map of lists.
#[derive(Default)]
struct Children {
    starts: Vec<u32>,
    list: Vec<EventId>,
}

impl Children {
    fn of(t: &Transcript, tree: &SessionTree) -> Children {
        let parent =
            |event: EventId| tree.up[event].or_else(|| tree.named_by(t, event, own::LOGICAL));
        let mut starts = vec![0_u32; t.events.len() + 2];
        for event in tree.main.iter().copied() {
            if let Some(parent) = parent(event) {
                starts[parent.index() + 2] += 1;
            }
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut list = vec![EventId::FIRST; starts.last().copied().unwrap_or(0) as usize];
        for event in tree.main.iter().copied() {
            if let Some(parent) = parent(event) {
                let place = &mut starts[parent.index() + 1];
                list[*place as usize] = event;
                *place += 1;
            }
        }
        Children { starts, list }
    }

    fn of_event(&self, event: EventId) -> &[EventId] {
        let at = event.index();
        match (self.starts.get(at), self.starts.get(at + 1)) {
            (Some(start), Some(end)) => &self.list[*start as usize..*end as usize],
            _ => &[],
        }
    }
}
