//! TD013 malformed-record.

use super::{Rule, claim, layer};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::MalformedRecord,
    name: "malformed-record",
    layer: layer::IDS,
    severity: Severity::Error,
    summary: "a required field is missing or has the wrong type",
    page: "\
The record is JSON, but not what the host can load: a member that its kind must have is missing, null or of another type.

A value in the list that is not an object cannot be a message.

Repair: safe where only one value is possible; otherwise a person must say what was meant. A value among messages is removed:
safe where it says nothing (`null`, `true`, `[]`, `\"\"`), else --unsafe.
",
    reported_by: &["dialects/anthropic", "formats/anthropic", "formats/chat", "formats/claude_code", "formats/codex", "formats/converse", "formats/gemini_contents", "formats/items", "formats/langchain", "formats/openai_chat", "formats/openai_responses", "formats/openhands", "formats/openhands_v0", "formats/pi", "requests/arguments", "requests/result_names"],
    check: claim::diagnostics,
};
