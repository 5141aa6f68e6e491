//! The words of the format: types of records, roles, and the spellings of other programs that are met in it.

use crate::formats::host_text::{HostText, begins};
use crate::transcript::Role;

/// Types of entries that are never sent; still part of the chain.
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

/// Entries that OpenClaw appends to its chain. Others only move the place where the next one is appended.
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

/// Members that hold the id of the call in a result: the host's own first.
pub(super) const RESULT_IDS: &[&str] = &[
    "toolCallId",
    "toolUseId",
    "tool_call_id",
    "tool_use_id",
    "callId",
    "call_id",
];

/// Members that hold the arguments of a call: the host's own first.
pub(super) const ARGUMENTS: &[&str] = &["arguments", "input"];

/// What our own answers contain.
const OUR_MARK: &str = "(inserted by transcript-doctor";

/// Texts that hosts write in the place of a result that they do not have.
const STUBS: &[HostText] = &[
    begins(
        "[openclaw] missing tool result in session history; inserted synthetic error result for transcript repair.",
    ),
    begins("No result provided"),
];

/// What pi writes for a call that was stopped: elsewhere the word says nothing.
const ABORTED: &str = "aborted";

/// What OpenClaw sends in the place of an empty result.
pub(super) const EMPTY: &str = "[empty content omitted]";

/// The texts of these hosts by which records are known, and the one in the place of nothing.
pub(super) const TEXTS: &[&[HostText]] = &[STUBS, &[begins(EMPTY)]];

/// Whether this is the type of an entry.
pub(super) fn is_known(kind: &str) -> bool {
    SILENT.contains(&kind) || matches!(kind, "message" | "branch_summary" | "custom_message")
}

/// The members that an entry of this type says something with.
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

/// Who speaks in a message. `None`: no such role, and the host leaves the message out.
pub(super) fn role(word: &str) -> Option<Role> {
    match word {
        "user" | "bashExecution" | "custom" | "hookMessage" | "branchSummary"
        | "compactionSummary" => Some(Role::User),
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

/// Whether the only text of an error result is one that hosts write themselves.
pub(super) fn is_stub(text: &str) -> bool {
    STUBS.iter().any(|stub| stub.start == text) || text == ABORTED || text.contains(OUR_MARK)
}
