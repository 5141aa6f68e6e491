//! Finds records whose parent does not exist or that form a loop, and where they belong.
//!
//! This walks through the file once and keeps track of the open ends of the conversation. A record that can only have one
//! parent is treated as if it had that parent, so that its ancestors and descendants are checked in the same run.

use hashbrown::HashMap;

use super::own;
use super::records::{is_result, pair_ids, with_role};
use super::tips::{Ends, Tips};
use super::tree::SessionTree;
use crate::format::FormatContext;
use crate::shapes::tree::chain::{self, Parents};
use crate::transcript::{EventId, Id, LinkKind, Role, State, Transcript};

/// A record with a broken parent.
#[derive(Clone, Debug)]
pub(super) struct BrokenParent {
    /// The record.
    pub event: EventId,
    /// Its parents lead back to it.
    pub is_loop: bool,
    /// Where it belongs.
    pub to: Goal,
    /// The unreadable line in which its parent was.
    pub lost_in: Option<EventId>,
}

/// Where a broken record belongs.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    /// Only this record can be its parent.
    On(EventId),
    /// It is the first of the file.
    Root,
    /// Any record of the loop may be the first, because several have a later record as their parent.
    Reversed,
    /// It is a result without a call. It is removed, and its children get this parent.
    Instead(EventId),
    /// Its other half is in an unreadable line.
    Waits,
    /// Several parents are possible; this one is the newest.
    Perhaps(EventId),
    /// The records before it are gone.
    Nowhere,
}

/// What the walk through the file found.
#[derive(Default)]
pub(super) struct Recovered {
    /// The broken records, in the order of the file.
    pub broken: Vec<BrokenParent>,
    /// For each record without a parent, except the first one, the open ends before it.
    pub ends_at_roots: HashMap<EventId, Ends>,
    /// The children of results that are removed.
    pub children_of_removed: HashMap<EventId, Vec<EventId>>,
}

/// Finds the broken records, and gives those a parent that can only have one.
pub(super) fn reattach(context: &FormatContext<'_>, tree: &mut SessionTree) -> Recovered {
    let t = context.transcript;
    let loops = find_loops(&tree.bare, &tree.main);
    let fragments = Fragments::of(t);
    let mut calls = None;
    let mut forward = Forward::of(tree);
    let mut tips = Tips::new(t);
    let mut recovered = Recovered::default();
    let mut before: Option<EventId> = None;
    // Results that are removed, with the new parent of their children.
    let mut removed: HashMap<EventId, EventId> = HashMap::new();
    let mut children_of_removed: Vec<(EventId, EventId)> = Vec::new();
    for event in tree.main.clone() {
        let lists = [&mut tree.bare, &mut tree.up];
        for parents in lists.into_iter().filter(|_| !removed.is_empty()) {
            let parent = parents[event];
            if let Some((parent, to)) =
                parent.and_then(|parent| Some((parent, *removed.get(&parent)?)))
            {
                parents[event] = Some(to);
                children_of_removed.push((parent, event));
            }
        }
        let is_loop = loops.binary_search(&event).is_ok();
        let lost = !tree.agent && (tree.is_lost(t, event) || is_torn_off(t, tree, before, event));
        if is_loop || (lost && !is_exempt(t, before, event)) {
            let broken = BrokenParent {
                event,
                is_loop,
                to: Goal::Nowhere,
                lost_in: fragments.with_parent_of(t, before, event),
            };
            let calls = calls.get_or_insert_with(|| CallLines::of(t, tree));
            let to = goal(t, tree, calls, &broken, before, tips.ends());
            let broken = BrokenParent { to: forward.unless_loop(tree, to, event), ..broken };
            let (parent, removal) = match broken.to {
                Goal::On(to) => (Some(to), None),
                Goal::Instead(to) => (None, Some((event, to))),
                _ => (None, None),
            };
            (tree.bare[event], tree.up[event]) = (parent, parent);
            removed.extend(removal);
            recovered.broken.push(broken);
            if removal.is_some() {
                continue;
            }
        } else if before.is_some() && tree.bare[event].is_none() && !tree.begins_anew(t, event) {
            let ends = tips.ends();
            if !ends.newest.is_some_and(|newest| forward.descends_from(tree, newest, event)) {
                recovered.ends_at_roots.insert(event, ends);
            }
        }
        tips.pass(event, tree.bare[event], tree.begins_anew(t, event));
        before = Some(event);
    }
    children_of_removed.dedup();
    for (parent, child) in children_of_removed {
        recovered.children_of_removed.entry(parent).or_default().push(child);
    }
    tree.main.retain(|event| !removed.contains_key(event));
    removed.keys().for_each(|event| tree.is_main[*event] = false);
    // The records that a compaction keeps must not form a loop. If they do, the segment is ignored.
    if tree.segment.is_some() && !find_loops(&tree.up, &tree.main).is_empty() {
        tree.up.clone_from(&tree.bare);
        tree.segment = None;
    }
    recovered
}

