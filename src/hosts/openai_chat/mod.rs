//! Messages of Chat Completions as programs store them: arrays, bodies, training rows, proxies' logs, converted exports.

mod answer;
mod ids;
mod layout;
mod order;
mod read;
mod template;

use std::borrow::Cow;

use crate::containers::RecordReader;
use crate::dialects::members::{Members, shapes};
use crate::dialects::{Piece, chat as dialect};
use crate::format::policy::PolicyRow;
use crate::format::{Format, FormatContext, Host, HostTraits, Rank, Verification};
use crate::json::node::Node;
use crate::requests::arguments::{self, RecordedArguments};
use crate::requests::error_results::{self, Results};
use crate::requests::reasoning_content::{self, ReturnedThinking};
use crate::requests::{
    Wire, calls_together, chat_members, declared_tools, empty_answers, foreign_parts, image_urls,
    starts_with_user, strict_members, strict_order, tool_names,
};
use crate::rewrite::Schema;
use crate::shapes::chat::{self, diagnostics, spoken, write};
use crate::transcript::pairs::{PairPolicy, PairStatus, Paired, Pairs};
use crate::transcript::request::Request;
use crate::transcript::{
    Code, Diagnostic, Effect, EventId, Flaws, Label, LabelRole, Severity, Subject, Transcript,
};

pub(super) use layout::has_outputs;
pub(super) use read::read_mended;

crate::transcript::fact::own_facts! {
    /// Around the list: the model.
    MODEL,
    /// Around the list: tools, and no model, which a body of a request has.
    TOOLS,
}

pub(crate) const OPENAI_CHAT: Format = Format {
    name: "openai-chat",
    host: &Host::nameless("openai-chat"),
    title: "OpenAI chat messages",
    page: include_str!("page.md"),
    checked: Verification::Read("reports of what the API rejects; mistral-common 1.13.1"),
    rank: Rank::Chat,
    recognize: layout::recognize,
    explains: layout::explains,
    records: RecordReader::new(dialect::owns, read::read).of_messages(),
    pieces,
    project: |context| project(context, &OPENAI_CHAT.traits),
    wire: WIRE,
    supports: WRITING.schema.supports,
    planner: |context, request| write::planner(context, &WRITING, request),
    text: chat::text,
    model,
    traits: HostTraits {
        members: Members::NONE.shaped(&shapes::CHAT),
        noun: "message",
        pairs: PairPolicy::LISTS,
        beside: &[&["tools"]],
        takes_reused_ids: true,
        form: template::find,
        shared_api: Some(|t| chat::state_text(t, own::MODEL)),
        names_by_place: true,
        rows: true,
        row_words: Some(layout::ROW_WORDS),
        row_lists: layout::ROW_LISTS,
        conversations: Some(layout::conversations),
        in_place: |layout| !layout::is_evidence(layout),
        policy: POLICY,
        ..HostTraits::NONE
    },
    after_write: "Reload the conversation: a process that has it open keeps the old messages.",
};

/// What damage is to the host.
const POLICY: &[PolicyRow] = &[
    // What is refused is fatal, also where other hosts only fail to load.
    PolicyRow::is(Code::RepeatedRecord, Severity::Fatal),
    PolicyRow::is(Code::MalformedRecord, Severity::Fatal),
];

/// A list of calls that would be empty goes.
pub(super) const WRITING: write::ListWriting = write::ListWriting {
    schema: Schema { supports: chat::SUPPORTS, drops_empty: &["tool_calls"], ..Schema::PLAIN },
    answer: answer::bytes,
    beside: |_, _| false,
    follow_up: |_, _| {},
};

/// The transcript's own wire; only Mistral's models are served by another provider that takes the same shape.
fn model(t: &Transcript) -> Option<String> {
    const MISTRAL: &[&str] =
        &["mistral", "mixtral", "ministral", "codestral", "devstral", "magistral", "pixtral"];
    let model = chat::state_text(t, own::MODEL).unwrap_or_default().to_ascii_lowercase();
    let is_mistral = MISTRAL.iter().any(|name| model.contains(name));
    Some(if is_mistral { "mistral" } else { "openai-chat" }.to_owned())
}

/// What reaches the provider as it is recorded.
const WIRE: Wire = Wire {
    needs: &[
        &starts_with_user::NEED,
        &calls_together::NEED,
        &tool_names::NEED,
        &declared_tools::NEED,
        &arguments::NEED,
        &error_results::NEED,
        &reasoning_content::NEED,
        &chat_members::NEED,
        &empty_answers::NEED,
        &foreign_parts::NEED,
        &image_urls::NEED,
        &strict_members::NEED,
        &strict_order::NEED,
    ],
    foreign: Some(dialect::foreign::known),
    declares_tools: |t| t.host_state().is_some_and(|around| t.has(around, own::TOOLS)),
    calls: RecordedArguments::TEXTS,
    results: Results { after: &["tool_call_id"], ..Results::TEXTS },
    thinking: ReturnedThinking::AsRecorded,
    ..Wire::NONE
};

