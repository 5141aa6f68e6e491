//! Sessions of Microsoft Agent Framework: the lines of its `FileHistoryProvider`, and the state of a session as a document.

use crate::containers::{Layout, PathStep, RecordReader};
use crate::dialects::Piece;
use crate::dialects::members::{Holding, Members};
use crate::dialects::piece::ArgumentsForm;
use crate::dialects::placeholders::NO_RESULT;
use crate::dialects::typed::TypedBlocks;
use crate::format::head::Sample;
use crate::format::records::list_on;
use crate::format::vocabulary::WordSet;
use crate::format::words::words;
use crate::format::{Format, FormatContext, Host, HostTraits, Rank, Verification};
use crate::json::build::NewValue;
use crate::json::node::Node;
use crate::requests::arguments::{self, RecordedArguments};
use crate::requests::{Wire, tool_names};
use crate::shapes::chat;
use crate::shapes::chat::blocks::{self, BlockWriting};
use crate::transcript::pairs::PairPolicy;
use crate::transcript::{EventId, PartId, PartKind, Role, State, Transcript};

pub(crate) const AGENT_FRAMEWORK: Format = Format {
    name: "agent-framework",
    host: &Host::new("agent-framework", "Agent Framework"),
    title: "Microsoft Agent Framework session",
    page: include_str!("page.md"),
    checked: Verification::Run("agent-framework-core 1.23.0"),
    rank: Rank::Host,
    recognize,
    explains: owns,
    records: RecordReader::new(owns, read).of_messages(),
    pieces,
    // It sends a history as it is.
    project: |context| chat::project(context, &AGENT_FRAMEWORK.traits),
    wire: Wire { needs: &[&tool_names::NEED, &arguments::NEED], calls: ARGUMENTS, ..Wire::NONE },
    supports: blocks::SUPPORTS,
    planner: |context, request| blocks::planner(context, &WRITING, request),
    text,
    model: |_| None,
    traits: HostTraits {
        noun: "message",
        words: Some(WordSet::of(&["contents:["])),
        pairs: PairPolicy::LISTS,
        takes_reused_ids: true,
        blocks: &[&["contents"]],
        sent: &[&["role"], &["contents"], &["author_name"]],
        members: Members::own(&[
            (Holding::Details, "in_memory additional_properties raw_representation annotations"),
            (Holding::Envelope, "hosted exception author_name protected_data"),
            (Holding::Id, "service_session_id"),
        ]),
        policy: &[],
        ..HostTraits::NONE
    },
    after_write: "Agent Framework reads the file at the next run. A session in memory keeps the old messages: load it again.",
};

/// A call may have its arguments as an object or as the text of one, or none.
const ARGUMENTS: RecordedArguments = RecordedArguments {
    written: ArgumentsForm::Either,
    optional: true,
    after: &["name"],
    ..RecordedArguments::TEXTS
};

const BLOCKS: TypedBlocks = TypedBlocks {
    list: "contents",
    kind: "type",
    kinds: &[
        ("function_call", PartKind::Call),
        ("function_result", PartKind::Result),
        ("text_reasoning", PartKind::Thinking),
        ("data", PartKind::Media),
        ("uri", PartKind::Media),
        ("hosted_file", PartKind::Media),
    ],
    id: "call_id",
    tool: "name",
    input: "arguments",
    output: "result",
};

const WRITING: BlockWriting = BlockWriting {
    list: "contents",
    beside: &["type", "author_name"],
    results: (Role::Tool, "tool"),
    answer,
    ..BlockWriting::MESSAGES
};

/// Lines, a list, or a session with the messages of its provider in memory.
fn recognize(head: &Sample<'_>) -> Option<Layout> {
    const SESSION: &[PathStep] =
        &[PathStep::Key("state"), PathStep::Key("in_memory"), PathStep::Key("messages")];
    const WAYS: [&[PathStep]; 3] = [&[], &[PathStep::Key("messages")], SESSION];
    head.list(|entry, root| list_on(&WAYS, entry, root, owns), || head.nodes().any(owns))
}

/// Whether a value is a message: its contents say by their type what they are.
fn owns(message: Node<'_>) -> bool {
    let list = BLOCKS.blocks(message);
    message.string("role").is_some() && list.is_some_and(|list| list.items().next().is_some())
}

fn read(message: Node<'_>, t: &mut Transcript) {
    if t.newest_mut().role == Role::HostState {
        return;
    }
    let word = message.string("role").unwrap_or_default();
    let role = match word.as_ref() {
        "system" | "developer" => Role::System,
        "assistant" => Role::Assistant,
        "tool" => Role::Tool,
        _ => Role::User,
    };
    chat::read(message, t, (&word, role), pieces);
    if t.newest_mut().state != State::Unreadable {
        for piece in pieces(message) {
            t.note_flaws(piece.input_flaw(ARGUMENTS.written));
        }
    }
}

/// The parts of a message. A request for an approval has the call in it, which is not sent.
fn pieces(message: Node<'_>) -> Vec<Piece<'_>> {
    BLOCKS.pieces(message)
}

/// A content that answers a call with an error.
fn answer(context: &FormatContext<'_>, call: PartId) -> NewValue {
    let t = context.transcript;
    NewValue::object([
        ("type", NewValue::text("function_result")),
        ("call_id", NewValue::text(t.text(t.part(call).id))),
        ("result", NewValue::text(NO_RESULT)),
        ("exception", NewValue::text("interrupted")),
    ])
}

/// What the contents of a message say.
fn text(context: &FormatContext<'_>, event: EventId) -> Option<String> {
    let record = context.record(event).ok()?;
    let contents = record.root().items_of("contents");
    let said = contents.filter_map(|content| words(content.get("text").or(content.get("result"))?));
    let said: Vec<String> = said.collect();
    (!said.is_empty()).then(|| said.join("\n"))
}