/// Whether a line has no parent although it continues a response, or answers a call.
fn is_torn_off(
    t: &Transcript,
    tree: &SessionTree,
    before: Option<EventId>,
    event: EventId,
) -> bool {
    let Some(before) = before.filter(|_| t.link_of(event, LinkKind::Parent).is_none()) else {
        return false;
    };
    let batch = t.event(event).batch;
    let continues = batch.is_some() && t.event(before).batch == batch;
    continues
        || (is_result(t, event)
            && tree.named_by(t, event, own::SOURCE).is_some_and(|call| call < event))
}

/// The first record of a file may have a parent in another file, after its head was moved or in summary runs.
fn is_exempt(t: &Transcript, before: Option<EventId>, event: EventId) -> bool {
    before.is_none() && t.event(event).role != Role::Assistant && !is_result(t, event)
}

fn goal(
    t: &Transcript,
    tree: &SessionTree,
    calls: &CallLines,
    broken: &BrokenParent,
    before: Option<EventId>,
    ends: Ends,
) -> Goal {
    let event = broken.event;
    if broken.is_loop && before.is_none() {
        return if is_reversed(tree, event) { Goal::Reversed } else { Goal::Root };
    }
    if is_result(t, event) {
        if let Some(call) = calls.line_of(t, tree, event).filter(|call| *call < event) {
            return Goal::On(call);
        }
        if broken.lost_in.is_some_and(|hole| t.event(hole).state == State::Unreadable) {
            return Goal::Waits;
        }
        let other = ends.only.filter(|end| !calls.is_orphan(t, *end));
        return other.map_or(Goal::Nowhere, Goal::Instead);
    }
    let batch = t.event(event).batch;
    if let Some(before) = before.filter(|before| batch.is_some() && t.event(*before).batch == batch)
    {
        return Goal::On(before);
    }
    // The fragment of the lost record may show its parent.
    let grandparent =
        broken.lost_in.and_then(|hole| t.link_of(hole, LinkKind::Parent)).and_then(|link| link.to);
    if let Some(to) =
        grandparent.and_then(|id| tree.named(id)).filter(|to| *to < event && tree.is_main[*to])
    {
        return Goal::On(to);
    }
    match (ends.only, ends.newest) {
        (Some(only), _) => Goal::On(only),
        (None, Some(newest)) => Goal::Perhaps(newest),
        (None, None) => Goal::Nowhere,
    }
}

/// Whether more than one record of a loop has a later record as its parent.
fn is_reversed(tree: &SessionTree, first: EventId) -> bool {
    let mut others = chain::around(&tree.bare, first).skip(1);
    others.any(|event| chain::is_before_parent(&tree.bare, event))
}

/// Detects loops before a parent is set. These are only possible if some record has a parent after it in the file.
struct Forward {
    /// How many steps upward are allowed, for all records together; 0 if no record has a parent after it.
    steps: usize,
}

impl Forward {
    fn of(tree: &SessionTree) -> Forward {
        let allowed = tree.main.len().saturating_mul(8).saturating_add(1000);
        let steps = if tree.main.iter().any(|event| chain::is_before_parent(&tree.bare, *event)) {
            allowed
        } else {
            0
        };
        Forward { steps }
    }

