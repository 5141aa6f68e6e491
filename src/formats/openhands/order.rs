//! Records that stand at a wrong place, although the chain of parents says where they belong.

use hashbrown::HashMap;

use super::tree::Tree;
use crate::containers::files::NOWHERE;
use crate::transcript::{
    Effect, EventNo, Fault, Id, LinkKind, Remedy, State, Subject, Transcript, Treatment,
};

/// Files with a wrong number: a missing index whose record stands under another one. Taken as if it stood in its place.
/// `others`: records that are not among the tree's, by id. Gives back those of them that are now.
pub(super) fn fill_gaps(tree: &mut Tree, t: &Transcript, others: &HashMap<Id, EventNo>) -> Vec<EventNo> {
    let mut moved = Vec::new();
    let mut at = 0;
    while at < tree.records.len() {
        match belongs_here(tree, t, others, at) {
            Some(record) => {
                let gap = tree.records[at];
                if let Some(old) = tree.records.iter().position(|other| *other == record) {
                    tree.records[at] = record;
                    tree.records.remove(old);
                    at -= usize::from(old < at);
                } else {
                    tree.records[at] = record;
                    tree.by_id.extend(t.event(record).id.map(|id| (id, record)));
                }
                tree.faults.push(misnumbered(record, gap));
                moved.push(record);
            }
            None => at += 1,
        }
    }
    // Behind the last record nothing is missing.
    while !moved.is_empty() && tree.records.last().is_some_and(|last| is_gap(t, *last)) {
        tree.records.pop();
    }
    moved
}

/// Whether a hole is an index without a file.
pub(super) fn is_gap(t: &Transcript, event: EventNo) -> bool {
    t.event(event).state == State::Hole && t.event(event).at.entry == NOWHERE
}

/// The record that the one behind a gap names as its parent, and that names the one before the gap as its own.
fn belongs_here(tree: &Tree, t: &Transcript, others: &HashMap<Id, EventNo>, at: usize) -> Option<EventNo> {
    let gap = *tree.records.get(at).filter(|event| is_gap(t, **event))?;
    if tree.legacy {
        return by_time(tree, t, others, at);
    }
    let parent_id = |event: EventNo| t.link_of(event, LinkKind::Parent).and_then(|link| link.to);
    let wanted = parent_id(*tree.records.get(at + 1)?)?;
    let record = tree.by_id.get(&wanted).or_else(|| others.get(&wanted)).copied()?;
    let before = at.checked_sub(1).map(|before| tree.records[before]);
    let fits = parent_id(record) == before.and_then(|before| t.event(before).id);
    (fits && record != gap && Some(record) != before).then_some(record)
}

/// In a log without parents: the only record of a doubled index whose time lies between those around the gap.
fn by_time(tree: &Tree, t: &Transcript, others: &HashMap<Id, EventNo>, at: usize) -> Option<EventNo> {
    let time = |at: usize| tree.records.get(at).and_then(|event| t.event(*event).time);
    let (before, behind) = (at.checked_sub(1).map_or(Some(i64::MIN), time)?, time(at + 1)?);
    let inside = |event: &&EventNo| t.event(**event).time.is_some_and(|own| before < own && own < behind);
    let mut fitting = others.values().filter(inside);
    let first = fitting.next().copied();
    first.filter(|_| fitting.next().is_none())
}

fn misnumbered(record: EventNo, gap: EventNo) -> Fault {
    let mut fault =
        Fault::new("TD502", "a file has a wrong index; the one that it should have is missing", record);
    fault.about = vec![Subject::Name(record)];
    fault.covers = vec![Subject::Bytes(gap)];
    fault.effect = Effect::LoadFails;
    fault.treatments = vec![Treatment::safe(vec![Remedy::Renumber(record)])];
    fault
}

/// A record that stands behind its own children: nobody appends that. At the end of a list without a pointer to the newest
/// record it would be taken for that, and hide everything else.
/// `wrong`: the one of the two that is out of place.
pub(super) fn behind_children(wrong: EventNo, last: EventNo) -> Fault {
    let mut fault =
        Fault::new("TD502", "the last event stands behind its own children, and hides them", last);
    fault.about = vec![Subject::Name(wrong)];
    fault.effect = Effect::Hides(1);
    fault.treatments = vec![Treatment::safe(vec![Remedy::Renumber(wrong)])];
    fault
}
