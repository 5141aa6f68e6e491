//! Items of the OpenAI Responses API: saved inputs, stored responses, stores of agents.

mod layout;

use crate::containers::RecordReader;
use crate::dialects::members::{Members, shapes};
use crate::dialects::{Piece, responses};
use crate::format::policy::PolicyRow;
use crate::format::vocabulary::WordSet;
use crate::format::words::words;
use crate::format::{Format, FormatContext, Host, HostTraits, Rank, Verification};
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::requests::{
    Wire, image_urls, item_ids, item_outputs, item_shape, readable_reasoning, reasoning_items,
    tool_names,
};
use crate::rewrite::Schema;
use crate::shapes::chat;
use crate::shapes::items::{self, ItemLayout};
use crate::transcript::pairs::PairPolicy;
use crate::transcript::request::Request;
use crate::transcript::unreadable::OnUnreadable;
use crate::transcript::{
    Code, Diagnostic, EventId, FactValue, PartId, Role, Severity, State, Subject, Transcript,
};

crate::transcript::fact::own_facts! {
    /// Around the list: the server knows older items.
    CONTINUES,
    /// Around the list: the provider's ID of the response.
    SESSION,
}

/// The types of its items, and the list of a request.
const WORDS: WordSet = {
    let mut words = WordSet::of(&["input:[", responses::REASONING, "input_text", "output_text"]);
    words = words.and(responses::SERVER);
    let (calls, mut at) = (responses::CALLS, 0);
    while at < calls.len() {
        words = words.and(&[calls[at].call]).and(calls[at].outputs);
        at += 1;
    }
    words
};

pub(crate) const OPENAI_RESPONSES: Format = Format {
    name: "openai-responses",
    host: &Host::nameless("openai"),
    title: "OpenAI Responses items",
    page: include_str!("page.md"),
    checked: Verification::Read("reports of what the API rejects; requests of Codex CLI 0.169.0"),
    rank: Rank::Api,
    recognize: layout::recognize,
    explains: layout::explains,
    records: RecordReader::new(layout::owns, read).of_messages(),
    pieces,
    project,
    wire: WIRE,
    supports: ITEM_LAYOUT.schema.supports,
    planner: |context, request| items::planner(context, &ITEM_LAYOUT, request),
    text,
    model: |_| Some("openai-responses".to_owned()),
    traits: HostTraits {
        members: Members::NONE.shaped(&shapes::ITEMS),
        noun: "item",
        words: Some(WORDS),
        pairs: PairPolicy::KINDS,
        beside: &[&["instructions"], &["tools"]],
        takes_reused_ids: true,
        names_by_place: true,
        rows: true,
        session: |context| chat::state_text(context.transcript, own::SESSION).map(str::to_owned),
        policy: POLICY,
        ..HostTraits::NONE
    },
    after_write: "Reload the conversation: a process that has it open keeps the old items.",
};

/// What damage is to the host.
const POLICY: &[PolicyRow] = &[
    // What is refused is fatal, also where other hosts only fail to load.
    PolicyRow::is(Code::RepeatedRecord, Severity::Fatal),
    PolicyRow::is(Code::MalformedRecord, Severity::Fatal),
    PolicyRow::is(Code::DuplicateRecordId, Severity::Fatal),
];

/// What reaches the provider as it is recorded.
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
    ..Wire::NONE
};

const ITEM_LAYOUT: ItemLayout = ItemLayout {
    item: |record| record,
    schema: Schema { supports: items::SUPPORTS, ..Schema::PLAIN },
    answer: |context: &FormatContext<'_>, call: PartId| {
        items::answer::element(context, call, false)
    },
    lift: |_, _, _| None,
    number: |_, _| Vec::new(),
    set_number: |_, _| None,
};

fn pieces(record: Node<'_>) -> Vec<Piece<'_>> {
    responses::piece(record).into_iter().collect()
}

/// Reads an item, or what is around the list.
fn read(node: Node<'_>, t: &mut Transcript) {
    let event = t.newest_mut();
    if event.role == Role::HostState {
        return around(node, t);
    }
    let whole = event.state != State::Unreadable;
    let item = responses::ResponseItem::of(node);
    match item.sort() {
        Some(sort) => items::read(&item, sort, t),
        None if whole && layout::is_old_codex(node) => {}
        None if whole => unknown(node, t),
        None => {}
    }
}

fn around(node: Node<'_>, t: &mut Transcript) {
    let node = node.get("body").unwrap_or(node);
    let before = ["previous_response_id", "conversation"];
    if before.iter().any(|key| node.get(key).is_some_and(|value| !value.is_null())) {
        t.set_fact(own::CONTINUES, FactValue::Yes);
    }
    if node.boolean("store") == Some(false) {
        t.set_fact(items::own::UNSTORED, FactValue::Yes);
    }
    for (key, name) in [("id", own::SESSION), ("model", items::MODEL)] {
        t.set_text(name, node.get(key));
    }
}

/// An item of a type that this version does not know.
fn unknown(node: Node<'_>, t: &mut Transcript) {
    let is_object = node.kind() == Kind::Object && node.has_kind("type", Kind::String);
    if is_object && let Some(word) = node.string("type") {
        let kind = t.ids.intern(&word);
        let event = t.newest_mut();
        (event.kind, event.role) = (Some(kind), Role::Assistant);
    }
    let event = t.newest();
    let (code, said) = if is_object {
        (Code::UnknownRecord, "an item type that this version does not know")
    } else {
        (Code::MalformedRecord, "not an item: neither a type nor a role")
    };
    let diagnostic = Diagnostic::about(code, said, Subject::Content, event);
    t.diagnostics.push(diagnostic);
}

fn project(context: &FormatContext<'_>) -> Request {
    project_with(context, OPENAI_RESPONSES.traits.unreadable)
}

/// The request of a host that does this with an unreadable item.
pub(super) fn project_with(context: &FormatContext<'_>, on: OnUnreadable) -> Request {
    let t = context.transcript;
    let all = chat::messages(t);
    let pairs = items::pair(t, &all);
    let mut diagnostics = chat::diagnostics::unreadable(t, &pairs, on);
    diagnostics.extend(items::repeated::judge(context, &ITEM_LAYOUT, &pairs, &all));
    let mut request = Request {
        inclusion: chat::inclusions(t, &all, &[]),
        order: items::order(t, &all).into(),
        ..Request::default()
    };
    request.diagnostics = diagnostics;
    request.pairs = pairs;
    request.branch = all.into();
    items::count(&mut request, context);
    if chat::state_fact(t, own::CONTINUES).is_some() {
        continues(t, &mut request);
    }
    request
}

/// The server knows the calls of outputs that have none here.
fn continues(t: &Transcript, request: &mut Request) {
    let Some(state) = t.host_state() else { return };
    let orphans: Vec<PartId> = request.pairs.orphans().collect();
    let first = request.pairs.batches.first().and_then(|batch| batch.calls.first()).copied();
    let older = orphans.into_iter().filter(|part| first.is_none_or(|first| *part < first));
    let mut diagnostic = Diagnostic::new(
        Code::UnknownRecord,
        "continues a stored response: earlier items are only on the server",
        state,
    );
    diagnostic.about = vec![Subject::State];
    diagnostic.covers = older.map(Subject::Orphan).collect();
    request.diagnostics.push(diagnostic);
}

fn text(context: &FormatContext<'_>, event: EventId) -> Option<String> {
    let record = context.record(event).ok()?;
    let item = record.root();
    let places = ["content", "output", "summary", "arguments", "input"];
    places.iter().find_map(|key| words(item.get(key)?))
}
