//! Messages of the AI SDK's user interface as version 4 keeps them: calls with their results in `toolInvocations`, and since 4.2 in
//! parts of the type `tool-invocation`, too.

pub(super) mod write;

use super::ai_sdk_ui::AI_SDK_UI;
use crate::containers::{Layout, PathStep, RecordReader};
use crate::dialects::Piece;
use crate::dialects::members::{Holding, Members};
use crate::dialects::piece::{MemberRef, PieceHome, Places};
use crate::dialects::placeholders;
use crate::format::head::Sample;
use crate::format::records::list_on;
use crate::format::vocabulary::WordSet;
use crate::format::{CannotLoad, Format, FormatContext, HostTraits, Rank, Verification};
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::requests::Wire;
use crate::shapes::chat::{self, diagnostics, inside};
use crate::transcript::{EventId, PartKind, Request, Role, Transcript};

pub(crate) const AI_SDK_4: Format = Format {
    name: "ai-sdk-4",
    title: "AI SDK 4 messages",
    page: include_str!("page.md"),
    checked: Verification::Run("AI SDK 4.3.19"),
    // Before newer messages, which have parts, too.
    rank: Rank::Extended,
    recognize,
    explains: owns,
    records: RecordReader::new(owns, read).of_messages(),
    pieces,
    project,
    wire: Wire::NONE,
    planner: |context, request| inside::planner(context, &write::SCHEMA, write::changes, request),
    text,
    model: |_| None,
    traits: HostTraits {
        words: Some(WordSet::of(&["toolInvocations:", "toolInvocation:"])),
        pending_note: "AI SDK 4 stops at it, until the application adds its result",
        cannot_load: &[NEWER],
        members: Members::own(&[
            (Holding::Details, "toolInvocation experimental_attachments"),
            (Holding::Envelope, "state step"),
        ]),
        ..AI_SDK_UI.traits
    },
    ..AI_SDK_UI
};

const NEWER: CannotLoad = CannotLoad {
    note: "calls of version 4, which AI SDK 5 and later take only after its migration",
    one: "has calls that AI SDK 5 and later take only after its migration",
    many: "have calls that AI SDK 5 and later take only after its migration",
};

/// A list, the list of a document, or lines, with a call. Where newer calls are among them, the messages are for a newer version.
fn recognize(head: &Sample<'_>) -> Option<Layout> {
    const WAYS: [&[PathStep]; 2] = [&[], &[PathStep::Key("messages")]];
    head.list(|entry, root| list_on(&WAYS, entry, root, has_calls), || head.nodes().any(has_calls))
}

pub(super) fn role(message: Node<'_>) -> Option<Role> {
    Some(match message.string("role")?.as_ref() {
        "system" => Role::System,
        "user" => Role::User,
        "assistant" => Role::Assistant,
        // Kept for the application.
        "data" => Role::Nobody,
        _ => return None,
    })
}

/// Whether a value is a message: a text is required, parts say by their type what they are, and none has a call of newer versions.
fn owns(message: Node<'_>) -> bool {
    role(message).is_some()
        && message.has_kind("content", Kind::String)
        && message.items_of("parts").all(is_known_part)
        && ["tool_calls", "toolCalls"].iter().all(|key| message.get(key).is_none())
}

fn is_known_part(part: Node<'_>) -> bool {
    let kind = part.string("type").unwrap_or_default();
    part.is_open() || kind == "tool-invocation" || !(kind.is_empty() || kind.contains("tool"))
}

fn has_calls(message: Node<'_>) -> bool {
    let parts = message.items_of("parts").filter_map(|part| part.get("toolInvocation"));
    let mut calls = message.items_of("toolInvocations").chain(parts);
    owns(message) && calls.any(|call| call.has_kind("toolCallId", Kind::String))
}

pub(super) fn read(message: Node<'_>, t: &mut Transcript) {
    if t.newest_mut().role == Role::HostState {
        return;
    }
    let word = message.string("role").unwrap_or_default();
    let id = message.string("id").map(|id| t.ids.intern(&id));
    t.newest_mut().id = id;
    chat::read(message, t, (&word, role(message).unwrap_or(Role::User)), pieces);
}

