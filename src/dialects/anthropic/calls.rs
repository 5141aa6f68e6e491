//! Calls: their arguments and the names of their tools.

use super::block::{Block, Key};
use super::{Damage, Manner};
use crate::dialects::piece::is_object_text;
use crate::json::alike::ObjectLayout;
use crate::json::cut;
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::transcript::{Code, Flaws};

/// Longest name of a tool, in characters.
const LONGEST: usize = 200;
/// What is left of a name that must be made anew.
const MADE: usize = 64;

/// What may be refused in a call. A name takes at least as many bytes as characters.
pub(super) fn flaws(block: &Block<'_>) -> Flaws {
    let mut flaws = Flaws::NONE;
    if (block.get(Key::Input)).is_none_or(|input| input.kind() != Kind::Object) {
        flaws |= Flaws::INPUT;
    }
    match block.string(Key::Name).map(|name| name.span().len()) {
        None => flaws |= Flaws::SHAPE,
        Some(length) if (3..=LONGEST + 2).contains(&length) => {}
        Some(_) => flaws |= Flaws::NAME,
    }
    flaws
}

/// A call of a tool that the host runs.
pub(super) fn call(block: Node<'_>, at: u32, manner: &Manner<'_>) -> Vec<Damage> {
    input(block, at, (manner.answered)(at))
        .into_iter()
        .chain(name(block, at))
        .collect()
}

/// A call of a tool that the provider runs: its result is its own matter.
pub(super) fn hosted(block: Node<'_>, at: u32) -> Vec<Damage> {
    input(block, at, true)
        .into_iter()
        .chain(name(block, at))
        .collect()
}

fn input(block: Node<'_>, at: u32, answered: bool) -> Option<Damage> {
    let missing = |change| {
        let damage = Damage::at(Code::MissingInput, "a call without arguments", at);
        Some(if answered {
            damage.safe(vec![change])
        } else {
            damage.with_guess(vec![change])
        })
    };
    let Some(input) = block.get("input") else {
        let after = if block.get("name").is_some() {
            "name"
        } else {
            "id"
        };
        return missing(cut::insert_member(block, Some(after), "input", "{}"));
    };
    match input.kind() {
        Kind::Object => None,
        Kind::Null => missing(cut::replace(input, "{}")),
        _ => {
            let damage = Damage::at(
                Code::BadInput,
                "the arguments of a call are not a JSON object",
                at,
            );
            if let Some(object) = input.str().filter(|text| is_object_text(text)) {
                // Outside of its strings a line feed is white space, and inside it is escaped.
                let object = object.trim().replace(['\n', '\r'], " ");
                return Some(damage.safe(vec![cut::replace(input, &object)]));
            }
            let raw = ObjectLayout::of(&block.raw()).object(&[("_raw", input.raw().into_owned())]);
            Some(damage.with_guess(vec![cut::replace(input, &String::from_utf8_lossy(&raw))]))
        }
    }
}

fn name(block: Node<'_>, at: u32) -> Option<Damage> {
    let Some((member, name)) = block.get("name").and_then(|name| Some((name, name.str()?))) else {
        return Some(Damage::at(
            Code::MalformedRecord,
            "a call without the name of its tool",
            at,
        ));
    };
    let fits = |name: &str| (1..=LONGEST).contains(&name.chars().count());
    if fits(&name) {
        return None;
    }
    let damage = Damage::at(
        Code::BadToolName,
        "a tool's name that the provider refuses",
        at,
    );
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
