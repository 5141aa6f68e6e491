//! The types of items, and which output answers which call.

/// The type of a search for tools.
pub(crate) const SEARCH: &str = "tool_search_call";

/// A type of call, with its output types.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct CallKind {
    /// The type of the call.
    pub call: &'static str,
    /// The types of its output, first the one that the provider documents.
    pub outputs: &'static [&'static str],
    /// The member with its arguments.
    pub input: &'static str,
    /// The prefix that the provider requires for the ID of the item.
    pub prefix: Option<&'static str>,
}

const fn kind(
    call: &'static str,
    outputs: &'static [&'static str],
    input: &'static str,
) -> CallKind {
    CallKind { call, outputs, input, prefix: None }
}

/// All types of calls that the server does not run itself.
pub(crate) const CALLS: &[CallKind] = &[
    CallKind {
        prefix: Some("fc"),
        ..kind("function_call", &["function_call_output"], "arguments")
    },
    CallKind {
        prefix: Some("ctc"),
        ..kind("custom_tool_call", &["custom_tool_call_output"], "input")
    },
    kind("local_shell_call", &["local_shell_call_output", "function_call_output"], "action"),
    kind(SEARCH, &["tool_search_output"], "arguments"),
    kind("shell_call", &["shell_call_output"], "action"),
    kind("apply_patch_call", &["apply_patch_call_output"], "operation"),
    kind("computer_call", &["computer_call_output"], "action"),
    kind("mcp_approval_request", &["mcp_approval_response"], "arguments"),
];

/// Types of calls that the server runs. They contain their result.
pub(crate) const SERVER: &[&str] = &[
    "web_search_call",
    "file_search_call",
    "code_interpreter_call",
    "image_generation_call",
    "mcp_call",
    "mcp_list_tools",
    SEARCH,
];

/// Those of them that the provider takes only with their ID: `Missing required parameter: 'input[1].id'` (openai-agents-python
/// issue 3267; `id: Required[str]` in openai-python's `types/responses`). Codex sends searches of the web without one.
pub(super) const NEEDS_ID: &[&str] = &[
    "file_search_call",
    "code_interpreter_call",
    "image_generation_call",
    "mcp_call",
    "mcp_list_tools",
];

/// Types of items that replace what a compaction left out.
pub(crate) const COMPACTIONS: &[&str] = &["compaction", "context_compaction", "compaction_summary"];

/// Types of other items that have no counterpart.
pub(super) const OTHERS: &[&str] = &["item_reference", "configuration_update"];
