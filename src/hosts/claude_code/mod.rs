//! Claude Code: sessions of its client, and of its sub-agents.
//!
//! The records are a tree, in which the results of parallel calls are branches that belong together. Two kinds of clients
//! read it. The current one corrects much in memory and silently drops the rest; requests of strict ones are rejected. The
//! request is that of the current client without its corrections; what strict clients lose is reported in addition.

mod answer;
mod blocks;
mod bridge;
mod compaction;
mod ends;
mod errors;
mod glued;
mod home;
mod kinds;
mod layout;
mod lines;
mod links;
mod live;
mod lost;
mod notes;
mod paths;
mod pointer;
mod read;
mod records;
mod relink;
mod renew;
mod same;
mod sent;
mod shape;
mod start;
mod strip;
mod text;
mod tips;
mod tree;
mod unreadable;
mod write;

use crate::dialects::members::{Holding, Members};
use crate::transcript::messages::SystemPrompt;
use hashbrown::HashSet;

use super::checked;
use crate::containers::RecordReader;
use crate::format::about::{AboutPlaces, member};
use crate::format::blamed::Means;
use crate::format::home::is_uuid;
use crate::format::policy::{AppliesWhen, PolicyRow};
use crate::format::{Client, Format, FormatContext, Host, HostTraits, Rank, Verification};
use crate::requests::arguments::{self, RecordedArguments};
use crate::requests::empty_content::{self, EmptyMessages};
use crate::requests::error_results::{self, Results};
use crate::requests::{
    Wire, call_names, foreign_parts, hosted_ids, hosted_pairs, image_count, lone_surrogates, media,
    message_shape, starts_with_user, thinking,
};
use crate::transcript::pairs::{Paired, Pairs};
use crate::transcript::request::{Inclusion, Request, Sent};
use crate::transcript::unreadable::OnUnreadable;
use crate::transcript::{
    Applicability, Code, Diagnostic, EventId, IndexVec, Instance, PartKind, Role, Severity,
    Sharable, State, Transcript, Within,
};
use ends::Recovered;
use paths::{ClaudePath, ClientPath};
use tree::SessionTree;

crate::transcript::fact::own_facts! {
    /// It is part of the tree.
    CHAIN,
    /// The subtype of a `system` record.
    SUBTYPE,
    /// The session's ID.
    SESSION,
    /// The client's version as a number.
    VERSION,
    /// The client wrote it in the role of the model. It is not sent.
    SYNTHETIC,
    NO_MESSAGE,
    /// The content of its message is missing or null.
    NO_CONTENT,
    /// The role of its message differs from that of its record.
    OTHER_ROLE,
    /// The client does not send thinking before it.
    STRIPS,
    /// The client does not send bad media before it.
    HEALS_MEDIA,
    /// The client sends it as a message of its own.
    RENDERED,
    /// A prompt that the user typed while a tool ran.
    QUEUED,
    /// A command of the user, with which a conversation may start.
    COMMAND,
    /// The summary of a compaction.
    SUMMARY,
    /// A pointer that the client wrote when the user went back: older records below its target are abandoned.
    EXPLICIT,
    /// Such a pointer that leaves all behind: the next record is a new first one.
    RESTARTS,
    /// A compaction that keeps records before it.
    SEGMENT,
    /// The first record that a compaction keeps.
    HEAD,
    /// The parent that the client gives this record.
    ANCHOR,
    /// The last record that a compaction keeps.
    TAIL,
    /// A compaction: the record before it.
    LOGICAL,
    /// A result: the record of its call.
    SOURCE,
}

