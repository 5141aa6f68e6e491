//! Codex CLI rollouts.

mod answer;
mod context;
mod errors;
mod header;
mod history;
mod home;
mod layout;
mod ordinals;
mod read;
mod split;
mod times;
mod unreadable;

use crate::dialects::members::{Holding, Members};
use crate::transcript::pairs::PairPolicy;
use std::path::Path;

use super::checked;
use crate::containers::RecordReader;
use crate::dialects::{Piece, responses};
use crate::format::about::{AboutPlaces, member};
use crate::format::home::is_below;
use crate::format::policy::{AppliesWhen, PolicyRow};
use crate::format::words::words;
use crate::format::{Format, FormatContext, Host, HostTraits, Rank, Verification};
use crate::json::node::Node;
use crate::live::Signals;
use crate::requests::{
    Wire, image_urls, item_ids, item_outputs, item_shape, readable_reasoning, reasoning_items,
    tool_names,
};
use crate::rewrite::Schema;
use crate::shapes::items::{self, ItemLayout};
use crate::transcript::request::{Inclusion, Request, Sent};
use crate::transcript::unreadable::OnUnreadable;
use crate::transcript::{
    Code, Diagnostic, Effect, EventId, IdRange, IndexVec, Role, Severity, State, Subject,
    Transcript, Within,
};
use history::RolloutHistory;

crate::transcript::fact::own_facts! {
    /// The header of a rollout.
    HEADER,
    /// The header says that every record has a number.
    PAGINATED,
    /// The number of a record.
    ORDINAL,
    /// A record without its time.
    NO_TIME,
    /// The host cannot use the record: the reason.
    MALFORMED,
    /// A turn began.
    STARTED,
    /// A turn ended.
    COMPLETE,
    /// A turn was stopped.
    ABORTED,
    /// The turn of a record.
    TURN,
    /// A note that a person wrote a message.
    USER_MESSAGE,
    /// An item that starts a turn of a person.
    USER_TURN,
    /// A message that the host wrote in the place of somebody else.
    CONTEXT,
    /// A rollback: the number of turns.
    ROLLED_BACK,
    /// A compaction.
    COMPACTED,
    /// A compaction with the items that replace everything before it.
    LIST,
    /// A fragment: the ID of its call.
    CALL,
}

pub(crate) const CODEX: Format = Format {
    name: "codex",
    host: &Host::new("Codex", "Codex"),
    title: "Codex rollout",
    page: include_str!("page.md"),
    checked: Verification::Suite(checked::CODEX, "0.169.0"),
    rank: Rank::Host,
    recognize: layout::recognize,
    explains: layout::explains,
    records: RecordReader {
        removes_fragments: true,
        is_outermost: |node| Some(layout::is_dated(node)),
        ..RecordReader::new(layout::owns, read::read)
    },
    pieces,
    project,
    wire: WIRE,
    supports: ITEM_LAYOUT.schema.supports,
    planner: |context, request| items::planner(context, &ITEM_LAYOUT, request),
    text,
    model: |_| Some("openai-responses".to_owned()),
    traits: HostTraits {
        pairs: PairPolicy::KINDS,
        needs_no_ids: true,
        texts: context::TEXTS,
        sent: &[
            &["payload"],
            &["role"],
            &["content"],
            &["name"],
            &["arguments"],
            &["input"],
            &["call_id"],
            &["output"],
            &["action"],
            &["summary"],
            &["encrypted_content"],
        ],
        takes_reused_ids: true,
        names_by_place: true,
        unreadable: OnUnreadable::SKIPS,
        errors: errors::ERRORS,
        about: AboutPlaces {
            titles: &[member("thread_name_updated", &["payload", "thread_name"])],
            folders: &[member("session_meta", &["payload", "cwd"])],
            versions: &[member("session_meta", &["payload", "cli_version"])],
            models: &[member("turn_context", &["payload", "model"])],
        },
        homes: home::HOMES,
        resume: home::resume,
        members: Members::own(&[(Holding::Envelope, "num_turns n last")]),
        pending_note: "Codex sends `aborted` in place of its result",
        session,
        signs,
        policy: POLICY,
        ..HostTraits::NONE
    },
    after_write: "Codex reads the file when the thread is resumed. Its display cache may show one \
        record less until it is rebuilt.",
};

const ITEM_LAYOUT: ItemLayout = ItemLayout {
    item,
    schema: Schema {
        supports: items::SUPPORTS,
        list: |record| record.at(&["payload", "replacement_history"]),
        ..Schema::PLAIN
    },
    answer: answer::answer,
    lift: answer::lifted,
    number: ordinals::number,
    set_number: ordinals::set,
};

/// How bad damage is for the host.
const POLICY: &[PolicyRow] = &[
    // Run: 0.171 skips such a line, and starts a new one after it.
    PolicyRow::reads_past(Code::NulPadding).of(Within::Nothing),
    // The host loads nothing.
    PolicyRow::refuses_file(Code::InvalidUtf8, Severity::Fatal),
    PolicyRow::refuses_file(Code::ByteOrderMark, Severity::Error),
    // The host ignores the record.
    PolicyRow::is(Code::LoneSurrogate, Severity::Error),
    PolicyRow::leaves_out(Code::MalformedRecord, Severity::Error).of(Within::Block),
    // Before each request the host answers open calls itself and drops outputs without calls.
    PolicyRow::loses(Code::UnansweredCall).when(AppliesWhen::Items),
    PolicyRow::loses(Code::OrphanResult).when(AppliesWhen::Items),
    PolicyRow::loses(Code::LinkMismatch).when(AppliesWhen::Items),
    PolicyRow::loses(Code::CompactionSplitPair).when(AppliesWhen::Items),
];

