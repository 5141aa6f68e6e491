//! Turns one record into facts, without knowing the others.

use std::borrow::Cow;

use super::kinds::{self, EventKind, OpenHandsKey};
use super::{content, own};
use crate::containers::NAME_ID;
use crate::dialects::{MemberRef, Piece, Places};
use crate::format::signs::has_strings;
use crate::json::fields::{Fields, fields};
use crate::json::node::Node;
use crate::json::scan::scan_outermost;
use crate::json::tape::{FlawKind, Kind, RecordEnd};
use crate::transcript::{
    Code, Diagnostic, Effect, FactValue, Id, LinkKind, Origin, PartKind, Role, State, Subject,
    Transcript, facts,
};

/// The `parent_id` of the first event of a branch.
const ROOT: &str = "__root__";

/// The possible sources of an event.
const SOURCES: &[&str] = &["agent", "user", "environment", "hook"];

/// Whether a JSON value is an event: an object with the four members that every event has.
pub(super) fn owns(node: Node<'_>) -> bool {
    has_strings(node, &["kind", "timestamp"])
        && node.string("source").is_some_and(|source| SOURCES.contains(&source.as_ref()))
}

/// An event is one part. A call repeats its ID in the call as the model wrote it.
pub(super) fn pieces(event: Node<'_>) -> Vec<Piece<'_>> {
    let kind = match event.string("kind") {
        Some(kind) => kinds::by_name(&kind),
        None => kinds::by_members(|key| event.get(Fields::name(key)).is_some()),
    };
    let ids = Places::One(MemberRef::of(event, "tool_call_id"));
    match kind.map(|kind| kind.name) {
        Some("MessageEvent") => vec![Piece::new(PartKind::Text, 0)],
        Some("ActionEvent") => {
            let mut call = Piece { ids, ..Piece::new(PartKind::Call, 0) };
            call.ids.extend(event.get("tool_call").map(|inner| MemberRef::of(inner, "id")));
            vec![call]
        }
        Some("ObservationEvent" | "UserRejectObservation" | "AgentErrorEvent") => {
            vec![Piece { ids, ..Piece::new(PartKind::Result, 0) }]
        }
        _ => Vec::new(),
    }
}

/// Reads an event, a fragment of one, or the host's state.
pub(super) fn read(node: Node<'_>, t: &mut Transcript) {
    let event = t.newest_mut();
    let (state, role) = (event.state, event.role);
    let node = &Fields::<OpenHandsKey>::of(node);
    if role == Role::HostState {
        host_state(node, t);
        return;
    }
    let id = text(node, OpenHandsKey::Id, t);
    let time = node
        .get(OpenHandsKey::Timestamp)
        .and_then(|time| time.utf8())
        .and_then(|time| t.time(&time));
    let kind = text(node, OpenHandsKey::Kind, t);
    let event = t.newest_mut();
    (event.id, event.kind) = (id, kind);
    event.set_time(time);
    match node.get(OpenHandsKey::ParentId) {
        Some(parent) if parent.is_str(ROOT) => t.add_link(LinkKind::Root, None),
        Some(parent) => {
            if let Some(parent) = t.intern(parent) {
                t.add_link(LinkKind::Parent, Some(parent));
            }
        }
        None => {}
    }
    if state == State::Unreadable {
        fragment(node, t);
        return;
    }
    if kind.is_none() {
        malformed(t, "event without a kind");
    } else {
        common(node, t);
    }
    // Without a kind, the members still show what it is.
    let described =
        if kind.is_none() { kinds::by_members(|key| node.get(key).is_some()) } else { None };
    match kinds::by_name(t.text(kind)).or(described) {
        Some(kind) => {
            members(node, kind, t);
            known(node, kind, t);
        }
        None if kind.is_none() || kinds::is_known(t.text(kind)) => {}
        None => unknown(t, kinds::OTHER_KIND),
    }
    // If the file name may have the ID, the decision needs the whole conversation.
    let named = t.has(t.newest(), NAME_ID);
    if id.is_none() && kind.is_some() && !named {
        malformed(
            t,
            "event without an ID: the SDK makes up a new one at every load, and its children lose \
            it",
        );
    }
}

/// Reads a fragment of an unreadable record.
fn fragment(node: &Fields<'_, OpenHandsKey>, t: &mut Transcript) {
    if let Some(call) = text(node, OpenHandsKey::ToolCallId, t) {
        t.set_fact(own::FRAGMENT_CALL, FactValue::Text(call));
    }
    let asks = node.get(OpenHandsKey::Thought).is_some()
        || node.get(OpenHandsKey::Action).is_some()
        || node.get(OpenHandsKey::LlmMessage).is_some();
    if asks || node.get(OpenHandsKey::SystemPrompt).is_some() {
        t.set_fact(own::FRAGMENT_SPEAKS, FactValue::Yes);
    }
}

fn text(node: &Fields<'_, OpenHandsKey>, key: OpenHandsKey, t: &mut Transcript) -> Option<Id> {
    t.intern(node.get(key)?)
}

/// Reports a record that the host does not load.
pub(in crate::hosts) fn malformed(t: &mut Transcript, message: impl Into<Cow<'static, str>>) {
    let (code, event) = (Code::MalformedRecord, t.newest());
    let mut diagnostic = Diagnostic::about(code, message, Subject::Content, event);
    diagnostic.effect = Effect::LoadFails;
    t.diagnostics.push(diagnostic);
}

/// Reports a record that the host may not know.
pub(in crate::hosts) fn unknown(t: &mut Transcript, message: &'static str) {
    let event = t.newest();
    let diagnostic = Diagnostic::about(Code::UnknownRecord, message, Subject::Content, event);
    t.diagnostics.push(diagnostic);
}

/// Reports values of common members that the SDK rejects.
fn common(node: &Fields<'_, OpenHandsKey>, t: &mut Transcript) {
    if node.get(OpenHandsKey::Timestamp).is_some_and(|time| time.kind() != Kind::String) {
        malformed(t, "the event's `timestamp` is not a string");
    }
    if node
        .get(OpenHandsKey::ParentId)
        .is_some_and(|parent| !parent.is_null() && parent.kind() != Kind::String)
    {
        malformed(t, "the event's `parent_id` is not a string");
    }
    if node
        .get(OpenHandsKey::Source)
        .is_some_and(|source| !SOURCES.iter().any(|word| source.is_str(word)))
    {
        malformed(t, "the event's `source` is not one that the SDK knows");
    }
}

/// An SDK without the package of the tool rejects the whole conversation.
fn tool_kind(value: Option<Node<'_>>, word: &str, t: &mut Transcript) {
    let kind = value.and_then(|value| value.get("kind")).and_then(|kind| kind.utf8());
    if kind.is_some_and(|kind| !kinds::is_tool_kind(&kind, word)) {
        unknown(t, kinds::OTHER_TOOL);
    }
}

/// Reports missing members, and members that this SDK does not know.
fn members(node: &Fields<'_, OpenHandsKey>, kind: &EventKind, t: &mut Transcript) {
    for key in kind.required {
        if node.get(*key).is_none_or(|value| value.is_null()) {
            let key = Fields::name(*key);
            malformed(t, format!("the event has no `{key}`, which its kind requires"));
        }
    }
    if node.has_others() || node.found() & !kind.known != 0 {
        unknown(t, kinds::OTHER_MEMBER);
    }
}

fn known(node: &Fields<'_, OpenHandsKey>, kind: &EventKind, t: &mut Transcript) {
    let batch = text(node, OpenHandsKey::LlmResponseId, t);
    let event = t.newest_mut();
    (event.role, event.batch) = (kind.role, batch);
    match kind.name {
        "MessageEvent" => message(node, t),
        "ActionEvent" => action(node, t),
        "ObservationEvent" => result(node, Origin::Real, OpenHandsKey::Observation, t),
        "UserRejectObservation" => {
            result(node, Origin::Rejection, OpenHandsKey::RejectionReason, t)
        }
        "AgentErrorEvent" => {
            let error = node.string(OpenHandsKey::Error).unwrap_or_default();
            let stub = kinds::STUBS.iter().any(|stub| error.starts_with(stub.start))
                || error.contains(kinds::OUR_MARK);
            result(
                node,
                if stub { Origin::Placeholder } else { Origin::HostError },
                OpenHandsKey::Error,
                t,
            );
            if error.starts_with(kinds::RECOVERY) {
                t.set_fact(facts::RECOVERY, FactValue::Yes);
            }
        }
        "Condensation" => condensation(node, t),
        "ConversationStateUpdateEvent" => {
            let status = node.has_str(OpenHandsKey::Key, "execution_status");
            if let Some(value) = status.then(|| text(node, OpenHandsKey::Value, t)).flatten() {
                t.set_fact(facts::STATUS, FactValue::Text(value));
            }
        }
        "InterruptEvent" => t.set_fact(facts::STOPPED, FactValue::Yes),
        "ConversationErrorEvent" => t.set_fact(facts::FAILURE, FactValue::Yes),
        "CondensationRequest" => t.set_fact(facts::ASKS_COMPACTION, FactValue::Yes),
        _ => {}
    }
}

fn message(node: &Fields<'_, OpenHandsKey>, t: &mut Transcript) {
    let message = node.get(OpenHandsKey::LlmMessage);
    let role = message.and_then(|message| message.get("role")).and_then(|role| role.str());
    let role = match role.as_deref() {
        Some("assistant") => Role::Assistant,
        Some("system") => Role::System,
        Some("tool") => Role::Tool,
        Some("user") => Role::User,
        _ => {
            if message.is_some() {
                malformed(t, "message without a role");
            }
            Role::User
        }
    };
    t.newest_mut().role = role;
    t.add_part(t.blank_part(PartKind::Text));
    if let Some(content) = message.and_then(|message| message.get("content")) {
        content::blank_blocks(content, t);
    }
}

fields! {
    /// Members of the call that an action keeps as it was received.
    enum ReceivedCall {
        Id = "id",
        Arguments = "arguments",
    }
}

fn action(node: &Fields<'_, OpenHandsKey>, t: &mut Transcript) {
    let call = node.get(OpenHandsKey::ToolCall);
    let own = call.map(Fields::<ReceivedCall>::of);
    let own = |key: ReceivedCall| own.as_ref().and_then(|call| call.get(key));
    let inner = own(ReceivedCall::Id);
    let sent_id = inner.and_then(|id| t.intern(id));
    let mut asked = t.blank_part(PartKind::Call);
    asked.id = text(node, OpenHandsKey::ToolCallId, t);
    asked.sent_id = sent_id.or(asked.id);
    asked.tool = text(node, OpenHandsKey::ToolName, t);
    asked.digest =
        t.digest_later(|ids| ids.digest(&call.map(|call| call.raw()).unwrap_or_default()));
    let action = node.get(OpenHandsKey::Action).filter(|action| !action.is_null());
    asked.runnable = action.is_some();
    tool_kind(action, "Action", t);
    let arguments = own(ReceivedCall::Arguments);
    asked.bad_input = !arguments.is_some_and(|arguments| is_object(&arguments));
    let bad = asked.bad_input;
    t.add_part(asked);
    if bad {
        content::bad_arguments(arguments, action, t);
    }
    if node.get(OpenHandsKey::Thought).is_some_and(|thought| thought.items().next().is_some()) {
        t.set_fact(own::THOUGHT, FactValue::Yes);
    }
    if node.get(OpenHandsKey::ThinkingBlocks).is_some_and(|blocks| blocks.items().next().is_some())
    {
        t.set_fact(own::THINKING, FactValue::Yes);
    }
}

/// Whether a string contains exactly one JSON object.
fn is_object(arguments: &Node<'_>) -> bool {
    if arguments.is_plain_object_text() {
        return true;
    }
    let Some(text) = arguments.str() else {
        return false;
    };
    let tape = scan_outermost(text.as_bytes());
    let strict = tape.flaws.iter().all(|flaw| flaw.kind != FlawKind::RawControl);
    let is_object = tape.tokens.first().is_some_and(|token| token.kind == Kind::Object);
    matches!(tape.end, RecordEnd::Whole) && is_object && strict
}

fn result(
    node: &Fields<'_, OpenHandsKey>,
    origin: Origin,
    content: OpenHandsKey,
    t: &mut Transcript,
) {
    let mut answer = t.blank_part(PartKind::Result);
    answer.id = text(node, OpenHandsKey::ToolCallId, t);
    answer.sent_id = answer.id;
    answer.tool = text(node, OpenHandsKey::ToolName, t);
    answer.origin = origin;
    answer.digest = t.digest_later(|ids| {
        ids.digest_of(|out| {
            if let Some(content) = node.get(content) {
                content.feed_meaning(out);
            }
        })
    });
    if origin == Origin::Real {
        tool_kind(node.get(content), "Observation", t);
    }
    t.add_part(answer);
    if let Some(action) = text(node, OpenHandsKey::ActionId, t) {
        t.add_link(LinkKind::Call, Some(action));
    }
}

fn condensation(node: &Fields<'_, OpenHandsKey>, t: &mut Transcript) {
    if let Some(forgotten) = node.get(OpenHandsKey::ForgottenEventIds) {
        for id in forgotten.items() {
            let Some(id) = t.intern(id) else { continue };
            t.add_link(LinkKind::Forgets, Some(id));
        }
    }
    let summary = node.has_kind(OpenHandsKey::Summary, Kind::String);
    if let Some(offset) = node.integer(OpenHandsKey::SummaryOffset).filter(|_| summary) {
        t.set_fact(own::SUMMARY_OFFSET, FactValue::Number(offset));
    }
}

/// `base_state.json`: the conversation without its events.
fn host_state(node: &Fields<'_, OpenHandsKey>, t: &mut Transcript) {
    let id = text(node, OpenHandsKey::Id, t);
    t.newest_mut().id = id;
    if let Some(status) = text(node, OpenHandsKey::ExecutionStatus, t) {
        t.set_fact(facts::STATUS, FactValue::Text(status));
    }
    let model = node.get(OpenHandsKey::Agent).and_then(|agent| agent.at(&["llm", "model"]));
    if let Some(model) = model.and_then(|model| t.intern(model)) {
        t.set_fact(own::MODEL, FactValue::Text(model));
    }
    if node.boolean(OpenHandsKey::HeadIsEmpty) == Some(true) {
        t.set_fact(own::HEAD_IS_EMPTY, FactValue::Yes);
    }
    if let Some(leaf) = text(node, OpenHandsKey::LeafEventId, t) {
        t.add_link(LinkKind::Leaf, Some(leaf));
    }
}
