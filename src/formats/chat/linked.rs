//! An order in which things are taken out, moved and put behind each other, each at once.

/// The place in front of all things.
const FRONT: usize = 0;

/// The order of numbered things, from 0. What is taken out is in no place until it is put somewhere.
pub(super) struct Linked {
    /// By place, which is the number and one: the places behind and in front, or the own one for what is taken out.
    next: Vec<usize>,
    before: Vec<usize>,
}

impl Linked {
    /// So many things, in their order.
    pub(super) fn new(count: usize) -> Linked {
        let places = count + 1;
        let next = (1..=places).map(|place| place % places).collect();
        let before = (0..places).map(|place| (place + count) % places).collect();
        Linked { next, before }
    }

    /// A new thing directly behind this one, and its number.
    pub(super) fn add_behind(&mut self, at: usize) -> usize {
        let place = self.next.len();
        self.next.push(place);
        self.before.push(place);
        self.link(place, at + 1);
        place - 1
    }

    /// Takes a thing out.
    pub(super) fn take_out(&mut self, number: usize) {
        let place = number + 1;
        let (before, next) = (self.before[place], self.next[place]);
        (self.next[before], self.before[next]) = (next, before);
        (self.next[place], self.before[place]) = (place, place);
    }

    /// Takes a thing out and puts it directly behind another one.
    pub(super) fn put_behind(&mut self, number: usize, at: usize) {
        if number != at {
            self.take_out(number);
            self.link(number + 1, at + 1);
        }
    }

    fn link(&mut self, place: usize, at: usize) {
        let next = self.next[at];
        (self.next[place], self.before[place]) = (next, at);
        (self.next[at], self.before[next]) = (place, place);
    }

    /// Whether a thing is in a place.
    pub(super) fn is_there(&self, number: usize) -> bool {
        self.next.get(number + 1).is_some_and(|next| *next != number + 1)
    }

    /// What stands directly behind a thing.
    pub(super) fn behind(&self, number: usize) -> Option<usize> {
        self.next[number + 1].checked_sub(1)
    }

    /// What stands behind a thing, in order.
    pub(super) fn from(&self, number: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.behind(number), |at| self.behind(*at))
    }

    /// All things in their order.
    pub(super) fn all(&self) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.next[FRONT].checked_sub(1), |at| self.behind(*at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_are_taken_out_moved_and_added() {
        let mut order = Linked::new(4);
        let told = |order: &Linked| order.all().collect::<Vec<_>>();
        order.put_behind(3, 0);
        assert_eq!(told(&order), [0, 3, 1, 2]);
        order.take_out(0);
        assert_eq!(order.add_behind(2), 4);
        assert_eq!(told(&order), [3, 1, 2, 4]);
        assert!(!order.is_there(0) && order.is_there(4) && order.behind(4).is_none());
        order.put_behind(1, 4);
        assert_eq!(order.from(2).collect::<Vec<_>>(), [4, 1]);
        (1..5).for_each(|number| order.take_out(number));
        assert!(told(&order).is_empty() && told(&Linked::new(0)).is_empty());
    }
}
