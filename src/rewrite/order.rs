//! The order of records while actions change it: in storage, and on the active path.
//!
//! Formats whose records have parents have both orders; a list has no path. The order says where each record is stored and
//! what its parent is; it does not know bytes.

use hashbrown::HashSet;

use super::linked::Linked;
use super::{NewId, Slot};
use crate::transcript::{EventId, Idx, IndexVec, Transcript};

/// The records in both orders.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    /// The number of events. In [`Linked`], the numbers of new records follow those of events.
    events: usize,
    /// All records in stored order.
    stored: Linked,
    /// The active path, from its first record to its leaf.
    path: Linked,
    removed: HashSet<EventId>,
    changed: bool,
}

impl Order {
    /// The order of a transcript: all its records, and those on the path.
    pub(crate) fn new(t: &Transcript, path: &[EventId]) -> Order {
        Order::of(t.events.len(), t.records(), path)
    }

    /// The order of these records, among `events` events.
    pub(crate) fn of(
        events: usize,
        stored: impl IntoIterator<Item = EventId>,
        path: &[EventId],
    ) -> Order {
        Order {
            events,
            stored: Linked::of(stored.into_iter().map(EventId::index)),
            path: Linked::of(path.iter().copied().map(EventId::index)),
            removed: HashSet::new(),
            changed: false,
        }
    }

    fn number(&self, slot: impl Into<Slot>) -> usize {
        match slot.into() {
            Slot::Old(event) => event.index(),
            Slot::New(id) => self.events + id.index(),
        }
    }

    fn slot(&self, number: usize) -> Slot {
        match number.checked_sub(self.events) {
            None => Slot::Old(EventId::new(number)),
            Some(new) => Slot::New(NewId::new(new)),
        }
    }

