//! Thinking, which must be sent back to the provider exactly as it was received.

use super::block::{BlockKey, ContentBlock};
use crate::json::node::Node;
use crate::transcript::Applicability;

/// What is wrong with a thinking block, and whether removing it is safe. Newer models send blocks with a signature and no text.
pub(crate) fn thinking_flaw(block: Node<'_>) -> Option<(&'static str, Applicability)> {
    flaw(&ContentBlock::of(block))
}

pub(super) fn flaw(block: &ContentBlock<'_>) -> Option<(&'static str, Applicability)> {
    let has = |key| block.string(key).is_some_and(|member| !member.is_str(""));
    if block.is("redacted_thinking") {
        let is_empty = !has(BlockKey::Data);
        return is_empty.then_some(("empty redacted thinking", Applicability::Safe));
    }
    if !block.is("thinking") {
        return None;
    }
    match (has(BlockKey::Signature), block.string(BlockKey::Thinking)) {
        (true, Some(_)) => None,
        (true, None) => Some(("thinking without text", Applicability::Unsafe)),
        (false, _) if has(BlockKey::Thinking) => {
            Some(("thinking without a signature", Applicability::Unsafe))
        }
        (false, _) => Some(("empty thinking", Applicability::Safe)),
    }
}
