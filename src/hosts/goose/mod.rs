//! Sessions of goose as lines and as exported documents. Its database is known by name only.

mod read;

use crate::containers::{Layout, PathStep, RecordReader};
use crate::dialects::members::{Holding, Members};
use crate::dialects::placeholders::NO_RESULT;
use crate::format::about::{AboutPlaces, member};
use crate::format::head::Sample;
use crate::format::home::{Home, HomeFolder, Root};
use crate::format::policy::PolicyRow;
use crate::format::records::list_on;
use crate::format::vocabulary::WordSet;
use crate::format::{Format, FormatContext, Host, HostTraits, Rank, Verification};
use crate::json::build::NewValue;
use crate::json::cut;
use crate::requests::arguments::{self, RecordedArguments};
use crate::requests::{Wire, refused, tool_names};
use crate::shapes::chat::blocks::{self, BlockWriting};
use crate::shapes::chat::{self, diagnostics};
use crate::transcript::pairs::{PairStatus, Paired, Pairs};
use crate::transcript::request::Request;
use crate::transcript::unreadable::OnUnreadable;
use crate::transcript::{
    Action, Applicability, Code, Diagnostic, EventId, Fix, PartId, PartKind, Role, Subject,
    Transcript,
};

crate::transcript::fact::own_facts! {
    /// A message that the model does not see.
    HIDDEN,
    /// The record that says where the session was started.
    HEADER,
}

pub(crate) const GOOSE: Format = Format {
    name: "goose",
    host: &Host::new("goose", "goose"),
    title: "goose session",
    page: include_str!("page.md"),
    checked: Verification::Read("its source, session schema versions 1 to 5"),
    rank: Rank::Host,
    recognize,
    explains: read::owns,
    records: RecordReader::new(read::owns, read::read).of_messages(),
    pieces: read::pieces,
    project,
    wire: Wire {
        needs: &[&tool_names::NEED, &arguments::NEED],
        calls: RecordedArguments { optional: true, ..RecordedArguments::OBJECTS },
        ..Wire::NONE
    },
    supports: blocks::SUPPORTS,
    planner: |context, request| blocks::planner(context, &WRITING, request),
    text: chat::text,
    model: |_| None,
    traits: HostTraits {
        noun: "message",
        words: Some(WordSet::of(&["created:", "working_dir:"])),
        blocks: &[&["content"]],
        sent: &[&["role"], &["content"]],
        takes_reused_ids: true,
        members: Members::own(&[
            (Holding::Details, "working_dir description value"),
            (Holding::Envelope, "created agentVisible userVisible message_count total_tokens"),
        ]),
        unreadable: OnUnreadable { appends: true, ..OnUnreadable::SKIPS },
        about: AboutPlaces {
            titles: &[member("header", &["description"]), member("header", &["name"])],
            folders: &[member("header", &["working_dir"])],
            versions: &[],
            models: &[],
        },
        homes: HOMES,
        policy: POLICY,
        ..HostTraits::NONE
    },
    after_write: "goose 1.10 and later keep sessions in a database: import this file there (`Import Session` in goose Desktop). \
        What is imported is a new session; the old one stays until you remove it.",
};

/// What the host makes of damage: it cleans up in memory before it sends.
const POLICY: &[PolicyRow] = &[
    PolicyRow::loses(Code::UnansweredCall),
    PolicyRow::loses(Code::OrphanResult),
    PolicyRow::loses(Code::ResultBeforeCall),
    PolicyRow::loses(Code::ForeignBlock),
    PolicyRow::loses(Code::CompactionSplitPair),
    PolicyRow::mends(Code::ResultNotNext),
    PolicyRow::mends(Code::TwoResults),
];

/// Its database, and where it kept sessions before it had one; the files stay.
const HOMES: &[Home] = &[Home {
    name: "goose",
    roots: &[Root {
        var: "XDG_DATA_HOME",
        below_var: "goose",
        at_home: &[".local/share/goose", "Library/Application Support/Block.goose"],
        places: &[
            HomeFolder::files("sessions", |name| name.strip_suffix(".jsonl")),
            HomeFolder::databases("sessions", |name| (name == "sessions.db").then_some(name)),
        ],
    }],
    project: |_| None,
}];

const WRITING: BlockWriting = BlockWriting {
    role: visible_role,
    beside: &["id", "created", "metadata"],
    answer,
    ..BlockWriting::MESSAGES
};

/// Ways from a document to its messages: an export, a list, and how people wrap one.
const WAYS: &[&[PathStep]] = &[&[PathStep::Key("conversation")], &[], &[PathStep::Key("messages")]];

/// Lines with a header or messages, or a document that holds messages.
fn recognize(head: &Sample<'_>) -> Option<Layout> {
    head.list(
        |entry, root| list_on(WAYS, entry, root, read::is_message),
        || head.nodes().any(read::owns),
    )
}

