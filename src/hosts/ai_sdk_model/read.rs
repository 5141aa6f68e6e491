//! One message into facts. Knows no other message.

use super::own;
use crate::dialects::piece::{MemberRef, Piece, PieceHome, Places};
use crate::dialects::placeholders;
use crate::hosts::ai_sdk_ui::read::is_only_id;
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::requests::documents::RecordedDocument;
use crate::shapes::chat;
use crate::transcript::{FactValue, Flaws, PartKind, Role, State, Transcript};

/// Members and types that messages of other interfaces have, and these do not.
const FOREIGN: &[&str] = &["tool_calls", "tool_call_id", "parts", "created"];

/// Whether a value is a message of this kind, perhaps without calls.
pub(super) fn owns(message: Node<'_>) -> bool {
    let content = message.get("content");
    let has_content = content.is_some_and(|content| match content.kind() {
        Kind::String => true,
        Kind::Array => content.items().all(|block| {
            let kind = block.string("type");
            block.is_open() || kind.is_some_and(|kind| !kind.contains('_'))
        }),
        _ => content.is_open(),
    });
    role(message).is_some() && has_content && FOREIGN.iter().all(|key| message.get(key).is_none())
}

/// Whether it has a call, a result, or an approval of a call, which shows whose messages they are.
pub(super) fn has_tools(message: Node<'_>) -> bool {
    owns(message)
        && message.items_of("content").any(|block| {
            let keys = ["toolCallId", "approvalId"];
            keys.iter().any(|key| block.get(key).is_some())
        })
}

fn role(message: Node<'_>) -> Option<Role> {
    Some(match message.get("role")?.str()?.as_ref() {
        "system" => Role::System,
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "tool" => Role::Tool,
        _ => return None,
    })
}

pub(super) fn read(message: Node<'_>, t: &mut Transcript) {
    if t.newest_mut().role == Role::HostState {
        return;
    }
    let kind = message.string("role");
    let kind = t.ids.intern(&kind.unwrap_or_default());
    let pieces = pieces(message);
    let has_result = pieces.iter().any(|piece| piece.kind == PartKind::Result);
    let event = t.newest_mut();
    event.kind = Some(kind);
    // The SDK does not send what only approves or denies calls.
    let role = role(message).filter(|role| *role != Role::Tool || has_result);
    event.role = role.unwrap_or(Role::Nobody);
    if event.state == State::Unreadable {
        return;
    }
    chat::keep_digest(message, t);
    if !documents(message).is_empty() {
        t.note_flaws(Flaws::DOCUMENT);
    }
    for piece in pieces {
        let part = piece.part(t);
        t.add_part(part);
    }
    let mut blocks = message.items_of("content");
    if blocks.any(|block| is_only_id(block, "providerOptions")) {
        t.note_flaws(Flaws::ITEM_ID);
        t.set_fact(own::ITEM, FactValue::Yes);
    }
    if message.items_of("content").any(|block| {
        let old = block.get("args").or_else(|| block.get("result"));
        old.is_some() && block.get("toolCallId").is_some()
    }) {
        t.set_fact(own::VERSION_4, FactValue::Yes);
    }
}

/// The documents of a message, also those inside results. The SDK names those without a name.
pub(super) fn documents(message: Node<'_>) -> Vec<RecordedDocument<'_>> {
    let blocks = message.items_of("content").flat_map(|block| {
        let inside = block.at(&["output", "value"]).into_iter();
        std::iter::once(block).chain(inside.flat_map(|list| list.items()))
    });
    let documents = blocks.filter(|block| {
        let kind = block.string("type").unwrap_or_default();
        let mime = block.string("mediaType").unwrap_or_default();
        ["file", "file-data", "media"].contains(&kind.as_ref())
            && !mime.is_empty()
            && !["image", "video"].iter().any(|start| mime.starts_with(start))
    });
    documents
        .map(|block| {
            let name = block.get("filename").filter(|name| !name.is_null() && !name.is_str(""));
            RecordedDocument { block, name: name.map(MemberRef::At) }
        })
        .collect()
}

fn kind_of(block: Node<'_>) -> PartKind {
    let kind = block.string("type");
    match kind.as_deref().unwrap_or_default() {
        // The SDK pairs no calls of tools that the provider runs.
        "tool-call" if is_run_by_provider(block) => PartKind::Hosted,
        "tool-call" => PartKind::Call,
        "tool-result" => PartKind::Result,
        "reasoning" | "redacted-reasoning" => PartKind::Thinking,
        "file" | "image" => PartKind::Media,
        _ => PartKind::Text,
    }
}

fn is_run_by_provider(block: Node<'_>) -> bool {
    block.get("providerExecuted").and_then(|flag| flag.as_bool()) == Some(true)
}

/// The parts of a message, one a block.
pub(super) fn pieces(message: Node<'_>) -> Vec<Piece<'_>> {
    let Some(list) = message.get_kind("content", Kind::Array) else {
        return Vec::new();
    };
    let blocks = (0_u32..).zip(list.items());
    let pieces = blocks.map(|(at, block)| Piece {
        homes: Places::One(PieceHome { list, at }),
        ..piece(message, block)
    });
    pieces.collect()
}

fn piece<'a>(message: Node<'a>, block: Node<'a>) -> Piece<'a> {
    let mut kind = kind_of(block);
    // A result in the model's own message is of a tool that the provider ran.
    if kind == PartKind::Result && role(message) == Some(Role::Assistant) {
        kind = PartKind::Hosted;
    }
    let mut piece = Piece::new(kind, 0);
    if matches!(kind, PartKind::Call | PartKind::Result | PartKind::Hosted) {
        piece.ids = Places::One(MemberRef::of(block, "toolCallId"));
        piece.names = block.get("toolName").into();
        let [newer, older] = match kind {
            PartKind::Result => ["output", "result"],
            _ => ["input", "args"],
        };
        let newer = MemberRef::of(block, newer);
        let is_newer = newer.node().is_some();
        piece.inputs = Places::One(if is_newer { newer } else { MemberRef::of(block, older) });
        let output = block.at(&["output", "value"]).or(block.get("result"));
        piece.origin = placeholders::origin(output);
    }
    piece.blank = block.get("text").is_some_and(|text| text.is_blank_str());
    piece
}
