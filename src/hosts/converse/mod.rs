//! Raw messages of the Bedrock Converse API: lists, request bodies, invocation logs, session folders of the Strands SDK.

mod errors;
mod layout;
mod read;
mod write;

use crate::containers::{Layout, RecordReader};
use crate::dialects::members::{Holding, Members, shapes};
use crate::dialects::placeholders;
use crate::dialects::{MemberRef, Piece};
use crate::format::policy::PolicyRow;
use crate::format::vocabulary::WordSet;
use crate::format::{Format, FormatContext, Host, HostTraits, Rank, Verification};
use crate::json::node::Node;
use crate::json::quote::quote;
use crate::requests::documents::{self, RecordedDocument, RecordedDocuments};
use crate::requests::empty_content::{self, ContentFiller, EmptyMessages};
use crate::requests::error_results::{self, Results};
use crate::requests::{
    Wire, arguments, ends_with_user, places, refused, roles_alternate, starts_with_user, tool_names,
};
use crate::shapes::chat::{self, diagnostics, spoken};
use crate::targets::refuses_prefill;
use crate::transcript::cuts::{Cuts, Obstacle};
use crate::transcript::pairs::{Paired, Pairs};
use crate::transcript::request::{NextIsModel, Request, Sent};
use crate::transcript::{
    Action, Code, Diagnostic, Effect, EventId, FactValue, Label, LabelRole, PartKind, Role,
    Severity, State, Subject, Transcript, messages,
};

crate::transcript::fact::own_facts! {
    /// Around the list: this is a request that was sent, not a state before the next turn.
    REQUEST,
    /// Around the list: the model.
    MODEL,
    /// Around the list: the host's ID of the session.
    SESSION,
    /// Host state of Strands: how many of the first message files are not sent.
    REMOVED,
    /// Host state of Strands: a summary comes before the remaining messages.
    SUMMARY,
    /// A message file: the number in its content.
    NUMBER,
}

pub(crate) const CONVERSE: Format = Format {
    name: "bedrock-converse",
    host: &Host::nameless("bedrock"),
    title: "Bedrock Converse messages",
    page: include_str!("page.md"),
    checked: Verification::Run("botocore 1.44.5 (its service model), strands-agents 1.62.0"),
    rank: Rank::Api,
    recognize: layout::recognize,
    explains: read::owns,
    records: RecordReader::new(read::owns, read::read).of_messages(),
    pieces,
    project,
    wire: WIRE,
    supports: write::WRITING.schema.supports,
    planner: write::planner,
    text: chat::text,
    model,
    traits: HostTraits {
        noun: "message",
        words: Some(WordSet::NONE.and_keys(crate::dialects::converse::KEYS)),
        beside: &[&["system"], &["toolConfig"]],
        blocks: &[&["content"], &["message", "content"]],
        errors: errors::ERRORS,
        takes_reused_ids: true,
        rows: true,
        members: Members::own(&[
            (Holding::Details, "redact_message"),
            (Holding::Envelope, "removed_message_count __name__"),
        ])
        .shaped(&shapes::CONVERSE),
        session,
        policy: POLICY,
        ..HostTraits::NONE
    },
    after_write: "Reload the conversation: a process that has it open keeps the old messages.",
};

/// How damage affects the host.
const POLICY: &[PolicyRow] = &[
    // What the provider rejects is fatal, even if other hosts only fail to load it.
    PolicyRow::is(Code::RepeatedRecord, Severity::Fatal),
    PolicyRow::is(Code::MalformedRecord, Severity::Fatal),
    PolicyRow::is(Code::RecordOrder, Severity::Warning),
];

fn session(context: &FormatContext<'_>) -> Option<String> {
    chat::state_text(context.transcript, own::SESSION).map(str::to_owned)
}

/// The target, because the provider is Bedrock whatever the model.
fn model(_: &Transcript) -> Option<String> {
    Some("bedrock".to_owned())
}

