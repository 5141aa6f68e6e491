//! Typed indices, so that a list indexed by event cannot be read with the index of a part.

use std::fmt;
use std::iter::FusedIterator;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// An index from 0 into lists of one kind of item.
pub trait Idx: Copy + Eq + Ord + fmt::Debug {
    /// The index with this number. It saturates at `u32::MAX`, which no list reaches: its records would not fit into
    /// memory.
    fn new(number: usize) -> Self;
    /// The number of this index.
    fn index(self) -> usize;
}

macro_rules! idx {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        // Stores the number plus 1, so that an `Option` of it takes 4 bytes.
        pub struct $name(std::num::NonZeroU32);

        impl $crate::transcript::Idx for $name {
            fn new(number: usize) -> Self {
                let number = u32::try_from(number).unwrap_or(u32::MAX);
                Self(std::num::NonZeroU32::MIN.saturating_add(number))
            }

            fn index(self) -> usize {
                self.0.get() as usize - 1
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::FIRST
            }
        }

        impl $name {
            /// The first index.
            pub const FIRST: Self = Self(std::num::NonZeroU32::MIN);

            /// The next index.
            pub fn next(self) -> Self {
                Self(self.0.saturating_add(1))
            }

            /// The distance between two indices.
            pub fn distance(self, other: Self) -> u32 {
                self.0.get().abs_diff(other.0.get())
            }

            /// The previous index.
            pub fn prev(self) -> Option<Self> {
                std::num::NonZeroU32::new(self.0.get() - 1).map(Self)
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Debug::fmt(&(self.0.get() - 1), f)
            }
        }
    };
}

pub(crate) use idx;

idx! {
    /// An event of a conversation, in stored order.
    EventId
}

idx! {
    /// A part of a conversation, in stored order.
    PartId
}

/// A half-open range of indices: `start` is included, `end` is not.
pub struct IdRange<I> {
    start: u32,
    end: u32,
    of: PhantomData<I>,
}

impl<I: Idx> IdRange<I> {
    /// The indices from `start` up to, but not including, `end`. Empty if `end` is not greater than `start`.
    pub fn new(start: I, end: I) -> Self {
        let number = |id: I| u32::try_from(id.index()).unwrap_or(u32::MAX);
        Self { start: number(start), end: number(end), of: PhantomData }
    }

    /// Whether the range contains an index.
    pub fn contains(&self, id: &I) -> bool {
        (self.start as usize..self.end as usize).contains(&id.index())
    }

    /// Whether the range has no index.
    pub fn is_empty(&self) -> bool {
        self.start >= self.end
    }

    /// The first index; for an empty range it may be beyond the end.
    pub fn start(&self) -> I {
        I::new(self.start as usize)
    }

    /// The index after the last one.
    pub fn end(&self) -> I {
        I::new(self.end as usize)
    }

    /// A range of one index.
    pub fn one(id: I) -> Self {
        Self::new(id, I::new(id.index().saturating_add(1)))
    }

    /// The index at a position of the range, from 0. It may be beyond the end.
    pub fn at(&self, position: usize) -> I {
        I::new((self.start as usize).saturating_add(position))
    }

    /// The position of an index in the range, from 0.
    pub fn position_of(&self, id: I) -> usize {
        id.index().saturating_sub(self.start as usize)
    }

    /// Extends the range by one index at its end.
    pub fn grow(&mut self) {
        self.end = self.end.saturating_add(1);
    }
}

impl<I> Default for IdRange<I> {
    fn default() -> Self {
        Self { start: 0, end: 0, of: PhantomData }
    }
}

impl<I> Clone for IdRange<I> {
    fn clone(&self) -> Self {
        Self { start: self.start, end: self.end, of: PhantomData }
    }
}

impl<I> PartialEq for IdRange<I> {
    fn eq(&self, other: &Self) -> bool {
        (self.start, self.end) == (other.start, other.end)
    }
}

impl<I> Eq for IdRange<I> {}

impl<I> fmt::Debug for IdRange<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
    }
}

impl<I: Idx> Iterator for IdRange<I> {
    type Item = I;

    fn next(&mut self) -> Option<I> {
        let id = (self.start < self.end).then(|| self.start())?;
        self.start += 1;
        Some(id)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.end.saturating_sub(self.start) as usize;
        (left, Some(left))
    }
}

impl<I: Idx> DoubleEndedIterator for IdRange<I> {
    fn next_back(&mut self) -> Option<I> {
        (self.start < self.end).then(|| {
            self.end -= 1;
            self.end()
        })
    }
}

impl<I: Idx> ExactSizeIterator for IdRange<I> {}
impl<I: Idx> FusedIterator for IdRange<I> {}

/// A list with a typed index.
#[derive(Clone, PartialEq, Eq)]
pub struct IndexVec<I, T> {
    items: Vec<T>,
    by: PhantomData<fn(I) -> I>,
}

impl<I: Idx, T> IndexVec<I, T> {
    /// An empty list.
    pub const fn new() -> Self {
        Self { items: Vec::new(), by: PhantomData }
    }

