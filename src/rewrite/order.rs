//! The order of records while actions change it: in storage, and on the path that is sent.
//!
//! Formats whose records name their parents have both; a list has no path. It knows no bytes: it says where each record
//! goes and which record it must name.

use hashbrown::HashSet;

use super::linked::Linked;
use super::{NewId, Slot};
use crate::transcript::{EventId, Idx, IndexVec, Transcript};

/// The records in both orders.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    /// Number of events: [`Linked`] knows a new record by its number after them.
    events: usize,
    /// All records in the order of storage.
    stored: Linked,
    /// The active path, from its first record to its leaf.
    path: Linked,
    /// The records that were taken out.
    gone: HashSet<EventId>,
    changed: bool,
}

impl Order {
    /// The order as it was read: all records, and those on the path.
    pub(crate) fn new(t: &Transcript, path: &[EventId]) -> Order {
        Order::of(t.events.len(), t.records(), path)
    }

    /// The order of these records, of so many events.
    pub(crate) fn of(
        events: usize,
        stored: impl IntoIterator<Item = EventId>,
        path: &[EventId],
    ) -> Order {
        Order {
            events,
            stored: Linked::of(stored.into_iter().map(EventId::index)),
            path: Linked::of(path.iter().copied().map(EventId::index)),
            gone: HashSet::new(),
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

    /// All records in the order of storage.
    pub(crate) fn stored(&self) -> impl Iterator<Item = Slot> + '_ {
        self.stored.all().map(|number| self.slot(number))
    }

    /// All records in the order of storage, the last one first.
    pub(crate) fn stored_from_last(&self) -> impl Iterator<Item = Slot> + '_ {
        self.stored.rev().map(|number| self.slot(number))
    }

