//! A list of records in a new order: what goes, and what comes behind what. Put together in one pass.

use hashbrown::{HashMap, HashSet};

use crate::transcript::{EventId, PartId};

/// A record of the new order.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Unit {
    /// One that was there.
    Old(EventId),
    /// A new one that answers this call.
    Answer(PartId),
    /// One that leaves the list inside a record for the list of the records.
    Lifted(EventId),
}

/// What changes in the order.
#[derive(Default)]
pub(super) struct Lay {
    gone: HashSet<EventId>,
    /// Records that leave their place.
    moved: HashSet<EventId>,
    behind: HashMap<EventId, Vec<Unit>>,
}

impl Lay {
    /// Takes a record out.
    pub(super) fn park(&mut self, event: EventId) {
        self.gone.insert(event);
    }

    /// Puts a record, or an answer, directly behind another record. Of several behind one the first asked for is the first.
    pub(super) fn put(&mut self, unit: Unit, behind: EventId) {
        if let Unit::Old(event) = unit
            && (event == behind || !self.moved.insert(event))
        {
            return;
        }
        self.behind.entry(behind).or_default().push(unit);
    }

    /// Whether this record leaves its place or anything comes behind it.
    pub(super) fn concerns(&self, event: EventId) -> bool {
        self.gone.contains(&event)
            || self.moved.contains(&event)
            || self.behind.contains_key(&event)
    }

    /// Records that were moved.
    pub(super) fn is_moved(&self, event: EventId) -> bool {
        self.moved.contains(&event)
    }

    /// The new order of a list. `None`: records would stand behind each other in a ring, or behind one that is not there.
    pub(super) fn order(&self, old: &[EventId]) -> Option<Vec<Unit>> {
        let mut out = Vec::with_capacity(old.len());
        let mut todo: Vec<Unit> = Vec::new();
        for event in old.iter().filter(|event| !self.moved.contains(*event)) {
            todo.push(Unit::Old(*event));
            while let Some(unit) = todo.pop() {
                if let Unit::Old(event) = unit {
                    todo.extend(self.behind.get(&event).into_iter().flatten().rev().copied());
                    if self.gone.contains(&event) {
                        continue;
                    }
                }
                out.push(unit);
            }
        }
        let kept = old
            .iter()
            .filter(|event| !self.gone.contains(*event))
            .count();
        let there = out
            .iter()
            .filter(|unit| matches!(unit, Unit::Old(_)))
            .count();
        (kept == there).then_some(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::Idx;
    use crate::transcript::index::ids;

    fn old(number: usize) -> Unit {
        Unit::Old(EventId::new(number))
    }

    fn event(number: usize) -> EventId {
        EventId::new(number)
    }

    #[test]
    fn what_comes_behind_a_record_follows_it() {
        let mut lay = Lay::default();
        lay.put(old(1), event(3));
        lay.put(Unit::Answer(PartId::new(9)), event(1));
        lay.put(old(0), event(3));
        lay.park(event(2));
        let wanted = [old(3), old(1), Unit::Answer(PartId::new(9)), old(0), old(4)];
        assert_eq!(lay.order(&ids([0, 1, 2, 3, 4])).unwrap(), wanted);
        assert!(lay.concerns(event(3)) && lay.is_moved(event(0)) && !lay.is_moved(event(3)));
    }

    #[test]
    fn rings_and_strangers_are_no_order() {
        let mut lay = Lay::default();
        lay.put(old(1), event(2));
        lay.put(old(2), event(1));
        assert_eq!(lay.order(&ids([0, 1, 2])), None);
        let mut lay = Lay::default();
        lay.put(old(1), event(7));
        assert_eq!(lay.order(&ids([0, 1, 2])), None);
    }
}
