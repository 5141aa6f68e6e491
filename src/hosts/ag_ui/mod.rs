//! Messages of AG-UI, as CopilotKit and other front ends keep and send them: Chat Completions in camel case, each with an ID.

use crate::containers::{Layout, PathStep, RecordReader};
use crate::dialects::Piece;
use crate::dialects::members::{Holding, Members};
use crate::dialects::piece::{ArgumentsForm, MemberRef, PieceHome, Places};
use crate::dialects::placeholders::{self, NO_RESULT};
use crate::format::head::Sample;
use crate::format::records::list_on;
use crate::format::signs::{has_string, has_strings};
use crate::format::vocabulary::WordSet;
use crate::format::{Format, Host, HostTraits, Rank, Verification};
use crate::hosts::OPENAI_CHAT;
use crate::json::build::NewValue;
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::requests::arguments::{self, RecordedArguments};
use crate::requests::{Wire, tool_names};
use crate::rewrite::{Schema, made_id};
use crate::shapes::chat::{self, diagnostics, plain, write};
use crate::transcript::pairs::PairPolicy;
use crate::transcript::{Code, PartKind, Role, State, Transcript};

pub(crate) const AG_UI: Format = Format {
    name: "ag-ui",
    host: &Host::nameless("ag-ui"),
    title: "AG-UI messages",
    page: include_str!("page.md"),
    checked: Verification::Run("@ag-ui/core and ag-ui-protocol 1.0.0, pydantic-ai 2.68.0"),
    rank: Rank::Extended,
    recognize,
    explains: owns,
    records: RecordReader::new(owns, read).of_messages(),
    pieces,
    project: |context| chat::project(context, &AG_UI.traits),
    wire: Wire {
        needs: &[&tool_names::NEED, &arguments::NEED],
        calls: RecordedArguments::TEXTS,
        ..Wire::NONE
    },
    supports: WRITING.schema.supports,
    planner: |context, request| write::planner(context, &WRITING, request),
    text: chat::text,
    model: |_| None,
    traits: HostTraits {
        noun: "message",
        words: Some(WordSet::of(&["toolCalls:", "toolCallId:"])),
        pairs: PairPolicy::LISTS,
        takes_reused_ids: true,
        names_by_place: true,
        sent: &[&["role"], &["content"], &["toolCalls"], &["toolCallId"]],
        members: Members::own(&[
            (Holding::Details, "state forwardedProps activityType"),
            (Holding::Envelope, "encryptedValue"),
            (Holding::Id, "parentRunId subagentRunId"),
        ]),
        ..HostTraits::NONE
    },
    after_write: OPENAI_CHAT.after_write,
};

const WRITING: write::ListWriting = write::ListWriting {
    schema: Schema { supports: chat::SUPPORTS, drops_empty: &["toolCalls"], ..Schema::PLAIN },
    answer: |context, call, occurrence| {
        let t = context.transcript;
        let id = t.text(t.part(call).id);
        let members = vec![
            ("id", NewValue::text(made_id(&["result", id, &occurrence.to_string()]))),
            ("role", NewValue::text("tool")),
            ("content", NewValue::text(NO_RESULT)),
            ("toolCallId", NewValue::text(id)),
        ];
        plain::answer(context, call, members)
    },
    beside: |t, event| t.event(event).role == Role::Nobody,
    follow_up: |_, _| {},
};

/// The input of a run or a snapshot, a list, or lines, with a call or a result among the messages.
fn recognize(head: &Sample<'_>) -> Option<Layout> {
    const WAYS: [&[PathStep]; 2] = [&[], &[PathStep::Key("messages")]];
    head.list(|entry, root| list_on(&WAYS, entry, root, has_tools), || head.nodes().any(has_tools))
}

/// Who speaks. The provider sees neither what an agent does nor, of most agents, what it thinks.
fn role(message: Node<'_>) -> Option<Role> {
    Some(match message.string("role")?.as_ref() {
        "system" | "developer" => Role::System,
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "tool" => Role::Tool,
        "activity" | "reasoning" => Role::Nobody,
        _ => return None,
    })
}

/// Whether a value is a message: one of these roles, and an ID.
fn owns(message: Node<'_>) -> bool {
    let is_theirs =
        ["tool_calls", "tool_call_id", "parts"].iter().any(|key| message.get(key).is_some());
    role(message).is_some() && has_string(message, "id") && !is_theirs
}

/// Whether a message has a call or is a result, which show whose messages they are.
fn has_tools(message: Node<'_>) -> bool {
    if !owns(message) {
        return false;
    }
    match role(message) {
        Some(Role::Assistant) => message.items_of("toolCalls").any(is_call),
        Some(Role::Tool) => has_strings(message, &["toolCallId", "content"]),
        _ => false,
    }
}

fn is_call(call: Node<'_>) -> bool {
    call.has_kind("id", Kind::String)
        && call.get("function").is_some_and(|asked| has_string(asked, "name"))
}

fn read(message: Node<'_>, t: &mut Transcript) {
    if t.newest_mut().role == Role::HostState {
        return;
    }
    let word = message.string("role").unwrap_or_default();
    chat::read(message, t, (&word, role(message).unwrap_or(Role::User)), pieces);
    if t.newest_mut().state == State::Unreadable {
        return;
    }
    for piece in pieces(message) {
        t.note_flaws(piece.input_flaw(ArgumentsForm::Text));
    }
    if !has_string(message, "id") {
        let message = "a message without an ID, which AG-UI does not accept";
        diagnostics::report(t, Code::MalformedRecord, message);
    }
}

/// The parts of a message: a tool's is a result as a whole; of others the text, then the calls.
fn pieces(message: Node<'_>) -> Vec<Piece<'_>> {
    let content = message.get("content").filter(|content| !content.is_null());
    if message.has_str("role", "tool") {
        let mut piece = Piece::new(PartKind::Result, 0);
        piece.ids = Places::One(MemberRef::of(message, "toolCallId"));
        piece.inputs = Places::One(MemberRef::of(message, "content"));
        piece.origin = placeholders::origin(content);
        return vec![piece];
    }
    let text = content.map(|content| {
        let mut piece = Piece::new(PartKind::Text, 0);
        piece.blank = content.is_blank_str();
        piece
    });
    let list = message.get_kind("toolCalls", Kind::Array);
    let calls = list.into_iter().flat_map(|list| {
        (0..).zip(list.items()).map(move |(at, entry)| call(entry, PieceHome { list, at }))
    });
    text.into_iter().chain(calls).collect()
}

fn call<'a>(entry: Node<'a>, home: PieceHome<'a>) -> Piece<'a> {
    let asked = entry.get("function").unwrap_or(entry);
    let mut piece = Piece::new(PartKind::Call, 0);
    piece.ids = Places::One(MemberRef::of(entry, "id"));
    piece.names = asked.get("name").into();
    piece.inputs = Places::One(MemberRef::of(asked, "arguments"));
    piece.homes = Places::One(home);
    piece
}
