//! Calls of the old kind, and how the target counts messages.

use crate::format::FormatContext;
use crate::transcript::messages::SystemPrompt;
use crate::transcript::request::Request;
use crate::transcript::{Code, Diagnostic, EventId, Flaws, Subject, Transcript, messages};

/// Calls of the old kind, which have no id: the message of the function stands directly behind.
pub(super) fn old_calls(t: &Transcript, all: &[EventId]) -> Vec<Diagnostic> {
    let asks = all.iter().enumerate().filter(|(_, event)| t.flaws(**event).has(Flaws::OLD_CALL));
    let open =
        asks.filter(|(at, _)| all.get(at + 1).is_none_or(|next| t.kind(*next) != "function"));
    open.map(|(_, event)| {
        Diagnostic::about(
            Code::PendingCall,
            "`function_call` without a result after it",
            Subject::Content,
            *event,
        )
    })
    .collect()
}

/// Numbers the messages as the target counts them.
pub(super) fn count(request: &mut Request, context: &FormatContext<'_>) {
    let merges = context.target.needs.merges_sides;
    context.count_messages_as_sent(request, SystemPrompt::Recorded, |before, next| {
        before.event == next.event
            || (merges && messages::side(before.role) == messages::side(next.role))
    });
}
