//! Sessions of GitHub Copilot CLI: events in the order of the file, whose parents it does not follow.

mod errors;
mod read;

use std::collections::VecDeque;
use std::path::Path;

use hashbrown::HashMap;

use super::checked;
use crate::containers::rewrite::CannotDo;
use crate::containers::{Layout, RecordReader};
use crate::dialects::members::{Holding, Members};
use crate::dialects::placeholders::NO_RESULT;
use crate::format::about::{AboutPlaces, member};
use crate::format::head::Sample;
use crate::format::home::{Home, HomeFolder, Resume, Root, is_uuid};
use crate::format::policy::{Across, PolicyRow};
use crate::format::vocabulary::WordSet;
use crate::format::{
    CannotLoad, Format, FormatContext, Host, HostTraits, Rank, Verification, split_pairs,
};
use crate::json::build::NewValue;
use crate::json::cut;
use crate::json::node::Node;
use crate::json::quote::quote;
use crate::live::Signals;
use crate::requests::Wire;
use crate::rewrite::{Plan, Schema, in_order, made_id, nearest};
use crate::shapes::chat::write::{self, Changed, ListWriting};
use crate::shapes::chat::{self, diagnostics};
use crate::shapes::copies::{self, By, Same, Twin};
use crate::transcript::pairs::{PairPolicy, Paired, Pairs};
use crate::transcript::request::{Request, Sent};
use crate::transcript::unreadable::OnUnreadable;
use crate::transcript::{
    Code, Diagnostic, Effect, EventId, Id, Instance, Label, LabelRole, PartId, PartKind, Role,
    Severity, State, Subject, Transcript, Within, facts, time,
};

crate::transcript::fact::own_facts! {
    /// The session's ID.
    SESSION,
    /// The ID of the call that starts to run.
    STARTS,
    /// A summary in it takes the place of all before it.
    COMPACTS,
    /// The ID of the event is not a UUID.
    OTHER_ID,
    /// Members are missing that only the client reads.
    SHORTENED,
}

pub(crate) const COPILOT_CLI: Format = Format {
    name: "copilot-cli",
    host: &Host::new("copilot-cli", "Copilot CLI"),
    title: "GitHub Copilot CLI session",
    page: include_str!("page.md"),
    checked: Verification::Suite(checked::COPILOT_CLI, ""),
    rank: Rank::Host,
    recognize,
    explains: read::owns,
    records: RecordReader {
        splits_on_separators: true,
        is_outermost: |event| Some(read::owns(event) && event.get("parentId").is_some()),
        ..RecordReader::new(read::owns, read::read)
    },
    pieces: read::pieces,
    project,
    wire: Wire::NONE,
    supports: WRITING.schema.supports,
    planner: |context, request| write::planner(context, &WRITING, request),
    text: |context, event| read::text(context.record(event).ok()?.root()),
    model: |_| None,
    traits: HostTraits {
        words: Some(WordSet::of(&["session.start", "assistant.message", "tool."])),
        pairs: PairPolicy::LISTS,
        takes_reused_ids: true,
        sent: &[&["type"], &["data"]],
        api: Some("openai-chat"),
        unreadable: OnUnreadable::SKIPS,
        with_tree: &[Code::CompactionSplitPair],
        cannot_load: &[
            CannotLoad {
                note: NO_UUIDS,
                one: "has an ID that Copilot CLI 1.0 does not load",
                many: "have IDs that Copilot CLI 1.0 does not load",
            },
            CannotLoad {
                note: SHORTENED,
                one: "lacks members that Copilot CLI 1.0 requires",
                many: "lack members that Copilot CLI 1.0 requires",
            },
        ],
        errors: errors::ERRORS,
        members: Members::own(&[
            (
                Holding::Details,
                "toolRequests transformedContent summaryContent attachments reason \
                codeChanges modelMetrics",
            ),
            (
                Holding::Envelope,
                "producer copilotVersion parentToolCallId resumeTime eventCount \
                shutdownType totalApiDurationMs sessionStartTime",
            ),
        ]),
        about: AboutPlaces {
            titles: &[],
            folders: &[member("session.start", &["data", "context", "cwd"])],
            versions: &[
                member("session.resume", &["data", "copilotVersion"]),
                member("session.start", &["data", "copilotVersion"]),
            ],
            models: &[],
        },
        homes: HOMES,
        resume,
        pending_note: "Copilot CLI inserts a placeholder result when it resumes",
        session,
        signs,
        policy: POLICY,
        ..HostTraits::NONE
    },
    after_write: "Resume it with `copilot --resume SESSION_ID`. A running Copilot CLI keeps the old \
        events, and appends to them.",
};

