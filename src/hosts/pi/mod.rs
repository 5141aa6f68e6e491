//! pi, OpenClaw, and oh-my-pi: one format of session files, three hosts.
//!
//! Comments say where other versions than the tested ones behave differently.

mod answer;
mod branch;
mod content;
mod edits;
mod errors;
mod header;
mod home;
mod kinds;
mod layout;
mod path;
mod read;
mod repeated;
mod text;
mod window;
mod write;

use crate::dialects::members::{Holding, Members};
use crate::transcript::messages::SystemPrompt;
use std::path::Path;

use super::checked;
use crate::containers::RecordReader;
use crate::dialects::placeholders;
use crate::format::about::{AboutPlaces, member};
use crate::format::home::is_below;
use crate::format::policy::{AppliesWhen, PolicyRow};
use crate::format::{Format, FormatContext, Host, HostTraits, Rank, Verification};
use crate::live::{Lease, LeaseKind, Signals};
use crate::requests::arguments::{self, RecordedArguments};
use crate::requests::empty_content::{self, ContentFiller, EmptyMessages};
use crate::requests::error_results::{self, Results};
use crate::requests::lone_surrogates::{self, SurrogateHalves};
use crate::requests::{Wire, starts_with_user, tool_names};
use crate::shapes::{glued, tree};
use crate::targets::Target;
use crate::transcript::pairs::{PairPolicy, Paired, Pairs};
use crate::transcript::request::{Request, Sent};
use crate::transcript::unreadable::OnUnreadable;
use crate::transcript::{
    Action, Code, Diagnostic, EventId, IdRange, PartId, Role, Severity, State, Subject, Transcript,
    Within,
};
use path::PiPath;
use window::SentWindow;

crate::transcript::fact::own_facts! {
    /// Only OpenClaw writes this record.
    OPENCLAW,
    /// Only oh-my-pi writes this record.
    OH_MY_PI,
    /// A response: the API that it came from.
    API,
    /// In the chain, but not on the path.
    SIDE,
    /// A header: its version.
    VERSION,
    /// The working folder.
    CWD,
    /// A compaction of version 1: the index of the first record that it keeps.
    KEPT_INDEX,
    /// A pointer to the leaf: its target; `Yes` is null.
    LEAF_TARGET,
    /// A pointer to the leaf: the parent of the next entry; `Yes` is null.
    LEAF_APPEND,
    /// An edit of the context: the edited record.
    EDITS,
    /// An edit that removes its record.
    HIDES,
    /// An edit with new content: the ID of a call in it.
    KEEPS,
    /// A message whose content must be checked.
    ODD,
    /// A message with empty content.
    BLANK,
    /// The host cannot use the record: the reason.
    MALFORMED,
}

const PI_ITSELF: Host = Host::new("pi", "pi");
/// A separate program that stores sessions like pi.
pub(crate) const OPENCLAW: Host = Host::new("openclaw", "OpenClaw");
/// A fork of pi.
const OH_MY_PI: Host = Host::new("oh-my-pi", "oh-my-pi");

