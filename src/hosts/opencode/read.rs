//! One message into facts. Knows no other message.

use super::own;
use crate::dialects::piece::{ArgumentsForm, MemberRef, Piece, PieceHome, Places};
use crate::dialects::placeholders;
use crate::format::FormatContext;
use crate::format::signs::{has_strings, is_role};
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::requests::documents::RecordedDocument;
use crate::shapes::chat::{self, diagnostics, inside};
use crate::transcript::{
    Applicability, Code, Effect, EventId, FactValue, Flaws, PartKind, Role, State, Subject,
    Transcript, facts,
};

/// Of a compaction: the first message that it keeps.
pub(super) const TAIL: &str = "tail_start_id";

/// Members that the host requires of a call in this state.
const NEEDS: &[(&str, &[&[&str]])] = &[
    ("pending", &[&["input"]]),
    ("running", &[&["input"], &["time", "start"]]),
    ("completed", &[&["input"], &["output"], &["time", "start"], &["time", "end"]]),
    ("error", &[&["input"], &["error"], &["time", "start"], &["time", "end"]]),
];

/// The type of a part with which a step begins.
pub(super) const STEP: &str = "step-start";

/// Whether a value is a message, or has a file of its own in the storage folder.
pub(super) fn owns(node: Node<'_>) -> bool {
    is_message(node) || is_part(node) || (has_strings(node, &["id", "sessionID"]) && speaks(node))
}

/// Whether a value is a message: what is known of it, and its parts.
pub(super) fn is_message(message: Node<'_>) -> bool {
    message.get("info").is_some_and(speaks)
        && message.get("parts").is_some_and(|parts| parts.kind() == Kind::Array)
}

fn speaks(info: Node<'_>) -> bool {
    is_role(info, &["user", "assistant"])
}

/// Whether a value is a part with a file of its own.
pub(super) fn is_part(node: Node<'_>) -> bool {
    has_strings(node, &["id", "sessionID", "messageID", "type"])
}

/// The parts of a message, or a part with a file of its own.
pub(super) fn parts(root: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let own = is_part(root).then_some(root);
    root.items_of("parts").chain(own)
}

/// Whether a part asks for a compaction.
pub(super) fn compacts(part: &Node<'_>) -> bool {
    part.has_str("type", "compaction")
}

/// Reads a message, a part with a file of its own, or what is known of the session.
pub(super) fn read(message: Node<'_>, t: &mut Transcript) {
    if t.newest_mut().role != Role::HostState && is_part(message) {
        return read_part(message, t);
    }
    // In the storage folder, what is known of a message is a file.
    let info = message.get("info").or(Some(message));
    let member = |way: &[&str]| info.and_then(|info| info.at(way));
    let id = member(&["id"]).and_then(|id| t.intern(id));
    t.newest_mut().id = id;
    if t.newest_mut().role == Role::HostState {
        let kind = t.ids.intern("session");
        t.newest_mut().kind = Some(kind);
        t.set_text(own::REVERT, member(&["revert", "messageID"]));
        t.set_text(own::FOLDER, member(&["directory"]));
        return;
    }
    let role = member(&["role"]).and_then(|role| role.str());
    let role = role.unwrap_or_default();
    let kind = t.ids.intern(&role);
    let time = member(&["time", "created"]).and_then(|time| time.as_i64());
    let is_answer = role == "assistant";
    let event = t.newest_mut();
    event.kind = Some(kind);
    event.set_time(time.and_then(|time| time.checked_mul(1000)));
    event.role = if is_answer { Role::Assistant } else { Role::User };
    if event.state == State::Unreadable {
        return;
    }
    chat::keep_digest(message, t);
    if is_answer {
        t.set_text(own::PROVIDER, member(&["providerID"]));
        t.set_text(own::MODEL, member(&["modelID"]));
        let error = member(&["error"]);
        let error = error.filter(|error| !error.is_null());
        if error.is_some_and(|error| !is_stopped(error)) {
            t.set_fact(facts::FAILURE, FactValue::Yes);
        }
        match error {
            Some(error) if is_stopped(error) && message.get("parts").is_none() => {
                t.set_fact(own::STOPPED, FactValue::Yes);
            }
            _ => t.newest_mut().failed = error.is_some_and(|error| is_left_out(error, message)),
        }
        let flag = member(&["summary"]).and_then(|flag| flag.as_bool());
        if flag == Some(true) {
            t.set_fact(facts::SUMMARY, FactValue::Yes);
            if member(&["finish"]).is_some() && member(&["error"]).is_none() {
                t.set_text(own::SUMMARIZES, member(&["parentID"]));
            }
        }
    }
    note_compaction(message, t);
    note_documents(message, t);
    for piece in pieces(message) {
        let part = piece.part(t);
        t.add_part(part);
        t.note_flaws(piece.input_flaw(ArgumentsForm::Object));
        let item = piece.homes.first().and_then(|home| home.list.items().nth(home.at as usize));
        if matches!(piece.kind, PartKind::Call | PartKind::Hosted)
            && item.is_some_and(lacks_members)
        {
            report_last_call(t);
        }
    }
}

