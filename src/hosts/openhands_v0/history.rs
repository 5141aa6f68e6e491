//! The host's view of the log: which events it keeps, which ones condensations forget, and where
//! the summary goes.

use hashbrown::{HashMap, HashSet};

use super::{kinds, own};
use crate::transcript::{EventId, Id, IndexVec, LinkKind, PartKind, Role, State, Transcript};

/// A condensation.
#[derive(Clone, Debug)]
pub(super) struct V0Condensation {
    pub event: EventId,
    /// First and last ID that it forgets; `None` if it lists IDs.
    pub range: Option<(i64, i64)>,
    /// Where its summary goes, as recorded.
    pub offset: Option<i64>,
}

/// The host's view of the log.
#[derive(Default)]
pub(super) struct V0History {
    /// The kept events in order: without those that are hidden, never sent, or a delegate's.
    pub kept: Vec<EventId>,
    /// The condensations, in order.
    pub cuts: Vec<V0Condensation>,
    /// By event: the last condensation that forgets it.
    forgotten: IndexVec<EventId, Option<EventId>>,
}

pub(super) fn number(t: &Transcript, event: EventId) -> Option<i64> {
    t.text(t.event(event).id).parse().ok()
}

pub(super) fn is_action(t: &Transcript, event: EventId) -> bool {
    t.has(event, own::ACTION)
}

fn is_action_named(t: &Transcript, event: EventId, name: &str) -> bool {
    t.kind(event) == name && is_action(t, event)
}

impl V0History {
    /// Builds the history. `copies` are not counted.
    pub(super) fn of(t: &Transcript, copies: &HashSet<EventId>) -> V0History {
        let mut history = V0History {
            kept: without_delegates(
                t,
                t.records().filter(|event| {
                    let is_record =
                        t.event(*event).state != State::Padding && !copies.contains(event);
                    is_record && !t.has(*event, own::LEFT_OUT)
                }),
            ),
            ..V0History::default()
        };
        let condensations =
            history.kept.iter().copied().filter(|e| is_action_named(t, *e, kinds::CONDENSATION));
        for event in condensations {
            let number = |name| t.fact_number(event, name);
            let range = number(own::FIRST).zip(number(own::LAST));
            history.cuts.push(V0Condensation { event, range, offset: number(own::SUMMARY_OFFSET) });
        }
        history.forgotten =
            if history.cuts.is_empty() { IndexVec::new() } else { forgotten(t, &history) };
        history
    }

    /// The last condensation that forgets this event. All of them take effect at once.
    pub(super) fn forgotten_by(&self, event: EventId) -> Option<EventId> {
        self.forgotten.get(event).copied().flatten()
    }

    /// The condensation whose summary is sent: the newest that has one.
    pub(super) fn summary(&self) -> Option<(EventId, i64)> {
        self.cuts.iter().rev().find_map(|cut| Some((cut.event, cut.offset?)))
    }

    /// The events left after all condensations, in order. The offset of a summary counts these.
    pub(super) fn left(&self, t: &Transcript) -> Vec<EventId> {
        let own = |event: &EventId| {
            let kind = t.kind(*event);
            is_action(t, *event)
                && (kind == kinds::CONDENSATION || kind == kinds::CONDENSATION_REQUEST)
        };
        let left = self.kept.iter().copied();
        left.filter(|event| !own(event) && self.forgotten_by(*event).is_none()).collect()
    }
}

fn forgotten(t: &Transcript, history: &V0History) -> IndexVec<EventId, Option<EventId>> {
    let mut listed: HashMap<Id, EventId> = HashMap::new();
    for cut in &history.cuts {
        let forgets = t.links_of(cut.event).iter().filter(|link| link.kind == LinkKind::Forgets);
        listed.extend(forgets.filter_map(|link| Some((link.to?, cut.event))));
    }
    let mut by = IndexVec::for_each_of(&t.events, None);
    for event in history.kept.iter().copied() {
        by[event] = t.event(event).id.and_then(|id| listed.get(&id)).copied();
    }
    let mut numbered: Vec<(i64, EventId)> =
        history.kept.iter().filter_map(|event| Some((number(t, *event)?, *event))).collect();
    numbered.sort_unstable();
    // The newest range comes first, and older ones skip the events that it takes.
    let mut free: Vec<usize> = (0..=numbered.len()).collect();
    for (cut, (first, last)) in history.cuts.iter().rev().filter_map(|cut| Some((cut, cut.range?)))
    {
        let mut at = next_free(&mut free, numbered.partition_point(|(number, _)| *number < first));
        while let Some((_, event)) = numbered.get(at).filter(|(number, _)| *number <= last) {
            by[*event] = by[*event].max(Some(cut.event));
            free[at] = at + 1;
            at = next_free(&mut free, at);
        }
    }
    by
}

/// The first index from here that is not taken.
fn next_free(free: &mut [usize], from: usize) -> usize {
    let mut at = from;
    while free[at] != at {
        free[at] = free[free[at]];
        at = free[at];
    }
    at
}

/// The index of an offset in a list of this length, as in Python: a negative one counts from the
/// end.
pub(super) fn place(offset: i64, length: usize) -> usize {
    let steps = usize::try_from(offset.unsigned_abs()).unwrap_or(usize::MAX);
    if offset < 0 { length.saturating_sub(steps) } else { steps.min(length) }
}

/// Leaves out the events of another agent, between a delegate action and its observation.
fn without_delegates(t: &Transcript, events: impl Iterator<Item = EventId>) -> Vec<EventId> {
    let mut kept: Vec<EventId> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for event in events {
        if t.kind(event) == kinds::DELEGATE {
            if is_action(t, event) {
                open.push(kept.len());
            } else if let Some(at) = open.pop() {
                kept.truncate(at + 1);
            }
        }
        kept.push(event);
    }
    kept
}

/// Actions that a later record of the same call replaces: the host asked for confirmation and
/// recorded the action again with the answer. No result of the call is between them.
pub(super) fn superseded(t: &Transcript, kept: &[EventId]) -> HashSet<EventId> {
    let mut newest: HashMap<Id, EventId> = HashMap::new();
    let mut superseded = HashSet::new();
    for event in kept
        .iter()
        .copied()
        .filter(|event| matches!(t.event(*event).role, Role::Assistant | Role::Tool))
    {
        if let Some(call) = t.part_of(event, PartKind::Call).map(|call| t.part(call)) {
            let Some(id) = call.id else { continue };
            superseded.extend(newest.insert(id, event).filter(|other| {
                let known = t.part_of(*other, PartKind::Call).map(|call| t.part(call).digest);
                t.event(*other).batch == t.event(event).batch && known == Some(call.digest)
            }));
        } else if let Some(result) = t.part_of(event, PartKind::Result) {
            t.part(result).id.and_then(|id| newest.remove(&id));
        }
    }
    superseded
}
