//! One message into facts. Knows no other message.

use std::borrow::Cow;

use super::{approvals, own, version_4};
use crate::dialects::piece::{MemberRef, Piece, PieceHome, Places};
use crate::dialects::placeholders;
use crate::format::FormatContext;
use crate::json::cut;
use crate::json::node::Node;
use crate::json::quote::quote;
use crate::json::tape::Kind;
use crate::requests::documents::RecordedDocument;
use crate::requests::reasoning_parts::is_item_id;
use crate::shapes::chat::{self, diagnostics, inside};
use crate::transcript::{
    Applicability, Code, EventId, FactValue, Flaws, PartKind, Role, State, Transcript,
};

/// How the type of a call to a tool that the application knows begins; the tool's name is the rest.
const TOOL: &str = "tool-";
/// States of a call that has a result.
const ENDED: &[&str] = &["output-available", "output-error", "output-denied"];

/// Whether a value is a message: its parts say by their type what they are.
pub(super) fn owns(message: Node<'_>) -> bool {
    let role = message.string("role");
    if !role.is_some_and(|role| matches!(role.as_ref(), "system" | "user" | "assistant"))
        || !message.has_kind("parts", Kind::Array)
    {
        return false;
    }
    let mut parts = message.items_of("parts");
    message.items_of("parts").any(|part| part.get("type").is_some())
        && parts.all(|part| part.is_open() || part.get("type").is_some())
}

pub(super) fn read(message: Node<'_>, t: &mut Transcript) {
    if t.newest_mut().role == Role::HostState {
        return;
    }
    let role = message.string("role");
    let role = role.unwrap_or_default();
    let is_known = matches!(role.as_ref(), "system" | "user" | "assistant");
    let kind = t.ids.intern(&role);
    let id = message.string("id");
    let id = id.map(|id| t.ids.intern(&id));
    let event = t.newest_mut();
    (event.kind, event.id) = (Some(kind), id);
    event.role = match role.as_ref() {
        "system" => Role::System,
        "assistant" => Role::Assistant,
        _ => Role::User,
    };
    if event.state == State::Unreadable {
        return;
    }
    chat::keep_digest(message, t);
    let model = message.get("metadata").and_then(|own| own.get("model"));
    t.set_text(own::MODEL, model);
    let mut has_files = false;
    // The type of a part contains the name of its tool.
    for piece in pieces(message) {
        let mut part = piece.part(t);
        let tool = t.text(part.tool).strip_prefix(TOOL).map(str::to_owned);
        if let Some(tool) = tool {
            part.tool = Some(t.ids.intern(&tool));
        }
        has_files |= part.kind == PartKind::Media;
        t.add_part(part);
    }
    if has_files && !documents(message).is_empty() {
        t.note_flaws(Flaws::DOCUMENT);
    }
    if parts_of(message).any(|part| is_only_id(part, "providerMetadata")) {
        t.note_flaws(Flaws::ITEM_ID);
        t.set_fact(own::ITEM, FactValue::Yes);
    }
    if approvals::has_asked(message) {
        t.set_fact(own::ASKED, FactValue::Yes);
    }
    if !is_known {
        let message = "a role that the AI SDK does not know";
        diagnostics::report(t, Code::MalformedRecord, message);
    } else if message.get_kind("parts", Kind::Array).is_none() {
        without_parts(message, t);
    }
    if parts_of(message)
        .any(|part| is_type(part, "dynamic-tool") && part.string("toolName").is_none())
    {
        let message = "a tool call without `toolName`";
        diagnostics::report(t, Code::MalformedRecord, message);
    }
    if parts_of(message).any(version_4::is_call) {
        let why = "a call of version 4, which newer versions of the SDK do not take";
        let changes = version_4::changes(message);
        let applicability =
            if changes.is_empty() { Applicability::Manual } else { Applicability::Safe };
        diagnostics::report_fixed(t, Code::ForeignBlock, why, changes, applicability);
    }
}

/// Reports a message without a list of parts. A text in its place becomes one.
fn without_parts(message: Node<'_>, t: &mut Transcript) {
    let why = if message.has_str("role", "assistant") {
        "a message without `parts`: AI SDK 7 stops here, 5 and 6 leave it out"
    } else {
        "a message without `parts`: the AI SDK stops here"
    };
    let has_parts = message.get("parts").is_some();
    let text = message.get("content").filter(|_| !has_parts);
    let text = text.and_then(|content| content.str());
    let parts = text.map(|text| format!("[{{\"type\":\"text\",\"text\":{}}}]", quote(&text)));
    let change = parts.map(|parts| cut::insert_member(message, Some("content"), "parts", &parts));
    let changes = change.into_iter().collect();
    diagnostics::report_fixed(t, Code::MalformedRecord, why, changes, Applicability::Safe);
}

