//! Sessions of opencode, as exported documents and as files in its storage folder: a part of a message is a call with its
//! result.

mod home;
mod read;
mod store;

use super::checked;
use crate::containers::rewrite::CannotDo;
use crate::containers::{Layout, PathStep, RecordReader};
use crate::dialects::members::{Holding, Members};
use crate::dialects::placeholders::NO_RESULT;
use crate::format::about::{AboutPlaces, member};
use crate::format::head::Sample;
use crate::format::home::Resume;
use crate::format::policy::PolicyRow;
use crate::format::records::list_on;
use crate::format::vocabulary::WordSet;
use crate::format::{Format, FormatContext, Host, HostTraits, Rank, Verification};
use crate::json::build::NewValue;
use crate::json::cut::{self, RecordChange};
use crate::json::node::Node;
use crate::json::record::Record;
use crate::requests::arguments::{self, RecordedArguments};
use crate::requests::documents::{self, RecordedDocuments};
use crate::requests::{Wire, tool_names};
use crate::rewrite::Schema;
use crate::shapes::chat::{self, diagnostics, inside};
use crate::targets;
use crate::transcript::pairs::{PairPolicy, Paired, Pairs};
use crate::transcript::request::{Inclusion, Request};
use crate::transcript::{
    Applicability, Code, Diagnostic, Effect, EventId, Fact, Fix, Id, Instance, Label, LabelRole,
    PartId, Severity, Subject, Transcript,
};

crate::transcript::fact::own_facts! {
    /// An answer: its provider.
    PROVIDER,
    /// An answer: its model.
    MODEL,
    /// A whole summary: the message that asked for it.
    SUMMARIZES,
    /// It asks for a compaction: a message, or a part with a file of its own.
    COMPACTS,
    /// The first message that this compaction keeps.
    TAIL,
    /// An answer that was stopped, in a file of its own: it is sent if one of its parts says something.
    STOPPED,
    /// A part with a file of its own that says something.
    SAYS,
    /// Around the messages: the first one that the user took back.
    REVERT,
    /// Around the messages: the folder.
    FOLDER,
}

pub(crate) const OPENCODE: Format = Format {
    name: "opencode",
    host: &Host::new("opencode", "opencode"),
    title: "opencode session",
    page: include_str!("page.md"),
    checked: Verification::Suite(checked::OPENCODE, "1.1.65 for the storage folder"),
    rank: Rank::Document,
    recognize,
    explains: read::is_message,
    records: RecordReader::new(read::owns, read::read),
    pieces: read::pieces,
    project,
    wire: Wire {
        needs: &[&tool_names::NEED, &arguments::NEED, &documents::NEED],
        calls: RecordedArguments::OBJECTS,
        documents: RecordedDocuments {
            find: read::documents,
            // The AI SDK takes the extension away (`@ai-sdk/amazon-bedrock` 5.0.61).
            without_extension: true,
            as_text: None,
        },
        ..Wire::NONE
    },
    supports: SCHEMA.supports,
    planner: |context, request| inside::planner(context, &SCHEMA, changes, request),
    text: read::text,
    model,
    traits: HostTraits {
        noun: "message",
        words: Some(WordSet::of(&["parts:"])),
        pairs: PairPolicy::LISTS,
        takes_reused_ids: true,
        joined: "parts",
        members: Members::own(&[
            (Holding::Details, "directory time tokens path cost revert attachments raw files"),
            (
                Holding::Envelope,
                "name callID sessionID messageID parentID projectID providerID modelID tail_start_id tool start \
                end created completed compacted mode agent finish slug summary synthetic ignored \
                providerExecuted interrupted auto reason",
            ),
        ]),
        about: AboutPlaces {
            titles: &[member("session", &["info", "title"]), member("session", &["title"])],
            folders: &[
                member("session", &["info", "directory"]),
                member("session", &["directory"]),
            ],
            versions: &[member("session", &["info", "version"]), member("session", &["version"])],
            models: &[member("assistant", &["info", "modelID"]), member("assistant", &["modelID"])],
        },
        homes: home::HOMES,
        resume,
        session: |context| {
            let t = context.transcript;
            Some(t.ids.get(t.event(t.host_state()?).id?).to_owned())
        },
        policy: POLICY,
        ..HostTraits::NONE
    },
    after_write: "opencode 1.2 and later read their database: `opencode session delete ID`, then \
        `opencode import FILE` of an export (an import changes nothing of a session that is still \
        there). Versions before that read the storage folder.",
};

