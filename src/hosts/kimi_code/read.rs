//! One record into facts. Knows no other record.

use super::own;
use crate::dialects::piece::{MemberRef, Piece, PieceHome, Places};
use crate::dialects::placeholders;
use crate::format::FormatContext;
use crate::format::signs::{has_strings, is_type};
use crate::format::words::words;
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::shapes::chat::diagnostics;
use crate::transcript::{Code, Effect, EventId, FactValue, PartKind, Role, State, Transcript};

pub(super) const MESSAGE: &str = "context.append_message";
pub(super) const LOOP_EVENT: &str = "context.append_loop_event";
pub(super) const COMPACTION: &str = "context.apply_compaction";
pub(super) const UNDO: &str = "context.undo";
pub(super) const CLEAR: &str = "context.clear";
pub(super) const BEGIN: &str = "step.begin";
pub(super) const END: &str = "step.end";
pub(super) const RESULT: &str = "tool.result";

/// Whether a record is one that only this host writes.
pub(super) fn is_sign(record: Node<'_>) -> bool {
    is_header(record)
        || (is_type(record, &[MESSAGE]) && record.has_kind("message", Kind::Object))
        || (is_type(record, &[LOOP_EVENT]) && record.has_kind("event", Kind::Object))
}

fn is_header(record: Node<'_>) -> bool {
    is_type(record, &["metadata"])
        && record.get("protocol_version").is_some()
        && record.get("created_at").is_some()
}

/// Whether a value is a record: all but the first have the time in milliseconds (`docs/wire-manifest.d.ts`, 0.38.0).
pub(super) fn owns(record: Node<'_>) -> bool {
    let kind = record.string("type").unwrap_or_default();
    let is_dated = record.has_kind("time", Kind::Number) || kind.starts_with("context.");
    is_sign(record) || kind == "metadata" || is_dated && (kind.contains('.') || kind == "forked")
}

/// A part in an event, a message, or what the host says of itself.
pub(super) fn read(record: Node<'_>, t: &mut Transcript) {
    let kind = record.string("type").unwrap_or_default();
    let said = record.get("event").filter(|_| kind == LOOP_EVENT);
    let inner = said.and_then(|event| event.string("type"));
    let interned = t.ids.intern(inner.as_ref().unwrap_or(&kind));
    let time = record.integer("time").and_then(|millis| millis.checked_mul(1000));
    let role = role_of(record, &kind);
    let event = t.newest_mut();
    (event.kind, event.role) = (Some(interned), role);
    event.set_time(time);
    if event.state == State::Unreadable {
        return;
    }
    match kind.as_ref() {
        LOOP_EVENT => read_event(said.unwrap_or(record), t),
        MESSAGE => read_message(record, t),
        UNDO => t.set_fact(own::TURNS, FactValue::Number(record.integer("count").unwrap_or(0))),
        "metadata" => check_header(record, t),
        "llm.request" => t.set_text(own::MODEL, record.get("model")),
        _ => {}
    }
    for piece in pieces(record) {
        let part = piece.part(t);
        t.add_part(part);
    }
}

fn role_of(record: Node<'_>, kind: &str) -> Role {
    if kind == MESSAGE {
        let role = record.at(&["message", "role"]).and_then(|role| role.str());
        return match role.as_deref() {
            Some("assistant") => Role::Assistant,
            Some("tool") => Role::Tool,
            Some("system") => Role::System,
            _ => Role::User,
        };
    }
    let event = record.get("event").filter(|_| kind == LOOP_EVENT);
    match event.and_then(|event| event.string("type")).as_deref() {
        Some("content.part" | "tool.call") => Role::Assistant,
        Some(RESULT) => Role::Tool,
        _ => Role::Nobody,
    }
}

fn read_event(event: Node<'_>, t: &mut Transcript) {
    let step = if is_type(event, &[BEGIN]) { "uuid" } else { "stepUuid" };
    t.set_text(own::STEP, event.get(step));
    let reason = event.get("finishReason");
    if reason.is_some_and(|reason| reason.is_str("interrupted") || reason.is_str("error")) {
        t.set_fact(own::FAILED, FactValue::Yes);
    }
}

