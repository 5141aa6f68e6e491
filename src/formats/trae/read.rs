//! One interaction into facts: the messages that are new in it, and the response. Knows no other record.

use super::attrs;
use crate::dialects::{Piece, Spot, stubs};
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::transcript::{EventNo, Origin, PartKind, Role, State, Transcript, Value};

/// The messages that are new in an interaction.
pub(super) const INPUT: &str = "input_messages";
/// What the model said.
pub(super) const RESPONSE: &str = "response";

/// Reads an interaction, or the document around them.
pub(super) fn read(node: Node<'_>, t: &mut Transcript) {
    let Some(event) = t.current() else { return };
    if event.role == Role::HostState {
        document(node, t);
        return;
    }
    if event.state == State::Hole {
        return;
    }
    let holder = t.events.len() as EventNo - 1;
    let time = node.get("timestamp").and_then(|time| time.str());
    let time = time.and_then(|time| crate::transcript::time::parse(&time));
    if let Some(event) = t.current() {
        event.time = time;
    }
    let messages = node.get(INPUT).into_iter().flat_map(|list| list.items().enumerate());
    for (number, item) in messages.filter(|(_, item)| item.kind() == Kind::Object && !item.is_open()) {
        t.begin_within(holder, item.span(), &format!("/{INPUT}/{number}"));
        t.attr(attrs::NUMBER, Value::Number(number as i64));
        message(item, t);
    }
    if let Some(response) = node.get(RESPONSE).filter(|node| node.kind() == Kind::Object && !node.is_open()) {
        t.begin_within(holder, response.span(), &format!("/{RESPONSE}"));
        speaks("assistant", Role::Assistant, t);
        said(response, t);
        for call in response.get("tool_calls").into_iter().flat_map(|list| list.items()) {
            let part = self::call(call).part(t);
            t.part(part);
        }
    }
}

fn speaks(word: &str, role: Role, t: &mut Transcript) {
    let kind = t.ids.intern(word);
    if let Some(event) = t.current() {
        (event.kind, event.role) = (Some(kind), role);
    }
}

fn said(message: Node<'_>, t: &mut Transcript) {
    if let Some(text) = message.get("content").filter(|text| text.kind() == Kind::String) {
        let mut piece = Piece::new(PartKind::Text, 0);
        piece.blank = text.is_blank_str();
        if !piece.blank {
            let part = piece.part(t);
            t.part(part);
        }
    }
}

fn message(node: Node<'_>, t: &mut Transcript) {
    let word = node.get("role").and_then(|role| role.str()).unwrap_or_default();
    let role = match word.as_ref() {
        "system" => Role::System,
        "assistant" => Role::Assistant,
        _ => Role::User,
    };
    let object = |key: &str| node.get(key).filter(|value| value.kind() == Kind::Object);
    if let Some(result) = object("tool_result") {
        speaks(&word, Role::Tool, t);
        if is_empty_error(result) {
            t.attr(attrs::EMPTY_ERROR, Value::Yes);
        }
        let part = self::result(result).part(t);
        t.part(part);
        return;
    }
    speaks(&word, role, t);
    said(node, t);
    if let Some(call) = object("tool_call") {
        let part = self::call(call).part(t);
        t.part(part);
    }
}

/// `call_id` counts; `id` is often null.
fn id<'a>(node: Node<'a>) -> Spot<'a> {
    Spot::of(node, "call_id")
}

fn call(node: Node<'_>) -> Piece<'_> {
    let mut piece = Piece::new(PartKind::Call, 0);
    piece.ids = vec![id(node)];
    piece.names = node.get("name").into_iter().collect();
    piece.inputs = node.get("arguments").into_iter().collect();
    piece
}

fn result(node: Node<'_>) -> Piece<'_> {
    let mut piece = Piece::new(PartKind::Result, 0);
    piece.ids = vec![id(node)];
    piece.inputs = node.get("result").into_iter().collect();
    piece.status = node.get("error");
    let stub = piece.status.and_then(|error| error.str()).is_some_and(|error| stubs::is_stub(&error));
    piece.origin = if stub { Origin::Stub } else { Origin::Real };
    piece
}

/// A result that reports an error and says nothing.
pub(super) fn is_empty_error(result: Node<'_>) -> bool {
    let blank = |key: &str| result.get(key).is_none_or(|value| value.is_null() || value.is_blank_str());
    result.get("success").is_some_and(|success| success.as_bool() == Some(false))
        && blank("result")
        && blank("error")
}

/// Who was asked, and whether the last request was refused: then the last step says so, and the step before it holds the
/// messages that were new in that request, else the results that would have been.
fn document(node: Node<'_>, t: &mut Transcript) {
    for (key, name) in [("provider", attrs::PROVIDER), ("model", attrs::MODEL)] {
        if let Some(text) = node.get(key).and_then(|text| text.str()) {
            let text = t.ids.intern(&text);
            t.attr(name, Value::Text(text));
        }
    }
    let mut steps: Vec<Node<'_>> = Vec::new();
    for step in node.get("agent_steps").into_iter().flat_map(|steps| steps.items()) {
        steps = steps.into_iter().next_back().into_iter().chain([step]).collect();
    }
    let [before, last] = steps.as_slice() else { return };
    let refused =
        last.get("error").is_some_and(|error| error.kind() == Kind::String && !error.is_blank_str());
    if !refused {
        return;
    }
    t.attr(attrs::REFUSED, Value::Yes);
    let messages = before.get("llm_messages").into_iter().flat_map(|list| list.items());
    let inside = messages.filter_map(|message| message.get("tool_result"));
    let results = before.get("tool_results").into_iter().flat_map(|list| list.items());
    let ids: Vec<String> =
        inside.chain(results).filter_map(|result| Some(result.get("call_id")?.str()?.into_owned())).collect();
    for id in ids {
        let id = t.ids.intern(&id);
        t.attr(attrs::ANSWERED, Value::Text(id));
    }
}
