//! Lists that requests for several kinds of clients share until one changes them.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// A value of one owner, or of several, which is copied when one of them changes it.
#[derive(Clone, Debug)]
pub enum Sharable<T> {
    /// Nobody else has it, so nothing is counted.
    Own(T),
    /// Its clones are the same value.
    Shared(Arc<T>),
}

impl<T> Sharable<T> {
    /// The same value, which its clones share from now on.
    pub(crate) fn shared(self) -> Sharable<T> {
        match self {
            Sharable::Own(value) => Sharable::Shared(Arc::new(value)),
            shared => shared,
        }
    }
}

impl<T: Default> Default for Sharable<T> {
    fn default() -> Sharable<T> {
        Sharable::Own(T::default())
    }
}

impl<T> From<T> for Sharable<T> {
    fn from(value: T) -> Sharable<T> {
        Sharable::Own(value)
    }
}

impl<A, T: FromIterator<A>> FromIterator<A> for Sharable<T> {
    fn from_iter<I: IntoIterator<Item = A>>(items: I) -> Sharable<T> {
        Sharable::Own(items.into_iter().collect())
    }
}

impl<T> Deref for Sharable<T> {
    type Target = T;

    fn deref(&self) -> &T {
        match self {
            Sharable::Own(value) => value,
            Sharable::Shared(value) => value,
        }
    }
}

impl<T: Clone> DerefMut for Sharable<T> {
    fn deref_mut(&mut self) -> &mut T {
        match self {
            Sharable::Own(value) => value,
            Sharable::Shared(value) => Arc::make_mut(value),
        }
    }
}

impl<'a, T> IntoIterator for &'a Sharable<T>
where
    &'a T: IntoIterator,
{
    type Item = <&'a T as IntoIterator>::Item;
    type IntoIter = <&'a T as IntoIterator>::IntoIter;

    fn into_iter(self) -> Self::IntoIter {
        (**self).into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shared_is_copied_when_it_changes() {
        let first = Sharable::from(vec![1, 2]).shared();
        let mut second = first.clone();
        assert!(std::ptr::eq(&*first, &*second));
        second.push(3);
        assert_eq!((first.len(), second.len()), (2, 3));
    }
}
