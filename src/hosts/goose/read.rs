//! One record into facts. Knows no other record.

use super::own;
use crate::dialects::piece::{ArgumentsForm, MemberRef, Piece, PieceHome, Places};
use crate::dialects::placeholders;
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::shapes::chat;
use crate::transcript::{FactValue, PartKind, Role, State, Transcript};

/// The first line of a session: where it was started, and no message.
pub(super) fn is_header(record: Node<'_>) -> bool {
    record.get("working_dir").is_some() && record.get("role").is_none()
}

/// A message says when it was created, in seconds, and the types of its blocks are in camel case. Messages of other
/// interfaces that say the same have calls next to the content, or blocks like `tool_use`.
pub(super) fn is_message(record: Node<'_>) -> bool {
    let speaks =
        record.get("role").is_some_and(|role| role.is_str("user") || role.is_str("assistant"));
    let created = record.integer("created");
    let content = record.get_kind("content", Kind::Array);
    speaks
        && created.is_some()
        && content.is_some_and(|content| {
            content.items().all(|block| {
                let kind = block.string("type");
                block.is_open() || kind.is_some_and(|kind| !kind.contains('_'))
            })
        })
        && !(record.get("tool_calls").is_some() || record.get("tool_call_id").is_some())
}

/// Whether a JSON value is a record.
pub(super) fn owns(record: Node<'_>) -> bool {
    is_header(record) || is_message(record)
}

/// Reads a header, a message, or the document around the messages.
pub(super) fn read(record: Node<'_>, t: &mut Transcript) {
    if t.newest_mut().role == Role::HostState || is_header(record) {
        t.set_fact(own::HEADER, FactValue::Yes);
        let kind = t.ids.intern("header");
        let event = t.newest_mut();
        event.kind = Some(kind);
        if event.role != Role::HostState {
            event.role = Role::Nobody;
        }
        return;
    }
    let role = record.get("role");
    let role = match role {
        Some(role) if role.is_str("assistant") => Role::Assistant,
        Some(role) if role.is_str("user") => Role::User,
        // Messages of any other role are skipped.
        _ => Role::Nobody,
    };
    let created = record.integer("created");
    let event = t.newest_mut();
    event.role = role;
    event.set_time(created.and_then(|seconds| seconds.checked_mul(1_000_000)));
    if event.state == State::Unreadable {
        return;
    }
    chat::keep_digest(record, t);
    let visible = record.at(&["metadata", "agentVisible"]);
    if visible.and_then(|visible| visible.as_bool()) == Some(false) {
        t.set_fact(own::HIDDEN, FactValue::Yes);
    }
    for piece in pieces(record) {
        let part = piece.part(t);
        t.add_part(part);
        t.note_flaws(piece.input_flaw(ArgumentsForm::Object));
    }
}

/// The parts of a message, one a block.
pub(super) fn pieces(message: Node<'_>) -> Vec<Piece<'_>> {
    let Some(list) = message.get("content") else {
        return Vec::new();
    };
    (0_u32..)
        .zip(list.items())
        .map(|(at, block)| Piece { homes: Places::One(PieceHome { list, at }), ..piece(block) })
        .collect()
}

fn piece(block: Node<'_>) -> Piece<'_> {
    let kind = block.string("type");
    let kind = match kind.as_deref().unwrap_or_default() {
        // A frontend runs the tool of the second one; it is answered as any other.
        "toolRequest" | "frontendToolRequest" => PartKind::Call,
        "toolResponse" => PartKind::Result,
        "text" => PartKind::Text,
        "thinking" | "redactedThinking" => PartKind::Thinking,
        _ => PartKind::Media,
    };
    let mut piece = Piece::new(kind, 0);
    match kind {
        PartKind::Call => {
            piece.ids = Places::One(MemberRef::of(block, "id"));
            // A call that could not be parsed has an error in place of its value.
            let value = block.at(&["toolCall", "value"]);
            piece.names = value.and_then(|value| value.get("name")).into();
            piece.inputs = value.map(|value| MemberRef::of(value, "arguments")).into();
            piece.takes_any_input = value.is_none();
        }
        PartKind::Result => {
            piece.ids = Places::One(MemberRef::of(block, "id"));
            piece.inputs = Places::One(MemberRef::of(block, "toolResult"));
            piece.status = block.at(&["toolResult", "status"]);
            piece.origin = placeholders::origin(block.at(&["toolResult", "error"]));
        }
        PartKind::Text => {
            piece.blank = block.get("text").is_some_and(|text| text.is_blank_str());
        }
        _ => {}
    }
    piece
}
