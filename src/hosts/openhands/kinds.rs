//! The event kinds of openhands-sdk 1.58.0: their roles and members.

use crate::format::host_text::{HostText, begins};
use crate::format::{CannotLoad, Client, ClientKind};
use crate::json::fields::fields;
use crate::transcript::Role;

fields! {
    /// Members of events, and of the host's state.
    pub(super) enum OpenHandsKey {
        Id = "id",
        Timestamp = "timestamp",
        Kind = "kind",
        ParentId = "parent_id",
        ToolCallId = "tool_call_id",
        Thought = "thought",
        Action = "action",
        LlmMessage = "llm_message",
        SystemPrompt = "system_prompt",
        Source = "source",
        LlmResponseId = "llm_response_id",
        Observation = "observation",
        RejectionReason = "rejection_reason",
        Error = "error",
        Key = "key",
        Value = "value",
        ToolCall = "tool_call",
        ToolName = "tool_name",
        ThinkingBlocks = "thinking_blocks",
        ActionId = "action_id",
        ForgottenEventIds = "forgotten_event_ids",
        Summary = "summary",
        SummaryOffset = "summary_offset",
        ExecutionStatus = "execution_status",
        Agent = "agent",
        HeadIsEmpty = "head_is_empty",
        LeafEventId = "leaf_event_id",
        Tools = "tools",
        DynamicContext = "dynamic_context",
        ActivatedSkills = "activated_skills",
        ExtendedContent = "extended_content",
        Sender = "sender",
        CriticResult = "critic_result",
        ReasoningContent = "reasoning_content",
        ResponsesReasoningItem = "responses_reasoning_item",
        SecurityRisk = "security_risk",
        RejectionSource = "rejection_source",
        Classification = "classification",
        Code = "code",
        Detail = "detail",
    }
}

/// One kind of event.
pub(super) struct EventKind {
    /// The class name.
    pub name: &'static str,
    /// Its role; a message has its own.
    pub role: Role,
    /// Members without which the SDK rejects the event.
    pub required: &'static [OpenHandsKey],
    /// All members that the SDK knows, one bit each. It rejects any other (`extra_forbidden`).
    pub known: u64,
}

/// The note about an event of another kind.
pub(super) const OTHER_KIND: &str = "an event kind that OpenHands SDK 1.58.0 does not know";
/// The note about an event of another tool.
pub(super) const OTHER_TOOL: &str = "a tool kind that does not come with OpenHands SDK 1.58.0";
/// The note about an event with other members.
pub(super) const OTHER_MEMBER: &str = "a field that OpenHands SDK 1.58.0 does not know";

/// The SDK rejects the whole conversation because of any of these.
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
    required: &'static [OpenHandsKey],
    optional: &[OpenHandsKey],
) -> EventKind {
    EventKind { name, role, required, known: bits(COMMON) | bits(required) | bits(optional) }
}

const fn bits(members: &[OpenHandsKey]) -> u64 {
    let (mut bits, mut at) = (0, 0);
    while at < members.len() {
        bits |= 1 << members[at] as u32;
        at += 1;
    }
    bits
}

/// Members that every event has.
const COMMON: &[OpenHandsKey] = &[
    OpenHandsKey::Id,
    OpenHandsKey::Timestamp,
    OpenHandsKey::Source,
    OpenHandsKey::ParentId,
    OpenHandsKey::Kind,
];

