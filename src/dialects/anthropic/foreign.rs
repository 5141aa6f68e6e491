//! Blocks and members that are none of this API, or stand where it does not take them.

use super::kinds::{By, Kind};
use super::{Damage, Manner, text_block};
use crate::json::cut::{self, Change};
use crate::json::node::Node;
use crate::json::tape;
use crate::transcript::{Code, Role};

/// A block of an unknown kind.
pub(super) fn block(block: Node<'_>, at: u32) -> Damage {
    Damage::at(
        Code::ForeignBlock,
        "a block type that the API does not have",
        at,
    )
    .with_guess(vec![as_text(block)])
}

/// A block that stands in a message of the wrong role.
pub(super) fn place(block: Node<'_>, kind: &Kind, at: u32, manner: &Manner) -> Option<Damage> {
    let said = match (kind.by, manner.role == Role::Assistant) {
        (By::Anyone, _) | (By::Assistant, true) | (By::User, false) => return None,
        (By::Assistant, false) if kind.name == "tool_use" => "tool call in a user message",
        (By::Assistant, false) if kind.name.contains("thinking") => "thinking in a user message",
        (By::Assistant, false) => "assistant block in a user message",
        (By::User, true) => "tool result in an assistant message",
        (By::Nobody, _) => "a block that is allowed only inside a tool result",
    };
    Some(Damage::at(Code::ForeignBlock, said, at).with_guess(vec![as_text(block)]))
}

/// Members that a block of this kind does not have: empty ones say nothing, of others something is given up.
pub(super) fn members(block: Node<'_>, kind: &Kind, at: u32) -> Vec<Damage> {
    let (mut empty, mut told) = (Vec::new(), Vec::new());
    for (number, (key, value)) in (0_u32..).zip(block.members()) {
        if !kind.knows(&key.text_bytes()) {
            if is_empty(value) {
                &mut empty
            } else {
                &mut told
            }
            .push(number);
        }
    }
    let mut found = Vec::new();
    if !empty.is_empty() {
        let damage = Damage::at(
            Code::ForeignBlock,
            "a block has empty fields that the API does not know",
            at,
        );
        found.push(damage.safe(cut::remove_members(block, &empty)));
    }
    if !told.is_empty() {
        let damage = Damage::at(
            Code::ForeignBlock,
            "a block has fields that the API does not know",
            at,
        );
        found.push(damage.with_guess(cut::remove_members(block, &told)));
    }
    found
}

fn is_empty(value: Node<'_>) -> bool {
    match value.kind() {
        tape::Kind::Null => true,
        tape::Kind::String => value.is_str(""),
        tape::Kind::Array => value.items().next().is_none(),
        tape::Kind::Object => value.members().next().is_none(),
        _ => false,
    }
}

/// A block of a known kind without a member that it must have.
pub(super) fn lacking(block: Node<'_>, kind: &Kind, at: u32) -> Vec<Damage> {
    let lacks = |key: &&str| block.get(key).is_none_or(|member| member.is_null());
    let missing = kind.needs.iter().any(lacks);
    missing
        .then(|| {
            Damage::at(
                Code::MalformedRecord,
                "a block without a required field",
                at,
            )
        })
        .into_iter()
        .collect()
}

/// The block as a text: its own, else as it is written.
pub(super) fn as_text(block: Node<'_>) -> Change {
    let own = ["text", "thinking", "content"]
        .iter()
        .find_map(|key| block.get(key)?.str());
    let text = own.filter(|text| !text.trim().is_empty());
    let text = text.unwrap_or_else(|| String::from_utf8_lossy(&block.raw()).into_owned().into());
    Change {
        at: block.span(),
        with: text_block(block, &text),
    }
}
