//! Calls: their arguments and the names of their tools.

use super::Damage;
use super::block::{Block, Key};
use crate::json::alike::ObjectLayout;
use crate::json::cut;
use crate::json::node::Node;
use crate::transcript::{Code, Flaws};

/// Longest name of a tool, in characters.
const LONGEST: usize = 200;
/// What is left of a name that must be made anew.
const MADE: usize = 64;

/// What may be refused in the name of a tool. It takes at least as many bytes as characters.
pub(super) fn name_flaw(block: &Block<'_>) -> Flaws {
    match block.string(Key::Name).map(|name| name.span().len()) {
        None => Flaws::SHAPE,
        Some(length) if (3..=LONGEST + 2).contains(&length) => Flaws::NONE,
        Some(_) => Flaws::NAME,
    }
}

/// The name of a tool.
pub(super) fn name(block: Node<'_>, at: u32) -> Option<Damage> {
    let Some((member, name)) = block.get("name").and_then(|name| Some((name, name.str()?))) else {
        return Some(Damage::at(
            Code::MalformedRecord,
            "tool call without a tool name",
            at,
        ));
    };
    let fits = |name: &str| (1..=LONGEST).contains(&name.chars().count());
    if fits(&name) {
        return None;
    }
    let damage = Damage::at(Code::BadToolName, "tool name that the provider rejects", at);
    let layout = ObjectLayout::of(&block.raw());
    let set = |name: &str| {
        vec![cut::replace(
            member,
            &String::from_utf8_lossy(&layout.quote(name)),
        )]
    };
    if fits(name.trim()) {
        return Some(damage.safe(set(name.trim())));
    }
    let fitting = |c: char| {
        if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') {
            c
        } else {
            '_'
        }
    };
    let made: String = name.trim().chars().map(fitting).take(MADE).collect();
    Some(damage.with_guess(set(if made.is_empty() { "unknown" } else { &made })))
}
