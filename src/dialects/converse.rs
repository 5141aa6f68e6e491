//! Messages of the Bedrock Converse API. A block is an object with one key, which is its type.

use super::piece::{MemberRef, Piece, PieceHome, Places};
use super::placeholders;
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::transcript::{Origin, PartKind};

/// The keys of blocks.
pub(crate) const KEYS: &[&str] = &[
    "text",
    "image",
    "document",
    "video",
    "audio",
    "toolUse",
    "toolResult",
    "guardContent",
    "cachePoint",
    "reasoningContent",
    "citationsContent",
    "searchResult",
    "toolAddition",
    "toolRemoval",
];

/// The key of a block; `None` if it is not a block of this dialect.
pub(crate) fn key_of(block: Node<'_>) -> Option<&'static str> {
    if block.kind() != Kind::Object || block.get("type").is_some() {
        return None;
    }
    let mut known =
        block.members().filter_map(|(key, _)| KEYS.iter().find(|known| key.is_str(known)));
    let first = known.next().copied();
    if known.next().is_none() { first } else { None }
}

/// Whether a value is a message of this dialect. One with an empty content list is not.
pub(crate) fn owns(message: Node<'_>) -> bool {
    let role =
        message.get("role").is_some_and(|role| role.is_str("user") || role.is_str("assistant"));
    let Some(content) = message.get("content").filter(|_| role) else {
        return false;
    };
    content.kind() == Kind::Array
        && content.items().next().is_some()
        && content.items().all(|block| {
            !block.is_open()
                && block.kind() == Kind::Object
                && block.get("type").is_none()
                && KEYS.iter().any(|key| block.get(key).is_some())
        })
}

/// Whether a cut-off value is the start of a message of this dialect: its first block is incomplete, but of a kind that only
/// this dialect has.
pub(crate) fn begins(message: Node<'_>) -> bool {
    let block = message.get("content").and_then(|content| content.items().next());
    message.is_open()
        && block.is_some_and(|block| {
            block.is_open()
                && key_of(block).is_some_and(|key| {
                    ["toolUse", "toolResult", "cachePoint", "reasoningContent"].contains(&key)
                })
        })
}

/// The parts of a message, one for each block.
pub(crate) fn pieces(message: Node<'_>) -> Vec<Piece<'_>> {
    let Some(content) = message.get("content") else {
        return Vec::new();
    };
    let blocks = (0_u32..).zip(content.items());
    blocks
        .map(|(at, block)| {
            let mut piece = piece(block);
            piece.homes = Places::One(PieceHome { list: content, at });
            piece
        })
        .collect()
}

/// The piece of a block.
pub(crate) fn piece(block: Node<'_>) -> Piece<'_> {
    if let Some(call) = block.get("toolUse") {
        let mut piece = Piece::new(PartKind::Call, 0);
        piece.ids = Places::One(MemberRef::of(call, "toolUseId"));
        piece.names = call.get("name").into();
        piece.inputs = Places::One(MemberRef::of(call, "input"));
        return piece;
    }
    if let Some(result) = block.get("toolResult") {
        let mut piece = Piece::new(PartKind::Result, 0);
        piece.ids = Places::One(MemberRef::of(result, "toolUseId"));
        piece.inputs = Places::One(MemberRef::of(result, "content"));
        piece.status = result.get("status");
        piece.origin = origin(result);
        return piece;
    }
    if let Some(text) = block.get("text") {
        let mut piece = Piece::new(PartKind::Text, 0);
        piece.blank = text.is_blank_str();
        return piece;
    }
    let is_thinking = block.get("reasoningContent").is_some();
    Piece::new(if is_thinking { PartKind::Thinking } else { PartKind::Media }, 0)
}

/// The documents of a message, each with the object that holds its name, also those inside results.
pub(crate) fn documents(message: Node<'_>) -> impl Iterator<Item = (Node<'_>, Node<'_>)> {
    let blocks = message.items_of("content").flat_map(|block| {
        let result = block.get("toolResult").into_iter();
        std::iter::once(block).chain(result.flat_map(|result| result.items_of("content")))
    });
    blocks.filter_map(|block| Some((block, block.get_kind("document", Kind::Object)?)))
}

fn origin(result: Node<'_>) -> Origin {
    let mut blocks = result.items_of("content");
    let (first, second) = (blocks.next(), blocks.next());
    let text = first.filter(|_| second.is_none()).and_then(|block| block.get("text"));
    placeholders::origin(text)
}