    /// All records in stored order.
    pub(crate) fn stored(&self) -> impl Iterator<Item = Slot> + Clone + '_ {
        self.stored.all().map(|number| self.slot(number))
    }

    /// All records in reverse stored order.
    pub(crate) fn stored_from_last(&self) -> impl Iterator<Item = Slot> + '_ {
        self.stored.rev().map(|number| self.slot(number))
    }

    /// The active path, from its first record to its leaf.
    pub(crate) fn path(&self) -> impl Iterator<Item = Slot> + '_ {
        self.path.all().map(|number| self.slot(number))
    }

    /// The records after this one on the path; none if it is not on the path.
    pub(crate) fn path_from(&self, slot: impl Into<Slot>) -> impl Iterator<Item = Slot> + '_ {
        let number = Some(self.number(slot)).filter(|number| self.path.is_there(*number));
        let after = number.into_iter().flat_map(|number| self.path.from(number));
        after.map(|number| self.slot(number))
    }

    /// Whether a record is on the path.
    pub(crate) fn is_on_path(&self, slot: impl Into<Slot>) -> bool {
        self.path.is_there(self.number(slot))
    }

    /// The last record of the path.
    pub(crate) fn leaf(&self) -> Option<Slot> {
        self.path.last().map(|number| self.slot(number))
    }

    /// The last of these records on the path.
    pub(crate) fn last_of(&self, slots: impl Iterator<Item = Slot>) -> Option<Slot> {
        self.last_in(&self.path, slots)
    }

    /// The last of these records in storage.
    pub(crate) fn last_stored_of(&self, slots: impl Iterator<Item = Slot>) -> Option<Slot> {
        self.last_in(&self.stored, slots)
    }

    fn last_in(&self, order: &Linked, slots: impl Iterator<Item = Slot>) -> Option<Slot> {
        let numbers = slots.map(|slot| self.number(slot));
        let there = numbers.filter(|number| order.is_there(*number));
        there
            .reduce(|a, b| if order.is_before(a, b) { b } else { a })
            .map(|number| self.slot(number))
    }

    /// The first record in storage.
    pub(crate) fn first_stored(&self) -> Option<Slot> {
        self.stored.first().map(|number| self.slot(number))
    }

    /// The last record in storage.
    pub(crate) fn last_stored(&self) -> Option<Slot> {
        self.stored.last().map(|number| self.slot(number))
    }

    /// Whether a record is in storage.
    pub(crate) fn is_stored(&self, slot: impl Into<Slot>) -> bool {
        self.stored.is_there(self.number(slot))
    }

    /// The record after this one in storage.
    pub(crate) fn stored_after(&self, slot: impl Into<Slot>) -> Option<Slot> {
        let next = self.stored.after(self.number(slot));
        next.map(|number| self.slot(number))
    }

    /// The records after this one in storage.
    pub(crate) fn stored_from(&self, slot: impl Into<Slot>) -> impl Iterator<Item = Slot> + '_ {
        let after = self.stored.from(self.number(slot));
        after.map(|number| self.slot(number))
    }

    /// The record before this one in storage.
    pub(crate) fn stored_before(&self, slot: impl Into<Slot>) -> Option<Slot> {
        let before = self.stored.before(self.number(slot));
        before.map(|number| self.slot(number))
    }

    /// Whether anything was removed, inserted or moved.
    pub(crate) fn is_changed(&self) -> bool {
        self.changed
    }

    /// Whether a record was removed.
    pub(crate) fn is_gone(&self, slot: impl Into<Slot>) -> bool {
        slot.into().old().is_some_and(|event| self.removed.contains(&event))
    }

    /// Removes a record from both orders.
    pub(crate) fn remove(&mut self, event: EventId) {
        self.stored.remove(event.index());
        self.path.remove(event.index());
        self.removed.insert(event);
        self.changed = true;
    }

    /// Removes an existing or a new record.
    pub(crate) fn remove_slot(&mut self, slot: Slot) {
        match slot {
            Slot::Old(event) => self.remove(event),
            Slot::New(_) => self.stored.remove(self.number(slot)),
        }
    }

    /// Puts a record after another one on the path. In storage it moves only if it is not already between its new neighbors;
    /// then it moves to directly after the one before it.
    pub(crate) fn put_after(&mut self, slot: impl Into<Slot>, before: impl Into<Slot>) {
        let (number, before) = (self.number(slot), self.number(before));
        put(&mut self.path, number, before);
        self.changed = true;
        let is_stored = |number: &usize| self.stored.is_there(*number);
        let low = Some(before).filter(is_stored);
        let high = self.path.after(number).filter(is_stored);
        let is_between = is_stored(&number)
            && low.is_none_or(|low| self.stored.is_before(low, number))
            && high.is_none_or(|high| self.stored.is_before(number, high));
        if !is_between {
            put(&mut self.stored, number, before);
        }
    }

    /// Puts a record, in both orders, after another one and the records directly after that one for which `follows` is true.
    pub(crate) fn put_after_all(
        &mut self,
        slot: impl Into<Slot>,
        before: impl Into<Slot>,
        follows: impl Fn(EventId) -> bool,
    ) {
        let (number, before) = (self.number(slot), self.number(before));
        for order in [&mut self.stored, &mut self.path] {
            order.remove(number);
            let last = Some(before).filter(|before| order.is_there(*before)).map(|before| {
                order
                    .from(before)
                    .take_while(|other| *other < self.events && follows(EventId::new(*other)))
                    .last()
                    .unwrap_or(before)
            });
            match last {
                Some(last) => order.put_after(number, last),
                None => order.put_last(number),
            }
        }
        self.changed = true;
    }

    /// Puts a record directly after another one on the path. It does not move in storage.
    pub(crate) fn put_after_on_path(&mut self, slot: impl Into<Slot>, before: impl Into<Slot>) {
        let (number, before) = (self.number(slot), self.number(before));
        self.path.put_after(number, before);
    }

    /// Puts a record at the end of the path. It does not move in storage.
    pub(crate) fn put_last_on_path(&mut self, slot: impl Into<Slot>) {
        let number = self.number(slot);
        self.path.put_last(number);
    }

    /// Puts a record before another one on the path.
    pub(crate) fn put_before_on_path(&mut self, slot: impl Into<Slot>, next: impl Into<Slot>) {
        let (number, next) = (self.number(slot), self.number(next));
        self.path.put_before(number, next);
    }

    /// Puts a record directly after another one in storage.
    pub(crate) fn store_after(&mut self, slot: impl Into<Slot>, before: impl Into<Slot>) {
        let (number, before) = (self.number(slot), self.number(before));
        self.stored.put_after(number, before);
        self.changed = true;
    }

    /// Puts a record before all others in storage.
    pub(crate) fn store_first(&mut self, slot: impl Into<Slot>) {
        let number = self.number(slot);
        match self.stored.first() {
            Some(first) => self.stored.put_before(number, first),
            None => self.stored.put_last(number),
        }
        self.changed = true;
    }

    /// Removes a record from storage without marking it as removed.
    pub(crate) fn unstore(&mut self, slot: impl Into<Slot>) {
        self.stored.remove(self.number(slot));
    }

    /// Puts a record after all others in storage.
    pub(crate) fn store_last(&mut self, slot: impl Into<Slot>) {
        self.stored.put_last(self.number(slot));
        self.changed = true;
    }

    /// Replaces a record with another one in both orders.
    pub(crate) fn replace(&mut self, old: impl Into<Slot>, new: impl Into<Slot>) {
        let (old, new) = (self.number(old), self.number(new));
        for order in [&mut self.stored, &mut self.path] {
            if order.is_there(old) {
                order.put_after(new, old);
                order.remove(old);
            }
        }
        self.changed = true;
    }

    /// Sets the order of all stored records. This does not count as a change on its own.
    pub(crate) fn arrange(&mut self, slots: impl IntoIterator<Item = Slot>) {
        let numbers: Vec<usize> = slots.into_iter().map(|slot| self.number(slot)).collect();
        self.stored = Linked::of(numbers);
    }

    /// Notes a change outside the orders.
    pub(crate) fn change(&mut self) {
        self.changed = true;
    }

    /// The record before this one on the path.
    pub(crate) fn before(&self, slot: impl Into<Slot>) -> Option<Slot> {
        let number = Some(self.number(slot)).filter(|number| self.path.is_there(*number))?;
        let before = self.path.before(number);
        before.map(|number| self.slot(number))
    }

    /// Each record of the path with the one before it.
    pub(crate) fn links(&self) -> impl Iterator<Item = (Slot, Option<Slot>)> + '_ {
        self.path().map(|slot| (slot, self.before(slot)))
    }

    /// The nearest record that was not removed: this one or one of its ancestors.
    pub(crate) fn kept(
        &self,
        mut event: Option<EventId>,
        parent: &IndexVec<EventId, Option<EventId>>,
    ) -> Option<EventId> {
        let mut steps = self.removed.len();
        while let Some(removed) = event.filter(|event| self.removed.contains(event) && steps > 0) {
            event = parent.get(removed).copied().flatten();
            steps -= 1;
        }
        event.filter(|event| !self.removed.contains(event))
    }

    /// Records off the path whose parent was removed, with the nearest ancestor that was not.
    pub(crate) fn orphaned(
        &self,
        records: &[EventId],
        parent: &IndexVec<EventId, Option<EventId>>,
    ) -> Vec<(EventId, Option<EventId>)> {
        if self.removed.is_empty() {
            return Vec::new();
        }
        let children = records.iter().copied().filter(|event| {
            let parent = parent.get(*event).copied().flatten();
            !self.is_on_path(*event)
                && !self.removed.contains(event)
                && parent.is_some_and(|parent| self.removed.contains(&parent))
        });
        children.map(|child| (child, self.kept(parent[child], parent))).collect()
    }
}

