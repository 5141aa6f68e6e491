//! One message into facts. Knows no other message.

use super::own;
use crate::dialects::piece::{Home, MemberRef, Piece, Places, Written};
use crate::dialects::placeholders;
use crate::formats::FormatContext;
use crate::formats::chat::{self, diagnostics, inside};
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::transcript::{
    Applicability, Code, Effect, EventId, Fact, PartKind, Role, State, Subject, Transcript, Value,
    facts,
};

/// Of a compaction: the first message that it keeps.
pub(super) const TAIL: &str = "tail_start_id";

/// Members that the host requires of a call in this state.
const NEEDS: &[(&str, &[&[&str]])] = &[
    ("pending", &[&["input"]]),
    ("running", &[&["input"], &["time", "start"]]),
    (
        "completed",
        &[
            &["input"],
            &["output"],
            &["time", "start"],
            &["time", "end"],
        ],
    ),
    (
        "error",
        &[&["input"], &["error"], &["time", "start"], &["time", "end"]],
    ),
];

/// Whether a value is a message: what is known of it, and its parts.
pub(super) fn owns(message: Node<'_>) -> bool {
    let role = message.at(&["info", "role"]).and_then(|role| role.str());
    let is_list = |parts: Node<'_>| parts.kind() == Kind::Array;
    role.is_some_and(|role| matches!(role.as_ref(), "user" | "assistant"))
        && message.get("parts").is_some_and(is_list)
}

/// Whether a part asks for a compaction.
pub(super) fn compacts(part: &Node<'_>) -> bool {
    part.has_str("type", "compaction")
}

/// Reads a message, or the document around the messages.
pub(super) fn read(message: Node<'_>, t: &mut Transcript) {
    let info = message.get("info");
    let string = |way: &[&str]| info.and_then(|info| info.at(way)?.str());
    let intern = |t: &mut Transcript, way: &[&str]| string(way).map(|text| t.ids.intern(&text));
    let id = intern(t, &["id"]);
    t.newest_mut().id = id;
    let note = |t: &mut Transcript, fact: Fact, way: &[&str]| {
        if let Some(text) = intern(t, way) {
            t.set_fact(fact, Value::Text(text));
        }
    };
    if t.newest_mut().role == Role::HostState {
        let kind = t.ids.intern("session");
        t.newest_mut().kind = Some(kind);
        note(t, own::REVERT, &["revert", "messageID"]);
        note(t, own::FOLDER, &["directory"]);
        return;
    }
    let role = string(&["role"]).unwrap_or_default();
    let kind = t.ids.intern(&role);
    let time = info.and_then(|info| info.at(&["time", "created"])?.as_i64());
    let is_answer = role == "assistant";
    let event = t.newest_mut();
    event.kind = Some(kind);
    event.time = time.and_then(|time| time.checked_mul(1000));
    event.role = if is_answer {
        Role::Assistant
    } else {
        Role::User
    };
    if event.state == State::Unreadable {
        return;
    }
    chat::keep_digest(message, t);
    if is_answer {
        note(t, own::PROVIDER, &["providerID"]);
        note(t, own::MODEL, &["modelID"]);
        t.newest_mut().failed = info.is_some_and(|info| is_left_out(info, message));
        let has = |key| info.and_then(|info| info.get(key)).is_some();
        let is_summary = info.is_some_and(|info| {
            let flag = info.get("summary").and_then(|flag| flag.as_bool());
            flag == Some(true)
        });
        if is_summary {
            t.set_fact(facts::SUMMARY, Value::Yes);
            if has("finish") && !has("error") {
                note(t, own::SUMMARIZES, &["parentID"]);
            }
        }
    }
    if let Some(part) = message.items_of("parts").find(compacts) {
        t.set_fact(own::COMPACTS, Value::Yes);
        if let Some(tail) = part.get(TAIL).and_then(|tail| tail.str()) {
            let tail = t.ids.intern(&tail);
            t.set_fact(own::TAIL, Value::Text(tail));
        }
    }
    for piece in pieces(message) {
        let part = piece.part(t);
        t.add_part(part);
        t.note_flaws(piece.input_flaw(Written::Object));
        let item = piece
            .homes
            .first()
            .and_then(|home| home.list.items().nth(home.at as usize));
        if matches!(piece.kind, PartKind::Call | PartKind::Hosted)
            && item.is_some_and(lacks_members)
        {
            report_last_call(t);
        }
    }
}

