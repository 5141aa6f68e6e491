//! Recognizing chats of Qwen Code, by content: Claude Code's IDs around messages of the Gemini API.

use crate::containers::Layout;
use crate::format::head::Sample;
use crate::json::node::Node;
use crate::json::tape::Kind;

/// Types of records.
pub(super) const TYPES: &[&str] = &["user", "assistant", "tool_result", "system"];

/// Says where the records are, if the transcript is a chat.
pub(super) fn recognize(head: &Sample<'_>) -> Option<Layout> {
    head.lines(is_sign)
}

/// A record that no other host writes.
fn is_sign(record: Node<'_>) -> bool {
    // What Claude Code never writes is asked first.
    is_own(record) && owns(record)
}

/// A message with parts, or a record with a payload.
fn is_own(record: Node<'_>) -> bool {
    record.at(&["message", "parts"]).is_some() || record.get("systemPayload").is_some()
}

/// Whether a record is of a chat. Claude Code says of each of its records whether it is of a sub-agent.
pub(super) fn explains(record: Node<'_>) -> bool {
    let system = record.has_str("type", "system") && record.get("isSidechain").is_none();
    owns(record) && (system || is_own(record))
}

/// Whether a JSON value is a record: glued lines are separated by it.
pub(super) fn owns(record: Node<'_>) -> bool {
    is_text(record, "uuid")
        && is_text(record, "sessionId")
        && record.get("parentUuid").is_some()
        && is_known(record)
}

fn is_text(record: Node<'_>, key: &str) -> bool {
    let value = record.get(key);
    value.is_some_and(|value| value.kind() == Kind::String && !value.is_open())
}

fn is_known(record: Node<'_>) -> bool {
    TYPES.iter().any(|kind| record.has_str("type", kind))
}
