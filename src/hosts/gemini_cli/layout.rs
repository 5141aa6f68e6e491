//! Recognizes chats of Gemini CLI: one record per line, or an older document with `messages`.

use crate::containers::{Layout, PathStep};
use crate::format::head::Sample;
use crate::json::node::Node;
use crate::json::tape::Kind;

/// Types of messages.
pub(super) const TYPES: &[&str] = &["user", "gemini", "info", "error", "warning"];

/// Finds the records, if the transcript is in this format.
pub(super) fn recognize(head: &Sample<'_>) -> Option<Layout> {
    let entry = head.single?;
    if head.document.is_some() {
        let root = head.root()?;
        let list = root.get_kind("messages", Kind::Array);
        let path = vec![PathStep::Key("messages")];
        let list = list.filter(|_| is_header(root));
        return list.map(|_| Layout::enclosed(entry, path));
    }
    head.nodes()
        .any(|record| {
            is_header(record)
                || (is_update(record) || rewinds(record).is_some())
                || (is_message(record) && is_type(record, "gemini"))
        })
        .then_some(Layout::Lines(entry))
}

fn text<'a>(record: Node<'a>, key: &str) -> Option<Node<'a>> {
    record.get_kind(key, Kind::String)
}

fn is_type(record: Node<'_>, kind: &str) -> bool {
    record.has_str("type", kind)
}

/// Whether a record is a header. Records of other hosts name a project in another way.
pub(super) fn is_header(record: Node<'_>) -> bool {
    text(record, "sessionId").is_some() && text(record, "projectHash").is_some()
}

/// Whether a record updates the header.
pub(super) fn is_update(record: Node<'_>) -> bool {
    record.has_kind("$set", Kind::Object) && record.members().count() == 1
}

/// The ID of the message to which a record rewinds.
pub(super) fn rewinds<'a>(record: Node<'a>) -> Option<Node<'a>> {
    text(record, "$rewindTo")
}

/// Whether a record is a message with all members that the host writes.
fn is_message(record: Node<'_>) -> bool {
    let known = TYPES.iter().any(|kind| is_type(record, kind));
    known && text(record, "id").is_some() && text(record, "timestamp").is_some()
}

/// Whether a record has what every message of a chat has; older documents do not require more.
pub(super) fn explains(record: Node<'_>) -> bool {
    owns(record)
        || (TYPES.iter().any(|kind| is_type(record, kind)) && record.get("content").is_some())
}

/// Whether a JSON value is a record. Glued lines are split where one begins.
pub(super) fn owns(record: Node<'_>) -> bool {
    is_message(record) || is_header(record) || is_outermost(record).is_some()
}

/// Whether a record is never inside another one. A message or a header may also be in a `$set`.
pub(super) fn is_outermost(record: Node<'_>) -> Option<bool> {
    (is_update(record) || rewinds(record).is_some()).then_some(true)
}
