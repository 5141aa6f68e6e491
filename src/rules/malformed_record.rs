//! TD013 malformed-record.

use super::page::{RuleExample, RulePage};
use super::{Rule, layer, reported};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::MalformedRecord,
    name: "malformed-record",
    layer: layer::IDS,
    severity: Severity::Error,
    summary: "a required field is missing or has the wrong type",
    page: RulePage {
        fix: "safe, unsafe, or you decide",
        means: "The record is JSON, but the host cannot load it: a required field is missing, null, \
            or has the wrong type. A list element that is not an object cannot be a message.",
        causes: &[
            ("Any host", "a record written by another version or another program"),
            ("Scripts", "messages built by hand"),
        ],
        repair: "Safe if only one value is possible. A list element that is not a message is removed \
            if it says nothing (`null`, `true`, `[]`, an empty string).",
        otherwise: "`transcript-doctor repair --unsafe FILE` also removes list elements that say something. For the rest, edit the \
            record: only you know what was meant.",
        example: RuleExample {
            from: "anthropic-messages",
            options: &[],
            diff: br##" {"role":"user","content":"Hi"}
-null
 {"role":"assistant","content":"Hello"}
"##,
        },
    },
    reported_by: &[
        "hosts/ag_ui",
        "hosts/ai_sdk_ui",
        "hosts/amazon_q",
        "hosts/anthropic",
        "shapes/chat",
        "hosts/claude_code",
        "hosts/codex",
        "hosts/converse",
        "hosts/copilot_cli",
        "hosts/gemini_contents",
        "hosts/kimi_code",
        "hosts/langchain",
        "hosts/openai_responses",
        "hosts/opencode",
        "hosts/openhands",
        "hosts/openhands_v0",
        "hosts/pi",
        "hosts/qwen_code",
        "hosts/sharegpt",
        "hosts/vscode_chat",
        "requests/arguments",
        "requests/chat_members",
        "requests/item_shape",
        "requests/message_shape",
        "requests/result_names",
        "requests/strict_members",
        "requests/strict_order",
    ],
    check: reported::diagnostics,
};
