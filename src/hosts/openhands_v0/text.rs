//! The text of an event.

use super::history::is_action;
use super::kinds;
use crate::format::FormatContext;
use crate::transcript::EventId;

/// The text of a message, a thought, a summary, the output of a tool or an error.
pub(super) fn text(context: &FormatContext<'_>, event: EventId) -> Option<String> {
    let place: &[&str] = match context.transcript.kind(event) {
        _ if !is_action(context.transcript, event) => &["content"],
        "message" | "system" => &["args", "content"],
        "think" => &["args", "thought"],
        "finish" => &["args", "final_thought"],
        kinds::CONDENSATION => &["args", "summary"],
        _ => return None,
    };
    let record = context.record(event).ok()?;
    Some(record.root().at(place)?.str()?.into_owned())
}
