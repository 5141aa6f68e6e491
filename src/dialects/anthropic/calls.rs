//! The names of tools in calls.

use super::block::{BlockKey, ContentBlock};
use super::kinds;
use crate::json::node::Node;
use crate::transcript::{Flaws, Role};

/// The length limit for the name of a tool, in characters.
const LONGEST: usize = 200;

/// What the API may reject in the name of a tool. A text has at least as many bytes as characters, so no long name is
/// missed.
pub(super) fn name_flaw(block: &ContentBlock<'_>) -> Flaws {
    match block.string(BlockKey::Name).map(|name| name.span().len()) {
        None => Flaws::SHAPE,
        Some(length) if (3..=LONGEST + 2).contains(&length) => Flaws::NONE,
        Some(_) => Flaws::NAME,
    }
}

/// Whether a block is a call, in a message of a role that may have calls.
pub(crate) fn asks(block: Node<'_>, role: Option<Role>) -> bool {
    kinds::placed(block, role)
        .is_ok_and(|kind| matches!(kind.name, "tool_use" | "server_tool_use" | "mcp_tool_use"))
}

/// Whether the API accepts the name of a tool.
pub(crate) fn takes_name(name: &str) -> bool {
    (1..=LONGEST).contains(&name.chars().count())
}
