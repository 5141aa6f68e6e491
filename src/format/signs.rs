//! What shows whose a value is: its type, its role, its members.

use crate::json::node::Node;
use crate::json::tape::Kind;

/// Whether a value has one of these types.
pub(crate) fn is_type(node: Node<'_>, types: &[&str]) -> bool {
    node.get("type").is_some_and(|kind| types.iter().any(|wanted| kind.is_str(wanted)))
}

/// Whether a value has one of these roles.
pub(crate) fn is_role(node: Node<'_>, roles: &[&str]) -> bool {
    node.get("role").is_some_and(|role| roles.iter().any(|wanted| role.is_str(wanted)))
}

/// Whether a value has all of these members.
pub(crate) fn has_all(node: Node<'_>, keys: &[&str]) -> bool {
    keys.iter().all(|key| node.get(key).is_some())
}

/// Whether a member is a string.
pub(crate) fn has_string(node: Node<'_>, key: &str) -> bool {
    node.has_kind(key, Kind::String)
}

/// Whether a value has all of these members as strings.
pub(crate) fn has_strings(node: Node<'_>, keys: &[&str]) -> bool {
    keys.iter().all(|key| has_string(node, key))
}

/// Whether a value is a string with this prefix.
pub(crate) fn starts(node: Option<Node<'_>>, with: &str) -> bool {
    node.and_then(|node| node.str()).is_some_and(|text| text.starts_with(with))
}

/// Whether a block of a message has one of these types.
pub(crate) fn has_block(message: Node<'_>, types: &[&str]) -> bool {
    message.get("content").is_some_and(|content| content.items().any(|block| is_type(block, types)))
}