pub(crate) const CLAUDE_CODE: Format = Format {
    name: "claude-code",
    host: &Host::new("claude-code", "Claude Code"),
    title: "Claude Code session",
    page: include_str!("page.md"),
    checked: Verification::Suite(checked::CLAUDE_CODE, "1.0.85 to 2.1.331, fifteen versions"),
    rank: Rank::Copied,
    recognize: layout::recognize,
    explains: layout::explains,
    records: RecordReader {
        accepts_lone_surrogates: true,
        removes_fragments: true,
        is_outermost: |node| Some(layout::is_certain(node)),
        ..RecordReader::new(layout::owns, read::read)
    },
    pieces: blocks::pieces,
    project,
    wire: WIRE,
    supports: write::SCHEMA.supports,
    planner: write::planner,
    text: text::text,
    model: |_| Some("anthropic".to_owned()),
    traits: HostTraits {
        texts: kinds::TEXTS,
        members: Members::own(&[
            (Holding::Details, "isMeta isCompactSummary"),
            (Holding::Envelope, "explicit"),
        ]),
        sent: &[
            &["type"],
            &["message", "role"],
            &["message", "content"],
            &["content"],
            &["attachment"],
            &["summary"],
        ],
        blocks: &[&["message", "content"]],
        unreadable: OnUnreadable::SKIPS,
        sends_beside: sent::rendered,
        blames: Some(&Means {
            message: |record| record.get("message"),
            strip: strip::stripped,
            shifts: true,
        }),
        clients: kinds::CLIENTS,
        recorded_by: kinds::recorded_by,
        errors: errors::ERRORS,
        with_tree: &[Code::CompactionSplitPair, Code::CompactionAnchor, Code::LeafPointer],
        about: AboutPlaces {
            titles: &[member("custom-title", &["customTitle"]), member("ai-title", &["aiTitle"])],
            folders: &[member("user", &["cwd"]), member("assistant", &["cwd"])],
            versions: &[member("user", &["version"]), member("assistant", &["version"])],
            models: &[member("assistant", &["message", "model"])],
        },
        homes: home::HOMES,
        started_by: home::started_by,
        resume: home::resume,
        pending_note: "Claude Code inserts a placeholder result when it resumes",
        session,
        signs: |path, _| live::signs(path),
        policy: POLICY,
        ..HostTraits::NONE
    },
    after_write: "If the session is open, exit and resume it: a running Claude Code keeps the old \
        history in memory.",
};

/// For rows about what only the current client corrects.
const CURRENT: AppliesWhen = AppliesWhen::Client(Client::Current);

/// How damage affects the host.
const POLICY: &[PolicyRow] = &[
    // Run: 2.1.332 skips such a line, and starts a new one after it.
    PolicyRow::reads_past(Code::NulPadding).of(Within::Nothing),
    PolicyRow::is(Code::RepeatedRecord, Severity::Warning),
    PolicyRow::is(Code::StrandedRecord, Severity::Warning),
    PolicyRow::is(Code::RawLineSeparator, Severity::Note),
    PolicyRow::is(Code::MissingFinalNewline, Severity::Note),
    PolicyRow::is(Code::SessionMismatch, Severity::Note),
    // All clients leave out calls without a result. Only the current one corrects the rest.
    PolicyRow::loses(Code::UnansweredCall),
    PolicyRow::loses(Code::CompactionSplitPair),
    PolicyRow::loses(Code::OrphanResult).when(CURRENT),
    // Run: 2.1.332 sends the first, and drops the others wherever they are.
    PolicyRow::sends_first(Code::TwoResults).when(CURRENT),
    PolicyRow::loses(Code::ConflictingResults).when(CURRENT),
    PolicyRow::loses(Code::MissingCallId).when(CURRENT),
    PolicyRow::loses(Code::ResultNotNext).when(CURRENT),
    PolicyRow::loses(Code::SplitBatch).when(CURRENT),
    PolicyRow::loses(Code::ResultBeforeCall).when(CURRENT),
    // Rejected once, then the client tries again without it.
    PolicyRow::leaves_out(Code::BadMedia, Severity::Error).when(CURRENT),
    // It sends only the newest images. Version 2.1.20 sends all of them.
    PolicyRow::mends(Code::TooManyImages).when(CURRENT),
    PolicyRow::leaves_out(Code::MalformedRecord, Severity::Error).of(Within::Block),
    PolicyRow::leaves_out(Code::ForeignBlock, Severity::Error).of(Within::Record).when(CURRENT),
    // Cutting a name or leaving out an empty text loses nothing.
    PolicyRow::leaves_out(Code::BadToolName, Severity::Warning).when(CURRENT),
    PolicyRow::leaves_out(Code::EmptyContent, Severity::Warning).of(Within::Block).when(CURRENT),
    PolicyRow::leaves_out(Code::Thinking, Severity::Error)
        .fixed(Applicability::Unsafe)
        .when(CURRENT),
    PolicyRow::mends(Code::LoneSurrogate).when(CURRENT),
    // Run: 2.1.332 leaves out the later call with its result.
    PolicyRow::loses(Code::ReusedCallId).when(CURRENT),
    PolicyRow::mends(Code::RepeatedCall).when(CURRENT),
];

