//! Turns one record into facts, without knowing the others.

use super::{context, layout, own};
use crate::dialects::responses::{self, ItemKey, ResponseItem, SEARCH, Sort};
use crate::format::signs::has_string;
use crate::json::fields::{Fields, fields};
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::shapes::items;
use crate::transcript::{
    Code, Diagnostic, Fact, FactValue, Role, State, Subject, Transcript, facts,
};

fields! {
    /// Members of a record.
    enum CodexRecordKey {
        Timestamp = "timestamp",
        Type = "type",
        Ordinal = "ordinal",
        Payload = "payload",
    }
}

/// Reads a record, or a fragment of one.
pub(super) fn read(node: Node<'_>, t: &mut Transcript) {
    let members = &Fields::<CodexRecordKey>::of(node);
    let stamp = members.get(CodexRecordKey::Timestamp).and_then(|time| time.utf8());
    let word = members.get(CodexRecordKey::Type).and_then(|word| word.utf8()).unwrap_or_default();
    let time = stamp.as_deref().and_then(|stamp| t.time(stamp));
    let event = t.newest_mut();
    event.set_time(time);
    let state = event.state;
    if state == State::Unreadable {
        return fragment(members, &word, t);
    }
    if let Some(ordinal) = members.integer(CodexRecordKey::Ordinal) {
        t.set_fact(own::ORDINAL, FactValue::Number(ordinal));
    }
    let payload = members.get_kind(CodexRecordKey::Payload, Kind::Object);
    if stamp.is_none() && payload.is_some() && !word.is_empty() {
        t.set_fact(own::NO_TIME, FactValue::Yes);
    }
    let kind = t.ids.intern_utf8(&word);
    t.newest_mut().kind = Some(kind);
    match payload {
        Some(payload) if layout::is_known(&word) => record(&word, payload, t),
        Some(_) if !word.is_empty() => unknown(t, "a record type that this version does not know"),
        _ => malformed("record without a type or payload", t),
    }
}

fn record(word: &[u8], payload: Node<'_>, t: &mut Transcript) {
    match word {
        b"session_meta" => header(payload, t),
        b"response_item" => item(payload, t),
        b"event_msg" => note(payload, t),
        b"turn_context" => {
            text(payload, "turn_id", own::TURN, t);
            text(payload, "model", items::MODEL, t);
        }
        b"compacted" => compacted(payload, t),
        b"inter_agent_communication" => {
            t.newest_mut().role = Role::User;
            t.set_fact(own::USER_TURN, FactValue::Yes);
        }
        _ => {}
    }
}

fn text(node: Node<'_>, key: &str, name: Fact, t: &mut Transcript) {
    t.set_text(name, node.get(key));
}

fn header(payload: Node<'_>, t: &mut Transcript) {
    let id = payload.get("id").and_then(|id| t.intern(id));
    t.newest_mut().id = id;
    t.set_fact(own::HEADER, FactValue::Yes);
    text(payload, "model_provider", items::MODEL, t);
    if payload.has_str("history_mode", "paginated") {
        t.set_fact(own::PAGINATED, FactValue::Yes);
    }
    let needed = ["id", "timestamp", "cwd", "originator", "cli_version"];
    if !needed.iter().all(|key| has_string(payload, key)) {
        malformed("session header without a required field", t);
    }
}

/// The sort of an item for this host: each tool search with an ID has a result.
pub(super) fn sort(item: &ResponseItem<'_>) -> Option<Sort> {
    let sort = item.sort()?;
    Some(match responses::call_kind(SEARCH) {
        Some(kind)
            if sort == Sort::Server
                && (item.has_str(ItemKey::Type, SEARCH) && item.has_call_id()) =>
        {
            Sort::Call(kind)
        }
        _ => sort,
    })
}

