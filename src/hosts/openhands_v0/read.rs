//! Turns one event into facts, without looking at other events.

use super::kinds::{self, V0ActionKind};
use super::own;
use crate::containers::NAME_ID;
use crate::dialects::{MemberRef, Piece, Places};
use crate::format::signs::has_string;
use crate::hosts::openhands::{malformed, unknown};
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::transcript::{FactValue, Id, LinkKind, Origin, Part, PartKind, Role, State, Transcript};

/// Whether a JSON value is an event: it names an action or an observation, and its source.
pub(crate) fn owns(node: Node<'_>) -> bool {
    let word = |key| has_string(node, key);
    (word("action") || word("observation"))
        && (word("timestamp") || node.get("id").is_some_and(|id| id.as_i64().is_some()))
        && node
            .string("source")
            .is_some_and(|source| matches!(source.as_ref(), "agent" | "user" | "environment"))
}

/// An event is one part: a call or a result, which name their call in the metadata, or a text.
pub(super) fn pieces(event: Node<'_>) -> Vec<Piece<'_>> {
    piece(event).into_iter().collect()
}

fn piece(event: Node<'_>) -> Option<Piece<'_>> {
    let metadata = event.get_kind("tool_call_metadata", Kind::Object);
    let kind = match (event.string("action"), event.string("observation")) {
        // The host checks for an action first. The user's own command is sent as text.
        (Some(name), _) => match kinds::action(&name) {
            V0ActionKind::Call if name == "run" && event.has_str("source", "user") => {
                PartKind::Text
            }
            V0ActionKind::Call if metadata.is_some() => PartKind::Call,
            V0ActionKind::Call | V0ActionKind::Text => PartKind::Text,
            V0ActionKind::Silent | V0ActionKind::Unknown => return None,
        },
        (None, Some(name)) if kinds::observation(&name) == Some(false) => return None,
        (None, Some(_)) if metadata.is_some() => PartKind::Result,
        (None, Some(_)) => PartKind::Text,
        (None, None) => return None,
    };
    let mut piece = Piece::new(kind, 0);
    if let Some(metadata) = metadata.filter(|_| kind != PartKind::Text) {
        piece.ids = Places::One(MemberRef::of(metadata, "tool_call_id"));
        piece.names = metadata.get("function_name").into();
    }
    Some(piece)
}

/// Reads an event, or the rest of one.
pub(super) fn read(node: Node<'_>, t: &mut Transcript) {
    let event = t.newest_mut();
    let state = event.state;
    let id = node.integer("id").map(|id| t.ids.intern(&id.to_string()));
    let no = t.newest();
    let in_name = t.fact_id(no, NAME_ID);
    let time = string(node.get("timestamp")).and_then(|time| crate::transcript::time::parse(&time));
    let event = t.newest_mut();
    event.id = id.or(in_name);
    event.set_time(time);
    if state == State::Unreadable {
        return;
    }
    let (action, observation) = (string(node.get("action")), string(node.get("observation")));
    match (action, observation) {
        (Some(name), _) => self::action(node, &name, t),
        (None, Some(name)) => self::observation(node, &name, t),
        (None, None) => malformed(t, "neither an action nor an observation"),
    }
}

fn string<'a>(node: Option<Node<'a>>) -> Option<std::borrow::Cow<'a, str>> {
    node?.str()
}

fn intern(node: Option<Node<'_>>, t: &mut Transcript) -> Option<Id> {
    let value = string(node)?;
    Some(t.ids.intern(&value))
}

/// Notes the name. Returns whether the host removes the event before anything else.
fn begin(name: &str, hidden: Option<Node<'_>>, t: &mut Transcript) -> bool {
    let kind = t.ids.intern(name);
    t.newest_mut().kind = Some(kind);
    let hidden = hidden.and_then(|hidden| hidden.as_bool()) == Some(true);
    let is_left_out = hidden || kinds::is_left_out(name);
    if is_left_out {
        t.set_fact(own::LEFT_OUT, FactValue::Yes);
    }
    is_left_out
}

fn action(node: Node<'_>, name: &str, t: &mut Transcript) {
    let args = node.get("args");
    t.set_fact(own::ACTION, FactValue::Yes);
    if begin(name, args.and_then(|args| args.get("hidden")), t) {
        return;
    }
    let Some(piece) = piece(node) else {
        return match kinds::action(name) {
            V0ActionKind::Silent if name == kinds::CONDENSATION => condensation(args, t),
            V0ActionKind::Silent => {}
            _ => unknown(t, "an action that openhands-ai 0.62.0 does not know"),
        };
    };
    if piece.kind == PartKind::Call {
        let digest = digest(args, t);
        add_named(&piece, Role::Assistant, digest, Origin::Real, t);
        return response(node, t);
    }
    let role = if name == "system" {
        Role::System
    } else if node.has_str("source", "user") {
        Role::User
    } else {
        Role::Assistant
    };
    text(role, t);
    if role == Role::Assistant && kinds::action(name) == V0ActionKind::Call {
        t.set_fact(own::NO_METADATA, FactValue::Yes);
    }
}

