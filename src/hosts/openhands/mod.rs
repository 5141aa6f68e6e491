//! OpenHands, software-agent-sdk V1: one event schema in five containers.
//!
//! Comments say where other versions than the tested one behave differently.

mod answer;
mod behind;
mod branch;
mod content;
mod errors;
mod fold;
mod home;
mod ids;
mod kinds;
mod layout;
mod members;
mod names;
mod order;
mod read;
mod repeated;
mod signs;
mod state;
mod text;
mod tree;
mod unreadable;
mod write;

use super::checked;
use crate::containers::{Layout, RecordReader};
use crate::dialects::members::{Holding, Members};
use crate::format::about::{AboutPlaces, member};
use crate::format::policy::{Across, AppliesWhen, PolicyRow};
use crate::format::vocabulary::WordSet;
use crate::format::{
    Client, Format, FormatContext, Host, HostTraits, Rank, SentResult, Verification,
};
use crate::requests::{Wire, starts_with_user};
use crate::transcript::pairs::{Batch, Paired, Pairs};
use crate::transcript::request::{Inclusion, Request, Sent};
use crate::transcript::{
    Action, Code, Diagnostic, Effect, EventId, IdRange, IndexVec, Instance, PartKind, Role,
    Severity, State, Subject, Transcript,
};
use tree::ConversationTree;

pub(crate) use layout::is_known_event;
pub(super) use read::{malformed, unknown};

crate::transcript::fact::own_facts! {
    /// Host state: the model.
    MODEL,
    /// Host state: no event is active.
    HEAD_IS_EMPTY,
    /// A call with a thought: only the first call of a batch may have one.
    THOUGHT,
    /// A call with thinking blocks, which starts a thinking loop.
    THINKING,
    /// A condensation with a summary: the position of the summary.
    SUMMARY_OFFSET,
    /// A fragment of a result: the ID of its call.
    FRAGMENT_CALL,
    /// A fragment of a message or call rather than a result.
    FRAGMENT_SPEAKS,
}

pub(crate) const OPENHANDS: Format = Format {
    name: "openhands",
    host: &Host::new("openhands", "OpenHands"),
    title: "OpenHands SDK event log",
    page: include_str!("page.md"),
    checked: Verification::Suite(checked::OPENHANDS, "1.58.0"),
    rank: Rank::Copied,
    recognize: layout::recognize,
    explains: read::owns,
    records: RecordReader {
        is_outermost: |_| Some(true),
        ..RecordReader::new(read::owns, read::read)
    },
    pieces: read::pieces,
    project,
    wire: Wire { needs: &[&starts_with_user::NEED], ..Wire::NONE },
    supports: write::SCHEMA.supports,
    planner: write::planner,
    text: text::text,
    model,
    traits: HostTraits {
        noun: "event",
        words: Some(WordSet::of(&["kind:"])),
        texts: &[kinds::STUBS],
        sent: &[
            &["llm_message"],
            &["extended_content"],
            &["thought"],
            &["thinking_blocks"],
            &["reasoning_content"],
            &["responses_reasoning_item"],
            &["tool_call"],
            &["tool_call_id"],
            &["tool_name"],
            &["observation"],
            &["rejection_reason"],
            &["error"],
            &["summary"],
            &["system_prompt"],
            &["dynamic_context"],
            &["tools"],
        ],
        sends_result: SentResult::First,
        clients: kinds::CLIENTS,
        rows: true,
        runs_unlinked: true,
        cannot_load: kinds::CANNOT_LOAD,
        errors: errors::ERRORS,
        about: AboutPlaces {
            titles: &[],
            folders: &[member("", &["workspace", "working_dir"])],
            versions: &[],
            models: &[],
        },
        homes: home::HOMES,
        resume: home::resume,
        members: Members::own(&[
            (
                Holding::Details,
                "head_is_empty agent llm activated_skills sender responses_reasoning_item security_risk",
            ),
            (Holding::Envelope, "leaf_event_id key value code classification"),
        ]),
        pending_note: "OpenHands runs it at the next run, whether or not it ran before",
        in_place: |layout| !matches!(layout, Layout::Items { .. }),
        session,
        signs: signs::signs,
        policy: POLICY,
        ..HostTraits::NONE
    },
    after_write: "Restart the server or reload the conversation: a process that has it open keeps \
        the old events.",
};