fn item(payload: Node<'_>, t: &mut Transcript) {
    let item = ResponseItem::of(payload);
    let Some(sort) = sort(&item) else {
        return other_item(payload, t);
    };
    items::read(&item, sort, t);
    let user = t.newest_mut().role == Role::User;
    if sort == Sort::Message && context::is_by_host(&item) {
        t.set_fact(own::CONTEXT, FactValue::Yes);
        t.set_fact(facts::BY_HOST, FactValue::Yes);
    } else if sort == Sort::Message && user {
        t.set_fact(own::USER_TURN, FactValue::Yes);
    }
}

/// Items that are never sent, or that this version does not know.
fn other_item(payload: Node<'_>, t: &mut Transcript) {
    let word = payload.string("type");
    let Some(word) = word else {
        return malformed("item without a type", t);
    };
    let kind = t.ids.intern(&word);
    t.newest_mut().kind = Some(kind);
    match word.as_ref() {
        "ghost_snapshot" | "compaction_trigger" => {}
        // Messages of other agents take the place of the user.
        "agent_message" => t.newest_mut().role = Role::User,
        _ => unknown(t, "an item type that this version does not know"),
    }
}

/// Reads a note of the host about what happened.
fn note(payload: Node<'_>, t: &mut Transcript) {
    let word = payload.get("type").and_then(|word| word.utf8());
    let word = &*word.unwrap_or_default();
    let kind = t.ids.intern_utf8(word);
    t.newest_mut().kind = Some(kind);
    match word {
        b"task_started" | b"turn_started" => mark(own::STARTED, payload, t),
        b"task_complete" | b"turn_complete" => mark(own::COMPLETE, payload, t),
        b"turn_aborted" => {
            mark(own::ABORTED, payload, t);
            if payload.get("reason").is_none_or(|reason| reason.is_str("interrupted")) {
                t.set_fact(facts::STOPPED, FactValue::Yes);
            }
        }
        b"error" => t.set_fact(facts::FAILURE, FactValue::Yes),
        b"user_message" => t.set_fact(own::USER_MESSAGE, FactValue::Yes),
        b"thread_rolled_back" => {
            let turns = payload.integer("num_turns").unwrap_or(0);
            t.set_fact(own::ROLLED_BACK, FactValue::Number(turns.max(0)));
        }
        _ => {}
    }
}

fn mark(name: Fact, payload: Node<'_>, t: &mut Transcript) {
    t.set_fact(name, FactValue::Yes);
    text(payload, "turn_id", own::TURN, t);
}

/// Reads a compaction, and the items that replace everything before it.
fn compacted(payload: Node<'_>, t: &mut Transcript) {
    let list = payload.get_kind("replacement_history", Kind::Array);
    t.set_fact(own::COMPACTED, FactValue::Yes);
    if !payload.has_kind("message", Kind::String) {
        malformed("compaction without a message", t);
    }
    let holder = t.newest();
    let Some(list) = list else { return };
    t.set_fact(own::LIST, FactValue::Yes);
    for (at, element) in list.items().enumerate() {
        t.begin_within(holder, element.span(), &format!("/payload/replacement_history/{at}"));
        item(element, t);
    }
}

/// Reads a truncated record.
fn fragment(members: &Fields<'_, CodexRecordKey>, word: &[u8], t: &mut Transcript) {
    if let Some(payload) = members.get(CodexRecordKey::Payload) {
        text(payload, "call_id", own::CALL, t);
        if word == b"session_meta" {
            t.set_fact(own::HEADER, FactValue::Yes);
        }
    }
}

/// The host ignores the record; the history decides whether that matters.
fn malformed(problem: &str, t: &mut Transcript) {
    let problem = t.ids.intern(problem);
    t.set_fact(own::MALFORMED, FactValue::Text(problem));
}

fn unknown(t: &mut Transcript, message: &'static str) {
    let event = t.newest();
    let diagnostic = Diagnostic::about(Code::UnknownRecord, message, Subject::Content, event);
    t.diagnostics.push(diagnostic);
}