    /// The goal of a record, unless its new parent would descend from it.
    fn unless_loop(&mut self, tree: &SessionTree, goal: Goal, event: EventId) -> Goal {
        match goal {
            Goal::On(to) | Goal::Perhaps(to) | Goal::Instead(to)
                if self.descends_from(tree, to, event) =>
            {
                Goal::Nowhere
            }
            goal => goal,
        }
    }

    /// Whether `record` descends from `event`, or may if there are no steps left.
    fn descends_from(&mut self, tree: &SessionTree, record: EventId, event: EventId) -> bool {
        if self.steps == 0 {
            return false;
        }
        let mut at = Some(record);
        while let Some(next) = at {
            if next == event || self.steps < 2 {
                return true;
            }
            self.steps -= 1;
            at = tree.bare[next];
        }
        false
    }
}

/// The first record of each loop, in order.
fn find_loops(parents: &Parents, main: &[EventId]) -> Vec<EventId> {
    let entries = chain::loops(parents, main).into_iter();
    let mut found: Vec<EventId> =
        entries.filter_map(|entry| chain::around(parents, entry).min()).collect();
    found.sort_unstable();
    found
}

/// Unreadable lines, and fragments on the line of another record.
struct Fragments {
    events: Vec<EventId>,
    by_id: HashMap<Id, EventId>,
}

impl Fragments {
    fn of(t: &Transcript) -> Fragments {
        let events: Vec<EventId> = t
            .records()
            .filter(|event| {
                let record = t.event(*event);
                let shows = record.id.is_some() || !t.links_of(*event).is_empty();
                record.state == State::Unreadable || (record.state == State::Padding && shows)
            })
            .collect();
        let by_id = events.iter().filter_map(|event| Some((t.event(*event).id?, *event))).collect();
        Fragments { events, by_id }
    }

    /// The line in which the parent of a record was: it has the parent's ID, or is directly before the record.
    fn with_parent_of(
        &self,
        t: &Transcript,
        before: Option<EventId>,
        event: EventId,
    ) -> Option<EventId> {
        let parent = t.linked(event, LinkKind::Parent);
        if let Some(fragment) = parent.and_then(|id| self.by_id.get(&id)) {
            return Some(*fragment);
        }
        let at = self.events.partition_point(|fragment| *fragment < event);
        let last = at.checked_sub(1).map(|at| self.events[at])?;
        (before.is_none_or(|before| last > before) && t.event(last).id.is_none()).then_some(last)
    }
}

/// The lines of calls.
struct CallLines {
    /// The line of each call, by the call's ID; `None`: several lines have it.
    lines: HashMap<Id, Option<EventId>>,
}

impl CallLines {
    fn of(t: &Transcript, tree: &SessionTree) -> CallLines {
        let mut lines = HashMap::new();
        for event in with_role(t, &tree.main, Role::Assistant) {
            for id in pair_ids(t, event) {
                lines.entry(id).and_modify(|line| *line = None).or_insert(Some(event));
            }
        }
        CallLines { lines }
    }

    /// The line of the call that a result answers: the one that it links to, or the only one with its ID.
    fn line_of(&self, t: &Transcript, tree: &SessionTree, event: EventId) -> Option<EventId> {
        let ids: Vec<Id> = pair_ids(t, event).collect();
        let named = tree.named_by(t, event, own::SOURCE);
        named
            .filter(|line| {
                let mut calls = pair_ids(t, *line);
                t.event(*line).role == Role::Assistant
                    && (ids.is_empty() || calls.any(|call| ids.contains(&call)))
            })
            .or_else(|| ids.iter().find_map(|id| self.lines.get(id).copied().flatten()))
    }

    /// Whether a record is a result whose call does not exist.
    fn is_orphan(&self, t: &Transcript, event: EventId) -> bool {
        let mut ids = pair_ids(t, event).peekable();
        is_result(t, event) && ids.peek().is_some() && ids.all(|id| !self.lines.contains_key(&id))
    }
}
