//! One event into facts. Knows no other event.

use super::own;
use crate::dialects::piece::PieceHome;
use crate::dialects::{MemberRef, Piece, Places, placeholders};
use crate::format::home::is_uuid;
use crate::json::cut;
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::rewrite::set_member;
use crate::shapes::chat::diagnostics;
use crate::transcript::{
    Applicability, Code, Effect, FactValue, Origin, PartKind, Role, State, Transcript, facts, time,
};

/// Strings that the data of an event of a type must have.
const NEEDED: &[(&str, &[&str])] = &[
    ("session.start", &["sessionId", "producer", "copilotVersion", "startTime"]),
    ("user.message", &["content"]),
    ("assistant.message", &["content"]),
    ("tool.execution_start", &["toolCallId", "toolName"]),
    ("abort", &["reason"]),
];
/// Further members without which version 1.0.102 refuses the file. No version writes an event without them, but copies
/// are often shortened to the conversation.
const REQUIRED: &[(&str, &[&str])] = &[
    ("session.start", &["version"]),
    ("session.resume", &["resumeTime", "eventCount"]),
    (
        "session.shutdown",
        &["shutdownType", "totalApiDurationMs", "sessionStartTime", "codeChanges", "modelMetrics"],
    ),
    ("session.usage_record", &["usage"]),
    ("system.message", &["role", "content"]),
    ("assistant.turn_start", &["turnId"]),
    ("assistant.message", &["messageId"]),
    ("assistant.turn_end", &["turnId"]),
];

/// Whether a JSON value is an event: a type with a dot, or one of the few without, and an envelope.
pub(super) fn owns(event: Node<'_>) -> bool {
    let kind = event.string("type");
    kind.is_some_and(|kind| kind.contains('.') || kind == "abort")
        && event.has_kind("data", Kind::Object)
        && event.get("id").is_some()
        && event.get("timestamp").is_some()
}

/// Reads an event, or what is left of one.
pub(super) fn read(node: Node<'_>, t: &mut Transcript) {
    let kind = node.string("type").unwrap_or_default();
    let stamp = node.string("timestamp");
    let when = stamp.as_deref().and_then(time::parse);
    let (interned, id) = (t.ids.intern(&kind), node.string("id").map(|id| t.ids.intern(&id)));
    let event = t.newest_mut();
    (event.kind, event.id) = (Some(interned), id);
    event.set_time(when);
    if event.state == State::Unreadable {
        return;
    }
    if !node.string("id").is_some_and(|id| is_uuid(&id)) {
        t.set_fact(own::OTHER_ID, FactValue::Yes);
    }
    let data = node.get_kind("data", Kind::Object);
    let parent = node.get("parentId");
    let links = parent.is_none_or(|parent| matches!(parent.kind(), Kind::String | Kind::Null));
    // Without data or with a broken link, the client refuses the whole event, so nothing else of it counts.
    let (Some(data), true) = (data, links) else {
        return malformed("event with a damaged envelope", Vec::new(), t);
    };
    if when.is_some()
        && !stamp.as_deref().is_some_and(|stamp| {
            stamp.ends_with('Z') || stamp.get(10..).is_some_and(|rest| rest.contains(['+', '-']))
        })
    {
        malformed("event with a time without its zone", Vec::new(), t);
    }
    if keys_of(NEEDED, &kind).iter().any(|key| data.string(key).is_none()) {
        malformed("event without a required member", Vec::new(), t);
    } else if keys_of(REQUIRED, &kind).iter().any(|key| data.get(key).is_none()) {
        t.set_fact(own::SHORTENED, FactValue::Yes);
    }
    // What a sub-agent did is never in the request of the main one.
    if data.string("parentToolCallId").is_some() || node.string("agentId").is_some() {
        return t.set_fact(facts::SIDE, FactValue::Yes);
    }
    content(data, &kind, t);
}

/// The row of a table for this type.
fn keys_of(table: &[(&str, &'static [&'static str])], kind: &str) -> &'static [&'static str] {
    let row = table.iter().find(|(own, _)| *own == kind);
    row.map_or(&[], |(_, keys)| keys)
}

