//! Tasks of Cline, Roo Code and Kilo Code, and sessions of Cline's SDK: messages of the Anthropic API with notes of the host.

mod errors;
mod home;

use super::anthropic::{self, ANTHROPIC, KeptMessages};
use crate::containers::{Layout, PathStep, RecordReader};
use crate::dialects::members::{Holding, Members};
use crate::dialects::spoken;
use crate::format::head::Sample;
use crate::format::host_text::{HostText, around};
use crate::format::plain::LOOK;
use crate::format::policy::{AppliesWhen, PolicyRow};
use crate::format::records::{self, list_on};
use crate::format::signs::{has_all, has_block, is_role, is_type, starts};
use crate::format::vocabulary::WordSet;
use crate::format::{Format, FormatContext, Host, HostTraits, Rank, Verification};
use crate::json::build::NewValue;
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::requests::{
    Wire, arguments, call_names, empty_content, error_results, starts_with_user,
};
use crate::rewrite::Schema;
use crate::shapes::chat::blocks::{self, BlockWriting};
use crate::shapes::chat::{self, diagnostics};
use crate::transcript::pairs::{PairStatus, Paired, Pairs};
use crate::transcript::request::Request;
use crate::transcript::{
    Action, ActionKind, Code, Diagnostic, Effect, EventId, FactValue, Flaws, Instance, Label,
    LabelRole, PartId, PartKind, Role, Severity, State, Subject, Transcript, distinct, facts,
};

crate::transcript::fact::own_facts! {
    Fact::OF_HOST, Fact::END;
    /// A mark that messages before it are left out: its ID.
    MARKER,
    /// Left out as long as the mark with this ID is there.
    TRUNCATED,
    /// Only Roo Code and Kilo Code write this.
    ROO,
    /// Around the list: the ID of the session.
    SESSION,
}

const ROO: Host = Host { name: "roo", title: "Roo Code" };
const KILO: Host = Host { name: "kilo", title: "Kilo Code" };

pub(crate) const CLINE_ROO: Format = Format {
    name: "cline-roo",
    host: &Host::new("cline", "Cline"),
    title: "Cline or Roo Code task",
    page: include_str!("page.md"),
    checked: Verification::Read("the sources of Cline (August 2026) and Roo Code (April 2026)"),
    rank: Rank::Extended,
    recognize,
    explains,
    records: RecordReader::new(explains, read).of_messages(),
    pieces: ANTHROPIC.pieces,
    project,
    wire: Wire {
        // What else a provider minds is written anew for each request: thinking, images, blocks and members of the host.
        needs: &[
            &starts_with_user::NEED,
            &arguments::NEED,
            &error_results::NEED,
            &empty_content::NEED,
            &call_names::NEED,
        ],
        ..ANTHROPIC.wire
    },
    // Texts are sent to any provider. What Cline stores of calls has the shape of the Anthropic API.
    model: |t| {
        (ANTHROPIC.model)(t).filter(|_| {
            t.parts.iter().any(|part| matches!(part.kind, PartKind::Call | PartKind::Result))
        })
    },
    supports: SUPPORTS,
    planner: |context, request| blocks::planner(context, &WRITING, request),
    text,
    traits: HostTraits {
        noun: "message",
        words: Some(WordSet::of(&["ts:", "sessionId:"]).and(BLOCKS)),
        sent: &[&["role"], &["content"]],
        beside: &[],
        texts: &[TASKS],
        rows: false,
        unsigned: None,
        members: Members::own(&[
            (
                Holding::Details,
                "condenseId condenseParent truncationId truncationParent modelInfo metrics origin \
                reasoning_details",
            ),
            (Holding::Envelope, "ts version agent taskType isSummary isTruncationMarker mediaType"),
        ]),
        host: |path, t| Some(home::host(path).unwrap_or_else(|| host(t))),
        homes: home::HOMES,
        resume: home::resume,
        errors: errors::ERRORS,
        session: |context| Some(chat::state_text(context.transcript, own::SESSION)?.to_owned()),
        signs: |path, _| home::signs(path),
        policy: POLICY,
        ..ANTHROPIC.traits
    },
    after_write: "Open the task anew: an editor that shows it keeps the old messages. Checkpoints \
        and the ranges that Cline left out count messages, so check them if messages were added or \
        removed.",
};

