//! Chains of parents, in every tree alike: what is above a record, loops, and the path that ends at the leaf.

use crate::transcript::{EventId, IndexVec};

/// The parent of each event, as a host takes it.
pub(crate) type Parents = IndexVec<EventId, Option<EventId>>;

/// A record and its ancestors, the nearest first. In a loop there is no last one, so it ends after as many as there are: then
/// each has been met.
pub(crate) fn up(parents: &Parents, from: EventId) -> impl Iterator<Item = EventId> + '_ {
    std::iter::successors(Some(from), |event| parents[*event]).take(parents.len())
}

/// The records of a loop, from this one up.
pub(crate) fn around(parents: &Parents, start: EventId) -> impl Iterator<Item = EventId> + '_ {
    let others = up(parents, start).skip(1);
    std::iter::once(start).chain(others.take_while(move |event| *event != start))
}

/// The record of each loop that is reached first from these records, in their order.
pub(crate) fn loops(parents: &Parents, records: &[EventId]) -> Vec<EventId> {
    // 0 if not seen, else the number of the walk that saw it.
    let mut seen = IndexVec::for_each_of(parents, 0_u32);
    let mut found = Vec::new();
    for (walk, start) in (1..).zip(records) {
        let mut at = Some(*start);
        while let Some(event) = at.filter(|event| seen[*event] == 0) {
            seen[event] = walk;
            at = parents[event];
        }
        found.extend(at.filter(|event| seen[*event] == walk));
    }
    found
}

/// Whether a record is stored before its parent, which no host writes. Without such a record, there is no loop.
pub(crate) fn is_before_parent(parents: &Parents, event: EventId) -> bool {
    parents[event] > Some(event)
}

/// The path to a leaf, and for each event, whether it is on it. `parent` may end the path early.
pub(crate) fn path(
    parents: &Parents,
    leaf: Option<EventId>,
    parent: impl Fn(EventId) -> Option<EventId>,
) -> (Vec<EventId>, IndexVec<EventId, bool>) {
    let mut on = IndexVec::for_each_of(parents, false);
    let mut records = Vec::new();
    let mut at = leaf;
    while let Some(event) = at.filter(|event| !on[*event]) {
        on[event] = true;
        records.push(event);
        at = parent(event);
    }
    records.reverse();
    (records, on)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::index::Idx;

    #[test]
    fn the_way_up_ends_in_a_loop_that_it_did_not_start_in() {
        let event = <EventId as Idx>::new;
        let parents: Parents = [None, Some(0), Some(3), Some(2), Some(3)]
            .map(|parent| parent.map(event))
            .into_iter()
            .collect();
        let walked = |from| up(&parents, event(from)).collect::<Vec<EventId>>();
        assert_eq!(walked(1), [event(1), event(0)]);
        assert_eq!(walked(4).len(), parents.len());
        assert!([event(2), event(3)].iter().all(|one| walked(4).contains(one)));
    }
}
