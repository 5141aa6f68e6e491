//! The event kinds of openhands-sdk 1.58.0: who speaks in them and which members they have.

use crate::formats::CannotLoad;
use crate::formats::host_text::{HostText, begins};
use crate::transcript::Role;

/// One kind of event.
pub(super) struct Kind {
    /// The class name.
    pub name: &'static str,
    /// Who speaks; a message says it itself.
    pub role: Role,
    /// Members without which the SDK refuses the event.
    pub required: &'static [&'static str],
    /// Members that the SDK knows besides. It refuses any other (`extra_forbidden`).
    pub optional: &'static [&'static str],
}

/// The note about an event of another kind.
pub(super) const OTHER_KIND: &str = "an event kind that OpenHands SDK 1.58.0 does not know";
/// The note about an event of another tool.
pub(super) const OTHER_TOOL: &str = "a tool kind that does not come with OpenHands SDK 1.58.0";
/// The note about an event with other members.
pub(super) const OTHER_MEMBER: &str = "a field that OpenHands SDK 1.58.0 does not know";

/// The SDK refuses the whole conversation because of any of them.
pub(super) const CANNOT_LOAD: &[CannotLoad] = &[
    CannotLoad {
        note: OTHER_KIND,
        one: "is of a kind that OpenHands SDK 1.58 does not know",
        many: "are of kinds that OpenHands SDK 1.58 does not know",
    },
    CannotLoad {
        note: OTHER_TOOL,
        one: "is of a tool that does not come with OpenHands SDK 1.58",
        many: "are of tools that do not come with OpenHands SDK 1.58",
    },
    CannotLoad {
        note: OTHER_MEMBER,
        one: "has fields that OpenHands SDK 1.58 does not know",
        many: "have fields that OpenHands SDK 1.58 does not know",
    },
];

const fn kind(
    name: &'static str,
    role: Role,
    required: &'static [&'static str],
    optional: &'static [&'static str],
) -> Kind {
    Kind {
        name,
        role,
        required,
        optional,
    }
}

/// Members that every event has.
pub(super) const COMMON: &[&str] = &["id", "timestamp", "source", "parent_id", "kind"];

pub(super) const KINDS: &[Kind] = &[
    kind(
        "SystemPromptEvent",
        Role::System,
        &["system_prompt", "tools"],
        &["dynamic_context"],
    ),
    kind(
        "MessageEvent",
        Role::User,
        &["source", "llm_message"],
        &[
            "llm_response_id",
            "activated_skills",
            "extended_content",
            "sender",
            "critic_result",
        ],
    ),
    kind(
        "ActionEvent",
        Role::Assistant,
        &["thought", "tool_name", "tool_call", "llm_response_id"],
        &[
            "tool_call_id",
            "reasoning_content",
            "thinking_blocks",
            "responses_reasoning_item",
            "action",
            "security_risk",
            "summary",
            "critic_result",
        ],
    ),
    kind(
        "ObservationEvent",
        Role::Tool,
        &["tool_name", "observation", "action_id"],
        &["tool_call_id", "extended_content"],
    ),
    kind(
        "UserRejectObservation",
        Role::Tool,
        &["tool_name", "action_id"],
        &["tool_call_id", "rejection_reason", "rejection_source"],
    ),
    kind(
        "AgentErrorEvent",
        Role::Tool,
        &["tool_name", "error"],
        &["tool_call_id", "classification"],
    ),
    kind(
        "Condensation",
        Role::Nobody,
        &["llm_response_id"],
        &["forgotten_event_ids", "summary", "summary_offset"],
    ),
    kind("CondensationRequest", Role::Nobody, &[], &[]),
    kind("CondensationSummaryEvent", Role::User, &["summary"], &[]),
    kind("PauseEvent", Role::Nobody, &[], &[]),
    kind("InterruptEvent", Role::Nobody, &[], &[]),
    kind(
        "ConversationErrorEvent",
        Role::Nobody,
        &["code", "detail"],
        &["classification"],
    ),
    kind(
        "ConversationStateUpdateEvent",
        Role::Nobody,
        &[],
        &["key", "value"],
    ),
];

/// Kinds that are known and never sent, whose members are not listed here: nothing in them is judged.
pub(super) const SILENT: &[&str] = &[
    "HookExecutionEvent",
    "ACPToolCallEvent",
    "SecurityAnalysisEvent",
    "TokenEvent",
    "LLMCompletionLogEvent",
    "StreamingDeltaEvent",
    "ServerErrorEvent",
];

/// A kind by its name.
pub(super) fn by_name(name: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.name == name)
}

/// What the tools that come with the SDK call their actions and observations, without the word itself at the end.
pub(super) const TOOLS: &[&str] = &[
    "ApplyPatch",
    "AskOracle",
    "Browser",
    "BrowserClick",
    "BrowserCloseTab",
    "BrowserGetContent",
    "BrowserGetState",
    "BrowserGetStorage",
    "BrowserGoBack",
    "BrowserListTabs",
    "BrowserNavigate",
    "BrowserScroll",
    "BrowserSetStorage",
    "BrowserStartRecording",
    "BrowserStopRecording",
    "BrowserSwitchTab",
    "BrowserType",
    "ClassifyAndSwitchLLM",
    "ClientTool",
    "ConsultTom",
    "Delegate",
    "Edit",
    "FileChange",
    "FileEditor",
    "Finish",
    "Glob",
    "Grep",
    "InvokeSkill",
    "ListDirectory",
    "MCPTool",
    "PlanningFileEditor",
    "ReadFile",
    "SleeptimeCompute",
    "StartChildConversation",
    "SwitchLLM",
    "Task",
    "TaskTracker",
    "Terminal",
    "Think",
    "VisionInspect",
    "Workflow",
    "WriteFile",
];

/// The kind that members speak of, where a record does not say its own: of those that have all they must have, the one
/// that must have most. `None`: none, or two.
pub(super) fn by_members(has: impl Fn(&str) -> bool) -> Option<&'static Kind> {
    let fits = KINDS
        .iter()
        .filter(|kind| kind.required.len() > 1 && kind.required.iter().all(|key| has(key)));
    let most = fits.clone().map(|kind| kind.required.len()).max()?;
    let mut best = fits.filter(|kind| kind.required.len() == most);
    best.next().filter(|_| best.next().is_none())
}

/// Whether a tool of the SDK has an action, or an observation, of this kind. Tools of other packages are no damage.
pub(super) fn is_tool_kind(kind: &str, word: &str) -> bool {
    kind.strip_suffix(word)
        .is_some_and(|tool| TOOLS.contains(&tool))
}

/// Whether the SDK knows this kind.
pub(super) fn is_known(name: &str) -> bool {
    by_name(name).is_some() || SILENT.contains(&name)
}

/// Beginnings of the error texts that the SDK writes in the place of a result that it does not have.
pub(super) const STUBS: &[HostText] = &[
    begins(RECOVERY),
    begins("Tool call interrupted before completion."),
    begins("Tool call cancelled by interrupt."),
];

/// The beginning of the one that crash recovery writes when it loads a conversation.
pub(super) const RECOVERY: &str = "A restart occurred while this tool was in progress.";

/// What our own answers contain.
pub(super) const OUR_MARK: &str = "(inserted by transcript-doctor";