/// opencode sends an error for a call that has not ended, in each request anew. An import stops at a part that lacks members.
const POLICY: &[PolicyRow] = &[
    PolicyRow::loses(Code::UnansweredCall),
    PolicyRow::refuses_file(Code::MalformedRecord, Severity::Fatal),
    PolicyRow::is(Code::StrandedRecord, Severity::Warning),
    // It sends everything, also what the summary replaces.
    PolicyRow::is(Code::CompactionAnchor, Severity::Warning),
];

const SCHEMA: Schema = Schema { supports: inside::SUPPORTS, ..Schema::PLAIN };

/// A document about a session, what the server lists of its messages, or the files of a session.
fn recognize(head: &Sample<'_>) -> Option<Layout> {
    const WAYS: &[&[PathStep]] = &[&[PathStep::Key("messages")], &[]];
    if head.single.is_none() {
        return store::layout(head);
    }
    head.list(|entry, root| list_on(WAYS, entry, root, read::is_message), || false)
}

/// The provider of the last answer, or whose model it is.
fn model(t: &Transcript) -> Option<String> {
    let target = match newest(t, own::PROVIDER)? {
        "anthropic" => "anthropic",
        "amazon-bedrock" => "bedrock",
        "google" | "google-vertex" => "gemini",
        "mistral" => "mistral",
        "openai" => "openai-responses",
        _ => newest(t, own::MODEL)
            .and_then(targets::by_model)
            .map_or("openai-chat", |target| target.name),
    };
    Some(target.to_owned())
}

fn newest(t: &Transcript, fact: Fact) -> Option<&str> {
    t.events.ids().rev().find_map(|event| t.fact_text(event, fact))
}

fn resume(context: &FormatContext<'_>, _: &std::path::Path) -> Option<Resume> {
    let t = context.transcript;
    let id = t.ids.get(t.event(t.host_state()?).id?);
    let folder = chat::state_text(t, own::FOLDER);
    Resume::of(&["opencode", "--session"], id, folder, false)
}

/// A message: its record, and those of its parts, if they have files of their own.
#[derive(Clone, Debug)]
struct StoredMessage {
    record: EventId,
    parts: Vec<EventId>,
}

impl StoredMessage {
    fn of(record: EventId) -> StoredMessage {
        let parts = Vec::new();
        StoredMessage { record, parts }
    }

    fn records(&self) -> impl Iterator<Item = EventId> {
        std::iter::once(self.record).chain(self.parts.iter().copied())
    }

    /// The record that asks for a compaction.
    fn compacts(&self, t: &Transcript) -> Option<EventId> {
        self.records().find(|record| t.has(*record, own::COMPACTS))
    }

    /// Whether it is an answer with an error that is not sent.
    fn is_failed(&self, t: &Transcript) -> bool {
        let is_stopped = t.has(self.record, own::STOPPED);
        t.event(self.record).failed
            || (is_stopped && !self.records().any(|record| t.has(record, own::SAYS)))
    }
}

/// The records of messages, in order of their places.
fn records(messages: &[StoredMessage]) -> Vec<EventId> {
    let mut records: Vec<EventId> = messages.iter().flat_map(StoredMessage::records).collect();
    records.sort_unstable();
    records
}

/// The place of the message with this ID.
fn find(t: &Transcript, messages: &[StoredMessage], id: Id) -> Option<usize> {
    messages.iter().position(|message| t.event(message.record).id == Some(id))
}

/// The question of the last compaction that is whole, and its summary: places in the list.
fn compaction(t: &Transcript, messages: &[StoredMessage]) -> Option<(usize, usize)> {
    messages.iter().enumerate().rev().find_map(|(at, message)| {
        let asked = find(t, messages, t.fact_id(message.record, own::SUMMARIZES)?)?;
        let asks = messages.get(asked)?.compacts(t).is_some();
        (asks && asked < at).then_some((asked, at))
    })
}

/// What a compaction leaves of these messages, in the order in which they are sent.
///
/// # Errors
/// The record of a compaction that keeps messages from one on that is not before it.
fn window(t: &Transcript, all: &[StoredMessage]) -> Result<Vec<StoredMessage>, EventId> {
    let Some((asked, summary)) = compaction(t, all) else {
        return Ok(all.to_vec());
    };
    let Some(asks) = all[asked].compacts(t) else {
        return Ok(all.to_vec());
    };
    let kept = match t.fact_id(asks, own::TAIL) {
        Some(id) => find(t, all, id).filter(|kept| *kept < asked),
        None => Some(asked),
    };
    let kept = kept.ok_or(asks)?;
    // The summary comes before the messages that it leaves.
    Ok([&all[asked..=summary], &all[kept..asked], &all[summary + 1..]].concat())
}

