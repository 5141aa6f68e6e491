//! Conversations of Amazon Q Developer CLI, and of Kiro CLI with its first engine: a document with prompts, each with its answer.
//!
//! A record is an entry of the history: what the user says, or the results of the calls of the entry before it, and what the
//! assistant answers, with its calls.

mod read;
mod write;

use crate::containers::{Layout, PathStep, RecordReader};
use crate::dialects::members::{Holding, Members};
use crate::format::about::{AboutPlaces, member};
use crate::format::head::Sample;
use crate::format::home::{Home, HomeFolder, Root};
use crate::format::policy::PolicyRow;
use crate::format::signs::has_all;
use crate::format::vocabulary::WordSet;
use crate::format::{Format, FormatContext, Host, HostTraits, Rank, Verification};
use crate::requests::{Wire, refused};
use crate::rewrite::Schema;
use crate::shapes::chat::{self, diagnostics, inside};
use crate::transcript::pairs::{Paired, Pairs};
use crate::transcript::request::Sent;
use crate::transcript::unreadable::OnUnreadable;
use crate::transcript::{
    Action, Code, Diagnostic, Effect, EventId, IdRange, PartId, PartKind, Request, Role, Severity,
    Subject, Transcript,
};

crate::transcript::fact::own_facts! {
    /// How many parts of an entry are of the user.
    ASKED,
    /// The host cannot read this entry.
    HALF,
    /// Around the entries: the model.
    MODEL,
}

pub(crate) const AMAZON_Q: Format = Format {
    name: "amazon-q",
    host: &Host::new("amazon-q", "Amazon Q"),
    title: "Amazon Q or Kiro CLI conversation",
    page: include_str!("page.md"),
    checked: Verification::Read("the source of Amazon Q Developer CLI, version 1.19.7"),
    rank: Rank::Host,
    recognize,
    explains: read::owns,
    records: RecordReader::new(read::owns, read::read),
    pieces: read::pieces,
    project,
    wire: Wire::NONE,
    supports: SCHEMA.supports,
    planner: |context, request| {
        inside::planner_of(context, &SCHEMA, answered_in, write::changes, request)
    },
    text: read::text,
    model: |_| None,
    traits: HostTraits {
        noun: "entry",
        words: Some(WordSet::of(&["history:["])),
        has_place: |t, action| match action {
            Action::AnswerCall { call, .. } => answered_in(t, t.part(*call).event).is_some(),
            _ => true,
        },
        unreadable: OnUnreadable::FAILS,
        pending_note: "Amazon Q answers it with \"Tool use was cancelled by the user\" when the conversation continues",
        sent: &[&["user"], &["assistant"]],
        members: Members::own(&[
            (
                Holding::Details,
                "user assistant env_context env_state images tool_uses tool_use_results history \
                Prompt CancelledToolUses ToolUseResults Response ToolUse model_info",
            ),
            (Holding::Text, "prompt Text additional_context"),
            (Holding::Call, "args orig_args"),
            (Holding::Envelope, "request_metadata timestamp message_id orig_name status model_id"),
            (Holding::Id, "tool_use_id"),
        ]),
        about: AboutPlaces {
            folders: &[member(
                "entry",
                &["user", "env_context", "env_state", "current_working_directory"],
            )],
            models: &[member("entry", &["request_metadata", "model_id"])],
            ..AboutPlaces::NOTHING
        },
        homes: HOMES,
        policy: POLICY,
        ..HostTraits::NONE
    },
    after_write: "Load it with `/chat load FILE`; the conversation that `q chat --resume` continues is in the database.",
};

/// The document is read as a whole or not at all (`serde_json::from_str`). `--resume` then starts a new conversation without a
/// word, which replaces this one in the database with its first answer.
const POLICY: &[PolicyRow] = &[
    PolicyRow::refuses_file(Code::MalformedRecord, Severity::Fatal),
    PolicyRow::refuses_file(Code::ByteOrderMark, Severity::Fatal),
    PolicyRow::refuses_file(Code::NulPadding, Severity::Fatal),
    PolicyRow::refuses_file(Code::InvalidUtf8, Severity::Fatal),
    PolicyRow::refuses_file(Code::LoneSurrogate, Severity::Fatal),
];

const SCHEMA: Schema = Schema { supports: inside::SUPPORTS, ..Schema::PLAIN };

/// The database of a program (`util/paths.rs`).
const DATABASES: &[HomeFolder] =
    &[HomeFolder::databases("", |name| (name == "data.sqlite3").then_some(name))];