/// Puts a record directly after another one, or last if that one is not in the order.
fn put(order: &mut Linked, number: usize, before: usize) {
    if order.is_there(before) { order.put_after(number, before) } else { order.put_last(number) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::index::ids;

    fn event(number: usize) -> EventId {
        EventId::new(number)
    }

    fn old(number: usize) -> Slot {
        Slot::Old(event(number))
    }

    fn path_and_stored(order: &Order) -> (Vec<Slot>, Vec<Slot>) {
        (order.path().collect(), order.stored().collect())
    }

    #[test]
    fn records_move_in_storage_only_if_they_must() {
        let mut order = Order::of(5, ids([0, 1, 2, 3, 4]), &ids([0, 1, 3, 4]));
        order.put_after(old(2), old(1));
        let all = [0, 1, 2, 3, 4].map(old).to_vec();
        assert_eq!(path_and_stored(&order), (all.clone(), all));
        order.put_after(old(4), old(1));
        let moved = [0, 1, 4, 2, 3].map(old).to_vec();
        assert_eq!(path_and_stored(&order), (moved.clone(), moved));
        assert_eq!(order.before(old(2)), Some(old(4)));
    }

    #[test]
    fn a_new_record_is_not_an_old_one() {
        let mut order = Order::of(2, ids([0, 1]), &ids([0, 1]));
        let new = Slot::New(NewId::FIRST);
        order.put_after(new, old(0));
        let wanted = vec![old(0), new, old(1)];
        assert_eq!(path_and_stored(&order), (wanted.clone(), wanted));
        assert!(order.leaf() == Some(old(1)) && !order.is_gone(new));
    }

    #[test]
    fn children_of_a_removed_record_get_its_nearest_remaining_ancestor() {
        let parent = [None, Some(0), Some(1), Some(2), Some(2)]
            .into_iter()
            .map(|at: Option<usize>| at.map(event))
            .collect();
        let mut order = Order::of(5, ids([0, 1, 2, 3, 4]), &ids([0, 1, 2, 4]));
        order.remove(event(2));
        order.remove(event(1));
        assert_eq!(order.orphaned(&ids([0, 1, 2, 3, 4]), &parent), [(event(3), Some(event(0)))]);
        assert_eq!(order.links().collect::<Vec<_>>(), [(old(0), None), (old(4), Some(old(0)))]);
    }
}