/// The ID in the file's name, by which the client resumes it, or else the recorded one.
fn session(context: &FormatContext<'_>) -> Option<String> {
    let t = context.transcript;
    let stem = context.name.strip_suffix(".jsonl").unwrap_or_default();
    if is_uuid(stem) || stem.starts_with("agent-") {
        return Some(stem.to_owned());
    }
    t.all_texts(own::SESSION).next().map(str::to_owned)
}

/// What is sent as recorded.
const WIRE: Wire = Wire {
    needs: &[
        &starts_with_user::NEED,
        &arguments::NEED,
        &error_results::NEED,
        &lone_surrogates::NEED,
        &empty_content::NEED,
        &thinking::NEED,
        &message_shape::NEED,
        &foreign_parts::NEED,
        &call_names::NEED,
        &media::NEED,
        &image_count::NEED,
        &hosted_ids::NEED,
        &hosted_pairs::NEED,
    ],
    message: |record| record.get("message").unwrap_or(record),
    calls: RecordedArguments::BLOCKS,
    texts: EmptyMessages { splits_messages: true, ..EmptyMessages::BLOCKS },
    results: Results::BLOCKS,
    beginning: Some(start::beginning),
    ..Wire::NONE
};

/// Makes a diagnostic a note for this kind of client, which it does not affect.
fn spare(context: &FormatContext<'_>, client: Client, diagnostic: &mut Diagnostic) {
    if context.client == client {
        diagnostic.instance = Some(Instance::Spared);
    }
}

/// Everything known about a session: both paths, and what the current client sends.
struct ClaudeSession {
    tree: SessionTree,
    /// What is broken in the tree, and treated as if it were fixed.
    recovered: Recovered,
    current: ClaudePath,
    strict: ClaudePath,
    /// The current path with the siblings that the client adds.
    sequence: Vec<EventId>,
}

impl ClaudeSession {
    fn of(context: &FormatContext<'_>) -> ClaudeSession {
        let t = context.transcript;
        let mut tree = SessionTree::of(context);
        let recovered = ends::reattach(context, &mut tree);
        tree.finish(t);
        let current = ClaudePath::find(t, &tree, ClientPath::Current);
        let strict = ClaudePath::find(t, &tree, ClientPath::Strict);
        let sequence = paths::with_siblings(context, &tree, &current);
        ClaudeSession { tree, recovered, current, strict, sequence }
    }

    /// The records before the last mark after which the client does not send media.
    fn without_media(&self, t: &Transcript) -> HashSet<EventId> {
        let healed =
            self.sequence.iter().rposition(|event| t.has(*event, own::HEALS_MEDIA)).unwrap_or(0);
        self.sequence.iter().take(healed).copied().collect()
    }
}

/// Messages with an empty list, if the request has a valid start without them. All clients leave such a list out or fill it
/// (run: 2.1.20 and 2.1.329). They do send an empty string.
fn filled(t: &Transcript, order: &[Sent], list: &[sent::SentMessage]) -> HashSet<EventId> {
    let says = |message: &sent::SentMessage| {
        message.items(order).iter().any(|sent| !sent.parts.is_empty())
    };
    let first = list.iter().find(|message| says(message));
    let mut begun = first.is_none_or(|first| first.role == Role::User);
    let mut filled = HashSet::new();
    for message in list {
        let empty = message.items(order).iter().map(|sent| sent.event);
        let empty = empty.filter(|event| t.event(*event).parts.is_empty());
        filled.extend(empty.filter(|_| begun));
        begun |= says(message);
    }
    filled
}

/// What does not depend on the target or the client.
struct Shared {
    session: ClaudeSession,
    /// The messages of the request.
    list: Vec<sent::SentMessage>,
    /// The message of each event in this list.
    number: IndexVec<EventId, u32>,
    /// The request, before its messages are counted.
    request: Request,
}