/// The parts of a record, as the reader made them.
fn pieces(record: Node<'_>) -> Vec<Piece<'_>> {
    dialect::pieces(&dialect::ChatMessage::of(record))
}

/// Who made a message of the list that is no message of the conversation: the mark that a run is over.
pub(super) const OVER: &str = "exit";

/// What this host, which keeps such messages, would send.
pub(super) fn project(context: &FormatContext<'_>, host: &HostTraits) -> Request {
    let t = context.transcript;
    let mut all = chat::messages(t);
    let over = all.pop_if(|last| t.kind(*last) == OVER);
    let (copies, mut diagnostics) = ids::copies(context, &all);
    all.retain(|event| copies.binary_search(event).is_err());
    let has_old_calls = all.iter().any(|event| t.flaws(*event).has(Flaws::OLD_CALL));
    let spoken = if has_old_calls { None } else { spoken::find(context, &all, chat::text) };
    let paired: Cow<'_, [EventId]> = match &spoken {
        Some(spoken) => {
            let paired = all.iter().filter(|event| spoken.answers.binary_search(event).is_err());
            paired.copied().collect()
        }
        None => Cow::Borrowed(&all),
    };
    let lanes = lanes(t, &all);
    let lane = |event: EventId| {
        let role = t.event(event).kind;
        role.filter(|role| dialect::is_lane(t.ids.get(*role)))
    };
    let paired = Paired { lane: (!lanes.is_empty()).then_some(&lane), ..Paired::events(&paired) };
    let pairs = Pairs::find(t, host.pairs, &paired);
    // Each lane pairs for itself; the request is that of the main agent.
    let in_sequence =
        if lanes.is_empty() { Cow::Borrowed(&all) } else { Cow::Owned(main_lane(t, &pairs, &all)) };
    let order = chat::items_as(t, &in_sequence, &|event| t.event(event).role, &|_| false);
    diagnostics.extend(diagnostics::unreadable(t, &pairs, host.unreadable));
    diagnostics.extend(ids::judge(t, &pairs));
    diagnostics.extend(order::old_calls(t, &all));
    diagnostics.extend(spoken.map(|list| list.note));
    diagnostics.extend(note(&lanes, "roles that no provider knows: this is a converted export"));
    diagnostics.extend(diagnostics::no_messages(t));
    diagnostics.extend(note(over.as_slice(), "the run is over, so this is never sent"));
    let model = t.host_state().and_then(|state| t.fact_id(state, own::MODEL));
    let mut request = Request {
        model,
        inclusion: chat::inclusions(t, &all, &[]),
        branch: all.into(),
        order: order.into(),
        pairs,
        diagnostics,
        ..Request::default()
    };
    order::count(&mut request, context, host);
    request
}

/// The messages of sub-agents, by their role.
fn lanes(t: &Transcript, all: &[EventId]) -> Vec<EventId> {
    // A conversation has few roles and many messages.
    let mut known = t.ids.table(None);
    let mut lanes = Vec::new();
    for event in all {
        let Some(role) = t.event(*event).kind else { continue };
        if *known[role].get_or_insert_with(|| dialect::is_lane(t.ids.get(role))) {
            lanes.push(*event);
        }
    }
    lanes
}

/// The messages without those of sub-agents and the results of their calls: each lane pairs for itself, whatever is
/// between.
fn main_lane(t: &Transcript, pairs: &Pairs, all: &[EventId]) -> Vec<EventId> {
    all.iter().copied().filter(|event| !is_of_lane(t, pairs, *event)).collect()
}

fn is_of_lane(t: &Transcript, pairs: &Pairs, event: EventId) -> bool {
    let mut parts = t.event(event).parts.clone();
    dialect::is_lane(t.kind(event))
        || parts.any(|part| match pairs.status(part) {
            PairStatus::Answers(call) | PairStatus::Surplus(call) => {
                dialect::is_lane(t.kind(t.part(call).event))
            }
            _ => false,
        })
}

/// Records that are named in a note.
const MOST_NAMED: usize = 64;

/// A fact worth knowing about these records.
fn note(records: &[EventId], said: &'static str) -> Option<Diagnostic> {
    let mut diagnostic = Diagnostic::new(Code::UnknownRecord, said, *records.first()?);
    let named = records.iter().take(MOST_NAMED);
    diagnostic.labels = Label::all(named, LabelRole::Record);
    diagnostic.about = records.first().map(|event| Subject::Name(*event)).into_iter().collect();
    diagnostic.effect = Effect::None;
    Some(diagnostic)
}
