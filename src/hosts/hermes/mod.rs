//! Sessions of Hermes Agent: messages of Chat Completions in its database, in what it exports of that, and in the files that it
//! wrote before it had one.

use super::checked;
use super::openai_chat::{self, OPENAI_CHAT};
use crate::containers::{Layout, RecordReader};
use crate::dialects::chat as dialect;
use crate::dialects::members::{Holding, Members};
use crate::format::about::{AboutPlaces, member};
use crate::format::head::Sample;
use crate::format::home::{Home, HomeFolder, Root};
use crate::format::policy::PolicyRow;
use crate::format::signs::has_all;
use crate::format::vocabulary::WordSet;
use crate::format::{Format, Host, HostTraits, Rank, Verification, records};
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::requests::Wire;
use crate::requests::reasoning_content::ReturnedThinking;
use crate::transcript::unreadable::OnUnreadable;
use crate::transcript::{Code, Flaws, Role, Severity, Transcript};

pub(crate) const HERMES: Format = Format {
    name: "hermes",
    host: &Host::new("hermes", "Hermes"),
    title: "Hermes session",
    page: include_str!("page.md"),
    checked: Verification::Suite(checked::HERMES, ""),
    rank: Rank::Extended,
    recognize,
    explains: |record| is_own(record) || dialect::speaks(record),
    records: RecordReader::new(|record| is_own(record) || dialect::owns(record), read)
        .of_messages(),
    project: |context| openai_chat::project(context, &HERMES.traits),
    // `_copy_reasoning_content_for_api` in `run_agent.py`, since pull request 18263.
    wire: Wire { thinking: ReturnedThinking::Filled, ..OPENAI_CHAT.wire },
    traits: HostTraits {
        words: Some(WordSet::of(&["session_meta", "session_start:", "started_at:"])),
        beside: &[],
        takes_reused_ids: false,
        empties_reused_calls: true,
        conversations: HostTraits::NONE.conversations,
        members: Members::own(&[
            (
                Holding::Details,
                "codex_message_items codex_reasoning_items reasoning_details api_content",
            ),
            (
                Holding::Envelope,
                "started_at ended_at session_start last_updated platform observed active compacted token_count \
                effect_disposition",
            ),
        ]),
        unreadable: OnUnreadable { appends: true, ..OnUnreadable::SKIPS },
        adds_prompt: true,
        about: AboutPlaces {
            titles: &[member(SESSION, &["title"])],
            folders: &[member(SESSION, &["cwd"])],
            versions: &[],
            models: &[member(SESSION, &["model"])],
        },
        homes: HOMES,
        policy: POLICY,
        ..OPENAI_CHAT.traits
    },
    after_write: "Hermes imports this file on the Sessions page of `hermes dashboard`, but no session whose ID it has: first \
        `hermes sessions delete ID`.",
    ..OPENAI_CHAT
};

/// What damage is to the host, which corrects a copy of the messages before each request
/// (`agent/agent_runtime_helpers.py`: `repair_message_sequence`, `sanitize_tool_call_arguments`, `sanitize_api_messages`).
const POLICY: &[PolicyRow] = &[
    // It says "[Result unavailable — see context summary above]" instead.
    PolicyRow::loses(Code::UnansweredCall),
    PolicyRow::loses(Code::OrphanResult),
    // Only a result between its call and the next message of somebody else counts.
    PolicyRow::loses(Code::ResultBeforeCall),
    PolicyRow::loses(Code::ResultNotNext),
    PolicyRow::loses(Code::ConflictingResults),
    PolicyRow::mends(Code::TwoResults),
    // It joins the messages, and keeps one of equal calls.
    PolicyRow::mends(Code::SplitBatch),
    PolicyRow::mends(Code::RepeatedCall),
    // The arguments become `{}`, and a note before the result says so.
    PolicyRow::loses(Code::BadInput),
    PolicyRow::mends(Code::MissingInput),
    PolicyRow::mends(Code::RoleOrder),
    PolicyRow::is(Code::RepeatedRecord, Severity::Fatal),
    PolicyRow::is(Code::MalformedRecord, Severity::Fatal),
];

/// The kind of the record that says what a session is.
const SESSION: &str = "session";
/// The role of the record that says which tools and which model a conversation began with.
const META: &str = "session_meta";

/// Since 0.16 the database is all that the host reads; the files of older versions stay.
const HOMES: &[Home] = &[Home {
    name: "hermes",
    roots: &[Root {
        var: "HERMES_HOME",
        below_var: "",
        at_home: &[".hermes"],
        places: &[
            HomeFolder::databases("", |name| (name == "state.db").then_some(name)),
            HomeFolder::files("sessions", |name| {
                match name.strip_prefix("session_").and_then(|name| name.strip_suffix(".json")) {
                    Some(document) => Some(document),
                    None => name.strip_suffix(".jsonl"),
                }
            }),
        ],
    }],
    project: |_| None,
}];

/// Whether a value is a session as it is exported, or its row in the database.
fn is_session(value: Node<'_>) -> bool {
    has_all(value, &["id", "source", "started_at"]) && value.get("role").is_none()
}

/// Whether a value is a snapshot of a conversation, as the command line and older versions write it.
fn is_snapshot(value: Node<'_>) -> bool {
    has_all(value, &["session_id", "session_start", "messages"])
}

/// A record of the host between the messages.
fn is_own(record: Node<'_>) -> bool {
    record.get("role").is_some_and(|role| role.is_str(META)) || is_session(record)
}

/// Messages, and the host's own records among them or around them.
fn recognize(head: &Sample<'_>) -> Option<Layout> {
    let layout = (OPENAI_CHAT.recognize)(head).or_else(|| head.line_file().map(Layout::Lines))?;
    let is_signed = head.only().is_some_and(|root| {
        is_snapshot(root) || (is_session(root) && root.get("messages").is_some())
    });
    let is_signed = is_signed || records::records(head, &layout).into_iter().any(is_own);
    is_signed.then_some(layout)
}

/// Members of an answer that it sends back to the Responses API instead of a text.
const ITEMS: [&str; 2] = ["codex_message_items", "codex_reasoning_items"];

/// The host's own records are for nobody; the others are messages. It drops what is no list of calls, or an empty one, and gives
/// a name to a call that has none.
fn read(record: Node<'_>, t: &mut Transcript) {
    if is_own(record) {
        let kind = t.ids.intern(if is_session(record) { SESSION } else { META });
        let event = t.newest_mut();
        event.kind = Some(kind);
        if event.role != Role::HostState {
            event.role = Role::Nobody;
            return;
        }
    }
    let has_items = ITEMS.iter().any(|key| record.get(key).is_some_and(|items| !items.is_null()));
    let calls = record.get("tool_calls");
    let mended = if calls.is_some_and(|calls| calls.kind() == Kind::Array) {
        Flaws::EMPTY_CALLS | Flaws::NO_NAME
    } else {
        Flaws::BAD_CALLS
    };
    let of_items = if has_items { Flaws::NOTHING | Flaws::BLANK } else { Flaws::NONE };
    let first = t.parts.len();
    openai_chat::read_mended(record, t, mended | of_items);
    let nameless = t.ids.intern("");
    for part in t.parts.iter_mut().skip(first) {
        part.tool = part.tool.filter(|tool| *tool != nameless);
    }
}