const NO_UUIDS: &str = "the IDs of the events are not UUIDs";
const SHORTENED: &str = "events without members that Copilot CLI requires";

/// What damage is to the client: since about 1.0.90 it repairs calls and results in memory; older ones send them.
const POLICY: &[PolicyRow] = &[
    // Run: 1.0.102 skips such a line, and starts a new one after it.
    PolicyRow::reads_past(Code::NulPadding).of(Within::Nothing),
    PolicyRow::is(Code::ByteOrderMark, Severity::Warning),
    PolicyRow::is(Code::RawLineSeparator, Severity::Warning),
    PolicyRow::is(Code::LoneSurrogate, Severity::Note),
    PolicyRow::refuses_file(Code::MalformedRecord, Severity::Fatal),
    PolicyRow::refuses_file(Code::BadHeader, Severity::Fatal),
    PolicyRow::loses(Code::UnansweredCall),
    PolicyRow::loses(Code::OrphanResult),
    PolicyRow::loses(Code::CompactionSplitPair),
    PolicyRow::loses(Code::ConflictingResults),
    PolicyRow::mends(Code::TwoResults),
    // When it resumes, it closes open calls with a placeholder, and drops what comes later (run: 1.0.102).
    PolicyRow::loses(Code::ResultNotNext).across(Across::Kind("session.resume")),
    PolicyRow::mends(Code::ResultNotNext),
    PolicyRow::mends(Code::ResultBeforeCall),
    PolicyRow::mends(Code::SplitBatch),
];

/// A session is a folder with its ID for a name.
const HOMES: &[Home] = &[Home {
    name: "copilot-cli",
    roots: &[Root {
        var: "COPILOT_HOME",
        below_var: "",
        at_home: &[".copilot"],
        places: &[HomeFolder::files_in("session-state", "events.jsonl", |name| {
            is_uuid(name).then_some(name)
        })],
    }],
    project: |_| None,
}];

fn resume(context: &FormatContext<'_>, path: &Path) -> Option<Resume> {
    let at_home = path.ancestors().nth(2)?.ends_with("session-state");
    Resume::of(&["copilot", "--resume"], &session(context)?, None, at_home)
}

/// The lock of an operation on the session.
fn signs(path: &Path, _: &Transcript) -> Signals {
    let folder = path.parent();
    let store = folder.and_then(Path::parent).filter(|store| store.ends_with("session-state"));
    let id = folder.and_then(Path::file_name).and_then(|id| id.to_str());
    let lock = store
        .zip(id)
        .map(|(store, id)| store.join(".session-operation-locks").join(format!("{id}.lock")));
    Signals { at_home: store.is_some(), locks: lock.into_iter().collect(), ..Signals::default() }
}

fn session(context: &FormatContext<'_>) -> Option<String> {
    let mut sessions = context.transcript.all_texts(own::SESSION);
    sessions.next().map(str::to_owned)
}

fn recognize(head: &Sample<'_>) -> Option<Layout> {
    head.lines(|event| read::owns(event) && is_sign(event))
}

fn is_sign(event: Node<'_>) -> bool {
    let kind = event.string("type").unwrap_or_default();
    kind == "session.start" || kind == "assistant.message" || kind.starts_with("tool.execution_")
}

const WRITING: ListWriting =
    ListWriting { schema: Schema::LIST, answer, beside: is_beside, follow_up: update_starts };

/// Events that are between a response and its results.
fn is_beside(t: &Transcript, event: EventId) -> bool {
    let kind = t.kind(event);
    let between = ["tool.execution_start", "session.usage_record"];
    between.contains(&kind) || kind.starts_with("permission.") || kind.starts_with("hook.")
}

