//! Messages in the state of AutoGen's agents: what `save_state` of an assistant or of a model context returns.

use crate::containers::{Layout, PathStep, RecordReader};
use crate::dialects::Piece;
use crate::dialects::members::{Holding, Members};
use crate::dialects::piece::{ArgumentsForm, MemberRef, PieceHome, Places};
use crate::dialects::placeholders::{self, NO_RESULT};
use crate::format::head::Sample;
use crate::format::policy::PolicyRow;
use crate::format::records::list_on;
use crate::format::vocabulary::WordSet;
use crate::format::{Format, FormatContext, Host, HostTraits, Rank, Verification};
use crate::json::build::NewValue;
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::requests::arguments::{self, RecordedArguments};
use crate::requests::{Wire, tool_names};
use crate::shapes::chat;
use crate::shapes::chat::blocks::{self, BlockWriting};
use crate::transcript::pairs::PairPolicy;
use crate::transcript::{Code, PartId, PartKind, Role, Severity, State, Transcript};

pub(crate) const AUTOGEN: Format = Format {
    name: "autogen",
    host: &Host::new("autogen", "AutoGen"),
    title: "AutoGen agent state",
    page: include_str!("page.md"),
    checked: Verification::Run("autogen-agentchat, autogen-core, and autogen-ext 0.7.5"),
    rank: Rank::Host,
    recognize,
    explains: owns,
    records: RecordReader::new(owns, read).of_messages(),
    pieces,
    // It sends what it has as it is.
    project: |context| chat::project(context, &AUTOGEN.traits),
    wire: Wire {
        needs: &[&tool_names::NEED, &arguments::NEED],
        calls: RecordedArguments::TEXTS,
        ..Wire::NONE
    },
    supports: blocks::SUPPORTS,
    planner: |context, request| blocks::planner(context, &WRITING, request),
    text: chat::text,
    model: |_| None,
    traits: HostTraits {
        noun: "message",
        words: Some(WordSet::of(&[ASKS, ANSWERS])),
        pairs: PairPolicy::LISTS,
        takes_reused_ids: true,
        blocks: &[&["content"]],
        sent: &[&["content"], &["thought"], &["type"]],
        members: Members::own(&[(Holding::Details, "llm_context agent_state")]),
        // The state of an agent is validated as a whole.
        policy: &[PolicyRow::refuses_file(Code::MalformedRecord, Severity::Fatal)],
        ..HostTraits::NONE
    },
    after_write: "Load the state again with `load_state`: an agent in memory keeps the old messages.",
};

/// The types of messages.
const ASKS: &str = "AssistantMessage";
const ANSWERS: &str = "FunctionExecutionResultMessage";

const WRITING: BlockWriting = BlockWriting {
    speaker: "type",
    results: (Role::Tool, ANSWERS),
    answer,
    ..BlockWriting::MESSAGES
};

/// The state of an agent, of its model context, or of what contains it in a team; a list of messages.
fn recognize(head: &Sample<'_>) -> Option<Layout> {
    const CONTEXT: [PathStep; 2] = [PathStep::Key("llm_context"), PathStep::Key("messages")];
    const INSIDE: [PathStep; 3] = [PathStep::Key("agent_state"), CONTEXT[0], CONTEXT[1]];
    const WAYS: [&[PathStep]; 4] = [&[], &[PathStep::Key("messages")], &CONTEXT, &INSIDE];
    head.list(|entry, root| list_on(&WAYS, entry, root, is_signed), || head.nodes().any(is_signed))
}

fn role(message: Node<'_>) -> Option<Role> {
    Some(match message.string("type")?.as_ref() {
        "SystemMessage" => Role::System,
        "UserMessage" => Role::User,
        ASKS => Role::Assistant,
        ANSWERS => Role::Tool,
        _ => return None,
    })
}

/// Whether a value is a message of one of the four types.
fn owns(message: Node<'_>) -> bool {
    let content = message.get("content").map(|content| content.kind());
    role(message).is_some() && matches!(content, Some(Kind::String | Kind::Array))
}

/// Whether a message is of a type whose name only AutoGen has: others have a `UserMessage`, too.
fn is_signed(message: Node<'_>) -> bool {
    if !owns(message) {
        return false;
    }
    match role(message) {
        Some(Role::Assistant) => message.get("source").is_some(),
        Some(Role::Tool) => message
            .items_of("content")
            .all(|result| result.is_open() || result.get("call_id").is_some()),
        _ => false,
    }
}

fn read(message: Node<'_>, t: &mut Transcript) {
    if t.newest_mut().role == Role::HostState {
        return;
    }
    let word = message.string("type").unwrap_or_default();
    chat::read(message, t, (&word, role(message).unwrap_or(Role::User)), pieces);
    if t.newest_mut().state != State::Unreadable {
        for piece in pieces(message) {
            t.note_flaws(piece.input_flaw(ArgumentsForm::Text));
        }
    }
}

/// The parts of a message: its text, or one an item of its content.
fn pieces(message: Node<'_>) -> Vec<Piece<'_>> {
    let Some(content) = message.get("content") else {
        return Vec::new();
    };
    if content.kind() == Kind::String {
        let mut piece = Piece::new(PartKind::Text, 0);
        piece.blank = content.is_blank_str();
        return vec![piece];
    }
    let role = role(message);
    (0..)
        .zip(content.items())
        .map(|(at, item)| piece(item, role, PieceHome { list: content, at }))
        .collect()
}

fn piece<'a>(item: Node<'a>, role: Option<Role>, home: PieceHome<'a>) -> Piece<'a> {
    let (kind, id, input) = match role {
        Some(Role::Assistant) => (PartKind::Call, "id", "arguments"),
        Some(Role::Tool) => (PartKind::Result, "call_id", "content"),
        _ => return Piece { homes: Places::One(home), ..Piece::new(user_kind(item), 0) },
    };
    let mut piece = Piece::new(kind, 0);
    piece.ids = Places::One(MemberRef::of(item, id));
    piece.names = item.get("name").into();
    piece.inputs = Places::One(MemberRef::of(item, input));
    piece.homes = Places::One(home);
    if kind == PartKind::Result {
        piece.origin = placeholders::origin(item.get("content"));
        piece.status = item.get("is_error");
    }
    piece
}

/// What the user sends is a text or an image.
fn user_kind(item: Node<'_>) -> PartKind {
    if item.kind() == Kind::String { PartKind::Text } else { PartKind::Media }
}

/// A result that answers a call with an error.
fn answer(context: &FormatContext<'_>, call: PartId) -> NewValue {
    let t = context.transcript;
    let part = t.part(call);
    NewValue::object([
        ("content", NewValue::text(NO_RESULT)),
        ("name", NewValue::text(t.text(part.tool))),
        ("call_id", NewValue::text(t.text(part.id))),
        ("is_error", NewValue::Raw("true".into())),
    ])
}
