//! Messages of pydantic-ai, as `ModelMessagesTypeAdapter` writes them: requests with prompts and results, responses with calls.

use crate::containers::{Layout, PathStep, RecordReader};
use crate::dialects::Piece;
use crate::dialects::members::{Holding, Members};
use crate::dialects::placeholders::NO_RESULT;
use crate::dialects::typed::TypedBlocks;
use crate::format::about::{AboutPlaces, member};
use crate::format::head::Sample;
use crate::format::policy::PolicyRow;
use crate::format::records::list_on;
use crate::format::vocabulary::WordSet;
use crate::format::words::words;
use crate::format::{Format, FormatContext, Host, HostTraits, Rank, Verification};
use crate::json::build::NewValue;
use crate::json::node::Node;
use crate::requests::{Wire, tool_names};
use crate::shapes::chat::blocks::{self, BlockWriting};
use crate::shapes::chat::{self, diagnostics};
use crate::transcript::pairs::{PairPolicy, Paired, Pairs};
use crate::transcript::{Code, EventId, PartId, PartKind, Request, Role, Transcript};

crate::transcript::fact::own_facts! {
    /// The model that answered.
    MODEL,
}

pub(crate) const PYDANTIC_AI: Format = Format {
    name: "pydantic-ai",
    host: &Host::new("pydantic-ai", "Pydantic AI"),
    title: "Pydantic AI messages",
    page: include_str!("page.md"),
    checked: Verification::Run("pydantic-ai 2.68.0"),
    rank: Rank::Host,
    recognize,
    explains: owns,
    records: RecordReader::new(owns, read).of_messages(),
    pieces,
    project,
    // The arguments of a call may be any text: each model of the library makes an object of them.
    wire: Wire { needs: &[&tool_names::NEED], ..Wire::NONE },
    supports: blocks::SUPPORTS,
    planner: |context, request| blocks::planner(context, &WRITING, request),
    text,
    model: |t| t.all_texts(own::MODEL).last().map(str::to_owned),
    traits: HostTraits {
        noun: "message",
        words: Some(WordSet::of(&["part_kind:"])),
        pairs: PairPolicy::LISTS,
        takes_reused_ids: true,
        pending_note: "Pydantic AI runs it if the agent runs with this history and no prompt, and refuses a prompt before that",
        blocks: &[&["parts"]],
        sent: &[&["kind"], &["parts"], &["instructions"]],
        members: Members::own(&[
            (Holding::Details, "message_history provider_details cost retry"),
            (
                Holding::Envelope,
                "part_kind tool_kind outcome provider_name provider_url model_name dynamic_ref scope",
            ),
            (Holding::Id, "run_id provider_response_id context_id"),
        ]),
        about: AboutPlaces {
            models: &[member("response", &["model_name"])],
            ..AboutPlaces::NOTHING
        },
        policy: POLICY,
        ..HostTraits::NONE
    },
    after_write: "Load the messages again: a process that has them in memory keeps the old ones.",
};

/// What the host makes of damage: `_clean_message_history` corrects a copy of the messages before each request.
const POLICY: &[PolicyRow] = &[
    // It says "The tool call was interrupted before a result was produced." instead.
    PolicyRow::loses(Code::UnansweredCall),
    PolicyRow::loses(Code::OrphanResult),
    // A result whose ID no call has is dropped, even if only one call is open.
    PolicyRow::loses(Code::LinkMismatch),
    PolicyRow::loses(Code::ResultBeforeCall),
];

const BLOCKS: TypedBlocks = TypedBlocks {
    list: "parts",
    kind: "part_kind",
    kinds: &[
        ("tool-call", PartKind::Call),
        ("tool-return", PartKind::Result),
        ("retry-prompt", PartKind::Result),
        ("builtin-tool-call", PartKind::Hosted),
        ("builtin-tool-return", PartKind::Hosted),
        ("thinking", PartKind::Thinking),
        ("file", PartKind::Media),
    ],
    id: "tool_call_id",
    tool: "tool_name",
    input: "args",
    output: "content",
};

const WRITING: BlockWriting = BlockWriting {
    speaker: "kind",
    list: "parts",
    results: (Role::User, "request"),
    answer,
    ..BlockWriting::MESSAGES
};

/// A list, the list of a document, or lines.
fn recognize(head: &Sample<'_>) -> Option<Layout> {
    const WAYS: [&[PathStep]; 3] =
        [&[], &[PathStep::Key("messages")], &[PathStep::Key("message_history")]];
    head.list(|entry, root| list_on(&WAYS, entry, root, owns), || head.nodes().any(owns))
}

/// Who speaks in a message.
fn role(message: Node<'_>) -> Option<Role> {
    match message.string("kind")?.as_ref() {
        "request" => Some(Role::User),
        "response" => Some(Role::Assistant),
        _ => None,
    }
}

/// Whether a value is a message: its parts say by `part_kind` what they are.
fn owns(message: Node<'_>) -> bool {
    let list = BLOCKS.blocks(message);
    role(message).is_some() && list.is_some_and(|list| list.items().next().is_some())
}

fn read(message: Node<'_>, t: &mut Transcript) {
    if t.newest_mut().role == Role::HostState {
        return;
    }
    let word = message.string("kind").unwrap_or_default();
    chat::read(message, t, (&word, role(message).unwrap_or(Role::User)), pieces);
    t.set_text(own::MODEL, message.get("model_name"));
}

/// The parts of a message. A retry without a tool is a prompt.
fn pieces(message: Node<'_>) -> Vec<Piece<'_>> {
    let mut pieces = BLOCKS.pieces(message);
    for piece in &mut pieces {
        if piece.kind == PartKind::Result && piece.name().is_none() {
            *piece =
                Piece { homes: std::mem::take(&mut piece.homes), ..Piece::new(PartKind::Text, 0) };
        }
    }
    pieces
}

/// The library joins neighboring requests, with the results first.
fn project(context: &FormatContext<'_>) -> Request {
    let t = context.transcript;
    let mut all = chat::messages(t);
    let (copies, mut diagnostics) = diagnostics::copies(context, &all);
    all.retain(|event| copies.binary_search(event).is_err());
    let mut order = chat::items(t, &all);
    let answers = |role| role == Role::Assistant;
    for joined in order.chunk_by_mut(|a, b| answers(a.role) == answers(b.role)) {
        if !answers(joined[0].role) {
            joined.sort_by_key(|sent| sent.role != Role::Tool);
        }
    }
    let pairs = Pairs::find(t, PYDANTIC_AI.traits.pairs, &Paired::events(&all));
    diagnostics.extend(diagnostics::unreadable(t, &pairs, PYDANTIC_AI.traits.unreadable));
    chat::request_of(context, order, (all, &[]), pairs, diagnostics)
}

/// A part that answers a call with an error. Older versions know no `outcome` for it.
fn answer(context: &FormatContext<'_>, call: PartId) -> NewValue {
    let t = context.transcript;
    let part = t.part(call);
    NewValue::object([
        ("tool_name", NewValue::text(t.text(part.tool))),
        ("content", NewValue::text(NO_RESULT)),
        ("tool_call_id", NewValue::text(t.text(part.id))),
        ("part_kind", NewValue::text("tool-return")),
    ])
}

/// What the parts of a message say.
fn text(context: &FormatContext<'_>, event: EventId) -> Option<String> {
    let record = context.record(event).ok()?;
    let parts = record.root().items_of("parts");
    let said: Vec<String> = parts.filter_map(|part| words(part.get("content")?)).collect();
    (!said.is_empty()).then(|| said.join("\n"))
}
