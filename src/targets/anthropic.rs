//! Anthropic Messages API.

use super::Target;

/// `POST /v1/messages`. Texts as quoted in public reports.
pub const ANTHROPIC: Target = Target {
    name: "anthropic",
    title: "Anthropic",
    merges_turns: true,
    counts_system: false,
    longest_id: 64,
    shortest_id: 1,
    careful_id: 64,
    id_marks: Some("_-"),
    made_id: None,
    reuse_accepted: false,
    results_anywhere: false,
    takes_final_answer: false,
    texts: &[
        ("TD009", "The request body is not valid JSON: no low surrogate in string"),
        ("TD013", "messages.N.content: Input should be a valid list"),
        (
            "TD101",
            "messages.N: `tool_use` ids were found without `tool_result` blocks immediately after: ID. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
        ),
        (
            "TD103",
            "messages.N.content.M: unexpected `tool_use_id` found in `tool_result` blocks: ID. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
        ),
        (
            "TD104",
            "messages.N.content.M: each tool_use must have a single result. Found multiple `tool_result` blocks with id: ID",
        ),
        (
            "TD105",
            "messages.N.content.M: each tool_use must have a single result. Found multiple `tool_result` blocks with id: ID",
        ),
        ("TD106", "messages.N.content.M: `tool_use` ids must be unique"),
        ("TD107", "messages.N.content.M.tool_result.tool_use_id: Field required"),
        ("TD109", "messages.N.content.M: `tool_use` ids must be unique"),
        ("TD201", "messages.N: `tool_use` ids were found without `tool_result` blocks immediately after: ID"),
        ("TD202", "messages.N: `tool_use` ids were found without `tool_result` blocks immediately after: ID"),
        ("TD204", "messages.N.content.M: unexpected `tool_use_id` found in `tool_result` blocks: ID"),
        (
            "TD205",
            "This model does not support assistant message prefill. The conversation must end with a user message.",
        ),
        ("TD206", "messages: first message must use the \"user\" role"),
        ("TD303", "messages.N.content.M: unexpected `tool_use_id` found in `tool_result` blocks: ID"),
        ("TD304", "messages.N.content.M: unexpected `tool_use_id` found in `tool_result` blocks: ID"),
        ("TD401", "messages: text content blocks must be non-empty"),
        ("TD402", "messages.N.content.M.tool_use.input: Field required"),
        ("TD403", "messages.N.content.M.tool_use.input: Input should be a valid dictionary"),
        ("TD404", "messages.N.content.M.tool_use.name: String should have at most 200 characters"),
        ("TD405", "messages.N.content.M.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"),
        ("TD406", "messages.N.content.M.tool_result: content cannot be empty if `is_error` is true"),
        ("TD407", "messages.N.content.M.thinking.signature: Field required"),
        ("TD408", "Could not process image"),
        (
            "TD410",
            "messages.N.content.M: Input tag 'X' found using 'type' does not match any of the expected tags: 'text', …",
        ),
    ],
    severity: &[],
    id_shapes: &["toolu_", "srvtoolu_"],
    models: &["claude", "anthropic"],
};
