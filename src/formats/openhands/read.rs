//! Turns one record into facts, without knowing the others.

use super::kinds::{self, Kind, Member};
use super::{content, own};
use crate::containers::NAME_ID;
use crate::json::fields::{Fields, fields};
use crate::json::node::Node;
use crate::json::scan::scan_outermost;
use crate::json::tape::{End, FlawKind, Kind as Json};
use crate::transcript::{
    Code, Diagnostic, Effect, Id, LinkKind, Origin, PartKind, Role, State, Subject, Transcript,
    Value, facts,
};

/// The `parent_id` of the first event of a branch.
const ROOT: &str = "__root__";

/// The possible sources of an event.
const SOURCES: &[&str] = &["agent", "user", "environment", "hook"];

/// Whether a JSON value is an event: an object with the four members that every event has.
pub(super) fn owns(node: Node<'_>) -> bool {
    let string = |key| {
        node.get(key)
            .is_some_and(|value| value.kind() == Json::String)
    };
    string("kind")
        && string("timestamp")
        && node
            .string("source")
            .is_some_and(|source| SOURCES.contains(&source.as_ref()))
}

/// Reads an event, a fragment of one, or the host's state.
pub(super) fn read(node: Node<'_>, t: &mut Transcript) {
    let event = t.newest_mut();
    let (state, role) = (event.state, event.role);
    let node = &Fields::<Member>::of(node);
    if role == Role::HostState {
        host_state(node, t);
        return;
    }
    let id = text(node, Member::Id, t);
    let time = node
        .get(Member::Timestamp)
        .and_then(|time| time.utf8())
        .and_then(|time| crate::transcript::time::parse_utf8(&time));
    let kind = text(node, Member::Kind, t);
    let event = t.newest_mut();
    (event.id, event.time, event.kind) = (id, time, kind);
    match node.get(Member::ParentId) {
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
        diagnostic(t, Code::MalformedRecord, "event without a kind");
    } else {
        common(node, t);
    }
    // Without a kind, the members still show what it is.
    let described = if kind.is_none() {
        kinds::by_members(|key| node.get(key).is_some())
    } else {
        None
    };
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
        diagnostic(
            t,
            Code::MalformedRecord,
            "event without an ID: the SDK makes up a new one at every load, and its children lose \
            it",
        );
    }
}

/// Reads a fragment of an unreadable record.
fn fragment(node: &Fields<'_, Member>, t: &mut Transcript) {
    if let Some(call) = text(node, Member::ToolCallId, t) {
        t.set_fact(own::FRAGMENT_CALL, Value::Text(call));
    }
    let asks = node.get(Member::Thought).is_some()
        || node.get(Member::Action).is_some()
        || node.get(Member::LlmMessage).is_some();
    if asks || node.get(Member::SystemPrompt).is_some() {
        t.set_fact(own::FRAGMENT_SPEAKS, Value::Yes);
    }
}

fn text(node: &Fields<'_, Member>, key: Member, t: &mut Transcript) -> Option<Id> {
    t.intern(node.get(key)?)
}

fn diagnostic(t: &mut Transcript, code: Code, message: &str) {
    let event = t.newest();
    let mut diagnostic = Diagnostic::about(code, message, Subject::Content, event);
    diagnostic.effect = Effect::LoadFails;
    t.diagnostics.push(diagnostic);
}

fn unknown(t: &mut Transcript, message: &str) {
    let event = t.newest();
    let diagnostic = Diagnostic::about(Code::UnknownRecord, message, Subject::Content, event);
    t.diagnostics.push(diagnostic);
}

