//! Chats of Qwen Code: a tree of records around contents of the Gemini API, which it converts for its provider.

mod content;
mod errors;
mod home;
mod layout;
mod read;
mod session;
mod write;

use super::checked;
use crate::containers::RecordReader;
use crate::dialects::members::{Holding, Members};
use crate::format::about::{AboutPlaces, member};
use crate::format::policy::PolicyRow;
use crate::format::vocabulary::WordSet;
use crate::format::{Format, FormatContext, Host, HostTraits, Rank, Verification};
use crate::requests::Wire;
use crate::shapes::tree::{self, SharedId, Tree};
use crate::shapes::{chat, glued};
use crate::transcript::messages::SystemPrompt;
use crate::transcript::pairs::{PairPolicy, Paired, Pairs};
use crate::transcript::request::{Request, Sent};
use crate::transcript::unreadable::OnUnreadable;
use crate::transcript::{
    Code, Diagnostic, Effect, EventId, PartId, PartKind, Role, Severity, Transcript, Within,
};

crate::transcript::fact::own_facts! {
    /// The client finds it by its id: it has a parent, and may be one.
    LINK,
    /// The session's ID.
    SESSION,
    /// The model of a response.
    MODEL,
    /// A list in it takes the place of all before it.
    COMPACTS,
    /// The chat was copied from another one.
    OF_COPY,
}

pub(crate) const QWEN_CODE: Format = Format {
    name: "qwen-code",
    host: &Host::new("qwen-code", "Qwen Code"),
    title: "Qwen Code chat",
    page: include_str!("page.md"),
    checked: Verification::Suite(checked::QWEN_CODE, ""),
    rank: Rank::Copied,
    recognize: layout::recognize,
    explains: layout::explains,
    records: RecordReader {
        removes_fragments: true,
        is_outermost: |record| Some(layout::owns(record)),
        ..RecordReader::new(layout::owns, read::read)
    },
    pieces: content::pieces,
    project,
    wire: Wire::NONE,
    supports: write::SCHEMA.supports,
    planner: write::planner,
    text: content::text,
    model,
    traits: HostTraits {
        words: Some(WordSet::of(&["parts:", "systemPayload:"])),
        pairs: PairPolicy::LISTS,
        takes_reused_ids: true,
        sent: &[
            &["message", "role"],
            &["message", "parts"],
            &["systemPayload", "compressedHistory"],
            &["role"],
            &["parts"],
        ],
        blocks: &[&["message", "parts"], &["parts"]],
        unreadable: OnUnreadable { appends: true, ..OnUnreadable::SKIPS },
        with_tree: &[Code::CompactionSplitPair],
        errors: errors::ERRORS,
        members: Members::own(&[
            (
                Holding::Details,
                "systemPayload toolCallResult compressedHistory uiEvent usageMetadata",
            ),
            (Holding::Envelope, "provenance subtype callId status titleSource"),
        ]),
        about: AboutPlaces {
            titles: &[member("custom_title", &["systemPayload", "customTitle"])],
            folders: &[member("", &["cwd"])],
            versions: &[member("", &["version"])],
            models: &[member("assistant", &["model"])],
        },
        homes: home::HOMES,
        started_by: home::started_by,
        resume: home::resume,
        pending_note: "Qwen Code inserts a placeholder result when it resumes",
        session,
        signs: |path, _| home::signs(path),
        policy: POLICY,
        ..HostTraits::NONE
    },
    after_write: "Resume it with `qwen --resume SESSION_ID` in its project folder. A running Qwen \
        Code keeps the old history, and appends records to it.",
};

/// What damage is to the client: it repairs calls and results in memory, each time it loads the chat.
const POLICY: &[PolicyRow] = &[
    // Run: 0.24.4 looks for records in a line that it cannot parse, also in one that begins with NUL bytes.
    PolicyRow::reads_past(Code::NulPadding).of(Within::Nothing),
    PolicyRow::refuses_file(Code::SessionMismatch, Severity::Fatal),
    PolicyRow::is(Code::ParentCycle, Severity::Warning),
    PolicyRow::is(Code::DuplicateRecordId, Severity::Warning),
    PolicyRow::is(Code::RepeatedRecord, Severity::Error),
    PolicyRow::is(Code::ByteOrderMark, Severity::Note),
    PolicyRow::is(Code::RawLineSeparator, Severity::Note),
    PolicyRow::loses(Code::UnansweredCall),
    PolicyRow::loses(Code::OrphanResult),
    PolicyRow::loses(Code::ResultBeforeCall),
    PolicyRow::loses(Code::CompactionSplitPair),
    PolicyRow::sends_first(Code::TwoResults),
    PolicyRow::loses(Code::ConflictingResults),
    PolicyRow::loses(Code::ResultNotNext),
    PolicyRow::loses(Code::SplitBatch),
    PolicyRow::loses(Code::StrandedRecord),
];

