//! Calls: the names of their tools.

use super::block::{Block, Key};
use super::kinds;
use crate::json::node::Node;
use crate::transcript::{Flaws, Role};

/// Longest name of a tool, in characters.
const LONGEST: usize = 200;

/// What may be refused in the name of a tool. It takes at least as many bytes as characters.
pub(super) fn name_flaw(block: &Block<'_>) -> Flaws {
    match block.string(Key::Name).map(|name| name.span().len()) {
        None => Flaws::SHAPE,
        Some(length) if (3..=LONGEST + 2).contains(&length) => Flaws::NONE,
        Some(_) => Flaws::NAME,
    }
}

/// Whether a block is a call, where it may be one.
pub(crate) fn asks(block: Node<'_>, role: Option<Role>) -> bool {
    kinds::placed(block, role)
        .is_ok_and(|kind| matches!(kind.name, "tool_use" | "server_tool_use" | "mcp_tool_use"))
}

/// Whether a name of a tool is taken.
pub(crate) fn takes_name(name: &str) -> bool {
    (1..=LONGEST).contains(&name.chars().count())
}
