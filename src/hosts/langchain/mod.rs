//! LangChain and LangGraph messages: four forms, in arrays, lines, state dumps and LangSmith runs.

mod answer;
mod clients;
mod content;
mod envelope;
mod errors;
mod ids;
mod layout;
mod read;
mod summary;
mod window;
mod write;

use crate::dialects::members::{Holding, Members};
use crate::transcript::messages::SystemPrompt;
use hashbrown::HashSet;

use crate::containers::RecordReader;
use crate::dialects::Piece;
use crate::dialects::langchain::{Form, locations};
use crate::dialects::piece::ArgumentsForm;
use crate::dialects::placeholders;
use crate::format::policy::PolicyRow;
use crate::format::{Format, FormatContext, Host, HostTraits, Rank, Verification};
use crate::json::node::Node;
use crate::json::quote::quote;
use crate::requests::arguments::{self, RecordedArguments};
use crate::requests::documents::{self, RecordedDocuments};
use crate::requests::empty_content::{self, ContentFiller, EmptyMessages};
use crate::requests::thinking;
use crate::requests::{
    Wire, calls_together, ends_with_user, error_results, reasoning_parts, starts_with_user,
    tool_names,
};
use crate::shapes::chat::{self, diagnostics, spoken};
use crate::targets::refuses_prefill;
use crate::transcript::pairs::{Paired, Pairs};
use crate::transcript::request::{NextIsModel, Request, Sent};
use crate::transcript::{
    Code, Diagnostic, Effect, EventId, FactValue, Flaws, IndexVec, PartId, PartKind, Role,
    Severity, Transcript, facts, messages,
};
use clients::{LangchainClient, client};

crate::transcript::fact::own_facts! {
    /// The places of a call or a result: one fact per part, in order.
    LOCATIONS,
    /// Two parts of the message that are one call under two ids: their positions.
    TWINS,
    /// The provider's client that made the message.
    PROVIDER,
    /// A message type that no client converts.
    FOREIGN,
    /// Signed thinking, which must keep its place.
    SIGNED,

    /// Document: it is a request as sent.
    REQUEST,
    /// Document: only nodes that call the model are next, so no tool runs before that.
    NO_TOOL_IS_NEXT,
    /// Document: the model rejected a conversation that ends with the assistant.
    PREFILL_REFUSED,
    /// Document: the model.
    MODEL,
    /// Document: the thread.
    THREAD,
    /// Document: how many messages a summary replaced.
    CUTOFF,
}

pub(crate) const LANGCHAIN: Format = Format {
    name: "langchain",
    host: &Host::new("langchain", "the LangChain application"),
    title: "LangChain messages",
    page: include_str!("page.md"),
    checked: Verification::Run(
        "langchain-core 1.7.2, langgraph 1.2.22, langchain-aws 1.9.1, langchain-anthropic 1.7.7, langchain-openai 1.7.3, deepagents 0.7.32",
    ),
    rank: Rank::Library,
    recognize: layout::recognize,
    explains: read::owns,
    records: RecordReader::new(read::owns, read::read).of_messages(),
    pieces,
    project,
    wire: WIRE,
    supports: write::WRITING.schema.supports,
    planner: |context, request| chat::write::planner(context, &write::WRITING, request),
    text: chat::text,
    model,
    traits: HostTraits {
        noun: "message",
        texts: summary::TEXTS,
        takes_reused_ids: true,
        rows: true,
        row_words: Some(layout::ROW_WORDS),
        rows_in: &["post", "patch"],
        thinking_is_bound: |t, event| t.has(event, own::SIGNED),
        errors: errors::ERRORS,
        members: Members::own(&[
            (
                Holding::Details,
                "_summarization_event summary_message extra post patch inputs outputs",
            ),
            (Holding::Envelope, "run_type step"),
        ]),
        pending_note: "LangGraph runs it when the thread is resumed, whether or not it ran before",
        session,
        policy: POLICY,
        ..HostTraits::NONE
    },
    after_write: "A dump is a copy: repair a live LangGraph thread in its store, or with \
        `update_state`.",
};

/// How the host reacts to damage.
const POLICY: &[PolicyRow] = &[PolicyRow::is(Code::RepeatedRecord, Severity::Fatal)];

fn session(context: &FormatContext<'_>) -> Option<String> {
    chat::state_text(context.transcript, own::THREAD).map(str::to_owned)
}

