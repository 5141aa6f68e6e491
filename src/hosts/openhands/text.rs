//! The text of an event.

use crate::format::FormatContext;
use crate::format::words::words;
use crate::transcript::EventId;

/// The text of a message, the output of a tool, an error, a reason or a summary; blocks are on
/// separate lines.
pub(super) fn text(context: &FormatContext<'_>, event: EventId) -> Option<String> {
    let place: &[&str] = match context.transcript.kind(event) {
        "MessageEvent" => &["llm_message", "content"],
        "ObservationEvent" => &["observation", "content"],
        "UserRejectObservation" => &["rejection_reason"],
        "AgentErrorEvent" => &["error"],
        "ConversationErrorEvent" => &["detail"],
        "Condensation" => &["summary"],
        _ => return None,
    };
    let record = context.record(event).ok()?;
    let text = words(record.root().at(place)?)?;
    // The name of an error says whether the request was refused.
    Some(match record.root().string("code") {
        Some(code) if place == ["detail"] => format!("{code}: {text}"),
        _ => text,
    })
}
