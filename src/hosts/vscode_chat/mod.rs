//! Chats of VS Code (Copilot Chat): a log of changes to one document, or, before VS Code 1.109, that document.
//!
//! It is none of the shapes that formats share: a record is no message, but may add several, or a part of one. So the records are
//! kept as they are, and what is checked is whether VS Code can replay them. It sends none of it as it is recorded: the extension
//! makes a new prompt of it for each request.

mod read;

use std::path::{Path, PathBuf};

use crate::containers::{Layout, PathStep, RecordReader};
use crate::dialects::members::{Holding, Members};
use crate::format::about::{AboutPlaces, member};
use crate::format::head::Sample;
use crate::format::home::{Home, HomeFolder, Root, SessionList, is_uuid};
use crate::format::policy::PolicyRow;
use crate::format::vocabulary::WordSet;
use crate::format::{Format, FormatContext, Host, HostTraits, Rank, Verification, records};
use crate::hosts::openai_chat::OPENAI_CHAT;
use crate::json::node::Node;
use crate::json::quote::quote;
use crate::requests::Wire;
use crate::shapes::chat::{self, diagnostics};
use crate::targets::errors::{At, ErrorText};
use crate::transcript::pairs::{Paired, Pairs};
use crate::transcript::unreadable::OnUnreadable;
use crate::transcript::{
    ActionKind, Code, Diagnostic, Effect, EventId, Request, Severity, State, Subject, Transcript,
};

crate::transcript::fact::own_facts! {
    /// The document begins here: how many requests it has.
    BEGINS,
    /// How many requests a record adds.
    ADDS,
    /// How many requests are left before a record adds some.
    KEEPS,
    /// The request that a record changes.
    CHANGES,
    /// When a request was made.
    MADE,
}

pub(crate) const VSCODE_CHAT: Format = Format {
    name: "vscode-chat",
    host: &Host::new("vscode-chat", "VS Code"),
    title: "VS Code chat session",
    page: include_str!("page.md"),
    checked: Verification::Read("the source of VS Code; its reader was run, version 1.139.1"),
    rank: Rank::Host,
    recognize,
    explains: read::owns,
    records: RecordReader::new(read::owns, read::read),
    pieces: read::pieces,
    project,
    wire: Wire::NONE,
    supports: &[ActionKind::EditBytes, ActionKind::Remove],
    text: read::text,
    model: |_| Some("openai-chat".to_owned()),
    traits: HostTraits {
        words: Some(WordSet::of(&["k:[", "v:{", "requests:["])),
        shared_api: Some(|_| None),
        unreadable: OnUnreadable::FAILS,
        errors: ERRORS,
        about: AboutPlaces {
            titles: &[member("title", &["v"]), member("begin", &["v", "customTitle"])],
            ..AboutPlaces::NOTHING
        },
        members: Members::own(&[
            (
                Holding::Details,
                "v requests inputState timings variableData variables modelState invocationMessage pastTenseMessage \
                workingDirectory repoData agent",
            ),
            (Holding::Text, "inputText"),
            (
                Holding::Envelope,
                "k i initialLocation creationDate completedAt totalElapsed responderUsername hasPendingEdits \
                pendingRequests isComplete supportThemeIcons followups",
            ),
            (Holding::Id, "requestId responseId toolId"),
        ]),
        homes: HOMES,
        list: Some(LIST),
        policy: POLICY,
        ..HostTraits::NONE
    },
    after_write: "Reload the window of VS Code: it keeps the chats that it has opened.",
    ..OPENAI_CHAT
};

/// VS Code opens a chat as a whole or not at all (`chatSessionStore.ts`, `objectMutationLog.ts`).
const POLICY: &[PolicyRow] = &[
    PolicyRow::refuses_file(Code::TornTail, Severity::Fatal),
    PolicyRow::refuses_file(Code::GluedRecords, Severity::Fatal),
    PolicyRow::refuses_file(Code::NulPadding, Severity::Fatal),
    PolicyRow::refuses_file(Code::ByteOrderMark, Severity::Fatal),
    PolicyRow::refuses_file(Code::MalformedRecord, Severity::Fatal),
    // The decoder puts a replacement character there.
    PolicyRow::is(Code::InvalidUtf8, Severity::Warning),
    PolicyRow::is(Code::LoneSurrogate, Severity::Note),
];

#[rustfmt::skip]
const ERRORS: &[ErrorText] = &[
    ErrorText::new("Log file is missing an initial entry", &[Code::BadHeader, Code::UnreadableRecord], At::Nowhere, "the log of the chat does not begin with its document")
        .seen("microsoft/vscode#317478, microsoft/vscode#301098"),
    ErrorText::new("ChatSessionStore: Malformed session data in", &[Code::BadHeader, Code::UnreadableRecord, Code::TornTail, Code::GluedRecords, Code::ByteOrderMark, Code::NulPadding, Code::MalformedRecord], At::Nowhere, "VS Code cannot read the file of the chat")
        .seen("microsoft/vscode#317478"),
];

/// The chats of a workspace, and those of windows without one.
const PLACES: &[HomeFolder] = &[
    HomeFolder::files("workspaceStorage/*/chatSessions", id),
    HomeFolder::files("globalStorage/emptyWindowChatSessions", id),
];

