//! Reads one message into facts, without knowing others.

use super::own;
use crate::dialects::converse::{self, KEYS};
use crate::dialects::piece::{ArgumentsForm, Piece};
use crate::json::cut::{self, RecordChange};
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::shapes::chat::{self, diagnostics};
use crate::transcript::{
    Applicability, Code, FactValue, Flaws, PartId, PartKind, Role, State, Transcript,
};

/// Whether a JSON value is a message, on its own or in a file of Strands.
pub(super) fn owns(node: Node<'_>) -> bool {
    converse::owns(message(node))
}

/// The message of a record: the record itself, or what Strands sends instead.
pub(super) fn message(record: Node<'_>) -> Node<'_> {
    let Some(message) = record.get("message") else {
        return record;
    };
    record.get_kind("redact_message", Kind::Object).unwrap_or(message)
}

/// Reads a message, or the host's state.
pub(super) fn read(node: Node<'_>, t: &mut Transcript) {
    let event = t.newest_mut();
    if event.role == Role::HostState {
        state(node, t);
        return;
    }
    if event.state == State::Unreadable {
        return;
    }
    chat::keep_digest(node, t);
    if let Some(number) = node.integer("message_id") {
        t.set_fact(own::NUMBER, FactValue::Number(number));
    }
    let message = message(node);
    let role = message.string("role").unwrap_or_default();
    let kind = t.ids.intern(&role);
    let role = match role.as_ref() {
        "assistant" => Role::Assistant,
        "user" => Role::User,
        "system" => Role::System,
        _ => {
            diagnostics::report(t, Code::MalformedRecord, "message without a valid role");
            Role::User
        }
    };
    let event = t.newest_mut();
    (event.kind, event.role) = (Some(kind), role);
    let pieces = converse::pieces(message);
    for piece in &pieces {
        let part = piece.part(t);
        t.add_part(part);
        t.note_flaws(piece.input_flaw(ArgumentsForm::Object));
    }
    content(message, &pieces, t);
    // Pieces and blocks are in one order: a piece is made of each block.
    for (piece, block) in pieces.iter().zip(message.items_of("content")) {
        match piece.kind {
            PartKind::Call => call(block, role, t),
            PartKind::Result => result(block, t),
            PartKind::Media if block.get("document").is_some() => t.note_flaws(Flaws::DOCUMENT),
            _ => {}
        }
        foreign(block, t);
    }
}

/// The document around the list, or `agent.json` of Strands.
fn state(node: Node<'_>, t: &mut Transcript) {
    let is_log = node.get("schemaType").is_some();
    if let Some(model) = node.get("modelId") {
        t.set_fact(own::REQUEST, FactValue::Yes);
        t.set_text(own::MODEL, Some(model));
    } else if is_log {
        t.set_fact(own::REQUEST, FactValue::Yes);
    }
    if let Some(id) = node.get("agent_id").or_else(|| node.get("requestId")).and_then(|id| id.str())
    {
        let id = t.ids.intern(&id);
        t.set_fact(own::SESSION, FactValue::Text(id));
    }
    let Some(manager) = node.get("conversation_manager_state") else {
        return;
    };
    if let Some(removed) = manager.integer("removed_message_count") {
        t.set_fact(own::REMOVED, FactValue::Number(removed));
    }
    if manager.has_kind("summary_message", Kind::Object) {
        t.set_fact(own::SUMMARY, FactValue::Yes);
    }
}

/// Notes blank texts and empty content.
fn content(message: Node<'_>, pieces: &[Piece<'_>], t: &mut Transcript) {
    let Some(list) = message.get("content") else {
        diagnostics::report(t, Code::MalformedRecord, "message without content");
        return;
    };
    let is_empty = list.kind() == Kind::Array && pieces.is_empty();
    if is_empty || pieces.iter().any(|piece| piece.kind == PartKind::Text && piece.blank) {
        t.note_flaws(Flaws::EMPTY);
    }
}

fn call(block: Node<'_>, role: Role, t: &mut Transcript) {
    let Some(call) = block.get("toolUse") else {
        return;
    };
    if role == Role::User {
        diagnostics::report(t, Code::ForeignBlock, "tool call in a user message");
    }
    if !call.has_kind("name", Kind::String) {
        diagnostics::report(t, Code::MalformedRecord, "tool call without a tool name");
    }
}

fn result(block: Node<'_>, t: &mut Transcript) {
    let Some(result) = block.get("toolResult") else {
        return;
    };
    let is_error = result.has_str("status", "error");
    if let Some(status) = result.get("status")
        && !is_error
        && !status.is_str("success")
    {
        diagnostics::report(
            t,
            Code::MalformedRecord,
            "tool result status is neither success nor error",
        );
    }
    // The order of these arms matters: an error without content is noted, not repaired.
    match result.get("content") {
        Some(content) if content.kind() == Kind::String => {
            let change = cut::replace(
                content,
                &format!("[{{\"text\": {}}}]", String::from_utf8_lossy(&content.raw())),
            );
            diagnostics::report_fixed(
                t,
                Code::MalformedRecord,
                "tool result content is a string, not a list of blocks",
                vec![change],
                Applicability::Safe,
            );
        }
        content if is_error && content.is_none_or(|content| content.items().next().is_none()) => {
            t.note_flaws(Flaws::EMPTY_ERROR);
        }
        None => {
            let change = cut::insert_member(result, Some("toolUseId"), "content", "[]");
            diagnostics::report_fixed(
                t,
                Code::MalformedRecord,
                "tool result without content",
                vec![change],
                Applicability::Safe,
            );
        }
        Some(content) => {
            if content.items().any(|block| block.get("document").is_some()) {
                t.note_flaws(Flaws::DOCUMENT);
            }
            let json = content.items().filter_map(|block| block.get("json"));
            if json.into_iter().any(|json| json.kind() != Kind::Object) {
                diagnostics::report(
                    t,
                    Code::MalformedRecord,
                    "`json` of a tool result is not an object",
                );
            }
        }
    }
}

/// Notes blocks of other APIs.
fn foreign(block: Node<'_>, t: &mut Transcript) {
    let known =
        block.members().filter(|(key, _)| KEYS.iter().any(|known| key.is_str(known))).count();
    let all = block.members().count();
    if known == 1 && all == 1 {
        return;
    }
    let kind = block.members().position(|(key, _)| key.is_str("type"));
    let changes: Vec<RecordChange> = match kind.filter(|_| known == 1 && all == 2) {
        Some(at) => cut::remove_members(block, &[at as u32]),
        None => Vec::new(),
    };
    let applicability =
        if changes.is_empty() { Applicability::Manual } else { Applicability::Safe };
    diagnostics::report_fixed(
        t,
        Code::ForeignBlock,
        "a block type that the API does not have",
        changes,
        applicability,
    );
}

/// Whether a part counts for pairing. A call in a user message does not: it is reported as misplaced.
pub(super) fn counts_as_pair(t: &Transcript, part: PartId) -> bool {
    let part = t.part(part);
    part.kind != PartKind::Call || t.event(part.event).role == Role::Assistant
}
