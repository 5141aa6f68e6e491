//! Blocks that Chat Completions does not know.

use crate::dialects::anthropic::text_block;
use crate::json::cut::{self, RecordChange};
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::transcript::Applicability;

/// Types of blocks that no server with this API knows.
const FOREIGN: &[&str] =
    &["tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use", "document"];
/// Types of thinking blocks.
const THINKING: &[&str] = &["thinking", "redacted_thinking"];

/// Whether a block belongs to another API.
pub(crate) fn is_foreign(block: Node<'_>) -> bool {
    block.kind() != Kind::Object || block.get("type").is_none() || is(block, FOREIGN)
}

fn is(block: Node<'_>, types: &[&str]) -> bool {
    block.get("type").is_some_and(|kind| types.iter().any(|known| kind.is_str(known)))
}

/// The text of a block without a type.
fn bare_text(block: Node<'_>) -> Option<String> {
    let only = block.kind() == Kind::Object && block.members().count() == 1;
    let text =
        if block.kind() == Kind::String { Some(block) } else { block.get("text").filter(|_| only) };
    text.and_then(|text| text.str()).map(|text| text.into_owned())
}

/// Converts all foreign blocks of a message: a text gets its type, thinking is removed, anything else becomes a text with
/// its JSON.
pub(crate) fn known(message: Node<'_>) -> (Vec<RecordChange>, Applicability) {
    let Some(content) = message.get("content") else {
        return (Vec::new(), Applicability::Manual);
    };
    let by_model = message.has_str("role", "assistant");
    let (mut changes, mut gone, mut applicability) = (Vec::new(), Vec::new(), Applicability::Safe);
    for (at, block) in (0_u32..).zip(content.items()) {
        if !is_foreign(block) {
            continue;
        }
        if let Some(text) = bare_text(block) {
            changes.push(RecordChange::new(block.span(), text_block(block, &text)));
            continue;
        }
        applicability = Applicability::Unsafe;
        if by_model && is(block, THINKING) {
            gone.push(at);
        } else {
            let text = String::from_utf8_lossy(&block.raw()).into_owned();
            changes.push(RecordChange::new(block.span(), text_block(block, &text)));
        }
    }
    if gone.len() == content.items().count() {
        return (vec![cut::replace(content, "null")], applicability);
    }
    if !gone.is_empty() {
        changes.extend(cut::remove_members(content, &gone));
    }
    (changes, applicability)
}
