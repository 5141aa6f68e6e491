//! What `codex exec --json` prints: a stream of events about the items of a thread. The transcript is the rollout that Codex
//! keeps; the stream is what scripts keep. Nothing reads it back, so there is nothing to repair but its bytes.

use super::codex::CODEX;
use super::openai_chat::OPENAI_CHAT;
use crate::containers::{Layout, RecordReader};
use crate::dialects::members::{Holding, Members};
use crate::dialects::piece::{MemberRef, Piece};
use crate::format::head::Sample;
use crate::format::{Format, FormatContext, HostTraits, Rank, Verification};
use crate::json::node::Node;
use crate::requests::Wire;
use crate::shapes::chat::{self, diagnostics};
use crate::transcript::pairs::{Paired, Pairs};
use crate::transcript::{
    ActionKind, Code, Diagnostic, EventId, FactValue, PartId, PartKind, Request, Role, State,
    Transcript, facts,
};

crate::transcript::fact::own_facts! {
    /// The first event of a stream: the ID of its thread.
    THREAD,
}

pub(crate) const CODEX_EXEC: Format = Format {
    name: "codex-exec",
    host: CODEX.host,
    title: "Codex exec stream",
    page: include_str!("page.md"),
    checked: Verification::Read("its source (`exec_events.rs`)"),
    rank: Rank::Extended,
    recognize: |head: &Sample<'_>| {
        let entry = head.single.filter(|_| head.document.is_none())?;
        head.nodes().any(is_signed).then_some(Layout::Lines(entry))
    },
    explains: owns,
    records: RecordReader::new(owns, read),
    pieces,
    project,
    wire: Wire::NONE,
    supports: &[ActionKind::EditBytes, ActionKind::Remove],
    text: |context, event| {
        let record = context.record(event).ok()?;
        let text = text(record.root())?;
        text.str().map(|text| text.into_owned())
    },
    model: |_| Some("openai-responses".to_owned()),
    traits: HostTraits {
        noun: "event",
        members: Members::own(&[
            (Holding::Details, "item usage changes agents_states action items"),
            (Holding::Envelope, "thread_id exit_code status server tool kind"),
        ]),
        session: |context| {
            let t = context.transcript;
            let mut threads = t.records().filter_map(|event| t.fact_text(event, own::THREAD));
            threads.next().map(str::to_owned)
        },
        ..HostTraits::NONE
    },
    after_write: "Codex never reads the stream: the session is in its rollout (@codex).",
    ..OPENAI_CHAT
};

/// Types of events.
const EVENTS: &[&str] = &["thread.", "turn.", "item.", "error", "request_user_input"];
/// Types of items that start and then complete.
const CALLS: &[&str] =
    &["command_execution", "mcp_tool_call", "collab_tool_call", "web_search", "file_change"];
/// Where the text of an event is.
const TEXTS: &[&[&str]] = &[
    &["item", "text"],
    &["item", "message"],
    &["item", "aggregated_output"],
    &["item", "error", "message"],
    &["error", "message"],
    &["message"],
    &["item", "command"],
    &["item", "query"],
];

/// Whether an event is one that only this stream has.
fn is_signed(event: Node<'_>) -> bool {
    let kind = event.string("type").unwrap_or_default();
    match kind.as_ref() {
        "thread.started" => event.get("thread_id").is_some(),
        kind => kind.starts_with("item.") && event.at(&["item", "type"]).is_some(),
    }
}

fn owns(event: Node<'_>) -> bool {
    let kind = event.string("type").unwrap_or_default();
    EVENTS.iter().any(|start| kind.starts_with(start))
}

fn text(event: Node<'_>) -> Option<Node<'_>> {
    TEXTS.iter().find_map(|path| event.at(path))
}

fn read(event: Node<'_>, t: &mut Transcript) {
    let kind = event.string("type").unwrap_or_default();
    let id = t.ids.intern(&kind);
    let pieces = pieces(event);
    let record = t.newest_mut();
    record.kind = Some(id);
    record.role = match pieces.first().map(|piece| piece.kind) {
        Some(PartKind::Result) => Role::Tool,
        Some(_) => Role::Assistant,
        None => Role::Nobody,
    };
    if record.state == State::Unreadable {
        return;
    }
    match kind.as_ref() {
        "thread.started" => {
            let thread = event.string("thread_id").unwrap_or_default();
            let thread = t.ids.intern(&thread);
            t.set_fact(own::THREAD, FactValue::Text(thread));
        }
        "turn.failed" | "error" => t.set_fact(facts::FAILURE, FactValue::Yes),
        _ => {}
    }
    for piece in pieces {
        let part = piece.part(t);
        t.add_part(part);
    }
}

/// The part of an event: its item, which starts as a call and completes as its result.
fn pieces(event: Node<'_>) -> Vec<Piece<'_>> {
    let Some(item) = event.get("item") else {
        return Vec::new();
    };
    let kind = item.string("type").unwrap_or_default();
    let is_call = CALLS.contains(&kind.as_ref());
    let part = match (event.string("type").as_deref(), kind.as_ref()) {
        (Some("item.started"), _) if is_call => PartKind::Call,
        (Some("item.completed"), _) if is_call => PartKind::Result,
        (Some("item.completed"), "reasoning") => PartKind::Thinking,
        (Some("item.completed"), "agent_message" | "plan") => PartKind::Text,
        _ => return Vec::new(),
    };
    let mut piece = Piece::new(part, 0);
    if is_call {
        piece.ids = item.get("id").map(MemberRef::At).into();
        piece.names = ["tool", "type"].iter().find_map(|key| item.get(key)).into();
        let inputs = ["command", "arguments", "query", "prompt", "changes"];
        piece.inputs = inputs.iter().find_map(|key| item.get(key)).map(MemberRef::At).into();
        piece.takes_any_input = true;
    }
    vec![piece]
}

fn project(context: &FormatContext<'_>) -> Request {
    let t = context.transcript;
    let all = chat::messages(t);
    // The stream names its items, so that its events need not be paired; a resumed thread starts its numbers again.
    let pairs = Pairs::find(t, CODEX_EXEC.traits.pairs, &Paired::events(&[]));
    let mut found = diagnostics::unreadable(t, &pairs, CODEX_EXEC.traits.unreadable);
    found.extend(unfinished(t));
    let failed = t.records().filter(|event| t.kind(*event) == "turn.failed");
    found.extend(
        failed.map(|event| diagnostics::note(event, "the turn failed; this event has the error")),
    );
    chat::request(context, all, &[], pairs, found)
}

/// Items that started and did not complete: the process was stopped, or they still ran when the turn ended.
fn unfinished(t: &Transcript) -> Vec<Diagnostic> {
    let mut open: Vec<PartId> = Vec::new();
    for part in t.records().flat_map(|event| t.event(event).parts.clone()) {
        match t.part(part).kind {
            PartKind::Call => open.push(part),
            PartKind::Result => open.retain(|call| t.part(*call).id != t.part(part).id),
            _ => {}
        }
    }
    open.into_iter()
        .map(|call| {
            let event: EventId = t.part(call).event;
            let mut note = diagnostics::note(event, "item started, but did not complete");
            note.code = Code::PendingCall;
            note
        })
        .collect()
}
