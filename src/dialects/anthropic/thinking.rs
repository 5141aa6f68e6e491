//! Thinking: what the provider can only take back as it gave it.

use super::{Damage, Emptied, kinds};
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::transcript::{Applicability, Code};

/// A block of thinking. One without text but with its signature is how newer models answer.
pub(super) fn block(block: Node<'_>, at: u32, emptied: &mut Emptied<'_>) {
    let has = |key: &str| {
        let member = block
            .get(key)
            .filter(|member| member.kind() == Kind::String);
        member.is_some_and(|member| !member.is_str(""))
    };
    if kinds::is(block, "redacted_thinking") {
        if !has("data") {
            emptied.cut(
                Damage::at(Code::Thinking, "redacted thinking with nothing in it", at),
                Applicability::Safe,
            );
        }
        return;
    }
    let is_text = block
        .get("thinking")
        .is_some_and(|text| text.kind() == Kind::String);
    match (has("signature"), is_text) {
        (true, true) => {}
        (true, false) => emptied.cut(
            Damage::at(Code::Thinking, "thinking without its text", at),
            Applicability::Unsafe,
        ),
        (false, _) if has("thinking") => {
            emptied.cut(
                Damage::at(Code::Thinking, "thinking without its signature", at),
                Applicability::Unsafe,
            );
        }
        (false, _) => emptied.cut(
            Damage::at(Code::Thinking, "thinking with nothing in it", at),
            Applicability::Safe,
        ),
    }
}
