//! The members of an object, collected once.

use std::borrow::Cow;

use super::node::Node;
use super::tape::Flags;

/// The members of an object by key. Cheaper than several calls of [`Node::get`], because it walks
/// the tape once.
pub(crate) struct Members<'a> {
    list: Vec<(Cow<'a, [u8]>, Node<'a>)>,
}

impl<'a> Members<'a> {
    /// The members of an object; none for any other value.
    pub(crate) fn of(node: Node<'a>) -> Members<'a> {
        let mut list = Vec::with_capacity(16);
        for (key, value) in node.members() {
            list.push((name(key), value));
        }
        Members { list }
    }

    /// The value of a member; of several with this key, the last.
    pub(crate) fn get(&self, key: &str) -> Option<Node<'a>> {
        self.list
            .iter()
            .rev()
            .find(|(name, _)| **name == *key.as_bytes())
            .map(|(_, value)| *value)
    }

    /// The keys in order, unescaped.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &[u8]> {
        self.list.iter().map(|(name, _)| name.as_ref())
    }
}

/// The bytes of a key, or of another string, unescaped.
pub(crate) fn name(key: Node<'_>) -> Cow<'_, [u8]> {
    if key.flags().has(Flags::ESCAPED) {
        return Cow::Owned(key.str().unwrap_or_default().into_owned().into_bytes());
    }
    let span = key.span();
    key.text().get(
        span.start + 1,
        span.end.saturating_sub(1).max(span.start + 1),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::scan::{Mode, scan};

    #[test]
    fn members_are_found_as_get_finds_them() {
        let text = br#"{"a":1,"b\u0063":[2],"a":3,"":4}"#;
        let tape = scan(text, Mode::Document);
        let bytes = text.as_slice();
        let node = Node::root(&tape, &bytes).unwrap();
        let members = Members::of(node);
        for key in ["a", "bc", "", "missing"] {
            assert_eq!(
                members.get(key).map(|v| v.span()),
                node.get(key).map(|v| v.span()),
                "{key}"
            );
        }
        assert_eq!(
            members.keys().collect::<Vec<_>>(),
            [&b"a"[..], b"bc", b"a", b""]
        );
    }
}