/// The item in a record; an element of a list is one itself.
fn item(record: Node<'_>) -> Node<'_> {
    let is_line = record.has_str("type", "response_item");
    record.get("payload").filter(|_| is_line).unwrap_or(record)
}

fn pieces(record: Node<'_>) -> Vec<Piece<'_>> {
    let item = responses::ResponseItem::of(item(record));
    read::sort(&item).and_then(|sort| item.piece(sort)).into_iter().collect()
}

fn session(context: &FormatContext<'_>) -> Option<String> {
    let t = context.transcript;
    let mut headers = t.records().filter(|event| t.has(*event, own::HEADER));
    let recorded = headers.find_map(|event| t.event(event).id).map(|id| t.ids.get(id).to_owned());
    recorded.or_else(|| layout::named(context.name).map(|named| named.id))
}

/// What the provider gets as recorded.
const WIRE: Wire = Wire {
    needs: &[
        &tool_names::NEED,
        &reasoning_items::NEED,
        &readable_reasoning::NEED,
        &item_ids::NEED,
        &item_shape::NEED,
        &item_outputs::NEED,
        &image_urls::NEED,
    ],
    message: ITEM_LAYOUT.item,
    skips_malformed: true,
    ..Wire::NONE
};

/// The lock of a thread that is open, and the host's folder.
fn signs(path: &Path, t: &Transcript) -> Signals {
    let mut headers = t.records().filter(|event| t.has(*event, own::HEADER));
    let recorded = headers.find_map(|event| t.event(event).id).map(|id| t.ids.get(id));
    let home = layout::home(path);
    let locks = recorded
        .filter(|id| !id.is_empty() && !id.contains(['/', '\\', '\0']) && *id != "." && *id != "..")
        .and_then(|id| Some(home.as_ref()?.join("thread-writer-locks").join(format!("{id}.lock"))))
        .into_iter()
        .collect();
    Signals { locks, at_home: is_below(path, &[".codex"]), ..Signals::default() }
}

fn project(context: &FormatContext<'_>) -> Request {
    let t = context.transcript;
    let history = RolloutHistory::find(t);
    let pairs = items::pair(t, &history.sequence(t));
    let mut diagnostics = header::check(context);
    diagnostics.extend(unreadable::check(t, &pairs));
    diagnostics.extend(malformed(t, &history));
    diagnostics.extend(times::check(context, history.start));
    diagnostics.extend(items::repeated::judge(context, &ITEM_LAYOUT, &pairs, &history.sent));
    diagnostics.extend(split::check(context, &history, &pairs));
    diagnostics.extend(ordinals::check(context));
    let mut request = Request {
        inclusion: inclusions(t, &history),
        order: order(t, &history).into(),
        ..Request::default()
    };
    (request.pairs, request.diagnostics) = (pairs, diagnostics);
    request.branch = history.sent.clone().into();
    // It asks only Azure to store a request.
    request.unstored = t.all_texts(items::MODEL).any(|provider| provider == "openai");
    items::count(&mut request, context);
    request
}

/// Reports records that still count and that the host cannot use.
fn malformed(t: &Transcript, history: &RolloutHistory) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for event in
        t.with_inner().filter(|event| *event >= history.start || history.sent.contains(event))
    {
        let Some(message) = t.fact_id(event, own::MALFORMED) else {
            continue;
        };
        if t.has(event, own::HEADER) {
            continue;
        }
        let mut diagnostic = Diagnostic::about(
            Code::MalformedRecord,
            t.ids.get(message).to_owned(),
            Subject::Content,
            event,
        );
        diagnostic.effect = Effect::Hides(1);
        diagnostics.push(diagnostic);
    }
    diagnostics
}

fn inclusions(t: &Transcript, history: &RolloutHistory) -> IndexVec<EventId, Option<Inclusion>> {
    let mut inclusions: IndexVec<EventId, Option<Inclusion>> =
        IndexVec::for_each_of(&t.events, None);
    for (event, inclusion) in inclusions.enumerated_mut() {
        let record = t.event(event);
        let older = event < history.start || record.within.is_some();
        *inclusion = match record.state {
            State::Padding => None,
            State::Unreadable => Some(Inclusion::Unreadable),
            _ if !record.role.is_sent() => Some(Inclusion::Bookkeeping),
            _ if older => Some(Inclusion::Forgotten),
            _ => Some(Inclusion::OffBranch),
        };
    }
    history.sent.iter().for_each(|event| inclusions[*event] = Some(Inclusion::Sent));
    inclusions
}

fn order(t: &Transcript, history: &RolloutHistory) -> Vec<Sent> {
    let mut order = items::order(t, &history.sent);
    for (at, event) in history.summaries.iter().rev() {
        order.insert(
            *at,
            Sent { event: *event, role: Role::User, parts: IdRange::default(), summary: true },
        );
    }
    order
}

fn text(context: &FormatContext<'_>, event: EventId) -> Option<String> {
    let record = context.record(event).ok()?;
    let root = record.root();
    let payload = root.get("payload").unwrap_or(root);
    let places = ["content", "output", "message", "summary", "arguments", "input"];
    places.iter().find_map(|key| words(payload.get(key)?))
}
