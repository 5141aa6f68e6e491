//! An ordered list with removal, moves and comparison of positions in about constant time.

/// The node before the first item.
const FRONT: usize = 0;
/// Labels are below this power of two.
const LABEL_BITS: u32 = 62;

/// A linked list of numbered items, from 0.
///
/// Labels increase along the list, so comparing two labels tells which item comes first. If there is no label left between
/// two items, the smallest range around them that is not crowded is relabeled, so an insertion takes amortized logarithmic
/// time (Bender et al., "Two Simplified Algorithms for Maintaining Order in a List", 2002).
#[derive(Clone, Debug)]
pub(super) struct Linked {
    /// By node, which is the number of the item plus 1: the next and the previous node. An item that is not in the list points
    /// to itself. Numbers of events have 32 bits, and there may be very many.
    next: Vec<u32>,
    before: Vec<u32>,
    label: Vec<u64>,
}

impl Linked {
    /// A list of these items in this order.
    pub(super) fn of(order: impl IntoIterator<Item = usize>) -> Linked {
        let mut linked = Linked { next: vec![0], before: vec![0], label: vec![0] };
        let mut count = 0;
        for number in order {
            linked.grow(number);
            if !linked.is_there(number) {
                linked.link(number + 1, linked.before_node(FRONT));
                count += 1;
            }
        }
        linked.spread(FRONT, count + 1, 0, LABEL_BITS);
        linked
    }

    pub(super) fn remove(&mut self, number: usize) {
        if !self.is_there(number) {
            return;
        }
        let node = number + 1;
        let (before, next) = (self.before_node(node), self.next_node(node));
        self.join(before, next);
        self.join(node, node);
    }

    /// Inserts an item directly after another one, or moves it there.
    pub(super) fn put_after(&mut self, number: usize, at: usize) {
        if number != at {
            self.put(number, |_| at + 1);
        }
    }

    /// Inserts an item directly before another one, or moves it there.
    pub(super) fn put_before(&mut self, number: usize, at: usize) {
        if number != at {
            self.put(number, |linked| linked.before_node(at + 1));
        }
    }

    /// Inserts an item at the end, or moves it there.
    pub(super) fn put_last(&mut self, number: usize) {
        self.put(number, |linked| linked.before_node(FRONT));
    }

    fn put(&mut self, number: usize, after: impl Fn(&Linked) -> usize) {
        self.grow(number);
        self.remove(number);
        let at = after(self);
        self.link(number + 1, at);
        self.relabel(number + 1);
    }

    /// Grows the tables to include an item.
    fn grow(&mut self, number: usize) {
        while self.next.len() <= number + 1 {
            let node = self.next.len() as u32;
            self.next.push(node);
            self.before.push(node);
            self.label.push(0);
        }
    }

    fn link(&mut self, node: usize, at: usize) {
        let next = self.next_node(at);
        self.join(at, node);
        self.join(node, next);
    }

    /// Lets a node be directly after another one.
    fn join(&mut self, before: usize, next: usize) {
        self.next[before] = next as u32;
        self.before[next] = before as u32;
    }

    fn next_node(&self, node: usize) -> usize {
        self.next[node] as usize
    }

    fn before_node(&self, node: usize) -> usize {
        self.before[node] as usize
    }

    /// Gives a node a label between those of its neighbors.
    fn relabel(&mut self, node: usize) {
        let (before, next) = (self.before_node(node), self.next_node(node));
        let low = self.label[before];
        let high = if next == FRONT { 1 << LABEL_BITS } else { self.label[next] };
        self.label[node] = low + (high - low) / 2;
        if self.label[node] == low {
            self.make_room(node);
        }
    }