/// Notes that a message or a part asks for a compaction.
fn note_compaction(root: Node<'_>, t: &mut Transcript) {
    let Some(part) = parts(root).find(compacts) else {
        return;
    };
    t.set_fact(own::COMPACTS, FactValue::Yes);
    t.set_text(own::TAIL, part.get(TAIL));
}

fn note_documents(root: Node<'_>, t: &mut Transcript) {
    if files(root).any(is_document) {
        t.note_flaws(Flaws::DOCUMENT);
    }
}

/// The files of a message, or of a part with a file of its own: those of the user, and those of calls that are still sent.
fn files(root: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    parts(root).flat_map(|part| {
        let own = part.has_str("type", "file").then_some(part);
        let state = part.get("state").filter(|state| {
            state.has_str("status", "completed") && state.at(&["time", "compacted"]).is_none()
        });
        own.into_iter().chain(state.into_iter().flat_map(|state| state.items_of("attachments")))
    })
}

/// Whether a file is sent as a document. Plain text and folders become texts.
fn is_document(file: Node<'_>) -> bool {
    let Some(mime) = file.string("mime") else {
        return false;
    };
    !["image/", "video/", "audio/"].iter().any(|start| mime.starts_with(start))
        && !["text/plain", "application/x-directory"].contains(&mime.as_ref())
}