pub(crate) const PI: Format = Format {
    name: "pi",
    host: &PI_ITSELF,
    title: "pi or OpenClaw session",
    page: include_str!("page.md"),
    checked: Verification::Suite(checked::PI, "pi 0.58.3, 0.73.1, and 0.87.1"),
    rank: Rank::Host,
    recognize: layout::recognize,
    explains: layout::explains,
    records: RecordReader {
        accepts_lone_surrogates: true,
        removes_fragments: true,
        is_outermost: |node| Some(layout::is_outermost(node)),
        ..RecordReader::new(layout::owns, read::read)
    },
    pieces: content::pieces,
    project,
    wire: WIRE,
    supports: write::SCHEMA.supports,
    planner: write::planner,
    text: text::text,
    model,
    traits: HostTraits {
        texts: kinds::TEXTS,
        members: Members::own(&[
            (Holding::Details, "replacement"),
            (Holding::Envelope, "appendMode"),
        ]),
        sent: &[
            &["message", "role"],
            &["message", "content"],
            &["message", "stopReason"],
            &["message", "toolCallId"],
            &["message", "toolUseId"],
            &["message", "tool_call_id"],
            &["message", "tool_use_id"],
            &["message", "callId"],
            &["message", "call_id"],
            &["message", "toolName"],
            &["message", "isError"],
            &["message", "command"],
            &["message", "output"],
            &["message", "exitCode"],
            &["message", "summary"],
            &["content"],
            &["summary"],
            &["replacement"],
        ],
        pairs: PairPolicy::FRAMES,
        unreadable: OnUnreadable::SKIPS,
        sets_aside: layout::is_set_aside,
        never_written: layout::is_an_original,
        host,
        watches_mtime: |path, t| {
            is_openclaw(path, t)
                .then_some("OpenClaw's index notices a repair by the file's modification time")
        },
        branch: Some(branch::append),
        errors: errors::ERRORS,
        about: AboutPlaces {
            titles: &[member("session_info", &["name"])],
            folders: &[member("session", &["cwd"])],
            versions: &[],
            models: &[member("", &["message", "model"])],
        },
        homes: home::HOMES,
        resume: home::resume,
        pending_note: "the host sends a placeholder in place of its result",
        session,
        signs,
        policy: POLICY,
        ..HostTraits::NONE
    },
    after_write: "Restart pi or the gateway: a process that has loaded the file keeps the old \
        history, and its next entry may point to a removed record.",
};

/// How bad damage is for the host.
const POLICY: &[PolicyRow] = &[
    // Run: 1.6 skips such a line, and starts a new one after it.
    PolicyRow::reads_past(Code::NulPadding).of(Within::Nothing),
    // pi 0.87 rejects such a file.
    PolicyRow::is(Code::ByteOrderMark, Severity::Error),
    // If turns are merged, the host leaves out empty text.
    PolicyRow::is(Code::EmptyContent, Severity::Note).when(AppliesWhen::MergedTurns),
    // From 0.58.3 on, pi answers open calls in each request ("No result provided"). Other results it sends as recorded.
    PolicyRow::loses(Code::UnansweredCall),
    PolicyRow::loses(Code::StrandedRecord),
    // It writes {} for two APIs (its anthropic-messages.js and google-shared.js).
    PolicyRow::mends(Code::MissingInput).when(AppliesWhen::HostTo(&PI_ITSELF, "anthropic")),
    PolicyRow::mends(Code::MissingInput).when(AppliesWhen::HostTo(&PI_ITSELF, "gemini")),
    // OpenClaw also pairs calls with results in each request: it leaves out calls without arguments, results without a call,
    // all but one of several results, and what is recorded for a failed response; a result in the wrong place moves, or makes room for a placeholder,
    // depending on the version (its modules of 2026.9.6, run).
    PolicyRow::loses(Code::MissingInput).when(IN_OPENCLAW),
    PolicyRow::loses(Code::OrphanResult).when(IN_OPENCLAW),
    PolicyRow::loses(Code::TwoResults).when(IN_OPENCLAW),
    PolicyRow::loses(Code::ConflictingResults).when(IN_OPENCLAW),
    PolicyRow::loses(Code::ResultNotNext).when(IN_OPENCLAW),
    PolicyRow::loses(Code::SplitBatch).when(IN_OPENCLAW),
    PolicyRow::loses(Code::FailedTurnWithCalls).when(IN_OPENCLAW),
    PolicyRow::loses(Code::ResultBeforeCall).when(IN_OPENCLAW),
    // oh-my-pi also leaves out the results of a failed response (its session-context.ts).
    PolicyRow::loses(Code::FailedTurnWithCalls).when(AppliesWhen::Host(&OH_MY_PI)),
];

const IN_OPENCLAW: AppliesWhen = AppliesWhen::Host(&OPENCLAW);

fn session(context: &FormatContext<'_>) -> Option<String> {
    let t = context.transcript;
    let header = t.events.iter().find(|event| event.role == Role::HostState);
    let recorded = header.and_then(|header| header.id).map(|id| t.ids.get(id).to_owned());
    recorded.or_else(|| layout::named(context.name).map(|named| named.id))
}

/// The API of the last response that did not fail.
fn model(t: &Transcript) -> Option<String> {
    let responses = t.events.ids().rev().filter(|event| !t.event(*event).failed);
    responses.filter_map(|event| t.fact_text(event, own::API)).next().map(str::to_owned)
}