/// What damage is to the hosts.
const POLICY: &[PolicyRow] = &[
    PolicyRow::is(Code::RepeatedRecord, Severity::Note),
    PolicyRow::is(Code::MalformedRecord, Severity::Fatal),
    // The SDK makes up missing results for each request.
    PolicyRow::loses(Code::UnansweredCall).when(AppliesWhen::Enveloped),
];

const SUPPORTS: &[ActionKind] = &[
    ActionKind::EditBytes,
    ActionKind::Remove,
    ActionKind::RemovePart,
    ActionKind::MoveTogether,
    ActionKind::AnswerCall,
    ActionKind::RenameId,
    ActionKind::MoveText,
    ActionKind::MoveBoundary,
];

const WRITING: BlockWriting = BlockWriting {
    schema: Schema { supports: SUPPORTS, ..anthropic::write::WRITING.schema },
    beside: &["ts"],
    hidden_by: &["condenseParent", "truncationParent"],
    answer,
    ..anthropic::write::WRITING
};

/// The SDK names the tool in a result.
fn answer(context: &FormatContext<'_>, call: PartId) -> NewValue {
    let t = context.transcript;
    let named = (t.parts.iter()).any(|part| part.kind == PartKind::Result && part.tool.is_some())
        || t.host_state().is_some();
    let tool = NewValue::text(t.text(t.part(call).tool));
    anthropic::write::answer_with(context, call, named.then_some(("name", tool)))
}

/// Blocks that these messages have next to texts.
const BLOCKS: &[&str] = &["tool_use", "tool_result", "thinking", "redacted_thinking"];
/// What the first text of a task is wrapped in.
const TASKS: &[HostText] =
    &[around("<task>", "</task>"), around("<user_message>", "</user_message>")];
/// Ways from a document to its messages: a task, a session of the SDK.
const WAYS: &[&[PathStep]] = &[&[], &[PathStep::Key("messages")]];

/// Messages of the Anthropic API with a sign of these hosts: time stamps, the task in the first text, or what the SDK writes
/// around the messages.
fn recognize(head: &Sample<'_>) -> Option<Layout> {
    head.list(
        |entry, root| {
            let layout = list_on(WAYS, entry, root, explains)?;
            let messages = records::records(head, &layout);
            let is_own = is_session(root) || is_signed(&messages, is_bare(root));
            is_own.then_some(layout)
        },
        || is_signed(&records::whole(head.nodes()), false),
    )
}

