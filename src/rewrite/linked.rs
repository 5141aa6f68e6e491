//! An order in which things are taken out, moved and put after each other, each at once.

/// The place before all things.
const FRONT: usize = 0;
/// Labels are below this power of two.
const LABEL_BITS: u32 = 62;

/// The order of numbered things, from 0. What is taken out is in no place until it is put somewhere.
///
/// Labels rise along the order, so that two of them tell which thing comes first. Where no label is left between two things,
/// the smallest range around them that is not crowded is labeled anew, which makes an insertion cost the logarithm of their
/// number on average (Bender et al., "Two Simplified Algorithms for Maintaining Order in a List", 2002).
#[derive(Clone, Debug)]
pub(super) struct Linked {
    /// By place, which is the number and one: the places after and before, or the own one for what is taken out.
    next: Vec<usize>,
    before: Vec<usize>,
    label: Vec<u64>,
}

impl Linked {
    /// These things, in this order.
    pub(super) fn of(order: impl IntoIterator<Item = usize>) -> Linked {
        let mut linked = Linked {
            next: vec![FRONT],
            before: vec![FRONT],
            label: vec![0],
        };
        let mut count = 0;
        for number in order {
            linked.grow(number);
            if !linked.is_there(number) {
                linked.link(number + 1, linked.before[FRONT]);
                count += 1;
            }
        }
        linked.spread(FRONT, count + 1, 0, LABEL_BITS);
        linked
    }

    /// Takes a thing out.
    pub(super) fn take_out(&mut self, number: usize) {
        if !self.is_there(number) {
            return;
        }
        let place = number + 1;
        let (before, next) = (self.before[place], self.next[place]);
        (self.next[before], self.before[next]) = (next, before);
        (self.next[place], self.before[place]) = (place, place);
    }

    /// Puts a thing directly after another one, wherever it was.
    pub(super) fn put_after(&mut self, number: usize, at: usize) {
        if number != at {
            self.put(number, |_| at + 1);
        }
    }

    /// Puts a thing directly before another one, wherever it was.
    pub(super) fn put_before(&mut self, number: usize, at: usize) {
        if number != at {
            self.put(number, |linked| linked.before[at + 1]);
        }
    }

    /// Puts a thing after all others, wherever it was.
    pub(super) fn put_last(&mut self, number: usize) {
        self.put(number, |linked| linked.before[FRONT]);
    }

    fn put(&mut self, number: usize, after: impl Fn(&Linked) -> usize) {
        self.grow(number);
        self.take_out(number);
        let at = after(self);
        self.link(number + 1, at);
        self.label_anew(number + 1);
    }

    /// Makes a thing known.
    fn grow(&mut self, number: usize) {
        while self.next.len() <= number + 1 {
            let place = self.next.len();
            self.next.push(place);
            self.before.push(place);
            self.label.push(0);
        }
    }

    fn link(&mut self, place: usize, at: usize) {
        let next = self.next[at];
        (self.next[place], self.before[place]) = (next, at);
        (self.next[at], self.before[next]) = (place, place);
    }

    /// Gives what was just put somewhere a label between those of its neighbors.
    fn label_anew(&mut self, place: usize) {
        let (before, next) = (self.before[place], self.next[place]);
        let low = self.label[before];
        let high = if next == FRONT {
            1 << LABEL_BITS
        } else {
            self.label[next]
        };
        self.label[place] = low + (high - low) / 2;
        if self.label[place] == low {
            self.make_room(place);
        }
    }

    /// Labels the smallest range around a place anew that is at most `(2 / 3) ^ bits` full.
    fn make_room(&mut self, place: usize) {
        let (mut first, mut end, mut count) = (place, self.next[place], 1_u64);
        let mut most = 1.0;
        for bits in 1..=LABEL_BITS {
            let start = self.label[place] >> bits << bits;
            while first != FRONT && self.label[self.before[first]] >= start {
                first = self.before[first];
                count += 1;
            }
            while end != FRONT && self.label[end] - start < 1 << bits {
                end = self.next[end];
                count += 1;
            }
            most *= 4.0 / 3.0;
            if (count as f64 <= most && count < 1 << (bits - 1)) || bits == LABEL_BITS {
                self.spread(first, count, start, bits);
                return;
            }
        }
    }

