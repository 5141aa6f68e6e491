//! Turns one record into facts, without looking at other records.

use super::{layout, message, own, void};
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::shapes::chat::diagnostics;
use crate::transcript::{FactValue, Role, State, Transcript, facts};

/// Reads a record, or the rest of one; or the document around the messages of an older chat.
pub(super) fn read(node: Node<'_>, t: &mut Transcript) {
    let event = t.newest_mut();
    if event.role == Role::HostState {
        header(node, t);
        return;
    }
    // The ID still shows which message the rest was.
    if event.state == State::Unreadable {
        let id = node.string("id").map(|id| t.ids.intern(&id));
        t.newest_mut().id = id;
        return;
    }
    let is_message = node.has_kind("id", Kind::String)
        || (node.has_kind("type", Kind::String) && node.get("content").is_some());
    if let Some(to) = layout::rewinds(node).and_then(|to| to.str()) {
        let to = t.ids.intern(&to);
        t.set_fact(own::REWINDS, FactValue::Text(to));
    } else if is_message {
        self::message(node, t);
    } else if let Some(set) = node.get_kind("$set", Kind::Object) {
        if let Some(messages) = set.get_kind("messages", Kind::Array) {
            t.set_fact(own::REPLACES, FactValue::Yes);
            header(set, t);
            inner(messages, "/$set/messages", t);
        } else {
            header(set, t);
        }
    } else if layout::is_header(node) {
        header(node, t);
        if let Some(messages) = node.get("messages") {
            inner(messages, "/messages", t);
        }
    } else {
        diagnostics::unknown(t);
    }
}

/// The client writes this when the user stops a response.
const CANCELLED: &str = "Request cancelled.";

/// Notes the session and the project.
fn header(node: Node<'_>, t: &mut Transcript) {
    for (key, name) in [("sessionId", own::SESSION), ("projectHash", own::PROJECT)] {
        t.set_text(name, node.get(key).filter(|text| !text.is_blank_str()));
    }
}

/// Reads the messages inside a record. Those without an ID are skipped.
fn inner(list: Node<'_>, pointer: &str, t: &mut Transcript) {
    let holder = t.newest();
    for (number, item) in list.items().enumerate().filter(|(_, item)| !item.is_open()) {
        if item.has_kind("id", Kind::String) {
            t.begin_within(holder, item.span(), &format!("{pointer}/{number}"));
            message(item, t);
        }
    }
}

fn message(node: Node<'_>, t: &mut Transcript) {
    let id = node.string("id").map(|id| t.ids.intern(&id));
    let kind = node.string("type").unwrap_or_default();
    let time = node.string("timestamp").and_then(|time| crate::transcript::time::parse(&time));
    let role = match kind.as_ref() {
        "user" => Role::User,
        "gemini" => Role::Assistant,
        _ => Role::Nobody,
    };
    let known = layout::TYPES.contains(&kind.as_ref());
    let kind = t.ids.intern(&kind);
    let event = t.newest_mut();
    (event.id, event.kind, event.role) = (id, Some(kind), role);
    event.set_time(time);
    if !known {
        diagnostics::unknown(t);
    }
    // Notes of the host are not sent; some of them say how a turn ended.
    if role == Role::Nobody {
        if node.has_str("content", CANCELLED) {
            t.set_fact(facts::STOPPED, FactValue::Yes);
        }
        if node.has_str("type", "error") {
            t.set_fact(facts::FAILURE, FactValue::Yes);
        }
        return;
    }
    if role == Role::User && message::is_skipped(node) {
        t.set_fact(own::SKIPPED, FactValue::Yes);
    }
    let parts = message::parts(node);
    for placed in &parts {
        let part = placed.piece.part(t);
        t.add_part(part);
    }
    let by_model = message::is_gemini(node);
    if parts.iter().any(|placed| placed.is_misplaced(by_model)) {
        t.set_fact(own::MISPLACED, FactValue::Yes);
    }
    if let Some(void) = void::fact(node) {
        t.set_fact(own::VOID, void);
    }
    t.set_fact(own::OWN, FactValue::Number(message::own_parts(&parts) as i64));
}
