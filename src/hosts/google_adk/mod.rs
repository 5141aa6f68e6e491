//! Sessions of Google's Agent Development Kit: events around turns of the Gemini API.

mod sent;

use crate::containers::{Layout, PathStep, RecordReader};
use crate::dialects::Piece;
use crate::dialects::gemini;
use crate::dialects::members::{Holding, Members};
use crate::dialects::piece::ArgumentsForm;
use crate::format::head::Sample;
use crate::format::policy::PolicyRow;
use crate::format::records::list_on;
use crate::format::signs::has_string;
use crate::format::vocabulary::WordSet;
use crate::format::words::words;
use crate::format::{Format, FormatContext, Host, HostTraits, Rank, Verification};
use crate::json::build::NewValue;
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::requests::arguments::{self, RecordedArguments};
use crate::requests::{Wire, tool_names};
use crate::rewrite::made_id;
use crate::shapes::chat;
use crate::shapes::chat::blocks::{self, BlockWriting};
use crate::transcript::{Code, EventId, FactValue, PartId, Role, State, Transcript};

crate::transcript::fact::own_facts! {
    /// The invocation of an event.
    INVOCATION,
    /// The invocation before which an event takes everything back.
    REWINDS,
    /// An event with the summary of others.
    COMPACTS,
    /// An event with calls of tools that may answer long after.
    LONG_RUNNING,
    /// Its members are spelled in snake_case.
    SNAKE,
    /// The model that answered.
    MODEL,
}

pub(crate) const GOOGLE_ADK: Format = Format {
    name: "google-adk",
    host: &Host::new("google-adk", "Google ADK"),
    title: "Google ADK session",
    page: include_str!("page.md"),
    checked: Verification::Run("google-adk 2.13.0"),
    rank: Rank::Signed,
    recognize,
    explains: owns,
    records: RecordReader::new(owns, read).of_messages(),
    pieces,
    project: sent::project,
    wire: Wire {
        needs: &[&tool_names::NEED, &arguments::NEED],
        message: content,
        calls: RecordedArguments { optional: true, ..RecordedArguments::OBJECTS },
        ..Wire::NONE
    },
    supports: blocks::SUPPORTS,
    planner: |context, request| blocks::planner(context, &WRITING, request),
    text,
    model: |t| t.all_texts(own::MODEL).last().map(str::to_owned),
    traits: HostTraits {
        noun: "event",
        words: Some(WordSet::of(&["author:"])),
        takes_reused_ids: true,
        pending_note: "Google ADK leaves it out of the next request, unless its tool is a long-running one",
        blocks: &[&["content", "parts"]],
        sent: &[&["content"]],
        members: Members::own(&[
            (
                Holding::Details,
                "actions stateDelta state_delta artifactDelta artifact_delta requestedAuthConfigs requested_auth_configs \
                requestedToolConfirmations requested_tool_confirmations nodeInfo node_info groundingMetadata grounding_metadata compaction",
            ),
            (
                Holding::Envelope,
                "author branch modelVersion model_version longRunningToolIds long_running_tool_ids startTimestamp \
                endTimestamp start_timestamp end_timestamp",
            ),
            (Holding::Text, "compactedContent compacted_content"),
            (
                Holding::Id,
                "invocationId invocation_id rewindBeforeInvocationId rewind_before_invocation_id",
            ),
        ]),
        policy: POLICY,
        ..HostTraits::NONE
    },
    after_write: "Load the session again: a service that has it in memory keeps the old events.",
};

/// What the host makes of damage: it leaves out what has no partner, and moves results to their calls.
const POLICY: &[PolicyRow] = &[
    PolicyRow::loses(Code::UnansweredCall),
    PolicyRow::loses(Code::OrphanResult),
    // A result whose ID no call has is dropped, even if only one call is open.
    PolicyRow::loses(Code::LinkMismatch),
    PolicyRow::loses(Code::ResultBeforeCall),
];