/// The target: by the run's provider, else by that of the last message that names one, else by the
/// last call ID.
fn model(t: &Transcript) -> Option<String> {
    let of_run = chat::state_text(t, own::PROVIDER).and_then(target_of);
    of_run
        .or_else(|| {
            let mut newest = t.records().rev();
            newest.find_map(|event| target_of(t.fact_text(event, own::PROVIDER)?))
        })
        .or_else(|| {
            let mut calls = t.parts.iter().rev().filter(|part| part.kind == PartKind::Call);
            calls.find_map(|call| target_of_id(t.text(call.id)))
        })
        .map(str::to_owned)
}

fn target_of(provider: &str) -> Option<&'static str> {
    match provider {
        "bedrock_converse" | "amazon_bedrock" | "ChatBedrockConverse" => Some("bedrock"),
        "anthropic" | "bedrock" | "ChatAnthropic" => Some("anthropic"),
        "openai" | "ChatOpenAI" | "azure" => Some("openai-chat"),
        _ => None,
    }
}

fn target_of_id(id: &str) -> Option<&'static str> {
    let shapes = [("tooluse_", "bedrock"), ("toolu_", "anthropic"), ("call_", "openai-chat")];
    shapes.iter().find(|(start, _)| id.starts_with(start)).map(|(_, target)| *target)
}

/// What reaches the provider as recorded.
const WIRE: Wire = Wire {
    needs: &[
        &starts_with_user::NEED,
        &ends_with_user::NEED,
        &calls_together::NEED,
        &tool_names::NEED,
        &reasoning_parts::NEED,
        &arguments::NEED,
        &error_results::NEED,
        &empty_content::NEED,
        &thinking::NEED,
        &documents::NEED,
    ],
    documents: RecordedDocuments {
        find: content::documents,
        without_extension: false,
        as_text: Some(|text| format!("{{\"type\": \"text\", \"text\": {}}}", quote(text))),
    },
    message: |record| Form::of(record).map_or(record, |form| form.body),
    texts: EmptyMessages {
        filler: ContentFiller::Content(placeholders::NO_CONTENT),
        ..EmptyMessages::BLOCKS
    },
    calls: RecordedArguments { written: ArgumentsForm::Either, ..RecordedArguments::OBJECTS },
    ..Wire::NONE
};

/// What clients correct that rewrite blocks. Names of documents and IDs of items of the Responses API stay.
const OF_BLOCKS: Flaws = Flaws::ALL.without(Flaws::DOCUMENT).without(Flaws::ITEM_ID);