/// Who a message is of: a prompt of a person counts in an undo, and stays after a compaction.
fn read_message(record: Node<'_>, t: &mut Transcript) {
    let origin = record.at(&["message", "origin"]);
    let kind = origin.and_then(|origin| origin.string("kind"));
    let is_prompt = match kind.as_deref() {
        None | Some("user") => true,
        Some("skill_activation" | "plugin_command") => {
            origin.is_some_and(|origin| origin.has_str("trigger", "user-slash"))
        }
        _ => false,
    };
    if is_prompt && t.newest_mut().role == Role::User {
        t.set_fact(own::PROMPT, FactValue::Yes);
    }
}

/// The host loads nothing after a header without these (2.1.0: "Agent wire metadata is malformed").
fn check_header(record: Node<'_>, t: &mut Transcript) {
    if has_strings(record, &["protocol_version"]) && record.has_kind("created_at", Kind::Number) {
        return;
    }
    let message = "the first record lacks its version or time";
    diagnostics::report(t, Code::MalformedRecord, message).effect = Effect::LoadFails;
}

/// The parts of a record: one of a step, or those of a message.
pub(super) fn pieces(record: Node<'_>) -> Vec<Piece<'_>> {
    if let Some(event) = record.get("event").filter(|_| is_type(record, &[LOOP_EVENT])) {
        return part(event).into_iter().collect();
    }
    match record.get("message").filter(|_| is_type(record, &[MESSAGE])) {
        Some(message) => parts(message),
        None => Vec::new(),
    }
}

fn part(event: Node<'_>) -> Option<Piece<'_>> {
    let kind = event.string("type")?;
    let said = event.get("part");
    Some(match kind.as_ref() {
        "content.part" if said.is_some_and(|part| is_type(part, &["think"])) => {
            Piece::new(PartKind::Thinking, 0)
        }
        "content.part" => {
            let text = said.and_then(|part| part.get("text"));
            Piece {
                blank: text.is_some_and(|text| text.is_blank_str()),
                ..Piece::new(PartKind::Text, 0)
            }
        }
        "tool.call" => call(event, "toolCallId", "args"),
        RESULT => result(event, event.at(&["result", "output"])),
        _ => return None,
    })
}

/// A text, and the calls next to it: sessions that were migrated from Kimi CLI have such messages.
fn parts(message: Node<'_>) -> Vec<Piece<'_>> {
    let content = message.get("content");
    if is_tool(message) {
        return vec![result(message, content)];
    }
    let said = content.and_then(words).is_some_and(|text| !text.trim().is_empty());
    let text = said.then(|| Piece::new(PartKind::Text, 0));
    let list = message.get("toolCalls");
    let calls =
        list.into_iter().flat_map(|list| (0..).zip(list.items()).map(move |item| (list, item)));
    let calls = calls.map(|(list, (at, item))| {
        let function = item.get("function").unwrap_or(item);
        let homes = Places::One(PieceHome { list, at });
        let names = function.get("name").into();
        Piece { homes, names, ..call(item, "id", "arguments") }
    });
    text.into_iter().chain(calls).collect()
}

fn is_tool(message: Node<'_>) -> bool {
    message.has_str("role", "tool")
}

fn call<'a>(node: Node<'a>, id: &'static str, input: &'static str) -> Piece<'a> {
    Piece {
        ids: Places::One(MemberRef::of(node, id)),
        names: node.get("name").into(),
        inputs: Places::One(MemberRef::of(node, input)),
        takes_any_input: true,
        ..Piece::new(PartKind::Call, 0)
    }
}

fn result<'a>(node: Node<'a>, output: Option<Node<'a>>) -> Piece<'a> {
    Piece {
        ids: Places::One(MemberRef::of(node, "toolCallId")),
        inputs: output.map(MemberRef::At).into(),
        origin: placeholders::origin(output),
        ..Piece::new(PartKind::Result, 0)
    }
}

pub(super) fn text(context: &FormatContext<'_>, event: EventId) -> Option<String> {
    let record = context.record(event).ok()?;
    let places: [&[&str]; 6] = [
        &["message", "content"],
        &["event", "part", "text"],
        &["event", "part", "think"],
        &["event", "result", "output"],
        &["contextSummary"],
        &["summary"],
    ];
    places.iter().find_map(|path| words(record.root().at(path)?))
}