const WRITING: BlockWriting = BlockWriting {
    message: content,
    record: around,
    list: "parts",
    apart: true,
    answer,
    ..BlockWriting::MESSAGES
};

/// A saved session, a list, or lines.
fn recognize(head: &Sample<'_>) -> Option<Layout> {
    const WAYS: [&[PathStep]; 2] = [&[PathStep::Key("events")], &[]];
    head.list(|entry, root| list_on(&WAYS, entry, root, owns), || head.nodes().any(owns))
}

/// Whether a value is an event: it has an author, and an invocation that it belongs to.
fn owns(event: Node<'_>) -> bool {
    has_string(event, "author")
        && ["invocationId", "invocation_id"].iter().any(|key| has_string(event, key))
        && event.get("role").is_none()
}

fn content(event: Node<'_>) -> Node<'_> {
    event.get_kind("content", Kind::Object).unwrap_or(event)
}

/// The parts of an event; many have none.
fn pieces(event: Node<'_>) -> Vec<Piece<'_>> {
    gemini::pieces(content(event))
}

fn read(event: Node<'_>, t: &mut Transcript) {
    if t.newest_mut().role == Role::HostState {
        return;
    }
    let word = content(event).string("role").unwrap_or_default();
    let says = event.at(&["content", "parts"]).is_some_and(|parts| parts.items().next().is_some());
    // Events without parts only carry actions.
    let role = match word.as_ref() {
        _ if !says => Role::Nobody,
        "model" => Role::Assistant,
        _ => Role::User,
    };
    chat::read(event, t, (&word, role), pieces);
    if t.newest_mut().state == State::Unreadable {
        return;
    }
    for piece in pieces(event) {
        t.note_flaws(piece.input_flaw(ArgumentsForm::Object));
    }
    let actions = event.get("actions");
    let rewinds = actions
        .and_then(|own| member(own, "rewindBeforeInvocationId", "rewind_before_invocation_id"));
    t.set_text(own::INVOCATION, member(event, "invocationId", "invocation_id"));
    t.set_text(own::REWINDS, rewinds);
    t.set_text(own::MODEL, member(event, "modelVersion", "model_version"));
    let compacts = actions.and_then(|own| own.get("compaction")).is_some_and(|own| !own.is_null());
    let waits = member(event, "longRunningToolIds", "long_running_tool_ids");
    let facts = [
        (own::COMPACTS, compacts),
        (own::LONG_RUNNING, waits.is_some_and(|ids| ids.items().next().is_some())),
        (own::SNAKE, event.get("invocation_id").is_some()),
    ];
    for (fact, _) in facts.into_iter().filter(|(_, holds)| *holds) {
        t.set_fact(fact, FactValue::Yes);
    }
}

/// A member in either spelling, unless it is null.
fn member<'a>(node: Node<'a>, camel: &str, snake: &str) -> Option<Node<'a>> {
    node.get(camel).or_else(|| node.get(snake)).filter(|value| !value.is_null())
}

/// A part that answers a call with an error.
fn answer(context: &FormatContext<'_>, call: PartId) -> NewValue {
    let t = context.transcript;
    let part = t.part(call);
    gemini::answer(
        part.id.map(|id| t.ids.get(id)),
        t.text(part.tool),
        t.has(part.event, own::SNAKE),
    )
}

/// The event of new results, which the agent of the calls records.
fn around(caller: Node<'_>, message: NewValue) -> NewValue {
    let id = caller.string("id").unwrap_or_default();
    let kept = ["author", "invocationId", "invocation_id", "branch", "timestamp"];
    let kept = kept.into_iter().filter_map(|key| Some((key, NewValue::copy(caller.get(key)?))));
    let own = [("content", message), ("id", NewValue::text(made_id(&["results", &id])))];
    NewValue::object(own.into_iter().chain(kept))
}

/// What the parts of an event say.
fn text(context: &FormatContext<'_>, event: EventId) -> Option<String> {
    let record = context.record(event).ok()?;
    words(record.root().at(&["content", "parts"])?)
}