pub(super) const KINDS: &[EventKind] = &[
    kind(
        "SystemPromptEvent",
        Role::System,
        &[OpenHandsKey::SystemPrompt, OpenHandsKey::Tools],
        &[OpenHandsKey::DynamicContext],
    ),
    kind(
        "MessageEvent",
        Role::User,
        &[OpenHandsKey::Source, OpenHandsKey::LlmMessage],
        &[
            OpenHandsKey::LlmResponseId,
            OpenHandsKey::ActivatedSkills,
            OpenHandsKey::ExtendedContent,
            OpenHandsKey::Sender,
            OpenHandsKey::CriticResult,
        ],
    ),
    kind(
        "ActionEvent",
        Role::Assistant,
        &[
            OpenHandsKey::Thought,
            OpenHandsKey::ToolName,
            OpenHandsKey::ToolCall,
            OpenHandsKey::LlmResponseId,
        ],
        &[
            OpenHandsKey::ToolCallId,
            OpenHandsKey::ReasoningContent,
            OpenHandsKey::ThinkingBlocks,
            OpenHandsKey::ResponsesReasoningItem,
            OpenHandsKey::Action,
            OpenHandsKey::SecurityRisk,
            OpenHandsKey::Summary,
            OpenHandsKey::CriticResult,
        ],
    ),
    kind(
        "ObservationEvent",
        Role::Tool,
        &[OpenHandsKey::ToolName, OpenHandsKey::Observation, OpenHandsKey::ActionId],
        &[OpenHandsKey::ToolCallId, OpenHandsKey::ExtendedContent],
    ),
    kind(
        "UserRejectObservation",
        Role::Tool,
        &[OpenHandsKey::ToolName, OpenHandsKey::ActionId],
        &[OpenHandsKey::ToolCallId, OpenHandsKey::RejectionReason, OpenHandsKey::RejectionSource],
    ),
    kind(
        "AgentErrorEvent",
        Role::Tool,
        &[OpenHandsKey::ToolName, OpenHandsKey::Error],
        &[OpenHandsKey::ToolCallId, OpenHandsKey::Classification],
    ),
    kind(
        "Condensation",
        Role::Nobody,
        &[OpenHandsKey::LlmResponseId],
        &[OpenHandsKey::ForgottenEventIds, OpenHandsKey::Summary, OpenHandsKey::SummaryOffset],
    ),
    kind("CondensationRequest", Role::Nobody, &[], &[]),
    kind("CondensationSummaryEvent", Role::User, &[OpenHandsKey::Summary], &[]),
    kind("PauseEvent", Role::Nobody, &[], &[]),
    kind("InterruptEvent", Role::Nobody, &[], &[]),
    kind(
        "ConversationErrorEvent",
        Role::Nobody,
        &[OpenHandsKey::Code, OpenHandsKey::Detail],
        &[OpenHandsKey::Classification],
    ),
    kind(
        "ConversationStateUpdateEvent",
        Role::Nobody,
        &[],
        &[OpenHandsKey::Key, OpenHandsKey::Value],
    ),
];

/// Known kinds that are never sent. Their members are not listed, so their content is not checked.
pub(super) const SILENT: &[&str] = &[
    "HookExecutionEvent",
    "ACPToolCallEvent",
    "SecurityAnalysisEvent",
    "TokenEvent",
    "LLMCompletionLogEvent",
    "StreamingDeltaEvent",
    "ServerErrorEvent",
];

pub(super) fn by_name(name: &str) -> Option<&'static EventKind> {
    KINDS.iter().find(|kind| kind.name == name)
}

/// Names of the actions and observations of the SDK's tools, without the suffix `Action` or
/// `Observation`; sorted.
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

/// The kind that the members suggest, for a record without a kind: of those with all required
/// members, the one that requires most. `None` for none or several.
pub(super) fn by_members(has: impl Fn(OpenHandsKey) -> bool) -> Option<&'static EventKind> {
    let fits = KINDS
        .iter()
        .filter(|kind| kind.required.len() > 1 && kind.required.iter().all(|key| has(*key)));
    let most = fits.clone().map(|kind| kind.required.len()).max()?;
    let mut best = fits.filter(|kind| kind.required.len() == most);
    best.next().filter(|_| best.next().is_none())
}

/// Whether a tool of the SDK has an action or observation of this kind. Tools of other packages are
/// not damage.
pub(super) fn is_tool_kind(kind: &[u8], word: &str) -> bool {
    kind.strip_suffix(word.as_bytes())
        .is_some_and(|tool| TOOLS.binary_search_by(|own| own.as_bytes().cmp(tool)).is_ok())
}

/// Whether the SDK knows this kind.
pub(super) fn is_known(name: &str) -> bool {
    by_name(name).is_some() || SILENT.contains(&name)
}

/// Starts of the error texts that the SDK writes in place of a missing result.
pub(super) const STUBS: &[HostText] = &[
    begins(RECOVERY),
    begins("Tool call interrupted before completion."),
    begins("Tool call cancelled by interrupt."),
];

/// The start of the text that crash recovery writes when it loads a conversation.
pub(super) const RECOVERY: &str = "A restart occurred while this tool was in progress.";

/// What our own placeholder results contain.
pub(super) const OUR_MARK: &str = "(inserted by transcript-doctor";

/// The kinds of clients. A log does not say which one wrote it.
pub(super) const CLIENTS: &[ClientKind] = &[
    ClientKind { client: Client::Current, versions: "1.17 and later with default settings" },
    ClientKind { client: Client::Strict, versions: "older versions and gateways that do not mend" },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_sorted() {
        assert!(TOOLS.is_sorted());
    }
}