/// How bad damage is for the host.
const POLICY: &[PolicyRow] = &[
    // No host reads line files, so a byte order mark is harmless there.
    PolicyRow::is(Code::ByteOrderMark, Severity::Note).when(AppliesWhen::InLines),
    PolicyRow::is(Code::ByteOrderMark, Severity::Error),
    PolicyRow::is(Code::UnreadableRecord, Severity::Error),
    PolicyRow::is(Code::LoneSurrogate, Severity::Error),
    PolicyRow::is(Code::LeafPointer, Severity::Error),
    PolicyRow::is(Code::RecordOrder, Severity::Error),
    PolicyRow::is(Code::CompactionAnchor, Severity::Note),
    PolicyRow::is(Code::BadCallId, Severity::Note),
    PolicyRow::is(Code::StuckStatus, Severity::Warning),
    // The SDK sets `modify_params`, with which LiteLLM repairs pairs of calls and results on their way to Anthropic (run: lost and
    // orphaned results from 1.81.14 on, not in 1.81.13; double ones from 1.82.2 on, not in 1.82.1; so in 1.105.7). It looks for a
    // result up to the next answer, and leaves it where it is: after a message of the user, the provider rejects it.
    PolicyRow::loses(Code::UnansweredCall).when(MENDED),
    PolicyRow::loses(Code::OrphanResult).when(MENDED),
    // Of two results it sends the first, also one that only says that the tool was interrupted.
    PolicyRow::sends_first(Code::TwoResults).when(MENDED),
    PolicyRow::loses(Code::ConflictingResults).when(MENDED),
    PolicyRow::loses(Code::ResultNotNext).when(MENDED).across(Across::Answer),
    PolicyRow::loses(Code::ResultBeforeCall).when(MENDED),
    // The SDK makes a message of each part of the batch, and LiteLLM an answer of each.
    PolicyRow::loses(Code::SplitBatch).when(MENDED),
    PolicyRow::mends(Code::RepeatedCall).when(MENDED),
    PolicyRow::loses(Code::LinkMismatch).when(MENDED),
    PolicyRow::loses(Code::StrandedRecord).when(MENDED),
    // It goes from the newest event to its parents, by IDs: a copy is nobody's parent.
    PolicyRow::mends(Code::RepeatedRecord).when(AppliesWhen::Client(Client::Current)),
];

/// The SDK looks for the system prompt among so many first events (`INIT_STATE_PREFIX_SCAN_WINDOW`).
const PROMPT_WITHIN: usize = 3;

const MENDED: AppliesWhen = AppliesWhen::ClientTo(Client::Current, "anthropic");

fn session(context: &FormatContext<'_>) -> Option<String> {
    let t = context.transcript;
    let recorded =
        t.host_state().and_then(|state| t.event(state).id).map(|id| t.ids.get(id).to_owned());
    recorded.or_else(|| state::is_conversation_id(context.name).then(|| context.name.to_owned()))
}

fn model(t: &Transcript) -> Option<String> {
    t.fact_text(t.host_state()?, own::MODEL).map(str::to_owned)
}

/// The events of the branch that matter for pairing: sent and unreadable events, and condensations.
fn sequence(t: &Transcript, branch: &[EventId]) -> Vec<EventId> {
    branch
        .iter()
        .copied()
        .filter(|event| {
            let record = t.event(*event);
            record.role.is_sent()
                || record.state == State::Unreadable
                || t.kind(*event) == "Condensation"
        })
        .collect()
}