/// Removes or renames the start event of each call that is removed or renamed. Without a call, the result counts.
fn update_starts(plan: &mut Plan<'_>, changed: &Changed) {
    let t = plan.t;
    for (start, part) in starts(t) {
        let renamed = changed.renamed.iter().rev().find(|(other, _)| *other == part);
        if changed.cut.contains(&part) || plan.order.is_gone(t.part(part).event) {
            plan.order.remove(start);
        } else if let Some((_, to)) = renamed {
            let id = quote(to);
            plan.members.with(start, move |root| {
                let old = root.at(&["data", "toolCallId"]);
                Ok(old.map(|old| cut::replace(old, &id)).into_iter().collect())
            });
        }
    }
}

/// The start events, each with its call. If the call is missing, it is paired with the result.
fn starts(t: &Transcript) -> Vec<(EventId, PartId)> {
    let mut waiting: HashMap<Id, VecDeque<PartId>> = HashMap::new();
    let mut bare: HashMap<Id, Vec<EventId>> = HashMap::new();
    let mut found = Vec::new();
    for event in t.records() {
        if let Some(id) = t.fact_id(event, own::STARTS) {
            match waiting.get_mut(&id).and_then(VecDeque::pop_front) {
                Some(call) => found.push((event, call)),
                None => bare.entry(id).or_default().push(event),
            }
        }
        let parts = t.event(event).parts.clone();
        for id in parts
            .clone()
            .filter(|part| t.part(*part).kind == PartKind::Call)
            .filter_map(|call| t.part(call).id)
        {
            // A later response may use the ID of an earlier call again.
            waiting.remove(&id);
        }
        for part in parts {
            let Some(id) = t.part(part).id else {
                continue;
            };
            match t.part(part).kind {
                PartKind::Call => waiting.entry(id).or_default().push_back(part),
                PartKind::Result => {
                    let starts = bare.remove(&id).unwrap_or_default();
                    found.extend(starts.into_iter().map(|start| (start, part)));
                }
                _ => {}
            }
        }
    }
    found
}

/// The end of a call that failed, in the layout of the nearest result.
fn answer(context: &FormatContext<'_>, call: PartId, _: usize) -> Result<Vec<u8>, CannotDo> {
    let t = context.transcript;
    let part = t.part(call);
    let neighbor = nearest(t, part.event, |event| {
        t.event(event).role == Role::Tool && t.event(event).state == State::Whole
    });
    let model = context.record(neighbor.unwrap_or(part.event))?;
    let shape = neighbor.map(|_| model.root());
    let asks = context.record(part.event)?;
    let time = asks.root().get("timestamp").map(NewValue::copy);
    let (session, asked) = (session(context).unwrap_or_default(), t.event(part.event).id);
    let id = made_id(&[&session, t.text(asked), t.text(part.id), &t.position(call).to_string()]);
    let data = [
        ("toolCallId", NewValue::text(t.text(part.id))),
        ("success", NewValue::Raw("false".into())),
        ("error", NewValue::object([("message", NewValue::text(NO_RESULT))])),
    ];
    let members = [
        ("type", Some(NewValue::text("tool.execution_complete"))),
        ("data", Some(in_order(data, shape.and_then(|shape| shape.get("data"))))),
        ("id", Some(NewValue::text(id))),
        ("timestamp", time),
        ("parentId", Some(NewValue::text(t.text(asked)))),
    ];
    let members = members.into_iter().filter_map(|(key, value)| Some((key, value?)));
    Ok(model.writer().write(&in_order(members, shape)))
}