/// The messages of a document, without copies.
fn exported(context: &FormatContext<'_>) -> (Vec<StoredMessage>, Vec<Diagnostic>) {
    let mut all = chat::messages(context.transcript);
    let (copies, mut found) = diagnostics::copies(context, &all);
    all.retain(|event| copies.binary_search(event).is_err());
    for copy in &mut found {
        // An import takes each ID once.
        (copy.instance, copy.effect) = (Some(Instance::Corrected), Effect::None);
    }
    (all.into_iter().map(StoredMessage::of).collect(), found)
}

fn project(context: &FormatContext<'_>) -> Request {
    let t = context.transcript;
    let is_stored = matches!(context.layout, Layout::Files(_));
    let (all, mut found) = if is_stored { store::messages(context) } else { exported(context) };
    let reverted = t.host_state().and_then(|state| t.fact_id(state, own::REVERT));
    let end = reverted.and_then(|id| find(t, &all, id));
    let there = &all[..end.unwrap_or(all.len())];
    let sent = window(t, there).unwrap_or_else(|asks| {
        found.push(lost_tail(context, asks));
        there.to_vec()
    });
    let (failed, sent): (Vec<StoredMessage>, Vec<StoredMessage>) =
        sent.into_iter().partition(|message| message.is_failed(t));
    let stored = records(&sent);
    let (repeated, diagnostics) = if is_stored {
        inside::repeated_among(t, sent.iter().map(|message| store::calls(t, message)))
    } else {
        inside::repeated_calls(context, &stored)
    };
    let is_sent = |part: PartId| repeated.binary_search(&part).is_err();
    // A message comes before its parts.
    let message_of = |record: EventId| all.partition_point(|message| message.record <= record);
    let joined = |a: EventId, b: EventId| message_of(a) == message_of(b);
    let paired = Paired { is_sent: &is_sent, joined: &joined, ..Paired::events(&stored) };
    let pairs = Pairs::find(t, OPENCODE.traits.pairs, &paired);
    found.extend(diagnostics);
    found.extend(diagnostics::unreadable(t, &pairs, OPENCODE.traits.unreadable));
    let mut hidden = chat::messages(t);
    hidden.retain(|event| stored.binary_search(event).is_err());
    let order = sent.iter().flat_map(StoredMessage::records).collect();
    let mut request = chat::request(context, order, &hidden, pairs, found);
    for event in records(&failed) {
        request.inclusion[event] = Some(Inclusion::Failed);
    }
    if is_stored {
        request.order = store::order(t, &sent, is_sent).into();
        context.count_messages(&mut request, |before, next| joined(before.event, next.event));
    }
    request
}

/// A compaction that keeps messages from one on that is not there, or comes later: opencode then sends everything.
fn lost_tail(context: &FormatContext<'_>, asks: EventId) -> Diagnostic {
    let message = "the compaction keeps messages from one on that is not before it";
    let mut diagnostic = Diagnostic::about(Code::CompactionAnchor, message, Subject::Content, asks);
    diagnostic.labels = vec![Label::new(asks, LabelRole::Compaction)];
    let action = context.change(asks, |root| {
        let compacts = read::parts(root).filter(read::compacts);
        let tails = compacts.filter_map(|part| {
            let at = part.members().position(|(key, _)| key.is_str(read::TAIL))?;
            Some(cut::remove_members(part, &[at as u32]))
        });
        tails.flatten().collect()
    });
    diagnostic.fixes = Fix::only(Applicability::Unsafe, action);
    diagnostic
}

fn changes(
    context: &FormatContext<'_>,
    event: EventId,
    root: Node<'_>,
    inside: &inside::InsideRecord,
) -> Result<Vec<RecordChange>, CannotDo> {
    if !read::is_part(root) {
        return inside::change_parts(context, event, inside, fail);
    }
    let record = context.record(event)?;
    let answered = inside.answered.first();
    Ok(answered.map_or_else(Vec::new, |_| fail(&record, record.root())))
}

/// Lets a call end with an error, marked as ours, at the time at which it began.
fn fail(record: &Record, part: Node<'_>) -> Vec<RecordChange> {
    let Some(state) = part.get("state") else {
        return Vec::new();
    };
    let began = state.at(&["time", "start"]);
    let began = began.or_else(|| record.root().at(&["info", "time", "created"]));
    let began = began.map_or(NewValue::Raw("0".into()), NewValue::copy);
    let time = NewValue::object([("start", began.clone()), ("end", began)]);
    let input = state.get("input").map_or(NewValue::Raw("{}".into()), NewValue::copy);
    let mut members = vec![
        ("status", NewValue::text("error")),
        ("input", input),
        ("error", NewValue::text(NO_RESULT)),
    ];
    members.extend(state.get("metadata").map(|metadata| ("metadata", NewValue::copy(metadata))));
    members.push(("time", time));
    let with = record.writer().at(state).write(&NewValue::object(members));
    vec![RecordChange::new(state.span(), with)]
}
