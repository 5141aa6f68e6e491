//! The content of a record, or of an item of a compressed history: parts of the Gemini API.

use crate::dialects::{MemberRef, Piece, gemini};
use crate::format::{FormatContext, words};
use crate::json::node::Node;
use crate::transcript::{EventId, PartKind};

/// The list that takes the place of all before it.
pub(super) fn history(record: Node<'_>) -> Option<Node<'_>> {
    record.at(&["systemPayload", "compressedHistory"])
}

/// The content of a record; an item of a compressed history is one.
fn content(record: Node<'_>) -> Node<'_> {
    record.get("message").unwrap_or(record)
}

/// The parts of a record or a content. The record of one result names its call a second time.
pub(super) fn pieces(record: Node<'_>) -> Vec<Piece<'_>> {
    let mut pieces = gemini::pieces(content(record));
    if let Some(call) = record.get("toolCallResult").filter(|call| call.get("callId").is_some())
        && let [only] = pieces.as_mut_slice()
        && only.kind == PartKind::Result
        // What the client notes next to the message does not stand for an ID that the message lacks: it sends the message.
        && only.id().is_some()
    {
        only.ids.push(MemberRef::of(call, "callId"));
    }
    pieces
}

/// What a record says in words.
pub(super) fn text(context: &FormatContext<'_>, event: EventId) -> Option<String> {
    let record = context.record(event).ok()?;
    let root = record.root();
    let error = root.at(&["systemPayload", "uiEvent", "error_message"]);
    let said = error.or_else(|| content(root).get("parts"));
    words::words(said?)
}
