//! One record into facts. Knows no other record.

use std::borrow::Cow;

use super::{content, own};
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::shapes::chat::diagnostics;
use crate::transcript::{
    Code, Effect, FactValue, Instance, LinkKind, PartKind, Role, State, Transcript, facts, time,
};

/// Subtypes of `system` records that are not links of the chain.
const BESIDE: &[&str] = &[
    "session_artifact_event",
    "session_artifact_snapshot",
    "session_sources_snapshot",
    "managed_session_header_v1",
    "managed_session_event_v1",
    "managed_session_commit_v1",
];
/// Subtypes of `user` records that the client writes in the user's place.
const BY_HOST: &[&str] = &["cron", "notification", "background_task_completed"];
/// Subtypes of `system` records of a chat that was copied from another one: its first parent may be there.
const OF_COPIES: &[&str] = &["branch_checkpoint", "parent_session"];

/// Reads a record, or what is left of one.
pub(super) fn read(record: Node<'_>, t: &mut Transcript) {
    let id = text(record, "uuid").map(|id| t.ids.intern(&id));
    let kind = text(record, "subtype").or_else(|| text(record, "type"));
    let kind = kind.map(|kind| t.ids.intern(&kind));
    let time = text(record, "timestamp").and_then(|time| time::parse(&time));
    let event = t.newest_mut();
    (event.id, event.kind) = (id, kind);
    event.set_time(time);
    let state = event.state;
    // The parent is also read of what is left of a record, because others are found through it.
    let parent = record.get("parentUuid");
    match parent.and_then(|parent| parent.str()) {
        Some(parent) => {
            let parent = t.ids.intern(&parent);
            t.add_link(LinkKind::Parent, Some(parent));
        }
        None if parent.is_some_and(|parent| parent.is_null()) => t.add_link(LinkKind::Root, None),
        None => {}
    }
    if state == State::Unreadable {
        return;
    }
    // Without these, the client skips the record.
    let has_identity = id.is_some()
        && parent.is_some_and(|parent| parent.is_null() || parent.kind() == Kind::String);
    let (session, kind) = (text(record, "sessionId"), text(record, "type"));
    let (Some(session), Some(kind), true) = (session, kind, has_identity) else {
        return skipped(record, t);
    };
    if !super::layout::TYPES.contains(&kind.as_ref()) {
        return diagnostics::unknown(t);
    }
    let session = t.ids.intern(&session);
    t.set_fact(own::SESSION, FactValue::Text(session));
    let subtype = text(record, "subtype").unwrap_or_default();
    match kind.as_ref() {
        "system" => system(record, &subtype, t),
        kind => {
            t.set_fact(own::LINK, FactValue::Yes);
            message(record, kind, &subtype, t);
        }
    }
}

/// A text that is not empty.
fn text<'a>(record: Node<'a>, key: &str) -> Option<Cow<'a, str>> {
    record.string(key).filter(|text| !text.is_empty())
}

fn message(record: Node<'_>, kind: &str, subtype: &str, t: &mut Transcript) {
    if kind == "assistant" {
        t.set_text(own::MODEL, record.get("model"));
    }
    let Some(message) = record.get("message") else {
        return;
    };
    if subtype == "realtime_message" {
        return;
    }
    if BY_HOST.contains(&subtype) {
        t.set_fact(facts::BY_HOST, FactValue::Yes);
    }
    speak(message, kind == "assistant", t);
}

/// Who speaks in a content, and its parts. `by_model`: where the content does not say.
fn speak(message: Node<'_>, by_model: bool, t: &mut Transcript) {
    let pieces = content::pieces(message);
    let only_results =
        !pieces.is_empty() && pieces.iter().all(|piece| piece.kind == PartKind::Result);
    let is_model = match message.string("role").as_deref() {
        Some("model") => true,
        Some("user") => false,
        _ => by_model,
    };
    t.newest_mut().role = if is_model {
        Role::Assistant
    } else if only_results {
        Role::Tool
    } else {
        Role::User
    };
    for piece in &pieces {
        let part = piece.part(t);
        t.add_part(part);
    }
}

fn system(record: Node<'_>, subtype: &str, t: &mut Transcript) {
    if BESIDE.contains(&subtype) {
        return;
    }
    t.set_fact(own::LINK, FactValue::Yes);
    if OF_COPIES.contains(&subtype) {
        t.set_fact(own::OF_COPY, FactValue::Yes);
    }
    let event = record.at(&["systemPayload", "uiEvent"]);
    if event.is_some_and(|event| event.has_str("event.name", "qwen-code.api_error")) {
        t.set_fact(facts::FAILURE, FactValue::Yes);
    }
    let history = content::history(record).filter(|_| subtype == "chat_compression");
    let Some(history) = history.filter(|history| history.kind() == Kind::Array) else {
        return;
    };
    t.set_fact(own::COMPACTS, FactValue::Yes);
    let holder = t.newest();
    for (number, item) in history.items().enumerate() {
        let pointer = format!("/systemPayload/compressedHistory/{number}");
        t.begin_within(holder, item.span(), &pointer);
        speak(item, false, t);
    }
}

/// A record without its identity: the client skips it.
fn skipped(record: Node<'_>, t: &mut Transcript) {
    if record.get("message").is_none() {
        return diagnostics::unknown(t);
    }
    let message = "record without `uuid`, `parentUuid`, or `sessionId`";
    let found = diagnostics::report(t, Code::MalformedRecord, message);
    (found.instance, found.effect) = (Some(Instance::Dropped), Effect::Hides(1));
}