/// JSON before and after a text in a list.
const LIST: (&str, &str) = ("[{\"type\":\"text\",\"text\":", "}]");

/// What the provider gets as recorded.
const WIRE: Wire = Wire {
    needs: &[
        &starts_with_user::NEED,
        &tool_names::NEED,
        &arguments::NEED,
        &error_results::NEED,
        &lone_surrogates::NEED,
        &empty_content::NEED,
    ],
    message: content::message,
    // The host itself writes this text in place of empty content.
    texts: EmptyMessages {
        filler: ContentFiller::FirstBlock(placeholders::NO_CONTENT, LIST),
        ..EmptyMessages::BLOCKS
    },
    // OpenClaw sends this text for it.
    results: Results { placeholder: kinds::EMPTY, list: Some(LIST), ..Results::TEXTS },
    halves: SurrogateHalves::Arguments,
    calls: RecordedArguments { after: &[], ..RecordedArguments::OBJECTS },
    ..Wire::NONE
};

/// The host that wrote the file, if it is not pi.
fn host(path: &Path, t: &Transcript) -> Option<&'static Host> {
    if is_openclaw(path, t) {
        return Some(&OPENCLAW);
    }
    is_oh_my_pi(path, t).then_some(&OH_MY_PI)
}

/// Whether oh-my-pi wrote the file: by its records, or its folder.
fn is_oh_my_pi(path: &Path, t: &Transcript) -> bool {
    t.is_known(own::OH_MY_PI) || is_below(path, &[home::OH_MY_PI])
}

/// Whether OpenClaw wrote the file: by its records, its name, or its folder.
fn is_openclaw(path: &Path, t: &Transcript) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    path::is_openclaws(t, &name) || layout::is_openclaws_folder(path)
}

/// The write lock of OpenClaw, and the folders of all hosts.
fn signs(path: &Path, _: &Transcript) -> Signals {
    let mut lock = path.as_os_str().to_owned();
    lock.push(".lock");
    let leases = vec![Lease { path: lock.into(), kind: LeaseKind::Process }];
    Signals {
        leases,
        at_home: is_below(path, &[".pi", ".openclaw", ".clawdbot", home::OH_MY_PI]),
        ..Signals::default()
    }
}

fn project(context: &FormatContext<'_>) -> Request {
    let t = context.transcript;
    let mut path = PiPath::find(context);
    let mut window = SentWindow::find(t, &path);
    // pi 1.6 holds a system message back until the results before it are complete; older versions have none.
    let talk: Vec<EventId> = window
        .sequence
        .iter()
        .copied()
        .filter(|event| t.event(*event).role != Role::System)
        .collect();
    let paired = Paired { is_sent: &|part| window.edits.sends(part), ..Paired::events(&talk) };
    let pairs = Pairs::find(t, PI.traits.pairs, &paired);
    let mut diagnostics = std::mem::take(&mut path.tree.diagnostics);
    diagnostics.extend(header::check(context, &path));
    let (host, torn) = (PI.traits.unreadable, header::truncated(t, &path));
    diagnostics.extend(tree::unreadable::check(t, &path.tree, &pairs, host, torn));
    diagnostics.extend(repeated::check(context, &path));
    diagnostics.extend(path.tree.lost_parent(t, &pairs));
    diagnostics.extend(malformed(t, &path));
    diagnostics.extend(window.diagnostic.take());
    diagnostics.extend(window::split_turn(t, &path, &window));
    diagnostics.extend(tree::stranded::check(t, &path.tree, &pairs));
    let recorded = |event: &EventId| window.edits.of(*event).is_none();
    let as_recorded: Vec<EventId> = window.sequence.iter().copied().filter(recorded).collect();
    diagnostics.extend(content::check_messages(context, path.openclaw, &as_recorded));
    let mut request = Request {
        pairs,
        diagnostics,
        inclusion: path.tree.inclusions(t, &window.sequence),
        ..Request::default()
    };
    request.rewritten_ids = foreign_ids(t, &request.pairs, context.target);
    // The host rewrites what came from another API, and what an edit replaced.
    let calls = request.pairs.batches.iter().flat_map(|batch| batch.calls.iter().copied());
    request.rewritten_calls = calls.filter(|call| !recorded(&t.part(*call).event)).collect();
    request.rewritten_calls.extend(&request.rewritten_ids);
    request.edited = window.sequence.iter().copied().filter(|event| !recorded(event)).collect();
    request.order = order(t, &window, context.target).into();
    // OpenClaw leaves out messages that it mirrored, and joins a record without a parent to the one before it.
    request.start_is_unknown = path.openclaw;
    // pi skips a line with several records, and so does not find the parent of the next one, if that names one.
    let follows = !path.openclaw && !path.tree.flat;
    let is_skipped = |event| follows && t.event(event).state == State::Recovered;
    request.cut = glued::cut(t, (&path.tree.branch, &request.order), is_skipped);
    request.branch = path.tree.branch.into();
    request.parent = path.tree.parent.into();
    let has_prompt = request.order.iter().any(|sent| sent.role == Role::System);
    let prompt = if has_prompt { SystemPrompt::Recorded } else { SystemPrompt::AddedByHost };
    let results_merge = context.target.counting.merges_turns;
    context.count_messages_as_sent(&mut request, prompt, |before, next| {
        results_merge && before.role == Role::Tool && next.role == Role::Tool
    });
    request
}

