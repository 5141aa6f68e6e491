//! TD404 bad-tool-name.

use super::{Rule, claim, layer};
use crate::transcript::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::BadToolName,
    name: "bad-tool-name",
    layer: layer::CALLS,
    severity: Severity::Fatal,
    summary: "a tool name with characters or a length that the provider rejects",
    page: "\
The name of a tool holds characters that the provider refuses, or is too long: the model leaked markup into it, or it was
made from a long title.

Repair: leaked markup behind a good name is cut off, in every place that holds the name of this call. Anything else is unsafe:
bad characters become _, and the name is cut to its longest length.
",
    reported_by: &["dialects/anthropic", "formats/openai_chat", "requests/tool_names"],
    check: claim::diagnostics,
};
