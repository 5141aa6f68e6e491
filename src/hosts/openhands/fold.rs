//! Condensations: which events of the branch are still sent, and where summaries go.

use hashbrown::HashSet;

use super::own;
use super::tree::ConversationTree;
use crate::transcript::pairs::{PairStatus, Pairs};
use crate::transcript::{
    Action, Code, Diagnostic, Effect, EventId, IndexVec, Instance, Label, LabelRole, LinkKind,
    PartKind, Role, State, Subject, Transcript,
};

/// A condensation on the branch.
#[derive(Clone, Debug)]
pub(super) struct Condensation {
    pub event: EventId,
    /// The events that it removes.
    pub forgets: HashSet<EventId>,
    /// The condensations whose summaries it removes: the SDK calls a summary `<id>-summary`.
    pub forgets_summaries: HashSet<EventId>,
    /// Whether it names IDs that do not exist.
    pub unknown: bool,
    /// The position of its summary among the remaining events; `None` without a summary.
    pub offset: Option<usize>,
}

/// A step from the branch to the request.
#[derive(Clone, Debug)]
pub(super) enum FoldStep<E = EventId> {
    /// An event that becomes part of a message.
    Say(E),
    /// A condensation. There are few, and each step would have room for one.
    Cut(Box<Condensation>),
}

/// An item of the request: an event, or the summary of a condensation.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct RequestItem<E = EventId> {
    /// The event, or the condensation of a summary.
    pub event: E,
    /// Whether it is a summary.
    pub summary: bool,
}

/// Folds the steps as the SDK does: each condensation first removes events, then inserts its
/// summary. `each` gets every condensation with the list before its summary is inserted. A plan
/// also folds records that do not exist yet.
pub(super) fn fold<E>(
    steps: &[FoldStep<E>],
    mut each: impl FnMut(&Condensation, &[RequestItem<E>]),
) -> Vec<RequestItem<E>>
where
    E: Copy + From<EventId> + TryInto<EventId>,
{
    let mut list: Vec<RequestItem<E>> = Vec::new();
    for step in steps {
        match step {
            FoldStep::Say(event) => list.push(RequestItem { event: *event, summary: false }),
            FoldStep::Cut(cut) => {
                let forgotten = |shown: &RequestItem<E>| {
                    let ids = if shown.summary { &cut.forgets_summaries } else { &cut.forgets };
                    shown.event.try_into().is_ok_and(|event| ids.contains(&event))
                };
                if !cut.forgets.is_empty() || !cut.forgets_summaries.is_empty() {
                    list.retain(|shown| !forgotten(shown));
                }
                each(cut, &list);
                if let Some(offset) = cut.offset {
                    list.insert(
                        offset.min(list.len()),
                        RequestItem { event: cut.event.into(), summary: true },
                    );
                }
            }
        }
    }
    list
}

/// Suffix of the ID of a summary; a later condensation may forget it.
const SUMMARY: &str = "-summary";

pub(super) fn steps(t: &Transcript, tree: &ConversationTree, branch: &[EventId]) -> Vec<FoldStep> {
    let events = branch.iter().copied().filter(|event| t.event(*event).state != State::Unreadable);
    events
        .filter_map(|event| match t.kind(event) {
            "Condensation" => Some(FoldStep::Cut(Box::new(cut_of(t, tree, event)))),
            _ => t.event(event).role.is_sent().then_some(FoldStep::Say(event)),
        })
        .collect()
}

fn cut_of(t: &Transcript, tree: &ConversationTree, event: EventId) -> Condensation {
    let (mut forgets, mut forgets_summaries) = (HashSet::new(), HashSet::new());
    let mut unknown = false;
    let links = t.links_of(event).iter();
    let links = links.filter(|link| link.kind == LinkKind::Forgets);
    for id in links.filter_map(|link| link.to) {
        let of = t
            .ids
            .get(id)
            .strip_suffix(SUMMARY)
            .and_then(|of| t.ids.find(of))
            .and_then(|of| tree.by_id.get(&of));
        match (tree.by_id.get(&id), of) {
            (Some(known), _) => _ = forgets.insert(*known),
            (None, Some(condensation)) => _ = forgets_summaries.insert(*condensation),
            (None, None) => unknown = true,
        }
    }
    let offset =
        t.fact_number(event, own::SUMMARY_OFFSET).and_then(|offset| usize::try_from(offset).ok());
    Condensation { event, forgets, forgets_summaries, unknown, offset }
}