/// Whether messages show it by themselves. `calls_decide`: calls among them are enough.
fn is_signed(messages: &[Node<'_>], calls_decide: bool) -> bool {
    let stamped = messages
        .iter()
        .filter(|message| {
            let time = message.integer("ts");
            let content = message.get("content");
            time.is_some_and(|time| time > LEAST_TIME)
                && content.is_none_or(|content| content.kind() == Kind::Array)
        })
        .count();
    (stamped > 0 && 2 * stamped >= messages.len())
        || ((calls_decide
            || messages
                .iter()
                .find(|message| is_role(**message, &["user"]))
                .is_some_and(begins_task))
            && messages.iter().any(|message| has_block(*message, BLOCKS)))
}

/// Time stamps are milliseconds since 1970.
const LEAST_TIME: i64 = 1_000_000_000_000;

fn begins_task(message: &Node<'_>) -> bool {
    let first = message.items_of("content").next();
    let text = first.and_then(|block| block.get("text"));
    TASKS.iter().any(|task| starts(text, task.start))
}

/// A document of the SDK.
fn is_session(root: Node<'_>) -> bool {
    has_version(root) && has_all(root, &["agent", "sessionId"])
}

/// What people keep of one.
fn is_bare(root: Node<'_>) -> bool {
    has_version(root) && root.members().count() == 2
}

fn has_version(root: Node<'_>) -> bool {
    let version = root.get("version").and_then(|version| version.as_u64());
    version.is_some()
}

/// A message, or thinking between messages.
fn explains(record: Node<'_>) -> bool {
    let message = is_role(record, &["user", "assistant"]) && record.get("content").is_some();
    let other = ["tool_calls", "tool_call_id", "parts"].iter().any(|key| record.get(key).is_some());
    (message && !other) || is_reasoning(record)
}

fn is_reasoning(record: Node<'_>) -> bool {
    is_type(record, &["reasoning"]) && record.get("role").is_none()
}

/// Reads a message with the host's notes, or the document around the messages.
fn read(record: Node<'_>, t: &mut Transcript) {
    if is_reasoning(record) {
        let kind = t.ids.intern("reasoning");
        let event = t.newest_mut();
        (event.kind, event.role) = (Some(kind), Role::Nobody);
        return;
    }
    (ANTHROPIC.records.read)(record, t);
    if record.boolean("isTruncationMarker") == Some(true) {
        t.set_text(own::MARKER, record.get("truncationId"));
    }
    t.set_text(own::TRUNCATED, record.get("truncationParent"));
    t.set_text(own::SESSION, record.get("sessionId"));
    if record.boolean("isSummary") == Some(true) {
        t.set_fact(facts::SUMMARY, FactValue::Yes);
    }
    const OF_ROO: &[&str] = &["condenseParent", "condenseId", "truncationId", "truncationParent"];
    if OF_ROO.iter().any(|key| record.get(key).is_some()) {
        t.set_fact(own::ROO, FactValue::Yes);
    }
    let time = record.integer("ts");
    t.newest_mut().set_time(time.and_then(|time| time.checked_mul(1000)));
}

/// What a message says; of a first one the task, without what the host wraps it in.
fn text(context: &FormatContext<'_>, event: EventId) -> Option<String> {
    let text = chat::text(context, event)?;
    let task = TASKS.iter().find_map(|task| {
        let (inner, _) = text.strip_prefix(task.start)?.split_once(task.end)?;
        Some(inner.trim().to_owned())
    });
    task.or(Some(text))
}

/// Who wrote it, by the records.
fn host(t: &Transcript) -> &'static Host {
    if t.events.ids().any(|event| t.has(event, own::ROO)) { &ROO } else { CLINE_ROO.host }
}

/// What compactions leave of the messages.
struct CompactedWindow {
    sent: Vec<EventId>,
    /// The others, in order.
    hidden: Vec<EventId>,
    /// The last summary: nothing before it is sent.
    summary: Option<EventId>,
}

impl CompactedWindow {
    fn of(t: &Transcript, all: &[EventId]) -> CompactedWindow {
        let start = all.iter().rposition(|event| t.has(*event, facts::SUMMARY));
        let after = &all[start.unwrap_or(0)..];
        let mut markers = Vec::new();
        markers.extend(after.iter().filter_map(|event| t.fact_id(*event, own::MARKER)));
        let (truncated, sent): (Vec<EventId>, Vec<EventId>) = after.iter().partition(|event| {
            let marker = t.fact_id(**event, own::TRUNCATED);
            marker.is_some_and(|marker| markers.contains(&marker))
        });
        let before = all[..start.unwrap_or(0)].iter().copied();
        CompactedWindow {
            sent,
            hidden: before.chain(truncated).collect(),
            summary: start.map(|start| all[start]),
        }
    }

    fn hides(&self, event: EventId) -> bool {
        self.hidden.binary_search(&event).is_ok()
    }

