//! Messages of the Anthropic API: their content as pieces, and what may be wrong with a single block.

mod block;
pub(crate) mod calls;
pub(crate) mod hosted;
pub(crate) mod kinds;
pub(crate) mod media;
mod pieces;
mod thinking;

use crate::json::alike::ObjectLayout;
use crate::json::cut::{ArrayItem, RecordChange, arrange};
use crate::json::node::Node;

pub(crate) use block::look;
pub(crate) use media::media_type;
pub(crate) use pieces::{origin, pieces};
pub(crate) use thinking::thinking_flaw;

/// The changes that leave one text block in a list, in the layout of its first block.
pub(crate) fn only_text(list: Node<'_>, text: &str) -> Vec<RecordChange> {
    let block = match list.items().next() {
        Some(first) => text_block(first, text),
        None => text_block(list, text),
    };
    arrange(list, &[ArrayItem::New(block)])
}

/// A text block in the layout of this one.
pub(crate) fn text_block(like: Node<'_>, text: &str) -> Vec<u8> {
    let layout = ObjectLayout::of(&like.raw());
    layout.object(&[("type", layout.quote("text")), ("text", layout.quote(text))])
}
