//! One record into facts. Knows no other record.

use super::own;
use crate::format::signs::{has_strings, is_role, is_type};
use crate::hosts::anthropic::ANTHROPIC;
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::transcript::{FactValue, Role, State, Transcript, facts, time};

/// Records that are not messages.
const OTHERS: &[&str] = &["todo_state", "compaction_state", "session_end"];
/// Types of blocks, which are those of Anthropic's messages.
const BLOCKS: &[&str] =
    &["text", "image", "document", "tool_use", "tool_result", "thinking", "redacted_thinking"];
/// Members of messages in records of pi, which are else like these.
const OF_PI: &[&str] = &["timestamp", "api", "stopReason"];

/// Whether a value is a record.
pub(super) fn owns(node: Node<'_>) -> bool {
    let message = is_type(node, &["message"]) && node.get("message").is_some_and(is_message);
    has_strings(node, &["id"]) && (message || is_header(node) || is_type(node, OTHERS))
}

/// Whether a record may show the format by itself. pi has such records around messages with members of its own; a text alone
/// may be of either.
pub(super) fn has_sign(node: Node<'_>) -> bool {
    // What is cut off may have lost the members of pi.
    let message = node.get("message").filter(|message| !message.is_open());
    is_header(node) || (is_type(node, &["message"]) && message.is_some_and(is_message))
}

fn is_header(node: Node<'_>) -> bool {
    let names = ["cwd", "title", "owner"];
    is_type(node, &["session_start"]) && names.iter().any(|key| node.get(key).is_some())
}

fn is_message(message: Node<'_>) -> bool {
    let is_known = message.get("content").is_some_and(|content| match content.kind() {
        Kind::Array => content.items().all(|block| is_type(block, BLOCKS)),
        kind => kind == Kind::String,
    });
    let is_other = OF_PI.iter().any(|key| message.get(key).is_some());
    is_role(message, &["user", "assistant"]) && is_known && !is_other
}

/// Reads a header, a message, or another record.
pub(super) fn read(record: Node<'_>, t: &mut Transcript) {
    let id = record.get("id").and_then(|id| t.intern(id));
    let kind = record.get("type").and_then(|kind| t.intern(kind));
    let when = record.string("timestamp");
    let when = when.and_then(|time| time::parse(&time));
    let event = t.newest_mut();
    (event.id, event.kind) = (id, kind);
    event.set_time(when);
    let message = record.get("message").filter(|_| is_type(record, &["message"]));
    let Some(message) = message.filter(|message| !is_hidden(*message)) else {
        t.newest_mut().role = Role::Nobody;
        return note(record, t);
    };
    (ANTHROPIC.records.read)(message, t);
}

/// A message for people only.
fn is_hidden(message: Node<'_>) -> bool {
    message.has_str("visibility", "user_only") || message.get("hookEventName").is_some()
}

/// Notes the header, or what a compaction replaces.
fn note(record: Node<'_>, t: &mut Transcript) {
    if is_header(record) {
        t.set_fact(own::HEADER, FactValue::Yes);
    }
    if is_type(record, &["compaction_state"]) && t.newest_mut().state != State::Unreadable {
        t.set_fact(facts::SUMMARY, FactValue::Yes);
        t.set_text(own::ANCHOR, record.at(&["anchorMessage", "id"]));
    }
}
