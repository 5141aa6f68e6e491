//! What stands inside a result.

use super::{Damage, Emptied, Manner, foreign, kinds, media, wrapped};
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::transcript::Code;

/// A result's content.
pub(super) fn result(block: Node<'_>, at: u32, manner: &Manner) -> Vec<Damage> {
    let content = block.get("content").filter(|content| !content.is_null());
    let Some(content) = content else {
        return Vec::new();
    };
    match content.kind() {
        Kind::String => Vec::new(),
        Kind::Array => list(content, at, manner),
        Kind::Object if kinds::kind(content).is_some_and(|kind| kind.in_result) => {
            let said = "tool result content is a block, not a list of blocks";
            vec![Damage::at(Code::MalformedRecord, said, at).safe(wrapped(content))]
        }
        _ => vec![Damage::at(
            Code::MalformedRecord,
            "tool result content is neither text nor a list of blocks",
            at,
        )],
    }
}

fn list(content: Node<'_>, at: u32, manner: &Manner) -> Vec<Damage> {
    let mut found = Vec::new();
    let mut emptied = Emptied::inside(content);
    for (number, block) in (0_u32..).zip(content.items()) {
        if block.kind() != Kind::Object {
            found.push(Damage::at(
                Code::MalformedRecord,
                "a block that is not an object",
                at,
            ));
            continue;
        }
        let Some(kind) = kinds::kind(block).filter(|kind| kind.in_result) else {
            let said = "a block that is not allowed inside a tool result";
            found.push(
                Damage::at(Code::ForeignBlock, said, at).with_guess(vec![foreign::as_text(block)]),
            );
            continue;
        };
        found.extend(foreign::members(block, kind, at));
        match (
            kind.name,
            block.get("text").filter(|text| text.kind() == Kind::String),
        ) {
            ("text", None) => found.push(Damage::at(
                Code::MalformedRecord,
                "text block without text",
                at,
            )),
            ("text", Some(_)) => {}
            ("image" | "document", _) => {
                let own = media::block(block, number, manner.many_images, &mut emptied);
                found.extend(own.map(|damage| Damage {
                    blocks: vec![at],
                    ..damage
                }));
            }
            _ => found.extend(foreign::lacking(block, kind, at)),
        }
    }
    found.extend(emptied.damages().into_iter().map(|damage| Damage {
        blocks: vec![at],
        ..damage
    }));
    found
}