/// Who speaks in a message that the model sees.
fn visible_role(t: &Transcript, event: EventId) -> Role {
    if is_hidden(t, event) { Role::Nobody } else { t.event(event).role }
}

fn is_hidden(t: &Transcript, event: EventId) -> bool {
    t.has(event, own::HIDDEN)
}

/// A block that answers a call with an error.
fn answer(context: &FormatContext<'_>, call: PartId) -> NewValue {
    let t = context.transcript;
    let result = [("status", NewValue::text("error")), ("error", NewValue::text(NO_RESULT))];
    NewValue::object([
        ("type", NewValue::text("toolResponse")),
        ("id", NewValue::text(t.text(t.part(call).id))),
        ("toolResult", NewValue::object(result)),
    ])
}

/// Whether a part is where the host expects it: calls and thinking of the assistant, results of the user.
fn is_in_place(t: &Transcript, part: PartId) -> bool {
    let part = t.part(part);
    let speaker = t.event(part.event).role;
    match part.kind {
        PartKind::Call | PartKind::Thinking => speaker == Role::Assistant,
        PartKind::Result => speaker == Role::User,
        _ => true,
    }
}

fn project(context: &FormatContext<'_>) -> Request {
    let t = context.transcript;
    let all = chat::messages(t);
    let (hidden, sent): (Vec<EventId>, Vec<EventId>) =
        all.iter().partition(|event| is_hidden(t, **event));
    let pairs = pairs(t, &sent);
    // A row of its database that is no JSON keeps it from opening the session.
    let on_unreadable = if t.has_rows { OnUnreadable::FAILS } else { GOOSE.traits.unreadable };
    let mut diagnostics = diagnostics::unreadable(t, &pairs, on_unreadable);
    if !hidden.is_empty() {
        diagnostics.extend(split_pairs(context, &self::pairs(t, &all)));
    }
    let parts = sent.iter().flat_map(|event| t.event(*event).parts.clone());
    let misplaced = parts.filter(|part| !is_in_place(t, *part));
    diagnostics.extend(misplaced.map(|part| wrong_speaker(t, part)));
    diagnostics.extend(missing_header(context));
    chat::request(context, sent, &hidden, pairs, diagnostics)
}

fn pairs(t: &Transcript, events: &[EventId]) -> Pairs {
    let paired = Paired { is_sent: &|part| is_in_place(t, part), ..Paired::events(events) };
    Pairs::find(t, GOOSE.traits.pairs, &paired)
}

/// Calls and results of which the model sees only one half. The other is shown again where nothing but such a half is in
/// its message.
fn split_pairs(context: &FormatContext<'_>, all: &Pairs) -> Vec<Diagnostic> {
    let t = context.transcript;
    let mut found = Vec::new();
    for (call, status) in all.all() {
        let (PairStatus::Answered(_), Some(result)) = (status, all.answer(call)) else {
            continue;
        };
        let [asks, answers] = [call, result].map(|part| t.part(part).event);
        if is_hidden(t, asks) == is_hidden(t, answers) {
            continue;
        }
        let hides = if is_hidden(t, asks) { asks } else { answers };
        let mut diagnostic = diagnostics::split_by_compaction(t, &[(call, result)], hides);
        let own = t.event(hides).parts.clone();
        let is_alone = own.len() == 1 && (asks.next() == answers);
        let shown = context.change(hides, |root| {
            let flag = root.at(&["metadata", "agentVisible"]);
            flag.map(|flag| cut::replace(flag, "true")).into_iter().collect()
        });
        let fix = shown.map(|action| Fix::safe_if(is_alone, [action]));
        diagnostic.fixes = fix.into_iter().collect();
        found.push(diagnostic);
    }
    found
}

/// A block in a message of the wrong side: the host drops it before it sends.
fn wrong_speaker(t: &Transcript, part: PartId) -> Diagnostic {
    let message = match t.part(part).kind {
        PartKind::Call => "tool call in a user message",
        PartKind::Result => "tool result in an assistant message",
        _ => "thinking in a user message",
    };
    let mut diagnostic = refused(Code::ForeignBlock, message, t.part(part).event);
    diagnostic.about = vec![Subject::Identity(part)];
    diagnostic.fixes =
        vec![Fix { applicability: Applicability::Unsafe, actions: vec![Action::RemovePart(part)] }];
    diagnostic
}

/// The host loads no lines without a header.
fn missing_header(context: &FormatContext<'_>) -> Option<Diagnostic> {
    let t = context.transcript;
    if !matches!(context.layout, Layout::Lines(_))
        || t.records().any(|event| t.has(event, own::HEADER))
    {
        return None;
    }
    let count = t.records().filter(|event| t.event(*event).role.is_sent()).count();
    let header = format!(
        "{{\"working_dir\":\".\",\"description\":\"\",\"message_count\":{count},\"total_tokens\":null}}\n"
    );
    diagnostics::missing_header(context, Some(header))
}
