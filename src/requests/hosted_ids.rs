//! The IDs of calls of tools that the provider runs must have its shape.

use super::blocks::{Blocks, Problems};
use super::{Need, RequestContext};
use crate::dialects::anthropic::hosted::{fit, is_good};
use crate::dialects::anthropic::kinds::{self, Hosted};
use crate::json::alike::ObjectLayout;
use crate::json::cut;
use crate::json::node::Node;
use crate::transcript::{Applicability, Code, Diagnostic, Flaws, Role};

pub(crate) const NEED: Need =
    Need { name: "hosted_ids", reports: &[Code::BadCallId, Code::MissingCallId], check };

fn check(cx: &RequestContext<'_>) -> Vec<Diagnostic> {
    cx.in_blocks(Flaws::HOSTED_ID, of_blocks)
}

/// Reports bad IDs. The fix gives the call and its result in one message another ID.
fn of_blocks(blocks: &Blocks<'_>, problems: &mut Problems<'_>) {
    if blocks.role != Some(Role::Assistant) {
        return;
    }
    let named: Vec<Node<'_>> = blocks
        .list
        .items()
        .filter(|block| kinds::hosted(*block) == Some(Hosted::Result))
        .filter_map(|result| result.get("tool_use_id"))
        .collect();
    for (_, block) in blocks.sent().filter(|(_, block)| kinds::is(*block, "server_tool_use")) {
        let Some((member, id)) = block.get("id").and_then(|id| Some((id, id.str()?))) else {
            let message = "server tool call without an ID";
            problems.add(Code::MissingCallId, message, Applicability::Manual, Vec::new());
            continue;
        };
        if is_good(&id) {
            continue;
        }
        let own = named.iter().filter(|result| result.is_str(&id));
        let places: Vec<&Node<'_>> = std::iter::once(&member).chain(own).collect();
        let new = ObjectLayout::of(&block.raw()).quote(&fit(&id));
        let new = String::from_utf8_lossy(&new);
        // With exactly one result, both get the new ID; else nobody can say what belongs together.
        let (applicability, changes) = if places.len() == 2 && !id.is_empty() {
            (Applicability::Safe, places.iter().map(|place| cut::replace(**place, &new)).collect())
        } else {
            (Applicability::Manual, Vec::new())
        };
        let message =
            "the ID of a server tool call has other characters than letters, digits, _ and -";
        problems.add(Code::BadCallId, message, applicability, changes);
    }
}