/// Reports values of common members that the SDK rejects.
fn common(node: &Fields<'_, Member>, t: &mut Transcript) {
    if node
        .get(Member::Timestamp)
        .is_some_and(|time| time.kind() != Json::String)
    {
        diagnostic(
            t,
            Code::MalformedRecord,
            "the event's `timestamp` is not a string",
        );
    }
    if node
        .get(Member::ParentId)
        .is_some_and(|parent| !parent.is_null() && parent.kind() != Json::String)
    {
        diagnostic(
            t,
            Code::MalformedRecord,
            "the event's `parent_id` is not a string",
        );
    }
    let known = |source: Node<'_>| SOURCES.iter().any(|word| source.is_str(word));
    if node
        .get(Member::Source)
        .is_some_and(|source| !known(source))
    {
        diagnostic(
            t,
            Code::MalformedRecord,
            "the event's `source` is not one that the SDK knows",
        );
    }
}

/// An SDK without the package of the tool rejects the whole conversation.
fn tool_kind(value: Option<Node<'_>>, word: &str, t: &mut Transcript) {
    let kind = value
        .and_then(|value| value.get("kind"))
        .and_then(|kind| kind.utf8());
    if kind.is_some_and(|kind| !kinds::is_tool_kind(&kind, word)) {
        unknown(t, kinds::OTHER_TOOL);
    }
}

/// Reports missing members, and members that this SDK does not know.
fn members(node: &Fields<'_, Member>, kind: &Kind, t: &mut Transcript) {
    for key in kind.required {
        if node.get(*key).is_none_or(|value| value.is_null()) {
            let key = Fields::name(*key);
            diagnostic(
                t,
                Code::MalformedRecord,
                &format!("the event has no `{key}`, which its kind requires"),
            );
        }
    }
    if node.has_others() || node.found() & !kind.known != 0 {
        unknown(t, kinds::OTHER_MEMBER);
    }
}

fn known(node: &Fields<'_, Member>, kind: &Kind, t: &mut Transcript) {
    let batch = text(node, Member::LlmResponseId, t);
    let event = t.newest_mut();
    (event.role, event.batch) = (kind.role, batch);
    match kind.name {
        "MessageEvent" => message(node, t),
        "ActionEvent" => action(node, t),
        "ObservationEvent" => result(node, Origin::Real, Member::Observation, t),
        "UserRejectObservation" => result(node, Origin::Rejection, Member::RejectionReason, t),
        "AgentErrorEvent" => {
            let error = node
                .get(Member::Error)
                .and_then(|error| error.str())
                .unwrap_or_default();
            let stub = kinds::STUBS
                .iter()
                .any(|stub| error.starts_with(stub.start))
                || error.contains(kinds::OUR_MARK);
            result(
                node,
                if stub {
                    Origin::Placeholder
                } else {
                    Origin::HostError
                },
                Member::Error,
                t,
            );
            if error.starts_with(kinds::RECOVERY) {
                t.set_fact(facts::RECOVERY, Value::Yes);
            }
        }
        "Condensation" => condensation(node, t),
        "ConversationStateUpdateEvent" => {
            let status = node
                .get(Member::Key)
                .is_some_and(|key| key.is_str("execution_status"));
            if let Some(value) = status.then(|| text(node, Member::Value, t)).flatten() {
                t.set_fact(facts::STATUS, Value::Text(value));
            }
        }
        "InterruptEvent" => t.set_fact(facts::STOPPED, Value::Yes),
        "ConversationErrorEvent" => t.set_fact(facts::FAILURE, Value::Yes),
        "CondensationRequest" => t.set_fact(facts::ASKS_COMPACTION, Value::Yes),
        _ => {}
    }
}

fn digest(node: Option<Node<'_>>, t: &Transcript) -> u64 {
    t.ids
        .digest(&node.map(|node| node.raw()).unwrap_or_default())
}

