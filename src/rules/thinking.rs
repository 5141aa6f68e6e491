//! TD407 thinking.

use super::{Rule, claim, layer};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::Thinking,
    name: "thinking",
    layer: layer::CALLS,
    severity: Severity::Fatal,
    summary: "thinking that the provider rejects",
    page: "\
A thinking block without its signature, or one that was altered: the provider that made it takes it back only as it was.

Repair: unsafe, the blocks are dropped. Altered thinking with a signature looks like any other: it is touched only where the
provider's own text names it, with `repair --unsafe --error TEXT`. Sessions of Claude Code from 2.1.329 on keep it: a line is
appended after which the client leaves it out by itself.
",
    reported_by: &["dialects/anthropic", "formats/blamed", "formats/claude_code", "formats/langchain", "requests/signed_calls"],
    check: claim::diagnostics,
};
