//! Members that count only if their value is of one kind.

use std::borrow::Cow;

use super::fields::{Fields, Keys};
use super::node::Node;
use super::tape::Kind;

impl<'a> Node<'a> {
    /// The value of a member, if it is of this kind.
    #[inline]
    pub(crate) fn get_kind(&self, key: &str, kind: Kind) -> Option<Node<'a>> {
        self.get(key).filter(|value| value.kind() == kind)
    }

    /// Whether a member has a value of this kind.
    #[inline]
    pub(crate) fn has_kind(&self, key: &str, kind: Kind) -> bool {
        self.get_kind(key, kind).is_some()
    }

    /// The value of a member, if it is an integer.
    #[inline]
    pub(crate) fn integer(&self, key: &str) -> Option<i64> {
        self.get(key)?.as_i64()
    }

    /// The value of a member, if it is true or false.
    #[inline]
    pub(crate) fn boolean(&self, key: &str) -> Option<bool> {
        self.get(key)?.as_bool()
    }
}

impl<'a, K: Keys> Fields<'a, K> {
    /// The value of a member, if it is of this kind.
    #[inline]
    pub(crate) fn get_kind(&self, key: K, kind: Kind) -> Option<Node<'a>> {
        self.get(key).filter(|value| value.kind() == kind)
    }

    /// Whether a member has a value of this kind.
    #[inline]
    pub(crate) fn has_kind(&self, key: K, kind: Kind) -> bool {
        self.get_kind(key, kind).is_some()
    }

    /// The text of a member, if it is a string.
    #[inline]
    pub(crate) fn string(&self, key: K) -> Option<Cow<'a, str>> {
        self.get(key)?.str()
    }

    /// Whether a member is a string with this text.
    #[inline]
    pub(crate) fn has_str(&self, key: K, text: &str) -> bool {
        self.get(key).is_some_and(|value| value.is_str(text))
    }

    /// The value of a member, if it is an integer.
    #[inline]
    pub(crate) fn integer(&self, key: K) -> Option<i64> {
        self.get(key)?.as_i64()
    }

    /// The value of a member, if it is true or false.
    #[inline]
    pub(crate) fn boolean(&self, key: K) -> Option<bool> {
        self.get(key)?.as_bool()
    }
}