fn content(data: Node<'_>, kind: &str, t: &mut Transcript) {
    let role = match kind {
        "user.message" => Role::User,
        "assistant.message" => Role::Assistant,
        "tool.execution_complete" => Role::Tool,
        _ => return bookkeeping(data, kind, t),
    };
    t.newest_mut().role = role;
    for piece in pieces_of(data, kind) {
        let part = piece.part(t);
        t.add_part(part);
    }
    let is_result = role == Role::Tool;
    if is_result && data.get("success").is_none_or(|success| success.as_bool().is_none()) {
        let raw = if data.get("error").is_some() { "false" } else { "true" };
        let change = set_member(data, Some("toolCallId"), "success", raw);
        malformed("tool result without `success`", vec![change], t);
    }
}

fn bookkeeping(data: Node<'_>, kind: &str, t: &mut Transcript) {
    match kind {
        "session.start" => {
            t.set_text(own::SESSION, data.get("sessionId"));
        }
        "tool.execution_start" => {
            t.set_text(own::STARTS, data.get("toolCallId"));
        }
        "session.compaction_complete" => {
            let success = data.boolean("success");
            let summary = data.get("summaryContent").filter(|text| !text.is_blank_str());
            if success == Some(true) && summary.is_some_and(|text| text.kind() == Kind::String) {
                t.set_fact(own::COMPACTS, FactValue::Yes);
            }
        }
        "abort" => t.set_fact(facts::STOPPED, FactValue::Yes),
        "session.error" => t.set_fact(facts::FAILURE, FactValue::Yes),
        _ => {}
    }
}

/// The current client refuses the file.
fn malformed(message: &'static str, changes: Vec<cut::RecordChange>, t: &mut Transcript) {
    let class = Applicability::Safe;
    let found = diagnostics::report_fixed(t, Code::MalformedRecord, message, changes, class);
    (found.instance, found.effect) = (None, Effect::LoadFails);
}

/// The parts of an event: a text, the calls of a response, or one result.
pub(super) fn pieces(event: Node<'_>) -> Vec<Piece<'_>> {
    let kind = event.string("type").unwrap_or_default();
    event.get("data").map(|data| pieces_of(data, &kind)).unwrap_or_default()
}

fn pieces_of<'a>(data: Node<'a>, kind: &str) -> Vec<Piece<'a>> {
    if kind == "tool.execution_complete" {
        return vec![result(data)];
    }
    let text = data.get("content").filter(|text| !text.is_blank_str());
    let text = text.map(|_| Piece::new(PartKind::Text, 0));
    let list = data.get("toolRequests").filter(|_| kind == "assistant.message");
    let requests =
        list.into_iter().flat_map(|list| (0_u32..).zip(list.items()).map(move |item| (list, item)));
    let calls = requests.map(|(list, (at, request))| Piece {
        ids: Places::One(MemberRef::of(request, "toolCallId")),
        names: request.get("name").into(),
        inputs: Places::One(MemberRef::of(request, "arguments")),
        homes: Places::One(PieceHome { list, at }),
        ..Piece::new(PartKind::Call, 0)
    });
    text.into_iter().chain(calls).collect()
}

fn result(data: Node<'_>) -> Piece<'_> {
    let text = result_text(data);
    let is_placeholder = text
        .and_then(placeholders::ends_of)
        .is_some_and(|text| placeholders::is_placeholder(&text));
    let input = ["result", "error"].into_iter().find(|key| data.get(key).is_some());
    Piece {
        ids: Places::One(MemberRef::of(data, "toolCallId")),
        inputs: Places::One(MemberRef::of(data, input.unwrap_or("result"))),
        origin: if is_placeholder { Origin::Placeholder } else { Origin::Real },
        ..Piece::new(PartKind::Result, 0)
    }
}

fn result_text(data: Node<'_>) -> Option<Node<'_>> {
    let places = [["result", "content"], ["error", "message"]];
    let found = places.iter().find_map(|path| data.at(path));
    found.filter(|text| text.kind() == Kind::String)
}

pub(super) fn text(event: Node<'_>) -> Option<String> {
    let data = event.get("data")?;
    let result = result_text(data).and_then(|text| text.str());
    let mut own = ["content", "summaryContent", "message", "reason"].iter();
    let text = match result {
        Some(text) => text,
        None => own.find_map(|key| data.get(key)?.str())?,
    };
    // Of an error of the provider, the status is in a member of its own.
    Some(match data.integer("statusCode") {
        Some(status) => format!("{status} {text}"),
        None => text.into_owned(),
    })
}
