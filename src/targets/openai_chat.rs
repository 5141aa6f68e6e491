//! OpenAI Chat Completions, and the servers that speak the same dialect.

use super::Target;
use crate::transcript::Severity;

/// `POST …/chat/completions`. Texts as quoted in public reports.
pub const OPENAI_CHAT: Target = Target {
    name: "openai-chat",
    title: "OpenAI Chat Completions",
    merges_turns: false,
    counts_system: true,
    longest_id: 40,
    id_marks: None,
    made_id: None,
    reuse_accepted: true,
    results_anywhere: false,
    texts: &[
        ("TD009", "no low surrogate in string"),
        (
            "TD101",
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ID",
        ),
        (
            "TD103",
            "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        ),
        (
            "TD104",
            "Invalid parameter: Duplicate value for 'tool_call_id' of 'ID', in messages[N] and messages[N].",
        ),
        ("TD107", "Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'."),
        ("TD108", "Invalid parameter: 'tool_call_id' of 'ID' not found in 'tool_calls' of previous message."),
        (
            "TD201",
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.",
        ),
        (
            "TD202",
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.",
        ),
        (
            "TD204",
            "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        ),
        (
            "TD403",
            "Unterminated string starting at: line 1 column N (char N) (servers that parse the arguments)",
        ),
        (
            "TD405",
            "Invalid 'messages[N].tool_calls[0].id': string too long. Expected a string with maximum length 64",
        ),
    ],
    severity: &[("TD403", Severity::Warning)],
    id_shapes: &["call_", "chatcmpl-tool-"],
    models: &[
        "gpt",
        "openai-completions",
        "openai/",
        "litellm_proxy/openai",
        "kimi",
        "moonshot",
        "deepseek",
        "qwen",
    ],
};