/// The documents of a message. The AI SDK names those without a name.
pub(super) fn documents(root: Node<'_>) -> Vec<RecordedDocument<'_>> {
    let documents = files(root).filter(|file| is_document(*file));
    documents
        .map(|block| {
            let name = block.get("filename").filter(|name| !name.is_null() && !name.is_str(""));
            RecordedDocument { block, name: name.map(MemberRef::At) }
        })
        .collect()
}

/// Reads a part with a file of its own. Who says a text is in the file of its message.
fn read_part(part: Node<'_>, t: &mut Transcript) {
    let id = part.get("id").and_then(|id| t.intern(id));
    let kind = part.get("type").and_then(|kind| t.intern(kind));
    let pieces = pieces(part);
    let event = t.newest_mut();
    (event.id, event.kind) = (id, kind);
    event.role = match pieces.first().map(|piece| piece.kind) {
        None => Role::Nobody,
        Some(PartKind::Text | PartKind::Media) if part.get("time").is_none() => Role::User,
        Some(_) => Role::Assistant,
    };
    if event.state == State::Unreadable {
        return;
    }
    if says(&part) {
        t.set_fact(own::SAYS, FactValue::Yes);
    }
    note_compaction(part, t);
    note_documents(part, t);
    for piece in pieces {
        let part = piece.part(t);
        t.add_part(part);
        t.note_flaws(piece.input_flaw(ArgumentsForm::Object));
    }
}

/// Reports that an import stops at the call that was read last.
fn report_last_call(t: &mut Transcript) {
    let call = t.event(t.newest()).parts.clone().next_back();
    let message = "tool call without members that opencode requires: it imports nothing after it";
    let applicability = Applicability::Manual;
    diagnostics::report_fixed(t, Code::MalformedRecord, message, Vec::new(), applicability);
    if let Some(diagnostic) = t.diagnostics.last_mut() {
        diagnostic.effect = Effect::LoadFails;
        diagnostic.about = call.map(Subject::Part).into_iter().collect();
    }
}

/// An answer with an error is not sent, unless it was stopped and has something to say.
fn is_left_out(error: Node<'_>, message: Node<'_>) -> bool {
    !(is_stopped(error) && message.items_of("parts").any(|part| says(&part)))
}

/// What a recorded error says, with the status of the response before it.
fn said(error: Node<'_>) -> Option<String> {
    let data = error.get("data")?;
    let message = data.string("message")?;
    Some(match data.integer("statusCode") {
        Some(status) => format!("{status} {message}"),
        None => message.into_owned(),
    })
}

fn is_stopped(error: Node<'_>) -> bool {
    error.has_str("name", "MessageAbortedError")
}

fn says(part: &Node<'_>) -> bool {
    !part.has_str("type", STEP) && !part.has_str("type", "reasoning")
}

fn lacks_members(part: Node<'_>) -> bool {
    let Some(state) = part.get("state").filter(|_| part.has_str("type", "tool")) else {
        return false;
    };
    let status = state.string("status").unwrap_or_default();
    let needs = NEEDS.iter().find(|(own, _)| *own == status);
    !part.has_kind("tool", Kind::String)
        || needs.is_some_and(|(_, ways)| ways.iter().any(|way| state.at(way).is_none()))
}

/// The parts of a message as they are sent: of each step the texts and the calls, then the results.
pub(super) fn pieces(message: Node<'_>) -> Vec<Piece<'_>> {
    if is_part(message) {
        let (asks, answers) = halves(message, None);
        return asks.into_iter().chain(answers).collect();
    }
    let list = message.get("parts");
    list.map(|list| inside::pieces_of_steps(list, |part, home| halves(part, Some(home))))
        .unwrap_or_default()
}

fn halves<'a>(part: Node<'a>, home: Option<PieceHome<'a>>) -> inside::PartHalves<'a> {
    let kind = part.string("type").unwrap_or_default();
    let kind = match kind.as_ref() {
        "tool" => return call(part, home),
        "text" if part.boolean("ignored") == Some(true) => {
            return (None, None);
        }
        // For a compaction and a sub-agent the host sends sentences of its own.
        "text" | "compaction" | "subtask" => PartKind::Text,
        "reasoning" => PartKind::Thinking,
        "file" => PartKind::Media,
        _ => return (None, None),
    };
    let mut piece = Piece::new(kind, 0);
    piece.homes = home.into();
    piece.blank = part.get("text").is_some_and(|text| text.is_blank_str());
    (Some(piece), None)
}

/// A call, and what answers it once it has ended.
fn call<'a>(part: Node<'a>, home: Option<PieceHome<'a>>) -> inside::PartHalves<'a> {
    let Some(state) = part.get("state") else {
        return (None, None);
    };
    let by_provider = part.at(&["metadata", "providerExecuted"]);
    let by_provider = by_provider.and_then(|flag| flag.as_bool()) == Some(true);
    let half = |kind| Piece {
        ids: Places::One(MemberRef::of(part, "callID")),
        homes: home.into(),
        ..Piece::new(kind, 0)
    };
    let mut asks = half(if by_provider { PartKind::Hosted } else { PartKind::Call });
    asks.names = part.get("tool").into();
    asks.inputs = Places::One(MemberRef::of(state, "input"));
    let key = match state.string("status").as_deref() {
        Some("completed") => "output",
        Some("error") => "error",
        _ => return (Some(asks), None),
    };
    if by_provider {
        return (Some(asks), None);
    }
    let mut answers = half(PartKind::Result);
    answers.inputs = Places::One(MemberRef::of(state, key));
    answers.status = state.get("status");
    // An interrupted call is answered by what it had put out.
    let interrupted = state.at(&["metadata", "interrupted"]).and_then(|flag| flag.as_bool());
    if interrupted != Some(true) {
        answers.origin = placeholders::origin(state.get(key));
    }
    (Some(asks), Some(answers))
}

/// The texts of a message; of one without any the output of its first call.
pub(super) fn text(context: &FormatContext<'_>, event: EventId) -> Option<String> {
    let record = context.record(event).ok()?;
    let root = record.root();
    let texts = parts(root).filter_map(|part| part.string("text"));
    let texts: Vec<String> = texts.map(std::borrow::Cow::into_owned).collect();
    if !texts.is_empty() {
        return Some(texts.join("\n"));
    }
    let info = root.get("info").unwrap_or(root);
    if let Some(error) = info.get("error").and_then(said) {
        return Some(error);
    }
    let mut ended = parts(root).filter_map(|part| part.get("state"));
    let result = ended.find_map(|state| state.string("output").or_else(|| state.string("error")));
    result.map(std::borrow::Cow::into_owned)
}
