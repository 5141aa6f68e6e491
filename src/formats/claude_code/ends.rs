//! Records whose parent is nowhere, or that close a circle: where they belong.
//!
//! The file is walked through once, with the open ends of the talk at hand. A record that can only belong to one place is
//! taken as if it hung there, so that what is above and below it is judged in the same run.

use hashbrown::HashMap;

use super::attrs;
use super::records::{is_result, pair_parts};
use super::tips::{Ends, Tips};
use super::tree::Tree;
use crate::formats::FormatContext;
use crate::transcript::{EventId, Id, IndexVec, LinkKind, Role, State, Transcript};

/// A record whose place in the tree is broken.
#[derive(Clone, Debug)]
pub(super) struct Broken {
    /// The record.
    pub event: EventId,
    /// Its parents lead back to it.
    pub circle: bool,
    /// Where it goes.
    pub to: Goal,
    /// A line that nobody can read, in which its parent was.
    pub hole: Option<EventId>,
}

/// Where a broken record goes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    /// It can only hang on this one.
    On(EventId),
    /// It is the first of the file.
    Root,
    /// A result without a call: it goes, and what hung on it hangs on this one.
    Instead(EventId),
    /// Its other half is in a line that nobody can read.
    Waits,
    /// Several places are possible; this one is the newest.
    Perhaps(EventId),
    /// What stood before it is gone.
    Nowhere,
}

/// What was found while the file was walked through.
#[derive(Default)]
pub(super) struct Recovered {
    /// The broken records, in the order of the file.
    pub broken: Vec<Broken>,
    /// The open ends in front of each record behind the first that hangs on none.
    pub ends_at_roots: HashMap<EventId, Ends>,
    /// What hung on results that go.
    pub re_hung: HashMap<EventId, Vec<EventId>>,
}

/// Finds the broken records, and hangs those that can only hang in one place.
pub(super) fn mend(context: &FormatContext<'_>, tree: &mut Tree) -> Recovered {
    let t = context.transcript;
    let circles = circles(&tree.bare, &tree.main);
    let holes = Holes::of(t);
    let calls = Calls::of(t, tree);
    let mut forward = Forward::of(tree);
    let mut tips = Tips::new(t);
    let mut mended = Recovered::default();
    let mut before: Option<EventId> = None;
    // Results that go, with what takes their place.
    let mut gone: HashMap<EventId, EventId> = HashMap::new();
    let mut re_hung: Vec<(EventId, EventId)> = Vec::new();
    for event in tree.main.clone() {
        for parents in [&mut tree.bare, &mut tree.up] {
            let parent = parents[event];
            if let Some((parent, to)) =
                parent.and_then(|parent| Some((parent, *gone.get(&parent)?)))
            {
                parents[event] = Some(to);
                re_hung.push((parent, event));
            }
        }
        let circle = circles.binary_search(&event).is_ok();
        let lost = !tree.agent && (tree.is_lost(t, event) || is_torn_off(t, tree, before, event));
        if circle || (lost && !is_exempt(t, before, event)) {
            let mut broken = Broken {
                event,
                circle,
                to: Goal::Nowhere,
                hole: None,
            };
            broken.hole = holes.of_child(t, before, event);
            broken.to = goal(t, tree, &calls, &broken, before, tips.ends());
            if let Goal::On(to) | Goal::Perhaps(to) | Goal::Instead(to) = broken.to
                && forward.hangs_on(tree, to, event)
            {
                broken.to = Goal::Nowhere;
            }
            let parent = match broken.to {
                Goal::On(to) => Some(to),
                _ => None,
            };
            (tree.bare[event], tree.up[event]) = (parent, parent);
            let goes = if let Goal::Instead(to) = broken.to {
                Some((event, to))
            } else {
                None
            };
            gone.extend(goes);
            mended.broken.push(broken);
            if goes.is_some() {
                continue;
            }
        } else if before.is_some() && tree.bare[event].is_none() {
            let ends = tips.ends();
            if !ends
                .newest
                .is_some_and(|newest| forward.hangs_on(tree, newest, event))
            {
                mended.ends_at_roots.insert(event, ends);
            }
        }
        tips.add(event, tree.bare[event]);
        before = Some(event);
    }
    re_hung.dedup();
    for (parent, child) in re_hung {
        mended.re_hung.entry(parent).or_default().push(child);
    }
    tree.main.retain(|event| !gone.contains_key(event));
    gone.keys().for_each(|event| tree.is_main[*event] = false);
    // What a compaction keeps must not lead back to itself: such a segment says nothing.
    if tree.segment.is_some() && !self::circles(&tree.up, &tree.main).is_empty() {
        tree.up.clone_from(&tree.bare);
        tree.segment = None;
    }
    mended
}

/// A line that names no parent although it goes on with an answer, or answers a call.
fn is_torn_off(t: &Transcript, tree: &Tree, before: Option<EventId>, event: EventId) -> bool {
    let Some(before) = before.filter(|_| t.link_of(event, LinkKind::Parent).is_none()) else {
        return false;
    };
    let batch = t.event(event).batch;
    let goes_on = batch.is_some() && t.event(before).batch == batch;
    let source = || tree.named_by(t, event, attrs::SOURCE);
    goes_on || (is_result(t, event) && source().is_some_and(|call| call < event))
}

/// The first chain record of a file may name a parent elsewhere: moved heads, summary runs.
fn is_exempt(t: &Transcript, before: Option<EventId>, event: EventId) -> bool {
    before.is_none() && t.event(event).role != Role::Assistant && !is_result(t, event)
}