fn project(context: &FormatContext<'_>) -> Request {
    let t = context.transcript;
    let mut tree = ConversationTree::build(context);
    let sequence = sequence(t, &tree.branch);
    let pairs = Pairs::find(t, OPENHANDS.traits.pairs, &Paired::events(&sequence));
    let mut diagnostics = std::mem::take(&mut tree.diagnostics);
    unreadable::answer_lost_leaf(&mut diagnostics, &pairs);
    diagnostics.extend(unreadable::check(t, &tree, &sequence, &pairs));
    diagnostics.extend(names::check(context, &tree));
    diagnostics.extend(ids::check(t, &tree));
    diagnostics.extend(branch::check(t, &tree, &pairs));
    let steps = fold::steps(t, &tree, &tree.branch);
    let units = fold::Units::of(t, &tree.branch, &pairs);
    // LiteLLM drops the half that is left of a pair, but moves no summary out of one.
    let is_mended = context.client == Client::Current && context.target.name == "anthropic";
    diagnostics.extend(fold::check(t, &steps, &units, is_mended));
    let pending = pairs.batches.last().is_some_and(|batch| batch.pending && batch.has_open(&pairs));
    diagnostics.extend(behind::check(context, &tree, &pairs));
    diagnostics.extend(state::check(context, &tree, pending));
    let order = fold::fold(&steps, |_, _| {});
    diagnostics.extend(thoughts(t, &order, &pairs));
    let mut request = Request {
        pairs,
        diagnostics,
        inclusion: inclusions(t, &tree, &order),
        branch: tree.branch.into(),
        parent: tree.parent.into(),
        start_is_unknown: !begins_with_prompt(t),
        ..Request::default()
    };
    let role = |shown: &fold::RequestItem| {
        if shown.summary { Role::User } else { t.event(shown.event).role }
    };
    request.order = order
        .iter()
        .map(|shown| Sent {
            event: shown.event,
            role: role(shown),
            parts: if shown.summary {
                IdRange::default()
            } else {
                t.event(shown.event).parts.clone()
            },
            summary: shown.summary,
        })
        .collect();
    context.count_messages(&mut request, |before, next| is_one_message(t, before, next));
    request
}

/// Whether the log is there from its system prompt on. An export may have a part of it.
fn begins_with_prompt(t: &Transcript) -> bool {
    t.records().take(PROMPT_WITHIN).any(|event| t.kind(event) == "SystemPromptEvent")
}

/// Whether two adjacent records form one message: calls of one response, or plain user messages.
fn is_one_message(t: &Transcript, before: &Sent, next: &Sent) -> bool {
    match (before.role, next.role) {
        (Role::Assistant, Role::Assistant) => {
            let batch = |sent: &Sent| {
                t.event(sent.event).batch.filter(|_| !t.event(sent.event).parts.is_empty())
            };
            batch(before).is_some() && batch(before) == batch(next)
        }
        (Role::User, Role::User) => true,
        _ => false,
    }
}

fn inclusions(
    t: &Transcript,
    tree: &ConversationTree,
    order: &[fold::RequestItem],
) -> IndexVec<EventId, Option<Inclusion>> {
    let mut inclusions = IndexVec::for_each_of(&t.events, None);
    for event in tree.records.iter().copied() {
        let record = t.event(event);
        inclusions[event] = Some(match (record.state, tree.on_branch[event]) {
            (State::Unreadable, _) => Inclusion::Unreadable,
            _ if !record.role.is_sent() => Inclusion::Bookkeeping,
            (_, false) => Inclusion::OffBranch,
            (_, true) => Inclusion::Forgotten,
        });
    }
    for shown in order.iter().filter(|shown| !shown.summary) {
        inclusions[shown.event] = Some(Inclusion::Sent);
    }
    inclusions
}

/// Only the first call of a message may have a thought; on a later one, an assertion of the SDK
/// fails.
fn thoughts(t: &Transcript, order: &[fold::RequestItem], pairs: &Pairs) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let call_of = |shown: &fold::RequestItem| {
        t.part_of(shown.event, PartKind::Call).filter(|_| !shown.summary)
    };
    let mut first: Option<(EventId, *const Batch)> = None;
    for shown in order {
        let batch = call_of(shown).and_then(|call| pairs.batch_of(call)).map(std::ptr::from_ref);
        first = match (first, batch) {
            (Some((into, same)), Some(batch)) if same == batch => {
                if t.has(shown.event, own::THOUGHT) {
                    let from = shown.event;
                    let mut diagnostic = Diagnostic::about(
                        Code::MalformedRecord,
                        "thinking stored on a later tool call of a turn instead of the first",
                        Subject::Content,
                        from,
                    );
                    diagnostic.instance = Some(Instance::Rejected);
                    diagnostic.effect = Effect::Refused;
                    diagnostic.fix_safely([Action::MoveText { from, into }]);
                    diagnostics.push(diagnostic);
                }
                first
            }
            (_, batch) => batch.map(|batch| (shown.event, batch)),
        };
    }
    diagnostics
}
