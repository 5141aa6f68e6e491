//! Calls of the old kind, and how the target counts messages.

use crate::format::{FormatContext, HostTraits};
use crate::transcript::messages::SystemPrompt;
use crate::transcript::request::Request;
use crate::transcript::{Code, Diagnostic, EventId, Flaws, Role, Subject, Transcript, messages};

/// Calls of the old kind, which have no ID: the message of the function is directly after.
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

/// Numbers the messages as the target counts them. The first may be a prompt that the host does not record.
pub(super) fn count(request: &mut Request, context: &FormatContext<'_>, host: &HostTraits) {
    let merges = context.target.needs.merges_sides;
    let t = context.transcript;
    let has_prompt = request.branch.iter().any(|event| t.event(*event).role == Role::System);
    let prompt = if host.adds_prompt && !has_prompt {
        SystemPrompt::AddedByHost
    } else {
        SystemPrompt::Recorded
    };
    context.count_messages_as_sent(request, prompt, |before, next| {
        before.event == next.event
            || (merges && messages::side(before.role) == messages::side(next.role))
    });
}
