//! Turns one message into facts, without looking at other records.

use super::{envelope, own, summary};
use crate::dialects::langchain::{self, Form, MessageShape, Speaker, locations};
use crate::dialects::piece::{self, ArgumentsForm, Piece};
use crate::json::cut;
use crate::json::node::Node;
use crate::json::quote::quote;
use crate::json::tape::Kind;
use crate::requests::reasoning_parts::is_item_id;
use crate::rewrite::set_member;
use crate::shapes::chat::{self, diagnostics};
use crate::transcript::{
    Applicability, Code, Effect, FactValue, Flaws, PartKind, Role, State, Transcript, facts,
};

/// Whether a JSON value is a message in one of the four forms.
pub(super) fn owns(node: Node<'_>) -> bool {
    let Some(form) = Form::of(node) else {
        return false;
    };
    // Other hosts also write `type` and `content`, but not with these values or without these
    // members.
    let is_chunk = form.kind.strip_suffix("MessageChunk").is_some();
    form.shape != MessageShape::Flat
        || is_chunk
        || form.kind == "human"
        || form.kind == "ai"
        || ["additional_kwargs", "response_metadata", "tool_call_id"]
            .into_iter()
            .any(|key| node.get(key).is_some())
}

/// Reads a message, or the document around the list.
pub(super) fn read(node: Node<'_>, t: &mut Transcript) {
    let event = t.newest_mut();
    if event.role == Role::HostState {
        envelope::read(node, t);
        return;
    }
    if event.state == State::Unreadable {
        return;
    }
    let Some(form) = Form::of(node) else {
        cannot_load(t, "list element that is not a message");
        return;
    };
    // Of the bytes as they are: copies are equal to the byte.
    let digest = t.ids.digest(&node.raw());
    let kind = t.ids.intern(form.kind);
    let id = form.id().and_then(|id| id.str()).map(|id| t.ids.intern(&id));
    let event = t.newest_mut();
    (event.kind, event.id) = (Some(kind), id);
    event.role = match form.speaker {
        Speaker::User => Role::User,
        Speaker::Assistant => Role::Assistant,
        Speaker::System => Role::System,
        Speaker::Tool => Role::Tool,
        Speaker::Other => Role::User,
        Speaker::Remove => Role::Nobody,
    };
    let provider =
        form.body.at(&["response_metadata", "model_provider"]).and_then(|name| name.str());
    if let Some(provider) = provider {
        let provider = t.ids.intern(&provider);
        t.set_fact(own::PROVIDER, FactValue::Text(provider));
    }
    if summary::is_summary(&form) {
        t.set_fact(facts::SUMMARY, FactValue::Yes);
    }
    let pieces = langchain::pieces(&form);
    for piece in &pieces {
        t.set_fact(own::LOCATIONS, FactValue::Number(i64::from(piece.locations)));
        let part = piece.part(t);
        t.add_part(part);
    }
    // Two positions in one number, because a fact holds one value.
    for (entry, block) in langchain::twins(&pieces) {
        t.set_fact(own::TWINS, FactValue::Number((entry as i64) << 32 | block as i64));
    }
    t.set_fact(chat::DIGEST, FactValue::Number(i64::from_ne_bytes(digest.to_ne_bytes())));
    check_loading(&form, t);
    note_flaws(&form, &pieces, t);
}

/// Reports a message that the host cannot load.
fn cannot_load(t: &mut Transcript, message: &'static str) {
    let found = diagnostics::report(t, Code::MalformedRecord, message);
    (found.instance, found.effect) = (None, Effect::LoadFails);
}

fn check_loading(form: &Form<'_>, t: &mut Transcript) {
    // An instruction to the graph, not a message.
    if form.speaker == Speaker::Remove {
        cannot_load(t, "a LangGraph operation among the messages");
        return;
    }
    if form.shape != MessageShape::Role {
        let speaks = matches!(form.speaker, Speaker::User | Speaker::Assistant);
        if speaks && form.body.get("content").is_none_or(|content| content.is_null()) {
            cannot_load(t, "message without content");
        }
        if form.body.get("tool_calls").is_some_and(|calls| calls.is_null()) {
            cannot_load(t, "`tool_calls` is null");
        }
        check_entries(form, t);
    } else if form.body.get("content").is_none() {
        let change = cut::insert_member(form.body, Some("role"), "content", "null");
        let found = diagnostics::report_fixed(
            t,
            Code::MalformedRecord,
            "message without `content`",
            vec![change],
            Applicability::Safe,
        );
        (found.instance, found.effect) = (None, Effect::LoadFails);
    } else {
        check_arguments(form, t);
    }
    if form.speaker == Speaker::Tool
        && let Some(status) = form.body.get("status")
        && !["success", "error"].iter().any(|known| status.is_str(known))
    {
        cannot_load(t, "tool result status is neither success nor error");
    }
}

