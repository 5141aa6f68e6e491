//! One turn into facts. Knows no other record.

use super::own;
use crate::dialects::gemini::{self, pieces};
use crate::dialects::piece::ArgumentsForm;
use crate::json::cut;
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::rewrite::set_member;
use crate::shapes::chat::{self, diagnostics};
use crate::transcript::{
    Applicability, Code, Effect, FactValue, Flaws, Instance, Role, State, Transcript, facts,
};

/// Whether a JSON value is a turn.
pub(super) fn owns(node: Node<'_>) -> bool {
    gemini::owns(node)
}

/// Reads a turn, or what is around the list.
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
    let word = node.string("role").unwrap_or_default();
    let role = match word.as_ref() {
        "model" => Role::Assistant,
        "user" | "function" | "" => Role::User,
        _ => {
            diagnostics::report(t, Code::MalformedRecord, "turn without a valid role");
            Role::User
        }
    };
    let kind = t.ids.intern(&word);
    let event = t.newest_mut();
    (event.kind, event.role) = (Some(kind), role);
    let pieces = pieces(node);
    for piece in &pieces {
        let part = piece.part(t);
        t.add_part(part);
        t.note_flaws(piece.input_flaw(ArgumentsForm::Object));
    }
    let Some(list) = node.get_kind("parts", Kind::Array) else {
        diagnostics::report(t, Code::MalformedRecord, "turn without a list of parts");
        return;
    };
    signatures(list, t);
    if list.items().all(gemini::is_empty) || list.items().any(gemini::is_empty) {
        t.note_flaws(Flaws::EMPTY);
    }
    // What is neither a call nor a response is checked once more: it may be half of one.
    for part in list.items() {
        let call = gemini::call(part);
        if call.is_some_and(|call| call.kind() == Kind::Object) {
            continue;
        }
        let response = gemini::response(part);
        match response.filter(|response| response.kind() == Kind::Object) {
            Some(response) => answer(response, t),
            None => odd(part, t),
        }
    }
}

/// A part that is no object, holds a call that is none, or only what this version does not know: newer models have more.
fn odd(part: Node<'_>, t: &mut Transcript) {
    if part.kind() == Kind::String {
        let raw = format!("{{\"text\": {}}}", String::from_utf8_lossy(&part.raw()));
        let change = cut::replace(part, &raw);
        diagnostics::report_fixed(
            t,
            Code::MalformedRecord,
            "a part is a string, not an object",
            vec![change],
            Applicability::Safe,
        );
    } else if part.kind() != Kind::Object || gemini::call(part).or(gemini::response(part)).is_some()
    {
        diagnostics::report(
            t,
            Code::MalformedRecord,
            "a part, or the function call in it, is not an object",
        );
    } else if !gemini::has_data(part)
        && gemini::signature(part).is_none()
        && !gemini::is_empty(part)
    {
        let message = "a part type that the API does not have";
        let found = diagnostics::report(t, Code::ForeignBlock, message);
        (found.instance, found.effect) = (Some(Instance::Ignored), Effect::None);
    }
}

/// The model that a request body or its answer names.
fn state(node: Node<'_>, t: &mut Transcript) {
    let node = node.get("request").unwrap_or(node);
    let model = node.get("model").or_else(|| node.get("modelVersion"));
    t.set_text(own::MODEL, model);
}

/// Whether the first call of the turn has a signature, and whether any has.
fn signatures(list: Node<'_>, t: &mut Transcript) {
    let mut calls = list.items().filter(|part| gemini::call(*part).is_some());
    let Some(first) = calls.next() else { return };
    if gemini::signature_key(first) == "thought_signature" {
        t.set_fact(own::SNAKE, FactValue::Yes);
    }
    let signed = gemini::signature(first).is_some();
    if !signed {
        t.set_fact(facts::UNSIGNED_CALL, FactValue::Yes);
    }
    if signed || calls.any(|part| gemini::signature(part).is_some()) {
        t.set_fact(facts::SIGNED_CALL, FactValue::Yes);
    }
}

/// What a response says must be an object. The one key that every model knows for other values is `output`.
fn answer(response: Node<'_>, t: &mut Transcript) {
    match response.get("response").filter(|value| !value.is_null()) {
        Some(value) if value.kind() == Kind::Object => {}
        Some(value) => {
            let raw = format!("{{\"output\": {}}}", String::from_utf8_lossy(&value.raw()));
            let change = cut::replace(value, &raw);
            diagnostics::report_fixed(
                t,
                Code::MalformedRecord,
                "the `response` of a function response is not an object",
                vec![change],
                Applicability::Safe,
            );
        }
        None => {
            let change = set_member(response, Some("name"), "response", "{}");
            diagnostics::report_fixed(
                t,
                Code::MalformedRecord,
                "function response without content",
                vec![change],
                Applicability::Unsafe,
            );
        }
    }
}
