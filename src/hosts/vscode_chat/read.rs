//! One record into facts. Knows no other record.

use super::own;
use crate::dialects::piece::Piece;
use crate::format::FormatContext;
use crate::format::signs::has_all;
use crate::format::words::words;
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::transcript::{EventId, FactValue, PartKind, Role, State, Transcript};

/// The members of the document (`chatSessionOperationLog.ts`, `storageSchema`).
const MEMBERS: &[&str] = &[
    "version",
    "creationDate",
    "customTitle",
    "initialLocation",
    "inputState",
    "responderUsername",
    "sessionId",
    "requests",
    "hasPendingEdits",
    "repoData",
    "pendingRequests",
    "workingDirectory",
];

/// What a record does to the document (`objectMutationLog.ts`, `EntryKind`).
const INITIAL: i64 = 0;
const PUSH: i64 = 2;

/// Whether a value is the document of a chat.
pub(super) fn is_document(root: Node<'_>) -> bool {
    root.has_kind("requests", Kind::Array)
        && has_all(root, &["responderUsername"])
        && (root.items_of("requests").all(is_request))
}

fn is_request(request: Node<'_>) -> bool {
    has_all(request, &["requestId", "message"])
}

/// Whether a record is one that only VS Code writes.
pub(super) fn is_sign(record: Node<'_>) -> bool {
    let Some(kind) = record.integer("kind").filter(|kind| (0..=3).contains(kind)) else {
        return false;
    };
    if kind == INITIAL {
        return record.get("v").is_some_and(|document| document.has_kind("requests", Kind::Array));
    }
    let first = record.items_of("k").next();
    first.is_some_and(|first| MEMBERS.iter().any(|member| first.is_str(member)))
}

pub(super) fn owns(record: Node<'_>) -> bool {
    is_sign(record) || is_request(record)
}

pub(super) fn read(record: Node<'_>, t: &mut Transcript) {
    if t.newest_mut().role == Role::HostState {
        return;
    }
    let path = Path::of(record);
    let kind = match record.integer("kind").filter(|_| !is_request(record)) {
        None => "",
        Some(INITIAL) => "begin",
        Some(_) if path.is(&["customTitle"]) => "title",
        Some(_) => "change",
    };
    let kind = t.ids.intern(kind);
    let pieces = pieces(record);
    let asks = is_request(record) || record.get("v").is_some_and(|v| v.get("requests").is_some());
    let event = t.newest_mut();
    event.kind = Some(kind);
    event.role = match pieces.first() {
        None => Role::Nobody,
        Some(_) if asks || path.depth == 1 => Role::User,
        Some(_) => Role::Assistant,
    };
    if event.state == State::Unreadable {
        return;
    }
    count_requests(record, &path, t);
    for piece in pieces {
        let part = piece.part(t);
        t.add_part(part);
    }
}

/// Where in the document a record changes something.
struct Path<'a> {
    first: Option<Node<'a>>,
    request: Option<i64>,
    last: Option<Node<'a>>,
    depth: usize,
}

impl<'a> Path<'a> {
    fn of(record: Node<'a>) -> Path<'a> {
        let mut keys = record.items_of("k");
        let first = keys.next();
        let second = keys.next();
        let depth = record.items_of("k").count();
        let request = second.and_then(|key| key.as_i64()).filter(|_| depth > 2);
        Path { first, request, last: record.items_of("k").last(), depth }
    }

    fn is(&self, path: &[&str]) -> bool {
        self.depth == path.len() && self.first.is_some_and(|first| first.is_str(path[0]))
    }

    fn is_of_requests(&self) -> bool {
        self.first.is_some_and(|first| first.is_str("requests"))
    }
}

/// How many requests there are after a record, and the one that it changes.
fn count_requests(record: Node<'_>, path: &Path<'_>, t: &mut Transcript) {
    let number = |count: usize| FactValue::Number(i64::try_from(count).unwrap_or(i64::MAX));
    let value = record.get("v");
    if let Some(document) = value.filter(|_| record.integer("kind") == Some(INITIAL)) {
        let listed = document.items_of("requests").count();
        return t.set_fact(own::BEGINS, number(listed));
    }
    if !path.is_of_requests() {
        return;
    }
    if let Some(request) = path.request {
        return t.set_fact(own::CHANGES, FactValue::Number(request));
    }
    let is_push = record.integer("kind") == Some(PUSH);
    let kept = if is_push { record.integer("i") } else { Some(0) };
    if let Some(kept) = kept {
        t.set_fact(own::KEEPS, FactValue::Number(kept));
    }
    let added = value.map_or(0, |list| list.items().count());
    t.set_fact(own::ADDS, number(added));
    let first = value.and_then(|list| list.items().next());
    if let Some(made) = first.and_then(|request| request.integer("timestamp")) {
        t.set_fact(own::MADE, FactValue::Number(made));
    }
}

/// The values in a record that say something: requests, or parts of an answer.
fn said<'a>(record: Node<'a>) -> Vec<Node<'a>> {
    if is_request(record) {
        return vec![record];
    }
    let path = Path::of(record);
    let Some(value) = record.get("v") else {
        return Vec::new();
    };
    if record.integer("kind") == Some(INITIAL) {
        return value.items_of("requests").collect();
    }
    let answers = path.last.is_some_and(|last| last.is_str("response"));
    if path.is_of_requests() && (path.depth == 1 || answers) {
        return value.items().collect();
    }
    Vec::new()
}

/// All that a record says is one part: it adds no calls and no results.
pub(super) fn pieces(record: Node<'_>) -> Vec<Piece<'_>> {
    let speaks = said(record).into_iter().any(|value| text_of(value).is_some());
    speaks.then(|| Piece::new(PartKind::Text, 0)).into_iter().collect()
}

/// The prompt and the answer of a request, or the words of a part of an answer.
fn text_of(value: Node<'_>) -> Option<String> {
    let own = ["value", "text", "content"].iter().find_map(|key| words(value.get(key)?));
    let prompt =
        value.get("message").and_then(|message| words(message.get("text").unwrap_or(message)));
    let answer = value.items_of("response").filter_map(|part| words(part.get("value")?));
    let texts: Vec<String> =
        own.into_iter().chain(prompt).chain(answer).filter(|text| !text.is_empty()).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

pub(super) fn text(context: &FormatContext<'_>, event: EventId) -> Option<String> {
    let record = context.record(event).ok()?;
    let texts: Vec<String> = said(record.root()).into_iter().filter_map(text_of).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}