/// Units that the SDK keeps or drops as a whole: a batch with its results, a thinking loop.
pub(super) struct Units {
    of: IndexVec<EventId, Option<u32>>,
    members: Vec<Vec<EventId>>,
}

impl Units {
    pub(super) fn of(t: &Transcript, branch: &[EventId], pairs: &Pairs) -> Units {
        let mut units = Units { of: IndexVec::for_each_of(&t.events, None), members: Vec::new() };
        let mut open: Option<u32> = None;
        // An extra result will be removed, and belongs to no unit.
        for event in branch.iter().copied().filter(|event| {
            !t.event(*event)
                .parts
                .clone()
                .any(|part| matches!(pairs.status(part), PairStatus::Surplus(_)))
        }) {
            let record = t.event(event);
            let in_loop = record.role == Role::Tool || t.part_of(event, PartKind::Call).is_some();
            if t.has(event, own::THINKING) {
                open = Some(units.fresh());
            } else if !in_loop {
                open = None;
            }
            if let Some(unit) = open {
                units.add(unit, event);
            }
        }
        for batch in &pairs.batches {
            let events: Vec<EventId> = batch
                .calls
                .iter()
                .flat_map(|call| std::iter::once(*call).chain(pairs.answer(*call)))
                .map(|part| t.part(part).event)
                .collect();
            let known = events.iter().find_map(|event| units.of[*event]);
            let unit = known.unwrap_or_else(|| units.fresh());
            for event in events {
                units.add(unit, event);
            }
        }
        units
    }

    fn fresh(&mut self) -> u32 {
        self.members.push(Vec::new());
        self.members.len() as u32 - 1
    }

    fn add(&mut self, unit: u32, event: EventId) {
        if self.of[event].is_none() {
            self.of[event] = Some(unit);
            self.members[unit as usize].push(event);
        }
    }

    fn unit(&self, shown: &RequestItem) -> Option<u32> {
        if shown.summary { None } else { self.of[shown.event] }
    }
}

/// Finds units that condensations split, units with a summary inside, and condensations that name
/// missing events. `drops_halves`: what is left of a split unit is left out on the way to the provider.
pub(super) fn check(
    t: &Transcript,
    steps: &[FoldStep],
    units: &Units,
    drops_halves: bool,
) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let mut places: Vec<(EventId, Option<usize>)> = Vec::new();
    let list = fold(steps, |cut, list| {
        diagnostics.extend(anchor(cut, list.len()));
        let Some(offset) = cut.offset.map(|offset| offset.min(list.len())) else {
            return;
        };
        let unit = offset.checked_sub(1).and_then(|left| units.unit(&list[left]));
        let first =
            unit.and_then(|unit| list.iter().position(|shown| units.unit(shown) == Some(unit)));
        // Before the unit. A summary should not come first, so there it goes after the unit, unless
        // it already is there and the rest of the unit came later.
        let after_unit = || {
            list.iter()
                .rposition(|shown| units.unit(shown) == unit)
                .map_or(list.len(), |last| last + 1)
        };
        let place = first.map(|first| match first {
            0 => Some(after_unit()).filter(|after_unit| *after_unit != offset).unwrap_or(0),
            first => first,
        });
        places.push((cut.event, place));
    });
    let mut split = split_units(t, &list, steps, units);
    for diagnostic in split.iter_mut().filter(|_| drops_halves) {
        (diagnostic.instance, diagnostic.effect) = (Some(Instance::Dropped), Effect::Hides(1));
    }
    diagnostics.extend(split);
    for (at, shown) in list.iter().enumerate().filter(|(_, shown)| shown.summary) {
        let left = list[..at]
            .iter()
            .rev()
            .find(|shown| !shown.summary)
            .and_then(|shown| units.unit(shown));
        let right =
            list[at..].iter().find(|shown| !shown.summary).and_then(|shown| units.unit(shown));
        let place =
            places.iter().find(|(event, _)| *event == shown.event).and_then(|(_, place)| *place);
        let (Some(unit), Some(place), true) = (left, place, left == right) else {
            continue;
        };
        let mut diagnostic = Diagnostic::new(
            Code::CompactionSplitPair,
            "a summary between tool calls and their results",
            shown.event,
        );
        label(t, &mut diagnostic, &units.members[unit as usize], shown.event);
        let offset = Some(place as u64);
        diagnostic.fix_safely([Action::move_summary(shown.event, offset)]);
        diagnostics.push(diagnostic);
    }
    diagnostics
}