fn text(role: Role, t: &mut Transcript) {
    t.newest_mut().role = role;
    t.add_part(t.blank_part(PartKind::Text));
}

/// Adds a call or a result.
fn add_named(piece: &Piece<'_>, role: Role, digest: u64, origin: Origin, t: &mut Transcript) {
    t.newest_mut().role = role;
    let part = Part { origin, ..piece.part_with(digest, t) };
    if part.id.is_none() {
        malformed(t, "`tool_call_metadata` without the ID of the call");
    }
    t.add_part(part);
}

/// Reads the model's whole response, which each event of a call contains.
fn response(event: Node<'_>, t: &mut Transcript) {
    let Some(response) = event.at(&["tool_call_metadata", "model_response"]) else {
        return;
    };
    if let Some(model) = intern(response.get("model"), t) {
        t.set_fact(own::MODEL, FactValue::Text(model));
    }
    let Some(id) = string(response.get("id")) else {
        return;
    };
    // Some servers give every response the same ID. The calls tell them apart.
    let mut batch = id.into_owned();
    let choice = response.get("choices").and_then(|choices| choices.items().next());
    let calls = choice.and_then(|choice| choice.at(&["message", "tool_calls"]));
    for id in calls.iter().flat_map(|calls| calls.items()).filter_map(|call| call.string("id")) {
        batch.push('\u{1f}');
        batch.push_str(&id);
        let id = t.ids.intern(&id);
        t.set_fact(own::CALL_IDS, FactValue::Text(id));
    }
    let batch = t.ids.intern(&batch);
    t.newest_mut().batch = Some(batch);
}

/// A digest of the arguments, without members that change while the host waits for confirmation.
fn digest(args: Option<Node<'_>>, t: &Transcript) -> u64 {
    let mut same = Vec::new();
    for (key, value) in args.iter().flat_map(|args| args.members()) {
        if !key.is_str("confirmation_state") && !key.is_str("security_risk") {
            same.extend_from_slice(&key.raw());
            same.extend_from_slice(&value.raw());
        }
    }
    t.ids.digest(&same)
}

fn observation(node: Node<'_>, name: &str, t: &mut Transcript) {
    let extras = node.get("extras");
    if begin(name, extras.and_then(|extras| extras.get("hidden")), t) {
        return;
    }
    if let Some(cause) = node.integer("cause") {
        let cause = t.ids.intern(&cause.to_string());
        t.set_fact(own::CAUSE, FactValue::Text(cause));
    }
    match kinds::observation(name) {
        Some(false) => return,
        Some(true) => {}
        None => unknown(t, "an observation that openhands-ai 0.62.0 does not know"),
    }
    let Some(piece) = piece(node).filter(|piece| piece.kind == PartKind::Result) else {
        return text(Role::User, t);
    };
    let origin = match name {
        "error" => {
            let text = string(node.get("content")).unwrap_or_default();
            let error =
                string(extras.and_then(|extras| extras.get("error_id"))).unwrap_or_default();
            if kinds::is_placeholder(&text, &error) {
                Origin::Placeholder
            } else {
                Origin::HostError
            }
        }
        "user_rejected" => Origin::Rejection,
        _ => Origin::Real,
    };
    let digest = t.ids.digest_of(|out| {
        if let Some(content) = node.get("content") {
            content.feed_meaning(out);
        }
    });
    add_named(&piece, Role::Tool, digest, origin, t);
}

/// What a condensation forgets: a list of IDs, or a range; and a summary with its place, or
/// neither.
fn condensation(args: Option<Node<'_>>, t: &mut Transcript) {
    let given =
        |key: &str| args.as_ref().and_then(|args| args.get(key)).filter(|value| !value.is_null());
    let list = given("forgotten_event_ids");
    let (first, last) = (given("forgotten_events_start_id"), given("forgotten_events_end_id"));
    let (summary, offset) = (given("summary"), given("summary_offset"));
    let is_range = first.is_some() && last.is_some();
    if list.is_some() == is_range || summary.is_some() != offset.is_some() {
        let message =
            "a condensation must name IDs or a range, and a summary with its place or neither";
        return malformed(t, message);
    }
    for id in list.iter().flat_map(|list| list.items()).filter_map(|id| id.as_i64()) {
        let id = t.ids.intern(&id.to_string());
        t.add_link(LinkKind::Forgets, Some(id));
    }
    let number = |node: Option<Node<'_>>| node.and_then(|node| node.as_i64());
    if let (None, Some(first), Some(last)) = (list, number(first), number(last)) {
        t.set_fact(own::FIRST, FactValue::Number(first));
        t.set_fact(own::LAST, FactValue::Number(last));
    }
    if let Some(offset) = number(offset) {
        t.set_fact(own::SUMMARY_OFFSET, FactValue::Number(offset));
    }
}