/// Reports that an import stops at the call that was read last.
fn report_last_call(t: &mut Transcript) {
    let call = t.event(t.newest()).parts.clone().next_back();
    let message = "tool call without members that opencode requires: it imports nothing after it";
    let applicability = Applicability::Manual;
    diagnostics::report_current(t, Code::MalformedRecord, message, Vec::new(), applicability);
    if let Some(diagnostic) = t.diagnostics.last_mut() {
        diagnostic.effect = Effect::LoadFails;
        diagnostic.about = call.map(Subject::Part).into_iter().collect();
    }
}

/// An answer with an error is not sent, unless it was stopped and has something to say.
fn is_left_out(info: Node<'_>, message: Node<'_>) -> bool {
    let Some(error) = info.get("error").filter(|error| !error.is_null()) else {
        return false;
    };
    let says =
        |part: Node<'_>| !part.has_str("type", "step-start") && !part.has_str("type", "reasoning");
    !(error.has_str("name", "MessageAbortedError") && message.items_of("parts").any(says))
}

fn lacks_members(part: Node<'_>) -> bool {
    let Some(state) = part.get("state").filter(|_| part.has_str("type", "tool")) else {
        return false;
    };
    let status = state.string("status").unwrap_or_default();
    let needs = NEEDS.iter().find(|(own, _)| *own == status);
    needs.is_some_and(|(_, ways)| ways.iter().any(|way| state.at(way).is_none()))
}

/// The parts of a message as they are sent: of each step the texts and the calls, then the results.
pub(super) fn pieces(message: Node<'_>) -> Vec<Piece<'_>> {
    let list = message.get("parts");
    list.map(|list| inside::pieces_of_steps(list, halves))
        .unwrap_or_default()
}

fn halves<'a>(part: Node<'a>, home: Home<'a>) -> inside::Halves<'a> {
    let kind = part.string("type").unwrap_or_default();
    let kind = match kind.as_ref() {
        "tool" => return call(part, home),
        "text" if part.get("ignored").and_then(|flag| flag.as_bool()) == Some(true) => {
            return (None, None);
        }
        // For a compaction and a sub-agent the host sends sentences of its own.
        "text" | "compaction" | "subtask" => PartKind::Text,
        "reasoning" => PartKind::Thinking,
        "file" => PartKind::Media,
        _ => return (None, None),
    };
    let mut piece = Piece::new(kind, 0);
    piece.homes = Places::One(home);
    piece.blank = part.get("text").is_some_and(|text| text.is_blank_str());
    (Some(piece), None)
}

/// A call, and what answers it once it has ended.
fn call<'a>(part: Node<'a>, home: Home<'a>) -> inside::Halves<'a> {
    let Some(state) = part.get("state") else {
        return (None, None);
    };
    let by_provider = part.at(&["metadata", "providerExecuted"]);
    let by_provider = by_provider.and_then(|flag| flag.as_bool()) == Some(true);
    let of_kind = |kind| {
        let mut piece = Piece::new(kind, 0);
        piece.ids = Places::One(MemberRef::of(part, "callID"));
        piece.homes = Places::One(home);
        piece
    };
    let mut asks = of_kind(if by_provider {
        PartKind::Hosted
    } else {
        PartKind::Call
    });
    asks.names = part.get("tool").into();
    asks.inputs = Places::One(MemberRef::of(state, "input"));
    let key = match state.string("status").as_deref() {
        Some("completed") => "output",
        Some("error") => "error",
        _ => return (Some(asks), None),
    };
    let answers = (!by_provider).then(|| {
        let mut piece = of_kind(PartKind::Result);
        piece.inputs = Places::One(MemberRef::of(state, key));
        piece.status = state.get("status");
        // An interrupted call is answered by what it had put out.
        let interrupted = state
            .at(&["metadata", "interrupted"])
            .and_then(|flag| flag.as_bool());
        if interrupted != Some(true) {
            piece.origin = placeholders::origin(state.get(key));
        }
        piece
    });
    (Some(asks), answers)
}

/// The texts of a message; of one without any the output of its first call.
pub(super) fn text(context: &FormatContext<'_>, event: EventId) -> Option<String> {
    let record = context.record(event).ok()?;
    let root = record.root();
    let texts = root
        .items_of("parts")
        .filter_map(|part| part.string("text"));
    let texts: Vec<String> = texts.map(std::borrow::Cow::into_owned).collect();
    if !texts.is_empty() {
        return Some(texts.join("\n"));
    }
    let mut ended = root.items_of("parts").filter_map(|part| part.get("state"));
    let result = ended.find_map(|state| state.string("output").or_else(|| state.string("error")));
    result.map(std::borrow::Cow::into_owned)
}