    /// Gives so many things from a place on even labels in a range.
    fn spread(&mut self, first: usize, count: u64, start: u64, bits: u32) {
        let step = (1 << bits) / count;
        let mut place = first;
        for nth in 0..count {
            self.label[place] = start + nth * step;
            place = self.next[place];
        }
    }

    /// Whether a thing is in a place.
    pub(super) fn is_there(&self, number: usize) -> bool {
        self.next
            .get(number + 1)
            .is_some_and(|next| *next != number + 1)
    }

    /// Whether one thing comes before another; both are in a place.
    pub(super) fn is_before(&self, one: usize, other: usize) -> bool {
        self.label[one + 1] < self.label[other + 1]
    }

    /// What comes directly after a thing.
    pub(super) fn after(&self, number: usize) -> Option<usize> {
        self.next[number + 1].checked_sub(1)
    }

    /// What comes directly before a thing.
    pub(super) fn before(&self, number: usize) -> Option<usize> {
        self.before[number + 1].checked_sub(1)
    }

    /// The first thing.
    pub(super) fn first(&self) -> Option<usize> {
        self.next[FRONT].checked_sub(1)
    }

    /// The last thing.
    pub(super) fn last(&self) -> Option<usize> {
        self.before[FRONT].checked_sub(1)
    }

    /// What comes after a thing, in order.
    pub(super) fn from(&self, number: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.after(number), |at| self.after(*at))
    }

    /// All things in their order.
    pub(super) fn all(&self) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.first(), |at| self.after(*at))
    }

    /// All things, the last one first.
    pub(super) fn rev(&self) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.last(), |at| self.before(*at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(order: &Linked) -> Vec<usize> {
        order.all().collect()
    }

    #[test]
    fn things_are_taken_out_moved_and_added() {
        let mut order = Linked::of(0..4);
        order.put_after(3, 0);
        assert_eq!(told(&order), [0, 3, 1, 2]);
        order.take_out(0);
        order.put_after(4, 2);
        assert_eq!(told(&order), [3, 1, 2, 4]);
        assert!(!order.is_there(0) && order.is_there(4) && order.after(4).is_none());
        order.put_after(1, 4);
        assert_eq!(order.from(2).collect::<Vec<_>>(), [4, 1]);
        order.put_before(0, 2);
        order.put_last(9);
        assert_eq!(told(&order), [3, 0, 2, 4, 1, 9]);
        assert_eq!(
            (order.first(), order.last(), order.before(2)),
            (Some(3), Some(9), Some(0))
        );
        (0..10).for_each(|number| order.take_out(number));
        assert!(told(&order).is_empty() && told(&Linked::of(0..0)).is_empty());
    }

    #[test]
    fn an_order_may_lack_things() {
        let mut order = Linked::of([5, 2, 7]);
        assert_eq!(told(&order), [5, 2, 7]);
        assert!(order.is_before(5, 2) && !order.is_before(7, 2) && !order.is_there(3));
        order.put_after(3, 5);
        assert!(order.is_before(5, 3) && order.is_before(3, 2));
    }

    #[test]
    fn labels_rise_wherever_things_are_put() {
        const COUNT: usize = 2_000;
        let places: [fn(&mut Linked, usize); 4] = [
            |order, number| order.put_after(number, 0),
            |order, number| order.put_before(number, 0),
            |order, number| order.put_last(number),
            |order, number| order.put_after(number, number * 7919 % number),
        ];
        for put in places {
            let mut order = Linked::of(0..1);
            (1..COUNT).for_each(|number| put(&mut order, number));
            let all = told(&order);
            assert_eq!(all.len(), COUNT);
            assert!(all.windows(2).all(|pair| order.is_before(pair[0], pair[1])));
        }
    }
}