fn parts_of<'a>(message: Node<'a>) -> impl Iterator<Item = Node<'a>> {
    message.get("parts").into_iter().flat_map(|list| list.items())
}

/// Whether a part is reasoning of which only the ID was kept, in this member.
pub(in crate::hosts) fn is_only_id(part: Node<'_>, notes: &str) -> bool {
    is_type(part, "reasoning")
        && is_item_id(part.at(&[notes, "openai"]), ["itemId", "reasoningEncryptedContent"])
}

fn is_type(part: Node<'_>, wanted: &str) -> bool {
    part.has_str("type", wanted)
}

/// The parts of a message as the SDK sends them: of each step the texts and the calls, then the results.
pub(super) fn pieces(message: Node<'_>) -> Vec<Piece<'_>> {
    let list = message.get("parts");
    list.map(|list| inside::pieces_of_steps(list, halves)).unwrap_or_default()
}

fn halves<'a>(part: Node<'a>, home: PieceHome<'a>) -> inside::PartHalves<'a> {
    match tool_of(part) {
        Some(name) => call(part, name, home),
        None => (other(part, home), None),
    }
}

/// What names the tool of a call.
fn tool_of(part: Node<'_>) -> Option<Node<'_>> {
    let kind = part.get("type")?;
    let text = kind.str()?;
    match text.as_ref() {
        "dynamic-tool" => Some(part.get("toolName").unwrap_or(kind)),
        "tool-invocation" => None,
        text => text.starts_with(TOOL).then_some(kind),
    }
}

/// A call, and what answers it. One whose input is still arriving is not sent at all.
fn call<'a>(part: Node<'a>, name: Node<'a>, home: PieceHome<'a>) -> inside::PartHalves<'a> {
    let state = part.string("state");
    let state = state.unwrap_or_default();
    if state == "input-streaming" {
        return (None, None);
    }
    let by_provider = part.boolean("providerExecuted") == Some(true);
    let id = MemberRef::of(part, "toolCallId");
    let asks = Piece {
        ids: Places::One(id),
        homes: Places::One(home),
        names: Places::One(name),
        inputs: Places::One(MemberRef::of(part, "input")),
        ..Piece::new(if by_provider { PartKind::Hosted } else { PartKind::Call }, 0)
    };
    if by_provider || !ENDED.contains(&state.as_ref()) {
        return (Some(asks), None);
    }
    let key = if part.get("errorText").is_some() { "errorText" } else { "output" };
    let reason = part.get("approval").and_then(|own| own.get("reason"));
    let answers = Piece {
        ids: Places::One(id),
        homes: Places::One(home),
        inputs: Places::One(MemberRef::of(part, key)),
        origin: placeholders::origin(part.get(key).or(reason)),
        ..Piece::new(PartKind::Result, 0)
    };
    (Some(asks), Some(answers))
}

/// Texts, thinking and files. Data and sources are for the screen.
fn other<'a>(part: Node<'a>, home: PieceHome<'a>) -> Option<Piece<'a>> {
    let kind = part.string("type");
    let kind = match kind.as_deref()? {
        "text" => PartKind::Text,
        "reasoning" => PartKind::Thinking,
        "file" => PartKind::Media,
        _ => return None,
    };
    let mut piece = Piece::new(kind, 0);
    piece.homes = Places::One(home);
    piece.blank = part.get("text").is_some_and(|text| text.is_blank_str());
    Some(piece)
}

/// The documents of a message. The SDK names those without a name.
pub(super) fn documents(message: Node<'_>) -> Vec<RecordedDocument<'_>> {
    let files = message.items_of("parts").filter(|part| {
        let mime = part.string("mediaType").unwrap_or_default();
        is_type(*part, "file")
            && !mime.is_empty()
            && !mime.starts_with("image/")
            && !mime.starts_with("video/")
    });
    files
        .map(|block| {
            let name = block.get("filename").filter(|name| !name.is_null() && !name.is_str(""));
            RecordedDocument { block, name: name.map(MemberRef::At) }
        })
        .collect()
}

/// The texts of a message; of one without any the error of its first call.
pub(super) fn text(context: &FormatContext<'_>, event: EventId) -> Option<String> {
    let record = context.record(event).ok()?;
    let list = record.root().get("parts")?;
    let texts: Vec<Cow<'_, str>> =
        list.items().filter_map(|part| part.get("text")?.str()).collect();
    if !texts.is_empty() {
        return Some(texts.join("\n"));
    }
    let error = list.items().find_map(|part| part.get("errorText")?.str())?;
    Some(error.into_owned())
}
