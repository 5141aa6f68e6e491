//! Sessions of Factory Droid: lines with a header first, and messages of the Anthropic API inside records of the host.

mod home;
mod read;

use super::anthropic::{self, ANTHROPIC, KeptMessages};
use crate::containers::{Layout, RecordReader};
use crate::dialects::anthropic::pieces;
use crate::dialects::members::{Holding, Members};
use crate::format::about::{AboutPlaces, member};
use crate::format::head::Sample;
use crate::format::policy::PolicyRow;
use crate::format::vocabulary::WordSet;
use crate::format::{Format, FormatContext, Host, HostTraits, Rank, SentResult, Verification};
use crate::json::build::NewValue;
use crate::json::node::Node;
use crate::requests::{Wire, arguments, call_names};
use crate::rewrite::{Schema, made_id};
use crate::shapes::chat::blocks::{self, BlockWriting};
use crate::shapes::chat::{self, diagnostics};
use crate::transcript::unreadable::OnUnreadable;
use crate::transcript::{
    Code, Diagnostic, EventId, Label, LabelRole, PartKind, Request, Role, Severity, Subject,
    Transcript, fact,
};

crate::transcript::fact::own_facts! {
    // After those of the messages, which are read as Anthropic's.
    Fact::OF_HOST, Fact::END;
    /// The record that begins a session.
    HEADER,
    /// A compaction: the last message that its summary replaces.
    ANCHOR,
}

pub(crate) const FACTORY_DROID: Format = Format {
    name: "factory-droid",
    host: &Host::new("factory-droid", "Droid"),
    title: "Factory Droid session",
    page: include_str!("page.md"),
    checked: Verification::Read("the program, droid 0.215.0"),
    // Before pi, whose records are the same around messages with more members.
    rank: Rank::Signed,
    recognize,
    explains: read::owns,
    records: RecordReader::new(read::owns, read::read),
    pieces: of_record,
    project,
    wire: Wire {
        // The rest is written anew for each request: thinking, media, empty texts.
        needs: &[&arguments::NEED, &call_names::NEED],
        message: |record| record.get("message").unwrap_or(record),
        ..ANTHROPIC.wire
    },
    planner: |context, request| blocks::planner(context, &WRITING, request),
    text: chat::text,
    model: |_| None,
    traits: HostTraits {
        words: Some(WordSet::of(&["message", "session_start"])),
        sent: &[&["message", "role"], &["message", "content"]],
        beside: &[],
        blocks: &[&["message", "content"]],
        names_by_place: false,
        sends_result: SentResult::First,
        blames: None,
        rows: false,
        unsigned: None,
        unreadable: OnUnreadable { appends: true, ..OnUnreadable::SKIPS },
        members: Members::own(&[
            (Holding::Details, "cwd lastCwd anchorMessage systemInfo todos"),
            (
                Holding::Envelope,
                "visibility hookEventName owner version summaryKind removedCount signatureProvider \
                isSessionTitleManuallySet sessionTitleAutoStage",
            ),
        ]),
        about: AboutPlaces {
            titles: &[
                member("session_start", &["title"]),
                member("session_start", &["sessionTitle"]),
            ],
            folders: &[member("session_start", &["lastCwd"]), member("session_start", &["cwd"])],
            versions: &[],
            models: &[],
        },
        homes: home::HOMES,
        resume: home::resume,
        session: |context| {
            let t = context.transcript;
            Some(t.ids.get(t.event(header(t)?).id?).to_owned())
        },
        policy: POLICY,
        ..ANTHROPIC.traits
    },
    after_write: "Droid reads the file when the session is resumed.",
    ..ANTHROPIC
};

