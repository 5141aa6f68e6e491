//! The actions and observations of openhands-ai 0.62.0: which are calls, which are results, and
//! which are never sent.

use crate::format::host_text::{HostText, begins};

/// Actions that are calls if the model made them: they have `tool_call_metadata`, and an
/// observation follows.
const CALLS: &[&str] = &[
    "run",
    "run_ipython",
    "read",
    "edit",
    "browse",
    "browse_interactive",
    "call_tool_mcp",
    "delegate",
    "think",
    "task_tracking",
];

/// Actions that are sent as text.
const TEXTS: &[&str] = &["message", "system", "finish"];

/// Actions of the host itself.
const SILENT_ACTIONS: &[&str] = &[
    "write",
    "reject",
    "null",
    "recall",
    CONDENSATION,
    CONDENSATION_REQUEST,
    "change_agent_state",
    "loop_recovery",
    "push",
    "send_pr",
    "pause",
    "resume",
    "stop",
    "start",
];

/// Observations that are results of a call or, without one, are sent as user messages.
const OBSERVATIONS: &[&str] = &[
    "run",
    "run_ipython",
    "read",
    "write",
    "edit",
    "browse",
    "error",
    "think",
    "user_rejected",
    "delegate",
    "condense",
    "recall",
    "mcp",
    "task_tracking",
    "success",
    "chat",
    "download",
    "message",
];

/// Observations that are never sent.
const SILENT_OBSERVATIONS: &[&str] = &["null", "agent_state_changed", "loop_detection"];

/// Removes older events from the request.
pub(super) const CONDENSATION: &str = "condensation";
pub(super) const CONDENSATION_REQUEST: &str = "condensation_request";
/// Delegates work to another agent, whose events follow until the observation of this name.
pub(super) const DELEGATE: &str = "delegate";

/// What the model sees of an action.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum V0ActionKind {
    Call,
    Text,
    /// Nothing.
    Silent,
    /// Unknown to this version.
    Unknown,
}

/// Classifies an action by its name.
pub(super) fn action(name: &str) -> V0ActionKind {
    match name {
        _ if CALLS.contains(&name) => V0ActionKind::Call,
        _ if TEXTS.contains(&name) => V0ActionKind::Text,
        _ if SILENT_ACTIONS.contains(&name) => V0ActionKind::Silent,
        _ => V0ActionKind::Unknown,
    }
}

/// Whether observations of this name are sent; `None` if this version does not know them.
pub(super) fn observation(name: &str) -> Option<bool> {
    if SILENT_OBSERVATIONS.contains(&name) {
        return Some(false);
    }
    OBSERVATIONS.contains(&name).then_some(true)
}

/// Whether the host removes such events first, so that offsets do not count them either.
pub(super) fn is_left_out(name: &str) -> bool {
    matches!(name, "null" | "change_agent_state" | "agent_state_changed")
}

/// Beginnings of the error texts that the host writes in place of a missing result.
pub(super) const STUBS: &[HostText] = &[
    begins("The action has not been executed"),
    begins("Stop button pressed. The action has not been executed."),
];
/// The beginning of the host's code for such an error.
const STUB_ID: &str = "AGENT_ERROR$ERROR_ACTION_NOT_EXECUTED";
/// A mark in our own placeholder results.
const OUR_MARK: &str = "(inserted by transcript-doctor";

/// Whether an error observation is a placeholder.
pub(super) fn is_placeholder(text: &str, error_id: &str) -> bool {
    STUBS.iter().any(|stub| text.starts_with(stub.start))
        || error_id.starts_with(STUB_ID)
        || text.contains(OUR_MARK)
}