const HOMES: &[Home] = &[Home {
    name: "vscode-chat",
    roots: &[Root {
        var: "",
        below_var: "",
        at_home: &[
            ".config/Code/User",
            ".config/Code - Insiders/User",
            ".vscode-server/data/User",
            "Library/Application Support/Code/User",
            "Library/Application Support/Code - Insiders/User",
            "AppData/Roaming/Code/User",
            "AppData/Roaming/Code - Insiders/User",
        ],
        places: PLACES,
    }],
    project: |_| None,
}];

/// The chats that VS Code shows: it does not look for files (`chatSessionStore.ts`, `getHistorySessionItems`).
const LIST: SessionList = SessionList {
    database,
    table: "itemtable",
    columns: ["key", "value"],
    key: "chat.ChatSessionStore.index",
    leaves_out,
};

/// The database of a workspace; windows without one have that of the user.
fn database(path: &Path) -> Option<PathBuf> {
    let folder = path.parent()?;
    let is_own = folder.ends_with("chatSessions") || folder.ends_with("emptyWindowChatSessions");
    is_own.then(|| folder.with_file_name("state.vscdb"))
}

fn leaves_out(index: Node<'_>, name: &str) -> Option<&'static str> {
    let id = id(name)?;
    (index.get("version")?.as_u64() == Some(1)).then_some(())?;
    let entries = index.get("entries")?;
    entries.members().next()?;
    let Some(entry) = entries.get(id) else {
        return Some(
            "VS Code does not show this chat: its index in state.vscdb has others, but not this one",
        );
    };
    let is_empty = entry.get("isEmpty")?.as_bool()?;
    is_empty.then_some(
        "VS Code does not show this chat: its index in state.vscdb says that it has no messages",
    )
}

fn id(name: &str) -> Option<&str> {
    let id = name.strip_suffix(".jsonl").or_else(|| name.strip_suffix(".json"))?;
    is_uuid(id).then_some(id)
}

/// The lines of a log, or the requests of a document.
fn recognize(head: &Sample<'_>) -> Option<Layout> {
    if head.only().is_some_and(read::is_document) {
        let path = vec![PathStep::Key("requests")];
        return Some(Layout::enclosed(head.single?, path));
    }
    let layout = head.line_file().map(Layout::Lines)?;
    records::records(head, &layout).into_iter().any(read::is_sign).then_some(layout)
}

fn project(context: &FormatContext<'_>) -> Request {
    let t = context.transcript;
    let pairs = Pairs::find(t, VSCODE_CHAT.traits.pairs, &Paired::events(&[]));
    let mut found = diagnostics::unreadable(t, &pairs, VSCODE_CHAT.traits.unreadable);
    let first = t.records().find(|event| t.event(*event).state != State::Padding);
    let is_log = first.is_some_and(|first| !t.kind(first).is_empty());
    if is_log && found.is_empty() {
        found.extend(replay(context, first));
    }
    chat::request(context, chat::messages(t), &[], pairs, found)
}

/// What VS Code would stumble over when it replays the log.
fn replay(context: &FormatContext<'_>, first: Option<EventId>) -> Option<Diagnostic> {
    let t = context.transcript;
    if first.is_some_and(|first| t.fact_number(first, own::BEGINS).is_some()) {
        return missing_request(t, None);
    }
    let begins = t.records().any(|event| t.fact_number(event, own::BEGINS).is_some());
    let is_whole = !begins && missing_request(t, Some(0)).is_none();
    diagnostics::missing_header(context, is_whole.then(|| header(context)))
}

/// The first record that changes a request that is not there. `count`: how many there are at first.
fn missing_request(t: &Transcript, mut count: Option<i64>) -> Option<Diagnostic> {
    for event in t.records() {
        count = t.fact_number(event, own::BEGINS).or(count);
        let changes = t.fact_number(event, own::CHANGES);
        if changes.is_some_and(|request| count.is_none_or(|count| request >= count)) {
            let message = "changes a request that is not in the log";
            let mut found =
                Diagnostic::about(Code::MalformedRecord, message, Subject::Content, event);
            found.effect = Effect::LoadFails;
            return Some(found);
        }
        let kept = t.fact_number(event, own::KEEPS).or(count);
        count = match t.fact_number(event, own::ADDS) {
            Some(added) => Some(kept.unwrap_or(0) + added),
            None => kept,
        };
    }
    None
}

/// A document without requests, to which the log adds its own. The title and the settings of the chat are lost.
fn header(context: &FormatContext<'_>) -> String {
    let t = context.transcript;
    let made = t.records().find_map(|event| t.fact_number(event, own::MADE));
    let created = made.map(|made| format!(r#""creationDate":{made},"#)).unwrap_or_default();
    let name = std::path::Path::new(context.name).file_name().and_then(|name| name.to_str());
    let session = name.and_then(id).map(|id| format!(r#","sessionId":{}"#, quote(id)));
    let session = session.unwrap_or_default();
    format!(
        r#"{{"kind":0,"v":{{"version":3,{created}"initialLocation":"panel","responderUsername":"GitHub Copilot"{session},"requests":[]}}}}"#
    ) + "\n"
}