/// What has the parts: the message, or its content where that is more than a text.
pub(super) fn body(message: Node<'_>) -> Node<'_> {
    message.get_kind("content", Kind::Object).unwrap_or(message)
}

/// The parts of a message as the SDK sends them: of each step the texts and the calls, then the results.
pub(super) fn pieces(message: Node<'_>) -> Vec<Piece<'_>> {
    let message = body(message);
    if let Some(list) = message.get_kind("parts", Kind::Array) {
        return inside::pieces_of_steps(list, |part, home| halves_of_part(message, part, home));
    }
    let text = message.get("content").filter(|content| !content.is_str("")).map(|content| {
        let mut piece = Piece::new(PartKind::Text, 0);
        piece.blank = content.is_blank_str();
        piece
    });
    let Some(list) = message.get_kind("toolInvocations", Kind::Array) else {
        return text.into_iter().collect();
    };
    let (mut asked, mut answered) = (Vec::new(), Vec::new());
    for (at, call) in (0..).zip(list.items()) {
        let (asks, answers) = halves(call, Places::One(PieceHome { list, at }), None);
        asked.push(asks);
        answered.extend(answers);
    }
    asked.into_iter().chain(answered).chain(text).collect()
}

fn halves_of_part<'a>(
    message: Node<'a>,
    part: Node<'a>,
    home: PieceHome<'a>,
) -> inside::PartHalves<'a> {
    if let Some(call) = part.get("toolInvocation") {
        let copy = copy_of(message, call);
        let homes = [home].into_iter().chain(copy.map(|(_, home)| home)).collect();
        let (asks, answers) = halves(call, homes, copy.map(|(copy, _)| copy));
        return (Some(asks), answers);
    }
    let kind = match part.string("type").as_deref() {
        Some("text") => PartKind::Text,
        Some("reasoning") => PartKind::Thinking,
        Some("file") => PartKind::Media,
        _ => return (None, None),
    };
    let mut piece = Piece::new(kind, 0);
    piece.homes = Places::One(home);
    piece.blank = part.get("text").is_some_and(|text| text.is_blank_str());
    (Some(piece), None)
}

/// The copy of a call of a part, which older versions read.
fn copy_of<'a>(message: Node<'a>, call: Node<'a>) -> Option<(Node<'a>, PieceHome<'a>)> {
    let list = message.get_kind("toolInvocations", Kind::Array)?;
    let id = call.string("toolCallId")?;
    let mut copies = (0..).zip(list.items());
    copies
        .find(|(_, copy)| copy.has_str("toolCallId", &id))
        .map(|(at, copy)| (copy, PieceHome { list, at }))
}

/// A call, and its result if it has one.
fn halves<'a>(
    call: Node<'a>,
    homes: Places<PieceHome<'a>>,
    copy: Option<Node<'a>>,
) -> (Piece<'a>, Option<Piece<'a>>) {
    let mut asks = half(call, PartKind::Call, "args", homes.clone(), copy);
    asks.names = call.get("toolName").into();
    if !call.has_str("state", "result") || call.get("result").is_none() {
        return (asks, None);
    }
    let mut answers = half(call, PartKind::Result, "result", homes, copy);
    answers.origin = placeholders::origin(call.get("result"));
    (asks, Some(answers))
}

fn half<'a>(
    call: Node<'a>,
    kind: PartKind,
    input: &'static str,
    homes: Places<PieceHome<'a>>,
    copy: Option<Node<'a>>,
) -> Piece<'a> {
    let ids = [call].into_iter().chain(copy);
    Piece {
        ids: ids.map(|own| MemberRef::of(own, "toolCallId")).collect(),
        inputs: Places::One(MemberRef::of(call, input)),
        homes,
        ..Piece::new(kind, 0)
    }
}

fn project(context: &FormatContext<'_>) -> Request {
    let t = context.transcript;
    let mut request = request(context, &AI_SDK_4.traits);
    let asks = request.branch.iter().find(|event| t.part_of(**event, PartKind::Call).is_some());
    let asks = asks.copied();
    request.diagnostics.extend(asks.map(|event| diagnostics::note(event, NEWER.note)));
    request
}

/// The request of a host that keeps such messages.
pub(super) fn request(context: &FormatContext<'_>, host: &HostTraits) -> Request {
    let messages = chat::messages(context.transcript);
    let (left_out, diagnostics) = inside::repeated_calls(context, &messages);
    let mut request = chat::project_without(context, host, &left_out);
    request.diagnostics.extend(diagnostics);
    request
}

/// The texts of the parts, or of a message without any.
fn text(context: &FormatContext<'_>, event: EventId) -> Option<String> {
    let record = context.record(event).ok()?;
    let body = body(record.root());
    let parts = body.items_of("parts");
    let said: Vec<String> =
        parts.filter_map(|part| Some(part.string("text")?.into_owned())).collect();
    if !said.is_empty() {
        return Some(said.join("\n"));
    }
    Some(body.string("content")?.into_owned())
}
