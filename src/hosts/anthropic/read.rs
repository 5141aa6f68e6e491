//! Reads one message into facts, without knowing others.

use super::{layout, own};
use crate::dialects::MemberRef;
use crate::dialects::anthropic::{kinds, look, origin};
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::shapes::chat;
use crate::transcript::{FactValue, Flaws, PartId, PartKind, Role, State, Transcript, facts};

/// Members of a message that the API accepts.
const TAKEN: &[&str] = &["role", "content"];
/// Members of a response. Programs that store whole responses strip them before they send them.
const OF_RESPONSE: &[&str] = &["id", "type", "model", "stop_reason", "stop_sequence", "usage"];

/// Longer white space between two members is not copied.
const MOST_BLANK: u32 = 4096;

/// Reads a message, or the document around the list.
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
    let role = role(node, t);
    t.newest_mut().role = role;
    let content = node.get("content");
    if role == Role::System && is_directive(node) {
        t.set_fact(own::DIRECTIVE, FactValue::Yes);
        return;
    }
    if let Some(content) = content {
        let look = look(content, role);
        for piece in &look.pieces {
            let mut part = piece.part(t);
            if part.kind == PartKind::Result {
                let content = piece.inputs.first().and_then(MemberRef::node);
                part.origin = content.map_or(part.origin, origin);
            }
            t.add_part(part);
        }
        look.note(t);
    } else {
        t.note_flaws(Flaws::SHAPE);
    }
    // Members that requests do not have; several of a response mean that it was stored as it came.
    if node.members().any(|(key, _)| !TAKEN.iter().any(|taken| key.is_str(taken))) {
        let of_response = OF_RESPONSE.iter().filter(|key| node.get(key).is_some()).count();
        t.set_text(own::MODEL, node.get("model"));
        t.set_fact(if of_response > 1 { own::RESPONSE } else { own::EXTRA }, FactValue::Yes);
    }
}

/// Whether a system message only changes the settings: newer clients write one where the effort changes.
fn is_directive(message: Node<'_>) -> bool {
    let is_empty = message.items_of("content").next().is_none()
        && message.get("content").is_some_and(|content| content.kind() == Kind::Array);
    is_empty && message.get("output_config").is_some()
}

/// The role: the recorded one, or else that of the blocks, or else the user's until the neighbors are known.
fn role(node: Node<'_>, t: &mut Transcript) -> Role {
    let written = node.string("role");
    match written.as_deref() {
        Some("assistant") => return Role::Assistant,
        Some("user") => return Role::User,
        Some("system") => return Role::System,
        Some(_) => {
            t.set_fact(own::BAD_ROLE, FactValue::Yes);
            return Role::User;
        }
        None => {}
    }
    t.set_fact(own::NO_ROLE, FactValue::Yes);
    let mut may_be = [false, false];
    for kind in node.items_of("content").filter_map(kinds::kind) {
        may_be[0] |= kind.allowed_in == kinds::AllowedIn::Assistant;
        may_be[1] |= kind.allowed_in == kinds::AllowedIn::User;
    }
    let decided = match may_be {
        [true, false] => Role::Assistant,
        [false, true] => Role::User,
        _ => return Role::User,
    };
    t.set_fact(own::BLOCKS_DECIDE, FactValue::Yes);
    decided
}

/// The document around the list.
fn state(node: Node<'_>, t: &mut Transcript) {
    let Some(found) = layout::body(node) else {
        return;
    };
    let body = found.body;
    t.set_text(own::MODEL, body.get("model"));
    if body.get("system").is_some_and(|system| !system.is_null()) {
        t.set_fact(own::SYSTEM, FactValue::Yes);
    }
    let marks = ["tools", "system"].into_iter().flat_map(|key| body.items_of(key)).chain([body]);
    let marks =
        marks.filter(|holder| holder.get("cache_control").is_some_and(|mark| !mark.is_null()));
    let marks = i64::try_from(marks.count()).unwrap_or(i64::MAX);
    if marks > 0 {
        t.set_fact(facts::MARKS, FactValue::Number(marks));
    }
    if let Some((key, _)) = body.entry("messages") {
        let start = key.span().start;
        let before = key.bytes(start.saturating_sub(MOST_BLANK), start);
        let blank = before.iter().rev().take_while(|byte| byte.is_ascii_whitespace()).count();
        t.set_fact(own::LIST_KEY, FactValue::Number(i64::from(start)));
        t.set_fact(own::LIST_LEAD, FactValue::Number(i64::try_from(blank).unwrap_or(0)));
    }
}

/// Whether a part counts for the API: a call in an assistant message or a result in a user message.
pub(super) fn counts_as_pair(t: &Transcript, part: PartId) -> bool {
    let part = t.part(part);
    let role = t.event(part.event).role;
    match part.kind {
        PartKind::Call => role == Role::Assistant,
        PartKind::Result => role == Role::User,
        _ => true,
    }
}
