//! The beginning of a log: the SDK adds the system prompt to an empty one.

use crate::transcript::{
    Code, Diagnostic, Effect, EventId, Instance, Role, State, Subject, Transcript,
};

/// The SDK looks for the system prompt among so many first events (`INIT_STATE_PREFIX_SCAN_WINDOW`).
const PROMPT_WITHIN: usize = 3;

/// Whether the log is there from its system prompt on. An export may have a part of it.
pub(super) fn begins_with_prompt(t: &Transcript) -> bool {
    t.records().take(PROMPT_WITHIN).any(|event| t.kind(event) == "SystemPromptEvent")
}

/// Reports a message of the user without a system prompt before it: the SDK does not go on then (`Agent.init_state`, 1.58.2).
/// Only what lies next to a saved state is loaded.
pub(super) fn check(t: &Transcript) -> Option<Diagnostic> {
    t.host_state()?;
    let first: Vec<EventId> = t.records().take(PROMPT_WITHIN).collect();
    // What cannot be read may be the prompt.
    let is_readable = first.iter().all(|event| t.event(*event).state != State::Unreadable);
    if begins_with_prompt(t) || !is_readable {
        return None;
    }
    let is_user =
        |event: &EventId| t.event(*event).role == Role::User && t.kind(*event) == "MessageEvent";
    let user = first.into_iter().find(is_user)?;
    let mut diagnostic = Diagnostic::about(
        Code::BadStart,
        "the system prompt is missing before the first message: the SDK does not load the conversation",
        Subject::Content,
        user,
    );
    diagnostic.instance = Some(Instance::Stops);
    diagnostic.effect = Effect::LoadFails;
    Some(diagnostic)
}
