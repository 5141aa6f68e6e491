//! Detects sessions of Claude Code by content.

use super::kinds;
use crate::containers::Layout;
use crate::format::head::Sample;
use crate::json::node::Node;
use crate::json::tape::Kind;

/// Finds the records, if the transcript has a sign of a session.
pub(super) fn recognize(head: &Sample<'_>) -> Option<Layout> {
    head.lines(is_certain)
}

/// Whether a JSON value is a record. Records on one line are separated by this.
pub(super) fn owns(node: Node<'_>) -> bool {
    let named = ["uuid", "sessionId", "leafUuid", "messageId"];
    kind(node).is_some() && named.iter().any(|key| is_string(node, key)) && !is_stranger(node)
}

/// Whether a record is certainly from this host and not inside another record. The message of a sub-agent in a `progress`
/// record has no `parentUuid`.
pub(super) fn is_certain(node: Node<'_>) -> bool {
    let Some(kind) = kind(node).filter(|_| !is_stranger(node)) else {
        return false;
    };
    let chained = is_string(node, "sessionId") && node.get("parentUuid").is_some();
    let parent = node.get("parentUuid").is_some_and(|p| p.is_null() || p.kind() == Kind::String);
    let bare = is_string(node, "uuid") && parent && kinds::is_of_chain(kind.as_bytes());
    let snapshot = kind == "file-history-snapshot" && node.get("snapshot").is_some();
    let summary = kind == "summary" && is_string(node, "leafUuid");
    let metadata = METADATA.contains(&kind.as_ref()) && is_string(node, "sessionId");
    chained || bare || snapshot || summary || metadata
}

/// Whether a record has the required members: a record of the tree has its place in it, others have the session or the
/// record that they are about.
pub(super) fn explains(node: Node<'_>) -> bool {
    let Some(kind) = kind(node).filter(|_| !is_stranger(node)) else {
        return false;
    };
    let about = ["sessionId", "leafUuid", "messageId"].iter().any(|key| is_string(node, key));
    if kinds::is_of_chain(kind.as_bytes()) {
        node.get("parentUuid").is_some() || is_string(node, "uuid")
    } else {
        is_string(node, "uuid") || about
    }
}

/// Metadata of a session, in records of their own.
const METADATA: &[&str] = &[
    "queue-operation",
    "last-prompt",
    "custom-title",
    "ai-title",
    "mode",
    "permission-mode",
    "cost-state",
    "tools-used",
    "api-request",
    "api-request-shape",
    "api-request-blob",
];

/// Whether a record is from another host with the same IDs: their messages have parts, and other records have a payload.
fn is_stranger(node: Node<'_>) -> bool {
    let payload = ["payload", "systemPayload"].iter().any(|key| node.get(key).is_some());
    payload || node.at(&["message", "parts"]).is_some()
}

fn kind(node: Node<'_>) -> Option<std::borrow::Cow<'_, str>> {
    node.string("type")
}

fn is_string(node: Node<'_>, key: &str) -> bool {
    node.get(key).is_some_and(|value| value.kind() == Kind::String && !value.is_open())
}