    /// A list with the same length as another one, filled with a value.
    pub fn for_each_of<U>(other: &IndexVec<I, U>, value: T) -> Self
    where
        T: Clone,
    {
        Self { items: vec![value; other.len()], by: PhantomData }
    }

    /// A list of `len` clones of a value.
    pub fn filled(len: usize, value: T) -> Self
    where
        T: Clone,
    {
        Self { items: vec![value; len], by: PhantomData }
    }

    /// The number of items.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The index after the last item.
    pub fn end(&self) -> I {
        I::new(self.items.len())
    }

    /// All indices.
    pub fn ids(&self) -> IdRange<I> {
        self.ids_from(I::new(0))
    }

    /// The indices from `start` on.
    pub fn ids_from(&self, start: I) -> IdRange<I> {
        IdRange::new(start, self.end())
    }

    /// The index of the last item.
    pub fn last_id(&self) -> Option<I> {
        self.items.len().checked_sub(1).map(I::new)
    }

    /// Makes room for this many more items.
    pub fn reserve(&mut self, more: usize) {
        self.items.reserve(more);
    }

    /// Gives back the room that was made for more items.
    pub fn shrink_to_fit(&mut self) {
        self.items.shrink_to_fit();
    }

    /// Adds an item and returns its index.
    pub fn push(&mut self, item: T) -> I {
        self.items.push(item);
        I::new(self.items.len() - 1)
    }

    /// Changes the length; new items are clones of `value`.
    pub fn resize(&mut self, len: usize, value: T)
    where
        T: Clone,
    {
        self.items.resize(len, value);
    }

    /// The item at this index, if there is one.
    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index())
    }

    /// The item at this index, if there is one, to change it.
    pub fn get_mut(&mut self, id: I) -> Option<&mut T> {
        self.items.get_mut(id.index())
    }

    /// The items in a range; what is beyond the end is left out.
    pub fn slice(&self, ids: &IdRange<I>) -> &[T] {
        let end = (ids.end as usize).min(self.items.len());
        self.items.get((ids.start as usize).min(end)..end).unwrap_or_default()
    }

    /// The last item.
    pub fn last(&self) -> Option<&T> {
        self.items.last()
    }

    /// The items.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    /// The items, to change them.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.items.iter_mut()
    }

    /// The items with their indices, to change them.
    pub fn enumerated_mut(&mut self) -> impl Iterator<Item = (I, &mut T)> {
        self.items.iter_mut().enumerate().map(|(number, item)| (I::new(number), item))
    }

    /// The items with their indices.
    pub fn enumerated(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.items.iter().enumerate().map(|(number, item)| (I::new(number), item))
    }
}

impl<I, T> Default for IndexVec<I, T> {
    fn default() -> Self {
        Self { items: Vec::new(), by: PhantomData }
    }
}

impl<I, T: fmt::Debug> fmt::Debug for IndexVec<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.items, f)
    }
}

impl<I: Idx, T> Index<I> for IndexVec<I, T> {
    type Output = T;

    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Idx, T> IndexMut<I> for IndexVec<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}

impl<I: Idx, T> FromIterator<T> for IndexVec<I, T> {
    fn from_iter<A: IntoIterator<Item = T>>(items: A) -> Self {
        Self { items: items.into_iter().collect(), by: PhantomData }
    }
}

impl<'a, I, T> IntoIterator for &'a IndexVec<I, T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}

impl<'a, I, T> IntoIterator for &'a mut IndexVec<I, T> {
    type Item = &'a mut T;
    type IntoIter = std::slice::IterMut<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.iter_mut()
    }
}

impl<I, T> IntoIterator for IndexVec<I, T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}

/// The different ones of these, in order.
pub(crate) fn distinct<T: Ord>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut all: Vec<T> = all.into_iter().collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Indices from their numbers.
#[cfg(test)]
pub(crate) fn ids<I: Idx, const N: usize>(numbers: [usize; N]) -> [I; N] {
    numbers.map(I::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_iterate_in_both_directions() {
        let [two, five] = ids::<EventId, 2>([2, 5]);
        let range = IdRange::new(two, five);
        assert_eq!(range.clone().collect::<Vec<_>>(), ids([2, 3, 4]));
        assert_eq!(range.clone().rev().collect::<Vec<_>>(), ids([4, 3, 2]));
        assert_eq!(
            (range.len(), range.position_of(range.at(1)), range.contains(&five)),
            (3, 1, false)
        );
        assert!(IdRange::new(five, two).is_empty() && IdRange::new(five, two).next().is_none());
        assert_eq!(IdRange::one(two).next_back(), Some(two));
        assert_eq!(
            (two.prev(), EventId::FIRST.prev(), two.distance(five)),
            (Some(EventId::new(1)), None, 3)
        );
    }

    #[test]
    fn a_list_is_read_with_its_own_index() {
        let mut list: IndexVec<PartId, &str> = ["a", "b"].into_iter().collect();
        let third = list.push("c");
        assert_eq!((list[third], list.get(third.next()), list.last_id()), ("c", None, Some(third)));
        assert_eq!(list.slice(&list.ids_from(PartId::new(1))), ["b", "c"]);
        assert!(list.slice(&IdRange::new(third.next(), PartId::new(9))).is_empty());
    }
}