/// The JSON around a text in a list.
const LIST: (&str, &str) = ("[{\"text\": ", "}]");

/// What is sent as recorded.
const WIRE: Wire = Wire {
    needs: &[
        &starts_with_user::NEED,
        &ends_with_user::NEED,
        &roles_alternate::NEED,
        &tool_names::NEED,
        &arguments::NEED,
        &error_results::NEED,
        &empty_content::NEED,
        &documents::NEED,
    ],
    documents: RecordedDocuments {
        find: sent_documents,
        without_extension: false,
        as_text: Some(|text| format!("{{\"text\": {}}}", quote(text))),
    },
    texts: EmptyMessages {
        filler: ContentFiller::FirstBlock(placeholders::NO_CONTENT, LIST),
        ..EmptyMessages::BLOCKS
    },
    results: Results { after: &["toolUseId"], list: Some(LIST), ..Results::TEXTS },
    message: read::message,
    ..Wire::NONE
};

/// The pieces of a record, as its reader reads them.
fn pieces(record: Node<'_>) -> Vec<Piece<'_>> {
    crate::dialects::converse::pieces(read::message(record))
}

/// The documents of a record. Each must have a name.
fn sent_documents(record: Node<'_>) -> Vec<RecordedDocument<'_>> {
    let documents = crate::dialects::converse::documents(read::message(record));
    documents
        .map(|(block, document)| {
            let name = Some(MemberRef::of(document, "name"));
            RecordedDocument { block, name }
        })
        .collect()
}

/// The effective role of a message: one with only results is the user's.
fn role(t: &Transcript, event: EventId) -> Role {
    let parts = t.event(event).parts.clone();
    let only_results =
        !parts.is_empty() && parts.into_iter().all(|part| t.part(part).kind == PartKind::Result);
    if only_results { Role::User } else { t.event(event).role }
}

fn project(context: &FormatContext<'_>) -> Request {
    let t = context.transcript;
    let mut all = chat::messages(t);
    let (copies, mut diagnostics) = diagnostics::copies(context, &all);
    all.retain(|event| copies.binary_search(event).is_err());
    let paired = Paired { is_sent: &|part| read::counts_as_pair(t, part), ..Paired::events(&all) };
    let mut pairs = Pairs::find(t, CONVERSE.traits.pairs, &paired);
    let is_request = chat::state_fact(t, own::REQUEST).is_some();
    // The body of a request is sent as it is, so nothing waits.
    if is_request {
        pairs.batches.iter_mut().for_each(|batch| batch.pending = false);
    }
    let removed = removed(t).unwrap_or(0);
    let cut = before_window(t, &all, removed);
    let (forgotten, sent) = all.split_at(cut);
    let mut order = chat::items_as(t, sent, &|event| role(t, event), &|part| {
        t.part(part).kind == PartKind::Result
    });
    if let Some(state) = t.host_state().filter(|_| has_summary(t)) {
        order.insert(0, Sent::summary(state));
    }
    diagnostics.extend(diagnostics::unreadable(t, &pairs, CONVERSE.traits.unreadable));
    diagnostics.extend(diagnostics::replayed(t, &pairs, context.target.reuse_accepted));
    diagnostics.extend(window(t, &pairs, &all, cut));
    diagnostics.extend(numbers(context));
    diagnostics.extend(lost_state(context, &pairs));
    diagnostics.extend(spoken::find(context, &all, chat::text).map(|list| list.note));
    let next_is_model = is_request.then(|| NextIsModel {
        refuses_prefill: chat::state_text(t, own::MODEL).is_some_and(refuses_prefill),
    });
    let mut request = Request {
        next_is_model,
        inclusion: chat::inclusions(t, sent, forgotten),
        branch: all.into(),
        order: order.into(),
        pairs,
        diagnostics,
        ..Request::default()
    };
    context.count_messages(&mut request, messages::are_one_record);
    request
}

fn removed(t: &Transcript) -> Option<i64> {
    chat::state_number(t, own::REMOVED)
}

fn has_summary(t: &Transcript) -> bool {
    chat::state_fact(t, own::SUMMARY).is_some()
}

/// How many messages are before the window. It counts files, not their numbers.
fn before_window(t: &Transcript, all: &[EventId], removed: i64) -> usize {
    let Some(last) = removed.checked_sub(1).and_then(|last| usize::try_from(last).ok()) else {
        return 0;
    };
    let last = t.records().nth(last);
    all.iter().filter(|event| last.is_none_or(|last| **event <= last)).count()
}

/// Reports a window that starts between a call and its result, or after the last message.
fn window(t: &Transcript, pairs: &Pairs, all: &[EventId], cut: usize) -> Option<Diagnostic> {
    let (state, removed) = (t.host_state()?, removed(t)?);
    let files = i64::try_from(t.records().count()).unwrap_or(i64::MAX);
    let label = vec![Label::new(state, LabelRole::State)];
    if removed < 0 || removed > files {
        let mut diagnostic =
            refused(Code::CompactionAnchor, "the window begins after the last message", state);
        diagnostic.labels = label;
        return Some(diagnostic);
    }
    // Nothing was left out, or everything.
    if cut == 0 || cut >= all.len() {
        return None;
    }
    let speaks = |event| role(t, event);
    let cuts = Cuts::new(t, pairs, all, &speaks, &|_| false, has_summary(t));
    let obstacle = cuts.obstacle(cut)?;
    let mut diagnostic = refused(
        Code::CompactionSplitPair,
        "the window begins between a call and its result",
        state,
    );
    if obstacle == Obstacle::Start {
        diagnostic.message = "the window does not begin with the user".into();
    }
    diagnostic.labels =
        [all[cut - 1], all[cut]].map(|event| Label::new(event, LabelRole::Record)).to_vec();
    diagnostic.labels.extend(label);
    diagnostic.covers = places(t, pairs, all);
    diagnostic.covers.push(Subject::Name(all[cut]));
    let first = cuts.safe_before(cut);
    // The host counts files, not messages.
    let offset =
        all.get(first).map(|event| t.records().take_while(|other| other < event).count() as u64);
    diagnostic.fix_safely([Action::move_summary(state, offset)]);
    Some(diagnostic)
}

/// Reports an unreadable `agent.json`, without which Strands does not open the session. The start of its window is then
/// unknown, and so is what was sent.
fn lost_state(context: &FormatContext<'_>, pairs: &Pairs) -> Option<Diagnostic> {
    let t = context.transcript;
    let state = t
        .host_state()
        .filter(|state| t.event(*state).state == State::Unreadable)
        .filter(|_| matches!(context.layout, Layout::Files(_)))?;
    let mut diagnostic = Diagnostic::new(Code::HostState, "`agent.json` cannot be read", state);
    diagnostic.labels = vec![Label::new(state, LabelRole::State)];
    diagnostic.about = vec![Subject::State];
    diagnostic.covers = pairs.unpaired().collect();
    diagnostic.effect = Effect::LoadFails;
    Some(diagnostic)
}

/// Reports message files whose number differs from that in their name.
fn numbers(context: &FormatContext<'_>) -> Vec<Diagnostic> {
    let t = context.transcript;
    if !matches!(context.layout, Layout::Files(_)) {
        return Vec::new();
    }
    let wrong = t.records().filter(|event| match t.value_of(*event, own::NUMBER) {
        Some(FactValue::Number(number)) => {
            i64::try_from(t.event(*event).place().number()) != Ok(number)
        }
        _ => false,
    });
    wrong
        .map(|event| {
            let mut diagnostic = Diagnostic::about(
                Code::RecordOrder,
                "a message's number differs from the one in its file name",
                Subject::Name,
                event,
            );
            diagnostic.fix_safely([Action::AssignId(event)]);
            diagnostic
        })
        .collect()
}