fn project(context: &FormatContext<'_>) -> Request {
    let t = context.transcript;
    let twins = copies::find(context, t.records(), By::Id, Same::Bytes);
    let (copies, shared): (Vec<Twin>, Vec<Twin>) = twins.into_iter().partition(|twin| twin.is_copy);
    let mut all = chat::messages(t);
    all.retain(|event| !copies.iter().any(|copy| copy.event == *event));
    let boundary = t.records().rfind(|event| t.has(*event, own::COMPACTS));
    let is_before = |event: &EventId| boundary.is_some_and(|boundary| *event < boundary);
    let (before, sent): (Vec<EventId>, Vec<EventId>) = all.into_iter().partition(is_before);
    // Where the user stopped a call, the conversation continued.
    let stops = t.records().filter(|event| t.has(*event, facts::STOPPED));
    let mut sequence: Vec<EventId> =
        sent.iter().copied().chain(stops.filter(|event| !is_before(event))).collect();
    sequence.sort_unstable();
    let pairs = Pairs::find(t, COPILOT_CLI.traits.pairs, &Paired::events(&sequence));
    let mut diagnostics = diagnostics::unreadable(t, &pairs, COPILOT_CLI.traits.unreadable);
    diagnostics.extend(copies.iter().map(|copy| copy.repeated("event stored twice")));
    diagnostics.extend(
        shared.iter().map(|twin| note(twin.shares_id("different events with the same ID"))),
    );
    diagnostics.extend(missing_header(context));
    diagnostics.extend(refused_events(t));
    if let Some(boundary) = boundary {
        let earlier: Vec<EventId> = t.records().take_while(|event| *event < boundary).collect();
        diagnostics.extend(split_pairs::check(t, boundary, &earlier, &pairs, &|call, event| {
            starts_call_of(t, call, event)
        }));
    }
    let summary = boundary.map(Sent::summary);
    let order = summary.into_iter().chain(chat::items(t, &sent)).collect();
    chat::request_of(context, order, (sent, &before), pairs, diagnostics)
}

/// Whether an event says that a call of this response starts.
fn starts_call_of(t: &Transcript, call: EventId, event: EventId) -> bool {
    let Some(id) = t.fact_id(event, own::STARTS) else {
        return false;
    };
    t.event(call).parts.clone().any(|part| t.part(part).id == Some(id))
}

fn note(mut diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.instance = Some(Instance::Harmless);
    diagnostic
}

/// The client loads no session without its first event.
fn missing_header(context: &FormatContext<'_>) -> Option<Diagnostic> {
    let t = context.transcript;
    if t.records().any(|event| t.kind(event) == "session.start") {
        return None;
    }
    let first = t.records().find(|event| t.event(*event).state != State::Padding)?;
    let micros = t.records().find_map(|event| t.event(event).time()).unwrap_or(0);
    let stamp = quote(&time::format_millis(micros));
    let own = t.text(t.event(first).id);
    let (session, id) = (quote(&made_id(&[own, "session"])), quote(&made_id(&[own, "start"])));
    let line = format!(
        r#"{{"type":"session.start","data":{{"sessionId":{session},"version":1,"producer":"copilot-agent","copilotVersion":"1.0.0","startTime":{stamp}}},"id":{id},"timestamp":{stamp},"parentId":null}}"#
    ) + "\n";
    diagnostics::missing_header(context, Some(line))
}

/// Events that the client refuses for their envelope or for members that only it reads. A copy whose IDs were shortened, or
/// that was cut down to the conversation, is not damaged.
fn refused_events(t: &Transcript) -> Vec<Diagnostic> {
    let with = |fact| t.records().filter(|event| t.has(*event, fact)).collect::<Vec<EventId>>();
    let mut others = with(own::OTHER_ID);
    others.retain(|event| !t.replaced.has(*event));
    let shortened = refused_event(SHORTENED, &with(own::SHORTENED)).map(note);
    if 2 * others.len() >= t.records().count() {
        let other = refused_event(NO_UUIDS, &others).map(note);
        return shortened.into_iter().chain(other).collect();
    }
    let mut found = Vec::from_iter(shortened);
    for event in others {
        let message = "the ID of the event is not a UUID";
        let refused = refused_event(message, &[event]);
        found.extend(refused.map(|own| Diagnostic { effect: Effect::LoadFails, ..own }));
    }
    found
}

fn refused_event(message: &'static str, events: &[EventId]) -> Option<Diagnostic> {
    let mut diagnostic = Diagnostic::new(Code::MalformedRecord, message, *events.first()?);
    diagnostic.labels = Label::all(events, LabelRole::Record);
    diagnostic.about = events.iter().map(|event| Subject::Name(*event)).collect();
    Some(diagnostic)
}
