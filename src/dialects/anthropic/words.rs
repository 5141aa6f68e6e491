//! Texts that are empty, or white space only.

use super::{Damage, Manner, NO_CONTENT, kinds, only_text};
use crate::json::alike::ObjectLayout;
use crate::json::cut;
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::transcript::Code;

/// Content that is a string.
pub(super) fn string(content: Node<'_>, manner: &Manner) -> Option<Damage> {
    if !content.is_blank_str() || (manner.may_be_empty && content.is_str("")) {
        return None;
    }
    let quoted = ObjectLayout::of(&content.raw()).quote(NO_CONTENT);
    let text = cut::replace(content, &String::from_utf8_lossy(&quoted));
    Some(Damage {
        empties: true,
        ..Damage::new(Code::EmptyContent, "message without content").safe(vec![text])
    })
}

/// A text block whose text is none.
pub(super) fn text(block: Node<'_>, at: u32) -> Vec<Damage> {
    let is_text = block
        .get("text")
        .is_some_and(|text| text.kind() == Kind::String);
    if is_text {
        Vec::new()
    } else {
        vec![Damage::at(
            Code::MalformedRecord,
            "text block without text",
            at,
        )]
    }
}

/// The blank texts of a list, and a list with nothing in it.
pub(super) fn list(content: Node<'_>, manner: &Manner) -> Option<Damage> {
    let (mut blank, mut empty, mut count) = (Vec::new(), Vec::new(), 0_usize);
    for (at, block) in (0_u32..).zip(content.items()) {
        count += 1;
        let text = Some(block)
            .filter(|block| kinds::is(*block, "text"))
            .and_then(|block| block.get("text"));
        let Some(text) = text.filter(|text| text.is_blank_str()) else {
            continue;
        };
        blank.push(at);
        if text.is_str("") {
            empty.push(at);
        }
    }
    if count == 0 {
        let damage = Damage::new(Code::EmptyContent, "message without content");
        let filled = || Damage {
            empties: true,
            ..damage.safe(only_text(content, NO_CONTENT))
        };
        return (!manner.may_be_empty).then(filled);
    }
    let nothing_else = blank.len() == count;
    let refused = if manner.takes_blank && !nothing_else {
        empty
    } else {
        blank
    };
    if refused.is_empty() {
        return None;
    }
    let changes = if nothing_else {
        only_text(content, NO_CONTENT)
    } else {
        cut::remove_members(content, &refused)
    };
    let damage = Damage::new(Code::EmptyContent, "blank text block").safe(changes);
    Some(Damage {
        blocks: refused,
        empties: nothing_else,
        ..damage
    })
}