/// What the host makes of damage: before each request it makes up results for open calls, and drops what has no partner.
const POLICY: &[PolicyRow] = &[
    PolicyRow::loses(Code::UnansweredCall),
    PolicyRow::loses(Code::OrphanResult),
    PolicyRow::loses(Code::ResultNotNext),
    PolicyRow::loses(Code::ResultBeforeCall),
    PolicyRow::loses(Code::SplitBatch),
    PolicyRow::loses(Code::RepeatedCall),
    PolicyRow::loses(Code::ReusedCallId),
    PolicyRow::mends(Code::TwoResults),
    PolicyRow::loses(Code::ConflictingResults),
    PolicyRow::is(Code::RepeatedRecord, Severity::Note),
];

const WRITING: BlockWriting = BlockWriting {
    schema: Schema { supports: blocks::SUPPORTS, ..Schema::PLAIN },
    message: |record| record.get("message").unwrap_or(record),
    record: around,
    ..anthropic::write::WRITING
};

/// A session with a message that shows it, or with its header.
fn recognize(head: &Sample<'_>) -> Option<Layout> {
    head.lines(read::has_sign)
}

fn of_record(record: Node<'_>) -> Vec<crate::dialects::Piece<'_>> {
    let content = record.at(&["message", "content"]);
    content.map(pieces).unwrap_or_default()
}

/// The record of a new message, which comes after that of its calls.
fn around(caller: Node<'_>, message: NewValue) -> NewValue {
    let calls = caller.string("id").unwrap_or_default();
    let members = [
        ("type", Some(NewValue::text("message"))),
        ("id", Some(NewValue::text(made_id(&["results", &calls])))),
        ("timestamp", caller.get("timestamp").map(NewValue::copy)),
        ("message", Some(message)),
        ("parentId", caller.get("id").map(NewValue::copy)),
    ];
    NewValue::object(members.into_iter().filter_map(|(key, value)| Some((key, value?))))
}

fn header(t: &Transcript) -> Option<EventId> {
    t.records().find(|event| t.has(*event, own::HEADER))
}

/// The last compaction, and its anchor.
fn compaction(t: &Transcript) -> Option<(EventId, fact::FactValue)> {
    t.events.ids().rev().find_map(|event| Some((event, t.value_of(event, own::ANCHOR)?)))
}

fn project(context: &FormatContext<'_>) -> Request {
    let t = context.transcript;
    let mut sent = chat::messages(t);
    let mut forgotten = Vec::new();
    let mut found = missing_header(context);
    if let Some((compaction, anchor)) = compaction(t) {
        match sent
            .iter()
            .position(|event| t.event(*event).id.map(fact::FactValue::Text) == Some(anchor))
        {
            Some(last) => {
                let results = sent[last + 1..].iter().take_while(|event| answers(t, **event));
                let kept = last + 1 + results.count();
                forgotten = sent.drain(..kept).collect();
            }
            None => found.push(lost_anchor(compaction)),
        }
    }
    let kept = KeptMessages { forgotten, ..KeptMessages::all(sent) };
    let mut request = anthropic::request(context, &FACTORY_DROID, kept);
    request.diagnostics.extend(found);
    request
}

/// Whether a message has results. The host leaves them out directly after what a summary replaces.
fn answers(t: &Transcript, event: EventId) -> bool {
    t.event(event).role == Role::User && t.part_of(event, PartKind::Result).is_some()
}

/// Without this message, the host sends the summary and then the whole history.
fn lost_anchor(compaction: EventId) -> Diagnostic {
    let message = "the last message that the compaction replaces is not there";
    let mut diagnostic =
        Diagnostic::about(Code::CompactionAnchor, message, Subject::Content, compaction);
    diagnostic.labels = vec![Label::new(compaction, LabelRole::Compaction)];
    diagnostic
}

/// The host loads no session without a header. It needs the ID, which the name of the file has.
fn missing_header(context: &FormatContext<'_>) -> Vec<Diagnostic> {
    if header(context.transcript).is_some() {
        return Vec::new();
    }
    let id = home::session_id(context.name);
    let header = id.map(|id| {
        format!("{{\"type\":\"session_start\",\"id\":\"{id}\",\"title\":\"\",\"owner\":\"\",\"version\":2}}\n")
    });
    diagnostics::missing_header(context, header).into_iter().collect()
}
