//! The text of records.

use crate::format::FormatContext;
use crate::format::words::words;
use crate::transcript::EventId;

/// The text of a message, a result, or a note of the client.
pub(super) fn text(context: &FormatContext<'_>, event: EventId) -> Option<String> {
    let record = context.record(event).ok()?;
    let root = record.root();
    let content = root.at(&["message", "content"]).or_else(|| root.get("content"));
    let Some(content) = content.or_else(|| root.at(&["error", "error", "error", "message"])) else {
        return root.at(&["error", "message"]).and_then(words);
    };
    let inner = content.items().find_map(|block| block.get("content"));
    words(content).or_else(|| words(inner?))
}