    /// What hides a message.
    fn compaction(&self, t: &Transcript, hidden: EventId) -> Option<EventId> {
        if self.summary.is_some_and(|summary| hidden < summary) {
            return self.summary;
        }
        let by = t.value_of(hidden, own::TRUNCATED)?;
        self.sent.iter().copied().find(|event| t.value_of(*event, own::MARKER) == Some(by))
    }
}

fn project(context: &FormatContext<'_>) -> Request {
    let t = context.transcript;
    let all = chat::messages(t);
    let window = CompactedWindow::of(t, &all);
    let answered_by = answered_by_text(context, &window.sent);
    let split = split_batches(context, &window, &all);
    let kept = KeptMessages {
        sent: window.sent,
        forgotten: window.hidden,
        unpaired: answered_by.is_some(),
        corrected: Flaws::SHAPE | Flaws::FOREIGN | Flaws::THINKING | Flaws::MEDIA,
        scatters: true,
    };
    let mut request = anthropic::request(context, &CLINE_ROO, kept);
    request.diagnostics.extend(split);
    request.diagnostics.extend(answered_by.map(not_paired));
    request
}

/// Calls with results of which a summary or a mark hides one half. The call comes to the side that is sent.
fn split_batches(
    context: &FormatContext<'_>,
    window: &CompactedWindow,
    all: &[EventId],
) -> Vec<Diagnostic> {
    if window.hidden.is_empty() {
        return Vec::new();
    }
    let t = context.transcript;
    let pairs = Pairs::find(t, CLINE_ROO.traits.pairs, &Paired::events(all));
    let mut found = Vec::new();
    for batch in &pairs.batches {
        let mut answered = Vec::new();
        for call in &batch.calls {
            if let PairStatus::Answered(result) = pairs.status(*call) {
                answered.push((*call, result));
            }
        }
        found.extend(split_batch(t, window, &answered));
    }
    found
}

fn split_batch(
    t: &Transcript,
    window: &CompactedWindow,
    batch: &[(PartId, PartId)],
) -> Option<Diagnostic> {
    let hides = |part| window.hides(t.part(part).event);
    let mut split = batch.to_vec();
    split.retain(|(call, result)| hides(*call) != hides(*result));
    let (call, result) = *split.first()?;
    let hidden = t.part(if hides(call) { call } else { result }).event;
    let compaction = window.compaction(t, hidden)?;
    let mut diagnostic = diagnostics::split_by_compaction(t, &split, hidden);
    diagnostic.labels.insert(1, Label::new(compaction, LabelRole::Compaction));
    if window.summary == Some(compaction) {
        // Roo Code drops results whose calls are before the summary.
        (diagnostic.instance, diagnostic.effect) = (Some(Instance::Dropped), Effect::Hides(1));
    }
    let halves = batch.iter().flat_map(|(call, result)| [*call, *result]);
    let events = halves.map(|part| t.part(part).event);
    let keep: Vec<EventId> = distinct(events.filter(|event| window.hides(*event)));
    diagnostic.fix_safely_if(hides(call), [Action::keep(compaction, keep)]);
    Some(diagnostic)
}

/// The message whose text answers a call, in a task without any result: Cline ran the calls of some models so.
fn answered_by_text(context: &FormatContext<'_>, sent: &[EventId]) -> Option<EventId> {
    let t = context.transcript;
    if t.parts.iter().any(|part| part.kind == PartKind::Result) {
        return None;
    }
    let asks = sent.windows(2).filter_map(|pair| {
        let call = t.part_of(pair[0], PartKind::Call)?;
        Some((t.text(t.part(call).tool), pair[1]))
    });
    let mut looked = asks.take(LOOK);
    let answer = looked.find(|(tool, next)| {
        let text = chat::text(context, *next);
        t.event(*next).state == State::Whole
            && text.is_some_and(|text| spoken::is_titled(&text, tool))
    });
    answer.map(|(_, next)| next)
}

fn not_paired(event: EventId) -> Diagnostic {
    let message = "tool results are plain text here: nothing to pair";
    Diagnostic::about(Code::UnknownRecord, message, Subject::Name, event)
}