impl Shared {
    fn of(context: &FormatContext<'_>) -> Shared {
        let t = context.transcript;
        let session = ClaudeSession::of(context);
        let (order, list) = sent::messages(t, &session.tree, &session.sequence);
        let (number, request) = request(t, &session, order, &list);
        Shared { session, list, number, request }
    }
}

fn project(context: &FormatContext<'_>) -> Request {
    let shared = context.prepared(Shared::of);
    let Shared { session, list, .. } = &*shared;
    let mut request = shared.request.clone();
    context.count_messages_as_sent(&mut request, SystemPrompt::Recorded, |before, next| {
        shared.number[before.event] == shared.number[next.event]
    });
    request.filled = filled(context.transcript, &request.order, list);
    request.without_media = session.without_media(context.transcript);
    request.unharmed = glued::unharmed(context, session);
    request.cut = glued::cut(context, session, &request.order);
    let mut diagnostics = session.tree.diagnostics.clone();
    same::spare_bridged(context, session, &mut diagnostics);
    start::note(context, session, &mut request);
    let view_faults = [
        lost::judge(context, session, &request),
        unreadable::judge(context, session, &request.pairs),
        compaction::judge(context, session, &request.pairs),
        shape::judge(context, session),
        notes::judge(context, (&request.order, list), &request.pairs),
        links::crossed(context, session),
        links::sessions(context, session).into_iter().collect(),
    ];
    diagnostics.extend(view_faults.into_iter().flatten());
    let pointer = pointer::judge(context, session, &diagnostics);
    diagnostics.extend(pointer);
    // Strict clients are affected only if nothing else is wrong.
    request.last_resort = links::stranded(context, session, &request);
    request.diagnostics = diagnostics;
    request
}

/// Builds the request and pairs calls with results.
fn request(
    t: &Transcript,
    session: &ClaudeSession,
    order: Vec<Sent>,
    list: &[sent::SentMessage],
) -> (IndexVec<EventId, u32>, Request) {
    let mut number = IndexVec::for_each_of(&t.events, u32::MAX);
    let mut events: Vec<EventId> = Vec::new();
    for (at, message) in (0_u32..).zip(list) {
        for sent in message.items(&order) {
            if number[sent.event] != at {
                number[sent.event] = at;
                events.push(sent.event);
            }
        }
    }
    let is_sent = |part| match t.part(part).kind {
        PartKind::Call => sent::role_of(t, part) == Role::Assistant,
        PartKind::Result => sent::role_of(t, part) == Role::Tool,
        _ => true,
    };
    let same =
        |a: EventId, b: EventId| number[a] == number[b] && t.event(b).role == Role::Assistant;
    let paired = Paired { is_sent: &is_sent, joined: &same, ..Paired::events(&events) };
    let mut pairs = Pairs::find(t, CLAUDE_CODE.traits.pairs, &paired);
    pairs.share();
    let request = Request {
        branch: Sharable::from(session.current.records.clone()).shared(),
        parent: Sharable::from(session.tree.up.clone()).shared(),
        inclusion: inclusions(t, session, &events),
        order: Sharable::from(order).shared(),
        pairs,
        ..Request::default()
    };
    (number, request)
}

fn inclusions(
    t: &Transcript,
    session: &ClaudeSession,
    sent: &[EventId],
) -> IndexVec<EventId, Option<Inclusion>> {
    let boundary = session
        .current
        .start()
        .filter(|start| records::is_boundary(t, *start) || records::is_first_summary(t, *start));
    let mut inclusions: IndexVec<EventId, Option<Inclusion>> = t
        .events
        .enumerated()
        .map(|(event, record)| match record.state {
            State::Padding => None,
            State::Unreadable => Some(Inclusion::Unreadable),
            _ if !record.role.is_sent() => Some(Inclusion::Bookkeeping),
            _ if session.current.has(event) => Some(Inclusion::Bookkeeping),
            _ if boundary.is_some_and(|boundary| event < boundary) => Some(Inclusion::Forgotten),
            _ => Some(Inclusion::OffBranch),
        })
        .collect();
    sent.iter().for_each(|event| inclusions[*event] = Some(Inclusion::Sent));
    inclusions
}