fn message(node: &Fields<'_, Member>, t: &mut Transcript) {
    let message = node.get(Member::LlmMessage);
    let role = message
        .and_then(|message| message.get("role"))
        .and_then(|role| role.str());
    let role = match role.as_deref() {
        Some("assistant") => Role::Assistant,
        Some("system") => Role::System,
        Some("tool") => Role::Tool,
        Some("user") => Role::User,
        _ => {
            if message.is_some() {
                diagnostic(t, Code::MalformedRecord, "message without a role");
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

fn action(node: &Fields<'_, Member>, t: &mut Transcript) {
    let call = node.get(Member::ToolCall);
    let own = call.map(Fields::<ReceivedCall>::of);
    let own = |key: ReceivedCall| own.as_ref().and_then(|call| call.get(key));
    let inner = own(ReceivedCall::Id);
    let sent_id = inner.and_then(|id| t.intern(id));
    let mut asked = t.blank_part(PartKind::Call);
    asked.id = text(node, Member::ToolCallId, t);
    asked.sent_id = sent_id.or(asked.id);
    asked.tool = text(node, Member::ToolName, t);
    asked.digest = digest(call, t);
    let action = node.get(Member::Action).filter(|action| !action.is_null());
    asked.runnable = action.is_some();
    tool_kind(action, "Action", t);
    let arguments = own(ReceivedCall::Arguments);
    asked.bad_input = !arguments.is_some_and(|arguments| is_object(&arguments));
    let bad = asked.bad_input;
    t.add_part(asked);
    if bad {
        content::bad_arguments(arguments, action, t);
    }
    if node
        .get(Member::Thought)
        .is_some_and(|thought| thought.items().next().is_some())
    {
        t.set_fact(own::THOUGHT, Value::Yes);
    }
    if node
        .get(Member::ThinkingBlocks)
        .is_some_and(|blocks| blocks.items().next().is_some())
    {
        t.set_fact(own::THINKING, Value::Yes);
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
    let strict = tape
        .flaws
        .iter()
        .all(|flaw| flaw.kind != FlawKind::RawControl);
    let is_object = tape
        .tokens
        .first()
        .is_some_and(|token| token.kind == Json::Object);
    matches!(tape.end, End::Whole) && is_object && strict
}

fn result(node: &Fields<'_, Member>, origin: Origin, content: Member, t: &mut Transcript) {
    let mut answer = t.blank_part(PartKind::Result);
    answer.id = text(node, Member::ToolCallId, t);
    answer.sent_id = answer.id;
    answer.tool = text(node, Member::ToolName, t);
    answer.origin = origin;
    answer.digest = t.ids.digest_of(|out| {
        if let Some(content) = node.get(content) {
            content.feed_meaning(out);
        }
    });
    if origin == Origin::Real {
        tool_kind(node.get(content), "Observation", t);
    }
    t.add_part(answer);
    if let Some(action) = text(node, Member::ActionId, t) {
        t.add_link(LinkKind::Call, Some(action));
    }
}

fn condensation(node: &Fields<'_, Member>, t: &mut Transcript) {
    if let Some(forgotten) = node.get(Member::ForgottenEventIds) {
        for id in forgotten.items() {
            let Some(id) = t.intern(id) else { continue };
            t.add_link(LinkKind::Forgets, Some(id));
        }
    }
    let summary = node
        .get(Member::Summary)
        .is_some_and(|summary| summary.kind() == Json::String);
    if let Some(offset) = node
        .get(Member::SummaryOffset)
        .and_then(|offset| offset.as_i64())
        .filter(|_| summary)
    {
        t.set_fact(own::SUMMARY_OFFSET, Value::Number(offset));
    }
}

/// `base_state.json`: the conversation without its events.
fn host_state(node: &Fields<'_, Member>, t: &mut Transcript) {
    let id = text(node, Member::Id, t);
    t.newest_mut().id = id;
    if let Some(status) = text(node, Member::ExecutionStatus, t) {
        t.set_fact(facts::STATUS, Value::Text(status));
    }
    let model = node
        .get(Member::Agent)
        .and_then(|agent| agent.at(&["llm", "model"]));
    if let Some(model) = model.and_then(|model| t.intern(model)) {
        t.set_fact(own::MODEL, Value::Text(model));
    }
    if node
        .get(Member::HeadIsEmpty)
        .and_then(|empty| empty.as_bool())
        == Some(true)
    {
        t.set_fact(own::HEAD_IS_EMPTY, Value::Yes);
    }
    if let Some(leaf) = text(node, Member::LeafEventId, t) {
        t.add_link(LinkKind::Leaf, Some(leaf));
    }
}
