//! TD401 empty-content.

use super::{Rule, claim, layer};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::EmptyContent,
    name: "empty-content",
    layer: layer::CALLS,
    severity: Severity::Fatal,
    summary: "an empty text block or message",
    page: "\
A text block that is empty or only white space. Anthropic refuses it; some hosts write a placeholder into it first.

Repair: the block is cut where the message holds another one.
",
    reported_by: &["dialects/anthropic", "formats/converse", "formats/gemini_cli", "formats/gemini_contents", "formats/items", "formats/langchain", "formats/openai_chat", "formats/openhands", "formats/pi"],
    check: claim::diagnostics,
};
