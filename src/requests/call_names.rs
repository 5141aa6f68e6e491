//! The names of tools in messages must not be too long. Their characters do not matter.

use super::blocks::{Blocks, Problems};
use super::{Need, RequestContext};
use crate::dialects::anthropic::calls::{asks, takes_name};
use crate::json::alike::ObjectLayout;
use crate::json::cut;
use crate::transcript::{Applicability, Code, Diagnostic, Flaws};

pub(crate) const NEED: Need = Need { name: "call_names", reports: &[Code::BadToolName], check };

/// The length to which a long name is cut.
const MADE: usize = 64;

fn check(cx: &RequestContext<'_>) -> Vec<Diagnostic> {
    cx.in_blocks(Flaws::NAME, of_blocks)
}

fn of_blocks(blocks: &Blocks<'_>, problems: &mut Problems<'_>) {
    for (_, block) in blocks.sent().filter(|(_, block)| asks(*block, blocks.role)) {
        let Some((member, name)) = block.get("name").and_then(|name| Some((name, name.str()?)))
        else {
            continue;
        };
        if takes_name(&name) {
            continue;
        }
        let (new, applicability) = fitting(name.trim());
        let new = ObjectLayout::of(&block.raw()).quote(&new);
        let change = cut::replace(member, &String::from_utf8_lossy(&new));
        let message = if name.is_empty() {
            "tool call without a tool name"
        } else {
            "tool name that is too long"
        };
        problems.add(Code::BadToolName, message, applicability, vec![change]);
    }
}

/// A name that the API accepts, and whether the change is safe.
fn fitting(name: &str) -> (String, Applicability) {
    if takes_name(name) {
        return (name.to_owned(), Applicability::Safe);
    }
    if name.is_empty() {
        return ("unknown".to_owned(), Applicability::Unsafe);
    }
    let made = name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' });
    (made.take(MADE).collect(), Applicability::Unsafe)
}