/// The ID in the records, by which the client resumes a chat.
fn session(context: &FormatContext<'_>) -> Option<String> {
    let mut sessions = context.transcript.all_texts(own::SESSION);
    sessions.next().map(str::to_owned)
}

/// The provider of the last model, if its name tells: else an interface as OpenAI's, which most users have.
fn model(t: &Transcript) -> Option<String> {
    let model = t.all_texts(own::MODEL).last().unwrap_or_default();
    let hosts = ["gemini", "claude"];
    let is_known = hosts.iter().any(|host| model.starts_with(host));
    Some(if is_known { model } else { "openai-chat" }.to_owned())
}

/// The path of a chat, and what of it is sent.
struct QwenSession {
    tree: Tree,
    /// The last compaction of the path.
    boundary: Option<EventId>,
    /// The contents in order: of that compaction, then those of the path after it.
    sequence: Vec<EventId>,
}

impl QwenSession {
    fn of(context: &FormatContext<'_>) -> QwenSession {
        let t = context.transcript;
        let mut tree = Tree::list(context, SharedId::Fragments, |event| t.has(event, own::LINK));
        let leaf = tree.link_by_names(t);
        tree.walk(t, leaf);
        let at = tree.branch.iter().rposition(|event| t.has(*event, own::COMPACTS));
        let boundary = at.map(|at| tree.branch[at]);
        let inner = t.with_inner().filter(|event| t.event(*event).within == boundary);
        let inner = inner.filter(|_| boundary.is_some());
        let rest = tree.branch[at.map_or(0, |at| at + 1)..].iter().copied();
        let sequence = inner.chain(rest).filter(|event| t.event(*event).role.is_sent());
        QwenSession { boundary, sequence: sequence.collect(), tree }
    }
}

/// Whether two events are fragments of one message.
fn is_one_message(t: &Transcript, one: EventId, other: EventId) -> bool {
    let [one, other] = [one, other].map(|event| t.event(event));
    let are_outer = one.within.is_none() && other.within.is_none();
    are_outer && one.id.is_some() && one.id == other.id
}

/// Whether a part is where the client looks for it: calls in contents of the model, responses in those of the user.
fn is_in_place(t: &Transcript, part: PartId) -> bool {
    let by_model = t.event(t.part(part).event).role == Role::Assistant;
    match t.part(part).kind {
        PartKind::Call => by_model,
        PartKind::Result => !by_model,
        _ => true,
    }
}

fn project(context: &FormatContext<'_>) -> Request {
    let t = context.transcript;
    let mut session = QwenSession::of(context);
    let role = |event: EventId| match t.event(event).role {
        Role::Tool => Role::User,
        role => role,
    };
    let order: Vec<Sent> =
        chat::items_as(t, &session.sequence, &role, &|part| t.part(part).kind == PartKind::Result);
    let paired = Paired {
        is_sent: &|part| is_in_place(t, part),
        joined: &|one, other| is_one_message(t, one, other),
        ..Paired::events(&session.sequence)
    };
    let pairs = Pairs::find(t, QWEN_CODE.traits.pairs, &paired);
    let mut diagnostics = std::mem::take(&mut session.tree.diagnostics);
    diagnostics.iter_mut().for_each(spare_cycle);
    let host = QWEN_CODE.traits.unreadable;
    diagnostics.extend(tree::unreadable::check(t, &session.tree, &pairs, host, None));
    diagnostics.extend(session::lost_parent(t, &session.tree, &pairs));
    diagnostics.extend(session::through_holes(t, &session.tree));
    diagnostics.extend(session::fragments(context, &session.tree));
    diagnostics.extend(session::several(context, &session.tree));
    diagnostics.extend(session::split(t, &session, &pairs));
    diagnostics.extend(tree::stranded::check(t, &session.tree, &pairs));
    let mut request = Request {
        inclusion: session.tree.inclusions(t, &session.sequence),
        order: order.into(),
        pairs,
        diagnostics,
        branch: session.tree.branch.into(),
        parent: session.tree.parent.into(),
        // It reads all records of a line; only a fragment before one takes it along.
        unharmed: glued::lines(t).into_iter().map(|line| line.first).collect(),
        ..Request::default()
    };
    context.count_messages_as_sent(&mut request, SystemPrompt::AddedByHost, |before, next| {
        before.role == next.role
            && (before.role == Role::Assistant || is_one_message(t, before.event, next.event))
    });
    request
}

/// The client stops at the record that it meets again: what is before the loop is not in the file.
fn spare_cycle(diagnostic: &mut Diagnostic) {
    if diagnostic.code == Code::ParentCycle {
        diagnostic.effect = Effect::None;
    }
}
