//! TD410 foreign-block.

use super::{Rule, claim, layer};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::ForeignBlock,
    name: "foreign-block",
    layer: layer::CALLS,
    severity: Severity::Fatal,
    summary: "a block or message type that the host or provider does not know",
    page: "\
A call or a result is written as another program writes it: its type or the member with its id has another name. Or a block, a
server tool or a kind of message belongs to another provider. The host does not know it for what it is and leaves it out, sends
the other half of the pair alone, or sends what is refused.

Repair: only the names change. Where more than a name differs, a person must say what was meant.
",
    reported_by: &["dialects/anthropic", "formats/anthropic", "formats/claude_code", "formats/converse", "formats/gemini_contents", "formats/langchain", "formats/openai_chat", "formats/pi"],
    check: claim::diagnostics,
};