/// The parts of a record, in the reader's order.
fn pieces(record: Node<'_>) -> Vec<Piece<'_>> {
    Form::of(record).map(|form| crate::dialects::langchain::pieces(&form)).unwrap_or_default()
}

/// The places of each part, as bits.
struct PartLocations(IndexVec<PartId, u32>);

impl PartLocations {
    fn of(t: &Transcript) -> PartLocations {
        let mut locations = IndexVec::for_each_of(&t.parts, 0);
        for event in t.records() {
            let record = t.event(event);
            let locations_of = t.values_of(event, own::LOCATIONS);
            for (part, bits) in record.parts.clone().zip(locations_of) {
                if let FactValue::Number(bits) = bits {
                    locations[part] = u32::try_from(bits).unwrap_or(0);
                }
            }
        }
        PartLocations(locations)
    }

    fn get(&self, part: PartId) -> u32 {
        self.0.get(part).copied().unwrap_or(0)
    }
}

fn project(context: &FormatContext<'_>) -> Request {
    let t = context.transcript;
    let locations = PartLocations::of(t);
    let client = client(context.target.interface);
    let mut all = chat::messages(t);
    let same_ids = ids::twins(context, &all);
    let mut diagnostics: Vec<Diagnostic> = ids::copies(&same_ids).collect();
    let copies = same_ids.iter().filter(|twin| twin.is_copy);
    let copies: Vec<EventId> = copies.map(|twin| twin.event).collect();
    all.retain(|event| copies.binary_search(event).is_err());
    // A part that is rejected only for its spelling is paired as if it were spelled right.
    let is_converted = |part: PartId| {
        locations.get(part) & (client.sent | client.refused) != 0
            && (locations.get(part) & locations::SERVER_CALL == 0)
    };
    let sequence = chat::without_system(t, &all);
    let twins = ids::Twins::of(t, &sequence, &is_converted);
    let is_sent = |part: PartId| is_converted(part) && !twins.is_hidden(part);
    let pairs = pairs(t, client, &sequence, &is_sent);
    let window = window::MessageWindow::of(t, all.len());
    let (forgotten, sent) = all.split_at(window.cut);
    let order = order(t, client, (sent, window.summary), &is_sent);
    // `messages_from_dict` stops at the first value that is not a message.
    let unreadable = diagnostics::unreadable(t, &pairs, LANGCHAIN.traits.unreadable).into_iter();
    diagnostics.extend(
        unreadable.map(|diagnostic| Diagnostic { effect: Effect::LoadFails, ..diagnostic }),
    );
    diagnostics.extend(twins.diagnostics);
    diagnostics.extend(ids::shared(&same_ids));
    diagnostics.extend(diagnostics::replayed(t, &pairs, context.target.reuse_accepted));
    diagnostics.extend(content::check(context, &locations, client, sent));
    diagnostics.extend(window::check(t, &pairs, &all, &window));
    diagnostics.extend(spoken::find(context, &all, chat::text).map(|list| list.note));
    // The other clients rewrite blocks.
    let corrected = if client.passes_blocks_on { Flaws::NONE } else { OF_BLOCKS };
    let mut request = Request {
        next_is_model: next_is_model(t),
        corrected,
        joins_answers: client.merges_answers,
        // Only tested with the client for Bedrock: it passes on whatever comes first.
        start_is_unknown: !client.merges_answers,
        inclusion: chat::inclusions(t, sent, forgotten),
        branch: all.into(),
        order: order.into(),
        pairs,
        diagnostics,
        ..Request::default()
    };
    request.rewritten_ids = harmless_ids(context, client, &request.pairs);
    context.count_messages_as_sent(&mut request, SystemPrompt::Recorded, |before, next| {
        let same_side = messages::side(before.role) == messages::side(next.role);
        let merges = match next.role {
            Role::Assistant => client.merges_answers,
            _ => client.merges_users,
        };
        before.event == next.event || (same_side && merges)
    });
    request
}

/// Pairs the parts that are sent. In the body of a request, or if the model is called next, nothing is pending.
fn pairs(
    t: &Transcript,
    client: LangchainClient,
    sequence: &[EventId],
    is_sent: &dyn Fn(PartId) -> bool,
) -> Pairs {
    let is_response = |event: EventId| t.event(event).role == Role::Assistant;
    let paired = Paired {
        is_sent,
        joined: &|before, next| client.merges_answers && is_response(before) && is_response(next),
        ..Paired::events(sequence)
    };
    let mut pairs = Pairs::find(t, LANGCHAIN.traits.pairs, &paired);
    let known = [own::REQUEST, own::NO_TOOL_IS_NEXT];
    if known.iter().any(|fact| chat::state_fact(t, *fact).is_some()) {
        let batches = pairs.batches.iter_mut();
        batches.for_each(|batch| batch.pending = false);
    }
    pairs
}

/// The items of the request: the summary, if there is one, then the messages.
fn order(
    t: &Transcript,
    client: LangchainClient,
    (sent, summary): (&[EventId], Option<EventId>),
    is_sent: &dyn Fn(PartId) -> bool,
) -> Vec<Sent> {
    // System messages are taken out of the sequence, unless the client treats them like others.
    let ordered: Vec<EventId> = sent
        .iter()
        .copied()
        .filter(|event| t.event(*event).role != Role::System || !client.merges_users)
        .collect();
    let mut order = chat::items_as(t, &ordered, &|event| t.event(event).role, &|part| {
        t.part(part).kind == PartKind::Result && is_sent(part)
    });
    let summary = summary.map(Sent::summary);
    order.splice(0..0, summary);
    order
}

/// What is known about the next request, if it goes to the model.
fn next_is_model(t: &Transcript) -> Option<NextIsModel> {
    let known = [own::REQUEST, facts::MODEL_IS_NEXT];
    let is_next = known.iter().any(|fact| chat::state_fact(t, *fact).is_some());
    is_next.then(|| NextIsModel {
        refuses_prefill: chat::state_fact(t, own::PREFILL_REFUSED).is_some()
            || chat::state_text(t, own::MODEL).is_some_and(refuses_prefill),
    })
}

/// Calls whose IDs the provider rejects, but which do no harm.
fn harmless_ids(
    context: &FormatContext<'_>,
    client: LangchainClient,
    pairs: &Pairs,
) -> HashSet<PartId> {
    let t = context.transcript;
    let calls = pairs.batches.iter().flat_map(|batch| batch.calls.iter().copied());
    let refused = calls.filter(|call| !context.target.takes_id(t.text(t.part(*call).id)));
    refused.filter(|call| t.text(t.part(*call).id).len() <= client.harmless_id).collect()
}