fn goal(
    t: &Transcript,
    tree: &Tree,
    calls: &Calls,
    broken: &Broken,
    before: Option<EventId>,
    ends: Ends,
) -> Goal {
    let event = broken.event;
    if broken.circle && before.is_none() {
        return Goal::Root;
    }
    if is_result(t, event) {
        if let Some(call) = calls.line_of(t, tree, event).filter(|call| *call < event) {
            return Goal::On(call);
        }
        if broken
            .hole
            .is_some_and(|hole| t.event(hole).state == State::Unreadable)
        {
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
    // The fragment of the lost record tells where that one hung.
    let told = broken
        .hole
        .and_then(|hole| t.link_of(hole, LinkKind::Parent))
        .and_then(|link| link.to);
    if let Some(to) = told
        .and_then(|id| tree.named(id))
        .filter(|to| *to < event && tree.is_main[*to])
    {
        return Goal::On(to);
    }
    match (ends.only, ends.newest) {
        (Some(only), _) => Goal::On(only),
        (None, Some(newest)) => Goal::Perhaps(newest),
        (None, None) => Goal::Nowhere,
    }
}

/// Records that hang on others further down: only these can stand above what they hang on.
struct Forward {
    /// How far may be gone up, for all records together; none: no record hangs on one further down.
    steps: usize,
}

impl Forward {
    fn of(tree: &Tree) -> Forward {
        let down = |event: &EventId| tree.bare[*event].is_some_and(|parent| parent > *event);
        let any = tree.main.iter().any(down);
        Forward {
            steps: if any {
                tree.main.len().saturating_mul(8).saturating_add(1000)
            } else {
                0
            },
        }
    }

    /// Whether a record hangs, over others, on a later one, or may. `event`: the later one.
    fn hangs_on(&mut self, tree: &Tree, record: EventId, event: EventId) -> bool {
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

/// The first record of each circle, in order.
fn circles(parent: &IndexVec<EventId, Option<EventId>>, main: &[EventId]) -> Vec<EventId> {
    let mut seen = IndexVec::for_each_of(parent, 0_u32);
    let mut found = Vec::new();
    for (run, start) in (1_u32..).zip(main.iter().copied()) {
        let mut at = Some(start);
        while let Some(event) = at.filter(|event| seen[*event] == 0) {
            seen[event] = run;
            at = parent[event];
        }
        if let Some(entry) = at.filter(|event| seen[*event] == run) {
            let mut first = entry;
            let mut next = parent[entry];
            while let Some(event) = next.filter(|event| *event != entry) {
                first = first.min(event);
                next = parent[event];
            }
            found.push(first);
        }
    }
    found.sort_unstable();
    found
}

/// Lines that nobody can read, and fragments that were glued to others.
struct Holes {
    events: Vec<EventId>,
    by_id: HashMap<Id, EventId>,
}

impl Holes {
    fn of(t: &Transcript) -> Holes {
        let told = |event: &EventId| {
            let record = t.event(*event);
            let shows = record.id.is_some() || record.links.start < record.links.end;
            record.state == State::Unreadable || (record.state == State::Padding && shows)
        };
        let events: Vec<EventId> = t.records().filter(told).collect();
        let by_id = events
            .iter()
            .filter_map(|event| Some((t.event(*event).id?, *event)))
            .collect();
        Holes { events, by_id }
    }

    /// The line in which the parent of a record was: it shows the parent's id, or stands directly before the record.
    fn of_child(&self, t: &Transcript, before: Option<EventId>, event: EventId) -> Option<EventId> {
        let parent = t.link_of(event, LinkKind::Parent).and_then(|link| link.to);
        if let Some(hole) = parent.and_then(|id| self.by_id.get(&id)) {
            return Some(*hole);
        }
        let at = self.events.partition_point(|hole| *hole < event);
        let last = at.checked_sub(1).map(|at| self.events[at])?;
        (before.is_none_or(|before| last > before) && t.event(last).id.is_none()).then_some(last)
    }
}

/// Where the calls are.
struct Calls {
    /// The lines that hold a call, by the call's id; `None`: several do.
    lines: HashMap<Id, Option<EventId>>,
}

impl Calls {
    fn of(t: &Transcript, tree: &Tree) -> Calls {
        let mut lines = HashMap::new();
        for event in tree
            .main
            .iter()
            .copied()
            .filter(|event| t.event(*event).role == Role::Assistant)
        {
            for id in pair_parts(t, event).filter_map(|call| t.a_part(call).id) {
                lines
                    .entry(id)
                    .and_modify(|line| *line = None)
                    .or_insert(Some(event));
            }
        }
        Calls { lines }
    }

    /// The line of the call that a result answers: the one that it names, or the only one with its id.
    fn line_of(&self, t: &Transcript, tree: &Tree, event: EventId) -> Option<EventId> {
        let ids: Vec<Id> = pair_parts(t, event)
            .filter_map(|result| t.a_part(result).id)
            .collect();
        let named = tree.named_by(t, event, attrs::SOURCE);
        let holds = |line: &EventId| {
            let mut calls = pair_parts(t, *line).filter_map(|call| t.a_part(call).id);
            t.event(*line).role == Role::Assistant
                && (ids.is_empty() || calls.any(|call| ids.contains(&call)))
        };
        named.filter(holds).or_else(|| {
            ids.iter()
                .find_map(|id| self.lines.get(id).copied().flatten())
        })
    }

    /// Whether a record is a result whose call is nowhere.
    fn is_orphan(&self, t: &Transcript, event: EventId) -> bool {
        let mut ids = pair_parts(t, event)
            .filter_map(|result| t.a_part(result).id)
            .peekable();
        is_result(t, event) && ids.peek().is_some() && ids.all(|id| !self.lines.contains_key(&id))
    }
}
