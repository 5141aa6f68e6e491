//! Reads content into pieces, one for each block.

use super::block::{BlockKey, ContentBlock};
use super::kinds::Hosted;
use crate::dialects::piece::{Piece, PieceHome, Places};
use crate::dialects::placeholders;
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::transcript::{Origin, PartKind};

/// The pieces of a message's content: one for each block; for a string, one without a home.
pub(crate) fn pieces(content: Node<'_>) -> Vec<Piece<'_>> {
    if content.kind() == Kind::String {
        let mut piece = Piece::new(PartKind::Text, 0);
        piece.blank = content.is_blank_str();
        return vec![piece];
    }
    let blocks = (0_u32..).zip(content.items());
    blocks
        .map(|(at, block)| {
            let mut piece = piece(&ContentBlock::of(block));
            piece.homes = Places::One(PieceHome { list: content, at });
            piece
        })
        .collect()
}

/// The piece of one block. A value that is not a block of this dialect counts as media.
pub(super) fn piece<'a>(block: &ContentBlock<'a>) -> Piece<'a> {
    let Some(kind) = block.kind else {
        return Piece::new(PartKind::Media, 0);
    };
    // The host does not answer what the provider runs itself.
    match kind.hosted {
        Some(Hosted::Call) => {
            let mut piece = call_or_result(block, PartKind::Hosted, BlockKey::Id);
            piece.inputs = Places::One(block.member(BlockKey::Input));
            return piece;
        }
        Some(Hosted::Result) => {
            return call_or_result(block, PartKind::Hosted, BlockKey::ToolUseId);
        }
        None => {}
    }
    match kind.name {
        "tool_use" => {
            let mut piece = call_or_result(block, PartKind::Call, BlockKey::Id);
            piece.inputs = Places::One(block.member(BlockKey::Input));
            piece
        }
        "tool_result" => {
            let mut piece = call_or_result(block, PartKind::Result, BlockKey::ToolUseId);
            piece.inputs = Places::One(block.member(BlockKey::Content));
            piece.status = block.get(BlockKey::IsError).filter(|flag| flag.as_bool() == Some(true));
            piece
        }
        "text" => {
            let mut piece = Piece::new(PartKind::Text, 0);
            piece.blank = block.get(BlockKey::Text).is_some_and(|text| text.is_blank_str());
            piece
        }
        "thinking" | "redacted_thinking" => Piece::new(PartKind::Thinking, 0),
        _ => Piece::new(PartKind::Media, 0),
    }
}

fn call_or_result<'a>(block: &ContentBlock<'a>, kind: PartKind, id: BlockKey) -> Piece<'a> {
    let mut piece = Piece::new(kind, 0);
    piece.ids = Places::One(block.member(id));
    piece.names = block.get(BlockKey::Name).into();
    piece
}

/// The starts of placeholders that agents write for missing results.
const INTERRUPTED: &[&str] = &["[Tool call interrupted:", "[Request interrupted"];

/// Who wrote a result, decided by its whole text. Formats whose host marks placeholders differently decide on their own.
pub(crate) fn origin(content: Node<'_>) -> Origin {
    let mut blocks = content.items();
    let only = match (blocks.next(), blocks.next()) {
        (Some(only), None) => only.get("text"),
        _ => Some(content),
    };
    let Some(text) = only.and_then(placeholders::ends_of) else {
        return Origin::Real;
    };
    let is_placeholder = placeholders::is_placeholder(&text)
        || INTERRUPTED.iter().any(|start| text.starts_with(start));
    if is_placeholder { Origin::Placeholder } else { Origin::Real }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::scan::{ScanMode, scan};

    fn kinds_and_ids(content: &str) -> Vec<(PartKind, Option<String>)> {
        let bytes = content.as_bytes();
        let tape = scan(bytes, ScanMode::Document);
        let root = Node::root(&tape, &bytes).unwrap();
        pieces(root)
            .iter()
            .map(|piece| (piece.kind, piece.id().map(|id| id.into_owned())))
            .collect()
    }

    #[test]
    fn every_block_is_a_piece_and_a_string_is_one() {
        let blocks = r#"[{"type":"text","text":"x"},{"type":"thinking","thinking":""},{"type":"tool_use","id":"a"},
            {"type":"tool_result","tool_use_id":"a"},{"type":"server_tool_use","id":"s"},
            {"type":"web_search_tool_result","tool_use_id":"s"},{"type":"image"},7]"#;
        let id = |id: &str| Some(id.to_owned());
        let wanted = [
            (PartKind::Text, None),
            (PartKind::Thinking, None),
            (PartKind::Call, id("a")),
            (PartKind::Result, id("a")),
            (PartKind::Hosted, id("s")),
            (PartKind::Hosted, id("s")),
            (PartKind::Media, None),
            (PartKind::Media, None),
        ];
        assert_eq!(kinds_and_ids(blocks), wanted);
        assert_eq!(kinds_and_ids(r#""hi""#), [(PartKind::Text, None)]);
        assert_eq!(kinds_and_ids("null"), []);
    }
}