/// Records of the path that the host cannot use.
fn malformed(t: &Transcript, path: &PiPath) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for event in path.tree.branch.iter().copied() {
        let Some(message) = t.fact_id(event, own::MALFORMED) else {
            continue;
        };
        let mut diagnostic = Diagnostic::about(
            Code::MalformedRecord,
            t.ids.get(message).to_owned(),
            Subject::Content,
            event,
        );
        diagnostic.effect = crate::transcript::Effect::Hides(1);
        diagnostic.fix_with_guess([Action::Remove(event)]);
        diagnostics.push(diagnostic);
    }
    diagnostics
}

fn order(t: &Transcript, window: &SentWindow, target: &Target) -> Vec<Sent> {
    let summary = window.summary.map(Sent::summary);
    let sent = window.sequence.iter().map(|event| {
        let record = t.event(*event);
        // For this API, the host leaves out blank messages; they still end the turn before them.
        let content = window.edits.of(*event).unwrap_or(*event);
        let blank =
            target.counting.merges_turns && record.role != Role::Tool && t.has(content, own::BLANK);
        if record.failed || blank {
            Sent::new(*event, Role::Nobody, IdRange::default())
        } else {
            Sent::new(*event, record.role, record.parts.clone())
        }
    });
    let mut order: Vec<Sent> = summary.into_iter().chain(sent).collect();
    hold_system_messages(&mut order);
    order
}

/// Moves system messages after calls to after their results.
fn hold_system_messages(order: &mut [Sent]) {
    for turn in order.chunk_by_mut(|_, next| matches!(next.role, Role::Tool | Role::System)) {
        if turn.iter().any(|sent| sent.role == Role::System)
            && turn.first().is_some_and(|first| first.role == Role::Assistant)
        {
            turn.sort_by_key(|sent| sent.role == Role::System);
        }
    }
}

/// Calls of responses from another API than the target: the host rewrites their IDs.
fn foreign_ids(t: &Transcript, pairs: &Pairs, target: &Target) -> hashbrown::HashSet<PartId> {
    let calls = pairs.batches.iter().flat_map(|batch| &batch.calls).copied();
    calls.filter(|call| !is_own(t, t.part(*call).event, target)).collect()
}

/// Whether a response came from the API of the target.
fn is_own(t: &Transcript, event: EventId, target: &Target) -> bool {
    t.fact_text(event, own::API).is_some_and(|api| wire(api) == target.name)
}

/// The ID of a call or a result as the host compares it.
fn call_key(t: &Transcript, part: PartId) -> &str {
    t.text(t.part(part).id).trim()
}

/// The target of an API.
fn wire(api: &str) -> &str {
    match api {
        "anthropic-messages" => "anthropic",
        "openai-completions" => "openai-chat",
        "bedrock-converse-stream" => "bedrock",
        "mistral-conversations" => "mistral",
        api if api.starts_with("openai") || api.starts_with("azure-openai") => "openai-responses",
        api if api.starts_with("google") => "gemini",
        other => other,
    }
}