/// A condensation that names missing events, which the SDK ignores.
fn anchor(cut: &Condensation, left: usize) -> Option<Diagnostic> {
    let message = match (cut.unknown, cut.offset.is_some_and(|offset| offset > left)) {
        (true, _) => "the condensation forgets event IDs that do not exist",
        (false, true) => "the summary's position is after the end of the conversation",
        (false, false) => return None,
    };
    let mut diagnostic =
        Diagnostic::about(Code::CompactionAnchor, message, Subject::Content, cut.event);
    diagnostic.labels = vec![Label::new(cut.event, LabelRole::Compaction)];
    Some(diagnostic)
}

/// The condensation that removed each event: the first one after it that names it.
fn forgotten_by(t: &Transcript, steps: &[FoldStep]) -> IndexVec<EventId, Option<EventId>> {
    let mut is_said = IndexVec::for_each_of(&t.events, false);
    let mut forgotten_by = IndexVec::for_each_of(&t.events, None);
    for step in steps {
        match step {
            FoldStep::Say(event) => is_said[*event] = true,
            FoldStep::Cut(cut) => {
                for event in cut.forgets.iter().filter(|event| is_said[**event]) {
                    forgotten_by[*event].get_or_insert(cut.event);
                }
            }
        }
    }
    forgotten_by
}

fn split_units(
    t: &Transcript,
    list: &[RequestItem],
    steps: &[FoldStep],
    units: &Units,
) -> Vec<Diagnostic> {
    let forgotten_by = forgotten_by(t, steps);
    // The chain of parents may differ from the order of storage.
    let mut place = IndexVec::for_each_of(&t.events, 0_usize);
    for (at, step) in steps.iter().enumerate() {
        let event = match step {
            FoldStep::Say(event) => *event,
            FoldStep::Cut(cut) => cut.event,
        };
        place[event] = at;
    }
    let mut shown = IndexVec::for_each_of(&t.events, false);
    for item in list.iter().filter(|item| !item.summary) {
        shown[item.event] = true;
    }
    let mut diagnostics = Vec::new();
    for members in &units.members {
        let (rest, forgotten): (Vec<EventId>, Vec<EventId>) =
            members.iter().partition(|event| shown[**event]);
        let Some(cut) = forgotten.iter().filter_map(|event| forgotten_by[*event]).max() else {
            continue;
        };
        if rest.is_empty() {
            continue;
        }
        let mut diagnostic = Diagnostic::new(
            Code::CompactionSplitPair,
            "a condensation forgot only part of a tool call and its result",
            cut,
        );
        label(t, &mut diagnostic, members, cut);
        // A condensation cannot forget what came after it: then it must keep the rest.
        let later = rest.iter().any(|event| place[*event] > place[cut]);
        let extend =
            if later { Action::keep(cut, forgotten) } else { Action::leave_out(cut, rest) };
        diagnostic.fix_safely([extend]);
        diagnostics.push(diagnostic);
    }
    diagnostics
}

fn label(t: &Transcript, diagnostic: &mut Diagnostic, members: &[EventId], cut: EventId) {
    diagnostic.labels = Label::halves(t, members.iter().copied());
    diagnostic.label([cut], LabelRole::Compaction);
    diagnostic.about = vec![Subject::Content(cut)];
    diagnostic.covers = members
        .iter()
        .flat_map(|event| t.event(*event).parts.clone())
        .map(Subject::Place)
        .collect();
    diagnostic.effect = Effect::Refused;
}
