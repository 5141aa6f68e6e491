//! The text of a record.

use crate::format::FormatContext;
use crate::format::words::words;
use crate::transcript::EventId;

/// The text of a message or summary, the output of a tool or command, or the error of a failed
/// response.
pub(super) fn text(context: &FormatContext<'_>, event: EventId) -> Option<String> {
    let record = context.record(event).ok()?;
    let root = record.root();
    let message = root.get("message").unwrap_or(root);
    let places = ["content", "summary", "output", "errorMessage"];
    places.iter().find_map(|key| words(message.get(key)?))
}
