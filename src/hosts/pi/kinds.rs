//! The vocabulary of the format: types of records, roles, and spellings of other programs that
//! occur in it.

use crate::format::host_text::{HostText, begins};
use crate::transcript::Role;

/// Types of entries that are never sent, but part of the chain.
const SILENT: &[&str] = &[
    "compaction",
    "custom",
    "model_change",
    "thinking_level_change",
    "label",
    "session_info",
    "usage",
    "active_tools_change",
    "context_edit",
    "leaf",
    "reset",
];

/// The record on the first line of oh-my-pi's files, above the header: the title, which it overwrites in place.
pub(super) const TITLE: &str = "title";

/// Entries of oh-my-pi, which are never sent (its docs/session.md).
const OH_MY_PI: &[&str] = &[
    "title_change",
    "service_tier_change",
    "reset_boundary",
    "ttsr_injection",
    "credential_pin",
    "session_init",
    "mode_change",
    "model_usage",
    "archive",
];

/// Entries that OpenClaw appends to its chain. Others only move the point where the next one is
/// appended.
const CANONICAL: &[&str] = &[
    "message",
    "compaction",
    "reset",
    "branch_summary",
    "custom",
    "custom_message",
    "label",
    "session_info",
    "model_change",
    "thinking_level_change",
];

/// Members of a result with the ID of its call; the host's own first.
pub(super) const RESULT_IDS: &[&str] =
    &["toolCallId", "toolUseId", "tool_call_id", "tool_use_id", "callId", "call_id"];

/// Members of a call with its arguments; the host's own first.
pub(super) const ARGUMENTS: &[&str] = &["arguments", "input"];

/// What our own placeholder results contain.
const OUR_MARK: &str = "(inserted by transcript-doctor";

/// Texts that hosts write in place of a missing result.
const STUBS: &[HostText] = &[
    begins(
        "[openclaw] missing tool result in session history; inserted synthetic error result for transcript repair.",
    ),
    begins("No result provided"),
];

/// What pi writes for a stopped call. In other places the word means nothing.
const ABORTED: &str = "aborted";

/// What OpenClaw sends in place of an empty result.
pub(super) const EMPTY: &str = "[empty content omitted]";

/// The texts that hosts write themselves: placeholders, and the text for empty content.
pub(super) const TEXTS: &[&[HostText]] = &[STUBS, &[begins(EMPTY)]];

/// Whether this is the type of an entry.
pub(super) fn is_known(kind: &str) -> bool {
    SILENT.contains(&kind)
        || matches!(kind, "message" | "branch_summary" | "custom_message")
        || is_oh_my_pis(kind)
}

/// Whether only oh-my-pi writes entries of this type.
pub(super) fn is_oh_my_pis(kind: &str) -> bool {
    OH_MY_PI.contains(&kind)
}

/// The members that an entry of this type needs.
pub(super) fn needs(kind: &str) -> &'static [&'static str] {
    match kind {
        "message" => &["message"],
        "compaction" | "branch_summary" => &["summary"],
        "custom_message" => &["customType", "content"],
        "custom" => &["customType"],
        "model_change" => &["modelId"],
        "thinking_level_change" => &["thinkingLevel"],
        "label" | "context_edit" | "leaf" => &["targetId"],
        _ => &[],
    }
}

/// Whether OpenClaw appends an entry of this type to its chain.
pub(super) fn is_canonical(kind: &str) -> bool {
    CANONICAL.contains(&kind)
}

/// The role of a message; `None` for an unknown role, whose messages the host leaves out.
pub(super) fn role(word: &str) -> Option<Role> {
    match word {
        "user" | "bashExecution" | "custom" | "hookMessage" | "branchSummary"
        | "compactionSummary" | "developer" | "pythonExecution" | "fileMention" => Some(Role::User),
        "assistant" => Some(Role::Assistant),
        "toolResult" => Some(Role::Tool),
        "system" => Some(Role::System),
        _ => None,
    }
}

/// Whether a content block is a call, in any spelling.
pub(super) fn is_call(kind: &str) -> bool {
    matches!(
        kind,
        "toolCall" | "toolUse" | "functionCall" | "tool_use" | "tool_call" | "function_call"
    )
}

/// Whether the only text of an error result is a placeholder of a host.
pub(super) fn is_placeholder(text: &str) -> bool {
    STUBS.iter().any(|stub| stub.start == text) || text == ABORTED || text.contains(OUR_MARK)
}