    /// Relabels the smallest range around a node that is at most `(2 / 3) ^ bits` full.
    fn make_room(&mut self, node: usize) {
        let (mut first, mut end, mut count) = (node, self.next_node(node), 1_u64);
        let mut most = 1.0;
        for bits in 1..=LABEL_BITS {
            let start = self.label[node] >> bits << bits;
            while first != FRONT && self.label[self.before_node(first)] >= start {
                first = self.before_node(first);
                count += 1;
            }
            while end != FRONT && self.label[end] - start < 1 << bits {
                end = self.next_node(end);
                count += 1;
            }
            most *= 4.0 / 3.0;
            if (count as f64 <= most && count < 1 << (bits - 1)) || bits == LABEL_BITS {
                self.spread(first, count, start, bits);
                return;
            }
        }
    }

    /// Gives `count` nodes from `first` on evenly spaced labels in a range.
    fn spread(&mut self, first: usize, count: u64, start: u64, bits: u32) {
        let step = (1 << bits) / count;
        let mut node = first;
        for nth in 0..count {
            self.label[node] = start + nth * step;
            node = self.next_node(node);
        }
    }

    /// Whether an item is in the list.
    pub(super) fn is_there(&self, number: usize) -> bool {
        self.next.get(number + 1).is_some_and(|next| *next as usize != number + 1)
    }

    /// Whether item `a` comes before item `b`. Both must be in the list.
    pub(super) fn is_before(&self, a: usize, b: usize) -> bool {
        self.label[a + 1] < self.label[b + 1]
    }

    /// The next item.
    pub(super) fn after(&self, number: usize) -> Option<usize> {
        self.next_node(number + 1).checked_sub(1)
    }

    /// The previous item.
    pub(super) fn before(&self, number: usize) -> Option<usize> {
        self.before_node(number + 1).checked_sub(1)
    }

    pub(super) fn first(&self) -> Option<usize> {
        self.next_node(FRONT).checked_sub(1)
    }

    pub(super) fn last(&self) -> Option<usize> {
        self.before_node(FRONT).checked_sub(1)
    }

    /// The items after this one, in order.
    pub(super) fn from(&self, number: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.after(number), |at| self.after(*at))
    }

    /// All items in order.
    pub(super) fn all(&self) -> impl Iterator<Item = usize> + Clone + '_ {
        std::iter::successors(self.first(), |at| self.after(*at))
    }

    /// All items in reverse order.
    pub(super) fn rev(&self) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.last(), |at| self.before(*at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(order: &Linked) -> Vec<usize> {
        order.all().collect()
    }

    #[test]
    fn items_are_removed_moved_and_added() {
        let mut order = Linked::of(0..4);
        order.put_after(3, 0);
        assert_eq!(items(&order), [0, 3, 1, 2]);
        order.remove(0);
        order.put_after(4, 2);
        assert_eq!(items(&order), [3, 1, 2, 4]);
        assert!(!order.is_there(0) && order.is_there(4) && order.after(4).is_none());
        order.put_after(1, 4);
        assert_eq!(order.from(2).collect::<Vec<_>>(), [4, 1]);
        order.put_before(0, 2);
        order.put_last(9);
        assert_eq!(items(&order), [3, 0, 2, 4, 1, 9]);
        assert_eq!((order.first(), order.last(), order.before(2)), (Some(3), Some(9), Some(0)));
        (0..10).for_each(|number| order.remove(number));
        assert!(items(&order).is_empty() && items(&Linked::of(0..0)).is_empty());
    }

    #[test]
    fn numbers_may_be_missing() {
        let mut order = Linked::of([5, 2, 7]);
        assert_eq!(items(&order), [5, 2, 7]);
        assert!(order.is_before(5, 2) && !order.is_before(7, 2) && !order.is_there(3));
        order.put_after(3, 5);
        assert!(order.is_before(5, 3) && order.is_before(3, 2));
    }

    #[test]
    fn labels_increase_wherever_items_are_inserted() {
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
            let all = items(&order);
            assert_eq!(all.len(), COUNT);
            assert!(all.windows(2).all(|pair| order.is_before(pair[0], pair[1])));
        }
    }
}
