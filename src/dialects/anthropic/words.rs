//! Text blocks.

use super::Damage;
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::transcript::Code;

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