const HOMES: &[Home] = &[
    Home {
        name: "amazon-q",
        roots: &[Root {
            var: "XDG_DATA_HOME",
            below_var: "amazon-q",
            at_home: &[".local/share/amazon-q", "Library/Application Support/amazon-q"],
            places: DATABASES,
        }],
        project: |_| None,
    },
    Home {
        name: "kiro-cli",
        roots: &[Root {
            var: "XDG_DATA_HOME",
            below_var: "kiro-cli",
            at_home: &[".local/share/kiro-cli", "Library/Application Support/kiro-cli"],
            places: DATABASES,
        }],
        project: |_| None,
    },
];

/// A document with a history of prompts and answers.
fn recognize(head: &Sample<'_>) -> Option<Layout> {
    let root = head.only()?;
    let is_own = has_all(root, &["conversation_id"]) && root.items_of("history").any(read::owns);
    let entry = head.single.filter(|_| is_own)?;
    Some(Layout::enclosed(entry, vec![PathStep::Key("history")]))
}

/// The entry with the results of the calls of another: the next one. The host answers the calls of the last one itself.
fn answered_in(t: &Transcript, asks: EventId) -> Option<EventId> {
    t.records().find(|event| *event > asks && t.event(*event).role.is_sent())
}

fn project(context: &FormatContext<'_>) -> Request {
    let t = context.transcript;
    let sent = chat::messages(t);
    let unasked = unasked(t, &sent);
    let results: Vec<PartId> =
        unasked.iter().flat_map(|event| t.parts_of(*event, PartKind::Result)).collect();
    let is_sent = |part| results.binary_search(&part).is_err();
    let paired = Paired { is_sent: &is_sent, ..Paired::events(&sent) };
    let pairs = Pairs::find(t, AMAZON_Q.traits.pairs, &paired);
    let mut found = diagnostics::unreadable(t, &pairs, AMAZON_Q.traits.unreadable);
    found.extend(sent.iter().filter(|event| t.has(**event, own::HALF)).map(|event| half(*event)));
    // Those of the first entry are sent as a text.
    let stays = unasked.iter().filter(|event| Some(*event) != sent.first());
    found.extend(stays.map(|event| without_calls(context, *event)));
    chat::request_of(context, order(t, &sent), (sent, &[]), pairs, found)
}

/// An entry that keeps the host from reading any.
fn half(event: EventId) -> Diagnostic {
    let message = "entry without a prompt or without an answer";
    let mut found = Diagnostic::about(Code::MalformedRecord, message, Subject::Content, event);
    found.effect = Effect::LoadFails;
    found
}

/// The entries with results whose entry before them has no calls.
fn unasked(t: &Transcript, sent: &[EventId]) -> Vec<EventId> {
    let has = |event: EventId, kind| t.parts_of(event, kind).next().is_some();
    let mut asks = false;
    let mut found = Vec::new();
    for event in sent.iter().copied() {
        if !asks && has(event, PartKind::Result) {
            found.push(event);
        }
        asks = has(event, PartKind::Call);
    }
    found
}

/// Results that follow no calls, as `/tangent tail` leaves them: the last entry of a side conversation is put after the main one.
fn without_calls(context: &FormatContext<'_>, event: EventId) -> Diagnostic {
    let t = context.transcript;
    let message = "tool results after an answer without tool calls";
    let mut found = refused(Code::OrphanResult, message, event);
    found.about = t.parts_of(event, PartKind::Result).map(Subject::Identity).collect();
    found.fix_safely(context.change(event, |entry| write::as_prompt(context, event, entry)));
    found
}

/// The two messages of each entry.
fn order(t: &Transcript, sent: &[EventId]) -> Vec<Sent> {
    let mut order = Vec::with_capacity(2 * sent.len());
    for event in sent.iter().copied() {
        let parts = t.event(event).parts.clone();
        let asked = t.fact_number(event, own::ASKED).unwrap_or(0);
        let own: Vec<PartId> = parts.clone().collect();
        let at = own.get(asked as usize).copied().unwrap_or(parts.end());
        let has_results = own.first().is_some_and(|part| t.part(*part).kind == PartKind::Result);
        let asks = if has_results { Role::Tool } else { Role::User };
        order.push(Sent::new(event, asks, IdRange::new(parts.start(), at)));
        order.push(Sent::new(event, Role::Assistant, IdRange::new(at, parts.end())));
    }
    order
}