/// The host requires `args` of a stored call to be an object. Another copy of them may still be
/// one.
fn check_entries(form: &Form<'_>, t: &mut Transcript) {
    let Some(calls) = form.body.get("tool_calls") else {
        return;
    };
    let blocks: Vec<Node<'_>> = form.body.items_of("content").collect();
    for entry in calls.items() {
        let args = entry.get("args");
        if args.is_some_and(|args| args.kind() == Kind::Object) {
            continue;
        }
        let id = entry.string("id");
        let copy = blocks
            .iter()
            .find(|block| id.is_some() && block.string("id") == id)
            .and_then(|block| block.get("input"));
        let copy =
            copy.filter(|input| input.kind() == Kind::Object).map(|input| input.raw().into_owned());
        let text = args.filter(|args| piece::is_object_text(*args));
        let text = text.and_then(|args| args.str());
        // What the model wrote is better than empty arguments, which nobody asked for.
        let (raw, applicability) = match (copy, text) {
            (Some(raw), _) => (String::from_utf8_lossy(&raw).into_owned(), Applicability::Safe),
            (None, Some(text)) => (text.into_owned(), Applicability::Safe),
            (None, None) => ("{}".to_owned(), Applicability::Unsafe),
        };
        let change = set_member(entry, Some("name"), "args", &raw);
        let found = diagnostics::report_fixed(
            t,
            Code::BadInput,
            "tool call arguments are not an object",
            vec![change],
            applicability,
        );
        found.effect = Effect::LoadFails;
    }
}

/// The role form has arguments as JSON text. One that does not parse keeps the whole file from
/// loading.
fn check_arguments(form: &Form<'_>, t: &mut Transcript) {
    for entry in form.body.items_of("tool_calls") {
        let Some(arguments) = entry.get("function").and_then(|function| function.get("arguments"))
        else {
            continue;
        };
        if piece::is_object_text(arguments) {
            continue;
        }
        let (raw, applicability) = if arguments.kind() == Kind::Object {
            (quote(&String::from_utf8_lossy(&arguments.raw())), Applicability::Safe)
        } else {
            ("\"{}\"".to_owned(), Applicability::Unsafe)
        };
        let change = cut::replace(arguments, &raw);
        let found = diagnostics::report_fixed(
            t,
            Code::BadInput,
            "tool call arguments are not JSON",
            vec![change],
            applicability,
        );
        found.effect = Effect::LoadFails;
    }
}

/// Notes flaws that only some targets reject.
fn note_flaws(form: &Form<'_>, pieces: &[Piece<'_>], t: &mut Transcript) {
    let content = form.body.get("content");
    if form.speaker != Speaker::Assistant && blocks(form).any(is_document) {
        t.note_flaws(Flaws::DOCUMENT);
    }
    match form.speaker {
        Speaker::Other => t.set_fact(own::FOREIGN, FactValue::Yes),
        Speaker::User => {
            let speaks = pieces.iter().any(|piece| !(piece.kind == PartKind::Text && piece.blank));
            if !speaks || pieces.iter().any(|piece| piece.kind == PartKind::Text && piece.blank) {
                t.note_flaws(Flaws::EMPTY);
            }
        }
        Speaker::Tool => {
            let is_error = form.body.has_str("status", "error");
            let is_empty = content.is_none_or(|content| {
                content.is_str("")
                    || (content.kind() == Kind::Array && content.items().next().is_none())
            });
            if is_error && is_empty {
                t.note_flaws(Flaws::EMPTY_ERROR);
            }
        }
        Speaker::Assistant => note_thinking(form, pieces, t),
        _ => {}
    }
}

fn blocks<'a>(form: &Form<'a>) -> impl Iterator<Item = Node<'a>> {
    form.body.get("content").into_iter().flat_map(|list| list.items())
}

fn is_document(block: Node<'_>) -> bool {
    block.has_str("type", "file") || block.get("document").is_some()
}

fn note_thinking(form: &Form<'_>, pieces: &[Piece<'_>], t: &mut Transcript) {
    if blocks(form).any(|block| is_thinking(block) && !is_signed(block)) {
        t.note_flaws(Flaws::THINKING);
    }
    // Blocks of the Responses API are sent as they are (langchain-openai, `_construct_responses_api_input`).
    let thinks = pieces.iter().any(|piece| piece.kind == PartKind::Thinking);
    if thinks && blocks(form).any(is_only_id) {
        t.note_flaws(Flaws::ITEM_ID);
    }
    if blocks(form).any(|block| is_hidden(block) || (is_thinking(block) && is_signed(block))) {
        t.set_fact(own::SIGNED, FactValue::Yes);
    }
    for piece in pieces.iter().filter(|piece| piece.locations & locations::TOOL_USE != 0) {
        t.note_flaws(piece.input_flaw(ArgumentsForm::Either));
    }
}

fn is_thinking(block: Node<'_>) -> bool {
    block.has_str("type", "thinking")
}

fn is_signed(block: Node<'_>) -> bool {
    block.string("signature").is_some_and(|signature| !signature.is_empty())
}

/// Whether the provider encrypted a thought, which needs no further signature.
fn is_hidden(block: Node<'_>) -> bool {
    let kind = block.get("type");
    kind.is_some_and(|kind| kind.is_str("redacted_thinking") || kind.is_str("reasoning_content"))
}

fn is_only_id(block: Node<'_>) -> bool {
    block.has_str("type", "reasoning") && is_item_id(Some(block), ["id", "encrypted_content"])
}