    /// The active path, from its first record to its leaf.
    pub(crate) fn path(&self) -> impl Iterator<Item = Slot> + '_ {
        self.path.all().map(|number| self.slot(number))
    }

    /// The records of the path after this one; none where it is not on it.
    pub(crate) fn path_from(&self, slot: impl Into<Slot>) -> impl Iterator<Item = Slot> + '_ {
        let number = Some(self.number(slot)).filter(|number| self.path.is_there(*number));
        let after = number.into_iter().flat_map(|number| self.path.from(number));
        after.map(|number| self.slot(number))
    }

    /// Whether a record is on the path.
    pub(crate) fn is_on_path(&self, slot: impl Into<Slot>) -> bool {
        self.path.is_there(self.number(slot))
    }

    /// The end of the path.
    pub(crate) fn leaf(&self) -> Option<Slot> {
        self.path.last().map(|number| self.slot(number))
    }

    /// The one of these records that is the last on the path.
    pub(crate) fn last_of(&self, slots: impl Iterator<Item = Slot>) -> Option<Slot> {
        self.last_in(&self.path, slots)
    }

    /// The one of these records that is the last in storage.
    pub(crate) fn last_stored_of(&self, slots: impl Iterator<Item = Slot>) -> Option<Slot> {
        self.last_in(&self.stored, slots)
    }

    fn last_in(&self, order: &Linked, slots: impl Iterator<Item = Slot>) -> Option<Slot> {
        let numbers = slots.map(|slot| self.number(slot));
        let there = numbers.filter(|number| order.is_there(*number));
        let later = |one: usize, other: usize| {
            if order.is_before(one, other) {
                other
            } else {
                one
            }
        };
        there.reduce(later).map(|number| self.slot(number))
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

    /// Whether anything was taken out, put in or moved.
    pub(crate) fn is_changed(&self) -> bool {
        self.changed
    }

    /// Whether a record was taken out.
    pub(crate) fn is_gone(&self, slot: impl Into<Slot>) -> bool {
        slot.into()
            .old()
            .is_some_and(|event| self.gone.contains(&event))
    }

    /// Takes a record out of both orders.
    pub(crate) fn remove(&mut self, event: EventId) {
        self.stored.take_out(event.index());
        self.path.take_out(event.index());
        self.gone.insert(event);
        self.changed = true;
    }

    /// Takes a record out, also one that is new.
    pub(crate) fn take_out(&mut self, slot: Slot) {
        match slot {
            Slot::Old(event) => self.remove(event),
            Slot::New(_) => self.stored.take_out(self.number(slot)),
        }
    }

    /// Puts a record after another one of the path. Its line moves only if it is not between the lines of its new
    /// neighbors already; then it comes directly after the line of the one before it.
    pub(crate) fn put_after(&mut self, slot: impl Into<Slot>, before: impl Into<Slot>) {
        let (number, before) = (self.number(slot), self.number(before));
        put(&mut self.path, number, before);
        self.changed = true;
        let line = |wanted: &usize| self.stored.is_there(*wanted);
        let low = Some(before).filter(line);
        let high = self.path.after(number).filter(line);
        let is_between = line(&number)
            && low.is_none_or(|low| self.stored.is_before(low, number))
            && high.is_none_or(|high| self.stored.is_before(number, high));
        if !is_between {
            put(&mut self.stored, number, before);
        }
    }

    /// Puts a record after another one and all that follows that one, in both orders, wherever its line was.
    pub(crate) fn put_after_all(
        &mut self,
        slot: impl Into<Slot>,
        before: impl Into<Slot>,
        follows: impl Fn(EventId) -> bool,
    ) {
        let (number, before) = (self.number(slot), self.number(before));
        let follows = |other: &usize| *other < self.events && follows(EventId::new(*other));
        for order in [&mut self.stored, &mut self.path] {
            order.take_out(number);
            let last = Some(before)
                .filter(|before| order.is_there(*before))
                .map(|before| {
                    order
                        .from(before)
                        .take_while(follows)
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

    /// Puts a record directly after another one on the path; its line stays.
    pub(crate) fn put_after_on_path(&mut self, slot: impl Into<Slot>, before: impl Into<Slot>) {
        let (number, before) = (self.number(slot), self.number(before));
        self.path.put_after(number, before);
    }

    /// Puts a record at the end of the path; its line stays.
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

    /// Takes a record out of storage, as if it had never been there.
    pub(crate) fn unstore(&mut self, slot: impl Into<Slot>) {
        self.stored.take_out(self.number(slot));
    }

    /// Puts a record after all others in storage.
    pub(crate) fn store_last(&mut self, slot: impl Into<Slot>) {
        self.stored.put_last(self.number(slot));
        self.changed = true;
    }

    /// Puts a record in the place of another one, in both orders.
    pub(crate) fn replace(&mut self, old: impl Into<Slot>, new: impl Into<Slot>) {
        let (old, new) = (self.number(old), self.number(new));
        for order in [&mut self.stored, &mut self.path] {
            if order.is_there(old) {
                order.put_after(new, old);
                order.take_out(old);
            }
        }
        self.changed = true;
    }

    /// Puts all records of storage in this order. Whether that is a change is said by what led to it.
    pub(crate) fn arrange(&mut self, slots: impl IntoIterator<Item = Slot>) {
        let numbers: Vec<usize> = slots.into_iter().map(|slot| self.number(slot)).collect();
        self.stored = Linked::of(numbers);
    }

    /// Says that something was changed that is not in the orders.
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

    /// The nearest record at or above this one that was not taken out.
    pub(crate) fn kept(
        &self,
        mut event: Option<EventId>,
        parent: &IndexVec<EventId, Option<EventId>>,
    ) -> Option<EventId> {
        let mut steps = self.gone.len();
        while let Some(gone) = event.filter(|event| self.gone.contains(event) && steps > 0) {
            event = parent.get(gone).copied().flatten();
            steps -= 1;
        }
        event.filter(|event| !self.gone.contains(event))
    }

    /// Records off the path whose parent was taken out, with the nearest one above that is left.
    pub(crate) fn orphaned(
        &self,
        records: &[EventId],
        parent: &IndexVec<EventId, Option<EventId>>,
    ) -> Vec<(EventId, Option<EventId>)> {
        if self.gone.is_empty() {
            return Vec::new();
        }
        let lost = |event: &EventId| {
            let parent = parent.get(*event).copied().flatten();
            !self.is_on_path(*event)
                && !self.gone.contains(event)
                && parent.is_some_and(|parent| self.gone.contains(&parent))
        };
        let children = records.iter().copied().filter(lost);
        children
            .map(|child| (child, self.kept(parent[child], parent)))
            .collect()
    }
}

/// Directly after another record, or after all where that one is not there.
fn put(order: &mut Linked, number: usize, before: usize) {
    if order.is_there(before) {
        order.put_after(number, before)
    } else {
        order.put_last(number)
    }
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

    fn told(order: &Order) -> (Vec<Slot>, Vec<Slot>) {
        (order.path().collect(), order.stored().collect())
    }

    #[test]
    fn lines_move_only_where_they_must() {
        let mut order = Order::of(5, ids([0, 1, 2, 3, 4]), &ids([0, 1, 3, 4]));
        order.put_after(old(2), old(1));
        let all = [0, 1, 2, 3, 4].map(old).to_vec();
        assert_eq!(told(&order), (all.clone(), all));
        order.put_after(old(4), old(1));
        let moved = [0, 1, 4, 2, 3].map(old).to_vec();
        assert_eq!(told(&order), (moved.clone(), moved));
        assert_eq!(order.before(old(2)), Some(old(4)));
    }

    #[test]
    fn a_new_record_is_not_an_old_one() {
        let mut order = Order::of(2, ids([0, 1]), &ids([0, 1]));
        let new = Slot::New(NewId::FIRST);
        order.put_after(new, old(0));
        let wanted = vec![old(0), new, old(1)];
        assert_eq!(told(&order), (wanted.clone(), wanted));
        assert!(order.leaf() == Some(old(1)) && !order.is_gone(new));
    }

    #[test]
    fn children_of_a_removed_record_get_the_nearest_one_above_it() {
        let parent = [None, Some(0), Some(1), Some(2), Some(2)]
            .into_iter()
            .map(|at: Option<usize>| at.map(event))
            .collect();
        let mut order = Order::of(5, ids([0, 1, 2, 3, 4]), &ids([0, 1, 2, 4]));
        order.remove(event(2));
        order.remove(event(1));
        assert_eq!(
            order.orphaned(&ids([0, 1, 2, 3, 4]), &parent),
            [(event(3), Some(event(0)))]
        );
        assert_eq!(
            order.links().collect::<Vec<_>>(),
            [(old(0), None), (old(4), Some(old(0)))]
        );
    }
}
